//! [`Polygon`]: what is left of a triangle between the near and the far plane, on the window.
//!
//! Why it exists: a corner behind the eye has no place in the window. Cuts are made a little outside of the planes, by as
//! much as clip coordinates may be off, so that no backend's piece reaches out of this one; which samples near a cut are
//! seen is then decided by depth and not by the cut's edge.
//!
//! Where depth is clamped nothing is cut at those planes, and what reaches behind the eye would have corners infinitely far away.
//! There it is cut nearer to the eye than anything of it that the window shows ([`least_w`]).

use std::ops::Range;

use super::{
    planes::{cross, value},
    vertices::{ClipVertex, Corner, Window},
};
use refrast_draw::Convention;

/// Three corners and one for each plane.
pub(super) const MOST_CORNERS: usize = 6;
/// What a backend's own cut rounds, relative to the larger end.
pub(super) const CUT_ROUNDINGS: f64 = 4.0 / (1 << 23) as f64;
/// w below this is not divided by.
const LEAST_W: f64 = 1e-30;

/// A convex outline. Edge i goes from corner i to the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    corners: [Corner; MOST_CORNERS],
    edges: [Option<[u32; 2]>; MOST_CORNERS],
    count: usize,
    is_cut: bool,
    /// Bit i is set where edge i may leave the picture, and be cut and snapped there by a backend that clips.
    leaving: u8,
}

impl Polygon {
    /// Whether corners may be missing or new.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The corners, in the order of the primitive's vertices.
    #[inline(always)]
    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    fn of(count: usize, is_cut: bool) -> Self {
        Self { corners: [Corner::default(); MOST_CORNERS], edges: [None; MOST_CORNERS], count, is_cut, leaving: 0 }
    }

    /// The ends of an edge and how far each may be off, as far as it matters to the edge.
    #[inline(always)]
    pub(super) fn edge(&self, number: usize) -> [(&Corner, [f64; 2]); 2] {
        let next = if number + 1 == self.count { 0 } else { number + 1 };
        let leaves = self.leaving >> number & 1 == 1;
        [number, next].map(|i| {
            let corner = &self.corners[i];
            (corner, if leaves { corner.loose_radius() } else { corner.radius })
        })
    }

    /// How far each corner may be off, as far as it matters to the whole.
    #[inline(always)]
    pub(super) fn radius(&self, corner: &Corner) -> [f64; 2] {
        if self.leaving == 0 { corner.radius } else { corner.loose_radius() }
    }

    /// Notes which edges leave the picture, where that makes a difference.
    fn note_leaving(&mut self, window: &Window, inside: impl Fn(usize) -> bool) {
        if window.freedoms.grid_bits.is_some() {
            let stays = |i: usize| inside(i) && inside((i + 1) % self.count);
            self.leaving = (0..self.count).map(|i| u8::from(!stays(i)) << i).sum();
        }
    }

    /// The corners with how far each may be off.
    pub(super) fn ends(&self) -> impl Iterator<Item = (&Corner, [f64; 2])> + Clone {
        self.corners().iter().map(|corner| (corner, self.radius(corner)))
    }

    /// The least and the greatest coordinate along an axis.
    pub(super) fn extent(&self, axis: usize) -> [f64; 2] {
        self.ends().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (corner, radius)| {
            let (at, radius) = (corner.at[axis], radius[axis]);
            [low.min(at - radius), high.max(at + radius)]
        })
    }

    /// The rows of a picture of this height that it may touch; an empty range where it touches none.
    pub(super) fn rows(&self, height: u32) -> Range<u16> {
        let [low, high] = self.extent(1);
        let end = f64::from(height);
        if !(high >= 0.0 && low <= end) {
            return 0..0;
        }
        // Pictures are at most 16384 pixels high.
        let [first, last] = [low, high].map(|row| row.clamp(0.0, end - 1.0) as u16);
        first..last + 1
    }

    /// An outline whose edges belong to nobody else.
    pub(super) fn loose(four: [Corner; 4]) -> Self {
        let mut corners = [Corner::default(); MOST_CORNERS];
        corners[..4].copy_from_slice(&four);
        Self { corners, edges: [None; MOST_CORNERS], count: 4, is_cut: true, leaving: 0 }
    }

    /// For each edge the welded vertices of the triangle's edge that it lies on, from and to; `None` for cuts.
    #[inline(always)]
    pub(super) fn edges(&self) -> &[Option<[u32; 2]>] {
        &self.edges[..self.count]
    }
}

/// Cuts a triangle; `welded` are names of its vertices that other triangles at the same places share. `None` where nothing
/// is left.
pub(super) fn clip(window: &Window, corners: &[ClipVertex; 3], welded: [u32; 3]) -> Option<Polygon> {
    let near = near(window);
    let slack = slack(corners);
    let edges = [0, 1, 2].map(|i| Some([welded[i], welded[(i + 1) % 3]]));
    let inside = |corner: &ClipVertex| {
        let [.., z, w] = corner.position;
        let in_depth = window.depth_clamp || (z + near * w >= -slack && w - z >= -slack);
        w > 2.0 * corner.radius[3] && w >= LEAST_W && in_depth
    };
    if corners.iter().all(inside) {
        let mut polygon = Polygon::of(3, false);
        for i in 0..3 {
            (polygon.corners[i], polygon.edges[i]) = (window.corner(&corners[i]), edges[i]);
        }
        polygon.note_leaving(window, |i| window.surely_inside(&corners[i]));
        return Some(polygon);
    }
    let mut outline: Vec<(ClipVertex, Option<[u32; 2]>)> = corners.iter().copied().zip(edges).collect();
    for plane in planes(window, slack, least_w(window, corners)) {
        let distance = |vertex: &ClipVertex| plane.distance(vertex);
        let mut next = Vec::with_capacity(outline.len() + 1);
        for (i, (own, edge)) in outline.iter().enumerate() {
            let (after, _) = &outline[(i + 1) % outline.len()];
            let (here, there) = (distance(own), distance(after));
            match (here >= 0.0, there >= 0.0) {
                (true, true) => next.push((*own, *edge)),
                (true, false) => next.extend([(*own, *edge), (cut(own, here, after, there), None)]),
                (false, true) => next.push((cut(after, there, own, here), *edge)),
                (false, false) => {}
            }
        }
        outline = next;
    }
    if outline.len() < 3 || outline.len() > MOST_CORNERS {
        return None;
    }
    let mut polygon = Polygon::of(outline.len(), true);
    for (i, (vertex, edge)) in outline.iter().enumerate() {
        let corner = window.corner(&in_front(*vertex));
        let corner = if corners.contains(vertex) { corner } else { corner.about_exact() };
        (polygon.corners[i], polygon.edges[i]) = (corner, *edge);
    }
    polygon.note_leaving(window, |i| window.surely_inside(&outline[i].0) && corners.contains(&outline[i].0));
    Some(polygon)
}

/// Cuts a segment: its new ends, and what part of the way from the old first end to the old second end they are. `None` where
/// nothing is left.
pub(super) fn between_planes(window: &Window, ends: &[ClipVertex; 2]) -> Option<([ClipVertex; 2], [f64; 2])> {
    let (mut cut_ends, mut along) = (*ends, [0.0, 1.0]);
    for plane in planes(window, slack(ends), LEAST_W) {
        let distance = cut_ends.map(|end| plane.distance(&end));
        match distance.map(|distance| distance >= 0.0) {
            [true, true] => {}
            [false, false] => return None,
            [inside, _] => {
                let (inner, outer) = if inside { (0, 1) } else { (1, 0) };
                let part = distance[inner] / (distance[inner] - distance[outer]);
                along[outer] = along[inner] + part * (along[outer] - along[inner]);
                cut_ends[outer] = cut(&cut_ends[inner], distance[inner], &cut_ends[outer], distance[outer]);
            }
        }
    }
    Some((cut_ends.map(in_front), along))
}

/// `by_z·z + by_w·w + offset`, not negative inside.
struct Plane {
    by_z: f64,
    by_w: f64,
    offset: f64,
}

impl Plane {
    fn distance(&self, vertex: &ClipVertex) -> f64 {
        self.by_z * vertex.position[2] + self.by_w * vertex.position[3] + self.offset
    }
}

/// Near, far and in front of the eye, the first two moved outward by `slack`, and only where they cut.
fn planes(window: &Window, slack: f64, least_w: f64) -> impl Iterator<Item = Plane> {
    let of_depth =
        [Plane { by_z: 1.0, by_w: near(window), offset: slack }, Plane { by_z: -1.0, by_w: 1.0, offset: slack }];
    let of_depth = of_depth.into_iter().take(if window.depth_clamp { 0 } else { 2 });
    of_depth.chain([Plane { by_z: 0.0, by_w: 1.0, offset: -least_w }])
}

/// The w at which a triangle is cut that reaches behind the eye. 1/w is a plane over the window ([`surface`](super::surface)), so that no point
/// in it, nor a pixel beside it, has less w than 1 ÷ the largest value at its four corners; a sixteenth of that leaves room for what the
/// corners may be off. A triangle whose plane goes through the eye has no such bound, and is cut where f64 still tells places apart.
fn least_w(window: &Window, corners: &[ClipVertex; 3]) -> f64 {
    if !window.depth_clamp {
        return LEAST_W;
    }
    let [[ax, bx], [ay, by]] = window.viewport();
    let v = corners.map(|ClipVertex { position: [x, y, _, w], .. }| [ax * x + bx * w, ay * y + by * w, w]);
    let normals = [cross(v[1], v[2]), cross(v[2], v[0]), cross(v[0], v[1])];
    let determinant = (0..3).map(|i| v[0][i] * normals[0][i]).sum::<f64>();
    let inverse_w = [0, 1, 2].map(|i: usize| normals.iter().map(|normal| normal[i]).sum::<f64>() / determinant);
    let farthest = corners.iter().map(|corner| corner.position[3].abs()).fold(LEAST_W, f64::max);
    let finest = 1e-12 * farthest;
    if !inverse_w.iter().all(|slope| slope.is_finite()) {
        return finest;
    }
    let ends = |side: u32| [-1.0, f64::from(side) + 1.0];
    let [columns, rows] = [ends(window.width), ends(window.height)];
    let largest = columns.iter().flat_map(|&x| rows.map(|y| value(&inverse_w, [x, y]))).fold(0.0, f64::max);
    (1.0 / (16.0 * largest)).min(1e-3 * farthest).max(finest)
}

/// The near plane is z + near·w = 0.
fn near(window: &Window) -> f64 {
    if window.convention == Convention::OpenGl { 1.0 } else { 0.0 }
}

/// How far the distances from near and far may be off.
fn slack(vertices: &[ClipVertex]) -> f64 {
    vertices.iter().map(|vertex| vertex.radius[2] + vertex.radius[3]).fold(0.0, f64::max)
}

/// w may be off by half of itself at most, so that the corner has a place: nothing is claimed so close to the eye.
fn in_front(mut vertex: ClipVertex) -> ClipVertex {
    vertex.radius[3] = vertex.radius[3].min(0.5 * vertex.position[3]);
    vertex
}

/// The point on the plane, from the inner vertex to the outer one. The line through both moves with its ends; what a
/// backend's own cut rounds is four units of the larger end.
fn cut(inner: &ClipVertex, near: f64, outer: &ClipVertex, far: f64) -> ClipVertex {
    let part = near / (near - far);
    let mix = |a: f64, b: f64| a + part * (b - a);
    ClipVertex {
        position: std::array::from_fn(|i| mix(inner.position[i], outer.position[i])),
        radius: std::array::from_fn(|i| {
            let size = inner.position[i].abs().max(outer.position[i].abs());
            mix(inner.radius[i], outer.radius[i]) + CUT_ROUNDINGS * size
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Interval, depth_maps::DepthRules, surface::Surface};
    use refrast_draw::{CullMode, DepthBias, DepthFormat, DrawState};
    use refrast_range::Profile;

    const SIDE: f64 = 64.0;

    /// A window of a shadow map whose depths are clamped.
    fn window() -> Window {
        let freedoms = Profile::VulkanMin.freedoms().expect("it grants some");
        Window { width: 64, height: 64, convention: Convention::Vulkan, freedoms, depth_clamp: true }
    }

    /// A vertex in the clip space of a spot at the origin that looks along w, with its near plane at 0.01.
    fn vertex([x, y, w]: [f64; 3]) -> ClipVertex {
        ClipVertex { position: [x, y, 1.001 * (w - 0.01), w], radius: [1e-7; 4] }
    }

    proptest! {
        /// Ground that reaches behind the eye keeps corners that have a place, whatever of it is in the window is in its outline,
        /// and its slope is that of its plane.
        #[test]
        fn what_reaches_behind_the_eye_is_cut_where_the_window_does_not_look(
            corners in [[-9.0..9.0f64, 0.5..3.0f64, -9.0..9.0f64], [-9.0..9.0, 0.5..3.0, -9.0..9.0], [-9.0..9.0, 0.5..3.0, -9.0..9.0]],
            along in 0.0..1.0f64, across in 0.0..1.0f64,
        ) {
            let window = window();
            let vertices = corners.map(vertex);
            let Some(outline) = clip(&window, &vertices, [0, 1, 2]) else {
                prop_assert!(corners.iter().all(|[.., w]| *w < 1e-2));
                return Ok(());
            };
            for corner in outline.corners() {
                prop_assert!(corner.at.iter().chain(&corner.radius).all(|number| number.is_finite()), "{corner:?}");
            }
            let (along, across) = if along + across > 1.0 { (1.0 - along, 1.0 - across) } else { (along, across) };
            let weights = [1.0 - along - across, along, across];
            let [x, y, _, w] =
                [0, 1, 2, 3].map(|i: usize| (0..3).map(|corner| weights[corner] * vertices[corner].position[i]).sum::<f64>());
            let point = [0.5 * SIDE * (x / w + 1.0), 0.5 * SIDE * (y / w + 1.0)];
            if w <= 1e-6 || point.iter().any(|place| !(0.0..=SIDE).contains(place)) {
                return Ok(());
            }
            let ends: Vec<[f64; 2]> = outline.corners().iter().map(|corner| corner.at).collect();
            let turns = (0..ends.len()).map(|i| {
                let ([ax, ay], [bx, by]) = (ends[i], ends[(i + 1) % ends.len()]);
                let length = libm::hypot(bx - ax, by - ay);
                if length == 0.0 { 0.0 } else { ((bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)) / length }
            });
            let turns: Vec<f64> = turns.collect();
            let sides = [1.0, -1.0].map(|side| turns.iter().all(|turn| side * turn > -0.1));
            prop_assert!(sides[0] || sides[1], "{turns:?} {ends:?}");

            let mut surface =
                Surface::new(&window, (0, 0, 0, [0, 1, 2]), &vertices, outline, DrawState { cull: CullMode::None, ..DrawState::default() });
            let rules = DepthRules {
                bias: DepthBias { constant: 0.0, slope: 1.0, clamp: 0.0 },
                format: DepthFormat::Float,
                clamp: true,
            };
            surface.push_back(&rules);
            // z/w = 1.001 − 0.01001/w here, and 1/w is the plane through the three corners.
            let [a, b, c] = corners;
            let normal = [
                (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]),
                (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]),
                (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]),
            ];
            let height = normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2];
            let slope = [normal[0], normal[1]].map(|part| (0.01001 * part / height / (0.5 * SIDE)).abs());
            let pushed = surface.pushed().expect("it is in a map").apply(Interval::exact(0.0));
            let largest = slope[0].max(slope[1]);
            prop_assert!(pushed.low <= largest + 1e-6 && largest <= pushed.high + 1e-6, "{pushed:?} {largest}");
        }
    }
}
