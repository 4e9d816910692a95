//! Boxes no wider than what they stand for, worked out by hand.

use super::{boxes, hold, situation::Situation};
use crate::{
    Fragment, Interval,
    color::{ColorModel, VertexVaryings},
};
use refrast_draw::VertexStream;
use refrast_range::Profile;
use refrast_scene::{Filter, Image, Material, Sampler, Scene, Texture, TextureReference, TextureTransform, Wrap};
use refrast_shading::{
    ColorSpace, Development, Eye, FixedFunctionShader, Lighting, PreparedTexture, ShadingMode, TextureSet,
    VaryingLayout, VertexAttributes,
};

/// Right-angled, 64 pixels along each side, corner 0 at the pixel's centre moved by `at` pixels, no perspective.
fn fragment(at: [f64; 2], radius: f64) -> Fragment {
    let weights = |x: f64, y: f64| {
        let (x, y) = ((at[0] + x) / 64.0, (at[1] + y) / 64.0);
        [1.0 - x - y, x, y]
    };
    let neighbours = std::array::from_fn(|pixel| weights((pixel % 3) as f64 - 1.0, (pixel / 3) as f64 - 1.0));
    Fragment {
        draw: 0,
        primitive: 0,
        vertices: [0, 1, 2],
        weights: neighbours[4],
        radius: [radius; 3],
        neighbours,
        neighbour_radius: [radius; 3],
        shift: None,
        neighbour_shift: None,
        depth: Interval::exact(0.25),
        front: Some(true),
    }
}

/// An unlit texture whose (u, v) go from 0 to `texels` texels along the triangle's sides.
fn textured(image: Image, sampler: Sampler, texels: f32, fragment: Fragment) -> Situation {
    let [width, height] = [image.width, image.height].map(|side| texels / side as f32);
    let transform = TextureTransform::default();
    let material = Material {
        base_color_texture: Some(TextureReference { texture: 0, texcoord: 0, transform }),
        ..Material::default()
    };
    let lighting = Lighting { ambient: [1.0; 3], lights: Vec::new(), eye: Eye::Point([0.0; 3]), shadowed: false };
    let mode = ShadingMode::Unlit;
    let layout = VaryingLayout::new(&material, VertexAttributes::default(), mode, &lighting);
    let mut stream = VertexStream::default();
    stream.resize(3, layout.stride());
    (stream.varyings[4], stream.varyings[9]) = (width, height);
    let scene = Scene { textures: vec![Texture { image: 0, sampler }], images: vec![image], ..Scene::default() };
    let scene = Scene { materials: vec![material.clone()], ..scene };
    let textures = TextureSet::new(&scene, ShadingMode::Unlit).expect("a complete image");
    let development = Development::default();
    let slopes = [[0.0; 3]; 2];
    Situation { stream, layout, material, scene, textures, lighting, mode, development, fragment, slopes }
}

fn image(side: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Image {
    let texels = (0..side * side).flat_map(|index| texel(index % side, index / side));
    Image { name: None, width: side, height: side, rgba: texels.collect(), jpeg: None }
}

fn linear(stored: f64) -> f64 {
    let stored = stored / 255.0;
    if stored <= 0.04045 { stored / 12.92 } else { libm::pow((stored + 0.055) / 1.055, 2.4) }
}

/// A linear value on the scale of stored bytes.
fn stored(linear: f64) -> f64 {
    255.0 * if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
}

#[test]
fn a_constant_texture_is_as_wide_as_its_decoding() {
    for texels in [3.0, 64.0, 900.0] {
        let image = image(16, |_, _| [255, 100, 0, 77]);
        let situation = textured(image, Sampler::default(), texels, fragment([7.3, 11.8], 1e-3));
        for profile in [Profile::D3d11, Profile::VulkanMin] {
            let boxes = boxes(&situation, profile);
            let [one] = boxes.as_slice() else { panic!("{boxes:?}") };
            let [red, green, blue, alpha] = one.channels;
            assert!(red.high - red.low < 1e-5 && red.contains(1.0), "{red:?}");
            assert!((green.low - linear(99.5)).abs() < 1e-5 && (green.high - linear(100.5)).abs() < 1e-5, "{green:?}");
            assert_eq!(blue, Interval::exact(0.0));
            assert_eq!(alpha, Interval::exact(1.0));
        }
    }
}

#[test]
fn a_smooth_texture_is_a_few_steps_wide() {
    // Four steps a texel, a texel and a half a pixel.
    let image = image(64, |x, y| [(2 * x + 2 * y) as u8, (60 + 2 * x) as u8, (255 - 2 * y) as u8, 255]);
    let situation = textured(image, Sampler::default(), 96.0, fragment([12.3, 9.6], 1e-5));
    let widths = |profile| {
        let boxes = boxes(&situation, profile);
        let [one] = boxes.as_slice() else { panic!("{boxes:?}") };
        let [red, green, blue, _] = one.channels;
        [red, green, blue].map(|channel| stored(channel.high) - stored(channel.low))
    };
    // Decoding and filtering take a step each, within the texels that are mixed; the rest is what a 256th of a texel is
    // worth, and the level.
    assert!(widths(Profile::D3d11).iter().all(|width| (1.5..2.2).contains(width)), "{:?}", widths(Profile::D3d11));
    assert!(
        widths(Profile::VulkanMin).iter().all(|width| (1.5..4.0).contains(width)),
        "{:?}",
        widths(Profile::VulkanMin)
    );
}

#[test]
fn two_texels_that_may_be_the_nearest_are_two_boxes() {
    let nearest =
        Sampler { magnification: Filter::Nearest, minification: Filter::Nearest, mip: None, ..Sampler::default() };
    let chequered = || image(2, |x, y| if (x + y) % 2 == 0 { [0, 0, 0, 255] } else { [255; 4] });
    // One texel is 32 pixels wide: the seam is 32 pixels from the corner.
    let at_seam = textured(chequered(), nearest, 2.0, fragment([32.2, 5.0], 1e-6));
    let found = boxes(&at_seam, Profile::D3d11);
    assert_eq!(found.as_slice().len(), 1);
    let found = boxes(&at_seam, Profile::VulkanMin);
    assert_eq!(found.as_slice().len(), 2);
    assert!(!found.loose());
    assert!(hold(&found, [0.0, 0.0, 0.0, 1.0]) && hold(&found, [1.0; 4]) && !hold(&found, [0.5, 0.5, 0.5, 1.0]));
    let at_corner = textured(chequered(), nearest, 2.0, fragment([32.0, 31.99], 1e-3));
    assert_eq!(boxes(&at_corner, Profile::D3d11).as_slice().len(), 2, "four texels of two colours");
}

#[test]
fn the_switch_of_filters_and_levels_is_a_choice() {
    let halves = image(4, |x, _| if x < 2 { [0, 0, 0, 255] } else { [255; 4] });
    let clamp = Sampler { wrap_u: Wrap::ClampToEdge, ..Sampler::default() };
    // A texel a pixel, at a place where linear filtering gives grey: λ is 0, and within 1/256 of it.
    let switched = Sampler { magnification: Filter::Nearest, mip: None, ..clamp };
    let found = boxes(&textured(halves, switched, 64.0, fragment([2.25, 1.5], 0.0)), Profile::D3d11);
    assert_eq!(found.as_slice().len(), 2, "{found:?}");
    assert!(hold(&found, [1.0; 4]) && !hold(&found, [0.9, 0.9, 0.9, 1.0]));
    // Half-way between level 0 and level 1, √2 texels a pixel: one of them, and nothing between.
    let levels = Sampler { mip: Some(Filter::Nearest), minification: Filter::Nearest, ..clamp };
    let texels = 64.0 * std::f32::consts::SQRT_2;
    let chequered = image(4, |x, y| if (x + y) % 2 == 0 { [0, 0, 0, 255] } else { [255; 4] });
    let found = boxes(&textured(chequered, levels, texels, fragment([1.2, 1.2], 0.0)), Profile::D3d11);
    let grey = linear(188.0);
    assert_eq!(found.as_slice().len(), 2, "{found:?}");
    assert!(hold(&found, [0.0, 0.0, 0.0, 1.0]) && hold(&found, [grey, grey, grey, 1.0]));
    assert!(!hold(&found, [0.1, 0.1, 0.1, 1.0]));
}

/// A quarter of the way along a side of a triangle with a normal at each corner.
fn with_normals(mode: ShadingMode, double_sided: bool, front: Option<bool>, radius: f64) -> Situation {
    let mut situation = textured(image(1, |_, _| [255; 4]), Sampler::default(), 1.0, fragment([16.0, 0.0], radius));
    situation.material = Material { double_sided, ..Material::default() };
    situation.lighting = Lighting::headlight(glam::Mat4::IDENTITY);
    situation.mode = mode;
    situation.fragment.front = front;
    let attributes = VertexAttributes { normals: true, ..VertexAttributes::default() };
    situation.layout = VaryingLayout::new(&situation.material, attributes, mode, &situation.lighting);
    situation.stream.resize(3, situation.layout.stride());
    situation.stream.varyings = vec![0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.6, 0.8, 0.0];
    situation
}

#[test]
fn light_is_known_to_the_alu() {
    // (0.15, 0, 0.95) has a cosine to (0.35, 0.5, 1) of 0.9060…; 0.25 ambient and 0.75 of light.
    let normal = [0.15f64, 0.0, 0.95];
    let cosine = (0.35 * normal[0] + normal[2])
        / ((normal[0] * normal[0] + normal[2] * normal[2]) * (0.35f64 * 0.35 + 0.5 * 0.5 + 1.0)).sqrt();
    let found = boxes(&with_normals(ShadingMode::Lambert, false, Some(true), 0.0), Profile::D3d11);
    let red = found.as_slice()[0].channels[0];
    assert!(red.contains(0.25 + 0.75 * cosine) && red.high - red.low < 1e-5, "{red:?}");
    // Weights off by 1e-3 turn the normal by at most 1e-3·(0.63 + 0.63)/0.96, and the cosine by less than half of it.
    let found = boxes(&with_normals(ShadingMode::Lambert, false, Some(true), 1e-3), Profile::D3d11);
    let red = found.as_slice()[0].channels[0];
    assert!((1e-4..2e-3).contains(&(red.high - red.low)), "{red:?}");
}

#[test]
fn an_unknown_side_is_two_boxes_where_it_matters() {
    let normals = |double_sided| boxes(&with_normals(ShadingMode::Normals, double_sided, None, 0.0), Profile::D3d11);
    assert_eq!(normals(false).as_slice().len(), 1);
    let both = normals(true);
    // (0.15, 0, 0.95) and the opposite, of unit length, as colours.
    let length = (0.15f64 * 0.15 + 0.95 * 0.95).sqrt();
    let [x, z] = [0.15 / length, 0.95 / length];
    assert_eq!(both.as_slice().len(), 2);
    assert!(
        hold(&both, [0.5 + 0.5 * x, 0.5, 0.5 + 0.5 * z, 1.0]) && hold(&both, [0.5 - 0.5 * x, 0.5, 0.5 - 0.5 * z, 1.0])
    );
    assert!(!hold(&both, [0.5 - 0.5 * x, 0.5, 0.5 + 0.5 * z, 1.0]));
}

#[test]
fn a_period_of_texture_coordinates_has_two_sides() {
    let mut situation = textured(image(1, |_, _| [255; 4]), Sampler::default(), 2.0, fragment([32.0, 16.0], 1e-4));
    situation.mode = ShadingMode::Uv;
    let found = boxes(&situation, Profile::D3d11);
    assert_eq!(found.as_slice().len(), 2);
    assert!(hold(&found, [0.0, 0.5, 0.0, 1.0]) && hold(&found, [1.0, 0.5, 0.0, 1.0]));
    assert!(!hold(&found, [0.5, 0.5, 0.0, 1.0]));
}

#[test]
fn nothing_is_claimed_of_what_is_no_number() {
    let mut lost = fragment([f64::NAN, 3.0], 1e-4);
    lost.radius = [f64::NAN; 3];
    let black_and_white = image(2, |x, _| if x == 0 { [0, 0, 0, 255] } else { [255; 4] });
    for filter in [Filter::Linear, Filter::Nearest] {
        let sampler = Sampler { magnification: filter, minification: filter, ..Sampler::default() };
        let found = boxes(&textured(black_and_white.clone(), sampler, 2.0, lost), Profile::D3d11);
        assert!(hold(&found, [0.5, 0.5, 0.5, 1.0]), "{found:?}");
    }
    for mode in ShadingMode::ALL {
        let mut situation = with_normals(mode, true, None, 1e-4);
        situation.stream.varyings.fill(f32::NAN);
        situation.fragment = lost;
        assert!(!boxes(&situation, Profile::D3d11).as_slice().is_empty());
    }
}

#[test]
fn the_fixed_function_stage_is_colour_times_texture() {
    let image = image(1, |_, _| [255, 255, 0, 51]);
    let texture = PreparedTexture::new(&image, Sampler::default(), ColorSpace::Srgb).expect("a complete image");
    let mut stream = VertexStream::default();
    stream.resize(3, 8);
    for row in stream.varyings.chunks_mut(8) {
        row[..4].copy_from_slice(&[0.25, 0.5, 0.75, 0.5]);
    }
    let varyings = VertexVaryings::exact(&stream);
    let freedoms = Profile::D3d11.freedoms().expect("not exact");
    let shader = FixedFunctionShader { color: 0, texture: Some((&texture, 4)), dot3: None, blended: true };
    let model = ColorModel::fixed_function(&shader, None, freedoms);
    let here = fragment([3.0, 4.0], 1e-3);
    let found = model.color_boxes(&varyings, &here);
    assert!(hold(&found, [0.25, 0.5, 0.0, 0.1]), "{found:?}");
    assert!(found.as_slice()[0].channels.iter().all(|channel| channel.high - channel.low < 1e-5), "{found:?}");
    assert!(model.alpha_interval(&varyings, &here).contains(0.1));
    let cut = ColorModel::fixed_function(&shader, Some(0.2), freedoms);
    assert!(cut.color_boxes(&varyings, &here).as_slice().is_empty());
}
