//! The methods that transform a vertex by each of its joints and blend the results, and [`Rigid`](SkinningMethod).
//!
//! Their sums are (w₀·v₀ + w₁·v₁) + …, in the order of the influences, starting from 0.

use fearless_simd::{Simd, prelude::*};

use super::{
    blend::TILE_BLOCKS,
    deformation::{Deformed, Kernel, Source, Tile, by_blocks},
    deformed::Blocks,
    gather::{Gathered, matrix_of, translation_of},
    lanes::{LANES, Lanes},
    linear::per_joint_normal,
    method::{NormalMode, SkinningMethod},
    palette::Palette,
    prepared::InfluenceBlocks,
    vectors::{Matrix, Vector, add, cofactor, scale, transform},
};

/// Transforms by each joint.
pub(super) struct PerJoint<'a> {
    pub(super) method: SkinningMethod,
    pub(super) palette: &'a Palette,
    pub(super) influences: &'a InfluenceBlocks,
    pub(super) normals: NormalMode,
    /// The rows of each joint's inverse transpose, for [`NormalMode::PerJoint`].
    pub(super) normal_matrices: &'a [Lanes],
}

/// A position with its directions, in whatever space.
#[derive(Clone, Copy)]
struct Vertex<S: Simd> {
    position: Vector<S>,
    normal: Vector<S>,
    tangent: Vector<S>,
}

impl<S: Simd> Vertex<S> {
    #[inline(always)]
    fn zero(simd: S) -> Self {
        let zero = S::f32s::splat(simd, 0.0);
        let vector = [zero, zero, zero];
        Self { position: vector, normal: vector, tangent: vector }
    }

    /// As the file has it; what it lacks is 0.
    #[inline(always)]
    fn of(simd: S, source: Source<'_>) -> Self {
        let mut vertex = Self { position: source.position(simd), ..Self::zero(simd) };
        if let Some(normal) = source.normal(simd) {
            vertex.normal = normal;
        }
        if let Some((tangent, _)) = source.tangent(simd) {
            vertex.tangent = tangent;
        }
        vertex
    }

    /// The position by the matrix, the directions by its 3×3 block.
    #[inline(always)]
    fn transformed(self, matrix: &Matrix<S>, translation: Vector<S>) -> Self {
        Self {
            position: add::<S>(transform::<S>(matrix, self.position), translation),
            normal: transform::<S>(matrix, self.normal),
            tangent: transform::<S>(matrix, self.tangent),
        }
    }

    #[inline(always)]
    fn plus_scaled(self, other: Self, weight: S::f32s) -> Self {
        Self {
            position: add::<S>(self.position, scale::<S>(other.position, weight)),
            normal: add::<S>(self.normal, scale::<S>(other.normal, weight)),
            tangent: add::<S>(self.tangent, scale::<S>(other.tangent, weight)),
        }
    }
}

impl Kernel for PerJoint<'_> {
    #[inline(always)]
    fn deform<S: Simd>(&self, simd: S, tile: &Tile<'_>, _: &mut [Gathered; TILE_BLOCKS], output: &mut Blocks<'_>) {
        by_blocks::<S>(
            tile,
            output,
            #[inline(always)]
            |source| self.transform(simd, source),
        );
    }
}

impl PerJoint<'_> {
    #[inline(always)]
    fn transform<S: Simd>(&self, simd: S, source: Source<'_>) -> Deformed<S> {
        let place = source.place;
        let rest = Vertex::of(simd, source);
        let mut gathered: Gathered = [Lanes::ZERO; LANES];
        let mut sum = Vertex::zero(simd);
        // The blend of what counts for the inverse transpose and for the sign of the determinant.
        let mut blended: Matrix<S> = [sum.position; 3];
        if self.method == SkinningMethod::Rigid {
            self.influences.gather_heaviest(simd, &self.palette.matrices, place, &mut gathered);
            blended = matrix_of(simd, &gathered, place.first);
            sum = rest.transformed(&blended, translation_of(simd, &gathered, place.first));
        } else {
            for rank in 0..self.influences.ranks(place.block) {
                let matrices = &self.palette.matrices;
                let weight = self.influences.gather(simd, matrices, place, rank, &mut gathered);
                let mut matrix = matrix_of(simd, &gathered, place.first);
                blended = add_scaled::<S>(blended, &matrix, weight);
                let mut translation = translation_of(simd, &gathered, place.first);
                let mut local = rest;
                if matches!(self.method, SkinningMethod::VertexOffset | SkinningMethod::WeightsBeforeBind) {
                    self.influences.gather(simd, &self.palette.inverse_binds, place, rank, &mut gathered);
                    let bind = matrix_of(simd, &gathered, place.first);
                    local = rest.transformed(&bind, translation_of(simd, &gathered, place.first));
                }
                if self.method == SkinningMethod::WeightsBeforeBind {
                    sum = sum.plus_scaled(local, weight);
                    continue;
                }
                if self.method == SkinningMethod::VertexOffset {
                    self.influences.gather(simd, &self.palette.worlds, place, rank, &mut gathered);
                    matrix = matrix_of(simd, &gathered, place.first);
                    translation = translation_of(simd, &gathered, place.first);
                }
                sum = sum.plus_scaled(local.transformed(&matrix, translation), weight);
            }
            if self.method == SkinningMethod::WeightsBeforeBind {
                let (matrix, translation) = self.blended_world(simd, source);
                sum = sum.transformed(&matrix, translation);
            }
        }
        let (cofactors, sign) = cofactor::<S>(&blended);
        let mut deformed = Deformed::at(sum.position);
        if source.has_normal() {
            deformed.normal = match self.method.normal_mode(self.normals) {
                NormalMode::RotationOnly => sum.normal,
                NormalMode::InverseTranspose => scale::<S>(transform::<S>(&cofactors, rest.normal), sign),
                NormalMode::PerJoint => {
                    per_joint_normal(simd, self.normal_matrices, self.influences, source, rest.normal)
                }
            };
        }
        if let Some((_, handedness)) = source.tangent(simd) {
            deformed.tangent = sum.tangent;
            deformed.handedness = handedness * sign;
        }
        deformed
    }
}

impl PerJoint<'_> {
    /// `(w₀·W₀ + w₁·W₁) + …`
    #[inline(always)]
    fn blended_world<S: Simd>(&self, simd: S, source: Source<'_>) -> (Matrix<S>, Vector<S>) {
        let mut gathered: Gathered = [Lanes::ZERO; LANES];
        let zero = S::f32s::splat(simd, 0.0);
        let mut translation = [zero, zero, zero];
        let mut matrix = [translation; 3];
        for rank in 0..self.influences.ranks(source.place.block) {
            let weight = self.influences.gather(simd, &self.palette.worlds, source.place, rank, &mut gathered);
            matrix = add_scaled::<S>(matrix, &matrix_of(simd, &gathered, source.place.first), weight);
            let moved = translation_of(simd, &gathered, source.place.first);
            translation = add::<S>(translation, scale::<S>(moved, weight));
        }
        (matrix, translation)
    }
}

#[inline(always)]
fn add_scaled<S: Simd>(sum: Matrix<S>, matrix: &Matrix<S>, weight: S::f32s) -> Matrix<S> {
    [
        add::<S>(sum[0], scale::<S>(matrix[0], weight)),
        add::<S>(sum[1], scale::<S>(matrix[1], weight)),
        add::<S>(sum[2], scale::<S>(matrix[2], weight)),
    ]
}
