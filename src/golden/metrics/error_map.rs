//! [`ErrorMap`]: one error a pixel.
//!
//! Why it exists: every metric that can say where the pictures differ says it in this form, so that the worst pixels
//! and the difference picture are found in one way.

use rayon::prelude::*;

use super::super::{picture::Picture, rectangle::Rectangle};

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

    /// The largest difference of the four channels at each pixel, divided by the largest sample.
    pub(super) fn of_channels(golden: &Picture, candidate: &Picture) -> Self {
        let (width, height) = golden.size();
        let values = if golden.bits() == 8 && candidate.bits() == 8 {
            let (golden, candidate) = (golden.samples8(), candidate.samples8());
            channel_errors(&golden, &candidate, |golden, candidate| f32::from(golden.abs_diff(candidate)) / 255.0)
        } else {
            let (golden, candidate) = (golden.samples16(), candidate.samples16());
            channel_errors(&golden, &candidate, |golden, candidate| f32::from(golden.abs_diff(candidate)) / 65535.0)
        };
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
        self.values.par_iter().filter(|error| **error > threshold).count() as u64
    }

    /// The pixels with the largest errors, at most `count`, largest first, equal ones in reading order:
    /// column, row, error.
    #[must_use]
    pub fn worst(&self, count: usize) -> Vec<(u32, u32, f32)> {
        let mut worst: Vec<(u32, u32, f32)> = Vec::with_capacity(count + 1);
        if count == 0 {
            return worst;
        }
        for (y, row) in (0..).zip(self.values.chunks_exact(self.width as usize)) {
            for (x, &error) in (0..).zip(row) {
                let beaten = worst.len() == count && error <= worst[count - 1].2;
                if error > 0.0 && !beaten {
                    let place = worst.partition_point(|&(_, _, other)| other >= error);
                    worst.insert(place, (x, y, error));
                    worst.truncate(count);
                }
            }
        }
        worst
    }
}

fn channel_errors<T: Copy + Sync>(golden: &[T], candidate: &[T], error: impl Fn(T, T) -> f32 + Sync) -> Vec<f32> {
    let pixels = golden.as_chunks::<4>().0.par_iter().zip(candidate.as_chunks::<4>().0);
    pixels
        .map(|(golden, candidate)| {
            golden.iter().zip(candidate).fold(0.0, |largest: f32, (&golden, &candidate)| largest.max(error(golden, candidate)))
        })
        .collect()
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
