//! One broken file a rule: each message must name the file, the place and the reason.

use serde_json::{Value, json};

use super::file_builder::FileBuilder;
use refrast_scene::Scene;

/// What a case does to a good file.
type Damage = fn(&mut FileBuilder);

/// Damage, the place that the message must name, and a part of the reason.
const CASES: &[(Damage, &str, &str)] = &[
    (|file| set(file, "/asset/version", json!("3.0")), "asset.version", "glTF version \"3.0\" is not 2.x"),
    (|file| set(file, "/asset", json!({})), "asset.version", "it is missing"),
    (|file| file.json["extensionsRequired"] = json!(["EXT_odd"]), "extensionsRequired[0]", "EXT_odd, which refrast"),
    (|file| file.json["scene"] = json!(1), "scene", "names scene 1, but there are only 0"),
    (|file| file.json["scenes"] = json!([{"nodes": [4]}]), "scenes[0].nodes[0]", "names node 4, but there are only 1"),
    (|file| set(file, "/nodes/0/mesh", json!(9)), "nodes[0].mesh", "names mesh 9, but there are only 1"),
    (|file| file.json["nodes"][0]["skin"] = json!(0), "nodes[0].skin", "names skin 0, but there are only 0"),
    (|file| file.json["nodes"][0]["camera"] = json!(2), "nodes[0].camera", "names camera 2"),
    (|file| file.json["nodes"][0]["children"] = json!([7]), "nodes[0].children", "names node 7"),
    (|file| file.json["nodes"][0]["rotation"] = json!([0, 0, 0, 0]), "nodes[0].rotation", "no unit quaternion"),
    (|file| file.json["nodes"][0]["translation"] = json!([0, 1e39, 0]), "nodes[0].translation", "out of range"),
    (|file| file.json["nodes"][0]["scale"] = json!([1, 1]), "nodes[0].scale", "length"),
    (
        |file| file.json["nodes"][0]["extensions"] = json!({"KHR_lights_punctual": {"light": 0}}),
        "nodes[0].extensions.KHR_lights_punctual.light",
        "names light 0",
    ),
    (|file| set(file, "/meshes/0/primitives", json!([])), "meshes[0].primitives", "a primitive is missing"),
    (|file| file.primitive()["mode"] = json!(7), "meshes[0].primitives[0].mode", "none of the values"),
    (|file| file.primitive()["mode"] = json!("four"), "meshes[0].primitives[0].mode", "invalid type"),
    (|file| file.primitive()["material"] = json!(0), "meshes[0].primitives[0].material", "names material 0"),
    (|file| file.primitive()["indices"] = json!(8), "meshes[0].primitives[0].indices", "names accessor 8"),
    (|file| file.primitive()["indices"] = json!(0), "meshes[0].primitives[0].indices", "VEC3 of FLOAT"),
    (
        // Compressed without a fallback: the accessor's data is in the extension's buffer view.
        |file| {
            file.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
            let extension = json!({"bufferView": 1, "attributes": {"POSITION": 0}});
            file.primitive()["extensions"] = json!({"EXT_packed": extension});
            file.json["extensionsUsed"] = json!(["EXT_packed"]);
        },
        "meshes[0].primitives[0].attributes.POSITION (accessors[0])",
        "extension EXT_packed, which refrast does not read",
    ),
    (
        |file| {
            file.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
            file.json["accessors"][0]["extensions"] = json!({"EXT_odd": {}});
        },
        "meshes[0].primitives[0].attributes.POSITION (accessors[0])",
        "extension EXT_odd",
    ),
    (|file| file.attribute("NORMAL", 2), "meshes[0].primitives[0].attributes.NORMAL", "names accessor 2"),
    (
        |file| {
            let two = file.floats("VEC3", &[0.0; 6]);
            file.attribute("NORMAL", two);
        },
        "meshes[0].primitives[0].attributes.NORMAL (accessors[2])",
        "has 2 elements, but must have 3",
    ),
    (
        |file| {
            let tangents = file.floats("VEC4", &[1.0, 0.0, 0.0, 0.5].repeat(3));
            file.attribute("TANGENT", tangents);
        },
        "meshes[0].primitives[0].attributes.TANGENT",
        "the handedness of vertex 0 is 0.5",
    ),
    (
        |file| {
            let texcoords = file.floats("VEC2", &[0.0; 6]);
            file.attribute("TEXCOORD_1", texcoords);
        },
        "meshes[0].primitives[0].attributes",
        "TEXCOORD_0 (the sets must be numbered",
    ),
    (
        |file| {
            let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 0.0]);
            file.attribute("POSITION", positions);
        },
        "meshes[0].primitives[0].attributes.POSITION",
        "element 1 is not finite (NaN)",
    ),
    (|file| file.json["meshes"][0]["weights"] = json!([1.0]), "meshes[0].weights", "has 1 morph weights"),
    (
        |file| file.primitive()["targets"] = json!([{"POSITION": "0"}]),
        "meshes[0].primitives[0].targets[0].POSITION",
        "invalid type",
    ),
    (
        |file| {
            let second = json!({"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]});
            let first = file.primitive().clone();
            file.json["meshes"][0]["primitives"] = json!([first, second]);
        },
        "meshes[0].primitives[1].targets",
        "has 1 morph targets, but must have 0",
    ),
    (|file| set(file, "/accessors/0/count", json!(0)), "POSITION (accessors[0])", "count must be at least 1"),
    (|file| set(file, "/accessors/0/count", json!(4)), "POSITION (accessors[0])", "needs 48 bytes, but only 36"),
    (|file| set(file, "/accessors/0/count", json!(u64::MAX)), "POSITION (accessors[0])", "needs 18446744073709551615"),
    (|file| set(file, "/accessors/0/count", json!(-1)), "accessors[0].count", "invalid value"),
    (|file| set(file, "/accessors/0/type", json!("VEC9")), "accessors[0].type", "none of the values"),
    (|file| set(file, "/accessors/0/componentType", json!(5124)), "accessors[0].componentType", "none of the values"),
    (|file| set(file, "/accessors/0/bufferView", json!(9)), "accessors[0].bufferView", "names bufferView 9"),
    (|file| file.json["accessors"][0]["byteOffset"] = json!(u64::MAX), "POSITION (accessors[0])", "only 36 are there"),
    (
        |file| file.json["bufferViews"][0]["byteStride"] = json!(8),
        "POSITION (accessors[0])",
        "elements of 12 bytes overlap",
    ),
    (|file| set(file, "/bufferViews/0/buffer", json!(1)), "bufferViews[0].buffer", "names buffer 1"),
    (
        |file| set(file, "/bufferViews/1/byteLength", json!(37)),
        "bufferViews[1]",
        "needs 73 bytes, but only 72 are there",
    ),
    (|file| set(file, "/bufferViews/1/byteOffset", json!(u64::MAX)), "bufferViews[1]", "only 72 are there"),
    (|file| file.json["skins"] = json!([{"joints": []}]), "skins[0].joints", "a joint is missing"),
    (|file| file.json["skins"] = json!([{"joints": [0, 0]}]), "skins[0].joints[1]", "a joint of this skin twice"),
    (|file| file.json["skins"] = json!([{"joints": [3]}]), "skins[0].joints[0]", "names node 3"),
    (|file| file.json["skins"] = json!([{"joints": [0], "skeleton": 5}]), "skins[0].skeleton", "names node 5"),
    (
        |file| file.json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]),
        "materials[0].pbrMetallicRoughness.baseColorTexture.index",
        "names texture 0",
    ),
    (
        |file| file.json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 2]}}]),
        "materials[0].pbrMetallicRoughness.baseColorFactor",
        "is 2, but must lie between 0 and 1",
    ),
    (|file| file.json["materials"] = json!([{"alphaMode": "GLASS"}]), "materials[0].alphaMode", "none of the values"),
    (|file| file.json["textures"] = json!([{"source": 0}]), "textures[0].source", "names image 0"),
    (|file| draw(file, json!({})), "images[0]", "its uri or bufferView is missing"),
    (|file| draw(file, json!({"uri": "a.png"})), "images[0].uri", "has no folder"),
    (
        |file| {
            file.json["animations"] =
                json!([{"channels": [{"sampler": 1, "target": {"node": 0, "path": "scale"}}], "samplers": []}])
        },
        "animations[0].channels[0].sampler",
        "names sampler 1",
    ),
    (
        |file| {
            file.json["accessors"][0]["sparse"] =
                json!({"count": 4, "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}})
        },
        "accessors[0].sparse",
        "count is 4, but must be between 1 and the accessor's 3",
    ),
    (
        |file| {
            let indices = file.view(&[1, 1]);
            file.json["accessors"][0]["sparse"] = json!({"count": 2, "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": 0}});
        },
        "accessors[0].sparse.indices",
        "index 1 does not follow its predecessor",
    ),
    (
        |file| {
            let indices = file.view(&[0, 3]);
            file.json["accessors"][0]["sparse"] = json!({"count": 2, "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": 0}});
        },
        "accessors[0].sparse.indices",
        "names element 3, but there are only 3",
    ),
];

/// Replaces a value that is there already, by its JSON pointer.
fn set(file: &mut FileBuilder, pointer: &str, value: Value) {
    *file.json.pointer_mut(pointer).expect("the pointer exists") = value;
}

/// Puts an image on the triangle.
fn draw(file: &mut FileBuilder, image: serde_json::Value) {
    file.json["images"] = json!([image]);
    file.draw_images(1);
}

#[test]
fn every_broken_rule_names_file_place_and_reason() {
    assert!(FileBuilder::triangle().load().is_ok(), "the undamaged file loads");
    for (number, (damage, place, reason)) in CASES.iter().enumerate() {
        let mut file = FileBuilder::triangle();
        damage(&mut file);
        let error = match file.load() {
            Ok(_) => panic!("case {number} ({place}) loads"),
            Err(error) => error,
        };
        let message = error.to_string();
        assert!(message.starts_with("test.gltf: "), "case {number}: {message}");
        assert!(error.place.contains(place), "case {number}: not at {place}: {message}");
        assert!(message.contains(reason), "case {number}: no '{reason}' in: {message}");
        assert!(message.contains("; "), "case {number} has no remedy: {message}");
    }
}

#[test]
fn what_is_not_gltf_at_all_is_said_so() {
    for (bytes, expected) in [
        (&b""[..], "empty.gltf: not valid JSON: EOF"),
        (&b"[1, 2]"[..], "empty.gltf: the JSON is not an object"),
        (&b"{\"asset\": "[..], "line 1 column 10"),
        (&b"glTF\x02\0"[..], "broken GLB container: the header has 6 of 12 bytes"),
        (&b"\xff\xfe\x00"[..], "not valid JSON"),
    ] {
        let message = Scene::from_bytes(bytes, "empty.gltf").unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn buffers_are_checked_against_their_data() {
    let mut file = FileBuilder::triangle();
    let text = String::from_utf8(file.gltf()).unwrap();
    let longer = text.replace("\"byteLength\":72", "\"byteLength\":73");
    let message = Scene::from_bytes(longer.as_bytes(), "a.gltf").unwrap_err().to_string();
    assert!(message.contains("buffers[0]: the buffer needs 73 bytes, but only 72 are there"), "{message}");
    file.json["buffers"] = json!([{"byteLength": 72}]);
    let message = Scene::from_bytes(file.json.to_string().as_bytes(), "a.gltf").unwrap_err().to_string();
    assert!(message.contains("buffers[0]: its uri (or the GLB's binary chunk) is missing"), "{message}");
}

#[test]
fn both_containers_hold_the_same_scene() {
    let file = FileBuilder::triangle();
    let (text, binary) = (file.load().unwrap(), Scene::from_bytes(&file.glb(), "test.glb").unwrap());
    assert_eq!(text.meshes[0].primitives[0].positions, binary.meshes[0].primitives[0].positions);
    assert_eq!(binary.meshes[0].primitives[0].positions[1], [1.0, 0.0, 0.0]);
}

#[test]
fn names_stay_on_the_line_and_steer_no_terminal() {
    let mut file = FileBuilder::triangle();
    file.json["images"] = json!([{"name": "a\nb\u{1b}[31m\u{9b}", "uri": "data:image/png;base64,AAAA"}]);
    file.draw_images(1);
    let error = file.error();
    assert!(!error.chars().any(char::is_control), "{error:?}");
    assert!(error.contains("images[0]") && error.contains("a\\nb\\u{1b}[31m\\u{9b}"), "{error}");
}

#[test]
fn what_nothing_needs_may_be_missing() {
    // glTF 2.0, 5.10.1 and 5.29.2: a buffer's uri and a texture's source may be left to extensions.
    let mut file = FileBuilder::triangle();
    file.json["textures"] = json!([{}]);
    let mut json: Value = serde_json::from_slice(&file.gltf()).unwrap();
    json["buffers"].as_array_mut().unwrap().push(json!({"byteLength": 36}));
    json["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 1, "byteLength": 36}));
    let load =
        |json: &Value| Scene::from_bytes(json.to_string().as_bytes(), "a.gltf").map_err(|error| error.to_string());
    assert_eq!(load(&json).unwrap().textures.len(), 1);
    // Who needs it says so.
    json["accessors"][0]["bufferView"] = json!(2);
    assert!(load(&json).unwrap_err().contains("buffers[1]: its uri is missing"));
    json["bufferViews"][2]["extensions"] = json!({"EXT_packed": {}});
    let expected = "bufferViews[2]: its data is only there in the form of the extension EXT_packed";
    assert!(load(&json).unwrap_err().contains(expected));
    json["accessors"][0]["bufferView"] = json!(0);
    json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    assert!(load(&json).unwrap().materials[0].base_color_texture.is_none());
}

#[test]
fn an_integer_may_be_written_with_a_point() {
    // JSON Schema, "integer": a number with a zero fractional part.
    let mut json: Value = serde_json::from_slice(&FileBuilder::triangle().gltf()).unwrap();
    json["accessors"][0]["count"] = json!(3.0);
    json["accessors"][0]["componentType"] = json!(5.126e3);
    json["nodes"][0]["mesh"] = json!(0.0);
    json["nodes"][0]["translation"] = json!([-0.0, 1.0, 0.5]);
    let scene = Scene::from_bytes(json.to_string().as_bytes(), "a.gltf").unwrap();
    assert_eq!(scene.meshes[0].primitives[0].positions.len(), 3);
    json["nodes"][0]["mesh"] = json!(0.5);
    assert!(Scene::from_bytes(json.to_string().as_bytes(), "a.gltf").is_err());
}

#[test]
fn memory_is_counted_before_it_is_taken() {
    // 465 bytes that ask for 3·10⁷ vertices of zeros.
    let mut file = FileBuilder::new();
    file.json["accessors"] = json!([{"componentType": 5126, "count": 30_000_000, "type": "VEC3"}]);
    file.json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
    file.json["nodes"] = json!([{"mesh": 0}]);
    let message = file.error();
    assert!(message.contains("meshes[0].primitives[0]") && message.contains("more than 4096 MiB"), "{message}");
    assert!(message.contains("--memory"), "{message}");
    file.json["accessors"][0]["count"] = json!(3000);
    assert_eq!(file.load().unwrap().meshes[0].primitives[0].positions.len(), 3000);

    // A hundred images of 8192 × 8192 pixels, 256 MiB each, from one view with nothing but a header: beside the text 15 fit.
    let mut file = FileBuilder::triangle();
    let mut header = Vec::new();
    drop(png::Encoder::new(&mut header, 8192, 8192).write_header().unwrap());
    let view = file.view(&header);
    file.json["images"] = (0..100).map(|_| json!({"bufferView": view, "mimeType": "image/png"})).collect();
    file.draw_images(100);
    let message = file.error();
    assert!(message.contains("images[15]") && message.contains("more than 4096 MiB"), "{message}");
}
