//! [`Interval`]: a number that is known to lie between two others.
//!
//! Why it exists: what a conformant backend may compute is a range, and every step of the pipeline maps ranges to
//! ranges. Bounds are f64, whose own rounding (2^-53) is lost against the freedoms of f32 hardware (2^-24 and more): each
//! operation still widens its result by a few f64 ULPs, so that no range is ever too small.

use std::ops::{Add, Mul, Neg, Sub};

/// `low ≤ x ≤ high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

/// Relative widening of each operation: above the f64 roundings of any one of them.
const OUTWARD: f64 = 8.0 * f64::EPSILON;

impl Interval {
    /// A number that is known exactly.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// All that is within `radius` of `center`.
    #[must_use]
    pub fn around(center: f64, radius: f64) -> Self {
        Self { low: center - radius, high: center + radius }
    }

    /// From the smaller to the greater of two numbers.
    #[must_use]
    pub fn between(a: f64, b: f64) -> Self {
        Self { low: a.min(b), high: a.max(b) }
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The middle.
    #[must_use]
    pub fn center(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// Half of the width.
    #[must_use]
    pub fn radius(self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// The greatest magnitude.
    #[must_use]
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Whether the number lies in it.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The same with `radius` more on both sides.
    #[must_use]
    pub fn widened(self, radius: f64) -> Self {
        Self { low: self.low - radius, high: self.high + radius }
    }

    /// Widened by a relative error: what a rounded operation makes of its exact result. (x − e·|x| and x + e·|x| rise
    /// with x for e < 1, so the ends decide.)
    #[must_use]
    pub fn rounded(self, relative: f64) -> Self {
        Self { low: self.low - self.low.abs() * relative, high: self.high + self.high.abs() * relative }
    }

    /// Both ends clamped.
    #[must_use]
    pub fn clamped(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }

    /// Both ends through a function that never falls.
    #[must_use]
    pub fn map_rising(self, function: impl Fn(f64) -> f64) -> Self {
        Self { low: function(self.low), high: function(self.high) }.rounded(OUTWARD)
    }

    fn outward(low: f64, high: f64) -> Self {
        Self { low: low - low.abs() * OUTWARD, high: high + high.abs() * OUTWARD }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::outward(self.low + other.low, self.high + other.high)
            .widened((self.magnitude() + other.magnitude()) * f64::EPSILON)
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let products = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let low = products.iter().copied().fold(f64::INFINITY, f64::min);
        let high = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self::outward(low, high)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with_member() -> impl Strategy<Value = (Interval, f64)> {
        (-1e6f64..1e6, 0.0f64..10.0, 0.0f64..=1.0).prop_map(|(center, radius, part)| {
            let interval = Interval::around(center, radius);
            (interval, (interval.low + part * (interval.high - interval.low)).clamp(interval.low, interval.high))
        })
    }

    proptest! {
        #[test]
        fn results_of_members_are_members_of_results((a, x) in with_member(), (b, y) in with_member()) {
            prop_assert!((a + b).contains(x + y));
            prop_assert!((a - b).contains(x - y));
            prop_assert!((a * b).contains(x * y));
            prop_assert!(a.hull(b).contains(x) && a.hull(b).contains(y));
            prop_assert!(a.map_rising(|v| v * v * v).contains(x * x * x));
        }
    }
}
