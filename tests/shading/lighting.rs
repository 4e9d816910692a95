//! Lights: what falls on a white Lambert surface, worked out by hand from KHR_lights_punctual.

use std::f64::consts::PI;

use crate::fragments::Fragment;
use glam::{Mat4, Quat, Vec3, Vec4};
use refrast::{
    scene::{Light, LightKind, Material, Node, Scene},
    shading::{Lighting, MaterialShader, ShadingMode, TextureSet, VaryingBlock, VaryingLayout, VertexAttributes},
};

const ATTRIBUTES: VertexAttributes =
    VertexAttributes { normals: true, tangents: false, colors: false, occlusion: false, influences: false };
/// What is seen of a white surface without any light, where a file has lights.
const AMBIENT: f64 = 0.05;

/// A white surface with a normal and a place under these lights.
fn white(lighting: &Lighting, normal: Vec3, position: Vec3) -> [f32; 3] {
    let textures = TextureSet::new(&Scene::default(), ShadingMode::Lambert).expect("no images");
    let material = Material::default();
    let layout = VaryingLayout::new(&material, ATTRIBUTES, ShadingMode::Lambert, lighting);
    let shader = MaterialShader::new(&material, &layout, &textures, lighting, ShadingMode::Lambert, [0.0, 1.0]);
    let block = |block: &VaryingBlock| match block {
        VaryingBlock::Normal => [normal.x, normal.y, normal.z, 0.0],
        VaryingBlock::Position => [position.x, position.y, position.z, 0.0],
        other => panic!("no test asks for {other:?}"),
    };
    let row: Vec<f32> = layout.blocks().iter().flat_map(block).collect();
    let ([red, green, blue, _], _) = Fragment::constant(&row).shaded(&shader);
    [red, green, blue]
}

/// A scene with one light at a node placed by `world`.
fn lit_by(light: Light, world: Mat4) -> Lighting {
    let scene = Scene {
        nodes: vec![Node { light: Some(0), ..Node::default() }],
        parents_first: vec![0],
        drawn: vec![0],
        lights: vec![light],
        ..Scene::default()
    };
    Lighting::new(&scene, &[world], Mat4::IDENTITY, Mat4::IDENTITY)
}

fn light(kind: LightKind, range: Option<f32>) -> Light {
    Light { name: None, color: [1.0, 0.5, 0.0], intensity: 8.0, range, kind }
}

fn assert_near(actual: [f32; 3], expected: [f64; 3]) {
    let near = |(actual, expected): (f32, f64)| (f64::from(actual) - expected).abs() < 1e-6 * expected.max(1.0);
    assert!(actual.into_iter().zip(expected).all(near), "{actual:?} is not {expected:?}");
}

/// The light's colour by a strength, over the ambient part.
fn seen(strength: f64) -> [f64; 3] {
    [1.0, 0.5, 0.0].map(|color| AMBIENT + color * strength * 8.0 / PI)
}

#[test]
fn without_lights_a_headlight_hangs_over_the_cameras_right_shoulder() {
    // N·L = 1 gives 0.75 + 0.25: white. The direction is (0.35, 0.5, 1) in view space.
    let toward = Vec3::new(0.35, 0.5, 1.0).normalize();
    let headlight = Lighting::new(&Scene::default(), &[], Mat4::IDENTITY, Mat4::IDENTITY);
    assert_near(white(&headlight, toward, Vec3::ZERO), [1.0; 3]);
    // It turns with the camera: one that looks along +X from (−9, 2, 0) has its right at +Z.
    let camera = Mat4::from_cols(Vec4::NEG_Z, Vec4::Y, Vec4::X, Vec4::new(0.0, -2.0, -9.0, 1.0));
    let headlight = Lighting::headlight(camera);
    assert_near(white(&headlight, Vec3::new(-toward.z, toward.y, toward.x), Vec3::ZERO), [1.0; 3]);
    assert_near(white(&headlight, Vec3::X, Vec3::ZERO), [0.25; 3]);
}

#[test]
fn a_directional_light_shines_along_its_nodes_minus_z() {
    // Turned by −90° about X, −Z becomes −Y: it shines down, wherever it hangs.
    let world =
        Mat4::from_rotation_translation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2), Vec3::new(5.0, 5.0, 5.0));
    let lighting = lit_by(light(LightKind::Directional, None), world);
    assert!(!lighting.needs_position());
    assert_near(white(&lighting, Vec3::Y, Vec3::ZERO), seen(1.0));
    assert_near(white(&lighting, Vec3::new(0.6, 0.8, 0.0), Vec3::ZERO), seen(0.8));
    assert_near(white(&lighting, Vec3::NEG_Y, Vec3::ZERO), seen(0.0));
}

#[test]
fn normals_are_renormalised_and_a_missing_direction_gets_no_light() {
    let lighting = lit_by(light(LightKind::Directional, None), Mat4::IDENTITY);
    assert_near(white(&lighting, Vec3::new(0.0, 0.0, 0.01), Vec3::ZERO), seen(1.0));
    assert_near(white(&lighting, Vec3::ZERO, Vec3::ZERO), seen(0.0));
}

#[test]
fn a_point_light_falls_off_with_the_square_of_the_distance() {
    let lighting = lit_by(light(LightKind::Point, None), Mat4::from_translation(Vec3::new(0.0, 3.0, 0.0)));
    assert!(lighting.needs_position());
    assert_near(white(&lighting, Vec3::Y, Vec3::Y), seen(1.0 / 4.0));
    // Three to the side and four down: 5 m away, the cosine with the vertical is 0.8.
    assert_near(white(&lighting, Vec3::Y, Vec3::new(3.0, -1.0, 0.0)), seen(0.8 / 25.0));
    // In the light itself there is no direction to it.
    assert_near(white(&lighting, Vec3::Y, Vec3::new(0.0, 3.0, 0.0)), seen(0.0));
}

#[test]
fn a_range_ends_a_light_smoothly() {
    // max(min(1 − (d/range)⁴, 1), 0)/d² at d = 2: range 4 leaves 15/16, range 2 and less nothing.
    for (range, strength) in [(4.0, 15.0 / 64.0), (2.0, 0.0), (1.0, 0.0)] {
        let lighting = lit_by(light(LightKind::Point, Some(range)), Mat4::from_translation(2.0 * Vec3::Y));
        assert_near(white(&lighting, Vec3::Y, Vec3::ZERO), seen(strength));
    }
}

#[test]
fn a_spot_light_fades_between_its_angles() {
    // It hangs 1 m above the ground and shines down; at 45° off its axis the distance is √2, N·L = √½.
    let spot = LightKind::Spot { inner_cone_angle: 0.25, outer_cone_angle: 1.0 };
    let world = Mat4::from_rotation_translation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2), Vec3::Y);
    let lighting = lit_by(light(spot, None), world);
    assert_near(white(&lighting, Vec3::Y, Vec3::ZERO), seen(1.0));
    let cosine = 0.5_f64.sqrt();
    let fade = (cosine - libm::cos(1.0)) / (libm::cos(0.25) - libm::cos(1.0));
    assert_near(white(&lighting, Vec3::Y, Vec3::X), seen(cosine / 2.0 * fade * fade));
    // Outside of the cone: 2 m to the side is 63° off the axis.
    assert_near(white(&lighting, Vec3::Y, 2.0 * Vec3::X), seen(0.0));
}

#[test]
fn lights_add_up_and_emission_comes_on_top() {
    let directional = lit_by(light(LightKind::Directional, None), Mat4::IDENTITY);
    let mut lighting = directional.clone();
    lighting.lights.push(directional.lights[0]);
    assert_near(white(&lighting, Vec3::Z, Vec3::ZERO), seen(2.0));

    let material =
        Material { base_color_factor: [0.5, 0.5, 0.5, 1.0], emissive_factor: [0.0, 0.25, 3.0], ..Material::default() };
    let textures = TextureSet::new(&Scene::default(), ShadingMode::Lambert).expect("no images");
    let color = |material: &Material, mode| {
        let layout = VaryingLayout::new(material, ATTRIBUTES, mode, &directional);
        let shader = MaterialShader::new(material, &layout, &textures, &directional, mode, [0.0, 1.0]);
        let row = [0.0, 0.0, 1.0, 0.0];
        let ([red, green, blue, _], _) = Fragment::constant(&row[..layout.stride()]).shaded(&shader);
        [red, green, blue]
    };
    let [red, green, blue] = seen(1.0).map(|light| 0.5 * light);
    assert_near(color(&material, ShadingMode::Lambert), [red, green + 0.25, blue + 3.0]);
    assert_near(color(&material, ShadingMode::Unlit), [0.5; 3]);
    assert_near(color(&Material { unlit: true, ..material }, ShadingMode::Lambert), [0.5; 3]);
}
