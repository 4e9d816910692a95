//! What must hold for every text, whatever it is.
//!
//! `cargo fuzz run arb -- -dict=fuzz/dictionaries/arb.dict` (and vp10, vp11, vsp10 with `nvidia.dict`, vs11 with `direct3d.dict`,
//! envelope, picture, vertices and scene without), from this folder's parent; a program's header is put before each text, and
//! checksums are set right, so that no time goes into finding them.
//! On a stable compiler: `RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none arb -- …`; the library is safe code, so the
//! sanitizer has little to find.

use std::path::Path;

use refrast::golden::{
    Picture, VertexBuffer, VertexCompareOptions, VertexComparison,
    envelope::{CheckOptions, EnvelopeFile},
    xxh64,
};
use refrast::{
    scene::{Mesh, Primitive, Scene},
    simd::SimdLevel,
    vertex_program::{
        Assembled, Attributes, BatchMachine, ConstantFile, Dialect, NumericModel, Output, Program, ProgramError,
        ScalarMachine, Settings, Target, UNSET, VertexOutputs, assemble, format, translate,
    },
};

/// Assembles the header of `dialect` with `body` after it and checks what comes of it.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check(dialect: Dialect, body: &str) {
    let text = format!("{}{body}", dialect.header());
    match assemble(&text) {
        Ok(assembled) => check_program(&text, &assembled),
        Err(error) => check_error(&text, &error),
    }
}

fn check_error(text: &str, error: &ProgramError) {
    assert!(text.get(error.span.clone()).is_some(), "the place is not in the text");
    assert!(!error.render("fuzz", text).is_empty());
}

fn check_program(text: &str, Assembled { program, spans }: &Assembled) {
    assert_eq!(spans.len(), program.instructions.len());
    assert!(spans.iter().all(|span| text.get(span.clone()).is_some()));
    assert!(program.slots() <= program.slot_limit());
    let formatted = format(program);
    let again = assemble(&formatted).unwrap_or_else(|error| panic!("{}", error.render("formatted", &formatted)));
    assert_eq!(again.program.instructions, program.instructions);
    // Anything but a panic will do: a target may lack what the program uses.
    for target in Target::ALL {
        let _ = translate(program, target);
    }
    let constants = [[f32::NAN, f32::INFINITY, -0.0, 1e-40]; 96];
    let _ = ScalarMachine::default().trace(program, &constants, &[UNSET; 16]);
    let ordinary = std::array::from_fn(|index| std::array::from_fn(|c| index as f32 * 0.37 - 11.0 * c as f32));
    for model in [NumericModel::NvSpec, NumericModel::Ieee] {
        check_batch(program, &constants, model);
        check_batch(program, &ordinary, model);
    }
}

/// The batch machine computes what the scalar one does, bit for bit.
fn check_batch(program: &Program, constants: &ConstantFile, model: NumericModel) {
    let settings = Settings { model, ..Settings::default() };
    let Ok(machine) = BatchMachine::new(program, settings) else { return };
    let [mut x, mut y, mut z, mut w] = [[0.0; 2]; 4];
    let mut varyings = [0.0; 16];
    let outputs = VertexOutputs {
        position: [&mut x, &mut y, &mut z, &mut w],
        varyings: &mut varyings,
        stride: 8,
        layout: &[Output::FrontPrimary, Output::Texture(0)],
    };
    machine.run(constants, &[], outputs, SimdLevel::default()).expect("no array is too short");
    let attributes: Attributes = [UNSET; 16];
    let expected = ScalarMachine::new(settings).run(program, constants, &attributes);
    let bits = |vector: [f32; 4]| vector.map(f32::to_bits);
    assert_eq!(bits([x[1], y[1], z[1], w[1]]), bits(expected.output(Output::Position)), "{model:?}");
    for (row, output) in [Output::FrontPrimary, Output::Texture(0)].into_iter().enumerate() {
        let found = [0, 1, 2, 3].map(|c| varyings[8 + 4 * row + c]);
        assert_eq!(bits(found), bits(expected.output(output)), "{model:?} {output:?}");
    }
}

/// Reads `bytes` as the file of an envelope, for a golden of the size that it promises, and checks what comes of it. The
/// header's checksums are set right, because no fuzzer guesses them.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_envelope(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let number = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (Some(width), Some(height)) = (number(&bytes, 12), number(&bytes, 16)) else { return };
    let (width, height) = (width % 64 + 1, height % 64 + 1);
    bytes[12..16].copy_from_slice(&width.to_le_bytes());
    bytes[16..20].copy_from_slice(&height.to_le_bytes());
    let samples = (0..width * height * 4).map(|index| (index * 7) as u8).collect::<Vec<u8>>();
    let golden = Picture::from_rgba8(width, height, samples).expect("four samples a pixel");
    if let Some(place) = bytes.get_mut(24..32) {
        place.copy_from_slice(&golden.content_hash().to_le_bytes());
    }
    if let (Some(shapes), Some(bands)) = (number(&bytes, 56), number(&bytes, 60)) {
        let end = 64 + 8 * (shapes as usize + bands as usize);
        let hash = bytes.get(..end).map(|head| xxh64(head, 0).to_le_bytes());
        if let (Some(hash), Some(place)) = (hash, bytes.get_mut(end..end + 8)) {
            place.copy_from_slice(&hash);
        }
    }
    let name = Path::new("fuzz.envelope");
    let Ok(file) = EnvelopeFile::from_bytes(bytes, name) else { return };
    let options = CheckOptions::default();
    let streamed = file.check(&golden, &golden, &options);
    if let Ok(envelope) = file.unpack(&golden) {
        assert_eq!(envelope.check(&golden, &options).ok(), streamed.ok());
        // What the boxes say is kept by another file, however it is packed.
        let again = envelope.encode(&golden, name).expect("it fits its golden");
        let again = EnvelopeFile::from_bytes(again, name).and_then(|file| file.unpack(&golden));
        assert!(again.is_ok_and(|again| again == envelope));
    } else {
        assert!(streamed.is_err());
    }
}

/// Reads `bytes` as a PNG file whose checksums are right, and checks what comes of it.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_picture(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    set_chunk_checksums(&mut bytes);
    let name = Path::new("fuzz.png");
    let Ok(picture) = Picture::decode(&bytes, name) else { return };
    let again = picture.encode(name).and_then(|bytes| Picture::decode(&bytes, name));
    assert!(again.is_ok_and(|again| again == picture));
}

/// A PNG file is its signature and chunks of length, type, data and CRC-32 of type and data.
fn set_chunk_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = length.iter().fold(0, |length, &byte| length << 8 | usize::from(byte));
        let end = at + 8 + length;
        let Some(checksum) = bytes.get(at + 4..end).map(crc32fast::hash) else { return };
        let Some(place) = bytes.get_mut(end..end + 4) else { return };
        place.copy_from_slice(&checksum.to_be_bytes());
        at = end + 4;
    }
}

/// Reads `bytes` as an NPY file of vertices and checks what comes of it.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_vertices(bytes: &[u8]) {
    let name = Path::new("fuzz.npy");
    let Ok(buffer) = VertexBuffer::from_npy(bytes, name) else { return };
    let _ = VertexComparison::of(&buffer, &buffer, &VertexCompareOptions::default());
    // A file that we wrote says the same when it is read and written again, though NaN is not NaN.
    let written = buffer.to_npy();
    let again = VertexBuffer::from_npy(&written, name).expect("it was written by us");
    assert_eq!(again.len(), buffer.len());
    let written_again = again.to_npy();
    let third = VertexBuffer::from_npy(&written_again, name).expect("it was written by us");
    assert_eq!(third.to_npy(), written_again);
}

/// Reads `bytes` as a .gltf or .glb file and checks what every stage trusts a scene for.
///
/// # Panics
///
/// When a rule is broken: that is what the fuzzer looks for.
pub fn check_scene(bytes: &[u8]) {
    let Ok(scene) = Scene::from_bytes(bytes, "fuzz.glb") else { return };
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
