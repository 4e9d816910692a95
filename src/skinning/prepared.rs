//! [`PreparedPrimitive`]: a primitive in the order in which the kernels read it.
//!
//! Why it exists: a file stores a vertex's numbers side by side; sixteen vertices at a time want each number of the
//! sixteen side by side. This is worked out once per scene, with everything about influences that does not change
//! from frame to frame: which of them are zero, and how many a block of vertices really has.

use std::{num::NonZeroUsize, ops::Range};

use super::{
    influences::limit_influences,
    lanes::{GROUP, LANES, Lanes, blocks_for},
};
use refrast_scene::{Influences, MorphTarget, Primitive, Topology};

/// A primitive, ready to be deformed; made once per scene.
#[derive(Clone, Debug)]
pub struct PreparedPrimitive {
    pub(super) count: usize,
    pub(super) layout: Layout,
    /// `layout.stride` lanes a block: the base attributes.
    pub(super) attributes: Vec<Lanes>,
    pub(super) influences: Option<InfluenceBlocks>,
    pub(super) targets: Vec<TargetBlocks>,
    /// The triangles of a primitive whose normals are those of its deformed faces.
    pub(super) flat_triangles: Vec<[u32; 3]>,
}

/// Where a block's lanes stand: x, y, z of the position, then of the normal, then x, y, z, w of the tangent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) normal: Option<usize>,
    pub(super) tangent: Option<usize>,
    pub(super) stride: usize,
}

/// The most lanes a block has.
pub(super) const MAXIMUM_STRIDE: usize = 10;

/// The influences of all vertices, in the order in which they are blended.
///
/// A block's influences start at a multiple of [`LANES`]; within it they are ordered by group of four vertices, then
/// by rank, then by vertex. Influences of weight 0 are gone: they may name any joint, even one whose matrix is not
/// finite (glTF#2393). Where a vertex has fewer than its block's most, it repeats its own last joint with weight 0,
/// which adds nothing to a finite sum and touches no joint that the vertex does not have.
#[derive(Clone, Debug)]
pub(super) struct InfluenceBlocks {
    pub(super) joints: Vec<u16>,
    pub(super) weights: Vec<f32>,
    pub(super) spans: Vec<Span>,
    /// The same influences by joint, for the blocks that name few joints; see [`Columns`].
    pub(super) columns: Columns,
    /// The largest joint index that has a weight.
    pub(super) last_joint: u16,
    /// How much weight each joint carries in all vertices together, up to `last_joint`.
    pub(super) joint_shares: Vec<f32>,
}

/// Where a block's influences stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The index of the first one.
    pub(super) start: u32,
    /// How many each of the sixteen vertices has.
    pub(super) per_vertex: u32,
}

/// Influences by joint: for each joint that a block names, the weight of each of its sixteen vertices, 0 for those that
/// do not follow it.
///
/// Neighbours in a mesh share most of their joints. Where a block names few, going through its joints takes sixteen
/// vertices a step and needs no transposition; where it names many, most of these weights would be 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// One a block; an empty range where the block names too many joints.
    pub(super) ranges: Vec<Range<u32>>,
    /// In the order in which the block's vertices first name them.
    pub(super) joints: Vec<u16>,
    pub(super) weights: Vec<Lanes>,
}

/// The joints of a block, and the weights of its vertices.
pub(super) type Column<'a> = (&'a [u16], &'a [Lanes]);

impl Columns {
    /// Of a block; `None` where it names too many joints.
    #[inline(always)]
    pub(super) fn of(&self, block: usize) -> Option<Column<'_>> {
        let column = self.within(&self.ranges[block]);
        (!column.0.is_empty()).then_some(column)
    }

    /// Within one of the ranges.
    #[inline(always)]
    pub(super) fn within(&self, range: &Range<u32>) -> Column<'_> {
        let range = range.start as usize..range.end as usize;
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// A block with `per_vertex` influences is kept by joint if it names at most twice as many joints. That is where
    /// both ways take about the same time, and where this one reads little more.
    fn push(&mut self, pairs: &[Vec<(u16, f32)>], per_vertex: usize) {
        let start = self.joints.len();
        for (vertex, pairs) in pairs.iter().enumerate() {
            for &(joint, weight) in pairs {
                let place = match self.joints[start..].iter().position(|&known| known == joint) {
                    Some(place) => start + place,
                    None => {
                        self.joints.push(joint);
                        self.weights.push(Lanes::ZERO);
                        self.joints.len() - 1
                    }
                };
                self.weights[place].0[vertex] += weight;
            }
        }
        if self.joints.len() - start > 2 * per_vertex {
            self.joints.truncate(start);
            self.weights.truncate(start);
        }
        self.ranges.push(start as u32..self.joints.len() as u32);
    }
}

/// Where a target moves nothing in a block.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// The displacements of a morph target, in the layout of the attributes it displaces.
#[derive(Clone, Debug)]
pub(super) struct TargetBlocks {
    /// For each block the index of its first lanes in `lanes`, or [`NO_BLOCK`].
    pub(super) starts: Vec<u32>,
    pub(super) lanes: Vec<Lanes>,
}

impl PreparedPrimitive {
    /// Puts a validated primitive into the order of the kernels, with all its influences.
    #[must_use]
    pub fn new(primitive: &Primitive) -> Self {
        Self::with(primitive, primitive.influences.as_ref())
    }

    /// As [`new`](Self::new), with at most `maximum` influences a vertex; see [`limit_influences`].
    #[must_use]
    pub fn limited(primitive: &Primitive, maximum: NonZeroUsize) -> Self {
        let limited = primitive.influences.as_ref().map(|influences| limit_influences(influences, maximum));
        Self::with(primitive, limited.as_ref())
    }

    fn with(primitive: &Primitive, influences: Option<&Influences>) -> Self {
        let count = primitive.positions.len();
        let mut stride = 3;
        let mut place = |present: bool, lanes: usize| {
            let start = stride;
            stride += if present { lanes } else { 0 };
            present.then_some(start)
        };
        let normals = primitive.normals.as_ref().filter(|_| !primitive.flat);
        let normal = place(normals.is_some(), 3);
        let tangent = place(primitive.tangents.is_some(), 4);
        let layout = Layout { normal, tangent, stride };
        let mut attributes = vec![Lanes::ZERO; blocks_for(count) * stride];
        layout.fill(&mut attributes, 0, &primitive.positions);
        if let (Some(normals), Some(at)) = (normals, normal) {
            layout.fill(&mut attributes, at, normals);
        }
        if let (Some(tangents), Some(at)) = (&primitive.tangents, tangent) {
            layout.fill(&mut attributes, at, tangents);
        }
        let triangles = primitive.topology == Topology::Triangles && primitive.flat;
        Self {
            count,
            layout,
            attributes,
            influences: influences.map(|influences| InfluenceBlocks::new(count, influences)),
            targets: primitive.targets.iter().map(|target| TargetBlocks::new(count, layout, target)).collect(),
            flat_triangles: if triangles { primitive.indices.as_chunks().0.to_vec() } else { Vec::new() },
        }
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.count
    }

    /// The number of morph targets.
    #[must_use]
    pub fn target_count(&self) -> usize {
        self.targets.len()
    }

    /// Whether the vertices have joints and weights.
    #[must_use]
    pub fn has_influences(&self) -> bool {
        self.influences.is_some()
    }

    /// Whether deformed vertices have normals: those of the file, or those of the deformed faces.
    #[must_use]
    pub fn has_normals(&self) -> bool {
        self.layout.normal.is_some() || !self.flat_triangles.is_empty()
    }
}

impl Layout {
    /// Writes one attribute of all vertices into lanes `at..at + N` of their blocks.
    fn fill<const N: usize>(self, lanes: &mut [Lanes], at: usize, values: &[[f32; N]]) {
        for (vertex, value) in values.iter().enumerate() {
            let start = vertex / LANES * self.stride + at;
            for (lanes, component) in lanes[start..start + N].iter_mut().zip(value) {
                lanes.0[vertex % LANES] = *component;
            }
        }
    }
}

impl InfluenceBlocks {
    fn new(count: usize, influences: &Influences) -> Self {
        let mut blocks = Self {
            joints: Vec::new(),
            weights: Vec::new(),
            spans: Vec::with_capacity(blocks_for(count)),
            columns: Columns::default(),
            last_joint: 0,
            joint_shares: Vec::new(),
        };
        for first in (0..count).step_by(LANES) {
            let vertices = first..count.min(first + LANES);
            let pairs: Vec<Vec<(u16, f32)>> = vertices.map(|vertex| nonzero(influences, vertex)).collect();
            let most = pairs.iter().map(Vec::len).max().unwrap_or(0).max(1);
            let start = blocks.weights.len();
            blocks.spans.push(Span { start: start as u32, per_vertex: most as u32 });
            blocks.joints.resize(start + LANES * most, 0);
            blocks.weights.resize(start + LANES * most, 0.0);
            for (vertex, pairs) in pairs.iter().enumerate() {
                let (group, lane) = (vertex / GROUP, vertex % GROUP);
                let last = pairs.last().map_or(0, |&(joint, _)| joint);
                for rank in 0..most {
                    let (joint, weight) = pairs.get(rank).copied().unwrap_or((last, 0.0));
                    let at = start + (group * most + rank) * GROUP + lane;
                    blocks.joints[at] = joint;
                    blocks.weights[at] = weight;
                    blocks.count(joint, weight);
                }
            }
            blocks.columns.push(&pairs, most);
        }
        blocks
    }

    /// Whether a vertex gives the joint a weight.
    pub(super) fn is_followed(&self, joint: usize) -> bool {
        self.joint_shares.get(joint).is_some_and(|share| *share != 0.0)
    }

    fn count(&mut self, joint: u16, weight: f32) {
        self.last_joint = self.last_joint.max(joint);
        let joints = usize::from(self.last_joint) + 1;
        self.joint_shares.resize(joints, 0.0);
        self.joint_shares[usize::from(joint)] += weight.abs();
    }
}

/// The influences of a vertex that have a weight.
fn nonzero(influences: &Influences, vertex: usize) -> Vec<(u16, f32)> {
    let range = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
    let pairs = influences.joints[range.clone()].iter().copied().zip(influences.weights[range].iter().copied());
    pairs.filter(|&(_, weight)| weight != 0.0).collect()
}

impl TargetBlocks {
    fn new(count: usize, layout: Layout, target: &MorphTarget) -> Self {
        let mut dense = vec![Lanes::ZERO; blocks_for(count) * layout.stride];
        let attributes =
            [(Some(0), &target.positions), (layout.normal, &target.normals), (layout.tangent, &target.tangents)];
        for (at, values) in attributes {
            if let (Some(at), Some(values)) = (at, values) {
                layout.fill(&mut dense, at, values);
            }
        }
        let mut blocks = Self { starts: Vec::with_capacity(blocks_for(count)), lanes: Vec::new() };
        for block in dense.chunks_exact(layout.stride) {
            let still = block.iter().all(|lanes| lanes.0 == [0.0; LANES]);
            blocks.starts.push(if still { NO_BLOCK } else { blocks.lanes.len() as u32 });
            if !still {
                blocks.lanes.extend_from_slice(block);
            }
        }
        blocks
    }
}
