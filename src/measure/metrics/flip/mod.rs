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

use self::{constants::Constants, strip::Strip};
pub use pool::FlipScore;

use super::{super::picture::Picture, composite::composite, error_map::ErrorMap};
use refrast_simd::SimdLevel;
use refrast_threads::{self as threads, each_piece, filled};

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
        let linear = if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) };
        linear as f32
    };
    filled(1 << bits, 256, |sample| decode(sample as u32))
}

/// Bands of rows in parallel, strips of columns within a band, so that the filtered rows stay in the cache.
fn fill<T: Copy + PartialEq + Into<usize> + Sync>(
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
    let band_rows = height.div_ceil(4 * threads::count()).max(4 * constants.reach());
    each_piece(errors, band_rows * width, |band, errors| {
        let mut strip = Strip::new(constants);
        for left in (0..width).step_by(strip::COLUMNS) {
            strip.run(
                [golden, candidate],
                linear,
                strip::Area { width, height, left, top: band * band_rows },
                errors,
                level,
            );
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::test_pictures::{Pair, discs, texture, translucent};

    /// The score, after all levels have been made sure to give the same map.
    fn score((golden, candidate): &Pair, pixels_per_degree: f32) -> FlipScore {
        let map = error_map(golden, candidate, pixels_per_degree, SimdLevel::Scalar);
        for level in SimdLevel::available() {
            assert_eq!(error_map(golden, candidate, pixels_per_degree, level), map, "{level}");
        }
        FlipScore::new(&map, map.values().len() as u64)
    }

    // The expected numbers come from NVIDIA's flip-evaluator 1.7 (PyPI), `evaluate(a, b, "LDR", applyMagma=False)` with
    // and without `parameters={"ppd": 30.0}`: mean, weighted quartiles and maximum of the error map in f64.
    #[test]
    fn agrees_with_nvidias_tool() {
        let at_67 = DEFAULT_PIXELS_PER_DEGREE;
        for (name, pair, pixels_per_degree, [mean, first, median, third, maximum]) in [
            ("discs", discs(), at_67, [0.023_773_627, 0.051_210_40, 0.098_181_48, 0.191_279_39, 0.446_504_47]),
            ("discs", discs(), 30.0, [0.019_706_478, 0.087_096_81, 0.171_238_03, 0.387_132_97, 0.511_400_88]),
            ("texture", texture(), at_67, [0.031_329_007, 0.027_188_83, 0.037_156_84, 0.047_602_99, 0.105_543_27]),
            ("texture", texture(), 30.0, [0.053_669_574, 0.048_226_11, 0.065_272_85, 0.081_055_28, 0.139_860_38]),
        ] {
            let score = score(&pair, pixels_per_degree);
            assert!((score.mean - mean).abs() < 1e-6, "{name} at {pixels_per_degree}: {score:?}");
            let quartiles = [score.first_weighted_quartile, score.weighted_median, score.third_weighted_quartile];
            for (ours, theirs) in quartiles.into_iter().chain([score.maximum]).zip([first, median, third, maximum]) {
                assert!((ours - theirs).abs() < 1e-4, "{name} at {pixels_per_degree}: {score:?}");
            }
        }
    }

    // flip-evaluator 1.7 on the pictures composited in NumPy on black and on white: the mean of the larger error.
    #[test]
    fn alpha_is_seen_on_black_and_on_white() {
        assert!((score(&translucent(), DEFAULT_PIXELS_PER_DEGREE).mean - 0.162_252_04).abs() < 1e-5);
    }

    #[test]
    fn sixteen_bits_agree_with_eight() {
        let (golden, candidate) = discs();
        let sixteen = |picture: &Picture| {
            let samples = crate::Samples::Sixteen(picture.samples16().into_owned());
            Picture::new(picture.width(), picture.height(), samples).unwrap()
        };
        let eight = error_map(&golden, &candidate, 67.0, SimdLevel::best());
        let wide = error_map(&sixteen(&golden), &sixteen(&candidate), 67.0, SimdLevel::best());
        let furthest = eight.values().iter().zip(wide.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(furthest < 1e-6, "{furthest}");
    }

    #[test]
    fn one_pixel_is_enough_and_equal_pictures_have_no_error() {
        let one = |bytes: [u8; 4]| Picture::from_rgba8(1, 1, bytes.to_vec()).unwrap();
        let (green, blue) = (one([0, 255, 0, 255]), one([0, 0, 255, 255]));
        // Green and blue are the furthest apart of all colours by construction of the scale: error 1.
        let map = error_map(&green, &blue, 67.0, SimdLevel::best());
        assert!((map.values()[0] - 1.0).abs() < 1e-5, "{:?}", map.values());
        assert_eq!(error_map(&green, &green, 67.0, SimdLevel::best()).values(), [0.0]);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let (golden, candidate) = discs();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| error_map(&golden, &candidate, 67.0, SimdLevel::best()))
        };
        assert_eq!(run(1), run(7));
    }
}
