//! What few pixels tell: numbers that a picture shows in part, and mistakes that hold a picture without being like it.

use glam::Mat4;
use refrast::{
    golden::Picture,
    raster::Convention,
    render::{Camera, CameraSettings, RenderSettings},
    scene::{Influences, Material, Mesh, Node, Primitive, Scene, Skin},
    shading::ShadingMode,
    verify::{
        Profile,
        diagnose::{Cause, Conclusion, Diagnosis, diagnose_picture},
        simulator::{Moment, ParametricFault, Shot, Simulator, Variation},
    },
};

use super::diagnose::OTHER;

/// Upright strips from far below the picture to far above it; where their edges lie between pixels is spread evenly.
const STRIPS: usize = 14;

fn strips() -> Scene {
    // Every edge is 2.1 pixels of 64 from the next.
    let corners = |strip: usize| {
        let [left, right] = [0, 1].map(|edge| (2 * strip + edge) as f32 * 0.066 - 0.93);
        [[left, -9.0, 0.0], [right, -9.0, 0.0], [right, 9.0, 0.0], [left, 9.0, 0.0]]
    };
    let positions: Vec<[f32; 3]> = (0..STRIPS).flat_map(corners).collect();
    let indices = (0..STRIPS as u32).flat_map(|strip| [0, 1, 2, 0, 2, 3].map(|corner| 4 * strip + corner));
    let count = positions.len();
    let primitive = Primitive {
        indices: indices.collect(),
        source_vertices: (0..count as u32).collect(),
        source_vertex_count: count,
        positions,
        ..Primitive::default()
    };
    Scene {
        nodes: vec![Node { mesh: Some(0), ..Node::default() }],
        parents_first: vec![0],
        drawn: vec![0],
        meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
        materials: vec![Material::default()],
        ..Scene::default()
    }
}

/// The answer to a backend's picture of the strips.
fn of_strips(scene: &Scene, profile: Profile, variation: &Variation, made: ParametricFault) -> Diagnosis {
    let settings = RenderSettings { width: 64, height: 48, shading: ShadingMode::Unlit, ..RenderSettings::default() };
    let camera = Camera { view: Mat4::IDENTITY, projection: Mat4::IDENTITY, convention: Convention::OpenGl };
    let shot = Shot { moment: Moment::Rest, camera: &camera, settings: &settings };
    let frame = Simulator::new(scene).and_then(|simulator| simulator.draw(&shot, variation, made));
    let picture = Picture::from_rgba8(64, 48, frame.expect("it can be drawn").rgba).expect("the size fits");
    diagnose_picture(scene, &shot, profile, &picture, &|_| {}).expect("it can be diagnosed")
}

/// All offsets to the left are as near from a start of any height; the way to the nearest one is gone all the same.
#[test]
fn an_offset_is_found_where_none_of_its_height_is_seen() {
    let coarse = Variation { subpixel_bits: Some(4), ..OTHER };
    let made = ParametricFault::WindowOffset { x: -0.76, y: 0.2 };
    let diagnosis = of_strips(&strips(), Profile::Vulkan14, &coarse, made);
    let best = diagnosis.best().next();
    let Some(Cause::Parametric(ParametricFault::WindowOffset { x, .. })) = best else { panic!("{diagnosis}") };
    assert!((x + 0.76).abs() < 0.1, "{diagnosis}");
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
}

/// Of a dither that nobody declared one pixel is wrong. A backend that keeps normals in bytes, and is a step off in thousands of pixels,
/// may draw all of it; but right ones are nearer to it.
#[test]
fn what_right_backends_come_nearer_to_is_not_thought_of() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let settings = RenderSettings { width: 160, height: 120, ..RenderSettings::default() };
    let animation = scene.find_animation("Walk").expect("a clip of the character");
    for seconds in [0.3, 0.75] {
        let moment = Moment::Clip { animation, seconds };
        let pose = moment.pose(&scene).expect("the clip is there");
        let words = CameraSettings::default();
        let camera = words.camera(&scene, moment.clip(), &pose, &settings).expect("it can be seen");
        let shot = Shot { moment, camera: &camera, settings: &settings };
        let dithered = Variation { dither_steps: 1, eight_bit_target: false, ..OTHER };
        let frame = Simulator::new(&scene).and_then(|simulator| simulator.draw(&shot, &dithered, &[]));
        let picture = Picture::from_rgba8(160, 120, frame.expect("it can be drawn").rgba).expect("the size fits");
        let diagnosis =
            diagnose_picture(&scene, &shot, Profile::D3d11, &picture, &|_| {}).expect("it can be diagnosed");
        assert_eq!(diagnosis.wrong, 1, "{diagnosis}");
        assert!(diagnosis.likely().all(|finding| finding.score > 0.0), "{diagnosis}");
    }
}

/// Behind the end of a palette of two nothing is drawn, whoever looks there: of as many places the nearest are told.
#[test]
fn a_joint_behind_the_end_is_near_it() {
    let mut scene = strips();
    let primitive = &mut scene.meshes[0].primitives[0];
    let count = primitive.positions.len();
    let (joints, weights) = ([0, 1, 0, 0].repeat(count), [0.5, 0.5, 0.0, 0.0].repeat(count));
    primitive.influences = Some(Influences { per_vertex: 4, joints, weights });
    scene.nodes[0].skin = Some(0);
    scene.nodes.extend([Node::default(), Node::default()]);
    scene.parents_first = vec![0, 1, 2];
    let inverse_bind_matrices = vec![Mat4::IDENTITY; 2];
    scene.skins = vec![Skin { joints: vec![1, 2], inverse_bind_matrices, ..Skin::default() }];
    let made = ParametricFault::JointsShifted { by: 3 };
    let diagnosis = of_strips(&scene, Profile::D3d11, &OTHER, made);
    assert!(diagnosis.best().any(|cause| cause == Cause::from(made)), "{diagnosis}");
}
