//! The three animations: "Walk", "Flex" and "Expression".

use crate::{
    pose::{Arm, Foot, Pose, Stance, pivot_offset, solve},
    shapes::smooth_step,
    skeleton::{Side, Skeleton, frame},
};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// How values between keys are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interpolation {
    Linear,
    Step,
    /// Each key has an in-tangent, a value and an out-tangent.
    CubicSpline,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Translation,
    Rotation,
    Weights,
}

/// Keys for one property of a joint, or of the mesh's node where the property is the weights.
pub(crate) struct Channel {
    pub(crate) joint: Option<usize>,
    pub(crate) property: Property,
    pub(crate) interpolation: Interpolation,
    /// Seconds, ascending.
    pub(crate) times: Vec<f32>,
    /// All keys' numbers, in order.
    pub(crate) values: Vec<f32>,
}

/// A named animation.
pub(crate) struct Clip {
    pub(crate) name: &'static str,
    pub(crate) channels: Vec<Channel>,
}

/// All clips.
pub(crate) fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    vec![walk(skeleton), flex(skeleton), expression(skeleton)]
}

/// Linear channels for everything that moves in a row of poses.
fn baked(name: &'static str, skeleton: &Skeleton, times: &[f32], poses: &[Pose]) -> Clip {
    let mut channels = Vec::new();
    let pelvis = poses.iter().flat_map(|pose| pose.pelvis.as_vec3().to_array()).collect();
    channels.push(Channel {
        joint: Some(skeleton.find("pelvis")),
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values: pelvis,
    });
    for (joint, rest) in skeleton.joints.iter().enumerate() {
        let parent = rest.parent.map_or(DQuat::IDENTITY, |parent| skeleton.joints[parent].rotation);
        let still = parent.inverse() * rest.rotation;
        if poses.iter().all(|pose| pose.rotations[joint].dot(still).abs() > 1.0 - 1e-12) {
            continue;
        }
        let values = poses.iter().flat_map(|pose| pose.rotations[joint].as_quat().normalize().to_array()).collect();
        channels.push(rotation(joint, Interpolation::Linear, times.to_vec(), values));
    }
    Clip { name, channels }
}

fn rotation(joint: usize, interpolation: Interpolation, times: Vec<f32>, values: Vec<f32>) -> Channel {
    Channel { joint: Some(joint), property: Property::Rotation, interpolation, times, values }
}

/// Seconds of a walk cycle of two steps.
const CYCLE: f64 = 1.1;
/// Keys of the walk cycle, the first and the last alike.
const WALK_KEYS: usize = 31;
/// Metres walked in a cycle; the figure walks on the spot, so the floor moves.
const STRIDE: f64 = 1.20;
/// The share of the cycle for which a foot is on the floor.
const STANCE_SHARE: f64 = 0.62;
/// Where a foot lands, in front of its rest position.
const LANDING: f64 = 0.285;
/// The foot's pitch when it lands and when it leaves the floor.
const LANDING_PITCH: f64 = -0.36;
const LEAVING_PITCH: f64 = 0.98;

/// A brisk walk on the spot: the left heel lands at phase 0, the right one at a half.
fn walk(skeleton: &Skeleton) -> Clip {
    let phases = (0..WALK_KEYS).map(|key| key as f64 / (WALK_KEYS - 1) as f64);
    let times: Vec<f32> = phases.clone().map(|phase| (phase * CYCLE) as f32).collect();
    let mut poses: Vec<Pose> = phases.map(|phase| solve(skeleton, &walk_stance(phase))).collect();
    // The last key is the first one again, to the bit.
    if let Some(first) = poses.first().cloned() {
        poses[WALK_KEYS - 1] = first;
    }
    baked("Walk", skeleton, &times, &poses)
}

fn walk_stance(phase: f64) -> Stance {
    let turn = TAU * phase;
    let (sin, cos) = libm::sincos(turn);
    let cos_twice = libm::cos(2.0 * turn);
    let mut stance = Stance {
        // Lowest when both feet are down, and over the foot that carries.
        pelvis: DVec3::new(0.018 * sin, -0.034 - 0.016 * cos_twice, 0.006 * libm::sin(2.0 * turn)),
        // The hip of the landing foot is in front; that of the swinging foot drops.
        pelvis_turn: DVec3::new(0.045, -0.10 * cos, 0.055 * sin),
        // Shoulders turn against the hips, and the trunk stays upright over them.
        spine: DVec3::new(-0.015, 0.21 * cos, -0.065 * sin),
        // The head looks straight ahead and hardly nods.
        head: DVec3::new(-0.02 + 0.02 * cos_twice, -0.105 * cos, 0.010 * sin),
        ..Default::default()
    };
    for (index, own) in [phase, phase + 0.5].into_iter().enumerate() {
        stance.arms[index] = walk_arm(own);
        stance.feet[index] = walk_foot(own - own.floor());
    }
    stance
}

/// An arm swings against its own leg, a little late, and bends most in front.
fn walk_arm(phase: f64) -> Arm {
    let swing = -libm::cos(TAU * (phase - 0.03));
    let follow = -libm::cos(TAU * (phase - 0.09));
    Arm {
        shrug: -0.05,
        raise: -0.545,
        swing: 0.33 * swing,
        twist: -0.10,
        flex: 0.34 + 0.17 * follow,
        pronation: 0.25,
        wrist: 0.06 - 0.08 * follow,
        curl: 0.30 + 0.04 * follow,
    }
}

/// A foot's way through the cycle; 0 is its landing.
fn walk_foot(phase: f64) -> Foot {
    let ground = |phase: f64| DVec3::Z * (LANDING - STRIDE * phase);
    if phase < STANCE_SHARE {
        let share = phase / STANCE_SHARE;
        let landing = LANDING_PITCH * (1.0 - smooth_step(0.0, 0.20, share));
        let leaving = LEAVING_PITCH * smooth_step(0.50, 1.08, share) / smooth_step(0.50, 1.08, 1.0);
        let pitch = landing + leaving;
        // The toes stay flat while the heel rises.
        return Foot { offset: ground(phase) + pivot_offset(pitch), pitch, toes: leaving };
    }
    let share = (phase - STANCE_SHARE) / (1.0 - STANCE_SHARE);
    let from = ground(STANCE_SHARE) + pivot_offset(LEAVING_PITCH);
    let to = ground(0.0) + pivot_offset(LANDING_PITCH);
    // Leaves and lands with the speed of the floor.
    let speed = DVec3::Z * (-STRIDE * (1.0 - STANCE_SHARE));
    let (s2, s3) = (share * share, share * share * share);
    let way = from * (2.0 * s3 - 3.0 * s2 + 1.0)
        + (speed * 0.2 + DVec3::Y * 0.14) * (s3 - 2.0 * s2 + share)
        + to * (3.0 * s2 - 2.0 * s3)
        + (speed - DVec3::Y * 0.10) * (s3 - s2);
    let lift = DVec3::Y * (0.030 * libm::sin(std::f64::consts::PI * share));
    let pitch = LEAVING_PITCH + (LANDING_PITCH - LEAVING_PITCH) * smooth_step(-0.12, 0.88, share);
    let start = LEAVING_PITCH + (LANDING_PITCH - LEAVING_PITCH) * smooth_step(-0.12, 0.88, 0.0);
    let pitch = pitch + (LEAVING_PITCH - start) * (1.0 - share);
    Foot { offset: way + lift, pitch, toes: LEAVING_PITCH * (1.0 - smooth_step(0.0, 0.40, share)) }
}

/// Keys of "Flex" a second.
const FLEX_RATE: f64 = 15.0;
/// When each of its stances is reached, in seconds.
const FLEX_TIMES: [f64; 6] = [0.0, 0.9, 1.5, 2.4, 3.1, 4.0];

/// Shows what skinning finds hard: arms over the head, elbows and wrists bent and twisted, a deep squat, fists.
fn flex(skeleton: &Skeleton) -> Clip {
    let stances = flex_stances();
    let length = FLEX_TIMES[FLEX_TIMES.len() - 1];
    let keys = (length * FLEX_RATE) as usize;
    let times: Vec<f64> = (0..=keys).map(|key| key as f64 / FLEX_RATE).collect();
    let poses: Vec<Pose> = times.iter().map(|&time| solve(skeleton, &between(&stances, time))).collect();
    let times: Vec<f32> = times.into_iter().map(|time| time as f32).collect();
    baked("Flex", skeleton, &times, &poses)
}

fn flex_stances() -> [Stance; 6] {
    let rest = Stance::default();
    let flexed = Arm {
        shrug: 0.22,
        raise: 0.95,
        swing: 0.10,
        twist: -1.45,
        flex: 2.05,
        pronation: -0.75,
        wrist: 0.55,
        curl: 1.0,
    };
    let relaxed = Arm { raise: -0.35, flex: 0.35, curl: 0.25, ..Default::default() };
    let both = Stance {
        pelvis: DVec3::new(0.0, -0.06, 0.0),
        spine: DVec3::new(-0.10, 0.0, 0.0),
        head: DVec3::new(0.05, 0.0, 0.0),
        arms: [flexed, flexed],
        ..rest
    };
    let turned = Stance {
        pelvis: DVec3::new(0.03, -0.09, 0.0),
        pelvis_turn: DVec3::new(0.0, 0.15, 0.0),
        spine: DVec3::new(-0.05, 0.55, 0.10),
        head: DVec3::new(0.0, 0.55, 0.05),
        arms: [Arm { flex: 2.35, pronation: -1.2, ..flexed }, Arm { raise: 0.35, flex: 1.2, twist: 0.2, ..flexed }],
        ..rest
    };
    let squat = Stance {
        pelvis: DVec3::new(0.0, -0.34, -0.13),
        pelvis_turn: DVec3::new(0.45, 0.0, 0.0),
        spine: DVec3::new(0.25, 0.0, 0.0),
        head: DVec3::new(-0.45, 0.0, 0.0),
        arms: [Arm { raise: -0.45, swing: 1.45, flex: 0.15, curl: 0.1, ..Default::default() }; 2],
        ..rest
    };
    let reach = Stance {
        pelvis: DVec3::new(0.0, -0.01, 0.0),
        spine: DVec3::new(-0.12, -0.2, -0.15),
        head: DVec3::new(-0.25, -0.2, 0.0),
        arms: [Arm { shrug: 0.45, raise: 2.15, curl: 0.05, flex: 0.1, pronation: -0.6, ..Default::default() }, relaxed],
        ..rest
    };
    [rest, both, turned, squat, reach, rest]
}

/// The stance at a time: eased from one to the next.
fn between(stances: &[Stance; 6], time: f64) -> Stance {
    let next = FLEX_TIMES.iter().position(|&at| at >= time).unwrap_or(FLEX_TIMES.len() - 1).max(1);
    let share = smooth_step(FLEX_TIMES[next - 1], FLEX_TIMES[next], time);
    let (a, b) = (&stances[next - 1], &stances[next]);
    let mix = |a: f64, b: f64| a + (b - a) * share;
    let arm = |side: usize| {
        let (a, b) = (&a.arms[side], &b.arms[side]);
        Arm {
            shrug: mix(a.shrug, b.shrug),
            raise: mix(a.raise, b.raise),
            swing: mix(a.swing, b.swing),
            twist: mix(a.twist, b.twist),
            flex: mix(a.flex, b.flex),
            pronation: mix(a.pronation, b.pronation),
            wrist: mix(a.wrist, b.wrist),
            curl: mix(a.curl, b.curl),
        }
    };
    Stance {
        pelvis: a.pelvis.lerp(b.pelvis, share),
        pelvis_turn: a.pelvis_turn.lerp(b.pelvis_turn, share),
        spine: a.spine.lerp(b.spine, share),
        head: a.head.lerp(b.head, share),
        arms: [arm(0), arm(1)],
        feet: a.feet,
    }
}

/// The face: smiles, blinks and raises its brows (cubic weights), glances (eyes jump, as eyes do), nods.
fn expression(skeleton: &Skeleton) -> Clip {
    // Seconds; smile, blink, surprise.
    let keys: [(f32, [f32; 3]); 10] = [
        (0.0, [0.0, 0.0, 0.0]),
        (0.6, [0.2, 0.0, 0.0]),
        (0.72, [0.3, 1.0, 0.0]),
        (0.86, [0.4, 0.0, 0.0]),
        (1.3, [1.0, 0.15, 0.0]),
        (1.9, [0.9, 0.1, 0.1]),
        (2.3, [0.1, 0.0, 1.0]),
        (2.7, [0.1, 0.0, 0.9]),
        (2.85, [0.0, 1.0, 0.3]),
        (3.2, [0.0, 0.0, 0.0]),
    ];
    let mut values = Vec::new();
    for (key, &(time, weights)) in keys.iter().enumerate() {
        // Catmull-Rom slopes, flat at the ends and at extremes, so that weights never leave [0, 1].
        let slope: [f32; 3] = std::array::from_fn(|target| {
            let (Some(before), Some(after)) = (key.checked_sub(1).map(|before| keys[before]), keys.get(key + 1)) else {
                return 0.0;
            };
            let extreme = (weights[target] - before.1[target]) * (after.1[target] - weights[target]) <= 0.0;
            let steepest = ((weights[target] - before.1[target]) / (time - before.0))
                .abs()
                .min(((after.1[target] - weights[target]) / (after.0 - time)).abs());
            let rise = (after.1[target] - before.1[target]) / (after.0 - before.0);
            if extreme { 0.0 } else { rise.clamp(-2.0 * steepest, 2.0 * steepest) }
        });
        values.extend([slope, weights, slope].concat());
    }
    let weights = Channel {
        joint: None,
        property: Property::Weights,
        interpolation: Interpolation::CubicSpline,
        times: keys.map(|(time, _)| time).to_vec(),
        values,
    };
    let mut channels = vec![weights];
    let glances: [(f32, f64, f64); 6] =
        [(0.0, 0.0, 0.0), (0.45, 0.28, 0.04), (0.9, 0.0, 0.0), (1.5, -0.24, 0.0), (2.2, 0.0, -0.14), (3.2, 0.0, 0.0)];
    for side in Side::BOTH {
        let turns = glances.map(|(time, yaw, pitch)| (time, DVec3::new(pitch, yaw, 0.0)));
        channels.push(turned(skeleton, &side.name("eye"), Interpolation::Step, &turns));
    }
    let mouth = [(0.0, 0.0), (2.0, 0.0), (2.3, 0.10), (2.7, 0.08), (3.2, 0.0)];
    let mouth = mouth.map(|(time, pitch)| (time, DVec3::new(pitch, 0.0, 0.0)));
    channels.push(turned(skeleton, "jaw", Interpolation::Linear, &mouth));
    let nods = [(0.0, [0.0, 0.0]), (1.3, [0.05, 0.08]), (1.9, [0.03, 0.06]), (2.35, [-0.09, 0.0]), (3.2, [0.0, 0.0])];
    let nods = nods.map(|(time, [pitch, roll])| (time, DVec3::new(pitch, 0.0, roll)));
    channels.push(turned(skeleton, "head", Interpolation::Linear, &nods));
    Clip { name: "Expression", channels }
}

/// A rotation channel from (time, pitch-yaw-roll) keys about a joint's rest pose.
fn turned(skeleton: &Skeleton, name: &str, interpolation: Interpolation, keys: &[(f32, DVec3)]) -> Channel {
    let index = skeleton.find(name);
    let joint = &skeleton.joints[index];
    let parent = joint.parent.map_or(frame(DVec3::Y, DVec3::Z), |parent| skeleton.joints[parent].rotation);
    let values = keys.iter().flat_map(|(_, turn)| {
        let turn = DQuat::from_rotation_y(turn.y) * DQuat::from_rotation_x(turn.x) * DQuat::from_rotation_z(turn.z);
        (parent.inverse() * turn * joint.rotation).as_quat().normalize().to_array()
    });
    rotation(index, interpolation, keys.iter().map(|&(time, _)| time).collect(), values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_foot_moves_with_the_floor() {
        // Flat on the floor in the middle of its stance: the ankle moves back by the stride's share and no other way.
        let (early, late) = (walk_foot(0.15), walk_foot(0.25));
        let way = late.offset - early.offset;
        assert!((way - DVec3::new(0.0, 0.0, -0.10 * STRIDE)).length() < 1e-9, "{way}");
        assert_eq!(early.pitch, 0.0);
    }

    #[test]
    fn a_foot_leaves_and_lands_without_a_jump() {
        for at in [STANCE_SHARE, 1.0] {
            let before = walk_foot(at - 1e-6);
            let after = walk_foot(if at == 1.0 { 0.0 } else { at });
            assert!((before.offset - after.offset).length() < 1e-4, "at {at}");
            assert!((before.pitch - after.pitch).abs() < 1e-3, "at {at}");
        }
    }
}
