//! A joint's matrix taken apart: a stretch, then a rotation and a translation.
//!
//! Why it exists: dual quaternions describe rigid motions only. What a matrix does besides, its scale and shear, is
//! split off and blended first. Everything here is f64 and happens once a joint and frame.

use glam::{DMat3, DQuat, DVec3, Mat4};

/// A matrix as rotation · stretch, and a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RigidMotion {
    /// A unit quaternion.
    pub(super) rotation: DQuat,
    /// Half the translation times the rotation: the dual part of the unit dual quaternion.
    pub(super) dual: DQuat,
    /// Symmetric and positive definite.
    pub(super) stretch: DMat3,
}

/// More steps than any matrix of f32 needs: each squares the distance to the rotation once it is near, and halves the
/// exponents before.
const STEPS: usize = 100;

impl RigidMotion {
    /// The polar decomposition of an affine matrix; `None` where its determinant is not positive and finite, because
    /// no rotation comes near a matrix that mirrors, and none in particular near one that flattens.
    ///
    /// The rotation is the limit of Q ← (Q + Q⁻ᵀ)/2 (Higham, *Computing the Polar Decomposition*, 1986).
    pub(super) fn of(matrix: &Mat4) -> Option<Self> {
        let [x, y, z, translation] =
            [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis].map(|column| column.truncate().as_dvec3());
        let linear = DMat3::from_cols(x, y, z);
        let determinant = linear.determinant();
        if !(determinant > 0.0 && determinant < f64::INFINITY) {
            return None;
        }
        let mut turned = linear;
        for _ in 0..STEPS {
            let next = (turned + turned.inverse().transpose()) * 0.5;
            if next == turned {
                break;
            }
            turned = next;
        }
        let stretch = turned.transpose() * linear;
        let rotation = quaternion(&turned);
        if !(rotation.is_finite() && stretch.is_finite()) {
            return None;
        }
        let dual = DQuat::from_xyzw(translation.x, translation.y, translation.z, 0.0) * rotation * 0.5;
        Some(Self { rotation, dual, stretch: (stretch + stretch.transpose()) * 0.5 })
    }
}

/// Stretches by less than this share are rounding in the file, and no stretches.
const RIGID_TOLERANCE: f64 = 0.01;

/// The unit dual quaternion of a rigid motion, real part then dual part, each x, y, z, w: the two constants that a joint
/// has in dual quaternion programs. `None` where the matrix mirrors, or stretches by more than a hundredth.
#[must_use]
pub fn unit_dual_quaternion(matrix: &Mat4) -> Option<[[f32; 4]; 2]> {
    let RigidMotion { rotation, dual, stretch } = RigidMotion::of(matrix)?;
    let excess = (stretch - DMat3::IDENTITY).to_cols_array();
    let rigid = excess.iter().all(|difference| difference.abs() <= RIGID_TOLERANCE);
    rigid.then(|| [rotation, dual].map(|part| part.to_array().map(|component| component as f32)))
}

/// The unit quaternion of a rotation matrix, from its largest component (Shepperd, *Quaternion from Rotation Matrix*,
/// 1978), w ≥ 0.
pub(super) fn quaternion(rotation: &DMat3) -> DQuat {
    let [x, y, z]: [DVec3; 3] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    // Four times the squares of x, y, z and w.
    let squares = [
        1.0 + x.x - y.y - z.z, //
        1.0 - x.x + y.y - z.z,
        1.0 - x.x - y.y + z.z,
        1.0 + x.x + y.y + z.z,
    ];
    let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let q = match largest {
        0 => DQuat::from_xyzw(squares[0], x.y + y.x, x.z + z.x, y.z - z.y),
        1 => DQuat::from_xyzw(x.y + y.x, squares[1], y.z + z.y, z.x - x.z),
        2 => DQuat::from_xyzw(x.z + z.x, y.z + z.y, squares[2], x.y - y.x),
        _ => DQuat::from_xyzw(y.z - z.y, z.x - x.z, x.y - y.x, squares[3]),
    };
    let q = q * (1.0 / q.length());
    if q.w < 0.0 { -q } else { q }
}

#[cfg(test)]
mod tests {
    use glam::{DMat4, Quat, Vec3};
    use proptest::prelude::*;

    use super::*;

    fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(range).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn the_parts_put_together_are_the_matrix(
            axis in vector(-1.0..1.0), w in -1.0f32..1.0, scale in vector(0.01..100.0), shear in -2.0f32..2.0,
            translation in vector(-9.0..9.0),
        ) {
            let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, w);
            prop_assume!(turn.length() > 0.1);
            let mut matrix = Mat4::from_scale_rotation_translation(scale, turn.normalize(), translation);
            matrix.y_axis += matrix.x_axis * shear;
            let parts = RigidMotion::of(&matrix).expect("a matrix that neither mirrors nor flattens");
            let rotation = parts.rotation;
            prop_assert!((rotation.length() - 1.0).abs() < 1e-12);
            let moved = parts.dual * 2.0 * rotation.conjugate();
            let back = DMat4::from_translation(DVec3::new(moved.x, moved.y, moved.z))
                * DMat4::from_quat(rotation)
                * DMat4::from_mat3(parts.stretch);
            for (a, b) in back.to_cols_array().into_iter().zip(matrix.as_dmat4().to_cols_array()) {
                prop_assert!((a - b).abs() <= 1e-10 * (1.0 + b.abs()) * 100.0, "{a} is not {b}");
            }
        }
    }

    #[test]
    fn a_rigid_motion_is_two_quaternions() {
        // A quarter turn about z, then 2 along x: (0, 0, √½, √½), and half of (2, 0, 0, 0) times that: (√½, −√½, 0, 0).
        let turn = Quat::from_xyzw(0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt());
        let matrix = Mat4::from_rotation_translation(turn, Vec3::new(2.0, 0.0, 0.0));
        let half = 0.5f32.sqrt();
        let [real, dual] = unit_dual_quaternion(&matrix).unwrap();
        for (found, expected) in real.iter().chain(&dual).zip([0.0, 0.0, half, half, half, -half, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{real:?} {dual:?}");
        }
        assert_eq!(unit_dual_quaternion(&Mat4::from_scale(Vec3::splat(1.1))), None);
    }

    #[test]
    fn mirrors_and_flats_have_no_rotation() {
        assert_eq!(RigidMotion::of(&Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0))), None);
        assert_eq!(RigidMotion::of(&Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0))), None);
        assert_eq!(RigidMotion::of(&Mat4::from_scale(Vec3::splat(f32::NAN))), None);
        let halves = RigidMotion::of(&Mat4::from_scale(Vec3::splat(0.5))).unwrap();
        assert_eq!((halves.rotation, halves.stretch), (DQuat::IDENTITY, DMat3::from_diagonal(DVec3::splat(0.5))));
    }
}
