//! [`FixedFunctionShader`]: the fragment stage behind a vertex program, COL0 × TEX0 or register combiners.

use fearless_simd::{Simd, f32x8, prelude::*};
use refrast_range::each;

use super::{
    combiners::{Combined, CombinerInputs, combined, expanded_normal},
    lane::Lane,
    sample::Coordinates,
    texture::PreparedTexture,
};
use refrast_draw::{FragmentBatch, FragmentShader, Interpolated, block_shader};

/// The interpolated primary colour, times a texture where one is bound, or lit by a normal map.
///
/// COL0 is taken as linear R G B and alpha, as the program wrote it (clamped to [0, 1] after the program). TEX0 is used
/// as s and t; its r and q are ignored.
pub struct FixedFunctionShader<'a> {
    /// First float of COL0 in a row of varyings.
    pub color: usize,
    /// The texture, and the first float of TEX0 in a row of varyings.
    pub texture: Option<(&'a PreparedTexture, usize)>,
    /// What lights it here; `None` where the program has lit it.
    pub dot3: Option<Dot3<'a>>,
    /// Whether alpha is opacity; 1 is written otherwise.
    pub blended: bool,
}

/// What the combiners read beside COL0 and the texture.
#[derive(Clone, Copy)]
pub struct Dot3<'a> {
    /// First float of COL1 in a row of varyings.
    pub secondary: usize,
    /// First float of TEX1, the vector to the light.
    pub light: usize,
    /// First float of TEX2, the vector half way to the eye.
    pub half: usize,
    /// The normal map, and the first float of its coordinates; without one normals are (0, 0, 1).
    pub map: Option<(&'a PreparedTexture, usize)>,
    /// The factor of the map's x and y.
    pub scale: f32,
    /// Ambient light × base colour.
    pub ambient: [f32; 3],
}

#[inline(always)]
fn sampled<S: Simd>(batch: &FragmentBatch<'_, S>, (texture, offset): (&PreparedTexture, usize)) -> [f32x8<S>; 4] {
    let Interpolated { value, dx, dy } = batch.interpolate_with_derivatives(offset);
    texture.sample(&Coordinates { at: [value[0], value[1]], dx: [dx[0], dx[1]], dy: [dy[0], dy[1]] })
}

impl FixedFunctionShader<'_> {
    #[inline(always)]
    fn product<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let mut product = batch.interpolate(self.color);
        if let Some(texture) = self.texture {
            for (component, texel) in product.iter_mut().zip(sampled(batch, texture)) {
                *component *= texel;
            }
        }
        product
    }
}

impl Dot3<'_> {
    #[inline(always)]
    fn combined<S: Simd>(&self, batch: &FragmentBatch<'_, S>, primary: [Lane<S>; 3]) -> Combined<Lane<S>> {
        let vector = |offset: usize| {
            let [x, y, z, _] = batch.interpolate(offset);
            each([x, y, z], Lane)
        };
        let normal = match self.map {
            Some(map) => {
                let [x, y, z, _] = sampled(batch, map);
                expanded_normal(each([x, y, z], Lane), self.scale)
            }
            None => each([0.0, 0.0, 1.0], |number| Lane::splat(batch.simd, number)),
        };
        let inputs = CombinerInputs {
            light: vector(self.light),
            half: vector(self.half),
            primary,
            secondary: vector(self.secondary),
        };
        combined(normal, &inputs, self.ambient)
    }
}

block_shader!(FixedFunctionShader<'_>);

impl FragmentShader for FixedFunctionShader<'_> {
    #[inline(always)]
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let one = f32x8::splat(batch.simd, 1.0);
        let [red, green, blue, alpha] = match &self.dot3 {
            None => self.product(batch),
            Some(dot3) => {
                let [red, green, blue, alpha] = batch.interpolate(self.color);
                let Combined { scale, offset } = dot3.combined(batch, each([red, green, blue], Lane));
                let [r, g, b, a] = self.texture.map_or([one; 4], |texture| sampled(batch, texture));
                let lit = |texel: f32x8<S>, channel: usize| texel * scale[channel].0 + offset[channel].0;
                [lit(r, 0), lit(g, 1), lit(b, 2), alpha * a]
            }
        };
        [red, green, blue, if self.blended { alpha } else { one }]
    }

    #[inline(always)]
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        let [_, _, _, alpha] = self.product(batch);
        alpha
    }
}
