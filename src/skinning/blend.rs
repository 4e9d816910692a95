//! Blending the matrices of the joints that vertices follow, in two ways.
//!
//! Where a block of vertices names few joints, its joints are gone through one by one: each lane is a vertex of its
//! own from the start. Where it names many, its vertices are gone through: a joint's numbers are one cache line and
//! one vector of sixteen, so that a blend reads nothing that it does not need. The blended rows of four vertices are
//! then transposed, and leave in planes, where each lane is a vertex of its own again.

use fearless_simd::{Simd, f32x16, prelude::*};
use fearless_simd_macros::simd;

use super::{
    gather::Gathered,
    lanes::{GROUP, LANES, Lanes, step_pairs},
    prepared::{Column, InfluenceBlocks},
};
use refrast_simd::unroll;

/// Blocks that are blended before they are transformed: enough that what is written here has left the store buffer
/// when it is read in wider pieces, and little enough to stay in the first cache.
pub(super) const TILE_BLOCKS: usize = 8;

/// Four numbers of what moves the vertices of two steps through a block: `((w₀·J₀ + w₁·J₁) + w₂·J₂) + …` in the order of
/// [`Columns`](super::prepared::Columns), where J are numbers `4 · row` to `4 · row + 3` of a joint.
///
/// Why four and two: each number of a joint is read once for both steps, and eight sums leave room in sixteen registers.
#[inline(always)]
fn blend_row<S: Simd>(
    simd: S,
    joints: &[Lanes],
    (indices, weights): Column<'_>,
    row: usize,
    steps: [usize; 2],
) -> [[S::f32s; 4]; 2] {
    let zero = S::f32s::splat(simd, 0.0);
    let (mut a, mut b) = ([zero; 4], [zero; 4]);
    for (&joint, weights) in indices.iter().zip(weights) {
        let numbers = &joints[usize::from(joint)].0[4 * row..4 * row + 4];
        let [p, q] = unroll!(step in [0, 1] => weights.load(simd, steps[step]));
        // As expressions the sums stay in registers. As a loop over places the compiler keeps them in memory.
        a = unroll!(i in [0, 1, 2, 3] => a[i] + p * numbers[i]);
        b = unroll!(i in [0, 1, 2, 3] => b[i] + q * numbers[i]);
    }
    [a, b]
}

/// The three rows of what moves the vertices of a block, each handed to `put` with its number and the first lane of its step.
///
/// A row at a time, so that sixteen registers hold what is worked on; all three together where a step is the whole block: such a
/// level has 32 registers, and four sums alone would wait for each other's additions.
#[inline(always)]
pub(super) fn blend_rows<S: Simd>(
    simd: S,
    joints: &[Lanes],
    column: Column<'_>,
    mut put: impl FnMut(usize, usize, [S::f32s; 4]),
) {
    if S::f32s::LEN == LANES {
        let zero = S::f32s::splat(simd, 0.0);
        let (mut a, mut b, mut c) = ([zero; 4], [zero; 4], [zero; 4]);
        for (&joint, weights) in column.0.iter().zip(column.1) {
            let numbers = &joints[usize::from(joint)].0;
            let weight = weights.load(simd, 0);
            a = unroll!(i in [0, 1, 2, 3] => a[i] + weight * numbers[i]);
            b = unroll!(i in [0, 1, 2, 3] => b[i] + weight * numbers[4 + i]);
            c = unroll!(i in [0, 1, 2, 3] => c[i] + weight * numbers[8 + i]);
        }
        put(0, 0, a);
        put(1, 0, b);
        put(2, 0, c);
        return;
    }
    for row in 0..3 {
        for steps in step_pairs::<S>() {
            let rows = blend_row(simd, joints, column, row, steps);
            put(row, steps[0], rows[0]);
            put(row, steps[1], rows[1]);
        }
    }
}

/// Writes `((w₀·J₀ + w₁·J₁) + w₂·J₂) + …` of each of a block's sixteen vertices, in the order of the influences, where
/// J are the first twelve numbers of a joint.
#[simd]
pub(super) fn blend_by_vertex<S: Simd>(
    simd: S,
    joints: &[Lanes],
    influences: &InfluenceBlocks,
    block: usize,
    output: &mut Gathered,
) {
    let span = influences.spans[block];
    let size = span.per_vertex as usize;
    let range = span.start as usize..span.start as usize + LANES * size;
    let indices = influences.joints[range.clone()].as_chunks::<GROUP>().0;
    let weights = influences.weights[range].as_chunks::<GROUP>().0;
    for group in 0..LANES / GROUP {
        let (indices, weights) = (&indices[group * size..][..size], &weights[group * size..][..size]);
        let mut sums = scaled(simd, joints, &indices[0], &weights[0]);
        for (indices, weights) in indices[1..].iter().zip(&weights[1..]) {
            let [a, b, c, d] = scaled(simd, joints, indices, weights);
            sums = [sums[0] + a, sums[1] + b, sums[2] + c, sums[3] + d];
        }
        let [a, b, c, d] = sums;
        let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
        let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
        scatter(ac_low.zip_low(bd_low), group, &mut output[0..4]);
        scatter(ac_low.zip_high(bd_low), group, &mut output[4..8]);
        scatter(ac_high.zip_low(bd_high), group, &mut output[8..12]);
    }
}

/// The numbers of four vertices' joints, times their weights.
#[inline(always)]
fn scaled<S: Simd>(simd: S, joints: &[Lanes], indices: &[u16; GROUP], weights: &[f32; GROUP]) -> [f32x16<S>; GROUP] {
    [
        f32x16::load_array_ref(simd, &joints[usize::from(indices[0])].0) * weights[0],
        f32x16::load_array_ref(simd, &joints[usize::from(indices[1])].0) * weights[1],
        f32x16::load_array_ref(simd, &joints[usize::from(indices[2])].0) * weights[2],
        f32x16::load_array_ref(simd, &joints[usize::from(indices[3])].0) * weights[3],
    ]
}

/// Writes four numbers of four vertices into the lanes of their group.
#[inline(always)]
fn scatter<S: Simd>(numbers: f32x16<S>, group: usize, output: &mut [Lanes]) {
    let (low, high) = numbers.split();
    let ((a, b), (c, d)) = (low.split(), high.split());
    let lanes = GROUP * group..GROUP * (group + 1);
    a.store_slice(&mut output[0].0[lanes.clone()]);
    b.store_slice(&mut output[1].0[lanes.clone()]);
    c.store_slice(&mut output[2].0[lanes.clone()]);
    d.store_slice(&mut output[3].0[lanes]);
}
