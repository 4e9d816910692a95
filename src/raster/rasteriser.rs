//! [`Rasteriser`]: draws in, picture out.
//!
//! Why it exists: it owns every buffer that a frame needs, so that only the first frame allocates, and it is where
//! the work is split: vertices in blocks, primitives in chunks, pixels in tiles. None of the splits depends on the
//! number of threads, so neither does the picture. It runs on the rayon pool of its caller.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Mutex, TryLockError},
};

use fearless_simd::Simd;
use refrast_draw::{BlockShader, Draw, RasterError, RasterSettings, SampleCount, VertexStream};
use refrast_simd::{SimdLevel, dispatch};
use refrast_threads::{self as threads, Chunks, over};

use super::{
    assemble::{Chunk, Geometry, divide},
    coverage::stride,
    draw_list::DrawList,
    grid::{Grid, LARGEST_TILE},
    project::{BLOCK, WindowVertex, project},
    target::{Held, Resolve, Target},
    tile::{Rendered, Scratch, render, render_depth},
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

/// Whether a tile with these columns and rows of pixels is to be drawn.
pub type Wanted<'a> = dyn Fn([Range<usize>; 2]) -> bool + Sync + 'a;

/// The rasteriser and its buffers.
#[derive(Debug, Default)]
pub struct Rasteriser {
    /// The vertices of each stream on the grid; those past this frame's streams wait for another one.
    windows: Vec<Vec<WindowVertex>>,
    /// The draw that names each stream first.
    first_draws: Vec<usize>,
    /// For each draw the stream's place in `windows`.
    window_of_draw: Vec<usize>,
    chunks: Vec<Chunk>,
    /// Chunks of this frame; the others wait for a larger one.
    used: usize,
    /// Bits of a triangle's number in its chunk, this frame.
    local_bits: u32,
    /// The place in `windows` of each stream of this frame, by its address.
    window_of_stream: HashMap<usize, usize>,
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
    pub fn draw<F: BlockShader, R: Resolve>(
        &mut self,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
        resolve: &R,
        target: &mut Target<R::Pixel>,
    ) -> Result<Statistics, RasterError> {
        self.draw_some(settings, draws, resolve, target, None)
    }

    /// As [`draw`](Self::draw), but of the picture's tiles only those are drawn whose columns and rows of pixels are `wanted`. In
    /// them every pixel comes out as in a whole frame of these draws; the others keep what an earlier frame of this size has left there.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_tiles<F: BlockShader, R: Resolve>(
        &mut self,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
        resolve: &R,
        target: &mut Target<R::Pixel>,
        wanted: &Wanted<'_>,
    ) -> Result<Statistics, RasterError> {
        self.draw_some(settings, draws, resolve, target, Some(wanted))
    }

    fn draw_some<F: BlockShader, R: Resolve>(
        &mut self,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
        resolve: &R,
        target: &mut Target<R::Pixel>,
        wanted: Option<&Wanted<'_>>,
    ) -> Result<Statistics, RasterError> {
        let grid = Grid::new(settings)?;
        let draws: &dyn DrawList = &draws;
        let statistics = self.set_up(&grid, settings, draws)?;
        target.resize(&grid, settings.keep_depth);
        let samples = grid.samples.count();
        let size = grid.tile_size();
        let level = settings.simd.token_or_base();
        let this = &*self;
        let mut stored = [R::Pixel::default()];
        dispatch!(level, simd => resolve.resolve(simd, &[settings.background], &mut stored));
        target.clear_to(settings.background, stored[0]);
        let work = |number: usize, held: &mut Held, pixels: &mut [R::Pixel], depth: &mut [f32]| {
            let tile = this.tile(&grid, number);
            let Tile { origin: [x, y], size: [width, height], .. } = tile;
            let is_empty = tile.runs().next().is_none();
            held.fresh = wanted.is_none_or(|wanted| wanted([x..x + width, y..y + height]))
                && !(is_empty && held.nothing && depth.is_empty());
            if !held.fresh {
                return;
            }
            held.nothing = is_empty;
            this.with_scratch(|scratch| {
                let rendered = render(level, &tile, draws, settings.background, scratch);
                dispatch!(level, simd => store(simd, &rendered, settings.background, tile.size, size, resolve, pixels));
                let rows = scratch.buffer.depth.chunks_exact(stride(size));
                for (out, row) in depth.chunks_exact_mut(size).zip(rows) {
                    out.copy_from_slice(&row[..size]);
                }
            });
        };
        for band in grid.bands() {
            let first = band.tiles.start;
            let pixels = Chunks::new(&mut target.tiled_pixels[..band.tiles.len() * size * size], size * size);
            let tiles = (&mut target.tiles[band.tiles.clone()], pixels);
            // Each tile can be taken by another thread: pieces of many are halved only while somebody takes one, so that the last of them
            // may be a quarter of a picture that one thread is left alone with.
            if settings.keep_depth {
                let area = size * size * samples;
                let depth = Chunks::new(&mut target.tiled_depth[first * area..band.tiles.end * area], area);
                over((tiles, depth), |tile, ((held, pixels), depth)| work(first + tile, held, pixels, depth));
            } else {
                over(tiles, |tile, (held, pixels)| work(first + tile, held, pixels, &mut []));
            }
            target.untile(&band);
        }
        Ok(statistics)
    }

    /// Counts for every sample the triangles that cover it, by the code that [`draw`](Self::draw) uses: a closed
    /// surface gives even numbers, a flat one without gaps 1 wherever it is seen.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn count_hits<F: BlockShader>(
        &mut self,
        settings: &RasterSettings,
        draws: &[Draw<'_, F>],
        counts: &mut HitCounts,
    ) -> Result<Statistics, RasterError> {
        let grid = Grid::new(settings)?;
        let statistics = self.set_up(&grid, settings, &draws)?;
        counts.target.resize(&grid, false);
        counts.target.tiles.fill(Held { nothing: false, fresh: true });
        let samples = grid.samples.count();
        let size = grid.tile_size();
        let level = settings.simd.token_or_base();
        let this = &*self;
        let work = |number: usize, pixels: &mut [[u32; 4]]| {
            let tile = this.tile(&grid, number);
            this.with_scratch(|Scratch { hits, .. }| {
                hits.clear();
                hits.resize(size * size * samples, 0);
                match grid.samples {
                    SampleCount::One => dispatch!(level, simd => count::<_, 1>(simd, &tile, hits)),
                    SampleCount::Four | SampleCount::FourMirrored => {
                        dispatch!(level, simd => count::<_, 4>(simd, &tile, hits))
                    }
                }
                for (pixel, hits) in pixels.iter_mut().zip(hits.chunks_exact(samples)) {
                    pixel[..samples].copy_from_slice(hits);
                }
            });
        };
        for band in grid.bands() {
            let pixels = &mut counts.target.tiled_pixels[..band.tiles.len() * size * size];
            over(Chunks::new(pixels, size * size), |tile, pixels| work(band.tiles.start + tile, pixels));
            counts.target.untile(&band);
        }
        Ok(statistics)
    }

    /// The triangles of the last frame with the number of their draw, in submission order.
    pub fn triangles(&self) -> impl Iterator<Item = (usize, &SetupTriangle)> {
        let chunks = &self.chunks[..self.used];
        chunks.iter().flat_map(Chunk::triangles)
    }

    /// Hands over the rows of depths of a tile: what is opaque, or kept by its alpha mask. False where nothing is, and no row is made.
    pub(super) fn depths_of(
        &self,
        grid: &Grid,
        level: SimdLevel,
        draws: &dyn DrawList,
        number: usize,
        mut keep: impl FnMut(usize, &[f32]),
    ) -> bool {
        let tile = self.tile(grid, number);
        if tile.runs().next().is_none() {
            return false;
        }
        self.with_scratch(|scratch| {
            render_depth(level.token_or_base(), &tile, draws, scratch);
            let rows = scratch.buffer.depth.chunks_exact(stride(grid.tile_size()));
            rows.take(tile.size[1]).enumerate().for_each(|(y, row)| keep(y, &row[..tile.size[0]]));
        });
        true
    }

    /// Projects, clips, sets up and bins.
    pub(super) fn set_up(
        &mut self,
        grid: &Grid,
        settings: &RasterSettings,
        draws: &dyn DrawList,
    ) -> Result<Statistics, RasterError> {
        self.used = 0;
        (0..draws.len()).try_for_each(|number| check(number, &draws.get(number)))?;
        self.scratch.resize_with(threads::count(), Mutex::default);
        self.project(grid, settings, draws);

        let count = divide((0..draws.len()).map(|number| draws.get(number).primitives()), &mut self.chunks);
        let (windows, window_of_draw) = (&self.windows, &self.window_of_draw);
        over(&mut self.chunks[..count], |_, chunk| {
            chunk.run(grid, |number| {
                let Draw { stream, topology, indices, state, .. } = draws.get(number);
                Geometry { grid, stream, window: &windows[window_of_draw[number]], topology, indices, state }
            });
        });
        let mut statistics = Statistics::default();
        let mut most = 1;
        for chunk in &self.chunks[..count] {
            statistics += chunk.statistics;
            statistics.triangles += chunk.triangles.len();
            most = most.max(chunk.triangles.len());
        }
        self.local_bits = most.next_power_of_two().trailing_zeros();
        // The last number is nobody's.
        if count as u64 >= 1 << (u32::BITS - self.local_bits) {
            return Err(RasterError::TooManyPrimitives(statistics.primitives));
        }
        self.used = count;
        Ok(statistics)
    }

    /// Puts each stream's vertices on the grid, once for all draws that name it.
    fn project(&mut self, grid: &Grid, settings: &RasterSettings, draws: &dyn DrawList) {
        let level = settings.simd.token_or_base();
        self.first_draws.clear();
        self.window_of_draw.clear();
        self.window_of_stream.clear();
        for number in 0..draws.len() {
            let stream = std::ptr::from_ref(draws.get(number).stream).addr();
            let next = self.first_draws.len();
            let place = *self.window_of_stream.entry(stream).or_insert(next);
            self.window_of_draw.push(place);
            if place == next {
                self.first_draws.push(number);
            }
        }
        let streams = self.first_draws.len();
        if self.windows.len() < streams {
            self.windows.resize_with(streams, Vec::new);
        }
        let first_draws = &self.first_draws;
        over(&mut self.windows[..streams], |place, window| {
            let stream = draws.get(first_draws[place]).stream;
            window.resize(stream.len(), WindowVertex::default());
            over(Chunks::new(window, BLOCK), |block, out| {
                dispatch!(level, simd => project(simd, grid, stream, block * BLOCK, out));
            });
        });
    }

    fn tile<'a>(&'a self, grid: &'a Grid, number: usize) -> Tile<'a> {
        let size = grid.tile_size();
        let columns = grid.tiles()[0];
        let origin = [number % columns * size, number / columns * size];
        let picture = [grid.width as usize, grid.height as usize];
        Tile {
            grid,
            chunks: &self.chunks[..self.used],
            local_bits: self.local_bits,
            number,
            origin,
            size: std::array::from_fn(|axis| size.min(picture[axis] - origin[axis])),
        }
    }

    /// Lends a worker its buffers. They are taken only where a shader hands work to the pool and the worker, while it
    /// waits, takes another tile: that one gets buffers for itself.
    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let worker = threads::own().unwrap_or(0) % self.scratch.len();
        match self.scratch[worker].try_lock() {
            Ok(mut scratch) => work(&mut scratch),
            // A panic in a shader leaves nothing behind that the next tile would read.
            Err(TryLockError::Poisoned(scratch)) => work(&mut scratch.into_inner()),
            Err(TryLockError::WouldBlock) => work(&mut Scratch::default()),
        }
    }
}

/// A tile's pixels in the caller's format.
#[inline(always)]
fn store<S: Simd, R: Resolve>(
    simd: S,
    rendered: &Rendered<'_>,
    background: [f32; 4],
    [width, height]: [usize; 2],
    tile_size: usize,
    resolve: &R,
    pixels: &mut [R::Pixel],
) {
    match rendered {
        Rendered::Background => {
            resolve.resolve(simd, &[background; LARGEST_TILE][..width], &mut pixels[..width]);
            for y in 1..height {
                pixels.copy_within(..width, y * tile_size);
            }
        }
        Rendered::Pixels(linear) => {
            let rows = linear.chunks_exact(tile_size).zip(pixels.chunks_exact_mut(tile_size)).take(height);
            for (linear, pixels) in rows {
                resolve.resolve(simd, &linear[..width], &mut pixels[..width]);
            }
        }
    }
}

/// Refuses a draw whose lists do not fit together.
fn check(number: usize, draw: &Draw<'_, &dyn BlockShader>) -> Result<(), RasterError> {
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
