//! [`Lane`]: eight lanes of f32 as the [`Number`] that formulas are written over.
//!
//! Every operation is one of the level's rounded operations (or several, each rounded), so that a formula that is written
//! over a [`Number`] has the bits of the same formula written over vectors.

use std::ops::{Add, Mul, Sub};

use fearless_simd::{Simd, f32x8, prelude::*};
use refrast_range::Number;

/// Eight lanes.
#[derive(Clone, Copy)]
pub(super) struct Lane<S: Simd>(pub(super) f32x8<S>);

impl<S: Simd> Lane<S> {
    /// The same number in every lane.
    #[inline(always)]
    pub(super) fn splat(simd: S, value: f32) -> Self {
        Self(f32x8::splat(simd, value))
    }
}

impl<S: Simd> Add for Lane<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<S: Simd> Sub for Lane<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl<S: Simd> Mul for Lane<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<S: Simd> Number for Lane<S> {
    #[inline(always)]
    fn constant(self, value: f32) -> Self {
        Self::splat(self.0.token(), value)
    }

    #[inline(always)]
    fn derived(self, value: f32, _: f32) -> Self {
        self.constant(value)
    }

    #[inline(always)]
    fn divided_by(self, divisor: Self) -> Self {
        Self(self.0 / divisor.0)
    }

    #[inline(always)]
    fn square_root(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn inverse_square_root(self) -> Self {
        let [zero, one] = [0.0, 1.0].map(|value| self.constant(value).0);
        Self(self.0.simd_gt(zero).select(one / self.0.sqrt(), zero))
    }

    #[inline(always)]
    fn at_least(self, limit: f32) -> Self {
        self.greater(self.constant(limit))
    }

    #[inline(always)]
    fn at_most(self, limit: f32) -> Self {
        self.lesser(self.constant(limit))
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Self(self.0.simd_gt(other.0).select(self.0, other.0))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Self(self.0.simd_lt(other.0).select(self.0, other.0))
    }

    #[inline(always)]
    fn if_above(self, limit: f32, above: Self, otherwise: Self) -> Self {
        Self(self.0.simd_gt(self.constant(limit).0).select(above.0, otherwise.0))
    }

    #[inline(always)]
    fn share(self, other: Self) -> Self {
        let zero = self.constant(0.0).0;
        Self(self.0.simd_gt(zero).select(self.0 / (self.0 + other.0), zero))
    }

    /// One lane after the other: no level has an instruction for it, and all have libm's bits.
    #[inline(always)]
    fn power(self, exponent: Self) -> Self {
        let (base, exponent) = (<[f32; 8]>::from(self.0), <[f32; 8]>::from(exponent.0));
        Self(f32x8::from_fn(self.0.token(), |lane| libm::powf(base[lane], exponent[lane])))
    }
}
