//! What places a draw's vertices: the matrices of its joints, or that of its node.

use glam::{DMat3, DMat4, DQuat, Mat4, Vec4};
use refrast::{
    animation::Pose,
    scene::{Influences, Scene, Skin},
    verify::{Fault, simulator::ParametricFault},
};

use crate::{BackendError, Faults, Settings, Skinning};

/// What is wrong here; what the shader gets wrong in looking a palette up is built into it.
pub(crate) const PALETTE_FAULTS: [Fault; 15] = [
    Fault::SkinnedNodeTransformApplied,
    Fault::InverseBindMissing,
    Fault::InverseBindRecomputed,
    Fault::NonJointAncestorDropped,
    Fault::JointPaletteStale,
    Fault::SharedMeshSecondSkin,
    Fault::PaletteOfFirstSkin,
    Fault::PaletteInNodeOrder,
    Fault::JointScaleIgnored,
    Fault::MatrixTransposed,
    Fault::MatrixOrderSwapped,
    Fault::PaletteTranslationDropped,
    Fault::PaletteRowDropped,
    Fault::UnskinnedNodeTransformDropped,
    Fault::WeightsAppliedBeforeBind,
];

/// What stands in a palette, by the shader's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Three rows a joint: world · inverse bind.
    Matrices = 0,
    /// Five rows a joint: real part, dual part, the rows of the stretch.
    DualQuaternions = 1,
    /// Six rows a joint, those of the world and those of the inverse bind matrix: for the mistake that keeps them apart.
    WorldsAndBinds = 2,
}

/// A draw's palette in the shader's layout.
pub(crate) struct Palette {
    pub(crate) rows: Vec<[f32; 4]>,
    /// What the shader finds in them.
    pub(crate) method: Method,
    /// Whether front faces turn round: the matrices that mirror carry more than half of the weight.
    pub(crate) mirrored: bool,
}

/// The poses of a frame.
#[derive(Clone, Copy)]
pub(crate) struct Poses<'a> {
    pub(crate) now: &'a Pose,
    /// What the palette still holds from the frame before, for the mistake that draws with it.
    pub(crate) before: &'a Pose,
}

/// A joint's matrices.
struct Joint {
    world: Mat4,
    inverse_bind: Mat4,
    /// World · inverse bind, as it arrives in the buffer.
    matrix: Mat4,
}

impl Palette {
    /// For a primitive that a node draws; `influences` are those that are uploaded with it.
    pub(crate) fn new(
        scene: &Scene,
        poses: Poses<'_>,
        node: usize,
        influences: Option<&Influences>,
        settings: &Settings,
        faults: &Faults,
    ) -> Result<Self, BackendError> {
        let Some((skin, influences)) = scene.nodes[node].skin.zip(influences) else {
            let dropped = faults.has(Fault::UnskinnedNodeTransformDropped);
            let own = poses.now.worlds[node];
            let mut world = if dropped { Mat4::IDENTITY } else { own };
            for fault in faults.parametric() {
                if let ParametricFault::NodeTransformRepeated { times } = fault {
                    world = (1..times).fold(world, |world, _| own * world);
                }
            }
            return Ok(Self {
                rows: rows(&world).to_vec(),
                method: Method::Matrices,
                mirrored: world.determinant() < 0.0,
            });
        };
        let joints = joints(scene, poses, node, skin, faults);
        let mirrors: Vec<bool> = joints.iter().map(|joint| joint.matrix.determinant() < 0.0).collect();
        let mut balance = 0.0f64;
        let mut followed = vec![false; joints.len()];
        for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
            let (joint, weight) = (usize::from(joint), f64::from(weight));
            // Only mistakes name joints that are not there.
            if let Some(followed) = followed.get_mut(joint) {
                balance += if mirrors[joint] { -weight } else { weight };
                *followed |= weight > 0.0;
            }
        }
        let method = match settings.skinning {
            Skinning::DualQuaternion => Method::DualQuaternions,
            Skinning::Linear if faults.has(Fault::WeightsAppliedBeforeBind) => Method::WorldsAndBinds,
            Skinning::Linear => Method::Matrices,
        };
        let mut palette: Vec<[f32; 4]> = match method {
            Method::Matrices => joints.iter().flat_map(|joint| rows(&joint.matrix)).collect(),
            Method::WorldsAndBinds => {
                joints.iter().flat_map(|joint| [rows(&joint.world), rows(&joint.inverse_bind)].concat()).collect()
            }
            Method::DualQuaternions => {
                let apart = joints.iter().zip(followed).enumerate().map(|(joint, (matrices, followed))| {
                    match dual_quaternion(&matrices.matrix) {
                        Some(rows) if followed => Ok(rows),
                        None if followed && *faults == Faults::NONE => Err(BackendError::NoRotation { joint }),
                        // A backend that got the matrix wrong does not know that there is nothing to find.
                        None if followed => Ok(NO_MOTION),
                        _ => Ok([[0.0; 4]; 5]),
                    }
                });
                apart.collect::<Result<Vec<_>, _>>()?.concat()
            }
        };
        if faults.has(Fault::ZeroWeightJointDereferenced) {
            palette.extend([[f32::NAN; 4]; 6]);
        }
        Ok(Self { rows: palette, method, mirrored: balance < 0.0 })
    }
}

/// The matrices of a skin's joints.
fn joints(scene: &Scene, poses: Poses<'_>, node: usize, own_skin: usize, faults: &Faults) -> Vec<Joint> {
    let skin = &scene.skins[mistaken_skin(scene, node, own_skin, faults)];
    let mut order = skin.joints.clone();
    if faults.has(Fault::PaletteInNodeOrder) {
        order.sort_unstable();
    }
    let rest = faults.has(Fault::InverseBindRecomputed).then(|| Pose::rest(scene));
    let pose = if faults.has(Fault::JointPaletteStale) { poses.before } else { poses.now };
    let joint = |(&joint, &inverse_bind): (&usize, &Mat4)| {
        let mut world = pose.worlds[joint];
        if faults.has(Fault::NonJointAncestorDropped) {
            world = among_joints(scene, pose, skin, joint);
        }
        if faults.has(Fault::SkinnedNodeTransformApplied) {
            world = pose.worlds[node] * world;
        }
        if faults.has(Fault::JointScaleIgnored) {
            let unit = |column: Vec4| column.truncate().normalize_or_zero().extend(0.0);
            world = Mat4::from_cols(unit(world.x_axis), unit(world.y_axis), unit(world.z_axis), world.w_axis);
        }
        let inverse_bind = match &rest {
            Some(rest) => rest.worlds[joint].inverse(),
            None if faults.has(Fault::InverseBindMissing) => Mat4::IDENTITY,
            None => inverse_bind,
        };
        let swapped = faults.has(Fault::MatrixOrderSwapped);
        let matrix = if swapped { inverse_bind * world } else { world * inverse_bind };
        Joint { world, inverse_bind, matrix: as_stored(matrix, faults) }
    };
    order.iter().zip(&skin.inverse_bind_matrices).map(joint).collect()
}

/// The skin whose palette is bound.
fn mistaken_skin(scene: &Scene, node: usize, own: usize, faults: &Faults) -> usize {
    if faults.has(Fault::PaletteOfFirstSkin) {
        return 0;
    }
    let sharing = scene.drawn.iter().filter(|other| scene.nodes[**other].mesh == scene.nodes[node].mesh);
    let other = sharing.filter_map(|other| scene.nodes[*other].skin).find(|skin| *skin != own);
    other.filter(|_| faults.has(Fault::SharedMeshSecondSkin)).unwrap_or(own)
}

/// A joint's world transform as if a skeleton were made of joints alone.
fn among_joints(scene: &Scene, pose: &Pose, skin: &Skin, joint: usize) -> Mat4 {
    let mut world = pose.locals[joint];
    let mut node = joint;
    while let Some(parent) = scene.nodes[node].parent {
        if skin.joints.contains(&parent) {
            world = pose.locals[parent] * world;
        }
        node = parent;
    }
    world
}

/// A matrix as it is written into the buffer.
fn as_stored(mut matrix: Mat4, faults: &Faults) -> Mat4 {
    if faults.has(Fault::MatrixTransposed) {
        // The translation goes to the fourth row, which is not kept.
        matrix = matrix.transpose();
    }
    if faults.has(Fault::PaletteTranslationDropped) {
        matrix.w_axis = Vec4::W;
    }
    if faults.has(Fault::PaletteRowDropped) {
        [&mut matrix.x_axis, &mut matrix.y_axis, &mut matrix.z_axis, &mut matrix.w_axis]
            .into_iter()
            .for_each(|column| column.z = 0.0);
    }
    matrix
}

/// The dual quaternion that moves nothing, and stretches nothing.
const NO_MOTION: [[f32; 4]; 5] =
    [[0.0, 0.0, 0.0, 1.0], [0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// The first three rows of an affine matrix.
pub(crate) fn rows(matrix: &Mat4) -> [[f32; 4]; 3] {
    [0, 1, 2].map(|row| matrix.row(row).to_array())
}

/// Real part, dual part and stretch of an affine matrix: rotation · stretch by polar decomposition (Higham, *Computing
/// the Polar Decomposition*, 1986). `None` where the matrix mirrors or flattens.
pub(crate) fn dual_quaternion(matrix: &Mat4) -> Option<[[f32; 4]; 5]> {
    let matrix: DMat4 = matrix.as_dmat4();
    let linear = DMat3::from_mat4(matrix);
    let determinant = linear.determinant();
    if !(determinant > 0.0 && determinant.is_finite()) {
        return None;
    }
    let mut turned = linear;
    // Convergence is quadratic once it is near, and halves exponents before: f32's need fewer steps than this.
    for _ in 0..100 {
        let next = (turned + turned.inverse().transpose()) * 0.5;
        if next == turned {
            break;
        }
        turned = next;
    }
    let real = DQuat::from_mat3(&turned).normalize();
    let translation = matrix.w_axis;
    let dual = DQuat::from_xyzw(translation.x, translation.y, translation.z, 0.0) * real * 0.5;
    let stretch = turned.transpose() * linear;
    let row = |index: usize| stretch.row(index).extend(0.0).to_array();
    let numbers = [real.to_array(), dual.to_array(), row(0), row(1), row(2)];
    Some(numbers.map(|row| row.map(|number| number as f32)))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;

    #[test]
    fn a_turned_and_stretched_joint_is_taken_apart() {
        // Half a turn about y after a stretch of 2 along x, then 4 along z: the dual part is half of (0, 0, 4) · j,
        // and k·j = −i.
        let turn = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
        let matrix = Mat4::from_rotation_translation(turn, Vec3::new(0.0, 0.0, 4.0))
            * Mat4::from_scale(Vec3::new(2.0, 1.0, 1.0));
        let [real, dual, x, y, z] = dual_quaternion(&matrix).expect("it neither mirrors nor flattens");
        let sign = real[1];
        assert_eq!(sign.abs(), 1.0);
        assert_eq!(real.map(|number| number * sign), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(dual.map(|number| number * sign), [-2.0, 0.0, 0.0, 0.0]);
        assert_eq!([x, y, z], [[2.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
        assert_eq!(dual_quaternion(&Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0))), None);
    }
}
