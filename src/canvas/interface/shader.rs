//! [`InterfaceShader`]: a texel times a vertex colour, inside a rectangle; and [`Layer`], how the result is stored.

use fearless_simd::{Simd, f32x8, prelude::*};

use super::{damage::PixelBounds, texture::InterfaceTexture};
use refrast_draw::{FragmentBatch, FragmentShader, LANES, block_shader};
use refrast_raster::Resolve;

/// First float of u, v in a row of varyings.
pub(super) const TEXCOORD: usize = 0;
/// First float of the colour in a row of varyings: stored bytes ÷ 255 with alpha multiplied in.
pub(super) const COLOR: usize = 4;
/// Floats in a row of varyings.
pub(super) const STRIDE: usize = 8;

/// What colours the fragments of one of egui's meshes.
#[derive(Clone, Debug)]
pub(super) struct InterfaceShader<'a> {
    pub(super) texture: &'a InterfaceTexture,
    /// Outside of them nothing is drawn.
    pub(super) clip: PixelBounds,
}

block_shader!(InterfaceShader<'_>);

impl FragmentShader for InterfaceShader<'_> {
    fn derives(&self) -> bool {
        false
    }

    #[inline(always)]
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let [u, v, ..] = batch.interpolate(TEXCOORD);
        let [red, green, blue, alpha] = batch.interpolate(COLOR);
        let (u, v) = (<[f32; LANES]>::from(u), <[f32; LANES]>::from(v));
        let PixelBounds { columns, rows } = &self.clip;
        // Most of a window is of one colour: egui gives it the texel at (0, 0), which is white.
        let plain = if (u, v) == ([0.0; LANES], [0.0; LANES]) { Some(self.texture.sample(0.0, 0.0)) } else { None };
        let mut texels = [[0.0; LANES]; 4];
        for lane in 0..LANES {
            let (x, y) = (batch.x[lane], batch.y[lane]);
            if x >= columns.start && x < columns.end && y >= rows.start && y < rows.end {
                let texel = match plain {
                    Some(texel) => texel,
                    None => self.texture.sample(u[lane], v[lane]),
                };
                for channel in 0..4 {
                    texels[channel][lane] = texel[channel] * (1.0 / 255.0);
                }
            }
        }
        let [texel_red, texel_green, texel_blue, texel_alpha] = texels;
        let simd = batch.simd;
        let alpha = alpha * f32x8::simd_from(simd, texel_alpha);
        // The rasteriser multiplies alpha in. Where it is 0 the colours are 0 too: egui draws nothing that only adds.
        let divide = 1.0 / alpha.max(f32x8::splat(simd, 1e-6));
        [
            red * f32x8::simd_from(simd, texel_red) * divide,
            green * f32x8::simd_from(simd, texel_green) * divide,
            blue * f32x8::simd_from(simd, texel_blue) * divide,
            alpha,
        ]
    }

    #[inline(always)]
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        self.shade(batch)[3]
    }
}

/// Stores what the rasteriser hands over as bytes, without any change of colour space.
pub(super) struct Layer;

impl Resolve for Layer {
    type Pixel = [u8; 4];

    #[inline(always)]
    fn resolve<S: Simd>(&self, _: S, layer: &[[f32; 4]], out: &mut [[u8; 4]]) {
        for (color, pixel) in layer.iter().zip(out) {
            for channel in 0..4 {
                pixel[channel] = (color[channel] * 255.0 + 0.5) as u8;
            }
        }
    }
}
