//! Peak signal-to-noise ratio.
//!
//! Why it exists: it is the number that most papers print. It knows nothing of what people see.
//!
//! PSNR = 10 · log10(peak² / MSE) in decibels, the mean over red, green and blue of all pixels; over alpha too unless
//! both pictures are opaque. Equal pictures have no finite PSNR.

use super::super::picture::Picture;
use crate::PIECE;
use refrast_threads::each;

/// The ratio in decibels, or `None` for equal pictures. `counted` is the number of pixels that are not ignored; the
/// others must be equal in both pictures.
pub(super) fn psnr(golden: &Picture, candidate: &Picture, counted: u64) -> Option<f64> {
    if golden.bits() == 8 && candidate.bits() == 8 {
        Squares::of(&golden.samples8(), &candidate.samples8()).decibels(counted, 8)
    } else {
        Squares::of(&golden.samples16(), &candidate.samples16()).decibels(counted, 16)
    }
}

/// Sums of squared differences. They are integers, so that no order of summation can change the result, and a picture may
/// come in parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squares {
    /// Over red, green and blue. Squares of 16-bit differences over 2^28 pixels of four channels sum to less than 2^62.
    color: u64,
    /// Over alpha.
    alpha: u64,
    /// Whether some pixel of either picture lets light through.
    translucent: bool,
}

impl Squares {
    /// Of parts of two pictures: red, green, blue and alpha of each pixel, of 8 or of 16 bits.
    pub(super) fn of<T: Copy + Into<i64> + Sync>(golden: &[T], candidate: &[T]) -> Self {
        let most = (1 << (8 * size_of::<T>())) - 1;
        let (golden, candidate) = (golden.as_chunks::<4>().0, candidate.as_chunks::<4>().0);
        let square = |(golden, candidate): (&[T; 4], &[T; 4])| {
            let [red, green, blue, alpha] = [0, 1, 2, 3].map(|channel| {
                let difference: i64 = golden[channel].into() - candidate[channel].into();
                (difference * difference) as u64
            });
            let translucent = golden[3].into() != most || candidate[3].into() != most;
            Self { color: red + green + blue, alpha, translucent }
        };
        let pieces: Vec<_> = golden.chunks(PIECE).zip(candidate.chunks(PIECE)).collect();
        let of_piece = |number: usize| {
            let (golden, candidate) = pieces[number];
            golden.iter().zip(candidate).map(square).fold(Self::default(), Self::plus)
        };
        each(pieces.len(), 1, of_piece).into_iter().fold(Self::default(), Self::plus)
    }

    /// Of both parts.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            color: self.color + other.color,
            alpha: self.alpha + other.alpha,
            translucent: self.translucent || other.translucent,
        }
    }

    /// The ratio of all parts together, whose samples have this many bits.
    pub(super) fn decibels(self, counted: u64, bits: u32) -> Option<f64> {
        let (sum, channels) = if self.translucent { (self.color + self.alpha, 4) } else { (self.color, 3) };
        if sum == 0 {
            return None;
        }
        let peak = f64::from((1_u32 << bits) - 1);
        let mean = sum as f64 / (counted * channels) as f64;
        Some(10.0 * libm::log10(peak * peak / mean))
    }
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
