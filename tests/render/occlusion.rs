//! `_OCCLUSION` of vertices and morph targets, as it is seen: worked out by hand.

use glam::Mat4;
use refrast::{
    animation::Pose,
    raster::Convention,
    render::{Camera, RenderSettings, Renderer},
    scene::{Material, Mesh, MorphTarget, Node, Primitive, Scene},
    shading::{ShadingMode, srgb_to_linear},
};

const SIDE: u32 = 32;

/// A white square over the whole picture, lighter on the left. Half of a target darkens the left side and lights up the right.
fn sheet(occlusion: Option<Vec<f32>>) -> Scene {
    let moved = occlusion.is_some().then(|| vec![-0.5, 0.4, 0.4, -0.5]);
    let target = MorphTarget { occlusion: moved, ..MorphTarget::default() };
    let primitive = Primitive {
        indices: vec![0, 1, 2, 0, 2, 3],
        source_vertices: vec![0, 1, 2, 3],
        source_vertex_count: 4,
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
        occlusion,
        targets: vec![target],
        ..Primitive::default()
    };
    let material = Material { metallic_factor: 0.0, ..Material::default() };
    Scene {
        nodes: vec![Node { mesh: Some(0), ..Node::default() }],
        parents_first: vec![0],
        drawn: vec![0],
        meshes: vec![Mesh { primitives: vec![primitive], weights: vec![0.5], ..Mesh::default() }],
        materials: vec![material],
        ..Scene::default()
    }
}

fn pixels(scene: &Scene, shading: ShadingMode) -> Vec<[u8; 4]> {
    pixels_of(scene, RenderSettings { shading, ..RenderSettings::default() })
}

fn pixels_of(scene: &Scene, settings: RenderSettings) -> Vec<[u8; 4]> {
    let settings = RenderSettings { width: SIDE, height: SIDE, ..settings };
    let camera = Camera { view: Mat4::IDENTITY, projection: Mat4::IDENTITY, convention: Convention::OpenGl };
    let mut renderer = Renderer::new(scene, settings).expect("a valid scene");
    renderer.render(&Pose::rest(scene), &camera).expect("it can be drawn").rgba().as_chunks().0.to_vec()
}

/// What arrives in each column: 1 − ½·½ = 0.75 on the left, 0.2 + ½·0.4 = 0.4 on the right.
fn arriving(column: usize) -> f64 {
    0.75 + (0.4 - 0.75) * (column as f64 + 0.5) / f64::from(SIDE)
}

fn columns(pixels: &[[u8; 4]]) -> impl Iterator<Item = (usize, [u8; 4])> {
    pixels.iter().enumerate().map(|(place, pixel)| (place % SIDE as usize, *pixel))
}

#[test]
fn targets_move_it_and_pixels_mix_it() {
    let scene = sheet(Some(vec![1.0, 0.2, 0.2, 1.0]));
    for (column, [red, green, blue, _]) in columns(&pixels(&scene, ShadingMode::Occlusion)) {
        let exact = 255.0 * arriving(column);
        assert!((f64::from(red) - exact).abs() <= 0.501, "column {column}: {red}, not {exact}");
        assert_eq!([red, red], [green, blue]);
    }
    assert!(pixels(&sheet(None), ShadingMode::Occlusion).iter().all(|pixel| *pixel == [255; 4]));
}

#[test]
fn it_scales_ambient_light_and_nothing_else() {
    let (with, without) = (sheet(Some(vec![1.0, 0.2, 0.2, 1.0])), sheet(None));
    let linear = |byte: u8| srgb_to_linear(f64::from(byte) / 255.0);
    let pairs = [&with, &without].map(|scene| pixels(scene, ShadingMode::Lit));
    for ((column, [dark, ..]), (_, [light, ..])) in columns(&pairs[0]).zip(columns(&pairs[1])) {
        // The headlight's ambient is a quarter. A byte of light grey is half a step of 1/110 either way.
        let lost = (linear(light) - linear(dark)) / 0.25;
        assert!((lost - (1.0 - arriving(column))).abs() < 0.04, "column {column}: {lost}");
    }
    assert_eq!(pixels(&with, ShadingMode::Lambert), pixels(&without, ShadingMode::Lambert));
}

#[test]
fn ambient_light_is_what_was_asked_for() {
    let scene = sheet(Some(vec![1.0, 0.2, 0.2, 1.0]));
    let linear = |byte: u8| srgb_to_linear(f64::from(byte) / 255.0);
    let lit = |ambient| {
        pixels_of(
            &scene,
            RenderSettings { shading: ShadingMode::Lit, ambient: Some(ambient), ..RenderSettings::default() },
        )
    };
    let (dark, faint) = (lit(0.0), lit(0.2));
    for ((column, [none, ..]), (_, [some, ..])) in columns(&dark).zip(columns(&faint)) {
        let gained = (linear(some) - linear(none)) / 0.2;
        assert!((gained - arriving(column)).abs() < 0.05, "column {column}: {gained}");
    }
    let own = pixels(&scene, ShadingMode::Lit);
    assert_eq!(own, lit(0.25), "a headlight brings a quarter");
    assert_ne!(own, dark);
    let none = RenderSettings { ambient: Some(f32::NAN), ..RenderSettings::default() };
    assert!(Renderer::new(&scene, none).is_err(), "no number is no light");
}
