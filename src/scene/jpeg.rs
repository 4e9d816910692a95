//! JPEG images: the texels that are drawn, and what the file leaves to whoever decodes it.
//!
//! Why it exists: ITU-T T.81 fixes the coefficients of a JPEG and no texel. Its inverse cosine transform is "ideal" (A.3.3), and
//! how a decoder computes and rounds it is its own matter within the tests of T.83; how samples that are stored more coarsely, as
//! colour differences mostly are, become as many as there are texels is said nowhere; and the conversion to red, green and blue is
//! JFIF's, in real numbers. refrast's texels are those of one decoder. [`JpegComponents`] has what they were made of.

use std::io::Cursor;

use jpeg_decoder::{CodingProcess, ColorTransform, Decoder, PixelFormat};

use super::{
    image::{Decoded, Header, check_size, to_eight_bits, to_rgba},
    model::Image,
};

/// What the header says, without decoding.
pub(super) fn read_header(bytes: &[u8]) -> Result<Header, String> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.read_info().map_err(|error| error.to_string())?;
    let info = decoder.info().ok_or("it has no header")?;
    Ok(([info.width.into(), info.height.into()], format(info.pixel_format).to_owned(), true))
}

fn format(format: PixelFormat) -> &'static str {
    match format {
        PixelFormat::L8 => "JPEG grey 8 bit",
        PixelFormat::L16 => "JPEG grey 16 bit",
        PixelFormat::RGB24 => "JPEG RGB 8 bit",
        PixelFormat::CMYK32 => "JPEG CMYK 8 bit",
    }
}

/// The picture, with its file where that leaves its texels to the decoder.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, String> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.read_info().map_err(|error| error.to_string())?;
    let info = decoder.info().ok_or("it has no header")?;
    check_size(u32::from(info.width), u32::from(info.height))?;
    let mut samples = decoder.decode().map_err(|error| error.to_string())?;
    let channels = match info.pixel_format {
        PixelFormat::L8 => 1,
        PixelFormat::L16 => {
            samples =
                samples.as_chunks::<2>().0.iter().map(|sample| to_eight_bits(u16::from_ne_bytes(*sample))).collect();
            1
        }
        PixelFormat::RGB24 => 3,
        PixelFormat::CMYK32 => {
            samples = samples.as_chunks::<4>().0.iter().flat_map(|ink| cmyk_to_rgb(*ink)).collect();
            3
        }
    };
    let rgba = to_rgba(&samples, channels)?;
    let is_cosines = info.coding_process != CodingProcess::Lossless;
    let jpeg = (is_cosines && matches!(info.pixel_format, PixelFormat::L8 | PixelFormat::RGB24)).then(|| bytes.into());
    let format = format(info.pixel_format).to_owned();
    Ok((Image { name: None, width: info.width.into(), height: info.height.into(), rgba, jpeg }, format))
}

/// Ink to light: (1 − C)(1 − K), rounded to the nearest step.
fn cmyk_to_rgb([cyan, magenta, yellow, black]: [u8; 4]) -> [u8; 3] {
    let light = |ink: u8| ((u32::from(255 - ink) * u32::from(255 - black) + 127) / 255) as u8;
    [light(cyan), light(magenta), light(yellow)]
}

/// What the components of a JPEG stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JpegKind {
    /// One component, for all three colours.
    Grey,
    /// Luminance and two colour differences around 128 (JFIF 1.02, from ITU-R BT.601): red is Y + 1.402·(Cr − 128), green
    /// Y − 0.344136·(Cb − 128) − 0.714136·(Cr − 128), blue Y + 1.772·(Cb − 128).
    Differences,
    /// Red, green and blue as they are.
    Colors,
}

/// The components of a JPEG of one or three, a sample of each for every texel, as the reference decodes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JpegComponents {
    /// Texels a row, and rows.
    pub size: [usize; 2],
    /// What they stand for.
    pub kind: JpegKind,
    /// By component, texels from the top; one component of a grey picture, else three. Where a stored sample is for several texels, the
    /// reference has filled in between them.
    pub samples: Vec<Vec<u8>>,
    /// By component, the texels along x and y that a stored sample is for. Where both are 1 or 2 and not both 1, the reference
    /// weighs the sample of a texel three quarters and the next one a quarter, along each axis that has 2; elsewhere it takes the texel's own.
    pub texels_a_sample: Vec<[usize; 2]>,
}

impl JpegComponents {
    /// The components of an image; `None` where it is no JPEG, or one whose components are not looked into.
    #[must_use]
    pub fn of(image: &Image) -> Option<Self> {
        Self::read(image.jpeg.as_deref()?, &image.rgba)
    }

    /// The components of a file of which `rgba` are the texels.
    #[must_use]
    pub fn read(file: &[u8], rgba: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(Cursor::new(file));
        decoder.read_info().ok()?;
        let info = decoder.info()?;
        let count = if info.pixel_format == PixelFormat::L8 { 1 } else { 3 };
        if count == 3 {
            // Three components as they are, whatever they stand for.
            decoder.set_color_transform(ColorTransform::RGB);
        }
        let stored = decoder.decode().ok()?;
        let size = [info.width, info.height].map(usize::from);
        if stored.len() != count * size[0] * size[1] || rgba.len() != 4 * size[0] * size[1] {
            return None;
        }
        // Of all pictures with colour differences only one of the middle grey looks the same as stored.
        let is_grey = stored.iter().all(|own| *own == 128);
        let is_as_stored =
            || !is_grey && stored.chunks_exact(3).zip(rgba.chunks_exact(4)).all(|(own, texel)| *own == texel[..3]);
        let kind = match count {
            1 => JpegKind::Grey,
            _ if is_as_stored() => JpegKind::Colors,
            _ => JpegKind::Differences,
        };
        let samples = (0..count).map(|own| stored.iter().copied().skip(own).step_by(count).collect()).collect();
        let texels_a_sample = texels_a_sample(file).filter(|own| own.len() == count)?;
        Some(Self { size, kind, samples, texels_a_sample })
    }
}

/// By component, how many texels a stored sample is for along x and y: by the sampling factors of the frame's header (T.81, B.2.2).
fn texels_a_sample(file: &[u8]) -> Option<Vec<[usize; 2]>> {
    let mut rest = file.get(2..)?;
    loop {
        let &[0xff, marker, ..] = rest else { return None };
        // Any number of bytes 255 may stand before a marker.
        if marker == 0xff {
            rest = &rest[1..];
            continue;
        }
        let length = usize::from(u16::from_be_bytes([*rest.get(2)?, *rest.get(3)?]));
        let segment = rest.get(4..2 + length)?;
        // Start of frame: baseline, extended sequential, progressive. Of others no samples are looked into.
        if (0xc0..=0xc2).contains(&marker) {
            let components = segment.get(6..)?.as_chunks::<3>().0;
            let factors = || components.iter().map(|&[_, factors, _]| [factors >> 4, factors & 15].map(usize::from));
            let most = factors().reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])])?;
            let own = |[across, down]: [usize; 2]| Some([most[0].checked_div(across)?, most[1].checked_div(down)?]);
            // A picture of one component has a sample a texel, whatever it says.
            let alone = components.len() == 1;
            return factors().map(|factors| if alone { Some([1, 1]) } else { own(factors) }).collect();
        }
        rest = rest.get(2 + length..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cmyk_is_ink() {
        assert_eq!(cmyk_to_rgb([0, 0, 0, 0]), [255; 3]);
        assert_eq!(cmyk_to_rgb([255, 0, 0, 0]), [0, 255, 255]);
        // Half black halves everything: 255 · 128 / 255 = 128.
        assert_eq!(cmyk_to_rgb([0, 255, 0, 127]), [128, 0, 128]);
    }

    /// An 8 × 8 JPEG of one colour, written bit by bit: quantisation by 8 makes each DC coefficient the sample − 128,
    /// and the Huffman tables have four bits for each of the eight DC sizes and one bit for "no more coefficients".
    fn jpeg(samples: &[u8]) -> Vec<u8> {
        let count = samples.len() as u8;
        let mut bytes = vec![0xff, 0xd8, 0xff, 0xee, 0, 14];
        // The Adobe segment with transform 0: the samples are what they are (and CMYK is inverted).
        bytes.extend_from_slice(b"Adobe\0\x64\0\0\0\0\0");
        bytes.extend_from_slice(&[0xff, 0xdb, 0, 67, 0]);
        bytes.extend_from_slice(&[8; 64]);
        bytes.extend_from_slice(&[0xff, 0xc0, 0, 8 + 3 * count, 8, 0, 8, 0, 8, count]);
        (0..count).for_each(|id| bytes.extend_from_slice(&[id, 0x11, 0]));
        bytes.extend_from_slice(&[0xff, 0xc4, 0, 27, 0x00, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7]);
        bytes.extend_from_slice(&[0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend_from_slice(&[0xff, 0xda, 0, 6 + 2 * count, count]);
        (0..count).for_each(|id| bytes.extend_from_slice(&[id, 0]));
        bytes.extend_from_slice(&[0, 63, 0]);

        let mut bits = String::new();
        for sample in samples {
            let value = i32::from(*sample) - 128;
            let size = (i32::BITS - value.abs().leading_zeros()) as usize;
            // A negative value is stored as itself − 1 in `size` bits (JPEG, section F.1.2.1).
            let stored = if value < 0 { value - 1 + (1 << size) } else { value };
            bits += &format!("{size:04b}");
            bits += &if size > 0 { format!("{stored:0size$b}") } else { String::new() };
            bits += "0";
        }
        while !bits.len().is_multiple_of(8) {
            bits += "1";
        }
        for byte in bits.as_bytes().chunks(8).map(|byte| byte.iter().fold(0, |byte, bit| byte * 2 + (bit - b'0'))) {
            bytes.push(byte);
            // A data byte of 255 is followed by 0, lest it be taken for a marker.
            bytes.extend((byte == 0xff).then_some(0));
        }
        bytes.extend_from_slice(&[0xff, 0xd9]);
        bytes
    }

    #[test]
    fn jpegs_of_every_kind_become_rgba() {
        let (image, format) = decode(&jpeg(&[178])).unwrap();
        assert_eq!((image.width, image.height, format.as_str()), (8, 8, "JPEG grey 8 bit"));
        assert_eq!(image.rgba, [178, 178, 178, 255].repeat(64));
        let (image, format) = decode(&jpeg(&[200, 100, 50])).unwrap();
        assert_eq!((image.rgba, format.as_str()), ([200, 100, 50, 255].repeat(64), "JPEG RGB 8 bit"));
        // Adobe stores 255 − ink: no cyan, 254 magenta, no yellow, 51 black. Light: 204, 1 · 204/255, 204.
        let (image, format) = decode(&jpeg(&[255, 1, 255, 204])).unwrap();
        assert_eq!((image.rgba, format.as_str()), ([204, 1, 204, 255].repeat(64), "JPEG CMYK 8 bit"));
    }

    #[test]
    fn components_are_told_with_the_texels_that_a_sample_is_for() {
        let (grey, _) = decode(&jpeg(&[178])).unwrap();
        let components = JpegComponents::of(&grey).unwrap();
        assert_eq!((components.kind, components.size), (JpegKind::Grey, [8, 8]));
        assert_eq!((components.samples, components.texels_a_sample), (vec![vec![178; 64]], vec![[1, 1]]));
        // The Adobe segment says that these are colours.
        let (colors, _) = decode(&jpeg(&[200, 100, 50])).unwrap();
        let components = JpegComponents::of(&colors).unwrap();
        assert_eq!(components.kind, JpegKind::Colors);
        assert_eq!(components.samples, [vec![200; 64], vec![100; 64], vec![50; 64]]);
        // What has four inks, and what is no JPEG, is not looked into.
        assert_eq!(JpegComponents::of(&decode(&jpeg(&[255, 1, 255, 204])).unwrap().0), None);
        assert_eq!(JpegComponents::of(&Image { jpeg: None, ..colors }), None);
    }

    #[test]
    fn sampling_factors_are_those_of_the_frames_header() {
        // After the start of the image an application's segment of two bytes, a fill byte, then the frame: 8 bits, 16 x 16, three
        // components of factors 2x2, 1x1 and 1x2 (T.81, table B.2).
        let frame = [0xff, 0xc2, 0, 17, 8, 0, 16, 0, 16, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x12, 1];
        let file = [&[0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff][..], &frame].concat();
        assert_eq!(texels_a_sample(&file), Some(vec![[1, 1], [2, 2], [2, 1]]));
        for length in 0..file.len() {
            assert_eq!(texels_a_sample(&file[..length]), None, "cut at {length}");
        }
    }
}
