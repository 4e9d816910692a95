//! [`Number`]: what a formula is written over, so that it is written once and read twice.
//!
//! Why it exists: the reference computes a colour in lanes of f32, in a stated order; the envelope asks which colours the
//! same formula may give where its inputs are known to within something and each operation may round as a specification
//! allows. Two texts of one formula grow apart. A formula over a [`Number`] is the reference's where the number is a SIMD
//! lane, and the envelope's where it is a [`Ranged`](crate::Ranged).
//!
//! Every operation stands for one rounded operation of f32 (or for several, which its page names), and nothing is fused.

use std::ops::{Add, Mul, Sub};

/// A number that formulas of colours are written over.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A number that everybody is given as it is.
    fn constant(self, value: f32) -> Self;

    /// A number that everybody derives from the file by a few roundings, of numbers as large as `size`: a light's direction
    /// from its node's matrix, say.
    fn derived(self, value: f32, size: f32) -> Self;

    /// self ÷ `divisor`.
    fn divided_by(self, divisor: Self) -> Self;

    /// √self, of a number that is not below 0.
    fn square_root(self) -> Self;

    /// 1 ÷ √self, both rounded; 0 where self is not above 0.
    fn inverse_square_root(self) -> Self;

    /// The greater of self and `limit`; `limit` for not-a-number.
    fn at_least(self, limit: f32) -> Self;

    /// The lesser of self and `limit`; `limit` for not-a-number.
    fn at_most(self, limit: f32) -> Self;

    /// self where it is greater than `other`, else `other`.
    fn greater(self, other: Self) -> Self;

    /// self where it is less than `other`, else `other`.
    fn lesser(self, other: Self) -> Self;

    /// `above` where self > `limit`, else `otherwise`.
    fn if_above(self, limit: f32, above: Self, otherwise: Self) -> Self;

    /// self ÷ (self + `other`), of numbers that are not below 0; 0 where self is not above 0.
    fn share(self, other: Self) -> Self;

    /// (self·self)·(self·self)·self, of a number that is not below 0.
    #[inline(always)]
    fn fifth_power(self) -> Self {
        let square = self * self;
        square * square * self
    }

    /// self to the power of `exponent`, of a number in (0, 1] and an exponent above 0, as `exp2(exponent·log2(self))` or better.
    fn power(self, exponent: Self) -> Self;

    /// self·self.
    #[inline(always)]
    fn squared(self) -> Self {
        self * self
    }

    /// The vector · (1 ÷ √(v·v)); zero where v·v is not above 0.
    #[inline(always)]
    fn normalized(vector: [Self; 3]) -> [Self; 3] {
        scaled(vector, dot(vector, vector).inverse_square_root())
    }

    /// |self|.
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.greater(self.constant(0.0) - self)
    }
}

/// Each component through `function`: as the method of arrays, which is not always inlined into kernels.
#[inline(always)]
pub fn each<A, B>([x, y, z]: [A; 3], function: impl Fn(A) -> B) -> [B; 3] {
    [function(x), function(y), function(z)]
}

/// (a.x·b.x + a.y·b.y) + a.z·b.z.
#[inline(always)]
pub fn dot<N: Number>(a: [N; 3], b: [N; 3]) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// (a.y·b.z − a.z·b.y, a.z·b.x − a.x·b.z, a.x·b.y − a.y·b.x).
#[inline(always)]
pub fn cross<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a + b, component by component.
#[inline(always)]
pub fn sum<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b, component by component.
#[inline(always)]
pub fn difference<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a · factor.
#[inline(always)]
pub fn scaled<N: Number>(a: [N; 3], factor: N) -> [N; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// a · b, component by component.
#[inline(always)]
pub fn product<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// A scalar, for what is computed once and for tests: the bits of a lane.
impl Number for f32 {
    fn constant(self, value: f32) -> Self {
        value
    }

    fn derived(self, value: f32, _: f32) -> Self {
        value
    }

    fn divided_by(self, divisor: Self) -> Self {
        self / divisor
    }

    fn square_root(self) -> Self {
        self.sqrt()
    }

    fn inverse_square_root(self) -> Self {
        if self > 0.0 { 1.0 / self.sqrt() } else { 0.0 }
    }

    fn at_least(self, limit: f32) -> Self {
        self.greater(limit)
    }

    fn at_most(self, limit: f32) -> Self {
        self.lesser(limit)
    }

    fn greater(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    fn lesser(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    fn if_above(self, limit: f32, above: Self, otherwise: Self) -> Self {
        if self > limit { above } else { otherwise }
    }

    fn share(self, other: Self) -> Self {
        if self > 0.0 { self / (self + other) } else { 0.0 }
    }

    fn power(self, exponent: Self) -> Self {
        libm::powf(self, exponent)
    }
}
