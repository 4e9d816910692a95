//! Linear blend skinning: the matrices are blended, then each vertex is transformed once.
//!
//! v' = (Σ wᵢ Mᵢ) · v, the form that *GPU Gems* chapter 4 calls accumulated matrix skinning.

use fearless_simd::{Simd, prelude::*};

use super::{
    blend::{blend_by_joint, blend_by_vertex},
    deformation::{Deformed, Kernel, Source},
    gather::{Gathered, matrix_of, translation_of},
    lanes::{LANES, Lanes},
    method::NormalMode,
    prepared::InfluenceBlocks,
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
    fn blend<S: Simd>(&self, simd: S, block: usize, blended: &mut Gathered) {
        match self.influences {
            Some(influences) if influences.columns.ranges[block].is_empty() => {
                blend_by_vertex(simd, self.palette, influences, block, blended);
            }
            Some(influences) => blend_by_joint(simd, self.palette, &influences.columns, block, blended),
            None => {
                for (lanes, number) in blended.iter_mut().zip(&self.palette[0].0) {
                    lanes.0 = [*number; LANES];
                }
            }
        }
    }

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
