//! A level of detail that is off.

use super::{Clues, Family, to_multiples};
use refrast_simulator::ParametricFault;

pub(super) struct Bias;

impl Family for Bias {
    fn is_of_fragments(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if clues.outlines_are_wrong() || clues.scene.textures.is_empty() {
            return Vec::new();
        }
        let levels = (-6..=6).map(|half| half as f32 * 0.5).filter(|levels| *levels != 0.0);
        levels.map(|levels| ParametricFault::MipBias { levels }).collect()
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::MipBias { levels } = of else { return Vec::new() };
        let step = 0.25 / (1u32 << halving) as f32;
        [levels - step, levels + step].map(|levels| ParametricFault::MipBias { levels }).to_vec()
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::MipBias { levels } = of else { return Vec::new() };
        let round = to_multiples(levels, &[0.5, 0.25, 0.1, 0.05]).filter(|levels| *levels != 0.0);
        round.map(|levels| ParametricFault::MipBias { levels }).collect()
    }
}
