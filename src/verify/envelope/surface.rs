//! [`Surface`]: a triangle with everything that is known of where it may be seen.
//!
//! Why it exists: the rasteriser's own triangles are integers on one grid, and it drops those that have no area there or
//! face away. Another grid may keep them, so they are set up here again, from the exact corners.
//!
//! Interpolation is done from clip space. With vᵢ = (a·xᵢ + b·wᵢ, likewise y, wᵢ) for the viewport's a and b, a point p of
//! the window has p = Σ qᵢ·(vᵢ.x, vᵢ.y) and 1 = Σ qᵢ·wᵢ with qᵢ = λᵢ/wᵢ, λ the barycentrics of the window; so qᵢ is the
//! plane (vⱼ × vₖ)·(p, 1) / det(v₀, v₁, v₂), for corners behind the eye too. Σ qᵢ is 1/w and qᵢ/Σq the weight of vertex i.

use super::{
    Interval,
    clip::Polygon,
    thin::Thin,
    vertices::{ClipVertex, Window},
};
use crate::raster::{CullMode, DrawState, FrontFace};

/// `a·x + b·y + c` over the window.
pub(super) type Plane = [f64; 3];

/// The value of a plane at a point.
#[inline(always)]
pub(super) fn value(plane: &Plane, [x, y]: [f64; 2]) -> f64 {
    plane[0] * x + plane[1] * y + plane[2]
}

/// Which way a triangle turns in the picture, where all allowed positions agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Clockwise, y down: a positive area.
    Clockwise,
    CounterClockwise,
    /// Some allowed positions turn this way and some that, or it has no area.
    Unsure,
}

/// A triangle, or what is left of it in front of the near plane.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub(super) draw: u32,
    /// Draws that are sections of the same primitive share it.
    pub(super) group: u32,
    pub(super) primitive: u32,
    /// Rows of varyings.
    pub(super) vertices: [u32; 3],
    pub(super) outline: Polygon,
    pub(super) turn: Turn,
    /// Whether the front is seen where it turns clockwise.
    clockwise_front: bool,
    cull: CullMode,
    shape: Shape,
    /// Hull of the corners' depths.
    depth: Interval,
    /// The largest radius of the corners, and what a plane equation in f32 errs by, as a shift of the sample.
    shift: [f64; 2],
    arithmetic: f64,
}

/// What interpolates depth and attributes.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Triangle(Planes),
    /// A triangle without any area.
    Sliver,
    Thin(Thin),
}

#[derive(Clone, Copy, Debug)]
struct Planes {
    /// λᵢ/wᵢ.
    over_w: [Plane; 3],
    depth: Plane,
    /// Barycentrics of the outline's largest three corners: how far a point outside is extrapolated.
    spread: [Plane; 3],
    /// The largest relative error of a corner's w.
    relative_w: f64,
    /// Σ of how much `spread` may change while the corners move: below 1 where the triangle keeps an area.
    flexibility: f64,
    /// The largest depth radius of a corner.
    depth_radius: f64,
}

/// Weights of a triangle's vertices at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) weights: [f64; 3],
    pub(super) radius: [f64; 3],
}

/// Radius of a weight about which nothing is known, where points outside of the triangle are asked for.
pub(super) const UNKNOWN: f64 = 1e6;
/// How far a neighbouring pixel, or the centre of a covered one, may be from where a line is, in pixels.
const NEIGHBOUR: f64 = 2.0;

impl Surface {
    pub(super) fn new(
        window: &Window,
        (draw, group, primitive, vertices): (u32, u32, u32, [u32; 3]),
        corners: &[ClipVertex; 3],
        outline: Polygon,
        state: DrawState,
    ) -> Self {
        let turn = turn(&outline);
        let shift = [0, 1].map(|axis| {
            let radius = outline.corners().iter().fold(0.0, |most: f64, corner| most.max(corner.radius[axis]));
            // An attribute's plane from the window's corner: a·x + b·y + c, four roundings of |a|·x and |b|·y.
            let side = if axis == 0 { window.width } else { window.height };
            radius + 4.0 * window.freedoms.arithmetic * f64::from(side)
        });
        let planes = Planes::new(window, corners, &outline, shift);
        let mut depths = outline.corners().iter().map(|corner| corner.depth);
        let first = depths.next().unwrap_or_default();
        Self {
            draw,
            group,
            primitive,
            vertices,
            turn,
            clockwise_front: state.front_face == FrontFace::Clockwise,
            cull: state.cull,
            shape: planes.map_or(Shape::Sliver, Shape::Triangle),
            depth: depths.fold(first, Interval::hull),
            shift,
            arithmetic: window.freedoms.arithmetic,
            outline,
        }
    }

    /// A line or a point.
    pub(super) fn thin(
        window: &Window,
        (draw, group, primitive, vertices): (u32, u32, u32, [u32; 3]),
        (thin, outline): (Thin, Polygon),
    ) -> Self {
        Self {
            draw,
            group,
            primitive,
            vertices,
            turn: Turn::Clockwise,
            clockwise_front: true,
            cull: CullMode::None,
            shape: Shape::Thin(thin),
            depth: Interval { low: 0.0, high: 1.0 },
            shift: [0.0; 2],
            arithmetic: window.freedoms.arithmetic,
            outline,
        }
    }

    /// Whether no sample is surely covered: lines and points.
    pub(super) fn is_thin(&self) -> bool {
        matches!(self.shape, Shape::Thin(_))
    }

    fn planes(&self) -> Option<&Planes> {
        if let Shape::Triangle(planes) = &self.shape { Some(planes) } else { None }
    }

    /// Which side is seen; `None` where it may be either.
    pub(super) fn front(&self) -> Option<bool> {
        match self.turn {
            Turn::Clockwise => Some(self.clockwise_front),
            Turn::CounterClockwise => Some(!self.clockwise_front),
            Turn::Unsure => match self.cull {
                CullMode::Back => Some(true),
                CullMode::Front => Some(false),
                CullMode::None => None,
            },
        }
    }

    /// The least and the greatest coordinate along an axis.
    pub(super) fn extent(&self, axis: usize) -> [f64; 2] {
        let corners = self.outline.corners().iter();
        corners.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], corner| {
            let (at, radius) = (corner.at[axis], corner.radius[axis]);
            [low.min(at - radius), high.max(at + radius)]
        })
    }

    /// Whether no allowed position shows it.
    pub(super) fn surely_culled(&self) -> bool {
        match (self.cull, self.turn) {
            (CullMode::None, _) | (_, Turn::Unsure) => false,
            (CullMode::Back, _) => self.front() == Some(false),
            (CullMode::Front, _) => self.front() == Some(true),
        }
    }

    /// Whether a triangle that turns clockwise (or the other way) is drawn.
    pub(super) fn shows(&self, clockwise: bool) -> bool {
        match self.cull {
            CullMode::None => true,
            CullMode::Back => clockwise == self.clockwise_front,
            CullMode::Front => clockwise != self.clockwise_front,
        }
    }

    /// Depth at a sample that the triangle covers, before it is cut off at the near and the far plane.
    ///
    /// The barycentrics λ' of the moved triangle at p are those of the exact one at p − s with s = Σ λ'ᵢ·δᵢ, δᵢ how far
    /// corner i moved: as the sample is covered no λ' is negative, so |s| ≤ max|δᵢ|. Depth is a plane over the window.
    pub(super) fn depth_at(&self, point: [f64; 2]) -> Interval {
        let planes = match &self.shape {
            Shape::Triangle(planes) => planes,
            Shape::Sliver => return self.depth,
            Shape::Thin(thin) => return thin.depth_at(point),
        };
        let plane = &planes.depth;
        let slope = plane[0].abs() * self.shift[0] + plane[1].abs() * self.shift[1];
        let rounding = 8.0 * self.arithmetic * self.depth.magnitude();
        let around = Interval::around(value(plane, point), slope + planes.depth_radius + rounding);
        // What is covered is no nearer and no farther than the corners.
        around.clamped(self.depth.low, self.depth.high)
    }

    /// Depth at any point, within the range of depth (see [`weights_at`](Self::weights_at)).
    pub(super) fn depth_around(&self, point: [f64; 2]) -> Interval {
        let anywhere = Interval { low: 0.0, high: 1.0 };
        if let Shape::Thin(thin) = &self.shape {
            return thin.depth_at(point).clamped(0.0, 1.0);
        }
        let Some(planes) = self.planes().filter(|planes| planes.flexibility < 1.0) else { return anywhere };
        let spread = planes.extrapolation(point);
        let plane = &planes.depth;
        let slope = (plane[0].abs() * self.shift[0] + plane[1].abs() * self.shift[1]) * spread;
        let rounding = 8.0 * self.arithmetic * self.depth.magnitude();
        let radius = slope + (planes.depth_radius + rounding) * spread;
        Interval::around(value(plane, point), radius).clamped(0.0, 1.0)
    }

    /// Weights at a point that the triangle covers.
    pub(super) fn weights_inside(&self, point: [f64; 2]) -> Weights {
        let anywhere = Weights { weights: [1.0 / 3.0; 3], radius: [2.0 / 3.0; 3] };
        if let Shape::Thin(thin) = &self.shape {
            return thin.weights_at(point, 0.0);
        }
        let Some(planes) = self.planes() else { return anywhere };
        match planes.weights(point, self.shift, 1.0, self.arithmetic) {
            Some(known) if known.radius.iter().all(|&radius| radius <= 0.5) => known,
            _ => anywhere,
        }
    }

    /// Weights at any point. Outside of the triangle Σ|λ'ᵢ| is above 1: with L = Σ|λᵢ| and F = Σᵢ(|∂λᵢ/∂x|·r_x + |∂λᵢ/∂y|·r_y),
    /// L' ≤ L + F·L', and |s| ≤ L'·max|δᵢ|.
    pub(super) fn weights_at(&self, point: [f64; 2]) -> Weights {
        let unknown = Weights { weights: [1.0 / 3.0; 3], radius: [UNKNOWN; 3] };
        if let Shape::Thin(thin) = &self.shape {
            return thin.weights_at(point, NEIGHBOUR);
        }
        let Some(planes) = self.planes().filter(|planes| planes.flexibility < 1.0) else { return unknown };
        let spread = planes.extrapolation(point);
        let shift = self.shift.map(|shift| shift * spread);
        planes.weights(point, shift, spread, self.arithmetic).unwrap_or(unknown)
    }
}

impl Planes {
    fn new(window: &Window, corners: &[ClipVertex; 3], outline: &Polygon, shift: [f64; 2]) -> Option<Self> {
        let [[ax, bx], [ay, by]] = window.viewport();
        let v = corners.map(|corner| {
            let [x, y, _, w] = corner.position;
            [ax * x + bx * w, ay * y + by * w, w]
        });
        let normals = [cross(v[1], v[2]), cross(v[2], v[0]), cross(v[0], v[1])];
        let determinant = (0..3).map(|i| v[0][i] * normals[0][i]).sum::<f64>();
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let over_w = normals.map(|normal| normal.map(|component| component / determinant));
        let [az, bz] = window.depth_range();
        let z = corners.map(|corner| az * corner.position[2] + bz * corner.position[3]);
        let depth = std::array::from_fn(|i| (0..3).map(|corner| over_w[corner][i] * z[corner]).sum());
        let spread = spread(outline)?;
        let flexibility = spread.iter().map(|plane| plane[0].abs() * shift[0] + plane[1].abs() * shift[1]).sum();
        let relative_w = corners.iter().map(|corner| window.relative_w(corner)).fold(0.0, f64::max);
        let depth_radius = outline.corners().iter().map(|corner| corner.depth.radius()).fold(0.0, f64::max);
        let finite = over_w.iter().flatten().all(|number| number.is_finite());
        finite.then_some(Self { over_w, depth, spread, relative_w, flexibility, depth_radius })
    }

    /// The largest Σ|λ'| at a point, for a flexibility below 1.
    fn extrapolation(&self, point: [f64; 2]) -> f64 {
        let sum = self.spread.iter().map(|plane| value(plane, point).abs()).sum::<f64>();
        sum.max(1.0) / (1.0 - self.flexibility)
    }

    /// The exact weight at p − s minus that at p is (−∇qᵢ·s + bᵢ·∇Q·s) / (Q − ∇Q·s), Q = Σq. Relative errors ε of the wᵢ
    /// change bᵢ by at most 2ε·|bᵢ|·Σ|b| / (1 − ε·Σ|b|), and a backend rounds eight times on the way.
    fn weights(&self, point: [f64; 2], shift: [f64; 2], spread: f64, arithmetic: f64) -> Option<Weights> {
        let q = [0, 1, 2].map(|i| value(&self.over_w[i], point));
        let sum: f64 = q.iter().sum();
        let slope = [0, 1].map(|axis| self.over_w.iter().map(|plane| plane[axis]).sum::<f64>());
        let least = sum - slope[0].abs() * shift[0] - slope[1].abs() * shift[1];
        if least.is_nan() || least <= 0.0 {
            return None;
        }
        let weights = q.map(|q| q / sum);
        let size = weights.iter().map(|weight| weight.abs()).sum::<f64>();
        let relative = self.relative_w * size;
        if relative >= 0.5 {
            return None;
        }
        let radius = std::array::from_fn(|i| {
            let moved = |axis: usize| (self.over_w[i][axis] - weights[i] * slope[axis]).abs() * shift[axis];
            let rounding = 8.0 * arithmetic * (size + spread);
            (moved(0) + moved(1)) / least + 4.0 * weights[i].abs() * relative + rounding
        });
        Some(Weights { weights, radius })
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Barycentrics of those three corners of an outline that span the largest area.
fn spread(outline: &Polygon) -> Option<[Plane; 3]> {
    let corners = outline.corners();
    let mut best = (0.0, [0, 1, 2]);
    for second in 1..corners.len() {
        for third in second + 1..corners.len() {
            let area = cross2(corners[0].at, corners[second].at, corners[third].at).abs();
            if area > best.0 {
                best = (area, [0, second, third]);
            }
        }
    }
    let (area, chosen) = best;
    if area == 0.0 {
        return None;
    }
    let points = chosen.map(|i| corners[i].at);
    let area = cross2(points[0], points[1], points[2]);
    Some([0, 1, 2].map(|i| {
        let ([bx, by], [cx, cy]) = (points[(i + 1) % 3], points[(i + 2) % 3]);
        [(by - cy) / area, (cx - bx) / area, (bx * cy - by * cx) / area]
    }))
}

/// Twice the area of a triangle, positive when clockwise, y down.
pub(super) fn cross2(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// 2A = Σ (xᵢ·yᵢ₊₁ − yᵢ·xᵢ₊₁); moving the corners changes it by at most Σ (r_x,i·|yᵢ₊₁ − yᵢ₋₁| + r_y,i·|xᵢ₊₁ − xᵢ₋₁|) and
/// the products of neighbouring radii.
fn turn(outline: &Polygon) -> Turn {
    let corners = outline.corners();
    let count = corners.len();
    let (mut area, mut freedom, mut size) = (0.0, 0.0, 0.0);
    for i in 0..count {
        let (before, own, after) = (&corners[(i + count - 1) % count], &corners[i], &corners[(i + 1) % count]);
        area += cross2(corners[0].at, own.at, after.at);
        let reach = [0, 1].map(|axis| (after.at[axis] - before.at[axis]).abs());
        freedom += own.radius[0] * (reach[1] + after.radius[1]) + own.radius[1] * (reach[0] + after.radius[0]);
        size += reach[0] * reach[1];
    }
    if area.abs() <= freedom + 1e-12 * size || !area.is_finite() {
        Turn::Unsure
    } else if area > 0.0 {
        Turn::Clockwise
    } else {
        Turn::CounterClockwise
    }
}
