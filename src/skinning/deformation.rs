//! [`Deformation`]: the stage that turns a prepared primitive and a palette into deformed vertices.
//!
//! It is a plain struct of inputs that is validated and then run, and it allocates only in the buffers it is handed.
//! Blocks of sixteen vertices are independent of each other, and ranges of blocks have a fixed size, so that neither
//! the number of threads nor who finishes first can change a bit.

use fearless_simd::{Simd, prelude::*};
use fearless_simd_macros::simd;
use glam::{Mat4, Vec4};
use thiserror::Error;

use super::{
    blend::TILE_BLOCKS,
    deformed::{BlockOf, Blocks, DeformedVertices},
    dual_quaternion::{DualQuaternion, joint_numbers},
    flat::face_normals,
    gather::{Gathered, Place},
    lanes::{LANES, Lanes, steps},
    linear::Linear,
    method::{NormalMode, SkinningMethod},
    morph::morph_block,
    palette::{Palette, mirrors, rows},
    per_joint::PerJoint,
    prepared::{InfluenceBlocks, Layout, MAXIMUM_STRIDE, PreparedPrimitive},
    vectors::{Vector, normalize, orthonormalize},
};
use refrast_simd::SimdLevel;
use refrast_threads::{Cut, over};

/// Blocks that one task deforms: about ten microseconds of work, far more than handing a task over costs.
const TASK_BLOCKS: usize = 256;

/// How many blocks before it is worked on a block is fetched from memory, where a primitive is too large for the caches. So few lines
/// at a time, and so far ahead, that none is waited for: all of a tile at once takes longer than no fetching, and 4 or 16 blocks gain less.
pub(super) const AHEAD: usize = 8;

/// What may stand in a cache until the next frame, in bytes: what is there already is only delayed by fetching it.
const CACHED: usize = 8 << 20;

/// What puts the vertices into the world.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// Joints and weights; the node that draws the mesh has no say.
    Skin(&'a Palette),
    /// The world transform of the node that draws the mesh, for meshes without a skin. Influences are not looked at.
    Node(Mat4),
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
    /// How joints move vertices.
    pub method: SkinningMethod,
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
    /// A joint that is nowhere.
    #[error(
        "the matrix of joint {joint}, which vertices follow, is not finite: the pose or the inverse bind matrix is broken"
    )]
    NotFinite {
        /// The joint of the palette.
        joint: usize,
    },
    /// A node that is nowhere.
    #[error("the world transform of the node that draws the mesh is not finite: the pose is broken")]
    NodeNotFinite,
    /// The mesh has no influences, but is to follow a palette.
    #[error("the primitive has no joints and weights: place it by its node, not by a palette")]
    NoInfluences,
    /// A joint that dual quaternions can not follow.
    #[error(
        "the matrix of joint {joint} mirrors or flattens space, and no rotation does: dual-quaternion skinning can \
         not follow it, linear skinning can"
    )]
    NoRotation {
        /// The joint of the palette.
        joint: usize,
    },
    /// A joint without an inverse transpose.
    #[error(
        "the matrix of joint {joint} flattens space and has no inverse, so its normals can not be blended joint by \
         joint; the normal mode inverse-transpose works there too"
    )]
    NoInverse {
        /// The joint of the palette.
        joint: usize,
    },
    /// Morph weights and targets differ in number.
    #[error("the primitive has {targets} morph targets, but there are {weights} morph weights")]
    MorphWeights {
        /// Targets of the primitive.
        targets: usize,
        /// Weights given.
        weights: usize,
    },
}

impl SkinningError {
    /// The joint of the palette that is in the way, where it is one.
    #[must_use]
    pub fn joint(&self) -> Option<usize> {
        match *self {
            Self::NoSuchJoint { joint, .. } => Some(usize::from(joint)),
            Self::NotFinite { joint } | Self::NoRotation { joint } | Self::NoInverse { joint } => Some(joint),
            Self::NodeNotFinite | Self::NoInfluences | Self::MorphWeights { .. } => None,
        }
    }
}

impl Deformation<'_> {
    /// Deforms all vertices into `output`, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// When the inputs do not belong together, or the method can not follow a joint; what is in `output` then means
    /// nothing.
    pub fn run(&self, output: &mut DeformedVertices) -> Result<(), SkinningError> {
        let influences = self.validate()?;
        let primitive = self.primitive;
        output.resize(primitive.count, primitive.has_normals(), primitive.layout.tangent.is_some());
        let mut derived = output.take_derived();
        match (self.placement, influences) {
            (Placement::Skin(palette), Some(influences)) => {
                self.derive(palette, influences, &mut derived)?;
                self.run_skin(palette, influences, &derived, output);
            }
            (Placement::Skin(_), None) => {}
            (Placement::Node(world), _) => {
                // Of a single matrix, the inverse transpose of the blend is the blend of the inverse transposes.
                let normals = match self.normals {
                    NormalMode::RotationOnly => NormalMode::RotationOnly,
                    NormalMode::InverseTranspose | NormalMode::PerJoint => NormalMode::InverseTranspose,
                };
                let kernel = Linear { palette: &[rows(&world)], influences: None, normals, normal_matrices: &[] };
                self.run_blocks(&kernel, output.blocks());
            }
        }
        output.keep_derived(derived);
        output.set_mirrored(self.mirrored(influences));
        if !primitive.flat_triangles.is_empty() {
            face_normals(&primitive.flat_triangles, output);
        }
        Ok(())
    }

    /// What the method makes of each joint's matrix before it looks at vertices.
    fn derive(
        &self,
        palette: &Palette,
        influences: &InfluenceBlocks,
        derived: &mut Vec<Lanes>,
    ) -> Result<(), SkinningError> {
        derived.clear();
        let dual_quaternions = self.method == SkinningMethod::DualQuaternion;
        if !dual_quaternions && self.method.normal_mode(self.normals) != NormalMode::PerJoint {
            return Ok(());
        }
        for joint in 0..palette.len() {
            let numbers = if !influences.is_followed(joint) {
                // A joint that no vertex follows may be as odd as it likes.
                Lanes::ZERO
            } else if dual_quaternions {
                joint_numbers(&palette.matrix(joint)).ok_or(SkinningError::NoRotation { joint })?
            } else {
                inverse_transpose(&palette.matrix(joint)).ok_or(SkinningError::NoInverse { joint })?
            };
            derived.push(numbers);
        }
        Ok(())
    }

    fn run_skin(
        &self,
        palette: &Palette,
        influences: &InfluenceBlocks,
        derived: &[Lanes],
        output: &mut DeformedVertices,
    ) {
        let normals = self.normals;
        let blocks = output.blocks();
        match self.method {
            SkinningMethod::Linear => {
                let influences = Some(influences);
                let kernel = Linear { palette: &palette.matrices, influences, normals, normal_matrices: derived };
                self.run_blocks(&kernel, blocks);
            }
            SkinningMethod::DualQuaternion => {
                self.run_blocks(&DualQuaternion { joints: derived, influences, normals }, blocks);
            }
            SkinningMethod::LinearPerJoint
            | SkinningMethod::VertexOffset
            | SkinningMethod::BoneOffset
            | SkinningMethod::Rigid
            | SkinningMethod::WeightsBeforeBind => {
                let kernel = PerJoint { method: self.method, palette, influences, normals, normal_matrices: derived };
                self.run_blocks(&kernel, blocks);
            }
        }
    }

    /// The influences that are to be used.
    fn validate(&self) -> Result<Option<&InfluenceBlocks>, SkinningError> {
        let (targets, weights) = (self.primitive.target_count(), self.morph_weights.len());
        if targets != weights {
            return Err(SkinningError::MorphWeights { targets, weights });
        }
        let palette = match self.placement {
            Placement::Skin(palette) => palette,
            Placement::Node(world) if !world.is_finite() => return Err(SkinningError::NodeNotFinite),
            Placement::Node(_) => return Ok(None),
        };
        let influences = self.primitive.influences.as_ref().ok_or(SkinningError::NoInfluences)?;
        if usize::from(influences.last_joint) >= palette.len() {
            return Err(SkinningError::NoSuchJoint { joint: influences.last_joint, count: palette.len() });
        }
        // Blocks are blended joint by joint, where 0 · infinity would reach vertices that do not follow the joint.
        let broken = |&joint: &usize| influences.is_followed(joint) && !palette.is_finite(joint);
        if let Some(joint) = (0..palette.len()).find(broken) {
            return Err(SkinningError::NotFinite { joint });
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
                shares
                    .map(|(joint, share)| if mirrors(&palette.matrices[joint]) { -share } else { *share })
                    .sum::<f32>()
                    < 0.0
            }
            (Placement::Node(world), _) => mirrors(&rows(&world)),
            (Placement::Skin(_), None) => false,
        }
    }

    fn run_blocks<K: Kernel>(&self, kernel: &K, blocks: Blocks<'_>) {
        let level = self.level.token_or_base();
        over(Tasks(blocks), |task, mut blocks| {
            let first = task * TASK_BLOCKS;
            refrast_simd::dispatch_wide!(level, simd => run_task(simd, kernel, self, first, &mut blocks));
        });
    }
}

/// Blocks by tasks.
struct Tasks<'a>(Blocks<'a>);

impl<'a> Cut for Tasks<'a> {
    type Piece = Blocks<'a>;

    fn pieces(&self) -> usize {
        self.0.len().div_ceil(TASK_BLOCKS)
    }

    fn cut(self, count: usize) -> (Self, Self) {
        let middle = self.0.len().min(count * TASK_BLOCKS);
        let (left, right) = self.0.split_at(middle);
        (Self(left), Self(right))
    }

    fn piece(self) -> Option<Self::Piece> {
        (self.0.len() > 0).then_some(self.0)
    }
}

/// A way to deform vertices.
pub(super) trait Kernel: Sync {
    /// Deforms the vertices of a tile. Normals and tangents may have any length and any angle; a target that the source lacks
    /// becomes 0. `blended` is room for what the joints of vertices carry together.
    fn deform<S: Simd>(&self, simd: S, tile: &Tile<'_>, blended: &mut [Gathered; TILE_BLOCKS], output: &mut Blocks<'_>);
}

/// A few blocks before skinning, in mesh space.
pub(super) struct Tile<'a> {
    /// The number of its first block.
    pub(super) first: usize,
    pub(super) layout: Layout,
    /// `layout.stride` a block.
    pub(super) lanes: &'a [Lanes],
    /// Where, counted from `lanes` on, those stand that should be fetched beside the first block; `None` where nothing should.
    pub(super) ahead: Option<usize>,
}

impl Tile<'_> {
    /// Of the tile's block with this number.
    #[inline(always)]
    pub(super) fn source(&self, block: usize) -> Source<'_> {
        let stride = self.layout.stride;
        Source::of(&self.lanes[block * stride..(block + 1) * stride], self.layout, self.first + block)
    }
}

/// Deforms the vertices of a tile block by block, step by step.
///
/// The closure is copied and not borrowed: what is called through a reference does not become part of its caller.
#[inline(always)]
pub(super) fn by_blocks<S: Simd>(
    tile: &Tile<'_>,
    output: &mut Blocks<'_>,
    deform: impl Fn(Source<'_>) -> Deformed<S> + Copy,
) {
    for block in 0..output.len() {
        by_steps::<S>(tile.source(block), &mut output.block(block), deform);
    }
}

/// Deforms the vertices of a block step by step.
#[inline(always)]
pub(super) fn by_steps<S: Simd>(
    mut source: Source<'_>,
    target: &mut BlockOf<'_>,
    deform: impl Fn(Source<'_>) -> Deformed<S>,
) {
    for lane in steps::<S>() {
        source.place.first = lane;
        let deformed = deform(source);
        store::<S>(&mut target.position, lane, deformed.position);
        if let Some(normal) = &mut target.normal {
            store::<S>(normal, lane, deformed.normal);
        }
        if let Some([planes @ .., handedness]) = &mut target.tangent {
            store::<S>(planes, lane, deformed.tangent);
            handedness.store::<S>(lane, deformed.handedness);
        }
    }
}

#[simd]
fn run_task<S: Simd, K: Kernel>(
    simd: S,
    kernel: &K,
    deformation: &Deformation<'_>,
    first: usize,
    output: &mut Blocks<'_>,
) {
    let Layout { stride, .. } = deformation.primitive.layout;
    let is_far = size_of_val(deformation.primitive.attributes.as_slice()) > CACHED;
    let mut blended: [Gathered; TILE_BLOCKS] = [[Lanes::ZERO; LANES]; TILE_BLOCKS];
    let mut morphed = [Lanes::ZERO; TILE_BLOCKS * MAXIMUM_STRIDE];
    for start in (0..output.len()).step_by(TILE_BLOCKS) {
        let mut own = output.range(start..output.len().min(start + TILE_BLOCKS));
        let first = first + start;
        let primitive = deformation.primitive;
        let mut lanes = &primitive.attributes[first * stride..(first + own.len()) * stride];
        let mut ahead = is_far.then_some(AHEAD * stride);
        if !primitive.targets.is_empty() {
            ahead = None;
            for (block, morphed) in (first..first + own.len()).zip(morphed.chunks_exact_mut(stride)) {
                morph_block(simd, primitive, block, deformation.morph_weights, morphed);
            }
            lanes = &morphed[..own.len() * stride];
        }
        let tile = Tile { first, layout: primitive.layout, lanes, ahead };
        kernel.deform(simd, &tile, &mut blended, &mut own);
        straighten(simd, primitive.layout, &mut own);
    }
}

/// Brings normals to unit length, and tangents to unit length at right angles to them.
///
/// Square roots and divisions take long and nothing else in a block waits for them. In loops of their own, each of which has
/// one for eight vertices, many are under way at a time.
#[inline(always)]
fn straighten<S: Simd>(simd: S, layout: Layout, output: &mut Blocks<'_>) {
    let normals = match &mut output.normals {
        Some([x, y, z]) if layout.normal.is_some() => Some(normalize_all(simd, [x, y, z])),
        _ => None,
    };
    if let Some([x, y, z, _]) = &mut output.tangents {
        // Of any length, a tangent is brought to unit length first, so that T·N can not overflow.
        let tangents = normalize_all(simd, [x, y, z]);
        if let Some(normals) = normals {
            orthonormalize_all(simd, tangents, normals);
        }
    }
}

/// Some blocks of the planes of a vector.
type Vectors<'a> = [&'a mut [Lanes]; 3];

#[inline(always)]
fn normalize_all<S: Simd>(simd: S, [x, y, z]: Vectors<'_>) -> Vectors<'_> {
    for ((x, y), z) in x.iter_mut().zip(y.iter_mut()).zip(z.iter_mut()) {
        for lane in steps::<S>() {
            let unit = normalize::<S>(load(simd, [x, y, z], lane));
            store::<S>(&mut [x, y, z], lane, unit);
        }
    }
    [x, y, z]
}

#[inline(always)]
fn orthonormalize_all<S: Simd>(simd: S, [x, y, z]: Vectors<'_>, [nx, ny, nz]: Vectors<'_>) {
    let normals = nx.iter().zip(ny.iter()).zip(nz.iter());
    for (((x, y), z), ((nx, ny), nz)) in x.iter_mut().zip(y).zip(z).zip(normals) {
        for lane in steps::<S>() {
            let unit = orthonormalize::<S>(load(simd, [x, y, z], lane), load(simd, [nx, ny, nz], lane));
            store::<S>(&mut [x, y, z], lane, unit);
        }
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, planes: [&Lanes; 3], lane: usize) -> Vector<S> {
    [planes[0].load(simd, lane), planes[1].load(simd, lane), planes[2].load(simd, lane)]
}

#[inline(always)]
pub(super) fn store<S: Simd>(planes: &mut [&mut Lanes; 3], lane: usize, vector: Vector<S>) {
    planes[0].store::<S>(lane, vector[0]);
    planes[1].store::<S>(lane, vector[1]);
    planes[2].store::<S>(lane, vector[2]);
}

/// Some vertices of a block before skinning, in mesh space: as many as the SIMD level takes at once.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) position: &'a [Lanes; 3],
    pub(super) normal: Option<&'a [Lanes; 3]>,
    pub(super) tangent: Option<&'a [Lanes; 4]>,
    pub(super) place: Place,
}

impl<'a> Source<'a> {
    #[inline(always)]
    fn of(lanes: &'a [Lanes], layout: Layout, block: usize) -> Self {
        let Layout { normal, tangent, .. } = layout;
        let position = lanes.first_chunk().expect("the layout has room for a position");
        Self {
            position,
            normal: normal.and_then(|at| lanes[at..].first_chunk()),
            tangent: tangent.and_then(|at| lanes[at..].first_chunk()),
            place: Place { block, first: 0 },
        }
    }

    #[inline(always)]
    pub(super) fn position<S: Simd>(&self, simd: S) -> Vector<S> {
        let [x, y, z] = self.position;
        let first = self.place.first;
        [x.load(simd, first), y.load(simd, first), z.load(simd, first)]
    }

    #[inline(always)]
    pub(super) fn has_normal(&self) -> bool {
        self.normal.is_some()
    }

    #[inline(always)]
    pub(super) fn has_tangent(&self) -> bool {
        self.tangent.is_some()
    }

    #[inline(always)]
    pub(super) fn normal<S: Simd>(&self, simd: S) -> Option<Vector<S>> {
        let [x, y, z] = self.normal?;
        let first = self.place.first;
        Some([x.load(simd, first), y.load(simd, first), z.load(simd, first)])
    }

    /// The tangent and its handedness.
    #[inline(always)]
    pub(super) fn tangent<S: Simd>(&self, simd: S) -> Option<(Vector<S>, S::f32s)> {
        let [x, y, z, w] = self.tangent?;
        let first = self.place.first;
        Some(([x.load(simd, first), y.load(simd, first), z.load(simd, first)], w.load(simd, first)))
    }
}

/// Vertices after skinning, in world space.
pub(super) struct Deformed<S: Simd> {
    pub(super) position: Vector<S>,
    /// Of any length; meaningless where the source has none.
    pub(super) normal: Vector<S>,
    /// Of any length and at any angle to the normal; meaningless where the source has none.
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

/// The rows of the inverse transpose of a matrix's 3×3 part, worked out in f64; `None` where it has none.
fn inverse_transpose(matrix: &Mat4) -> Option<Lanes> {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.truncate().as_dvec3());
    let determinant = x.dot(y.cross(z));
    let columns = [y.cross(z) / determinant, z.cross(x) / determinant, x.cross(y) / determinant];
    let [x, y, z] = columns.map(|column| column.as_vec3().extend(0.0));
    let inverse_transpose = Mat4::from_cols(x, y, z, Vec4::W);
    inverse_transpose.is_finite().then(|| rows(&inverse_transpose))
}
