//! Nodes, draw order, morph weights of nodes.

use glam::{Mat4, quat, vec3};
use serde_json::json;

use super::file_builder::FileBuilder;
use refrast_scene::{SceneError, Transform};

fn forest(nodes: serde_json::Value) -> FileBuilder {
    let mut file = FileBuilder::new();
    file.json["nodes"] = nodes;
    file
}

#[test]
fn draw_order_is_depth_first_over_the_default_scene() {
    let mut file = forest(json!([{"children": [3, 2]}, {"children": [4]}, {}, {"children": [5]}, {}, {}]));
    // No scenes: all roots.
    assert_eq!(file.load().unwrap().drawn, [0, 3, 5, 2, 1, 4]);
    file.json["scenes"] = json!([{"nodes": [1]}, {"nodes": [1, 0]}, {}]);
    // No default scene: scene 0.
    assert_eq!(file.load().unwrap().drawn, [1, 4]);
    file.json["scene"] = json!(1);
    let scene = file.load().unwrap();
    assert_eq!(scene.drawn, [1, 4, 0, 3, 5, 2]);
    file.json["scene"] = json!(2);
    assert!(file.load().unwrap().drawn.is_empty());

    assert_eq!(scene.nodes[5].parent, Some(3));
    let place = |node| scene.parents_first.iter().position(|other| *other == node).unwrap();
    assert_eq!(scene.parents_first.len(), 6);
    assert!((0..6).all(|node| scene.nodes[node].parent.is_none_or(|parent| place(parent) < place(node))));
}

#[test]
fn cycles_and_second_parents_are_named() {
    let message = |nodes| forest(nodes).error();
    let cycle = message(json!([{}, {"children": [2]}, {"children": [3]}, {"children": [2]}]));
    assert!(cycle.contains("node 2 has two parents: 1 and 3"), "{cycle}");
    let cycle = message(json!([{}, {"children": [2]}, {"children": [1, 3]}, {}]));
    assert!(cycle.contains("test.gltf: nodes[1].children: node 1 is its own ancestor"), "{cycle}");
    let own = message(json!([{"children": [0]}]));
    assert!(own.contains("node 0 is its own ancestor"), "{own}");
    let twice = message(json!([{"children": [1, 1]}, {}]));
    assert!(twice.contains("node 1 has two parents"), "{twice}");
}

#[test]
fn a_very_deep_hierarchy_needs_no_stack() {
    let count = 50_000;
    let node = |index: usize| if index + 1 < count { json!({"children": [index + 1]}) } else { json!({}) };
    let scene = forest((0..count).map(node).collect()).load().unwrap();
    assert_eq!(scene.drawn.len(), count);
    assert_eq!(scene.parents_first.last(), Some(&(count - 1)));
}

#[test]
fn what_a_scene_lists_is_drawn_once() {
    // 0 → 1 → 2, and 3 alone.
    let mut file = forest(json!([{"children": [1]}, {"children": [2]}, {}, {}]));
    for (listed, drawn, remarks) in [
        (json!([3, 0]), &[3, 0, 1, 2][..], &[][..]),
        (json!([0, 1]), &[0, 1, 2], &["scenes[0].nodes[1]: node 1 is no root: node 0 is its parent"]),
        // The order of the list does not matter, and neither does how far above the other is.
        (json!([2, 3, 0]), &[3, 0, 1, 2], &["scenes[0].nodes[0]: node 2 is no root"]),
        // Nothing of the list draws it: it is drawn where its parents, which are not, place it.
        (json!([1, 3]), &[1, 2, 3], &["scenes[0].nodes[0]: node 1 is no root"]),
        (json!([3, 3]), &[3], &["scenes[0].nodes[1]: node 3 is listed twice"]),
    ] {
        file.json["scenes"] = json!([{"nodes": listed}]);
        let scene = file.load().unwrap();
        assert_eq!(scene.drawn, drawn, "{listed}");
        let said: Vec<String> = scene.source.remarks.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), remarks.len(), "{said:?}");
        assert!(said.iter().zip(remarks).all(|(said, start)| said.starts_with(start)), "{said:?}");
        assert!(scene.source.remarks.iter().all(|remark| remark.warns));
    }
}

#[test]
fn transforms_are_kept_as_the_file_gives_them() -> Result<(), SceneError> {
    let columns: Vec<f32> =
        (1..=16).map(|value| if value % 4 == 0 { (value / 16) as f32 } else { value as f32 }).collect();
    let file = forest(json!([
        {},
        {"matrix": columns},
        {"translation": [1, 2, 3], "rotation": [0.0, 0.6, 0.0, 0.8], "scale": [-1, 0, 2]},
    ]));
    let scene = file.load()?;
    assert_eq!(scene.nodes[0].transform, Transform::default());
    let Transform::Matrix(matrix) = scene.nodes[1].transform else { panic!("a matrix") };
    assert_eq!(matrix, Mat4::from_cols_slice(&columns));
    let expected = Transform::Decomposed {
        translation: vec3(1.0, 2.0, 3.0),
        rotation: quat(0.0, 0.6, 0.0, 0.8),
        scale: vec3(-1.0, 0.0, 2.0),
    };
    assert_eq!(scene.nodes[2].transform, expected);
    Ok(())
}

#[test]
fn node_weights_ignored() {
    let mut file = FileBuilder::triangle();
    file.primitive()["targets"] = json!([{"POSITION": 0}, {"POSITION": 0}]);
    file.json["meshes"][0]["extras"] = json!({"targetNames": ["smile", "frown"]});
    file.json["nodes"] = json!([{"mesh": 0}, {"mesh": 0, "weights": [0.25, 0.75]}]);
    let scene = file.load().unwrap();
    assert_eq!(scene.meshes[0].weights, [0.0, 0.0]);
    assert_eq!(scene.meshes[0].target_names, ["smile", "frown"]);
    assert_eq!(scene.nodes[0].weights, None);
    assert_eq!(scene.nodes[1].weights.as_deref(), Some(&[0.25, 0.75][..]));

    file.json["meshes"][0]["weights"] = json!([1.0, 0.5]);
    assert_eq!(file.load().unwrap().meshes[0].weights, [1.0, 0.5]);
    file.json["nodes"][1]["weights"] = json!([0.25]);
    let message = file.error();
    assert!(message.contains("nodes[1].weights: has 1 morph weights, but must have 2"), "{message}");
}
