//! Backends with exactly one mistake.

use glam::Mat4;
use refrast::verify::{Fault, vertex::VertexInputs};

use super::{
    Vertex,
    evaluate::{Buffers, Followed, Rows, Style, blended, finish_tangent, follow, morphed, rows},
    rig::Rig,
};

/// The buffers as a backend with this fault fills them.
pub(crate) fn faulty_buffers(rig: &Rig, inputs: &VertexInputs<'_>, fault: Fault) -> Buffers {
    let mut buffers = Buffers::of(inputs);
    let node = &rig.scene.nodes[rig.drawing];
    let skin = &rig.scene.skins[node.skin.unwrap()];
    let vertices = |buffers: &mut Buffers, change: &dyn Fn(&mut [u16], &mut [f32])| {
        let count = buffers.per_vertex;
        let joints = buffers.joint_indices.chunks_exact_mut(count);
        joints.zip(buffers.weights.chunks_exact_mut(count)).for_each(|(joints, weights)| change(joints, weights));
    };
    match fault {
        Fault::SkinnedNodeTransformApplied => {
            let placed = rig.now.worlds[rig.drawing];
            buffers.joints.iter_mut().for_each(|(world, _)| *world = placed * *world);
        }
        Fault::InverseBindMissing => buffers.joints.iter_mut().for_each(|(_, bind)| *bind = Mat4::IDENTITY),
        Fault::InverseBindRecomputed => {
            for ((_, bind), joint) in buffers.joints.iter_mut().zip(&skin.joints) {
                *bind = rig.rest.worlds[*joint].inverse();
            }
        }
        Fault::NonJointAncestorDropped => {
            for ((world, _), joint) in buffers.joints.iter_mut().zip(&skin.joints) {
                let mut node = *joint;
                *world = rig.now.locals[node];
                while let Some(parent) = rig.scene.nodes[node].parent {
                    if skin.joints.contains(&parent) {
                        *world = rig.now.locals[parent] * *world;
                    }
                    node = parent;
                }
            }
        }
        Fault::Joints1Ignored => vertices(&mut buffers, &|_, weights| weights[4..].fill(0.0)),
        Fault::InfluencesTruncatedUnscaled => vertices(&mut buffers, &|_, weights| {
            let mut sorted = weights.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            weights.iter_mut().filter(|weight| **weight < sorted[3]).for_each(|weight| *weight = 0.0);
        }),
        Fault::WeightsL2Normalised => vertices(&mut buffers, &|_, weights| {
            let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
            weights.iter_mut().for_each(|weight| *weight /= length);
        }),
        Fault::LastWeightReconstructed => vertices(&mut buffers, &|joints, weights| {
            // The last slot that names a joint of the skin: the unused ones name none.
            let last = joints.iter().rposition(|joint| usize::from(*joint) < skin.joints.len()).unwrap();
            weights[last] = 1.0 - weights[..last].iter().sum::<f32>();
        }),
        Fault::WeightIntegerScale => vertices(&mut buffers, &|_, weights| {
            weights.iter_mut().for_each(|weight| *weight *= 65535.0 / 65536.0);
        }),
        Fault::JointIndexOffByOne => vertices(&mut buffers, &|joints, _| {
            joints.iter_mut().for_each(|joint| *joint += 1);
        }),
        Fault::JointPaletteStale => {
            for ((world, _), joint) in buffers.joints.iter_mut().zip(&skin.joints) {
                *world = rig.before.worlds[*joint];
            }
        }
        Fault::JointIndexWidth => {
            // Two attributes of four bytes a vertex; sixteen bits at half their number of steps run into the next vertex.
            let bytes: Vec<u8> = buffers.joint_indices.iter().map(|joint| *joint as u8).collect();
            for (at, joint) in buffers.joint_indices.iter_mut().enumerate() {
                let (vertex, set, slot) = (at / 8, at % 8 / 4, at % 4);
                let byte = |i: usize| {
                    let i = 4 * vertex + i;
                    bytes.get(i / 4 * 8 + 4 * set + i % 4).copied().unwrap_or(0)
                };
                *joint = u16::from_le_bytes([byte(2 * slot), byte(2 * slot + 1)]);
            }
        }
        Fault::SharedMeshSecondSkin => {
            let other = &rig.scene.skins[rig.scene.nodes[rig.drawing + 1].skin.unwrap()];
            let joints = other.joints.iter().zip(&other.inverse_bind_matrices);
            buffers.joints = joints.map(|(joint, bind)| (rig.now.worlds[*joint], *bind)).collect();
        }
        _ => {}
    }
    buffers
}

/// All vertices of a backend that has a fault in its program, or none.
pub(crate) fn evaluate_with(
    inputs: &VertexInputs<'_>,
    buffers: &Buffers,
    style: &Style,
    fault: Option<Fault>,
) -> Vec<Vertex> {
    // What lies behind the palette: an access out of bounds reads zeros, but memory of nobody is anything.
    let outside = if fault == Some(Fault::ZeroWeightJointDereferenced) { f32::NAN } else { 0.0 };
    let outside: Rows = [[outside; 4]; 3];
    let vertex = |vertex: usize| {
        let slots = vertex * buffers.per_vertex..(vertex + 1) * buffers.per_vertex;
        let (joints, weights) = (&buffers.joint_indices[slots.clone()], &buffers.weights[slots]);
        let followed: Vec<Followed> = (joints.iter().zip(weights))
            .filter(|(_, weight)| **weight != 0.0 || fault == Some(Fault::ZeroWeightJointDereferenced))
            .map(|(joint, &weight)| {
                let found = buffers.joints.get(usize::from(*joint));
                let (world, bind) = found.map_or((outside, outside), |(world, bind)| (rows(world), rows(bind)));
                let matrix = match fault {
                    Some(Fault::MatrixTransposed) => transposed(&style.product(&world, &bind)),
                    Some(Fault::MatrixOrderSwapped) => style.product(&bind, &world),
                    _ => style.product(&world, &bind),
                };
                Followed { weight, world, bind, matrix }
            })
            .collect();
        skin(style, &followed, morphed(inputs, style, vertex), fault)
    };
    (0..inputs.primitive.positions.len()).map(vertex).collect()
}

fn transposed(m: &Rows) -> Rows {
    [0, 1, 2].map(|row| [m[0][row], m[1][row], m[2][row], 0.0])
}

fn skin(
    style: &Style,
    followed: &[Followed],
    (position, normal, [x, y, z, handedness]): ([f32; 3], [f32; 3], [f32; 4]),
    fault: Option<Fault>,
) -> Vertex {
    // Faults of the matrix itself exist in blended form only.
    let changed = matches!(fault, Some(Fault::MatrixTransposed | Fault::MatrixOrderSwapped));
    let style = &if changed { super::evaluate::STYLES[0] } else { *style };
    let matrix = blended(style, followed);
    let (cofactor, determinant) = style.cofactor(&matrix);
    let sign = if determinant < 0.0 { -1.0 } else { 1.0 };
    let by_cofactors = |factor: f32| cofactor.map(|row| style.dot(row, normal) * factor);
    let length_free = match fault {
        Some(Fault::NormalNotInverseTransposed) => follow(style, followed, normal, 0.0),
        Some(Fault::NormalInverseTransposePerJoint) => {
            let blended = followed.iter().map(|f| {
                let (cofactor, determinant) = style.cofactor(&f.matrix);
                (f.weight, cofactor.map(|row| style.dot(row, normal) / determinant))
            });
            style.weigh(&blended.collect::<Vec<_>>())
        }
        Some(Fault::NormalFlippedByNegativeScale) => by_cofactors(1.0),
        Some(Fault::NormalNotRenormalised) => by_cofactors(1.0 / determinant),
        _ if style.divides => by_cofactors(1.0 / determinant),
        _ => by_cofactors(sign),
    };
    let kept = fault == Some(Fault::NormalNotRenormalised);
    let normal = if kept { length_free } else { style.normalize(length_free) };
    let moved = if fault == Some(Fault::WeightsAppliedBeforeBind) {
        let local: Vec<_> = followed.iter().map(|f| (f.weight, style.apply(&f.bind, position, 1.0))).collect();
        let worlds: Vec<_> = followed.iter().map(|f| (f.weight, f.world)).collect();
        style.apply(&style.blend(&worlds), style.weigh(&local), 1.0)
    } else {
        follow(style, followed, position, 1.0)
    };
    let tangent = finish_tangent(style, follow(style, followed, [x, y, z], 0.0), normal, handedness * sign);
    (moved, normal, tangent)
}
