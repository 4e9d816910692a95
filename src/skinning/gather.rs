//! Reading what each joint of a vertex carries, joint by joint, for the methods that do not blend it first.

use fearless_simd::{Simd, SimdBase};

use super::{
    lanes::{GROUP, LANES, Lanes},
    prepared::InfluenceBlocks,
    vectors::{Matrix, Vector},
};

/// Sixteen numbers of a joint of each of a block's vertices: number i in lanes i.
pub(super) type Gathered = [Lanes; LANES];

/// The vertices of a block that are worked on, as many as the SIMD level takes at once.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The block's number.
    pub(super) block: usize,
    /// The first of the vertices among the block's sixteen.
    pub(super) first: usize,
}

impl InfluenceBlocks {
    /// How many influences the vertices of a block have.
    #[inline(always)]
    pub(super) fn ranks(&self, block: usize) -> usize {
        self.spans[block].per_vertex as usize
    }

    /// Where the influence of a rank of a vertex of a block stands.
    #[inline(always)]
    fn index(&self, block: usize, vertex: usize, rank: usize) -> usize {
        let span = self.spans[block];
        span.start as usize + (vertex / GROUP * span.per_vertex as usize + rank) * GROUP + vertex % GROUP
    }

    /// Reads the joints of one rank, and returns their weights.
    #[inline(always)]
    pub(super) fn gather<S: Simd>(
        &self,
        simd: S,
        joints: &[Lanes],
        place: Place,
        rank: usize,
        gathered: &mut Gathered,
    ) -> S::f32s {
        let mut weights = Lanes::ZERO;
        for vertex in place.first..place.first + S::f32s::LEN {
            let index = self.index(place.block, vertex, rank);
            weights.0[vertex] = self.weights[index];
            let joint = &joints[usize::from(self.joints[index])];
            for (lanes, number) in gathered.iter_mut().zip(&joint.0) {
                lanes.0[vertex] = *number;
            }
        }
        weights.load(simd, place.first)
    }

    /// Reads the joint of each vertex that has the largest weight; of equals, the first.
    #[inline(always)]
    pub(super) fn gather_heaviest<S: Simd>(&self, _: S, joints: &[Lanes], place: Place, gathered: &mut Gathered) {
        for vertex in place.first..place.first + S::f32s::LEN {
            let mut heaviest = self.index(place.block, vertex, 0);
            for rank in 1..self.ranks(place.block) {
                let index = self.index(place.block, vertex, rank);
                if self.weights[index] > self.weights[heaviest] {
                    heaviest = index;
                }
            }
            let joint = &joints[usize::from(self.joints[heaviest])];
            for (lanes, number) in gathered.iter_mut().zip(&joint.0) {
                lanes.0[vertex] = *number;
            }
        }
    }
}

/// The 3×3 part of matrices whose rows of four numbers follow each other.
#[inline(always)]
pub(super) fn matrix_of<S: Simd>(simd: S, numbers: &Gathered, first: usize) -> Matrix<S> {
    [column(simd, numbers, 0, first), column(simd, numbers, 1, first), column(simd, numbers, 2, first)]
}

/// The translation of matrices whose rows of four numbers follow each other.
#[inline(always)]
pub(super) fn translation_of<S: Simd>(simd: S, numbers: &Gathered, first: usize) -> Vector<S> {
    column(simd, numbers, 3, first)
}

#[inline(always)]
fn column<S: Simd>(simd: S, numbers: &Gathered, column: usize, first: usize) -> Vector<S> {
    [numbers[column].load(simd, first), numbers[4 + column].load(simd, first), numbers[8 + column].load(simd, first)]
}
