//! [`Bounded`]: a number together with the set of results that f32 may give for it.
//!
//! Why it exists: a bound that is derived on paper for one formula is wrong for the next one. Here a formula is
//! written down once, in f64, and the arithmetic keeps the books of the standard model (N. Higham, *Accuracy and
//! Stability of Numerical Algorithms*, 2nd ed., chapters 2 and 3).
//!
//! # Derivation
//!
//! An f32 operation gives (a op b)(1 + δ) with |δ| ≤ u (eq. 2.4). A polynomial that is evaluated in *any* order,
//! with or without fused operations, is therefore computed as Σ mⱼ(1 + θⱼ) over its monomials mⱼ, where θⱼ collects the
//! δ of every operation on the way from mⱼ's factors to the result. If at most k of them lie on any way, then
//! |θⱼ| ≤ γₖ = k·u / (1 − k·u) (lemma 3.1), and
//!
//! > |computed − exact| ≤ γₖ · Σ|mⱼ|.
//!
//! A product adds the ways of its factors and one; a sum of n terms takes the longest way of any term and n − 1, which
//! covers every order of summation; fusing only removes roundings. Terms that are exactly zero and factors that are
//! exactly ±1 round nothing.
//!
//! Where a factor is not exact itself but within e of its value (a normal that was divided by a computed length), the
//! error goes along: |a′b′ − ab| ≤ eₐ|b′| + |a|e_b. The magnitudes are taken at the far end of that interval.
//!
//! Underflow, and backends that flush denormals to zero (Vulkan and Direct3D allow it): each factor and each
//! operation may lose η = 2^-126, which the other factors of the monomial then multiply. With k operations and at
//! most k + 1 factors that is at most (2k + 1)·η·Π max(1, |factor|) a monomial. [`Bounded`] carries that sum along.
//!
//! The evaluation in f64 has errors of its own, k·2^-53·Σ|mⱼ| at most. They vanish in the gap between γₖ and the
//! (1 + u)ᵏ − 1 which it replaces: that gap is at least u²·k·Σ|mⱼ|/2 = k·2^-49·Σ|mⱼ|.

use std::ops::{Add, Mul, Neg, Sub};

/// How a backend rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest f32, as IEEE 754 and Direct3D 11 ask: u = 2^-24.
    #[default]
    Nearest,
    /// To either neighbour, as Vulkan allows for add, subtract and multiply: u = 2^-23.
    AnyDirection,
}

impl Rounding {
    /// The largest relative error of one operation.
    #[must_use]
    pub const fn unit(self) -> f64 {
        match self {
            Self::Nearest => 1.0 / (1 << 24) as f64,
            Self::AnyDirection => 1.0 / (1 << 23) as f64,
        }
    }

    /// γₖ = k·u / (1 − k·u): the largest relative error after `roundings` operations; infinite where k·u ≥ 1.
    #[must_use]
    pub fn gamma(self, roundings: u32) -> f64 {
        let product = f64::from(roundings) * self.unit();
        if product < 1.0 { product / (1.0 - product) } else { f64::INFINITY }
    }
}

/// The smallest normal f32, 2^-126: what is smaller may be flushed to zero.
const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;

/// An exact value, and how far an f32 evaluation of the same formula may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// The exact value, but for f64.
    value: f64,
    /// Σ|monomial|.
    size: f64,
    /// The same sum with each factor replaced by the larger of 1 and itself.
    gross: f64,
    /// What the errors of inexact factors make.
    error: f64,
    /// The most roundings on the way of any monomial.
    roundings: u32,
}

impl Bounded {
    /// Exactly zero.
    pub const ZERO: Self = Self { value: 0.0, size: 0.0, gross: 0.0, error: 0.0, roundings: 0 };

    /// A number of which nothing is known.
    pub const UNCLAIMED: Self =
        Self { value: 0.0, size: f64::INFINITY, gross: f64::INFINITY, error: f64::INFINITY, roundings: 0 };

    /// A number that every backend is given as it is.
    #[must_use]
    pub fn exact(value: f32) -> Self {
        Self::within(f64::from(value), 0.0)
    }

    /// A number that a backend has only to within `error`.
    #[must_use]
    pub fn within(value: f64, error: f64) -> Self {
        let size = value.abs() + error;
        Self { value, size, gross: if size == 0.0 { 0.0 } else { size.max(1.0) }, error, roundings: 0 }
    }

    /// The exact value.
    #[must_use]
    pub fn value(self) -> f64 {
        self.value
    }

    /// How far f32 may be from the value; infinite where nothing can be said, for one where f32 may overflow.
    #[must_use]
    pub fn bound(self, rounding: Rounding) -> f64 {
        // An input that is 0 stays 0: there is nothing to round or flush.
        if self.size == 0.0 {
            return 0.0;
        }
        let operations = f64::from(2 * self.roundings + 1);
        let bound = rounding.gamma(self.roundings) * self.size
            + self.error
            + if self.roundings == 0 { 0.0 } else { operations * SMALLEST_NORMAL * self.gross };
        if self.size + bound < f64::from(f32::MAX) { bound } else { f64::INFINITY }
    }

    /// The same number after more roundings, for an operation that is not written out or an order that nests deeper.
    #[must_use]
    pub fn rounded(self, more: u32) -> Self {
        Self { roundings: self.roundings + more, ..self }
    }

    /// The same number where a backend has it only to within `error` more.
    #[must_use]
    pub fn widened(self, error: f64) -> Self {
        if error == 0.0 {
            return self;
        }
        let size = self.size + error;
        Self { size, gross: self.gross.max(1.0) + error, error: self.error + error, ..self }
    }

    /// The number as a backend keeps it in a variable: what its formula was is forgotten, how far off it may be is not.
    #[must_use]
    pub fn stored(self, rounding: Rounding) -> Self {
        Self::within(self.value, self.bound(rounding))
    }

    /// The same value, with the room that either of two formulas for it needs.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            value: self.value,
            size: self.size.max(other.size),
            gross: self.gross.max(other.gross),
            error: self.error.max(other.error),
            roundings: self.roundings.max(other.roundings),
        }
    }

    /// The sum, in whatever order it is taken.
    pub fn sum(terms: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::ZERO;
        let mut count = 0;
        for term in terms.into_iter().filter(|term| term.size != 0.0) {
            sum.value += term.value;
            sum.size += term.size;
            sum.gross += term.gross;
            sum.error += term.error;
            sum.roundings = sum.roundings.max(term.roundings);
            count += 1;
        }
        sum.rounded(u32::saturating_sub(count, 1))
    }

    /// Whether a product with this number needs no rounding.
    fn is_unit(self) -> bool {
        self.value.abs() == 1.0 && self.error == 0.0 && self.roundings == 0
    }
}

impl Add for Bounded {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::sum([self, other])
    }
}

impl Neg for Bounded {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Sub for Bounded {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Bounded {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        if self.size == 0.0 || other.size == 0.0 {
            return Self::ZERO;
        }
        let rounding = u32::from(!(self.is_unit() || other.is_unit()));
        Self {
            value: self.value * other.value,
            size: self.size * other.size,
            gross: self.gross * other.gross,
            error: self.error * other.size + self.size * other.error,
            roundings: self.roundings + other.roundings + rounding,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn gamma_is_highams() {
        // k·u/(1 − k·u) with k = 2^22 and u = 2^-24: (1/4)/(3/4).
        assert_eq!(Rounding::Nearest.gamma(1 << 22), 1.0 / 3.0);
        assert_eq!(Rounding::AnyDirection.gamma(1 << 22), 1.0);
        assert_eq!(Rounding::Nearest.gamma(0), 0.0);
        assert_eq!(Rounding::Nearest.gamma(1 << 24), f64::INFINITY);
    }

    #[test]
    fn chains_are_counted_by_hand() {
        let [a, b, c] = [3.0, 5.0, -7.0].map(Bounded::exact);
        // One product, then the later of the additions: a·b + c + c has 1 + 2 roundings.
        let sum = Bounded::sum([a * b, c, c]);
        assert_eq!((sum.value, sum.size, sum.roundings), (1.0, 29.0, 3));
        // Zeros and ones round nothing.
        assert_eq!((a * Bounded::exact(1.0) + Bounded::exact(0.0) * b).roundings, 0);
        assert_eq!(a.bound(Rounding::Nearest), 0.0);
        let product = (a + b) * c;
        assert_eq!((product.value, product.size, product.roundings), (-56.0, 56.0, 2));
    }

    #[test]
    fn inexact_factors_carry_their_error() {
        // (2 ± 0.5)·(3 ± 0.25): at most 2.5·3.25 − 6 = 2.125 away.
        let product = Bounded::within(2.0, 0.5) * Bounded::within(3.0, 0.25);
        assert!(product.error >= 2.125 && product.error <= 2.5 * 0.25 + 0.5 * 3.25);
    }

    #[test]
    fn a_result_that_may_overflow_has_no_bound() {
        let large = Bounded::exact(f32::MAX);
        assert_eq!((large * large).bound(Rounding::Nearest), f64::INFINITY);
    }

    proptest! {
        /// Flushing every operand and result that is not a normal number stays inside.
        #[test]
        fn flushed_denormals_stay_inside(
            a in prop::array::uniform3(-1e-19f32..1e-19), b in prop::array::uniform3(-1e-19f32..1e-19),
            w in -1e3f32..1e3,
        ) {
            let flush = |x: f32| if x.abs() < f32::MIN_POSITIVE { 0.0 } else { x };
            let products = [0, 1, 2].map(|i| flush(a[i] * b[i]));
            let computed = flush(flush(flush(products[0] + products[1]) + products[2]) * w);
            let exact = Bounded::sum([0, 1, 2].map(|i| Bounded::exact(a[i]) * Bounded::exact(b[i]))) * Bounded::exact(w);
            prop_assert!((f64::from(computed) - exact.value).abs() <= exact.bound(Rounding::Nearest));
        }

        /// Sums in any order, and fused.
        #[test]
        fn dot_products_stay_inside(
            mut pairs in prop::collection::vec((-1e3f32..1e3, -1e3f32..1e3), 1..20), seed in any::<u64>(),
        ) {
            let exact = Bounded::sum(pairs.iter().map(|&(a, b)| Bounded::exact(a) * Bounded::exact(b)));
            let count = pairs.len();
            pairs.rotate_left(seed as usize % count);
            let plain = pairs.iter().fold(0.0f32, |sum, (a, b)| sum + a * b);
            #[expect(clippy::disallowed_methods, reason = "the test is about backends that fuse")]
            let fused = pairs.iter().fold(0.0f32, |sum, (a, b)| a.mul_add(*b, sum));
            for computed in [plain, fused] {
                prop_assert!((f64::from(computed) - exact.value).abs() <= exact.bound(Rounding::Nearest));
            }
        }
    }
}
