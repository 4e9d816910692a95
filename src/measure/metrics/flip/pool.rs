//! From an error a pixel to a few numbers.
//!
//! Why it exists: a verdict needs one number, and one number can hide a small strong difference in a large quiet
//! picture. The weighted quartiles show it: half of all *error* lies in pixels above the weighted median.

use serde::Serialize;

use super::super::error_map::ErrorMap;
use refrast_threads::{self as threads, each};

/// The pooled ꟻLIP errors, each 0 to 1, as NVIDIA's tool prints them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FlipScore {
    /// The mean error.
    pub mean: f64,
    /// The smallest error such that the errors up to it, itself included, sum to more than half of all.
    pub weighted_median: f64,
    /// The same with a quarter.
    pub first_weighted_quartile: f64,
    /// The same with three quarters.
    pub third_weighted_quartile: f64,
    /// The largest error.
    pub maximum: f64,
}

/// Bins by the upper half of the float's bits, which order non-negative floats.
const BINS: usize = 1 << 16;

/// Errors are summed as multiples of 2^-32: integer sums do not depend on their order, so any number of threads gives
/// the same. A picture has at most 2^28 pixels.
fn fixed(error: f32) -> u64 {
    (f64::from(error) * 4_294_967_296.0) as u64
}

fn bin(error: f32) -> usize {
    (error.to_bits() >> 16) as usize
}

impl FlipScore {
    /// Pools a map of which `counted` pixels are not ignored; ignored ones have error 0.
    pub(in super::super) fn new(map: &ErrorMap, counted: u64) -> Self {
        let values = map.values();
        // The bins of a share take half a megabyte, so that there are no more shares than threads.
        let share = values.len().div_ceil(threads::count()).max(1 << 16);
        let shares: Vec<&[f32]> = values.chunks(share).collect();
        let mut sums = vec![0_u64; BINS];
        let of_shares = each(shares.len(), 1, |number| {
            let mut sums = vec![0_u64; BINS];
            shares[number].iter().for_each(|&error| sums[bin(error)] += fixed(error));
            sums
        });
        for others in of_shares {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        }
        let total: u64 = sums.iter().sum();
        if total == 0 {
            return Self::default();
        }
        let places = [1, 2, 3].map(|quarters| Place::find(&sums, total, quarters));
        let is_inside = |error: &f32| places.iter().any(|place| place.bin == bin(*error));
        let inside = |number: usize| shares[number].iter().copied().filter(is_inside).collect::<Vec<f32>>();
        let mut inside = each(shares.len(), 1, inside).concat();
        inside.sort_unstable_by(f32::total_cmp);
        let [first_weighted_quartile, weighted_median, third_weighted_quartile] =
            places.map(|place| place.error(&inside));
        Self {
            mean: total as f64 / 4_294_967_296.0 / counted as f64,
            first_weighted_quartile,
            weighted_median,
            third_weighted_quartile,
            maximum: values.iter().fold(0.0_f32, |largest, &error| largest.max(error)).into(),
        }
    }
}

/// Where a weighted percentile lies: it is the smallest error such that all errors up to it sum to more than `target`/4.
#[derive(Clone, Copy)]
struct Place {
    /// The bin that holds it.
    bin: usize,
    /// The sum of all errors in the bins below.
    below: u64,
    /// `quarters` times the sum of all errors.
    target: u128,
}

impl Place {
    fn find(sums: &[u64], total: u64, quarters: u64) -> Self {
        let mut place = Self { bin: 0, below: 0, target: u128::from(total) * u128::from(quarters) };
        for (bin, &sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0) {
            place.bin = bin;
            if place.is_passed(place.below + sum) {
                break;
            }
            place.below += sum;
        }
        place
    }

    fn is_passed(&self, sum: u64) -> bool {
        u128::from(sum) * 4 > self.target
    }

    /// The percentile, from a sorted list that holds all errors of the bin and perhaps of others.
    fn error(&self, sorted: &[f32]) -> f64 {
        let start = sorted.partition_point(|&error| bin(error) < self.bin);
        let mut sum = self.below;
        let reached = sorted[start..].iter().find(|&&error| {
            sum += fixed(error);
            self.is_passed(sum)
        });
        reached.copied().unwrap_or_default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_weigh_each_pixel_by_its_error() {
        // Sum 2.0. A quarter (0.5) is exceeded by 0.25 + 0.25 + 0.5; half (1.0) only by the last, 1.0.
        let map = ErrorMap::new(5, 1, vec![0.25, 1.0, 0.0, 0.5, 0.25]);
        let score = FlipScore::new(&map, 5);
        assert_eq!(score.mean, 0.4);
        assert_eq!(score.first_weighted_quartile, 0.5);
        assert_eq!((score.weighted_median, score.third_weighted_quartile, score.maximum), (1.0, 1.0, 1.0));
    }

    #[test]
    fn one_strong_pixel_shows_in_the_quartiles_but_hardly_in_the_mean() {
        let mut errors = vec![0.0; 10_000];
        errors[1234] = 0.75;
        let score = FlipScore::new(&ErrorMap::new(100, 100, errors), 10_000);
        assert_eq!(score.mean, 0.000_075);
        assert_eq!([score.first_weighted_quartile, score.weighted_median, score.third_weighted_quartile], [0.75; 3]);
    }

    #[test]
    fn no_error_pools_to_zero() {
        assert_eq!(FlipScore::new(&ErrorMap::new(2, 2, vec![0.0; 4]), 4), FlipScore::default());
    }
}
