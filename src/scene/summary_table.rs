//! A [`SceneSummary`] as text that people read.

use std::fmt;

use super::{
    error::OneLine,
    summary::{AnimationSummary, MeshSummary, SceneSummary},
};

impl fmt::Display for SceneSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.file)?;
        let by = self.generator.as_deref().unwrap_or("an unnamed program");
        writeln!(formatter, "  made by {}", one_line(by))?;
        if !self.extensions_used.is_empty() {
            let required = |name: &String| if self.extensions_required.contains(name) { " (required)" } else { "" };
            let names: Vec<String> =
                self.extensions_used.iter().map(|name| format!("{}{}", one_line(name), required(name))).collect();
            writeln!(formatter, "  extensions: {}", names.join(", "))?;
        }
        let (nodes, drawn) = (self.nodes, self.drawn_nodes);
        writeln!(
            formatter,
            "  {} vertices, {} triangles; {drawn} of {nodes} nodes drawn",
            self.vertices, self.triangles
        )?;
        self.write_meshes(formatter)?;
        self.write_movement(formatter)?;
        self.write_surfaces(formatter)?;
        self.write_views(formatter)
    }
}

/// A name that stays on its line, whatever its maker put into it.
fn one_line(name: &str) -> String {
    OneLine(format_args!("{name}")).to_string()
}

/// `3 'Walk'`: how a user names the thing.
fn label(index: usize, name: Option<&str>) -> String {
    name.map_or_else(|| index.to_string(), |name| format!("{index} '{}'", one_line(name)))
}

fn heading(formatter: &mut fmt::Formatter<'_>, title: &str, entries: usize) -> fmt::Result {
    if entries > 0 { writeln!(formatter, "\n{title}") } else { Ok(()) }
}

/// Lines under a heading, with the first column as wide as its widest entry.
fn rows(formatter: &mut fmt::Formatter<'_>, title: &str, rows: &[(String, String)]) -> fmt::Result {
    heading(formatter, title, rows.len())?;
    let width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    for (label, text) in rows {
        writeln!(formatter, "  {label:width$}  {text}")?;
    }
    Ok(())
}

impl SceneSummary {
    fn write_meshes(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(formatter, "Meshes", self.meshes.len())?;
        for (index, mesh) in self.meshes.iter().enumerate() {
            writeln!(formatter, "  {}{}", label(index, mesh.name.as_deref()), extent(mesh))?;
            for primitive in &mesh.primitives {
                let mut parts = vec![format!("{} {}", primitive.elements, primitive.topology)];
                parts.push(format!("{} vertices", primitive.vertices));
                if primitive.influences > 0 {
                    parts.push(format!("{} influences", primitive.influences));
                }
                let optional = [
                    (primitive.flat, "no normals (flat)".to_owned()),
                    (primitive.tangents, "tangents".to_owned()),
                    (primitive.texcoords > 0, format!("{} UV", primitive.texcoords)),
                    (primitive.colors, "colours".to_owned()),
                    (primitive.occlusion, "occlusion".to_owned()),
                ];
                parts.extend(optional.into_iter().filter_map(|(present, text)| present.then_some(text)));
                let material = primitive.material.map_or("the default material".to_owned(), |index| {
                    let name = self.materials.get(index).and_then(|material| material.name.as_deref());
                    format!("material {}", label(index, name))
                });
                parts.push(material);
                writeln!(formatter, "    {}", parts.join(", "))?;
            }
            if !mesh.morph_targets.is_empty() {
                writeln!(formatter, "    morph targets: {}", one_line(&mesh.morph_targets.join(", ")))?;
            }
        }
        Ok(())
    }

    fn write_movement(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skins: Vec<_> = (self.skins.iter().enumerate())
            .map(|(index, skin)| (label(index, skin.name.as_deref()), format!("{} joints", skin.joints)))
            .collect();
        rows(formatter, "Skins", &skins)?;
        let clips: Vec<_> = (self.animations.iter().enumerate())
            .map(|(index, animation)| (label(index, animation.name.as_deref()), channels(animation)))
            .collect();
        rows(formatter, "Animations", &clips)
    }

    fn write_surfaces(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let materials: Vec<_> = (self.materials.iter().enumerate())
            .map(|(index, material)| {
                let mut parts = vec![material.alpha_mode];
                parts.extend(material.double_sided.then_some("double-sided"));
                parts.extend(material.unlit.then_some("unlit"));
                parts.extend(&material.textures);
                (label(index, material.name.as_deref()), parts.join(", "))
            })
            .collect();
        rows(formatter, "Materials", &materials)?;
        let textures: Vec<_> = (self.textures.iter().enumerate())
            .map(|(index, texture)| {
                let image = self.images.get(texture.image);
                let size = image.map_or(String::new(), |image| {
                    let name = label(texture.image, image.name.as_deref());
                    format!("image {name}, {}×{} {}, ", image.width, image.height, image.format)
                });
                (index.to_string(), format!("{size}filters {}, wrap {}", texture.filters, texture.wrap))
            })
            .collect();
        rows(formatter, "Textures", &textures)
    }

    fn write_views(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cameras: Vec<_> = (self.cameras.iter().enumerate())
            .map(|(index, camera)| {
                let place = if camera.nodes.is_empty() { ", placed nowhere" } else { "" };
                (label(index, camera.name.as_deref()), format!("{}{place}", camera.projection))
            })
            .collect();
        rows(formatter, "Cameras", &cameras)?;
        let lights: Vec<_> = (self.lights.iter().enumerate())
            .map(|(index, light)| {
                (label(index, light.name.as_deref()), format!("{}, intensity {}", light.kind, light.intensity))
            })
            .collect();
        rows(formatter, "Lights", &lights)
    }
}

/// The size of the box around a mesh at rest.
fn extent(mesh: &MeshSummary) -> String {
    mesh.bounds.map_or(String::new(), |bounds| {
        let [x, y, z] = [0, 1, 2].map(|axis| bounds.max[axis] - bounds.min[axis]);
        format!("  ({x:.3} × {y:.3} × {z:.3})")
    })
}

fn channels(animation: &AnimationSummary) -> String {
    let kinds = [
        (animation.translations, "translation"),
        (animation.rotations, "rotation"),
        (animation.scales, "scale"),
        (animation.weights, "weights"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
    let colon = if kinds.is_empty() { "" } else { ": " };
    format!("{:.3} s, {} channels{colon}{}", animation.duration, animation.channels, kinds.join(", "))
}
