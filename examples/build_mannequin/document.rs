//! The glTF document: nodes, skin, mesh, materials, animations.

use crate::{
    clips::{Clip, Interpolation, Property},
    figure::Primitive,
    glb::{FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT, Writer},
    maps::Maps,
    morphs,
    skeleton::Skeleton,
};
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};

/// The node that draws the mesh; the joints come after it.
const MESH_NODE: usize = 0;
const FIRST_JOINT_NODE: usize = 1;

/// What goes into the file.
pub(crate) struct Contents<'a> {
    pub(crate) skeleton: &'a Skeleton,
    /// Skin and suit.
    pub(crate) primitives: &'a [Primitive; 2],
    /// Of skin and suit.
    pub(crate) maps: &'a [Maps; 2],
    pub(crate) clips: &'a [Clip],
}

/// The file's bytes.
pub(crate) fn write(contents: &Contents<'_>) -> Vec<u8> {
    let mut writer = Writer::default();
    let primitives: Vec<Value> = contents
        .primitives
        .iter()
        .enumerate()
        .map(|(material, primitive)| mesh_primitive(&mut writer, primitive, material))
        .collect();
    let inverse_binds: Vec<[f32; 16]> = contents
        .skeleton
        .joints
        .iter()
        .map(|joint| {
            let bind = DMat4::from_rotation_translation(joint.rotation, joint.position);
            bind.inverse().as_mat4().to_cols_array()
        })
        .collect();
    let inverse_binds = writer.rows(&inverse_binds, FLOAT, false, false);
    let animations: Vec<Value> = contents.clips.iter().map(|clip| animation(&mut writer, clip)).collect();
    let files = contents.maps.each_ref().map(Maps::files);
    let mut images = Vec::new();
    for kind in 0..files[0].len() {
        for (material, files) in ["skin", "suit"].into_iter().zip(&files) {
            let (suffix, png) = files[kind];
            let view = writer.view(png, None);
            images.push(json!({ "name": format!("{material}{suffix}"), "bufferView": view, "mimeType": "image/png" }));
        }
    }
    let textures: Vec<Value> =
        (0..images.len()).map(|image| json!({ "sampler": image % 2, "source": image })).collect();
    let joint_count = contents.skeleton.joints.len();
    let document = json!({
        "asset": {
            "version": "2.0",
            "generator": "refrast build_mannequin",
            "copyright": "Original work of the refrast authors, dedicated to the public domain (CC0 1.0)",
        },
        "scene": 0,
        "scenes": [{ "name": "Mannequin", "nodes": [MESH_NODE, FIRST_JOINT_NODE] }],
        "nodes": nodes(contents.skeleton),
        "meshes": [{
            "name": "Mannequin",
            "primitives": primitives,
            "weights": morphs::NAMES.map(|_| 0.0),
            "extras": { "targetNames": morphs::NAMES },
        }],
        "skins": [{
            "name": "Mannequin",
            "inverseBindMatrices": inverse_binds,
            "joints": (FIRST_JOINT_NODE..FIRST_JOINT_NODE + joint_count).collect::<Vec<_>>(),
            "skeleton": FIRST_JOINT_NODE,
        }],
        "animations": animations,
        "materials": [material("Skin", 0), material("Suit", 1)],
        "textures": textures,
        // Trilinear. The skin's atlas is clamped and the suit's repeats: no coordinate leaves [0, 1], so both look
        // the same, and both ways are read.
        "samplers": [
            { "magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33071 },
            { "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497 },
        ],
        "images": images,
    });
    writer.finish(document)
}

/// The material whose colour is texture `color`; the two materials take turns in the list.
fn material(name: &str, color: usize) -> Value {
    let [normal, packed] = [color + 2, color + 4];
    json!({
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorTexture": { "index": color },
            "metallicRoughnessTexture": { "index": packed },
        },
        "normalTexture": { "index": normal },
        "occlusionTexture": { "index": packed },
        "doubleSided": false,
    })
}

fn mesh_primitive(writer: &mut Writer, primitive: &Primitive, material: usize) -> Value {
    let count = primitive.positions.len();
    let positions = writer.rows(&primitive.positions, FLOAT, false, true);
    writer.bound(positions, &primitive.positions);
    let attributes = json!({
        "POSITION": positions,
        "NORMAL": writer.rows(&primitive.normals, FLOAT, false, true),
        "TANGENT": writer.rows(&primitive.tangents, FLOAT, false, true),
        "TEXCOORD_0": writer.rows(&primitive.texcoords, FLOAT, false, true),
        "JOINTS_0": writer.rows(&primitive.joints, UNSIGNED_BYTE, false, true),
        "WEIGHTS_0": writer.rows(&primitive.weights, UNSIGNED_SHORT, true, true),
        "_OCCLUSION": writer.rows(&primitive.occlusion, FLOAT, false, true),
    });
    let targets: Vec<Value> = primitive
        .targets
        .iter()
        .map(|target| {
            json!({
                "POSITION": writer.sparse(count, &target.indices, &target.positions),
                "NORMAL": writer.sparse(count, &target.indices, &target.normals),
                "_OCCLUSION": writer.sparse(count, &target.occlusion.indices, &target.occlusion.values),
            })
        })
        .collect();
    json!({
        "attributes": attributes,
        "indices": writer.indices(&primitive.indices, count),
        "material": material,
        "targets": targets,
    })
}

fn nodes(skeleton: &Skeleton) -> Vec<Value> {
    let mut nodes = vec![json!({ "name": "Mannequin", "mesh": 0, "skin": 0 })];
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let (up_position, up_rotation) = joint.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| {
            (skeleton.joints[parent].position, skeleton.joints[parent].rotation)
        });
        let translation = up_rotation.inverse() * (joint.position - up_position);
        let rotation = (up_rotation.inverse() * joint.rotation).normalize();
        let children: Vec<usize> = (0..skeleton.joints.len())
            .filter(|&child| skeleton.joints[child].parent == Some(index))
            .map(|child| child + FIRST_JOINT_NODE)
            .collect();
        let mut node = json!({
            "name": joint.name,
            "translation": translation.as_vec3().to_array(),
            "rotation": rotation.as_quat().normalize().to_array(),
        });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
    }
    nodes
}

fn animation(writer: &mut Writer, clip: &Clip) -> Value {
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    // Channels with the same key times share one accessor.
    let mut inputs: Vec<(Vec<f32>, usize)> = Vec::new();
    for channel in &clip.channels {
        let known = inputs.iter().find(|(times, _)| *times == channel.times).map(|&(_, accessor)| accessor);
        let input = known.unwrap_or_else(|| {
            let rows: Vec<[f32; 1]> = channel.times.iter().map(|&time| [time]).collect();
            let accessor = writer.rows(&rows, FLOAT, false, false);
            writer.bound(accessor, &rows);
            inputs.push((channel.times.clone(), accessor));
            accessor
        });
        let values = &channel.values;
        let (output, path) = match channel.property {
            Property::Translation => (writer.rows(values.as_chunks::<3>().0, FLOAT, false, false), "translation"),
            Property::Rotation => (writer.rows(values.as_chunks::<4>().0, FLOAT, false, false), "rotation"),
            Property::Weights => (writer.rows(values.as_chunks::<1>().0, FLOAT, false, false), "weights"),
        };
        let interpolation = match channel.interpolation {
            Interpolation::Linear => "LINEAR",
            Interpolation::Step => "STEP",
            Interpolation::CubicSpline => "CUBICSPLINE",
        };
        let node = channel.joint.map_or(MESH_NODE, |joint| joint + FIRST_JOINT_NODE);
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
    json!({ "name": clip.name, "channels": channels, "samplers": samplers })
}
