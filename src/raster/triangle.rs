//! [`SetupTriangle`]: a triangle on the grid, with exact edge functions.
//!
//! Why it exists: this is where geometry turns into integers. Coverage, depth and the weights of shading all start
//! from the same edge values, which are integers without rounding, and so do the checks that later ask how far a
//! sample is from an edge.

use super::settings::Grid;
use super::unroll::unroll;

/// No piece: the triangle is a whole primitive.
pub(super) const WHOLE: u32 = (1 << 30) - 1;
const FRONT: u32 = 1 << 31;
const SMALL: u32 = 1 << 30;

/// A triangle that has passed clipping and culling.
///
/// Its vertices are ordered so that the area is positive: clockwise as seen in the picture, y down. Edge i lies
/// opposite vertex i. A primitive that was clipped, a line or a point gives several such triangles (pieces).
#[derive(Clone, Copy, Debug)]
pub struct SetupTriangle {
    pub(super) x: [i32; 3],
    pub(super) y: [i32; 3],
    pub(super) z0: f32,
    /// `(z_i − z_0) / (2 · area)` for vertices 1 and 2.
    pub(super) k: [f32; 2],
    /// Rows of varyings of the primitive's vertices. For a piece, those of the primitive it was cut from.
    pub(super) vertices: [u32; 3],
    pub(super) primitive: u32,
    /// The piece's number in its chunk (or [`WHOLE`]); in the top bits whether the front is seen and whether edge
    /// values fit i32.
    pub(super) flags: u32,
    /// First and last pixel column, first and last row that may hold a covered sample.
    pub(super) bounds: [u16; 4],
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
    let [x, y] = [x, y].map(|v| v.map(i64::from));
    ((x[1] - x[0]) * (y[2] - y[0])).wrapping_sub((x[2] - x[0]) * (y[1] - y[0]))
}

/// First and last pixel column, first and last row with a sample inside the box around three points; `None` if none.
#[inline(always)]
pub(super) fn pixel_bounds(grid: &Grid, x: [i32; 3], y: [i32; 3]) -> Option<[u16; 4]> {
    // The outermost sample positions, in sixteenths of a pixel.
    let (first, last) = match grid.samples {
        super::SampleCount::One => (8, 8),
        super::SampleCount::Four => (2, 14),
    };
    let [first, last] = [first, last].map(|sixteenths: i32| sixteenths << (grid.bits - 4));
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
        let area = doubled_area as f64;
        let k = [1, 2].map(|i| ((f64::from(z[i]) - f64::from(z[0])) / area) as f32);
        let mut triangle = Self { x, y, z0: z[0], k, vertices, primitive, flags: piece, bounds };
        triangle.flags |= if front { FRONT } else { 0 };
        triangle.flags |= if triangle.magnitude(grid) < 1 << 31 { SMALL } else { 0 };
        triangle
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
        self.flags & SMALL != 0
    }

    /// A bound of |e| wherever coverage and shading look.
    ///
    /// They look at points of blocks, eight pixels wide, that start inside the box around the triangle, and step one
    /// pixel past. There |p − corner| ≤ side + 9 pixels in each direction, where side is the longer one of the box,
    /// and |a|, |b| ≤ side. So |e| ≤ 2 · side · (side + 9 pixels).
    #[inline(always)]
    pub(super) fn magnitude(&self, grid: &Grid) -> u64 {
        let side = |v: [i32; 3]| i64::from(v[0].max(v[1]).max(v[2])) - i64::from(v[0].min(v[1]).min(v[2]));
        let side = side(self.x).max(side(self.y)) as u64;
        2 * side * (side + (9 << grid.bits))
    }
}
