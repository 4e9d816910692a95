//! The chain from the file's numbers to joint matrices, with all that a backend which reads the file itself may make of it.
//!
//! Why it exists: refrast's own palette is one f32 evaluation of many right ones. Who takes it from a pack is held to it; who
//! samples, composes and multiplies with code of their own rounds elsewhere, and must not be refused for that. Here every
//! step is evaluated exactly (f64), with how far a right backend may be from there; what follows the palette is
//! [`exact_vertices`](super::exact_vertices)' business as before.
//!
//! # What a backend may do
//!
//! Below u = 2^-24 and γₖ = k·u/(1 − k·u) (see [`Bounded`]). All steps may be taken in f32, f64 or a mix, with or without
//! fused operations.
//!
//! - **Numbers of the file.** JSON has decimals: who keeps them as f64 has up to u·|x| that f32 has not. Normalised integers
//!   are divided by 127 … 65535, rounded once or not at all; weights of a vertex may be divided by their sum again
//!   ([`inputs`](super::inputs)).
//! - **Time** ([`sampling`]). Of a decimal time f32 keeps what is within u·|t|; keys are found, and the place between two of
//!   them, (t − t₀)/(t₁ − t₀), is computed, from either.
//! - **Between keys** ([`sampling`], [`rotation`]): the weighted mean in any form, Hermite's spline in any form, the spherical
//!   mean by arc cosine or arc tangent, and the normalised mean in its place where the dot product of two rotations is
//!   above [`Chain::nlerp_above`].
//! - **T·R·S** ([`local`]): the matrix of a quaternion in any of its polynomial forms; a node's matrix as it is, or taken apart and
//!   composed again.
//! - **The hierarchy and the inverse bind matrix** ([`hierarchy`]): the products in any association, and relative to the
//!   mesh's node and back.
//!
//! # What it may choose
//!
//! A rotation that is not of unit length (quantised, or written with three digits) is brought to unit length by some
//! backends and used as it stands by others. These results lie apart, and what lies between them is nobody's: so
//! there is an alternative for each ([`Conventions`]), and a buffer is right when it is right by one of them. Likewise for a
//! STEP key so near to the time that f32 and f64 disagree about who comes first.
//!
//! # What is not claimed
//!
//! - Rotations half a turn apart (their dot product is 0 to within its rounding): the shorter way is a matter of luck,
//!   and so nothing that follows them has a bound.
//! - World transforms that are kept as translation, rotation and scale: they lose the shear that non-uniform scales
//!   make, and are right only without. The rounding of quaternion products is not counted.
//! - An angle by arc cosine with a sine by √(1 − cos²), both of one f32 and not brought to unit length after: its error grows
//!   with 1/sin².
//! - Clips that are resampled or compressed on loading.

mod hierarchy;
mod local;
mod rotation;
mod sampling;

pub use rotation::{KeyRotations, NodeRotations};
pub use sampling::StepKeys;

use glam::{Quat, Vec3};
use refrast_animation::PoseError;
use refrast_range::{Bounded, Rounding};
use refrast_scene::{Animation, ChannelTarget, Interpolation, Node, Scene, Transform};

use super::vectors::{Affine, Vector};
use hierarchy::Hierarchy;
use local::{compose, given_matrix};
use rotation::Quaternion;

/// u of IEEE's rounding to the nearest f32: what is lost where a decimal is kept as f32, whatever a backend computes with.
const UNIT: f64 = Rounding::Nearest.unit();

/// What a backend reads of the file, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain {
    /// The animation and the time in seconds; `None` is the rest pose.
    pub clip: Option<(usize, f32)>,
    /// The dot product of two keys' rotations above which a backend may take the normalised mean for the spherical one. It
    /// differs from it by at most 0.016·θ³ at the angle θ = acos(dot), half the angle of the rotation.
    pub nlerp_above: f64,
}

impl Chain {
    /// Above 0.9995 the two differ by 1e-6 rad. This is where J. Blow's much copied code changes over (*Understanding Slerp,
    /// Then Not Using It*, 2004), and Wikipedia's, and three.js' since r180; Babylon.js (0.999999), DirectXMath and Godot (0.99999), glam
    /// and glm (1 − ε) do so later, raylib (0.95) much sooner.
    pub const NLERP_ABOVE: f64 = 0.9995;

    /// The rest pose.
    pub const REST: Self = Self { clip: None, nlerp_above: Self::NLERP_ABOVE };

    /// A moment of an animation.
    #[must_use]
    pub const fn clip(animation: usize, seconds: f32) -> Self {
        Self { clip: Some((animation, seconds)), ..Self::REST }
    }
}

/// A choice of the things that backends do in one way or another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// What is done with rotations of keys.
    pub keys: KeyRotations,
    /// What is done with rotations of nodes.
    pub nodes: NodeRotations,
    /// Which STEP key counts.
    pub steps: StepKeys,
}

impl Conventions {
    /// All of them, refrast's own first.
    fn all() -> impl Iterator<Item = Self> {
        StepKeys::ALL.into_iter().flat_map(|steps| {
            NodeRotations::ALL
                .into_iter()
                .flat_map(move |nodes| KeyRotations::ALL.map(|keys| Self { keys, nodes, steps }))
        })
    }

    /// Its name in files and verdicts, such as `keys-as-stored+nodes-as-stored`.
    #[must_use]
    pub fn label(self) -> String {
        let steps = match self.steps {
            StepKeys::Exact => String::new(),
            other => format!("+{other}"),
        };
        format!("keys-{}+nodes-{}{steps}", self.keys, self.nodes)
    }
}

/// All matrices and morph weights of a scene at one moment, each number with how far a right backend may be from it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPose {
    conventions: Conventions,
    hierarchy: Hierarchy,
    /// The same from local matrices that are exact.
    rounded: Hierarchy,
    weights: Vec<Vec<Bounded>>,
}

impl ChainPose {
    /// The poses that right backends may have: one in most files, more where [`Conventions`] part.
    ///
    /// # Errors
    ///
    /// When there is no such animation, or the time is NaN.
    pub fn alternatives(scene: &Scene, chain: Chain, rounding: Rounding) -> Result<Vec<Self>, PoseError> {
        let animation = match chain.clip {
            None => None,
            Some((_, seconds)) if seconds.is_nan() => return Err(PoseError::NotATime),
            Some((index, seconds)) => {
                let count = scene.animations.len();
                let animation = scene.animations.get(index).ok_or(PoseError::NoSuchAnimation { index, count })?;
                Some((animation, seconds))
            }
        };
        let mut properties: Vec<(Conventions, Properties)> = Vec::new();
        for conventions in Conventions::all() {
            let own = Properties::of(scene, animation, chain.nlerp_above, conventions, rounding);
            if !properties.iter().any(|(_, other)| *other == own) {
                properties.push((conventions, own));
            }
        }
        let exact = |locals: &[Affine]| {
            locals.iter().map(|local| local.map(|row| row.map(|number| Bounded::within(number.value(), 0.0)))).collect()
        };
        let pose = |(conventions, Properties { locals, weights }): (Conventions, Properties)| Self {
            conventions,
            rounded: Hierarchy::new(scene, exact(&locals), rounding),
            hierarchy: Hierarchy::new(scene, locals, rounding),
            weights,
        };
        Ok(properties.into_iter().map(pose).collect())
    }

    /// What was chosen.
    #[must_use]
    pub fn conventions(&self) -> Conventions {
        self.conventions
    }

    /// Node space → world space.
    pub(super) fn world(&self, node: usize) -> &Affine {
        self.hierarchy.world(node)
    }

    /// The hierarchy, for joint matrices.
    pub(super) fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// What the products alone round, for joint matrices relative to a node: see [`hierarchy`].
    pub(super) fn rounded(&self) -> &Hierarchy {
        &self.rounded
    }

    /// How far the weight of each morph target of a node's mesh may be off.
    pub(crate) fn doubts_of_weights(&self, node: usize, rounding: Rounding) -> Vec<f64> {
        self.weights[node].iter().map(|weight| weight.bound(rounding)).collect()
    }

    /// One a morph target of the node's mesh.
    pub(super) fn weights(&self, node: usize) -> &[Bounded] {
        &self.weights[node]
    }
}

/// Local matrices and morph weights of all nodes.
#[derive(PartialEq)]
struct Properties {
    locals: Vec<Affine>,
    weights: Vec<Vec<Bounded>>,
}

impl Properties {
    fn of(
        scene: &Scene,
        animation: Option<(&Animation, f32)>,
        nlerp_above: f64,
        conventions: Conventions,
        rounding: Rounding,
    ) -> Self {
        let mut parts: Vec<Parts> = scene.nodes.iter().map(|node| Parts::at_rest(node, conventions.nodes)).collect();
        let mut weights: Vec<Vec<Bounded>> = scene.nodes.iter().map(|node| rest_weights(scene, node)).collect();
        for channel in animation.iter().flat_map(|(animation, _)| &animation.channels) {
            let seconds = animation.map_or(0.0, |(_, seconds)| seconds);
            let part = &mut parts[channel.node];
            let vector = || {
                let numbers = sampling::numbers(channel, seconds, conventions.steps);
                [0, 1, 2].map(|axis| numbers[axis].stored(rounding))
            };
            match channel.target {
                ChannelTarget::Translation => part.translation = vector(),
                ChannelTarget::Scale => part.scale = vector(),
                ChannelTarget::Rotation => {
                    let sampled = match channel.interpolation {
                        Interpolation::Linear => rotation::linear(channel, seconds, nlerp_above, conventions.keys),
                        Interpolation::Step | Interpolation::CubicSpline => {
                            rotation::other(channel, seconds, conventions, rounding)
                        }
                    };
                    part.rotation = sampled;
                }
                ChannelTarget::Weights => {
                    let numbers = sampling::numbers(channel, seconds, conventions.steps);
                    weights[channel.node] = numbers.into_iter().map(|number| number.stored(rounding)).collect();
                }
            }
        }
        let local = |(node, parts): (&Node, Parts)| match node.transform {
            Transform::Matrix(matrix) => given_matrix(&matrix),
            Transform::Decomposed { .. } => compose(parts.translation, parts.rotation, parts.scale, rounding),
        };
        Self { locals: scene.nodes.iter().zip(parts).map(local).collect(), weights }
    }
}

/// What a local matrix is composed from.
struct Parts {
    translation: Vector,
    rotation: Quaternion,
    scale: Vector,
}

impl Parts {
    fn at_rest(node: &Node, rule: NodeRotations) -> Self {
        match node.transform {
            // Most likely the file says nothing, and then nothing is rounded.
            transform if transform == Transform::default() => {
                Self::decimals(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE, rule, 0.0)
            }
            Transform::Decomposed { translation, rotation, scale } => {
                Self::decimals(translation, rotation, scale, rule, UNIT)
            }
            Transform::Matrix(_) => Self::decimals(Vec3::ZERO, Quat::IDENTITY, Vec3::ONE, rule, 0.0),
        }
    }

    /// Numbers that the file has as decimals, which f32 changes by up to `relative` of each.
    fn decimals(translation: Vec3, rotation: Quat, scale: Vec3, rule: NodeRotations, relative: f64) -> Self {
        let vector = |vector: Vec3| vector.to_array().map(|x| decimal(x, relative));
        Self {
            translation: vector(translation),
            rotation: rotation::of_node(rotation.to_array(), rule, relative),
            scale: vector(scale),
        }
    }
}

fn decimal(number: f32, relative: f64) -> Bounded {
    Bounded::within(f64::from(number), relative * f64::from(number).abs())
}

/// The node's own weights, or else the mesh's.
fn rest_weights(scene: &Scene, node: &Node) -> Vec<Bounded> {
    let Some(mesh) = node.mesh else { return Vec::new() };
    let weights = node.weights.as_ref().unwrap_or(&scene.meshes[mesh].weights);
    weights.iter().map(|weight| decimal(*weight, UNIT)).collect()
}
