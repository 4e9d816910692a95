//! Depth that is tested, cleared or biased in another way.

use super::{Clues, Family, to_multiples};
use refrast_simulator::{DepthFunction, ParametricFault};

pub(super) struct Depths;

impl Family for Depths {
    fn starts(&self, _clues: &Clues<'_>) -> Vec<ParametricFault> {
        let functions =
            [DepthFunction::Never, DepthFunction::Equal, DepthFunction::NotEqual, DepthFunction::GreaterEqual];
        let mut starts: Vec<ParametricFault> =
            functions.map(|function| ParametricFault::DepthTest { function }).to_vec();
        let cleared = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];
        starts.extend(cleared.map(|depth| ParametricFault::DepthClear { depth }));
        let factors = [-8.0, -4.0, -2.0, -1.0, 1.0, 2.0, 4.0, 8.0];
        starts.extend(factors.map(|factor| ParametricFault::DepthSlopeBias { factor }));
        starts
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let part = (1u32 << halving) as f32;
        match of {
            ParametricFault::DepthClear { depth } => {
                let step = 0.05 / part;
                [depth - step, depth + step].map(|depth| ParametricFault::DepthClear { depth }).to_vec()
            }
            ParametricFault::DepthSlopeBias { factor } => {
                let step = 1.0 + 0.4 / part;
                [factor / step, factor * step].map(|factor| ParametricFault::DepthSlopeBias { factor }).to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        match of {
            ParametricFault::DepthClear { depth } => {
                to_multiples(depth, &[0.1, 0.05, 0.01]).map(|depth| ParametricFault::DepthClear { depth }).collect()
            }
            ParametricFault::DepthSlopeBias { factor } => {
                let round = to_multiples(factor, &[1.0, 0.5, 0.25]).filter(|factor| *factor != 0.0);
                round.map(|factor| ParametricFault::DepthSlopeBias { factor }).collect()
            }
            _ => Vec::new(),
        }
    }
}
