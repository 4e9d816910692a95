//! [`ErrorMap`]: one error a pixel.
//!
//! Why it exists: every metric that can say where the pictures differ says it in this form, so that the worst pixels
//! and the difference picture are found in one way.

use super::{
    super::{picture::Picture, rectangle::Rectangle},
    channels::ChannelDifferences,
};
use crate::PIECE;
use refrast_threads::{self as threads, each, each_piece};

/// How far apart two pictures are at each pixel: 0 where they agree, 1 for the largest difference a metric knows.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorMap {
    width: u32,
    height: u32,
    values: Vec<f32>,
}

impl ErrorMap {
    /// A map from rows of errors, top to bottom. Errors are not negative and not NaN.
    pub(super) fn new(width: u32, height: u32, values: Vec<f32>) -> Self {
        debug_assert_eq!(values.len(), width as usize * height as usize);
        Self { width, height, values }
    }

    /// The largest difference of the four channels at each pixel, as a share of the largest sample. Where the
    /// candidate is smaller the error is 0.
    #[must_use]
    pub fn of_channels(golden: &Picture, candidate: &Picture) -> Self {
        let (width, height) = golden.size();
        let mut values = vec![0.0; width as usize * height as usize];
        each_piece(&mut values, width as usize, |y, row| {
            (0..).zip(row).for_each(|(x, value)| *value = channel_error(golden, candidate, x, y as u32));
        });
        Self::new(width, height, values)
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The errors, rows from top to bottom.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Sets the error inside the rectangles to 0.
    pub(super) fn clear(&mut self, ignored: &[Rectangle]) {
        let width = self.width as usize;
        for rectangle in ignored {
            let columns = rectangle.columns(self.width);
            for row in rectangle.rows(self.height) {
                self.values[row * width..][columns.clone()].fill(0.0);
            }
        }
    }

    /// How many pixels have an error above the threshold.
    pub(super) fn count_above(&self, threshold: f32) -> u64 {
        let above = |values: &[f32]| values.iter().filter(|error| **error > threshold).count() as u64;
        let pieces = self.values.chunks(PIECE).collect::<Vec<_>>();
        each(pieces.len(), 1, |number| above(pieces[number])).iter().sum()
    }

    /// The pixels with the largest errors, at most `count`, largest first, equal ones in reading order:
    /// column, row, error.
    #[must_use]
    pub fn worst(&self, count: usize) -> Vec<(u32, u32, f32)> {
        let all = Rectangle { x: 0, y: 0, width: self.width, height: self.height };
        let width = self.width as usize;
        worst(all, count, |_| f32::MAX, |x, y| self.values[y as usize * width + x as usize])
    }
}

/// As [`ErrorMap::worst`] of [`ErrorMap::of_channels`], without making the map, and only of pixels that differ by more
/// than the `tolerance` of the differences. Rows that hold nothing worse than what has been found are skipped.
pub(super) fn worst_channels(
    golden: &Picture,
    candidate: &Picture,
    differences: &ChannelDifferences,
    tolerance: u8,
    count: usize,
) -> Vec<(u32, u32, f32)> {
    let Some(bounds) = differences.bounds else { return Vec::new() };
    let (largest_sample, step) = if differences.bits == 8 { (255.0, 1.0) } else { (65535.0, 257.0) };
    let accepted = f32::from(tolerance) * step / largest_sample;
    let row_largest = |y: u32| f32::from(differences.row_largest[y as usize]) / largest_sample;
    worst(bounds, count, row_largest, |x, y| {
        let error = channel_error(golden, candidate, x, y);
        if error > accepted { error } else { 0.0 }
    })
}

/// As [`worst_channels`] of one row of pixels whose samples go up to `largest`, with the tolerance in their steps; `worst` is
/// what rows above have given, and is added to.
pub(super) fn worst_of_row<T: Copy + Into<u16>>(
    (golden, candidate): (&[[T; 4]], &[[T; 4]]),
    y: u32,
    (tolerance, largest): (u16, u16),
    count: usize,
    worst: &mut Vec<(u32, u32, f32)>,
) {
    for (x, (golden, candidate)) in (0..).zip(golden.iter().zip(candidate)) {
        let difference = |(&one, &other): (&T, &T)| one.into().abs_diff(other.into());
        let steps = golden.iter().zip(candidate).map(difference).fold(0, u16::max);
        let error = f32::from(steps) / f32::from(largest);
        let least = if worst.len() < count { 0.0 } else { worst.last().map_or(f32::MAX, |last| last.2) };
        if steps > tolerance && error > least {
            worst.insert(worst.partition_point(|other| other.2 >= error), (x, y, error));
            worst.truncate(count);
        }
    }
}

fn channel_error(golden: &Picture, candidate: &Picture, x: u32, y: u32) -> f32 {
    let (Some(one), Some(other)) = (golden.pixel(x, y), candidate.pixel(x, y)) else { return 0.0 };
    let largest = |one: [u16; 4], other: [u16; 4]| one.iter().zip(other).map(|(&one, other)| one.abs_diff(other)).max();
    let widened = |pixel: [u16; 4], bits| if bits == 8 { pixel.map(|sample| sample * 257) } else { pixel };
    if golden.bits() == 8 && candidate.bits() == 8 {
        f32::from(largest(one, other).unwrap_or(0)) / 255.0
    } else {
        let steps = largest(widened(one, golden.bits()), widened(other, candidate.bits()));
        f32::from(steps.unwrap_or(0)) / 65535.0
    }
}

/// The pixels with the largest positive errors inside a rectangle; no error of row y is above `row_largest(y)`. The
/// order is total (error, then row, then column), so lists of several threads merge to one result.
fn worst(
    bounds: Rectangle,
    count: usize,
    row_largest: impl Fn(u32) -> f32 + Sync,
    error: impl Fn(u32, u32) -> f32 + Sync,
) -> Vec<(u32, u32, f32)> {
    let of_row = |mut list: Vec<(u32, u32, f32)>, y: u32| {
        // Rows and columns are walked in reading order, so an equal error never displaces one that was found before.
        let floor = |list: &[(u32, u32, f32)]| {
            if list.len() < count { 0.0 } else { list.last().map_or(f32::MAX, |last| last.2) }
        };
        let mut least = floor(&list);
        if row_largest(y) <= least {
            return list;
        }
        for x in bounds.x..bounds.x + bounds.width {
            let error = error(x, y);
            if error > least {
                let place = list.partition_point(|other| other.2 >= error);
                list.insert(place, (x, y, error));
                list.truncate(count);
                least = floor(&list);
            }
        }
        list
    };
    // A share has many rows, so that most of them are seen to have nothing larger than what was found.
    let rows = bounds.height.div_ceil(2 * threads::count() as u32).max(1);
    let share = |number: usize| {
        let first = bounds.y + number as u32 * rows;
        (first..bounds.y + bounds.height).take(rows as usize).fold(Vec::new(), of_row)
    };
    let mut all = each(bounds.height.div_ceil(rows) as usize, 1, share).concat();
    all.sort_by(|one, other| other.2.total_cmp(&one.2).then(one.1.cmp(&other.1)).then(one.0.cmp(&other.0)));
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_pixels_come_in_order_and_ties_in_reading_order() {
        let map = ErrorMap::new(3, 2, vec![0.5, 0.0, 0.9, 0.5, 0.9, 0.1]);
        assert_eq!(map.worst(3), [(2, 0, 0.9), (1, 1, 0.9), (0, 0, 0.5)]);
        assert_eq!(map.worst(10).len(), 5);
        assert_eq!(map.worst(0), []);
    }

    #[test]
    fn cleared_pixels_have_no_error() {
        let mut map = ErrorMap::new(3, 2, vec![1.0; 6]);
        map.clear(&[Rectangle { x: 1, y: 0, width: 9, height: 1 }]);
        assert_eq!(map.values(), [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }
}
