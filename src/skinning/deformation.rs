//! [`Deformation`]: the stage that turns a prepared primitive and a palette into deformed vertices.
//!
//! It is a plain struct of inputs that is validated and then run, and it allocates only in the buffers it is handed.
//! Blocks of sixteen vertices are independent of each other, and ranges of blocks have a fixed size, so that neither
//! the number of threads nor who finishes first can change a bit.

use fearless_simd::{Simd, prelude::*};
use fearless_simd_macros::simd;
use glam::Mat4;
use thiserror::Error;

use super::blend::{Blended, TILE_BLOCKS};
use super::deformed::{Blocks, DeformedVertices};
use super::flat::face_normals;
use super::lanes::{LANES, Lanes};
use super::linear::Linear;
use super::morph::morph_block;
use super::palette::Palette;
use super::prepared::{InfluenceBlocks, Layout, MAXIMUM_STRIDE, PreparedPrimitive};
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

/// A way to deform vertices.
pub(super) trait Kernel: Sync {
    /// Blends what the joints of a block's vertices carry.
    fn blend<S: Simd>(&self, simd: S, block: usize, blended: &mut [Lanes; LANES]);

    /// Deforms some vertices of a block, from what [`blend`](Self::blend) has made of their joints.
    fn transform<S: Simd>(&self, simd: S, blended: &[Lanes; LANES], source: Source<'_>) -> Deformed<S>;
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
    let mut blended: Blended = [[Lanes::ZERO; LANES]; TILE_BLOCKS];
    let mut morphed = [Lanes::ZERO; MAXIMUM_STRIDE];
    for tile in (0..output.len()).step_by(TILE_BLOCKS) {
        let blocks = tile..output.len().min(tile + TILE_BLOCKS);
        for (block, blended) in blocks.clone().zip(&mut blended) {
            kernel.blend(simd, first + block, blended);
        }
        for (block, blended) in blocks.zip(&blended) {
            let lanes = morph_block(simd, primitive, first + block, deformation.morph_weights, &mut morphed);
            for lane in (0..LANES).step_by(S::f32s::LEN) {
                let source = Source { lanes, layout: primitive.layout, first: lane };
                let deformed = kernel.transform(simd, blended, source);
                store::<S>(&mut output.positions, block, lane, deformed.position);
                if let Some(normals) = &mut output.normals {
                    store::<S>(normals, block, lane, deformed.normal);
                }
                if let Some([planes @ .., handedness]) = &mut output.tangents {
                    store::<S>(planes, block, lane, deformed.tangent);
                    handedness[block].store::<S>(lane, deformed.handedness);
                }
            }
        }
    }
}

#[inline(always)]
fn store<S: Simd>(planes: &mut [&mut [Lanes]; 3], block: usize, lane: usize, vector: Vector<S>) {
    planes[0][block].store::<S>(lane, vector[0]);
    planes[1][block].store::<S>(lane, vector[1]);
    planes[2][block].store::<S>(lane, vector[2]);
}

/// Some vertices of a block before skinning, in mesh space: as many as the SIMD level takes at once.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    lanes: &'a [Lanes],
    pub(super) layout: Layout,
    /// The first of these vertices among the block's sixteen.
    pub(super) first: usize,
}

impl Source<'_> {
    #[inline(always)]
    pub(super) fn position<S: Simd>(&self, simd: S) -> Vector<S> {
        self.vector(simd, 0)
    }

    #[expect(clippy::manual_map, reason = "a closure would be compiled without the SIMD level's instructions")]
    #[inline(always)]
    pub(super) fn normal<S: Simd>(&self, simd: S) -> Option<Vector<S>> {
        match self.layout.normal {
            Some(at) => Some(self.vector(simd, at)),
            None => None,
        }
    }

    /// The tangent and its handedness.
    #[expect(clippy::manual_map, reason = "a closure would be compiled without the SIMD level's instructions")]
    #[inline(always)]
    pub(super) fn tangent<S: Simd>(&self, simd: S) -> Option<(Vector<S>, S::f32s)> {
        match self.layout.tangent {
            Some(at) => Some((self.vector(simd, at), self.lanes[at + 3].load(simd, self.first))),
            None => None,
        }
    }

    /// Whether there is a normal or a tangent.
    #[inline(always)]
    pub(super) fn has_directions(&self) -> bool {
        self.layout.stride > 3
    }

    #[inline(always)]
    fn vector<S: Simd>(&self, simd: S, at: usize) -> Vector<S> {
        let lanes = &self.lanes[at..at + 3];
        [lanes[0].load(simd, self.first), lanes[1].load(simd, self.first), lanes[2].load(simd, self.first)]
    }
}

/// Vertices after skinning, in world space.
pub(super) struct Deformed<S: Simd> {
    pub(super) position: Vector<S>,
    /// Unit length; meaningless where the source has none.
    pub(super) normal: Vector<S>,
    /// Unit length; meaningless where the source has none.
    pub(super) tangent: Vector<S>,
    /// ±1; meaningless where the source has no tangent.
    pub(super) handedness: S::f32s,
}

impl<S: Simd> Deformed<S> {
    #[inline(always)]
    pub(super) fn at(position: Vector<S>) -> Self {
        let zero = S::f32s::splat(position[0].token(), 0.0);
        Self { position, normal: [zero, zero, zero], tangent: [zero, zero, zero], handedness: zero }
    }
}
