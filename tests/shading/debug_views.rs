//! The debug views, value by value.

use crate::fragments::Fragment;
use glam::Mat4;
use refrast::{
    scene::{Material, Scene},
    shading::{
        Lighting, MaterialShader, ShadingMode, TextureSet, UNSKINNED_COLOR, VaryingBlock, VaryingLayout,
        VertexAttributes, influence_color,
    },
};

const ATTRIBUTES: VertexAttributes =
    VertexAttributes { normals: true, tangents: false, colors: false, occlusion: false, influences: true };

/// What a mode shows of a fragment whose rows hold exactly the blocks `expected`.
fn shown(
    mode: ShadingMode,
    attributes: VertexAttributes,
    expected: &[VaryingBlock],
    depth_range: [f32; 2],
    fragment: &Fragment,
) -> [f32; 3] {
    let lighting = Lighting::headlight(Mat4::IDENTITY);
    let textures = TextureSet::new(&Scene::default(), mode).expect("no images");
    let material = Material::default();
    let layout = VaryingLayout::new(&material, attributes, mode, &lighting);
    assert_eq!(layout.blocks(), expected);
    let shader = MaterialShader::new(&material, &layout, &textures, &lighting, mode, depth_range);
    let ([red, green, blue, alpha], _) = fragment.shaded(&shader);
    assert_eq!(alpha, 1.0);
    [red, green, blue]
}

#[test]
fn normals_are_shown_in_world_space() {
    let show = |normal: [f32; 3]| {
        let fragment = Fragment::constant(&[normal[0], normal[1], normal[2], 0.0]);
        shown(ShadingMode::Normals, ATTRIBUTES, &[VaryingBlock::Normal], [0.0, 1.0], &fragment)
    };
    assert_eq!(show([0.0, -2.0, 0.0]), [0.5, 0.0, 0.5]);
    assert_eq!(show([3.0, 0.0, 0.0]), [1.0, 0.5, 0.5]);
    // A zero normal has no direction.
    assert_eq!(show([0.0; 3]), [0.5; 3]);
}

#[test]
fn texture_coordinates_are_shown_by_their_fractions() {
    let fragment = Fragment::constant(&[1.25, -0.25, 9.0, 9.0]);
    let blocks = [VaryingBlock::Texcoords([Some(0), None])];
    assert_eq!(shown(ShadingMode::Uv, ATTRIBUTES, &blocks, [0.0, 1.0], &fragment), [0.25, 0.75, 0.0]);
}

#[test]
fn depth_is_bright_where_it_is_near() {
    let show = |depth, range| {
        let fragment = Fragment { depth, ..Fragment::constant(&[]) };
        shown(ShadingMode::Depth, ATTRIBUTES, &[], range, &fragment)
    };
    assert_eq!(show(0.25, [0.0, 1.0]), [0.75; 3]);
    assert_eq!(show(0.5, [0.5, 0.75]), [1.0; 3]);
    assert_eq!(show(0.625, [0.5, 0.75]), [0.5; 3]);
}

#[test]
fn joints_are_shown_by_their_blended_colors() {
    // The fragment is half vertex 0, a quarter each vertices 1 and 2.
    let mut fragment = Fragment::constant(&influence_color(&[0], &[1.0]));
    fragment.rows[1] = influence_color(&[2], &[1.0]).to_vec();
    let [red, green, blue] = shown(ShadingMode::Joints, ATTRIBUTES, &[VaryingBlock::JointColor], [0.0, 1.0], &fragment);
    // Joint 0 is (0.9, 0.09, 0.09), joint 2 (0.2876…, 0.5, 0.05).
    assert!((green - (0.75 * 0.09 + 0.25 * 0.5)).abs() < 1e-6, "{green}");
    assert!((blue - (0.75 * 0.09 + 0.25 * 0.05)).abs() < 1e-6, "{blue}");
    assert!(red > 0.7 && red < 0.8, "{red}");

    let unskinned = VertexAttributes { influences: false, ..ATTRIBUTES };
    let fragment = Fragment::constant(&[]);
    assert_eq!(shown(ShadingMode::Joints, unskinned, &[], [0.0, 1.0], &fragment), UNSKINNED_COLOR);
}

#[test]
fn wireframe_lines_are_a_pixel_wide_over_lit_clay() {
    // A right triangle with legs of 100 pixels: l1 = x/100 and l2 = y/100. The surface faces the headlight's side.
    let show = |x: f32, y: f32| {
        let mut fragment = Fragment::constant(&[0.35, 0.5, 1.0, 0.0]);
        fragment.barycentrics = [x / 100.0, y / 100.0];
        fragment.dx = [0.01, 0.0];
        fragment.dy = [0.0, 0.01];
        let [red, ..] = shown(ShadingMode::Wireframe, ATTRIBUTES, &[VaryingBlock::Normal], [0.0, 1.0], &fragment);
        red
    };
    let (clay, line) = (0.6_f32, 0.01_f32);
    let near = |actual: f32, expected: f32| assert!((actual - expected).abs() < 1e-5, "{actual} is not {expected}");
    near(show(30.0, 30.0), clay);
    near(show(30.0, 0.0), line);
    // A line fades linearly over one pixel to each side.
    near(show(0.25, 30.0), 0.75 * line + 0.25 * clay);
    near(show(0.75, 30.0), 0.25 * line + 0.75 * clay);
    near(show(1.1, 30.0), clay);
    // The hypotenuse is (100 − x − y)/√2 pixels away.
    near(show(50.0, 50.0 - 0.5 * std::f32::consts::SQRT_2), (clay + line) / 2.0);
}

#[test]
fn a_line_has_no_edges() {
    let mut fragment = Fragment::constant(&[0.35, 0.5, 1.0, 0.0]);
    fragment.barycentrics = [0.5, 0.0];
    let [red, ..] = shown(ShadingMode::Wireframe, ATTRIBUTES, &[VaryingBlock::Normal], [0.0, 1.0], &fragment);
    assert!((red - 0.6).abs() < 1e-6, "{red}");
}
