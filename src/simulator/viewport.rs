//! [`Viewport`]: the grid, the window transform and the sample positions.

use super::{faults::Faults, variation::Variation};
use crate::{Fault, ParametricFault};
use refrast_draw::{Convention, RasterError, SampleCount};
use refrast_stage::RenderSettings;

/// The longest side of a picture: the reference's.
const LONGEST_SIDE: u32 = refrast_draw::MAX_SIZE;

/// Sample positions from the pixel's upper left corner, as the tables of standard sample locations have them (Vulkan,
/// "Multisampling"): 0.375 0.125, 0.875 0.375, 0.125 0.625 and 0.625 0.875.
const fn sixteenths(samples: SampleCount) -> &'static [[i64; 2]] {
    match samples {
        SampleCount::One => &[[8, 8]],
        SampleCount::Four => &[[6, 2], [14, 6], [2, 10], [10, 14]],
        SampleCount::FourMirrored => &[[6, 14], [14, 10], [2, 6], [10, 2]],
    }
}

/// Clip space → window → grid.
pub(super) struct Viewport {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Window x = x[0]·(clip x ÷ w) + x[1], in pixels.
    pub(super) x: [f64; 2],
    pub(super) y: [f64; 2],
    pub(super) depth: [f64; 2],
    /// A pixel in grid units.
    pub(super) one: f64,
    /// The farthest coordinate in grid units.
    pub(super) limit: f64,
    /// Sample positions from the pixel's upper left corner, in grid units.
    pub(super) samples: Vec<[i64; 2]>,
    /// Whether nothing is cut at the near and the far plane.
    pub(super) depth_clamp: bool,
}

impl Viewport {
    pub(super) fn new(settings: &RenderSettings, variation: &Variation, faults: Faults) -> Result<Self, RasterError> {
        let RenderSettings { width, height, samples, convention, .. } = *settings;
        if !(1..=LONGEST_SIDE).contains(&width) || !(1..=LONGEST_SIDE).contains(&height) {
            return Err(RasterError::Size { width, height });
        }
        let bits = variation.subpixel_bits.unwrap_or(settings.subpixel_bits);
        if !(4..=16).contains(&bits) {
            return Err(RasterError::SubpixelBits(bits));
        }
        let [half_width, half_height] = [width, height].map(|side| f64::from(side) * 0.5);
        let down = if convention == Convention::Vulkan { half_height } else { -half_height };
        let symmetric = (convention == Convention::OpenGl) != faults.has(Fault::DepthRangeGl);
        let mut right = if faults.has(Fault::ViewportHalfPixel) { 0.5 } else { 0.0 };
        let mut low = if faults.has(Fault::ViewportOffByOneRow) { 1.0 } else { 0.0 };
        for fault in faults.parametric() {
            if let ParametricFault::WindowOffset { x, y } = fault {
                (right, low) = (right + f64::from(x), low + f64::from(y));
            }
        }
        let positions = sixteenths(samples).iter().map(|[x, y]| {
            let (mut x, mut y) = (*x, *y);
            if faults.has(Fault::SamplesAtCentre) {
                (x, y) = (8, 8);
            }
            if faults.has(Fault::SamplesMirrored) {
                x = 16 - x;
            }
            if faults.has(Fault::PixelCentreInteger) {
                (x, y) = (x - 8, y - 8);
            }
            [x << (bits - 4), y << (bits - 4)]
        });
        Ok(Self {
            width: width as usize,
            height: height as usize,
            x: [half_width, half_width + right],
            y: [down, half_height + low],
            depth: if symmetric { [0.5, 0.5] } else { [1.0, 0.0] },
            one: f64::from(1u32 << bits),
            // Products of differences of coordinates then fit 64 bits.
            limit: f64::from(1u32 << 30.min(15 + bits)),
            samples: positions.collect(),
            depth_clamp: false,
        })
    }

    /// Where attributes are evaluated, from the pixel's upper left corner in grid units.
    pub(super) fn center(&self, faults: Faults) -> f64 {
        if faults.has(Fault::PixelCentreInteger) { 0.0 } else { self.one * 0.5 }
    }
}
