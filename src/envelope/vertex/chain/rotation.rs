//! Rotations of keys and nodes, and between keys.
//!
//! # Keys and nodes
//!
//! A quaternion whose square is within 2^-20 of 1 is of unit length but for its rounding; whether a backend normalises it
//! makes a difference of its own small |q| − 1, which is part of the bound. All others have two results, q and q/|q|, and one
//! belongs to each of the rules [`KeyRotations`] and [`NodeRotations`].
//!
//! # Between two keys
//!
//! With c = a·b, b negated where c < 0, θ = acos c and the weights sin((1 − T)θ)/sin θ and sin(Tθ)/sin θ:
//!
//! - *The angle.* c is off by γ₄·Σ|aᵢbᵢ| and twice what the keys' lengths are off, the arc function by one ULP, 2u·θ. Let g(p, θ) =
//!   sin(pθ)/sin θ; on 0 ≤ θ ≤ π/2, 0 ≤ ∂g/∂θ ≤ ⅔·p(1 − p²)·θ, so that |∂g/∂(θ²)| ≤ p(1 − p²)/3, and θ² moves by
//!   2θ/sin θ ≤ π times what c does. There is no loss of digits at small angles, though θ itself has one.
//! - *The weights.* 1 − T, its product with θ, two sines of one ULP (2u each; the argument's error passes sin(x) with
//!   x/tan x ≤ 1) and a division or a reciprocal and a product: 8 roundings. The keys' lengths, off by what they are or by γ₄ where
//!   a backend normalises them, count as the weights'.
//! - *The place* T: its doubt (see [`sampling`](super::sampling)) times the speed of each component, plus half of its square
//!   times the acceleration θ²·√2·max(|aᵢ|, |bᵢ|).
//! - *The sum*: two roundings; the keys' and the result's own divisions by their lengths: one each.
//!
//! All of these are multiples of |aᵢ| and |bᵢ|, so that a component that is 0 in both keys stays 0.
//!
//! With weights that are off by δ₀ and δ₁ the result s is off by δ₀a + δ₁b: along s by |δ₀|·a·s + |δ₁|·b·s, its *length*, and
//! across by |δ₀|·|a − (a·s)s| + |δ₁|·|b − (b·s)s|, which between near keys is next to nothing. The two are kept apart, because a length
//! scales what a matrix differs from the identity, and no more ([`local`](super::local)).
//!
//! - *The normalised mean* in its place for near keys, and for c > 1 − 10⁻⁵ the mean as it is (Babylon.js, DirectXMath and Godot do
//!   not normalise it): evaluated, and the distance is part of the bound there.
//!
//! Keys that are not of unit length make c something else than a cosine, and each use of it another curve: see the rules.

use refrast_range::{Bounded, Rounding};
use refrast_scene::{Channel, Interpolation};
use refrast_words::words;

use super::{
    Conventions, UNIT,
    sampling::{Place, key_number, number, place, place_doubt, reached, step_key},
};
use crate::vertex::vectors::normalize;

words! {
    /// What a backend does with rotations of keys that are not of unit length.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum KeyRotations: "rule for key rotations" = AsStored {
        /// Used as they stand, the angle between two of them from the chord.
        AsStored = "as-stored",
        /// Used as they stand, the angle by the arc cosine of their product.
        AsStoredByCosine = "as-stored-by-cosine",
        /// Brought to unit length first.
        Unit = "unit",
        /// Interpolated as they stand, the result brought to unit length.
        UnitAfter = "unit-after",
    }
}

words! {
    /// What a backend does with rotations of nodes that are not of unit length.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum NodeRotations: "rule for node rotations" = AsStored {
        /// Used as they stand, in 1 − 2(y² + z²).
        AsStored = "as-stored",
        /// Brought to unit length first.
        Unit = "unit",
    }
}

/// A rotation as a backend has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quaternion {
    /// x, y, z, w, off by what they are.
    pub(super) numbers: [Bounded; 4],
    /// And all of them by a common factor, up to this far from 1.
    pub(super) length: f64,
}

impl Quaternion {
    const UNCLAIMED: Self = Self::of([Bounded::UNCLAIMED; 4]);

    const fn of(numbers: [Bounded; 4]) -> Self {
        Self { numbers, length: 0.0 }
    }
}

type Numbers = [f64; 4];

/// How far |q|² may be from 1 where only f32 made it so.
const ROUNDED: f64 = 1.0 / (1 << 20) as f64;
/// Roundings of unit length that all four numbers have in common: half of the four of the sum of squares, the square root
/// and, where it is no division but a product, the reciprocal.
const LENGTH: u32 = 4;
/// All of them.
const NORMALISED: u32 = LENGTH + 1;
/// Above this dot product some leave the linear mean as it is.
const LINEAR_ABOVE: f64 = 1.0 - 1e-5;
/// What a comparison of a dot product in f32 may get wrong.
const THRESHOLD: f64 = 1.0 / (1 << 20) as f64;
/// Below this angle refrast's own spherical mean is the normalised one.
const OWN_NEAR: f64 = 1.01 / 1024.0;

fn gamma(roundings: u32) -> f64 {
    Rounding::Nearest.gamma(roundings)
}

fn dot(a: Numbers, b: Numbers) -> f64 {
    (0..4).map(|i| a[i] * b[i]).sum()
}

fn length(q: Numbers) -> f64 {
    dot(q, q).sqrt()
}

fn unit(q: Numbers) -> Numbers {
    let length = length(q);
    q.map(|x| x / length)
}

fn is_unit(q: Numbers) -> bool {
    (dot(q, q) - 1.0).abs() <= ROUNDED
}

/// Whether it has a direction at all.
fn is_rotation(q: Numbers) -> bool {
    (1e-12..1e12).contains(&dot(q, q))
}

/// A node's rotation, each number off by up to `relative` of itself.
pub(super) fn of_node(rotation: [f32; 4], rule: NodeRotations, relative: f64) -> Quaternion {
    let q = rotation.map(f64::from);
    // Most likely it is an identity, and then nothing is rounded.
    let axis = q.iter().filter(|x| **x != 0.0).count() == 1 && is_unit(q);
    alone(q, rule == NodeRotations::AsStored, if axis { 0.0 } else { relative })
}

/// A rotation that nothing is mixed with.
fn alone(q: Numbers, as_stored: bool, relative: f64) -> Quaternion {
    if !is_rotation(q) {
        return Quaternion::UNCLAIMED;
    }
    let halves = q.iter().all(|x| (2.0 * x).fract() == 0.0) && dot(q, q) == 1.0;
    if halves && relative == 0.0 {
        return Quaternion::of(q.map(|x| Bounded::within(x, 0.0)));
    }
    if as_stored && !is_unit(q) {
        return Quaternion::of(q.map(|x| Bounded::within(x, relative * x.abs())));
    }
    let off = if is_unit(q) { (length(q) - 1.0).abs() } else { 0.0 };
    let numbers = unit(q).map(|x| Bounded::within(x, (relative + gamma(1)) * x.abs()));
    Quaternion { numbers, length: off.max(gamma(LENGTH)) }
}

fn key(channel: &Channel, first: usize) -> [Bounded; 4] {
    [0, 1, 2, 3].map(|i| key_number(channel, first + i))
}

fn values(q: [Bounded; 4]) -> Numbers {
    q.map(Bounded::value)
}

/// What decoding may have changed of the numbers.
fn relative_doubt(q: [Bounded; 4]) -> f64 {
    if q.iter().all(|x| x.bound(Rounding::Nearest) == 0.0) { 0.0 } else { UNIT }
}

fn stands(rule: KeyRotations) -> bool {
    matches!(rule, KeyRotations::AsStored | KeyRotations::AsStoredByCosine)
}

/// The rotation of a LINEAR channel.
pub(super) fn linear(channel: &Channel, seconds: f32, nlerp_above: f64, rule: KeyRotations) -> Quaternion {
    let times = &channel.times;
    let segment = |index: usize| Segment::new(key(channel, 4 * index), key(channel, 4 * index + 4), nlerp_above, rule);
    // How far a backend may be along the curve, on any segment that it may be on.
    let mut along = [0.0f64; 4];
    let mut near = [0.0f64; 4];
    let mut at_all = false;
    for (index, at) in reached(times, seconds) {
        at_all = true;
        let Some(segment) = segment(index) else { return Quaternion::UNCLAIMED };
        let doubt = segment.doubt_of_place(at, place_doubt(times, index, at, seconds));
        along = [0, 1, 2, 3].map(|i| along[i].max(doubt[i]));
        let at_key = match place(times, seconds) {
            Place::Key(index) => values(key(channel, 4 * index)),
            Place::Between(..) => continue,
        };
        // Who evaluates the normalised mean at a key has a key of unit length.
        if segment.is_near && stands(rule) && !is_unit(at_key) && is_rotation(at_key) {
            near = [0, 1, 2, 3].map(|i| near[i].max((unit(at_key)[i] - at_key[i]).abs()));
        }
    }
    match place(times, seconds) {
        Place::Key(index) => {
            let numbers = key(channel, 4 * index);
            let q = alone(values(numbers), stands(rule), relative_doubt(numbers));
            // The formula's weights there are sin θ/sin θ and 0.
            let formula = if at_all { gamma(WEIGHT) } else { 0.0 };
            let still = along.iter().all(|doubt| *doubt == 0.0);
            let numbers = [0, 1, 2, 3].map(|i| {
                let rounded = if still { 0.0 } else { gamma(2) * q.numbers[i].value().abs() };
                q.numbers[i].widened(along[i] + near[i] + rounded)
            });
            Quaternion { numbers, length: q.length + if still { 0.0 } else { formula } }
        }
        Place::Between(index, t) => match segment(index) {
            Some(segment) => segment.at(t, along),
            None => Quaternion::UNCLAIMED,
        },
    }
}

/// The rotation of a STEP or CUBICSPLINE channel.
pub(super) fn other(channel: &Channel, seconds: f32, conventions: Conventions, rounding: Rounding) -> Quaternion {
    if channel.interpolation == Interpolation::Step {
        let numbers = key(channel, 4 * step_key(&channel.times, seconds, conventions.steps));
        return alone(values(numbers), stands(conventions.keys), relative_doubt(numbers));
    }
    let sum = [0, 1, 2, 3].map(|i| number(channel, i, seconds, conventions.steps).stored(rounding));
    let at_key = matches!(place(&channel.times, seconds), Place::Key(_));
    let q = values(sum);
    if at_key && stands(conventions.keys) && !is_unit(q) && is_rotation(q) {
        // Who evaluates the spline at a key has it at unit length, who takes the key has it as it stands.
        return Quaternion::of([0, 1, 2, 3].map(|i| sum[i].widened((unit(q)[i] - q[i]).abs())));
    }
    let off = if at_key && is_unit(q) { (length(q) - 1.0).abs() } else { 0.0 };
    Quaternion { numbers: normalize(sum, rounding).map(|x| x.stored(rounding)), length: off }
}

/// Roundings of a weight: see the module's page.
const WEIGHT: u32 = 8;

/// Two keys of a rotation, the second on the side of the first.
struct Segment {
    a: Numbers,
    b: Numbers,
    /// The angle that the rule takes, half of the rotation's.
    angle: f64,
    /// Others that a backend with the same rule may take.
    other_angles: Vec<f64>,
    /// Whether the normalised mean may be taken.
    is_near: bool,
    /// Whether the linear mean may be taken as it is.
    is_very_near: bool,
    /// How far the keys' numbers may be off, each by itself and all four by a common factor, in parts of themselves.
    relative: f64,
    length: f64,
    doubt_of_dot: f64,
    rule: KeyRotations,
    /// Whether the keys are of unit length but for rounding.
    is_unit: bool,
}

impl Segment {
    /// `None` where one is no rotation, or it is a matter of luck which way round is shorter.
    fn new(a: [Bounded; 4], b: [Bounded; 4], nlerp_above: f64, rule: KeyRotations) -> Option<Self> {
        let decoded = relative_doubt(a).max(relative_doubt(b));
        let [stored_a, stored_b] = [values(a), values(b)];
        if !is_rotation(stored_a) || !is_rotation(stored_b) {
            return None;
        }
        let [unit_a, unit_b] = [unit(stored_a), unit(stored_b)];
        let are_unit = is_unit(stored_a) && is_unit(stored_b);
        let off = if are_unit { (length(stored_a) - 1.0).abs().max((length(stored_b) - 1.0).abs()) } else { 0.0 };
        let normalised = are_unit || rule == KeyRotations::Unit;
        let (a, b) = if normalised { (unit_a, unit_b) } else { (stored_a, stored_b) };
        let common = if normalised { off.max(gamma(LENGTH)) } else { 0.0 };
        let relative = decoded + if normalised { gamma(1) } else { 0.0 };
        let doubt_of_dot =
            (gamma(4) + 2.0 * relative) * (0..4).map(|i| (a[i] * b[i]).abs()).sum::<f64>() + 2.0 * common;
        let dot_product = dot(a, b);
        if dot_product.abs() <= doubt_of_dot {
            return None;
        }
        let side = dot_product.signum();
        let (b, unit_b, cosine) = (b.map(|x| side * x), unit_b.map(|x| side * x), dot_product.abs());
        let by_chord = |a: Numbers, b: Numbers| {
            let [minus, plus] = [[0, 1, 2, 3].map(|i| a[i] - b[i]), [0, 1, 2, 3].map(|i| a[i] + b[i])];
            2.0 * libm::atan2(length(minus), length(plus))
        };
        let (chord, true_angle) = (by_chord(a, b), by_chord(unit_a, unit_b));
        let arc = libm::acos(cosine.min(1.0));
        let is_near = cosine > nlerp_above - THRESHOLD || chord < OWN_NEAR;
        let (angle, other_angles) = match rule {
            _ if normalised => (chord, vec![]),
            KeyRotations::UnitAfter => (arc, vec![chord, true_angle]),
            KeyRotations::AsStoredByCosine => (arc, if is_near { vec![chord] } else { vec![] }),
            KeyRotations::AsStored | KeyRotations::Unit => (chord, if is_near { vec![arc] } else { vec![] }),
        };
        Some(Self {
            a,
            b,
            angle,
            other_angles,
            is_near,
            is_very_near: is_near && (cosine > LINEAR_ABOVE - THRESHOLD || !normalised),
            relative,
            length: common,
            doubt_of_dot,
            rule,
            is_unit: are_unit,
        })
    }

    fn mix(&self, [from, to]: [f64; 2]) -> Numbers {
        [0, 1, 2, 3].map(|i| from * self.a[i] + to * self.b[i])
    }

    /// How far each component moves along while T is in doubt.
    fn doubt_of_place(&self, t: f64, doubt: f64) -> Numbers {
        let angle = self.angle;
        let speed = self.mix(if angle < SMALL {
            [-1.0, 1.0]
        } else {
            let speed = angle / libm::sin(angle);
            [-libm::cos((1.0 - t) * angle) * speed, libm::cos(t * angle) * speed]
        });
        let largest = |i: usize| self.a[i].abs().max(self.b[i].abs());
        let acceleration = angle * angle * std::f64::consts::SQRT_2;
        [0, 1, 2, 3].map(|i| doubt * speed[i].abs() + 0.5 * doubt * doubt * acceleration * largest(i))
    }

    fn at(&self, t: f64, along: Numbers) -> Quaternion {
        let normalises = self.rule == KeyRotations::UnitAfter && !self.is_unit;
        let finished = |q: Numbers| if normalises { unit(q) } else { q };
        let own = weights(self.angle, t);
        let value = finished(self.mix(own));
        let mut others: Vec<Numbers> =
            self.other_angles.iter().map(|angle| finished(self.mix(weights(*angle, t)))).collect();
        let mean = self.mix([1.0 - t, t]);
        if self.is_near {
            others.push(unit(mean));
            if !self.is_unit && stands(self.rule) {
                others.push(unit(value));
            }
        }
        if self.is_very_near && !self.is_unit && stands(self.rule) {
            others.push(mean);
        }
        let angle_squared = std::f64::consts::PI * self.doubt_of_dot + 4.0 * UNIT * self.angle * self.angle;
        let weight_doubt = |weight: f64, part: f64| {
            weight * (gamma(WEIGHT) + self.length) + part * (1.0 - part * part) / 3.0 * angle_squared
        };
        // What is brought to unit length in the end grows or shrinks with all that it was off.
        let grown = if normalises { 1.0 / length(self.mix(own)) } else { 1.0 };
        let doubts = [grown * weight_doubt(own[0], 1.0 - t), grown * weight_doubt(own[1], t)];
        // Along the result and across.
        let is_normalised = self.is_unit || self.rule == KeyRotations::Unit || normalises;
        let [along_a, along_b] = [self.a, self.b].map(|key| if is_normalised { dot(key, unit(value)) } else { 0.0 });
        let across = |key: Numbers, along: f64, i: usize| (key[i] - along * unit(value)[i]).abs();
        let mut common = doubts[0] * along_a.abs() + doubts[1] * along_b.abs();
        if is_normalised && self.is_very_near {
            common += (length(mean) - 1.0).abs();
        }
        let numbers = [0, 1, 2, 3].map(|i| {
            let size = grown * (own[0] * self.a[i].abs() + own[1] * self.b[i].abs());
            let rounding = across(self.a, along_a, i) * doubts[0]
                + across(self.b, along_b, i) * doubts[1]
                + size * (gamma(2) + self.relative)
                + gamma(1) * value[i].abs();
            let apart = others.iter().map(|other| (other[i] - value[i]).abs()).fold(0.0, f64::max);
            Bounded::within(value[i], along[i] + rounding + apart)
        });
        Quaternion { numbers, length: if is_normalised { common.max(gamma(LENGTH)) } else { gamma(NORMALISED) } }
    }
}

/// Below this angle spherical and linear weights are the same in f64.
const SMALL: f64 = 1e-7;

fn weights(angle: f64, t: f64) -> [f64; 2] {
    if angle < SMALL {
        return [1.0 - t, t];
    }
    let sine = libm::sin(angle);
    [libm::sin((1.0 - t) * angle) / sine, libm::sin(t * angle) / sine]
}

#[cfg(test)]
mod tests {
    use refrast_scene::ChannelTarget;

    use super::*;

    fn channel(values: &[[f32; 4]]) -> Channel {
        Channel {
            node: 0,
            target: ChannelTarget::Rotation,
            interpolation: Interpolation::Linear,
            times: (0..values.len()).map(|key| key as f32).collect(),
            values: values.concat(),
            components: 4,
        }
    }

    fn bounds(q: Quaternion) -> Numbers {
        q.numbers.map(|x| x.bound(Rounding::Nearest) + q.length * x.value().abs())
    }

    /// The inequality that keeps small angles from losing digits, on a grid and by differences.
    #[test]
    fn weights_move_with_the_square_of_the_angle() {
        for p in (0..=40).map(|i| f64::from(i) / 40.0) {
            for theta in (1..=200).map(|i| f64::from(i) / 200.0 * std::f64::consts::FRAC_PI_2) {
                let g = |theta: f64| libm::sin(p * theta) / libm::sin(theta);
                let slope = (g(theta + 1e-5) - g(theta - 1e-5)) / 2e-5;
                let bound = 2.0 / 3.0 * p * (1.0 - p * p) * theta;
                assert!(slope >= -1e-7 && slope <= bound + 1e-7, "{p} {theta}: {slope} {bound}");
            }
        }
    }

    #[test]
    fn a_quarter_turn_between_far_keys() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let channel = channel(&[[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]]);
        let q = linear(&channel, 0.5, Chain::NLERP_ABOVE, KeyRotations::AsStored);
        // Half a quarter turn is an eighth: the sine and cosine of π/8.
        assert!((q.numbers[0].value() - libm::sin(std::f64::consts::PI / 8.0)).abs() < 1e-8);
        let bound = bounds(q);
        assert!(bound[3] > 8.0 * UNIT && bound[3] < 30.0 * UNIT, "{bound:?}");
        assert_eq!((bound[1], bound[2], q.numbers[1].value()), (0.0, 0.0, 0.0));
        // The normalised mean is the same in the middle, but not at a quarter, where it is no right answer.
        let q = linear(&channel, 0.25, Chain::NLERP_ABOVE, KeyRotations::AsStored);
        let mean = unit([0.25 * f64::from(half), 0.0, 0.0, 0.75 + 0.25 * f64::from(half)]);
        assert!((mean[0] - q.numbers[0].value()).abs() > 100.0 * self::bounds(q)[0]);
        let near = linear(&channel, 0.25, 0.5, KeyRotations::AsStored);
        assert!((mean[0] - near.numbers[0].value()).abs() < self::bounds(near)[0]);
    }

    #[test]
    fn keys_that_are_not_of_unit_length_part() {
        let channel = channel(&[[0.0, 0.0, 0.707, 0.707], [0.0, 0.0, 0.0, 1.0]]);
        let at_key = KeyRotations::ALL.map(|rule| linear(&channel, 0.0, Chain::NLERP_ABOVE, rule).numbers[2].value());
        let [stored, by_cosine, first, after] = at_key;
        assert!((stored - 0.707).abs() < 1e-7 && by_cosine == stored);
        assert!((first - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-12 && after == first);
    }

    #[test]
    fn half_a_turn_has_no_shorter_way() {
        let channel = channel(&[[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]);
        let q = linear(&channel, 0.5, Chain::NLERP_ABOVE, KeyRotations::AsStored);
        assert_eq!(bounds(q), [f64::INFINITY; 4]);
    }

    use super::super::Chain;
}
