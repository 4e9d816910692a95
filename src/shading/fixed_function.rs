//! [`FixedFunctionShader`]: the fragment stage behind a vertex program, COL0 × TEX0.

use fearless_simd::{Simd, f32x8, prelude::*};

use super::{sample::Coordinates, texture::PreparedTexture};
use refrast_raster::{FragmentBatch, FragmentShader, Interpolated, block_shader};

/// The interpolated primary colour, times a texture where one is bound.
///
/// COL0 is taken as linear R G B and alpha, as the program wrote it (clamped to [0, 1] after the program). TEX0 is used
/// as s and t; its r and q are ignored.
pub struct FixedFunctionShader<'a> {
    /// First float of COL0 in a row of varyings.
    pub color: usize,
    /// The texture, and the first float of TEX0 in a row of varyings.
    pub texture: Option<(&'a PreparedTexture, usize)>,
    /// Whether alpha is opacity; 1 is written otherwise.
    pub blended: bool,
}

impl FixedFunctionShader<'_> {
    #[inline(always)]
    fn product<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let mut product = batch.interpolate(self.color);
        if let Some((texture, offset)) = self.texture {
            let Interpolated { value, dx, dy } = batch.interpolate_with_derivatives(offset);
            let coordinates = Coordinates { at: [value[0], value[1]], dx: [dx[0], dx[1]], dy: [dy[0], dy[1]] };
            for (component, texel) in product.iter_mut().zip(texture.sample(&coordinates)) {
                *component *= texel;
            }
        }
        product
    }
}

block_shader!(FixedFunctionShader<'_>);

impl FragmentShader for FixedFunctionShader<'_> {
    #[inline(always)]
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let [red, green, blue, alpha] = self.product(batch);
        [red, green, blue, if self.blended { alpha } else { f32x8::splat(batch.simd, 1.0) }]
    }

    #[inline(always)]
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        let [_, _, _, alpha] = self.product(batch);
        alpha
    }
}
