//! Builds tiny glTF files for tests.
//!
//! Why it exists: a test should show the one accessor it is about and not forty lines of JSON around it.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{LoadOptions, Scene, SceneError};

/// A glTF file in the making: JSON and one buffer.
pub(super) struct FileBuilder {
    /// The JSON; tests write to it freely.
    pub(super) json: Value,
    buffer: Vec<u8>,
}

impl FileBuilder {
    /// A file with a version and nothing else.
    pub(super) fn new() -> Self {
        let json = json!({"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "nodes": [], "meshes": []});
        Self { json, buffer: Vec::new() }
    }

    /// A file with one triangle: (0,0,0), (1,0,0), (0,1,0), normals +z, drawn by node 0. Accessor 0 holds the
    /// positions, accessor 1 the normals.
    pub(super) fn triangle() -> Self {
        let mut file = Self::new();
        let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let normals = file.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        file.json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": positions, "NORMAL": normals}}]}]);
        file.json["nodes"] = json!([{"mesh": 0}]);
        file
    }

    /// Lets the first `count` images be drawn, each by a texture and a material of its own, the first on the triangle.
    pub(super) fn draw_images(&mut self, count: usize) {
        let texcoords = self.floats("VEC2", &[0.0; 6]);
        self.attribute("TEXCOORD_0", texcoords);
        self.primitive()["material"] = json!(0);
        let material = |texture: usize| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}});
        self.json["materials"] = (0..count).map(material).collect();
        self.json["textures"] = (0..count).map(|image| json!({"source": image, "sampler": 0})).collect();
        self.json["samplers"] = json!([{"minFilter": 9987, "magFilter": 9729}]);
    }

    /// The only primitive of mesh 0.
    pub(super) fn primitive(&mut self) -> &mut Value {
        &mut self.json["meshes"][0]["primitives"][0]
    }

    /// Adds an attribute to the only primitive of mesh 0.
    pub(super) fn attribute(&mut self, name: &str, accessor: usize) {
        self.primitive()["attributes"][name] = json!(accessor);
    }

    /// Appends bytes and returns their buffer view's index.
    pub(super) fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.buffer.len().next_multiple_of(4);
        self.buffer.resize(offset, 0);
        self.buffer.extend_from_slice(bytes);
        push(&mut self.json["bufferViews"], json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}))
    }

    /// Adds an accessor over bytes of their own and returns its index. `component` is glTF's number for the type.
    pub(super) fn accessor(&mut self, component: u32, shape: &str, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let accessor = json!({"bufferView": view, "componentType": component, "type": shape, "count": count});
        push(&mut self.json["accessors"], accessor)
    }

    /// Adds a FLOAT accessor.
    pub(super) fn floats(&mut self, shape: &str, values: &[f32]) -> usize {
        let components = match shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => panic!("no such shape"),
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(5126, shape, values.len() / components, &bytes)
    }

    /// The file as .gltf with a data URI.
    pub(super) fn gltf(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.buffer.is_empty() {
            let data = base64::engine::general_purpose::STANDARD.encode(&self.buffer);
            let uri = format!("data:application/octet-stream;base64,{data}");
            json["buffers"] = json!([{"byteLength": self.buffer.len(), "uri": uri}]);
        }
        json.to_string().into_bytes()
    }

    /// The file as .glb.
    pub(super) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.buffer.len()}]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut buffer = self.buffer.clone();
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        let length = 12 + 8 + text.len() + 8 + buffer.len();
        let word = |value: usize| (value as u32).to_le_bytes();
        let parts: [&[u8]; 9] = [
            b"glTF\x02\0\0\0",
            &word(length),
            &word(text.len()),
            b"JSON",
            &text,
            &word(buffer.len()),
            b"BIN\0",
            &buffer,
            &[],
        ];
        parts.concat()
    }

    /// Loads the file.
    pub(super) fn load(&self) -> Result<Scene, SceneError> {
        Scene::from_bytes(&self.gltf(), "test.gltf")
    }

    /// Loads the file, and nothing of it that is not drawn.
    pub(super) fn load_strictly(&self) -> Result<Scene, SceneError> {
        let options = LoadOptions { strict: true, ..LoadOptions::default() };
        Scene::from_bytes_with(&self.gltf(), "test.gltf", options)
    }

    /// The message of the error that loading must end in.
    pub(super) fn error(&self) -> String {
        self.load().expect_err("the file must be refused").to_string()
    }
}

/// Appends to a JSON array and returns the element's index.
pub(super) fn push(array: &mut Value, element: Value) -> usize {
    let array = array.as_array_mut().expect("a JSON array");
    array.push(element);
    array.len() - 1
}
