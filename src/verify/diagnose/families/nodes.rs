//! Nodes whose transform is applied again, that are not drawn, are elsewhere, show their insides or are lit from there.

use super::{Clues, Family, HALVINGS_OF_THREE, along_axes, between_axes, mirrored, sum, to_multiples};
use refrast_scene::Scene;
use refrast_simulator::ParametricFault;

/// How many primitives with one material are turned inside out, one after another.
const MOST_PARTS: usize = 4;

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

/// Parts of a mesh's size that it is moved by at first, and factors that it is scaled by.
const MOVED: [f32; 2] = [0.06, 0.2];
const SCALED: [f32; 4] = [0.6, 0.85, 1.2, 1.7];

/// Members that are followed downhill: of each node that is likely some ways lead to the same place.
const FOLLOWED: usize = 2;

/// Nodes that are moved.
const SUSPECTS: usize = 1;

/// A node is moved or scaled.
pub(super) struct Moved;

impl Family for Moved {
    fn starts(&self, _clues: &Clues<'_>) -> Vec<ParametricFault> {
        Vec::new()
    }

    fn more(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let nodes = clues.nodes.iter().take(SUSPECTS).filter(|_| clues.may_move_vertices());
        let ways = |node: u32| {
            let moved = MOVED.into_iter().flat_map(along_axes).map(move |by| (by, 1.0));
            let scaled = SCALED.map(|scale| ([0.0; 3], scale));
            moved.chain(scaled).map(move |(by, scale)| ParametricFault::NodeMoved { node, by, scale })
        };
        nodes.filter_map(|node| u32::try_from(*node).ok()).flat_map(ways).collect()
    }

    fn followed_of_more(&self) -> usize {
        FOLLOWED
    }

    /// What is moved stays as large as it is, and what is scaled where it is: away from the eye and larger is nearly the same.
    fn around(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        let ParametricFault::NodeMoved { node, by, scale } = of else { return Vec::new() };
        let step = step(halving);
        if scale == 1.0 {
            along_axes(step).map(|step| ParametricFault::NodeMoved { node, by: sum(by, step), scale }).to_vec()
        } else {
            let scaled = [scale * (1.0 - step), scale / (1.0 - step)];
            scaled.map(|scale| ParametricFault::NodeMoved { node, by, scale }).to_vec()
        }
    }

    fn across(&self, of: ParametricFault, halving: u32) -> Vec<ParametricFault> {
        match of {
            ParametricFault::NodeMoved { node, by, scale: 1.0 } => {
                let moved = |step| ParametricFault::NodeMoved { node, by: sum(by, step), scale: 1.0 };
                between_axes(step(halving)).map(moved).to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn halvings(&self) -> u32 {
        HALVINGS_OF_THREE
    }

    fn beyond(&self, from: ParametricFault, to: ParametricFault) -> Option<ParametricFault> {
        match (from, to) {
            (ParametricFault::NodeMoved { by: from, .. }, ParametricFault::NodeMoved { node, by: to, scale }) => {
                Some(ParametricFault::NodeMoved { node, by: mirrored(from, to), scale })
            }
            _ => None,
        }
    }

    fn rounded(&self, of: ParametricFault) -> Vec<ParametricFault> {
        let ParametricFault::NodeMoved { node, by, scale } = of else { return Vec::new() };
        let round = |value: f32| to_multiples(value, &[0.01]).next().unwrap_or(value);
        let (by, scale) = (by.map(round), round(scale));
        let is_one = (by, scale) != ([0.0; 3], 1.0);
        Vec::from_iter(is_one.then_some(ParametricFault::NodeMoved { node, by, scale }))
    }
}

fn step(halving: u32) -> f32 {
    0.06 / (1u32 << halving) as f32
}

pub(super) struct InsideOut;

impl Family for InsideOut {
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let unseen = clues.unseen_nodes.iter().filter_map(|node| Some((u32::try_from(*node).ok()?, None)));
        let all = likely_parts(clues).into_iter().chain(unseen);
        all.map(|(node, primitive)| ParametricFault::InsideOut { node, primitive }).collect()
    }
}

pub(super) struct NormalsReversed;

impl Family for NormalsReversed {
    fn starts(&self, clues: &Clues<'_>) -> Vec<ParametricFault> {
        let parts = likely_parts(clues).into_iter().filter(|_| !clues.outlines_are_wrong());
        parts.map(|(node, primitive)| ParametricFault::NormalsReversed { node, primitive }).collect()
    }
}

/// Nodes that are likely, and primitives with a likely material of a mesh that has others as well.
fn likely_parts(clues: &Clues<'_>) -> Vec<(u32, Option<u16>)> {
    let nodes = clues.nodes.iter().filter_map(|node| Some((u32::try_from(*node).ok()?, None)));
    let parts = clues.materials.iter().flat_map(|material| parts_with(clues.scene, *material));
    let parts = parts.filter_map(|(node, place)| Some((u32::try_from(node).ok()?, Some(u16::try_from(place).ok()?))));
    nodes.chain(parts).collect()
}

/// Nodes that are drawn and primitives of their meshes with a material, where the mesh has others as well.
fn parts_with(scene: &Scene, material: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let meshes = scene.drawn.iter().filter_map(|&node| Some((node, &scene.meshes[scene.nodes[node].mesh?].primitives)));
    let parts = meshes.filter(|(_, primitives)| primitives.len() > 1).flat_map(move |(node, primitives)| {
        let own = primitives.iter().enumerate().filter(move |(_, own)| own.material == material);
        own.map(move |(place, _)| (node, place))
    });
    parts.take(MOST_PARTS)
}
