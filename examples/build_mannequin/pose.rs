//! From what an animator would say ("the left foot here, the elbow bent so far") to joint rotations.
//!
//! A [`Stance`] speaks of the figure, in its own space and in radians; [`solve`] turns it into local rotations. Legs
//! are solved backwards from the feet (two bones, law of cosines), so that feet stay where the stance puts them.
//!
//! Internally every joint has a *turn*: the rotation from its rest pose, with axes parallel to the figure's, relative
//! to its parent. That makes the oriented rest frames irrelevant until the very end.

use crate::{
    body::{ANKLE, HIP, KNEE_ALONG, arm_direction},
    hand,
    skeleton::{Side, Skeleton, ball_of_foot, hand_direction},
};
use glam::{DMat3, DQuat, DVec3};

/// How one arm is held, stated for the left arm.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arm {
    /// Lifts the shoulder itself.
    pub(crate) shrug: f64,
    /// Raises the arm sideways, from the A-pose.
    pub(crate) raise: f64,
    /// Swings the arm forward.
    pub(crate) swing: f64,
    /// Turns the upper arm about itself; positive turns the elbow's crease outwards.
    pub(crate) twist: f64,
    /// Bends the elbow.
    pub(crate) flex: f64,
    /// Turns the forearm about itself.
    pub(crate) pronation: f64,
    /// Bends the wrist towards the palm.
    pub(crate) wrist: f64,
    /// Curls the fingers: 0 flat, 1 a fist.
    pub(crate) curl: f64,
}

/// Where one foot is, stated for the left foot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Foot {
    /// How far the ankle is from its rest position.
    pub(crate) offset: DVec3,
    /// Lowers the toes (positive) or lifts them (negative).
    pub(crate) pitch: f64,
    /// Bends the toes upwards.
    pub(crate) toes: f64,
}

/// A whole pose. Rotations are (pitch about x, yaw about y, roll about z).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stance {
    /// How far the pelvis is from its rest position.
    pub(crate) pelvis: DVec3,
    pub(crate) pelvis_turn: DVec3,
    /// Shared out over the four spine joints.
    pub(crate) spine: DVec3,
    /// Shared out over the neck and the head.
    pub(crate) head: DVec3,
    /// Left and right.
    pub(crate) arms: [Arm; 2],
    /// Left and right.
    pub(crate) feet: [Foot; 2],
}

/// Local transforms of all joints, ready for keys.
#[derive(Clone, Debug)]
pub(crate) struct Pose {
    /// The pelvis joint's local translation; no other joint moves.
    pub(crate) pelvis: DVec3,
    /// Local rotations, by joint.
    pub(crate) rotations: Vec<DQuat>,
}

fn euler(turn: DVec3) -> DQuat {
    DQuat::from_rotation_y(turn.y) * DQuat::from_rotation_x(turn.x) * DQuat::from_rotation_z(turn.z)
}

/// Solves a stance.
pub(crate) fn solve(skeleton: &Skeleton, stance: &Stance) -> Pose {
    let mut turns = vec![DQuat::IDENTITY; skeleton.joints.len()];
    let pelvis = skeleton.find("pelvis");
    turns[pelvis] = euler(stance.pelvis_turn);
    for name in ["spine_1", "spine_2", "spine_3", "spine_4"] {
        turns[skeleton.find(name)] = euler(stance.spine * 0.25);
    }
    for (name, share) in [("neck_1", 0.3), ("neck_2", 0.3), ("head", 0.4)] {
        turns[skeleton.find(name)] = euler(stance.head * share);
    }
    for (side, (arm, foot)) in Side::BOTH.into_iter().zip(stance.arms.iter().zip(&stance.feet)) {
        hold_arm(skeleton, side, arm, &mut turns);
        let pelvis_at = skeleton.joints[pelvis].position;
        let hip = pelvis_at + stance.pelvis + turns[pelvis] * (side.place(HIP) - pelvis_at);
        place_leg(skeleton, side, foot, hip, turns[pelvis], &mut turns);
    }
    let rotations = skeleton.joints.iter().zip(&turns).map(|(joint, turn)| {
        let parent = joint.parent.map_or(DQuat::IDENTITY, |parent| skeleton.joints[parent].rotation);
        (parent.inverse() * *turn * joint.rotation).normalize()
    });
    let rest = skeleton.joints[pelvis].position;
    let root = skeleton.joints[pelvis].parent.map_or(DVec3::ZERO, |parent| skeleton.joints[parent].position);
    Pose { pelvis: rest - root + stance.pelvis, rotations: rotations.collect() }
}

fn hold_arm(skeleton: &Skeleton, side: Side, arm: &Arm, turns: &mut [DQuat]) {
    let along = arm_direction();
    let hinge = along.cross(DVec3::Z).normalize();
    let mut set = |name: &str, turn: DQuat| turns[skeleton.find_on(side, name)] = side.turn(turn);
    // What the clavicle lifts, the upper arm need not.
    set("clavicle", DQuat::from_rotation_z(arm.shrug));
    set("upper_arm", DQuat::from_rotation_x(-arm.swing) * DQuat::from_rotation_z(arm.raise - arm.shrug));
    // The skin at the shoulder stays, that at the elbow turns with the bone.
    set("upper_arm_twist_1", DQuat::from_axis_angle(along, arm.twist * 0.5));
    set("upper_arm_twist_2", DQuat::from_axis_angle(along, arm.twist * 0.9));
    set("forearm", DQuat::from_axis_angle(along, arm.twist) * DQuat::from_axis_angle(hinge, arm.flex));
    set("forearm_twist_1", DQuat::from_axis_angle(along, arm.pronation / 3.0));
    set("forearm_twist_2", DQuat::from_axis_angle(along, arm.pronation * 2.0 / 3.0));
    let palm = hand_direction(DVec3::NEG_Z);
    let wrist = DQuat::from_axis_angle(along.cross(palm).normalize(), arm.wrist);
    set("hand", DQuat::from_axis_angle(along, arm.pronation) * wrist);
    for (index, finger) in hand::fingers().iter().enumerate() {
        for bone in 0..3 {
            let direction = hand_direction((finger.knuckles[bone + 1] - finger.knuckles[bone]).normalize());
            // The thumb folds across the palm, less far than the fingers.
            let inward = if index == 0 { hand_direction(DVec3::new(0.0, -0.75, -0.65)) } else { palm };
            let most = if index == 0 { [0.35, 0.55, 0.75][bone] } else { [1.25, 1.65, 1.05][bone] };
            // At rest the little finger curls more than the index.
            let share = if index == 0 { 1.0 } else { 0.88 + 0.06 * index as f64 };
            let bend = DQuat::from_axis_angle(direction.cross(inward).normalize(), most * share.min(1.1) * arm.curl);
            set(&format!("{}_{}", finger.name, bone + 1), bend);
        }
    }
}

/// The rotation that takes one pair of directions to another: `along` exactly, `front` as nearly as it can.
fn aim(from: [DVec3; 2], to: [DVec3; 2]) -> DQuat {
    let basis = |[along, front]: [DVec3; 2]| {
        let y = along.normalize();
        let z = (front - y * front.dot(y)).normalize();
        DMat3::from_cols(y.cross(z), y, z)
    };
    DQuat::from_mat3(&(basis(to) * basis(from).transpose()))
}

/// Solves a leg whose hip is at `hip`, with the knee to the front.
fn place_leg(skeleton: &Skeleton, side: Side, foot: &Foot, hip: DVec3, pelvis: DQuat, turns: &mut [DQuat]) {
    let rest_axis = side.place((ANKLE - HIP).normalize());
    let (thigh_length, calf_length) = (KNEE_ALONG, (ANKLE - HIP).length() - KNEE_ALONG);
    let ankle = side.place(ANKLE + foot.offset);
    let reach = ankle - hip;
    // Never quite straight: at full stretch the knee's speed would be infinite.
    let distance = reach.length().min((thigh_length + calf_length) * 0.9985);
    let toward = reach.normalize();
    let forward = (DVec3::Z * 0.8 + pelvis * DVec3::Z * 0.2).normalize();
    let front = (forward - toward * forward.dot(toward)).normalize();
    let cosine = (thigh_length * thigh_length + distance * distance - calf_length * calf_length)
        / (2.0 * thigh_length * distance);
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let knee = (toward * cosine + front * sine) * thigh_length;
    let calf_axis = toward * distance - knee;
    let thigh = aim([rest_axis, DVec3::Z], [knee, front]);
    let calf = aim([rest_axis, DVec3::Z], [calf_axis, front + toward * 0.5]);
    let sole = DQuat::from_rotation_x(foot.pitch);
    let mut set = |name: &str, turn: DQuat| turns[skeleton.find_on(side, name)] = turn;
    set("thigh", pelvis.inverse() * thigh);
    let bend = thigh.inverse() * calf;
    set("kneecap", DQuat::IDENTITY.slerp(bend, 0.5));
    set("calf", bend);
    set("foot", calf.inverse() * sole);
    set("toes", DQuat::from_rotation_x(-foot.toes));
}

/// The ankle's way when a flat foot pitches, stated for the left foot: about the joint of the toes when the heel rises
/// (so that toes that bend as far stay flat on the floor), about the heel when the toes rise.
pub(crate) fn pivot_offset(pitch: f64) -> DVec3 {
    let pivot = if pitch > 0.0 { ball_of_foot() } else { heel() };
    let lever = ANKLE - pivot;
    DQuat::from_rotation_x(pitch) * lever - lever
}

/// Where the left heel meets the floor.
fn heel() -> DVec3 {
    DVec3::new(ANKLE.x, 0.0, ANKLE.z - 0.055)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// World positions of all joints.
    fn place(skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
        let mut world: Vec<(DVec3, DQuat)> = Vec::new();
        for (index, joint) in skeleton.joints.iter().enumerate() {
            let (local, up) = match joint.parent {
                Some(parent) => {
                    let rest = &skeleton.joints[parent];
                    (rest.rotation.inverse() * (joint.position - rest.position), world[parent])
                }
                None => (joint.position, (DVec3::ZERO, DQuat::IDENTITY)),
            };
            let local = if joint.name == "pelvis" { pose.pelvis } else { local };
            world.push((up.0 + up.1 * local, up.1 * pose.rotations[index]));
        }
        world.into_iter().map(|(position, _)| position).collect()
    }

    #[test]
    fn the_neutral_stance_keeps_every_joint_at_rest_to_the_knees_last_degree() {
        let skeleton = Skeleton::new();
        let pose = solve(&skeleton, &Stance::default());
        for (joint, position) in skeleton.joints.iter().zip(place(&skeleton, &pose)) {
            // The legs are never quite straight, which moves the knees by √(1 − 0.9985²) · 0.42 m and feet not at all.
            assert!((joint.position - position).length() < 0.025, "{} is at {position}", joint.name);
        }
    }

    #[test]
    fn feet_go_where_the_stance_puts_them_and_knees_bend_forward() {
        let skeleton = Skeleton::new();
        let mut stance = Stance { pelvis: DVec3::new(0.02, -0.2, 0.01), ..Default::default() };
        stance.pelvis_turn = DVec3::new(0.1, 0.2, -0.05);
        stance.feet[1].offset = DVec3::new(0.01, 0.10, 0.15);
        let positions = place(&skeleton, &solve(&skeleton, &stance));
        let right = positions[skeleton.find("foot_right")];
        assert!((right - DVec3::new(-ANKLE.x - 0.01, ANKLE.y + 0.10, ANKLE.z + 0.15)).length() < 1e-9);
        let left = positions[skeleton.find("foot_left")];
        assert!((left - ANKLE).length() < 1e-9);
        assert!(positions[skeleton.find("calf_left")].z > 0.1);
    }

    #[test]
    fn a_rising_heel_leaves_the_toes_and_a_rising_toe_leaves_the_heel() {
        for (pitch, pivot) in [(0.8, ball_of_foot()), (-0.3, heel())] {
            let moved = ANKLE + pivot_offset(pitch) + DQuat::from_rotation_x(pitch) * (pivot - ANKLE);
            assert!((moved - pivot).length() < 1e-12, "{moved}");
        }
        assert!(pivot_offset(0.8).y > 0.0 && pivot_offset(-0.3).y > 0.0, "both lift the ankle");
    }
}
