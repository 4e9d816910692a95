//! Nodes whose transform is applied again, and nodes that are not drawn.

use super::{Clues, Family};
use refrast_simulator::ParametricFault;

pub(super) struct Repeated;

impl Family for Repeated {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let scene = clues.scene;
        let is_unskinned = scene.drawn.iter().any(|node| scene.nodes[*node].skin.is_none());
        let times = [2, 3].into_iter().filter(|_| is_unskinned);
        times.map(|times| ParametricFault::NodeTransformRepeated { times }).collect()
    }
}

pub(super) struct Missing;

impl Family for Missing {
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let likely = clues.nodes.iter().filter_map(|node| u32::try_from(*node).ok());
        likely.map(|node| ParametricFault::NodeMissing { node }).collect()
    }
}
