//! Channel by channel: what is unequal, by how much and where.
//!
//! Why it exists: whatever metric judges a pair of pictures, people want to know whether they are equal, which pixel is
//! the first that is not, and how large the largest difference is. The exact and the threshold metric are nothing else.

use bytemuck::Pod;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use refrast_simd::dispatch;
use serde::Serialize;

use super::super::{
    picture::{Picture, Samples},
    rectangle::Rectangle,
};
use refrast_simd::SimdLevel;
use refrast_threads::each;

/// Rows that one task compares, so that the work of a task outweighs its start.
const BAND_ROWS: usize = 16;

/// Where and by how much the channels of two pictures of one size differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChannelDifferences {
    /// Bits a sample in which the differences are counted: 16 if either picture has 16, else 8.
    pub bits: u32,
    /// Pixels in which some channel, alpha included, differs by more than the tolerance.
    pub differing: u64,
    /// The largest difference of each channel: red, green, blue, alpha; also below the tolerance.
    pub largest: [u16; 4],
    /// The first such pixel in reading order: column, row.
    pub first: Option<(u32, u32)>,
    /// The smallest rectangle that holds all such pixels.
    pub bounds: Option<Rectangle>,
    /// The largest difference in each row, of any channel.
    #[serde(skip)]
    pub(super) row_largest: Vec<u16>,
}

/// What one row gives.
#[derive(Clone, Copy, Default)]
pub(super) struct RowDifferences {
    differing: u32,
    pub(super) largest: [u16; 4],
    first: u32,
    last: u32,
}

/// Compares every channel of two pictures of one size; `tolerance` is the largest difference that still counts as
/// equal, in 8-bit steps (257 steps of 16 bits).
///
/// Pictures of different bits are compared in 16 bits, to which 8 bits convert exactly.
pub(in super::super) fn channel_differences(
    golden: &Picture,
    candidate: &Picture,
    tolerance: u8,
    level: SimdLevel,
) -> ChannelDifferences {
    let row_samples = golden.width() as usize * 4;
    let (bits, rows) = match (golden.samples(), candidate.samples()) {
        (Samples::Eight(golden), Samples::Eight(candidate)) => {
            (8, row_differences(golden, candidate, row_samples, tolerance, level))
        }
        _ => (16, wide_row_differences(&golden.samples16(), &candidate.samples16(), row_samples, tolerance, level)),
    };
    summarise(bits, &rows)
}

/// The same of rows of 8 bits a sample, each of `row_samples`; [`summarise`] puts them together.
pub(super) fn row_differences(
    golden: &[u8],
    candidate: &[u8],
    row_samples: usize,
    tolerance: u8,
    level: SimdLevel,
) -> Vec<RowDifferences> {
    bands(
        golden,
        candidate,
        row_samples,
        |golden, candidate| dispatch!(level.token_or_base(), simd => row8(simd, golden, candidate, tolerance)),
    )
}

/// As [`row_differences`], of rows of 16 bits a sample; the tolerance is in steps of 8 bits.
pub(super) fn wide_row_differences(
    golden: &[u16],
    candidate: &[u16],
    row_samples: usize,
    tolerance: u8,
    level: SimdLevel,
) -> Vec<RowDifferences> {
    let tolerance = u16::from(tolerance) * 257;
    bands(
        golden,
        candidate,
        row_samples,
        |golden, candidate| dispatch!(level.token_or_base(), simd => row16(simd, golden, candidate, tolerance)),
    )
}

fn bands<T: Pod + Sync + PartialEq>(
    golden: &[T],
    candidate: &[T],
    row_samples: usize,
    compare: impl Fn(&[T], &[T]) -> RowDifferences + Sync,
) -> Vec<RowDifferences> {
    let band = row_samples * BAND_ROWS;
    let compare_band = |number: usize| -> Vec<RowDifferences> {
        let [golden, candidate] = [golden, candidate].map(|samples| {
            let rest = &samples[number * band..];
            &rest[..band.min(rest.len())]
        });
        let rows = golden.chunks_exact(row_samples).zip(candidate.chunks_exact(row_samples));
        // Most rows of most pairs are equal, and nothing finds that out faster than comparing bytes.
        rows.map(|(golden, candidate)| {
            if bytemuck::cast_slice::<T, u8>(golden) == bytemuck::cast_slice::<T, u8>(candidate) {
                RowDifferences::default()
            } else {
                compare(golden, candidate)
            }
        })
        .collect()
    };
    each(golden.len().min(candidate.len()).div_ceil(band), 1, compare_band).into_iter().flatten().collect()
}

/// Rows are put together in reading order, so the result does not depend on who finished first.
pub(super) fn summarise(bits: u32, rows: &[RowDifferences]) -> ChannelDifferences {
    let mut all =
        ChannelDifferences { bits, differing: 0, largest: [0; 4], first: None, bounds: None, row_largest: Vec::new() };
    let (mut left, mut right, mut top, mut bottom) = (u32::MAX, 0, 0, 0);
    all.row_largest = rows.iter().map(|row| row.largest.into_iter().fold(0, u16::max)).collect();
    for (y, row) in (0..).zip(rows) {
        for (all, row) in all.largest.iter_mut().zip(row.largest) {
            *all = row.max(*all);
        }
        if row.differing == 0 {
            continue;
        }
        all.differing += u64::from(row.differing);
        if all.first.is_none() {
            all.first = Some((row.first, y));
            top = y;
        }
        (left, right, bottom) = (left.min(row.first), right.max(row.last), y);
    }
    all.bounds = all.first.map(|_| Rectangle { x: left, y: top, width: right - left + 1, height: bottom - top + 1 });
    all
}

#[simd]
fn row8<S: Simd>(simd: S, golden: &[u8], candidate: &[u8], tolerance: u8) -> RowDifferences {
    row::<S, S::u8s, S::u32s>(simd, golden, candidate, tolerance)
}

#[simd]
fn row16<S: Simd>(simd: S, golden: &[u16], candidate: &[u16], tolerance: u16) -> RowDifferences {
    row::<S, S::u16s, S::u64s>(simd, golden, candidate, tolerance)
}

/// One row: `V` holds samples, `P` the same bits as pixels of four samples.
#[inline(always)]
fn row<S: Simd, V, P>(simd: S, golden: &[V::Element], candidate: &[V::Element], tolerance: V::Element) -> RowDifferences
where
    V: SimdInt<S, Element: Pod + Into<u16>, ByteVector = S::u8s>,
    P: SimdInt<S, ByteVector = S::u8s>,
{
    let zero = V::splat(simd, V::Element::default());
    let tolerance = V::splat(simd, tolerance);
    let mut largest = zero;
    let mut result = RowDifferences { first: u32::MAX, ..RowDifferences::default() };
    let mut pixel = 0_u32;
    let mut golden_chunks = golden.chunks_exact(V::LEN);
    let mut candidate_chunks = candidate.chunks_exact(V::LEN);
    for (golden, candidate) in (&mut golden_chunks).zip(&mut candidate_chunks) {
        let (golden, candidate) = (V::from_slice(simd, golden), V::from_slice(simd, candidate));
        let difference = golden.max(candidate) - golden.min(candidate);
        largest = largest.max(difference);
        result.count::<S, V, P>(simd, difference.simd_gt(tolerance), pixel);
        pixel += P::LEN as u32;
    }
    let (golden_rest, candidate_rest) = (golden_chunks.remainder(), candidate_chunks.remainder());
    if !golden_rest.is_empty() {
        // Equal padding differs nowhere.
        let (mut golden, mut candidate) = (zero, zero);
        golden.as_mut_slice()[..golden_rest.len()].copy_from_slice(golden_rest);
        candidate.as_mut_slice()[..candidate_rest.len()].copy_from_slice(candidate_rest);
        let difference = golden.max(candidate) - golden.min(candidate);
        largest = largest.max(difference);
        result.count::<S, V, P>(simd, difference.simd_gt(tolerance), pixel);
    }
    for pixel in largest.as_slice().chunks_exact(4) {
        for (largest, &sample) in result.largest.iter_mut().zip(pixel) {
            *largest = (*largest).max(sample.into());
        }
    }
    result
}

impl RowDifferences {
    /// Counts the pixels from column `pixel` on in which a sample is `over` the tolerance. A function that is always part of
    /// its caller: a closure is not, and without the caller's vectors it took seven times as long.
    #[inline(always)]
    fn count<S: Simd, V, P>(&mut self, simd: S, over: V::Mask, pixel: u32)
    where
        V: SimdInt<S, ByteVector = S::u8s>,
        P: SimdInt<S, ByteVector = S::u8s>,
    {
        let zero = V::splat(simd, V::Element::default());
        let samples: V = over.select(!zero, zero);
        let pixels = samples.bitcast::<P>().simd_ne(P::splat(simd, P::Element::default())).to_bitmask();
        if pixels != 0 {
            self.differing += pixels.count_ones();
            self.first = self.first.min(pixel + pixels.trailing_zeros());
            self.last = pixel + 63 - pixels.leading_zeros();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(golden: &Picture, candidate: &Picture, tolerance: u8) -> ChannelDifferences {
        let scalar = channel_differences(golden, candidate, tolerance, SimdLevel::Scalar);
        for level in SimdLevel::available() {
            assert_eq!(channel_differences(golden, candidate, tolerance, level), scalar, "{level}");
        }
        scalar
    }

    #[test]
    fn two_changed_pixels_are_found_at_every_width() {
        for width in 1..70 {
            let golden = vec![100_u8; width * 40 * 4];
            let mut candidate = golden.clone();
            candidate[((3 * width) + width - 1) * 4 + 1] = 103;
            candidate[(38 * width + width / 2) * 4 + 3] = 95;
            let [golden, candidate] =
                [golden, candidate].map(|bytes| Picture::from_rgba8(width as u32, 40, bytes).unwrap());
            let (last, middle) = (width as u32 - 1, width as u32 / 2);
            let all = differences(&golden, &candidate, 0);
            assert_eq!((all.bits, all.differing, all.largest, all.first), (8, 2, [0, 3, 0, 5], Some((last, 3))));
            let bounds = Rectangle { x: middle, y: 3, width: last - middle + 1, height: 36 };
            assert_eq!(all.bounds, Some(bounds), "width {width}");
            let over_three = differences(&golden, &candidate, 3);
            assert_eq!((over_three.differing, over_three.first), (1, Some((middle, 38))));
            assert_eq!(over_three.largest, [0, 3, 0, 5]);
            assert_eq!(differences(&golden, &candidate, 5).bounds, None);
        }
    }

    #[test]
    fn sixteen_bits_are_compared_in_sixteen_bits() {
        let eight = Picture::from_rgba8(3, 1, vec![255; 12]).unwrap();
        let mut samples = vec![65535; 12];
        assert_eq!(
            differences(&eight, &Picture::new(3, 1, Samples::Sixteen(samples.clone())).unwrap(), 0).differing,
            0
        );
        samples[4] = 65534;
        samples[10] = 65535 - 258;
        let sixteen = Picture::new(3, 1, Samples::Sixteen(samples)).unwrap();
        let all = differences(&eight, &sixteen, 0);
        assert_eq!((all.bits, all.differing, all.largest), (16, 2, [1, 0, 258, 0]));
        // One 8-bit step is 257 16-bit steps: 258 is more, 1 is not.
        assert_eq!(differences(&eight, &sixteen, 1).first, Some((2, 0)));
        assert_eq!(differences(&eight, &sixteen, 1).differing, 1);
    }
}
