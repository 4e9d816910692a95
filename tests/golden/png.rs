//! PNG files of every kind, good and bad.

use std::path::Path;

use proptest::prelude::*;
use refrast::golden::{Picture, PictureError, Samples};

/// A PNG made by the encoder of the png crate, with whatever header is asked for.
struct Source {
    width: u32,
    height: u32,
    color: png::ColorType,
    depth: png::BitDepth,
    palette: Option<Vec<u8>>,
    transparency: Option<Vec<u8>>,
    data: Vec<u8>,
}

fn encode(source: Source) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, source.width, source.height);
    encoder.set_color(source.color);
    encoder.set_depth(source.depth);
    if let Some(palette) = source.palette {
        encoder.set_palette(palette);
    }
    if let Some(transparency) = source.transparency {
        encoder.set_trns(transparency);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&source.data).unwrap();
    writer.finish().unwrap();
    bytes
}

fn decode(bytes: &[u8]) -> Result<Picture, PictureError> {
    Picture::decode(bytes, Path::new("picture.png"))
}

fn two_pixels(color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Source {
    Source { width: 2, height: 1, color, depth, palette: None, transparency: None, data: data.to_vec() }
}

#[test]
fn every_colour_type_becomes_rgba_without_loss() {
    use png::{BitDepth as Depth, ColorType as Color};
    let eight = |source| match decode(&encode(source)).unwrap().samples() {
        Samples::Eight(samples) => samples.clone(),
        Samples::Sixteen(_) => panic!("16 bits"),
    };
    let sixteen = |source| match decode(&encode(source)).unwrap().samples() {
        Samples::Sixteen(samples) => samples.clone(),
        Samples::Eight(_) => panic!("8 bits"),
    };
    // PNG specification, third edition, section 13.12: n-bit samples scale by 255 / (2^n - 1).
    assert_eq!(eight(two_pixels(Color::Grayscale, Depth::One, &[0b0100_0000])), [0, 0, 0, 255, 255, 255, 255, 255]);
    assert_eq!(eight(two_pixels(Color::Grayscale, Depth::Two, &[0b0110_0000])), [85, 85, 85, 255, 170, 170, 170, 255]);
    assert_eq!(eight(two_pixels(Color::Grayscale, Depth::Four, &[0x1e])), [17, 17, 17, 255, 238, 238, 238, 255]);
    assert_eq!(eight(two_pixels(Color::Grayscale, Depth::Eight, &[7, 9])), [7, 7, 7, 255, 9, 9, 9, 255]);
    assert_eq!(eight(two_pixels(Color::GrayscaleAlpha, Depth::Eight, &[7, 1, 9, 2])), [7, 7, 7, 1, 9, 9, 9, 2]);
    assert_eq!(eight(two_pixels(Color::Rgb, Depth::Eight, &[1, 2, 3, 4, 5, 6])), [1, 2, 3, 255, 4, 5, 6, 255]);
    assert_eq!(eight(two_pixels(Color::Rgba, Depth::Eight, &[1, 2, 3, 4, 5, 6, 7, 8])), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        sixteen(two_pixels(Color::Grayscale, Depth::Sixteen, &[1, 2, 3, 4])),
        [0x102, 0x102, 0x102, 0xffff, 0x304, 0x304, 0x304, 0xffff]
    );
    assert_eq!(
        sixteen(two_pixels(Color::Rgba, Depth::Sixteen, &[0, 1, 0, 2, 0, 3, 0, 4, 1, 0, 2, 0, 3, 0, 4, 0])),
        [1, 2, 3, 4, 0x100, 0x200, 0x300, 0x400]
    );
}

#[test]
fn palettes_and_transparent_colours_are_looked_up() {
    use png::{BitDepth as Depth, ColorType as Color};
    let palette = Source {
        palette: Some(vec![10, 20, 30, 40, 50, 60]),
        transparency: Some(vec![99]),
        ..two_pixels(Color::Indexed, Depth::Eight, &[1, 0])
    };
    assert_eq!(*decode(&encode(palette)).unwrap().samples8(), [40, 50, 60, 255, 10, 20, 30, 99]);
    // tRNS of RGB names one colour in 16-bit numbers; pixels of exactly that colour are transparent.
    let key = Source {
        transparency: Some(vec![0, 1, 0, 2, 0, 3]),
        ..two_pixels(Color::Rgb, Depth::Eight, &[1, 2, 3, 1, 2, 4])
    };
    assert_eq!(*decode(&encode(key)).unwrap().samples8(), [1, 2, 3, 0, 1, 2, 4, 255]);
}

/// A 3x3 grey picture, interlaced by hand: Adam7 gives passes 1 (0,0), 4 (2,0), 5 (0,2), (2,2), 6 (1,0), (1,2), 7 the
/// second row. Written with a stored deflate block, so that nothing but this test knows how to make it.
/// The decoder panics at these: found by the fuzz target `picture`.
#[test]
fn a_palette_that_is_not_made_of_colours_is_an_error() {
    for length in [4, 5, 767] {
        let palette = Some(vec![1; length]);
        let bytes = encode(Source { palette, ..two_pixels(png::ColorType::Indexed, png::BitDepth::Eight, &[0, 0]) });
        let error = decode(&bytes).unwrap_err().to_string();
        assert!(error.contains(&format!("its palette has {length} bytes")), "{error}");
    }
}

#[test]
fn interlaced_pictures_are_put_together() {
    let passes: [&[u8]; 5] = [&[0, 11], &[0, 13], &[0, 31, 33], &[0, 12, 0, 32], &[0, 21, 22, 23]];
    let raw = passes.concat();
    let mut zlib = vec![0x78, 0x01, 0x01, raw.len() as u8, 0, !(raw.len() as u8), 0xff];
    zlib.extend(&raw);
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in &raw {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    zlib.extend((high << 16 | low).to_be_bytes());
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut bytes, *b"IHDR", &[0, 0, 0, 3, 0, 0, 0, 3, 8, 0, 0, 0, 1]);
    chunk(&mut bytes, *b"IDAT", &zlib);
    chunk(&mut bytes, *b"IEND", &[]);
    let picture = decode(&bytes).unwrap();
    let greys: Vec<u8> = picture.samples8().iter().step_by(4).copied().collect();
    assert_eq!(greys, [11, 12, 13, 21, 22, 23, 31, 32, 33]);

    let checksum = bytes.iter().position(|&byte| byte == 33).unwrap() + 12;
    bytes[checksum] ^= 1;
    assert!(matches!(decode(&bytes), Err(PictureError::Broken { .. })));
}

/// Appends a chunk with its CRC (PNG specification, annex D).
fn chunk(bytes: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    bytes.extend((data.len() as u32).to_be_bytes());
    let start = bytes.len();
    bytes.extend(name);
    bytes.extend(data);
    let crc = bytes[start..].iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 })
    });
    bytes.extend((!crc).to_be_bytes());
}

fn sample_file() -> Vec<u8> {
    let data: Vec<u8> = (0..64 * 48 * 3_u32).map(|index| (index * index % 251) as u8).collect();
    encode(Source {
        width: 64,
        height: 48,
        color: png::ColorType::Rgb,
        depth: png::BitDepth::Eight,
        palette: None,
        transparency: None,
        data,
    })
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = sample_file();
    decode(&bytes).unwrap();
    for length in 0..bytes.len() {
        let error = decode(&bytes[..length]).expect_err("a file that lacks its end");
        assert!(error.to_string().starts_with("picture.png: "), "{error}");
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_harmless() {
    // Every byte is under a checksum except the chunk lengths and the signature, which are checked by what they say.
    let bytes = sample_file();
    for index in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[index] ^= 0x10;
        assert!(decode(&broken).is_err(), "byte {index}");
    }
}

#[test]
fn a_wrong_adler_checksum_under_right_crcs_is_an_error() {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut bytes, *b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
    let good = [0x78, 0x01, 0x01, 2, 0, !2, 0xff, 0, 77, 0, 0x4f, 0, 0];
    // Adler-32 of the bytes 0, 77: low = 1 + 77 = 78 = 0x4e, high = 1 + 78 = 79 = 0x4f.
    let with = |adler: u8| {
        let mut bytes = bytes.clone();
        let mut zlib = good;
        zlib[12] = adler;
        chunk(&mut bytes, *b"IDAT", &zlib);
        chunk(&mut bytes, *b"IEND", &[]);
        bytes
    };
    assert_eq!(*decode(&with(0x4e)).unwrap().samples8(), [77, 77, 77, 255]);
    assert!(matches!(decode(&with(0x4f)), Err(PictureError::Broken { .. })));
}

#[test]
fn bombs_are_refused_before_anything_is_allocated() {
    let header = |width: u32, height: u32| {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut data = [width.to_be_bytes(), height.to_be_bytes()].concat();
        data.extend([8, 6, 0, 0, 0]);
        chunk(&mut bytes, *b"IHDR", &data);
        chunk(&mut bytes, *b"IDAT", &[0x78, 0x01, 3, 0, 0, 0, 0, 1]);
        chunk(&mut bytes, *b"IEND", &[]);
        bytes
    };
    assert!(matches!(decode(&header(1 << 30, 1 << 30)), Err(PictureError::TooLarge { .. })));
    assert!(matches!(decode(&header(1 << 15, 1 << 14)), Err(PictureError::TooLarge { .. })));
    assert!(matches!(decode(&header(1 << 14, 1 << 14)), Err(PictureError::TooShort { .. })));
    assert!(matches!(decode(&header(0, 5)), Err(PictureError::Broken { .. })));
    assert!(matches!(decode(&header(1, 1)), Err(PictureError::Broken { .. })), "no pixels in the data");
}

#[test]
fn what_is_not_a_png_says_so() {
    assert!(matches!(decode(b""), Err(PictureError::Empty { .. })));
    assert!(matches!(decode(b"GIF89a"), Err(PictureError::NotPng { .. })));
    assert!(matches!(decode(b"\x89PNG\r\n"), Err(PictureError::Broken { .. })), "cut off inside the signature");
}

#[test]
fn written_files_are_srgb_and_equal_pictures_give_equal_bytes() {
    let picture = Picture::from_rgba8(5, 3, (0..60).collect::<Vec<u8>>()).unwrap();
    let bytes = picture.encode(Path::new("a.png")).unwrap();
    assert_eq!(bytes, picture.clone().encode(Path::new("b.png")).unwrap());
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert!(reader.info().srgb.is_some());
    assert_eq!(reader.info().color_type, png::ColorType::Rgba);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        (width, height, samples) in (1_u32..40, 1_u32..20).prop_flat_map(|(width, height)| {
            let count = (width * height * 4) as usize;
            (Just(width), Just(height), prop::collection::vec(any::<u16>(), count))
        }),
        opaque in any::<bool>(),
    ) {
        let alpha = |index: usize, sample: u16| if opaque && index % 4 == 3 { u16::MAX } else { sample };
        let sixteen: Vec<u16> = samples.iter().enumerate().map(|(index, &sample)| alpha(index, sample)).collect();
        let eight: Vec<u8> = sixteen.iter().map(|&sample| (sample >> 8) as u8).collect();
        for samples in [Samples::Eight(eight), Samples::Sixteen(sixteen)] {
            let picture = Picture::new(width, height, samples).unwrap();
            let read = decode(&picture.encode(Path::new("picture.png")).unwrap()).unwrap();
            prop_assert_eq!(&read, &picture);
            prop_assert_eq!(read.content_hash(), picture.content_hash());
        }
    }
}
