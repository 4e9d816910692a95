//! Lines and points: shapes whose footprint specifications leave open.
//!
//! Why it exists: a line may be a parallelogram along its minor axis, a rectangle around it, or what a diamond rule picks
//! (Vulkan, "Basic Line Segment Rasterization" and `strictLines`; OpenGL, 14.5). All of these take pixels whose centres are less
//! than a pixel from the segment, so that within a pixel everything may be covered and nothing surely is. Attributes are
//! taken at the foot of the sample on the segment, along its direction or along its major axis: the two are apart by no more than
//! the sample is from the line.

use super::{
    Interval,
    clip::{Polygon, between_planes},
    planes::{UNKNOWN, Weights},
    vertices::{ClipVertex, Corner, Window},
};

/// How far from the ideal segment or point a sample may be covered, in pixels.
const REACH: f64 = 1.0;

/// A segment, or a point where both ends are the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thin {
    ends: [Corner; 2],
    w: [f64; 2],
    /// What part of the way from the primitive's first vertex to its second each end is.
    along: [f64; 2],
    relative_w: f64,
    shift: f64,
    is_point: bool,
}

impl Thin {
    /// The segment between two vertices, as far as it lies between the near and the far plane, and the outline of all that it
    /// may cover.
    pub(super) fn line(window: &Window, vertices: &[ClipVertex; 2]) -> Option<(Self, Polygon)> {
        let (ends, along) = between_planes(window, vertices)?;
        Some(Self::new(window, ends, along, false))
    }

    /// A point; none behind the eye.
    pub(super) fn point(window: &Window, vertex: &ClipVertex) -> Option<(Self, Polygon)> {
        let (ends, along) = between_planes(window, &[*vertex; 2])?;
        Some(Self::new(window, ends, along, true))
    }

    fn new(window: &Window, vertices: [ClipVertex; 2], along: [f64; 2], is_point: bool) -> (Self, Polygon) {
        let ends = vertices.map(|vertex| window.corner(&vertex).about_exact());
        let shift = ends.iter().flat_map(|end| end.radius).fold(0.0, f64::max);
        let relative_w = vertices.iter().map(|vertex| window.relative_w(vertex)).fold(0.0, f64::max);
        let thin = Self { ends, w: vertices.map(|vertex| vertex.position[3]), along, relative_w, shift, is_point };
        (thin, thin.outline())
    }

    /// A rectangle around the segment, clockwise.
    fn outline(&self) -> Polygon {
        let [a, b] = self.ends.map(|end| end.at);
        let length = self.length();
        // A segment without length has no direction: any will do, as the rectangle is as high as it is wide.
        let forward = if length > 0.0 { [(b[0] - a[0]) / length, (b[1] - a[1]) / length] } else { [1.0, 0.0] };
        let side = [-forward[1], forward[0]];
        let reach = if self.is_point { REACH * std::f64::consts::SQRT_2 } else { REACH };
        let corner = |end: usize, ahead: f64, aside: f64| {
            let at = self.ends[end].at;
            let place = |axis: usize| at[axis] + reach * (ahead * forward[axis] + aside * side[axis]);
            Corner { at: [place(0), place(1)], ..self.ends[end] }
        };
        Polygon::loose([corner(0, -1.0, -1.0), corner(1, 1.0, -1.0), corner(1, 1.0, 1.0), corner(0, -1.0, 1.0)])
    }

    fn length(&self) -> f64 {
        let [a, b] = self.ends.map(|end| end.at);
        ((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])).sqrt()
    }

    /// Part of the way from the first end to the second at which attributes are taken, for a sample that is `extra` pixels
    /// farther away than those that may be covered.
    fn part(&self, point: [f64; 2], extra: f64) -> Interval {
        let [a, b] = self.ends.map(|end| end.at);
        let length = self.length();
        let radius = (2.0 * REACH + extra + 2.0 * self.shift) / length;
        if radius.is_nan() || radius >= 0.5 {
            return Interval { low: 0.0, high: 1.0 }.widened(extra / length.max(self.shift).max(1e-3));
        }
        let foot = ((point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])) / (length * length);
        Interval::around(foot, radius)
    }

    /// Depth where it may be covered.
    pub(super) fn depth_at(&self, point: [f64; 2]) -> Interval {
        let [from, to] = self.ends.map(|end| end.depth);
        let hull = from.hull(to);
        let part = self.part(point, 0.0);
        let at = |part: f64| from * Interval::exact(1.0 - part) + to * Interval::exact(part);
        at(part.low.clamp(0.0, 1.0)).hull(at(part.high.clamp(0.0, 1.0))).clamped(hull.low, hull.high)
    }

    /// Weights of the primitive's vertices (a line's second vertex counts for the third too) at a point at most `extra` pixels
    /// from where it may be covered.
    pub(super) fn weights_at(&self, point: [f64; 2], extra: f64) -> Weights {
        if self.is_point {
            return Weights { weights: [1.0, 0.0, 0.0], radius: [0.0; 3] };
        }
        let part = self.part(point, extra);
        // Perspective: rises with the part as long as both weights of w are positive.
        let at = |part: f64| {
            let (first, second) = ((1.0 - part) / self.w[0], part / self.w[1]);
            let sum = first + second;
            (sum > 0.0).then(|| self.along[0] + (self.along[1] - self.along[0]) * second / sum)
        };
        let (Some(low), Some(high)) = (at(part.low), at(part.high)) else {
            return Weights { weights: [0.5, 0.5, 0.0], radius: [UNKNOWN, UNKNOWN, 0.0] };
        };
        let interval = Interval::between(low, high);
        let radius = interval.radius() + 4.0 * self.relative_w * (1.0 + interval.magnitude());
        Weights { weights: [1.0 - interval.center(), interval.center(), 0.0], radius: [radius, radius, 0.0] }
    }
}
