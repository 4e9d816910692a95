//! Clocks that tick, and clips that were sampled anew.

use std::collections::HashSet;

use super::{Clues, Family};
use refrast_simulator::{Faults, FrameRounding, Moment, ParametricFault};

/// Frames a second: of games and films, and every number of few hertz, which clips are sampled at to save room.
const RATES: [f32; 33] = [
    4.0, 5.0, 6.0, 7.0, 7.5, 8.0, 9.0, 10.0, 11.0, 12.0, 12.5, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0,
    22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 48.0, 50.0, 60.0, 120.0,
];

fn seconds(clues: &Clues<'_>) -> Option<f32> {
    match clues.moment {
        Moment::Rest => None,
        Moment::Clip { seconds, .. } => Some(seconds),
    }
}

/// Clips that are sampled anew at each of the rates.
pub(in crate::diagnose) fn resampled() -> impl Iterator<Item = ParametricFault> {
    RATES.into_iter().map(|rate| ParametricFault::ClipResampled { rate })
}

/// Times are rounded to frames.
pub(super) struct Rounded;

impl Family for Rounded {
    fn moves_vertices(&self) -> bool {
        true
    }

    /// Where other moments have been looked for in vain, another mistake may be beside one.
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if clues.moments_are_searched && clues.beside == Faults::default() { Vec::new() } else { self.more(clues) }
    }

    fn more(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let Some(seconds) = seconds(clues) else { return Vec::new() };
        let mut shown = HashSet::from([seconds.to_bits()]);
        // Of rates that show one and the same moment the usual ones come first.
        let usual = [30.0, 60.0, 24.0, 25.0, 50.0, 15.0, 20.0, 10.0];
        let all = usual.into_iter().chain(RATES).flat_map(|rate| {
            let down = ((seconds * rate).floor() / rate, FrameRounding::Down);
            let nearest = ((seconds * rate).round_ties_even() / rate, FrameRounding::Nearest);
            [down, nearest].map(|(seconds, rounding)| (seconds, ParametricFault::TimeRounded { rate, rounding }))
        });
        all.filter(|(seconds, _)| shown.insert(seconds.to_bits())).map(|(_, fault)| fault).collect()
    }
}

/// Clips are sampled anew.
pub(super) struct Resampled;

impl Family for Resampled {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        resampled().filter(|_| seconds(clues).is_some()).collect()
    }
}
