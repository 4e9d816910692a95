//! A case in the words of a pack.

use serde_json::{Map, Value, json};

use super::{PackError, files::Files};
use crate::cases::{CaseError, PreparedCase};
use refrast_draw::{AlphaMode, CullMode, FrontFace, SampleCount};
use refrast_render::Renderer;
use refrast_scene::{Filter, Light, LightKind, Material, MorphTarget, Primitive, TextureReference, Topology, Wrap};
use refrast_shading::{ColorSpace, MapPlan, PreparedTexture, ShadowPlan};
use refrast_skinning::{Palette, limit_influences};
use refrast_stage::FrameDraw;

/// Everything that the case needs to be drawn, as JSON; its attributes, palettes and texels go into raw files.
pub(super) fn describe(case: &PreparedCase, files: &Files) -> Result<Value, PackError> {
    let failed = |reason: String| CaseError { case: case.entry.name.clone(), key: "pack", reason };
    if case.is_programmed() {
        let remedy = "a vertex program can not be packed; leave the case out";
        return Err(failed(remedy.to_owned()).into());
    }
    let mut renderer = case.renderer()?;
    // The draws are those of a frame.
    renderer.render(&case.pose, &case.camera).map_err(|error| failed(error.to_string()))?;
    let scene = &*case.scene;
    let draws =
        submitted(&renderer).iter().map(|draw| describe_draw(case, draw, files)).collect::<Result<Vec<_>, _>>()?;
    let mut textures = Vec::new();
    for texture in 0..scene.textures.len() {
        textures.push(
            renderer.stage().textures().color(texture).map_or(Ok(Value::Null), |own| describe_texture(own, files))?,
        );
    }
    let mut data_textures = Vec::new();
    for texture in 0..scene.textures.len() {
        let data = renderer.stage().textures().data(texture);
        data_textures.push(data.map_or(Ok(Value::Null), |own| describe_texture(own, files))?);
    }
    let settings = &case.settings;
    let srgb = settings.shading.color_space() == ColorSpace::Srgb;
    Ok(json!({
        "name": case.entry.name,
        "width": settings.width,
        "height": settings.height,
        "samples": number_or_word(settings.samples),
        "subpixel-bits": settings.subpixel_bits,
        "color-space": if srgb { "srgb" } else { "linear" },
        "background": settings.background,
        "convention": settings.convention.to_string(),
        "view": case.camera.view.to_cols_array(),
        "projection": case.camera.projection.to_cols_array(),
        "shading": settings.shading.to_string(),
        "skinning": settings.skinning.to_string(),
        "normals": settings.normals.to_string(),
        "profile": case.profile.to_string(),
        "lights": describe_lights(case),
        "shadows": renderer.shadows().map(|shadows| describe_shadows(&shadows.plan)),
        "textures": textures,
        "data-textures": data_textures,
        "ambient": renderer.stage().ambient(),
        "exposure": settings.development.exposure,
        "tone": settings.development.tone.to_string(),
        "draws": draws,
    }))
}

/// The draws as a backend submits them: opaque and cut-out ones first, then blended ones, each in the scene's order.
pub(super) fn submitted<'a>(renderer: &'a Renderer<'_>) -> Vec<FrameDraw<'a>> {
    let (mut draws, blended): (Vec<_>, Vec<_>) =
        renderer.stage().frame_draws().partition(|draw| draw.state.alpha != AlphaMode::Blend);
    draws.extend(blended);
    draws
}

/// The shadows of a frame as JSON: how they are made, in the words of a manifest, and all splits and matrices.
#[must_use]
pub fn describe_shadows(plan: &ShadowPlan) -> Value {
    let settings: Map<String, Value> =
        plan.settings.words().into_iter().map(|(name, word)| (name.into(), word.into())).collect();
    let splits =
        plan.splits.iter().map(|split| json!({ "near": split.near, "far": split.far, "corners": split.corners }));
    let matrices = |map: &MapPlan| json!({ "view-projection": map.view_projection.to_cols_array(), "lookup": map.lookup.to_cols_array() });
    let lights = plan.lights.iter().map(|light| {
        let maps: Vec<Value> = light.maps.iter().map(matrices).collect();
        json!({ "light": light.light, "kind": if light.cascaded { "directional" } else { "spot" }, "maps": maps })
    });
    json!({
        "settings": settings,
        "splits": splits.collect::<Vec<_>>(),
        "depth-row": plan.depth_row,
        "lights": lights.collect::<Vec<_>>(),
    })
}

fn describe_lights(case: &PreparedCase) -> Vec<Value> {
    let PreparedCase { scene, pose, .. } = case;
    let lights = scene.drawn.iter().filter_map(|&node| {
        let light = scene.lights.get(scene.nodes[node].light?)?;
        Some((light, pose.worlds[node]))
    });
    let describe = |(light, world): (&Light, glam::Mat4)| {
        let (kind, inner, outer) = match light.kind {
            LightKind::Directional => ("directional", None, None),
            LightKind::Point => ("point", None, None),
            LightKind::Spot { inner_cone_angle, outer_cone_angle } => {
                ("spot", Some(inner_cone_angle), Some(outer_cone_angle))
            }
        };
        json!({
            "world": world.to_cols_array(),
            "color": light.color,
            "intensity": light.intensity,
            "range": light.range,
            "kind": kind,
            "inner-cone-angle": inner,
            "outer-cone-angle": outer,
        })
    };
    lights.map(describe).collect()
}

fn describe_texture(texture: &PreparedTexture, files: &Files) -> Result<Value, PackError> {
    let mut levels = Vec::new();
    for level in 0..texture.level_count() {
        if let (Some([width, height]), Some(bytes)) = (texture.level_size(level), texture.level_bytes(level)) {
            let texels = files.data("u8", 4, bytes.as_chunks::<4>().0)?;
            levels.push(json!({ "width": width, "height": height, "texels": texels }));
        }
    }
    let filter = |filter: Filter| match filter {
        Filter::Nearest => "nearest",
        Filter::Linear => "linear",
    };
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::MirroredRepeat => "mirrored-repeat",
        Wrap::ClampToEdge => "clamp-to-edge",
    };
    let sampler = texture.sampler();
    Ok(json!({
        "levels": levels,
        "srgb": texture.color_space() == ColorSpace::Srgb,
        "magnification": filter(sampler.magnification),
        "minification": filter(sampler.minification),
        "mip": sampler.mip.map(filter),
        "wrap-u": wrap(sampler.wrap_u),
        "wrap-v": wrap(sampler.wrap_v),
    }))
}

fn describe_draw(case: &PreparedCase, draw: &FrameDraw<'_>, files: &Files) -> Result<Value, PackError> {
    let (scene, pose) = (&*case.scene, &case.pose);
    let primitive: &Primitive = draw.vertices.primitive;
    let node = draw.vertices.node;
    let influences = primitive.influences.as_ref().zip(scene.nodes[node].skin);
    let (mut weighted, mut palette, mut worlds, mut binds) = (Value::Null, Value::Null, Value::Null, Value::Null);
    if let Some((influences, skin)) = influences {
        let limited = case.settings.max_influences.map(|most| limit_influences(influences, most));
        let influences = limited.as_ref().unwrap_or(influences);
        weighted = json!({
            "per-vertex": influences.per_vertex,
            "joints": files.data("u16", 1, &influences.joints)?,
            "weights": files.data("f32", 1, &influences.weights)?,
        });
        let skin = &scene.skins[skin];
        let matrices = Palette::of_skin(skin, pose);
        palette = files.matrices((0..matrices.len()).map(|joint| matrices.matrix(joint)))?;
        worlds = files.matrices(skin.joints.iter().map(|&joint| pose.worlds[joint]))?;
        binds = files.matrices(skin.inverse_bind_matrices.iter().copied())?;
    }
    let texcoords: Vec<Value> =
        primitive.texcoords.iter().map(|set| files.data("f32", 2, set)).collect::<Result<_, _>>()?;
    let targets: Vec<Value> =
        primitive.targets.iter().map(|target| describe_target(target, files)).collect::<Result<_, _>>()?;
    let topology = match primitive.topology {
        Topology::Points => "points",
        Topology::Lines => "lines",
        Topology::Triangles => "triangles",
    };
    Ok(json!({
        "topology": topology,
        "indices": files.data("u32", 1, &primitive.indices)?,
        "positions": files.data("f32", 3, &primitive.positions)?,
        "normals": files.floats(primitive.normals.as_ref())?,
        "flat": primitive.flat,
        "tangents": files.floats(primitive.tangents.as_ref())?,
        "texcoords": texcoords,
        "colors": files.floats(primitive.colors.as_ref())?,
        "occlusion": scalars(primitive.occlusion.as_ref(), files)?,
        "targets": targets,
        "morph-weights": pose.weights[node],
        "influences": weighted,
        "palette": palette,
        "joint-worlds": worlds,
        "inverse-binds": binds,
        "world": influences.is_none().then(|| pose.worlds[node].to_cols_array()),
        "mirrored": draw.state.front_face == FrontFace::Clockwise,
        "cull": if draw.state.cull == CullMode::None { "none" } else { "back" },
        "material": describe_material(&scene.materials[primitive.material], draw.state.alpha),
    }))
}

fn scalars(elements: Option<&Vec<f32>>, files: &Files) -> Result<Value, PackError> {
    elements.map_or(Ok(Value::Null), |elements| files.data("f32", 1, elements))
}

fn describe_target(target: &MorphTarget, files: &Files) -> Result<Value, PackError> {
    let texcoords: Vec<Value> =
        target.texcoords.iter().map(|set| files.floats(set.as_ref())).collect::<Result<_, _>>()?;
    Ok(json!({
        "positions": files.floats(target.positions.as_ref())?,
        "normals": files.floats(target.normals.as_ref())?,
        "tangents": files.floats(target.tangents.as_ref())?,
        "texcoords": texcoords,
        "colors": files.floats(target.colors.as_ref())?,
        "occlusion": scalars(target.occlusion.as_ref(), files)?,
    }))
}

fn describe_material(material: &Material, alpha: AlphaMode) -> Value {
    let texture = |reference: &Option<TextureReference>| {
        reference.map(|reference| {
            json!({
                "texture": reference.texture,
                "texcoord": reference.texcoord,
                "offset": reference.transform.offset,
                "rotation": reference.transform.rotation,
                "scale": reference.transform.scale,
            })
        })
    };
    let anisotropy = material.anisotropy.map(|anisotropy| {
        json!({
            "strength": anisotropy.strength,
            "rotation": anisotropy.rotation,
            "texture": texture(&anisotropy.texture),
        })
    });
    let sheen = material.sheen.map(|sheen| {
        json!({
            "color-factor": sheen.color_factor,
            "color-texture": texture(&sheen.color_texture),
            "roughness-factor": sheen.roughness_factor,
            "roughness-texture": texture(&sheen.roughness_texture),
        })
    });
    let coat = material.clearcoat.map(|coat| {
        json!({
            "factor": coat.factor,
            "texture": texture(&coat.texture),
            "roughness-factor": coat.roughness_factor,
            "roughness-texture": texture(&coat.roughness_texture),
            "normal-scale": coat.normal_scale,
            "normal-texture": texture(&coat.normal_texture),
        })
    });
    let (mode, cutoff) = match alpha {
        AlphaMode::Opaque => ("opaque", None),
        AlphaMode::Mask { cutoff } => ("mask", Some(cutoff)),
        AlphaMode::Blend => ("blend", None),
    };
    json!({
        "base-color-factor": material.base_color_factor,
        "base-color-texture": texture(&material.base_color_texture),
        "emissive-factor": material.emissive_factor,
        "emissive-texture": texture(&material.emissive_texture),
        "metallic-factor": material.metallic_factor,
        "roughness-factor": material.roughness_factor,
        "metallic-roughness-texture": texture(&material.metallic_roughness_texture),
        "normal-scale": material.normal_scale,
        "normal-texture": texture(&material.normal_texture),
        "occlusion-strength": material.occlusion_strength,
        "occlusion-texture": texture(&material.occlusion_texture),
        "ior": material.ior,
        "specular-factor": material.specular_factor,
        "specular-texture": texture(&material.specular_texture),
        "specular-color-factor": material.specular_color_factor,
        "specular-color-texture": texture(&material.specular_color_texture),
        "anisotropy": anisotropy,
        "sheen": sheen,
        "clearcoat": coat,
        "alpha-mode": mode,
        "cutoff": cutoff,
        "double-sided": material.double_sided,
        "unlit": material.unlit,
    })
}

/// One and four samples as a number; other patterns by their word, so that a backend that knows none does not take one for four.
fn number_or_word(samples: SampleCount) -> Value {
    let word = samples.to_string();
    word.parse::<u32>().map_or_else(|_| word.into(), Value::from)
}
