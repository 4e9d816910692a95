//! [`surfaces`]: what a surface may be made of, for drivers to draw.
//!
//! Why it exists: the goldens and the library's showcases see a surface with all its maps under one light and in one view. Here is
//! the same one in every view, under lacquer, by lamps that stand near, and as velvet.

use refrast::{
    scene::{Clearcoat, Light, LightKind, Material, Node, Scene, Sheen, TextureReference, TextureTransform, Transform},
    shading::{Development, ShadingMode, ToneMapping},
    verify::showcase::{Showcase, showcases},
};

/// The views, and what they are called here.
const VIEWS: [(&str, ShadingMode); 8] = [
    ("surface-shading-normals", ShadingMode::ShadingNormals),
    ("surface-tangents", ShadingMode::Tangents),
    ("surface-bitangents", ShadingMode::Bitangents),
    ("surface-base-color", ShadingMode::BaseColor),
    ("surface-metallic", ShadingMode::Metallic),
    ("surface-roughness", ShadingMode::Roughness),
    ("surface-occlusion", ShadingMode::Occlusion),
    ("surface-emissive", ShadingMode::Emissive),
];

/// The showcase `physical` in every view, lacquered, and with fibres on it.
#[must_use]
pub fn surfaces() -> Vec<Showcase> {
    let Some(physical) = showcases().into_iter().find(|showcase| showcase.name == "physical") else {
        return Vec::new();
    };
    let mut all: Vec<Showcase> = (VIEWS.into_iter())
        .map(|(name, shading)| {
            let mut view = Showcase { name, ..physical.clone() };
            view.settings.shading = shading;
            view
        })
        .collect();
    let mut velvet = Showcase { name: "surface-velvet", ..physical.clone() };
    velvet.scene.materials.iter_mut().for_each(fibres);
    all.push(velvet);
    let mut lacquered = Showcase { name: "surface-lacquered", ..physical };
    lacquered.settings.development = Development { exposure: 0.8, tone: ToneMapping::Neutral };
    lacquer(&mut lacquered.scene);
    all.push(lacquered);
    all
}

/// A coat with bumps of its own, coloured reflections, a second set of texture coordinates, and two lamps.
fn lacquer(scene: &mut Scene) {
    scene.materials.iter_mut().for_each(coat);
    for primitive in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let turned = primitive.texcoords[0].iter().map(|[u, v]| [0.8 * v, 0.3 + 0.5 * u]).collect();
        primitive.texcoords.push(turned);
    }
    let spot = LightKind::Spot { inner_cone_angle: 0.3, outer_cone_angle: 0.8 };
    let lamps = [
        ([1.0, 0.8, 0.6], 6.0, Some(5.0), LightKind::Point, [0.4, 1.2, 1.4]),
        ([0.6, 0.8, 1.0], 9.0, None, spot, [-0.6, 0.3, 2.0]),
    ];
    for (color, intensity, range, kind, place) in lamps {
        let light = Light { name: None, color, intensity, range, kind };
        let transform =
            Transform::Decomposed { translation: place.into(), rotation: glam::Quat::IDENTITY, scale: glam::Vec3::ONE };
        scene.lights.push(light);
        scene.parents_first.push(scene.nodes.len());
        scene.drawn.push(scene.nodes.len());
        scene.nodes.push(Node { light: Some(scene.lights.len() - 1), transform, ..Node::default() });
    }
}

fn fibres(material: &mut Material) {
    material.metallic_factor *= 0.3;
    material.sheen = Some(Sheen {
        color_factor: [0.9, 0.5, 1.0],
        color_texture: material.emissive_texture,
        roughness_factor: 0.6,
        roughness_texture: material.metallic_roughness_texture,
    });
}

fn coat(material: &mut Material) {
    let moved = |reference: Option<TextureReference>| {
        let transform = TextureTransform { offset: [0.1, 0.4], rotation: 0.6, scale: [1.3, 0.7] };
        reference.map(|reference| TextureReference { texcoord: 1, transform, ..reference })
    };
    material.ior = 1.9;
    material.metallic_factor *= 0.6;
    material.specular_factor = 0.8;
    material.specular_texture = moved(material.emissive_texture);
    material.specular_color_factor = [1.0, 0.7, 0.4];
    material.specular_color_texture = material.emissive_texture;
    material.clearcoat = Some(Clearcoat {
        factor: 0.7,
        texture: moved(material.occlusion_texture),
        roughness_factor: 0.5,
        roughness_texture: material.metallic_roughness_texture,
        normal_texture: moved(material.normal_texture),
        normal_scale: 0.4,
    });
}
