//! Nodes whose transform is applied again, that are not drawn, or that show their insides.

use super::{Clues, Family};
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
