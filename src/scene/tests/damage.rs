//! Damaged files must end in an error or a scene, never in a panic.

use std::fs;

use serde_json::json;

use super::file_builder::FileBuilder;
use refrast_scene::{LoadOptions, Scene};

/// A small file that has everything: skin, morph target, animation, sparse accessor, normal map, camera, light.
fn rich() -> Vec<u8> {
    let mut file = FileBuilder::triangle();
    let joints = file.accessor(5121, "VEC4", 3, &[0; 12]);
    let weights = file.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
    let texcoords = file.floats("VEC2", &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let indices = file.accessor(5123, "SCALAR", 4, &[0, 0, 1, 0, 2, 0, 0, 0]);
    let matrices =
        file.floats("MAT4", &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let times = file.floats("SCALAR", &[0.0, 1.0]);
    let rotations = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0].repeat(2));
    let displacements = file.floats("VEC3", &[0.5; 9]);
    let sparse_index = file.view(&[2]);
    file.json["accessors"][displacements]["sparse"] = json!({
        "count": 1,
        "indices": {"bufferView": sparse_index, "componentType": 5121},
        "values": {"bufferView": 0},
    });
    for (name, accessor) in [("JOINTS_0", joints), ("WEIGHTS_0", weights), ("TEXCOORD_0", texcoords)] {
        file.attribute(name, accessor);
    }
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 4, 4);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[77; 16]).unwrap();
    let image = file.view(&png);
    *file.primitive() = json!({
        "attributes": file.primitive()["attributes"],
        "indices": indices,
        "mode": 5,
        "material": 0,
        "targets": [{"POSITION": displacements, "NORMAL": displacements}],
    });
    file.json["images"] = json!([{"bufferView": image}]);
    file.json["textures"] = json!([{"source": 0}]);
    file.json["materials"] = json!([{"normalTexture": {"index": 0}}]);
    file.json["skins"] = json!([{"joints": [1], "inverseBindMatrices": matrices}]);
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {"children": [2]}, {"camera": 0}]);
    file.json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]);
    file.json["animations"] = json!([{
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
        "samplers": [{"input": times, "output": rotations}],
    }]);
    file.glb()
}

/// The generator of Marsaglia's xorshift paper: the same damage in every run.
fn random(state: &mut u32) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state as usize
}

#[test]
fn flipped_bytes_never_panic() {
    let original = rich();
    assert!(Scene::from_bytes(&original, "rich.glb").is_ok(), "the undamaged file loads");
    let (mut state, mut refused) = (2_463_534_242, 0);
    for round in 0..4000 {
        let mut bytes = original.clone();
        for _ in 0..=round % 4 {
            let at = random(&mut state) % bytes.len();
            // Digits for digits half of the time: the JSON stays valid and its numbers go wrong.
            bytes[at] = match (bytes[at].is_ascii_digit(), random(&mut state)) {
                (true, choice) => b'0' + (choice % 10) as u8,
                (false, choice) => choice as u8,
            };
        }
        refused += usize::from(Scene::from_bytes(&bytes, "rich.glb").is_err());
    }
    // Both ends are reached: damage that is found and damage that changes harmless data.
    assert!(refused > 1000 && refused < 4000, "{refused}");
}

#[test]
fn truncated_files_are_errors() {
    let original = rich();
    for length in 0..original.len() {
        assert!(Scene::from_bytes(&original[..length], "rich.glb").is_err(), "cut at {length}");
    }
    // The same without the container, whose length would give the cut away.
    let text = FileBuilder::triangle().gltf();
    for length in 0..text.len() {
        assert!(Scene::from_bytes(&text[..length], "triangle.gltf").is_err(), "cut at {length}");
    }
}

/// Loads a file with 16 MiB of memory, and says what is wrong with it.
fn refused(name: &str, content: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("refrast-{}-{name}", std::process::id()));
    fs::write(&path, content).unwrap();
    let loaded = Scene::load_with(&path, LoadOptions { memory: 16 << 20, ..LoadOptions::default() });
    fs::remove_file(&path).unwrap();
    loaded.expect_err("the file must be refused").to_string()
}

#[test]
fn parts_of_a_scene_are_counted_before_they_are_made() {
    let nodes = "{},".repeat(100_000);
    let json = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}{{}}]}}"#);
    assert!(refused("nodes.gltf", json.as_bytes()).contains("with this the scene needs more than 16 MiB"));
    // One file of 4 MiB, for ten buffers.
    let data = std::env::temp_dir().join(format!("refrast-{}-data.bin", std::process::id()));
    fs::write(&data, vec![0; 4 << 20]).unwrap();
    let uri = data.file_name().unwrap().to_str().unwrap();
    let buffers = vec![json!({"byteLength": 4 << 20, "uri": uri}); 10];
    let message =
        refused("buffers.gltf", json!({"asset": {"version": "2.0"}, "buffers": buffers}).to_string().as_bytes());
    fs::remove_file(&data).unwrap();
    assert!(message.contains("buffers[3].uri: with this the scene needs more than 16 MiB"), "{message}");
}

#[test]
fn what_is_no_scene_is_not_read_to_its_end() {
    let path = std::env::temp_dir().join(format!("refrast-{}-long.gltf", std::process::id()));
    for (start, expected) in
        [(&b"{"[..], "more than 1073741824 bytes"), (b"PK\x03\x04", "a ZIP archive"), (b"\0", "not valid JSON")]
    {
        fs::write(&path, start).unwrap();
        // Nothing of it is on the disk.
        fs::File::options().write(true).open(&path).unwrap().set_len(1 << 41).unwrap();
        let message = Scene::load(&path).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    fs::remove_file(&path).unwrap();
}
