//! The visibility buffer of a tile: per sample the nearest depth and whose it is.
//!
//! Why it exists: opaque surfaces are only *found* here; what is hidden in the end is never shaded.

use bytemuck::NoUninit;
use fearless_simd::{Simd, f32x8, mask32x8, prelude::*, u32x8};
use fearless_simd_macros::simd;
use prefetch_index::prefetch_index;
use refrast_simd::base;

use super::{
    assemble::Chunk,
    clip::Piece,
    coverage::{EdgeLanes, Row, RowSink, stride, walk, walk_large},
    grid::{Grid, tile_size},
    triangle::SetupTriangle,
};
use refrast_draw::{DepthTest, DrawState, LANES};

/// The number of no triangle.
pub(super) const NOBODY: u32 = u32::MAX;

/// Triangles of a run that are fetched before they are put into the buffer: they come from other tiles' neighbourhood in
/// memory, and a quarter of the time was waiting for them.
const AHEAD: usize = 8;

/// Some samples of one pixel, all of one triangle.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(super) struct Fragment {
    /// The triangle's number in the frame.
    pub(super) triangle: u32,
    /// From the lowest byte on: column in the tile, row in the tile, and a bit for each sample that belongs to the fragment.
    place: u32,
}

impl Fragment {
    /// Of nobody.
    pub(super) const NONE: Self = Self { triangle: NOBODY, place: 0 };

    /// These samples of the pixel in this column and row of the tile.
    #[inline(always)]
    pub(super) const fn new(triangle: u32, [x, y]: [usize; 2], samples: u32) -> Self {
        Self { triangle, place: x as u32 | (y as u32) << 8 | samples << 16 }
    }

    /// Column in the tile.
    #[inline(always)]
    pub(super) const fn x(&self) -> usize {
        (self.place & 0xff) as usize
    }

    /// Row in the tile.
    #[inline(always)]
    pub(super) const fn y(&self) -> usize {
        (self.place >> 8 & 0xff) as usize
    }

    /// 1 where the sample belongs to it, 0 elsewhere.
    #[inline(always)]
    pub(super) const fn has(&self, sample: usize) -> u32 {
        self.place >> (16 + sample) & 1
    }

    /// The triangles of eight, and their columns and rows.
    #[inline(always)]
    pub(super) fn unzip<S: Simd>(simd: S, eight: &[Self; LANES]) -> (u32x8<S>, [u32x8<S>; 2]) {
        let (near, far) = bytemuck::cast_slice(eight).split_at(LANES);
        let (near, far) = (u32x8::from_slice(simd, near), u32x8::from_slice(simd, far));
        let places = near.unzip_high(far);
        (near.unzip_low(far), [places & 0xff, places >> 8 & 0xff])
    }
}

/// What the tile passes read: the frame's geometry and the tile's place.
#[derive(Clone, Copy)]
pub(super) struct Tile<'a> {
    pub(super) grid: &'a Grid,
    pub(super) chunks: &'a [Chunk],
    /// Bits of a triangle's number in its chunk; the chunk's number is above them.
    pub(super) local_bits: u32,
    /// The tile's number.
    pub(super) number: usize,
    /// Its upper left pixel.
    pub(super) origin: [usize; 2],
    /// Its columns and rows inside the picture.
    pub(super) size: [usize; 2],
}

impl<'a> Tile<'a> {
    /// A triangle by its number in the frame.
    #[inline(always)]
    pub(super) fn triangle(&self, number: u32) -> &'a SetupTriangle {
        &self.chunk(number).triangles[self.local(number)]
    }

    /// The same, with clip-space w of its corners.
    #[inline(always)]
    pub(super) fn triangle_and_w(&self, number: u32) -> (&'a SetupTriangle, &'a [f32; 4]) {
        let (chunk, local) = (self.chunk(number), self.local(number));
        (&chunk.triangles[local], &chunk.corner_w[local])
    }

    /// Column and row of a fragment's pixel in the picture.
    #[inline(always)]
    pub(super) fn pixel(&self, fragment: &Fragment) -> [u32; 2] {
        [(self.origin[0] + fragment.x()) as u32, (self.origin[1] + fragment.y()) as u32]
    }

    /// The chunk that holds a triangle.
    #[inline(always)]
    pub(super) fn chunk(&self, number: u32) -> &'a Chunk {
        &self.chunks[(number >> self.local_bits) as usize]
    }

    /// What a triangle is a piece of, if it is one.
    #[inline(always)]
    pub(super) fn piece(&self, number: u32) -> Option<&'a Piece> {
        self.triangle(number).piece().map(|piece| &self.chunk(number).pieces[piece])
    }

    /// The draw that a triangle belongs to.
    #[inline(always)]
    pub(super) fn draw(&self, number: u32) -> usize {
        self.chunk(number).draw(self.local(number))
    }

    /// A triangle's number in its chunk.
    #[inline(always)]
    fn local(&self, number: u32) -> usize {
        (number & ((1 << self.local_bits) - 1)) as usize
    }

    /// The triangles that may touch the tile, in submission order, by draw: the draw's number, and theirs.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, Run<'a>)> + use<'a> {
        let (tile, local_bits) = (self.number, self.local_bits);
        self.chunks.iter().enumerate().flat_map(move |(number, chunk)| {
            let base = (number as u32) << local_bits;
            chunk.runs(tile).map(move |(draw, locals)| (draw, Run { base, locals }))
        })
    }
}

/// Triangles of one chunk and one draw.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    /// The bits of their numbers that name the chunk.
    base: u32,
    locals: &'a [u16],
}

impl<'a> Run<'a> {
    /// Their numbers in the frame.
    #[inline(always)]
    pub(super) fn numbers(self) -> impl Iterator<Item = u32> + use<'a> {
        self.locals.iter().map(move |&local| self.base | u32::from(local))
    }
}

/// Depth and owner of each sample: planes of samples, each of rows of [`stride`] columns.
#[derive(Debug, Default)]
pub(super) struct VisibilityBuffer {
    pub(super) depth: Vec<f32>,
    pub(super) owner: Vec<u32>,
}

impl VisibilityBuffer {
    /// Everything infinitely far (depth 1) and nobody's.
    pub(super) fn clear(&mut self, grid: &Grid) {
        let tile = grid.tile_size();
        let length = grid.samples.count() * tile * stride(tile);
        self.depth.clear();
        self.depth.resize(length, 1.0);
        self.owner.clear();
        self.owner.resize(length, NOBODY);
    }
}

/// Where a sample's row of eight starts.
#[inline(always)]
pub(super) fn address<const N: usize>(sample: usize, x: usize, y: usize) -> usize {
    (sample * tile_size(N) + y) * stride(tile_size(N)) + x
}

/// Depth of eight samples, by the same formula as [`SetupTriangle::depth_at`].
#[inline(always)]
pub(super) fn depth<S: Simd>(simd: S, triangle: &SetupTriangle, [e1, e2]: [f32x8<S>; 2]) -> f32x8<S> {
    let depth = e1 * triangle.k[0] + e2 * triangle.k[1] + triangle.z0;
    let (near, far) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    // Two choices in place of `max_precise` and `min_precise`, which ask about what is not a number besides.
    let depth = depth.simd_gt(near).select(depth, near);
    depth.simd_lt(far).select(depth, far)
}

#[inline(always)]
fn passes<S: Simd>(simd: S, test: DepthTest, depth: f32x8<S>, stored: f32x8<S>) -> mask32x8<S> {
    match test {
        DepthTest::Less => depth.simd_lt(stored),
        DepthTest::LessOrEqual => depth.simd_le(stored),
        DepthTest::Always => mask32x8::splat(simd, true),
    }
}

struct Opaque<'a, S: Simd> {
    simd: S,
    buffer: &'a mut VisibilityBuffer,
    triangle: &'a SetupTriangle,
    number: u32,
    state: DrawState,
}

impl<S: Simd, const N: usize> RowSink<S, N> for Opaque<'_, S> {
    #[inline(always)]
    fn row<L: EdgeLanes<S>>(&mut self, row: &Row<'_, S, L, N>) {
        for sample in 0..N {
            let start = address::<N>(sample, row.x, row.y);
            let stored = &mut self.buffer.depth[start..start + 8];
            let before = f32x8::from_slice(self.simd, stored);
            let depth = depth(self.simd, self.triangle, row.numerators(sample));
            let pass = row.covered[sample] & passes(self.simd, self.state.depth_test, depth, before);
            if self.state.depth_write {
                pass.select(depth, before).store_slice(stored);
            }
            let owner = &mut self.buffer.owner[start..start + 8];
            let owners = u32x8::from_slice(self.simd, owner);
            pass.select(u32x8::splat(self.simd, self.number), owners).store_slice(owner);
        }
    }
}

/// Puts opaque triangles into the buffer.
#[simd]
pub(super) fn draw_opaque<S: Simd, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    run: Run<'_>,
    state: DrawState,
    buffer: &mut VisibilityBuffer,
) {
    let Chunk { triangles, corner_w, .. } = tile.chunk(run.base);
    let fetch = |&local: &u16| {
        prefetch_index(triangles, usize::from(local));
        // For shading.
        prefetch_index(corner_w, usize::from(local));
    };
    run.locals.iter().take(AHEAD).for_each(fetch);
    for (place, &local) in run.locals.iter().enumerate() {
        run.locals.get(place + AHEAD).into_iter().for_each(fetch);
        let triangle = &triangles[usize::from(local)];
        let number = run.base | u32::from(local);
        if triangle.is_large() {
            let simd = base();
            let mut sink = Opaque { simd, buffer, triangle, number, state };
            walk_large::<N>(tile.grid, triangle, tile.origin, &mut sink);
        } else {
            let mut sink = Opaque { simd, buffer, triangle, number, state };
            walk::<S, N>(simd, tile.grid, triangle, tile.origin, &mut sink);
        }
    }
}

struct Collect<'a, S: Simd> {
    simd: S,
    buffer: &'a mut VisibilityBuffer,
    triangle: &'a SetupTriangle,
    number: u32,
    state: DrawState,
    write: bool,
    fragments: &'a mut Vec<Fragment>,
}

impl<S: Simd, const N: usize> RowSink<S, N> for Collect<'_, S> {
    #[inline(always)]
    fn row<L: EdgeLanes<S>>(&mut self, row: &Row<'_, S, L, N>) {
        let mut lanes = [0u64; N];
        for (sample, lanes) in lanes.iter_mut().enumerate() {
            let start = address::<N>(sample, row.x, row.y);
            let stored = &mut self.buffer.depth[start..start + 8];
            let before = f32x8::from_slice(self.simd, stored);
            let depth = depth(self.simd, self.triangle, row.numerators(sample));
            let pass = row.covered[sample] & passes(self.simd, self.state.depth_test, depth, before);
            if self.write {
                pass.select(depth, before).store_slice(stored);
            }
            *lanes = pass.to_bitmask() & u64::from(row.lanes);
        }
        let mut any = lanes.iter().fold(0, |any, lanes| any | lanes);
        while any != 0 {
            let lane = any.trailing_zeros() as usize;
            any &= any - 1;
            let mut samples = 0;
            for (sample, lanes) in lanes.iter().enumerate() {
                samples |= ((lanes >> lane & 1) as u32) << sample;
            }
            self.fragments.push(Fragment::new(self.number, [row.x + lane, row.y], samples));
        }
    }
}

/// Appends a triangle's fragments that pass the depth test; stores their depth only if `write`.
#[simd]
pub(super) fn collect<S: Simd, const N: usize>(
    simd: S,
    tile: &Tile<'_>,
    number: u32,
    state: DrawState,
    write: bool,
    buffer: &mut VisibilityBuffer,
    fragments: &mut Vec<Fragment>,
) {
    let triangle = tile.triangle(number);
    if triangle.is_large() {
        let simd = base();
        let mut sink = Collect { simd, buffer, triangle, number, state, write, fragments };
        walk_large::<N>(tile.grid, triangle, tile.origin, &mut sink);
    } else {
        let mut sink = Collect { simd, buffer, triangle, number, state, write, fragments };
        walk::<S, N>(simd, tile.grid, triangle, tile.origin, &mut sink);
    }
}

struct Count<'a> {
    hits: &'a mut [u32],
}

impl<S: Simd, const N: usize> RowSink<S, N> for Count<'_> {
    #[inline(always)]
    fn row<L: EdgeLanes<S>>(&mut self, row: &Row<'_, S, L, N>) {
        for sample in 0..N {
            let lanes = row.covered[sample].to_bitmask() & u64::from(row.lanes);
            for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
                self.hits[(row.y * tile_size(N) + row.x + lane) * N + sample] += 1;
            }
        }
    }
}

/// Adds one for every triangle that covers a sample, whatever its depth or state.
#[simd]
pub(super) fn count<S: Simd, const N: usize>(simd: S, tile: &Tile<'_>, hits: &mut [u32]) {
    for (_, run) in tile.runs() {
        for number in run.numbers() {
            let triangle = tile.triangle(number);
            if triangle.is_large() {
                walk_large::<N>(tile.grid, triangle, tile.origin, &mut Count { hits });
            } else {
                walk::<S, N>(simd, tile.grid, triangle, tile.origin, &mut Count { hits });
            }
        }
    }
}
