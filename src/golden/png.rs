//! PNG in and out.
//!
//! Why it exists: this is where bytes of strangers come in. Sizes are checked before anything is allocated, checksums
//! are verified, and a file that stops early is an error even when all of its pixels happened to arrive. What goes out
//! appears whole or not at all.

use std::{fs, io::Cursor, path::Path};

use png::{BitDepth, ColorType, DecodingError, Transformations};

use super::{
    error::PictureError,
    files::write_whole,
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

    pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, PictureError> {
        fs::read(path).map_err(|source| PictureError::Read { path: path.to_owned(), source })
    }

    /// As [`read`](Self::read), from bytes in memory. `name` stands in the errors.
    ///
    /// # Errors
    /// As [`read`](Self::read), without [`PictureError::Read`].
    pub fn decode(bytes: &[u8], name: &Path) -> Result<Self, PictureError> {
        if bytes.is_empty() {
            return Err(PictureError::Empty { path: name.to_owned() });
        }
        if !bytes.starts_with(&SIGNATURE[..SIGNATURE.len().min(bytes.len())]) {
            return Err(PictureError::NotPng { path: name.to_owned() });
        }
        let broken = |error: DecodingError| PictureError::Broken { path: name.to_owned(), reason: reason_of(&error) };

        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.ignore_checksums(false);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        decoder.set_transformations(Transformations::EXPAND);
        let info = decoder.read_header_info().map_err(broken)?;
        let (width, height) = info.size();
        let raw_row = info.raw_row_length();
        if u64::from(width) * u64::from(height) > Self::MAXIMUM_PIXELS {
            let limit = Self::MAXIMUM_PIXELS;
            return Err(PictureError::TooLarge { path: name.to_owned(), width, height, limit });
        }
        // Interlacing only adds filter bytes, so this is a lower bound of what the compressed data must hold.
        let raw_bytes = (raw_row as u64 - 1) * u64::from(height);
        if raw_bytes / DEFLATE_LARGEST_RATIO > bytes.len() as u64 {
            let bytes = bytes.len() as u64;
            return Err(PictureError::TooShort { path: name.to_owned(), width, height, bytes });
        }
        // A row expands to eight bytes a pixel at most.
        decoder.set_limits(png::Limits { bytes: METADATA_BYTES + raw_row + 8 * width as usize });
        let mut reader = decoder.read_info().map_err(broken)?;
        if reader.info().frame_control.is_some_and(|frame| (frame.width, frame.height) != (width, height)) {
            let reason = "the default image of an animation does not fill the picture".to_owned();
            return Err(PictureError::Broken { path: name.to_owned(), reason });
        }
        let samples = read_samples(&mut reader).map_err(broken)?;
        // The pixels are there; the rest of the file still has to be, with its checksums.
        reader.finish().map_err(broken)?;
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
            (Samples::Eight(samples), true) => {
                samples.as_chunks::<4>().0.iter().flat_map(|&[red, green, blue, _]| [red, green, blue]).collect()
            }
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

fn reason_of(error: &DecodingError) -> String {
    match error {
        DecodingError::IoError(_) => "the file ends too early".to_owned(),
        DecodingError::LimitsExceeded => format!("its metadata takes more than {} MiB", METADATA_BYTES >> 20),
        other => other.to_string(),
    }
}

/// All pixels of the default image, as RGBA.
fn read_samples(reader: &mut png::Reader<Cursor<&[u8]>>) -> Result<Samples, DecodingError> {
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let (color, depth) = reader.output_color_type();
    let row_bytes = reader.output_line_size(width as u32).ok_or(DecodingError::LimitsExceeded)?;
    let whole = if reader.info().interlaced {
        let mut raw = vec![0; row_bytes * height];
        reader.next_frame(&mut raw)?;
        Some(raw)
    } else {
        None
    };
    let mut row_buffer = vec![0; if whole.is_some() { 0 } else { row_bytes }];

    // A row goes straight from the decoder's cache to its place as RGBA, so that the picture is written once.
    if depth == BitDepth::Sixteen {
        let mut samples = vec![0_u16; width * height * 4];
        let mut wide_row = vec![0_u16; row_bytes / 2];
        for (index, row) in samples.chunks_exact_mut(width * 4).enumerate() {
            let bytes = match &whole {
                Some(raw) => &raw[index * row_bytes..][..row_bytes],
                None => {
                    reader.read_row(&mut row_buffer)?;
                    &row_buffer
                }
            };
            for (sample, bytes) in wide_row.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *sample = u16::from_be_bytes(*bytes);
            }
            expand_row(color, &wide_row, row, u16::MAX);
        }
        Ok(Samples::Sixteen(samples))
    } else {
        let mut samples = vec![0_u8; width * height * 4];
        for (index, row) in samples.chunks_exact_mut(width * 4).enumerate() {
            match &whole {
                Some(raw) => expand_row(color, &raw[index * row_bytes..][..row_bytes], row, u8::MAX),
                None if color == ColorType::Rgba => {
                    reader.read_row(row)?;
                }
                None => {
                    reader.read_row(&mut row_buffer)?;
                    expand_row(color, &row_buffer, row, u8::MAX);
                }
            }
        }
        Ok(Samples::Eight(samples))
    }
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
