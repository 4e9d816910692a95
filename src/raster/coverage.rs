//! Which samples of a tile a triangle covers, eight pixels of a row at a time.
//!
//! Why it exists: this is the one place that decides coverage. Depth, blending, counting and everything that is
//! proven about cracks and double hits go through [`walk`].
//!
//! Edge values are integers, and every representation below holds them without rounding: i32 where the triangle is
//! small, f64 where values stay below 2^53, i64 otherwise. So the choice between them can change no bit; it is made
//! by size alone.

use fearless_simd::{Simd, f32x8, f64x4, i32x8, mask32x8, prelude::*};

use super::{settings::Grid, triangle::SetupTriangle};
use refrast_simd::{Base, base, unroll};

/// Columns of a tile's row in memory: a block of eight may start at the last column, so there is room for seven more.
pub(super) const fn stride(tile_size: usize) -> usize {
    tile_size + 8
}

/// Eight edge values side by side.
pub(super) trait EdgeLanes<S: Simd>: Copy {
    /// `value + lane · step`.
    fn new(simd: S, value: i64, step: i64) -> Self;
    /// All lanes moved by `delta`.
    fn add(self, delta: i64) -> Self;
    /// Lanes where none of the three is negative.
    fn covered(edges: [Self; 3]) -> mask32x8<S>;
    /// Rounded once, to nearest even.
    fn to_f32(self) -> f32x8<S>;
}

impl<S: Simd> EdgeLanes<S> for i32x8<S> {
    #[inline(always)]
    fn new(simd: S, value: i64, step: i64) -> Self {
        const LANES: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        Self::simd_from(simd, LANES) * step as i32 + value as i32
    }

    #[inline(always)]
    fn add(self, delta: i64) -> Self {
        self + delta as i32
    }

    #[inline(always)]
    fn covered(edges: [Self; 3]) -> mask32x8<S> {
        (edges[0] | edges[1] | edges[2]).simd_ge(0)
    }

    #[inline(always)]
    fn to_f32(self) -> f32x8<S> {
        self.to_float()
    }
}

/// Integers below 2^53 in f64.
#[derive(Clone, Copy)]
pub(super) struct DoubleLanes<S: Simd>([f64x4<S>; 2]);

impl<S: Simd> EdgeLanes<S> for DoubleLanes<S> {
    #[inline(always)]
    fn new(simd: S, value: i64, step: i64) -> Self {
        let low = f64x4::simd_from(simd, [0.0, 1.0, 2.0, 3.0]) * step as f64 + value as f64;
        Self([low, low + (4 * step) as f64])
    }

    #[inline(always)]
    fn add(self, delta: i64) -> Self {
        Self([self.0[0] + delta as f64, self.0[1] + delta as f64])
    }

    #[inline(always)]
    fn covered(edges: [Self; 3]) -> mask32x8<S> {
        let [low, high] = unroll!(half in [0, 1] => {
            edges[0].0[half].simd_ge(0.0) & edges[1].0[half].simd_ge(0.0) & edges[2].0[half].simd_ge(0.0)
        });
        low.narrow(high)
    }

    #[inline(always)]
    fn to_f32(self) -> f32x8<S> {
        self.0[0].narrow(self.0[1])
    }
}

/// Any edge value of the guard band.
#[derive(Clone, Copy)]
pub(super) struct LongLanes<S: Simd>(S, [i64; 8]);

impl<S: Simd> EdgeLanes<S> for LongLanes<S> {
    #[inline(always)]
    fn new(simd: S, value: i64, step: i64) -> Self {
        Self(simd, std::array::from_fn(|lane| value + lane as i64 * step))
    }

    #[inline(always)]
    fn add(self, delta: i64) -> Self {
        Self(self.0, self.1.map(|value| value + delta))
    }

    #[inline(always)]
    fn covered(edges: [Self; 3]) -> mask32x8<S> {
        let bits = (0..8).map(|lane| u64::from((edges[0].1[lane] | edges[1].1[lane] | edges[2].1[lane]) >= 0) << lane);
        mask32x8::from_bitmask(edges[0].0, bits.sum())
    }

    #[inline(always)]
    fn to_f32(self) -> f32x8<S> {
        f32x8::simd_from(self.0, self.1.map(|value| value as f32))
    }
}

/// Eight pixels of a row and which of their `N` samples are covered.
pub(super) struct Row<'a, S: Simd, L: EdgeLanes<S>, const N: usize> {
    /// Column of lane 0 in the tile.
    pub(super) x: usize,
    /// Row in the tile.
    pub(super) y: usize,
    /// Lanes that lie in the triangle's bounds; the others may still be called covered, outside of tile or picture.
    pub(super) lanes: u8,
    /// Covered lanes, a sample.
    pub(super) covered: [mask32x8<S>; N],
    edges: [L; 3],
    walk: &'a Walk<N>,
}

impl<S: Simd, L: EdgeLanes<S>, const N: usize> Row<'_, S, L, N> {
    /// The exact values of edges 1 and 2 at a sample, rounded to f32.
    #[inline(always)]
    pub(super) fn numerators(&self, sample: usize) -> [f32x8<S>; 2] {
        unroll!(edge in [1, 2] => self.edges[edge].add(self.walk.unbiased[sample][edge]).to_f32())
    }
}

/// What is done with covered rows.
pub(super) trait RowSink<S: Simd, const N: usize> {
    fn row<L: EdgeLanes<S>>(&mut self, row: &Row<'_, S, L, N>);
}

/// A triangle's edges, seen from the first pixel of its bounds in a tile.
struct Walk<const N: usize> {
    /// Columns and rows in the tile, first and last.
    bounds: [usize; 4],
    /// Biased values at the first pixel's upper left corner.
    value: [i64; 3],
    /// Change from pixel to pixel and from row to row.
    step: [[i64; 3]; 2],
    /// From a pixel's corner to a sample.
    sample: [[i64; 3]; N],
    /// The same without the bias.
    unbiased: [[i64; 3]; N],
}

/// Walks the samples of a triangle that [is not large](SetupTriangle::is_large) in the tile whose upper left pixel is
/// `origin`.
#[inline(always)]
pub(super) fn walk<S: Simd, const N: usize>(
    simd: S,
    grid: &Grid,
    triangle: &SetupTriangle,
    origin: [usize; 2],
    sink: &mut impl RowSink<S, N>,
) {
    let walk = Walk::new(grid, triangle, origin);
    if triangle.is_small() {
        // So are most of many triangles: code of their own makes frames of 217,000 up to 1.05 times as fast.
        match walk.only_block() {
            Some(block) => walk.block::<S, i32x8<S>>(simd, block, walk.value, false, sink),
            None => walk.blocks::<S, i32x8<S>>(simd, sink),
        }
    } else {
        walk.blocks::<S, DoubleLanes<S>>(simd, sink);
    }
}

/// As [`walk`], for large triangles. They are so rare that the base level serves all.
pub(super) fn walk_large<const N: usize>(
    grid: &Grid,
    triangle: &SetupTriangle,
    origin: [usize; 2],
    sink: &mut impl RowSink<Base, N>,
) {
    Walk::new(grid, triangle, origin).blocks::<Base, LongLanes<Base>>(base(), sink);
}

impl<const N: usize> Walk<N> {
    #[inline(always)]
    fn new(grid: &Grid, triangle: &SetupTriangle, origin: [usize; 2]) -> Self {
        let last = grid.tile_size() - 1;
        let [x0, x1, y0, y1] = unroll!(i in [0, 1, 2, 3] => usize::from(triangle.bounds[i]));
        let bounds = [
            x0.saturating_sub(origin[0]),
            (x1 - origin[0]).min(last),
            y0.saturating_sub(origin[1]),
            (y1 - origin[1]).min(last),
        ];
        let edges = triangle.edges();
        let left = ((bounds[0] + origin[0]) as i64) << grid.bits;
        let top = ((bounds[2] + origin[1]) as i64) << grid.bits;
        let mut sample = [[0; 3]; N];
        let mut unbiased = [[0; 3]; N];
        for i in 0..N {
            let [x, y] = grid.sample(i);
            for edge in 0..3 {
                sample[i][edge] = edges.a[edge] * x + edges.b[edge] * y;
                unbiased[i][edge] = sample[i][edge] - edges.bias[edge];
            }
        }
        Self {
            bounds,
            value: unroll!(edge in [0, 1, 2] => edges.value(edge, left, top) + edges.bias[edge]),
            step: unroll!(slope in [edges.a, edges.b] => unroll!(edge in [0, 1, 2] => slope[edge] << grid.bits)),
            sample,
            unbiased,
        }
    }

    /// Its columns from here, and rows, where a single block holds all of them.
    #[inline(always)]
    fn only_block(&self) -> Option<[usize; 3]> {
        let [x0, x1, y0, y1] = self.bounds;
        (x1 - x0 < 8 && y1 - y0 < 8).then_some([x0, y0, y1])
    }

    /// Blocks of eight by eight pixels: those that an edge keeps out are skipped, those that no edge touches need no
    /// test per pixel.
    #[inline(always)]
    fn blocks<S: Simd, L: EdgeLanes<S>>(&self, simd: S, sink: &mut impl RowSink<S, N>) {
        let [x0, x1, y0, y1] = self.bounds;
        let only_one = self.only_block().is_some();
        for y in (y0..=y1).step_by(8) {
            let end = (y + 7).min(y1);
            for x in (x0..=x1).step_by(8) {
                let value = unroll!(edge in [0, 1, 2] => {
                    let across = (x - x0) as i64 * self.step[0][edge];
                    let down = (y - y0) as i64 * self.step[1][edge];
                    self.value[edge] + across + down
                });
                let mut accepted = !only_one;
                let mut rejected = false;
                // A block that is the only one is rarely inside or outside as a whole.
                for edge in 0..if only_one { 0 } else { 3 } {
                    let across = 7 * self.step[0][edge];
                    let down = (end - y) as i64 * self.step[1][edge];
                    let (mut nearest, mut farthest) = (self.sample[0][edge], self.sample[0][edge]);
                    for sample in &self.sample[1..] {
                        nearest = nearest.min(sample[edge]);
                        farthest = farthest.max(sample[edge]);
                    }
                    accepted &= value[edge] + across.min(0) + down.min(0) + nearest >= 0;
                    rejected |= value[edge] + across.max(0) + down.max(0) + farthest < 0;
                }
                if !rejected {
                    self.block::<S, L>(simd, [x, y, end], value, accepted, sink);
                }
            }
        }
    }

    /// One block: rows `y..=end`, eight columns from `x`.
    #[inline(always)]
    fn block<S: Simd, L: EdgeLanes<S>>(
        &self,
        simd: S,
        [x, y, end]: [usize; 3],
        value: [i64; 3],
        accepted: bool,
        sink: &mut impl RowSink<S, N>,
    ) {
        let columns = (self.bounds[1] - x + 1).min(8);
        let lanes = (0xffu32 >> (8 - columns)) as u8;
        let mut edges = unroll!(edge in [0, 1, 2] => L::new(simd, value[edge], self.step[0][edge]));
        for y in y..=end {
            let mut covered = [mask32x8::splat(simd, true); N];
            if !accepted {
                for (covered, offset) in covered.iter_mut().zip(&self.sample) {
                    *covered = L::covered(unroll!(edge in [0, 1, 2] => edges[edge].add(offset[edge])));
                }
            }
            sink.row(&Row { x, y, lanes, covered, edges, walk: self });
            edges = unroll!(edge in [0, 1, 2] => edges[edge].add(self.step[1][edge]));
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd_macros::simd;
    use proptest::prelude::*;
    use refrast_simd::dispatch;

    use super::*;
    use refrast_simd::SimdLevel;

    /// Lanes rounded to f32 (as bits), and which of them are covered together with the others.
    #[simd]
    fn evaluate<S: Simd, L: EdgeLanes<S>>(simd: S, value: [i64; 3], step: [i64; 3], delta: i64) -> ([u32; 8], u64) {
        let edges = unroll!(i in [0, 1, 2] => L::new(simd, value[i], step[i]).add(delta));
        (edges[1].to_f32().to_array().map(f32::to_bits), L::covered(edges).to_bitmask())
    }

    #[simd]
    fn all_forms<S: Simd>(simd: S, value: [i64; 3], step: [i64; 3], delta: i64, fits: bool) -> Vec<([u32; 8], u64)> {
        let mut forms = vec![evaluate::<S, LongLanes<S>>(simd, value, step, delta)];
        forms.push(evaluate::<S, DoubleLanes<S>>(simd, value, step, delta));
        if fits {
            forms.push(evaluate::<S, i32x8<S>>(simd, value, step, delta));
        }
        forms
    }

    proptest! {
        #[test]
        fn the_three_forms_of_edge_values_agree(
            magnitude in 1u32..52,
            values in prop::array::uniform3(any::<i64>()),
            steps in prop::array::uniform3(any::<i64>()),
            delta in any::<i64>(),
        ) {
            // Signed values of about `magnitude` bits; steps of three bits less, as there are eight lanes.
            let cut = |value: i64, bits: u32| value >> (63 - bits);
            let value = values.map(|v| cut(v, magnitude));
            let step = steps.map(|v| cut(v, magnitude.saturating_sub(4)));
            let delta = cut(delta, magnitude.saturating_sub(1));
            let exact: Vec<[i64; 3]> =
                (0..8).map(|lane| [0, 1, 2].map(|i| value[i] + lane * step[i] + delta)).collect();
            let rounded: Vec<u32> = exact.iter().map(|e| (e[1] as f32).to_bits()).collect();
            let covered = (0..8).map(|lane| u64::from(exact[lane].iter().all(|&e| e >= 0)) << lane).sum::<u64>();
            for level in SimdLevel::available() {
                let fits = magnitude < 29;
                let forms = dispatch!(level.token_or_base(), simd => all_forms(simd, value, step, delta, fits));
                for (lanes, mask) in forms {
                    prop_assert_eq!(&lanes[..], &rounded[..]);
                    prop_assert_eq!(mask, covered);
                }
            }
        }
    }
}
