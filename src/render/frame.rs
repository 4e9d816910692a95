//! [`Frame`]: a finished picture.

use std::ops::Range;

use fearless_simd::{Simd, f32x8, prelude::*};

use refrast_draw::{LANES, transpose};
use refrast_raster::{Resolve, Target};
use refrast_shading::ColorSpace;
use refrast_simd::unroll;

/// A finished picture: the bytes that a backend's 8-bit sRGB target would hold.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub(super) target: Target<[u8; 4]>,
}

impl Frame {
    /// Pixels a row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.target.width() as u32
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.target.height() as u32
    }

    /// Rows from the top: R, G, B and A, a byte each; A is linear, the others are stored as
    /// [`ShadingMode::color_space`](refrast_shading::ShadingMode::color_space) says: in sRGB where they are colours.
    #[must_use]
    pub fn rgba(&self) -> &[u8] {
        bytemuck::cast_slice(self.target.pixels())
    }

    /// The bytes of the pixel in column `x` of row `y` from the top; `None` outside of the frame.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        self.target.pixel(x as usize, y as usize)
    }

    /// Columns and rows of the rectangles that the last picture of this frame's renderer has written: all other pixels are what they
    /// were before it. So who shows one picture after the other need not look at what stays empty.
    pub fn fresh(&self) -> impl Iterator<Item = [Range<usize>; 2]> {
        self.target.fresh()
    }

    /// Window depth of a sample, 0 near to 1 far; 1 where nothing was drawn. `None` outside of the frame and where
    /// [`RenderSettings::keep_depth`](refrast_stage::RenderSettings::keep_depth) was not set.
    #[must_use]
    pub fn depth(&self, x: u32, y: u32, sample: usize) -> Option<f32> {
        self.target.depth(x as usize, y as usize, sample)
    }
}

/// Encodes finished linear colours as the bytes of a colour space.
pub(super) struct Encode(pub(super) ColorSpace);

impl Resolve for Encode {
    type Pixel = [u8; 4];

    #[inline(always)]
    fn resolve<S: Simd>(&self, simd: S, linear: &[[f32; 4]], out: &mut [[u8; 4]]) {
        let (eights, rest) = linear.as_chunks::<LANES>();
        let (out_eights, out_rest) = out.as_chunks_mut::<LANES>();
        // Neighbours that are all alike, as a background is, are encoded once.
        let (mut last, mut last_bytes) = ([f32x8::splat(simd, f32::NAN); 4], [[0; 4]; LANES]);
        for (colors, out) in eights.iter().zip(out_eights) {
            let colors = unroll!(pair in [0, 1, 2, 3] =>
                f32x8::from_slice(simd, colors[2 * pair..2 * pair + 2].as_flattened()));
            let alike = unroll!(pair in [0, 1, 2, 3] => colors[pair].simd_eq(last[pair]));
            if ((alike[0] & alike[1]) & (alike[2] & alike[3])).any_false() {
                last = colors;
                last_bytes = encode_eight(self.0, colors);
            }
            *out = last_bytes;
        }
        for (&color, pixel) in rest.iter().zip(out_rest) {
            *pixel = self.0.encode(color);
        }
    }
}

/// The bytes of eight pixels that come in pairs.
#[inline(always)]
fn encode_eight<S: Simd>(space: ColorSpace, pairs: [f32x8<S>; 4]) -> [[u8; 4]; LANES] {
    let [(p0, p1), (p2, p3), (p4, p5), (p6, p7)] = unroll!(pair in [0, 1, 2, 3] => pairs[pair].split());
    let (low, high) = (transpose([p0, p1, p2, p3]), transpose([p4, p5, p6, p7]));
    let bytes = space.encode_lanes([
        low[0].combine(high[0]),
        low[1].combine(high[1]),
        low[2].combine(high[2]),
        low[3].combine(high[3]),
    ]);
    let mut out = [[0; 4]; LANES];
    for (pixel, bytes) in out.iter_mut().zip(<[u32; LANES]>::from(bytes)) {
        *pixel = bytes.to_le_bytes();
    }
    out
}
