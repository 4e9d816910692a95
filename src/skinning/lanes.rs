//! [`Lanes`], the unit of storage of this room, and the planes that are made of it.
//!
//! Why it exists: sixteen f32 are one cache line and one register of the widest SIMD level. Everything is padded to
//! sixteen vertices, so that every level goes through it in whole steps of its own width, and none has a remainder
//! to get wrong.

use bytemuck::{Pod, Zeroable};
use fearless_simd::{Simd, SimdBase};

/// Vertices a block.
pub const LANES: usize = 16;

/// Vertices a group: influences are blended for four vertices at a time, four groups a block.
pub(super) const GROUP: usize = 4;

/// One number of each of sixteen vertices, on a cache line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

impl Lanes {
    /// Sixteen zeros.
    pub(super) const ZERO: Self = Self([0.0; LANES]);

    /// The lanes from `first` on, as many as the SIMD level takes at once.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, first: usize) -> S::f32s {
        S::f32s::from_slice(simd, &self.0[first..first + S::f32s::LEN])
    }

    /// As [`load`](Self::load), the other way.
    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, first: usize, value: S::f32s) {
        value.store_slice(&mut self.0[first..first + S::f32s::LEN]);
    }
}

/// The first lanes of the steps in which a SIMD level goes through a block.
///
/// The mask changes nothing; it tells the compiler that a step never leaves the block.
#[inline(always)]
pub(super) fn steps<S: Simd>() -> impl Iterator<Item = usize> {
    (0..LANES).step_by(S::f32s::LEN).map(|lane| lane & (LANES - S::f32s::LEN))
}

/// The [`steps`] two by two; the only one twice where a step is the whole block.
#[inline(always)]
pub(super) fn step_pairs<S: Simd>() -> impl Iterator<Item = [usize; 2]> {
    let last = LANES - S::f32s::LEN;
    (0..LANES).step_by(2 * S::f32s::LEN).map(move |lane| [lane & last, (lane + S::f32s::LEN) & last])
}

/// The number of blocks that `vertices` vertices fill, the last one perhaps in part.
pub(super) const fn blocks_for(vertices: usize) -> usize {
    vertices.div_ceil(LANES)
}

/// One number of every vertex, padded to whole blocks, as plain numbers, padding included.
pub(super) fn numbers(plane: &[Lanes]) -> &[f32] {
    bytemuck::cast_slice(plane)
}

/// As [`numbers`], to be written.
pub(super) fn numbers_mut(plane: &mut [Lanes]) -> &mut [f32] {
    bytemuck::cast_slice_mut(plane)
}
