//! Vector algebra on as many vertices as the SIMD level takes at once, with the order of every sum written down.

use fearless_simd::{Simd, prelude::*};

/// x, y and z of several vertices.
pub(super) type Vector<S> = [<S as Simd>::f32s; 3];

/// A 3×3 matrix of each of several vertices, by columns.
pub(super) type Matrix<S> = [Vector<S>; 3];

/// `(a.x·b.x + a.y·b.y) + a.z·b.z`.
#[inline(always)]
pub(super) fn dot<S: Simd>(a: Vector<S>, b: Vector<S>) -> S::f32s {
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

/// Component by component.
#[inline(always)]
pub(super) fn add<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The vector times a number.
#[inline(always)]
pub(super) fn scale<S: Simd>(v: Vector<S>, by: S::f32s) -> Vector<S> {
    [v[0] * by, v[1] * by, v[2] * by]
}

/// The vector at unit length; the zero vector, and one that is not finite, becomes zero.
///
/// The vector is first scaled by a power of two that brings its largest component into [1, 16) (a denormal one into
/// [2^-22, 2)). That is exact, and the squares can then neither overflow nor vanish: the cofactors of a joint that is
/// scaled by 10^-10 are about 10^-20, and their squares are no f32 any more. The two lowest bits of the exponent are left
/// out, because the power that brings 2^127 and more into [1, 2) is no normal f32.
#[inline(always)]
pub(super) fn normalize<S: Simd>(v: Vector<S>) -> Vector<S> {
    let simd = v[0].token();
    // Without their signs, floats are in the order of their bits.
    let [x, y, z]: [S::i32s; 3] = [v[0].abs().bitcast(), v[1].abs().bitcast(), v[2].abs().bitcast()];
    let exponent = x.max(y).max(z) & 0x7e00_0000;
    let power: S::f32s = (S::i32s::splat(simd, 0x7f00_0000) - exponent).bitcast();
    let v = scale::<S>(v, power);
    let squared = dot::<S>(v, v);
    let inverse = S::f32s::splat(simd, 1.0) / squared.sqrt();
    let has_direction = squared.simd_gt(0.0) & squared.simd_lt(f32::INFINITY);
    let zero = S::f32s::splat(simd, 0.0);
    [
        has_direction.select(v[0] * inverse, zero),
        has_direction.select(v[1] * inverse, zero),
        has_direction.select(v[2] * inverse, zero),
    ]
}

/// The cofactor matrix and the sign of the determinant, which is 1 where the determinant is 0.
///
/// The columns of the cofactor matrix are the cross products of the columns, and cofactor = determinant · inverse
/// transpose. So `sign · cofactor` takes normals as the inverse transpose does, up to a positive factor, without
/// dividing by a determinant that may be 0: a mirrored normal stays outside, and a joint that is flattened to a plane
/// still gives the plane's normal.
#[inline(always)]
pub(super) fn cofactor<S: Simd>(matrix: &Matrix<S>) -> (Matrix<S>, S::f32s) {
    let [a, b, c] = *matrix;
    let cofactor = [cross::<S>(b, c), cross::<S>(c, a), cross::<S>(a, b)];
    (cofactor, sign::<S>(dot::<S>(a, cofactor[0])))
}

/// −1 where the number is negative, otherwise 1.
#[inline(always)]
pub(super) fn sign<S: Simd>(number: S::f32s) -> S::f32s {
    let simd = number.token();
    number.simd_lt(0.0).select(S::f32s::splat(simd, -1.0), S::f32s::splat(simd, 1.0))
}

/// A tangent's part at right angles to the normal, at unit length: normalise(T − (T·N)·N), as Gram and Schmidt do. Both are of
/// unit length.
#[inline(always)]
pub(super) fn orthonormalize<S: Simd>(tangent: Vector<S>, normal: Vector<S>) -> Vector<S> {
    let along = dot::<S>(tangent, normal);
    normalize::<S>([tangent[0] - normal[0] * along, tangent[1] - normal[1] * along, tangent[2] - normal[2] * along])
}
