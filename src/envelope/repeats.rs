//! Triangles that repeat an earlier one of their draw, and so are never seen.
//!
//! Why it exists: of two surfaces at the same depth either may come out nearer once depth is rounded, so that a depth test
//! that lets equal depths through could not be told from a right one. But a triangle that is drawn twice is the same
//! triangle to the bit, whatever its roundings are: "Identical pipelines will produce the same result when run multiple times with
//! the same input" (Vulkan, "Invariance", rule 4, so that a primitive can be erased "by redrawing it, either in a different
//! color or using the XOR logical operation"), and Direct3D's rasteriser is a function of the snapped vertices (11.3
//! Functional Specification, 3.4 and 15.16.2). Both cover the same samples at the same depths, and by LESS the first one stays.
//!
//! Claimed only inside one draw, whose triangles have the same pipeline for sure, of opaque triangles, and where nothing but
//! the numbers compared here goes into a position: not behind vertex programs.

use rayon::prelude::*;
use refrast_scene::Primitive;

/// What decides where a draw's vertices are, beside matrices and weights that all of them have in common.
#[derive(Clone, Copy)]
pub(super) struct PositionInputs<'a> {
    pub(super) primitive: &'a Primitive,
    /// For each vertex of the draw that of the primitive; `None` where they are the same.
    pub(super) source_vertices: Option<&'a [u32]>,
}

impl PositionInputs<'_> {
    /// Whether two vertices are the same to everything that computes positions.
    fn same(&self, a: u32, b: u32) -> bool {
        let source = |vertex: u32| self.source_vertices.map_or(vertex, |sources| sources[vertex as usize]) as usize;
        let (a, b) = (source(a), source(b));
        let same = |numbers: &[[f32; 3]]| numbers[a].map(f32::to_bits) == numbers[b].map(f32::to_bits);
        let influences = self.primitive.influences.as_ref().is_none_or(|influences| {
            let slots = |vertex: usize| vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            influences.joints[slots(a)] == influences.joints[slots(b)]
                && influences.weights[slots(a)] == influences.weights[slots(b)]
        });
        let mut targets = self.primitive.targets.iter().filter_map(|target| target.positions.as_deref());
        a == b || (same(&self.primitive.positions) && influences && targets.all(same))
    }
}

/// The triangles that surely repeat an earlier one, corner for corner; `names` are those that vertices at the same place
/// share.
pub(super) fn repeats(indices: &[u32], names: &[u32], inputs: &PositionInputs<'_>) -> Vec<bool> {
    let triangles = indices.as_chunks::<3>().0;
    let named = |triangle: u32| triangles[triangle as usize].map(|vertex| names[vertex as usize]);
    // Sorted and not hashed: a table of millions of triangles takes ten times the memory.
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    order.par_sort_unstable_by_key(|&triangle| (named(triangle), triangle));
    let mut repeats = vec![false; triangles.len()];
    for same in order.chunk_by(|&a, &b| named(a) == named(b)) {
        let earlier = &triangles[same[0] as usize];
        for &triangle in &same[1..] {
            let mut corners = earlier.iter().zip(&triangles[triangle as usize]);
            repeats[triangle as usize] = corners.all(|(a, b)| inputs.same(*a, *b));
        }
    }
    repeats
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_scene::Influences;

    fn primitive() -> Primitive {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Primitive { positions: [corners, corners].concat(), ..Primitive::default() }
    }

    fn found(primitive: &Primitive, indices: &[u32]) -> Vec<bool> {
        repeats(indices, &[0, 1, 2, 0, 1, 2], &PositionInputs { primitive, source_vertices: None })
    }

    #[test]
    fn only_the_same_corners_in_the_same_order_are_a_repeat() {
        let again = found(&primitive(), &[0, 1, 2, 3, 4, 5, 0, 1, 2, 1, 2, 0, 2, 1, 0]);
        assert_eq!(again, [false, true, true, false, false]);
    }

    #[test]
    fn what_follows_other_joints_to_the_same_place_is_none() {
        let mut skinned = primitive();
        let influences = |last| Influences { per_vertex: 1, joints: vec![0, 0, 0, 0, 0, last], weights: vec![1.0; 6] };
        skinned.influences = Some(influences(1));
        assert_eq!(found(&skinned, &[0, 1, 2, 3, 4, 5]), [false, false]);
        skinned.influences = Some(influences(0));
        assert_eq!(found(&skinned, &[0, 1, 2, 3, 4, 5]), [false, true]);
    }
}
