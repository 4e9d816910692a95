//! [`Ranged`]: the set of results that a formula may give, with first-order dependence on its uncertain inputs.
//!
//! Why it exists: intervals forget where a number came from. N ÷ |N| over intervals is wider than N, N·H near a highlight
//! may be anything, and so may the highlight. A [`Ranged`] remembers, for each of the few uncertain inputs of a pixel, how
//! it depends on it to first order; what is left is a radius that nothing is known of (affine arithmetic: L. de Figueiredo
//! and J. Stolfi, *Affine Arithmetic: Concepts and Applications*, Numerical Algorithms 37, 2004).
//!
//! # What it says
//!
//! With inputs xᵢ = mᵢ + rᵢ·εᵢ, |εᵢ| ≤ 1, every value that a conformant backend may have is
//!
//! > center + Σ slopeᵢ·εᵢ + ρ, |ρ| ≤ rest, **and** lies between low and high.
//!
//! The interval is kept beside, because some operations are better over intervals: a square is not below 0, a clamp holds.
//!
//! # Derivation
//!
//! Sums and products of such forms are exact but for the product of the two radii, R_a·R_b, which goes to the rest; in a
//! square it is R²·[0, 1]. A function f that is convex (or concave) on [low, high] lies between its chord and the parallel
//! tangent; the middle of the two, α·x + β, is off by no more than half their distance. Where the range is so short that
//! the chord has no digits left, Taylor's form about the middle is taken: |f(x) − f(m) − f′(m)(x − m)| ≤ ½·max|f″|·(x − m)².
//!
//! Each operation then adds what the specification lets it be off. A sum is off by its unit error of |a| + |b|, twice: in
//! another order of a longer sum an intermediate result may be larger than any of ours. f64 rounds too: 64 of its ULPs of
//! everything that was added are thirty thousand times less than one unit error of f32.

use std::ops::{Add, Mul, Sub};

use crate::Freedoms;

mod formulas;

/// The most uncertain inputs that a number remembers.
pub const INPUTS: usize = 8;

/// f64's own roundings in one operation, relative to all that was added up.
const OWN: f64 = 64.0 * f64::EPSILON;

/// A number that is known to within something, and how it hangs on the inputs.
#[derive(Clone, Copy, Debug)]
pub struct Ranged<'a> {
    rules: &'a Freedoms,
    center: f64,
    slopes: [f64; INPUTS],
    rest: f64,
    low: f64,
    high: f64,
}

impl<'a> Ranged<'a> {
    /// A number that every backend is given as it is.
    #[must_use]
    pub fn exact(rules: &'a Freedoms, value: f64) -> Self {
        Self { rules, center: value, slopes: [0.0; INPUTS], rest: 0.0, low: value, high: value }
    }

    /// The uncertain input of this number (below [`INPUTS`]): within `radius` of `value`.
    #[must_use]
    pub fn input(rules: &'a Freedoms, number: usize, value: f64, radius: f64) -> Self {
        if !(value.is_finite() && radius.is_finite()) {
            return Self::unknown(rules);
        }
        let mut slopes = [0.0; INPUTS];
        match slopes.get_mut(number) {
            Some(slope) => *slope = radius,
            None => return Self::between(rules, value - radius, value + radius),
        }
        Self { slopes, low: value - radius, high: value + radius, ..Self::exact(rules, value) }
    }

    /// An interpolated number: `value`, a slope for each of the first inputs, and a radius that nothing is known of.
    #[must_use]
    pub fn sloped<const N: usize>(rules: &'a Freedoms, value: f64, given: [f64; N], rest: f64) -> Self {
        let mut slopes = [0.0; INPUTS];
        for (slope, given) in slopes.iter_mut().zip(given) {
            *slope = given;
        }
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { rules, center: value, slopes, rest, low, high }.joined()
    }

    /// Anything between two numbers, with nothing known of where it comes from.
    #[must_use]
    pub fn between(rules: &'a Freedoms, low: f64, high: f64) -> Self {
        let (center, rest) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
        if !(center.is_finite() && rest.is_finite()) {
            let [low, high] = if low <= high { [low, high] } else { [f64::NEG_INFINITY, f64::INFINITY] };
            return Self { low, high, ..Self::unknown(rules) };
        }
        Self { rest: rest + OWN * center.abs(), low, high, ..Self::exact(rules, center) }
    }

    /// Anything.
    #[must_use]
    pub fn unknown(rules: &'a Freedoms) -> Self {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { rules, center: 0.0, slopes: [0.0; INPUTS], rest: f64::INFINITY, low, high }
    }

    /// The least and the greatest value.
    #[must_use]
    pub fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// The centre, the slope by each input, and the radius that nothing is known of.
    #[must_use]
    pub fn first_order(self) -> (f64, [f64; INPUTS], f64) {
        (self.center, self.slopes, self.rest)
    }

    /// The largest magnitude.
    fn size(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Σ|slope| + rest.
    fn radius(&self) -> f64 {
        self.slopes.iter().fold(self.rest, |sum, slope| sum + slope.abs())
    }

    /// Brings the two descriptions together: neither may say more than both.
    fn joined(mut self) -> Self {
        let radius = self.radius();
        if !(self.center.is_finite() && radius.is_finite()) {
            return Self::between(self.rules, self.low, self.high);
        }
        self.rest += OWN * (self.center.abs() + radius);
        let reach = radius + OWN * (self.center.abs() + radius);
        // `max` and `min` leave a bound out that is not a number.
        self.low = (self.center - reach).max(self.low);
        self.high = (self.center + reach).min(self.high);
        if self.low > self.high {
            // Both hold but for the last bits of f64.
            (self.low, self.high) = (self.high, self.low);
        }
        // Where the interval is the narrower by far, slopes say nothing that is worth their width.
        if self.high - self.low < 0.5 * reach {
            return Self::between(self.rules, self.low, self.high);
        }
        self
    }

    /// A result that a backend has to within `relative` of itself.
    fn rounded(mut self, relative: f64) -> Self {
        self.rest += relative * self.size();
        self.low -= relative * self.low.abs();
        self.high += relative * self.high.abs();
        self
    }

    /// α·self + β to within `error`, between `low` and `high`.
    fn linear(self, slope: f64, offset: f64, error: f64, [low, high]: [f64; 2]) -> Self {
        Self {
            center: slope * self.center + offset,
            slopes: self.slopes.map(|own| slope * own),
            rest: slope.abs() * self.rest + error + OWN * offset.abs(),
            low: low - OWN * low.abs(),
            high: high + OWN * high.abs(),
            ..self
        }
        .joined()
    }

    /// A function that is convex or concave and has no turn on [low, high]: itself, its first and its second derivative, and
    /// the place where the first is as given. The second derivative's magnitude falls.
    fn curved(self, function: impl Fn(f64) -> [f64; 3], place: impl Fn(f64) -> f64) -> Self {
        let [low, high] = [self.low, self.high];
        let (at_low, at_high) = (function(low), function(high));
        let ends = [at_low[0].min(at_high[0]), at_low[0].max(at_high[0])];
        if !(high - low).is_finite() || !at_low[0].is_finite() || !at_low[1].is_finite() {
            return Self::between(self.rules, ends[0], ends[1]);
        }
        if high - low <= 1e-5 * high.abs() {
            let middle = 0.5 * (low + high);
            let [value, slope, _] = function(middle);
            let half = 0.5 * (high - low);
            return self.linear(slope, value - slope * middle, 0.5 * at_low[2].abs() * half * half, ends);
        }
        let slope = (at_high[0] - at_low[0]) / (high - low);
        let touch = place(slope).clamp(low, high);
        let gap = function(touch)[0] - (at_low[0] + slope * (touch - low));
        let offset = at_low[0] - slope * low + 0.5 * gap;
        let noise = OWN * (at_low[0].abs() + at_high[0].abs()) * (1.0 + high / (high - low));
        self.linear(slope, offset, 0.5 * gap.abs() + noise, ends)
    }

    /// A sum that nobody rounds.
    fn plus(self, other: Self) -> Self {
        let mut slopes = self.slopes;
        for (slope, other) in slopes.iter_mut().zip(other.slopes) {
            *slope += other;
        }
        let (low, high) = (self.low + other.low, self.high + other.high);
        Self {
            rules: self.rules,
            center: self.center + other.center,
            slopes,
            rest: self.rest + other.rest,
            low: low - OWN * low.abs(),
            high: high + OWN * high.abs(),
        }
        .joined()
    }

    /// −self, which is exact.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { center: -self.center, slopes: self.slopes.map(|slope| -slope), low: -self.high, high: -self.low, ..self }
    }

    /// A product that nobody rounds.
    fn times(self, other: Self) -> Self {
        let (a, b) = (self.center, other.center);
        let mut slopes = [0.0; INPUTS];
        for ((slope, own), other) in slopes.iter_mut().zip(self.slopes).zip(other.slopes) {
            *slope = a * other + b * own;
        }
        let products = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)]
            // 0 · ∞ is 0 here: the factor is 0 exactly, or the other end says what may become of it.
            .map(|(a, b)| if a == 0.0 || b == 0.0 { 0.0 } else { a * b });
        let low = products.iter().copied().fold(f64::INFINITY, f64::min);
        let high = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self {
            rules: self.rules,
            center: a * b,
            slopes,
            rest: a.abs() * other.rest + b.abs() * self.rest + self.radius() * other.radius(),
            low: low - OWN * low.abs(),
            high: high + OWN * high.abs(),
        }
        .joined()
    }

    /// 1 ÷ self, which nobody rounds.
    fn reciprocal(self) -> Self {
        if self.low <= 0.0 && self.high >= 0.0 {
            let low = if self.low == 0.0 { 1.0 / self.high } else { f64::NEG_INFINITY };
            return Self { low, ..Self::unknown(self.rules) };
        }
        if self.high < 0.0 {
            return self.negated().reciprocal().negated();
        }
        self.curved(|x| [1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x)], |slope| (-1.0 / slope).sqrt())
    }

    /// Either of two.
    fn either(self, other: Self) -> Self {
        let mut slopes = self.slopes;
        let mut apart = 0.5 * (self.center - other.center).abs();
        for (slope, other) in slopes.iter_mut().zip(other.slopes) {
            apart += 0.5 * (*slope - other).abs();
            *slope = 0.5 * (*slope + other);
        }
        Self {
            rules: self.rules,
            center: 0.5 * (self.center + other.center),
            slopes,
            rest: self.rest.max(other.rest) + apart,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
        .joined()
    }

    /// max(self, limit), which is exact.
    fn not_below(self, limit: f64) -> Self {
        let [low, high] = [self.low, self.high];
        if low >= limit {
            return self;
        }
        if high <= limit {
            return Self::exact(self.rules, limit);
        }
        if !(high - low).is_finite() {
            return Self::between(self.rules, limit, high);
        }
        // Between the chord from (low, limit) to (high, high) and the two lines.
        let slope = (high - limit) / (high - low);
        let gap = slope * (limit - low);
        self.linear(slope, limit - slope * low - 0.5 * gap, 0.5 * gap, [limit, high])
    }

    /// The same, known to lie between two numbers.
    fn within(mut self, low: f64, high: f64) -> Self {
        self.low = self.low.clamp(low, high);
        self.high = self.high.clamp(low, high);
        self
    }
}

impl Add for Ranged<'_> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let unit = 2.0 * self.rules.arithmetic * (self.size() + other.size());
        let mut sum = self.plus(other);
        sum.rest += unit;
        // What has no negative term is not negative, whoever adds it up.
        let same_sign = (self.low >= 0.0 && other.low >= 0.0) || (self.high <= 0.0 && other.high <= 0.0);
        let relative = 4.0 * self.rules.arithmetic;
        sum.low -= if same_sign { relative * sum.low.abs() } else { unit };
        sum.high += if same_sign { relative * sum.high.abs() } else { unit };
        sum
    }
}

impl Sub for Ranged<'_> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.add(other.negated())
    }
}

impl Mul for Ranged<'_> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.times(other).rounded(self.rules.arithmetic)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Number, Profile, dot};

    fn rules() -> Freedoms {
        Profile::Vulkan14.freedoms().expect("it grants some")
    }

    /// x + y·ε for each of three inputs, and the ε.
    fn inputs() -> impl Strategy<Value = ([f64; 3], [f64; 3], [f64; 3])> {
        let radius = prop_oneof![Just(0.0), 1e-6f64..1e-3, 1e-3f64..0.5];
        (
            prop::array::uniform3(-2.0f64..2.0),
            prop::array::uniform3(radius),
            prop::array::uniform3(prop_oneof![Just(-1.0), Just(1.0), -1.0f64..=1.0]),
        )
    }

    fn holds(range: Ranged<'_>, value: f64) -> bool {
        let [low, high] = range.ends();
        // The test's own arithmetic rounds as well.
        let own = 1e-13 * (1.0 + value.abs());
        let linear = !range.radius().is_finite() || (value - range.center).abs() <= range.radius() + own;
        low <= value + own && value <= high + own && linear
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn results_of_members_are_members_of_results((value, radius, part) in inputs()) {
            let rules = rules();
            let [a, b, c] = [0, 1, 2].map(|i: usize| Ranged::input(&rules, i, value[i], radius[i]));
            let [x, y, z] = [0, 1, 2].map(|i: usize| value[i] + radius[i] * part[i]);
            prop_assert!(holds(a + b, x + y));
            prop_assert!(holds(a - b, x - y));
            prop_assert!(holds(a * b, x * y));
            prop_assert!(holds((a + b) * (a - c), (x + y) * (x - z)));
            prop_assert!(holds((a - b).squared(), (x - y) * (x - y)));
            prop_assert!(holds(a.greater(b), x.max(y)));
            prop_assert!(holds(a.lesser(b * c), x.min(y * z)));
            prop_assert!(holds(a.at_least(0.25), x.max(0.25)));
            prop_assert!(holds(a.at_most(0.25), x.min(0.25)));
            prop_assert!(holds((a - b).magnitude(), (x - y).abs()));
            let chosen = if x > 0.5 { y } else { z };
            prop_assert!(holds(a.if_above(0.5, b, c), chosen));
            let (positive, p) = (a.squared() + a.constant(0.125), x * x + 0.125);
            prop_assert!(holds(positive.square_root(), p.sqrt()));
            prop_assert!(holds(positive.inverse_square_root(), 1.0 / p.sqrt()));
            prop_assert!(holds(b.divided_by(positive), y / p));
            prop_assert!(holds(positive.share(b.magnitude()), p / (p + y.abs())));
            let (part, q) = (b.at_least(0.0).at_most(1.0), y.clamp(0.0, 1.0));
            prop_assert!(holds(part.fifth_power(), q * q * q * q * q));
            let (base, exponent) = (q.max(1e-8), 40.0 * p);
            let power = b.at_least(1e-8).at_most(1.0).power(positive * positive.constant(40.0));
            prop_assert!(holds(power, libm::pow(base, exponent)), "{power:?}, {base}, {exponent}");
            let length = (x * x + y * y + z * z).sqrt();
            if length > 0.0 {
                let unit = Number::normalized([a, b, c]);
                prop_assert!(unit.iter().zip([x, y, z]).all(|(unit, x)| holds(*unit, x / length)));
            }
        }
    }

    #[test]
    fn a_vector_over_its_length_is_no_wider_than_it_turns() {
        let rules = rules();
        let vector = [0, 1, 2].map(|i: usize| Ranged::input(&rules, i, [0.0, 0.6, 0.8][i], 1e-3));
        let [x, y, z] = Number::normalized(vector);
        let width = |range: Ranged<'_>| range.ends()[1] - range.ends()[0];
        // Across the vector it is 2e-3, along it what is left of the other two: 0.8·(0.8 + 0.6) and 0.6·(0.8 + 0.6) of it.
        assert!(width(x) < 2.01e-3, "{}", width(x));
        assert!(width(y) < 2e-3 * 0.8 * 1.4 * 1.01 && width(z) < 2e-3 * 0.6 * 1.4 * 1.02, "{} {}", width(y), width(z));
        // And the square of its length is 1 to second order (a few dozen products of two radii), where intervals have 4·1.4e-3.
        let square = width(dot([x, y, z], [x, y, z]));
        assert!(square < 50.0 * 1e-3 * 1e-3, "{square}");
    }

    #[test]
    fn what_is_subtracted_from_itself_is_nothing_but_rounding() {
        let rules = rules();
        let number = Ranged::input(&rules, 3, 1.0, 0.25);
        let [low, high] = (number - number).ends();
        assert!(low.abs().max(high) < 1e-5, "{low} to {high}");
    }
}
