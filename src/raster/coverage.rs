//! Which samples of a tile a triangle covers, eight pixels of a row at a time.
//!
//! Why it exists: this is the one place that decides coverage. Depth, blending, counting and everything that is
//! proven about cracks and double hits go through [`walk`].
//!
//! Edge values are integers, and every representation below holds them without rounding: i32 where the triangle is
//! small, f64 where values stay below 2^53, i64 otherwise. So the choice between them can change no bit; it is made
//! by size alone.

use fearless_simd::{Simd, f32x8, f64x4, i32x4, i32x8, mask32x8, prelude::*, u8x16};

use super::{grid::Grid, triangle::SetupTriangle};
use refrast_simd::{Base, base, unroll};

/// Columns of a tile's row in memory: a block of eight may start at the last column, so there is room for seven more.
pub(super) const fn stride(tile_size: usize) -> usize {
    tile_size + 8
}

/// Eight edge values side by side.
pub(super) trait EdgeLanes<S: Simd>: Copy {
    /// One edge value, or a change of it.
    type Number: Copy;
    /// An edge value that this representation holds.
    fn number(value: i64) -> Self::Number;
    /// `value + lane · step`.
    fn new(simd: S, value: Self::Number, step: Self::Number) -> Self;
    /// All lanes moved by `delta`.
    fn add(self, delta: Self::Number) -> Self;
    /// Lanes where none of the three is negative.
    fn covered(edges: [Self; 3]) -> mask32x8<S>;
    /// Rounded once, to nearest even.
    fn to_f32(self) -> f32x8<S>;
}

impl<S: Simd> EdgeLanes<S> for i32x8<S> {
    type Number = i32;

    #[inline(always)]
    fn number(value: i64) -> i32 {
        value as i32
    }

    #[inline(always)]
    fn new(simd: S, value: i32, step: i32) -> Self {
        const LANES: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        Self::simd_from(simd, LANES) * step + value
    }

    #[inline(always)]
    fn add(self, delta: i32) -> Self {
        self + delta
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
    type Number = f64;

    #[inline(always)]
    fn number(value: i64) -> f64 {
        value as f64
    }

    #[inline(always)]
    fn new(simd: S, value: f64, step: f64) -> Self {
        let low = f64x4::simd_from(simd, [0.0, 1.0, 2.0, 3.0]) * step + value;
        Self([low, low + 4.0 * step])
    }

    #[inline(always)]
    fn add(self, delta: f64) -> Self {
        Self([self.0[0] + delta, self.0[1] + delta])
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
    type Number = i64;

    #[inline(always)]
    fn number(value: i64) -> i64 {
        value
    }

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
    planes: &'a Planes<L::Number, N>,
}

impl<S: Simd, L: EdgeLanes<S>, const N: usize> Row<'_, S, L, N> {
    /// The exact values of edges 1 and 2 at a sample, rounded to f32.
    #[inline(always)]
    pub(super) fn numerators(&self, sample: usize) -> [f32x8<S>; 2] {
        unroll!(edge in [1, 2] => self.edges[edge].add(self.planes.unbiased[sample][edge]).to_f32())
    }
}

/// What is done with covered rows.
pub(super) trait RowSink<S: Simd, const N: usize> {
    fn row<L: EdgeLanes<S>>(&mut self, row: &Row<'_, S, L, N>);
}

/// Columns and rows of a tile that a triangle may touch, first and last.
#[derive(Clone, Copy)]
struct Bounds {
    columns: [usize; 2],
    rows: [usize; 2],
}

impl Bounds {
    #[inline(always)]
    fn new(grid: &Grid, triangle: &SetupTriangle, origin: [usize; 2]) -> Self {
        let last = grid.tile_size() - 1;
        let [x0, x1, y0, y1] = unroll!(i in [0, 1, 2, 3] => usize::from(triangle.bounds[i]));
        Self {
            columns: [x0.saturating_sub(origin[0]), (x1 - origin[0]).min(last)],
            rows: [y0.saturating_sub(origin[1]), (y1 - origin[1]).min(last)],
        }
    }

    /// The first pixel, in the picture.
    #[inline(always)]
    fn first(&self, origin: [usize; 2]) -> [usize; 2] {
        [self.columns[0] + origin[0], self.rows[0] + origin[1]]
    }

    /// Whether a single block holds all of them.
    #[inline(always)]
    fn are_one_block(&self) -> bool {
        self.columns[1] - self.columns[0] < 8 && self.rows[1] - self.rows[0] < 8
    }
}

/// A triangle's edges, seen from the first sample of some pixel.
struct Planes<T, const N: usize> {
    /// Biased values.
    value: [T; 3],
    /// Change from pixel to pixel and from row to row.
    step: [[T; 3]; 2],
    /// From the first sample to each.
    sample: [[T; 3]; N],
    /// The same without the bias.
    unbiased: [[T; 3]; N],
}

impl<const N: usize> Planes<i64, N> {
    /// Seen from a pixel of the picture.
    #[inline(always)]
    fn new(grid: &Grid, triangle: &SetupTriangle, [column, row]: [usize; 2]) -> Self {
        let edges = triangle.edges();
        let first = grid.sample(0);
        let [x, y] = [((column as i64) << grid.bits) + first[0], ((row as i64) << grid.bits) + first[1]];
        let mut sample = [[0; 3]; N];
        let mut unbiased = [[0; 3]; N];
        for i in 0..N {
            let [dx, dy] = [grid.sample(i)[0] - first[0], grid.sample(i)[1] - first[1]];
            for edge in 0..3 {
                sample[i][edge] = edges.a[edge] * dx + edges.b[edge] * dy;
                unbiased[i][edge] = sample[i][edge] - edges.bias[edge];
            }
        }
        Self {
            value: unroll!(edge in [0, 1, 2] => edges.value(edge, x, y) + edges.bias[edge]),
            step: unroll!(slope in [edges.a, edges.b] => unroll!(edge in [0, 1, 2] => slope[edge] << grid.bits)),
            sample,
            unbiased,
        }
    }

    /// In the numbers of a representation that holds them.
    #[inline(always)]
    fn to<S: Simd, L: EdgeLanes<S>>(&self) -> Planes<L::Number, N> {
        let mut sample = [[L::number(0); 3]; N];
        let mut unbiased = sample;
        for i in 0..N {
            sample[i] = unroll!(edge in [0, 1, 2] => L::number(self.sample[i][edge]));
            unbiased[i] = unroll!(edge in [0, 1, 2] => L::number(self.unbiased[i][edge]));
        }
        Planes {
            value: unroll!(edge in [0, 1, 2] => L::number(self.value[edge])),
            step: unroll!(axis in [0, 1] => unroll!(edge in [0, 1, 2] => L::number(self.step[axis][edge]))),
            sample,
            unbiased,
        }
    }
}

impl<const N: usize> Planes<i32, N> {
    /// As [`Planes::new`] for i64, of a [small](SetupTriangle::is_small) triangle, its three edges side by side.
    #[inline(always)]
    fn small<S: Simd>(simd: S, grid: &Grid, triangle: &SetupTriangle, [column, row]: [usize; 2]) -> Self {
        // Edge i goes from corner i + 1 to corner i + 2.
        const FROM: [u8; 16] = [4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15];
        const TO: [u8; 16] = [8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15];
        let [x, y] = unroll!(corners in [triangle.x, triangle.y] =>
            i32x4::simd_from(simd, [corners[0], corners[1], corners[2], 0]));
        let [from, to] = unroll!(order in [FROM, TO] => u8x16::simd_from(simd, order));
        let (from_x, from_y) = (x.swizzle_dyn(from), y.swizzle_dyn(from));
        let (dx, dy) = (x.swizzle_dyn(to) - from_x, y.swizzle_dyn(to) - from_y);
        let top_left = dy.simd_lt(0) | (dy.simd_eq(0) & dx.simd_gt(0));
        let bias = top_left.select(i32x4::splat(simd, 0), i32x4::splat(simd, -1));
        let first = grid.sample(0);
        let place = |pixel: usize, first: i64| ((pixel as i32) << grid.bits) + first as i32;
        let value = dx * (place(row, first[1]) - from_y) - dy * (place(column, first[0]) - from_x) + bias;
        let mut sample = [[0; 3]; N];
        let mut unbiased = [[0; 3]; N];
        unbiased[0] = three(-bias);
        for i in 1..N {
            let [right, down] = [(grid.sample(i)[0] - first[0]) as i32, (grid.sample(i)[1] - first[1]) as i32];
            let change = dx * down - dy * right;
            sample[i] = three(change);
            unbiased[i] = three(change - bias);
        }
        Self { value: three(value), step: [three(-(dy << grid.bits)), three(dx << grid.bits)], sample, unbiased }
    }
}

/// The first three of four.
#[inline(always)]
fn three<S: Simd>(four: i32x4<S>) -> [i32; 3] {
    let [a, b, c, _] = four.to_array();
    [a, b, c]
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
    let bounds = Bounds::new(grid, triangle, origin);
    let first = bounds.first(origin);
    if !triangle.is_small() {
        blocks::<S, DoubleLanes<S>, N>(simd, &Planes::new(grid, triangle, first), bounds, sink);
    } else if bounds.are_one_block() {
        // So are most of many triangles.
        let planes = Planes::small(simd, grid, triangle, first);
        block::<S, i32x8<S>, N>(simd, &planes, bounds, false, sink);
    } else {
        blocks::<S, i32x8<S>, N>(simd, &Planes::new(grid, triangle, first), bounds, sink);
    }
}

/// As [`walk`], for large triangles. They are so rare that the base level serves all.
pub(super) fn walk_large<const N: usize>(
    grid: &Grid,
    triangle: &SetupTriangle,
    origin: [usize; 2],
    sink: &mut impl RowSink<Base, N>,
) {
    let bounds = Bounds::new(grid, triangle, origin);
    let first = bounds.first(origin);
    blocks::<Base, LongLanes<Base>, N>(base(), &Planes::new(grid, triangle, first), bounds, sink);
}

/// Blocks of eight by eight pixels: those that an edge keeps out are skipped, those that no edge touches need no
/// test per pixel. `planes` are seen from the first pixel of the bounds.
#[inline(always)]
fn blocks<S: Simd, L: EdgeLanes<S>, const N: usize>(
    simd: S,
    planes: &Planes<i64, N>,
    bounds: Bounds,
    sink: &mut impl RowSink<S, N>,
) {
    let Bounds { columns: [x0, x1], rows: [y0, y1] } = bounds;
    let only_one = bounds.are_one_block();
    let mut own = planes.to::<S, L>();
    for y in (y0..=y1).step_by(8) {
        let end = (y + 7).min(y1);
        for x in (x0..=x1).step_by(8) {
            let value = unroll!(edge in [0, 1, 2] => {
                let across = (x - x0) as i64 * planes.step[0][edge];
                let down = (y - y0) as i64 * planes.step[1][edge];
                planes.value[edge] + across + down
            });
            let mut accepted = !only_one;
            let mut rejected = false;
            // A block that is the only one is rarely inside or outside as a whole.
            for edge in 0..if only_one { 0 } else { 3 } {
                let across = 7 * planes.step[0][edge];
                let down = (end - y) as i64 * planes.step[1][edge];
                let (mut nearest, mut farthest) = (0, 0);
                for sample in &planes.sample[1..] {
                    nearest = nearest.min(sample[edge]);
                    farthest = farthest.max(sample[edge]);
                }
                accepted &= value[edge] + across.min(0) + down.min(0) + nearest >= 0;
                rejected |= value[edge] + across.max(0) + down.max(0) + farthest < 0;
            }
            if !rejected {
                own.value = unroll!(edge in [0, 1, 2] => L::number(value[edge]));
                block::<S, L, N>(simd, &own, Bounds { columns: [x, x1], rows: [y, end] }, accepted, sink);
            }
        }
    }
}

/// One block: the rows of the bounds, up to eight columns from the first. `planes` are seen from its first pixel.
#[inline(always)]
fn block<S: Simd, L: EdgeLanes<S>, const N: usize>(
    simd: S,
    planes: &Planes<L::Number, N>,
    Bounds { columns: [x, last], rows: [y, end] }: Bounds,
    accepted: bool,
    sink: &mut impl RowSink<S, N>,
) {
    let columns = (last - x + 1).min(8);
    let lanes = (0xffu32 >> (8 - columns)) as u8;
    let mut edges = unroll!(edge in [0, 1, 2] => L::new(simd, planes.value[edge], planes.step[0][edge]));
    for y in y..=end {
        let mut covered = [mask32x8::splat(simd, true); N];
        if !accepted {
            covered[0] = L::covered(edges);
            for (covered, offset) in covered.iter_mut().zip(&planes.sample).skip(1) {
                *covered = L::covered(unroll!(edge in [0, 1, 2] => edges[edge].add(offset[edge])));
            }
        }
        sink.row(&Row { x, y, lanes, covered, edges, planes });
        edges = unroll!(edge in [0, 1, 2] => edges[edge].add(planes.step[1][edge]));
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd_macros::simd;
    use proptest::prelude::*;
    use refrast_simd::dispatch;

    use super::*;
    use crate::triangle::{WHOLE, doubled_area};
    use refrast_draw::{RasterSettings, SampleCount};
    use refrast_simd::SimdLevel;

    /// Lanes rounded to f32 (as bits), and which of them are covered together with the others.
    #[simd]
    fn evaluate<S: Simd, L: EdgeLanes<S>>(simd: S, value: [i64; 3], step: [i64; 3], delta: i64) -> ([u32; 8], u64) {
        let edges =
            unroll!(i in [0, 1, 2] => L::new(simd, L::number(value[i]), L::number(step[i])).add(L::number(delta)));
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

    #[simd]
    fn small_planes<S: Simd, const N: usize>(
        simd: S,
        grid: &Grid,
        triangle: &SetupTriangle,
        pixel: [usize; 2],
    ) -> Planes<i32, N> {
        Planes::small(simd, grid, triangle, pixel)
    }

    fn small_planes_agree<const N: usize>(triangle: &SetupTriangle, grid: &Grid, pixel: [usize; 2]) {
        let expected = Planes::<i64, N>::new(grid, triangle, pixel).to::<Base, i32x8<Base>>();
        for level in SimdLevel::available() {
            let planes = dispatch!(level.token_or_base(), simd => small_planes::<_, N>(simd, grid, triangle, pixel));
            assert_eq!(
                (planes.value, planes.step, planes.sample, planes.unbiased),
                (expected.value, expected.step, expected.sample, expected.unbiased),
                "{level}"
            );
        }
    }

    proptest! {
        #[test]
        fn small_triangles_have_the_edges_of_all_others(
            corners in prop::array::uniform3([0i32..2048, 0i32..2048]),
            horizontal in any::<bool>(),
            pixel in [0usize..8, 0usize..8],
        ) {
            let (x, mut y) = (corners.map(|corner| corner[0]), corners.map(|corner| corner[1]));
            if horizontal {
                y[1] = y[0];
            }
            let area = doubled_area(x, y);
            prop_assume!(area != 0);
            let order = if area > 0 { [0, 1, 2] } else { [0, 2, 1] };
            let corners = (order.map(|i| x[i]), order.map(|i| y[i]), [0.5; 3]);
            for samples in [SampleCount::One, SampleCount::Four, SampleCount::FourMirrored] {
                let grid = Grid::new(&RasterSettings { samples, ..RasterSettings::default() }).unwrap();
                let triangle =
                    SetupTriangle::new(&grid, corners, area.abs(), [0; 4], [0, 1, 2], 0, (WHOLE, true));
                prop_assert!(triangle.is_small());
                match samples {
                    SampleCount::One => small_planes_agree::<1>(&triangle, &grid, pixel),
                    _ => small_planes_agree::<4>(&triangle, &grid, pixel),
                }
            }
        }

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
