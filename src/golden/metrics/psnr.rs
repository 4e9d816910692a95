//! Peak signal-to-noise ratio.
//!
//! Why it exists: it is the number that most papers print. It knows nothing of what people see.
//!
//! PSNR = 10 · log10(peak² / MSE) in decibels, the mean over red, green and blue of all pixels; over alpha too unless
//! both pictures are opaque. Equal pictures have no finite PSNR.

use rayon::prelude::*;

use super::super::picture::Picture;

/// The ratio in decibels, or `None` for equal pictures. `counted` is the number of pixels that are not ignored; the
/// others must be equal in both pictures.
pub(super) fn psnr(golden: &Picture, candidate: &Picture, counted: u64) -> Option<f64> {
    let channels = if golden.is_opaque() && candidate.is_opaque() { 3 } else { 4 };
    let eight = golden.bits() == 8 && candidate.bits() == 8;
    // Squares of 16-bit differences over 2^28 pixels of four channels sum to less than 2^62.
    let (sum, peak) = if eight {
        (sum_of_squares(&golden.samples8(), &candidate.samples8(), channels), 255.0)
    } else {
        (sum_of_squares(&golden.samples16(), &candidate.samples16(), channels), 65535.0)
    };
    if sum == 0 {
        return None;
    }
    let mean = sum as f64 / (counted * channels as u64) as f64;
    Some(10.0 * libm::log10(peak * peak / mean))
}

/// Integer sums, so that no order of summation can change the result.
fn sum_of_squares<T: Copy + Into<i64> + Sync>(golden: &[T], candidate: &[T], channels: usize) -> u64 {
    let pixels = golden.as_chunks::<4>().0.par_iter().zip(candidate.as_chunks::<4>().0);
    pixels
        .with_min_len(1 << 14)
        .map(|(golden, candidate)| {
            let squares = golden.iter().zip(candidate).take(channels).map(|(&golden, &candidate)| {
                let difference: i64 = golden.into() - candidate.into();
                (difference * difference) as u64
            });
            squares.sum::<u64>()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;

    #[test]
    fn the_textbook_formula_by_hand() {
        // Two pixels, one channel of six off by 5: MSE = 25/6, PSNR = 10·log10(65025·6/25) = 10·log10(15606) = 41.9329 dB.
        let golden = Picture::from_rgba8(2, 1, vec![10, 20, 30, 255, 40, 50, 60, 255]).unwrap();
        let candidate = Picture::from_rgba8(2, 1, vec![10, 25, 30, 255, 40, 50, 60, 255]).unwrap();
        let decibels = psnr(&golden, &candidate, 2).unwrap();
        assert!((decibels - 41.932_9).abs() < 1e-4, "{decibels}");
        assert_eq!(psnr(&golden, &golden, 2), None);
    }

    #[test]
    fn alpha_counts_unless_both_are_opaque_and_depth_does_not_matter() {
        let golden = Picture::from_rgba8(1, 1, vec![0, 0, 0, 255]).unwrap();
        let candidate = Picture::from_rgba8(1, 1, vec![0, 0, 0, 0]).unwrap();
        // MSE = 255²/4: 10·log10(4) = 6.0206 dB.
        assert!((psnr(&golden, &candidate, 1).unwrap() - 6.020_6).abs() < 1e-4);
        let sixteen = Picture::new(1, 1, Samples::Sixteen(vec![0; 4])).unwrap();
        assert!((psnr(&golden, &sixteen, 1).unwrap() - 6.020_6).abs() < 1e-4);
    }
}
