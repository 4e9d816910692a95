//! Primitives → triangles on the grid.
//!
//! Why it exists: what is decided here, where a vertex lies and which side is seen, is what two renderers must agree on
//! before anything else can be compared.

use super::{
    faults::Faults,
    variation::Variation,
    vertices::{Draw, Vertex},
    viewport::Viewport,
};
use crate::{Fault, ParametricFault};
use refrast_scene::Topology;

/// How corners of a cut triangle lie in its primitive: weights of the primitive's vertices at each corner.
pub(super) type Weights = [[f64; 3]; 3];

/// A triangle that may be seen. Its corners run clockwise in the picture.
pub(super) struct Triangle {
    pub(super) draw: u32,
    /// Of the primitive.
    pub(super) vertices: [u32; 3],
    /// Grid units from the picture's upper left corner.
    pub(super) x: [i64; 3],
    pub(super) y: [i64; 3],
    pub(super) z: [f32; 3],
    /// 1/w, where the nearest corner has 1.
    pub(super) nearness: [f32; 3],
    /// Where attributes are interpolated from, in grid units.
    pub(super) planes: [[f64; 2]; 3],
    /// `None` where the corners are the primitive's vertices.
    pub(super) weights: Option<Box<Weights>>,
    pub(super) front: bool,
    /// Where it may cover a sample: first and last column, first and last row.
    pub(super) bounds: [u32; 4],
}

/// A vertex of a polygon that is being clipped.
#[derive(Clone, Copy)]
struct Corner {
    clip: [f64; 4],
    weights: [f64; 3],
}

/// A corner on the grid.
#[derive(Clone, Copy, Default)]
struct Window {
    x: i64,
    y: i64,
    /// Before it was snapped.
    exact: [f64; 2],
    z: f32,
    w: f32,
}

/// What is wrong with a vertex: outside of which planes it lies.
#[derive(Clone, Copy, Default)]
struct Projected {
    window: Window,
    outside: u32,
}

const NEAR: u32 = 16;
const FAR: u32 = 32;
const CUT: u32 = 64;
const NOT_FINITE: u32 = 128;
const FRUSTUM: u32 = 63;
/// The least w that is divided by.
const LEAST_W: f64 = 1.0 / (1u128 << 100) as f64;

/// Makes triangles of draws.
pub(super) struct Assembler<'a> {
    viewport: &'a Viewport,
    variation: &'a Variation,
    faults: Faults,
    reach: Reach,
}

/// How far samples lie from their pixels' corners, by which it is told where a triangle may cover one. Most triangles of a small
/// picture cover none.
#[derive(Clone, Copy)]
struct Reach {
    /// Of columns and of rows: the least and the largest offset, in grid units.
    offsets: [[i64; 2]; 2],
    one: i64,
    /// Pixels.
    size: [i64; 2],
}

impl Reach {
    fn of(viewport: &Viewport, faults: Faults) -> Self {
        let one = viewport.one as i64;
        let margin = if faults.has(Fault::ConservativeCoverage) { one } else { 0 };
        let offsets = [0, 1].map(|axis| {
            let ends = viewport.samples.iter().map(|sample| [sample[axis]; 2]);
            let [first, last] = ends.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]).unwrap_or_default();
            [first - margin, last + margin]
        });
        Self { offsets, one, size: [viewport.width as i64, viewport.height as i64] }
    }

    /// First and last column, first and last row; none where no sample is near.
    fn bounds(&self, corners: [[i64; 3]; 2]) -> Option<[u32; 4]> {
        // A pixel is a power of two of grid units: a shift rounds down as a division would.
        let pixel = |place: i64| place >> self.one.trailing_zeros();
        let range = |axis: usize| {
            let ([a, b, c], [first, last]) = (corners[axis], self.offsets[axis]);
            let start = pixel(a.min(b).min(c) - last + self.one - 1).max(0);
            let end = pixel(a.max(b).max(c) - first).min(self.size[axis] - 1);
            (start <= end).then_some([start as u32, end as u32])
        };
        let ([left, right], [top, bottom]) = (range(0)?, range(1)?);
        Some([left, right, top, bottom])
    }
}

/// Which sides of a draw's triangles are seen.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    /// Front faces run clockwise.
    pub(super) mirrored: bool,
    pub(super) front: bool,
    pub(super) back: bool,
}

impl<'a> Assembler<'a> {
    pub(super) fn new(viewport: &'a Viewport, variation: &'a Variation, faults: Faults) -> Self {
        Self { viewport, variation, faults, reach: Reach::of(viewport, faults) }
    }

    /// Appends those of a draw's triangles that may cover a sample, in the order of its primitives.
    pub(super) fn assemble(&self, number: usize, draw: &Draw, sides: Sides, triangles: &mut Vec<Triangle>) {
        let projected: Vec<Projected> = draw.vertices.iter().map(|vertex| self.project(vertex)).collect();
        let output = &mut Output { number: number as u32, sides, reach: self.reach, triangles };
        match draw.topology {
            Topology::Triangles => {
                draw.indices
                    .as_chunks::<3>()
                    .0
                    .iter()
                    .for_each(|corners| self.triangle(draw, &projected, *corners, output));
            }
            Topology::Lines => {
                draw.indices.as_chunks::<2>().0.iter().for_each(|ends| self.line(draw, &projected, *ends, output));
            }
            Topology::Points => draw.indices.iter().for_each(|vertex| self.point(&projected, *vertex, output)),
        }
    }

    fn project(&self, vertex: &Vertex) -> Projected {
        let [x, y, z, w] = vertex.clip.map(f64::from);
        if !vertex.clip.iter().all(|number| number.is_finite()) {
            return Projected { outside: NOT_FINITE, ..Projected::default() };
        }
        let near = if self.viewport.depth[1] > 0.0 { -w } else { 0.0 };
        let tests = [x < -w, x > w, y < -w, y > w, z < near, z > w];
        let mut outside = tests.iter().enumerate().map(|(bit, test)| u32::from(*test) << bit).sum();
        if self.faults.has(Fault::NearClipMissing) {
            outside &= !NEAR;
        }
        if self.viewport.depth_clamp {
            outside &= !(NEAR | FAR);
        }
        let mut window = Window::default();
        if w >= LEAST_W {
            window = self.window(vertex.clip.map(f64::from));
        }
        let limit = self.viewport.limit;
        let off_grid = w < LEAST_W || window.exact.iter().any(|v| v.abs() > limit);
        outside |= if off_grid { CUT } else { 0 };
        Projected { window, outside }
    }

    /// Clip space → the grid.
    fn window(&self, [x, y, z, w]: [f64; 4]) -> Window {
        let Viewport { x: [ax, bx], y: [ay, by], depth: [az, bz], one, limit, .. } = *self.viewport;
        let place = |v: f64, a: f64, b: f64| {
            if self.variation.single_precision_window {
                let divided = v as f32 / w as f32;
                f64::from(self.variation.arithmetic().multiply_add(divided, a as f32, b as f32))
            } else {
                v / w * a + b
            }
        };
        let exact = [place(x, ax, bx) * one, place(y, ay, by) * one];
        let [x, y] = exact.map(|v| self.snap(v).clamp(-limit, limit) as i64);
        let z = place(z, az, bz);
        let z = if self.viewport.depth_clamp { z } else { z.clamp(0.0, 1.0) } as f32 + 0.0;
        Window { x, y, exact, z, w: w as f32 }
    }

    fn snap(&self, v: f64) -> f64 {
        let one = self.viewport.one;
        if self.faults.has(Fault::SnapToPixels) {
            return (v / one).round_ties_even() * one;
        }
        if self.faults.has(Fault::SnapToQuarters) {
            return (v / one * 4.0).round_ties_even() * (one / 4.0);
        }
        for fault in self.faults.parametric() {
            if let ParametricFault::GridBits { bits } = fault {
                let steps = f64::from(1u32 << bits.min(16));
                return (v / one * steps).round_ties_even() * (one / steps);
            }
        }
        let v = if self.faults.has(Fault::GuardBandOverflow) {
            // Thirteen bits of whole pixels.
            let span = 8192.0 * one;
            (v + span / 2.0).rem_euclid(span) - span / 2.0
        } else {
            v
        };
        self.variation.snapping.round(v)
    }

    fn triangle(&self, draw: &Draw, projected: &[Projected], vertices: [u32; 3], output: &mut Output<'_>) {
        let corners = vertices.map(|vertex| projected[vertex as usize]);
        let [a, b, c] = corners.map(|corner| corner.outside);
        let any = a | b | c;
        if any & NOT_FINITE != 0 || a & b & c & FRUSTUM != 0 {
            return;
        }
        if any & NEAR != 0 && self.faults.has(Fault::NearClipDrops) {
            return;
        }
        let wraps = self.faults.has(Fault::GuardBandOverflow);
        let cut = if wraps { NEAR | FAR } else { NEAR | FAR | CUT };
        if any & cut == 0 {
            output.push(vertices, corners.map(|corner| corner.window), None, true);
            return;
        }
        let polygon = self.clip(&originals(draw, &vertices), true);
        let windows: Vec<Window> = polygon.iter().map(|corner| self.window(corner.clip)).collect();
        for i in 1..polygon.len().saturating_sub(1) {
            let pick = [0, i, i + 1];
            output.push(vertices, pick.map(|i| windows[i]), Some(pick.map(|i| polygon[i].weights)), true);
        }
    }

    /// Sutherland and Hodgman, against w > 0, near, far and the guard band.
    fn clip(&self, corners: &[Corner], closed: bool) -> Vec<Corner> {
        let Viewport { x: [ax, bx], y: [ay, by], depth, one, limit, .. } = *self.viewport;
        let limit = limit / one;
        let near = if depth[1] > 0.0 { 1.0 } else { 0.0 };
        let planes: [([f64; 4], f64); 7] = [
            ([0.0, 0.0, 0.0, 1.0], -LEAST_W),
            ([0.0, 0.0, 1.0, near], 0.0),
            ([0.0, 0.0, -1.0, 1.0], 0.0),
            ([ax, 0.0, 0.0, limit + bx], 0.0),
            ([-ax, 0.0, 0.0, limit - bx], 0.0),
            ([0.0, ay, 0.0, limit + by], 0.0),
            ([0.0, -ay, 0.0, limit - by], 0.0),
        ];
        let mut polygon = corners.to_vec();
        for (index, (plane, offset)) in planes.into_iter().enumerate() {
            let clamped = self.viewport.depth_clamp && (index == 1 || index == 2);
            if clamped || (index == 1 && self.faults.has(Fault::NearClipMissing)) {
                continue;
            }
            let distance = |corner: &Corner| {
                let [x, y, z, w] = corner.clip;
                (plane[0] * x + plane[1] * y) + (plane[2] * z + plane[3] * w) + offset
            };
            let mut next = Vec::with_capacity(polygon.len() + 1);
            for (i, to) in polygon.iter().enumerate() {
                let here = distance(to);
                let before = if i > 0 { Some(&polygon[i - 1]) } else { polygon.last().filter(|_| closed) };
                if let Some(from) = before {
                    let there = distance(from);
                    if there >= 0.0 && here < 0.0 {
                        next.push(cut(from, there, to, here));
                    } else if there < 0.0 && here >= 0.0 {
                        next.push(cut(to, here, from, there));
                    }
                }
                if here >= 0.0 {
                    next.push(*to);
                }
            }
            polygon = next;
        }
        polygon
    }

    /// A parallelogram, one pixel wide along the minor axis.
    fn line(&self, draw: &Draw, projected: &[Projected], ends: [u32; 2], output: &mut Output<'_>) {
        let [a, b] = ends.map(|vertex| projected[vertex as usize].outside);
        if (a | b) & NOT_FINITE != 0 || a & b & FRUSTUM != 0 {
            return;
        }
        let mut line = originals(draw, &ends);
        if (a | b) & (NEAR | FAR | CUT) != 0 {
            line = self.clip(&line, false);
        }
        let [from, to] = line[..] else { return };
        let windows = [from, to].map(|corner| self.window(corner.clip));
        let half = self.viewport.one as i64 / 2;
        let [across, along] = [windows[0].x.abs_diff(windows[1].x), windows[0].y.abs_diff(windows[1].y)];
        let side = if across >= along { [0, half] } else { [half, 0] };
        let vertices = [ends[0], ends[1], ends[1]];
        output.parallelogram(vertices, windows, [from.weights, to.weights], [side, side]);
    }

    /// A square of one pixel.
    fn point(&self, projected: &[Projected], vertex: u32, output: &mut Output<'_>) {
        let Projected { window, outside } = projected[vertex as usize];
        if outside != 0 {
            return;
        }
        let half = self.viewport.one as i64 / 2;
        output.parallelogram([vertex; 3], [window; 2], [[1.0, 0.0, 0.0]; 2], [[half, half], [half, -half]]);
    }
}

fn originals(draw: &Draw, vertices: &[u32]) -> Vec<Corner> {
    let corner = |(i, vertex): (usize, &u32)| {
        let mut weights = [0.0; 3];
        weights[i] = 1.0;
        Corner { clip: draw.vertices[*vertex as usize].clip.map(f64::from), weights }
    };
    vertices.iter().enumerate().map(corner).collect()
}

/// The point of an edge on a plane, from the inner corner outward, so that both triangles of an edge get the same one.
fn cut(inner: &Corner, inside: f64, outer: &Corner, outside: f64) -> Corner {
    let t = inside / (inside - outside);
    let mix = |a: f64, b: f64| a + t * (b - a);
    Corner {
        clip: [0, 1, 2, 3].map(|i| mix(inner.clip[i], outer.clip[i])),
        weights: [0, 1, 2].map(|i| mix(inner.weights[i], outer.weights[i])),
    }
}

/// Where a draw's triangles go.
struct Output<'a> {
    number: u32,
    sides: Sides,
    reach: Reach,
    triangles: &'a mut Vec<Triangle>,
}

impl Output<'_> {
    /// Keeps a triangle of which something may be seen.
    fn push(&mut self, vertices: [u32; 3], windows: [Window; 3], weights: Option<Weights>, has_sides: bool) {
        let [a, b, c] = windows;
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        let front = !has_sides || (area > 0) == self.sides.mirrored;
        let seen = !has_sides || if front { self.sides.front } else { self.sides.back };
        if area == 0 || !seen {
            return;
        }
        let Some(bounds) = self.reach.bounds([windows.map(|window| window.x), windows.map(|window| window.y)]) else {
            return;
        };
        let order = if area < 0 { [0, 2, 1] } else { [0, 1, 2] };
        let mut planes = order.map(|i| windows[i].exact);
        let [p, q, r] = planes;
        if !has_sides || (q[0] - p[0]) * (r[1] - p[1]) <= (r[0] - p[0]) * (q[1] - p[1]) {
            planes = order.map(|i| [windows[i].x as f64, windows[i].y as f64]);
        }
        let nearest = a.w.min(b.w).min(c.w);
        self.triangles.push(Triangle {
            draw: self.number,
            vertices: if weights.is_some() { vertices } else { order.map(|i| vertices[i]) },
            x: order.map(|i| windows[i].x),
            y: order.map(|i| windows[i].y),
            z: order.map(|i| windows[i].z),
            nearness: order.map(|i| nearest / windows[i].w),
            planes,
            weights: weights.map(|weights| Box::new(order.map(|i| weights[i]))),
            front,
            bounds,
        });
    }

    /// The corners a − s0, b − s1, b + s0, a + s1.
    fn parallelogram(
        &mut self,
        vertices: [u32; 3],
        [a, b]: [Window; 2],
        [at_a, at_b]: [[f64; 3]; 2],
        [s0, s1]: [[i64; 2]; 2],
    ) {
        let moved = |window: Window, side: [i64; 2], sign: i64| Window {
            x: window.x + sign * side[0],
            y: window.y + sign * side[1],
            ..window
        };
        let (first, second) = (moved(a, s0, -1), moved(b, s0, 1));
        self.push(vertices, [first, moved(b, s1, -1), second], Some([at_a, at_b, at_b]), false);
        self.push(vertices, [first, second, moved(a, s1, 1)], Some([at_a, at_b, at_a]), false);
    }
}
