//! A threshold on the YIQ colour difference, blind to anti-aliasing, as pixelmatch counts it.
//!
//! Why it exists: it is what most screenshot tests use, and counts are only comparable when they are the same counts:
//! these agree with pixelmatch 7 (npm). The colour difference is that of Kotsarenko and Ramos, "Measuring perceived
//! color difference using YIQ NTSC transmission color space in mobile applications", 2010; the anti-aliasing detector
//! follows Vyšniauskas, "Anti-aliased Pixel and Intensity Slope Detector", 2009.
//!
//! Alpha: where either pixel is not opaque both are composited on a pattern that depends on the place in memory.

use super::error_map::ErrorMap;
use refrast_threads::each_piece;

/// The largest YIQ difference there is, squared.
const LARGEST_DELTA: f64 = 35215.0;

/// What the comparison of a pair gives.
pub(super) struct YiqDifferences {
    /// Pixels above the threshold that are not anti-aliasing.
    pub(super) differing: u64,
    /// Pixels above the threshold that look like anti-aliasing in either picture.
    pub(super) antialiased: u64,
    /// The difference of each pixel as a share of the largest one; 0 where it is anti-aliasing.
    pub(super) map: ErrorMap,
}

struct View<'a> {
    pixels: &'a [[u8; 4]],
    width: usize,
    height: usize,
}

/// Compares two RGBA pictures of one size; `threshold` is a share of the largest difference, 0 to 1.
pub(super) fn yiq_differences(
    golden: &[u8],
    candidate: &[u8],
    width: usize,
    height: usize,
    threshold: f64,
) -> YiqDifferences {
    let [golden, candidate] =
        [golden, candidate].map(|samples| View { pixels: samples.as_chunks::<4>().0, width, height });
    let largest_equal = LARGEST_DELTA * threshold * threshold;
    let mut errors = vec![0.0; width * height];
    let counts: Vec<(u64, u64)> = each_piece(&mut errors, width, |y, errors| {
        let (mut differing, mut antialiased) = (0, 0);
        let row = y * width..(y + 1) * width;
        if golden.pixels[row.clone()] == candidate.pixels[row] {
            return (0, 0);
        }
        for (x, error) in errors.iter_mut().enumerate() {
            let index = y * width + x;
            if golden.pixels[index] == candidate.pixels[index] {
                continue;
            }
            let delta = color_delta(golden.pixels[index], candidate.pixels[index], index);
            let share = (delta / LARGEST_DELTA).sqrt() as f32;
            if delta <= largest_equal {
                *error = share;
            } else if golden.is_antialiased(&candidate, x, y) || candidate.is_antialiased(&golden, x, y) {
                antialiased += 1;
            } else {
                *error = share;
                differing += 1;
            }
        }
        (differing, antialiased)
    });
    let (differing, antialiased) =
        counts.iter().fold((0, 0), |(all, all_aa), (differing, antialiased)| (all + differing, all_aa + antialiased));
    YiqDifferences { differing, antialiased, map: ErrorMap::new(width as u32, height as u32, errors) }
}

/// Red, green and blue differences of two pixels, on pixelmatch's pattern where one is translucent. `index` is the
/// pixel's place in reading order; the pattern goes by its byte offset.
fn channel_deltas(one: [u8; 4], other: [u8; 4], index: usize) -> [f64; 3] {
    let [one, other] = [one, other].map(|pixel| pixel.map(f64::from));
    if one[3] == 255.0 && other[3] == 255.0 {
        return std::array::from_fn(|channel| one[channel] - other[channel]);
    }
    let offset = (index * 4) as f64;
    // Two irrational steps make the pattern; the byte offset itself is always even.
    let tile = |step: f64| 48.0 + 159.0 * ((offset / step) as u64 % 2) as f64;
    let background = [48.0, tile(1.618_033_988_749_895), tile(2.618_033_988_749_895)];
    let alpha = one[3] - other[3];
    std::array::from_fn(|channel| {
        (one[channel] * one[3] - other[channel] * other[3] - background[channel] * alpha) / 255.0
    })
}

fn brightness([red, green, blue]: [f64; 3]) -> f64 {
    red * 0.298_895_31 + green * 0.586_622_47 + blue * 0.114_482_23
}

/// The squared YIQ distance.
fn color_delta(one: [u8; 4], other: [u8; 4], index: usize) -> f64 {
    let deltas = channel_deltas(one, other, index);
    let [red, green, blue] = deltas;
    let y = brightness(deltas);
    let i = red * 0.595_977_99 - green * 0.274_176_10 - blue * 0.321_801_89;
    let q = red * 0.211_470_17 - green * 0.522_617_11 + blue * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

impl View<'_> {
    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.pixels[y * self.width + x]
    }

    /// The up to eight pixels around a pixel, column by column, and whether some are missing at an edge.
    fn around(&self, x: usize, y: usize) -> (impl Iterator<Item = (usize, usize)> + use<>, bool) {
        let columns = x.saturating_sub(1)..=(x + 1).min(self.width - 1);
        let rows = y.saturating_sub(1)..=(y + 1).min(self.height - 1);
        let at_edge = x == 0 || x + 1 == self.width || y == 0 || y + 1 == self.height;
        let places = columns.flat_map(move |column| rows.clone().map(move |row| (column, row)));
        (places.filter(move |&place| place != (x, y)), at_edge)
    }

    /// Whether the pixel lies on a slope of brightness whose ends are flat in both pictures.
    fn is_antialiased(&self, other: &View<'_>, x: usize, y: usize) -> bool {
        let center = self.at(x, y);
        let (places, at_edge) = self.around(x, y);
        let mut equal = u32::from(at_edge);
        let (mut darkest, mut brightest) = ((0.0, 0, 0), (0.0, 0, 0));
        for (column, row) in places {
            let delta = brightness(channel_deltas(center, self.at(column, row), y * self.width + x));
            if center == self.at(column, row) || delta == 0.0 {
                equal += 1;
                if equal > 2 {
                    return false;
                }
            } else if delta < darkest.0 {
                darkest = (delta, column, row);
            } else if delta > brightest.0 {
                brightest = (delta, column, row);
            }
        }
        if darkest.0 == 0.0 || brightest.0 == 0.0 {
            return false;
        }
        [darkest, brightest].iter().any(|&(_, x, y)| self.is_flat(x, y) && other.is_flat(x, y))
    }

    /// Whether three or more of the pixels around have the pixel's very colour; an edge counts for one.
    fn is_flat(&self, x: usize, y: usize) -> bool {
        let (places, at_edge) = self.around(x, y);
        let equal = places.filter(|&(column, row)| self.at(column, row) == self.at(x, y)).count();
        equal + usize::from(at_edge) > 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::test_pictures::{discs, texture, translucent};

    // pixelmatch 7.2.0 (npm): `pixelmatch(a, b, null, width, height, {threshold})` and the same with `includeAA`.
    #[test]
    fn counts_what_pixelmatch_counts() {
        for (name, (golden, candidate), threshold, differing, antialiased) in [
            ("discs", discs(), 0.1, 18, 27),
            ("discs", discs(), 0.02, 197, 127),
            ("discs", discs(), 0.005, 220, 161),
            ("texture", texture(), 0.1, 0, 0),
            ("texture", texture(), 0.005, 3724, 0),
            ("translucent", translucent(), 0.1, 25, 0),
            ("translucent", translucent(), 0.02, 4978, 0),
            ("translucent", translucent(), 0.005, 5012, 0),
        ] {
            let (width, height) = (golden.width() as usize, golden.height() as usize);
            let counted = yiq_differences(&golden.samples8(), &candidate.samples8(), width, height, threshold);
            assert_eq!((counted.differing, counted.antialiased), (differing, antialiased), "{name} at {threshold}");
        }
    }
}
