//! Images of KHR_texture_basisu: KTX2 files with textures of Basis Universal.
//!
//! Why it exists: a backend transcodes such a texture to whatever blocks its device has, and no two devices show the same
//! texels. What the formats themselves say (ETC1S and UASTC decoded to R G B A of eight bits) is the one reading that all of
//! them approximate, and it is computed in integers, so that it is the same everywhere.

use basisu::{DecodeFlags, Error, SourceFormat, TargetFormat, Transcoder};

/// Width, height and format, by the header alone.
pub(in super::super) fn read_header(bytes: &[u8]) -> Result<([u32; 2], String), String> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    // KTX 2.0, section 3: pixelWidth, pixelHeight, pixelDepth, layerCount, faceCount; the descriptor's place; in it the
    // colour model, the first byte of the third word of its first block.
    let (Some(width), Some(height), Some(depth)) = (word(20), word(24), word(28)) else {
        return Err("its header is cut off".to_owned());
    };
    let (layers, faces) = (word(32).unwrap_or(0), word(36).unwrap_or(0));
    if width == 0 || height == 0 || depth != 0 || layers != 0 || faces != 1 {
        return Err("it is not one flat picture".to_owned());
    }
    let model = word(48).and_then(|descriptor| (descriptor as usize).checked_add(12)).and_then(|at| bytes.get(at));
    // Numbers of Khronos's data format specification.
    match model {
        Some(163) => Ok(([width, height], "KTX2 ETC1S".to_owned())),
        Some(166) => Ok(([width, height], "KTX2 UASTC".to_owned())),
        Some(other) => Err(format!("its colour model is {other}, neither ETC1S nor UASTC of Basis Universal")),
        None => Err("its data format descriptor is cut off".to_owned()),
    }
}

/// Checks where the parts of a file lie and how large they say that they are: the crate believes it.
fn check_places(bytes: &[u8], [width, height]: [u32; 2]) -> Result<(), String> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u64::from(u32::from_le_bytes(*word)));
    let long = |at: usize| bytes.get(at..)?.first_chunk().map(|long| u64::from_le_bytes(*long));
    let within = |what: &str, start: Option<u64>, length: Option<u64>| {
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        match end.filter(|end| *end <= bytes.len() as u64) {
            Some(_) => Ok(()),
            None => Err(format!("its {what} ends beyond the file")),
        }
    };
    within("data format descriptor", word(48), word(52))?;
    within("list of names and values", word(56), word(60))?;
    within("global data", long(64), long(72))?;
    // As many as a side of 2^31 pixels has.
    let levels = word(40).filter(|levels| (1..=32).contains(levels)).ok_or("it has no level, or more than any")?;
    for level in 0..levels as usize {
        let entry = 80 + 24 * level;
        within(&format!("level {level}"), long(entry), long(entry + 8))?;
    }
    // Blocks of 4 × 4 pixels in 16 bytes; only these are packed once more, by Zstandard (2).
    let blocks = 16 * u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4));
    match long(96) {
        Some(unpacked) if word(44) == Some(2) && unpacked != blocks => {
            Err(format!("its level 0 unpacks to {unpacked} bytes, and has {blocks}"))
        }
        _ => Ok(()),
    }
}

/// The largest level as R G B A bytes, of a file whose header has been [read](read_header).
pub(in super::super) fn decode(bytes: &[u8], size: [u32; 2]) -> Result<Vec<u8>, String> {
    check_places(bytes, size)?;
    let texture = Transcoder::new(bytes).map_err(|error| reason(&error))?;
    if !matches!(texture.source_format(), SourceFormat::Etc1s | SourceFormat::UastcLdr) || texture.is_video() {
        return Err("it is no picture of ETC1S or UASTC".to_owned());
    }
    texture.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(|error| reason(&error))
}

/// The crate's errors have no words of their own.
fn reason(error: &Error) -> String {
    match error {
        Error::InvalidData => "its data is damaged".to_owned(),
        Error::Truncated => "it ends too early".to_owned(),
        other => format!("{other:?}"),
    }
}
