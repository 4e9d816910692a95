//! Joints, weights and inverse bind matrices.

use glam::Mat4;
use serde_json::json;

use super::file_builder::FileBuilder;
use refrast_scene::{Influences, Scene};

/// A triangle under a skin of two joints (nodes 1 and 2), with the given joints and weights accessors.
fn skinned(joints: impl Fn(&mut FileBuilder) -> usize, weights: impl Fn(&mut FileBuilder) -> usize) -> FileBuilder {
    let mut file = FileBuilder::triangle();
    let (joints, weights) = (joints(&mut file), weights(&mut file));
    file.attribute("JOINTS_0", joints);
    file.attribute("WEIGHTS_0", weights);
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {}, {}]);
    file.json["skins"] = json!([{"joints": [1, 2]}]);
    file
}

/// Bytes for three vertices, the same for each.
fn thrice<const N: usize>(bytes: [u8; N]) -> Vec<u8> {
    bytes.repeat(3)
}

fn byte_joints(file: &mut FileBuilder) -> usize {
    file.accessor(5121, "VEC4", 3, &thrice([0, 1, 0, 0]))
}

fn half_weights(file: &mut FileBuilder) -> usize {
    file.floats("VEC4", &[0.5, 0.5, 0.0, 0.0].repeat(3))
}

fn influences(scene: &Scene) -> &Influences {
    scene.meshes[0].primitives[0].influences.as_ref().unwrap()
}

#[test]
fn inverse_bind_missing() {
    let mut file = skinned(byte_joints, half_weights);
    assert_eq!(file.load().unwrap().skins[0].inverse_bind_matrices, [Mat4::IDENTITY; 2]);

    // Column-major: the translation (5, 6, 7) is in elements 12 to 14.
    let mut matrices = [Mat4::IDENTITY.to_cols_array(); 2];
    matrices[1][12..15].copy_from_slice(&[5.0, 6.0, 7.0]);
    let accessor = file.floats("MAT4", matrices.as_flattened());
    file.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
    let scene = file.load().unwrap();
    assert_eq!(scene.skins[0].inverse_bind_matrices[1], Mat4::from_translation(glam::vec3(5.0, 6.0, 7.0)));

    // Fewer matrices than joints, and data that ends early, are errors and not identities.
    file.json["accessors"][accessor]["count"] = json!(1);
    assert!(file.error().contains("skins[0].inverseBindMatrices"), "{}", file.error());
    assert!(file.error().contains("has 1 inverse bind matrices, but must have 2"), "{}", file.error());
    file.json["accessors"][accessor]["count"] = json!(3);
    assert!(file.error().contains("needs 192 bytes, but only 128 are there"), "{}", file.error());
}

#[test]
fn more_matrices_than_joints_are_allowed() {
    let mut file = skinned(byte_joints, half_weights);
    let matrix = Mat4::from_scale(glam::Vec3::splat(2.0));
    // The third is not used, so that it may be anything.
    let numbers = [matrix.to_cols_array(), matrix.to_cols_array(), [2.0; 16]].concat();
    let accessor = file.floats("MAT4", &numbers);
    file.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
    assert_eq!(file.load().unwrap().skins[0].inverse_bind_matrices, [matrix; 2]);
}

#[test]
fn joints_1_ignored() {
    let mut file = skinned(byte_joints, |file| file.floats("VEC4", &[0.25, 0.25, 0.0, 0.0].repeat(3)));
    let joints = file.accessor(5121, "VEC4", 3, &thrice([1, 0, 1, 0]));
    let weights = file.floats("VEC4", &[0.125, 0.125, 0.25, 0.0].repeat(3));
    file.attribute("JOINTS_1", joints);
    file.attribute("WEIGHTS_1", weights);
    let scene = file.load().unwrap();
    let influences = influences(&scene);
    assert_eq!(influences.per_vertex, 8);
    assert_eq!(influences.joints[8..16], [0, 1, 0, 0, 1, 0, 1, 0]);
    assert_eq!(influences.weights[8..16], [0.25, 0.25, 0.0, 0.0, 0.125, 0.125, 0.25, 0.0]);
}

#[test]
fn weight_integer_scale() {
    // 51/255 = 13107/65535 = 1/5, with and without `normalized`.
    for normalized in [true, false] {
        for (component, bytes) in
            [(5121, thrice([51, 204, 0, 0])), (5123, thrice([0x33, 0x33, 0xcc, 0xcc, 0, 0, 0, 0]))]
        {
            let mut file = skinned(byte_joints, |file| file.accessor(component, "VEC4", 3, &bytes));
            let weights = file.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].as_u64().unwrap();
            file.json["accessors"][weights as usize]["normalized"] = json!(normalized);
            assert_eq!(influences(&file.load().unwrap()).weights, [0.2, 0.8, 0.0, 0.0].repeat(3));
        }
    }
}

#[test]
fn joint_index_width() {
    // As bytes these are joints 1, 0, 1, 0; read as shorts they would be joint 1 only.
    let file =
        skinned(|file| file.accessor(5121, "VEC4", 3, &thrice([1, 0, 0, 1])), |file| file.floats("VEC4", &[0.25; 12]));
    assert_eq!(influences(&file.load().unwrap()).joints, [1, 0, 0, 1].repeat(3));
    // As shorts, 0x0100 is joint 256 and not 0 and 1.
    let file = skinned(
        |file| file.accessor(5123, "VEC4", 3, &thrice([1, 0, 0, 0, 0, 1, 0, 0])),
        |file| file.floats("VEC4", &[0.25; 12]),
    );
    let message = file.error();
    assert!(message.contains("vertex 0 names joint 256, but skin 0 has 2 joints"), "{message}");
}

#[test]
fn zero_weight_joint_dereferenced() {
    let file = skinned(|file| file.accessor(5123, "VEC4", 3, &thrice([1, 0, 0, 0, 0xff, 0xff, 9, 9])), half_weights);
    assert_eq!(influences(&file.load().unwrap()).joints, [1, 0, 0, 0].repeat(3));
}

#[test]
fn shared_mesh_second_skin() {
    let mut file = skinned(byte_joints, half_weights);
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {}, {}, {"mesh": 0, "skin": 1}, {}]);
    file.json["skins"] = json!([{"joints": [1, 2]}, {"joints": [2, 4]}]);
    let scene = file.load().unwrap();
    let drawn: Vec<_> = scene.drawn.iter().map(|node| (scene.nodes[*node].mesh, scene.nodes[*node].skin)).collect();
    assert_eq!(drawn, [(Some(0), Some(0)), (None, None), (None, None), (Some(0), Some(1)), (None, None)]);
    // The second skin is checked too.
    file.json["skins"][1]["joints"] = json!([2]);
    let message = file.error();
    assert!(message.contains("nodes[3]") && message.contains("skin 1 has 1 joints"), "{message}");
}

#[test]
fn sets_must_come_in_pairs_and_without_gaps() {
    let mut file = skinned(byte_joints, half_weights);
    file.attribute("JOINTS_1", 2);
    assert!(file.error().contains("has 1 WEIGHTS_n sets, but must have 2"), "{}", file.error());
    file.attribute("WEIGHTS_2", 3);
    assert!(file.error().contains("WEIGHTS_1"), "{}", file.error());
}

#[test]
fn a_skinned_mesh_needs_joints() {
    let mut file = FileBuilder::triangle();
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {}]);
    file.json["skins"] = json!([{"joints": [1]}]);
    assert!(file.error().contains("JOINTS_0, which the node's skin 0 needs, is missing"), "{}", file.error());
}

#[test]
fn negative_weights_are_refused() {
    let file = skinned(byte_joints, |file| file.floats("VEC4", &[1.5, -0.5, 0.0, 0.0].repeat(3)));
    assert!(file.error().contains("vertex 0 has the negative weight -0.5"), "{}", file.error());
}
