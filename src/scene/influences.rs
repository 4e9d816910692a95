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
};

/// How far the sum of a vertex's weights may be from 1 for each weight that is not 0, before they are rescaled: the
/// threshold of the Khronos validator, about the rounding of f32 weights.
const SUM_TOLERANCE: f64 = 2e-7;

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
    for (vertex, (joints, weights)) in joints.chunks_mut(per_vertex).zip(weights.chunks_mut(per_vertex)).enumerate() {
        settle(joints, weights).map_err(|weight| {
            attributes.error(Problem::Value(format!("vertex {vertex} has the negative weight {weight}")))
        })?;
    }
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

/// Brings one vertex in order: weights that sum to 1, joint 0 where the weight is 0.
///
/// The sum is taken in f64 in the order of the file, and each weight is divided by it in f64 and rounded once.
///
/// # Errors
/// The first negative weight.
fn settle(joints: &mut [u16], weights: &mut [f32]) -> std::result::Result<(), f32> {
    if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
        return Err(*negative);
    }
    let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    let used = weights.iter().filter(|weight| **weight != 0.0).count();
    if used == 0 {
        joints.fill(0);
        weights.fill(0.0);
        weights[0] = 1.0;
        return Ok(());
    }
    if (sum - 1.0).abs() > SUM_TOLERANCE * used as f64 {
        weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) / sum) as f32);
    }
    for (joint, weight) in joints.iter_mut().zip(weights) {
        if *weight == 0.0 {
            *joint = 0;
        }
    }
    Ok(())
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
