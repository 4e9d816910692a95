//! The traps of skinning: what real renderers got wrong, one test each, named after the seeded fault.
//!
//! Every scene is tiny and every expected value is worked out here by hand. Where it is cheap, a test also shows what
//! the mistake would give, and that it is far away. The traps that are about reading a file are tested with the
//! loader.

use std::num::NonZeroUsize;

use crate::support::{
    assert_far, assert_near, deform, deform_with, moved, node, quarter_turns, scaled, skinned, unit, vertex,
};
use glam::{Mat4, Quat, Vec3};
use refrast::{
    animation::Pose,
    scene::{Node, Primitive, Scene},
    simd::SimdLevel,
    skinning::{
        Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningError, SkinningMethod,
    },
};

const UP: [f32; 3] = [0.0, 0.0, 1.0];

#[test]
fn skinned_node_transform_applied() {
    let scene = skinned(vec![moved(1.0, 0.0, 0.0)], moved(0.0, 100.0, 0.0), vertex([0.0, 0.0, 2.0], UP, &[(0, 1.0)]));
    assert_eq!(deform(&scene).position(0), [1.0, 0.0, 2.0]);
}

#[test]
fn inverse_bind_recomputed() {
    // The joint stands at x = 5 at rest, but the file says that it was bound at x = 3: at rest the mesh is moved by 2.
    let mut scene = skinned(vec![moved(5.0, 0.0, 0.0)], Node::default(), vertex([1.0, 0.0, 0.0], UP, &[(0, 1.0)]));
    scene.skins[0].inverse_bind_matrices = vec![Mat4::from_translation(Vec3::new(-3.0, 0.0, 0.0))];
    assert_eq!(deform(&scene).position(0), [3.0, 0.0, 0.0]);
}

#[test]
fn non_joint_ancestor_dropped() {
    // The joint's parent and grandparent are no joints, and the skin's skeleton names the parent as its root.
    let joint = Node { parent: Some(1), ..moved(1.0, 0.0, 0.0) };
    let parent = Node { parent: Some(2), ..scaled(2.0, 2.0, 2.0) };
    let primitive = vertex([1.0, 0.0, 0.0], UP, &[(0, 1.0)]);
    let mut scene = skinned(vec![joint, parent, moved(0.0, 10.0, 0.0)], Node::default(), primitive);
    scene.skins[0].joints = vec![0];
    scene.skins[0].inverse_bind_matrices.truncate(1);
    scene.skins[0].skeleton = Some(1);
    assert_eq!(deform(&scene).position(0), [4.0, 10.0, 0.0]);
}

#[test]
fn joints_1_ignored() {
    let influences: Vec<(u16, f32)> = (0..8).map(|joint| (joint, 0.125)).collect();
    let joints = (0..8).map(|joint| moved((1 << joint) as f32, 0.0, 0.0)).collect();
    let scene = skinned(joints, Node::default(), vertex([0.0; 3], UP, &influences));
    // (1 + 2 + 4 + … + 128) / 8; the first set alone would give 15/8 or, rescaled, 15/4.
    assert_eq!(deform(&scene).position(0), [255.0 / 8.0, 0.0, 0.0]);
}

#[test]
fn last_weight_reconstructed() {
    // Weights that sum to 1/2 on purpose: 1 − sum in place of the last one would move the vertex by 6, not by 2.
    let joints = vec![moved(4.0, 0.0, 0.0), moved(8.0, 0.0, 0.0)];
    let scene = skinned(joints, Node::default(), vertex([0.0; 3], UP, &[(0, 0.25), (1, 0.125)]));
    assert_eq!(deform(&scene).position(0), [2.0, 0.0, 0.0]);
}

#[test]
fn joint_index_off_by_one() {
    let joints: Vec<Node> = (0..5).map(|joint| moved(10.0 * joint as f32, 0.0, 0.0)).collect();
    for joint in 0..5 {
        let scene = skinned(joints.clone(), Node::default(), vertex([0.0; 3], UP, &[(joint, 1.0)]));
        assert_eq!(deform(&scene).position(0), [10.0 * f32::from(joint), 0.0, 0.0]);
    }
}

#[test]
fn joint_index_beyond_the_palette_is_an_error() {
    let primitive = PreparedPrimitive::new(&vertex([0.0; 3], UP, &[(2, 1.0)]));
    let palette = Palette::from_matrices(&[Mat4::IDENTITY; 2]);
    let deformation = Deformation {
        primitive: &primitive,
        placement: Placement::Skin(&palette),
        morph_weights: &[],
        method: SkinningMethod::default(),
        normals: NormalMode::default(),
        level: SimdLevel::best(),
    };
    let result = deformation.run(&mut DeformedVertices::default());
    assert_eq!(result, Err(SkinningError::NoSuchJoint { joint: 2, count: 2 }));
}

#[test]
fn joint_palette_stale() {
    // The same buffers serve one frame after the other; nothing of the frame before may stay.
    let mut scene = skinned(vec![moved(1.0, 0.0, 0.0)], Node::default(), vertex([0.0; 3], UP, &[(0, 1.0)]));
    let primitive = PreparedPrimitive::new(&scene.meshes[0].primitives[0]);
    let (mut pose, mut palette, mut output) = (Pose::default(), Palette::default(), DeformedVertices::default());
    for x in [1.0, 2.0, 3.0] {
        scene.nodes[0] = moved(x, 0.0, 0.0);
        pose.rest_into(&scene);
        palette.set_skin(&scene.skins[0], &pose);
        let deformation = Deformation {
            primitive: &primitive,
            placement: Placement::Skin(&palette),
            morph_weights: &[],
            method: SkinningMethod::default(),
            normals: NormalMode::default(),
            level: SimdLevel::best(),
        };
        deformation.run(&mut output).unwrap();
        assert_eq!(output.position(0), [x, 0.0, 0.0]);
    }
}

#[test]
fn zero_weight_joint_dereferenced() {
    // Joint 999 does not exist, and joint 1 is at no finite place: with weight 0 neither may be looked at, not even
    // where the vertex beside it has more influences.
    let joints = vec![moved(1.0, 0.0, 0.0), moved(f32::INFINITY, 0.0, 0.0), moved(3.0, 0.0, 0.0)];
    let mut primitive = vertex([0.0; 3], UP, &[(0, 1.0), (1, 0.0), (999, 0.0)]);
    let full = vertex([0.0; 3], UP, &[(0, 0.5), (2, 0.5)]);
    primitive.positions.extend(full.positions);
    primitive.normals.as_mut().unwrap().extend(full.normals.unwrap());
    let influences = primitive.influences.as_mut().unwrap();
    influences.joints.extend(full.influences.as_ref().unwrap().joints.iter());
    influences.weights.extend(full.influences.unwrap().weights);
    let deformed = deform(&skinned(joints, Node::default(), primitive));
    assert_eq!(deformed.position(0), [1.0, 0.0, 0.0]);
    assert_eq!(deformed.position(1), [2.0, 0.0, 0.0]);
}

#[test]
fn a_followed_joint_that_is_nowhere_is_an_error() {
    let joints = vec![moved(1.0, 0.0, 0.0), moved(f32::NAN, 0.0, 0.0)];
    let scene = skinned(joints, Node::default(), vertex([0.0; 3], UP, &[(0, 0.5), (1, 0.5)]));
    let palette = Palette::of_skin(&scene.skins[0], &Pose::rest(&scene));
    let deformation = Deformation {
        primitive: &PreparedPrimitive::new(&scene.meshes[0].primitives[0]),
        placement: Placement::Skin(&palette),
        morph_weights: &[],
        method: SkinningMethod::default(),
        normals: NormalMode::default(),
        level: SimdLevel::best(),
    };
    let result = deformation.run(&mut DeformedVertices::default());
    assert_eq!(result, Err(SkinningError::NotFinite { joint: 1 }));
}

#[test]
fn shared_mesh_second_skin() {
    let mut scene =
        skinned(vec![moved(1.0, 0.0, 0.0), moved(7.0, 0.0, 0.0)], Node::default(), vertex([0.0; 3], UP, &[(0, 1.0)]));
    let mut second = scene.skins[0].clone();
    second.joints.reverse();
    scene.skins.push(second);
    assert_eq!(deform(&scene).position(0), [1.0, 0.0, 0.0]);
    scene.nodes[2].skin = Some(1);
    assert_eq!(deform(&scene).position(0), [7.0, 0.0, 0.0]);
}

/// A joint that turns +x to +y and stands at x = 10, bound at z = −1 with half the size.
fn bound_joint() -> (Node, Mat4) {
    let turn = Quat::from_xyzw(0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt());
    let bind = Mat4::from_scale_rotation_translation(Vec3::splat(0.5), Quat::IDENTITY, Vec3::new(0.0, 0.0, 1.0));
    (node(Vec3::new(10.0, 0.0, 0.0), turn, Vec3::ONE), bind)
}

#[test]
fn matrix_transposed() {
    let (joint, bind) = bound_joint();
    let mut scene = skinned(vec![joint], Node::default(), vertex([2.0, 4.0, 6.0], UP, &[(0, 1.0)]));
    scene.skins[0].inverse_bind_matrices = vec![bind];
    // Bound: (1, 2, 4). Turned: (−2, 1, 4). Moved: (8, 1, 4). With rows for columns the turn goes the other way and
    // the translation is lost: (2, −1, 3).
    let position = deform(&scene).position(0);
    assert_near(position, [8.0, 1.0, 4.0], 1e-6);
    assert_far(position, [2.0, -1.0, 3.0], 1.0);
}

#[test]
fn matrix_order_swapped() {
    let (joint, bind) = bound_joint();
    let mut scene = skinned(vec![joint], Node::default(), vertex([2.0, 4.0, 6.0], UP, &[(0, 1.0)]));
    scene.skins[0].inverse_bind_matrices = vec![bind];
    // World first would give: turned (−4, 2, 6), moved (6, 2, 6), bound (3, 1, 4).
    let position = deform(&scene).position(0);
    assert_near(position, [8.0, 1.0, 4.0], 1e-6);
    assert_far(position, [3.0, 1.0, 4.0], 1.0);
}

#[test]
fn normal_not_inverse_transposed() {
    // The plane x + y = 0 stretched fourfold in x is x/4 + y = 0: its normal is (1, 4, 0) / √17.
    let half = 0.5f32.sqrt();
    let scene = skinned(vec![scaled(4.0, 1.0, 1.0)], Node::default(), vertex([0.0; 3], [half, half, 0.0], &[(0, 1.0)]));
    let normal = deform(&scene).normal(0).unwrap();
    assert_near(normal, unit([1.0, 4.0, 0.0]), 1e-6);
    assert_far(normal, unit([4.0, 1.0, 0.0]), 0.5);
    // Asked for by name, the rotation-only form is what it says.
    let rotated = deform_with(&scene, &Pose::rest(&scene), NormalMode::RotationOnly).normal(0).unwrap();
    assert_near(rotated, unit([4.0, 1.0, 0.0]), 1e-6);
}

#[test]
fn normal_inverse_transpose_per_joint() {
    // Blended: scale (2.5, 1, 1), so the normal is (1/2.5, 1, 0) at unit length. Each joint's inverse transpose
    // blended would be ((1 + 1/4)/2, 1, 0) = (0.625, 1, 0).
    let half = 0.5f32.sqrt();
    let scene = skinned(
        vec![scaled(1.0, 1.0, 1.0), scaled(4.0, 1.0, 1.0)],
        Node::default(),
        vertex([0.0; 3], [half, half, 0.0], &[(0, 0.5), (1, 0.5)]),
    );
    let normal = deform(&scene).normal(0).unwrap();
    assert_near(normal, unit([0.4, 1.0, 0.0]), 1e-6);
    assert_far(normal, unit([0.625, 1.0, 0.0]), 0.1);
}

#[test]
fn normal_not_renormalised() {
    // Half of no turn and half of a quarter turn about z take x to (1/2, 1/2, 0), which has length √½.
    let scene = skinned(
        vec![quarter_turns(0), quarter_turns(1)],
        Node::default(),
        vertex([0.0; 3], [1.0, 0.0, 0.0], &[(0, 0.5), (1, 0.5)]),
    );
    for mode in [NormalMode::InverseTranspose, NormalMode::RotationOnly] {
        let normal = deform_with(&scene, &Pose::rest(&scene), mode).normal(0).unwrap();
        assert_near(normal, unit([1.0, 1.0, 0.0]), 1e-6);
        assert_far(normal, [0.5, 0.5, 0.0], 0.2);
    }
}

#[test]
fn normal_flipped_by_negative_scale() {
    // A mirror at the plane x = 0: the outward normal of (1, 1, 0) becomes that of (−1, 1, 0); the cofactor matrix
    // without the determinant's sign would turn it inward.
    let half = 0.5f32.sqrt();
    let scene =
        skinned(vec![scaled(-1.0, 1.0, 1.0)], Node::default(), vertex([0.0; 3], [half, half, 0.0], &[(0, 1.0)]));
    let normal = deform(&scene).normal(0).unwrap();
    assert_near(normal, unit([-1.0, 1.0, 0.0]), 1e-6);
    assert_far(normal, unit([1.0, -1.0, 0.0]), 1.0);
}

#[test]
fn normal_at_determinant_zero() {
    // Flattened to the plane z = 0: every surface in it has the normal ±z, by the cofactor matrix alone.
    let scene = skinned(
        vec![scaled(2.0, 3.0, 0.0)],
        Node::default(),
        vertex([0.0; 3], unit([1.0, 2.0, 2.0]).map(|x| x as f32), &[(0, 1.0)]),
    );
    assert_near(deform(&scene).normal(0).unwrap(), [0.0, 0.0, 1.0], 1e-6);
    // Scaled to a point there is no normal: zero, not NaN.
    let scene = skinned(vec![scaled(0.0, 0.0, 0.0)], Node::default(), vertex([0.0; 3], UP, &[(0, 1.0)]));
    assert_eq!(deform(&scene).normal(0).unwrap(), [0.0; 3]);
    // The smallest scale that matters keeps its normal: the cofactors are 10^-20, their squares no f32.
    let scene = skinned(vec![scaled(1e-10, 1e-10, 1e-10)], Node::default(), vertex([0.0; 3], UP, &[(0, 1.0)]));
    assert_near(deform(&scene).normal(0).unwrap(), [0.0, 0.0, 1.0], 1e-6);
    // And so does the largest: the cofactors are 2.25 · 10^38, more than 2^127.
    let scene = skinned(vec![scaled(1.5e19, 1.5e19, 1.5e19)], Node::default(), vertex([0.0; 3], UP, &[(0, 1.0)]));
    assert_near(deform(&scene).normal(0).unwrap(), [0.0, 0.0, 1.0], 1e-6);
}

#[test]
fn tangent_is_orthonormal_and_its_handedness_follows_the_mirror() {
    // N = z, T = x, w = 1: the bitangent cross(N, T)·w is y. Sheared by x += z the surface's tangent is x still, and
    // its normal, at right angles to x and y, is z. Mirrored in x the tangent is −x and the bitangent must stay y:
    // cross(z, −x) = −y, so w turns to −1.
    let mut primitive = vertex([0.0; 3], UP, &[(0, 1.0)]);
    primitive.tangents = Some(vec![[0.8, 0.0, 0.6, 1.0]]);
    let scene = skinned(vec![scaled(3.0, 1.0, 1.0)], Node::default(), primitive.clone());
    assert_near(deform(&scene).tangent(0).unwrap(), [1.0, 0.0, 0.0, 1.0], 1e-6);
    let scene = skinned(vec![scaled(-1.0, 1.0, 1.0)], Node::default(), primitive);
    assert_near(deform(&scene).tangent(0).unwrap(), [-1.0, 0.0, 0.0, -1.0], 1e-6);
}

#[test]
fn winding_not_flipped() {
    let primitive = || vertex([0.0; 3], UP, &[(0, 0.75), (1, 0.25)]);
    let joints = |x: f32, y: f32| vec![scaled(x, 1.0, 1.0), scaled(1.0, y, 1.0)];
    let mirrored = |joints, drawing| deform(&skinned(joints, drawing, primitive())).mirrored();
    assert!(!mirrored(joints(1.0, 1.0), Node::default()));
    assert!(mirrored(joints(-1.0, -1.0), Node::default()));
    // The joints that carry the most decide, and the skinned node's own transform does not.
    assert!(mirrored(joints(-1.0, 1.0), Node::default()));
    assert!(!mirrored(joints(1.0, -1.0), Node::default()));
    assert!(!mirrored(joints(1.0, 1.0), scaled(-1.0, 1.0, 1.0)));
    // An unskinned node decides by itself; two mirrors are none.
    for (scale, expected) in [([-1.0, 1.0, 1.0], true), ([-1.0, -1.0, 1.0], false), ([-1.0, -1.0, -1.0], true)] {
        let mut scene = skinned(joints(1.0, 1.0), scaled(scale[0], scale[1], scale[2]), primitive());
        scene.nodes[2].skin = None;
        assert_eq!(deform(&scene).mirrored(), expected, "{scale:?}");
    }
}

#[test]
fn unskinned_mesh_is_placed_by_its_node() {
    let parent = scaled(2.0, 2.0, 2.0);
    let drawing = Node { parent: Some(0), ..moved(1.0, 2.0, 3.0) };
    let primitive = Primitive { influences: None, ..vertex([1.0, 1.0, 1.0], UP, &[]) };
    let mut scene = skinned(vec![parent], drawing, primitive);
    scene.nodes[1].skin = None;
    let deformed = deform(&scene);
    assert_eq!(deformed.position(0), [4.0, 6.0, 8.0]);
    assert_eq!(deformed.normal(0).unwrap(), [0.0, 0.0, 1.0]);
    // Stretched fourfold in x the plane x + y = 0 has the normal (1, 4, 0), joint by joint too, where there is but one.
    let half = 0.5f32.sqrt();
    let primitive = Primitive { influences: None, ..vertex([0.0; 3], [half, half, 0.0], &[]) };
    let mut scene = skinned(vec![], scaled(4.0, 1.0, 1.0), primitive);
    scene.nodes[0].skin = None;
    for mode in [NormalMode::InverseTranspose, NormalMode::PerJoint] {
        let normal = deform_with(&scene, &Pose::rest(&scene), mode).normal(0).unwrap();
        assert_near(normal, unit([1.0, 4.0, 0.0]), 1e-6);
    }
}

#[test]
fn flat_normals_are_those_of_the_deformed_faces() {
    // A triangle in z = 0, its third vertex carried up to z = 1: cross((1,0,0), (0,1,1)) = (0, −1, 1).
    let mut primitive = vertex([0.0; 3], UP, &[(0, 1.0)]);
    primitive.indices = vec![0, 1, 2];
    primitive.positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    primitive.normals = None;
    primitive.flat = true;
    primitive.tangents = Some(vec![[1.0, 1.0, 0.0, 1.0]; 3]);
    let influences = primitive.influences.as_mut().unwrap();
    influences.joints = [[0; 4], [0; 4], [1, 0, 0, 0]].concat();
    influences.weights = [1.0, 0.0, 0.0, 0.0].repeat(3);
    let scene = skinned(vec![moved(0.0, 0.0, 0.0), moved(0.0, 0.0, 1.0)], Node::default(), primitive.clone());
    let deformed = deform(&scene);
    for vertex in 0..3 {
        assert_near(deformed.normal(vertex).unwrap(), unit([0.0, -1.0, 1.0]), 1e-6);
        // (1, 1, 0) less its part along the normal, which is (0, 1/2, −1/2).
        let [x, y, z] = unit([1.0, 0.5, 0.5]);
        assert_near(deformed.tangent(vertex).unwrap(), [x, y, z, 1.0], 1e-6);
    }
    // Mirrored in x, the face runs the other way, but its normal points to the same side.
    let scene = skinned(vec![scaled(-1.0, 1.0, 1.0), scaled(-1.0, 1.0, 1.0)], Node::default(), primitive);
    assert_near(deform(&scene).normal(0).unwrap(), [0.0, 0.0, 1.0], 1e-6);
}

/// The position of the only vertex of what the last node draws, by a method.
fn position_by(scene: &Scene, method: SkinningMethod) -> [f32; 3] {
    let pose = Pose::rest(scene);
    let palette = Palette::of_skin(&scene.skins[0], &pose);
    let deformation = Deformation {
        primitive: &PreparedPrimitive::new(&scene.meshes[0].primitives[0]),
        placement: Placement::Skin(&palette),
        morph_weights: &[],
        method,
        normals: NormalMode::default(),
        level: SimdLevel::best(),
    };
    let mut output = DeformedVertices::default();
    deformation.run(&mut output).unwrap();
    output.position(0)
}

/// A node turned about z.
fn turned(degrees: f32, translation: Vec3, scale: f32) -> Node {
    node(translation, Quat::from_rotation_z(degrees.to_radians()), Vec3::splat(scale))
}

#[test]
fn influences_truncated_unscaled() {
    let joints = vec![moved(3.0, 0.0, 0.0), moved(0.0, 6.0, 0.0), moved(0.0, 0.0, 9.0)];
    let primitive = vertex([0.0; 3], UP, &[(1, 0.25), (0, 0.5), (2, 0.25)]);
    let scene = skinned(joints, Node::default(), primitive);
    let palette = Palette::of_skin(&scene.skins[0], &Pose::rest(&scene));
    let deformation = |primitive| Deformation {
        primitive,
        placement: Placement::Skin(&palette),
        morph_weights: &[],
        method: SkinningMethod::default(),
        normals: NormalMode::default(),
        level: SimdLevel::best(),
    };
    // The two heaviest are 1/2 and, of the two that weigh 1/4, the first: 2/3 and 1/3 when rescaled.
    let two = PreparedPrimitive::limited(&scene.meshes[0].primitives[0], NonZeroUsize::new(2).unwrap());
    let mut output = DeformedVertices::default();
    deformation(&two).run(&mut output).unwrap();
    assert_near(output.position(0), [2.0, 2.0, 0.0], 1e-6);
    assert_far(output.position(0), [1.5, 1.5, 0.0], 0.5);
}

#[test]
fn weights_l2_normalised() {
    // Of 9/16, 3/16 and 4/16 the two heaviest stay. Both follow joint 0, so that their rescaled weights, 9/13 and 4/13,
    // show their sum; divided by their length, √97/16, they would carry the vertex too far.
    let joints = vec![moved(4.0, 0.0, 0.0), moved(0.0, 4.0, 0.0)];
    let primitive = vertex([0.0; 3], UP, &[(0, 0.5625), (1, 0.1875), (0, 0.25)]);
    let scene = skinned(joints, Node::default(), primitive);
    let palette = Palette::of_skin(&scene.skins[0], &Pose::rest(&scene));
    let two = PreparedPrimitive::limited(&scene.meshes[0].primitives[0], NonZeroUsize::new(2).unwrap());
    let deformation = Deformation {
        primitive: &two,
        placement: Placement::Skin(&palette),
        morph_weights: &[],
        method: SkinningMethod::default(),
        normals: NormalMode::default(),
        level: SimdLevel::best(),
    };
    let mut output = DeformedVertices::default();
    deformation.run(&mut output).unwrap();
    assert_near(output.position(0), [4.0, 0.0, 0.0], 1e-6);
    assert_far(output.position(0), [4.0 * 13.0 / 97f64.sqrt(), 0.0, 0.0], 1.0);
}

#[test]
fn weights_applied_before_bind() {
    // The lower arm is bound at x = 1 and turned there by a quarter. The vertex (1, 1, 0) is half the upper arm's,
    // which leaves it, and half the lower arm's: bound (0, 1, 0), turned (−1, 0, 0), moved back (0, 0, 0).
    let lower = node(Vec3::X, Quat::from_xyzw(0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt()), Vec3::ONE);
    let primitive = vertex([1.0, 1.0, 0.0], UP, &[(0, 0.5), (1, 0.5)]);
    let mut scene = skinned(vec![moved(0.0, 0.0, 0.0), lower], Node::default(), primitive);
    scene.skins[0].inverse_bind_matrices[1] = Mat4::from_translation(Vec3::new(-1.0, 0.0, 0.0));
    let expected = [0.5, 0.5, 0.0];
    // The mean of the bound positions is (½, 1, 0); the mean of the joints is half a turn of ½, and ½ along x.
    let mistake = [0.25 - 0.5 + 0.5, 0.25 + 0.5, 0.0];
    for method in [
        SkinningMethod::Linear,
        SkinningMethod::LinearPerJoint,
        SkinningMethod::VertexOffset,
        SkinningMethod::BoneOffset,
    ] {
        assert_near(position_by(&scene, method), expected, 1e-6);
        assert_far(position_by(&scene, method), mistake, 0.3);
    }
    assert_near(position_by(&scene, SkinningMethod::WeightsBeforeBind), mistake, 1e-6);
}

#[test]
fn dual_quaternion_antipodal() {
    // Half of 170° and half of −170° is 180°, not 0°: the quaternions of the two have a negative dot product.
    let joints = vec![turned(170.0, Vec3::ZERO, 1.0), turned(-170.0, Vec3::ZERO, 1.0)];
    let scene = skinned(joints, Node::default(), vertex([1.0, 0.0, 0.0], UP, &[(0, 0.5), (1, 0.5)]));
    let position = position_by(&scene, SkinningMethod::DualQuaternion);
    assert_near(position, [-1.0, 0.0, 0.0], 1e-6);
    assert_far(position, [1.0, 0.0, 0.0], 1.0);
}

#[test]
fn dual_quaternion_dual_part_unscaled() {
    // Both joints stand at x = 10, one turned by 90°: halfway is 45°, and still at x = 10. The mean of the two real
    // parts has the length cos 22.5°; a dual part that is not divided by it would stand at 10·cos 22.5°.
    let joints = vec![turned(0.0, Vec3::X * 10.0, 1.0), turned(90.0, Vec3::X * 10.0, 1.0)];
    let scene = skinned(joints, Node::default(), vertex([1.0, 0.0, 0.0], UP, &[(0, 0.5), (1, 0.5)]));
    let position = position_by(&scene, SkinningMethod::DualQuaternion);
    let half = 0.5f64.sqrt();
    assert_near(position, [10.0 + half, half, 0.0], 1e-5);
    assert_far(position, [10.0 * libm::cos(22.5f64.to_radians()) + half, half, 0.0], 0.5);
}

#[test]
fn dual_quaternion_scale_lost() {
    // Scales of 1 and 3 blend to 2 before the turns of 0° and 90° blend to 45°.
    let joints = vec![turned(0.0, Vec3::ZERO, 1.0), turned(90.0, Vec3::ZERO, 3.0)];
    let scene = skinned(joints, Node::default(), vertex([1.0, 0.0, 0.0], UP, &[(0, 0.5), (1, 0.5)]));
    let position = position_by(&scene, SkinningMethod::DualQuaternion);
    let half = 0.5f64.sqrt();
    assert_near(position, [2.0 * half, 2.0 * half, 0.0], 1e-5);
    assert_far(position, [half, half, 0.0], 0.5);
}

#[test]
fn rigid_follows_the_heaviest_joint() {
    let joints = vec![moved(1.0, 0.0, 0.0), moved(2.0, 0.0, 0.0), moved(3.0, 0.0, 0.0)];
    let scene = skinned(joints, Node::default(), vertex([0.0; 3], UP, &[(0, 0.25), (1, 0.375), (2, 0.375)]));
    assert_eq!(position_by(&scene, SkinningMethod::Rigid), [2.0, 0.0, 0.0]);
}
