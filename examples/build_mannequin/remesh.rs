//! From a fine, uniform mesh to one whose triangles are as large as the detail allows.
//!
//! Short edges are collapsed, edges are flipped towards six neighbours a vertex, vertices slide to the middle of
//! their neighbours and are pulled back onto the surface (Botsch, Kobbelt: "A Remeshing Approach to Multiresolution
//! Modeling", 2004). Nearly equilateral triangles bend better under skinning than those of a quadric simplifier.
//! The input must be finer than wanted everywhere: nothing is ever split.

use crate::surface::Mesh;
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// An edge is collapsed when it is shorter than this share of the wanted length …
const SHORT: f64 = 0.8;
/// … unless that would make an edge longer than this.
const LONG: f64 = 1.45;
/// Triangles may not turn by more than the angle of this cosine in one step.
const TURN: f64 = 0.5;

/// What the mesh should become.
pub(crate) struct Target<'a> {
    /// The wanted edge length at a place.
    pub(crate) edge_length: &'a (dyn Fn(DVec3) -> f64 + Sync),
    /// Pulls a place onto the surface.
    pub(crate) project: &'a (dyn Fn(DVec3) -> DVec3 + Sync),
    /// The outward direction at a place, not necessarily of unit length.
    pub(crate) normal: &'a (dyn Fn(DVec3) -> DVec3 + Sync),
}

/// A mesh with the triangles round each vertex.
struct Remesher {
    positions: Vec<DVec3>,
    wanted: Vec<f64>,
    /// `None` once collapsed.
    triangles: Vec<Option<[u32; 3]>>,
    /// The triangles at each vertex, in no order that matters.
    around: Vec<Vec<u32>>,
}

/// Coarsens `mesh` to the wanted edge lengths in `rounds` rounds.
pub(crate) fn remesh(mesh: Mesh, target: &Target<'_>, rounds: usize) -> Mesh {
    let mut around = vec![Vec::new(); mesh.positions.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        triangle.iter().for_each(|&vertex| around[vertex as usize].push(index as u32));
    }
    let wanted = mesh.positions.par_iter().map(|&position| (target.edge_length)(position)).collect();
    let triangles = mesh.triangles.into_iter().map(Some).collect();
    let mut remesher = Remesher { positions: mesh.positions, wanted, triangles, around };
    for _ in 0..rounds {
        remesher.collapse_short_edges();
        remesher.flip_edges();
        remesher.relax(target);
    }
    for _ in 0..2 {
        remesher.flip_edges();
        remesher.relax(target);
    }
    remesher.finish()
}

impl Remesher {
    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let corners = self.around[vertex as usize].iter().filter_map(|&index| self.triangles[index as usize]).flatten();
        let mut found: Vec<u32> = corners.filter(|&other| other != vertex).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn length(&self, a: u32, b: u32) -> f64 {
        (self.positions[a as usize] - self.positions[b as usize]).length()
    }

    fn wanted(&self, a: u32, b: u32) -> f64 {
        0.5 * (self.wanted[a as usize] + self.wanted[b as usize])
    }

    /// Every edge once, lower vertex first, in ascending order.
    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = self
            .triangles
            .iter()
            .flatten()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .filter(|&[from, to]| from < to)
            .collect();
        edges.sort_unstable();
        edges
    }

    fn collapse_short_edges(&mut self) {
        let mut short: Vec<(f64, [u32; 2])> = self
            .edges()
            .into_iter()
            .map(|edge| (self.length(edge[0], edge[1]) / self.wanted(edge[0], edge[1]), edge))
            .filter(|&(ratio, _)| ratio < SHORT)
            .collect();
        short.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, [a, b]) in short {
            let alive = !self.around[a as usize].is_empty() && !self.around[b as usize].is_empty();
            // An earlier collapse may have taken this edge away or made it long.
            if alive && self.length(a, b) < SHORT * self.wanted(a, b) {
                self.collapse(a, b);
            }
        }
    }

    /// Merges `b` into `a` at their middle, if the surface stays a manifold and no triangle turns over.
    fn collapse(&mut self, a: u32, b: u32) {
        let (near_a, near_b) = (self.neighbours(a), self.neighbours(b));
        if !near_a.contains(&b) {
            return;
        }
        let common = near_a.iter().filter(|vertex| near_b.contains(vertex)).count();
        // The link condition, and no vertex left with fewer than four neighbours.
        let wings_stay =
            near_a.iter().filter(|vertex| near_b.contains(vertex)).all(|&wing| self.around[wing as usize].len() > 4);
        if common != 2 || !wings_stay || near_a.len() + near_b.len() > 15 {
            return;
        }
        let middle = (self.positions[a as usize] + self.positions[b as usize]) * 0.5;
        let too_long =
            |&vertex: &u32| (self.positions[vertex as usize] - middle).length() > LONG * self.wanted(vertex, a);
        if near_a.iter().chain(&near_b).filter(|&&vertex| vertex != a && vertex != b).any(too_long) {
            return;
        }
        if !self.keeps_facing(a, Some(b), middle) || !self.keeps_facing(b, Some(a), middle) {
            return;
        }
        self.positions[a as usize] = middle;
        self.wanted[a as usize] = self.wanted(a, b);
        for index in std::mem::take(&mut self.around[b as usize]) {
            let Some(mut corners) = self.triangles[index as usize] else { continue };
            if corners.contains(&a) {
                self.triangles[index as usize] = None;
                for vertex in corners {
                    self.around[vertex as usize].retain(|&other| other != index);
                }
            } else {
                corners.iter_mut().filter(|corner| **corner == b).for_each(|corner| *corner = a);
                self.triangles[index as usize] = Some(corners);
                self.around[a as usize].push(index);
            }
        }
    }

    /// Whether the triangles at `vertex`, except those that also hold `except`, keep their direction when the vertex
    /// moves to `place`.
    fn keeps_facing(&self, vertex: u32, except: Option<u32>, place: DVec3) -> bool {
        let corners = self.around[vertex as usize].iter().filter_map(|&index| self.triangles[index as usize]);
        corners.filter(|corners| except.is_none_or(|other| !corners.contains(&other))).all(|corners| {
            let before = corners.map(|corner| self.positions[corner as usize]);
            let after = corners.map(|corner| if corner == vertex { place } else { self.positions[corner as usize] });
            let normal = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p);
            normal(after).normalize_or_zero().dot(normal(before).normalize_or_zero()) > TURN
        })
    }

    /// Flips an edge when its four vertices come closer to six neighbours each.
    fn flip_edges(&mut self) {
        for [a, b] in self.edges() {
            let shared: Vec<u32> = self.around[a as usize]
                .iter()
                .copied()
                .filter(|index| self.around[b as usize].contains(index))
                .collect();
            let [first, second] = shared[..] else { continue };
            let opposite = |index: u32| {
                self.triangles[index as usize]
                    .and_then(|corners| corners.into_iter().find(|&corner| corner != a && corner != b))
            };
            let (Some(mut c), Some(mut d)) = (opposite(first), opposite(second)) else { continue };
            let (mut left, mut right) = (first, second);
            // `left` is the triangle in which the edge runs from a to b.
            let runs_forward = |index: u32| {
                self.triangles[index as usize]
                    .is_some_and(|corners| (0..3).any(|i| corners[i] == a && corners[(i + 1) % 3] == b))
            };
            if !runs_forward(left) {
                (left, right) = (right, left);
                (c, d) = (d, c);
            }
            if self.improves(a, b, c, d) {
                self.triangles[left as usize] = Some([a, d, c]);
                self.triangles[right as usize] = Some([d, b, c]);
                self.around[b as usize].retain(|&index| index != left);
                self.around[a as usize].retain(|&index| index != right);
                self.around[d as usize].push(left);
                self.around[c as usize].push(right);
            }
        }
    }

    /// Whether replacing edge a–b by c–d (c on the left of a→b) is allowed and better.
    fn improves(&self, a: u32, b: u32, c: u32, d: u32) -> bool {
        let excess = |vertex: u32, change: i64| {
            let degree = self.around[vertex as usize].len() as i64 + change - 6;
            degree * degree
        };
        let before = excess(a, 0) + excess(b, 0) + excess(c, 0) + excess(d, 0);
        let after = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1);
        if after >= before || self.around[a as usize].len() <= 4 || self.around[b as usize].len() <= 4 {
            return false;
        }
        if self.length(c, d) > LONG * self.wanted(c, d) || self.neighbours(c).contains(&d) {
            return false;
        }
        let [pa, pb, pc, pd] = [a, b, c, d].map(|vertex| self.positions[vertex as usize]);
        let normal = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p).normalize_or_zero();
        let old = [normal(pa, pb, pc), normal(pb, pa, pd)];
        let new = [normal(pa, pd, pc), normal(pd, pb, pc)];
        let flat = 0.9;
        old[0].dot(old[1]) > flat && old.iter().all(|before| new.iter().all(|after| before.dot(*after) > flat))
    }

    /// Slides every vertex towards the middle of its neighbours, along the surface.
    fn relax(&mut self, target: &Target<'_>) {
        let moved: Vec<DVec3> = (0..self.positions.len() as u32)
            .into_par_iter()
            .map(|vertex| {
                let here = self.positions[vertex as usize];
                let near = self.neighbours(vertex);
                if near.is_empty() {
                    return here;
                }
                let middle =
                    near.iter().map(|&other| self.positions[other as usize]).sum::<DVec3>() / near.len() as f64;
                let normal = (target.normal)(here).normalize_or_zero();
                let slide = middle - here;
                let place = (target.project)(here + (slide - normal * slide.dot(normal)) * 0.6);
                if self.keeps_facing(vertex, None, place) { place } else { (target.project)(here) }
            })
            .collect();
        self.positions = moved;
    }

    /// Drops what was collapsed, and numbers vertices in the order of their first use by a triangle.
    fn finish(self) -> Mesh {
        let mut mesh = Mesh::default();
        let mut number = vec![u32::MAX; self.positions.len()];
        for triangle in self.triangles.into_iter().flatten() {
            let renumbered = triangle.map(|vertex| {
                let entry = &mut number[vertex as usize];
                if *entry == u32::MAX {
                    *entry = mesh.positions.len() as u32;
                    mesh.positions.push(self.positions[vertex as usize]);
                }
                *entry
            });
            mesh.triangles.push(renumbered);
        }
        mesh
    }
}

/// The neighbours of every vertex, ascending.
pub(crate) fn adjacency(vertex_count: usize, triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut sets = vec![BTreeSet::new(); vertex_count];
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            sets[from as usize].insert(to);
            sets[to as usize].insert(from);
        }
    }
    sets.into_iter().map(|set| set.into_iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{extract, open_edge, volume};

    #[test]
    fn a_coarsened_sphere_stays_closed_round_and_reaches_its_edge_length() {
        let fine = extract(&|p: DVec3| p.length() - 0.5, DVec3::ZERO, 0.03);
        let fine_count = fine.triangles.len();
        let target = Target { edge_length: &|_| 0.1, project: &|p: DVec3| p.normalize() * 0.5, normal: &|p: DVec3| p };
        let mesh = remesh(fine, &target, 8);
        assert_eq!(open_edge(&mesh.triangles), None);
        assert!(mesh.triangles.len() * 5 < fine_count, "{} of {fine_count}", mesh.triangles.len());
        assert!(mesh.positions.iter().all(|p| (p.length() - 0.5).abs() < 1e-12));
        assert!(volume(&mesh) > 0.97 * 4.0 / 3.0 * std::f64::consts::PI * 0.125);
        for &[a, b, c] in &mesh.triangles {
            let [a, b, c] = [a, b, c].map(|vertex| mesh.positions[vertex as usize]);
            for length in [(a - b).length(), (b - c).length(), (c - a).length()] {
                assert!((0.04..0.2).contains(&length), "edge of {length}");
            }
        }
    }
}
