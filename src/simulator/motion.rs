//! Time → [`Pose`] as a backend with a mistake in its animation computes it.
//!
//! Why it exists: a backend without such a mistake is handed the reference's pose, which is no freedom of a GPU. So this
//! evaluation runs only where a fault asks for it, by the same formulas in the same order: nothing but the fault differs.

use glam::{Mat4, Quat, Vec3};

use super::faults::Faults;
use crate::{Fault, FrameRounding, ParametricFault, fault::Part};
use refrast_animation::{Pose, PoseError, compose, multiply, normalize, slerp};
use refrast_scene::{Channel, ChannelTarget, Interpolation, Scene, Transform};

/// What a picture shows of a scene's animations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// The nodes as the file places them.
    Rest,
    /// An animation at a time.
    Clip {
        /// Index into the scene's animations.
        animation: usize,
        /// Seconds from its beginning.
        seconds: f32,
    },
}

/// What three.js takes for the object that an animation belongs to.
const RESERVED_NAME: &str = "root";

/// How long the frame before is ago.
const FRAME_SECONDS: f32 = 1.0 / 30.0;

impl Moment {
    /// The reference's pose.
    ///
    /// # Errors
    ///
    /// When there is no such animation, or the time is not a number.
    pub fn pose(self, scene: &Scene) -> Result<Pose, PoseError> {
        match self {
            Self::Rest => Ok(Pose::rest(scene)),
            Self::Clip { animation, seconds } => Pose::sample(scene, animation, seconds),
        }
    }

    /// The clip that it is a moment of.
    #[must_use]
    pub fn clip(self) -> Option<usize> {
        match self {
            Self::Rest => None,
            Self::Clip { animation, .. } => Some(animation),
        }
    }

    /// The moment that the frame before shows; before the first frame of a clip that is the rest pose.
    #[must_use]
    pub fn before(self) -> Self {
        match self {
            Self::Clip { animation, seconds } if seconds >= FRAME_SECONDS => {
                Self::Clip { animation, seconds: seconds - FRAME_SECONDS }
            }
            _ => Self::Rest,
        }
    }

    /// The pose of the frame before.
    pub(super) fn pose_before(self, scene: &Scene) -> Result<Pose, PoseError> {
        self.before().pose(scene)
    }

    /// The pose with the faults' mistakes.
    pub(super) fn faulty_pose(self, scene: &Scene, faults: Faults) -> Result<Pose, PoseError> {
        let mut pose = self.pose(scene)?;
        if faults.any_in(Part::Posing) {
            pose = self.own_pose(scene, faults);
        }
        if faults.has(Fault::MorphWeightsStale) {
            pose.weights = self.pose_before(scene)?.weights;
        }
        if faults.has(Fault::MorphTargetsLimited) {
            pose.weights.iter_mut().for_each(|weights| weights.iter_mut().skip(4).for_each(|weight| *weight = 0.0));
        }
        Ok(pose)
    }

    /// The clip and the time that are played.
    fn played(self, faults: Faults) -> Option<(usize, f32)> {
        match self {
            Self::Clip { animation, seconds } if !faults.has(Fault::AnimationsIgnored) => Some((animation, seconds)),
            Self::Clip { .. } | Self::Rest => None,
        }
    }

    fn own_pose(self, scene: &Scene, faults: Faults) -> Pose {
        let mut nodes: Vec<Properties> = scene.nodes.iter().map(|node| Properties::of(node.transform)).collect();
        let mut pose = Pose::default();
        for node in &scene.nodes {
            let own = node.weights.as_ref().filter(|_| !faults.has(Fault::NodeWeightsIgnored));
            let weights = node.mesh.map(|mesh| own.unwrap_or(&scene.meshes[mesh].weights).clone());
            pose.weights.push(weights.unwrap_or_default());
        }
        // The node above all others, which stands still.
        let mut above = Properties::of(Transform::default());
        if let Some((animation, seconds)) = self.played(faults) {
            let mut seconds = seconds;
            if faults.has(Fault::AnimationTimeUnit) {
                seconds *= 0.001;
            }
            if faults.has(Fault::TimeRoundedToFrames) {
                seconds = (seconds * 24.0).floor() / 24.0;
            }
            let mut rate = None;
            for fault in faults.parametric() {
                match fault {
                    ParametricFault::TimeRounded { rate, rounding: FrameRounding::Down } => {
                        seconds = (seconds * rate).floor() / rate;
                    }
                    ParametricFault::TimeRounded { rate, rounding: FrameRounding::Nearest } => {
                        seconds = (seconds * rate).round_ties_even() / rate;
                    }
                    ParametricFault::ClipResampled { rate: own } => rate = Some(own),
                    _ => {}
                }
            }
            let is_still = |node: usize| {
                let is_it =
                    |fault| matches!(fault, ParametricFault::NodeStill { node: still } if still as usize == node);
                faults.parametric().any(is_it)
            };
            for channel in scene.animations[animation].channels.iter().filter(|channel| !is_still(channel.node)) {
                let value = match rate {
                    Some(rate) => resampled(channel, seconds, rate, faults),
                    None => evaluate(channel, seconds, faults),
                };
                let is_reserved = faults.has(Fault::ReservedNodeName)
                    && scene.nodes[channel.node].name.as_deref() == Some(RESERVED_NAME);
                let node = if is_reserved { &mut above } else { &mut nodes[channel.node] };
                match channel.target {
                    // The scene has no morph targets.
                    ChannelTarget::Weights if is_reserved => {}
                    ChannelTarget::Translation if faults.has(Fault::TranslationChannelsIgnored) => {}
                    ChannelTarget::Translation => node.translation = Vec3::new(value[0], value[1], value[2]),
                    ChannelTarget::Rotation => node.rotation = quaternion(&value),
                    ChannelTarget::Scale => node.scale = Vec3::new(value[0], value[1], value[2]),
                    ChannelTarget::Weights => pose.weights[channel.node] = value,
                }
            }
        }
        if faults.has(Fault::MorphWeightsClamped) {
            pose.weights.iter_mut().flatten().for_each(|weight| *weight = weight.clamp(0.0, 1.0));
        }
        pose.locals = nodes.iter().map(|node| node.matrix(faults)).collect();
        pose.worlds = vec![Mat4::IDENTITY; scene.nodes.len()];
        for &node in &scene.parents_first {
            pose.worlds[node] = match scene.nodes[node].parent {
                Some(parent) if faults.has(Fault::HierarchyOrderSwapped) => {
                    multiply(&pose.locals[node], &pose.worlds[parent])
                }
                Some(parent) => multiply(&pose.worlds[parent], &pose.locals[node]),
                None if faults.has(Fault::ReservedNodeName) => multiply(&above.matrix(faults), &pose.locals[node]),
                None => pose.locals[node],
            };
        }
        pose
    }
}

/// A node's transform in the form in which it is animated.
struct Properties {
    translation: Vec3,
    rotation: [f32; 4],
    scale: Vec3,
    fixed: Option<Mat4>,
}

impl Properties {
    fn of(transform: Transform) -> Self {
        let identity = Self { translation: Vec3::ZERO, rotation: [0.0, 0.0, 0.0, 1.0], scale: Vec3::ONE, fixed: None };
        match transform {
            Transform::Matrix(matrix) => Self { fixed: Some(matrix), ..identity },
            Transform::Decomposed { translation, rotation, scale } => {
                Self { translation, rotation: rotation.to_array(), scale, fixed: None }
            }
        }
    }

    fn matrix(&self, faults: Faults) -> Mat4 {
        if let Some(matrix) = self.fixed {
            return matrix;
        }
        let [x, y, z, w] = self.rotation;
        let rotation = if faults.has(Fault::QuaternionScalarFirst) {
            Quat::from_xyzw(y, z, w, x)
        } else {
            Quat::from_xyzw(x, y, z, w)
        };
        let scale = if faults.has(Fault::NegativeScaleLost) { self.scale.abs() } else { self.scale };
        if faults.has(Fault::ScaleRotationSwapped) {
            let turned = compose(Vec3::ZERO, rotation, Vec3::ONE);
            let moved = compose(self.translation, Quat::IDENTITY, scale);
            return multiply(&moved, &turned);
        }
        compose(self.translation, rotation, scale)
    }
}

/// The value of a channel, as many numbers as it has components.
fn evaluate(channel: &Channel, seconds: f32, faults: Faults) -> Vec<f32> {
    let (times, last) = (&channel.times, channel.times.len() - 1);
    let cubic = channel.interpolation == Interpolation::CubicSpline;
    let part = |index: usize| &channel.values[index * channel.components..][..channel.components];
    let value = |key: usize| if cubic { part(3 * key + 1) } else { part(key) };
    let after = times.partition_point(|&time| time <= seconds);
    let outside = after == 0 || after > last;
    if last == 0 || (outside && !faults.has(Fault::TimeNotClamped)) {
        return value(after.saturating_sub(1).min(last)).to_vec();
    }
    let key = after.saturating_sub(1).min(last - 1);
    let interval = times[key + 1] - times[key];
    let t = (seconds - times[key]) / interval;
    let key = if faults.has(Fault::KeySearchOffByOne) { key.saturating_sub(1) } else { key };
    if t == 0.0 {
        return value(key).to_vec();
    }
    let rotation = channel.target == ChannelTarget::Rotation;
    match channel.interpolation {
        Interpolation::Step if !faults.has(Fault::StepAsLinear) => value(key).to_vec(),
        Interpolation::Step | Interpolation::Linear if rotation => turn(value(key), value(key + 1), t, faults).to_vec(),
        Interpolation::Step | Interpolation::Linear => {
            value(key).iter().zip(value(key + 1)).map(|(left, right)| (1.0 - t) * left + t * right).collect()
        }
        Interpolation::CubicSpline => {
            let swapped = faults.has(Fault::CubicTangentIndex);
            let (out, into) = if swapped { (3 * key, 3 * key + 5) } else { (3 * key + 2, 3 * key + 3) };
            let scale = if faults.has(Fault::CubicTangentUnscaled) { 1.0 } else { interval };
            let (t2, t3) = (t * t, t * t * t);
            let from_left = 2.0 * t3 - 3.0 * t2 + 1.0;
            let (from_out, from_in) = (scale * (t3 - 2.0 * t2 + t), scale * (t3 - t2));
            let from_right = 3.0 * t2 - 2.0 * t3;
            let sum = (0..channel.components).map(|i| {
                from_left * value(key)[i]
                    + from_out * part(out)[i]
                    + from_right * value(key + 1)[i]
                    + from_in * part(into)[i]
            });
            let sum: Vec<f32> = sum.collect();
            if rotation && !faults.has(Fault::RotationNotNormalised) {
                normalize(quaternion(&sum)).to_vec()
            } else {
                sum
            }
        }
    }
}

/// The value of a channel that was sampled at a rate, between two of the samples.
fn resampled(channel: &Channel, seconds: f32, rate: f32, faults: Faults) -> Vec<f32> {
    let sample = (seconds * rate).floor();
    let [left, right] = [sample, sample + 1.0].map(|sample| evaluate(channel, sample / rate, faults));
    let t = seconds * rate - sample;
    if channel.target == ChannelTarget::Rotation {
        return turn(&left, &right, t, faults).to_vec();
    }
    left.iter().zip(&right).map(|(left, right)| (1.0 - t) * left + t * right).collect()
}

/// Between two rotations.
fn turn(left: &[f32], right: &[f32], t: f32, faults: Faults) -> [f32; 4] {
    let (mut a, mut b) = (quaternion(left), quaternion(right));
    let dot: f32 = (0..4).map(|i| a[i] * b[i]).sum();
    let linear = |a: [f32; 4], b: [f32; 4]| normalize(std::array::from_fn(|i| (1.0 - t) * a[i] + t * b[i]));
    if faults.has(Fault::RotationLerped) {
        return linear(a, if dot < 0.0 { b.map(|x| -x) } else { b });
    }
    if dot >= 0.0 || !(faults.has(Fault::SlerpLongWay) || faults.has(Fault::SlerpBothNegated)) {
        return slerp(a, b, t);
    }
    if faults.has(Fault::SlerpBothNegated) {
        (a, b) = (a.map(|x| -x), b.map(|x| -x));
    }
    let angle = libm::acosf(dot.clamp(-1.0, 1.0));
    let sine = libm::sinf(angle);
    if sine < 1e-4 {
        return linear(a, b);
    }
    let (from, to) = (libm::sinf((1.0 - t) * angle) / sine, libm::sinf(t * angle) / sine);
    std::array::from_fn(|i| from * a[i] + to * b[i])
}

fn quaternion(value: &[f32]) -> [f32; 4] {
    [value[0], value[1], value[2], value[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_mistake_the_own_evaluation_is_the_references() {
        let scene = Scene::mannequin().expect("the built-in character loads");
        for animation in 0..scene.animations.len() {
            for step in 0..40 {
                let moment = Moment::Clip { animation, seconds: step as f32 * 0.11 };
                let (expected, own) = (moment.pose(&scene).unwrap(), moment.own_pose(&scene, Faults::default()));
                assert_eq!(own.worlds, expected.worlds);
                assert_eq!(own.weights, expected.weights);
            }
        }
    }
}
