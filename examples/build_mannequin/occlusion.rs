//! How much ambient light reaches each vertex: `_OCCLUSION` of the figure at rest and of its expressions.
//!
//! From each vertex rays go out over the half-space that its normal looks into, more of them towards the normal, as
//! diffuse light counts them; what they meet within [`REACH`] takes light away, the more the nearer it is. A short
//! reach keeps it true in other poses: folds of the face and the inside of the sleeves stay dark, while the shade of
//! an arm on the hip, which the next step would make a lie, stays faint.

use glam::DVec3;
use std::f64::consts::PI;

/// Rays a vertex.
const RAYS: u32 = 160;
/// Metres beyond which nothing takes light away.
const REACH: f64 = 0.16;
/// Rays start so far above the surface, past the triangles that meet at the vertex.
const LIFT: f64 = 0.0012;
/// Triangles in a leaf.
const LEAF: usize = 4;

/// A tree of boxes over triangles, the two halves of a box split at the middle triangle along its longest side.
pub(crate) struct Obstacles {
    nodes: Vec<Node>,
    triangles: Vec<[DVec3; 3]>,
}

/// A box and what lies in it.
struct Node {
    low: DVec3,
    high: DVec3,
    contents: Contents,
}

enum Contents {
    /// Triangles from the first number to before the second.
    Leaf(usize, usize),
    /// Two nodes.
    Halves(usize, usize),
}

impl Obstacles {
    pub(crate) fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let corners = triangles.iter().map(|triangle| triangle.map(|vertex| positions[vertex as usize]));
        let mut tree = Self { nodes: Vec::new(), triangles: corners.collect() };
        tree.split(0, tree.triangles.len());
        tree
    }

    /// Makes the node of a run of triangles and returns its number.
    fn split(&mut self, first: usize, end: usize) -> usize {
        let run = &mut self.triangles[first..end];
        let low = run.iter().flatten().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = run.iter().flatten().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let node = self.nodes.len();
        self.nodes.push(Node { low, high, contents: Contents::Leaf(first, end) });
        if run.len() > LEAF {
            let axis = (high - low).max_position();
            let middle = |triangle: &[DVec3; 3]| triangle.iter().map(|corner| corner[axis]).sum::<f64>();
            // Stable, so that equal middles keep the order of the file.
            run.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
            let half = first + run.len() / 2;
            let halves = [self.split(first, half), self.split(half, end)];
            self.nodes[node].contents = Contents::Halves(halves[0], halves[1]);
        }
        node
    }

    /// The distance to the nearest triangle along a ray, if it is within `reach`; `direction` has unit length.
    fn nearest(&self, origin: DVec3, direction: DVec3, reach: f64) -> Option<f64> {
        let inverse = direction.recip();
        let mut best = reach;
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let Node { low, high, contents } = &self.nodes[node];
            let (a, b) = ((*low - origin) * inverse, (*high - origin) * inverse);
            let enters = a.min(b).max_element().max(0.0);
            if enters > a.max(b).min_element().min(best) {
                continue;
            }
            match *contents {
                Contents::Halves(left, right) => open.extend([left, right]),
                Contents::Leaf(first, end) => {
                    let hits =
                        self.triangles[first..end].iter().filter_map(|triangle| hit(triangle, origin, direction));
                    best = hits.fold(best, f64::min);
                }
            }
        }
        (best < reach).then_some(best)
    }

    /// The part of the ambient light that reaches a place whose surface looks along `normal`, 0 to 1.
    pub(crate) fn openness(&self, place: DVec3, normal: DVec3) -> f64 {
        let across = normal.any_orthonormal_vector();
        let along = normal.cross(across);
        let origin = place + normal * LIFT;
        let taken: f64 = (0..RAYS)
            .filter_map(|ray| {
                let [x, y, z] = direction(ray);
                self.nearest(origin, across * x + along * y + normal * z, REACH)
            })
            .map(|distance| 1.0 - distance / REACH)
            .sum();
        1.0 - taken / f64::from(RAYS)
    }
}

/// The ray's direction about +Z: a spiral by the golden angle over a disc, lifted onto the half sphere, which makes
/// directions as dense as their cosine.
fn direction(ray: u32) -> [f64; 3] {
    let share = (f64::from(ray) + 0.5) / f64::from(RAYS);
    let (sin, cos) = libm::sincos(f64::from(ray) * PI * (3.0 - 5.0_f64.sqrt()));
    let radius = share.sqrt();
    [radius * cos, radius * sin, (1.0 - share).sqrt()]
}

/// The distance to a triangle along a ray (Möller and Trumbore), from either side.
fn hit(triangle: &[DVec3; 3], origin: DVec3, direction: DVec3) -> Option<f64> {
    let [a, b, c] = *triangle;
    let (first, second) = (b - a, c - a);
    let across = direction.cross(second);
    let volume = first.dot(across);
    let offset = origin - a;
    let u = offset.dot(across) / volume;
    let turned = offset.cross(first);
    let v = direction.dot(turned) / volume;
    let distance = second.dot(turned) / volume;
    // A ray within the triangle's plane divides by zero, and no comparison with that holds.
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wide square about the y axis at height `y`.
    fn square(y: f64, half: f64) -> ([DVec3; 4], [[u32; 3]; 2]) {
        let at = |x: f64, z: f64| DVec3::new(x * half, y, z * half);
        ([at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)], [[0, 1, 2], [0, 2, 3]])
    }

    #[test]
    fn a_ceiling_takes_light_by_its_distance_and_a_floor_none() {
        let (positions, triangles) = square(0.04, 100.0);
        let ceiling = Obstacles::new(&positions, &triangles);
        // Rays of cosine c go (0.04 − lift)/c far, and directions are as dense as c·dc: ∫ 2c·max(0, 1 − d/(c·reach)) dc
        // over c from d/reach to 1 is (1 − d/reach)².
        let share = (0.04 - LIFT) / REACH;
        let expected = 1.0 - (1.0 - share) * (1.0 - share);
        let found = ceiling.openness(DVec3::ZERO, DVec3::Y);
        assert!((found - expected).abs() < 0.005, "{found} for {expected}");
        assert_eq!(ceiling.openness(DVec3::ZERO, -DVec3::Y), 1.0);
        assert_eq!(ceiling.openness(DVec3::new(0.0, -REACH, 0.0), DVec3::Y), 1.0, "out of reach");
    }

    #[test]
    fn the_tree_finds_what_a_search_of_all_triangles_finds() {
        let positions: Vec<DVec3> = (0..300)
            .map(|i| {
                let t = f64::from(i);
                DVec3::new(libm::sin(t * 1.7), libm::sin(t * 2.3), libm::sin(t * 3.1)) * 0.05
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..100).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let tree = Obstacles::new(&positions, &triangles);
        for ray in 0..RAYS {
            let direction = DVec3::from(direction(ray));
            let origin = DVec3::new(0.01, 0.0, -0.07);
            let hits = tree.triangles.iter().filter_map(|triangle| hit(triangle, origin, direction));
            let expected = hits.filter(|&distance| distance < REACH).reduce(f64::min);
            assert_eq!(tree.nearest(origin, direction, REACH), expected);
        }
    }
}
