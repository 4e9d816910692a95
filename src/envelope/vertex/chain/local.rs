//! A node's matrix: T·R·S, or as the file has it.

use glam::{DMat3, DQuat, DVec3, Mat4};
use refrast_range::{Bounded, Rounding};

use super::{UNIT, rotation::Quaternion};
use crate::vertex::vectors::{Affine, Matrix, Vector, stored};

/// T·R·S. A backend may also multiply its parent's matrix by T, R and S one after the other: the same monomials in another
/// association, with as many roundings as [`hierarchy`](super::hierarchy) counts.
pub(super) fn compose(translation: Vector, rotation: Quaternion, scale: Vector, rounding: Rounding) -> Affine {
    let turn = rotation_matrix(&rotation);
    let row = |row: usize| {
        let [x, y, z] = [0, 1, 2].map(|column| turn[row][column].stored(rounding) * scale[column]);
        [x, y, z, translation[row]]
    };
    stored(&[row(0), row(1), row(2)], rounding)
}

/// 1 − 2(y² + z²) … on the diagonal, or w² + x² − y² − z² …, which is the same for a unit quaternion alone; two roundings more
/// are for 2/|q|² in place of 2.
///
/// Of a quaternion that is too long by the factor 1 + λ the first form makes I + (1 + λ)²·(R − I): its entries are off by
/// (2λ + λ²)·|R − I|. The second one scales R itself; it is claimed of quaternions that were brought to unit length last, and λ is
/// then [`LAST`].
fn rotation_matrix(quaternion: &Quaternion) -> Matrix {
    let exact = polynomials(quaternion.numbers);
    let is_unit = (quaternion.numbers.iter().map(|x| x.value() * x.value()).sum::<f64>() - 1.0).abs() < 1e-9;
    let longer = |by: f64| 2.0 * by + by * by;
    let entry = |row: usize, column: usize| {
        let value = exact[row][column].value();
        let from_identity = (value - f64::from(u8::from(row == column))).abs();
        let last =
            if is_unit && quaternion.length > 0.0 { longer(Rounding::Nearest.gamma(LAST)) * value.abs() } else { 0.0 };
        exact[row][column].widened((longer(quaternion.length) * from_identity).max(last))
    };
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| entry(row, column)))
}

/// Roundings of unit length that all numbers have in common.
const LAST: u32 = 4;

fn polynomials([x, y, z, w]: [Bounded; 4]) -> Matrix {
    let two = Bounded::exact(2.0);
    let doubled = |a: Bounded, b: Bounded| (two * (a * b)).rounded(2);
    let squares = [x * x, y * y, z * z, w * w];
    let is_unit = (squares.iter().map(|square| square.value()).sum::<f64>() - 1.0).abs() < 1e-9;
    let diagonal = |p: usize, q: usize, r: usize| {
        let [p, q, r, own] = [squares[p], squares[q], squares[r], squares[3]];
        let minus = |square: Bounded| -(two * square).rounded(2);
        let by_one = Bounded::sum([Bounded::exact(1.0), minus(q), minus(r)]);
        if is_unit { by_one.or(Bounded::sum([own, p, -q, -r])) } else { by_one }
    };
    let off = |a: Bounded, b: Bounded, c: Bounded| doubled(a, b) + doubled(c, w);
    [
        [diagonal(0, 1, 2), off(x, y, -z), off(x, z, y)],
        [off(x, y, z), diagonal(1, 0, 2), off(y, z, -x)],
        [off(x, z, -y), off(y, z, x), diagonal(2, 0, 1)],
    ]
}

/// Roundings of a matrix that is taken apart into T, R and S and composed again, in parts of its column's length.
///
/// Columns come to unit length with γ₄; the largest of 4x², 4y², 4z² and 4w² is a sum of four such numbers, at least 1 and off by 24u;
/// its root is off by 13u of itself, the other three numbers by 14u of themselves and 5u more, and 1 − 2(y² + z²), the
/// most sensitive entry, by 4·(14u·(y² + z²) + 5u·(|y| + |z|)) + 3u ≤ 87u; the scale's four are on top.
const TAKEN_APART: u32 = 92;
/// The same for an axis that lies along an axis: its column has one number, and nothing is rounded but the root of 1/2 or 1/4, its
/// square and the scale.
const TAKEN_APART_ALONG: u32 = 12;
/// How far the entries of a matrix of rotation and scale may be from one, in parts of its column's length: what f32 makes of a
/// long product. Beyond that it is sheared, and who takes it apart loses that.
const SHEARED: f64 = 1.0 / 4096.0;

/// A matrix of the file: decimals of f64 that f32 rounds, and what is left of it where a backend takes it apart (three.js, Bevy)
/// and composes it again. No f32 matrix is quite a rotation and a scale, so the two are apart by up to twice what one such
/// way makes in f64.
pub(super) fn given_matrix(matrix: &Mat4) -> Affine {
    let numbers = matrix.as_dmat4();
    let linear = DMat3::from_mat4(numbers);
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let lengths = columns.map(DVec3::length);
    let again = taken_apart(linear);
    let is_diagonal = (0..3).all(|c| columns[c][c] > 0.0 && (0..3).all(|r| r == c || columns[c][r] == 0.0));
    let is_along = columns.iter().all(|column| column.to_array().iter().filter(|x| **x != 0.0).count() == 1);
    let apart = |c: usize| (columns[c] - again.col(c)).abs();
    let is_sheared = (0..3).any(|c| apart(c).max_element().is_nan() || apart(c).max_element() > SHEARED * lengths[c]);
    let roundings = match (is_diagonal, is_along) {
        (true, _) => 4,
        (false, true) => TAKEN_APART_ALONG,
        (false, false) => TAKEN_APART,
    };
    let entry = |row: usize, column: usize| {
        let value = numbers.col(column)[row];
        let decimal = UNIT * value.abs();
        if column == 3 || is_sheared || (is_diagonal && row != column) {
            return Bounded::within(value, decimal);
        }
        let taken_apart = 2.0 * apart(column)[row] + Rounding::Nearest.gamma(roundings) * lengths[column];
        Bounded::within(value, decimal + taken_apart)
    };
    [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| entry(row, column)))
}

/// The matrix as scale, then rotation by a unit quaternion; a mirror is in the scale of x.
fn taken_apart(linear: DMat3) -> DMat3 {
    let mirror = linear.determinant().signum();
    let [x, y, z] = [linear.x_axis.length() * mirror, linear.y_axis.length(), linear.z_axis.length()];
    let turn = DMat3::from_cols(linear.x_axis / x, linear.y_axis / y, linear.z_axis / z);
    DMat3::from_quat(DQuat::from_mat3(&turn).normalize()) * DMat3::from_diagonal(DVec3::new(x, y, z))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::vertex::chain::rotation::{NodeRotations, of_node};

    const NEAREST: Rounding = Rounding::Nearest;

    #[test]
    fn an_identity_is_exact_and_a_turn_is_not() {
        let [one, zero] = [1.0, 0.0].map(Bounded::exact);
        let still = compose([zero; 3], of_node([0.0, 0.0, 0.0, 1.0], NodeRotations::AsStored, 0.0), [one; 3], NEAREST);
        for (row, numbers) in still.iter().enumerate() {
            for (column, number) in numbers.iter().enumerate() {
                assert_eq!((number.value(), number.bound(NEAREST)), (f64::from(u8::from(row == column)), 0.0));
            }
        }
        // A quarter turn about z: the cosine is 0, and yet 1 − 2·(√½)² rounds to 6e-8 in f32.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turned = compose([zero; 3], of_node([0.0, 0.0, half, half], NodeRotations::Unit, 0.0), [one; 3], NEAREST);
        assert!(turned[0][0].value().abs() < 1e-15);
        assert!(turned[0][0].bound(NEAREST) >= f64::from((1.0 - 2.0 * half * half).abs()));
        assert!(turned[0][0].bound(NEAREST) < 3e-6);
        assert_eq!(turned[0][2].bound(NEAREST), 0.0);
    }

    #[test]
    fn glams_own_decomposition_is_within_the_bound() {
        for seed in 0..200 {
            let number = |i: u32| libm::sinf((seed * 17 + i * 5) as f32);
            let turn = Quat::from_xyzw(number(1), number(2), number(3), number(4)).normalize();
            let scale = Vec3::new(number(5) + 2.0, number(6) + 1.5, if seed % 3 == 0 { -1.25 } else { 0.5 });
            let matrix = Mat4::from_scale_rotation_translation(scale, turn, Vec3::new(1.0, 2.0, 3.0));
            let (scale, turn, moved) = matrix.to_scale_rotation_translation();
            let again = Mat4::from_scale_rotation_translation(scale, turn, moved);
            for (row, numbers) in given_matrix(&matrix).iter().enumerate() {
                for (column, number) in numbers.iter().enumerate() {
                    let off = (f64::from(again.col(column)[row]) - number.value()).abs();
                    assert!(off <= number.bound(NEAREST), "{seed}: {row} {column} off by {off:e}");
                }
            }
        }
    }

    #[test]
    fn a_sheared_matrix_is_only_itself() {
        let mut matrix = Mat4::IDENTITY;
        matrix.y_axis.x = 0.5;
        assert!(given_matrix(&matrix)[0][1].bound(NEAREST) <= 0.5 * UNIT);
    }
}
