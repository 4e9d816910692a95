//! Reading what each joint of a vertex carries, joint by joint, for the methods that do not blend it first.

use fearless_simd::{Simd, f32x16, prelude::*};

use super::{
    lanes::{GROUP, LANES, Lanes},
    prepared::InfluenceBlocks,
    vectors::{Matrix, Vector},
};
use refrast_simd::unroll;

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
        for vertex in (place.first..place.first + S::f32s::LEN).step_by(GROUP) {
            let start = self.index(place.block, vertex, rank);
            weights.0[vertex..vertex + GROUP].copy_from_slice(&self.weights[start..start + GROUP]);
            let own = &self.joints[start..start + GROUP];
            turn(simd, unroll!(i in [0, 1, 2, 3] => &joints[usize::from(own[i])]), vertex, gathered);
        }
        weights.load(simd, place.first)
    }

    /// Reads the joint of each vertex that has the largest weight; of equals, the first.
    #[inline(always)]
    pub(super) fn gather_heaviest<S: Simd>(&self, simd: S, joints: &[Lanes], place: Place, gathered: &mut Gathered) {
        for vertex in (place.first..place.first + S::f32s::LEN).step_by(GROUP) {
            let heaviest = unroll!(i in [0, 1, 2, 3] => self.heaviest(place.block, vertex + i));
            turn(simd, unroll!(i in [0, 1, 2, 3] => &joints[heaviest[i]]), vertex, gathered);
        }
    }

    /// The joint of a vertex that has the largest weight; of equals, the first.
    #[inline(always)]
    fn heaviest(&self, block: usize, vertex: usize) -> usize {
        let mut heaviest = self.index(block, vertex, 0);
        for rank in 1..self.ranks(block) {
            let index = self.index(block, vertex, rank);
            if self.weights[index] > self.weights[heaviest] {
                heaviest = index;
            }
        }
        usize::from(self.joints[heaviest])
    }
}

/// Writes the sixteen numbers of each of four joints into the lanes from `first` on: four numbers of four joints change from rows
/// to columns in registers, and sixteen stores take the place of 64.
///
/// (Eight lanes or sixteen put together in registers first, so that nothing is written in smaller pieces than it is read in, took
/// 1.0 to 1.4 times as long.)
#[inline(always)]
fn turn<S: Simd>(simd: S, joints: [&Lanes; GROUP], first: usize, gathered: &mut Gathered) {
    let [a, b, c, d] = unroll!(i in [0, 1, 2, 3] => f32x16::load_array_ref(simd, &joints[i].0));
    let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
    let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
    let quarters =
        [ac_low.zip_low(bd_low), ac_low.zip_high(bd_low), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)];
    let lanes = first..first + GROUP;
    for (quarter, numbers) in quarters.into_iter().zip(gathered.chunks_exact_mut(GROUP)) {
        let (low, high) = quarter.split();
        let ((a, b), (c, d)) = (low.split(), high.split());
        a.store_slice(&mut numbers[0].0[lanes.clone()]);
        b.store_slice(&mut numbers[1].0[lanes.clone()]);
        c.store_slice(&mut numbers[2].0[lanes.clone()]);
        d.store_slice(&mut numbers[3].0[lanes.clone()]);
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
