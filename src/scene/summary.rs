//! What is in a scene, counted.
//!
//! Why it exists: `refrast info` prints it, as a table or as JSON, and tests compare it with what is known about a
//! file.

use serde::Serialize;

use super::model::{
    AlphaMode, Animation, ChannelTarget, LightKind, Mesh, Primitive, Projection, Sampler, Scene, Topology,
};

/// The content of a scene, in numbers and names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneSummary {
    /// The path, or the name given to [`Scene::from_bytes`].
    pub file: String,
    /// The program that wrote the file.
    pub generator: Option<String>,
    /// Extensions that the file uses.
    pub extensions_used: Vec<String>,
    /// Extensions that the file can not be drawn without.
    pub extensions_required: Vec<String>,
    /// Nodes in the file.
    pub nodes: usize,
    /// Nodes that the default scene reaches.
    pub drawn_nodes: usize,
    /// Vertices of all meshes, as the file counts them.
    pub vertices: usize,
    /// Triangles of all meshes.
    pub triangles: usize,
    /// By file index.
    pub meshes: Vec<MeshSummary>,
    /// By file index.
    pub skins: Vec<SkinSummary>,
    /// By file index.
    pub animations: Vec<AnimationSummary>,
    /// By file index, without the default material.
    pub materials: Vec<MaterialSummary>,
    /// By file index.
    pub textures: Vec<TextureSummary>,
    /// By file index.
    pub images: Vec<ImageSummary>,
    /// By file index.
    pub cameras: Vec<CameraSummary>,
    /// Without those of unknown types.
    pub lights: Vec<LightSummary>,
}

/// One mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshSummary {
    /// The name in the file.
    pub name: Option<String>,
    /// In file order.
    pub primitives: Vec<PrimitiveSummary>,
    /// Morph targets by name, or by index where the file gives no names.
    pub morph_targets: Vec<String>,
    /// Box around the rest positions in mesh space; `None` without vertices.
    pub bounds: Option<Bounds>,
}

/// One primitive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrimitiveSummary {
    /// `points`, `lines` or `triangles`.
    pub topology: &'static str,
    /// Vertices in the file.
    pub vertices: usize,
    /// Vertices after splitting for flat normals and generated tangents.
    pub split_vertices: usize,
    /// Points, lines or triangles.
    pub elements: usize,
    /// The file has no normals.
    pub flat: bool,
    /// Tangents, of the file or generated.
    pub tangents: bool,
    /// Sets of texture coordinates.
    pub texcoords: usize,
    /// COLOR_0 is there.
    pub colors: bool,
    /// `_OCCLUSION` is there.
    pub occlusion: bool,
    /// Influences a vertex; 0 for an unskinned primitive.
    pub influences: usize,
    /// The material's index; `None` is the default material.
    pub material: Option<usize>,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounds {
    /// Smallest x, y, z.
    pub min: [f32; 3],
    /// Largest x, y, z.
    pub max: [f32; 3],
}

/// One skin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkinSummary {
    /// The name in the file.
    pub name: Option<String>,
    /// Number of joints.
    pub joints: usize,
    /// Their names; the node's index where it has none.
    pub joint_names: Vec<String>,
}

/// One animation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnimationSummary {
    /// The name in the file.
    pub name: Option<String>,
    /// The last key, in seconds.
    pub duration: f32,
    /// All channels.
    pub channels: usize,
    /// Channels that move translations.
    pub translations: usize,
    /// Channels that move rotations.
    pub rotations: usize,
    /// Channels that move scales.
    pub scales: usize,
    /// Channels that move morph weights.
    pub weights: usize,
}

/// One material.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaterialSummary {
    /// The name in the file.
    pub name: Option<String>,
    /// `opaque`, `mask` or `blend`.
    pub alpha_mode: &'static str,
    /// Back faces are drawn.
    pub double_sided: bool,
    /// KHR_materials_unlit.
    pub unlit: bool,
    /// The textures that are in use, by what they are for.
    pub textures: Vec<&'static str>,
}

/// One texture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextureSummary {
    /// Index into the images.
    pub image: usize,
    /// Magnification, minification and mip filter.
    pub filters: String,
    /// Wrap modes along u and v.
    pub wrap: String,
}

/// One image.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImageSummary {
    /// The name or URI in the file.
    pub name: Option<String>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Such as `PNG Rgb 8 bit`; empty for a scene that was built in code.
    pub format: String,
}

/// One camera.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CameraSummary {
    /// The name in the file.
    pub name: Option<String>,
    /// `perspective` or `orthographic`.
    pub projection: &'static str,
    /// The nodes of the scene that carry it.
    pub nodes: Vec<usize>,
}

/// One light.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LightSummary {
    /// The name in the file.
    pub name: Option<String>,
    /// `directional`, `point` or `spot`.
    pub kind: &'static str,
    /// Lux or candela.
    pub intensity: f32,
}

impl Scene {
    /// Counts what is in the scene.
    pub fn summary(&self) -> SceneSummary {
        let meshes: Vec<MeshSummary> = self.meshes.iter().map(|mesh| self.summarise_mesh(mesh)).collect();
        let primitives = || meshes.iter().flat_map(|mesh| &mesh.primitives);
        let triangles = primitives().filter(|primitive| primitive.topology == topology_name(Topology::Triangles));
        // Scenes built in code need not have the default material at the end.
        let file_materials = self.materials.len().saturating_sub(1);
        SceneSummary {
            file: self.source.file.clone(),
            generator: self.source.generator.clone(),
            extensions_used: self.source.extensions_used.clone(),
            extensions_required: self.source.extensions_required.clone(),
            nodes: self.nodes.len(),
            drawn_nodes: self.drawn.len(),
            vertices: primitives().map(|primitive| primitive.vertices).sum(),
            triangles: triangles.map(|primitive| primitive.elements).sum(),
            skins: self.skins.iter().map(|skin| self.summarise_skin(skin)).collect(),
            animations: self.animations.iter().map(summarise_animation).collect(),
            materials: self.materials.iter().take(file_materials).map(summarise_material).collect(),
            textures: self.textures.iter().map(|texture| summarise_texture(texture.image, &texture.sampler)).collect(),
            images: self.summarise_images(),
            cameras: self.summarise_cameras(),
            lights: self.lights.iter().map(summarise_light).collect(),
            meshes,
        }
    }

    fn summarise_mesh(&self, mesh: &Mesh) -> MeshSummary {
        let summarise = |primitive: &Primitive| PrimitiveSummary {
            topology: topology_name(primitive.topology),
            vertices: primitive.source_vertex_count,
            split_vertices: primitive.positions.len(),
            elements: primitive.indices.len() / indices_per_element(primitive.topology),
            flat: primitive.flat,
            tangents: primitive.tangents.is_some(),
            texcoords: primitive.texcoords.len(),
            colors: primitive.colors.is_some(),
            occlusion: primitive.occlusion.is_some(),
            influences: primitive.influences.as_ref().map_or(0, |influences| influences.per_vertex),
            material: Some(primitive.material).filter(|material| material + 1 < self.materials.len()),
        };
        let morph_targets = if mesh.target_names.is_empty() {
            (0..mesh.weights.len()).map(|target| target.to_string()).collect()
        } else {
            mesh.target_names.clone()
        };
        MeshSummary {
            name: mesh.name.clone(),
            primitives: mesh.primitives.iter().map(summarise).collect(),
            morph_targets,
            bounds: bounds(mesh),
        }
    }

    fn summarise_skin(&self, skin: &super::model::Skin) -> SkinSummary {
        let name = |joint: &usize| self.nodes[*joint].name.clone().unwrap_or_else(|| joint.to_string());
        SkinSummary {
            name: skin.name.clone(),
            joints: skin.joints.len(),
            joint_names: skin.joints.iter().map(name).collect(),
        }
    }

    fn summarise_images(&self) -> Vec<ImageSummary> {
        let summarise = |(index, image): (usize, &super::model::Image)| ImageSummary {
            name: image.name.clone(),
            width: image.width,
            height: image.height,
            format: self.source.image_formats.get(index).cloned().unwrap_or_default(),
        };
        self.images.iter().enumerate().map(summarise).collect()
    }

    fn summarise_cameras(&self) -> Vec<CameraSummary> {
        let placed = self.placed_cameras();
        let summarise = |(index, camera): (usize, &super::model::Camera)| CameraSummary {
            name: camera.name.clone(),
            projection: match camera.projection {
                Projection::Perspective { .. } => "perspective",
                Projection::Orthographic { .. } => "orthographic",
            },
            nodes: placed.iter().filter(|placed| placed.camera == index).map(|placed| placed.node).collect(),
        };
        self.cameras.iter().enumerate().map(summarise).collect()
    }
}

/// The box around all vertices that primitives of the mesh have.
fn bounds(mesh: &Mesh) -> Option<Bounds> {
    let mut positions = mesh.primitives.iter().flat_map(|primitive| &primitive.positions);
    let first = *positions.next()?;
    let grow = |bounds: Bounds, position: &[f32; 3]| Bounds {
        min: std::array::from_fn(|axis| bounds.min[axis].min(position[axis])),
        max: std::array::from_fn(|axis| bounds.max[axis].max(position[axis])),
    };
    Some(positions.fold(Bounds { min: first, max: first }, grow))
}

fn topology_name(topology: Topology) -> &'static str {
    match topology {
        Topology::Points => "points",
        Topology::Lines => "lines",
        Topology::Triangles => "triangles",
    }
}

fn indices_per_element(topology: Topology) -> usize {
    match topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::Triangles => 3,
    }
}

fn summarise_animation(animation: &Animation) -> AnimationSummary {
    let count = |target| animation.channels.iter().filter(|channel| channel.target == target).count();
    AnimationSummary {
        name: animation.name.clone(),
        duration: animation.duration,
        channels: animation.channels.len(),
        translations: count(ChannelTarget::Translation),
        rotations: count(ChannelTarget::Rotation),
        scales: count(ChannelTarget::Scale),
        weights: count(ChannelTarget::Weights),
    }
}

fn summarise_material(material: &super::model::Material) -> MaterialSummary {
    let (coat, anisotropy) = (material.clearcoat.unwrap_or_default(), material.anisotropy.unwrap_or_default());
    let sheen = material.sheen.unwrap_or_default();
    let uses = [
        ("base colour", material.base_color_texture),
        ("metallic-roughness", material.metallic_roughness_texture),
        ("normal", material.normal_texture),
        ("occlusion", material.occlusion_texture),
        ("emissive", material.emissive_texture),
        ("specular", material.specular_texture),
        ("specular colour", material.specular_color_texture),
        ("anisotropy", anisotropy.texture),
        ("sheen colour", sheen.color_texture),
        ("sheen roughness", sheen.roughness_texture),
        ("clear coat", coat.texture),
        ("clear coat roughness", coat.roughness_texture),
        ("clear coat normal", coat.normal_texture),
    ];
    MaterialSummary {
        name: material.name.clone(),
        alpha_mode: match material.alpha_mode {
            AlphaMode::Opaque => "opaque",
            AlphaMode::Mask { .. } => "mask",
            AlphaMode::Blend => "blend",
        },
        double_sided: material.double_sided,
        unlit: material.unlit,
        textures: uses.iter().filter(|(_, texture)| texture.is_some()).map(|(name, _)| *name).collect(),
    }
}

fn summarise_texture(image: usize, sampler: &Sampler) -> TextureSummary {
    let mip = sampler.mip.map_or("none".to_owned(), |mip| format!("{mip:?}").to_lowercase());
    let filters = format!("{:?}, {:?}, mip {mip}", sampler.magnification, sampler.minification).to_lowercase();
    let wrap = format!("{:?}, {:?}", sampler.wrap_u, sampler.wrap_v);
    TextureSummary { image, filters, wrap }
}

fn summarise_light(light: &super::model::Light) -> LightSummary {
    LightSummary {
        name: light.name.clone(),
        kind: match light.kind {
            LightKind::Directional => "directional",
            LightKind::Point => "point",
            LightKind::Spot { .. } => "spot",
        },
        intensity: light.intensity,
    }
}
