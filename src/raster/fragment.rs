//! [`FragmentBatch`] and [`FragmentShader`]: the seam between coverage and colour.
//!
//! Fragments are shaded eight at a time. The eight belong to one draw but not to one triangle: small triangles would
//! leave most lanes empty otherwise. So each lane names its own three vertices, and [`FragmentBatch::interpolate`]
//! gathers their rows of varyings.

use fearless_simd::{Simd, f32x4, f32x8, mask32x8, prelude::*};
use fearless_simd_macros::simd;

/// Fragments a batch.
pub const LANES: usize = 8;

/// Eight fragments of one draw, in window space.
pub struct FragmentBatch<'a, S: Simd> {
    /// The SIMD token.
    pub simd: S,
    /// The draw's rows of varyings.
    pub varyings: &'a [f32],
    /// Floats in a row.
    pub stride: usize,
    /// `vertices[k][lane]`: the row of the triangle's vertex k. Lines repeat their last vertex, points their only one.
    pub vertices: [[u32; LANES]; 3],
    /// Perspective-correct weights of vertices 1 and 2 at the sample; vertex 0 has what is left of 1.
    pub barycentrics: [f32x8<S>; 2],
    /// Change of `barycentrics` for one pixel to the right, exact (not a quad's difference).
    pub dx: [f32x8<S>; 2],
    /// Change of `barycentrics` for one pixel down.
    pub dy: [f32x8<S>; 2],
    /// Window depth in [0, 1].
    pub depth: f32x8<S>,
    /// Whether the front of the triangle is seen.
    pub front: mask32x8<S>,
    /// Pixel column of each lane.
    pub x: [u32; LANES],
    /// Pixel row of each lane, from the top.
    pub y: [u32; LANES],
    /// Bit `lane` is set for lanes that hold a fragment; the others repeat one that does.
    pub active: u8,
}

/// Four interpolated varyings with their screen-space derivatives.
pub struct Interpolated<S: Simd> {
    /// At the sample.
    pub value: [f32x8<S>; 4],
    /// Change for one pixel to the right.
    pub dx: [f32x8<S>; 4],
    /// Change for one pixel down.
    pub dy: [f32x8<S>; 4],
}

/// What gives a fragment its colour.
pub trait FragmentShader: Sync {
    /// Linear RGBA, alpha not multiplied in, for all eight lanes.
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4];

    /// The alpha that an alpha-masked draw compares with its cutoff.
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S>;
}

/// `rows[k][component]`: four consecutive varyings of vertex k of each lane.
type VertexRows<S> = [[f32x8<S>; 4]; 3];

impl<S: Simd> FragmentBatch<'_, S> {
    /// The varyings `first..first + 4` at the sample: `a0 + (l1·(a1 − a0) + l2·(a2 − a0))`.
    #[inline(always)]
    pub fn interpolate(&self, first: usize) -> [f32x8<S>; 4] {
        let rows = self.rows(first);
        let edges = edges(&rows);
        let [l1, l2] = self.barycentrics;
        let change = weighted(&edges, l1, l2);
        [rows[0][0] + change[0], rows[0][1] + change[1], rows[0][2] + change[2], rows[0][3] + change[3]]
    }

    /// As [`interpolate`](Self::interpolate), with the derivatives that texture sampling needs.
    #[inline(always)]
    pub fn interpolate_with_derivatives(&self, first: usize) -> Interpolated<S> {
        let rows = self.rows(first);
        let edges = edges(&rows);
        let [l1, l2] = self.barycentrics;
        let change = weighted(&edges, l1, l2);
        Interpolated {
            value: [rows[0][0] + change[0], rows[0][1] + change[1], rows[0][2] + change[2], rows[0][3] + change[3]],
            dx: weighted(&edges, self.dx[0], self.dx[1]),
            dy: weighted(&edges, self.dy[0], self.dy[1]),
        }
    }

    /// Varyings of vertex 0, for attributes that do not vary over a triangle.
    #[inline(always)]
    pub fn flat(&self, first: usize) -> [f32x8<S>; 4] {
        gather_rows(self.simd, self.varyings, self.stride, first, &self.vertices[0])
    }

    #[inline(always)]
    fn rows(&self, first: usize) -> VertexRows<S> {
        let [v0, v1, v2] = &self.vertices;
        [
            gather_rows(self.simd, self.varyings, self.stride, first, v0),
            gather_rows(self.simd, self.varyings, self.stride, first, v1),
            gather_rows(self.simd, self.varyings, self.stride, first, v2),
        ]
    }
}

// The four components are written out below: a closure handed to `array::from_fn` is compiled on its own, without the
// SIMD level's instructions, and each of its operations becomes a call.

/// The differences of vertices 1 and 2 to vertex 0.
#[inline(always)]
fn edges<S: Simd>([row0, row1, row2]: &VertexRows<S>) -> [[f32x8<S>; 4]; 2] {
    [
        [row1[0] - row0[0], row1[1] - row0[1], row1[2] - row0[2], row1[3] - row0[3]],
        [row2[0] - row0[0], row2[1] - row0[1], row2[2] - row0[2], row2[3] - row0[3]],
    ]
}

/// `weight1·edge1 + weight2·edge2`.
#[inline(always)]
fn weighted<S: Simd>([edge1, edge2]: &[[f32x8<S>; 4]; 2], weight1: f32x8<S>, weight2: f32x8<S>) -> [f32x8<S>; 4] {
    [
        weight1 * edge1[0] + weight2 * edge2[0],
        weight1 * edge1[1] + weight2 * edge2[1],
        weight1 * edge1[2] + weight2 * edge2[2],
        weight1 * edge1[3] + weight2 * edge2[3],
    ]
}

/// Loads four consecutive floats of eight rows and transposes them into four vectors of eight.
#[simd]
fn gather_rows<S: Simd>(
    simd: S,
    varyings: &[f32],
    stride: usize,
    first: usize,
    vertices: &[u32; LANES],
) -> [f32x8<S>; 4] {
    let load = |lane: usize| {
        let start = vertices[lane] as usize * stride + first;
        f32x4::from_slice(simd, &varyings[start..start + 4])
    };
    let low = transpose([load(0), load(1), load(2), load(3)]);
    let high = transpose([load(4), load(5), load(6), load(7)]);
    [low[0].combine(high[0]), low[1].combine(high[1]), low[2].combine(high[2]), low[3].combine(high[3])]
}

/// Transposes a 4×4 block.
#[inline(always)]
pub(crate) fn transpose<S: Simd>(rows: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let even_low = rows[0].zip_low(rows[2]);
    let even_high = rows[0].zip_high(rows[2]);
    let odd_low = rows[1].zip_low(rows[3]);
    let odd_high = rows[1].zip_high(rows[3]);
    [even_low.zip_low(odd_low), even_low.zip_high(odd_low), even_high.zip_low(odd_high), even_high.zip_high(odd_high)]
}
