//! [`FragmentBatch`] and [`FragmentShader`]: the seam between coverage and colour.
//!
//! Fragments are shaded eight at a time. The eight belong to one draw but not to one triangle: small triangles would
//! leave most lanes empty otherwise. So each lane names its own three vertices, and [`FragmentBatch::interpolate`]
//! gathers their rows of varyings.

use fearless_simd::{Simd, f32x4, f32x8, mask32x8, prelude::*};
use fearless_simd_macros::simd;

use refrast_simd::{Level, unroll};

/// Fragments a batch.
pub const LANES: usize = 8;

/// Eight fragments of one draw, in window space, as the walk hands them over: plain numbers, whatever the level.
#[derive(Clone, Copy, Debug)]
pub struct FragmentBlock<'a> {
    /// The draw's rows of varyings.
    pub varyings: &'a [f32],
    /// Floats in a row.
    pub stride: usize,
    /// `vertices[k][lane]`: the row of the triangle's vertex k. Lines repeat their last vertex, points their only one.
    pub vertices: [[u32; LANES]; 3],
    /// Perspective-correct weights of vertices 1 and 2; vertex 0 has what is left of 1.
    pub barycentrics: [[f32; LANES]; 2],
    /// Change of `barycentrics` for one pixel to the right.
    pub dx: [[f32; LANES]; 2],
    /// Change of `barycentrics` for one pixel down.
    pub dy: [[f32; LANES]; 2],
    /// Window depth in [0, 1].
    pub depth: [f32; LANES],
    /// -1 where the front of the triangle is seen, 0 elsewhere.
    pub front: [i32; LANES],
    /// Pixel column of each lane.
    pub x: [u32; LANES],
    /// Pixel row of each lane, from the top.
    pub y: [u32; LANES],
    /// Bit `lane` is set for lanes that hold a fragment; the others repeat one that does.
    pub active: u8,
}

/// What colours the fragments of a draw, behind one indirect call for eight of them.
///
/// Why it exists: the walk over tiles is compiled once a level and knows no shader's type. Implement [`FragmentShader`],
/// and this by [`block_shader!`](crate::block_shader).
pub trait BlockShader: Sync {
    /// Linear RGBA, alpha not multiplied in: `[channel][lane]`.
    fn shade(&self, level: Level, block: &FragmentBlock<'_>) -> [[f32; LANES]; 4];

    /// The alpha that an alpha-masked draw compares with its cutoff.
    fn alpha(&self, level: Level, block: &FragmentBlock<'_>) -> [f32; LANES];

    /// As [`FragmentShader::derives`].
    fn derives(&self) -> bool {
        true
    }
}

/// `block_shader!(Type)`: [`BlockShader`] for a type that is a [`FragmentShader`], compiled here for every level.
#[macro_export]
macro_rules! block_shader {
    ($shader:ty) => {
        impl $crate::BlockShader for $shader {
            fn shade(&self, level: $crate::Level, block: &$crate::FragmentBlock<'_>) -> [[f32; $crate::LANES]; 4] {
                $crate::dispatch!(level, simd => $crate::shade_block(simd, self, block))
            }

            fn alpha(&self, level: $crate::Level, block: &$crate::FragmentBlock<'_>) -> [f32; $crate::LANES] {
                $crate::dispatch!(level, simd => $crate::block_alpha(simd, self, block))
            }

            fn derives(&self) -> bool {
                $crate::FragmentShader::derives(self)
            }
        }
    };
}

/// A part of [`block_shader!`](crate::block_shader).
#[doc(hidden)]
#[inline(always)]
pub fn shade_block<S: Simd>(simd: S, shader: &impl FragmentShader, block: &FragmentBlock<'_>) -> [[f32; LANES]; 4] {
    let color = shader.shade(&FragmentBatch::new(simd, block));
    unroll!(channel in [0, 1, 2, 3] => color[channel].to_array())
}

/// A part of [`block_shader!`](crate::block_shader).
#[doc(hidden)]
#[inline(always)]
pub fn block_alpha<S: Simd>(simd: S, shader: &impl FragmentShader, block: &FragmentBlock<'_>) -> [f32; LANES] {
    shader.alpha(&FragmentBatch::new(simd, block)).to_array()
}

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
    /// Perspective-correct weights of vertices 1 and 2 at the pixel's centre; vertex 0 has what is left of 1.
    pub barycentrics: [f32x8<S>; 2],
    /// Change of `barycentrics` for one pixel to the right, exact (not a quad's difference), where the shader
    /// [`derives`](FragmentShader::derives).
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
    /// At the pixel's centre.
    pub value: [f32x8<S>; 4],
    /// Change for one pixel to the right.
    pub dx: [f32x8<S>; 4],
    /// Change for one pixel down.
    pub dy: [f32x8<S>; 4],
}

/// What gives a fragment its colour.
///
/// [`block_shader!`](crate::block_shader) makes it something that a draw can name.
pub trait FragmentShader {
    /// Linear RGBA, alpha not multiplied in, for all eight lanes.
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4];

    /// The alpha that an alpha-masked draw compares with its cutoff.
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S>;

    /// Whether it reads derivatives, as every shader does that samples a texture. One that does not is spared what they cost:
    /// [`FragmentBatch::dx`] and `dy` are zeros then.
    fn derives(&self) -> bool {
        true
    }
}

/// `rows[k][component]`: four consecutive varyings of vertex k of each lane.
type VertexRows<S> = [[f32x8<S>; 4]; 3];

impl<'a, S: Simd> FragmentBatch<'a, S> {
    /// The block in the vectors of a level.
    #[inline(always)]
    pub fn new(simd: S, block: &FragmentBlock<'a>) -> Self {
        Self {
            simd,
            varyings: block.varyings,
            stride: block.stride,
            vertices: block.vertices,
            barycentrics: unroll!(i in [0, 1] => f32x8::simd_from(simd, block.barycentrics[i])),
            dx: unroll!(i in [0, 1] => f32x8::simd_from(simd, block.dx[i])),
            dy: unroll!(i in [0, 1] => f32x8::simd_from(simd, block.dy[i])),
            depth: f32x8::simd_from(simd, block.depth),
            front: mask32x8::simd_from(simd, block.front),
            x: block.x,
            y: block.y,
            active: block.active,
        }
    }

    /// The varyings `first..first + 4` at the pixel's centre: `a0 + (l1·(a1 − a0) + l2·(a2 − a0))`.
    #[inline(always)]
    pub fn interpolate(&self, first: usize) -> [f32x8<S>; 4] {
        interpolate(self.simd, self, first)
    }

    /// As [`interpolate`](Self::interpolate), with the derivatives that texture sampling needs.
    #[inline(always)]
    pub fn interpolate_with_derivatives(&self, first: usize) -> Interpolated<S> {
        interpolate_with_derivatives(self.simd, self, first)
    }

    /// Varyings of vertex 0, for attributes that do not vary over a triangle.
    #[inline(always)]
    pub fn flat(&self, first: usize) -> [f32x8<S>; 4] {
        gather_rows(self.simd, self.varyings, self.stride, first, &self.vertices[0])
    }

    #[inline(always)]
    fn rows(&self, first: usize) -> VertexRows<S> {
        unroll!(k in [0, 1, 2] => gather_rows(self.simd, self.varyings, self.stride, first, &self.vertices[k]))
    }
}

/// Compiled once a level, however many varyings a shader reads.
#[simd]
fn interpolate<S: Simd>(_: S, batch: &FragmentBatch<'_, S>, first: usize) -> [f32x8<S>; 4] {
    let [row0, row1, row2] = batch.rows(first);
    let [l1, l2] = batch.barycentrics;
    unroll!(i in [0, 1, 2, 3] => row0[i] + (l1 * (row1[i] - row0[i]) + l2 * (row2[i] - row0[i])))
}

/// Likewise.
#[simd]
fn interpolate_with_derivatives<S: Simd>(_: S, batch: &FragmentBatch<'_, S>, first: usize) -> Interpolated<S> {
    let [row0, row1, row2] = batch.rows(first);
    let [l1, l2] = batch.barycentrics;
    let edge1: [f32x8<S>; 4] = unroll!(i in [0, 1, 2, 3] => row1[i] - row0[i]);
    let edge2: [f32x8<S>; 4] = unroll!(i in [0, 1, 2, 3] => row2[i] - row0[i]);
    Interpolated {
        value: unroll!(i in [0, 1, 2, 3] => row0[i] + (l1 * edge1[i] + l2 * edge2[i])),
        dx: unroll!(i in [0, 1, 2, 3] => batch.dx[0] * edge1[i] + batch.dx[1] * edge2[i]),
        dy: unroll!(i in [0, 1, 2, 3] => batch.dy[0] * edge1[i] + batch.dy[1] * edge2[i]),
    }
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
    let rows = unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => {
        let start = vertices[lane] as usize * stride + first;
        f32x4::from_slice(simd, &varyings[start..start + 4])
    });
    let low = transpose([rows[0], rows[1], rows[2], rows[3]]);
    let high = transpose([rows[4], rows[5], rows[6], rows[7]]);
    unroll!(i in [0, 1, 2, 3] => low[i].combine(high[i]))
}

/// Transposes a 4×4 block.
#[inline(always)]
pub fn transpose<S: Simd, V: SimdBase<S>>(rows: [V; 4]) -> [V; 4] {
    let even_low = rows[0].zip_low(rows[2]);
    let even_high = rows[0].zip_high(rows[2]);
    let odd_low = rows[1].zip_low(rows[3]);
    let odd_high = rows[1].zip_high(rows[3]);
    [even_low.zip_low(odd_low), even_low.zip_high(odd_low), even_high.zip_low(odd_high), even_high.zip_high(odd_high)]
}
