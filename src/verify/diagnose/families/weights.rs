//! Influences that are left out, and weights of few bits.

use super::{Clues, Family};
use refrast_simulator::{InfluenceChoice, ParametricFault};

fn influences(clues: &Clues<'_>) -> usize {
    let primitives = clues.scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
    primitives.filter_map(|own| own.influences.as_ref()).map(|own| own.per_vertex).max().unwrap_or(0)
}

/// Only some influences are read.
pub(super) struct Kept;

impl Family for Kept {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let counts = 1..influences(clues).min(8) as u8;
        let choices = [InfluenceChoice::First, InfluenceChoice::FirstRescaled, InfluenceChoice::Heaviest];
        counts.flat_map(|count| choices.map(|choice| ParametricFault::InfluencesKept { count, choice })).collect()
    }
}

/// Weights have few bits.
pub(super) struct Bits;

impl Family for Bits {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let bits = (2..=12).filter(|_| influences(clues) > 0);
        bits.flat_map(|bits| [false, true].map(|corrected| ParametricFault::WeightBits { bits, corrected })).collect()
    }
}
