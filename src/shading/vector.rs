//! Three-component vectors of eight lanes; every sum runs x, y, z from left to right.

use fearless_simd::{Simd, f32x8, prelude::*};

/// x, y, z (or red, green, blue) of eight lanes.
pub(super) type Vector<S> = [f32x8<S>; 3];

/// The same vector in every lane.
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, [x, y, z]: [f32; 3]) -> Vector<S> {
    [f32x8::splat(simd, x), f32x8::splat(simd, y), f32x8::splat(simd, z)]
}

/// a + b.
#[inline(always)]
pub(super) fn add<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline(always)]
pub(super) fn subtract<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Component by component.
#[inline(always)]
pub(super) fn multiply<S: Simd>(a: Vector<S>, b: Vector<S>) -> Vector<S> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// a · factor.
#[inline(always)]
pub(super) fn scale<S: Simd>(a: Vector<S>, factor: f32x8<S>) -> Vector<S> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// (a.x·b.x + a.y·b.y) + a.z·b.z.
#[inline(always)]
pub(super) fn dot<S: Simd>(a: Vector<S>, b: Vector<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// 1 ÷ √`squared`, both rounded; 0 where `squared` is not above 0.
#[inline(always)]
pub(super) fn inverse_length<S: Simd>(squared: f32x8<S>) -> f32x8<S> {
    let simd = squared.token();
    let zero = f32x8::splat(simd, 0.0);
    squared.simd_gt(zero).select(f32x8::splat(simd, 1.0) / squared.sqrt(), zero)
}

/// Divided by its length; a vector without length stays as it is.
#[inline(always)]
pub(super) fn normalize<S: Simd>(a: Vector<S>) -> Vector<S> {
    scale(a, inverse_length(dot(a, a)))
}
