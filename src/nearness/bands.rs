//! Bands of rows: where most of a picture is wrong, which is where hypotheses are tested.
//!
//! Why it exists: what explains a picture explains the worst of it. A mistake that changes nothing there, or nothing for the better,
//! need not be drawn as a whole.

use refrast_measure::envelope::{EnvelopeVerdict, PixelClass};

/// The bands of a picture that have wrong pixels, those with most of them first.
#[derive(Clone, Debug)]
pub struct WrongBands {
    order: Vec<usize>,
    count: usize,
}

impl WrongBands {
    /// Of a candidate's verdict; a band is so many rows high.
    #[must_use]
    pub fn of(verdict: &EnvelopeVerdict, rows: usize) -> Self {
        let wrong = |row: &Option<Box<[PixelClass]>>| {
            row.as_ref().map_or(0, |row| row.iter().filter(|class| class.is_wrong()).count())
        };
        let counts: Vec<usize> = verdict.classes.chunks(rows).map(|rows| rows.iter().map(wrong).sum()).collect();
        let mut order: Vec<usize> = (0..counts.len()).filter(|band| counts[*band] > 0).collect();
        order.sort_by_key(|band| std::cmp::Reverse(counts[*band]));
        Self { order, count: counts.len() }
    }

    /// Whether each band is one of the first so many.
    #[must_use]
    pub fn worst(&self, most: usize) -> Vec<bool> {
        self.spread(most, 1)
    }

    /// Whether each band is the first of as many as `step` among the first so many: the worst one, and others not far from it.
    #[must_use]
    pub fn spread(&self, most: usize, step: usize) -> Vec<bool> {
        let mut bands = vec![false; self.count];
        self.order.iter().take(most).step_by(step).for_each(|&band| bands[band] = true);
        bands
    }
}

/// The bytes of the rows of some bands, each of so many pixels.
#[must_use]
pub fn rows_of(pixels: &[[u8; 4]], bands: &[bool], band: usize) -> Vec<u8> {
    let wanted = pixels.chunks(band).zip(bands).filter(|(_, wanted)| **wanted);
    wanted.flat_map(|(pixels, _)| pixels.as_flattened()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 16;

    #[test]
    fn the_worst_bands_come_first() {
        // Five bands of a picture of one column: 0, 3, 1, 2 and 4 wrong pixels.
        let band = |wrong: usize| {
            (0..ROWS).map(move |row| {
                let class = if row < wrong { PixelClass::Outside } else { PixelClass::Right };
                Some(vec![class].into_boxed_slice())
            })
        };
        let classes = [0, 3, 1, 2, 4].into_iter().flat_map(band).collect();
        let bands = WrongBands::of(&EnvelopeVerdict { classes, ..EnvelopeVerdict::default() }, ROWS);
        assert_eq!(bands.worst(2), [false, true, false, false, true]);
        assert_eq!(bands.worst(12), [false, true, true, true, true]);
        // The first and the third of 4, 3, 2, 1.
        assert_eq!(bands.spread(12, 2), [false, false, false, true, true]);
        let pixels: Vec<[u8; 4]> = (0..5 * ROWS as u8).map(|row| [row; 4]).collect();
        let rows = rows_of(&pixels, &bands.worst(1), ROWS);
        assert_eq!((rows.len(), rows[0]), (4 * ROWS, 4 * ROWS as u8));
    }
}
