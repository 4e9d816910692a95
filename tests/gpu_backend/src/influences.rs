//! The influences of a primitive as they are uploaded, right or wrong.
//!
//! Why it exists: between a file's joints and weights and a vertex buffer's lies a conversion (fewer influences, smaller
//! numbers, another order), and it is where skinning goes wrong first.

use std::{borrow::Cow, num::NonZeroUsize};

use refrast::{
    scene::{Influences, Primitive},
    skinning::{limit_influences, partition},
    verify::{Fault, simulator::ParametricFault},
};

use crate::Faults;

/// What is wrong here.
pub(crate) const INFLUENCE_FAULTS: [Fault; 11] = [
    Fault::Joints1Ignored,
    Fault::InfluencesTruncatedUnscaled,
    Fault::HeaviestInfluenceOnly,
    Fault::WeightsL2Normalised,
    Fault::LastWeightReconstructed,
    Fault::WeightIntegerScale,
    Fault::WeightsInBytesUnfixed,
    Fault::JointIndexOffByOne,
    Fault::JointIndexWidth,
    Fault::ZeroWeightJointDereferenced,
    Fault::PaletteSplitWrongRemap,
];

/// Bones that fit the 96 constants of a vertex program, which is what meshes were split for.
const SECTION_BONES: usize = 28;

/// A primitive's influences as the backend uploads them; `joints` is the length of its palette.
pub(crate) fn uploaded_influences<'a>(
    primitive: &'a Primitive,
    joints: usize,
    faults: &Faults,
) -> Option<Cow<'a, Influences>> {
    let influences = primitive.influences.as_ref()?;
    let is_looked_up_elsewhere = |fault| {
        matches!(
            fault,
            ParametricFault::JointsShifted { .. }
                | ParametricFault::JointsSwapped { .. }
                | ParametricFault::JointTakenFor { .. }
        )
    };
    if !faults.has_any(&INFLUENCE_FAULTS) && !faults.parametric().any(is_looked_up_elsewhere) {
        return Some(Cow::Borrowed(influences));
    }
    let mut spoiled = if faults.has(Fault::HeaviestInfluenceOnly) {
        limit_influences(influences, NonZeroUsize::MIN)
    } else {
        influences.clone()
    };
    if faults.has(Fault::JointIndexWidth) {
        read_bytes_in_pairs(&mut spoiled);
    }
    if faults.has(Fault::PaletteSplitWrongRemap) {
        look_up_in_first_section(primitive, &mut spoiled);
    }
    let count = spoiled.per_vertex;
    for (own_joints, weights) in spoiled.joints.chunks_exact_mut(count).zip(spoiled.weights.chunks_exact_mut(count)) {
        spoil_weights(weights, faults);
        for (joint, weight) in own_joints.iter_mut().zip(weights) {
            faults.parametric().for_each(|fault| *joint = looked_up(*joint, fault));
            if faults.has(Fault::JointIndexOffByOne) {
                *joint = joint.saturating_add(1);
            }
            if faults.has(Fault::ZeroWeightJointDereferenced) && *weight == 0.0 {
                // Files may write anything there; past the palette lies memory of nobody.
                *joint = u16::try_from(joints).unwrap_or(u16::MAX);
            }
        }
    }
    Some(Cow::Owned(spoiled))
}

/// The place in the palette that a backend with this mistake looks at.
fn looked_up(joint: u16, fault: ParametricFault) -> u16 {
    match fault {
        ParametricFault::JointsShifted { by } => joint.wrapping_add_signed(by),
        ParametricFault::JointsSwapped { joints: [one, other] } if joint == one => other,
        ParametricFault::JointsSwapped { joints: [one, other] } if joint == other => one,
        ParametricFault::JointTakenFor { joint: one, other } if joint == one => other,
        _ => joint,
    }
}

fn spoil_weights(weights: &mut [f32], faults: &Faults) {
    if faults.has(Fault::Joints1Ignored) {
        weights.iter_mut().skip(4).for_each(|weight| *weight = 0.0);
    }
    if faults.has(Fault::InfluencesTruncatedUnscaled) {
        let mut sorted = weights.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let least = sorted[(weights.len() / 2).max(1) - 1];
        weights.iter_mut().filter(|weight| **weight < least).for_each(|weight| *weight = 0.0);
    }
    if faults.has(Fault::WeightsL2Normalised) {
        let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
        weights.iter_mut().for_each(|weight| *weight /= length);
    }
    if faults.has(Fault::LastWeightReconstructed)
        && let Some((first, [last, rest @ ..])) = weights.split_at_mut_checked(3)
    {
        *last = 1.0 - first.iter().sum::<f32>();
        rest.fill(0.0);
    }
    if faults.has(Fault::WeightIntegerScale) {
        weights.iter_mut().for_each(|weight| *weight *= 255.0 / 256.0);
    }
    if faults.has(Fault::WeightsInBytesUnfixed) {
        weights.iter_mut().for_each(|weight| *weight = (*weight * 255.0).round_ties_even() / 255.0);
    }
}

/// Indices of a byte each, read two bytes at a time with the stride of the bytes: each set of four runs into that of
/// the next vertex.
fn read_bytes_in_pairs(influences: &mut Influences) {
    let sets = influences.per_vertex.div_ceil(4);
    let vertices = influences.joints.len() / influences.per_vertex;
    let mut stored = vec![0_u8; 4 * sets * (vertices + 1)];
    let place = |vertex: usize, slot: usize| (slot / 4 * (vertices + 1) + vertex) * 4;
    for (at, &joint) in influences.joints.iter().enumerate() {
        let (vertex, slot) = (at / influences.per_vertex, at % influences.per_vertex);
        stored[place(vertex, slot) + slot % 4] = joint as u8;
    }
    for (at, joint) in influences.joints.iter_mut().enumerate() {
        let (vertex, slot) = (at / influences.per_vertex, at % influences.per_vertex);
        let first = place(vertex, slot) + 2 * (slot % 4);
        *joint = u16::from_le_bytes([stored[first], stored[first + 1]]);
    }
}

/// Splits the mesh into sections of few bones, and looks every vertex's bones up in the first one's list. A primitive
/// that can not be split stays as it is.
fn look_up_in_first_section(primitive: &Primitive, influences: &mut Influences) {
    let Ok(split) = partition(primitive, SECTION_BONES) else { return };
    let Some(first) = split.sections.first() else { return };
    let right = influences.joints.clone();
    for section in &split.sections {
        for &vertex in &section.source_vertices {
            let own = vertex as usize * influences.per_vertex..(vertex as usize + 1) * influences.per_vertex;
            for (joint, right) in influences.joints[own.clone()].iter_mut().zip(&right[own]) {
                let local = section.joints.iter().position(|joint| joint == right);
                *joint = local.and_then(|local| first.joints.get(local)).copied().unwrap_or(*right);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_vertices() -> Primitive {
        let influences = Influences {
            per_vertex: 4,
            joints: vec![1, 2, 3, 4, 5, 6, 7, 8],
            weights: vec![0.5, 0.3, 0.2, 0.0, 0.4, 0.3, 0.2, 0.1],
        };
        Primitive { influences: Some(influences), ..Primitive::default() }
    }

    fn spoiled(fault: Fault) -> Influences {
        let primitive = two_vertices();
        uploaded_influences(&primitive, 9, &Faults::of(&[fault])).expect("it has influences").into_owned()
    }

    #[test]
    fn bytes_are_read_as_words_that_run_into_the_next_vertex() {
        // 01 02 03 04 05 06 07 08: words at 0, 2, 4 and 6, then at 4, 6 and past the end.
        assert_eq!(spoiled(Fault::JointIndexWidth).joints, [0x0201, 0x0403, 0x0605, 0x0807, 0x0605, 0x0807, 0, 0]);
    }

    #[test]
    fn dropped_influences_leave_the_others_as_they_were() {
        let weights = spoiled(Fault::InfluencesTruncatedUnscaled).weights;
        assert_eq!(weights, [0.5, 0.3, 0.0, 0.0, 0.4, 0.3, 0.0, 0.0]);
    }

    #[test]
    fn a_slot_without_weight_names_a_joint_past_the_palette() {
        assert_eq!(spoiled(Fault::ZeroWeightJointDereferenced).joints, [1, 2, 3, 9, 5, 6, 7, 8]);
    }
}
