//! Joints that are looked up elsewhere, or taken for each other.

use super::{Clues, Family};
use refrast_simulator::ParametricFault;

/// How far a lookup may be off.
const FARTHEST: i16 = 8;

/// Joints of which every pair is tried.
const SUSPECTS: usize = 6;
const MORE_SUSPECTS: usize = 16;

/// Suspects that are exchanged with every joint of the palette where nothing else explains the candidate: the other one may move
/// nothing that is seen.
const PRIME_SUSPECTS: usize = 3;

/// Places of the palette to both sides of a suspect.
const BESIDE: u16 = 2;

fn is_skinned(clues: &Clues<'_>) -> bool {
    !clues.scene.skins.is_empty()
}

/// Joints are looked up so many places further.
pub(super) struct Shifted;

impl Family for Shifted {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let places = (-FARTHEST..=FARTHEST).filter(|by| *by != 0 && is_skinned(clues));
        places.map(|by| ParametricFault::JointsShifted { by }).collect()
    }
}

/// Two joints are taken for each other.
pub(super) struct Swapped;

/// Every pair of the joints that are seen most where it is wrong, and each of them with its neighbours in the palette: a joint that
/// moves few vertices hides behind the one beside it.
fn pairs(clues: &Clues<'_>, suspects: usize, prime: usize) -> Vec<ParametricFault> {
    let suspects = &clues.joints[..clues.joints.len().min(suspects)];
    let joints = clues.scene.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
    let pair = |one: u16, other: u16| [one.min(other), one.max(other)];
    let mut pairs: Vec<[u16; 2]> = Vec::new();
    for (place, &one) in suspects.iter().enumerate() {
        pairs.extend(suspects[place + 1..].iter().map(|&other| pair(one, other)));
        let beside = one.saturating_sub(BESIDE)..=one.saturating_add(BESIDE);
        pairs
            .extend(beside.filter(|other| *other != one && usize::from(*other) < joints).map(|other| pair(one, other)));
    }
    for &one in suspects.iter().take(prime) {
        pairs.extend((0..joints as u16).filter(|other| *other != one).map(|other| pair(one, other)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().map(|joints| ParametricFault::JointsSwapped { joints }).collect()
}

impl Family for Swapped {
    fn moves_vertices(&self) -> bool {
        true
    }

    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        pairs(clues, SUSPECTS, 0)
    }

    fn more(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        pairs(clues, MORE_SUSPECTS, PRIME_SUSPECTS)
    }
}
