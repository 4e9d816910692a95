//! Skinning methods, normal modes and limits of influences in pictures, and what is said where they can not be had.

use std::num::NonZeroUsize;

use crate::support::{moved, scaled, skinned};
use glam::Vec3;
use refrast::{
    animation::Pose,
    render::{
        Camera, Orbit, RenderError, RenderSettings, Renderer,
        program::{ProgramSettings, ProgramStageError},
    },
    scene::{Material, Node, Scene},
    shading::ShadingMode,
    skinning::{NormalMode, SkinningError, SkinningMethod},
    vertex_program::{LibraryProgram, NumericModel, Settings, assemble},
};

fn small() -> RenderSettings {
    RenderSettings { width: 160, height: 200, ..RenderSettings::default() }
}

/// The mannequin with bent arms, and its middle.
fn flexing(scene: &Scene) -> (Pose, Camera) {
    let pose = Pose::sample(scene, scene.find_animation("Flex").unwrap(), 1.0).unwrap();
    let bounds = Renderer::new(scene, small()).unwrap().bounds(&pose).unwrap();
    let camera = Camera::orbit(&bounds, Orbit::default(), 0.8, small().convention);
    (pose, camera)
}

/// Clip positions by vertex of the file's primitives, and the bytes of the picture.
fn render(mut renderer: Renderer<'_>, pose: &Pose, camera: &Camera) -> (Vec<[f32; 4]>, Vec<u8>) {
    let bytes = renderer.render(pose, camera).unwrap().rgba().to_vec();
    let mut positions = Vec::new();
    let mut last = None;
    for drawn in renderer.stage().drawn_vertices() {
        let key = std::ptr::from_ref(drawn.primitive);
        if last != Some(key) {
            last = Some(key);
            positions.push(vec![[0.0; 4]; drawn.primitive.positions.len()]);
        }
        let stream = drawn.stream;
        for vertex in 0..stream.x.len() {
            let source = drawn.source_vertices.map_or(vertex, |sources| sources[vertex] as usize);
            let [x, y, z, w] = [&stream.x, &stream.y, &stream.z, &stream.w].map(|plane| plane[vertex]);
            positions.last_mut().unwrap()[source] = [x, y, z, w];
        }
    }
    (positions.concat(), bytes)
}

fn largest_distance(a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn each_method_draws_its_own_figure() {
    let scene = Scene::mannequin().unwrap();
    let (pose, camera) = flexing(&scene);
    let drawn = |skinning| {
        let settings = RenderSettings { skinning, ..small() };
        render(Renderer::new(&scene, settings).unwrap(), &pose, &camera).0
    };
    let linear = drawn(SkinningMethod::Linear);
    for method in SkinningMethod::ALL {
        let distance = largest_distance(&linear, &drawn(method));
        match method {
            // One formula in another order: rounding of coordinates of a few metres.
            SkinningMethod::Linear
            | SkinningMethod::LinearPerJoint
            | SkinningMethod::VertexOffset
            | SkinningMethod::BoneOffset => assert!(distance < 1e-5, "{method}: {distance}"),
            // At bent joints: centimetres.
            SkinningMethod::DualQuaternion | SkinningMethod::Rigid | SkinningMethod::WeightsBeforeBind => {
                assert!(distance > 0.01, "{method}: {distance}");
            }
        }
    }
}

#[test]
fn influences_are_limited_for_methods_and_programs() {
    let scene = Scene::mannequin().unwrap();
    let (pose, camera) = flexing(&scene);
    let settings = |most| RenderSettings { max_influences: NonZeroUsize::new(most), ..small() };
    let native = |settings| render(Renderer::new(&scene, settings).unwrap(), &pose, &camera);
    // The built-in character has four a vertex.
    assert_eq!(native(settings(4)).1, native(small()).1);
    let one = native(settings(1));
    // The heaviest alone is what `rigid` takes.
    assert_eq!(one.1, native(RenderSettings { skinning: SkinningMethod::Rigid, ..small() }).1);
    assert_ne!(one.1, native(small()).1);
    // And the view of the influences shows what is left of them.
    let joints = |most| native(RenderSettings { shading: ShadingMode::Joints, ..settings(most) }).1;
    assert_ne!(joints(1), joints(4));

    let text = LibraryProgram::named("bone_offset_4").unwrap().arb;
    let program = || ProgramSettings {
        machine: Settings { model: NumericModel::Ieee, ..Settings::default() },
        ..ProgramSettings::new(assemble(text).unwrap().program)
    };
    for most in [1, 2] {
        let with_program = Renderer::with_program(&scene, settings(most), program()).unwrap();
        let (positions, _) = render(with_program, &pose, &camera);
        let distance = largest_distance(&positions, &native(settings(most)).0);
        assert!(distance < 1e-5, "{most}: {distance}");
    }
    for settings in [
        RenderSettings { normals: NormalMode::RotationOnly, ..small() },
        RenderSettings { skinning: SkinningMethod::Rigid, ..small() },
    ] {
        let Err(error) = Renderer::with_program(&scene, settings, program()) else { panic!("{settings:?} was taken") };
        assert!(matches!(error, RenderError::Program(ProgramStageError::NativeSkinning)), "{error}");
    }
}

/// A triangle that faces the camera and leans, on one joint.
fn leaning(joint: Node) -> Scene {
    let corner =
        |position| crate::support::vertex(position, Vec3::new(1.0, 0.0, 1.0).normalize().to_array(), &[(0, 1.0)]);
    let mut primitive = corner([0.0; 3]);
    primitive.positions = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    primitive.normals = primitive.normals.map(|normals| normals.repeat(3));
    let influences = primitive.influences.as_mut().unwrap();
    (influences.joints, influences.weights) = (influences.joints.repeat(3), influences.weights.repeat(3));
    primitive.indices = vec![0, 1, 2];
    let mut scene = skinned(vec![joint], moved(0.0, 0.0, 0.0), primitive);
    scene.materials.push(Material::default());
    scene
}

#[test]
fn normal_modes_reach_the_picture() {
    let scene = leaning(scaled(4.0, 1.0, 1.0));
    let pose = Pose::rest(&scene);
    let center = |normals| {
        let settings = RenderSettings { normals, shading: ShadingMode::Normals, ..small() };
        let mut renderer = Renderer::new(&scene, settings).unwrap();
        let bounds = renderer.bounds(&pose).unwrap();
        let camera = Camera::orbit(&bounds, Orbit { yaw: 0.0, pitch: 0.0, distance: None }, 0.8, settings.convention);
        let frame = renderer.render(&pose, &camera).unwrap();
        let pixel = (100 * 160 + 80) * 4;
        frame.rgba()[pixel..pixel + 3].to_vec()
    };
    // (1, 0, 1) by the inverse transpose of diag(4, 1, 1) is (1/4, 0, 1), by the matrix itself (4, 0, 1); at unit length
    // (0.2425, 0, 0.9701) and (0.9701, 0, 0.2425). The view stores 255·(n + 1)/2: 158.4 and 251.2.
    let near = |rgb: Vec<u8>, expected: [f64; 3]| {
        let close = rgb.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() <= 1.0);
        assert!(close, "{rgb:?} is not {expected:?}");
    };
    near(center(NormalMode::InverseTranspose), [158.4, 127.5, 251.2]);
    near(center(NormalMode::PerJoint), [158.4, 127.5, 251.2]);
    near(center(NormalMode::RotationOnly), [251.2, 127.5, 158.4]);
}

#[test]
fn a_joint_that_can_not_be_followed_is_named() {
    let mirrored = Node { name: Some("left hand".to_owned()), ..scaled(-1.0, 1.0, 1.0) };
    let mut scene = leaning(mirrored);
    scene.source.file = "glove.glb".to_owned();
    let settings = RenderSettings { skinning: SkinningMethod::DualQuaternion, ..small() };
    let pose = Pose::rest(&scene);
    let error = Renderer::new(&scene, settings).unwrap().bounds(&pose).unwrap_err();
    assert!(matches!(error, RenderError::Skinning { source: SkinningError::NoRotation { joint: 0 }, .. }));
    let message = error.to_string();
    assert!(message.starts_with("glove.glb: node 1, joint 0 'left hand': ") && message.contains("linear"), "{message}");
}
