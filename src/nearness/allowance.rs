//! [`Allowance`]: how far a pixel may be from a hypothesis' own.
//!
//! Why it exists: no theory bounds what a backend with a mistake draws. How sensitive the scene's pixels are to a backend's
//! freedoms is known without the mistake, from the envelope, and is taken over: as many steps as boxes are wide there. And where
//! a mistake changes nothing, whatever the envelope holds is right with it too.

use refrast_measure::envelope::{Envelope, EnvelopeVerdict};
use refrast_threads as threads;

use super::distance::{Pixels, TASK_PIXELS, difference, sum};

/// The most steps that are taken over from a box: wider ones are those of choices, not of roundings.
const WIDEST: u8 = 24;

/// Steps of each pixel.
#[derive(Clone, Debug)]
pub struct Allowance {
    width: usize,
    steps: Vec<u8>,
    /// Whether a pixel may hold several surfaces at once.
    mixes: bool,
    /// What the usual right backend draws where the candidate is right.
    right: Vec<Option<[u8; 4]>>,
}

impl Allowance {
    /// As wide as the boxes of a pixel and of those around it, and at least as nearly all pixels' boxes are. A pixel of several
    /// samples `mixes` what is around it.
    #[must_use]
    pub fn of(envelope: &Envelope, mixes: bool) -> Self {
        let width = envelope.width() as usize;
        let background = envelope.background();
        let widths = threads::filled(width * envelope.height() as usize, TASK_PIXELS, |pixel| {
            let [x, y] = [pixel % width, pixel / width].map(|place| place as u32);
            let tight = envelope.boxes(x, y).filter(|own| !own.loose && !background.holds(own));
            let steps = tight.flat_map(|own| own.low.into_iter().zip(own.high).map(|(low, high)| high - low));
            steps.max().unwrap_or(0).min(WIDEST)
        });
        let mut drawn: Vec<u8> = widths.iter().copied().filter(|steps| *steps > 0).collect();
        drawn.sort_unstable();
        // Of twenty pixels nineteen are no wider.
        let usual = drawn.get(drawn.len() * 19 / 20).copied().unwrap_or(0).max(1);
        let around = |pixel: usize| neighbours(pixel, width, widths.len()).map(|other| widths[other]).max();
        let steps = threads::filled(widths.len(), TASK_PIXELS, |pixel| around(pixel).unwrap_or(0).max(usual));
        let right = vec![None; widths.len()];
        Self { width, steps, mixes, right }
    }

    /// With the verdict on the candidate, and what the usual backend draws without a mistake.
    #[must_use]
    pub fn beside(self, verdict: &EnvelopeVerdict, right: &Pixels) -> Self {
        let rows = verdict.classes.iter().zip(right.chunks_exact(self.width));
        let right = rows.flat_map(|(classes, right)| {
            right.iter().enumerate().map(move |(x, &color)| {
                // A row without classes has nothing wrong.
                let is_wrong = classes.as_ref().is_some_and(|classes| classes[x].is_wrong());
                (!is_wrong).then_some(color)
            })
        });
        Self { right: right.collect(), ..self }
    }

    /// How many pixels of the candidate a backend does not explain that may draw these pictures, the usual one first.
    #[must_use]
    pub fn unexplained(&self, candidate: &Pixels, pictures: &[Vec<u8>]) -> u64 {
        let pictures: Vec<&Pixels> = pictures.iter().map(|bytes| bytes.as_chunks::<4>().0).collect();
        let left = |pixel: usize| u64::from(!self.explains(pixel, candidate[pixel], &pictures));
        sum(candidate.len(), &left)
    }

    fn explains(&self, pixel: usize, color: [u8; 4], pictures: &[&Pixels]) -> bool {
        let steps = self.steps[pixel];
        let is_unchanged = pictures.first().is_some_and(|usual| self.right[pixel] == Some(usual[pixel]));
        if is_unchanged || pictures.iter().any(|picture| difference(picture[pixel], color) <= steps) {
            return true;
        }
        let own = pictures.iter().map(|picture| picture[pixel]);
        if between(own, color, steps) {
            return true;
        }
        pictures.iter().any(|picture| {
            let mut around = neighbours(pixel, self.width, picture.len()).map(|other| picture[other]);
            if self.mixes {
                between(around, color, steps)
            } else {
                around.any(|other| difference(other, color) <= steps)
            }
        })
    }
}

/// Whether each channel of `color` is at most `steps` outside of those of the others.
fn between(others: impl Iterator<Item = [u8; 4]>, color: [u8; 4], steps: u8) -> bool {
    let (mut low, mut high) = ([u8::MAX; 4], [u8::MIN; 4]);
    for other in others {
        for channel in 0..4 {
            low[channel] = low[channel].min(other[channel]);
            high[channel] = high[channel].max(other[channel]);
        }
    }
    (0..4).all(|channel| {
        (low[channel].saturating_sub(steps)..=high[channel].saturating_add(steps)).contains(&color[channel])
    })
}

/// A pixel and those around it, as far as they are in the picture.
fn neighbours(pixel: usize, width: usize, count: usize) -> impl Iterator<Item = usize> {
    let (x, y, height) = (pixel % width, pixel / width, count / width);
    let rows = y.saturating_sub(1)..(y + 2).min(height);
    rows.flat_map(move |row| (x.saturating_sub(1)..(x + 2).min(width)).map(move |column| row * width + column))
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_measure::envelope::PixelClass;

    fn grey(values: &[u8]) -> Vec<u8> {
        values.iter().flat_map(|value| [*value, *value, *value, 255]).collect()
    }

    fn allowance(mixes: bool) -> Allowance {
        Allowance { width: 4, steps: vec![2; 8], mixes, right: vec![None; 8] }
    }

    fn unexplained(allowance: &Allowance, candidate: &[u8], pictures: &[&[u8]]) -> u64 {
        let pictures: Vec<Vec<u8>> = pictures.iter().map(|values| grey(values)).collect();
        allowance.unexplained(grey(candidate).as_chunks::<4>().0, &pictures)
    }

    #[test]
    fn a_pixel_is_explained_by_its_own_by_other_choices_and_by_a_neighbour() {
        let own = [50, 50, 90, 90, 50, 50, 90, 90];
        let allowance = allowance(false);
        assert_eq!(unexplained(&allowance, &own, &[&own]), 0);
        // 52 is within two steps, 53 is not.
        assert_eq!(unexplained(&allowance, &[52, 50, 90, 90, 53, 50, 90, 90], &[&own]), 1);
        // An edge that is a pixel further is seen beside it only.
        assert_eq!(unexplained(&allowance, &[50, 90, 90, 90, 90, 50, 90, 50], &[&own]), 2);
        // Between two choices.
        let other = [60, 50, 90, 90, 60, 50, 90, 90];
        assert_eq!(unexplained(&allowance, &[55, 50, 90, 90, 63, 50, 90, 90], &[&own, &other]), 1);
    }

    #[test]
    fn where_a_mistake_changes_nothing_whatever_is_right_is_explained() {
        let right = [50, 50, 90, 90, 50, 50, 90, 90];
        let (own, candidate) = ([50, 50, 90, 20, 50, 50, 90, 20], [70, 50, 90, 20, 70, 50, 90, 20]);
        let verdict = EnvelopeVerdict {
            classes: vec![None, Some(vec![PixelClass::Outside; 4].into_boxed_slice())],
            ..EnvelopeVerdict::default()
        };
        let allowance = allowance(false).beside(&verdict, grey(&right).as_chunks::<4>().0);
        // 70 is right above, and wrong below; nor is it explained where the mistake makes another pixel of it.
        assert_eq!(unexplained(&allowance, &candidate, &[&own]), 1);
        assert_eq!(unexplained(&allowance, &candidate, &[&[60, 50, 90, 20, 50, 50, 90, 20], &own]), 2);
    }

    #[test]
    fn samples_mix_what_is_around() {
        let own = [50, 50, 90, 90, 50, 50, 90, 90];
        let mixed = [50, 70, 70, 90, 70, 50, 90, 90];
        assert_eq!(unexplained(&allowance(true), &mixed, &[&own]), 1);
        assert_eq!(unexplained(&allowance(false), &mixed, &[&own]), 3);
    }
}
