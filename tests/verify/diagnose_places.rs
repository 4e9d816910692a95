//! Mistakes about one thing, whose whole rest is right: is the thing told?

use std::path::Path;

use glam::{Mat4, Vec3};
use refrast::{
    golden::Picture,
    render::{CameraSettings, RenderSettings},
    scene::Scene,
    verify::{
        Profile,
        diagnose::{Cause, Conclusion, Diagnosis, Stage, diagnose_picture},
        simulator::{Faults, Moment, ParametricFault, Shot, Simulator},
    },
};

use super::diagnose::OTHER;

fn scene(name: &str) -> Scene {
    Scene::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)).expect("a scene of the goldens")
}

fn node(scene: &Scene, name: &str) -> usize {
    scene.nodes.iter().position(|node| node.name.as_deref() == Some(name)).expect("a node of this name")
}

/// What is said of a backend that believes it has `read`, and makes these mistakes with it.
fn diagnose(scene: &Scene, moment: Moment, read: &Scene, faults: impl Into<Faults>) -> Diagnosis {
    let settings = RenderSettings { width: 160, height: 120, ..RenderSettings::default() };
    let pose = moment.pose(scene).expect("a moment of the scene");
    let camera = CameraSettings::default().camera(scene, moment.clip(), &pose, &settings).expect("it can be seen");
    let shot = Shot { moment, camera: &camera, settings: &settings };
    let simulator = Simulator::new(read).expect("complete textures");
    let frame = simulator.draw(&shot, &OTHER, faults).expect("it can be drawn");
    let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture");
    diagnose_picture(scene, &shot, Profile::D3d11, &picture, &|_| {}).expect("it fits the scene")
}

#[test]
fn a_thing_that_is_not_drawn_is_named() {
    let scene = scene("brushed.gltf");
    let missing = ParametricFault::NodeMissing { node: node(&scene, "gold ball") as u32 };
    let diagnosis = diagnose(&scene, Moment::Rest, &scene, missing);
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
    assert_eq!(diagnosis.best().next(), Some(Cause::from(missing)), "{diagnosis}");
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    assert_eq!((place.stage, place.nodes[0].name.as_str()), (Some(Stage::Visibility), "`gold ball`"), "{diagnosis}");
    assert!(place.nodes[0].of_own > 0.9, "{diagnosis}");
}

/// No pixel of the background is wrong: where it was, the ground is seen, and where it is, its colours are.
#[test]
fn a_thing_that_has_moved_in_front_of_the_ground_is_told() {
    let scene = scene("brushed.gltf");
    let mut read = scene.clone();
    let mesh = scene.nodes[node(&scene, "gold ball")].mesh.expect("it is drawn");
    for position in read.meshes[mesh].primitives.iter_mut().flat_map(|own| &mut own.positions) {
        *position = (Vec3::from(*position) + Vec3::new(-0.3, 0.0, 0.2)).into();
    }
    let diagnosis = diagnose(&scene, Moment::Rest, &read, Faults::default());
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    assert_eq!((place.stage, place.nodes[0].name.as_str()), (Some(Stage::Geometry), "`gold ball`"), "{diagnosis}");
}

/// What hangs on it weighs more in many of the pixels that are wrong.
#[test]
fn a_joint_whose_matrix_is_wrong_is_told() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let moment = Moment::Clip { animation: scene.find_animation("Walk").expect("it walks"), seconds: 0.3 };
    let mut read = scene.clone();
    let head = node(&scene, "head");
    let place = scene.skins[0].joints.iter().position(|joint| *joint == head).expect("a joint");
    let matrix = &mut read.skins[0].inverse_bind_matrices[place];
    *matrix = Mat4::from_rotation_y(0.5) * *matrix;
    let diagnosis = diagnose(&scene, moment, &read, Faults::default());
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    assert_eq!(place.joints[0].name, "`head`", "{diagnosis}");
    assert!(matches!(place.stage, Some(Stage::Geometry | Stage::Coverage)), "{diagnosis}");
}
