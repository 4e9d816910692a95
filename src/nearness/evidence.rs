//! [`Evidence`]: does the candidate look like the hypothesis where it is wrong, or only not unlike it?
//!
//! Why it exists: a pixel that is a step off lies within what almost every hypothesis allows, and a hypothesis that changes a
//! pixel by a step would be named for the dither of a backend that makes no such mistake. A wrong name is worse than none. So
//! on the wrong pixels the candidate's distance from the hypothesis is held against its distance from right backends, each with the
//! choices that come nearest to the pixel. A mistake that was made takes the distance away; one that was not leaves it or adds to it.
//!
//! And what it would change elsewhere has to be changed: a texture that is moved by a third of a texel explains a few pixels of an
//! elbow, and thousands of right ones would have to be others. So what a hypothesis adds to the distance in the rest of the picture
//! is taken from what it takes away.

use refrast_measure::envelope::{EnvelopeVerdict, PixelClass};

use super::distance::{FARTHEST, difference, sum};

/// The part of the distance that a name has to take away. What right backends differ by among each other is about a step where
/// the wrong pixels are two or more off, so that half is what a right name surely leaves at most.
const ENOUGH: f64 = 0.5;

/// Whoever leaves more than a fifth of the distance leaves what right backends differ by: steps of a pixel, as a mean.
const NEARLY_ALL: f64 = 0.8;
const ROUNDINGS: f64 = 1.5;

/// The wrong pixels, and how far they and all of the picture are from right backends.
#[derive(Clone, Debug)]
pub struct Evidence {
    wrong: Vec<usize>,
    from_right: u64,
    all_from_right: u64,
}

impl Evidence {
    /// Of a candidate's verdict; `right` are pictures of backends without a mistake.
    #[must_use]
    pub fn of(verdict: &EnvelopeVerdict, candidate: &[[u8; 4]], right: &[Vec<u8>]) -> Self {
        let width = candidate.len() / verdict.classes.len().max(1);
        let classes = verdict.classes.iter().enumerate().filter_map(|(y, row)| Some((y, row.as_ref()?)));
        let wrong = classes.flat_map(|(y, row)| {
            let wrong = row.iter().enumerate().filter(|(_, class): &(usize, &PixelClass)| class.is_wrong());
            wrong.map(move |(x, _)| y * width + x)
        });
        let wrong: Vec<usize> = wrong.collect();
        let from_right = distance_of(&wrong, candidate, right);
        let all_from_right = distance(candidate, right);
        Self { wrong, from_right, all_from_right }
    }

    /// The part of the distance that these pictures, of backends with one cause, take away: 1 is all of it. What they add elsewhere
    /// counts against them.
    #[must_use]
    pub fn score(&self, candidate: &[[u8; 4]], pictures: &[Vec<u8>]) -> f64 {
        let all = distance(candidate, pictures);
        let taken = self.all_from_right as f64 - all as f64;
        self.score_of_wrong(candidate, pictures).min(taken / self.from_right.max(1) as f64)
    }

    /// The same part, of the wrong pixels alone.
    #[must_use]
    pub fn score_of_wrong(&self, candidate: &[[u8; 4]], pictures: &[Vec<u8>]) -> f64 {
        1.0 - distance_of(&self.wrong, candidate, pictures) as f64 / self.from_right.max(1) as f64
    }

    /// Whether the candidate is nearer to pictures with such a score than to right ones, and not only less far from them.
    #[must_use]
    pub fn speaks_for(&self, score: f64) -> bool {
        let left = (1.0 - score) * self.from_right as f64 / self.wrong.len().max(1) as f64;
        Self::is_much(score) && (score >= NEARLY_ALL || left <= ROUNDINGS)
    }

    /// Whether such a part of the distance is more than right backends differ by.
    #[must_use]
    pub fn is_beyond_roundings(&self, part: f64) -> bool {
        part * self.from_right as f64 / self.wrong.len().max(1) as f64 > ROUNDINGS
    }

    /// Whether such a part of what is left is much of it.
    #[must_use]
    pub fn is_much(part: f64) -> bool {
        part >= ENOUGH
    }
}

/// Whether a picture is off by a little nearly everywhere and both ways, as one with a dither is: a number that is to be stored lies
/// anywhere between two bytes, so that a pattern of half a step either way takes one in four of them to the other byte, as many
/// up as down. A mistake that is a step off stays where it is, or goes one way. And of so many some are `wrong`: more than the
/// handful that any small mistake leaves, for a driver's filter alone may be a step from ours in half of all pixels.
#[must_use]
pub fn looks_dithered(candidate: &[[u8; 4]], right: &[Vec<u8>], background: [u8; 4], wrong: u64) -> bool {
    // A tenth of what is drawn, as much of it is textures whose bytes are stored as they are; and of that a quarter each way.
    const SPREAD: usize = 10;
    const EACH_WAY: usize = 4;
    const WRONG: u64 = 100;
    let right: Vec<&[[u8; 4]]> = right.iter().map(|bytes| bytes.as_chunks::<4>().0).collect();
    let light = |color: [u8; 4]| color.map(i32::from)[..3].iter().sum::<i32>();
    let (mut drawn, mut ways) = (0_usize, [0, 0]);
    for (pixel, &own) in candidate.iter().enumerate() {
        let nearest = right.iter().map(|picture| picture[pixel]).min_by_key(|&color| difference(color, own));
        let Some(nearest) = nearest.filter(|&nearest| nearest != background) else { continue };
        drawn += 1;
        if nearest != own {
            ways[usize::from(light(own) > light(nearest))] += 1;
        }
    }
    let strayed = ways[0] + ways[1];
    let both_ways = strayed > 0 && ways.iter().all(|way| way * EACH_WAY >= strayed);
    both_ways && strayed * SPREAD >= drawn && wrong * WRONG >= drawn as u64
}

/// The sum over all pixels of the distance from the nearest picture.
fn distance(candidate: &[[u8; 4]], pictures: &[Vec<u8>]) -> u64 {
    let nearest = from_nearest(candidate, pictures);
    sum(candidate.len(), &nearest)
}

/// The same sum over some pixels.
fn distance_of(pixels: &[usize], candidate: &[[u8; 4]], pictures: &[Vec<u8>]) -> u64 {
    let nearest = from_nearest(candidate, pictures);
    sum(pixels.len(), &|place| nearest(pixels[place]))
}

/// How far a pixel of the candidate is from the nearest picture.
fn from_nearest(candidate: &[[u8; 4]], pictures: &[Vec<u8>]) -> impl Fn(usize) -> u64 {
    let pictures: Vec<&[[u8; 4]]> = pictures.iter().map(|bytes| bytes.as_chunks::<4>().0).collect();
    move |pixel| {
        let distances = pictures.iter().map(|picture| difference(picture[pixel], candidate[pixel]));
        u64::from(distances.min().unwrap_or(FARTHEST).min(FARTHEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dither_is_nearly_everywhere_and_goes_both_ways() {
        let grey = |values: [u8; 24]| values.map(|value| [value, value, value, 255]);
        let right = vec![grey([7; 24]).as_flattened().to_vec()];
        let with = |changes: &[(usize, u8)]| {
            let mut values = [7; 24];
            changes.iter().for_each(|&(place, value)| values[place] = value);
            looks_dithered(&grey(values), &right, [0, 0, 0, 255], 1)
        };
        assert!(with(&[(3, 8), (9, 6), (20, 8)]));
        // Too few, all brighter, none; and what is background does not count.
        assert!(!with(&[(3, 8), (9, 6)]));
        assert!(!with(&[(3, 8), (9, 8), (11, 8), (20, 8)]));
        assert!(!with(&[]));
        assert!(!looks_dithered(&grey([6; 24]), &right, [7, 7, 7, 255], 1));
        // None of them wrong.
        let both: Vec<u8> = (0..24).map(|place| 6 + 2 * (place % 2)).collect();
        let both = grey(both.try_into().expect("24 values"));
        assert!(looks_dithered(&both, &right, [0, 0, 0, 255], 1) && !looks_dithered(&both, &right, [0, 0, 0, 255], 0));
    }

    #[test]
    fn a_name_has_to_take_half_of_the_distance_away() {
        let wrong = Some(vec![PixelClass::Right, PixelClass::Outside, PixelClass::Missing].into_boxed_slice());
        let verdict = EnvelopeVerdict { classes: vec![None, wrong], ..EnvelopeVerdict::default() };
        let grey = |values: [u8; 6]| values.map(|value| [value, value, value, 255]);
        let bytes = |values: [u8; 6]| grey(values).as_flattened().to_vec();
        let candidate = grey([9, 9, 9, 9, 24, 30]);
        let evidence = Evidence::of(&verdict, &candidate, &[bytes([0, 0, 0, 0, 20, 20]), bytes([0, 0, 0, 0, 10, 26])]);
        assert_eq!((evidence.wrong.as_slice(), evidence.from_right), (&[4, 5][..], 8));
        // Half is left: 2 and 2. Then 3 and 2. What comes nearer elsewhere is no merit.
        let half = evidence.score(&candidate, &[bytes([0, 0, 0, 0, 22, 28])]);
        let less = evidence.score(&candidate, &[bytes([9, 9, 9, 9, 21, 28])]);
        assert_eq!((half, less), (0.5, 0.375));
        // Two steps a pixel are no rounding any more, one and a half are.
        assert!(!evidence.speaks_for(half) && !evidence.speaks_for(less) && Evidence::is_much(half));
        // Of eight steps in two pixels three are a step and a half in each.
        assert!(evidence.is_beyond_roundings(0.4) && !evidence.is_beyond_roundings(0.375));
        assert!(evidence.speaks_for(0.8) && evidence.speaks_for(0.625) && !evidence.speaks_for(0.6));
    }

    #[test]
    fn what_would_be_changed_elsewhere_speaks_against_a_name() {
        let wrong = Some(vec![PixelClass::Outside, PixelClass::Right, PixelClass::Right].into_boxed_slice());
        let verdict = EnvelopeVerdict { classes: vec![wrong], ..EnvelopeVerdict::default() };
        let grey = |values: [u8; 3]| values.map(|value| [value, value, value, 255]);
        let bytes = |values: [u8; 3]| grey(values).as_flattened().to_vec();
        let candidate = grey([20, 50, 50]);
        let evidence = Evidence::of(&verdict, &candidate, &[bytes([10, 50, 49]), bytes([10, 51, 50])]);
        // All of the ten steps, and nothing else; then with six beside them that are seen nowhere.
        assert_eq!(evidence.score(&candidate, &[bytes([20, 50, 50])]), 1.0);
        assert_eq!(evidence.score(&candidate, &[bytes([20, 53, 47])]), 0.4);
        assert_eq!(evidence.score_of_wrong(&candidate, &[bytes([20, 53, 47])]), 1.0);
    }
}
