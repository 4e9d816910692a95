//! Scenes, and the images in them.

use refrast_scene::{Mesh, Primitive, Scene};

use crate::pictures::set_chunk_checksums;

/// Reads `bytes` as a .gltf or .glb file and checks what every stage trusts a scene for.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_scene(bytes: &[u8]) {
    match Scene::from_bytes(bytes, "fuzz.glb") {
        Ok(scene) => check_promises(&scene),
        Err(error) => assert!(error.to_string().starts_with("fuzz.glb: ") && !error.to_string().contains('\n')),
    }
}

/// What every stage trusts a scene for.
fn check_promises(scene: &Scene) {
    let nodes = scene.nodes.len();
    let mut seen = vec![false; nodes];
    for &node in &scene.parents_first {
        assert!(scene.nodes[node].parent.is_none_or(|parent| seen[parent]), "parents come first");
        assert!(!std::mem::replace(&mut seen[node], true), "every node comes once");
    }
    assert!(seen.iter().all(|&seen| seen) && scene.drawn.iter().all(|&node| node < nodes));
    for skin in &scene.skins {
        assert!(skin.joints.iter().all(|&joint| joint < nodes));
        assert_eq!(skin.joints.len(), skin.inverse_bind_matrices.len());
        assert!(skin.inverse_bind_matrices.iter().all(|matrix| matrix.is_finite()));
    }
    for node in &scene.nodes {
        let mesh = node.mesh.map(|mesh| &scene.meshes[mesh]);
        let joints = node.skin.map(|skin| scene.skins[skin].joints.len());
        if let (Some(mesh), Some(joints)) = (mesh, joints) {
            let mut used = mesh.primitives.iter().filter_map(|primitive| primitive.influences.as_ref());
            assert!(used.all(|influences| influences.joints.iter().all(|&joint| usize::from(joint) < joints)));
        }
    }
    scene.meshes.iter().for_each(|mesh| check_mesh(mesh, scene.materials.len()));
    for channel in scene.animations.iter().flat_map(|animation| &animation.channels) {
        assert!(channel.node < nodes && !channel.times.is_empty() && channel.times.is_sorted_by(|a, b| a < b));
        assert_eq!(channel.values.len() % (channel.times.len() * channel.components.max(1)), 0);
        assert!(channel.values.iter().chain(&channel.times).all(|number| number.is_finite()));
    }
    assert_eq!(scene.summary().skins.len(), scene.skins.len());
}

/// Lengths agree, indices are in range, numbers are finite.
fn check_mesh(mesh: &Mesh, materials: usize) {
    for primitive in &mesh.primitives {
        let Primitive { positions, normals, tangents, texcoords, colors, influences, .. } = primitive;
        let vertices = positions.len();
        assert!(primitive.indices.iter().all(|&index| (index as usize) < vertices) && primitive.material < materials);
        assert_eq!(primitive.source_vertices.len(), vertices);
        assert!(positions.iter().flatten().all(|number| number.is_finite()));
        assert!(normals.as_ref().is_none_or(|normals| normals.len() == vertices));
        assert!(tangents.as_ref().is_none_or(|tangents| tangents.len() == vertices));
        assert!(colors.as_ref().is_none_or(|colors| colors.len() == vertices));
        assert!(texcoords.iter().all(|set| set.len() == vertices));
        assert!(mesh.weights.len() >= primitive.targets.len());
        if let Some(influences) = influences {
            assert_eq!(influences.joints.len(), vertices * influences.per_vertex);
            assert_eq!(influences.weights.len(), influences.joints.len());
            assert!(influences.weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0));
        }
    }
}

/// Reads `bytes` as the image of a texture: a PNG whose checksums are right, a JPEG, a WebP, or a KTX2 file.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_image(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if bytes.starts_with(b"\x89PNG") {
        set_chunk_checksums(&mut bytes);
    }
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"images":[{{"bufferView":0}}],"textures":[{{"source":0}}],
        "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}],
        "buffers":[{{"byteLength":{length}}}],"bufferViews":[{{"buffer":0,"byteLength":{length}}}]}}"#,
        length = bytes.len()
    );
    match Scene::from_bytes(&glb(&json, &bytes), "fuzz.glb") {
        Ok(scene) => {
            let image = &scene.images[0];
            assert_eq!(image.rgba.len() as u64, 4 * u64::from(image.width) * u64::from(image.height));
        }
        // The message says where the image lies, whatever is wrong with it.
        Err(error) => assert!(error.place.contains("images[0]") || bytes.is_empty(), "{error}"),
    }
}

/// A .glb of a text and a buffer.
pub(crate) fn glb(json: &str, buffer: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8], fill: u8| {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(4), fill);
        [&(data.len() as u32).to_le_bytes(), &kind[..], &data].concat()
    };
    let chunks = [chunk(b"JSON", json.as_bytes(), b' '), chunk(b"BIN\0", buffer, 0)].concat();
    [&b"glTF\x02\0\0\0"[..], &(chunks.len() as u32 + 12).to_le_bytes(), &chunks].concat()
}

/// Reads what the other targets wrap.
pub(crate) fn check_glb(json: &str, buffer: &[u8]) {
    check_scene(&glb(json, buffer));
}
