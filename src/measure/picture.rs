//! [`Picture`]: pixels as a file on disk holds them.
//!
//! Why it exists: goldens and candidates come from any program, in grey, RGB or palette, with 8 or 16 bits. The
//! metrics should see one layout, and nothing may be lost on the way to it.

use std::borrow::Cow;

use super::{
    error::PictureError,
    hash::{Xxh64, xxh64},
};

/// An RGBA picture: rows from top to bottom, pixels from left to right, four samples a pixel, alpha not premultiplied.
///
/// Samples are the stored ones: no colour management, no gamma. Grey is repeated in red, green and blue; a palette is
/// looked up; missing alpha is opaque; 1-, 2- and 4-bit samples are scaled to 8 bits (exactly, 255 is a multiple of 1,
/// 3 and 15); 16-bit samples stay 16-bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    samples: Samples,
}

/// The samples of a [`Picture`]: 4 · width · height of them, RGBA interleaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Samples {
    /// 8 bits a sample.
    Eight(Vec<u8>),
    /// 16 bits a sample.
    Sixteen(Vec<u16>),
}

impl Picture {
    /// The largest picture that is read, in pixels: 16384 x 16384, or 1 GiB in memory with 8 bits a sample.
    pub const MAXIMUM_PIXELS: u64 = 1 << 28;

    /// A picture from samples in memory.
    ///
    /// # Errors
    /// [`PictureError::Shape`] unless there are exactly 4 · width · height samples and at least one pixel.
    pub fn new(width: u32, height: u32, samples: Samples) -> Result<Self, PictureError> {
        let expected = (u64::from(width) * u64::from(height)).saturating_mul(4);
        let found = match &samples {
            Samples::Eight(samples) => samples.len(),
            Samples::Sixteen(samples) => samples.len(),
        };
        if expected == 0 || found as u64 != expected {
            return Err(PictureError::Shape { width, height, expected, found });
        }
        Ok(Self { width, height, samples })
    }

    /// A picture from 8-bit RGBA bytes, as a frame buffer gives them.
    ///
    /// # Errors
    /// [`PictureError::Shape`] unless there are exactly 4 · width · height bytes and at least one pixel.
    pub fn from_rgba8(width: u32, height: u32, bytes: impl Into<Vec<u8>>) -> Result<Self, PictureError> {
        Self::new(width, height, Samples::Eight(bytes.into()))
    }

    /// The same size with other samples, of which there must be as many.
    pub(super) fn with_samples(&self, samples: Samples) -> Self {
        Self { width: self.width, height: self.height, samples }
    }

    /// Width in pixels, at least 1.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels, at least 1.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Bits a sample: 8 or 16.
    #[must_use]
    pub fn bits(&self) -> u32 {
        match self.samples {
            Samples::Eight(_) => 8,
            Samples::Sixteen(_) => 16,
        }
    }

    /// The samples, RGBA interleaved.
    #[must_use]
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The pixel at column `x` of row `y`, in the picture's own bits; `None` outside the picture.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u16; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let index = (y as usize * self.width as usize + x as usize) * 4;
        Some(match &self.samples {
            Samples::Eight(samples) => std::array::from_fn(|channel| u16::from(samples[index + channel])),
            Samples::Sixteen(samples) => std::array::from_fn(|channel| samples[index + channel]),
        })
    }

    /// The samples in 16 bits. Eight-bit ones become 257 · sample, which is the exact conversion (65535 = 257 · 255).
    #[must_use]
    pub fn samples16(&self) -> Cow<'_, [u16]> {
        match &self.samples {
            Samples::Eight(samples) => Cow::Owned(samples.iter().map(|&sample| u16::from(sample) * 257).collect()),
            Samples::Sixteen(samples) => Cow::Borrowed(samples),
        }
    }

    /// The samples in 8 bits: 16-bit ones are divided by 257 and rounded to nearest. Used where a metric is defined on
    /// 8 bits only.
    #[must_use]
    pub fn samples8(&self) -> Cow<'_, [u8]> {
        match &self.samples {
            Samples::Eight(samples) => Cow::Borrowed(samples),
            Samples::Sixteen(samples) => Cow::Owned(samples.iter().map(|&sample| to_eight_bits(sample)).collect()),
        }
    }

    /// Whether all pixels are equal: nothing was drawn, or nothing that differs from the background.
    #[must_use]
    pub fn is_one_color(&self) -> bool {
        fn all_equal<T: PartialEq>(samples: &[T]) -> bool {
            let (pixels, _) = samples.as_chunks::<4>();
            pixels.windows(2).all(|pair| pair[0] == pair[1])
        }
        match &self.samples {
            Samples::Eight(samples) => all_equal(samples),
            Samples::Sixteen(samples) => all_equal(samples),
        }
    }

    /// Whether every pixel has the largest alpha.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        // Many pixels are asked together, which vectors do, and then whether to go on.
        const TOGETHER: usize = 1024;
        match &self.samples {
            Samples::Eight(samples) => samples
                .as_chunks::<4>()
                .0
                .chunks(TOGETHER)
                .all(|pixels| pixels.iter().fold(u8::MAX, |all, pixel| all & pixel[3]) == u8::MAX),
            Samples::Sixteen(samples) => samples
                .as_chunks::<4>()
                .0
                .chunks(TOGETHER)
                .all(|pixels| pixels.iter().fold(u16::MAX, |all, pixel| all & pixel[3]) == u16::MAX),
        }
    }

    /// A hash of the size, the bits and the pixels; the file format, its compression and its metadata do not count.
    ///
    /// XXH64 over the samples (16-bit ones little-endian), seeded with the XXH64 (seed 0) of width, height and bits
    /// as three little-endian u32. This definition will not change.
    #[must_use]
    pub fn content_hash(&self) -> u64 {
        let mut hasher = content_hasher(self.size(), self.bits());
        match &self.samples {
            Samples::Eight(samples) => hasher.update(samples),
            Samples::Sixteen(samples) => {
                for samples in samples.chunks(4096) {
                    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
                    hasher.update(&bytes);
                }
            }
        }
        hasher.finish()
    }
}

/// [`Picture::content_hash`] of samples that come piece by piece.
pub(super) fn content_hasher((width, height): (u32, u32), bits: u32) -> Xxh64 {
    Xxh64::new(xxh64(&[width, height, bits].map(u32::to_le_bytes).concat(), 0))
}

/// A 16-bit sample in 8 bits, rounded to nearest: 65535 = 257 · 255.
pub(super) fn to_eight_bits(sample: u16) -> u8 {
    // (65535 + 128) / 257 = 255, so the value always fits.
    ((u32::from(sample) + 128) / 257) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_hash_is_the_documented_one() {
        // Python, xxhash package: xxh64(pixels, seed=xxh64(struct.pack('<III', width, height, bits)).intdigest())
        let eight = Picture::from_rgba8(3, 2, (0..24).collect::<Vec<u8>>()).unwrap();
        assert_eq!(eight.content_hash(), 0x8b89_1570_113e_90af);
        let samples = (0..12).map(|index| index * 1000).collect();
        let sixteen = Picture::new(3, 1, Samples::Sixteen(samples)).unwrap();
        assert_eq!(sixteen.content_hash(), 0x9851_ff7e_5965_70ff);
    }

    #[test]
    fn the_content_hash_sees_the_shape() {
        let wide = Picture::from_rgba8(6, 1, vec![7; 24]).unwrap();
        let tall = Picture::from_rgba8(1, 6, vec![7; 24]).unwrap();
        assert_ne!(wide.content_hash(), tall.content_hash());
    }

    #[test]
    fn sixteen_bits_round_trip_every_eight_bit_value_and_round_to_nearest() {
        for sample in 0..=255_u8 {
            let picture = Picture::from_rgba8(1, 1, vec![sample; 4]).unwrap();
            assert_eq!(to_eight_bits(picture.samples16()[0]), sample);
        }
        // 128 / 257 = 0.498 -> 0; 129 / 257 = 0.502 -> 1; 65406 / 257 = 254.498 -> 254; 65407 / 257 = 254.502 -> 255.
        assert_eq!([128, 129, 65406, 65407].map(to_eight_bits), [0, 1, 254, 255]);
    }

    #[test]
    fn a_wrong_number_of_samples_is_refused() {
        for (width, height, length) in [(2, 2, 15), (2, 2, 17), (0, 2, 0), (2, 0, 0), (u32::MAX, u32::MAX, 4)] {
            let error = Picture::from_rgba8(width, height, vec![0; length]).unwrap_err();
            assert!(matches!(error, PictureError::Shape { .. }), "{error}");
        }
    }

    #[test]
    fn pixels_outside_the_picture_are_none() {
        let picture = Picture::from_rgba8(2, 1, vec![1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!(picture.pixel(1, 0), Some([5, 6, 7, 8]));
        assert_eq!(picture.pixel(2, 0), None);
        assert_eq!(picture.pixel(0, 1), None);
    }
}
