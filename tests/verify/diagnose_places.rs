//! Mistakes about one thing, whose whole rest is right: is the thing told?

use std::path::Path;

use glam::{DVec3, Mat4, Vec3};
use refrast::{
    golden::Picture,
    render::{CameraSettings, RenderSettings},
    scene::Scene,
    shading::ShadingMode,
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
    diagnose_from(CameraSettings::default(), (scene, moment), read, faults)
}

fn diagnose_from(camera: CameraSettings, seen: (&Scene, Moment), read: &Scene, faults: impl Into<Faults>) -> Diagnosis {
    diagnose_in(ShadingMode::default(), camera, seen, (read, faults.into()))
}

fn diagnose_in(
    shading: ShadingMode,
    camera: CameraSettings,
    (scene, moment): (&Scene, Moment),
    (read, faults): (&Scene, Faults),
) -> Diagnosis {
    let settings = RenderSettings { width: 160, height: 120, shading, ..RenderSettings::default() };
    let pose = moment.pose(scene).expect("a moment of the scene");
    let camera = camera.camera(scene, moment.clip(), &pose, &settings).expect("it can be seen");
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

/// Whether a node is the one, and its numbers are near.
fn is_moved(cause: Cause, own: usize, [x, y, z]: [f32; 3], factor: f32) -> bool {
    let Cause::Parametric(ParametricFault::NodeMoved { node, by, scale }) = cause else { return false };
    let is_near = |one: f32, other: f32| (one - other).abs() <= 0.03;
    node as usize == own
        && std::iter::zip(by, [x, y, z]).all(|(one, other)| is_near(one, other))
        && is_near(scale, factor)
}

/// No pixel of the background is wrong: where it was, the ground is seen, and where it is, its colours are.
#[test]
fn a_thing_that_has_moved_in_front_of_the_ground_is_named() {
    let scene = scene("brushed.gltf");
    let ball = node(&scene, "gold ball");
    let mut read = scene.clone();
    let mesh = scene.nodes[ball].mesh.expect("it is drawn");
    let positions = || scene.meshes[mesh].primitives.iter().flat_map(|own| &own.positions).copied().map(Vec3::from);
    let (low, high) = positions().fold((Vec3::MAX, Vec3::MIN), |(low, high), at| (low.min(at), high.max(at)));
    let size = (high - low).length();
    for position in read.meshes[mesh].primitives.iter_mut().flat_map(|own| &mut own.positions) {
        *position = (Vec3::from(*position) + size * Vec3::new(-0.2, 0.0, 0.0)).into();
    }
    let diagnosis = diagnose(&scene, Moment::Rest, &read, Faults::default());
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
    let named = diagnosis.best().next().expect("a name");
    assert!(is_moved(named, ball, [-0.2, 0.0, 0.0], 1.0), "{diagnosis}");
    assert_eq!(stage_and_node(&diagnosis), (Some(Stage::Geometry), "`gold ball`"), "{diagnosis}");
}

fn stage_and_node(diagnosis: &Diagnosis) -> (Option<Stage>, &str) {
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    (place.stage, place.nodes[0].name.as_str())
}

#[test]
fn a_thing_that_shows_its_inside_is_named() {
    let scene = scene("brushed.gltf");
    let turned = ParametricFault::InsideOut { node: node(&scene, "satin pillar") as u32, primitive: None };
    let diagnosis = diagnose(&scene, Moment::Rest, &scene, turned);
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
    assert_eq!(diagnosis.best().next(), Some(Cause::from(turned)), "{diagnosis}");
    assert_eq!(stage_and_node(&diagnosis), (Some(Stage::Visibility), "`satin pillar`"), "{diagnosis}");
}

/// From below the ground is not seen, unless it is turned round: then it is seen, and not what it hides.
#[test]
fn what_should_be_seen_nowhere_is_named_where_it_is() {
    let scene = scene("brushed.gltf");
    let turned = ParametricFault::InsideOut { node: node(&scene, "ground") as u32, primitive: None };
    let below = CameraSettings { eye: Some(DVec3::new(0.5, -3.0, 4.0)), ..CameraSettings::default() };
    let diagnosis = diagnose_from(below, (&scene, Moment::Rest), &scene, turned);
    let mut causes = diagnosis.likely().flat_map(|finding| finding.causes());
    assert!(causes.any(|cause| cause == Cause::from(turned)), "{diagnosis}");
    assert_eq!(stage_and_node(&diagnosis), (Some(Stage::Visibility), "`ground`"), "{diagnosis}");
}

#[test]
fn normals_that_point_inwards_are_named_and_what_has_two_sides_may_be_turned_as_well() {
    let mut scene = scene("brushed.gltf");
    let ball = node(&scene, "gold ball");
    let reversed = ParametricFault::NormalsReversed { node: ball as u32, primitive: None };
    let diagnosis = diagnose(&scene, Moment::Rest, &scene, reversed);
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
    assert_eq!(diagnosis.best().next(), Some(Cause::from(reversed)), "{diagnosis}");
    assert_eq!(stage_and_node(&diagnosis), (Some(Stage::Light), "`gold ball`"), "{diagnosis}");

    let mesh = scene.nodes[ball].mesh.expect("it is drawn");
    let material = scene.meshes[mesh].primitives[0].material;
    scene.materials[material].double_sided = true;
    let diagnosis = diagnose(&scene, Moment::Rest, &scene, reversed);
    assert_eq!(diagnosis.conclusion, Conclusion::OneOfThese, "{diagnosis}");
    let mut causes: Vec<String> = diagnosis.best().map(|cause| cause.to_string()).collect();
    causes.sort();
    assert_eq!(causes, [format!("inside-out node {ball}"), format!("normals-reversed node {ball}")], "{diagnosis}");
    assert_eq!(stage_and_node(&diagnosis), (Some(Stage::Light), "`gold ball`"), "{diagnosis}");
}

/// A smaller one is no hidden one: its rest is seen, and from the right side. The posts' meshes are about their foot, the fault's factor
/// is about their middle.
#[test]
fn a_thing_that_has_shrunk_is_not_called_hidden() {
    let scene = scene("lamps.gltf");
    let post = node(&scene, "post 4");
    let mut read = scene.clone();
    let mut mesh = scene.meshes[scene.nodes[post].mesh.expect("it is drawn")].clone();
    for position in mesh.primitives.iter_mut().flat_map(|own| &mut own.positions) {
        *position = (0.67 * Vec3::from(*position)).into();
    }
    read.nodes[post].mesh = Some(read.meshes.len());
    read.meshes.push(mesh);
    let diagnosis = diagnose(&scene, Moment::Rest, &read, Faults::default());
    let (stage, name) = stage_and_node(&diagnosis);
    assert!(matches!(stage, Some(Stage::Geometry | Stage::Coverage)) && name == "`post 4`", "{diagnosis}");
    assert!(diagnosis.best().all(|cause| matches!(cause, Cause::Parametric(ParametricFault::NodeMoved { .. }))));
}

/// Of two materials one is looked up elsewhere: no backend as a whole does that, and its pixels look as if one did.
#[test]
fn what_the_only_thing_that_is_wrong_looks_like_is_told() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut read = scene.clone();
    let suit = scene.materials.iter().position(|own| own.name.as_deref() == Some("Suit")).expect("it is dressed");
    let primitives = read.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
    for at in primitives.filter(|own| own.material == suit).flat_map(|own| own.texcoords.iter_mut().flatten()) {
        *at = [at[0] + 0.23, at[1] - 0.11];
    }
    let diagnosis = diagnose(&scene, Moment::Rest, &read, Faults::default());
    assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    let likeness = place.likeness.as_ref().unwrap_or_else(|| panic!("{diagnosis}"));
    assert_eq!(
        (place.stage, likeness.of.as_str()),
        (Some(Stage::TextureCoordinates), "material `Suit`"),
        "{diagnosis}"
    );
    assert!(diagnosis.to_string().contains("looks as if it alone were drawn with texcoords-moved"), "{diagnosis}");
}

/// Bumps are hollows, and surfaces smoother than the file has them: by maps both change from texel to texel, as textures do.
#[test]
fn light_that_maps_turn_is_not_called_another_place() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut read = scene.clone();
    for material in &mut read.materials {
        (material.normal_scale, material.roughness_factor) =
            (-0.6 * material.normal_scale, 0.6 * material.roughness_factor);
    }
    let seen = (&scene, Moment::Rest);
    let diagnosis = diagnose_in(ShadingMode::Lit, CameraSettings::default(), seen, (&read, Faults::default()));
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    assert!(matches!(place.stage, None | Some(Stage::Light | Stage::Colour)), "{diagnosis}");
}

/// What hangs on it weighs more in many of the pixels that are wrong. 0.5 radians are 28.65 degrees.
#[test]
fn a_joint_whose_matrix_is_wrong_is_named() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let moment = Moment::Clip { animation: scene.find_animation("Walk").expect("it walks"), seconds: 0.3 };
    let mut read = scene.clone();
    let head = node(&scene, "head");
    let place = scene.skins[0].joints.iter().position(|joint| *joint == head).expect("a joint");
    let matrix = &mut read.skins[0].inverse_bind_matrices[place];
    *matrix = Mat4::from_rotation_y(0.5) * *matrix;
    let diagnosis = diagnose(&scene, moment, &read, Faults::default());
    assert_eq!(diagnosis.conclusion, Conclusion::Named, "{diagnosis}");
    let Some(Cause::Parametric(ParametricFault::JointTurned { joint, by })) = diagnosis.best().next() else {
        panic!("{diagnosis}");
    };
    assert_eq!(usize::from(joint), place, "{diagnosis}");
    let apart = std::iter::zip(by, [0.0, 28.65, 0.0]).map(|(one, other): (f32, f32)| (one - other).abs());
    assert!(apart.fold(0.0, f32::max) < 2.0, "{diagnosis}");
    let place = diagnosis.place.as_ref().expect("a wrong picture has a place");
    assert_eq!((place.stage, place.joints[0].name.as_str()), (Some(Stage::Geometry), "`head`"), "{diagnosis}");
}
