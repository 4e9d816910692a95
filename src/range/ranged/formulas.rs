//! What formulas ask of a number, of a [`Ranged`].
//!
//! Why it exists: each operation is the arithmetic of ranges, and what the specification lets a backend be off in it.

use super::{OWN, Ranged};
use crate::{Number, number::scaled};

/// A fifth power that is computed as exp2(5·log2 x): 3 ULP of log2 x, at most 2⁻²¹ absolute, five times, through exp2.
const POWER: f64 = 1.0 / (1u64 << 17) as f64;

/// What that makes of small numbers, whose logarithm is large: nothing that can be seen.
const SMALL_POWER: f64 = 1e-9;

/// The same of any exponent: log2 is off by this near 1, or by so many ULP, and exp2 by 3 + 2·|x| ULP.
const LOGARITHM: f64 = 1.0 / (1u64 << 21) as f64;
const LOGARITHM_ULPS: f64 = 3.0;
const ULP: f64 = 1.0 / (1u64 << 23) as f64;

/// Roundings on the way of a number that everybody derives from the file.
const DERIVED: f64 = 8.0;

impl Number for Ranged<'_> {
    fn constant(self, value: f32) -> Self {
        Self::exact(self.rules, f64::from(value))
    }

    fn derived(self, value: f32, size: f32) -> Self {
        let radius = DERIVED * self.rules.arithmetic * f64::from(size.abs());
        Self::between(self.rules, f64::from(value) - radius, f64::from(value) + radius)
    }

    fn divided_by(self, divisor: Self) -> Self {
        self.times(divisor.reciprocal()).rounded(self.rules.division)
    }

    fn square_root(self) -> Self {
        let root = self.within(0.0, f64::INFINITY);
        let relative = self.rules.inverse_square_root + self.rules.division;
        if root.high <= 0.0 {
            return Self::exact(self.rules, 0.0);
        }
        root.curved(
            |x| [x.sqrt(), 0.5 / x.sqrt(), 0.25 / (x * x.sqrt())],
            |slope| {
                let root = 0.5 / slope;
                root * root
            },
        )
        .rounded(relative)
    }

    fn inverse_square_root(self) -> Self {
        if self.high <= 0.0 {
            return Self::exact(self.rules, 0.0);
        }
        if self.low <= 0.0 {
            return Self { low: 0.0, ..Self::unknown(self.rules) };
        }
        let relative = self.rules.inverse_square_root + 2.0 * self.rules.division;
        let place = |slope: f64| 1.0 / libm::cbrt(4.0 * slope * slope);
        self.curved(|x| [1.0 / x.sqrt(), -0.5 / (x * x.sqrt()), 0.75 / (x * x * x.sqrt())], place).rounded(relative)
    }

    fn at_least(self, limit: f32) -> Self {
        self.not_below(f64::from(limit))
    }

    fn at_most(self, limit: f32) -> Self {
        self.negated().not_below(-f64::from(limit)).negated()
    }

    fn greater(self, other: Self) -> Self {
        if self.low >= other.high {
            return self;
        }
        if other.low >= self.high {
            return other;
        }
        let (low, high) = (self.low.max(other.low), self.high.max(other.high));
        let more = self.plus(other.negated()).not_below(0.0);
        let mut greater = other.plus(more);
        greater.low = greater.low.max(low);
        greater.high = greater.high.min(high);
        greater
    }

    fn lesser(self, other: Self) -> Self {
        self.negated().greater(other.negated()).negated()
    }

    fn if_above(self, limit: f32, above: Self, otherwise: Self) -> Self {
        if self.low > f64::from(limit) {
            above
        } else if self.high <= f64::from(limit) {
            otherwise
        } else {
            above.either(otherwise)
        }
    }

    fn share(self, other: Self) -> Self {
        let (own, other) = (self.within(0.0, f64::INFINITY), other.within(0.0, f64::INFINITY));
        let part = |own: f64, other: f64| if own > 0.0 { own / (own + other) } else { 0.0 };
        let (low, high) = (part(own.low, other.high), part(own.high, other.low));
        let relative = 4.0 * self.rules.arithmetic + self.rules.division;
        let known = low.is_finite() && high.is_finite();
        let [low, high] = if known { [low, high] } else { [0.0, 1.0] };
        let whole = own.plus(other);
        let share = if whole.low > 0.0 { own.times(whole.reciprocal()) } else { Self::between(self.rules, low, high) };
        Self { low: share.low.max(low - OWN), high: share.high.min(high + OWN), ..share }
            .joined()
            .rounded(relative)
            .within(0.0, 1.0 + relative)
    }

    fn fifth_power(self) -> Self {
        let square = self.squared();
        let power = square.squared().times(self);
        let fifth = |x: f64| x * x * (x * x) * x;
        let (low, high) = (fifth(self.low.max(0.0)), fifth(self.high.max(0.0)));
        let mut power = Self { low: power.low.max(low - OWN * low), high: power.high.min(high + OWN * high), ..power }
            .joined()
            .rounded(4.0 * self.rules.arithmetic + POWER);
        power.rest += SMALL_POWER;
        power.high += SMALL_POWER;
        power.low = (power.low - SMALL_POWER).max(0.0);
        power
    }

    /// exp(−y·−ln x), both of which are convex.
    fn power(self, exponent: Self) -> Self {
        if self.low <= 0.0 {
            return Self::between(self.rules, 0.0, 1.0);
        }
        let ln = |x: f64| libm::log(x);
        let falling = self.curved(|x| [-ln(x), -1.0 / x, 1.0 / (x * x)], |slope| -1.0 / slope).times(exponent);
        let decay = |w: f64| libm::exp(-w);
        let power = falling.curved(|w| [decay(w), -decay(w), decay(w)], |slope| -ln(-slope));
        // With w = −y·ln x, a relative error of what log2 is off, times y, and of w times the roundings of log2, of the product
        // and of exp2; w·exp(−w) is greatest at 1.
        let constant = exponent.high.max(0.0) * LOGARITHM + 3.0 * ULP;
        let steps = (LOGARITHM_ULPS + 2.0 * std::f64::consts::LOG2_E) * ULP + 2.0 * self.rules.arithmetic;
        let error = decay(falling.low.max(0.0)) * (constant + steps * falling.low.max(1.0)) + SMALL_POWER;
        let low = if power.low.is_finite() { (power.low - error).max(0.0) } else { 0.0 };
        Self { rest: power.rest + error, low, high: power.high + error, ..power }
    }

    fn squared(self) -> Self {
        let radius = self.radius();
        if !radius.is_finite() {
            let high = self.size() * self.size();
            let low = if self.low > 0.0 { self.low * self.low } else { 0.0 };
            return Self::between(self.rules, low, high);
        }
        let low = if self.low > 0.0 {
            self.low * self.low
        } else if self.high < 0.0 {
            self.high * self.high
        } else {
            0.0
        };
        let high = self.size() * self.size();
        // (c + x)² = c² + 2·c·x + x², and x² lies in [0, R²].
        let half = 0.5 * radius * radius;
        Self {
            center: self.center * self.center + half,
            slopes: self.slopes.map(|slope| 2.0 * self.center * slope),
            rest: 2.0 * self.center.abs() * self.rest + half,
            low: low - OWN * low,
            high: high + OWN * high,
            ..self
        }
        .joined()
        .rounded(self.rules.arithmetic)
    }

    fn normalized(vector: [Self; 3]) -> [Self; 3] {
        let squared = vector[0].squared() + vector[1].squared() + vector[2].squared();
        let rules = vector[0].rules;
        let limit = 1.0 + 4.0 * rules.arithmetic + 2.0 * rules.division + rules.inverse_square_root;
        scaled(vector, squared.inverse_square_root()).map(|component| {
            let known = component.low <= component.high;
            let component = if known { component } else { Self::unknown(rules) };
            component.within(-limit, limit).joined()
        })
    }
}
