//! ꟻLIP for pictures of low dynamic range: how strongly a person sees the difference when the two pictures alternate.
//!
//! Why it exists: it is the metric that agrees best with people, and the default where no envelope is known. It follows
//! the paper (see [`constants`]) and the authors' implementation to the letter, with separable filters in f32. The
//! result is the same for every SIMD level and number of threads: a lane is a pixel, and each sum runs outward from the
//! centre of its filter.
//!
//! Alpha: the authors' tool drops it. Here, unless both pictures are opaque, they are composited on black and on white
//! and the larger error of the two counts, because a difference in alpha is one that some background shows.

mod constants;
mod pool;
mod strip;

use rayon::prelude::*;

use self::{constants::Constants, strip::Strip};
pub use pool::FlipScore;

use super::{super::picture::Picture, composite::composite, error_map::ErrorMap};
use crate::simd::SimdLevel;

/// 0.7 m from a display 0.7 m wide with 3840 pixels: 3840 · π / 180 = 67.02 pixels a degree (paper, section 6.1).
pub const DEFAULT_PIXELS_PER_DEGREE: f32 = 67.020_645;

/// The ꟻLIP error of each pixel, 0 to 1. Both pictures have one size; `pixels_per_degree` is positive.
pub(super) fn error_map(golden: &Picture, candidate: &Picture, pixels_per_degree: f32, level: SimdLevel) -> ErrorMap {
    let (width, height) = golden.size();
    let constants = Constants::new(pixels_per_degree);
    let mut errors = vec![0.0; width as usize * height as usize];
    let opaque = golden.is_opaque() && candidate.is_opaque();
    if opaque && golden.bits() == 8 && candidate.bits() == 8 {
        let linear = linear_table(8);
        fill(&mut errors, &constants, &linear, &golden.samples8(), &candidate.samples8(), width, level);
    } else if opaque {
        let linear = linear_table(16);
        fill(&mut errors, &constants, &linear, &golden.samples16(), &candidate.samples16(), width, level);
    } else {
        let linear = linear_table(16);
        for background in [0, u16::MAX] {
            let mut on_background = vec![0.0; errors.len()];
            let (golden, candidate) = (composite(golden, background), composite(candidate, background));
            fill(&mut on_background, &constants, &linear, &golden, &candidate, width, level);
            errors.iter_mut().zip(on_background).for_each(|(error, other)| *error = error.max(other));
        }
    }
    ErrorMap::new(width, height, errors)
}

/// The sRGB decoding function (IEC 61966-2-1) of every sample of so many bits.
fn linear_table(bits: u32) -> Vec<f32> {
    let largest = f64::from((1_u32 << bits) - 1);
    let decode = |sample: u32| {
        let encoded = f64::from(sample) / largest;
        let linear =
            if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) };
        linear as f32
    };
    (0..1_u32 << bits).into_par_iter().map(decode).collect()
}

/// Bands of rows in parallel, strips of columns within a band, so that the filtered rows stay in the cache.
fn fill<T: Copy + Into<usize> + Sync>(
    errors: &mut [f32],
    constants: &Constants,
    linear: &[f32],
    golden: &[T],
    candidate: &[T],
    width: u32,
    level: SimdLevel,
) {
    let width = width as usize;
    let height = errors.len() / width;
    // Every band filters `reach` extra rows above and below; more bands than threads even the load out.
    let band_rows = height.div_ceil(4 * rayon::current_num_threads()).max(4 * constants.reach());
    errors.par_chunks_mut(band_rows * width).enumerate().for_each_init(
        || Strip::new(constants),
        |strip, (band, errors)| {
            for left in (0..width).step_by(strip::COLUMNS) {
                strip.run(
                    [golden, candidate],
                    linear,
                    strip::Area { width, height, left, top: band * band_rows },
                    errors,
                    level,
                );
            }
        },
    );
}
