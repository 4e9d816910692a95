//! [`Target`]: finished pixels and the depth of each sample.
//!
//! Why it exists: how a linear colour becomes a byte belongs to shading. The rasteriser hands over finished linear rows
//! of a tile, while they are in the cache, and keeps what comes back.

use fearless_simd::Simd;

use super::settings::{Band, Grid};

/// Turns linear colours into pixels of the caller's format.
pub trait Resolve: Sync {
    /// The stored pixel.
    type Pixel: Copy + Default + Send + Sync;

    /// Encodes a row: `linear` and `out` have the same length, at most 64.
    fn resolve<S: Simd>(&self, simd: S, linear: &[[f32; 4]], out: &mut [Self::Pixel]);
}

/// Keeps linear RGBA as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearRgba;

impl Resolve for LinearRgba {
    type Pixel = [f32; 4];

    #[inline(always)]
    fn resolve<S: Simd>(&self, _: S, linear: &[[f32; 4]], out: &mut [Self::Pixel]) {
        out.copy_from_slice(linear);
    }
}

/// A picture. Its buffers are kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Target<P> {
    width: usize,
    height: usize,
    samples: usize,
    tile_size: usize,
    pixels: Vec<P>,
    /// Tile after tile, as they were made: those of one band.
    pub(super) tiled_pixels: Vec<P>,
    /// Tile after tile, in each tile the planes of samples; empty when depth is not kept.
    pub(super) tiled_depth: Vec<f32>,
}

impl<P: Copy + Default + Send + Sync> Target<P> {
    /// An empty picture; drawing gives it its size.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn resize(&mut self, grid: &Grid, keep_depth: bool) {
        (self.width, self.height) = (grid.width as usize, grid.height as usize);
        self.samples = grid.samples.count();
        self.tile_size = grid.tile_size();
        let [columns, rows] = grid.tiles();
        let area = columns * rows * self.tile_size * self.tile_size;
        self.pixels.resize(self.width * self.height, P::default());
        let band = grid.bands().map(|band| band.tiles.len()).max().unwrap_or(0);
        self.tiled_pixels.resize(band * self.tile_size * self.tile_size, P::default());
        self.tiled_depth.resize(if keep_depth { area * self.samples } else { 0 }, 0.0);
    }

    /// Pixels a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Samples a pixel.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The pixels, row by row from the top.
    #[must_use]
    pub fn pixels(&self) -> &[P] {
        &self.pixels
    }

    /// The pixel in column `x` of row `y`; `None` outside of the picture.
    #[must_use]
    pub fn pixel(&self, x: usize, y: usize) -> Option<P> {
        (x < self.width && y < self.height).then(|| self.pixels[y * self.width + x])
    }

    /// Window depth of a sample in [0, 1]; 1 where nothing was drawn. `None` outside of the picture, for a sample that
    /// there is not, and when depth was not kept.
    #[must_use]
    pub fn depth(&self, x: usize, y: usize, sample: usize) -> Option<f32> {
        if x >= self.width || y >= self.height || sample >= self.samples {
            return None;
        }
        let size = self.tile_size;
        let columns = self.width.div_ceil(size);
        let tile = y / size * columns + x / size;
        let row = (tile * self.samples + sample) * size + y % size;
        self.tiled_depth.get(row * size + x % size).copied()
    }

    /// Puts the pixels of a band's tiles into rows, or of those alone that are wanted by their numbers, on the caller's pool.
    pub(super) fn untile(&mut self, band: &Band, wanted: Option<&(dyn Fn(usize) -> bool + Sync)>) {
        use rayon::prelude::*;
        let Self { width, tile_size: size, tiled_pixels, pixels, .. } = self;
        let (width, size) = (*width, *size);
        let tiles = width.div_ceil(size);
        let rows = &mut pixels[band.rows.start * width..band.rows.end * width];
        rows.par_chunks_mut(width * size).enumerate().for_each(|(row_of_tiles, pixels)| {
            let first = band.tiles.start + row_of_tiles * tiles;
            for (y, row) in pixels.chunks_mut(width).enumerate() {
                for (column, out) in row.chunks_mut(size).enumerate() {
                    if wanted.is_some_and(|wanted| !wanted(first + column)) {
                        continue;
                    }
                    let start = ((row_of_tiles * tiles + column) * size + y) * size;
                    out.copy_from_slice(&tiled_pixels[start..start + out.len()]);
                }
            }
        });
    }
}
