//! [`VertexInputs`]: everything that decides where a primitive's vertices are, as a backend is given it.

use std::str::FromStr;

use glam::Mat4;
use thiserror::Error;

use crate::{
    animation::Pose,
    scene::{Influences, Primitive, Scene},
};

/// The two factors of a joint's matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMatrices {
    /// Joint space → world space.
    pub world: Mat4,
    /// Mesh space → joint space at binding.
    pub inverse_bind: Mat4,
}

/// What a skinning method computes, apart from the order in which it does.
///
/// v is a vertex, wᵢ and i its influences, Mᵢ = Wᵢ·Bᵢ a joint's world and inverse bind matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formula {
    /// Σ wᵢWᵢBᵢ·v: blended matrices, blended vertices, the vertex offset and the bone offset of the 2001 talk.
    #[default]
    Linear,
    /// The heaviest influence alone; of equals, the first.
    Rigid,
    /// (Σ wᵢWᵢ)·(Σ wᵢBᵢ·v).
    WeightsBeforeBind,
    /// Dual quaternions on one hemisphere, after a linear blend of the joints' stretches.
    DualQuaternion,
}

/// How the normal follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalFormula {
    /// The inverse transpose of the blended matrix; at determinant 0 its cofactors.
    #[default]
    InverseTranspose,
    /// The blended matrix.
    RotationOnly,
    /// The blend of each joint's inverse transpose.
    PerJoint,
}

impl Formula {
    /// All formulas.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Rigid, Self::WeightsBeforeBind, Self::DualQuaternion];

    /// The name on the command line and in reports: that of the skinning method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Rigid => "rigid",
            Self::WeightsBeforeBind => "weights-before-bind",
            Self::DualQuaternion => "dual-quaternion",
        }
    }
}

impl NormalFormula {
    /// All formulas.
    pub const ALL: [Self; 3] = [Self::InverseTranspose, Self::RotationOnly, Self::PerJoint];

    /// The name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InverseTranspose => "inverse-transpose",
            Self::RotationOnly => "rotation-only",
            Self::PerJoint => "per-joint",
        }
    }
}

/// A name that names no formula.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no `{name}`; there are: {known}")]
pub struct UnknownFormulaError {
    name: String,
    known: String,
}

impl FromStr for Formula {
    type Err = UnknownFormulaError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownFormulaError { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") };
        Self::ALL.into_iter().find(|formula| formula.name() == name).ok_or_else(unknown)
    }
}

impl FromStr for NormalFormula {
    type Err = UnknownFormulaError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownFormulaError { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") };
        Self::ALL.into_iter().find(|formula| formula.name() == name).ok_or_else(unknown)
    }
}

/// The numbers that decide where the vertices of a primitive are. All of them are f32 and taken as exact: a backend
/// gets the same ones.
///
/// The world transforms are the pose's, whatever they were computed from, because a backend that is to be checked is
/// handed the pose. A joint's two factors are kept apart, because backends multiply them themselves: the exact product
/// is the reference, and the roundings of a product in f32 are part of the bound.
#[derive(Clone, Debug)]
pub struct VertexInputs<'a> {
    /// Attributes and morph targets.
    pub primitive: &'a Primitive,
    /// Joints and weights; `None` where `joints[0]` places every vertex.
    pub influences: Option<&'a Influences>,
    /// One a joint.
    pub joints: Vec<JointMatrices>,
    /// One a morph target.
    pub morph_weights: &'a [f32],
    /// What moves positions and tangents.
    pub formula: Formula,
    /// What moves normals.
    pub normals: NormalFormula,
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
            joints,
            morph_weights: &pose.weights[node],
            formula: Formula::default(),
            normals: NormalFormula::default(),
        }
    }

    /// The influences of a vertex that count: those whose weight is not 0.
    pub(super) fn influences_of(&self, vertex: usize) -> impl Iterator<Item = (usize, f32)> + Clone {
        let (joints, weights): (&[u16], &[f32]) = match self.influences {
            Some(influences) => {
                let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
                (&influences.joints[slots.clone()], &influences.weights[slots])
            }
            None => (&[0], &[1.0]),
        };
        joints.iter().map(|&joint| usize::from(joint)).zip(weights.iter().copied()).filter(|&(_, weight)| weight != 0.0)
    }

    /// Whether the parts belong together.
    pub(super) fn validate(&self) -> Result<(), ExactError> {
        let (targets, weights, count) = (self.primitive.targets.len(), self.morph_weights.len(), self.joints.len());
        if targets != weights {
            return Err(ExactError::MorphWeights { targets, weights });
        }
        for vertex in 0..self.primitive.positions.len() {
            if let Some((joint, _)) = self.influences_of(vertex).find(|&(joint, _)| joint >= count) {
                return Err(ExactError::NoSuchJoint { vertex, joint: joint as u16, count });
            }
        }
        Ok(())
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
        let influences = vertices.flat_map(|vertex| self.influences_of(vertex));
        influences.map(|(joint, weight)| f64::from(weight) * handedness[joint]).sum::<f64>() < 0.0
    }
}
