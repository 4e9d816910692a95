//! [`Target`]: finished pixels and the depth of each sample.
//!
//! Why it exists: how a linear colour becomes a byte belongs to shading. The rasteriser hands over finished linear rows
//! of a tile, while they are in the cache, and keeps what comes back.

use std::ops::Range;

use fearless_simd::Simd;
use refrast_threads::{Chunks, over};

use super::grid::{Band, Grid};

/// Turns linear colours into pixels of the caller's format.
pub trait Resolve: Sync {
    /// The stored pixel.
    type Pixel: Copy + Default + PartialEq + Send + Sync;

    /// Encodes a row, each pixel by its own colour alone: `linear` and `out` have the same length, at most 64.
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
    /// What each tile holds.
    pub(super) tiles: Vec<Held>,
    /// The colour that was asked for where nothing is drawn, by its bits, and as it is stored.
    background: Option<([u32; 4], P)>,
}

/// What a tile holds. Most tiles of most pictures are empty, frame after frame: they are not written again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// The target's background and nothing else.
    pub(super) nothing: bool,
    /// What the last frame has written.
    pub(super) fresh: bool,
}

impl<P: Copy + Default + PartialEq + Send + Sync> Target<P> {
    /// An empty picture; drawing gives it its size.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn resize(&mut self, grid: &Grid, keep_depth: bool) {
        let shape = |target: &Self| (target.width, target.height, target.samples, target.tile_size);
        let before = shape(self);
        (self.width, self.height) = (grid.width as usize, grid.height as usize);
        self.samples = grid.samples.count();
        self.tile_size = grid.tile_size();
        let [columns, rows] = grid.tiles();
        let area = columns * rows * self.tile_size * self.tile_size;
        if before != shape(self) {
            self.tiles.clear();
        }
        self.tiles.resize(columns * rows, Held::default());
        self.pixels.resize(self.width * self.height, P::default());
        let band = grid.bands().map(|band| band.tiles.len()).max().unwrap_or(0);
        self.tiled_pixels.resize(band * self.tile_size * self.tile_size, P::default());
        self.tiled_depth.resize(if keep_depth { area * self.samples } else { 0 }, 0.0);
    }

    /// Takes the background of the next frame: where it is another one, no tile holds it.
    pub(super) fn clear_to(&mut self, color: [f32; 4], stored: P) {
        let background = Some((color.map(f32::to_bits), stored));
        if self.background != background {
            self.background = background;
            self.tiles.iter_mut().for_each(|tile| tile.nothing = false);
        }
    }

    /// Columns and rows of the tiles that the last frame has written. All other pixels are what they were before it.
    pub fn fresh(&self) -> impl Iterator<Item = [Range<usize>; 2]> {
        let size = self.tile_size.max(1);
        let columns = self.width.div_ceil(size).max(1);
        let sides = move |start: usize, end: usize| start * size..((start + 1) * size).min(end);
        let fresh = self.tiles.iter().enumerate().filter(|(_, tile)| tile.fresh);
        fresh.map(move |(number, _)| [sides(number % columns, self.width), sides(number / columns, self.height)])
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

    /// Puts the pixels of a band's fresh tiles into rows, on the caller's pool.
    pub(super) fn untile(&mut self, band: &Band) {
        let Self { width, tile_size: size, tiled_pixels, pixels, tiles: held, .. } = self;
        let (width, size) = (*width, *size);
        let tiles = width.div_ceil(size);
        let rows = &mut pixels[band.rows.start * width..band.rows.end * width];
        over(Chunks::new(rows, width * size), |row_of_tiles, pixels| {
            let first = band.tiles.start + row_of_tiles * tiles;
            for (y, row) in pixels.chunks_mut(width).enumerate() {
                for (column, out) in row.chunks_mut(size).enumerate() {
                    if !held[first + column].fresh {
                        continue;
                    }
                    let start = ((row_of_tiles * tiles + column) * size + y) * size;
                    out.copy_from_slice(&tiled_pixels[start..start + out.len()]);
                }
            }
        });
    }
}
