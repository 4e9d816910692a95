//! Generated tangents are those of the program that normal maps are baked by.
//!
//! `mikktspace.txt` holds a few corners of each primitive (model, mesh, primitive, corner, x y z w) as they came from
//! `genTangSpaceDefault` of MikkTSpace's own C program (github.com/mmikk/MikkTSpace, 3e895b4, gcc without contraction), with v
//! negated as glTF's normal maps want it. The models stand where `REFRAST_MODELS` points; the character is always there.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use refrast::scene::Scene;
use serde_json::{Value, json};

/// Eight digits are written; and their arc cosine, which weighs the triangles around a vertex, is the platform's, while ours is the
/// same everywhere.
const TOLERANCE: f32 = 1e-7;

/// The text of a file, and its first buffer.
fn parts(path: &Path) -> (Value, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    if bytes.starts_with(b"glTF") {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        return (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), bytes[28 + length..].to_vec());
    }
    let json: Value = serde_json::from_slice(&bytes).unwrap();
    let uri = json["buffers"][0]["uri"].as_str().unwrap();
    let buffer = match uri.split_once(";base64,") {
        Some((_, data)) => STANDARD.decode(data).unwrap(),
        None => std::fs::read(path.with_file_name(uri)).unwrap(),
    };
    (json, buffer)
}

/// The model without its tangents, and with a normal map of one texel on everything.
fn without_tangents(path: &Path) -> Scene {
    let (mut json, buffer) = parts(path);
    let texel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNoaPgPAAODAgA+WCglAAAAAElFTkSuQmCC";
    json["images"] = json!([{"uri": texel}]);
    json["textures"] = json!([{"source": 0}]);
    json["materials"] = json!([{"normalTexture": {"index": 0}}]);
    json["buffers"] = json!([{"byteLength": buffer.len()}]);
    for extensions in ["extensionsUsed", "extensionsRequired", "extensions"] {
        json.as_object_mut().unwrap().remove(extensions);
    }
    for mesh in json["meshes"].as_array_mut().unwrap() {
        for primitive in mesh["primitives"].as_array_mut().unwrap() {
            primitive["material"] = json!(0);
            let targets = primitive["targets"].as_array_mut().into_iter().flatten();
            for attributes in targets {
                attributes.as_object_mut().unwrap().remove("TANGENT");
            }
            primitive["attributes"].as_object_mut().unwrap().remove("TANGENT");
        }
    }
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = buffer;
    binary.resize(binary.len().next_multiple_of(4), 0);
    let chunk = |kind: &[u8; 4], data: &[u8]| [&(data.len() as u32).to_le_bytes(), &kind[..], data].concat();
    let chunks = [chunk(b"JSON", &text), chunk(b"BIN\0", &binary)].concat();
    let length = (12 + chunks.len()) as u32;
    let file = [b"glTF", &2u32.to_le_bytes()[..], &length.to_le_bytes(), &chunks].concat();
    Scene::from_bytes(&file, &path.display().to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// Where a model lies; `None` where there are no models.
fn path(model: &str) -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    if model == "mannequin" {
        return Some(own.join("src/scene/mannequin.glb"));
    }
    let folder = std::env::var_os("REFRAST_MODELS").map_or(own.join("../shared/models"), PathBuf::from).join(model);
    let name = if model == "Greenman" { "greenman".to_owned() } else { model.to_owned() };
    ["glb", "gltf"].map(|kind| folder.join(&name).with_extension(kind)).into_iter().find(|path| path.is_file())
}

#[test]
fn generated_tangents_are_mikktspaces_own() {
    let mut scenes: HashMap<&str, Option<Scene>> = HashMap::new();
    let (mut compared, mut farthest) = (0, 0.0f32);
    for line in include_str!("mikktspace.txt").lines() {
        let mut words = line.split(' ');
        let model = words.next().unwrap();
        let scene = scenes.entry(model).or_insert_with(|| {
            let path = path(model);
            if path.is_none() {
                eprintln!("SKIPPED: {model} is not there (set REFRAST_MODELS to a folder that has it)");
            }
            path.as_deref().map(without_tangents)
        });
        let Some(scene) = scene else { continue };
        let [mesh, primitive, corner] = [0; 3].map(|_| words.next().unwrap().parse::<usize>().unwrap());
        let primitive = &scene.meshes[mesh].primitives[primitive];
        let expected: Vec<f32> = words.map(|word| word.parse().unwrap()).collect();
        let found = primitive.tangents.as_ref().expect("they are generated")[primitive.indices[corner] as usize];
        let apart = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
        farthest = apart.fold(farthest, f32::max);
        assert!(farthest <= TOLERANCE, "{line}: found {found:?}");
        compared += 1;
    }
    // The character's two primitives are always there.
    assert!(compared >= 48, "{compared}");
}
