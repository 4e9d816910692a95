//! What comparisons read: pictures, envelopes, vertices. Checksums are set right, so that no time goes into finding them.

use std::path::Path;

use refrast_golden::{
    Picture, VertexBuffer, VertexCompareOptions, VertexComparison,
    envelope::{CheckOptions, EnvelopeFile},
    xxh64,
};

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
pub(crate) fn set_chunk_checksums(bytes: &mut [u8]) {
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
