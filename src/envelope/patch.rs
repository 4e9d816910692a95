//! Samples that are surely covered, but not surely by whom.
//!
//! Why it exists: along an edge that two triangles share each of them may or may not cover a sample, but together they
//! cover it exactly once: a gap there is a crack, and two hits are a fault as well. The same holds around a vertex, and where
//! triangles are smaller than a pixel.
//!
//! All triangles that may cover the sample are joined over shared edges (the same two welded vertices, run through in
//! opposite directions). How often such a patch winds around a sample depends on its boundary alone, and while no boundary
//! edge can reach the sample it is the same for every allowed position of the corners: the count at the exact positions. It
//! is the number of its triangles that turn clockwise and cover the sample, less those that turn the other way.

use super::{
    coverage::{touches, winding},
    surface::{Surface, Turn},
};

/// What is known of a patch at a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cover {
    /// One of its triangles surely covers the sample and is drawn.
    pub(super) surely: bool,
    /// Exactly one of them does.
    pub(super) once: bool,
}

/// The patches of a sample: for each of its triangles the patch that it belongs to.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches {
    /// Number of the patch of each member.
    pub(super) of: Vec<usize>,
    pub(super) covers: Vec<Cover>,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// Group of draws, and welded vertices in order of their numbers.
    key: (u32, u32, u32),
    forward: bool,
    member: usize,
    /// Number of the edge in its outline.
    number: usize,
}

impl Patches {
    /// Finds the patches among `members`, all the triangles that may cover the sample.
    pub(super) fn find(&mut self, surfaces: &[Surface], members: &[u32], point: [f64; 2]) {
        self.of.clear();
        self.of.extend(0..members.len());
        self.covers.clear();
        self.covers.resize(members.len(), Cover { surely: true, once: true });
        self.edges.clear();
        for (member, &surface) in members.iter().enumerate() {
            let surface = &surfaces[surface as usize];
            if surface.is_thin() {
                self.covers[member] = Cover::default();
            }
            for (number, edge) in surface.outline.edges().iter().enumerate() {
                match *edge {
                    Some([from, to]) if from != to => self.edges.push(Edge {
                        key: (surface.group, from.min(to), from.max(to)),
                        forward: from < to,
                        member,
                        number,
                    }),
                    Some(_) => {}
                    None if self.reaches(surfaces, members, (member, number), point) => {
                        self.covers[member] = Cover::default();
                    }
                    None => {}
                }
            }
        }
        self.edges.sort_unstable_by_key(|edge| (edge.key, edge.member, edge.number));
        let edges = std::mem::take(&mut self.edges);
        for same in edges.chunk_by(|a, b| a.key == b.key) {
            let forward = same.iter().filter(|edge| edge.forward).count();
            // Runs in both directions cancel; what is left over is boundary. (Which of several is left does not matter:
            // their ends are welded.)
            let balanced = 2 * forward == same.len();
            for edge in &same[1..] {
                self.join(same[0].member, edge.member);
            }
            if !balanced && self.reaches(surfaces, members, (same[0].member, same[0].number), point) {
                self.covers[same[0].member] = Cover::default();
            }
        }
        self.edges = edges;
        self.count(surfaces, members, point);
    }

    fn reaches(
        &self,
        surfaces: &[Surface],
        members: &[u32],
        (member, number): (usize, usize),
        point: [f64; 2],
    ) -> bool {
        touches(&surfaces[members[member] as usize].outline, number, point)
    }

    /// The first member of a patch stands for it.
    fn root(&self, member: usize) -> usize {
        let mut root = member;
        while self.of[root] != root {
            root = self.of[root];
        }
        root
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.of[a.max(b)] = a.min(b);
    }

    /// Winding numbers, and what they say; every member then names its root.
    fn count(&mut self, surfaces: &[Surface], members: &[u32], point: [f64; 2]) {
        for member in 0..members.len() {
            let root = self.root(member);
            self.of[member] = root;
            let own = self.covers[member];
            let cover = &mut self.covers[root];
            *cover = Cover { surely: cover.surely && own.surely, once: cover.once && own.once };
        }
        for root in (0..members.len()).filter(|&member| self.of[member] == member) {
            if !self.covers[root].surely {
                continue;
            }
            let own = || members.iter().zip(&self.of).filter(|&(_, &of)| of == root).map(|(&own, _)| own);
            let surface = |own: u32| &surfaces[own as usize];
            let times: i32 = own().map(|own| winding(surface(own), point)).sum();
            let surely = times != 0 && own().all(|own| surface(own).shows(times > 0));
            let turn = if times > 0 { Turn::Clockwise } else { Turn::CounterClockwise };
            let once = times.abs() == 1 && own().all(|own| surface(own).turn == turn);
            self.covers[root] = Cover { surely, once: surely && once };
        }
    }
}
