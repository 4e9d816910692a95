//! Linear blend skinning: the matrices are blended, then each vertex is transformed once.
//!
//! v' = (Σ wᵢ Mᵢ) · v, the form that *GPU Gems* chapter 4 calls accumulated matrix skinning.

use fearless_simd::Simd;

use super::blend::blend_block;
use super::deformation::{Deformed, Kernel, NormalMode, Source};
use super::lanes::{LANES, Lanes};
use super::prepared::InfluenceBlocks;
use super::vectors::{Matrix, Vector, add, cofactor, normalize, orthonormalize, scale, transform};

/// Blends matrices.
pub(super) struct Linear<'a> {
    /// The rows of matrices, one a joint.
    pub(super) palette: &'a [Lanes],
    /// Where `None`, the palette's only matrix places every vertex.
    pub(super) influences: Option<&'a InfluenceBlocks>,
    pub(super) normals: NormalMode,
}

impl Kernel for Linear<'_> {
    #[inline(always)]
    fn blend<S: Simd>(&self, simd: S, block: usize, blended: &mut [Lanes; LANES]) {
        match self.influences {
            Some(influences) => blend_block(simd, self.palette, influences, block, 3, blended),
            None => {
                for (lanes, number) in blended.iter_mut().zip(&self.palette[0].0) {
                    lanes.0 = [*number; LANES];
                }
            }
        }
    }

    #[inline(always)]
    fn transform<S: Simd>(&self, simd: S, blended: &[Lanes; LANES], source: Source<'_>) -> Deformed<S> {
        let first = source.first;
        let matrix: Matrix<S> =
            [column(simd, blended, 0, first), column(simd, blended, 1, first), column(simd, blended, 2, first)];
        let position = transform::<S>(&matrix, source.position(simd));
        let mut deformed = Deformed::at(add::<S>(position, column(simd, blended, 3, first)));
        if !source.has_directions() {
            return deformed;
        }
        let (cofactor, sign) = cofactor::<S>(&matrix);
        if let Some(normal) = source.normal(simd) {
            let normal = match self.normals {
                NormalMode::InverseTranspose => scale::<S>(transform::<S>(&cofactor, normal), sign),
                NormalMode::RotationOnly => transform::<S>(&matrix, normal),
            };
            deformed.normal = normalize::<S>(normal);
        }
        if let Some((tangent, handedness)) = source.tangent(simd) {
            let tangent = transform::<S>(&matrix, tangent);
            deformed.tangent = match source.layout.normal {
                Some(_) => orthonormalize::<S>(tangent, deformed.normal),
                None => normalize::<S>(tangent),
            };
            deformed.handedness = handedness * sign;
        }
        deformed
    }
}

/// A column of the blended matrices, whose rows of four numbers follow each other.
#[inline(always)]
fn column<S: Simd>(simd: S, blended: &[Lanes; LANES], column: usize, first: usize) -> Vector<S> {
    [blended[column].load(simd, first), blended[4 + column].load(simd, first), blended[8 + column].load(simd, first)]
}
