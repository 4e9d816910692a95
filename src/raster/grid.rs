//! [`Grid`]: the numbers that the integer arithmetic stands on.
//!
//! Why it exists: every bound that it relies on (size, grid bits, guard band) is derived here, once, from checked settings.

use std::ops::Range;

use refrast_draw::{Convention, DepthBias, DepthFormat, MAX_SIZE, RasterError, RasterSettings, SampleCount};

/// Pixels a tile side, by samples a pixel: constant where the number of samples is.
pub(crate) const fn tile_size(samples: usize) -> usize {
    if samples == 1 { LARGEST_TILE } else { 32 }
}

/// Pixels a side of the largest tile.
pub(crate) const LARGEST_TILE: usize = 64;

/// Pixels a band at most, where a row of tiles has no more. A finished tile waits there until its rows can be put
/// together: as much as a picture of 4K takes, so that a larger one needs no second copy of itself.
const BAND_PIXELS: usize = 1 << 23;

/// Some rows of tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    /// Their numbers.
    pub(crate) tiles: Range<usize>,
    /// The picture's rows that they hold.
    pub(crate) rows: Range<usize>,
}

/// A picture on its grid.
///
/// With `b` grid bits, coordinates stay within ±2^30 units: the guard band is ±min(2^15, 2^(30 − b)) pixels.
/// Differences of coordinates are then below 2^31 + 1 and their products within 2^62. An edge function at a point p
/// is twice the area of a triangle whose corners all lie in the band, and no triangle is larger than half of the box
/// around it: |e| ≤ 2^31 · 2^31 = 2^62. The walk looks at points up to nine pixels past the picture, 2^20 units at most,
/// which makes it (2^31 + 2^20)^2 < 2^63. So i64 holds every edge value; the partial sums may wrap, the sum does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) bits: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: SampleCount,
    pub(crate) convention: Convention,
    /// Guard band in grid units.
    pub(crate) limit: i32,
    /// Whether nothing is cut at the near and the far plane.
    pub(crate) depth_clamp: bool,
    /// What is added to the depths of triangles, for which format.
    pub(crate) bias: Option<(DepthBias, DepthFormat)>,
}

impl Grid {
    pub(crate) fn new(settings: &RasterSettings) -> Result<Self, RasterError> {
        let RasterSettings { width, height, subpixel_bits, samples, convention, .. } = *settings;
        let side = 1..=MAX_SIZE;
        if !side.contains(&width) || !side.contains(&height) {
            return Err(RasterError::Size { width, height });
        }
        if !(4..=16).contains(&subpixel_bits) {
            return Err(RasterError::SubpixelBits(subpixel_bits));
        }
        let limit = 1 << 30.min(15 + subpixel_bits);
        let (depth_clamp, bias) = (false, None);
        Ok(Self { bits: subpixel_bits, width, height, samples, convention, limit, depth_clamp, bias })
    }

    /// One pixel in grid units.
    #[inline(always)]
    pub(crate) fn one(&self) -> i32 {
        1 << self.bits
    }

    /// The sample's place inside its pixel, in grid units. Exact, as there are at least four bits.
    #[inline(always)]
    pub(crate) fn sample(&self, sample: usize) -> [i64; 2] {
        let [x, y] = self.samples.positions()[sample];
        [x << (self.bits - 4), y << (self.bits - 4)]
    }

    /// Pixels a tile side: the tile's depths and triangle numbers fit the first-level cache twice over.
    pub(crate) fn tile_size(&self) -> usize {
        tile_size(self.samples.count())
    }

    /// Tiles a row and rows of tiles.
    pub(crate) fn tiles(&self) -> [usize; 2] {
        [self.width, self.height].map(|side| (side as usize).div_ceil(self.tile_size()))
    }

    /// The picture from the top, in whole rows of tiles.
    pub(crate) fn bands(&self) -> impl Iterator<Item = Band> + use<> {
        let (size, height) = (self.tile_size(), self.height as usize);
        let [columns, rows] = self.tiles();
        let step = (BAND_PIXELS / (size * size * columns)).clamp(1, rows);
        (0..rows).step_by(step).map(move |first| {
            let end = rows.min(first + step);
            Band { tiles: first * columns..end * columns, rows: first * size..height.min(end * size) }
        })
    }

    /// Window x = a·(x/w) + b, in pixels; and y likewise.
    pub(crate) fn viewport(&self) -> [[f64; 2]; 2] {
        let half_width = f64::from(self.width) * 0.5;
        let half_height = f64::from(self.height) * 0.5;
        let down = if self.convention == Convention::Vulkan { half_height } else { -half_height };
        [[half_width, half_width], [down, half_height]]
    }

    /// Window depth = a·(z/w) + b.
    pub(crate) fn depth_range(&self) -> [f64; 2] {
        if self.convention == Convention::OpenGl { [0.5, 0.5] } else { [1.0, 0.0] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_hold_every_tile_and_row_once() {
        for (width, height, samples, bands) in [
            (1, 1, SampleCount::One, 1),
            (1920, 1080, SampleCount::Four, 1),
            (3840, 2160, SampleCount::One, 1),
            (4096, 2113, SampleCount::Four, 2),
            (16_384, 9, SampleCount::One, 1),
            (16_384, 16_384, SampleCount::One, 32),
        ] {
            let settings = RasterSettings { width, height, samples, ..RasterSettings::default() };
            let grid = Grid::new(&settings).expect("the settings are in range");
            let (mut tile, mut row, mut count) = (0, 0, 0);
            for band in grid.bands() {
                assert_eq!((band.tiles.start, band.rows.start), (tile, row), "{width}x{height}");
                assert!(!band.tiles.is_empty() && !band.rows.is_empty(), "{width}x{height}");
                (tile, row, count) = (band.tiles.end, band.rows.end, count + 1);
            }
            let [columns, rows] = grid.tiles();
            assert_eq!((tile, row, count), (columns * rows, height as usize, bands), "{width}x{height}");
        }
    }
}
