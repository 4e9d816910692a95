//! Where a time lies among keys, and numbers between them.
//!
//! # Time
//!
//! A backend has the time as a decimal, an f64 or an f32: within τ = u·|t| of refrast's f32. Between keys at t₀ and t₁ it
//! computes (t − t₀)/(t₁ − t₀): two differences and a division (or a reciprocal and a product), four roundings, so that
//! the place T between the keys is off by at most γ₄·T + τ/(t₁ − t₀). A curve with the slope s (per second) is
//! then off by γ₄·T·(t₁ − t₀)·s + τ·s. Where the window t ± τ reaches over a key, the other side's slope counts too, since
//! curves meet at keys. All of this is added once, apart from the rounding of the formula, in which T is exact.
//!
//! # Forms
//!
//! (1 − T)·a + T·b and a + T·(b − a) have the same monomials a, T·a, T·b and three roundings at most on the way of each.
//! Hermite's spline likewise, by its basis or by Horner's rule (nine roundings; the tangent's product with the interval
//! is one more).

use refrast_range::{Bounded, Rounding};
use refrast_scene::{Channel, ChannelTarget, Interpolation};
use refrast_words::words;

use super::UNIT;

words! {
    /// Which STEP key counts where the time is so near to a key that f32 and f64 disagree about who comes first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StepKeys: "step rule" = Exact {
        /// The last one that is not after the time, both in f32.
        Exact = "step-exact",
        /// The one before.
        Earlier = "step-earlier",
        /// The one after.
        Later = "step-later",
    }
}

/// How often T is rounded on the way: two differences, a reciprocal and a product.
const PLACE: u32 = 4;

/// How far a backend's time may be from refrast's.
pub(super) fn time_window(seconds: f32) -> f64 {
    if seconds.is_finite() { UNIT * f64::from(seconds).abs() } else { 0.0 }
}

/// Where a time lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// At this key, before the first or after the last one.
    Key(usize),
    /// Between this key and the next, at the fraction T.
    Between(usize, f64),
}

pub(super) fn place(times: &[f32], seconds: f32) -> Place {
    let after = times.partition_point(|&time| time <= seconds);
    let Some(key) = after.checked_sub(1) else { return Place::Key(0) };
    if after == times.len() || times[key] == seconds {
        return Place::Key(key);
    }
    let [from, to, at] = [times[key], times[after], seconds].map(f64::from);
    Place::Between(key, (at - from) / (to - from))
}

/// The segments (by their first key) into which a backend's time may fall, each with the nearest place in it.
pub(super) fn reached(times: &[f32], seconds: f32) -> impl Iterator<Item = (usize, f64)> + '_ {
    let (at, window) = (f64::from(seconds), time_window(seconds));
    (0..times.len().saturating_sub(1)).filter_map(move |key| {
        let [from, to] = [times[key], times[key + 1]].map(f64::from);
        let reached = from < at + window && at - window < to;
        reached.then(|| (key, ((at - from) / (to - from)).clamp(0.0, 1.0)))
    })
}

/// How far a backend's T may be off at T in a segment, the window counted in full.
pub(super) fn place_doubt(times: &[f32], key: usize, fraction: f64, seconds: f32) -> f64 {
    let interval = f64::from(times[key + 1]) - f64::from(times[key]);
    Rounding::Nearest.gamma(PLACE) * fraction + time_window(seconds) * (1.0 + 8.0 * UNIT) / interval
}

/// The key whose value a STEP channel has.
pub(super) fn step_key(times: &[f32], seconds: f32, rule: StepKeys) -> usize {
    let at = f64::from(seconds);
    let at = match rule {
        StepKeys::Exact => at,
        StepKeys::Earlier => at - time_window(seconds),
        StepKeys::Later => at + time_window(seconds),
    };
    times.partition_point(|&time| f64::from(time) <= at).saturating_sub(1)
}

/// A number as a channel has it. Weights may be normalised integers, which a backend decodes itself.
pub(super) fn key_number(channel: &Channel, index: usize) -> Bounded {
    let number = f64::from(channel.values[index]);
    let decoded = matches!(channel.target, ChannelTarget::Weights | ChannelTarget::Rotation);
    // No fraction of 127, 255, 32767 or 65535 but 0 and ±1 is a multiple of 1/4.
    let exact = !decoded || (4.0 * number).fract() == 0.0;
    Bounded::within(number, if exact { 0.0 } else { UNIT * number.abs() })
}

/// All numbers of a channel that is no rotation.
pub(super) fn numbers(channel: &Channel, seconds: f32, steps: StepKeys) -> Vec<Bounded> {
    (0..channel.components).map(|component| number(channel, component, seconds, steps)).collect()
}

/// One component of a channel, with no regard for what it belongs to.
pub(super) fn number(channel: &Channel, component: usize, seconds: f32, steps: StepKeys) -> Bounded {
    let times = &channel.times;
    match channel.interpolation {
        Interpolation::Step => key_number(channel, step_key(times, seconds, steps) * channel.components + component),
        Interpolation::Linear => {
            let key = |key: usize| key_number(channel, key * channel.components + component);
            let slope = |key_index: usize| (key(key_index + 1).value() - key(key_index).value()).abs();
            let doubt = reached(times, seconds)
                .map(|(segment, at)| slope(segment) * place_doubt(times, segment, at, seconds))
                .fold(0.0, f64::max);
            match place(times, seconds) {
                Place::Key(index) => key(index).widened(doubt),
                Place::Between(index, fraction) => {
                    let (a, b) = (key(index), key(index + 1));
                    // Of two equal keys a + T·(b − a) makes the key, and so nearly does the other form.
                    let fraction = Bounded::within(fraction, 0.0);
                    (a + (b - a) * fraction).widened(doubt)
                }
            }
        }
        Interpolation::CubicSpline => {
            let spline = |key: usize| Spline::new(channel, key, component);
            let doubt = reached(times, seconds)
                .map(|(segment, at)| {
                    let doubt = place_doubt(times, segment, at, seconds);
                    spline(segment).slope(at, doubt) * doubt
                })
                .fold(0.0, f64::max);
            match place(times, seconds) {
                Place::Key(index) => {
                    key_number(channel, (3 * index + 1) * channel.components + component).widened(doubt)
                }
                Place::Between(index, fraction) => spline(index).at(fraction).widened(doubt),
            }
        }
    }
}

/// A component between two keys of a CUBICSPLINE channel.
struct Spline {
    left: Bounded,
    /// Out-tangent of the left key times the interval.
    leaving: Bounded,
    right: Bounded,
    /// In-tangent of the right key times the interval.
    arriving: Bounded,
}

impl Spline {
    fn new(channel: &Channel, key: usize, component: usize) -> Self {
        let part = |index: usize| key_number(channel, index * channel.components + component);
        let [from, to] = [channel.times[key], channel.times[key + 1]].map(f64::from);
        let interval = Bounded::within(to - from, 0.0).rounded(1);
        Self {
            left: part(3 * key + 1),
            leaving: part(3 * key + 2) * interval,
            right: part(3 * key + 4),
            arriving: part(3 * key + 3) * interval,
        }
    }

    /// (2T³ − 3T² + 1)·left + (T³ − 2T² + T)·leaving + (3T² − 2T³)·right + (T³ − T²)·arriving.
    fn at(&self, fraction: f64) -> Bounded {
        let t = Bounded::within(fraction, 0.0);
        let (t2, t3) = (t * t, t * t * t);
        let [one, two, three] = [1.0, 2.0, 3.0].map(Bounded::exact);
        let terms = [
            (two * t3 - three * t2 + one) * self.left,
            (t3 - two * t2 + t) * self.leaving,
            (three * t2 - two * t3) * self.right,
            (t3 - t2) * self.arriving,
        ];
        Bounded::sum(terms).rounded(3)
    }

    /// The largest |dv/dT| within `doubt` of T: no coefficient of the derivative turns faster than 6 a unit of T.
    fn slope(&self, t: f64, doubt: f64) -> f64 {
        let [chord, leaving, arriving] =
            [self.right.value() - self.left.value(), self.leaving.value(), self.arriving.value()];
        let near = |coefficient: f64| coefficient.abs() + 6.0 * doubt;
        near(6.0 * t * (1.0 - t)) * chord.abs()
            + near(3.0 * t * t - 4.0 * t + 1.0) * leaving.abs()
            + near(3.0 * t * t - 2.0 * t) * arriving.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(interpolation: Interpolation, times: &[f32], values: &[f32]) -> Channel {
        let target = ChannelTarget::Translation;
        Channel { node: 0, target, interpolation, times: times.to_vec(), values: values.to_vec(), components: 1 }
    }

    #[test]
    fn between_keys_the_place_is_known_to_within_its_roundings() {
        // T = 1/4 of a step of 8: four roundings of T and the time's own, (2^-24 · 2.5)/2 of the way.
        let channel = channel(Interpolation::Linear, &[2.0, 4.0], &[1.0, 9.0]);
        let number = number(&channel, 0, 2.5, StepKeys::Exact);
        assert_eq!(number.value(), 3.0);
        let place = 4.0 * 0.25 + 2.5 / 2.0;
        let formula = 3.0 * (1.0 + 2.25 + 0.25);
        let bound = number.bound(Rounding::Nearest) / UNIT;
        assert!(bound >= 8.0 * place + formula - 1e-3 && bound < 8.0 * place + formula + 0.01, "{bound}");
    }

    #[test]
    fn at_a_key_both_sides_count() {
        let channel = channel(Interpolation::Linear, &[0.0, 1.0, 3.0], &[0.0, 5.0, 5.5]);
        let number = number(&channel, 0, 1.0, StepKeys::Exact);
        // The steeper side rises by 5 in a second: γ₄·T at T = 1 and the time's u·1.
        let bound = number.bound(Rounding::Nearest) / UNIT;
        assert!((bound - 5.0 * 5.0).abs() < 1e-3, "{bound}");
        assert_eq!(place(&channel.times, 1.0), Place::Key(1));
    }

    #[test]
    fn steps_part_at_a_key_and_nowhere_else() {
        let keys = |seconds| StepKeys::ALL.map(|rule| step_key(&[0.0, 0.4, 1.0], seconds, rule));
        assert_eq!(keys(0.4), [1, 0, 1]);
        assert_eq!(keys(0.4f32.next_down()), [0, 0, 0]);
        assert_eq!(keys(0.39), [0, 0, 0]);
        assert_eq!(keys(-1.0), [0, 0, 0]);
    }

    #[test]
    fn a_spline_is_the_specifications() {
        // Keys 1 and 2 at 0 and 2 s, tangents 3 and −1 a second; at T = 1/2 the basis is 1/2, 1/8, 1/2, −1/8.
        let channel = channel(Interpolation::CubicSpline, &[0.0, 2.0], &[9.0, 1.0, 3.0, -1.0, 2.0, 9.0]);
        let number = number(&channel, 0, 1.0, StepKeys::Exact);
        assert_eq!(number.value(), 0.5 + 2.0 * 3.0 / 8.0 + 1.0 + 2.0 / 8.0);
        assert!(number.bound(Rounding::Nearest) < 1e-5);
    }
}
