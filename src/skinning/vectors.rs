//! Vector algebra on sixteen vertices at a time, with the order of every sum written down.

use fearless_simd::{Simd, f32x16, prelude::*, u32x16};

/// x, y and z of sixteen vertices.
pub(super) type Vector<S> = [f32x16<S>; 3];

/// A 3×3 matrix of each of sixteen vertices, by columns.
pub(super) type Matrix<S> = [Vector<S>; 3];

/// `(a.x·b.x + a.y·b.y) + a.z·b.z`.
#[inline(always)]
pub(super) fn dot<S: Simd>(a: Vector<S>, b: Vector<S>) -> f32x16<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Each component is `first product − second product`.
#[inline(always)]
pub(super) fn cross<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `(column₀·x + column₁·y) + column₂·z`.
#[inline(always)]
pub(super) fn transform<S: Simd>(matrix: &Matrix<S>, v: Vector<S>) -> Vector<S> {
    let [a, b, c] = *matrix;
    [
        a[0] * v[0] + b[0] * v[1] + c[0] * v[2],
        a[1] * v[0] + b[1] * v[1] + c[1] * v[2],
        a[2] * v[0] + b[2] * v[1] + c[2] * v[2],
    ]
}

/// The vector at unit length; the zero vector, and one that is not finite, becomes zero.
///
/// The vector is first scaled by the power of two that brings its largest component into [1, 2). That is exact, and
/// the squares can then neither overflow nor vanish: the cofactors of a joint that is scaled by 10^-10 are about
/// 10^-20, and their squares are no f32 any more.
#[inline(always)]
pub(super) fn normalize<S: Simd>(v: Vector<S>) -> Vector<S> {
    let simd = v[0].simd;
    let largest = v[0].abs().max_precise(v[1].abs()).max_precise(v[2].abs());
    let exponent: u32x16<S> = largest.bitcast::<u32x16<S>>() & 0x7f80_0000;
    let scale: f32x16<S> = (u32x16::splat(simd, 0x7f00_0000) - exponent).bitcast();
    let v = [v[0] * scale, v[1] * scale, v[2] * scale];
    let squared = dot(v, v);
    let inverse = f32x16::splat(simd, 1.0) / squared.sqrt();
    let has_direction = squared.simd_gt(0.0) & squared.simd_lt(f32::INFINITY);
    let zero = f32x16::splat(simd, 0.0);
    [
        has_direction.select(v[0] * inverse, zero),
        has_direction.select(v[1] * inverse, zero),
        has_direction.select(v[2] * inverse, zero),
    ]
}

/// What stands between a position and its normal: the 3×3 part of a vertex's blended matrix, ready for directions.
#[derive(Clone, Copy)]
pub(super) struct Directions<S: Simd> {
    /// What takes normals to normals, up to length.
    pub(super) normal: Matrix<S>,
    /// 1, or −1 where the matrix mirrors.
    pub(super) sign: f32x16<S>,
}

/// The inverse transpose, up to a positive factor, without dividing by a determinant that may be 0.
///
/// The columns of the cofactor matrix are the cross products of the columns, and cofactor = determinant · inverse
/// transpose. Dividing by the determinant's sign keeps a mirrored normal outside; at determinant 0 the cofactor
/// matrix alone is used: a joint that is flat to a plane still gives the plane's normal.
#[inline(always)]
pub(super) fn inverse_transpose<S: Simd>(matrix: &Matrix<S>) -> Directions<S> {
    let [a, b, c] = *matrix;
    let cofactor = [cross(b, c), cross(c, a), cross(a, b)];
    Directions { normal: cofactor, sign: sign(dot(a, cofactor[0])) }
}

/// The matrix as it is, for joints that only turn, move and scale evenly.
#[inline(always)]
pub(super) fn rotation_only<S: Simd>(matrix: &Matrix<S>) -> Directions<S> {
    let [a, b, c] = *matrix;
    Directions { normal: *matrix, sign: sign(dot(a, cross(b, c))) }
}

/// −1 where the number is negative, otherwise 1.
#[inline(always)]
pub(super) fn sign<S: Simd>(number: f32x16<S>) -> f32x16<S> {
    let one = f32x16::splat(number.simd, 1.0);
    number.simd_lt(0.0).select(-one, one)
}

/// The tangent's part at right angles to the normal, at unit length: normalise(T − (T·N)·N), as Gram and Schmidt do.
///
/// The tangent may have any length; it is brought to unit length first, so that T·N can not overflow.
#[inline(always)]
pub(super) fn orthonormalize<S: Simd>(tangent: Vector<S>, normal: Vector<S>) -> Vector<S> {
    let tangent = normalize(tangent);
    let along = dot(tangent, normal);
    normalize([tangent[0] - normal[0] * along, tangent[1] - normal[1] * along, tangent[2] - normal[2] * along])
}
