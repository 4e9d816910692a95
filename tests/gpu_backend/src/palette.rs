//! What places a draw's vertices: the matrices of its joints, or that of its node.

use glam::{DMat3, DMat4, DQuat, Mat4};
use refrast::{
    animation::Pose,
    scene::{Primitive, Scene},
    verify::Fault,
};

use crate::{BackendError, Faults, Settings, Skinning};

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

impl Palette {
    /// For a primitive that a node draws.
    pub(crate) fn new(
        scene: &Scene,
        pose: &Pose,
        node: usize,
        primitive: &Primitive,
        settings: &Settings,
        faults: &Faults,
    ) -> Result<Self, BackendError> {
        let Some((skin, influences)) = scene.nodes[node].skin.zip(primitive.influences.as_ref()) else {
            let world = pose.worlds[node];
            return Ok(Self {
                rows: rows(&world).to_vec(),
                method: Method::Matrices,
                mirrored: world.determinant() < 0.0,
            });
        };
        let skin = &scene.skins[skin];
        let joints = skin.joints.iter().zip(&skin.inverse_bind_matrices);
        let matrices: Vec<Mat4> =
            joints.clone().map(|(&joint, inverse_bind)| pose.worlds[joint] * *inverse_bind).collect();
        let mirrors: Vec<bool> = matrices.iter().map(|matrix| matrix.determinant() < 0.0).collect();
        let mut balance = 0.0f64;
        let mut followed = vec![false; matrices.len()];
        for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
            let weight = f64::from(weight);
            balance += if mirrors[usize::from(joint)] { -weight } else { weight };
            followed[usize::from(joint)] |= weight > 0.0;
        }
        let method = match settings.skinning {
            Skinning::DualQuaternion => Method::DualQuaternions,
            Skinning::Linear if faults.has(Fault::WeightsAppliedBeforeBind) => Method::WorldsAndBinds,
            Skinning::Linear => Method::Matrices,
        };
        let rows = match method {
            Method::Matrices => matrices.iter().flat_map(rows).collect(),
            Method::WorldsAndBinds => {
                joints.flat_map(|(&joint, bind)| [rows(&pose.worlds[joint]), rows(bind)].concat()).collect()
            }
            Method::DualQuaternions => {
                let apart =
                    matrices.iter().zip(followed).enumerate().map(|(joint, (matrix, followed))| match followed {
                        true => dual_quaternion(matrix).ok_or(BackendError::NoRotation { joint }),
                        false => Ok([[0.0; 4]; 5]),
                    });
                apart.collect::<Result<Vec<_>, _>>()?.concat()
            }
        };
        Ok(Self { rows, method, mirrored: balance < 0.0 })
    }
}

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
