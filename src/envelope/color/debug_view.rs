//! The debug views over ranges: texture coordinates, depth, and the lines of the wireframe.

use super::{
    boxes::ColorBoxes,
    scale::{differences, smallest},
    varyings::Interpolated,
};
use crate::{Fragment, Interval};
use refrast_range::Freedoms;
use refrast_shading::LINE_COLOR;

/// (u − ⌊u⌋, v − ⌊v⌋, 0): where a whole number may be passed, its two sides are choices.
pub(super) fn texcoord(coordinates: [Interpolated; 2], freedoms: &Freedoms) -> ColorBoxes {
    let [(u, other_u), (v, other_v)] = coordinates.map(|coordinate| fractions(coordinate.interval(), freedoms));
    let mut boxes = ColorBoxes::default();
    for u in [Some(u), other_u].into_iter().flatten() {
        for v in [Some(v), other_v].into_iter().flatten() {
            boxes.push([u, v, Interval::exact(0.0), Interval::exact(1.0)]);
        }
    }
    boxes
}

/// x − ⌊x⌋, rounded: just below a whole number that may give 1.
fn fractions(x: Interval, freedoms: &Freedoms) -> (Interval, Option<Interval>) {
    let (below, above) = (x.low.floor(), x.high.floor());
    let rounded = |low: f64, high: f64| Interval { low, high }.widened(freedoms.arithmetic).clamped(0.0, 1.0);
    if below == above {
        return (rounded(x.low - below, x.high - below), None);
    }
    if above - below == 1.0 {
        return (rounded(x.low - below, 1.0), Some(rounded(0.0, x.high - above)));
    }
    (Interval { low: 0.0, high: 1.0 }, None)
}

/// (black − z)/(black − white).
pub(super) fn depth(depth: Interval, [white, black]: [f64; 2], freedoms: &Freedoms) -> Interval {
    let range = black - white;
    let at = |depth: f64| (black - depth) / range;
    let rounding = 2.0 * freedoms.arithmetic * (black.abs() + depth.magnitude()) / range.abs();
    Interval::between(at(depth.low), at(depth.high)).widened(rounding).rounded(freedoms.division + freedoms.arithmetic)
}

/// How much of a pixel the edges of its triangle cover: the largest of clamp(1 − l/|∇l|, 0, 1) over the barycentrics l,
/// with derivatives from any differences of the neighbourhood. Points have no slope; the slope of a line depends on how a
/// backend widens it to pixels, so that its ends may be darkened by anything.
pub(super) fn edges(fragment: &Fragment, freedoms: &Freedoms) -> Interval {
    let [a, b, c] = fragment.vertices;
    if a == b && b == c {
        return Interval::exact(0.0);
    }
    if a == b || b == c || c == a {
        return Interval { low: 0.0, high: 1.0 };
    }
    let arithmetic = 2.0 * freedoms.division + 8.0 * freedoms.arithmetic;
    let mut cover = Interval::exact(0.0);
    for corner in 0..3 {
        let mut around = [0.0; 9];
        let mut largest = 0.0f64;
        for (value, weights) in around.iter_mut().zip(&fragment.neighbours) {
            *value = weights[corner];
            largest = largest.max(value.abs());
        }
        let [dx, dy] = differences(&around, fragment.neighbour_radius[corner] + arithmetic * largest);
        let slope = Interval { low: length(smallest(dx), smallest(dy)), high: length(dx.magnitude(), dy.magnitude()) }
            .rounded(4.0 * freedoms.arithmetic + freedoms.division + freedoms.inverse_square_root);
        let weight = fragment.weights[corner];
        let weight = Interval::around(weight, fragment.radius[corner] + arithmetic * weight.abs());
        let farthest = quotient(weight.high, if weight.high > 0.0 { slope.low } else { slope.high });
        let nearest = quotient(weight.low, if weight.low > 0.0 { slope.high } else { slope.low });
        let rounding = freedoms.division + 2.0 * freedoms.arithmetic;
        let one = Interval { low: 1.0 - farthest, high: 1.0 - nearest }.widened(rounding);
        // A slope that may be nothing may be left out, and one that is nothing is.
        let least = if slope.low > 0.0 { one.low.clamp(0.0, 1.0) } else { 0.0 };
        let most = if slope.high > 0.0 { one.high.clamp(0.0, 1.0) } else { 0.0 };
        cover = Interval { low: cover.low.max(least), high: cover.high.max(most) };
    }
    cover
}

/// fill + (line − fill)·cover.
pub(super) fn with_lines(fill: [Interval; 4], cover: Interval, arithmetic: f64) -> [Interval; 4] {
    let line = f64::from(LINE_COLOR[0]);
    let mixed = |fill: f64, cover: f64| fill + (line - fill) * cover;
    let mut result = fill;
    for channel in &mut result[..3] {
        let rounding = 3.0 * arithmetic * (channel.magnitude() + line);
        // Rising in the fill, falling or rising in the cover.
        *channel = Interval {
            low: mixed(channel.low, cover.low).min(mixed(channel.low, cover.high)),
            high: mixed(channel.high, cover.low).max(mixed(channel.high, cover.high)),
        }
        .widened(rounding);
    }
    result
}

/// `weight` ÷ `slope`, as far as it may go where there is no slope.
fn quotient(weight: f64, slope: f64) -> f64 {
    if slope > 0.0 {
        weight / slope
    } else if weight > 0.0 {
        f64::INFINITY
    } else {
        f64::NEG_INFINITY
    }
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}
