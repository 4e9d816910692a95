//! [`CandidateVertices`]: a backend's vertices beside the reference's, and what mistake in one influence would explain one.

use std::{collections::HashMap, path::Path};

use glam::{DMat4, DVec3};

use crate::{WindowError, inspection::VertexView, subject::VertexChoice};
use refrast_animation::Pose;
use refrast_measure::VertexBuffer;
use refrast_scene::{Primitive, Scene};

/// A backend's vertex buffer: rows as `refrast vertices` writes them.
#[derive(Clone, Debug)]
pub(crate) struct CandidateVertices {
    buffer: VertexBuffer,
    /// The first row of each node's primitive.
    starts: HashMap<(usize, usize), usize>,
}

impl CandidateVertices {
    /// Reads a buffer of a scene's vertices.
    pub(crate) fn read(scene: &Scene, path: &Path) -> Result<Self, WindowError> {
        let buffer = VertexBuffer::read_npy(path).map_err(|error| WindowError::Candidate(error.to_string()))?;
        let mut nodes = scene.drawn.clone();
        nodes.sort_unstable();
        let (mut starts, mut rows) = (HashMap::new(), 0);
        for node in nodes {
            let primitives = scene.nodes[node].mesh.map_or(&[][..], |mesh| &scene.meshes[mesh].primitives);
            for (index, primitive) in primitives.iter().enumerate() {
                starts.insert((node, index), rows);
                rows += primitive.source_vertex_count;
            }
        }
        if buffer.len() != rows {
            return Err(WindowError::Candidate(format!(
                "{}: {} vertices, but {} has {rows}; write one row a vertex of the file, as `refrast vertices` does",
                path.display(),
                buffer.len(),
                scene.source.file,
            )));
        }
        Ok(Self { buffer, starts })
    }

    /// The candidate's position of a vertex of the scene.
    pub(crate) fn position(&self, primitive: &Primitive, choice: VertexChoice) -> Option<[f64; 3]> {
        let source = *primitive.source_vertices.get(choice.vertex)? as usize;
        let start = self.starts.get(&(choice.node, choice.primitive))?;
        self.buffer.position.values.get(start + source).copied()
    }
}

/// A mistake that would move a vertex to about where the candidate has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Explanation {
    pub(crate) text: String,
    /// Metres that it leaves unexplained.
    pub(crate) left: f64,
}

/// The mistakes in a linear blend that bring a vertex nearest to where the candidate has it, best first.
pub(crate) fn explain(scene: &Scene, pose: &Pose, view: &VertexView, candidate: [f64; 3]) -> Vec<Explanation> {
    let Some(skin) = scene.nodes[view.choice.node].skin.map(|skin| &scene.skins[skin]) else { return Vec::new() };
    let candidate = DVec3::from(candidate);
    let rest = DVec3::from(view.morphed.map(f64::from));
    let matrix =
        |joint: usize| pose.worlds[skin.joints[joint]].as_dmat4() * skin.inverse_bind_matrices[joint].as_dmat4();
    let moved = |matrix: DMat4| matrix.transform_point3(rest);
    let sum: DVec3 = view.influences.iter().map(|one| moved(matrix(one.joint)) * f64::from(one.weight)).sum();
    let mut explanations =
        vec![Explanation { text: "not skinned at all".to_owned(), left: (candidate - rest).length() }];
    let name = |joint: usize| {
        let node = skin.joints[joint];
        scene.nodes[node].name.clone().unwrap_or_else(|| format!("node {node}"))
    };
    for one in &view.influences {
        let (own, weight) = (moved(matrix(one.joint)), f64::from(one.weight));
        let without = sum - own * weight;
        let mut add = |text: String, position: DVec3| {
            explanations.push(Explanation { text, left: (candidate - position).length() });
        };
        add(format!("{} left out, the rest not rescaled", one.name), without);
        if weight < 1.0 {
            add(format!("{} left out, the rest rescaled", one.name), without / (1.0 - weight));
        }
        let world = pose.worlds[one.node].as_dmat4();
        add(format!("{} without its inverse bind matrix", one.name), without + moved(world) * weight);
        add(
            format!("{} with its matrix transposed", one.name),
            without + moved(matrix(one.joint).transpose()) * weight,
        );
        for joint in (0..skin.joints.len()).filter(|&joint| joint != one.joint) {
            let position = without + moved(matrix(joint)) * weight;
            let text = format!("{} (joint {joint}) in place of {} (joint {})", name(joint), one.name, one.joint);
            add(text, position);
        }
        // candidate − sum = δ·own is the best weight for this joint alone.
        let change = (candidate - sum).dot(own) / own.length_squared().max(f64::MIN_POSITIVE);
        add(format!("{} with the weight {:.4}, not {weight:.4}", one.name, weight + change), sum + own * change);
    }
    explanations.sort_by(|a, b| a.left.total_cmp(&b.left));
    explanations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{State, deform::Deformer};

    #[test]
    fn the_joint_that_was_taken_is_named() {
        let scene = Scene::mannequin().expect("the built-in character loads");
        let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
        let pose = Pose::sample(&scene, clip, 0.6).expect("the clip is there");
        let state = State { clip: Some(clip), time: 0.6, ..State::default() };
        let node = scene.drawn.iter().copied().find(|&node| scene.nodes[node].mesh.is_some()).expect("it is drawn");
        let skin = &scene.skins[scene.nodes[node].skin.expect("it is skinned")];
        let influences = scene.meshes[0].primitives[0].influences.as_ref().expect("it is skinned");
        let elbow = skin.joints.iter().position(|&joint| scene.nodes[joint].name.as_deref() == Some("forearm_left"));
        let elbow = elbow.expect("a joint of the mannequin");
        let follows = |joints: &[u16]| joints[..2].contains(&(elbow as u16));
        let joints = influences.joints.chunks_exact(influences.per_vertex);
        let vertex = joints
            .clone()
            .zip(influences.weights.chunks_exact(influences.per_vertex))
            .position(|(joints, weights)| follows(joints) && weights[0] > 0.3 && weights[1] > 0.3);
        let choice = VertexChoice { node, primitive: 0, vertex: vertex.expect("the elbow is blended") };
        let view = VertexView::of(&mut Deformer::default(), &scene, &pose, &state, choice, None).expect("it is there");
        assert!(explain(&scene, &pose, &view, view.position.exact)[0].left < 1e-6, "what is right needs no change");

        // A backend that takes joint 2 for the elbow, by hand: Σ wᵢ·Wᵢ·Bᵢ·v.
        let matrix =
            |joint: usize| pose.worlds[skin.joints[joint]].as_dmat4() * skin.inverse_bind_matrices[joint].as_dmat4();
        let rest = DVec3::from(view.morphed.map(f64::from));
        let taken = |one: &crate::inspection::InfluenceView| if one.joint == elbow { 2 } else { one.joint };
        let moved = |one| matrix(taken(one)).transform_point3(rest) * f64::from(one.weight);
        let wrong: DVec3 = view.influences.iter().map(moved).sum();
        let best = &explain(&scene, &pose, &view, wrong.to_array())[0];
        assert!(best.text.contains("(joint 2) in place of forearm_left"), "{best:?}");
        assert!(best.left < 1e-9, "{best:?}");
    }
}
