//! Compressed data, in scenes that are right but for it: what a decoder makes of any bytes.

use crate::scenes::check_glb;

/// Reads `bytes` as a view of EXT_meshopt_compression: mode, filter, stride and count in four bytes, then the stream.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_meshopt(bytes: &[u8]) {
    let Some((&[mode, filter, words, count], stream)) = bytes.split_first_chunk() else { return };
    let modes = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
    let filters = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"];
    let mode = usize::from(mode) % modes.len();
    let stride = if mode == 0 { 4 * (usize::from(words) % 64 + 1) } else { 2 << (words & 1) };
    let count = if mode == 1 { usize::from(count) * 3 } else { usize::from(count) };
    let filter = filters[if mode == 0 { usize::from(filter) % filters.len() } else { 0 }];
    let (mode, length, size) = (modes[mode], stride * count, stream.len());
    // As many floats as there are, so that what comes out is looked at.
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{size}}},{{"byteLength":{length}}}],
        "bufferViews":[{{"buffer":1,"byteLength":{length},"extensions":{{"EXT_meshopt_compression":{{"buffer":0,
        "byteLength":{size},"byteStride":{stride},"count":{count},"mode":"{mode}","filter":"{filter}"}}}}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":{vertices}}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"nodes":[{{"mesh":0}}]}}"#,
        vertices = (length / 12).max(1)
    );
    check_glb(&json, stream);
}

/// Reads `bytes` as a primitive of KHR_draco_mesh_compression: vertices and triangles in two bytes each, then the stream.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_draco(bytes: &[u8]) {
    let Some((&[low, high, few, many], stream)) = bytes.split_first_chunk() else { return };
    let (vertices, triangles) = (u16::from_le_bytes([low, high]).max(1), u16::from_le_bytes([few, many]).max(1));
    let size = stream.len();
    let accessor = |component: u32, shape: &str, count: usize| {
        format!(r#"{{"componentType":{component},"type":"{shape}","count":{count}}}"#)
    };
    let vertices = usize::from(vertices);
    let accessors = [
        accessor(5125, "SCALAR", usize::from(triangles) * 3),
        accessor(5126, "VEC3", vertices),
        accessor(5126, "VEC3", vertices),
        accessor(5126, "VEC2", vertices),
        accessor(5121, "VEC4", vertices),
        accessor(5126, "VEC4", vertices),
    ]
    .join(",");
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{size}}}],"bufferViews":[{{"buffer":0,"byteLength":{size}}}],
        "accessors":[{accessors}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"indices":0,
        "attributes":{{"POSITION":1,"NORMAL":2,"TEXCOORD_0":3,"JOINTS_0":4,"WEIGHTS_0":5}},
        "extensions":{{"KHR_draco_mesh_compression":{{"bufferView":0,
        "attributes":{{"JOINTS_0":0,"NORMAL":1,"POSITION":2,"TEXCOORD_0":3,"WEIGHTS_0":4}}}}}}}}]}}]}}"#
    );
    check_glb(&json, stream);
}
