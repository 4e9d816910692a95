//! Does a triangle cover a sample, wherever its corners are allowed to be?
//!
//! Why it exists: this is the one place that calls a sample sure. The edge value of a point p against the edge from b to c
//! is e = (b − p) × (c − p), positive on the inner side of a triangle that turns clockwise (y down). Moving the corners by
//! δb and δc changes it by at most Δ = r_bx·|c_y − p_y| + r_by·|c_x − p_x| + r_cx·|b_y − p_y| + r_cy·|b_x − p_x| +
//! r_bx·r_cy + r_by·r_cx.

use super::{
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

/// An edge as a point sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeView {
    /// The edge value at the exact corners.
    pub(super) value: f64,
    /// How far it may be off.
    pub(super) freedom: f64,
}

impl EdgeView {
    #[inline(always)]
    pub(super) fn new(from: &Corner, to: &Corner, point: [f64; 2]) -> Self {
        let b = [from.at[0] - point[0], from.at[1] - point[1]];
        let c = [to.at[0] - point[0], to.at[1] - point[1]];
        let (rb, rc) = (from.radius, to.radius);
        let (forward, backward) = (b[0] * c[1], b[1] * c[0]);
        let freedom = rb[0] * c[1].abs()
            + rb[1] * c[0].abs()
            + rc[0] * b[1].abs()
            + rc[1] * b[0].abs()
            + rb[0] * rc[1]
            + rb[1] * rc[0];
        // The roundings of f64 here.
        Self { value: forward - backward, freedom: freedom + 1e-14 * (forward.abs() + backward.abs()) }
    }

    /// Whether the point may lie on the edge's line.
    #[inline(always)]
    pub(super) fn is_near(&self) -> bool {
        self.value.abs() <= self.freedom
    }
}

/// Coverage as far as it follows from the triangle alone.
#[inline(always)]
pub(super) fn coverage(surface: &Surface, point: [f64; 2]) -> Coverage {
    let corners = surface.outline.corners();
    let (mut least_sure, mut clockwise_out, mut counter_out) = (true, false, false);
    for (i, from) in corners.iter().enumerate() {
        let to = &corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
        let edge = EdgeView::new(from, to, point);
        let sign = if surface.turn == Turn::CounterClockwise { -1.0 } else { 1.0 };
        least_sure &= sign * edge.value > edge.freedom;
        clockwise_out |= edge.value < -edge.freedom;
        counter_out |= edge.value > edge.freedom;
    }
    match surface.turn {
        Turn::Clockwise if clockwise_out => Coverage::Out,
        Turn::CounterClockwise if counter_out => Coverage::Out,
        Turn::Unsure if clockwise_out && counter_out => Coverage::Out,
        Turn::Clockwise | Turn::CounterClockwise if least_sure && !surface.is_thin() => Coverage::In,
        Turn::Unsure if outside_box(corners, point) => Coverage::Out,
        _ => Coverage::Maybe,
    }
}

/// Whether no corner can be far enough out for the point to lie between them: what decides for triangles without area,
/// along whose line the edge values say nothing.
fn outside_box(corners: &[Corner], point: [f64; 2]) -> bool {
    [0, 1].into_iter().any(|axis| {
        corners.iter().all(|corner| corner.at[axis] + corner.radius[axis] < point[axis])
            || corners.iter().all(|corner| corner.at[axis] - corner.radius[axis] > point[axis])
    })
}

/// 1 where the exact triangle covers the sample and turns clockwise, −1 where it covers it and turns the other way, else 0;
/// by the top-left rule, so that the triangles around an edge or a corner agree whose a sample on it is.
pub(super) fn winding(surface: &Surface, point: [f64; 2]) -> i32 {
    let corners = surface.outline.corners();
    let (mut clockwise, mut counter) = (true, true);
    for (i, from) in corners.iter().enumerate() {
        let to = &corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
        let value = EdgeView::new(from, to, point).value;
        let (dx, dy) = (to.at[0] - from.at[0], to.at[1] - from.at[1]);
        let top_left = |dx: f64, dy: f64| dy < 0.0 || (dy == 0.0 && dx > 0.0);
        clockwise &= value > 0.0 || (value == 0.0 && top_left(dx, dy));
        counter &= value < 0.0 || (value == 0.0 && top_left(-dx, -dy));
    }
    i32::from(clockwise) - i32::from(counter)
}

/// Whether a point may lie on the segment itself, and not only on its line.
pub(super) fn touches(from: &Corner, to: &Corner, point: [f64; 2]) -> bool {
    EdgeView::new(from, to, point).is_near() && !outside_box(&[*from, *to], point)
}
