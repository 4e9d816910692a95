//! [`Lanes`], the unit of storage of this room, and the planes that are made of it.
//!
//! Why it exists: every kernel here takes sixteen vertices at a time, whatever the SIMD level, so that no level has a
//! remainder of its own to get wrong. Sixteen f32 are one cache line and one AVX-512 register.

use bytemuck::{Pod, Zeroable};
use fearless_simd::{Simd, SimdBase, f32x4, f32x16};

/// Vertices a block.
pub const LANES: usize = 16;

/// Vertices a group: the kernels blend matrices for four vertices at a time, four groups a block.
pub(super) const GROUP: usize = 4;

/// One number of each of sixteen vertices, on a cache line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// Sixteen zeros.
    pub const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> f32x16<S> {
        f32x16::load_array_ref(simd, &self.0)
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, value: f32x16<S>) {
        value.store_array(&mut self.0);
    }

    /// The four lanes of a group, four times over.
    #[inline(always)]
    pub(super) fn load_group<S: Simd>(&self, simd: S, group: usize) -> f32x16<S> {
        f32x16::block_splat(f32x4::from_slice(simd, &self.0[GROUP * group..GROUP * (group + 1)]))
    }
}

/// The number of blocks that `vertices` vertices fill, the last one perhaps in part.
pub(super) const fn blocks_for(vertices: usize) -> usize {
    vertices.div_ceil(LANES)
}

/// One number of every vertex, padded to whole blocks.
pub(super) type Plane = Vec<Lanes>;

/// The plane as plain numbers, padding included.
pub(super) fn numbers(plane: &[Lanes]) -> &[f32] {
    bytemuck::cast_slice(plane)
}

/// As [`numbers`], to be written.
pub(super) fn numbers_mut(plane: &mut [Lanes]) -> &mut [f32] {
    bytemuck::cast_slice_mut(plane)
}
