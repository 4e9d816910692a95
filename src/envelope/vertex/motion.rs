//! What dual quaternion skinning knows of a joint: a rotation, a translation and a stretch.
//!
//! Why it exists: the joint's matrix is taken apart in a way that is no polynomial, so its part of the bound is
//! derived here. The rotation comes from the singular vectors, by Jacobi's method, and not from Newton's iteration as in the
//! kernels that are checked: what they get wrong is not got wrong here too.

use glam::{DMat3, DQuat, DVec3};

use super::vectors::{Affine, Matrix};
use refrast_range::{Bounded, Rounding};

/// A joint's unit dual quaternion and stretch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// Rotation, x y z w.
    pub(super) real: [Bounded; 4],
    /// Half the translation times the rotation, x y z w.
    pub(super) dual: [Bounded; 4],
    /// Symmetric and positive definite.
    pub(super) stretch: Matrix,
}

/// More sweeps than any matrix of f32 needs: the angles between the columns shrink with the square in each.
const SWEEPS: usize = 60;

impl Motion {
    /// Takes a joint's matrix M = R·S apart; `None` where its determinant is not positive and finite.
    ///
    /// The bound is for a backend that multiplies the palette in f32, takes each matrix apart exactly and rounds the
    /// numbers to f32, as one that does it in f64 does. A backend with a decomposition of its own in f32 is outside of
    /// every claim, since its error depends on its algorithm.
    ///
    /// With D ≥ ‖M′ − M‖ for the rounded product M′ (Frobenius norms) and σ the smallest singular value of M,
    /// ‖R′ − R‖ ≤ 2D/(2σ − D) (R.-C. Li, *New Perturbation Bounds for the Unitary Polar Factor*, 1995, with σ′ ≥ σ − D),
    /// and ‖S′ − S‖ ≤ √2·D (Higham, *Functions of Matrices*, theorem 8.9). Two rotations that differ by the angle θ
    /// are 2√2·sin(θ/2) apart as matrices and 2·sin(θ/4) ≤ √2·sin(θ/2) as quaternions: half as far. σ itself is at least
    /// 2·det M/‖M‖², since the other two singular values have the product det M/σ ≤ ‖M‖²/2.
    pub(super) fn of(matrix: &Affine, rounding: Rounding) -> Option<Self> {
        let column =
            |column: usize| DVec3::new(matrix[0][column].value(), matrix[1][column].value(), matrix[2][column].value());
        let linear = DMat3::from_cols(column(0), column(1), column(2));
        let determinant = linear.determinant();
        if !(determinant > 0.0 && determinant < f64::INFINITY) {
            return None;
        }
        let turned = nearest_rotation(linear);
        let stretch = turned.transpose() * linear;
        let real = DQuat::from_mat3(&turned).normalize();
        let translation = column(3);
        let dual = DQuat::from_xyzw(translation.x, translation.y, translation.z, 0.0) * real * 0.5;
        if !(real.is_finite() && stretch.is_finite() && dual.is_finite()) {
            return None;
        }

        let bounds = |columns: std::ops::Range<usize>| {
            let numbers = matrix.iter().flat_map(|row| &row[columns.clone()]);
            numbers.map(|number| number.bound(rounding)).map(|bound| bound * bound).sum::<f64>().sqrt()
        };
        let (distance, moved) = (bounds(0..3), bounds(3..4));
        let norm: f64 = linear.to_cols_array().iter().map(|number| number * number).sum();
        let smallest = 2.0 * determinant / norm;
        let room = 2.0 * smallest - distance;
        let turn = if room > 0.0 { distance / room } else { f64::INFINITY };
        let shift = (moved + (translation.length() + moved) * turn) / 2.0;
        let quaternion = |numbers: DQuat, error| numbers.to_array().map(|x| Bounded::within(x, error).rounded(1));
        let stretched = |number: f64| Bounded::within(number, std::f64::consts::SQRT_2 * distance).rounded(1);
        Some(Self {
            real: quaternion(real, turn),
            dual: quaternion(dual, shift),
            stretch: stretch.transpose().to_cols_array_2d().map(|row| row.map(stretched)),
        })
    }

    /// The motion put together again, for tests.
    #[cfg(test)]
    fn matrix(&self) -> glam::DMat4 {
        let numbers = |q: [Bounded; 4]| DQuat::from_array(q.map(Bounded::value));
        let (real, dual) = (numbers(self.real), numbers(self.dual));
        let moved = dual * 2.0 * real.conjugate();
        let stretch = DMat3::from_cols_array_2d(&self.stretch.map(|row| row.map(Bounded::value))).transpose();
        glam::DMat4::from_translation(DVec3::new(moved.x, moved.y, moved.z))
            * glam::DMat4::from_quat(real)
            * glam::DMat4::from_mat3(stretch)
    }
}

/// The rotation of the polar decomposition: U·Vᵀ for a matrix U·Σ·Vᵀ.
///
/// Hestenes, *Inversion of Matrices by Biorthogonalization*, 1958: columns are turned in pairs until each is at right angles
/// to the others. They are then σᵢ·uᵢ, and what has been done to them is V; small singular values are as precise as large
/// ones.
fn nearest_rotation(linear: DMat3) -> DMat3 {
    let mut columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let mut turned = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..SWEEPS {
        let mut still = true;
        for [p, q] in [[0, 1], [0, 2], [1, 2]] {
            let [a, b] = [columns[p], columns[q]];
            let (along, lengths) = (a.dot(b), [a.length_squared(), b.length_squared()]);
            if along.abs() <= f64::EPSILON * lengths[0].sqrt() * lengths[1].sqrt() {
                continue;
            }
            still = false;
            // The smaller of the two angles after which a and b are at right angles.
            let cotangent = (lengths[1] - lengths[0]) / (2.0 * along);
            let tangent = 1.0f64.copysign(cotangent) / (cotangent.abs() + (1.0 + cotangent * cotangent).sqrt());
            let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
            let sine = cosine * tangent;
            for vectors in [&mut columns, &mut turned] {
                (vectors[p], vectors[q]) =
                    (vectors[p] * cosine - vectors[q] * sine, vectors[p] * sine + vectors[q] * cosine);
            }
        }
        if still {
            break;
        }
    }
    let [x, y, z] = columns.map(|column| column / column.length());
    DMat3::from_cols(x, y, z) * DMat3::from_cols(turned[0], turned[1], turned[2]).transpose()
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat, Vec3};

    use super::{super::vectors::affine, *};

    #[test]
    fn a_matrix_is_taken_apart_and_put_together() {
        let turn = Quat::from_xyzw(0.1, -0.7, 0.5, 0.5).normalize();
        let matrix = Mat4::from_scale_rotation_translation(Vec3::new(0.5, 2.0, 1.5), turn, Vec3::new(1.0, 2.0, -3.0));
        let motion = Motion::of(&affine(&matrix), Rounding::Nearest).unwrap();
        for (a, b) in motion.matrix().to_cols_array().into_iter().zip(matrix.as_dmat4().to_cols_array()) {
            assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        }
        assert!(Motion::of(&affine(&Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0))), Rounding::Nearest).is_none());
    }

    /// In the plane the angle is known: that of (a + d, c − b) for the rows a b and c d.
    #[test]
    fn a_shear_turns_by_its_angle() {
        for shear in [-1e5, -7.0, -0.3, 1e-9, 0.5, 2.0, 1e3] {
            for scale in [1e-18, 0.01, 1.0, 1e15] {
                let x = DVec3::new(scale, 0.0, 0.0);
                let y = DVec3::new(shear * scale, scale, 0.0);
                let rotation = nearest_rotation(DMat3::from_cols(x, y, DVec3::new(0.0, 0.0, scale)));
                let expected = DMat3::from_rotation_z(libm::atan2(-shear, 2.0));
                let off = (rotation - expected).to_cols_array().into_iter().fold(0.0f64, |off, x| off.max(x.abs()));
                assert!(off < 1e-14 * (1.0 + shear.abs()), "shear {shear} of {scale}: {off:e}");
            }
        }
    }

    /// Rows and columns in any order, and stretches that differ by 10^20.
    #[test]
    fn a_turned_stretch_gives_its_rotation_back() {
        let quaternions = [[0.1, -0.7, 0.5, 0.5], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], [-0.9, 0.1, 0.05, 0.3]];
        for quaternion in quaternions.map(|q| DQuat::from_array(q).normalize()) {
            for stretch in [[1.0, 1.0, 1.0], [1e-10, 1.0, 1e10], [3.0, 3.0, 0.25]] {
                let turn = DMat3::from_quat(quaternion);
                let found = nearest_rotation(turn * DMat3::from_diagonal(DVec3::from_array(stretch)));
                let off = (found - turn).to_cols_array().into_iter().fold(0.0f64, |off, x| off.max(x.abs()));
                assert!(off < 1e-14, "{quaternion} {stretch:?}: {off:e}");
            }
        }
    }
}
