//! Joints and weights of vertices.
//!
//! Why it exists: this is where importers differ most. Every set counts, weights are rescaled by their sum, and a
//! joint whose weight is 0 is never looked at, so it may be any number in the file and is 0 in the scene.
//!
//! A vertex whose weights sum to 0 gets weight 1 on joint 0: the specification forbids such vertices and says nothing
//! about drawing them, and this keeps them where the skeleton is. Negative weights are an error (specification,
//! section 3.7.3.3: weights must not be negative).

use gltf::json::{
    accessor::{ComponentType, Type},
    mesh::Semantic,
};

use super::{
    accessor::{FLOAT, U8, U16, UNORM8, UNORM16},
    attributes::Attributes,
    error::{Problem, Result},
    model::Influences,
    remark::RemarkKind,
};

/// How far the sum of a vertex's weights may be from 1 for each weight that is not 0, before they are rescaled: the
/// threshold of the Khronos validator, about the rounding of f32 weights.
const SUM_TOLERANCE: f64 = 2e-7;
/// How far the sum is from 1 where that may be seen.
const VISIBLE: f64 = 1e-3;

/// Reads all JOINTS_n and WEIGHTS_n sets; `None` where there are none.
pub(super) fn read(attributes: &Attributes<'_>) -> Result<Option<Influences>> {
    let sets = attributes.sets("JOINTS", Semantic::Joints)?;
    let weight_sets = attributes.sets("WEIGHTS", Semantic::Weights)?;
    if sets != weight_sets {
        let problem = Problem::Count { what: "WEIGHTS_n sets", found: weight_sets, expected: sets };
        return Err(attributes.error(problem));
    }
    if sets == 0 {
        return Ok(None);
    }

    let per_vertex = 4 * sets;
    let mut joints = vec![0; attributes.vertex_count() * per_vertex];
    let mut weights = vec![0.0; attributes.vertex_count() * per_vertex];
    for set in 0..sets {
        let (set_joints, set_weights) = read_set(attributes, set as u32)?;
        interleave(&set_joints, &mut joints, set, per_vertex);
        interleave(&set_weights, &mut weights, set, per_vertex);
    }
    let mut sums = Sums::default();
    for (vertex, (joints, weights)) in joints.chunks_mut(per_vertex).zip(weights.chunks_mut(per_vertex)).enumerate() {
        let sum = settle(joints, weights).map_err(|weight| {
            attributes.error(Problem::Value(format!("vertex {vertex} has the negative weight {weight}")))
        })?;
        sums.add(vertex, sum);
    }
    sums.remark(attributes);
    Ok(Some(Influences { per_vertex, joints, weights }))
}

/// The four joints and weights of every vertex in one set.
fn read_set(attributes: &Attributes<'_>, set: u32) -> Result<(Vec<u16>, Vec<f32>)> {
    let joints = attributes.required(Semantic::Joints(set))?;
    joints.require(&[Type::Vec4], &[U8, U16])?;
    // At most 16 bits, by the line above.
    let joints = joints.integers()?.into_iter().map(|joint| joint as u16).collect();

    let accessor = attributes.required(Semantic::Weights(set))?;
    // Integer weights are always fractions (glTF#1749): some exporters forget to say `normalized`.
    accessor.require(&[Type::Vec4], &[FLOAT, UNORM8, UNORM16, U8, U16])?;
    let mut weights = accessor.floats()?;
    let one = match accessor.number() {
        (ComponentType::U8, false) => 255.0,
        (ComponentType::U16, false) => 65535.0,
        _ => 1.0,
    };
    weights.iter_mut().for_each(|weight| *weight /= one);
    Ok((joints, weights))
}

/// Copies a set's four numbers a vertex to their places among all sets.
fn interleave<T: Copy>(set_values: &[T], values: &mut [T], set: usize, per_vertex: usize) {
    for (from, to) in set_values.chunks_exact(4).zip(values.chunks_exact_mut(per_vertex)) {
        to[4 * set..4 * set + 4].copy_from_slice(from);
    }
}

/// What the weights of a vertex were.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sum {
    /// They summed to 1.
    One,
    /// They were all 0.
    Zero,
    /// They were rescaled by this sum.
    Other(f64),
}

/// What the weights of a primitive were.
#[derive(Default)]
struct Sums {
    /// How many vertices had no weight, and the first.
    zero: (usize, usize),
    /// How many were rescaled, and of which the sum was farthest from 1.
    other: (usize, usize, f64),
}

impl Sums {
    fn add(&mut self, vertex: usize, sum: Sum) {
        match sum {
            Sum::One => {}
            Sum::Zero => self.zero = (self.zero.0 + 1, if self.zero.0 == 0 { vertex } else { self.zero.1 }),
            Sum::Other(sum) => {
                let (count, worst, farthest) = self.other;
                let is_worse = count == 0 || (sum - 1.0).abs() > (farthest - 1.0).abs();
                self.other = if is_worse { (count + 1, vertex, sum) } else { (count + 1, worst, farthest) };
            }
        }
    }

    fn remark(&self, attributes: &Attributes<'_>) {
        let (count, first) = self.zero;
        if count > 0 {
            let detail = format!(
                "{}, vertex {first} first; they follow joint 0",
                vertices(count, "has no weight", "have no weights")
            );
            attributes.remark(RemarkKind::WeightsAllZero, "WEIGHTS_0", detail, true);
        }
        let (count, worst, sum) = self.other;
        if count > 0 {
            let have = vertices(count, "has weights that do", "have weights that do");
            let detail =
                format!("{have} not sum to 1, vertex {worst} most ({sum:.6}); they are rescaled by their sums");
            attributes.remark(RemarkKind::WeightsOffOne, "WEIGHTS_0", detail, (sum - 1.0).abs() > VISIBLE);
        }
    }
}

/// A number of vertices with its verb.
fn vertices(count: usize, has: &str, have: &str) -> String {
    if count == 1 { format!("1 vertex {has}") } else { format!("{count} vertices {have}") }
}

/// Brings one vertex in order: weights that sum to 1, joint 0 where the weight is 0.
///
/// The sum is taken in f64 in the order of the file, and each weight is divided by it in f64 and rounded once.
///
/// # Errors
/// The first negative weight.
fn settle(joints: &mut [u16], weights: &mut [f32]) -> std::result::Result<Sum, f32> {
    if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
        return Err(*negative);
    }
    let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    let used = weights.iter().filter(|weight| **weight != 0.0).count();
    if used == 0 {
        joints.fill(0);
        weights.fill(0.0);
        weights[0] = 1.0;
        return Ok(Sum::Zero);
    }
    let is_one = (sum - 1.0).abs() <= SUM_TOLERANCE * used as f64;
    if !is_one {
        weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) / sum) as f32);
    }
    for (joint, weight) in joints.iter_mut().zip(weights) {
        if *weight == 0.0 {
            *joint = 0;
        }
    }
    Ok(if is_one { Sum::One } else { Sum::Other(sum) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 3-4-0-0: by the sum 3/7 and 4/7, by the length it would be 0.6 and 0.8.
    #[test]
    fn weights_l2_normalised() {
        let mut weights = [3.0, 4.0, 0.0, 0.0];
        settle(&mut [1, 2, 3, 4], &mut weights).unwrap();
        assert_eq!(weights, [3.0 / 7.0, 4.0 / 7.0, 0.0, 0.0]);
    }

    #[test]
    fn zero_weight_joint_dereferenced() {
        let mut joints = [7, 65535, 3, 65535];
        settle(&mut joints, &mut [0.5, 0.0, 0.5, -0.0]).unwrap();
        assert_eq!(joints, [7, 0, 3, 0]);
    }

    #[test]
    fn weights_within_the_tolerance_stay_as_they_are() {
        // 1 − 2^-23 is 1.2e-7 from 1: inside 4e-7 for two weights. 1 − 1e-6 is outside.
        let mut weights = [0.5, 0.5 - f32::EPSILON];
        settle(&mut [1, 2], &mut weights).unwrap();
        assert_eq!(weights, [0.5, 0.5 - f32::EPSILON]);
        let mut weights = [0.5, 0.499_999];
        settle(&mut [1, 2], &mut weights).unwrap();
        assert!(weights[0] > 0.5);
    }

    #[test]
    fn no_weight_at_all_means_joint_zero() {
        let (mut joints, mut weights) = ([9, 8, 7, 6], [0.0; 4]);
        settle(&mut joints, &mut weights).unwrap();
        assert_eq!((joints, weights), ([0; 4], [1.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn negative_weights_are_named() {
        assert_eq!(settle(&mut [0, 1], &mut [1.5, -0.5]), Err(-0.5));
    }

    proptest! {
        /// Whatever the weights were, they sum to 1 within the tolerance and keep their proportions.
        #[test]
        fn weights_sum_to_one(original in prop::collection::vec(prop_oneof![Just(0.0_f32), 1e-6_f32..10.0], 8)) {
            prop_assume!(original.iter().any(|weight| *weight > 0.0));
            let mut weights = original.clone();
            settle(&mut [5; 8], &mut weights).unwrap();
            let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
            prop_assert!((sum - 1.0).abs() <= 8.0 * 2e-7, "{sum}");
            let total: f64 = original.iter().map(|weight| f64::from(*weight)).sum();
            for (before, after) in original.iter().zip(&weights) {
                prop_assert!((f64::from(*before) / total - f64::from(*after)).abs() <= 1.7e-6);
            }
        }
    }
}
