//! The traps of animation: what real renderers got wrong, one test each, named after the seeded fault.
//!
//! Expected values are worked out here by hand or in f64 from the glTF specification's formulas. Where it is cheap,
//! a test also works out what the mistake would give, and that it is far away.

use crate::support::{assert_far, assert_near, deform, quarter_turns, skinned, unit, vertex};
use glam::{DQuat, DVec4, Mat4, Quat, Vec3};
use refrast::{
    animation::Pose,
    scene::{Animation, Channel, ChannelTarget, Interpolation, Mesh, MorphTarget, Node, Primitive, Scene, Transform},
};

/// One node, moved by one channel.
fn scene(target: ChannelTarget, interpolation: Interpolation, times: &[f32], values: &[f32]) -> Scene {
    let components = match target {
        ChannelTarget::Rotation => 4,
        ChannelTarget::Weights => 2,
        ChannelTarget::Translation | ChannelTarget::Scale => 3,
    };
    let channel =
        Channel { node: 0, target, interpolation, times: times.to_vec(), values: values.to_vec(), components };
    Scene {
        nodes: vec![Node::default()],
        parents_first: vec![0],
        drawn: vec![0],
        animations: vec![Animation { name: None, channels: vec![channel], duration: times[times.len() - 1] }],
        ..Scene::default()
    }
}

fn local(scene: &Scene, seconds: f32) -> Mat4 {
    Pose::sample(scene, 0, seconds).unwrap().locals[0]
}

fn translation(scene: &Scene, seconds: f32) -> Vec3 {
    local(scene, seconds).w_axis.truncate()
}

/// The node's rotation as a matrix against that of a quaternion worked out in f64.
fn assert_rotation(scene: &Scene, seconds: f32, expected: DQuat) {
    let (actual, expected) = (local(scene, seconds).to_cols_array(), glam::DMat4::from_quat(expected).to_cols_array());
    for (actual, expected) in actual.iter().zip(expected) {
        assert!((f64::from(*actual) - expected).abs() < 1e-6, "{actual} is not {expected} at {seconds} s");
    }
}

/// The file's order: x y z w.
fn about_y(degrees: f64) -> [f32; 4] {
    about_y_exactly(degrees).to_array().map(|component| component as f32)
}

fn about_y_exactly(degrees: f64) -> DQuat {
    DQuat::from_rotation_y(degrees.to_radians())
}

/// Keys at 1 s and 3 s, so that the interval is 2 s: value 0, out-tangent 3; in-tangent 5, value 10. The outer
/// tangents, 100 and 1000, must not be used.
fn spline() -> Scene {
    let key = |x: f32| [x, 0.0, 0.0];
    let values = [key(100.0), key(0.0), key(3.0), key(5.0), key(10.0), key(1000.0)].concat();
    scene(ChannelTarget::Translation, Interpolation::CubicSpline, &[1.0, 3.0], &values)
}

#[test]
fn cubic_tangent_unscaled() {
    // t = 1/4: 2t³ − 3t² + 1 = 27/32, t³ − 2t² + t = 9/64, 3t² − 2t³ = 5/32, t³ − t² = −3/64.
    let expected = 2.0 * 3.0 * (9.0 / 64.0) + 10.0 * (5.0 / 32.0) - 2.0 * 5.0 * (3.0 / 64.0);
    let unscaled = 3.0 * (9.0 / 64.0) + 10.0 * (5.0 / 32.0) - 5.0 * (3.0 / 64.0);
    let actual = translation(&spline(), 1.5).x;
    assert!((actual - expected).abs() < 1e-6, "{actual} is not {expected}");
    assert!((actual - unscaled).abs() > 0.1);
}

#[test]
fn cubic_tangent_index() {
    // With the in-tangent of the left key and the out-tangent of the right one the value would be far off.
    let swapped = 2.0 * 100.0 * (9.0 / 64.0) + 10.0 * (5.0 / 32.0) - 2.0 * 1000.0 * (3.0 / 64.0);
    let expected = 2.0 * 3.0 * (9.0 / 64.0) + 10.0 * (5.0 / 32.0) - 2.0 * 5.0 * (3.0 / 64.0);
    let actual = translation(&spline(), 1.5).x;
    assert!((actual - expected).abs() < 1e-6, "{actual} is not {expected}");
    assert!((actual - swapped).abs() > 10.0);
}

#[test]
fn rotation_not_normalised() {
    let (from, to) = (about_y(0.0), about_y(120.0));
    let values = [[0.0; 4], from, [0.0; 4], [0.0; 4], to, [0.0; 4]].concat();
    let scene = scene(ChannelTarget::Rotation, Interpolation::CubicSpline, &[0.0, 1.0], &values);
    // With no tangents the middle is the plain mean, which has length cos 30°; at unit length it is 60° about y.
    assert_rotation(&scene, 0.5, about_y_exactly(60.0));
    let mean = (DVec4::from(about_y_exactly(0.0)) + DVec4::from(about_y_exactly(120.0))) / 2.0;
    assert!((mean.length() - libm::cos(30f64.to_radians())).abs() < 1e-12 && mean.length() < 0.9);
}

#[test]
fn slerp_long_way() {
    // −q is the rotation of q: from 10° to 100° there are 90° to go, not 270° the other way.
    let values = [about_y(10.0), about_y(100.0).map(|component| -component)].concat();
    let scene = scene(ChannelTarget::Rotation, Interpolation::Linear, &[0.0, 1.0], &values);
    assert_rotation(&scene, 1.0 / 3.0, about_y_exactly(40.0));
    assert_rotation(&scene, 0.5, about_y_exactly(55.0));
}

#[test]
fn slerp_both_negated() {
    // Negating both operands changes nothing, so that the long way shows again; from either side.
    for (from, to) in [(10.0, 100.0), (100.0, 10.0)] {
        let values = [about_y(from).map(|component| -component), about_y(to)].concat();
        let scene = scene(ChannelTarget::Rotation, Interpolation::Linear, &[0.0, 1.0], &values);
        assert_rotation(&scene, 0.25, about_y_exactly(from + 0.25 * (to - from)));
    }
}

#[test]
fn rotation_lerped() {
    // A quarter of the way from 0° to 160° is 40°. The normalised lerp would be at 2·atan(sin 80° / (3 + cos 80°)).
    let values = [about_y(0.0), about_y(160.0)].concat();
    let scene = scene(ChannelTarget::Rotation, Interpolation::Linear, &[0.0, 1.0], &values);
    assert_rotation(&scene, 0.25, about_y_exactly(40.0));
    let (sine, cosine) = libm::sincos(80f64.to_radians());
    assert!(((2.0 * libm::atan2(sine, 3.0 + cosine)).to_degrees() - 40.0).abs() > 4.0);
}

#[test]
fn step_as_linear() {
    let values = [1.0, 0.0, 0.0, 5.0, 0.0, 0.0, 9.0, 0.0, 0.0];
    let scene = scene(ChannelTarget::Translation, Interpolation::Step, &[0.0, 1.0, 2.0], &values);
    for (seconds, x) in [(0.0, 1.0), (0.999, 1.0), (1.0, 5.0), (1.5, 5.0), (2.0, 9.0)] {
        assert_eq!(translation(&scene, seconds).x, x, "at {seconds} s");
    }
}

#[test]
fn time_not_clamped() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    for interpolation in [Interpolation::Linear, Interpolation::Step] {
        let scene = scene(ChannelTarget::Translation, interpolation, &[1.0, 2.0], &values);
        for seconds in [-1.0, 0.0, 0.999, 1.0] {
            assert_eq!(translation(&scene, seconds), Vec3::new(1.0, 2.0, 3.0), "at {seconds} s");
        }
        for seconds in [2.0, 2.001, 1e9, f32::INFINITY] {
            assert_eq!(translation(&scene, seconds), Vec3::new(4.0, 5.0, 6.0), "at {seconds} s");
        }
    }
    assert_eq!(translation(&spline(), 0.0).x, 0.0);
    assert_eq!(translation(&spline(), 4.0).x, 10.0);
}

#[test]
fn node_weights_ignored() {
    let mut scene = scene(ChannelTarget::Weights, Interpolation::Linear, &[0.0, 1.0], &[0.0, 1.0, 1.0, 0.0]);
    scene.meshes = vec![Mesh { weights: vec![0.25, 0.5], ..Mesh::default() }];
    scene.nodes = vec![
        Node { mesh: Some(0), weights: Some(vec![0.75, 1.0]), ..Node::default() },
        Node { mesh: Some(0), ..Node::default() },
        Node::default(),
    ];
    scene.parents_first = vec![0, 1, 2];
    let rest = Pose::rest(&scene);
    assert_eq!(rest.weights, [vec![0.75, 1.0], vec![0.25, 0.5], vec![]]);
    // The animation wins over the node's weights, and moves no other node of the mesh.
    let pose = Pose::sample(&scene, 0, 0.25).unwrap();
    assert_eq!(pose.weights, [vec![0.25, 0.75], vec![0.25, 0.5], vec![]]);
}

#[test]
fn transforms_are_translation_rotation_scale_and_children_follow_parents() {
    // The parent, listed after its child, turns +x to +y and doubles; the child is 1 along x and stretched in z.
    let quarter = Quat::from_xyzw(0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt());
    let node = |parent, translation, rotation, scale| Node {
        parent,
        transform: Transform::Decomposed { translation, rotation, scale },
        ..Node::default()
    };
    let scene = Scene {
        nodes: vec![
            node(Some(1), Vec3::X, Quat::IDENTITY, Vec3::new(1.0, 1.0, 3.0)),
            node(None, Vec3::new(0.0, 0.0, 5.0), quarter, Vec3::splat(2.0)),
        ],
        parents_first: vec![1, 0],
        ..Scene::default()
    };
    let world = Pose::rest(&scene).worlds[0];
    let near = |point: Vec3, expected: Vec3| {
        let actual = world.transform_point3(point);
        assert!((actual - expected).length() < 1e-6, "{actual} is not {expected}");
    };
    near(Vec3::ZERO, Vec3::new(0.0, 2.0, 5.0));
    near(Vec3::X, Vec3::new(0.0, 4.0, 5.0));
    near(Vec3::Y, Vec3::new(-2.0, 2.0, 5.0));
    near(Vec3::Z, Vec3::new(0.0, 2.0, 11.0));
}

#[test]
fn a_missing_animation_is_an_error_that_counts_the_others() {
    let scene = scene(ChannelTarget::Translation, Interpolation::Step, &[0.0], &[0.0; 3]);
    let error = Pose::sample(&scene, 3, 0.0).unwrap_err().to_string();
    assert!(error.contains("animation 3") && error.contains("index 0"), "{error}");
    assert!(Pose::sample(&scene, 0, f32::NAN).is_err());
}

/// A vertex with one target, on a joint.
fn morphing(joint: Node, target: MorphTarget, weight: f32) -> Scene {
    let primitive = Primitive { targets: vec![target], ..vertex([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], &[(0, 1.0)]) };
    let mut scene = skinned(vec![joint], Node::default(), primitive);
    scene.nodes[1].weights = Some(vec![weight]);
    scene
}

#[test]
fn morph_after_skin() {
    // Morphed to (1, 2, 0), then turned by a quarter about z: (−2, 1, 0). Skinned first: (0, 1 + 2, 0).
    let target = MorphTarget { positions: Some(vec![[0.0, 4.0, 0.0]]), ..MorphTarget::default() };
    let position = deform(&morphing(quarter_turns(1), target, 0.5)).position(0);
    assert_eq!(position, [-2.0, 1.0, 0.0]);
    assert_far(position, [0.0, 3.0, 0.0], 1.0);
}

#[test]
fn morph_normal_dropped() {
    // z + ½·(2, 0, 0) = (1, 0, 1), turned by a quarter about z: (0, 1, 1); the tangent y + ½·(0, −2, 2) = z loses its
    // part along that normal after the turn: z − (0, ½, ½) = (0, −½, ½).
    let target = MorphTarget {
        normals: Some(vec![[2.0, 0.0, 0.0]]),
        tangents: Some(vec![[0.0, -2.0, 2.0]]),
        ..MorphTarget::default()
    };
    let mut scene = morphing(quarter_turns(1), target, 0.5);
    scene.meshes[0].primitives[0].tangents = Some(vec![[0.0, 1.0, 0.0, -1.0]]);
    let deformed = deform(&scene);
    assert_near(deformed.normal(0).unwrap(), unit([0.0, 1.0, 1.0]), 1e-6);
    let [x, y, z] = unit([0.0, -1.0, 1.0]);
    assert_near(deformed.tangent(0).unwrap(), [x, y, z, -1.0], 1e-6);
    assert_eq!(deformed.position(0), [0.0, 1.0, 0.0]);
}

#[test]
fn morph_weights_need_not_sum_to_one_and_may_be_negative() {
    let target = |x: f32| MorphTarget { positions: Some(vec![[x, 0.0, 0.0]]), ..MorphTarget::default() };
    let mut scene = morphing(quarter_turns(0), target(1.0), 1.0);
    scene.meshes[0].primitives[0].targets = [1.0, 10.0, 100.0].map(target).to_vec();
    scene.nodes[1].weights = Some(vec![0.5, -1.0, 2.0]);
    assert_eq!(deform(&scene).position(0), [1.0 + 0.5 - 10.0 + 200.0, 0.0, 0.0]);
}
