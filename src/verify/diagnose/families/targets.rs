//! Morph targets that are taken for others, or left out.

use super::{Clues, Family};
use refrast_scene::Scene;
use refrast_simulator::ParametricFault;

/// How far weights may go astray.
const FARTHEST: i8 = 3;

/// Targets of which each is left out.
const MOST: usize = 16;

pub(super) struct Targets;

impl Family for Targets {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        of_targets(clues.scene)
    }
}

/// All members: where targets follow each other in a clip, one that is taken for the next shows another moment.
pub(in crate::diagnose) fn of_targets(scene: &Scene) -> Vec<ParametricFault> {
    let primitives = scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let count = primitives.map(|own| own.targets.len()).max().unwrap_or(0);
    let shifts = (-FARTHEST..=FARTHEST).filter(|by| *by != 0 && count > 0);
    let missing = (0..count.min(MOST) as u16).map(|target| ParametricFault::MorphTargetMissing { target });
    shifts.map(|by| ParametricFault::MorphTargetsShifted { by }).chain(missing).collect()
}
