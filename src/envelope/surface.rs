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
    depth_maps::{DepthRules, Pushed},
    fragment::Shift,
    planes::{NINE, Neighbourhood, Planes, UNKNOWN, Weights, cross2},
    thin::Thin,
    vertices::{ClipVertex, Window},
};
use refrast_draw::{CullMode, DrawState, FrontFace};

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
    /// What a shadow map does with its depth.
    pushed: Option<Pushed>,
    arithmetic: f64,
}

/// What interpolates depth and attributes.
#[derive(Clone, Debug)]
enum Shape {
    Triangle(Planes),
    /// A triangle without any area.
    Sliver,
    Thin(Thin),
}

/// Where a fragment takes its varyings from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Center {
    /// Weights at the pixel's centre.
    pub(super) own: Weights,
    /// The same from another side: where a backend takes them from.
    pub(super) shift: Option<Shift>,
    /// Weights at the pixels around it.
    pub(super) around: Neighbourhood,
}

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
        let planes = Planes::new(window, corners, &outline);
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
            pushed: None,
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
            pushed: None,
            arithmetic: window.freedoms.arithmetic,
            outline,
        }
    }

    /// Whether no sample is surely covered: lines and points.
    pub(super) fn is_thin(&self) -> bool {
        matches!(self.shape, Shape::Thin(_))
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
    pub(super) fn depth_at(&self, point: [f64; 2]) -> Interval {
        let planes = match &self.shape {
            Shape::Triangle(planes) => planes,
            Shape::Sliver => return self.depth,
            Shape::Thin(thin) => return thin.depth_at(point),
        };
        // What is covered is no nearer and no farther than the corners, unless it is covered thanks to the grid alone.
        let inside = self.plane_depth(planes, point, 1.0).clamped(self.depth.low, self.depth.high);
        if planes.flexibility < 1.0 {
            return inside;
        }
        match planes.off_grid() {
            Some(planes) if planes.flexibility < 1.0 => {
                inside.hull(self.plane_depth(&planes, point, planes.extrapolation(point)))
            }
            Some(_) => Interval { low: 0.0, high: 1.0 },
            None => inside,
        }
    }

    /// Gives it the depth of a shadow map.
    pub(super) fn push_back(&mut self, rules: &DepthRules) {
        let planes = match &self.shape {
            Shape::Triangle(planes) => Some(planes),
            Shape::Sliver | Shape::Thin(_) => None,
        };
        self.pushed = Some(rules.pushed(planes, self.depth));
    }

    /// What a shadow map does with its depth.
    pub(super) fn pushed(&self) -> Option<&Pushed> {
        self.pushed.as_ref()
    }

    /// Depth at any point, within the range of depth.
    pub(super) fn depth_around(&self, point: [f64; 2]) -> Interval {
        let depth = match &self.shape {
            Shape::Triangle(planes) if planes.flexibility < 1.0 => {
                self.plane_depth(planes, point, planes.extrapolation(point))
            }
            Shape::Triangle(_) | Shape::Sliver => Interval { low: 0.0, high: 1.0 },
            Shape::Thin(thin) => thin.depth_at(point),
        };
        depth.clamped(0.0, 1.0)
    }

    fn plane_depth(&self, planes: &Planes, point: [f64; 2], extrapolation: f64) -> Interval {
        planes.depth_at(point, extrapolation, 8.0 * self.arithmetic * self.depth.magnitude())
    }

    /// Where a fragment takes its varyings from, at a point that the triangle covers or at any.
    pub(super) fn center(&self, point: [f64; 2], covered: bool) -> Center {
        let planes = match &self.shape {
            Shape::Triangle(planes) => planes,
            Shape::Sliver => {
                let own = if covered { self.weights_of_sliver(point) } else { Weights::UNKNOWN };
                return Center { own, shift: None, around: Neighbourhood::UNKNOWN };
            }
            Shape::Thin(thin) => return center_of_thin(thin, point, covered),
        };
        let exact = planes.exact(point);
        let is_firm = planes.flexibility < 1.0;
        let anywhere = if is_firm { planes.local(&exact, point, planes.extrapolation(point)) } else { None };
        let around = anywhere.as_ref().and_then(|middle| planes.neighbourhood(point, middle));
        let around = around.unwrap_or(Neighbourhood::UNKNOWN);
        if covered {
            let inside = planes.local(&exact, point, 1.0);
            let known = inside.as_ref().map(|inside| planes.weights(inside));
            let known = known.filter(|known| known.radius.iter().all(|&radius| radius <= 0.5));
            let own = known.unwrap_or_else(|| self.weights_of_sliver(point));
            let shift = inside.as_ref().and_then(|inside| planes.shifted_inside(&exact, point, inside));
            return Center { own, shift, around };
        }
        let own = anywhere.as_ref().map_or(Weights::UNKNOWN, |local| planes.weights(local));
        Center { own, shift: anywhere.as_ref().and_then(|local| planes.shifted(local)), around }
    }

    /// Weights at a point that a triangle of hardly any area covers: from 0 to 1, but for what one third and two thirds
    /// say, and those that extrapolate from positions off the grid.
    fn weights_of_sliver(&self, point: [f64; 2]) -> Weights {
        let (third, inside) = (1.0 / 3.0, 2.0 / 3.0);
        let Shape::Triangle(planes) = &self.shape else { return Weights { weights: [third; 3], radius: [inside; 3] } };
        let Some(planes) = planes.off_grid() else { return Weights { weights: [third; 3], radius: [inside; 3] } };
        if planes.flexibility >= 1.0 {
            return Weights { weights: [third; 3], radius: [UNKNOWN; 3] };
        }
        let outside = planes.local(&planes.exact(point), point, planes.extrapolation(point));
        let radius = outside.map(|outside| planes.weights(&outside)).map_or([UNKNOWN; 3], |outside| {
            std::array::from_fn(|i| inside.max((outside.weights[i] - third).abs() + outside.radius[i]))
        });
        Weights { weights: [third; 3], radius }
    }
}

/// Where a line or a point has its varyings from.
fn center_of_thin(thin: &Thin, point: [f64; 2], covered: bool) -> Center {
    let around = NINE.map(|[x, y]| thin.weights_at([point[0] + x, point[1] + y], NEIGHBOUR));
    let radius = |i: usize| around.iter().map(|weights| weights.radius[i]).fold(0.0, f64::max);
    let weights = around.map(|weights| weights.weights);
    let around = Neighbourhood { weights, radius: [0, 1, 2].map(radius), shift: None };
    Center { own: thin.weights_at(point, if covered { 0.0 } else { NEIGHBOUR }), shift: None, around }
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
        let (radius, next) = (outline.radius(own), outline.radius(after));
        freedom += radius[0] * (reach[1] + next[1]) + radius[1] * (reach[0] + next[0]);
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
