//! Vectors and matrices of [`Bounded`] numbers, and the one step that is no polynomial: division by a length.

use glam::Mat4;

use refrast_range::{Bounded, Rounding};

pub(super) type Vector = [Bounded; 3];

/// Three rows of four; the fourth row is (0, 0, 0, 1).
pub(super) type Affine = [[Bounded; 4]; 3];

/// Three rows.
pub(super) type Matrix = [Vector; 3];

/// What a division may cost in units of rounding: Vulkan allows 2.5 ULP, and an ULP is two units.
pub(super) const DIVISION: u32 = 5;

/// What bringing a vector to unit length may cost in units of rounding, beside the errors of the vector itself.
///
/// The sum of squares has three roundings on its longest way, half of which pass the square root. A square root by
/// 1/inversesqrt takes 2 ULP and 2.5 ULP (Vulkan), and the division by it 2.5 ULP again, where an ULP is two units:
/// 1.5 + 4 + 5 + 5 = 15.5. Direct3D's way, an inverse square root to 2^-21 = 8 units and a product, stays below it. The
/// half that is left over covers squares that are flushed to zero, see [`SQUARES`].
const NORMALISATION: u32 = 16;

/// Where the square of a length must lie for a claim, so that plain f32 neither overflows nor loses it: five flushes
/// of 2^-126 are then below a third of a unit of rounding.
const SQUARES: std::ops::Range<f64> = 1.0 / (1_u128 << 98) as f64..(1_u128 << 126) as f64;

pub(super) fn exact<const N: usize>(vector: [f32; N]) -> [Bounded; N] {
    vector.map(Bounded::exact)
}

/// The upper three rows.
pub(super) fn affine(matrix: &Mat4) -> Affine {
    [0, 1, 2].map(|row| exact(matrix.row(row).to_array()))
}

pub(super) fn linear(matrix: &Affine) -> Matrix {
    matrix.map(|[x, y, z, _]| [x, y, z])
}

/// The product of two affine matrices.
pub(super) fn product(a: &Affine, b: &Affine) -> Affine {
    a.map(|[x, y, z, translation]| {
        let along = |column: usize| [x * b[0][column], y * b[1][column], z * b[2][column]];
        [
            Bounded::sum(along(0)),
            Bounded::sum(along(1)),
            Bounded::sum(along(2)),
            Bounded::sum(along(3).into_iter().chain([translation])),
        ]
    })
}

/// A matrix as a backend keeps it.
pub(super) fn stored(matrix: &Affine, rounding: Rounding) -> Affine {
    matrix.map(|row| row.map(|number| number.stored(rounding)))
}

/// The same matrix by either of two ways.
pub(super) fn wider(a: &Affine, b: &Affine) -> Affine {
    [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| a[row][column].or(b[row][column])))
}

/// The most roundings of an entry of a matrix of three rows and a translation while it is inverted by elimination: three
/// steps of each of the two triangular factors and of the two solutions (Higham, theorem 14.1 and its column-oriented kin).
const ELIMINATION: u32 = 16;

/// The inverse, by its cofactors or by elimination; `None` where f32 may have the determinant as 0.
///
/// With X the inverse of A, elimination is off by at most γ·|X||A||X| in first order; the cofactors over the determinant have
/// the bound of their formula. A translation is that of −X·t by either.
pub(super) fn inverse(matrix: &Affine, rounding: Rounding) -> Option<Affine> {
    let block = linear(matrix);
    let cofactors = cofactor(&block);
    let reciprocal = reciprocal(determinant(&block, &cofactors), rounding)?;
    let entry = |row: usize, column: usize| (cofactors[column][row] * reciprocal).stored(rounding);
    let block: Matrix = [0, 1, 2].map(|row| [0, 1, 2].map(|column| entry(row, column)));
    let moved = transform(&block, [matrix[0][3], matrix[1][3], matrix[2][3]]);
    let inverse: Affine = [0, 1, 2].map(|row| {
        let [x, y, z] = block[row];
        [x, y, z, (-moved[row]).stored(rounding)]
    });
    let sizes = |matrix: &Affine| matrix.map(|row| row.map(|number| Bounded::within(number.value().abs(), 0.0)));
    let grown = product(&product(&sizes(&inverse), &sizes(matrix)), &sizes(&inverse));
    let gamma = rounding.gamma(ELIMINATION);
    let claimed = inverse.iter().flatten().all(|number| number.bound(rounding).is_finite());
    let widened = |row: usize, column: usize| inverse[row][column].widened(gamma * grown[row][column].value());
    claimed.then(|| [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| widened(row, column))))
}

pub(super) fn dot<const N: usize>(a: [Bounded; N], b: [Bounded; N]) -> Bounded {
    Bounded::sum(a.into_iter().zip(b).map(|(a, b)| a * b))
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn scale<const N: usize>(vector: [Bounded; N], by: Bounded) -> [Bounded; N] {
    vector.map(|component| component * by)
}

pub(super) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The matrix times (v, 1).
pub(super) fn transform_point(matrix: &Affine, [x, y, z]: Vector) -> Vector {
    matrix.map(|row| Bounded::sum([row[0] * x, row[1] * y, row[2] * z, row[3]]))
}

/// The matrix times v.
pub(super) fn transform(matrix: &Matrix, v: Vector) -> Vector {
    matrix.map(|row| dot(row, v))
}

/// determinant · inverse transpose: row r is the cross product of the other two rows.
pub(super) fn cofactor(matrix: &Matrix) -> Matrix {
    let [a, b, c] = *matrix;
    [cross(b, c), cross(c, a), cross(a, b)]
}

pub(super) fn determinant(matrix: &Matrix, cofactor: &Matrix) -> Bounded {
    // Its six monomials may be added one by one: five additions, of which the expansion has three.
    dot(matrix[0], cofactor[0]).rounded(2)
}

/// ±1, or `None` where f32 may get the other sign. Exactly zero counts as positive.
pub(super) fn sign(number: Bounded, rounding: Rounding) -> Option<Bounded> {
    let bound = number.bound(rounding);
    let certain = number.value().abs() > bound || bound == 0.0;
    certain.then(|| Bounded::exact(if number.value() < 0.0 { -1.0 } else { 1.0 }))
}

/// 1 / number; `None` at 0. Where f32 may have the divisor as 0 there is no claim.
pub(super) fn reciprocal(number: Bounded, rounding: Rounding) -> Option<Bounded> {
    let (value, error) = (number.value(), number.bound(rounding));
    if value == 0.0 {
        return None;
    }
    let nearest = value.abs() - error;
    // |1/d′ − 1/d| = |d − d′|/(|d||d′|).
    let error = if nearest > 0.0 { error / (value.abs() * nearest) } else { f64::INFINITY };
    Some(Bounded::within(1.0 / value, error).rounded(DIVISION))
}

/// `vector` over the length of `by`, each component with all that can happen to it.
///
/// Let N be `by`, N′ what f32 makes of it, |N′ − N| ≤ E, and v, v′, e the same of a component. Then |N′| ≥ |N| − E and
///
/// > |v′/|N′| − v/|N|| ≤ |v′ − v|/|N′| + |v|·||N| − |N′||/(|N||N′|) ≤ (e + |v|/|N| · E) / (|N| − E),
///
/// and the operations of the normalisation itself add γ of what they round. Where E reaches |N| the direction is
/// undetermined: no claim.
pub(super) fn divide_by_length<const N: usize, const M: usize>(
    vector: [Bounded; N],
    by: [Bounded; M],
    rounding: Rounding,
) -> [Bounded; N] {
    let squared: f64 = by.iter().map(|component| component.value() * component.value()).sum();
    let length = squared.sqrt();
    let error = by.iter().map(|component| component.bound(rounding)).map(|bound| bound * bound).sum::<f64>().sqrt();
    let shortest = length - error;
    let determined = shortest > 0.0 && SQUARES.contains(&(shortest * shortest)) && SQUARES.contains(&squared);
    vector.map(|component| {
        let quotient = if squared > 0.0 { component.value() / length } else { 0.0 };
        if !determined {
            return Bounded::within(quotient, f64::INFINITY);
        }
        let before = (component.bound(rounding) + quotient.abs() * error) / shortest;
        Bounded::within(quotient, before + rounding.gamma(NORMALISATION) * (quotient.abs() + before))
    })
}

/// The vector at unit length.
pub(super) fn normalize<const N: usize>(vector: [Bounded; N], rounding: Rounding) -> [Bounded; N] {
    divide_by_length(vector, vector, rounding)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_direction_that_vanishes_in_its_error_has_no_bound() {
        let vector = [Bounded::within(1.0, 0.8), Bounded::within(0.0, 0.8), Bounded::ZERO];
        assert_eq!(normalize(vector, Rounding::Nearest)[0].bound(Rounding::Nearest), f64::INFINITY);
        assert_eq!(normalize([Bounded::ZERO; 3], Rounding::Nearest)[0].bound(Rounding::Nearest), f64::INFINITY);
    }

    proptest! {
        /// The vector anywhere in its box, normalised exactly, is inside.
        #[test]
        fn a_perturbed_direction_stays_inside(
            v in prop::array::uniform3(-1.0f64..1.0), e in prop::array::uniform3(0.0f64..0.2),
            t in prop::array::uniform3(-1.0f64..1.0),
        ) {
            let vector = [0, 1, 2].map(|i| Bounded::within(v[i], e[i]));
            let unit = normalize(vector, Rounding::Nearest);
            let moved = [0, 1, 2].map(|i| v[i] + t[i] * e[i]);
            let length = moved.iter().map(|x| x * x).sum::<f64>().sqrt();
            for i in 0..3 {
                let bound = unit[i].bound(Rounding::Nearest);
                prop_assert!(bound == f64::INFINITY || (moved[i] / length - unit[i].value()).abs() <= bound);
            }
        }
    }
}
