//! [`VertexInputs`]: everything that decides where a primitive's vertices are, as a backend is given it.

use std::num::NonZeroUsize;

use glam::Mat4;
use thiserror::Error;

use super::vectors::reciprocal;
use refrast_animation::Pose;
use refrast_range::{Bounded, Rounding};
use refrast_scene::{Influences, Primitive, Scene};
use refrast_skinning::{NormalMode, SkinningMethod};

/// The two factors of a joint's matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMatrices {
    /// Joint space → world space.
    pub world: Mat4,
    /// Mesh space → joint space at binding.
    pub inverse_bind: Mat4,
}

/// The numbers that decide where the vertices of a primitive are. All of them are f32 and taken as exact by
/// [`exact_vertices`](super::exact_vertices): a backend gets the same ones.
///
/// The world transforms are the pose's, whatever they were computed from, because such a backend is handed the pose; one that
/// reads the file has a [`ChainPose`](super::ChainPose) in their place. A joint's two factors are kept apart, because backends multiply them themselves: the exact product
/// is the reference, and the roundings of a product in f32 are part of the bound.
#[derive(Clone, Debug)]
pub struct VertexInputs<'a> {
    /// Attributes and morph targets.
    pub primitive: &'a Primitive,
    /// Joints and weights; `None` where `joints[0]` places every vertex.
    pub influences: Option<&'a Influences>,
    /// The most influences a vertex keeps; the heaviest, rescaled by their sum (see
    /// [`limit_influences`](refrast_skinning::limit_influences)).
    pub max_influences: Option<NonZeroUsize>,
    /// One a joint.
    pub joints: Vec<JointMatrices>,
    /// One a morph target.
    pub morph_weights: &'a [f32],
    /// What moves positions and tangents. Methods that differ in nothing but the order of operations have one result
    /// and one bound.
    pub method: SkinningMethod,
    /// What moves normals, as far as the method leaves it open.
    pub normals: NormalMode,
}

/// Why there is no exact result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ExactError {
    /// A vertex names a joint that is not there.
    #[error("vertex {vertex} follows joint {joint}, but there are {count} joints: the mesh belongs to another skin")]
    NoSuchJoint {
        /// The vertex of the primitive.
        vertex: usize,
        /// What it names.
        joint: u16,
        /// How many there are.
        count: usize,
    },
    /// Morph weights and targets differ in number.
    #[error("the primitive has {targets} morph targets, but there are {weights} morph weights")]
    MorphWeights {
        /// Targets of the primitive.
        targets: usize,
        /// Weights given.
        weights: usize,
    },
    /// A joint that dual quaternions can not follow.
    #[error("the matrix of joint {joint} mirrors or flattens space, and no rotation does: use linear skinning here")]
    NoRotation {
        /// The joint.
        joint: usize,
    },
    /// A joint without an inverse.
    #[error(
        "the matrix of joint {joint} flattens space, so it has no inverse transpose: use inverse-transpose normals"
    )]
    NoInverse {
        /// The joint.
        joint: usize,
    },
    /// A vertex that no f32 can hold.
    #[error(
        "vertex {vertex} is nowhere that f32 reaches: the transforms that place it multiply to more than 3.4e38 or to no \
         number; look for a huge scale on the way from the root"
    )]
    OutOfRange {
        /// The vertex of the primitive.
        vertex: usize,
    },
}

impl ExactError {
    /// The joint that is in the way, where it is one.
    #[must_use]
    pub fn joint(&self) -> Option<usize> {
        match *self {
            Self::NoSuchJoint { joint, .. } => Some(usize::from(joint)),
            Self::NoRotation { joint } | Self::NoInverse { joint } => Some(joint),
            Self::MorphWeights { .. } | Self::OutOfRange { .. } => None,
        }
    }
}

impl<'a> VertexInputs<'a> {
    /// The inputs of a primitive of the mesh that `node` draws: by its skin where both the node has a skin and the
    /// primitive has influences, otherwise by the node's own world transform.
    #[must_use]
    pub fn of_scene(scene: &'a Scene, pose: &'a Pose, node: usize, primitive: &'a Primitive) -> Self {
        let skin = scene.nodes[node].skin.map(|skin| &scene.skins[skin]);
        let (influences, joints) = match (skin, &primitive.influences) {
            (Some(skin), Some(influences)) => {
                let joints = skin.joints.iter().zip(&skin.inverse_bind_matrices);
                let matrices = |(&joint, &inverse_bind)| JointMatrices { world: pose.worlds[joint], inverse_bind };
                (Some(influences), joints.map(matrices).collect())
            }
            _ => (None, vec![JointMatrices { world: pose.worlds[node], inverse_bind: Mat4::IDENTITY }]),
        };
        Self {
            primitive,
            influences,
            max_influences: None,
            joints,
            morph_weights: &pose.weights[node],
            method: SkinningMethod::default(),
            normals: NormalMode::default(),
        }
    }

    /// The influences of a vertex that count, with the weights as a file has them: those whose weight is not 0, and of
    /// too many the heaviest, in the order of their weights.
    fn kept(&self, vertex: usize) -> Kept {
        let (joints, weights): (&[u16], &[f32]) = match self.influences {
            Some(influences) => {
                let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
                (&influences.joints[slots.clone()], &influences.weights[slots])
            }
            None => (&[0], &[1.0]),
        };
        let pairs = joints.iter().map(|&joint| usize::from(joint)).zip(weights.iter().copied());
        let mut pairs: Vec<(usize, f32)> = pairs.filter(|&(_, weight)| weight != 0.0).collect();
        let most = self.max_influences.map_or(usize::MAX, NonZeroUsize::get);
        let cut = pairs.len() > most;
        if cut {
            pairs.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            pairs.truncate(most);
        }
        Kept { pairs, cut }
    }

    /// The influences of a vertex that count, with their weights.
    ///
    /// Where some were cut off, the others are divided by their sum. Backends do that themselves, or the program that
    /// wrote their vertices does, so its roundings are part of the bound.
    ///
    /// Who reads the file decodes integers, which rounds once or not at all, and may divide all weights by their sum, which
    /// a scene has at 1 to within the roundings of f32: n roundings at most of the sum, and a division.
    pub(super) fn influences_of(&self, vertex: usize, reads_file: bool, rounding: Rounding) -> Vec<(usize, Bounded)> {
        let Kept { pairs, cut } = self.kept(vertex);
        let doubt = if reads_file { self.doubt_of_weights(vertex, rounding) } else { 0.0 };
        let weigh = |weight: f32| Bounded::within(f64::from(weight), doubt * f64::from(weight));
        let given = pairs.into_iter().map(|(joint, weight)| (joint, weigh(weight)));
        if !cut {
            return given.collect();
        }
        let sum = reciprocal(Bounded::sum(given.clone().map(|(_, weight)| weight)), rounding);
        let unclaimed = Bounded::within(1.0, f64::INFINITY);
        given.map(|(joint, weight)| (joint, weight * sum.unwrap_or(unclaimed))).collect()
    }

    /// How far the weights of a vertex may be off, in parts of themselves.
    fn doubt_of_weights(&self, vertex: usize, rounding: Rounding) -> f64 {
        let Some(influences) = self.influences else { return 0.0 };
        let weights = &influences.weights[vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex];
        // A weight of 1 alone is its own sum.
        if weights.iter().all(|weight| *weight == 0.0 || *weight == 1.0) {
            return 0.0;
        }
        let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
        let count = weights.iter().filter(|weight| **weight != 0.0).count() as u32;
        (sum - 1.0).abs() + rounding.gamma(count + 2)
    }

    /// Whether the parts belong together.
    pub(super) fn validate(&self) -> Result<(), ExactError> {
        let (targets, weights, count) = (self.primitive.targets.len(), self.morph_weights.len(), self.joints.len());
        if targets != weights {
            return Err(ExactError::MorphWeights { targets, weights });
        }
        for vertex in 0..self.primitive.positions.len() {
            if let Some(&(joint, _)) = self.kept(vertex).pairs.iter().find(|&&(joint, _)| joint >= count) {
                return Err(ExactError::NoSuchJoint { vertex, joint: joint as u16, count });
            }
        }
        Ok(())
    }

    /// Which joints some vertex follows.
    pub(super) fn followed(&self) -> Vec<bool> {
        let mut followed = vec![false; self.joints.len()];
        for vertex in 0..self.primitive.positions.len() {
            self.kept(vertex).pairs.iter().for_each(|&(joint, _)| followed[joint] = true);
        }
        followed
    }

    /// Whether front faces turn round: where the joints that mirror carry more than half of the weight, as the sign of
    /// a node's determinant decides for a mesh without a skin (glTF 2.0, 3.7.4).
    pub(super) fn mirrored(&self) -> bool {
        let handedness: Vec<f64> = (self.joints.iter())
            .map(|joint| {
                let factors = [joint.world, joint.inverse_bind].map(|matrix| matrix.as_dmat4().determinant());
                (factors[0] * factors[1]).signum()
            })
            .collect();
        let vertices = 0..self.primitive.positions.len();
        let influences = vertices.flat_map(|vertex| self.influences_of(vertex, false, Rounding::Nearest));
        influences.map(|(joint, weight)| weight.value() * handedness[joint]).sum::<f64>() < 0.0
    }
}

/// Influences of a vertex: joint and weight.
struct Kept {
    pairs: Vec<(usize, f32)>,
    /// Whether there were more of them.
    cut: bool,
}
