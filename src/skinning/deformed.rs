//! [`DeformedVertices`]: what skinning hands to the vertex stage.

use std::ops::Range;

use super::{
    blend::TILE_BLOCKS,
    lanes::{Lanes, blocks_for, numbers, numbers_mut},
};

/// Deformed vertices of one primitive, in world space, a plane for each component.
///
/// The planes are as long as the vertices rounded up to a multiple of [`LANES`](super::LANES); what stands past
/// [`len`](Self::len) means nothing. The buffers are kept from frame to frame, so that only growth allocates.
#[derive(Clone, Debug, Default)]
pub struct DeformedVertices {
    count: usize,
    /// All planes, [`stride`] blocks apart: of the positions, then of the normals, then of the tangents.
    planes: Vec<Lanes>,
    has_normals: bool,
    has_tangents: bool,
    mirrored: bool,
    /// What a method makes of each joint, kept here so that the next frame allocates nothing.
    derived: Vec<Lanes>,
}

/// Blocks from the beginning of a plane to the beginning of the next.
///
/// Why not the length of a plane: ten planes are written side by side. A multiple of 4096 bytes apart, as buffers of their own
/// and planes of 2^n vertices are, their lines would all fall into the same eight places of the first cache and throw each other
/// out. Long planes are therefore moved against each other by as much as is worked on at a time.
fn stride(blocks: usize) -> usize {
    /// Lines of the cache that fall into different places: 4096 bytes.
    const PLACES: usize = 64;
    /// A tile and one.
    const SHIFT: usize = TILE_BLOCKS + 1;
    if blocks < 4 * PLACES { blocks } else { (blocks - SHIFT).next_multiple_of(PLACES) + SHIFT }
}

impl DeformedVertices {
    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// x, y and z of the positions.
    #[must_use]
    pub fn positions(&self) -> [&[f32]; 3] {
        [self.plane(0), self.plane(1), self.plane(2)]
    }

    /// x, y and z of the normals, of unit length; `None` where the primitive has none.
    ///
    /// A normal that has no direction (of a joint that is scaled to nothing, say) is zero.
    #[must_use]
    pub fn normals(&self) -> Option<[&[f32]; 3]> {
        self.has_normals.then(|| [self.plane(3), self.plane(4), self.plane(5)])
    }

    /// x, y, z, orthogonal to the normal and of unit length, and w, the handedness: the bitangent is
    /// cross(normal, tangent) · w. `None` where the primitive has none.
    #[must_use]
    pub fn tangents(&self) -> Option<[&[f32]; 4]> {
        let first = if self.has_normals { 6 } else { 3 };
        self.has_tangents
            .then(|| [self.plane(first), self.plane(first + 1), self.plane(first + 2), self.plane(first + 3)])
    }

    fn plane(&self, number: usize) -> &[f32] {
        let blocks = blocks_for(self.count);
        numbers(&self.planes[number * stride(blocks)..][..blocks])
    }

    /// Whether the surface is seen in a mirror: its front faces are then those that run clockwise.
    #[must_use]
    pub fn mirrored(&self) -> bool {
        self.mirrored
    }

    /// The position of a vertex.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: usize) -> [f32; 3] {
        assert!(vertex < self.count, "vertex {vertex} of {}", self.count);
        self.positions().map(|plane| plane[vertex])
    }

    /// The normal of a vertex.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    #[must_use]
    pub fn normal(&self, vertex: usize) -> Option<[f32; 3]> {
        assert!(vertex < self.count, "vertex {vertex} of {}", self.count);
        self.normals().map(|planes| planes.map(|plane| plane[vertex]))
    }

    /// The tangent of a vertex.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    #[must_use]
    pub fn tangent(&self, vertex: usize) -> Option<[f32; 4]> {
        assert!(vertex < self.count, "vertex {vertex} of {}", self.count);
        self.tangents().map(|planes| planes.map(|plane| plane[vertex]))
    }

    /// Makes room; what was there is not kept in any order.
    pub(super) fn resize(&mut self, count: usize, normals: bool, tangents: bool) {
        (self.count, self.has_normals, self.has_tangents) = (count, normals, tangents);
        let planes = 3 + if normals { 3 } else { 0 } + if tangents { 4 } else { 0 };
        self.planes.resize(planes * stride(blocks_for(count)), Lanes::ZERO);
    }

    pub(super) fn take_derived(&mut self) -> Vec<Lanes> {
        std::mem::take(&mut self.derived)
    }

    pub(super) fn keep_derived(&mut self, derived: Vec<Lanes>) {
        self.derived = derived;
    }

    pub(super) fn set_mirrored(&mut self, mirrored: bool) {
        self.mirrored = mirrored;
    }

    /// All blocks, to be written.
    pub(super) fn blocks(&mut self) -> Blocks<'_> {
        let blocks = blocks_for(self.count);
        let mut planes = self.planes.chunks_mut(stride(blocks).max(1)).map(|plane| &mut plane[..blocks]);
        Blocks {
            positions: take(&mut planes),
            normals: self.has_normals.then(|| take(&mut planes)),
            tangents: self.has_tangents.then(|| take(&mut planes)),
        }
    }

    /// Positions to be read, normals and tangents to be written, vertex by vertex.
    pub(super) fn frames(&mut self) -> Frames<'_> {
        let Blocks { positions, normals, tangents } = self.blocks();
        Frames {
            positions: positions.map(|plane| numbers(plane)),
            normals: normals.map(|planes| planes.map(numbers_mut)),
            tangents: tangents.map(|planes| planes.map(numbers_mut)),
        }
    }
}

/// The next `N` planes; empty ones where there are no vertices.
fn take<'a, const N: usize>(planes: &mut impl Iterator<Item = &'a mut [Lanes]>) -> [&'a mut [Lanes]; N] {
    std::array::from_fn(|_| planes.next().unwrap_or_default())
}

/// A range of blocks that one worker writes.
pub(super) struct Blocks<'a> {
    pub(super) positions: [&'a mut [Lanes]; 3],
    pub(super) normals: Option<[&'a mut [Lanes]; 3]>,
    pub(super) tangents: Option<[&'a mut [Lanes]; 4]>,
}

/// One block, to be written.
pub(super) struct BlockOf<'a> {
    pub(super) position: [&'a mut Lanes; 3],
    pub(super) normal: Option<[&'a mut Lanes; 3]>,
    pub(super) tangent: Option<[&'a mut Lanes; 4]>,
}

impl Blocks<'_> {
    #[inline(always)]
    pub(super) fn block(&mut self, block: usize) -> BlockOf<'_> {
        let [x, y, z] = &mut self.positions;
        BlockOf {
            position: [&mut x[block], &mut y[block], &mut z[block]],
            normal: match &mut self.normals {
                Some([x, y, z]) => Some([&mut x[block], &mut y[block], &mut z[block]]),
                None => None,
            },
            tangent: match &mut self.tangents {
                Some([x, y, z, w]) => Some([&mut x[block], &mut y[block], &mut z[block], &mut w[block]]),
                None => None,
            },
        }
    }

    /// Some of the blocks.
    #[inline(always)]
    pub(super) fn range(&mut self, blocks: Range<usize>) -> Blocks<'_> {
        let [x, y, z] = &mut self.positions;
        Blocks {
            positions: [&mut x[blocks.clone()], &mut y[blocks.clone()], &mut z[blocks.clone()]],
            normals: match &mut self.normals {
                Some([x, y, z]) => Some([&mut x[blocks.clone()], &mut y[blocks.clone()], &mut z[blocks.clone()]]),
                None => None,
            },
            tangents: match &mut self.tangents {
                Some([x, y, z, w]) => Some([
                    &mut x[blocks.clone()],
                    &mut y[blocks.clone()],
                    &mut z[blocks.clone()],
                    &mut w[blocks.clone()],
                ]),
                None => None,
            },
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.positions[0].len()
    }

    /// The first `at` blocks, and the others.
    pub(super) fn split_at(self, at: usize) -> (Self, Self) {
        let (positions, rest_positions) = split_planes(self.positions, at);
        let (normals, rest_normals) = self.normals.map(|planes| split_planes(planes, at)).unzip();
        let (tangents, rest_tangents) = self.tangents.map(|planes| split_planes(planes, at)).unzip();
        (
            Self { positions, normals, tangents },
            Self { positions: rest_positions, normals: rest_normals, tangents: rest_tangents },
        )
    }
}

fn split_planes<const N: usize>(planes: [&mut [Lanes]; N], at: usize) -> ([&mut [Lanes]; N], [&mut [Lanes]; N]) {
    let mut rest: [&mut [Lanes]; N] = std::array::from_fn(|_| Default::default());
    let mut place = rest.iter_mut();
    let first = planes.map(|plane| {
        let (first, second) = plane.split_at_mut(at);
        if let Some(place) = place.next() {
            *place = second;
        }
        first
    });
    (first, rest)
}

/// What is needed to give every vertex a frame of its own.
pub(super) struct Frames<'a> {
    pub(super) positions: [&'a [f32]; 3],
    pub(super) normals: Option<[&'a mut [f32]; 3]>,
    pub(super) tangents: Option<[&'a mut [f32]; 4]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_plane_reaches_into_another_and_long_ones_are_moved_against_each_other() {
        for count in [0, 1, 17, 4096, 4097, 32_768, 100_000] {
            let mut vertices = DeformedVertices::default();
            vertices.resize(count, true, true);
            let Blocks { positions, normals, tangents } = vertices.blocks();
            let planes =
                positions.into_iter().chain(normals.into_iter().flatten()).chain(tangents.into_iter().flatten());
            for (number, plane) in planes.enumerate() {
                assert_eq!(plane.len(), count.div_ceil(16));
                plane.fill(Lanes([number as f32; 16]));
            }
            let planes = vertices.positions().into_iter().chain(vertices.normals().into_iter().flatten());
            for (number, plane) in planes.chain(vertices.tangents().into_iter().flatten()).enumerate() {
                assert!(plane.len() >= count && plane.iter().all(|&own| own == number as f32));
            }
        }
        // 2^20 vertices: a multiple of 64 lines and a tile.
        assert_eq!(stride(1 << 16) % 64, 9);
    }
}
