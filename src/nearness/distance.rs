//! Distances between pictures: sums over pixels, each of which counts only so much.
//!
//! Why it exists: one surface for another is a hundred steps or two hundred, and says no more than a wrong shade does. Which of them a
//! sum is of depends on what is asked: whether a name explains a picture, or which of many set-ups and numbers come nearest.

use refrast_threads as threads;

/// RGBA bytes, pixel by pixel.
pub type Pixels = [[u8; 4]];

/// Pixels that a thread goes through at once.
pub(super) const TASK_PIXELS: usize = 1 << 13;

/// What a pixel adds at most to a distance: one surface for another counts no more than a wrong shade.
pub const FARTHEST: u8 = 32;

/// The most steps of a channel that are squared: how much is wrong is told by the number of pixels, and not by how bright they are.
const MOST_STEPS: u8 = 48;

/// The sum of what the numbers below `count` give.
pub(super) fn sum(count: usize, value: &(dyn Fn(usize) -> u64 + Sync)) -> u64 {
    threads::ranges(count, TASK_PIXELS, |range| range.map(value).sum::<u64>()).into_iter().sum()
}

/// The largest difference of a channel.
#[must_use]
pub fn difference(a: [u8; 4], b: [u8; 4]) -> u8 {
    a.into_iter().zip(b).map(|(a, b)| a.abs_diff(b)).fold(0, u8::max)
}

/// Whether no byte is more than a step from its own of the other picture.
#[must_use]
pub fn is_same_but_for_roundings(one: &[u8], other: &[u8]) -> bool {
    one.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= 1)
}

/// The sum over all pixels of the largest difference of a channel, each at most [`FARTHEST`].
#[must_use]
pub fn distance(candidate: &Pixels, picture: &[u8]) -> u64 {
    let picture = picture.as_chunks::<4>().0;
    let off = |pixel: usize| u64::from(difference(candidate[pixel], picture[pixel]).min(FARTHEST));
    sum(candidate.len().min(picture.len()), &off)
}

/// The same sum over some pixels.
#[must_use]
pub fn distance_at(places: &[usize], candidate: &Pixels, picture: &[u8]) -> u64 {
    let picture = picture.as_chunks::<4>().0;
    places.iter().map(|&place| u64::from(difference(picture[place], candidate[place]).min(FARTHEST))).sum()
}

/// The sum over pixels and colours of the squared difference in steps, each at most 48: a step here and there, as between
/// conformant backends, counts little. The most that there is for pictures of different sizes.
#[must_use]
pub fn squared_distance(one: &[u8], other: &[u8]) -> u64 {
    let (one, other) = (one.as_chunks::<4>().0, other.as_chunks::<4>().0);
    if one.len() != other.len() {
        return u64::MAX;
    }
    let square = |a: u8, b: u8| u64::from(a.abs_diff(b).min(MOST_STEPS)).pow(2);
    let sum = |([r, g, b, _], [u, v, w, _]): (&[u8; 4], &[u8; 4])| square(*r, *u) + square(*g, *v) + square(*b, *w);
    one.iter().zip(other).map(sum).sum()
}

/// The same sum, of what colours differ by beyond the `spread` of right backends there. Of pixels that count alone, where not all do.
///
/// # Panics
/// If the four are not of as many pixels.
#[must_use]
pub fn squared_distance_beyond(own: &Pixels, candidate: &Pixels, spread: &[[u8; 3]], counts: Option<&[bool]>) -> u64 {
    assert!(own.len() == candidate.len() && own.len() == spread.len(), "pictures of one size");
    let beyond = |pixel: usize, channel: usize| {
        let apart = own[pixel][channel].abs_diff(candidate[pixel][channel]);
        u64::from(apart.saturating_sub(spread[pixel][channel]).min(MOST_STEPS)).pow(2)
    };
    let all = |pixel: usize| beyond(pixel, 0) + beyond(pixel, 1) + beyond(pixel, 2);
    (0..own.len()).filter(|&pixel| counts.is_none_or(|counts| counts[pixel])).map(all).sum()
}

/// How far pictures lie apart, colour by colour.
///
/// # Panics
/// If one of them has fewer pixels than the first.
#[must_use]
pub fn spread(pictures: &[&Pixels]) -> Vec<[u8; 3]> {
    let apart = |pixel: usize| {
        [0, 1, 2].map(|channel| {
            let shown = pictures.iter().map(|picture| picture[pixel][channel]);
            let (low, high) = shown.fold((u8::MAX, 0), |(low, high), value| (value.min(low), value.max(high)));
            high.saturating_sub(low)
        })
    };
    (0..pictures.first().map_or(0, |first| first.len())).map(apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_capped_pixel_by_pixel() {
        let candidate = [[0, 0, 0, 255], [3, 3, 3, 255], [100, 100, 100, 255]];
        let picture = [[0, 0, 0, 255], [5, 4, 3, 255], [0, 0, 0, 255]];
        assert_eq!(distance(&candidate, picture.as_flattened()), 2 + 32);
        assert!(is_same_but_for_roundings(&[1, 2], &[2, 1]) && !is_same_but_for_roundings(&[1, 2], &[1, 4]));
        assert_eq!(distance_at(&[0, 1], &candidate, picture.as_flattened()), 2);
    }

    #[test]
    fn squares_are_of_colours_and_not_of_alpha() {
        assert_eq!(squared_distance(&[1, 2, 3, 4], &[3, 2, 0, 255]), 4 + 9);
        assert_eq!(squared_distance(&[0, 0, 0, 0], &[255, 10, 0, 0]), 48 * 48 + 100);
        assert_eq!(squared_distance(&[0; 4], &[0; 8]), u64::MAX);
    }

    #[test]
    fn what_right_backends_differ_by_does_not_count() {
        let right: [&Pixels; 2] = [&[[10, 20, 30, 0], [5, 5, 5, 0]], &[[12, 20, 25, 9], [5, 5, 5, 0]]];
        assert_eq!(spread(&right), [[2, 0, 5], [0, 0, 0]]);
        assert!(spread(&[]).is_empty());
        let candidate = [[20, 20, 36, 0], [5, 205, 5, 0]];
        // 10 − 2, 0 and 6 − 5 steps; then 200 steps that count as 48.
        let beyond = |counts| squared_distance_beyond(right[0], &candidate, &spread(&right), counts);
        assert_eq!(beyond(None), 64 + 1 + 48 * 48);
        assert_eq!(beyond(Some(&[true, false])), 65);
    }
}
