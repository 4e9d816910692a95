//! [`Choice`]: one of the colours that a sample may have, as a box in linear light.

use super::{ColorBox, Interval};
use refrast_measure::envelope::join_closest;
use refrast_shading::ColorSpace;

/// A box of colours that a backend may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Choice {
    pub(super) color: ColorBox,
    /// Whether it is the hull of choices that lie apart.
    pub(super) loose: bool,
}

impl Choice {
    /// One colour.
    pub(super) fn exact(color: [f64; 4]) -> Self {
        Self { color: ColorBox { channels: color.map(Interval::exact) }, loose: false }
    }

    /// The smallest box that holds both.
    pub(super) fn hull(&self, other: &Self) -> Self {
        let (own, other_channels) = (self.color.channels, other.color.channels);
        let channels = std::array::from_fn(|i| own[i].hull(other_channels[i]));
        Self { color: ColorBox { channels }, loose: self.loose || other.loose }
    }

    /// Whether the hull of both reaches less than half a stored step out of either.
    pub(super) fn is_close(&self, other: &Self, space: ColorSpace) -> bool {
        let channels = self.color.channels.iter().zip(&other.color.channels);
        channels.enumerate().all(|(channel, (own, other))| {
            let (low, high) = (own.low.min(other.low), own.high.max(other.high));
            let growth = (own.high - own.low).max(other.high - other.low);
            (high - low) - growth <= 0.5 * step(low, channel, space)
        })
    }

    /// How far the hull of both reaches out of the larger one, over all channels.
    fn growth(&self, other: &Self) -> f64 {
        let channels = self.color.channels.iter().zip(&other.color.channels);
        let growth = |(own, other): (&Interval, &Interval)| {
            let hull = own.hull(*other);
            (hull.high - hull.low) - (own.high - own.low).max(other.high - other.low)
        };
        channels.map(growth).sum()
    }
}

/// A lower bound of how much linear light a step of 1/255 of the stored value is, at `value` and above: the slope of the sRGB
/// decoding is 1/12.92 near black and 2.4/1.055·x^(7/12) above, and x^(7/12) ≥ x^(3/4).
fn step(value: f64, channel: usize, space: ColorSpace) -> f64 {
    if channel == 3 || space == ColorSpace::Linear {
        return 1.0 / 255.0;
    }
    let root = value.clamp(0.0, 1.0).sqrt();
    (2.27 * root * root.sqrt()).max(1.0 / 12.92) / 255.0
}

/// Adds a choice, joined with one that it is close to.
pub(super) fn add(choices: &mut Vec<Choice>, new: Choice, space: ColorSpace) {
    match choices.iter_mut().find(|old| old.loose == new.loose && old.is_close(&new, space)) {
        Some(old) => *old = old.hull(&new),
        None => choices.push(new),
    }
}

/// Joins the closest until at most `most` are left; what is joined so is loose.
pub(super) fn limit(choices: &mut Vec<Choice>, most: usize) {
    let join = |one: &Choice, other: &Choice| Choice { loose: true, ..one.hull(other) };
    join_closest(choices, most, (f64::INFINITY, |first, second| [second, first]), Choice::growth, join);
}
