//! A scene in a pose as a .glb without skins, morph targets or animations.
//!
//! Why it exists: every viewer and every modelling program opens it, so that a pose can be looked at, or compared, with
//! tools that know nothing of refrast. Layout: glTF 2.0 specification, sections 3.6 (accessors) and 4 (GLB).

use serde_json::{Value, json};

use super::{
    exact::ExactVertices,
    scene::{DrawnPrimitive, SceneVertexError, VertexSettings},
};
use refrast_animation::Pose;
use refrast_measure::Attribute;
use refrast_scene::{AlphaMode, Material, Scene, Topology};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";

/// The bytes of the .glb: a node with a mesh for each node that draws something, vertices in world space at f32,
/// triangles (lines, points) as the scene has them.
///
/// Where the pose mirrors a mesh its triangles turn round, so that their fronts stay fronts. Colours and texture
/// coordinates are the file's, materials keep their factors; textures are left out.
///
/// # Errors
///
/// Where the formula can not follow a joint.
pub fn posed_glb(scene: &Scene, pose: &Pose, settings: VertexSettings) -> Result<Vec<u8>, SceneVertexError> {
    let mut file = File::default();
    for drawn in settings.drawn(scene, pose) {
        let primitive = drawn.inputs.primitive;
        if primitive.indices.is_empty() {
            continue;
        }
        let json = file.primitive(&drawn, &drawn.exact(scene, settings.rounding)?);
        match file.meshes.last_mut() {
            Some((node, primitives)) if *node == drawn.node => primitives.push(json),
            _ => file.meshes.push((drawn.node, vec![json])),
        }
    }
    Ok(file.finish(scene))
}

#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// Node of the scene, primitives.
    meshes: Vec<(usize, Vec<Value>)>,
}

impl File {
    fn primitive(&mut self, drawn: &DrawnPrimitive<'_>, exact: &ExactVertices) -> Value {
        let primitive = drawn.inputs.primitive;
        let mut attributes = serde_json::Map::new();
        let positions = rounded(&exact.position);
        let position = self.floats(&positions);
        let extent = |pick: fn(f32, f32) -> f32| {
            let corner = |a: [f32; 3], b: &[f32; 3]| [pick(a[0], b[0]), pick(a[1], b[1]), pick(a[2], b[2])];
            positions.iter().skip(1).fold(positions[0], corner)
        };
        self.accessors[position]["min"] = json!(extent(f32::min));
        self.accessors[position]["max"] = json!(extent(f32::max));
        attributes.insert("POSITION".to_owned(), json!(position));
        if let Some(normals) = &exact.normal {
            attributes.insert("NORMAL".to_owned(), json!(self.floats(&rounded(normals))));
        }
        if let Some(tangents) = &exact.tangent {
            attributes.insert("TANGENT".to_owned(), json!(self.floats(&rounded(tangents))));
        }
        for (set, texcoords) in primitive.texcoords.iter().enumerate() {
            attributes.insert(format!("TEXCOORD_{set}"), json!(self.floats(texcoords)));
        }
        if let Some(colors) = &primitive.colors {
            attributes.insert("COLOR_0".to_owned(), json!(self.floats(colors)));
        }
        if let Some(occlusion) = &primitive.occlusion {
            let occlusion: Vec<[f32; 1]> = occlusion.iter().map(|&part| [part]).collect();
            attributes.insert("_OCCLUSION".to_owned(), json!(self.floats(&occlusion)));
        }
        let mut indices = primitive.indices.clone();
        if primitive.topology == Topology::Triangles && drawn.inputs.mirrored() {
            indices.as_chunks_mut().0.iter_mut().for_each(|[_, b, c]: &mut [u32; 3]| std::mem::swap(b, c));
        }
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = self.accessor(&bytes, indices.len(), UNSIGNED_INT, "SCALAR", ELEMENT_ARRAY_BUFFER);
        let mode = match primitive.topology {
            Topology::Points => 0,
            Topology::Lines => 1,
            Topology::Triangles => 4,
        };
        json!({ "attributes": attributes, "indices": indices, "mode": mode, "material": primitive.material })
    }

    fn floats<const N: usize>(&mut self, vectors: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        self.accessor(&bytes, vectors.len(), FLOAT, shape, ARRAY_BUFFER)
    }

    /// Adds numbers of four bytes each, so that every view is aligned.
    fn accessor(&mut self, bytes: &[u8], count: usize, component: u32, shape: &str, target: u32) -> usize {
        let view = json!({
            "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len(), "target": target,
        });
        let accessor = json!({
            "bufferView": self.views.len(), "componentType": component, "count": count, "type": shape,
        });
        self.binary.extend_from_slice(bytes);
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn finish(self, scene: &Scene) -> Vec<u8> {
        let nodes: Vec<Value> = (self.meshes.iter().enumerate())
            .map(|(mesh, (node, _))| named(json!({ "mesh": mesh }), scene.nodes[*node].name.as_deref()))
            .collect();
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("refrast ", env!("CARGO_PKG_VERSION")) },
        });
        // glTF forbids empty arrays, and so a scene without nodes.
        if !nodes.is_empty() {
            let meshes: Vec<Value> =
                self.meshes.into_iter().map(|(_, primitives)| json!({ "primitives": primitives })).collect();
            let roots: Vec<usize> = (0..nodes.len()).collect();
            document["scene"] = json!(0);
            document["scenes"] = json!([{ "nodes": roots }]);
            document["nodes"] = json!(nodes);
            document["meshes"] = json!(meshes);
            document["materials"] = scene.materials.iter().map(material).collect();
            document["accessors"] = json!(self.accessors);
            document["bufferViews"] = json!(self.views);
            document["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        }
        container(&document, &self.binary)
    }
}

fn named(mut object: Value, name: Option<&str>) -> Value {
    if let Some(name) = name {
        object["name"] = json!(name);
    }
    object
}

fn material(material: &Material) -> Value {
    let mut object = json!({
        "pbrMetallicRoughness": { "baseColorFactor": material.base_color_factor },
        "doubleSided": material.double_sided,
    });
    match material.alpha_mode {
        AlphaMode::Opaque => {}
        AlphaMode::Mask { cutoff } => {
            object["alphaMode"] = json!("MASK");
            object["alphaCutoff"] = json!(cutoff);
        }
        AlphaMode::Blend => object["alphaMode"] = json!("BLEND"),
    }
    named(object, material.name.as_deref())
}

fn rounded<const N: usize>(attribute: &Attribute<N>) -> Vec<[f32; N]> {
    attribute.values.iter().map(|values| values.map(|value| value as f32)).collect()
}

/// Puts the two chunks into a container, the text padded with spaces. The binary chunk is a multiple of four long by
/// itself, and left out where it is empty.
fn container(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let chunks = [(JSON_CHUNK, text.as_slice()), (BINARY_CHUNK, binary)];
    let chunks = chunks.iter().filter(|(_, data)| !data.is_empty());
    let length: usize = 12 + chunks.clone().map(|(_, data)| 8 + data.len()).sum::<usize>();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((length as u32).to_le_bytes());
    for (kind, data) in chunks {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(*kind);
        bytes.extend(*data);
    }
    bytes
}
