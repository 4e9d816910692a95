//! PNG in and out.
//!
//! Why it exists: this is where bytes of strangers come in. Sizes are checked before anything is allocated, checksums
//! are verified, and a file that stops early is an error even when all of its pixels happened to arrive. What goes out
//! appears whole or not at all.

use std::{io::Cursor, path::Path};

use png::{BitDepth, ColorType, DecodingError, Transformations};

use super::{
    error::PictureError,
    files::{LARGEST_FILE, ReadError, read_signed, write_whole},
    interlaced::{Decoder, Passes},
    picture::{Picture, Samples},
};

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Deflate's best possible ratio: a match of 258 bytes in 2 bits (RFC 1951), 1032 to 1.
const DEFLATE_LARGEST_RATIO: u64 = 1032;

/// What the decoder may use beside the pixels and one row: metadata chunks.
const METADATA_BYTES: usize = 16 << 20;

impl Picture {
    /// Reads a PNG file: grey, grey with alpha, RGB, RGBA or palette, with or without tRNS, 1 to 16 bits, interlaced
    /// or not. Of an animated PNG the default image is read.
    ///
    /// # Errors
    /// All of [`PictureError`]'s reading variants: missing, empty, not a PNG, broken, cut off, too large.
    pub fn read(path: &Path) -> Result<Self, PictureError> {
        Self::decode(&Self::read_bytes(path)?, path)
    }

    /// As [`read`](Self::read), where the pixels may take no more than `allowed` bytes together with `beside` bytes a pixel for
    /// what will be made of them. Counted by the file's header, before anything is unpacked.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`PictureError::Memory`].
    pub fn read_within(path: &Path, allowed: u64, beside: u64) -> Result<Self, PictureError> {
        Self::decode_within(&Self::read_bytes(path)?, path, allowed, beside)
    }

    /// As [`read_within`](Self::read_within), of the bytes of a file that `path` names in errors.
    ///
    /// # Errors
    /// As [`read_within`](Self::read_within), but for those of reading.
    pub fn decode_within(bytes: &[u8], path: &Path, allowed: u64, beside: u64) -> Result<Self, PictureError> {
        if let Some(header) = PictureHeader::of(bytes) {
            let needed = header.bytes().saturating_add(header.pixels().saturating_mul(beside));
            let ((width, height), path) = (header.size, path.to_owned());
            if needed > allowed {
                return Err(PictureError::Memory { path, width, height, needed, allowed });
            }
        }
        Self::decode(bytes, path)
    }

    /// The bytes of a file, if it begins as a PNG does.
    ///
    /// # Errors
    /// [`PictureError::Read`], or [`PictureError::TooLong`].
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, PictureError> {
        let path_of = || path.to_owned();
        read_signed(path, &SIGNATURE, LARGEST_FILE).map_err(|error| match error {
            ReadError::Source(source) => PictureError::Read { path: path_of(), source },
            ReadError::TooLong => PictureError::TooLong { path: path_of(), limit: LARGEST_FILE },
        })
    }

    /// As [`read`](Self::read), from bytes in memory. `name` stands in the errors.
    ///
    /// # Errors
    /// As [`read`](Self::read), without [`PictureError::Read`].
    pub fn decode(bytes: &[u8], name: &Path) -> Result<Self, PictureError> {
        let mut reader = PictureReader::open(bytes, name)?;
        let (width, height) = reader.size();
        let length = width as usize * height as usize * 4;
        let samples = if reader.bits() == 8 {
            let mut samples = vec![0; length];
            reader.read_rows(&mut samples)?;
            Samples::Eight(samples)
        } else {
            let mut samples = vec![0; length];
            reader.read_wide_rows(&mut samples)?;
            Samples::Sixteen(samples)
        };
        reader.finish()?;
        Self::new(width, height, samples)
    }

    /// The picture as the bytes of a PNG file: RGB where every pixel is opaque, else RGBA; with an sRGB chunk.
    ///
    /// Equal pictures give equal bytes on every machine.
    ///
    /// # Errors
    /// [`PictureError::Write`] if the encoder refuses; `name` stands in the error.
    pub fn encode(&self, name: &Path) -> Result<Vec<u8>, PictureError> {
        let opaque = self.is_opaque();
        let data = match (self.samples(), opaque) {
            (Samples::Eight(samples), false) => samples.clone(),
            (Samples::Eight(samples), true) => without_alpha(samples),
            (Samples::Sixteen(samples), _) => {
                let channels = if opaque { 3 } else { 4 };
                let pixels = samples.as_chunks::<4>().0.iter();
                pixels.flat_map(|pixel| pixel[..channels].iter().flat_map(|sample| sample.to_be_bytes())).collect()
            }
        };
        let encode = || -> Result<Vec<u8>, png::EncodingError> {
            let mut bytes = Vec::with_capacity(data.len() / 4 + 1024);
            let mut encoder = png::Encoder::new(&mut bytes, self.width(), self.height());
            encoder.set_color(if opaque { ColorType::Rgb } else { ColorType::Rgba });
            encoder.set_depth(if self.bits() == 8 { BitDepth::Eight } else { BitDepth::Sixteen });
            encoder.set_compression(png::Compression::Fast);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&data)?;
            writer.finish()?;
            Ok(bytes)
        };
        encode().map_err(|error| PictureError::Write { path: name.to_owned(), source: error.into() })
    }

    /// Writes the picture as a PNG file, whole or not at all: a reader never sees half of it.
    ///
    /// # Errors
    /// [`PictureError::Write`] if the encoder or the file system refuses.
    pub fn write(&self, path: &Path) -> Result<(), PictureError> {
        let bytes = self.encode(path)?;
        write_whole(path, &bytes).map_err(|source| PictureError::Write { path: path.to_owned(), source })
    }
}

/// R G B A → R G B.
fn without_alpha(samples: &[u8]) -> Vec<u8> {
    let mut data = vec![0; samples.len() / 4 * 3];
    // Four pixels are three words, which are faster than twelve bytes one after the other.
    let (four_pixels, rest) = samples.as_chunks::<16>();
    let (three_words, last) = data.as_chunks_mut::<12>();
    for (out, pixels) in three_words.iter_mut().zip(four_pixels) {
        let pixels = pixels.as_chunks::<4>().0;
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| u32::from_le_bytes(pixels[i]) & 0x00ff_ffff);
        let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
        for (out, word) in out.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *out = word.to_le_bytes();
        }
    }
    for (out, pixel) in last.as_chunks_mut::<3>().0.iter_mut().zip(rest.as_chunks::<4>().0) {
        out.copy_from_slice(&pixel[..3]);
    }
    data
}

fn reason_of(error: &DecodingError) -> String {
    match error {
        DecodingError::IoError(_) => "the file ends too early".to_owned(),
        DecodingError::LimitsExceeded => format!("its metadata takes more than {} MiB", METADATA_BYTES >> 20),
        other => other.to_string(),
    }
}

/// What the header of a PNG file says, before anything is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureHeader {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Bits a sample when it is read: 8 or 16.
    pub bits: u32,
}

impl PictureHeader {
    /// Of a file's bytes; `None` where they are no PNG's. PNG specification, third edition, section 11.2.1.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word));
        let bits = if *bytes.get(24)? == 16 { 16 } else { 8 };
        let header = Self { size: (word(16)?, word(20)?), bits };
        bytes.starts_with(&SIGNATURE).then_some(header)
    }

    /// Pixels.
    #[must_use]
    pub fn pixels(&self) -> u64 {
        u64::from(self.size.0) * u64::from(self.size.1)
    }

    /// Bytes of all pixels, red, green, blue and alpha.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pixels().saturating_mul(u64::from(self.bits) / 2)
    }
}

/// A PNG file that is read from top to bottom.
///
/// Why it exists: a picture of 3840x2160 pixels takes 32 MiB, and getting those from the operating system takes longer
/// than looking at the pixels. Who needs each row only once can have a few at a time.
pub(super) struct PictureReader<'a> {
    name: &'a Path,
    rows: Rows<'a>,
    width: u32,
    height: u32,
    color: ColorType,
    depth: BitDepth,
    row_bytes: usize,
    row_buffer: Vec<u8>,
    /// The next row.
    row: usize,
}

/// Where rows come from.
enum Rows<'a> {
    /// One after the other.
    InOrder(Box<Decoder<'a>>),
    /// From seven passes.
    Interlaced(Passes<'a>),
}

/// A decoder that stands before the first row. `limit` is what it may take for what is no pixel.
fn decoder(bytes: &[u8], limit: usize) -> Result<Decoder<'_>, DecodingError> {
    let mut decoder = png::Decoder::new_with_options(Cursor::new(bytes), options());
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_limits(png::Limits { bytes: limit });
    decoder.read_info()
}

fn options() -> png::DecodeOptions {
    let mut options = png::DecodeOptions::default();
    options.set_ignore_checksums(false);
    // By itself the decoder forgives chunks without pixels. But a file that is damaged there is damaged, and whoever
    // hears "the same" takes it for whole.
    options.set_skip_ancillary_crc_failures(false);
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    options
}

impl<'a> PictureReader<'a> {
    /// Reads the header. `name` stands in the errors.
    pub(super) fn open(bytes: &'a [u8], name: &'a Path) -> Result<Self, PictureError> {
        if bytes.is_empty() {
            return Err(PictureError::Empty { path: name.to_owned() });
        }
        if !bytes.starts_with(&SIGNATURE[..SIGNATURE.len().min(bytes.len())]) {
            return Err(PictureError::NotPng { path: name.to_owned() });
        }
        let broken = |error| broken(name, &error);
        let mut header = png::Decoder::new_with_options(Cursor::new(bytes), options());
        let info = header.read_header_info().map_err(broken)?;
        let (width, height) = info.size();
        let raw_row = info.raw_row_length();
        if u64::from(width) * u64::from(height) > Picture::MAXIMUM_PIXELS {
            let limit = Picture::MAXIMUM_PIXELS;
            return Err(PictureError::TooLarge { path: name.to_owned(), width, height, limit });
        }
        // Interlacing only adds filter bytes, so this is a lower bound of what the compressed data must hold.
        let raw_bytes = (raw_row as u64 - 1) * u64::from(height);
        if raw_bytes / DEFLATE_LARGEST_RATIO > bytes.len() as u64 {
            let bytes = bytes.len() as u64;
            return Err(PictureError::TooShort { path: name.to_owned(), width, height, bytes });
        }
        // A row expands to eight bytes a pixel at most.
        let limit = METADATA_BYTES + raw_row + 8 * width as usize;
        let reader = decoder(bytes, limit).map_err(broken)?;
        if reader.info().frame_control.is_some_and(|frame| (frame.width, frame.height) != (width, height)) {
            let reason = "the default image of an animation does not fill the picture".to_owned();
            return Err(PictureError::Broken { path: name.to_owned(), reason });
        }
        if let Some(reason) = wrong_palette(reader.info()) {
            return Err(PictureError::Broken { path: name.to_owned(), reason });
        }
        let (color, depth) = reader.output_color_type();
        let row_bytes = reader.output_line_size(width).ok_or(DecodingError::LimitsExceeded).map_err(broken)?;
        let rows = if reader.info().interlaced {
            Rows::Interlaced(Passes::open((width, height), || decoder(bytes, limit)).map_err(broken)?)
        } else {
            Rows::InOrder(Box::new(reader))
        };
        let row_buffer = vec![0; row_bytes];
        Ok(Self { name, rows, width, height, color, depth, row_bytes, row_buffer, row: 0 })
    }

    /// Width and height in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Bits a sample of the picture: 8 or 16.
    pub(super) fn bits(&self) -> u32 {
        if self.depth == BitDepth::Sixteen { 16 } else { 8 }
    }

    /// The next rows of a picture of 8 bits as RGBA, as many as `samples` has room for.
    pub(super) fn read_rows(&mut self, samples: &mut [u8]) -> Result<(), PictureError> {
        for row in samples.chunks_exact_mut(self.width as usize * 4) {
            // A row goes straight from the decoder's cache to its place as RGBA, so that the picture is written once.
            if let (ColorType::Rgba, Rows::InOrder(reader)) = (self.color, &mut self.rows) {
                reader.read_row(row).map_err(|error| broken(self.name, &error))?;
            } else {
                let color = self.color;
                expand_row(color, self.next_row()?, row, u8::MAX);
            }
        }
        Ok(())
    }

    /// As [`read_rows`](Self::read_rows), in 16 bits, to which 8 bits convert exactly.
    pub(super) fn read_wide_rows(&mut self, samples: &mut [u16]) -> Result<(), PictureError> {
        if self.bits() == 8 {
            let mut narrow = vec![0; self.width as usize * 4];
            for row in samples.chunks_exact_mut(narrow.len()) {
                self.read_rows(&mut narrow)?;
                row.iter_mut().zip(&narrow).for_each(|(wide, narrow)| *wide = u16::from(*narrow) * 257);
            }
            return Ok(());
        }
        let color = self.color;
        let mut wide_row = vec![0_u16; self.row_bytes / 2];
        for row in samples.chunks_exact_mut(self.width as usize * 4) {
            for (sample, bytes) in wide_row.iter_mut().zip(self.next_row()?.as_chunks::<2>().0) {
                *sample = u16::from_be_bytes(*bytes);
            }
            expand_row(color, &wide_row, row, u16::MAX);
        }
        Ok(())
    }

    fn next_row(&mut self) -> Result<&[u8], PictureError> {
        let broken = |error| broken(self.name, &error);
        match &mut self.rows {
            Rows::InOrder(reader) => reader.read_row(&mut self.row_buffer).map(drop).map_err(broken)?,
            Rows::Interlaced(passes) => {
                let pixel_bytes = self.row_bytes / self.width as usize;
                passes.read_row(self.row, &mut self.row_buffer, pixel_bytes).map_err(broken)?;
            }
        }
        self.row += 1;
        Ok(&self.row_buffer)
    }

    /// To be called after the last row: the pixels are there, the rest of the file still has to be, with its checksums.
    pub(super) fn finish(self) -> Result<(), PictureError> {
        let last = match self.rows {
            Rows::InOrder(reader) => Some(*reader),
            Rows::Interlaced(passes) => passes.into_last(),
        };
        last.map_or(Ok(()), |mut reader| reader.finish()).map_err(|error| broken(self.name, &error))
    }
}

/// What is wrong with the palette of a picture that needs one; the decoder does not look, and would panic. PNG
/// specification, third edition, section 11.2.2.
fn wrong_palette(info: &png::Info<'_>) -> Option<String> {
    let length = info.palette.as_ref().filter(|_| info.color_type == ColorType::Indexed)?.len();
    let right = length % 3 == 0 && (1..=256).contains(&(length / 3));
    (!right).then(|| format!("its palette has {length} bytes, not three for each of 1 to 256 colours"))
}

fn broken(name: &Path, error: &DecodingError) -> PictureError {
    PictureError::Broken { path: name.to_owned(), reason: reason_of(error) }
}

fn expand_row<T: Copy>(color: ColorType, from: &[T], to: &mut [T], opaque: T) {
    let pixels = to.as_chunks_mut::<4>().0.iter_mut();
    match color {
        ColorType::Grayscale => {
            pixels.zip(from).for_each(|(pixel, &grey)| *pixel = [grey, grey, grey, opaque]);
        }
        ColorType::GrayscaleAlpha => {
            pixels.zip(from.as_chunks().0).for_each(|(pixel, &[grey, alpha])| *pixel = [grey, grey, grey, alpha]);
        }
        // The decoder has looked palettes up already.
        ColorType::Rgb | ColorType::Indexed => {
            pixels.zip(from.as_chunks().0).for_each(|(pixel, &[r, g, b])| *pixel = [r, g, b, opaque]);
        }
        ColorType::Rgba => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_without_alpha_are_the_other_samples() {
        for pixels in 0..10_u8 {
            let samples: Vec<u8> = (0..4 * pixels).map(|index| index.wrapping_mul(37)).collect();
            let expected: Vec<u8> = samples.chunks(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
            assert_eq!(without_alpha(&samples), expected, "{pixels}");
        }
    }

    /// Each byte of what is written is covered by a checksum, or is one, or says what follows.
    #[test]
    fn every_flipped_bit_of_a_written_file_is_an_error() {
        let samples = (0_u8..32).map(|index| index.wrapping_mul(37)).collect::<Vec<_>>();
        let bytes = Picture::from_rgba8(4, 2, samples).unwrap().encode(Path::new("written.png")).unwrap();
        for (place, bit) in (0..bytes.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << bit;
            assert!(Picture::decode(&flipped, Path::new("flipped.png")).is_err(), "byte {place}, bit {bit}");
        }
    }
}
