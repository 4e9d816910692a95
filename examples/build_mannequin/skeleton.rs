//! The 85 joints: names, parents, rest positions and rest directions.
//!
//! A joint's own +Y axis points along its bone and its +Z axis to the front, so rest rotations are not trivial and
//! inverse bind matrices are true rotations and translations. Joints have no scale, so dual quaternions can carry
//! every pose.

use crate::{
    body::{self, ANKLE, ELBOW_ALONG, HIP, KNEE_ALONG, SHOULDER, WRIST_ALONG, arm_direction, foot_directions},
    hand, head,
};
use glam::{DMat3, DQuat, DVec3};
use std::collections::HashMap;

/// The number of joints of the 2001 demo that the mannequin stands in for.
pub(crate) const JOINT_COUNT: usize = 85;

/// A joint at rest, in the figure's space.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) name: String,
    /// Always a lower index.
    pub(crate) parent: Option<usize>,
    pub(crate) position: DVec3,
    /// Joint space → the figure's space.
    pub(crate) rotation: DQuat,
}

/// All joints, parents first.
pub(crate) struct Skeleton {
    pub(crate) joints: Vec<Joint>,
    index: HashMap<String, usize>,
}

/// Left or right, as seen by the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// +1 on the left, −1 on the right.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::Left { 1.0 } else { -1.0 }
    }

    /// Moves a point or direction of the left half to this side.
    pub(crate) fn place(self, left: DVec3) -> DVec3 {
        DVec3::new(left.x * self.sign(), left.y, left.z)
    }

    /// Moves a rotation of the left half to this side: its mirror image in x = 0.
    pub(crate) fn turn(self, left: DQuat) -> DQuat {
        DQuat::from_xyzw(left.x, left.y * self.sign(), left.z * self.sign(), left.w)
    }

    /// A joint's name on this side.
    pub(crate) fn name(self, base: &str) -> String {
        let side = if self == Self::Left { "left" } else { "right" };
        format!("{base}_{side}")
    }
}

/// A point on the left arm, `along` metres from the shoulder.
pub(crate) fn on_arm(along: f64) -> DVec3 {
    SHOULDER + arm_direction() * along
}

/// A point on the left leg, `along` metres from the hip.
pub(crate) fn on_leg(along: f64) -> DVec3 {
    HIP + (ANKLE - HIP).normalize() * along
}

/// A point of the left hand's frame in the figure's space.
pub(crate) fn from_hand(local: DVec3) -> DVec3 {
    on_arm(WRIST_ALONG) + hand_direction(local)
}

/// A direction of the left hand's frame in the figure's space.
pub(crate) fn hand_direction(local: DVec3) -> DVec3 {
    let along = arm_direction();
    let back = DVec3::new(-along.y, along.x, 0.0);
    along * local.x + DVec3::Z * local.y + back * local.z
}

/// The ball of the left foot, where the toes bend.
pub(crate) fn ball_of_foot() -> DVec3 {
    DVec3::new(ANKLE.x, 0.024, ANKLE.z) + foot_directions()[0] * 0.122
}

/// The rotation whose +Y is `along` and whose +Z is as near to `front` as it can be.
pub(crate) fn frame(along: DVec3, front: DVec3) -> DQuat {
    let y = along.normalize();
    let z = (front - y * front.dot(y)).normalize();
    DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z))
}

impl Skeleton {
    pub(crate) fn new() -> Self {
        let mut skeleton = Self { joints: Vec::with_capacity(JOINT_COUNT), index: HashMap::new() };
        skeleton.add_trunk();
        for side in Side::BOTH {
            skeleton.add_arm(side);
            skeleton.add_leg(side);
        }
        skeleton
    }

    /// The index of the joint called `name`. Names are the program's own: a wrong one is a mistake in it.
    pub(crate) fn find(&self, name: &str) -> usize {
        *self.index.get(name).unwrap_or_else(|| panic!("the skeleton has no joint called {name}"))
    }

    /// The index of the joint called `base` on a side.
    pub(crate) fn find_on(&self, side: Side, base: &str) -> usize {
        self.find(&side.name(base))
    }

    fn add(&mut self, name: String, parent: &str, position: DVec3, rotation: DQuat) {
        let parent = (!parent.is_empty()).then(|| self.find(parent));
        self.index.insert(name.clone(), self.joints.len());
        self.joints.push(Joint { name, parent, position, rotation });
    }

    fn add_trunk(&mut self) {
        let up = [
            ("root", "", 0.0, 0.0),
            ("pelvis", "root", 0.970, 0.000),
            ("spine_1", "pelvis", 1.060, -0.010),
            ("spine_2", "spine_1", 1.140, -0.012),
            ("spine_3", "spine_2", 1.230, -0.018),
            ("spine_4", "spine_3", 1.330, -0.022),
            ("neck_1", "spine_4", 1.495, -0.030),
            ("neck_2", "neck_1", 1.555, -0.018),
            ("head", "neck_2", 1.612, -0.004),
        ];
        for (row, &(name, parent, height, depth)) in up.iter().enumerate() {
            let next = up.get(row + 1).filter(|_| row > 0);
            let along = next.map_or(DVec3::Y, |next| DVec3::new(0.0, next.2 - height, next.3 - depth));
            self.add(name.to_owned(), parent, DVec3::new(0.0, height, depth), frame(along, DVec3::Z));
        }
        let brow = head::CENTER + DVec3::new(0.0, 0.018, 0.070);
        self.add("brow".to_owned(), "head", brow, frame(DVec3::Y, DVec3::Z));
        let jaw = head::CENTER + DVec3::new(0.0, -0.030, 0.004);
        self.add("jaw".to_owned(), "head", jaw, frame(DVec3::new(0.0, -0.070, 0.075), DVec3::Z));
        for side in Side::BOTH {
            let eye = head::CENTER + side.place(head::EYE);
            self.add(side.name("eye"), "head", eye, frame(DVec3::Y, DVec3::Z));
        }
    }

    fn add_arm(&mut self, side: Side) {
        let along = arm_direction();
        let rotation = frame(side.place(along), DVec3::Z);
        let clavicle = DVec3::new(0.022, 1.462, 0.030);
        let clavicle_rotation = frame(side.place(SHOULDER - clavicle), DVec3::Z);
        self.add(side.name("clavicle"), "spine_4", side.place(clavicle), clavicle_rotation);
        let mut add = |name: &str, parent: &str, distance: f64| {
            self.add(side.name(name), &side.name(parent), side.place(on_arm(distance)), rotation);
        };
        add("upper_arm", "clavicle", 0.0);
        add("upper_arm_twist_1", "upper_arm", ELBOW_ALONG / 3.0);
        add("upper_arm_twist_2", "upper_arm", ELBOW_ALONG * 2.0 / 3.0);
        add("forearm", "upper_arm", ELBOW_ALONG);
        let third = (WRIST_ALONG - ELBOW_ALONG) / 3.0;
        add("forearm_twist_1", "forearm", ELBOW_ALONG + third);
        add("forearm_twist_2", "forearm", ELBOW_ALONG + third * 2.0);
        add("hand", "forearm", WRIST_ALONG);
        for finger in hand::fingers() {
            self.add_finger(side, &finger);
        }
    }

    fn add_finger(&mut self, side: Side, finger: &hand::Finger) {
        let mut parent = side.name("hand");
        // The thumb's first bone is its metacarpal, so all fingers count their phalanges alike.
        let starts =
            finger.metacarpal.into_iter().map(|root| ("metacarpal".to_owned(), root)).chain((0..3).map(|bone| {
                let number = bone + 1;
                (number.to_string(), finger.knuckles[bone])
            }));
        let starts: Vec<_> = starts.collect();
        for (row, (suffix, start)) in starts.iter().enumerate() {
            let end = starts.get(row + 1).map_or(finger.knuckles[3], |next| next.1);
            let rotation = frame(side.place(hand_direction(end - *start)), side.place(hand_direction(DVec3::Z)));
            let name = side.name(&format!("{}_{suffix}", finger.name));
            self.add(name.clone(), &parent, side.place(from_hand(*start)), rotation);
            parent = name;
        }
    }

    fn add_leg(&mut self, side: Side) {
        let axis = (ANKLE - HIP).normalize();
        let rotation = frame(side.place(axis), DVec3::Z);
        let ankle_along = (ANKLE - HIP).length();
        let mut add = |name: &str, parent: String, distance: f64| {
            self.add(side.name(name), &parent, side.place(on_leg(distance)), rotation);
        };
        add("thigh", "pelvis".to_owned(), 0.0);
        add("thigh_twist_1", side.name("thigh"), KNEE_ALONG / 3.0);
        add("thigh_twist_2", side.name("thigh"), KNEE_ALONG * 2.0 / 3.0);
        add("kneecap", side.name("thigh"), KNEE_ALONG);
        add("calf", side.name("thigh"), KNEE_ALONG);
        let third = (ankle_along - KNEE_ALONG) / 3.0;
        add("calf_twist_1", side.name("calf"), KNEE_ALONG + third);
        add("calf_twist_2", side.name("calf"), KNEE_ALONG + third * 2.0);
        let ball = ball_of_foot();
        let foot = frame(side.place(ball - body::ANKLE), DVec3::Y);
        self.add(side.name("foot"), &side.name("calf"), side.place(ANKLE), foot);
        let toes = frame(side.place(foot_directions()[0]), DVec3::Y);
        self.add(side.name("toes"), &side.name("foot"), side.place(ball), toes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eighty_five_joints_with_names_of_their_own() {
        let skeleton = Skeleton::new();
        assert_eq!(skeleton.joints.len(), JOINT_COUNT);
        assert_eq!(skeleton.index.len(), JOINT_COUNT);
        assert!(
            skeleton.joints.iter().enumerate().all(|(index, joint)| joint.parent.is_none_or(|parent| parent < index))
        );
    }

    #[test]
    fn the_right_half_mirrors_the_left() {
        let skeleton = Skeleton::new();
        for (index, joint) in skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.name.ends_with("_left")) {
            let right = skeleton.find(&joint.name.replace("_left", "_right"));
            assert_ne!(index, right);
            let mirrored = DVec3::new(-joint.position.x, joint.position.y, joint.position.z);
            assert!((skeleton.joints[right].position - mirrored).length() < 1e-12, "{}", joint.name);
        }
    }

    #[test]
    fn a_bone_points_along_its_own_y_axis() {
        let skeleton = Skeleton::new();
        let forearm = &skeleton.joints[skeleton.find("forearm_right")];
        let hand = &skeleton.joints[skeleton.find("hand_right")];
        let along = (hand.position - forearm.position).normalize();
        assert!((forearm.rotation * DVec3::Y - along).length() < 1e-12);
    }
}
