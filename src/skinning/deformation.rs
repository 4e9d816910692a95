//! [`Deformation`]: the stage that turns a prepared primitive and a palette into deformed vertices.
//!
//! It is a plain struct of inputs that is validated and then run, and it allocates only in the buffers it is handed.
//! Blocks of sixteen vertices are independent of each other, and ranges of blocks have a fixed size, so that neither
//! the number of threads nor who finishes first can change a bit.

use fearless_simd::{Simd, f32x16, prelude::*};
use fearless_simd_macros::simd;
use glam::Mat4;
use thiserror::Error;

use super::deformed::{Blocks, DeformedVertices};
use super::flat::face_normals;
use super::lanes::Lanes;
use super::linear::Linear;
use super::morph::BlockAttributes;
use super::palette::Palette;
use super::prepared::{InfluenceBlocks, Layout, PreparedPrimitive};
use super::vectors::Vector;
use crate::simd::SimdLevel;

/// Blocks that one task deforms: about ten microseconds of work, far more than handing a task over costs.
const TASK_BLOCKS: usize = 256;

/// What puts the vertices into the world.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// Joints and weights; the node that draws the mesh has no say.
    Skin(&'a Palette),
    /// The world transform of the node that draws the mesh, for meshes without a skin. Influences are not looked at.
    Node(Mat4),
}

/// How normals follow the joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalMode {
    /// The inverse transpose of the blended matrix, by its cofactors: right for every matrix.
    #[default]
    InverseTranspose,
    /// The blended matrix itself: right where joints only turn, move and scale evenly, and cheaper.
    RotationOnly,
}

/// The inputs of one primitive's deformation.
#[derive(Clone, Copy, Debug)]
pub struct Deformation<'a> {
    /// What is deformed.
    pub primitive: &'a PreparedPrimitive,
    /// What places it.
    pub placement: Placement<'a>,
    /// One weight a morph target.
    pub morph_weights: &'a [f32],
    /// How normals follow.
    pub normals: NormalMode,
    /// The SIMD level; every level gives the same bits.
    pub level: SimdLevel,
}

/// Why a deformation can not run.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SkinningError {
    /// A vertex names a joint that the palette lacks.
    #[error("a vertex follows joint {joint}, but the palette has {count} matrices: the mesh belongs to another skin")]
    NoSuchJoint {
        /// What the vertex names.
        joint: u16,
        /// How many there are.
        count: usize,
    },
    /// The mesh has no influences, but is to follow a palette.
    #[error("the primitive has no joints and weights: place it by its node, not by a palette")]
    NoInfluences,
    /// Morph weights and targets differ in number.
    #[error("the primitive has {targets} morph targets, but there are {weights} morph weights")]
    MorphWeights {
        /// Targets of the primitive.
        targets: usize,
        /// Weights given.
        weights: usize,
    },
}

impl Deformation<'_> {
    /// Deforms all vertices into `output`, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// When the inputs do not belong together; `output` is unchanged then.
    pub fn run(&self, output: &mut DeformedVertices) -> Result<(), SkinningError> {
        let influences = self.validate()?;
        let primitive = self.primitive;
        let tangents = primitive.layout.tangent.is_some();
        output.resize(primitive.count, primitive.has_normals(), tangents);
        match self.placement {
            Placement::Skin(palette) => {
                let kernel = Linear { palette: &palette.matrices, influences, normals: self.normals };
                self.run_kernel(&kernel, output);
            }
            Placement::Node(world) => {
                let palette = Palette::matrix_lanes(&world);
                let kernel = Linear { palette: &[palette], influences: None, normals: self.normals };
                self.run_kernel(&kernel, output);
            }
        }
        output.set_mirrored(self.mirrored(influences));
        if !primitive.flat_triangles.is_empty() {
            face_normals(&primitive.flat_triangles, output);
        }
        Ok(())
    }

    /// The influences that are to be used.
    fn validate(&self) -> Result<Option<&InfluenceBlocks>, SkinningError> {
        let (targets, weights) = (self.primitive.target_count(), self.morph_weights.len());
        if targets != weights {
            return Err(SkinningError::MorphWeights { targets, weights });
        }
        let Placement::Skin(palette) = self.placement else { return Ok(None) };
        let influences = self.primitive.influences.as_ref().ok_or(SkinningError::NoInfluences)?;
        if usize::from(influences.last_joint) >= palette.len() {
            return Err(SkinningError::NoSuchJoint { joint: influences.last_joint, count: palette.len() });
        }
        Ok(Some(influences))
    }

    /// Whether front faces turn round.
    ///
    /// glTF 2.0 (3.7.4) lets the sign of the determinant of the node's global transform decide, so that geometry can
    /// be mirrored by a negative scale (glTF#1697, bevy#4738). A skinned mesh is not where its node is, so the
    /// transforms that do place it decide in the same way: it is mirrored when the joints that mirror carry more
    /// than half of its weight. Mostly all joints hang from one root and agree.
    fn mirrored(&self, influences: Option<&InfluenceBlocks>) -> bool {
        match (self.placement, influences) {
            (Placement::Skin(palette), Some(influences)) => {
                let shares = influences.joint_shares.iter().enumerate();
                shares.map(|(joint, share)| if palette.mirrors(joint) { -share } else { *share }).sum::<f32>() < 0.0
            }
            (Placement::Node(world), _) => Palette::from_matrices(&[world]).mirrors(0),
            (Placement::Skin(_), None) => false,
        }
    }

    fn run_kernel<K: Kernel>(&self, kernel: &K, output: &mut DeformedVertices) {
        self.run_blocks(kernel, 0, output.blocks());
    }

    /// Halves the range until it is one task's.
    fn run_blocks<K: Kernel>(&self, kernel: &K, first: usize, mut blocks: Blocks<'_>) {
        if blocks.len() > TASK_BLOCKS {
            let middle = (blocks.len() / 2).next_multiple_of(TASK_BLOCKS);
            let (left, right) = blocks.split_at(middle);
            rayon::join(|| self.run_blocks(kernel, first, left), || self.run_blocks(kernel, first + middle, right));
            return;
        }
        let level = self.level.token_or_scalar();
        fearless_simd::dispatch!(level, simd => run_task(simd, kernel, self, first, &mut blocks));
    }
}

/// A way to deform a block of vertices.
pub(super) trait Kernel: Sync {
    /// Deforms the vertices of block number `block`, whose morphed attributes are `source`.
    fn deform<S: Simd>(&self, simd: S, block: usize, source: Source<'_>) -> DeformedBlock<S>;
}

#[simd]
fn run_task<S: Simd, K: Kernel>(
    simd: S,
    kernel: &K,
    deformation: &Deformation<'_>,
    first: usize,
    output: &mut Blocks<'_>,
) {
    let primitive = deformation.primitive;
    for i in 0..output.len() {
        let block = first + i;
        let attributes = BlockAttributes::of(simd, primitive, block, deformation.morph_weights);
        let source = Source { lanes: attributes.lanes(), layout: primitive.layout };
        let deformed = kernel.deform(simd, block, source);
        store(&mut output.positions, i, deformed.position);
        if let Some(normals) = &mut output.normals {
            store(normals, i, deformed.normal);
        }
        if let Some(tangents) = &mut output.tangents {
            let [x, y, z, w] = deformed.tangent;
            let [planes @ .., handedness] = tangents;
            store(planes, i, [x, y, z]);
            handedness[i].store(w);
        }
    }
}

#[inline(always)]
fn store<S: Simd>(planes: &mut [&mut [Lanes]; 3], block: usize, vector: Vector<S>) {
    planes[0][block].store(vector[0]);
    planes[1][block].store(vector[1]);
    planes[2][block].store(vector[2]);
}

/// The attributes of a block before skinning, in mesh space.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    lanes: &'a [Lanes],
    pub(super) layout: Layout,
}

impl<'a> Source<'a> {
    #[inline(always)]
    pub(super) fn position(&self) -> &'a [Lanes; 3] {
        three(self.lanes, 0)
    }

    #[inline(always)]
    pub(super) fn normal<S: Simd>(&self, simd: S) -> Option<Vector<S>> {
        let at = self.layout.normal?;
        let [x, y, z] = three(self.lanes, at);
        Some([x.load(simd), y.load(simd), z.load(simd)])
    }

    #[inline(always)]
    pub(super) fn tangent<S: Simd>(&self, simd: S) -> Option<[f32x16<S>; 4]> {
        let at = self.layout.tangent?;
        let [x, y, z] = three(self.lanes, at);
        Some([x.load(simd), y.load(simd), z.load(simd), self.lanes[at + 3].load(simd)])
    }

    /// Whether there is a normal or a tangent.
    #[inline(always)]
    pub(super) fn has_directions(&self) -> bool {
        self.layout.stride > 3
    }
}

#[inline(always)]
fn three(lanes: &[Lanes], at: usize) -> &[Lanes; 3] {
    lanes[at..].first_chunk().expect("the layout has room for every attribute that it names")
}

/// A block after skinning, in world space.
#[derive(Clone, Copy)]
pub(super) struct DeformedBlock<S: Simd> {
    pub(super) position: Vector<S>,
    /// Unit length; meaningless where the source has none.
    pub(super) normal: Vector<S>,
    /// Unit length, with the handedness; meaningless where the source has none.
    pub(super) tangent: [f32x16<S>; 4],
}

impl<S: Simd> DeformedBlock<S> {
    #[inline(always)]
    pub(super) fn at(position: Vector<S>) -> Self {
        let zero = f32x16::splat(position[0].simd, 0.0);
        Self { position, normal: [zero, zero, zero], tangent: [zero, zero, zero, zero] }
    }
}
