//! The matrices and influences that a draw is skinned with, right or wrong.

use std::num::NonZeroUsize;

use glam::{Mat4, Vec4};

use super::{arithmetic::half, faults::Faults, heaviest::heaviest};
use crate::{Fault, ParametricFault};
use refrast_animation::{Pose, multiply};
use refrast_scene::{Influences, Primitive, Scene};

/// The three rows of an affine matrix.
pub(super) type Rows = [[f32; 4]; 3];

/// A joint's matrices.
#[derive(Clone, Copy)]
pub(super) struct Joint {
    pub(super) world: Rows,
    pub(super) bind: Rows,
    /// world · bind.
    pub(super) matrix: Rows,
}

impl Joint {
    pub(super) fn bits(&self) -> [[[u32; 4]; 3]; 3] {
        [self.world, self.bind, self.matrix].map(|rows| rows.map(|row| row.map(f32::to_bits)))
    }
}

/// What a joint index outside of the palette finds: an access out of bounds reads zeros.
pub(super) const OUTSIDE: Joint = Joint { world: [[0.0; 4]; 3], bind: [[0.0; 4]; 3], matrix: [[0.0; 4]; 3] };

/// The joint of influences whose weight is 0 where a backend looks at it all the same: memory of nobody.
pub(super) const UNUSED: u16 = u16::MAX;

/// Bones that fit the 96 constants of a vertex program.
const SECTION_BONES: usize = 28;

pub(super) fn rows(matrix: &Mat4) -> Rows {
    [0, 1, 2].map(|row| matrix.row(row).to_array())
}

/// The poses that a palette may be made from.
#[derive(Clone, Copy)]
pub(super) struct Poses<'a> {
    pub(super) now: &'a Pose,
    pub(super) rest: &'a Pose,
    pub(super) before: &'a Pose,
}

/// The palette of a node's skin.
pub(super) fn palette(scene: &Scene, poses: Poses<'_>, node: usize, own_skin: usize, faults: Faults) -> Vec<Joint> {
    let skin = &scene.skins[skin_of(scene, node, own_skin, faults)];
    let mut order = skin.joints.clone();
    if faults.has(Fault::PaletteInNodeOrder) {
        order.sort_unstable();
    }
    let joint = |(&joint, bind): (&usize, &Mat4)| {
        let mut world = poses.now.worlds[joint];
        if faults.has(Fault::JointPaletteStale) {
            world = poses.before.worlds[joint];
        }
        if faults.has(Fault::NonJointAncestorDropped) {
            world = among_joints(scene, poses.now, &skin.joints, joint);
        }
        if faults.has(Fault::SkinnedNodeTransformApplied) {
            world = multiply(&poses.now.worlds[node], &world);
        }
        if faults.has(Fault::JointScaleIgnored) {
            let unit = |column: Vec4| column.truncate().normalize_or_zero().extend(0.0);
            world = Mat4::from_cols(unit(world.x_axis), unit(world.y_axis), unit(world.z_axis), world.w_axis);
        }
        let mut bind = *bind;
        if faults.has(Fault::InverseBindMissing) {
            bind = Mat4::IDENTITY;
        }
        if faults.has(Fault::InverseBindRecomputed) {
            bind = poses.rest.worlds[joint].inverse();
        }
        let swapped = faults.has(Fault::MatrixOrderSwapped);
        let product = if swapped { multiply(&bind, &world) } else { multiply(&world, &bind) };
        Joint { world: rows(&world), bind: rows(&bind), matrix: uploaded(&product, faults) }
    };
    let mut palette: Vec<Joint> = order.iter().zip(&skin.inverse_bind_matrices).map(joint).collect();
    if faults.has(Fault::PaletteStrideFour) {
        let rows: Vec<[f32; 4]> = palette.iter().flat_map(|joint| joint.matrix).collect();
        let row = |index: usize| rows.get(index).copied().unwrap_or_default();
        for (index, joint) in palette.iter_mut().enumerate() {
            joint.matrix = [row(4 * index), row(4 * index + 1), row(4 * index + 2)];
        }
    }
    palette
}

fn skin_of(scene: &Scene, node: usize, own: usize, faults: Faults) -> usize {
    if faults.has(Fault::PaletteOfFirstSkin) {
        return 0;
    }
    let mesh = scene.nodes[node].mesh;
    let others = scene.drawn.iter().filter(|other| scene.nodes[**other].mesh == mesh);
    let other = others.filter_map(|other| scene.nodes[*other].skin).find(|skin| *skin != own);
    if faults.has(Fault::SharedMeshSecondSkin) { other.unwrap_or(own) } else { own }
}

/// The joint's world transform as if only joints were nodes.
fn among_joints(scene: &Scene, pose: &Pose, joints: &[usize], joint: usize) -> Mat4 {
    let mut world = pose.locals[joint];
    let mut node = joint;
    while let Some(parent) = scene.nodes[node].parent {
        if joints.contains(&parent) {
            world = multiply(&pose.locals[parent], &world);
        }
        node = parent;
    }
    world
}

/// The matrix as it arrives in the backend's buffer.
fn uploaded(matrix: &Mat4, faults: Faults) -> Rows {
    let mut rows = rows(matrix);
    if faults.has(Fault::MatrixTransposed) {
        let [a, b, c] = rows;
        rows = [[a[0], b[0], c[0], 0.0], [a[1], b[1], c[1], 0.0], [a[2], b[2], c[2], 0.0]];
    }
    if faults.has(Fault::PaletteTranslationDropped) {
        rows.iter_mut().for_each(|row| row[3] = 0.0);
    }
    if faults.has(Fault::PaletteRowDropped) {
        rows[2] = [0.0; 4];
    }
    if faults.has(Fault::PaletteHalfPrecision) {
        rows.iter_mut().flatten().for_each(|number| *number = half(*number));
    }
    rows
}

/// The influences as the backend's vertex buffer has them.
pub(super) fn influences(primitive: &Primitive, influences: &Influences, faults: Faults) -> Influences {
    let mut read = influences.clone();
    if faults.has(Fault::InfluencesTruncatedUnscaled) {
        // Half of the slots are kept, the heaviest influences in them.
        let kept = (influences.per_vertex / 2).max(1);
        for_each_vertex(&mut read, |_, weights| {
            let mut sorted = weights.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            weights.iter_mut().filter(|weight| **weight < sorted[kept - 1]).for_each(|weight| *weight = 0.0);
        });
    }
    if faults.has(Fault::HeaviestInfluenceOnly) {
        read = heaviest(&read, NonZeroUsize::MIN);
    }
    for_each_vertex(&mut read, |joints, weights| {
        if faults.has(Fault::Joints1Ignored) {
            weights.iter_mut().skip(4).for_each(|weight| *weight = 0.0);
        }
        if faults.has(Fault::WeightsInBytesUnfixed) {
            weights.iter_mut().for_each(|weight| *weight = (*weight * 255.0).round_ties_even() / 255.0);
        }
        if faults.has(Fault::WeightsL2Normalised) {
            let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
            weights.iter_mut().for_each(|weight| *weight /= length);
        }
        if faults.has(Fault::WeightIntegerScale) {
            weights.iter_mut().for_each(|weight| *weight *= 255.0 / 256.0);
        }
        if faults.has(Fault::LastWeightReconstructed) {
            // Three of four weights are read; what a fifth and later ones weigh goes to the fourth.
            let (first, others) = weights.split_at_mut(weights.len().min(3));
            if let [last, rest @ ..] = others {
                *last = 1.0 - first.iter().sum::<f32>();
                rest.fill(0.0);
            }
        }
        if faults.has(Fault::JointIndexOffByOne) {
            joints.iter_mut().for_each(|joint| *joint = joint.saturating_add(1));
        }
        if faults.has(Fault::AddressRounding) {
            // The index as a byte's fraction in a 16-bit float, times 255, cut off.
            joints.iter_mut().for_each(|joint| *joint = (half(f32::from(*joint) / 255.0) * 255.0) as u16);
        }
        if faults.has(Fault::ZeroWeightJointDereferenced) {
            let unused = joints.iter_mut().zip(weights).filter(|(_, weight)| **weight == 0.0);
            unused.for_each(|(joint, _)| *joint = UNUSED);
        }
    });
    for fault in faults.parametric() {
        match fault {
            ParametricFault::JointsShifted { by } => {
                // Before the first joint lies memory of nobody, as after the last one.
                read.joints.iter_mut().for_each(|joint| *joint = joint.wrapping_add_signed(by));
            }
            ParametricFault::JointsSwapped { joints: [one, other] } => {
                let swapped = |joint: u16| match joint {
                    joint if joint == one => other,
                    joint if joint == other => one,
                    joint => joint,
                };
                read.joints.iter_mut().for_each(|joint| *joint = swapped(*joint));
            }
            ParametricFault::JointTakenFor { joint: one, other } => {
                read.joints.iter_mut().filter(|joint| **joint == one).for_each(|joint| *joint = other);
            }
            _ => {}
        }
    }
    if faults.has(Fault::JointIndexWidth) {
        widen_indices(&mut read);
    }
    if faults.has(Fault::PaletteSplitWrongRemap) {
        remap_by_first_section(primitive, &mut read);
    }
    read
}

fn for_each_vertex(influences: &mut Influences, mut change: impl FnMut(&mut [u16], &mut [f32])) {
    let count = influences.per_vertex;
    let joints = influences.joints.chunks_exact_mut(count);
    joints.zip(influences.weights.chunks_exact_mut(count)).for_each(|(joints, weights)| change(joints, weights));
}

/// Four bytes a vertex, read as 16-bit numbers at the same stride: they run into the next vertex.
fn widen_indices(influences: &mut Influences) {
    let per_vertex = influences.per_vertex;
    let bytes: Vec<u8> = influences.joints.iter().map(|joint| *joint as u8).collect();
    for (at, joint) in influences.joints.iter_mut().enumerate() {
        let (vertex, set, slot) = (at / per_vertex, at % per_vertex / 4, at % 4);
        let byte = |i: usize| bytes.get((vertex + i / 4) * per_vertex + 4 * set + i % 4).copied().unwrap_or(0);
        *joint = u16::from_le_bytes([byte(2 * slot), byte(2 * slot + 1)]);
    }
}

/// Splits the mesh into sections of at most [`SECTION_BONES`] bones, triangle by triangle, and looks every vertex's bones
/// up in the first section's map.
fn remap_by_first_section(primitive: &Primitive, influences: &mut Influences) {
    let per_vertex = influences.per_vertex;
    let followed = |vertex: u32| {
        let slots = vertex as usize * per_vertex..(vertex as usize + 1) * per_vertex;
        slots.filter(|slot| influences.weights[*slot] != 0.0).map(|slot| influences.joints[slot])
    };
    let mut sections: Vec<Vec<u16>> = vec![Vec::new()];
    let mut section_of = vec![0; primitive.positions.len()];
    for triangle in primitive.indices.chunks(3) {
        let mut bones: Vec<u16> = triangle.iter().flat_map(|vertex| followed(*vertex)).collect();
        bones.sort_unstable();
        bones.dedup();
        let last = sections.len() - 1;
        let new = bones.iter().filter(|bone| !sections[last].contains(bone)).count();
        if sections[last].len() + new > SECTION_BONES {
            sections.push(Vec::new());
        }
        let last = sections.len() - 1;
        let new: Vec<u16> = bones.into_iter().filter(|bone| !sections[last].contains(bone)).collect();
        sections[last].extend(new);
        triangle.iter().for_each(|vertex| section_of[*vertex as usize] = last);
    }
    for (vertex, joints) in influences.joints.chunks_exact_mut(per_vertex).enumerate() {
        for joint in joints {
            let local = sections[section_of[vertex]].iter().position(|bone| bone == joint);
            let wrong = local.and_then(|local| sections[0].get(local));
            *joint = wrong.copied().unwrap_or(*joint);
        }
    }
}
