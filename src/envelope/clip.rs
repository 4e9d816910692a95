//! [`Polygon`]: what is left of a triangle between the near and the far plane, on the window.
//!
//! Why it exists: a corner behind the eye has no place in the window. Cuts are made a little outside of the planes, by as
//! much as clip coordinates may be off, so that no backend's piece reaches out of this one; which samples near a cut are
//! seen is then decided by depth and not by the cut's edge.

use std::ops::Range;

use super::vertices::{ClipVertex, Corner, Window};
use refrast_raster::Convention;

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
    for plane in planes(window, slack) {
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
    for plane in planes(window, slack(ends)) {
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
fn planes(window: &Window, slack: f64) -> impl Iterator<Item = Plane> {
    let of_depth =
        [Plane { by_z: 1.0, by_w: near(window), offset: slack }, Plane { by_z: -1.0, by_w: 1.0, offset: slack }];
    let of_depth = of_depth.into_iter().take(if window.depth_clamp { 0 } else { 2 });
    of_depth.chain([Plane { by_z: 0.0, by_w: 1.0, offset: -LEAST_W }])
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
