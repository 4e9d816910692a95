//! Structural similarity.
//!
//! Why it exists: after PSNR it is the most quoted metric of image quality. This is the index of Wang, Bovik, Sheikh and
//! Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity", IEEE Transactions on Image
//! Processing 13(4), 2004: one scale, Gaussian window of 11x11 pixels with σ = 1.5, K1 = 0.01, K2 = 0.03, L = 255,
//! population covariance, on the luma 0.299 R + 0.587 G + 0.114 B of the stored samples, mean over the windows that lie
//! inside the picture. (A picture smaller than a window has none inside; there the mean is over all its pixels, with
//! the picture mirrored at its edges.)
//!
//! Alpha: as for ꟻLIP, unless both pictures are opaque they are composited on black and on white, and the lower
//! similarity of the two counts.

use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use refrast_simd::dispatch;

use super::{
    super::picture::{Picture, Samples},
    composite::composite,
    error_map::ErrorMap,
};
use crate::PIECE;
use refrast_simd::SimdLevel;
use refrast_threads::{each, each_piece};

/// Half the window: 11 = 2 · 5 + 1.
const RADIUS: usize = 5;
const C1: f32 = (0.01 * 255.0) * (0.01 * 255.0);
const C2: f32 = (0.03 * 255.0) * (0.03 * 255.0);
/// Lumas are centred on this before they are squared: variances stay the same and f32 loses fewer digits.
const MIDDLE: f32 = 128.0;
/// Rows that one task computes; each task filters ten more.
const BAND_ROWS: usize = 64;
/// Rows are as long as whole vectors of so many numbers; what lies beyond the picture is filtered and not looked at.
const MOST_LANES: usize = 16;
/// The filtered planes: golden, candidate, their squares and their product.
const PLANES: usize = 5;

/// The mean similarity, at most 1, and 1 − similarity of each pixel.
pub(super) fn ssim(golden: &Picture, candidate: &Picture, level: SimdLevel) -> (f64, ErrorMap) {
    let (width, height) = golden.size();
    let opaque = golden.is_opaque() && candidate.is_opaque();
    let mut map = vec![0.0; width as usize * height as usize];
    if opaque {
        fill(&mut map, &luma(golden), &luma(candidate), width as usize, level);
    } else {
        for background in [0, u16::MAX] {
            let [golden, candidate] = [golden, candidate].map(|picture| luma16(&composite(picture, background)));
            let mut on_background = vec![0.0; map.len()];
            fill(&mut on_background, &golden, &candidate, width as usize, level);
            map.iter_mut().zip(on_background).for_each(|(error, other)| *error = error.max(other));
        }
    }
    (1.0 - mean_inside(&map, width as usize), ErrorMap::new(width, height, map))
}

/// The mean over the windows inside the picture: rows from left to right, then rows from top to bottom.
fn mean_inside(map: &[f32], width: usize) -> f64 {
    let inside = |length: usize| if length > 2 * RADIUS { RADIUS..length - RADIUS } else { 0..length };
    let (rows, columns) = (inside(map.len() / width), inside(width));
    let sum =
        |row: usize| map[(rows.start + row) * width..][columns.clone()].iter().map(|&error| f64::from(error)).sum();
    let sums: Vec<f64> = each(rows.len(), 8, sum);
    sums.iter().sum::<f64>() / (rows.len() * columns.len()) as f64
}

fn luma(picture: &Picture) -> Vec<f32> {
    match picture.samples() {
        Samples::Eight(samples) => {
            lumas(samples, |[red, green, blue, _]| weighted(red.into(), green.into(), blue.into()))
        }
        Samples::Sixteen(samples) => luma16(samples),
    }
}

fn luma16(samples: &[u16]) -> Vec<f32> {
    lumas(samples, |[red, green, blue, _]| {
        let [red, green, blue] = [red, green, blue].map(|sample| f32::from(sample) / 257.0);
        weighted(red, green, blue)
    })
}

fn lumas<T: Copy + Sync>(samples: &[T], luma: impl Fn([T; 4]) -> f32 + Sync) -> Vec<f32> {
    let pixels = samples.as_chunks::<4>().0;
    let mut lumas = vec![0.0; pixels.len()];
    each_piece(&mut lumas, PIECE, |number, lumas| {
        lumas.iter_mut().zip(&pixels[number * PIECE..]).for_each(|(value, pixel)| *value = luma(*pixel));
    });
    lumas
}

fn weighted(red: f32, green: f32, blue: f32) -> f32 {
    0.299 * red + 0.587 * green + 0.114 * blue - MIDDLE
}

/// The window's weights for distances 0 to 5; they sum to 1 over both sides.
fn window() -> [f32; RADIUS + 1] {
    let weights: [f64; RADIUS + 1] =
        std::array::from_fn(|distance| libm::exp(-((distance * distance) as f64) / (2.0 * 1.5 * 1.5)));
    let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    weights.map(|weight| (weight / sum) as f32)
}

/// The index `offset` steps from `index`, mirrored at the edges with the edge repeated: … b a | a b c | c b …
fn mirrored(index: usize, offset: isize, length: usize) -> usize {
    let period = 2 * length as isize;
    let place = (index as isize + offset).rem_euclid(period) as usize;
    if place < length { place } else { 2 * length - 1 - place }
}

fn fill(map: &mut [f32], golden: &[f32], candidate: &[f32], width: usize, level: SimdLevel) {
    let height = map.len() / width;
    let weights = window();
    each_piece(map, BAND_ROWS * width, |band, map| {
        // A ring of horizontally filtered rows; a mirrored row is never further than ten rows from the newest.
        let columns = width.next_multiple_of(MOST_LANES);
        let mut ring: Vec<[Vec<f32>; PLANES]> =
            (0..2 * RADIUS + 1).map(|_| std::array::from_fn(|_| vec![0.0; columns])).collect();
        let mut in_ring = [usize::MAX; 2 * RADIUS + 1];
        let mut padded = [vec![0.0; columns + 2 * RADIUS], vec![0.0; columns + 2 * RADIUS]];
        for (row, map) in (band * BAND_ROWS..).zip(map.chunks_exact_mut(width)) {
            let rows: [usize; 2 * RADIUS + 1] =
                std::array::from_fn(|tap| mirrored(row, tap as isize - RADIUS as isize, height));
            for source in rows {
                let slot = source % (2 * RADIUS + 1);
                if in_ring[slot] != source {
                    in_ring[slot] = source;
                    for (padded, luma) in padded.iter_mut().zip([golden, candidate]) {
                        let luma = &luma[source * width..][..width];
                        padded[RADIUS..RADIUS + width].copy_from_slice(luma);
                        for distance in 1..=RADIUS {
                            padded[RADIUS - distance] = luma[mirrored(0, -(distance as isize), width)];
                            padded[RADIUS + width - 1 + distance] = luma[mirrored(width - 1, distance as isize, width)];
                        }
                    }
                    let (padded, planes) = (&padded, &mut ring[slot]);
                    dispatch!(level.token_or_base(), simd => filter_row(simd, &weights, padded, planes));
                }
            }
            let taps = rows.map(|source| &ring[source % (2 * RADIUS + 1)]);
            dispatch!(level.token_or_base(), simd => compare_row(simd, &weights, &taps, map));
        }
    });
}

// The kernels below spell out what closures would say shorter: those are compiled without the level's instructions.

/// Filters the two lumas, their squares and their product along a row. The sum runs outward from the centre.
#[simd]
fn filter_row<S: Simd>(simd: S, weights: &[f32; RADIUS + 1], padded: &[Vec<f32>; 2], planes: &mut [Vec<f32>; PLANES]) {
    let [golden, candidate] = padded;
    let length = S::f32s::LEN;
    for start in (0..planes[0].len()).step_by(length) {
        let center = start + RADIUS;
        let (x, y) = (load(simd, golden, center), load(simd, candidate, center));
        let mut sums: [S::f32s; PLANES] = [x, y, x * x, y * y, x * y];
        for sum in &mut sums {
            *sum *= weights[0];
        }
        for (distance, &weight) in (1..).zip(&weights[1..]) {
            let (x0, x1) = (load(simd, golden, center - distance), load(simd, golden, center + distance));
            let (y0, y1) = (load(simd, candidate, center - distance), load(simd, candidate, center + distance));
            sums[0] += (x0 + x1) * weight;
            sums[1] += (y0 + y1) * weight;
            sums[2] += (x0 * x0 + x1 * x1) * weight;
            sums[3] += (y0 * y0 + y1 * y1) * weight;
            sums[4] += (x0 * y0 + x1 * y1) * weight;
        }
        for (plane, sum) in planes.iter_mut().zip(sums) {
            sum.store_slice(&mut plane[start..start + length]);
        }
    }
}

/// Filters down the columns and writes 1 − SSIM (equation 13 of the paper).
#[simd]
fn compare_row<S: Simd>(
    simd: S,
    weights: &[f32; RADIUS + 1],
    taps: &[&[Vec<f32>; PLANES]; 2 * RADIUS + 1],
    errors: &mut [f32],
) {
    let length = S::f32s::LEN;
    for (number, errors) in errors.chunks_mut(length).enumerate() {
        let start = number * length;
        let mut sums = [S::f32s::splat(simd, 0.0); PLANES];
        for (plane, sum) in sums.iter_mut().enumerate() {
            *sum = load(simd, &taps[RADIUS][plane], start) * weights[0];
            for distance in 1..=RADIUS {
                let above = load(simd, &taps[RADIUS - distance][plane], start);
                let below = load(simd, &taps[RADIUS + distance][plane], start);
                *sum += (above + below) * weights[distance];
            }
        }
        let [x, y, xx, yy, xy] = sums;
        let (variances, covariance) = ((xx - x * x) + (yy - y * y), xy - x * y);
        let (x, y) = (x + MIDDLE, y + MIDDLE);
        let numerator = (x * 2.0 * y + C1) * (covariance * 2.0 + C2);
        let similarity = numerator / ((x * x + y * y + C1) * (variances + C2));
        // Rounding may lift equal windows above 1.
        let error = (S::f32s::splat(simd, 1.0) - similarity).max_precise(S::f32s::splat(simd, 0.0));
        match errors.len() == length {
            true => error.store_slice(errors),
            false => errors.copy_from_slice(&error.as_slice()[..errors.len()]),
        }
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, row: &[f32], at: usize) -> S::f32s {
    S::f32s::from_slice(simd, &row[at..at + S::f32s::LEN])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::test_pictures::{Pair, discs, texture, translucent};

    fn mean((golden, candidate): &Pair) -> f64 {
        let (mean, map) = ssim(golden, candidate, SimdLevel::Scalar);
        for level in SimdLevel::available() {
            assert_eq!(ssim(golden, candidate, level), (mean, map.clone()), "{level}");
        }
        mean
    }

    // scikit-image 0.26: `structural_similarity(a, b, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
    // data_range=255)` of the lumas in f64; for the translucent pair the mean of the lower value of both backgrounds.
    #[test]
    fn agrees_with_scikit_image() {
        for (name, pair, expected) in [
            ("discs", discs(), 0.988_778_065),
            ("texture", texture(), 0.965_208_872),
            ("translucent", translucent(), 0.972_094_277),
        ] {
            let mean = mean(&pair);
            assert!((mean - expected).abs() < 2e-6, "{name}: {mean}");
        }
    }

    #[test]
    fn equal_pictures_are_similar_to_one_and_small_ones_have_a_mean() {
        let (golden, _) = texture();
        assert!((mean(&(golden.clone(), golden)) - 1.0).abs() < 1e-6);
        let grey = |value| Picture::from_rgba8(2, 1, [[value, value, value, 255]; 2].concat()).unwrap();
        // Two flat pictures: only the first factor of equation 13 is left, (2·100·110 + C1) / (100² + 110² + C1).
        let c1 = 6.5025;
        let expected = (2.0 * 100.0 * 110.0 + c1) / (100.0 * 100.0 + 110.0 * 110.0 + c1);
        // f32 leaves about 28² · 2^-22 of a variance that should be 0, against C2 = 58.5.
        assert!((mean(&(grey(100), grey(110))) - expected).abs() < 1e-5);
    }

    #[test]
    fn mirroring_repeats_the_edge() {
        let reached: Vec<usize> = (-4..7).map(|offset| mirrored(0, offset, 3)).collect();
        assert_eq!(reached, [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0]);
        assert_eq!((mirrored(0, -5, 1), mirrored(0, 5, 1)), (0, 0));
    }
}
