//! Finds and decodes images.
//!
//! Why it exists: a texel must be the same number on every machine, so the rules are written down. Every image becomes
//! eight-bit RGBA. Sixteen-bit samples are rounded to the nearest eight-bit one (c · 255 ÷ 65535), grey is copied to
//! all three colours, palettes and transparent colours are resolved, CMYK becomes (1 − C)(1 − K) per colour. Colour
//! profiles, gamma chunks and EXIF rotation are ignored, as glTF says (section 3.8.3).

use std::{borrow::Cow, io::Cursor};

use gltf::json;
use rayon::prelude::*;

#[cfg(feature = "basisu")]
use super::compressed::basisu;
use super::{
    document::Document,
    error::{OneLine, Problem, Result, SceneError},
    files::LARGEST_FILE,
    jpeg,
    model::{Image, Material, Texture},
    remark::RemarkKind,
    texture_use,
};

/// The most pixels that an image may have: a header can claim billions in a few bytes.
const PIXEL_LIMIT: u64 = 1 << 26;
/// How much of an image is read of which only the header is wanted.
const HEADER_BYTES: u64 = 1 << 20;

/// A decoded image and the format of its file, for people.
pub(super) type Decoded = (Image, String);

/// Width and height, the format, and whether it is stored with losses.
pub(super) type Header = ([u32; 2], String, bool);

/// Decodes the images that materials draw, in parallel; returns the formats of all. Of the others the header is read where
/// that is possible, and of all of them where pixels are not wanted.
pub(super) fn read(
    document: &Document,
    materials: &[Material],
    textures: &[Texture],
) -> Result<(Vec<Image>, Vec<String>)> {
    texture_use::remark_on_textures(document, materials, textures);
    let drawn = texture_use::drawn_images(document, materials, textures);
    let mut images = Vec::with_capacity(drawn.len());
    let mut formats = Vec::with_capacity(drawn.len());
    let mut encoded = Vec::new();
    for (index, drawn) in drawn.into_iter().enumerate() {
        let name = name(&document.root.images[index]);
        let (size, format) = if drawn {
            let bytes = find(document, index, LARGEST_FILE)?;
            let header = read_header(&bytes).map_err(|reason| undecodable(document, index, reason))?;
            let [width, height] = header.0.map(u64::from);
            if header.2 {
                document.note(RemarkKind::ImageLossy, format!("images[{index}]"), format!("is a {}", header.1));
            }
            if document.wants_pixels {
                let place = place(&document.root.images[index], index);
                // A JPEG's file is kept, for who asks what other decoders make of it.
                let kept = if matches!(Kind::of(&bytes), Ok(Kind::Jpeg)) { bytes.len() as u64 } else { 0 };
                document.reserve(width.saturating_mul(height).saturating_mul(4).saturating_add(kept), &place)?;
                encoded.push((index, bytes));
            }
            (header.0, header.1)
        } else {
            let header = find(document, index, HEADER_BYTES).ok().and_then(|bytes| read_header(&bytes).ok());
            header.map_or(([0; 2], String::new()), |(size, format, _)| (size, format))
        };
        images.push(Image { name, width: size[0], height: size[1], rgba: Vec::new(), jpeg: None });
        formats.push(format);
    }
    let decoded: Vec<std::result::Result<Decoded, String>> =
        encoded.par_iter().map(|(_, bytes)| decode(bytes)).collect();
    for ((index, _), result) in encoded.iter().zip(decoded) {
        let (image, _) = result.map_err(|reason| undecodable(document, *index, reason))?;
        (images[*index].rgba, images[*index].jpeg) = (image.rgba, image.jpeg);
    }
    Ok((images, formats))
}

fn undecodable(document: &Document, index: usize, reason: String) -> SceneError {
    document.error(place(&document.root.images[index], index), Problem::Image { reason })
}

/// The JSON path of an image and where its bytes lie, by which people find it: `images[3] 'hat' (bufferViews[7])`.
pub(super) fn place(image: &json::Image, index: usize) -> String {
    let name = image.name.as_ref().map_or_else(String::new, |name| format!(" '{name}'"));
    let bytes = match (&image.uri, image.buffer_view) {
        (Some(uri), _) if uri.starts_with("data:") => " (a data URI)".to_owned(),
        (Some(uri), _) => format!(" ({uri})"),
        (None, Some(view)) => format!(" (bufferViews[{}])", view.value()),
        (None, None) => String::new(),
    };
    // It stands in messages of other rooms, too.
    OneLine(format_args!("images[{index}]{name}{bytes}")).to_string()
}

/// The name, or the URI where it is one that people can read.
fn name(image: &json::Image) -> Option<String> {
    image.name.clone().or_else(|| image.uri.clone().filter(|uri| !uri.starts_with("data:")))
}

/// The encoded bytes, of a file at most the first `most`.
fn find(document: &Document, index: usize, most: u64) -> Result<Cow<'_, [u8]>> {
    let image = &document.root.images[index];
    let place = format!("images[{index}]");
    match (&image.uri, image.buffer_view) {
        // Who wants pixels keeps the files until all of them are decoded.
        (Some(uri), None) if document.wants_pixels => {
            document.fetch_counted(uri, &format!("{place}.uri"), most).map(Cow::Owned)
        }
        (Some(uri), None) => document.fetch(uri, &format!("{place}.uri"), most).map(Cow::Owned),
        (None, Some(view)) => Ok(Cow::Borrowed(document.view(view.value(), &format!("{place}.bufferView"))?.bytes)),
        (None, None) => Err(document.error(place, Problem::Missing("its uri or bufferView".to_owned()))),
        (Some(_), Some(_)) => {
            Err(document.error(place, Problem::Value("has a uri and a bufferView; only one is allowed".to_owned())))
        }
    }
}

/// A kind of file, told apart by content.
#[derive(Clone, Copy)]
enum Kind {
    Png,
    Jpeg,
    WebP,
    #[cfg(feature = "basisu")]
    Ktx2,
}

impl Kind {
    fn of(bytes: &[u8]) -> std::result::Result<Self, String> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Ok(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Ok(Self::Jpeg)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Ok(Self::WebP)
        } else if bytes.starts_with(b"\xabKTX 20\xbb") {
            #[cfg(feature = "basisu")]
            return Ok(Self::Ktx2);
            #[cfg(not(feature = "basisu"))]
            Err("it is a KTX2 texture, which only builds with --features basisu read".to_owned())
        } else {
            Err("it is no PNG, JPEG or WebP".to_owned())
        }
    }
}

/// Decodes a PNG, JPEG or WebP.
fn decode(bytes: &[u8]) -> std::result::Result<Decoded, String> {
    match Kind::of(bytes)? {
        Kind::Png => decode_png(bytes),
        Kind::Jpeg => jpeg::decode(bytes),
        Kind::WebP => decode_webp(bytes),
        #[cfg(feature = "basisu")]
        Kind::Ktx2 => decode_ktx2(bytes),
    }
}

/// What the header says, without decoding.
fn read_header(bytes: &[u8]) -> std::result::Result<Header, String> {
    match Kind::of(bytes)? {
        Kind::Png => {
            let mut decoder = png::Decoder::new(Cursor::new(bytes));
            let header = decoder.read_header_info().map_err(|error| error.to_string())?;
            Ok(([header.width, header.height], png_format(header), false))
        }
        Kind::Jpeg => jpeg::read_header(bytes),
        Kind::WebP => {
            let mut decoder = open_webp(bytes)?;
            let (width, height) = decoder.dimensions();
            Ok(([width, height], webp_format(&mut decoder).to_owned(), decoder.is_lossy()))
        }
        #[cfg(feature = "basisu")]
        Kind::Ktx2 => {
            let (size, format) = basisu::read_header(bytes)?;
            Ok((size, format, true))
        }
    }
}

fn png_format(info: &png::Info<'_>) -> String {
    format!("PNG {:?} {} bit", info.color_type, info.bit_depth as u8)
}

/// Refuses sizes beyond the limit, before anything of that size is allocated.
pub(super) fn check_size(width: u32, height: u32) -> std::result::Result<(), String> {
    if u64::from(width) * u64::from(height) <= PIXEL_LIMIT {
        Ok(())
    } else {
        Err(format!("it has {width} × {height} pixels, more than the limit of {PIXEL_LIMIT}"))
    }
}

fn decode_png(bytes: &[u8]) -> std::result::Result<Decoded, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Palettes, transparent colours and fewer than eight bits are resolved; sixteen bits stay, for rounding here.
    decoder.set_transformations(png::Transformations::EXPAND);
    let header = decoder.read_header_info().map_err(|error| error.to_string())?;
    check_size(header.width, header.height)?;
    let format = png_format(header);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    // The decoder does not look, and would panic.
    let palette = reader.info().palette.as_ref().map_or(3, |palette| palette.len());
    if reader.info().color_type == png::ColorType::Indexed && (palette % 3 != 0 || !(1..=256).contains(&(palette / 3)))
    {
        return Err(format!("its palette has {palette} bytes, not three for each of 1 to 256 colours"));
    }
    let size = reader.output_buffer_size().ok_or("it is too large")?;
    let mut samples = vec![0; size];
    let info = reader.next_frame(&mut samples).map_err(|error| error.to_string())?;
    samples.truncate(info.buffer_size());
    if info.bit_depth == png::BitDepth::Sixteen {
        samples = samples.as_chunks::<2>().0.iter().map(|sample| to_eight_bits(u16::from_be_bytes(*sample))).collect();
    }
    let rgba = to_rgba(&samples, info.color_type.samples())?;
    Ok((Image { name: None, width: info.width, height: info.height, rgba, jpeg: None }, format))
}

type WebPDecoder<'a> = image_webp::WebPDecoder<Cursor<&'a [u8]>>;

fn open_webp(bytes: &[u8]) -> std::result::Result<WebPDecoder<'_>, String> {
    image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(|error| error.to_string())
}

fn webp_format(decoder: &mut WebPDecoder<'_>) -> &'static str {
    match (decoder.is_lossy(), decoder.has_alpha()) {
        (true, true) => "WebP lossy RGBA 8 bit",
        (true, false) => "WebP lossy RGB 8 bit",
        (false, true) => "WebP lossless RGBA 8 bit",
        (false, false) => "WebP lossless RGB 8 bit",
    }
}

/// The picture, or the first one of an animation, which glTF does not show (EXT_texture_webp).
fn decode_webp(bytes: &[u8]) -> std::result::Result<Decoded, String> {
    let mut decoder = open_webp(bytes)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height)?;
    let size = decoder.output_buffer_size().ok_or("it is too large")?;
    let mut samples = vec![0; size];
    decoder.read_image(&mut samples).map_err(|error| error.to_string())?;
    let rgba = to_rgba(&samples, if decoder.has_alpha() { 4 } else { 3 })?;
    Ok((Image { name: None, width, height, rgba, jpeg: None }, webp_format(&mut decoder).to_owned()))
}

#[cfg(feature = "basisu")]
fn decode_ktx2(bytes: &[u8]) -> std::result::Result<Decoded, String> {
    let ([width, height], format) = basisu::read_header(bytes)?;
    check_size(width, height)?;
    let rgba = basisu::decode(bytes, [width, height])?;
    Ok((Image { name: None, width, height, rgba, jpeg: None }, format))
}

/// The nearest of c · 255 ÷ 65535 = c ÷ 257; there are no ties, as 257 is odd.
pub(super) fn to_eight_bits(sample: u16) -> u8 {
    ((u32::from(sample) + 128) / 257) as u8
}

/// Spreads grey, grey with alpha, RGB or RGBA to RGBA.
pub(super) fn to_rgba(samples: &[u8], channels: usize) -> std::result::Result<Vec<u8>, String> {
    let spread = |pixel: &[u8]| match *pixel {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [red, green, blue] => [red, green, blue, 255],
        [red, green, blue, alpha, ..] => [red, green, blue, alpha],
        [] => [0; 4],
    };
    if samples.is_empty() {
        return Err("it has no pixels".to_owned());
    }
    Ok(samples.chunks_exact(channels).flat_map(spread).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a PNG with the crate's encoder; the decoder's expectations below are worked out by hand.
    fn png(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![10, 20, 30, 40, 50, 60]);
            encoder.set_trns(vec![255, 7]);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn grey_is_copied_to_all_colours() {
        let (image, format) = decode(&png(2, 1, png::ColorType::Grayscale, png::BitDepth::Eight, &[3, 200])).unwrap();
        assert_eq!(image.rgba, [3, 3, 3, 255, 200, 200, 200, 255]);
        assert_eq!((image.width, image.height, format.as_str()), (2, 1, "PNG Grayscale 8 bit"));
    }

    #[test]
    fn few_bits_are_stretched_to_the_full_range() {
        // Two bits: 0, 1, 2, 3 become 0, 85, 170, 255.
        let bytes = png(4, 1, png::ColorType::Grayscale, png::BitDepth::Two, &[0b00_01_10_11]);
        let red: Vec<u8> = decode(&bytes).unwrap().0.rgba.chunks(4).map(|pixel| pixel[0]).collect();
        assert_eq!(red, [0, 85, 170, 255]);
    }

    #[test]
    fn palettes_and_their_transparency_are_resolved() {
        let bytes = png(2, 1, png::ColorType::Indexed, png::BitDepth::Eight, &[1, 0]);
        assert_eq!(decode(&bytes).unwrap().0.rgba, [40, 50, 60, 7, 10, 20, 30, 255]);
    }

    #[test]
    fn a_palette_that_is_not_made_of_colours_is_refused() {
        for length in [4, 5, 767] {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(vec![1; length]);
            encoder.write_header().unwrap().write_image_data(&[0]).unwrap();
            let error = decode(&bytes).unwrap_err();
            assert!(error.contains(&format!("{length} bytes")), "{error}");
        }
    }

    #[test]
    fn sixteen_bits_are_rounded_to_nearest() {
        for sample in 0..=u16::MAX {
            let exact = f64::from(sample) * 255.0 / 65535.0;
            assert!((f64::from(to_eight_bits(sample)) - exact).abs() < 0.5, "{sample}");
        }
        // 0x0080 = 128 is 0.498 of a step, 0x0081 = 129 is 0.502: cutting the low byte would give 0 for both.
        let bytes = png(1, 1, png::ColorType::Rgb, png::BitDepth::Sixteen, &[0x00, 0x80, 0x00, 0x81, 0xff, 0xff]);
        assert_eq!(decode(&bytes).unwrap().0.rgba, [0, 1, 255, 255]);
    }

    /// Bytes from hexadecimal digits.
    fn bytes(digits: &str) -> Vec<u8> {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap() as u8;
        digits.as_bytes().as_chunks::<2>().0.iter().map(|[high, low]| digit(high) * 16 + digit(low)).collect()
    }

    /// Written by libwebp 1.6, with the pixels that it was given.
    #[test]
    fn lossless_webp_keeps_every_bit() {
        let file = bytes(
            "5249464642000000574542505650384c360000002f014000101f202021e4ff35833c51dbb60de3feffbb9942244002dafd7fd526a6\
             21e692597ac1b32adf6d0b4a020440514622fa1f03",
        );
        let (image, format) = decode(&file).unwrap();
        assert_eq!((image.width, image.height, format.as_str()), (2, 2, "WebP lossless RGBA 8 bit"));
        assert_eq!(image.rgba, [255, 0, 0, 255, 0, 200, 10, 128, 1, 2, 3, 0, 250, 251, 252, 7]);
        assert_eq!(read_header(&file).unwrap(), ([2, 2], format, false));
    }

    /// Written, and read for comparison, by libwebp 1.6.
    #[test]
    fn lossy_webp_is_what_libwebp_reads() {
        let file = bytes(
            "5249464654000000574542505650382048000000d001009d012a0400040001402625980274010ef8ba080000feea5de3ea08eb52e6\
             8a04377184f11fd5d280b65d4e4bfb407dfff95da9f5bf77ff47262a3fa77418fbfff26b480000",
        );
        let (image, format) = decode(&file).unwrap();
        assert_eq!((image.width, image.height, format.as_str()), (4, 4, "WebP lossy RGB 8 bit"));
        let expected: [[u8; 3]; 16] = [
            [0, 2, 2],
            [35, 9, 25],
            [100, 13, 60],
            [137, 20, 82],
            [20, 60, 39],
            [56, 67, 61],
            [122, 70, 97],
            [160, 76, 118],
            [22, 130, 67],
            [60, 136, 90],
            [126, 140, 124],
            [164, 146, 145],
            [46, 187, 103],
            [85, 194, 125],
            [151, 197, 161],
            [189, 204, 183],
        ];
        let expected: Vec<u8> = expected.iter().flat_map(|[red, green, blue]| [*red, *green, *blue, 255]).collect();
        assert_eq!(image.rgba, expected);
        // The last bytes are there for nothing.
        for length in 0..file.len() / 2 {
            assert!(decode(&file[..length]).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn of_a_moving_webp_the_first_picture_is_shown() {
        let file = bytes(
            "524946468800000057454250565038580a00000002000000010000000000414e494d06000000000000000000414e4d462a000000000000\
             000000010000000000000000025650384c110000002f0100000007508a2ad4a3ff8188e87f0000414e4d462a0000000000000000000100\
             00000000000000005650384c110000002f0100000007508a22d7a3ff8188e87f0000",
        );
        assert_eq!(decode(&file).unwrap().0.rgba, [10, 20, 30, 255].repeat(2));
    }

    #[test]
    fn a_bomb_is_refused_by_its_header() {
        let mut bytes = png(1, 1, png::ColorType::Grayscale, png::BitDepth::Eight, &[0]);
        // Width and height lie at bytes 16 and 20 of the file; the checksum of the header follows at 29.
        bytes[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        let checksum = crc32(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
        let reason = decode(&bytes).unwrap_err();
        assert!(reason.contains("65536 × 65536 pixels"), "{reason}");
    }

    /// The CRC of the PNG specification, annex D, bit by bit.
    fn crc32(bytes: &[u8]) -> u32 {
        let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
        !bytes.iter().fold(!0, byte)
    }

    #[test]
    fn a_cut_image_is_an_error() {
        let bytes = png(8, 8, png::ColorType::Rgb, png::BitDepth::Eight, &[9; 192]);
        assert!(decode(&bytes[..bytes.len() / 2]).is_err());
        assert!(decode(b"GIF89a").is_err());
        assert!(decode(b"\xff\xd8\xff\xe0").is_err());
    }
}
