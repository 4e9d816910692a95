//! An envelope as a file.
//!
//! Why in this form: boxes differ from pixel to pixel, but as offsets from the golden most of them are one of a few
//! shapes, so a pixel is a byte or two that compress to nearly nothing; and bands unpack on all processors at once.

use std::{collections::HashMap, io::Write, path::Path};

use flate2::{Compression, write::ZlibEncoder};

use super::{
    Envelope, EnvelopeError, EnvelopeRow, PixelBox,
    layout::{
        BACKGROUND, ESCAPE, FIXED_BYTES, MOST_SHAPES, NONE, PROFILE_BYTES, SIGNATURE, Shape, VERSION, ends,
        subtract_bytes, twice,
    },
};
use crate::{files::write_whole, hash::xxh64, picture::Picture};
use refrast_threads::each;

/// Pixels of a band: enough to compress well, few enough that a large picture has several bands for each processor.
const BAND_PIXELS: usize = 1 << 17;

impl Envelope {
    /// The envelope as the bytes of a file. Equal envelopes of one golden give equal bytes.
    ///
    /// # Errors
    /// [`EnvelopeError::Size`] where `golden` has another size; [`EnvelopeError::Write`] if the compressor refuses,
    /// with `name` in the error.
    pub fn encode(&self, golden: &Picture, name: &Path) -> Result<Vec<u8>, EnvelopeError> {
        self.fits(golden)?;
        let samples = golden.samples8();
        let golden = samples.as_chunks::<4>().0;
        let width = self.width as usize;
        let band_rows = BAND_PIXELS.div_ceil(width).min(self.height as usize);
        let shapes = self.common_shapes(golden);
        let codes: HashMap<Shape, u8> = shapes.iter().copied().zip(0..).collect();
        let encoder = BandEncoder { codes, background: self.background };
        let parts: Vec<_> = self.rows.chunks(band_rows).zip(golden.chunks(band_rows * width)).collect();
        let bands: Vec<(usize, Vec<u8>)> = each(parts.len(), 1, |band| encoder.encode(parts[band].0, parts[band].1))
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|source| EnvelopeError::Write { path: name.to_owned(), source })?;

        let mut profile = [0; PROFILE_BYTES];
        profile[..self.profile.len()].copy_from_slice(self.profile.as_bytes());
        let mut bytes = Vec::with_capacity(
            FIXED_BYTES + 8 * (shapes.len() + bands.len() + 1) + bands.iter().map(|band| band.1.len()).sum::<usize>(),
        );
        bytes.extend(SIGNATURE);
        for number in [VERSION, self.width, self.height, band_rows as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.golden_hash.to_le_bytes());
        bytes.extend(ends(self.background.low, self.background.high).to_le_bytes());
        bytes.extend(profile);
        bytes.extend((shapes.len() as u32).to_le_bytes());
        bytes.extend((bands.len() as u32).to_le_bytes());
        bytes.extend(shapes.iter().flat_map(|shape| shape.to_le_bytes()));
        for (unpacked, packed) in &bands {
            bytes.extend((packed.len() as u32).to_le_bytes());
            bytes.extend((*unpacked as u32).to_le_bytes());
        }
        bytes.extend(xxh64(&bytes, 0).to_le_bytes());
        bands.iter().for_each(|(_, packed)| bytes.extend(packed));
        Ok(bytes)
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), and [`EnvelopeError::Write`] if the file system refuses.
    pub fn write(&self, golden: &Picture, path: &Path) -> Result<(), EnvelopeError> {
        let bytes = self.encode(golden, path)?;
        write_whole(path, &bytes).map_err(|source| EnvelopeError::Write { path: path.to_owned(), source })
    }

    /// The shapes that most boxes have, most frequent first.
    fn common_shapes(&self, golden: &[[u8; 4]]) -> Vec<Shape> {
        let mut counts: HashMap<Shape, u64> = HashMap::new();
        let mut run = (0, 0);
        for (row, golden) in self.rows.iter().zip(golden.chunks(self.width as usize)) {
            for (own, golden) in boxes_with_golden(row, golden) {
                let shape = shape(&own, golden);
                if shape == run.0 {
                    run.1 += 1;
                } else {
                    *counts.entry(run.0).or_default() += run.1;
                    run = (shape, 1);
                }
            }
        }
        *counts.entry(run.0).or_default() += run.1;
        let mut shapes: Vec<(u64, Shape)> = counts.into_iter().map(|(shape, count)| (count, shape)).collect();
        // A shape that is used once costs as much in the table as in its place.
        shapes.retain(|&(count, _)| count > 1);
        shapes.sort_by_key(|&(count, shape)| (u64::MAX - count, shape));
        shapes.into_iter().take(MOST_SHAPES).map(|(_, shape)| shape).collect()
    }
}

fn shape(own: &PixelBox, golden: [u8; 4]) -> Shape {
    subtract_bytes(ends(own.low, own.high), twice(golden))
}

/// The boxes that are there, first ones before the others.
fn boxes_with_golden<'a>(
    row: &'a EnvelopeRow,
    golden: &'a [[u8; 4]],
) -> impl Iterator<Item = (PixelBox, [u8; 4])> + 'a {
    let first = row.low.iter().zip(&row.high).map(|(&low, &high)| PixelBox::new(low, high));
    let first = first.zip(golden.iter().copied()).filter(|(own, _)| !own.is_empty());
    first.chain(row.others.iter().map(|&(column, own)| (own, golden[column as usize])))
}

struct BandEncoder {
    codes: HashMap<Shape, u8>,
    background: PixelBox,
}

impl BandEncoder {
    /// The length of the band and its compressed bytes.
    fn encode(&self, rows: &[EnvelopeRow], golden: &[[u8; 4]]) -> std::io::Result<(usize, Vec<u8>)> {
        let width = rows.first().map_or(1, EnvelopeRow::len);
        let (mut first, mut counts) = (Vec::with_capacity(golden.len()), vec![0_u8; golden.len()]);
        let (mut others, mut loose) = (Vec::new(), Vec::new());
        let (mut escapes, mut escapes_of_others) = (Vec::new(), Vec::new());
        for (y, (row, golden)) in rows.iter().zip(golden.chunks(width)).enumerate() {
            for ((&low, &high), &golden) in row.low.iter().zip(&row.high).zip(golden) {
                let own = PixelBox::new(low, high);
                first.push(if own.is_empty() { NONE } else { self.code(&own, shape(&own, golden), &mut escapes) });
            }
            for &(column, own) in &row.others {
                counts[y * width + column as usize] += 1;
                others.push(self.code(&own, shape(&own, golden[column as usize]), &mut escapes_of_others));
                loose.push(u8::from(own.loose));
            }
        }
        escapes.extend(escapes_of_others);
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        for part in [&first, &counts, &others, &loose] {
            encoder.write_all(part)?;
        }
        for byte in 0..8 {
            let plane: Vec<u8> = escapes.iter().map(|shape: &Shape| shape.to_le_bytes()[byte]).collect();
            encoder.write_all(&plane)?;
        }
        let unpacked = encoder.total_in() as usize;
        Ok((unpacked, encoder.finish()?))
    }

    fn code(&self, own: &PixelBox, shape: Shape, escapes: &mut Vec<Shape>) -> u8 {
        if let Some(&code) = self.codes.get(&shape) {
            return code;
        }
        if (own.low, own.high) == (self.background.low, self.background.high) {
            return BACKGROUND;
        }
        escapes.push(shape);
        ESCAPE
    }
}
