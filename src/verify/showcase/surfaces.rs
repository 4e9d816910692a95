//! Textures, materials and lights.

use glam::Quat;

use super::{
    Showcase,
    build::{Builder, moved, node, pixels, turn},
    shapes::{flat, quad, sphere},
};
use refrast_scene::{
    AlphaMode, Anisotropy, Clearcoat, Filter, Light, LightKind, Material, MorphTarget, Node, Primitive, Sampler, Sheen,
    TextureReference, TextureTransform, Wrap,
};
use refrast_shading::ShadingMode;

pub(super) fn showcases() -> Vec<Showcase> {
    let flat_on = |mut showcase: Showcase| {
        showcase.camera = pixels(showcase.settings.convention);
        showcase
    };
    let lit = |mut showcase: Showcase| {
        showcase.settings.shading = ShadingMode::Lit;
        showcase
    };
    vec![
        flat_on(textures().shot("textures", [0.0, 0.0, 1.0])),
        flat_on(fine_texture().shot("fine-texture", [0.0, 0.0, 1.0])),
        flat_on(alpha().shot("alpha", [0.0, 0.0, 1.0])),
        materials().shot("materials", [1.0, 0.8, 3.2]),
        lit(physical().shot("physical", [0.8, 0.7, 3.0])),
        lit(woven().shot("woven", [0.6, 0.7, 3.0])),
        lit(against_light().shot("against-light", [0.4, 0.7, 3.2])),
        lights().shot("lights", [0.5, 1.0, 3.4]),
        headlight().shot("headlight", [2.6, 1.4, -1.8]),
    ]
}

/// A pattern without symmetry, in every channel.
fn pattern(x: u32, y: u32) -> [u8; 4] {
    let mixed = (x * 73 + y * 151 + x * y * 29) % 256;
    [mixed as u8, (mixed * 7 % 256) as u8, (255 - mixed * 3 % 256) as u8, (64 + mixed / 2 + mixed / 4) as u8]
}

fn textured(reference: TextureReference) -> Material {
    Material { base_color_texture: Some(reference), ..Material::default() }
}

/// Four quads in whole pixels: minified, magnified, transformed, and with different filters.
fn textures() -> Builder {
    let mut builder = Builder::default();
    let small = builder.texture([37, 21], Sampler::default(), pattern);
    let far = quad([2.0, 2.0, 0.5], [44.0, 44.0], [[0.1, 0.2], [3.4, 9.1]]);
    builder.surface(moved(0.0, 0.0, 0.0), far, textured(small));
    let near = Sampler { wrap_u: Wrap::MirroredRepeat, wrap_v: Wrap::ClampToEdge, ..Sampler::default() };
    let large = builder.texture([8, 4], near, pattern);
    let close = quad([50.0, 2.0, 0.5], [44.0, 44.0], [[-0.6, -0.4], [1.7, 1.5]]);
    builder.surface(moved(0.0, 0.0, 0.0), close, textured(large));
    let turned = TextureTransform { offset: [0.3, 0.1], rotation: 0.7, scale: [1.5, 0.8] };
    let other = TextureReference { texcoord: 1, transform: turned, ..large };
    let mut second = quad([2.0, 50.0, 0.5], [44.0, 44.0], [[0.0; 2], [0.2, 0.3]]);
    let uv = second.positions.iter().map(|[x, y, _]| [x / 60.0, y / 80.0]).collect();
    second.texcoords.push(uv);
    builder.surface(moved(0.0, 0.0, 0.0), second, textured(other));
    let mixed = Sampler { magnification: Filter::Nearest, mip: None, ..Sampler::default() };
    let mixed = builder.texture([5, 7], mixed, pattern);
    let last = quad([50.0, 50.0, 0.5], [44.0, 44.0], [[0.0; 2], [1.3, 1.1]]);
    builder.surface(moved(0.0, 0.0, 0.0), last, textured(mixed));
    builder
}

/// A part of a texture of a thousand texels a side, two pixels a texel: what few bits of a coordinate do not tell apart.
fn fine_texture() -> Builder {
    let mut builder = Builder::default();
    let smooth = |x: u32, y: u32| [(x * 12 % 256) as u8, (y * 12 % 256) as u8, ((x + y) * 6 % 256) as u8, 255];
    let fine = builder.texture([1024, 1024], Sampler { mip: None, ..Sampler::default() }, smooth);
    let part = 44.0 / 1024.0;
    let sheet = quad([4.0, 4.0, 0.5], [88.0, 88.0], [[0.71, 0.82], [0.71 + part, 0.82 + part]]);
    builder.surface(moved(0.0, 0.0, 0.0), sheet, Material { unlit: true, ..textured(fine) });
    builder
}

/// Masked, blended and opaque quads over each other.
fn alpha() -> Builder {
    let mut builder = Builder::default();
    let pattern =
        builder.texture([16, 16], Sampler::default(), |x, y| [200, (x * 15) as u8, (y * 15) as u8, (x * 16 + y) as u8]);
    let faded = |rgb: [f32; 3], alpha| [rgb[0], rgb[1], rgb[2], alpha];
    let material = |alpha_mode, factor| Material {
        base_color_factor: factor,
        base_color_texture: Some(pattern),
        alpha_mode,
        unlit: true,
        ..Material::default()
    };
    let whole = [[0.0; 2], [1.0; 2]];
    let ground = quad([4.0, 4.0, 0.2], [70.0, 50.0], whole);
    builder.surface(moved(0.0, 0.0, 0.0), ground, material(AlphaMode::Opaque, faded([0.7, 0.9, 0.4], 0.6)));
    let mut cut = quad([20.0, 30.0, 0.4], [60.0, 60.0], whole);
    cut.colors = Some(vec![[1.0, 0.8, 0.6, 0.9], [0.6, 1.0, 0.7, 0.5], [0.7, 0.5, 1.0, 0.8], [1.0; 4]]);
    builder.surface(moved(0.0, 0.0, 0.0), cut, material(AlphaMode::Mask { cutoff: 0.3 }, faded([0.9, 0.5, 0.3], 0.8)));
    for (index, color) in [[0.9, 0.2, 0.1], [0.1, 0.8, 0.3], [0.2, 0.3, 0.9]].into_iter().enumerate() {
        let place = index as f32;
        let pane = quad([10.0 + 18.0 * place, 12.0 + 9.0 * place, 0.9 - 0.1 * place], [40.0, 52.0], whole);
        builder.surface(moved(0.0, 0.0, 0.0), pane, material(AlphaMode::Blend, faded(color, 0.7)));
    }
    builder
}

/// Back faces, emission, vertex colours, two primitives in a mesh.
fn materials() -> Builder {
    let mut builder = Builder::default();
    let glow = builder.texture([6, 6], Sampler::default(), pattern);
    let whole = [[0.0; 2], [1.0; 2]];
    let small = || quad([-0.45, -0.45, 0.0], [0.9, 0.9], whole);
    let tilted = |x: f32, y: f32, angle: f32| node([x, y, 0.0], turn([1.0, 2.0, 0.0], angle), [1.0; 3]);
    let grey = Material { base_color_factor: [0.4, 0.5, 0.6, 1.0], ..Material::default() };
    let glowing = Material { emissive_factor: [0.5, 0.3, 0.7], emissive_texture: Some(glow), ..grey.clone() };
    builder.surface(tilted(-0.6, 0.6, 0.4), small(), glowing);
    // Seen from behind: only the double-sided one.
    let both = Material { double_sided: true, ..grey.clone() };
    builder.surface(tilted(0.6, 0.6, 2.6), small(), both);
    builder.surface(tilted(0.0, 0.1, 2.6), small(), grey.clone());
    let mut colored = small();
    colored.colors = Some(vec![[0.2, 0.8, 0.5, 1.0], [0.9, 0.4, 0.3, 1.0], [0.5, 0.5, 0.9, 1.0], [0.7, 0.1, 0.2, 1.0]]);
    builder.surface(tilted(-0.6, -0.6, 0.5), colored, grey.clone());
    let unlit = Material { unlit: true, ..grey.clone() };
    let [first, second] = [builder.material(unlit), builder.material(grey)];
    let sphere = Primitive { material: second, ..sphere(0.4, [16, 10]) };
    let mesh = builder.mesh(vec![Primitive { material: first, ..small() }, sphere]);
    builder.node(None, Node { mesh: Some(mesh), ..tilted(0.6, -0.6, 0.3) });
    builder
}

/// Spheres with all maps that a surface may have: one turned and squeezed, one mirrored, both coarse, so that the frames of
/// their vertices lie far apart.
fn physical() -> Builder {
    let mut builder = Builder::default();
    let bumps = builder.texture([16, 16], Sampler::default(), |x, y| {
        let lean = |step: u32| (128 + (step * 37 % 11) * 18 - 90) as u8;
        [lean(x), lean(y + 3 * x), 235, 255]
    });
    let measures = builder.texture([8, 8], Sampler::default(), |x, y| {
        [(40 + x * 20) as u8, (60 + y * 12) as u8, (150 + (x + y) * 7) as u8, 255]
    });
    let glow = builder.texture([6, 6], Sampler::default(), pattern);
    let material = Material {
        base_color_factor: [0.9, 0.5, 0.25, 1.0],
        metallic_roughness_texture: Some(measures),
        normal_texture: Some(bumps),
        normal_scale: 0.7,
        occlusion_texture: Some(measures),
        occlusion_strength: 0.9,
        emissive_factor: [0.0, 0.1, 0.15],
        emissive_texture: Some(glow),
        ..Material::default()
    };
    let rough = Material { metallic_factor: 0.2, roughness_factor: 0.9, ..material.clone() };
    let framed = || {
        let mut sphere = sphere(0.6, [7, 5]);
        let normals = sphere.normals.iter().flatten();
        // Along the longitude, and far from right angles to the normal.
        sphere.tangents = Some(normals.map(|[x, y, z]| [z + 1.2 * x, 1.2 * y, 1.2 * z - x, 1.0]).collect());
        sphere
    };
    let squeezed = node([-0.65, 0.0, 0.0], turn([0.3, 1.0, 0.2], 0.8), [1.0, 0.7, 1.2]);
    builder.surface(squeezed, framed(), material);
    builder.surface(node([0.65, 0.1, 0.0], turn([1.0, 0.4, 0.0], 0.5), [-1.0, 1.0, 1.0]), framed(), rough);
    builder
}

/// A brushed sphere, one of velvet, a lacquered one, and a sheet whose occlusion a morph target moves.
fn woven() -> Builder {
    let mut builder = Builder::default();
    let grooves = builder.texture([8, 8], Sampler::default(), |x, y| {
        let (sine, cosine) = libm::sincosf(0.3 + 0.04 * x as f32 + 0.02 * y as f32);
        [(128.0 + 120.0 * cosine) as u8, (128.0 + 120.0 * sine) as u8, (225 + 3 * y) as u8, 255]
    });
    let fibres = builder.texture([8, 8], Sampler::default(), |x, y| {
        [(90 + 20 * x) as u8, (230 - 18 * y) as u8, (120 + 9 * (x + y)) as u8, (140 + 14 * y) as u8]
    });
    let brushed = Material {
        base_color_factor: [0.9, 0.7, 0.4, 1.0],
        metallic_factor: 0.8,
        roughness_factor: 0.45,
        anisotropy: Some(Anisotropy { strength: 0.6, rotation: 0.6, texture: Some(grooves) }),
        ..Material::default()
    };
    let velvet = Material {
        base_color_factor: [0.5, 0.25, 0.3, 1.0],
        metallic_factor: 0.0,
        roughness_factor: 0.8,
        sheen: Some(Sheen {
            color_factor: [0.9, 0.7, 1.0],
            color_texture: Some(fibres),
            roughness_factor: 0.8,
            roughness_texture: Some(fibres),
        }),
        ..Material::default()
    };
    let lacquered = Material {
        base_color_factor: [0.6, 0.1, 0.08, 1.0],
        metallic_factor: 0.0,
        roughness_factor: 0.7,
        clearcoat: Some(Clearcoat {
            factor: 1.0,
            texture: None,
            roughness_factor: 0.2,
            roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
        }),
        ..Material::default()
    };
    let mut combed = sphere(0.55, [12, 8]);
    let normals = combed.normals.iter().flatten();
    combed.tangents = Some(normals.map(|[x, _, z]| [z + 0.05, 0.0, -x, 1.0]).collect());
    builder.surface(node([-0.6, 0.3, 0.0], turn([0.3, 1.0, 0.2], 0.5), [1.0; 3]), combed, brushed);
    builder.surface(moved(0.62, 0.35, 0.0), sphere(0.55, [12, 8]), velvet);
    builder.surface(moved(0.02, 0.95, 0.3), sphere(0.26, [12, 8]), lacquered);
    let mut sheet = super::shapes::grid([-0.9, -0.3, 0.0], [1.8, 0.6], [[0.0; 2], [1.0; 2]], [6, 3]);
    let hollow = |at: &[f32; 3]| 0.3 + 0.6 * (at[0] * at[0]).min(1.0);
    sheet.occlusion = Some(sheet.positions.iter().map(hollow).collect());
    let deeper = sheet.positions.iter().map(|at| if at[1] > -0.2 { -0.25 } else { 0.3 }).collect();
    let texcoords = vec![None; sheet.texcoords.len()];
    sheet.targets = vec![MorphTarget { occlusion: Some(deeper), texcoords, ..MorphTarget::default() }];
    let grey = Material { base_color_factor: [0.8, 0.8, 0.7, 1.0], metallic_factor: 0.0, ..Material::default() };
    let sheet = builder.surface(node([0.0, -0.75, 0.2], turn([1.0, 0.0, 0.0], -0.5), [1.0; 3]), sheet, grey);
    let mesh = builder.scene.nodes[sheet].mesh.unwrap_or_default();
    builder.scene.meshes[mesh].weights = vec![0.8];
    builder
}

/// A matt sphere and one of rough metal on matt ground, seen against a low light: there reflections depend on the angle most, and of
/// rough metal light comes back that has been reflected several times.
fn against_light() -> Builder {
    let mut builder = Builder::default();
    let matt = |base_color_factor| Material { base_color_factor, metallic_factor: 0.0, ..Material::default() };
    let ground = super::shapes::grid([-2.0, -2.0, 0.0], [4.0, 4.0], [[0.0; 2], [1.0; 2]], [2, 2]);
    let lying = turn([1.0, 0.0, 0.0], -std::f32::consts::FRAC_PI_2);
    builder.surface(node([0.0, -0.5, 0.0], lying, [1.0; 3]), ground, matt([0.8, 0.75, 0.7, 1.0]));
    builder.surface(moved(0.5, 0.0, -0.2), sphere(0.5, [16, 10]), matt([0.9, 0.8, 0.6, 1.0]));
    let metal = Material { base_color_factor: [0.95, 0.9, 0.8, 1.0], roughness_factor: 0.9, ..Material::default() };
    builder.surface(moved(-0.6, -0.1, -0.1), sphere(0.4, [16, 10]), metal.clone());
    // A sheet of it on the ground, which throws the light at the eye.
    let sheet = super::shapes::grid([-1.0, -0.4, 0.0], [2.0, 0.8], [[0.0; 2], [1.0; 2]], [2, 2]);
    builder.surface(node([0.0, -0.45, 0.8], lying, [1.0; 3]), sheet, metal);
    let kind = LightKind::Directional;
    builder.scene.lights = vec![Light { name: None, color: [1.0; 3], intensity: 6.0, range: None, kind }];
    let low = node([0.0; 3], turn([0.0, 1.0, 0.0], 2.9) * turn([1.0, 0.0, 0.0], -0.45), [1.0; 3]);
    builder.node(None, Node { light: Some(0), ..low });
    builder
}

/// A sphere and a wall under three kinds of light.
fn lights() -> Builder {
    let mut builder = Builder::default();
    builder.surface(moved(0.0, 0.0, 0.0), sphere(0.8, [24, 16]), Material::default());
    let wall = super::shapes::grid([-2.0, -2.0, -1.0], [4.0, 4.0], [[0.0; 2], [1.0; 2]], [8, 8]);
    builder.surface(moved(0.0, 0.0, 0.0), wall, Material::default());
    let light = |color, intensity, range, kind| Light { name: None, color, intensity, range, kind };
    let spot = LightKind::Spot { inner_cone_angle: 0.2, outer_cone_angle: 0.5 };
    builder.scene.lights = vec![
        light([1.0, 0.6, 0.4], 1.2, None, LightKind::Directional),
        light([0.3, 0.9, 0.5], 3.0, Some(2.2), LightKind::Point),
        light([0.4, 0.5, 1.0], 30.0, None, spot),
    ];
    let places = [
        node([0.0; 3], turn([1.0, 0.4, 0.0], -0.9), [1.0; 3]),
        moved(1.3, 0.4, 0.3),
        node([-1.2, 1.2, 2.0], turn([0.8, 0.6, 0.0], -0.6), [1.0; 3]),
    ];
    for (light, place) in places.into_iter().enumerate() {
        builder.node(None, Node { light: Some(light), ..place });
    }
    builder
}

/// A smooth sphere and one without normals, seen from a place where the headlight is not along an axis.
fn headlight() -> Builder {
    let mut builder = Builder::default();
    let place = |x: f32| node([x, 0.0, -x], Quat::IDENTITY, [0.6; 3]);
    builder.surface(place(0.6), sphere(1.0, [20, 12]), Material::default());
    builder.surface(place(-0.6), flat(&sphere(1.0, [10, 7])), Material::default());
    builder
}
