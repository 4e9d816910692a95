//! [`Pose`]: all transforms and morph weights of a scene at one moment.

use glam::{Mat4, Quat, Vec3};
use thiserror::Error;

use super::{
    channel::evaluate,
    transform::{compose, multiply},
};
use refrast_scene::{ChannelTarget, Node, Scene, Transform};

/// Every node's transform and morph weights at one moment, by node index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// Node space → parent space.
    pub locals: Vec<Mat4>,
    /// Node space → world space: the parent's world · the local one.
    pub worlds: Vec<Mat4>,
    /// One weight a morph target of the node's mesh; empty where there is no mesh or it has no targets.
    pub weights: Vec<Vec<f32>>,
    /// What `locals` were composed from, kept so that the next sample allocates nothing.
    properties: Vec<Properties>,
}

/// Why there is no pose.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PoseError {
    /// The index is past the end.
    #[error("there is no animation {index}: the scene has {}", counted(*.count))]
    NoSuchAnimation {
        /// What was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The time is not a number.
    #[error("the time of a pose must be a number of seconds, not NaN")]
    NotATime,
}

fn counted(count: usize) -> String {
    match count {
        0 => "none, so only the rest pose can be shown".to_owned(),
        1 => "one, with the index 0".to_owned(),
        _ => format!("{count}, with the indices 0 to {}", count - 1),
    }
}

impl Pose {
    /// The pose that the nodes have without any animation.
    #[must_use]
    pub fn rest(scene: &Scene) -> Self {
        let mut pose = Self::default();
        pose.rest_into(scene);
        pose
    }

    /// The pose of an animation at a time; what the animation does not move stays at rest.
    ///
    /// # Errors
    ///
    /// When there is no such animation, or the time is NaN.
    pub fn sample(scene: &Scene, animation: usize, seconds: f32) -> Result<Self, PoseError> {
        let mut pose = Self::default();
        pose.sample_into(scene, animation, seconds)?;
        Ok(pose)
    }

    /// As [`rest`](Self::rest), reusing the buffers of `self`.
    pub fn rest_into(&mut self, scene: &Scene) {
        self.start(scene);
        self.place(scene);
    }

    /// As [`sample`](Self::sample), reusing the buffers of `self`.
    ///
    /// # Errors
    ///
    /// When there is no such animation, or the time is NaN; `self` is unchanged then.
    pub fn sample_into(&mut self, scene: &Scene, animation: usize, seconds: f32) -> Result<(), PoseError> {
        let count = scene.animations.len();
        let channels = match scene.animations.get(animation) {
            Some(animation) => &animation.channels,
            None => return Err(PoseError::NoSuchAnimation { index: animation, count }),
        };
        if seconds.is_nan() {
            return Err(PoseError::NotATime);
        }
        self.start(scene);
        for channel in channels {
            let mut value = [0.0; 4];
            let node = &mut self.properties[channel.node];
            match channel.target {
                ChannelTarget::Translation => {
                    evaluate(channel, seconds, &mut value[..3]);
                    node.translation = Vec3::new(value[0], value[1], value[2]);
                }
                ChannelTarget::Rotation => {
                    evaluate(channel, seconds, &mut value);
                    node.rotation = Quat::from_array(value);
                }
                ChannelTarget::Scale => {
                    evaluate(channel, seconds, &mut value[..3]);
                    node.scale = Vec3::new(value[0], value[1], value[2]);
                }
                ChannelTarget::Weights => evaluate(channel, seconds, &mut self.weights[channel.node]),
            }
        }
        self.place(scene);
        Ok(())
    }

    /// Sizes the buffers and sets everything to rest; the weights are the node's own, or else the mesh's.
    fn start(&mut self, scene: &Scene) {
        let nodes = scene.nodes.len();
        self.locals.resize(nodes, Mat4::IDENTITY);
        self.worlds.resize(nodes, Mat4::IDENTITY);
        self.weights.resize(nodes, Vec::new());
        self.properties.clear();
        self.properties.extend(scene.nodes.iter().map(Properties::of));
        for (weights, node) in self.weights.iter_mut().zip(&scene.nodes) {
            weights.clear();
            if let Some(mesh) = node.mesh {
                weights.extend_from_slice(node.weights.as_ref().unwrap_or(&scene.meshes[mesh].weights));
            }
        }
    }

    /// Properties → local → world, parents first.
    fn place(&mut self, scene: &Scene) {
        for (local, node) in self.locals.iter_mut().zip(&self.properties) {
            *local = node.matrix();
        }
        for &node in &scene.parents_first {
            self.worlds[node] = match scene.nodes[node].parent {
                Some(parent) => multiply(&self.worlds[parent], &self.locals[node]),
                None => self.locals[node],
            };
        }
    }
}

/// A node's transform in the form in which it is animated.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Properties {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    /// A node with a matrix can not be animated: the matrix stands.
    fixed: Option<Mat4>,
}

impl Properties {
    fn of(node: &Node) -> Self {
        match node.transform {
            Transform::Matrix(matrix) => {
                Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE, fixed: Some(matrix) }
            }
            Transform::Decomposed { translation, rotation, scale } => {
                Self { translation, rotation, scale, fixed: None }
            }
        }
    }

    fn matrix(&self) -> Mat4 {
        self.fixed.unwrap_or_else(|| compose(self.translation, self.rotation, self.scale))
    }
}
