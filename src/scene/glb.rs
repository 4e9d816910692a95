//! Takes a .glb container apart.
//!
//! Why it exists: every length in the container is checked here, once, so that a truncated download is called that and
//! not a JSON error. Layout: glTF 2.0 specification, section 4 (GLB file format).

use super::error::Problem;

/// The first four bytes of every .glb.
pub(super) const MAGIC: &[u8] = b"glTF";
const HEADER_LENGTH: usize = 12;
const CHUNK_HEADER_LENGTH: usize = 8;
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

/// The two chunks of a .glb that glTF defines.
#[derive(Debug, PartialEq)]
pub(super) struct Chunks<'a> {
    /// The JSON text, padded with spaces.
    pub(super) json: &'a [u8],
    /// Buffer 0, padded with zeros.
    pub(super) binary: Option<&'a [u8]>,
}

/// The length that the header at the start of a .glb states; `None` where it is none.
pub(super) fn stated_length(start: &[u8]) -> Option<u64> {
    let header = start.get(..HEADER_LENGTH).filter(|header| header.starts_with(MAGIC))?;
    Some(u64::from(word(header, 8)).max(HEADER_LENGTH as u64))
}

/// Finds the chunks. Chunks of unknown types are skipped, as the specification asks; so is anything after the length
/// that the header states.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks<'_>, Problem> {
    let broken = |reason: String| Err(Problem::Container(reason));
    let Some(header) = bytes.get(..HEADER_LENGTH) else {
        return broken(format!("the header has {} of {HEADER_LENGTH} bytes", bytes.len()));
    };
    let version = word(header, 4);
    if version != 2 {
        return Err(Problem::Version(format!("{version} (of the container)")));
    }
    let length = word(header, 8) as usize;
    let Some(mut rest) = bytes.get(HEADER_LENGTH..length) else {
        return broken(format!("the header states {length} bytes, the file has {}", bytes.len()));
    };

    let mut chunks: Vec<(u32, &[u8])> = Vec::new();
    while !rest.is_empty() {
        let number = chunks.len();
        let Some((header, after)) = rest.split_at_checked(CHUNK_HEADER_LENGTH) else {
            return broken(format!("the header of chunk {number} is cut off"));
        };
        let length = word(header, 0) as usize;
        let Some((data, after)) = after.split_at_checked(length) else {
            return broken(format!("chunk {number} states {length} bytes, {} are left", after.len()));
        };
        chunks.push((word(header, 4), data));
        rest = after;
    }
    match chunks.as_slice() {
        [(JSON_CHUNK, json), (BINARY_CHUNK, binary), ..] => Ok(Chunks { json, binary: Some(binary) }),
        [(JSON_CHUNK, json), ..] => Ok(Chunks { json, binary: None }),
        [(other, _), ..] => broken(format!("the first chunk is of type {other:#010x}, not JSON")),
        [] => broken("it has no chunks".to_owned()),
    }
}

/// A little-endian word; callers have checked the length.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container written out by hand: JSON "{}  " and four binary bytes, 12 + 8 + 4 + 8 + 4 = 36 bytes.
    fn container() -> Vec<u8> {
        let mut bytes = b"glTF\x02\0\0\0\x24\0\0\0".to_vec();
        bytes.extend_from_slice(b"\x04\0\0\0JSON{}  ");
        bytes.extend_from_slice(b"\x04\0\0\0BIN\0\x01\x02\x03\x04");
        bytes
    }

    #[test]
    fn finds_both_chunks() {
        let bytes = container();
        assert_eq!(split(&bytes).unwrap(), Chunks { json: b"{}  ", binary: Some(&[1, 2, 3, 4]) });
    }

    #[test]
    fn every_truncation_is_a_container_error() {
        let bytes = container();
        for length in 0..bytes.len() {
            assert!(matches!(split(&bytes[..length]), Err(Problem::Container(_))), "cut at {length}");
        }
    }

    #[test]
    fn a_chunk_longer_than_the_file_is_an_error() {
        let mut bytes = container();
        bytes[12] = 0xff;
        let message = split(&bytes).unwrap_err().to_string();
        assert!(message.contains("chunk 0 states 255 bytes, 16 are left"), "{message}");
    }

    #[test]
    fn version_one_is_named() {
        let mut bytes = container();
        bytes[4] = 1;
        assert!(matches!(split(&bytes), Err(Problem::Version(_))));
    }
}
