//! [`SetupTriangle`]: a triangle on the grid, with exact edge functions.
//!
//! Why it exists: this is where geometry turns into integers. Coverage, depth and the weights of shading all start
//! from the same edge values, which are integers without rounding, and so do the checks that later ask how far a
//! sample is from an edge.

use bytemuck::NoUninit;
use fearless_simd::{Simd, i32x8, prelude::*, u32x8};

use super::grid::Grid;
use refrast_simd::unroll;

/// No piece: the triangle is a whole primitive.
pub(super) const WHOLE: u32 = (1 << 29) - 1;
const FRONT: u32 = 1 << 31;
const SMALL: u32 = 1 << 30;
const MEDIUM: u32 = 1 << 29;

/// A triangle that has passed clipping and culling.
///
/// Its vertices are ordered so that the area is positive: clockwise as seen in the picture, y down. Edge i lies
/// opposite vertex i. A primitive that was clipped, a line or a point gives several such triangles (pieces).
///
/// It is one cache line, and eight of them are read as rows of a matrix.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C, align(64))]
pub struct SetupTriangle {
    pub(super) x: [i32; 3],
    pub(super) y: [i32; 3],
    pub(super) z0: f32,
    /// `(z_i − z_0) · (1 / (2 · area))` for vertices 1 and 2: computed in f64, then rounded.
    pub(super) k: [f32; 2],
    /// Rows of varyings of the primitive's vertices. For a piece, those of the primitive it was cut from.
    pub(super) vertices: [u32; 3],
    pub(super) primitive: u32,
    /// The piece's number in its chunk (or [`WHOLE`]); in the top bits whether the front is seen and whether edge
    /// values fit i32 and f64.
    pub(super) flags: u32,
    /// First and last pixel column, first and last row that may hold a covered sample.
    pub(super) bounds: [u16; 4],
}

/// What is true of each of some triangles.
#[derive(Clone, Copy)]
pub(super) struct Common(u32);

impl Common {
    /// Of triangles with these flags.
    #[inline(always)]
    pub(super) fn of(flags: &[u32]) -> Self {
        Self(flags.iter().fold(u32::MAX, |all, flags| all & flags))
    }

    /// Whether edge values near each triangle fit i32.
    #[inline(always)]
    pub(super) fn are_small(self) -> bool {
        self.0 & SMALL != 0
    }

    /// Whether they are exact in f64. Small triangles are medium too.
    #[inline(always)]
    pub(super) fn are_medium(self) -> bool {
        self.0 & MEDIUM != 0
    }

    /// Whether each is a whole primitive: of [`WHOLE`] every bit is set.
    #[inline(always)]
    pub(super) fn are_whole(self) -> bool {
        self.0 & WHOLE == WHOLE
    }
}

/// -1 where flags are those of a triangle whose front is seen, 0 elsewhere.
#[inline(always)]
pub(super) fn front<S: Simd>(flags: u32x8<S>) -> i32x8<S> {
    // The top bit in all of them.
    flags.bitcast::<i32x8<S>>() >> 31
}

/// The three edge functions of a triangle: `value(i, p) = a[i]·p.x + b[i]·p.y + c[i]`, positive inside.
///
/// All in grid units and exact. A sample belongs to the triangle when every value plus its bias is ≥ 0: the bias is 0
/// on top and left edges and −1 on the others, which is the top-left rule for integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFunctions {
    /// Change for one grid unit to the right.
    pub a: [i64; 3],
    /// Change for one grid unit down.
    pub b: [i64; 3],
    /// Value at the picture's upper left corner (may wrap; sums with it do not).
    pub c: [i64; 3],
    /// 0 on top and left edges, −1 on the others.
    pub bias: [i64; 3],
}

impl EdgeFunctions {
    /// The exact edge value, without bias, at a point inside the guard band.
    #[must_use]
    #[inline(always)]
    pub fn value(&self, edge: usize, x: i64, y: i64) -> i64 {
        self.a[edge].wrapping_mul(x).wrapping_add(self.b[edge].wrapping_mul(y)).wrapping_add(self.c[edge])
    }

    /// Whether the point is covered.
    #[must_use]
    pub fn covers(&self, x: i64, y: i64) -> bool {
        (0..3).all(|edge| self.value(edge, x, y) + self.bias[edge] >= 0)
    }
}

/// Twice the signed area in square grid units; positive when clockwise as seen in the picture.
#[inline(always)]
pub(super) fn doubled_area(x: [i32; 3], y: [i32; 3]) -> i64 {
    let (x, y) = (unroll!(i in [0, 1, 2] => i64::from(x[i])), unroll!(i in [0, 1, 2] => i64::from(y[i])));
    ((x[1] - x[0]) * (y[2] - y[0])).wrapping_sub((x[2] - x[0]) * (y[1] - y[0]))
}

/// First and last pixel column, first and last row with a sample inside the box around three points; `None` if none.
#[inline(always)]
pub(super) fn pixel_bounds(grid: &Grid, x: [i32; 3], y: [i32; 3]) -> Option<[u16; 4]> {
    // The outermost sample positions, in sixteenths of a pixel.
    let (first, last) = match grid.samples {
        super::SampleCount::One => (8, 8),
        super::SampleCount::Four | super::SampleCount::FourMirrored => (2, 14),
    };
    let (first, last): (i32, i32) = (first << (grid.bits - 4), last << (grid.bits - 4));
    // A sample at p·2^bits + s lies in [low, high] for the pixels p from ⌈(low − s) / 2^bits⌉ to ⌊(high − s) / 2^bits⌋.
    let range = |v: [i32; 3], size: u32| {
        let low = v[0].min(v[1]).min(v[2]);
        let high = v[0].max(v[1]).max(v[2]);
        let start = ((low - last + grid.one() - 1) >> grid.bits).max(0);
        let end = ((high - first) >> grid.bits).min(size as i32 - 1);
        (start, end)
    };
    let (x0, x1) = range(x, grid.width);
    let (y0, y1) = range(y, grid.height);
    (x0 <= x1 && y0 <= y1).then_some([x0 as u16, x1 as u16, y0 as u16, y1 as u16])
}

/// The larger change of depth from one pixel to the next, along a row or a column.
fn steepest(grid: &Grid, (x, y, z): &([i32; 3], [i32; 3], [f32; 3]), inverse_area: f64) -> f64 {
    let edge = |v: &[i32; 3], i: usize| f64::from(v[i]) - f64::from(v[0]);
    let [first, second] = [1, 2].map(|i: usize| f64::from(z[i]) - f64::from(z[0]));
    let along = |v: &[i32; 3]| ((first * edge(v, 2) - second * edge(v, 1)) * inverse_area).abs();
    // A row's slope hangs on the heights of the edges, a column's on their widths.
    along(y).max(along(x)) * f64::from(grid.one())
}

impl SetupTriangle {
    /// Where and what: corners, depths and origin of a triangle of positive area.
    #[inline(always)]
    pub(super) fn new(
        grid: &Grid,
        corners: ([i32; 3], [i32; 3], [f32; 3]),
        doubled_area: i64,
        bounds: [u16; 4],
        vertices: [u32; 3],
        primitive: u32,
        (piece, front): (u32, bool),
    ) -> Self {
        let (x, y, z) = corners;
        let inverse = 1.0 / doubled_area as f64;
        let k = unroll!(i in [1, 2] => ((f64::from(z[i]) - f64::from(z[0])) * inverse) as f32);
        let mut z0 = z[0];
        if let Some((bias, format)) = &grid.bias {
            let deepest = z[0].max(z[1]).max(z[2]).clamp(0.0, 1.0);
            z0 = (f64::from(z0) + bias.of(*format, steepest(grid, &corners, inverse), deepest)) as f32;
        }
        let mut triangle = Self { x, y, z0, k, vertices, primitive, flags: piece, bounds };
        triangle.flags |= if front { FRONT } else { 0 };
        let magnitude = triangle.magnitude(grid);
        triangle.flags |= if magnitude < 1 << 31 { SMALL } else { 0 };
        triangle.flags |= if magnitude < 1 << 53 { MEDIUM } else { 0 };
        triangle
    }

    /// Itself as four rows of four words: x and the first of y; the others of y, depth and the first of `k`; the second of `k`
    /// and the vertices; what is left.
    #[inline(always)]
    pub(super) fn words(&self) -> &[[u32; 4]; 4] {
        bytemuck::cast_ref(self)
    }

    /// Corner `i` on the grid, in units of 2^-bits pixels from the picture's upper left corner.
    #[must_use]
    pub fn corner(&self, i: usize) -> [i32; 2] {
        [self.x[i], self.y[i]]
    }

    /// The primitive's number in its draw.
    #[must_use]
    pub fn primitive(&self) -> u32 {
        self.primitive
    }

    /// The rows of varyings that it interpolates. For a whole triangle row i belongs to corner i.
    #[must_use]
    pub fn vertices(&self) -> [u32; 3] {
        self.vertices
    }

    /// Whether the front is seen. Lines and points show nothing else.
    #[must_use]
    #[inline(always)]
    pub fn front(&self) -> bool {
        self.flags & FRONT != 0
    }

    /// Whether this is a part of a primitive: clipping, or a line or point, made it.
    #[must_use]
    pub fn is_piece(&self) -> bool {
        self.piece().is_some()
    }

    #[inline(always)]
    pub(super) fn piece(&self) -> Option<usize> {
        let piece = self.flags & WHOLE;
        (piece != WHOLE).then_some(piece as usize)
    }

    /// The exact edge functions.
    #[must_use]
    #[inline(always)]
    pub fn edges(&self) -> EdgeFunctions {
        let x = unroll!(i in [0, 1, 2] => i64::from(self.x[i]));
        let y = unroll!(i in [0, 1, 2] => i64::from(self.y[i]));
        let mut edges = EdgeFunctions { a: [0; 3], b: [0; 3], c: [0; 3], bias: [0; 3] };
        for edge in 0..3 {
            let (from, to) = ((edge + 1) % 3, (edge + 2) % 3);
            let (dx, dy) = (x[to] - x[from], y[to] - y[from]);
            edges.a[edge] = -dy;
            edges.b[edge] = dx;
            edges.c[edge] = (dy * x[from]).wrapping_sub(dx * y[from]);
            // Clockwise with y down: a left edge goes up, a top edge goes right.
            let top_left = dy < 0 || (dy == 0 && dx > 0);
            edges.bias[edge] = if top_left { 0 } else { -1 };
        }
        edges
    }

    /// Window depth at a point of the guard band: `z0 + (e1·k1 + e2·k2)`, clamped to [0, 1].
    ///
    /// e1 and e2 are the exact edge values, rounded once to f32; every other operation is one f32 rounding.
    #[must_use]
    pub fn depth_at(&self, x: i64, y: i64) -> f32 {
        let edges = self.edges();
        let sum = edges.value(1, x, y) as f32 * self.k[0] + edges.value(2, x, y) as f32 * self.k[1];
        (self.z0 + sum).clamp(0.0, 1.0)
    }

    /// Whether edge values near the triangle fit i32.
    #[inline(always)]
    pub(super) fn is_small(&self) -> bool {
        Common(self.flags).are_small()
    }

    /// Whether they need i64: triangles many pictures wide.
    #[inline(always)]
    pub(super) fn is_large(&self) -> bool {
        !Common(self.flags).are_medium()
    }

    /// Piece, side and size, in bits.
    #[inline(always)]
    pub(super) fn flags(&self) -> u32 {
        self.flags
    }

    /// Twice the area in square grid units.
    #[inline(always)]
    pub(super) fn doubled_area(&self) -> i64 {
        doubled_area(self.x, self.y)
    }

    /// A bound of |e| wherever coverage and shading look.
    ///
    /// They look at points of blocks, eight pixels wide, that start inside the box around the triangle, and step one
    /// pixel past. There |p − corner| ≤ side + 9 pixels in each direction, where side is the longer one of the box,
    /// and |a|, |b| ≤ side. So |e| ≤ 2 · side · (side + 9 pixels).
    #[inline(always)]
    fn magnitude(&self, grid: &Grid) -> u64 {
        let side = |v: [i32; 3]| i64::from(v[0].max(v[1]).max(v[2])) - i64::from(v[0].min(v[1]).min(v[2]));
        let side = side(self.x).max(side(self.y)) as u64;
        2 * side * (side + (9 << grid.bits))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use refrast_draw::RasterSettings;

    fn grid(bits: u32) -> Grid {
        let settings = RasterSettings { width: 1024, height: 1024, subpixel_bits: bits, ..RasterSettings::default() };
        Grid::new(&settings).expect("the settings are in range")
    }

    /// A triangle with the corners in positive order, or `None` without area.
    fn triangle(bits: u32, corners: [[i32; 2]; 3], z: [f32; 3]) -> Option<SetupTriangle> {
        let order = |order: [usize; 3]| (order.map(|i| corners[i][0]), order.map(|i| corners[i][1]));
        let (x, y) = order([0, 1, 2]);
        let area = doubled_area(x, y);
        let (x, y) = if area < 0 { order([0, 2, 1]) } else { (x, y) };
        (area != 0).then(|| SetupTriangle::new(&grid(bits), (x, y, z), area.abs(), [0; 4], [0, 1, 2], 0, (WHOLE, true)))
    }

    fn corner(limit: i32) -> impl Strategy<Value = [i32; 2]> {
        [-limit..=limit, -limit..=limit]
    }

    #[test]
    fn the_standard_triangle() {
        // (0,0), (16,0), (0,16): edge 0 is the diagonal, edge 1 the left side, edge 2 the top.
        let triangle = triangle(4, [[0, 0], [16, 0], [0, 16]], [0.0, 1.0, 0.5]).expect("it has an area");
        let edges = triangle.edges();
        assert_eq!([0, 1, 2].map(|i| edges.value(i, 4, 4)), [128, 64, 64]);
        assert_eq!(edges.bias, [-1, 0, 0]);
        assert!(edges.covers(0, 0) && edges.covers(15, 0) && !edges.covers(8, 8) && !edges.covers(16, 0));
        // A quarter of the way to each: 0 + 1/4 · 1 + 1/4 · 0.5.
        assert_eq!(triangle.depth_at(4, 4), 0.375);
    }

    proptest! {
        #[test]
        fn edge_values_are_exact_and_sum_to_the_area(
            bits in 4u32..=16,
            corners in [corner(1 << 30), corner(1 << 30), corner(1 << 30)],
            point in corner(1 << 30),
        ) {
            let Some(triangle) = triangle(bits, corners, [0.5; 3]) else { return Ok(()) };
            let edges = triangle.edges();
            let [p, q] = point.map(i128::from);
            let mut sum = 0;
            for edge in 0..3 {
                let [[ax, ay], [bx, by]] = [1, 2].map(|i| triangle.corner((edge + i) % 3).map(i128::from));
                let exact = (bx - ax) * (q - ay) - (by - ay) * (p - ax);
                prop_assert_eq!(i128::from(edges.value(edge, point[0].into(), point[1].into())), exact);
                sum += exact;
            }
            let area = i128::from(doubled_area(triangle.x, triangle.y));
            prop_assert!(area > 0);
            prop_assert_eq!(sum, area);
        }

        #[test]
        fn every_point_off_the_edges_of_a_square_belongs_to_one_half(
            corners in [corner(4000), corner(4000), corner(4000), corner(4000)],
            point in corner(4000),
        ) {
            // Two triangles with a common edge, on different sides of it.
            let [a, b, c, d] = corners;
            let side = |p: [i32; 2]| doubled_area([a[0], b[0], p[0]], [a[1], b[1], p[1]]).signum();
            prop_assume!(side(c) * side(d) == -1);
            let halves = [triangle(8, [a, b, c], [0.5; 3]), triangle(8, [a, b, d], [0.5; 3])];
            let hits = halves.iter().flatten().filter(|t| t.edges().covers(point[0].into(), point[1].into())).count();
            prop_assert!(hits <= 1);
        }

        #[test]
        fn depth_is_close_to_the_plane_and_in_its_range(
            corners in [corner(1 << 18), corner(1 << 18), corner(1 << 18)],
            z in [0.0f32..=1.0, 0.0f32..=1.0, 0.0f32..=1.0],
            weights in [0.0f64..1.0, 0.0f64..1.0],
        ) {
            let Some(triangle) = triangle(8, corners, z) else { return Ok(()) };
            // A point of the triangle, rounded to the grid.
            let [s, t] = if weights[0] + weights[1] > 1.0 { weights.map(|v| 1.0 - v) } else { weights };
            let mix = |axis: usize| {
                let [a, b, c] = [0, 1, 2].map(|i| f64::from(triangle.corner(i)[axis]));
                (a + s * (b - a) + t * (c - a)).round() as i64
            };
            let (x, y) = (mix(0), mix(1));
            prop_assume!(triangle.edges().covers(x, y));
            let area = doubled_area(triangle.x, triangle.y) as f64;
            let [e1, e2] = [1, 2].map(|i| triangle.edges().value(i, x, y) as f64 / area);
            let [z0, z1, z2] = z.map(f64::from);
            let expected = z0 + e1 * (z1 - z0) + e2 * (z2 - z0);
            // Eight roundings of values up to 1.
            prop_assert!((f64::from(triangle.depth_at(x, y)) - expected).abs() < 8.0 * f64::from(f32::EPSILON));
        }

        #[test]
        fn magnitude_bounds_every_edge_value_of_the_blocks(
            bits in 4u32..=16,
            corners in [corner(1 << 20), corner(1 << 20), corner(1 << 20)],
            fraction in [0.0f64..=1.0, 0.0f64..=1.0],
        ) {
            let Some(triangle) = triangle(bits, corners, [0.5; 3]) else { return Ok(()) };
            // Any point from nine pixels before the box to nine pixels past it.
            let point = |axis: usize| {
                let values = corners.map(|corner| i64::from(corner[axis]));
                let low = values.iter().min().expect("three corners") - (9 << bits);
                let high = values.iter().max().expect("three corners") + (9 << bits);
                low + ((high - low) as f64 * fraction[axis]) as i64
            };
            let (x, y) = (point(0), point(1));
            for edge in 0..3 {
                let value = triangle.edges().value(edge, x, y);
                prop_assert!(value.unsigned_abs() <= triangle.magnitude(&grid(bits)));
            }
        }
    }
}
