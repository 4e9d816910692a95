//! Does a triangle cover a sample, wherever its corners are allowed to be?
//!
//! Why it exists: this is the one place that calls a sample sure. The edge value of a point p against the edge from b to c
//! is e = (b − p) × (c − p), positive on the inner side of a triangle that turns clockwise (y down). Moving the corners by
//! δb and δc changes it by at most Δ = r_bx·|c_y − p_y| + r_by·|c_x − p_x| + r_cx·|b_y − p_y| + r_cy·|b_x − p_x| +
//! r_bx·r_cy + r_by·r_cx.
//!
//! Where neither corner may move, both lie on a grid of 1/256 of a pixel and samples on one of 1/16, so that e is exact in f64
//! (two differences of less than 2^24 steps, multiplied and subtracted). A sample with e = 0 lies on the edge then, for
//! everyone, and the top-left rule decides: the only profile with such corners, Direct3D's, demands it (11.3 Functional
//! Specification, 3.4.2.1). Vulkan promises no more than that exactly one of two triangles with a common edge covers a sample on it
//! ("Basic Polygon Rasterization").

use super::{
    clip::Polygon,
    surface::{Surface, Turn},
    vertices::Corner,
};

/// Whether a sample is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// For no allowed position.
    Out,
    /// For some.
    Maybe,
    /// For every one.
    In,
}

/// An edge of an outline, ready to be looked at from many points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The middles of where its ends may be …
    from: [f64; 2],
    to: [f64; 2],
    /// … and how far each may be off.
    radius: [[f64; 2]; 2],
    /// Whether neither may be.
    is_certain: bool,
}

/// An edge as a point sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeView {
    /// The edge value at the exact corners.
    pub(super) value: f64,
    /// How far it may be off; exactly 0 where the corners may not move.
    pub(super) freedom: f64,
    /// Along the edge.
    step: [f64; 2],
}

/// Where a point lies for somebody who sees the inner side of the edge on its right (clockwise, y down).
#[derive(Clone, Copy, Debug)]
struct Sides {
    surely_in: bool,
    surely_out: bool,
}

/// Whether samples on an edge in this direction belong to a triangle that turns clockwise.
fn top_left([dx, dy]: [f64; 2]) -> bool {
    dy < 0.0 || (dy == 0.0 && dx > 0.0)
}

impl Edge {
    #[inline(always)]
    fn of(outline: &Polygon, number: usize) -> Self {
        let [(from, from_radius), (to, to_radius)] = outline.edge(number);
        let radius = [from_radius, to_radius];
        Self { from: from.at, to: to.at, radius, is_certain: radius == [[0.0; 2]; 2] }
    }

    /// Those of an outline.
    pub(super) fn all(outline: &Polygon) -> impl Iterator<Item = Self> {
        (0..outline.corners().len()).map(|number| Self::of(outline, number))
    }

    #[inline(always)]
    fn seen_from(&self, point: [f64; 2]) -> EdgeView {
        let Self { from, to, radius: [rb, rc], is_certain } = *self;
        let b = [from[0] - point[0], from[1] - point[1]];
        let c = [to[0] - point[0], to[1] - point[1]];
        let (forward, backward) = (b[0] * c[1], b[1] * c[0]);
        let freedom = rb[0] * c[1].abs()
            + rb[1] * c[0].abs()
            + rc[0] * b[1].abs()
            + rc[1] * b[0].abs()
            + rb[0] * rc[1]
            + rb[1] * rc[0];
        // The roundings of f64 here.
        let rounding = 1e-14 * (forward.abs() + backward.abs());
        let step = [to[0] - from[0], to[1] - from[1]];
        EdgeView { value: forward - backward, freedom: if is_certain { 0.0 } else { freedom + rounding }, step }
    }
}

impl EdgeView {
    /// For a triangle that turns clockwise (`sign` 1) or the other way (−1).
    #[inline(always)]
    fn sides(&self, sign: f64) -> Sides {
        let value = sign * self.value;
        // On the edge itself.
        let is_on = self.freedom == 0.0 && self.value == 0.0;
        let owns = is_on && top_left(self.step.map(|step| sign * step));
        Sides { surely_in: value > self.freedom || owns, surely_out: value < -self.freedom || (is_on && !owns) }
    }

    /// Whether the point may lie on the edge's line.
    #[inline(always)]
    pub(super) fn is_near(&self) -> bool {
        self.value.abs() <= self.freedom
    }
}

/// Coverage as far as it follows from the triangle alone, whose edges these are.
#[inline(always)]
pub(super) fn coverage(surface: &Surface, edges: &[Edge], point: [f64; 2]) -> Coverage {
    let sign = match surface.turn {
        Turn::Clockwise => 1.0,
        Turn::CounterClockwise => -1.0,
        Turn::Unsure => return coverage_by_either(surface, edges, point),
    };
    let mut surely_in = !surface.is_thin();
    for edge in edges {
        let sides = edge.seen_from(point).sides(sign);
        if sides.surely_out {
            return Coverage::Out;
        }
        surely_in &= sides.surely_in;
    }
    if surely_in { Coverage::In } else { Coverage::Maybe }
}

/// The same of a triangle that may turn either way.
fn coverage_by_either(surface: &Surface, edges: &[Edge], point: [f64; 2]) -> Coverage {
    let is_out = |sign: f64| edges.iter().any(|edge| edge.seen_from(point).sides(sign).surely_out);
    if (is_out(1.0) && is_out(-1.0)) || outside_box(surface.outline.ends(), point) {
        Coverage::Out
    } else {
        Coverage::Maybe
    }
}

/// Whether no corner can be far enough out for the point to lie between them: what decides for triangles without area,
/// along whose line the edge values say nothing.
fn outside_box<'a>(corners: impl Iterator<Item = (&'a Corner, [f64; 2])> + Clone, point: [f64; 2]) -> bool {
    [0, 1].into_iter().any(|axis| {
        corners.clone().all(|(corner, radius)| corner.at[axis] + radius[axis] < point[axis])
            || corners.clone().all(|(corner, radius)| corner.at[axis] - radius[axis] > point[axis])
    })
}

/// 1 where the exact triangle covers the sample and turns clockwise, −1 where it covers it and turns the other way, else 0;
/// by the top-left rule, so that the triangles around an edge or a corner agree whose a sample on it is.
pub(super) fn winding(surface: &Surface, point: [f64; 2]) -> i32 {
    let (mut clockwise, mut counter) = (true, true);
    for number in 0..surface.outline.corners().len() {
        let EdgeView { value, step, .. } = Edge::of(&surface.outline, number).seen_from(point);
        clockwise &= value > 0.0 || (value == 0.0 && top_left(step));
        counter &= value < 0.0 || (value == 0.0 && top_left(step.map(|step| -step)));
    }
    i32::from(clockwise) - i32::from(counter)
}

/// Whether a point may lie on the segment itself, and not only on its line.
pub(super) fn touches(outline: &Polygon, number: usize, point: [f64; 2]) -> bool {
    Edge::of(outline, number).seen_from(point).is_near() && !outside_box(outline.edge(number).into_iter(), point)
}
