//! Linear blend skinning: the matrices are blended, then each vertex is transformed once.
//!
//! v' = (Σ wᵢ Mᵢ) · v, the form that *GPU Gems* chapter 4 calls accumulated matrix skinning. A joint's matrix is one
//! cache line and one vector of sixteen, so the blend reads nothing that it does not need; the blended matrices of
//! four vertices are then transposed, so that each lane holds a number of a vertex of its own.

use fearless_simd::{Simd, f32x16, prelude::*};

use super::deformation::{DeformedBlock, Kernel, NormalMode, Source};
use super::lanes::{GROUP, LANES, Lanes};
use super::prepared::InfluenceBlocks;
use super::vectors::{Matrix, Vector, inverse_transpose, normalize, orthonormalize, rotation_only, transform};

/// Blends matrices.
pub(super) struct Linear<'a> {
    /// Column-major matrices, one a joint.
    pub(super) palette: &'a [Lanes],
    /// Where `None`, the palette's only matrix places every vertex.
    pub(super) influences: Option<&'a InfluenceBlocks>,
    pub(super) normals: NormalMode,
}

/// The columns of four vertices' matrices: column c is (row 0 of the four, row 1 of the four, row 2, row 3).
type Columns<S> = [f32x16<S>; 4];

impl Kernel for Linear<'_> {
    #[inline(always)]
    fn deform<S: Simd>(&self, simd: S, block: usize, source: Source<'_>) -> DeformedBlock<S> {
        let columns = match self.influences {
            None => {
                let matrix = self.palette[0].load(simd);
                [transpose([matrix, matrix, matrix, matrix]); GROUP]
            }
            Some(influences) => {
                let span = influences.spans[block];
                let (start, count) = (span.start as usize, LANES * span.per_vertex as usize);
                let joints = influences.joints[start..start + count].as_chunks::<GROUP>().0;
                let weights = influences.weights[start..start + count].as_chunks::<GROUP>().0;
                let size = span.per_vertex as usize;
                [
                    blend(simd, self.palette, &joints[..size], &weights[..size]),
                    blend(simd, self.palette, &joints[size..2 * size], &weights[size..2 * size]),
                    blend(simd, self.palette, &joints[2 * size..3 * size], &weights[2 * size..3 * size]),
                    blend(simd, self.palette, &joints[3 * size..], &weights[3 * size..]),
                ]
            }
        };
        let position = regroup([
            place(simd, &columns[0], source.position(), 0),
            place(simd, &columns[1], source.position(), 1),
            place(simd, &columns[2], source.position(), 2),
            place(simd, &columns[3], source.position(), 3),
        ]);
        let mut deformed = DeformedBlock::at(position);
        if !source.has_directions() {
            return deformed;
        }
        let matrix: Matrix<S> = [
            regroup([columns[0][0], columns[1][0], columns[2][0], columns[3][0]]),
            regroup([columns[0][1], columns[1][1], columns[2][1], columns[3][1]]),
            regroup([columns[0][2], columns[1][2], columns[2][2], columns[3][2]]),
        ];
        let directions = match self.normals {
            NormalMode::InverseTranspose => inverse_transpose(&matrix),
            NormalMode::RotationOnly => rotation_only(&matrix),
        };
        let sign = directions.sign;
        if let Some(normal) = source.normal(simd) {
            let [x, y, z] = transform(&directions.normal, normal);
            deformed.normal = normalize([x * sign, y * sign, z * sign]);
        }
        if let Some([x, y, z, w]) = source.tangent(simd) {
            let tangent = transform(&matrix, [x, y, z]);
            let [x, y, z] = match source.layout.normal {
                Some(_) => orthonormalize(tangent, deformed.normal),
                None => normalize(tangent),
            };
            deformed.tangent = [x, y, z, w * sign];
        }
        deformed
    }
}

/// `((w₀·M₀ + w₁·M₁) + w₂·M₂) + …` for four vertices.
#[inline(always)]
fn blend<S: Simd>(simd: S, palette: &[Lanes], joints: &[[u16; GROUP]], weights: &[[f32; GROUP]]) -> Columns<S> {
    let first = |lane: usize| palette[usize::from(joints[0][lane])].load(simd) * weights[0][lane];
    let mut sums = [first(0), first(1), first(2), first(3)];
    for k in 1..joints.len() {
        let (joints, weights) = (joints[k], weights[k]);
        sums[0] += palette[usize::from(joints[0])].load(simd) * weights[0];
        sums[1] += palette[usize::from(joints[1])].load(simd) * weights[1];
        sums[2] += palette[usize::from(joints[2])].load(simd) * weights[2];
        sums[3] += palette[usize::from(joints[3])].load(simd) * weights[3];
    }
    transpose(sums)
}

/// The matrices of four vertices → their columns.
#[inline(always)]
fn transpose<S: Simd>(matrices: [f32x16<S>; GROUP]) -> Columns<S> {
    let [a, b, c, d] = matrices;
    let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
    let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
    [ac_low.zip_low(bd_low), ac_low.zip_high(bd_low), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// (x of four, y of four, z of four, unused) of four groups → x, y and z of sixteen.
#[inline(always)]
fn regroup<S: Simd>(groups: [f32x16<S>; GROUP]) -> Vector<S> {
    let [(axy, az), (bxy, bz), (cxy, cz), (dxy, dz)] =
        [groups[0].split(), groups[1].split(), groups[2].split(), groups[3].split()];
    let [(ax, ay), (bx, by), (cx, cy), (dx, dy)] = [axy.split(), bxy.split(), cxy.split(), dxy.split()];
    let [(az, _), (bz, _), (cz, _), (dz, _)] = [az.split(), bz.split(), cz.split(), dz.split()];
    [
        ax.combine(bx).combine(cx.combine(dx)),
        ay.combine(by).combine(cy.combine(dy)),
        az.combine(bz).combine(cz.combine(dz)),
    ]
}

/// `((column₀·x + column₁·y) + column₂·z) + column₃` for the four vertices of a group.
#[inline(always)]
fn place<S: Simd>(simd: S, columns: &Columns<S>, position: &[Lanes; 3], group: usize) -> f32x16<S> {
    let [x, y, z] =
        [position[0].load_group(simd, group), position[1].load_group(simd, group), position[2].load_group(simd, group)];
    columns[0] * x + columns[1] * y + columns[2] * z + columns[3]
}
