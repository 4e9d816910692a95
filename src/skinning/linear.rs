//! Linear blend skinning: the matrices are blended, then each vertex is transformed once.
//!
//! v' = (Σ wᵢ Mᵢ) · v, the form that *GPU Gems* chapter 4 calls accumulated matrix skinning.

use fearless_simd::{Simd, prelude::*};
use fearless_simd_macros::simd;
use prefetch_index::prefetch_index;

use super::{
    blend::{TILE_BLOCKS, blend_by_vertex, blend_rows},
    deformation::{AHEAD, Deformed, Kernel, Source, Tile, by_steps, store},
    deformed::{BlockOf, Blocks},
    gather::{Gathered, matrix_of, translation_of},
    lanes::{LANES, Lanes, steps},
    method::NormalMode,
    prepared::{Column, InfluenceBlocks},
    vectors::{Matrix, Vector, add, cofactor, scale, transform},
};

/// Blends matrices.
pub(super) struct Linear<'a> {
    /// The rows of matrices, one a joint.
    pub(super) palette: &'a [Lanes],
    /// Where `None`, the palette's only matrix places every vertex.
    pub(super) influences: Option<&'a InfluenceBlocks>,
    pub(super) normals: NormalMode,
    /// The rows of each joint's inverse transpose, for [`NormalMode::PerJoint`].
    pub(super) normal_matrices: &'a [Lanes],
}

impl Kernel for Linear<'_> {
    #[inline(always)]
    fn deform<S: Simd>(
        &self,
        simd: S,
        tile: &Tile<'_>,
        blended: &mut [Gathered; TILE_BLOCKS],
        output: &mut Blocks<'_>,
    ) {
        // First what is written in small pieces and read in large ones: it has left the store buffer when it is read.
        for (block, blended) in (0..output.len()).zip(blended.iter_mut()) {
            self.put_down(simd, tile.first + block, blended);
        }
        let by_matrix = self.normals == NormalMode::RotationOnly && output.normals.is_some();
        // With tangents, and a block a step, so many lines are under way already that announcing more takes a tenth longer.
        let ahead = tile.ahead.filter(|_| S::f32s::LEN < LANES || output.tangents.is_none());
        let transform = match (by_matrix, output.tangents.is_some(), self.normals) {
            (true, true, _) => transform_by_joint::<S, true, true, true>,
            (true, false, _) => transform_by_joint::<S, true, false, false>,
            (false, true, _) => transform_by_joint::<S, false, true, true>,
            (false, false, NormalMode::InverseTranspose) => transform_by_joint::<S, false, false, true>,
            (false, false, _) => transform_by_joint::<S, false, false, false>,
        };
        transform(simd, self, (tile, ahead), blended, output);
        for (block, blended) in (0..output.len()).zip(blended) {
            if self.column(tile.first + block).is_none() {
                by_steps::<S>(
                    tile.source(block),
                    &mut output.block(block),
                    #[inline(always)]
                    |source| self.transform(simd, blended, source),
                );
            }
        }
    }
}

/// The blocks that name few joints, row by row of their matrices: each row is used for all vectors before the next one is
/// blended, so that the registers hold what is worked on. Only what the cofactors need is put down on the way.
///
/// Not a part of its caller, and for all blocks of a tile at once: in the midst of much else the inner loop has no registers
/// for its addresses, and handing them over takes as long as a block.
#[simd]
fn transform_by_joint<S: Simd, const NORMALS: bool, const TANGENTS: bool, const KEPT: bool>(
    simd: S,
    linear: &Linear<'_>,
    (tile, ahead): (&Tile<'_>, Option<usize>),
    blended: &mut [Gathered; TILE_BLOCKS],
    output: &mut Blocks<'_>,
) {
    let Some(influences) = linear.influences else { return };
    let count = output.len().min(TILE_BLOCKS);
    let layout = tile.layout;
    // As long as each other, and known to be: nothing is checked block by block.
    let [x, y, z] = &mut output.positions;
    let positions = [&mut x[..count], &mut y[..count], &mut z[..count]];
    let mut normals: [&mut [Lanes]; 3] = Default::default();
    if let (true, Some([x, y, z])) = (NORMALS, &mut output.normals) {
        normals = [&mut x[..count], &mut y[..count], &mut z[..count]];
    }
    let mut tangents: [&mut [Lanes]; 3] = Default::default();
    if let (true, Some([x, y, z, _])) = (TANGENTS, &mut output.tangents) {
        tangents = [&mut x[..count], &mut y[..count], &mut z[..count]];
    }
    let [normal, tangent] = [layout.normal, layout.tangent].map(Option::unwrap_or_default);
    let sources = tile.lanes.chunks_exact(layout.stride);
    let ranges = &influences.columns.ranges[tile.first..tile.first + count];
    for (block, (range, source)) in ranges.iter().zip(sources).enumerate() {
        let column = influences.columns.within(range);
        if column.0.is_empty() {
            continue;
        }
        if let Some(ahead) = ahead {
            for lanes in ahead + block * layout.stride..ahead + (block + 1) * layout.stride {
                prefetch_index(tile.lanes, lanes);
            }
            // About where the weights stand: neighbours name about as many joints.
            for place in 0..column.0.len() {
                prefetch_index(column.1, AHEAD * column.0.len() + place);
            }
        }
        let [position, normal, tangent] = [0, normal, tangent].map(|at| &source[at..at + 3]);
        blend_rows(
            simd,
            linear.palette,
            column,
            #[inline(always)]
            |row, lane, [x, y, z, translation]| {
                let moved = along::<S>([x, y, z], vector(simd, position, lane)) + translation;
                positions[row][block].store::<S>(lane, moved);
                if NORMALS {
                    normals[row][block].store::<S>(lane, along::<S>([x, y, z], vector(simd, normal, lane)));
                }
                if TANGENTS {
                    tangents[row][block].store::<S>(lane, along::<S>([x, y, z], vector(simd, tangent, lane)));
                }
                if KEPT {
                    blended[block][4 * row].store::<S>(lane, x);
                    blended[block][4 * row + 1].store::<S>(lane, y);
                    blended[block][4 * row + 2].store::<S>(lane, z);
                }
            },
        );
    }
    // What the rows alone do not give.
    for (block, blended) in (0..output.len()).zip(blended) {
        if linear.column(tile.first + block).is_some() {
            linear.finish(simd, blended, tile.source(block), &mut output.block(block));
        }
    }
}

#[inline(always)]
fn vector<S: Simd>(simd: S, planes: &[Lanes], lane: usize) -> Vector<S> {
    [planes[0].load(simd, lane), planes[1].load(simd, lane), planes[2].load(simd, lane)]
}

/// `(x·v.x + y·v.y) + z·v.z`.
#[inline(always)]
fn along<S: Simd>([x, y, z]: Vector<S>, v: Vector<S>) -> S::f32s {
    x * v[0] + y * v[1] + z * v[2]
}

impl Linear<'_> {
    /// The joints of a block that names few.
    #[inline(always)]
    fn column(&self, block: usize) -> Option<Column<'_>> {
        self.influences.and_then(
            #[inline(always)]
            |influences| influences.columns.of(block),
        )
    }

    /// Blends the matrices of a block that names many joints.
    #[inline(always)]
    fn put_down<S: Simd>(&self, simd: S, block: usize, blended: &mut Gathered) {
        match self.influences {
            Some(influences) => {
                if influences.columns.of(block).is_none() {
                    blend_by_vertex(simd, self.palette, influences, block, blended);
                }
            }
            None => {
                for (lanes, number) in blended.iter_mut().zip(&self.palette[0].0) {
                    lanes.0 = [*number; LANES];
                }
            }
        }
    }

    /// Normals that do not follow from rows of the blended matrix, and the handedness of the tangents.
    #[inline(always)]
    fn finish<S: Simd>(&self, simd: S, blended: &Gathered, mut source: Source<'_>, target: &mut BlockOf<'_>) {
        for lane in steps::<S>() {
            source.place.first = lane;
            let mut own = match (source.normal(simd), self.normals, self.influences) {
                (Some(normal), NormalMode::PerJoint, Some(influences)) => {
                    Some(per_joint_normal(simd, self.normal_matrices, influences, source, normal))
                }
                (None, ..) => Some([S::f32s::splat(simd, 0.0); 3]),
                _ => None,
            };
            if self.normals == NormalMode::InverseTranspose || source.has_tangent() {
                let (cofactors, sign) = cofactor::<S>(&matrix_of(simd, blended, lane));
                if let (NormalMode::InverseTranspose, Some(normal)) = (self.normals, source.normal(simd)) {
                    own = Some(scale::<S>(transform::<S>(&cofactors, normal), sign));
                }
                if let (Some([.., plane]), Some((_, handedness))) = (&mut target.tangent, source.tangent(simd)) {
                    plane.store::<S>(lane, handedness * sign);
                }
            }
            if let (Some(planes), Some(normal)) = (&mut target.normal, own) {
                store::<S>(planes, lane, normal);
            }
        }
    }

    /// Where the matrices have been blended and put down.
    #[inline(always)]
    fn transform<S: Simd>(&self, simd: S, blended: &Gathered, source: Source<'_>) -> Deformed<S> {
        let matrix = matrix_of(simd, blended, source.place.first);
        let translation = translation_of(simd, blended, source.place.first);
        let position = transform::<S>(&matrix, source.position(simd));
        let mut deformed = Deformed::at(add::<S>(position, translation));
        // The cofactors cost a third of the whole, so they are left out where nothing asks for them.
        let mut sign = S::f32s::splat(simd, 1.0);
        let mut normal_matrix = matrix;
        if self.normals == NormalMode::InverseTranspose || source.has_tangent() {
            let (cofactors, determinant_sign) = cofactor::<S>(&matrix);
            sign = determinant_sign;
            if self.normals == NormalMode::InverseTranspose {
                normal_matrix = cofactors;
            }
        }
        if let Some(normal) = source.normal(simd) {
            deformed.normal = match (self.normals, self.influences) {
                (NormalMode::InverseTranspose, _) => scale::<S>(transform::<S>(&normal_matrix, normal), sign),
                (NormalMode::PerJoint, Some(influences)) => {
                    per_joint_normal(simd, self.normal_matrices, influences, source, normal)
                }
                (NormalMode::PerJoint | NormalMode::RotationOnly, _) => transform::<S>(&normal_matrix, normal),
            };
        }
        if let Some((tangent, handedness)) = source.tangent(simd) {
            deformed.tangent = transform::<S>(&matrix, tangent);
            deformed.handedness = handedness * sign;
        }
        deformed
    }
}

/// `(w₀·N₀n + w₁·N₁n) + …` with the inverse transposes N of the joints.
#[inline(always)]
pub(super) fn per_joint_normal<S: Simd>(
    simd: S,
    normal_matrices: &[Lanes],
    influences: &InfluenceBlocks,
    source: Source<'_>,
    normal: Vector<S>,
) -> Vector<S> {
    let mut gathered: Gathered = [Lanes::ZERO; LANES];
    let zero = S::f32s::splat(simd, 0.0);
    let mut sum = [zero, zero, zero];
    for rank in 0..influences.ranks(source.place.block) {
        let weight = influences.gather(simd, normal_matrices, source.place, rank, &mut gathered);
        let matrix: Matrix<S> = matrix_of(simd, &gathered, source.place.first);
        sum = add::<S>(sum, scale::<S>(transform::<S>(&matrix, normal), weight));
    }
    sum
}
