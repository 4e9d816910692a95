//! How much each joint moves each vertex.
//!
//! Every part has a rule of its own, stated along its bones (elbow and knee blend over the width of the limb, twist
//! joints share a limb's length). Where two parts meet their rules are mixed by the difference of their fields. The
//! result is smoothed over the mesh, so that weights never leak between fingers, cut to the four largest and rounded
//! to sixteen bits whose sum is exact.

use crate::{
    body::{self, Body, ELBOW_ALONG, KNEE_ALONG, Part, WRIST_ALONG},
    head,
    remesh::adjacency,
    shapes::smooth_step,
    skeleton::{JOINT_COUNT, Side, Skeleton},
    surface::Mesh,
};
use glam::DVec3;
use rayon::prelude::*;

/// Influences a vertex.
pub(crate) const INFLUENCES: usize = 4;
/// The sum of a vertex's weights.
pub(crate) const WHOLE: u16 = u16::MAX;
/// Rounds of smoothing over the mesh.
const ROUNDS: usize = 5;

/// A vertex's joints and weights, largest first; unused places are 0 and 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Influences {
    pub(crate) joints: [u8; INFLUENCES],
    pub(crate) weights: [u16; INFLUENCES],
}

/// Weights of one vertex by joint, summing to 1.
type Row = Vec<(usize, f64)>;

/// The rules: what each part asks of the solid and of the skeleton.
struct Rules<'a> {
    body: &'a Body,
    skeleton: &'a Skeleton,
}

/// Weights for all vertices of `mesh`.
pub(crate) fn bind(mesh: &Mesh, body: &Body, skeleton: &Skeleton) -> Vec<Influences> {
    let rules = Rules { body, skeleton };
    let mut rows: Vec<Vec<f64>> = mesh.positions.par_iter().map(|&position| dense(rules.weights(position))).collect();
    let neighbours = adjacency(mesh.positions.len(), &mesh.triangles);
    for _ in 0..ROUNDS {
        rows = (0..rows.len())
            .into_par_iter()
            .map(|vertex| {
                let near = &neighbours[vertex];
                let share = 0.5 / near.len() as f64;
                let mut sum: Vec<f64> = rows[vertex].iter().map(|weight| weight * 0.5).collect();
                for &other in near {
                    sum.iter_mut().zip(&rows[other as usize]).for_each(|(sum, weight)| *sum += weight * share);
                }
                sum
            })
            .collect();
    }
    rows.iter().map(|row| quantise(row)).collect()
}

fn dense(row: Row) -> Vec<f64> {
    let mut weights = vec![0.0; JOINT_COUNT];
    row.into_iter().for_each(|(joint, weight)| weights[joint] += weight);
    weights
}

/// Keeps the largest weights, rescales them to sum 1 and rounds them so that the integers sum to [`WHOLE`].
pub(crate) fn quantise(weights: &[f64]) -> Influences {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    order.truncate(INFLUENCES);
    // A weight below a quarter of a percent is not worth a joint.
    order.retain(|&joint| weights[joint] > 0.0025);
    let sum: f64 = order.iter().map(|&joint| weights[joint]).sum();
    let mut influences = Influences::default();
    let mut left = WHOLE;
    for (place, &joint) in order.iter().enumerate().rev() {
        let weight = if place == 0 { left } else { (weights[joint] / sum * f64::from(WHOLE) + 0.5).floor() as u16 };
        influences.joints[place] = joint as u8;
        influences.weights[place] = weight;
        left -= weight;
    }
    influences
}

/// All influence on one joint.
pub(crate) fn rigid(joint: usize) -> Influences {
    let mut influences = Influences::default();
    influences.joints[0] = joint as u8;
    influences.weights[0] = WHOLE;
    influences
}

/// Weights along a chain: each joint takes over from the one before it at `at`, over `half_width` either way.
fn chain(along: f64, links: &[(usize, f64, f64)]) -> Row {
    let taken = |link: usize| {
        links.get(link).map_or(0.0, |&(_, at, half_width)| smooth_step(at - half_width, at + half_width, along))
    };
    let first = |link: usize| if link == 0 { 1.0 } else { taken(link) };
    (0..links.len()).map(|link| (links[link].0, (first(link) - taken(link + 1)).max(0.0))).collect()
}

/// `low` where `share` is 0, `high` where it is 1.
fn mix(low: Row, high: Row, share: f64) -> Row {
    let low = low.into_iter().map(|(joint, weight)| (joint, weight * (1.0 - share)));
    low.chain(high.into_iter().map(|(joint, weight)| (joint, weight * share))).collect()
}

impl Rules<'_> {
    fn weights(&self, position: DVec3) -> Row {
        let side = if position.x >= 0.0 { Side::Left } else { Side::Right };
        let p = body::fold(position);
        match self.body.part(position) {
            Part::Palm => self.palm(side, p),
            Part::Finger(index) => self.finger(side, index, p),
            Part::Foot => self.foot(side, p),
            Part::Head | Part::Neck => self.neck_and_head(side, p),
            Part::Trunk | Part::Arm | Part::Leg => self.trunk_and_limbs(side, p),
        }
    }

    fn trunk_and_limbs(&self, side: Side, p: DVec3) -> Row {
        let trunk = self.body.trunk_field(p);
        let arm_share = smooth_step(-0.045, 0.045, trunk - self.body.arm_field(p));
        let leg_share = smooth_step(-0.055, 0.055, trunk - self.body.leg_field(p));
        let row = mix(self.trunk(side, p), self.leg(side, p), leg_share);
        mix(row, self.arm(side, p), arm_share)
    }

    fn trunk(&self, side: Side, p: DVec3) -> Row {
        let find = |name: &str| self.skeleton.find(name);
        let links = [
            (find("pelvis"), 0.0, 0.0),
            (find("spine_1"), 1.055, 0.050),
            (find("spine_2"), 1.140, 0.050),
            (find("spine_3"), 1.230, 0.055),
            (find("spine_4"), 1.325, 0.055),
            (find("neck_1"), 1.500, 0.030),
        ];
        let row = chain(p.y, &links);
        let shoulder = smooth_step(0.045, 0.150, p.x) * smooth_step(1.340, 1.440, p.y) * 0.85;
        mix(row, vec![(self.skeleton.find_on(side, "clavicle"), 1.0)], shoulder)
    }

    fn arm(&self, side: Side, p: DVec3) -> Row {
        let find = |name: &str| self.skeleton.find_on(side, name);
        let third = (WRIST_ALONG - ELBOW_ALONG) / 3.0;
        let links = [
            (find("clavicle"), 0.0, 0.0),
            (find("upper_arm"), -0.005, 0.030),
            (find("upper_arm_twist_1"), ELBOW_ALONG / 3.0, 0.045),
            (find("upper_arm_twist_2"), ELBOW_ALONG * 2.0 / 3.0, 0.045),
            (find("forearm"), ELBOW_ALONG, 0.032),
            (find("forearm_twist_1"), ELBOW_ALONG + third, 0.038),
            (find("forearm_twist_2"), ELBOW_ALONG + third * 2.0, 0.035),
            (find("hand"), WRIST_ALONG, 0.018),
        ];
        chain(self.body.arm.local(p).x, &links)
    }

    fn leg(&self, side: Side, p: DVec3) -> Row {
        let find = |name: &str| self.skeleton.find_on(side, name);
        let local = self.body.leg.local(p);
        let ankle = (body::ANKLE - body::HIP).length();
        let third = (ankle - KNEE_ALONG) / 3.0;
        let links = [
            (find("thigh"), 0.0, 0.0),
            (find("thigh_twist_1"), KNEE_ALONG / 3.0 + 0.03, 0.060),
            (find("thigh_twist_2"), KNEE_ALONG * 2.0 / 3.0, 0.060),
            (find("calf"), KNEE_ALONG, 0.042),
            (find("calf_twist_1"), KNEE_ALONG + third, 0.055),
            (find("calf_twist_2"), KNEE_ALONG + third * 2.0, 0.055),
            (find("foot"), ankle - 0.012, 0.026),
        ];
        let row = chain(local.x, &links);
        // The kneecap turns half as far as the knee and keeps its front full.
        let off_knee = ((local.x - KNEE_ALONG) / 0.060).abs();
        let kneecap = (1.0 - smooth_step(0.2, 1.0, off_knee)) * smooth_step(-0.010, 0.035, local.z) * 0.7;
        mix(row, vec![(find("kneecap"), 1.0)], kneecap)
    }

    fn foot(&self, side: Side, p: DVec3) -> Row {
        let toes = self.skeleton.find_on(side, "toes");
        let forward = self.body.foot.local(p).x;
        mix(self.leg(side, p), vec![(toes, 1.0)], smooth_step(0.100, 0.144, forward))
    }

    fn neck_and_head(&self, side: Side, p: DVec3) -> Row {
        let find = |name: &str| self.skeleton.find(name);
        let links = [
            (find("spine_4"), 0.0, 0.0),
            (find("neck_1"), 1.492, 0.026),
            (find("neck_2"), 1.548, 0.024),
            (find("head"), 1.600, 0.026),
        ];
        let neck = chain(p.y - 0.25 * (p.z - 0.01), &links);
        let neck = mix(neck, self.trunk(side, p), 1.0 - smooth_step(1.485, 1.525, p.y));
        let share = smooth_step(-0.016, 0.016, self.body.neck.field(p) - self.body.head_field(p));
        mix(neck, self.head(p), share)
    }

    fn head(&self, p: DVec3) -> Row {
        let find = |name: &str| self.skeleton.find(name);
        let face = p - head::CENTER;
        // The line between skull and jaw runs from the lips up to the ear.
        let line = head::MOUTH.y + (head::MOUTH.z - face.z).max(0.0) * 0.42;
        let width = 0.004 + (head::MOUTH.z - face.z).clamp(0.0, 0.08) * 0.25;
        let jaw = smooth_step(-width, width, line - face.y) * smooth_step(-0.005, 0.045, face.z);
        let row = mix(vec![(find("head"), 1.0)], vec![(find("jaw"), 1.0)], jaw);
        let offset = (face - DVec3::new(0.026, 0.019, 0.082)) / DVec3::new(0.032, 0.015, 0.03);
        let brow = (1.0 - smooth_step(0.2, 1.0, offset.length())) * 0.8;
        mix(row, vec![(find("brow"), 1.0)], brow)
    }

    fn palm(&self, side: Side, p: DVec3) -> Row {
        let find = |name: &str| self.skeleton.find_on(side, name);
        let local = self.body.to_hand(p);
        // From the little finger's side to the index's: each metacarpal owns a strip of the palm.
        let strips = [
            (find("little_metacarpal"), 0.0, 0.0),
            (find("ring_metacarpal"), -0.0215, 0.011),
            (find("middle_metacarpal"), -0.0020, 0.010),
            (find("index_metacarpal"), 0.0185, 0.011),
        ];
        let row = mix(vec![(find("hand"), 1.0)], chain(local.y, &strips), smooth_step(0.012, 0.055, local.x));
        let row = mix(self.arm(side, p), row, smooth_step(-0.018, 0.018, local.x));
        let thumb = smooth_step(-0.010, 0.012, self.body.hand.palm(local) - self.body.hand.finger(0, local) + 0.002);
        mix(row, self.finger(side, 0, p), thumb)
    }

    fn finger(&self, side: Side, index: usize, p: DVec3) -> Row {
        let local = self.body.to_hand(p);
        let finger = self.body.hand.bones(index);
        let joint = |suffix: &str| self.skeleton.find_on(side, &format!("{}_{suffix}", finger.name));
        let root = if finger.metacarpal.is_some() { joint("metacarpal") } else { self.skeleton.find_on(side, "hand") };
        let start = finger.knuckles[0];
        let axis = (finger.knuckles[3] - start).normalize();
        let along = |knuckle: usize| (finger.knuckles[knuckle] - start).dot(axis);
        let blend = finger.radii[0] * 0.85;
        let links = [
            (root, 0.0, 0.0),
            (joint("1"), 0.0, blend),
            (joint("2"), along(1), blend * 0.8),
            (joint("3"), along(2), blend * 0.7),
        ];
        chain((local - start).dot(axis), &links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_four_and_the_exact_sum() {
        let influences = quantise(&[0.1, 0.3, 0.05, 0.3, 0.15, 0.1]);
        assert_eq!(influences.joints, [1, 3, 4, 0]);
        assert_eq!(influences.weights.iter().map(|&weight| u32::from(weight)).sum::<u32>(), u32::from(WHOLE));
        // 0.1 / 0.85 of 65535, to the nearest.
        assert_eq!(influences.weights[3], 7710);
    }

    #[test]
    fn a_chain_hands_over_at_its_joints() {
        let links = [(7, 0.0, 0.0), (8, 1.0, 0.2), (9, 2.0, 0.2)];
        assert_eq!(dense(chain(0.5, &links))[7..10], [1.0, 0.0, 0.0]);
        assert_eq!(dense(chain(1.0, &links))[7..10], [0.5, 0.5, 0.0]);
        assert_eq!(dense(chain(3.0, &links))[7..10], [0.0, 0.0, 1.0]);
    }
}
