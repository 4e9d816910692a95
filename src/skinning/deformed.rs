//! [`DeformedVertices`]: what skinning hands to the vertex stage.

use super::lanes::{Lanes, Plane, blocks_for, numbers, numbers_mut};

/// Deformed vertices of one primitive, in world space, a plane for each component.
///
/// The planes are as long as the vertices rounded up to a multiple of [`LANES`](super::LANES); what stands past
/// [`len`](Self::len) means nothing. The buffers are kept from frame to frame, so that only growth allocates.
#[derive(Clone, Debug, Default)]
pub struct DeformedVertices {
    count: usize,
    positions: [Plane; 3],
    normals: Option<[Plane; 3]>,
    tangents: Option<[Plane; 4]>,
    mirrored: bool,
    /// What a method makes of each joint, kept here so that the next frame allocates nothing.
    derived: Vec<Lanes>,
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
        self.positions.each_ref().map(|plane| numbers(plane))
    }

    /// x, y and z of the normals, of unit length; `None` where the primitive has none.
    ///
    /// A normal that has no direction (of a joint that is scaled to nothing, say) is zero.
    #[must_use]
    pub fn normals(&self) -> Option<[&[f32]; 3]> {
        self.normals.as_ref().map(|planes| planes.each_ref().map(|plane| numbers(plane)))
    }

    /// x, y, z, orthogonal to the normal and of unit length, and w, the handedness: the bitangent is
    /// cross(normal, tangent) · w. `None` where the primitive has none.
    #[must_use]
    pub fn tangents(&self) -> Option<[&[f32]; 4]> {
        self.tangents.as_ref().map(|planes| planes.each_ref().map(|plane| numbers(plane)))
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
        self.count = count;
        let blocks = blocks_for(count);
        let size = |plane: &mut Plane| plane.resize(blocks, Lanes::ZERO);
        self.positions.iter_mut().for_each(size);
        if !normals {
            self.normals = None;
        } else {
            self.normals.get_or_insert_default().iter_mut().for_each(size);
        }
        if !tangents {
            self.tangents = None;
        } else {
            self.tangents.get_or_insert_default().iter_mut().for_each(size);
        }
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
        Blocks {
            positions: self.positions.each_mut().map(Vec::as_mut_slice),
            normals: self.normals.as_mut().map(|planes| planes.each_mut().map(Vec::as_mut_slice)),
            tangents: self.tangents.as_mut().map(|planes| planes.each_mut().map(Vec::as_mut_slice)),
        }
    }

    /// Positions to be read, normals and tangents to be written, vertex by vertex.
    pub(super) fn frames(&mut self) -> Frames<'_> {
        Frames {
            positions: self.positions.each_ref().map(|plane| numbers(plane)),
            normals: self.normals.as_mut().map(|planes| planes.each_mut().map(|plane| numbers_mut(plane))),
            tangents: self.tangents.as_mut().map(|planes| planes.each_mut().map(|plane| numbers_mut(plane))),
        }
    }
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
