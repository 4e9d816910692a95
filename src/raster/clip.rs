//! Homogeneous clipping.
//!
//! Why it exists: a triangle that crosses the near plane has no finite picture, and one that leaves the guard band has
//! no exact one. Both are cut here into pieces that have; everything else is left to the scissor of the tiles.
//!
//! Sutherland and Hodgman (*Reentrant Polygon Clipping*, 1974) in f64. Two triangles that share an edge must get the
//! same cut on it, so that the cut is always computed from the inner vertex to the outer one: the two triangles see
//! the same pair of numbers, whatever their winding. A vertex that survives keeps the grid position that its other
//! triangles use.

use super::{
    grid::Grid,
    project::{FAR, GUARD, MIN_W, NEAR, WindowVertex},
};
use refrast_draw::Convention;

/// Seven planes add at most one vertex each.
const MAX_VERTICES: usize = 10;

/// A piece of a clipped primitive, a line's or a point's triangle: how its own corners lie in the primitive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// `weights[i]`: clip-space weights of the primitive's vertices at corner i.
    pub(super) weights: [[f32; 3]; 3],
}

/// A vertex of the polygon that is being clipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipVertex {
    pub(super) position: [f64; 4],
    /// Weights of the primitive's vertices.
    pub(super) weights: [f64; 3],
    /// Grid position; for a new vertex it is made when clipping is done.
    pub(super) window: Option<WindowVertex>,
}

impl ClipVertex {
    /// Vertex `i` of a primitive.
    pub(super) fn original(i: usize, position: [f32; 4], window: WindowVertex) -> Self {
        let mut weights = [0.0; 3];
        weights[i] = 1.0;
        // A vertex off the grid has no position there yet; should rounding keep it, it is put on the band like a cut.
        let window = (window.code & GUARD == 0).then_some(window);
        Self { position: position.map(f64::from), weights, window }
    }

    /// The point between `self`, which is inside at distance `inner` ≥ 0, and `other` at distance `outer` < 0.
    fn cut(&self, inner: f64, other: &Self, outer: f64) -> Self {
        let t = inner / (inner - outer);
        let mix = |a: f64, b: f64| a + t * (b - a);
        Self {
            position: std::array::from_fn(|i| mix(self.position[i], other.position[i])),
            weights: std::array::from_fn(|i| mix(self.weights[i], other.weights[i])),
            window: None,
        }
    }

    fn project(&mut self, grid: &Grid) {
        if self.window.is_some() {
            return;
        }
        let [x, y, z, w] = self.position;
        // Cancellation may leave a cut at the eye with w = 0, and then x = y = 0 too.
        let w = w.max(f64::from(MIN_W));
        let [[ax, bx], [ay, by]] = grid.viewport();
        let [az, bz] = grid.depth_range();
        // The cut lies on the band up to rounding: the clamp takes the rounding back.
        let limit = f64::from(grid.limit);
        let snap = |v: f64| (v * f64::from(grid.one())).round_ties_even().clamp(-limit, limit) as i32;
        let z = z / w * az + bz;
        let z = if grid.depth_clamp { z } else { z.clamp(0.0, 1.0) } as f32 + 0.0;
        self.window = Some(WindowVertex { x: snap(x / w * ax + bx), y: snap(y / w * ay + by), z, code: 0 });
    }
}

/// A plane as the linear function of (x, y, z, w) that is ≥ 0 inside, and the code of vertices that may be outside.
struct Plane {
    coefficients: [f64; 4],
    offset: f64,
    code: u32,
}

impl Plane {
    fn distance(&self, vertex: &ClipVertex) -> f64 {
        let [x, y, z, w] = vertex.position;
        let [a, b, c, d] = self.coefficients;
        let distance = (a * x + b * y) + (c * z + d * w) + self.offset;
        match vertex.window {
            // Other triangles use this vertex as it is: the rounding of the distance must not cut it off here.
            Some(window) if window.code & self.code == 0 => distance.max(0.0),
            _ => distance,
        }
    }
}

fn planes(grid: &Grid) -> [Plane; 7] {
    let [[ax, bx], [ay, by]] = grid.viewport();
    let limit = f64::from(grid.limit) / f64::from(grid.one());
    let near = if grid.convention == Convention::OpenGl { 1.0 } else { 0.0 };
    let plane = |coefficients, offset, code| Plane { coefficients, offset, code };
    [
        plane([0.0, 0.0, 0.0, 1.0], -f64::from(MIN_W), GUARD),
        plane([0.0, 0.0, 1.0, near], 0.0, NEAR),
        plane([0.0, 0.0, -1.0, 1.0], 0.0, FAR),
        // −limit ≤ a·x/w + b ≤ limit, times w.
        plane([ax, 0.0, 0.0, limit + bx], 0.0, GUARD),
        plane([-ax, 0.0, 0.0, limit - bx], 0.0, GUARD),
        plane([0.0, ay, 0.0, limit + by], 0.0, GUARD),
        plane([0.0, -ay, 0.0, limit - by], 0.0, GUARD),
    ]
}

/// Polygons in, polygons out; kept from primitive to primitive.
#[derive(Debug, Default)]
pub(super) struct Clipper {
    polygon: Vec<ClipVertex>,
    next: Vec<ClipVertex>,
}

impl Clipper {
    /// Clips a triangle or a line (two vertices) against near, far, w > 0 and the guard band, and puts what is left on
    /// the grid. Nothing is left of a primitive with fewer than two vertices inside.
    pub(super) fn clip(&mut self, grid: &Grid, vertices: &[ClipVertex]) -> &[ClipVertex] {
        self.polygon.clear();
        self.polygon.extend_from_slice(vertices);
        let closed = vertices.len() > 2;
        for plane in planes(grid).iter().filter(|plane| !(grid.depth_clamp && plane.code & (NEAR | FAR) != 0)) {
            self.next.clear();
            for (i, to) in self.polygon.iter().enumerate() {
                let distance = plane.distance(to);
                // A line has no edge from its last vertex back to its first.
                let from = if i > 0 { Some(i - 1) } else { closed.then(|| self.polygon.len() - 1) };
                if let Some(from) = from.map(|from| &self.polygon[from]) {
                    let before = plane.distance(from);
                    if before >= 0.0 && distance < 0.0 {
                        self.next.push(from.cut(before, to, distance));
                    } else if before < 0.0 && distance >= 0.0 {
                        self.next.push(to.cut(distance, from, before));
                    }
                }
                if distance >= 0.0 {
                    self.next.push(*to);
                }
            }
            std::mem::swap(&mut self.polygon, &mut self.next);
        }
        debug_assert!(self.polygon.len() <= MAX_VERTICES, "seven planes add at most seven vertices");
        for vertex in &mut self.polygon {
            vertex.project(grid);
        }
        &self.polygon
    }
}
