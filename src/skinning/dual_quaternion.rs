//! Dual quaternion skinning in two phases.
//!
//! First what joints do besides turning and moving, their stretches, is blended linearly and applied to the rest
//! vertex; then the unit dual quaternions of their rigid motions are blended on one hemisphere, normalised, and
//! applied (Kavan, Collins, Žára, O'Sullivan, *Geometric Skinning with Approximate Dual Quaternion Blending*, 2008,
//! sections 4 and 5.1). Joints without stretch make the first phase the identity.

use fearless_simd::{Simd, prelude::*};
use glam::Mat4;

use super::{
    blend::TILE_BLOCKS,
    deformation::{Deformed, Kernel, Source, Tile, by_blocks},
    deformed::Blocks,
    gather::Gathered,
    lanes::{LANES, Lanes},
    method::NormalMode,
    prepared::InfluenceBlocks,
    rigid_motion::RigidMotion,
    vectors::{Matrix, Vector, add, cofactor, cross, scale, transform},
};

/// Blends dual quaternions.
pub(super) struct DualQuaternion<'a> {
    /// What [`joint_numbers`] makes, one a joint.
    pub(super) joints: &'a [Lanes],
    pub(super) influences: &'a InfluenceBlocks,
    pub(super) normals: NormalMode,
}

/// Rotation x y z w, dual part x y z w, stretch xx xy xz yy yz zz, of a joint's matrix; `None` where the matrix mirrors
/// or flattens.
pub(super) fn joint_numbers(matrix: &Mat4) -> Option<Lanes> {
    let RigidMotion { rotation, dual, stretch } = RigidMotion::of(matrix)?;
    let [x, y, z] = stretch.to_cols_array_2d();
    let stretch = [x[0], x[1], x[2], y[1], y[2], z[2]];
    let mut lanes = Lanes::ZERO;
    let numbers = rotation.to_array().into_iter().chain(dual.to_array()).chain(stretch);
    for (lane, number) in lanes.0.iter_mut().zip(numbers) {
        *lane = number as f32;
    }
    Some(lanes)
}

/// A quaternion: its vector part and its scalar part.
type Quaternion<S> = (Vector<S>, <S as Simd>::f32s);

impl Kernel for DualQuaternion<'_> {
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

impl DualQuaternion<'_> {
    #[inline(always)]
    fn transform<S: Simd>(&self, simd: S, source: Source<'_>) -> Deformed<S> {
        let (real, dual, stretch) = self.blended(simd, source);
        let stretched = transform::<S>(&stretch, source.position(simd));
        let turned = rotate::<S>(real, stretched);
        let mut deformed = Deformed::at(add::<S>(turned, translation::<S>(real, dual)));
        if let Some(normal) = source.normal(simd) {
            // A blend of stretches is symmetric and positive definite, so its cofactors keep the outside out. For
            // the rigid part the three normal modes are one.
            let normal = match self.normals {
                NormalMode::RotationOnly => normal,
                NormalMode::InverseTranspose | NormalMode::PerJoint => {
                    transform::<S>(&cofactor::<S>(&stretch).0, normal)
                }
            };
            deformed.normal = rotate::<S>(real, normal);
        }
        if let Some((tangent, handedness)) = source.tangent(simd) {
            deformed.tangent = rotate::<S>(real, transform::<S>(&stretch, tangent));
            deformed.handedness = handedness;
        }
        deformed
    }

    /// Σ wᵢ·sᵢ·(rᵢ, dᵢ) over the length of its real part, with sᵢ = −1 where rᵢ·r₀ is negative; and Σ wᵢSᵢ.
    ///
    /// q and −q are the same rotation, but their blend is not: every joint is brought to the hemisphere of the
    /// vertex's first one. Both parts are divided by the real part's length.
    #[inline(always)]
    fn blended<S: Simd>(&self, simd: S, source: Source<'_>) -> (Quaternion<S>, Quaternion<S>, Matrix<S>) {
        let first = source.place.first;
        let zero = S::f32s::splat(simd, 0.0);
        let mut gathered: Gathered = [Lanes::ZERO; LANES];
        let mut sums = [zero; 14];
        let mut pivot = [zero; 4];
        for rank in 0..self.influences.ranks(source.place.block) {
            let weight = self.influences.gather(simd, self.joints, source.place, rank, &mut gathered);
            if rank == 0 {
                for i in 0..4 {
                    pivot[i] = gathered[i].load(simd, first);
                }
            }
            let [x, y, z, w] = pivot;
            let side = gathered[0].load(simd, first) * x
                + gathered[1].load(simd, first) * y
                + gathered[2].load(simd, first) * z
                + gathered[3].load(simd, first) * w;
            let signed = side.simd_lt(0.0).select(-weight, weight);
            for i in 0..14 {
                let factor = if i < 8 { signed } else { weight };
                sums[i] += gathered[i].load(simd, first) * factor;
            }
        }
        let [rx, ry, rz, rw, dx, dy, dz, dw, sxx, sxy, sxz, syy, syz, szz] = sums;
        let length = (rx * rx + ry * ry + rz * rz + rw * rw).sqrt();
        let inverse = S::f32s::splat(simd, 1.0) / length;
        (
            (scale::<S>([rx, ry, rz], inverse), rw * inverse),
            (scale::<S>([dx, dy, dz], inverse), dw * inverse),
            [[sxx, sxy, sxz], [sxy, syy, syz], [sxz, syz, szz]],
        )
    }
}

/// `v + 2·(r × (r × v + w·v))` for a unit quaternion (r, w).
#[inline(always)]
fn rotate<S: Simd>((r, w): Quaternion<S>, v: Vector<S>) -> Vector<S> {
    let inner = add::<S>(cross::<S>(r, v), scale::<S>(v, w));
    let outer = cross::<S>(r, inner);
    add::<S>(v, add::<S>(outer, outer))
}

/// `2·(w·d − u·r + r × d)` for the real part (r, w) and the dual part (d, u).
#[inline(always)]
fn translation<S: Simd>((r, w): Quaternion<S>, (d, u): Quaternion<S>) -> Vector<S> {
    let along = scale::<S>(r, u);
    let turned = add::<S>(scale::<S>(d, w), cross::<S>(r, d));
    let half = [turned[0] - along[0], turned[1] - along[1], turned[2] - along[2]];
    add::<S>(half, half)
}
