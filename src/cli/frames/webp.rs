//! Frames as WebP: every pixel as it is, in far less room than an animated PNG.
//!
//! Why it exists: the encoder of `image-webp` writes stills. What an animation has around them is a few numbers, so they are
//! written here: RFC 9649, section 2.7.

use std::borrow::Cow;

use image_webp::{ColorType, WebPEncoder};
use refrast_golden::Picture;

/// Bits of VP8X: there is an animation, and pixels have alpha.
const ANIMATED: u8 = 0b0000_0010;
const HAS_ALPHA: u8 = 0b0001_0000;
/// A frame's flags: its pixels take the place of those before, rather than being blended with them.
const REPLACES: u8 = 0b0000_0010;
/// The longest that a frame can be shown, in milliseconds: 24 bits.
const LONGEST: u32 = (1 << 24) - 1;

/// A picture, or an animation that repeats for ever.
pub(super) fn webp(frames: &[Picture], rate: f32) -> Result<Vec<u8>, String> {
    let first = frames.first().ok_or("there is no frame")?;
    if let [still] = frames {
        return encode(still);
    }
    let mut body = chunk(b"VP8X", &[&[ANIMATED | HAS_ALPHA, 0, 0, 0][..], &sides(first)].concat());
    // The background, which nobody sees, and how often it is played: 0 is for ever.
    body.extend(chunk(b"ANIM", &[0; 6]));
    for (index, frame) in frames.iter().enumerate() {
        let shown = (milliseconds(index + 1, rate) - milliseconds(index, rate)).clamp(1, LONGEST);
        let still = encode(frame)?;
        let picture = pixels(&still).ok_or("the encoder has written no lossless picture")?;
        // At the upper left corner, as large as the whole.
        let head = [&[0; 6][..], &sides(frame), &shown.to_le_bytes()[..3], &[REPLACES]].concat();
        body.extend(chunk(b"ANMF", &[&head, picture].concat()));
    }
    let length = u32::try_from(body.len() + 4).map_err(|_| "a WebP file has at most 4 GiB")?;
    Ok([b"RIFF", &length.to_le_bytes()[..], b"WEBP", &body].concat())
}

/// A lossless still.
fn encode(picture: &Picture) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let (width, height) = picture.size();
    let pixels = Cow::into_owned(picture.samples8());
    match WebPEncoder::new(&mut bytes).encode(&pixels, width, height, ColorType::Rgba8) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(format!("{error}; a WebP picture has at most 16384 pixels a side")),
    }
}

/// The chunk of a still that holds its pixels, with its head.
fn pixels(still: &[u8]) -> Option<&[u8]> {
    let mut rest = still.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    loop {
        let (head, data) = rest.split_at_checked(8)?;
        let length = u32::from_le_bytes(*head.last_chunk()?) as usize;
        let padded = length + length % 2;
        if head.starts_with(b"VP8L") {
            return rest.get(..8 + padded);
        }
        rest = data.get(padded..)?;
    }
}

/// A chunk: name, length, content, and a byte more where that is odd.
fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut bytes = [name, &(content.len() as u32).to_le_bytes()[..], content].concat();
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes
}

/// Width and height, each less one in 24 bits.
fn sides(picture: &Picture) -> [u8; 6] {
    let [[a, b, c, _], [d, e, f, _]] = [picture.width(), picture.height()].map(|side| (side - 1).to_le_bytes());
    [a, b, c, d, e, f]
}

/// When a frame begins, rounded from the beginning so that no error adds up.
fn milliseconds(index: usize, rate: f32) -> u32 {
    (index as f64 * 1000.0 / f64::from(rate)).round() as u32
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image_webp::{LoopCount, WebPDecoder};

    use super::*;

    /// Frames of an odd size, each with a pixel of its own and one that is half transparent.
    fn frames() -> Vec<Picture> {
        let frame = |value: u8| {
            let mut bytes = [value, 40, 0, 255].repeat(5 * 3);
            bytes[7 * 4..8 * 4].copy_from_slice(&[1, value, 3, 128]);
            Picture::from_rgba8(5, 3, bytes).expect("fifteen pixels")
        };
        vec![frame(0), frame(200), frame(100)]
    }

    #[test]
    fn an_animation_is_read_back_pixel_by_pixel() {
        let bytes = webp(&frames(), 30.0).expect("it can be encoded");
        assert_eq!(bytes.len() as u32, 8 + u32::from_le_bytes(*bytes[4..].first_chunk().expect("a length")));
        let mut decoder = WebPDecoder::new(Cursor::new(bytes)).expect("a header");
        assert_eq!((decoder.dimensions(), decoder.num_frames(), decoder.is_lossy()), ((5, 3), 3, false));
        assert!(decoder.is_animated() && decoder.has_alpha() && decoder.loop_count() == LoopCount::Forever);
        // A thirtieth of a second is 33.3 milliseconds.
        for (frame, shown) in frames().iter().zip([33, 34, 33]) {
            let mut pixels = vec![0; decoder.output_buffer_size().expect("a small frame")];
            assert_eq!(decoder.read_frame(&mut pixels).expect("a frame"), shown);
            assert_eq!(pixels, frame.samples8().as_ref());
        }
    }

    #[test]
    fn one_frame_is_a_still() {
        let bytes = webp(&frames()[..1], 30.0).expect("it can be encoded");
        let mut decoder = WebPDecoder::new(Cursor::new(bytes)).expect("a header");
        let mut pixels = vec![0; decoder.output_buffer_size().expect("a small frame")];
        decoder.read_image(&mut pixels).expect("a picture");
        assert!(!decoder.is_animated() && pixels == frames()[0].samples8().as_ref());
        let wide = Picture::from_rgba8(16_385, 1, vec![0; 16_385 * 4]).expect("a row");
        assert!(webp(&[wide], 1.0).is_err_and(|error| error.contains("at most 16384 pixels a side")));
    }
}
