//! [`Rasteriser`]: draws in, picture out.
//!
//! Why it exists: it owns every buffer that a frame needs, so that only the first frame allocates, and it is where
//! the work is split: vertices in blocks, primitives in chunks, pixels in tiles. None of the splits depends on the
//! number of threads, so neither does the picture. It runs on the rayon pool of its caller.

use std::sync::Mutex;

use fearless_simd::dispatch;
use rayon::prelude::*;

use super::{
    FragmentShader, VertexStream,
    assemble::{CHUNK, Chunk, Geometry, LOCAL_BITS},
    coverage::stride,
    draw::Draw,
    project::{BLOCK, WindowVertex, project},
    settings::{Grid, RasterError, RasterSettings, SampleCount},
    target::{Resolve, Target},
    tile::{Scratch, render},
    triangle::SetupTriangle,
    visibility::{Tile, count},
};

/// What became of the primitives of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Primitives submitted.
    pub primitives: usize,
    /// Dropped: a vertex has a coordinate that is infinite or not a number.
    pub not_finite: usize,
    /// Dropped: all vertices lie outside of the same side of the view volume.
    pub outside: usize,
    /// Cut at the near or far plane or the guard band (the pieces are then counted below).
    pub clipped: usize,
    /// Dropped: no area on the grid.
    pub degenerate: usize,
    /// Dropped: the side that is culled.
    pub culled: usize,
    /// Dropped: the box around it holds no sample of the picture.
    pub between_samples: usize,
    /// Triangles that were set up.
    pub triangles: usize,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.primitives += other.primitives;
        self.not_finite += other.not_finite;
        self.outside += other.outside;
        self.clipped += other.clipped;
        self.degenerate += other.degenerate;
        self.culled += other.culled;
        self.between_samples += other.between_samples;
        self.triangles += other.triangles;
    }
}

/// How often each sample was covered, whatever the depths.
#[derive(Clone, Debug, Default)]
pub struct HitCounts {
    target: Target<[u32; 4]>,
}

impl HitCounts {
    /// Triangles that cover a sample; `None` outside of the picture.
    #[must_use]
    pub fn get(&self, x: usize, y: usize, sample: usize) -> Option<u32> {
        if sample >= self.target.samples() {
            return None;
        }
        self.target.pixel(x, y).map(|hits| hits[sample])
    }
}

/// The rasteriser and its buffers.
#[derive(Debug, Default)]
pub struct Rasteriser {
    /// A stream each: which draw named it first, and its vertices on the grid.
    windows: Vec<Vec<WindowVertex>>,
    /// For each draw the stream's place in `windows`.
    window_of_draw: Vec<usize>,
    chunks: Vec<Chunk>,
    /// Chunks of this frame; the others wait for a larger one.
    used: usize,
    scratch: Vec<Mutex<Scratch>>,
}

impl Rasteriser {
    /// A rasteriser without buffers; the first frame makes them.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws a frame into `target`.
    ///
    /// # Errors
    ///
    /// [`RasterError`] when the settings are out of range or a draw's lists do not fit together.
    pub fn draw<F: FragmentShader, R: Resolve>(
        &mut self,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
        resolve: &R,
        target: &mut Target<R::Pixel>,
    ) -> Result<Statistics, RasterError> {
        let grid = Grid::new(settings)?;
        let statistics = self.set_up(&grid, settings, draws)?;
        target.resize(&grid, settings.keep_depth);
        let samples = grid.samples.count();
        let size = grid.tile_size();
        let level = settings.simd.token_or_scalar();
        let (chunks, scratch) = (&self.chunks[..self.used], &self.scratch);
        let work = |number: usize, pixels: &mut [R::Pixel], depth: &mut [f32]| {
            let tile = tile(&grid, chunks, number);
            let mut scratch = lock(scratch);
            let scratch = &mut *scratch;
            let background = settings.background;
            match grid.samples {
                SampleCount::One => dispatch!(level, simd =>
                    render::<_, F, R, 1>(simd, &tile, draws, background, resolve, scratch, pixels)),
                SampleCount::Four => dispatch!(level, simd =>
                    render::<_, F, R, 4>(simd, &tile, draws, background, resolve, scratch, pixels)),
            }
            let rows = scratch.buffer.depth.chunks_exact(stride(size));
            for (out, row) in depth.chunks_exact_mut(size).zip(rows) {
                out.copy_from_slice(&row[..size]);
            }
        };
        let pixels = target.tiled_pixels.par_chunks_mut(size * size).enumerate();
        if settings.keep_depth {
            let depth = target.tiled_depth.par_chunks_mut(size * size * samples);
            pixels.zip(depth).for_each(|((number, pixels), depth)| work(number, pixels, depth));
        } else {
            pixels.for_each(|(number, pixels)| work(number, pixels, &mut []));
        }
        target.untile();
        Ok(statistics)
    }

    /// Counts for every sample the triangles that cover it, by the code that [`draw`](Self::draw) uses: a closed
    /// surface gives even numbers, a flat one without gaps 1 wherever it is seen.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn count_hits<F: FragmentShader>(
        &mut self,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
        counts: &mut HitCounts,
    ) -> Result<Statistics, RasterError> {
        let grid = Grid::new(settings)?;
        let statistics = self.set_up(&grid, settings, draws)?;
        counts.target.resize(&grid, false);
        let samples = grid.samples.count();
        let size = grid.tile_size();
        let level = settings.simd.token_or_scalar();
        let (chunks, scratch) = (&self.chunks[..self.used], &self.scratch);
        counts.target.tiled_pixels.par_chunks_mut(size * size).enumerate().for_each(|(number, pixels)| {
            let tile = tile(&grid, chunks, number);
            let mut scratch = lock(scratch);
            let hits = &mut scratch.hits;
            hits.clear();
            hits.resize(size * size * samples, 0);
            match grid.samples {
                SampleCount::One => dispatch!(level, simd => count::<_, 1>(simd, &tile, hits)),
                SampleCount::Four => dispatch!(level, simd => count::<_, 4>(simd, &tile, hits)),
            }
            for (pixel, hits) in pixels.iter_mut().zip(hits.chunks_exact(samples)) {
                pixel[..samples].copy_from_slice(hits);
            }
        });
        counts.target.untile();
        Ok(statistics)
    }

    /// The triangles of the last frame with the number of their draw, in submission order.
    pub fn triangles(&self) -> impl Iterator<Item = (usize, &SetupTriangle)> {
        let chunks = &self.chunks[..self.used];
        chunks.iter().flat_map(|chunk| chunk.triangles.iter().map(|triangle| (chunk.draw, triangle)))
    }

    /// Projects, clips, sets up and bins.
    fn set_up<F: FragmentShader>(
        &mut self,
        grid: &Grid,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
    ) -> Result<Statistics, RasterError> {
        self.used = 0;
        draws.iter().enumerate().try_for_each(|(number, draw)| check(number, draw))?;
        let count = draws.iter().map(|draw| draw.primitives().div_ceil(CHUNK)).sum::<usize>();
        // The last number is nobody's.
        if count >= 1 << (u32::BITS - LOCAL_BITS) {
            return Err(RasterError::TooManyPrimitives(draws.iter().map(Draw::primitives).sum()));
        }
        self.scratch.resize_with(rayon::current_num_threads(), Mutex::default);
        self.project(grid, settings, draws);

        if self.chunks.len() < count {
            self.chunks.resize_with(count, Chunk::default);
        }
        let mut free = self.chunks.iter_mut();
        for (number, draw) in draws.iter().enumerate() {
            let parts = (0..draw.primitives()).step_by(CHUNK);
            for (first, chunk) in parts.zip(&mut free) {
                chunk.assign(number, first, CHUNK.min(draw.primitives() - first));
            }
        }
        self.used = count;
        let (windows, window_of_draw) = (&self.windows, &self.window_of_draw);
        self.chunks[..count].par_iter_mut().for_each(|chunk| {
            let draw = &draws[chunk.draw];
            chunk.run(&Geometry {
                grid,
                stream: draw.stream,
                window: &windows[window_of_draw[chunk.draw]],
                topology: draw.topology,
                indices: draw.indices,
                state: draw.state,
            });
        });
        let mut statistics = Statistics::default();
        for chunk in &self.chunks[..count] {
            statistics += chunk.statistics;
            statistics.triangles += chunk.triangles.len();
        }
        Ok(statistics)
    }

    /// Puts each stream's vertices on the grid, once for all draws that name it.
    fn project<F: FragmentShader>(&mut self, grid: &Grid, settings: &RasterSettings, draws: &[Draw<'_, F>]) {
        let level = settings.simd.token_or_scalar();
        self.window_of_draw.clear();
        let mut streams = 0;
        for (number, draw) in draws.iter().enumerate() {
            let same = draws[..number].iter().rposition(|other| std::ptr::eq(other.stream, draw.stream));
            if let Some(same) = same {
                self.window_of_draw.push(self.window_of_draw[same]);
                continue;
            }
            if self.windows.len() == streams {
                self.windows.push(Vec::new());
            }
            let window = &mut self.windows[streams];
            window.resize(draw.stream.len(), WindowVertex::default());
            window.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
                dispatch!(level, simd => project(simd, grid, draw.stream, block * BLOCK, out));
            });
            self.window_of_draw.push(streams);
            streams += 1;
        }
    }
}

/// This worker's buffers. A worker has one tile at a time, so that the lock is free.
fn lock(scratch: &[Mutex<Scratch>]) -> std::sync::MutexGuard<'_, Scratch> {
    let worker = rayon::current_thread_index().unwrap_or(0) % scratch.len();
    // A panic in a shader leaves nothing behind that the next tile would read.
    scratch[worker].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn tile<'a>(grid: &'a Grid, chunks: &'a [Chunk], number: usize) -> Tile<'a> {
    let size = grid.tile_size();
    let columns = grid.tiles()[0];
    let origin = [number % columns * size, number / columns * size];
    let picture = [grid.width as usize, grid.height as usize];
    Tile { grid, chunks, number, origin, size: std::array::from_fn(|axis| size.min(picture[axis] - origin[axis])) }
}

/// Refuses a draw whose lists do not fit together.
fn check<F: FragmentShader>(number: usize, draw: &Draw<'_, F>) -> Result<(), RasterError> {
    let VertexStream { x, y, z, w, varyings, stride } = draw.stream;
    let vertices = x.len();
    if [y, z, w].iter().any(|plane| plane.len() != vertices) || varyings.len() != vertices * stride {
        return Err(RasterError::StreamShape { draw: number, vertices });
    }
    let arity = draw.topology.arity();
    if !draw.indices.len().is_multiple_of(arity) {
        return Err(RasterError::IndexCount { draw: number, count: draw.indices.len(), arity });
    }
    let largest = draw.indices.iter().copied().max();
    if largest.is_some_and(|largest| largest as usize >= vertices) {
        let position = draw.indices.iter().position(|&index| index as usize >= vertices).unwrap_or(0);
        return Err(RasterError::IndexRange { draw: number, position, index: draw.indices[position], vertices });
    }
    Ok(())
}
