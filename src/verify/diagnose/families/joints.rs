//! Joints that are looked up elsewhere, taken for each other or for another, turned, or not moved by their key frames.

use super::{Clues, Family, HALVINGS_OF_THREE, along_axes, between_axes, mirrored, sum, to_multiples};
use refrast_scene::Scene;
use refrast_simulator::{Moment, ParametricFault};

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
        // The nearest first: where nothing is drawn any that leaves the palette is as good, and not all of them are told.
        let places = (1..=FARTHEST).flat_map(|by| [by, -by]).filter(|_| is_skinned(clues));
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

/// A joint is taken for another one.
pub(super) struct TakenFor;

/// The place of the parent in the palette, where it is a joint as well.
fn parent(scene: &Scene, joint: u16) -> Option<u16> {
    let parent_in = |joints: &Vec<usize>| {
        let parent = scene.nodes[*joints.get(usize::from(joint))?].parent?;
        u16::try_from(joints.iter().position(|own| *own == parent)?).ok()
    };
    scene.skins.iter().find_map(|skin| parent_in(&skin.joints))
}

impl Family for TakenFor {
    fn moves_vertices(&self) -> bool {
        true
    }

    /// Its parent, the first of the palette, its neighbours there, and the other suspects.
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        if !clues.may_move_vertices() {
            return Vec::new();
        }
        let suspects = &clues.joints[..clues.joints.len().min(SUSPECTS)];
        let joints = clues.scene.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0);
        let taken = |joint: u16| {
            let likely = [Some(0), joint.checked_sub(1), joint.checked_add(1), parent(clues.scene, joint)];
            let mut others: Vec<u16> = likely.into_iter().flatten().chain(suspects.iter().copied()).collect();
            others.sort_unstable();
            others.dedup();
            others.retain(|other| *other != joint && usize::from(*other) < joints);
            others.into_iter().map(move |other| ParametricFault::JointTakenFor { joint, other })
        };
        suspects.iter().flat_map(|joint| taken(*joint)).collect()
    }
}

/// Whatever may look the same as one joint that is looked up wrongly: taken for each other joint of the palette, and exchanged with it.
/// Where joints lie close together, or move nothing that is seen, several give the same picture, and none of them is a name.
pub(super) fn looked_up_otherwise(scene: &Scene, fault: ParametricFault) -> Vec<ParametricFault> {
    let wrong = match fault {
        ParametricFault::JointTakenFor { joint, .. } => vec![joint],
        ParametricFault::JointsSwapped { joints } => joints.to_vec(),
        _ => return Vec::new(),
    };
    let joints = scene.skins.iter().map(|skin| skin.joints.len()).max().unwrap_or(0) as u16;
    let all = wrong.into_iter().flat_map(|joint| {
        (0..joints).filter(move |other| *other != joint).flat_map(move |other| {
            let joints = [joint.min(other), joint.max(other)];
            [ParametricFault::JointTakenFor { joint, other }, ParametricFault::JointsSwapped { joints }]
        })
    });
    all.filter(|other| *other != fault).collect()
}

/// Degrees that a joint is turned by at first, about each of its axes.
const TURNED: [f32; 3] = [7.0, 25.0, 70.0];

/// Joints that are turned, and members that are followed downhill.
const TURNED_SUSPECTS: usize = 3;
const FOLLOWED: usize = 2;

/// A joint turns what hangs on it.
pub(super) struct Turned;

impl Family for Turned {
    fn starts(&self, _clues: &Clues<'_>) -> Vec<ParametricFault> {
        Vec::new()
    }

    fn more(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let suspects = clues.joints.iter().take(TURNED_SUSPECTS).filter(|_| clues.may_move_vertices());
        let turned = |joint: u16| {
            let ways = TURNED.into_iter().flat_map(along_axes);
            ways.map(move |by| ParametricFault::JointTurned { joint, by })
        };
        suspects.flat_map(|joint| turned(*joint)).collect()
    }

    fn followed_of_more(&self) -> usize {
        FOLLOWED
    }

    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::JointTurned { joint, by } = of else { return Vec::new() };
        along_axes(step(halving)).map(|step| ParametricFault::JointTurned { joint, by: sum(by, step) }).to_vec()
    }

    fn across(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::JointTurned { joint, by } = of else { return Vec::new() };
        between_axes(step(halving)).map(|step| ParametricFault::JointTurned { joint, by: sum(by, step) }).to_vec()
    }

    fn halvings(&self) -> u32 {
        HALVINGS_OF_THREE
    }

    fn beyond(&self, from: ParametricFault, to: ParametricFault) -> Option<ParametricFault> {
        match (from, to) {
            (ParametricFault::JointTurned { by: from, .. }, ParametricFault::JointTurned { joint, by: to }) => {
                Some(ParametricFault::JointTurned { joint, by: mirrored(from, to) })
            }
            _ => None,
        }
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::JointTurned { joint, by } = of else { return Vec::new() };
        let rounded =
            [90.0, 45.0, 1.0].map(|step| by.map(|degrees| to_multiples(degrees, &[step]).next().unwrap_or(degrees)));
        let turned = rounded.into_iter().filter(|by| *by != [0.0; 3]);
        turned.map(|by| ParametricFault::JointTurned { joint, by }).collect()
    }
}

/// Degrees.
fn step(halving: u32) -> f32 {
    12.0 / (1u32 << halving) as f32
}

/// The key frames of a joint, or of any other node, are not played.
pub(super) struct Still;

impl Family for Still {
    fn moves_vertices(&self) -> bool {
        true
    }

    /// Suspects, and what they hang on: all below a joint stands still with it.
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let Moment::Clip { animation, .. } = clues.moment else { return Vec::new() };
        if !clues.may_move_vertices() {
            return Vec::new();
        }
        let scene = clues.scene;
        let of_skins = |joint: &u16| {
            scene.skins.iter().filter_map(|skin| skin.joints.get(usize::from(*joint)).copied()).collect::<Vec<_>>()
        };
        let joints = clues.joints.iter().take(SUSPECTS).flat_map(of_skins);
        let mut nodes: Vec<usize> = Vec::new();
        for suspect in joints.chain(clues.nodes.iter().copied()) {
            let above = std::iter::successors(Some(suspect), |node| scene.nodes[*node].parent);
            let new: Vec<usize> = above.take_while(|node| !nodes.contains(node)).collect();
            nodes.extend(new);
        }
        let channels = scene.animations.get(animation).map_or(&[][..], |animation| &animation.channels);
        nodes.retain(|node| channels.iter().any(|channel| channel.node == *node));
        let nodes = nodes.into_iter().filter_map(|node| u32::try_from(node).ok());
        nodes.map(|node| ParametricFault::NodeStill { node }).collect()
    }
}
