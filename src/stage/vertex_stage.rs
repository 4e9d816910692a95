//! The vertex stage: a primitive and a pose → a [`VertexStream`].
//!
//! Why it exists: skinning gives planes of world-space numbers, the rasteriser wants clip positions and rows of
//! varyings. What changes with the pose is written every frame, the rest once.

use std::{collections::HashMap, num::NonZeroUsize, sync::Arc};

use fearless_simd::Simd;
use fearless_simd_macros::simd;
use glam::Mat4;
use refrast_simd::dispatch;

use super::{RenderError, RenderSettings};
use refrast_animation::Pose;
use refrast_draw::VertexStream;
use refrast_scene::{Influences, Primitive, Scene, Skin};
use refrast_shading::{VaryingBlock, VaryingLayout, influence_color};
use refrast_simd::SimdLevel;
use refrast_skinning::{
    Deformation, DeformedVertices, Palette, Placement, PreparedPrimitive, limit_influences, morph_colors,
    morph_occlusion, morph_texcoords,
};
use refrast_threads::{Chunks, over};

/// Vertices that one task handles.
const TASK_VERTICES: usize = 4096;

/// A primitive of a drawn node, with everything that is kept from frame to frame.
pub(super) struct PrimitiveStage<'scene> {
    pub(super) node: usize,
    pub(super) primitive: &'scene Primitive,
    pub(super) layout: VaryingLayout,
    pub(super) deformed: DeformedVertices,
    /// Empty until [`project`](Self::project) is called.
    pub(super) stream: VertexStream,
    shared: Arc<Shared>,
    skin: Option<usize>,
    palette: Palette,
    /// Whether morph targets move texture coordinates, colours or occlusion that fragments read, so that their blocks change from
    /// frame to frame.
    morphs_attributes: bool,
    morphed: Morphed,
}

/// Attributes after morph targets, kept where they change from frame to frame, so that no frame asks for memory.
#[derive(Default)]
struct Morphed {
    texcoords: [Vec<[f32; 2]>; 2],
    colors: Vec<[f32; 4]>,
    occlusion: Vec<f32>,
}

/// Whether morph targets move what is in a block, other than vectors.
fn is_morphed(primitive: &Primitive, block: VaryingBlock) -> bool {
    let mut targets = primitive.targets.iter();
    match block {
        VaryingBlock::Texcoords(_) => targets.any(|target| target.texcoords.iter().any(Option::is_some)),
        VaryingBlock::Color => targets.any(|target| target.colors.is_some()),
        VaryingBlock::Occlusion => targets.any(|target| target.occlusion.is_some()),
        VaryingBlock::Normal | VaryingBlock::Tangent | VaryingBlock::Position | VaryingBlock::JointColor => false,
    }
}

/// What all nodes that draw a primitive have in common.
#[derive(Debug)]
struct Shared {
    prepared: PreparedPrimitive,
    /// What is left of the primitive's influences, where the settings limit them.
    limited: Option<Influences>,
}

/// Prepares each primitive once, however many nodes draw it.
pub(super) struct Preparation {
    max_influences: Option<NonZeroUsize>,
    /// By the primitive's address.
    prepared: HashMap<usize, Arc<Shared>>,
}

impl Preparation {
    pub(super) fn new(max_influences: Option<NonZeroUsize>) -> Self {
        Self { max_influences, prepared: HashMap::new() }
    }

    fn of(&mut self, primitive: &Primitive) -> Arc<Shared> {
        let Self { max_influences, prepared } = self;
        let make = || {
            let limited = max_influences.and_then(|most| Some(limit_influences(primitive.influences.as_ref()?, most)));
            let prepared = match *max_influences {
                Some(most) => PreparedPrimitive::limited(primitive, most),
                None => PreparedPrimitive::new(primitive),
            };
            Arc::new(Shared { prepared, limited })
        };
        prepared.entry(std::ptr::from_ref(primitive).addr()).or_insert_with(make).clone()
    }
}

impl<'scene> PrimitiveStage<'scene> {
    pub(super) fn new(
        scene: &Scene,
        node: usize,
        primitive: &'scene Primitive,
        layout: VaryingLayout,
        preparation: &mut Preparation,
    ) -> Self {
        Self {
            node,
            primitive,
            deformed: DeformedVertices::default(),
            stream: VertexStream::default(),
            shared: preparation.of(primitive),
            // A mesh without joints under a node with a skin is placed by the node.
            skin: scene.nodes[node].skin.filter(|_| primitive.influences.is_some()),
            palette: Palette::default(),
            morphs_attributes: layout.blocks().iter().any(|block| is_morphed(primitive, *block)),
            morphed: Morphed::default(),
            layout,
        }
    }

    /// The primitive as the skinning kernels read it.
    pub(super) fn prepared(&self) -> &PreparedPrimitive {
        &self.shared.prepared
    }

    /// The skin that moves the vertices.
    pub(super) fn skin<'a>(&self, scene: &'a Scene) -> Option<&'a Skin> {
        self.skin.map(|skin| &scene.skins[skin])
    }

    /// The influences that move the vertices; none where the node does.
    pub(super) fn influences(&self) -> Option<&Influences> {
        self.shared.limited.as_ref().or(self.primitive.influences.as_ref()).filter(|_| self.skin.is_some())
    }

    /// The matrix of a joint of the skin after [`deform`](Self::deform), with its inverse bind matrix or without; where
    /// no skin moves the vertices, the node's.
    pub(super) fn joint_matrix(&self, scene: &Scene, pose: &Pose, joint: Option<usize>, without_bind: bool) -> Mat4 {
        match (joint, self.skin(scene)) {
            (Some(joint), Some(skin)) if without_bind => pose.worlds[skin.joints[joint]],
            (Some(joint), Some(_)) => self.palette.matrix(joint),
            _ => pose.worlds[self.node],
        }
    }

    /// Morphs and skins the vertices into world space.
    pub(super) fn deform(&mut self, scene: &Scene, pose: &Pose, settings: &RenderSettings) -> Result<(), RenderError> {
        let placement = match self.skin {
            Some(skin) => {
                self.palette.set_skin(&scene.skins[skin], pose);
                Placement::Skin(&self.palette)
            }
            None => Placement::Node(pose.worlds[self.node]),
        };
        let deformation = Deformation {
            primitive: &self.shared.prepared,
            placement,
            morph_weights: &pose.weights[self.node],
            method: settings.skinning,
            normals: settings.normals,
            level: settings.simd,
        };
        deformation.run(&mut self.deformed).map_err(|error| RenderError::skinning(scene, self.node, error))?;
        let count = self.deformed.len();
        self.check_range(scene, &self.deformed.positions().map(|plane| &plane[..count]), "in the world")
    }

    /// A vertex that is nowhere would be left out of the picture without a word.
    fn check_range(&self, scene: &Scene, planes: &[&[f32]], space: &'static str) -> Result<(), RenderError> {
        // Without a branch in the loop, which is looked at only where something is wrong.
        let is_beyond = |plane: &&[f32]| plane.iter().fold(false, |beyond, number| beyond | !number.is_finite());
        if !planes.iter().any(is_beyond) {
            return Ok(());
        }
        let vertices = 0..planes.first().map_or(0, |plane| plane.len());
        let count = vertices.filter(|&vertex| planes.iter().any(|plane| !plane[vertex].is_finite())).count();
        Err(RenderError::OutOfRange { place: scene.place(self.node, None), count, space })
    }

    /// Takes the deformed vertices to clip space and writes the varyings that the pose moves.
    pub(super) fn project(
        &mut self,
        scene: &Scene,
        view_projection: &Mat4,
        pose: &Pose,
        level: SimdLevel,
    ) -> Result<(), RenderError> {
        let fresh = self.stream.len() != self.primitive.positions.len();
        if fresh {
            self.stream.resize(self.primitive.positions.len(), self.layout.stride());
        }
        if fresh || self.morphs_attributes {
            self.write_attributes(&pose.weights[self.node], fresh);
        }
        let level = level.token_or_base();
        let Self { stream, deformed, .. } = self;
        let VertexStream { x, y, z, w, .. } = stream;
        let [x, y, z, w] = [x, y, z, w].map(|plane| Chunks::new(plane, TASK_VERTICES));
        let positions = deformed.positions();
        over(((x, y), (z, w)), |task, ((x, y), (z, w))| {
            let vertices = task * TASK_VERTICES..task * TASK_VERTICES + x.len();
            let positions = positions.map(|plane| &plane[vertices.clone()]);
            dispatch!(level, simd => transform(simd, view_projection, positions, [x, y, z, w]));
        });
        self.write_planes();
        let VertexStream { x, y, z, w, .. } = &self.stream;
        self.check_range(scene, &[x, y, z, w], "before the camera")
    }

    /// Takes the deformed vertices to the clip space of another camera, with the varyings of the stage's own stream or
    /// without.
    pub(super) fn project_into(
        &self,
        scene: &Scene,
        view_projection: &Mat4,
        level: SimdLevel,
        with_varyings: bool,
        stream: &mut VertexStream,
    ) -> Result<(), RenderError> {
        let count = self.primitive.positions.len();
        stream.resize(count, if with_varyings { self.layout.stride() } else { 0 });
        if with_varyings {
            stream.varyings.copy_from_slice(&self.stream.varyings);
        }
        let positions = self.deformed.positions().map(|plane| &plane[..count]);
        let VertexStream { x, y, z, w, .. } = stream;
        let level = level.token_or_base();
        dispatch!(level, simd => transform(simd, view_projection, positions, [x, y, z, w]));
        self.check_range(scene, &[x, y, z, w], "before a light")
    }

    /// Writes the blocks that come from the deformed vertices.
    fn write_planes(&mut self) {
        let stride = self.layout.stride();
        for (index, block) in self.layout.blocks().iter().enumerate() {
            let planes = match block {
                VaryingBlock::Normal => self.deformed.normals(),
                VaryingBlock::Position => Some(self.deformed.positions()),
                VaryingBlock::Tangent => {
                    if let Some(tangents) = self.deformed.tangents() {
                        write_tangents(&mut self.stream, index, tangents);
                    }
                    None
                }
                VaryingBlock::Texcoords(_)
                | VaryingBlock::Color
                | VaryingBlock::Occlusion
                | VaryingBlock::JointColor => None,
            };
            let Some([x, y, z]) = planes else { continue };
            over(Chunks::new(&mut self.stream.varyings, TASK_VERTICES * stride), |task, rows| {
                let first = task * TASK_VERTICES;
                let vertices = first..first + rows.len() / stride;
                let vectors = x[vertices.clone()].iter().zip(&y[vertices.clone()]).zip(&z[vertices]);
                for (row, ((&x, &y), &z)) in rows.chunks_exact_mut(stride).zip(vectors) {
                    row[4 * index..4 * index + 4].copy_from_slice(&[x, y, z, 0.0]);
                }
            });
        }
    }

    /// Writes the blocks that come from the file's attributes: all of them, or those that morph targets move.
    fn write_attributes(&mut self, weights: &[f32], all: bool) {
        let primitive = self.primitive;
        let Self { stream, shared, morphed, .. } = self;
        for (index, block) in self.layout.blocks().iter().enumerate() {
            let is_morphed = is_morphed(primitive, *block);
            if !all && !is_morphed {
                continue;
            }
            // What does not change is written once and then not kept.
            let mut once = Morphed::default();
            let Morphed { texcoords, colors, occlusion } = if is_morphed { &mut *morphed } else { &mut once };
            match *block {
                VaryingBlock::Normal | VaryingBlock::Tangent | VaryingBlock::Position => {}
                VaryingBlock::Texcoords(sets) => {
                    for (set, texcoords) in sets.iter().zip(&mut *texcoords) {
                        match *set {
                            Some(set) => morph_texcoords(primitive, set, weights, texcoords),
                            None => texcoords.clear(),
                        }
                    }
                    let at = |set: &[[f32; 2]], vertex| set.get(vertex).copied().unwrap_or_default();
                    fill(stream, index, |vertex| {
                        let [[u0, v0], [u1, v1]] = [at(&texcoords[0], vertex), at(&texcoords[1], vertex)];
                        [u0, v0, u1, v1]
                    });
                }
                VaryingBlock::Color => {
                    morph_colors(primitive, weights, colors);
                    fill(stream, index, |vertex| colors.get(vertex).copied().unwrap_or([1.0; 4]));
                }
                VaryingBlock::Occlusion => {
                    morph_occlusion(primitive, weights, occlusion);
                    fill(stream, index, |vertex| [occlusion.get(vertex).copied().unwrap_or(1.0), 0.0, 0.0, 0.0]);
                }
                VaryingBlock::JointColor => {
                    let Some(influences) = shared.limited.as_ref().or(primitive.influences.as_ref()) else { continue };
                    fill(stream, index, |vertex| {
                        let own = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
                        influence_color(&influences.joints[own.clone()], &influences.weights[own])
                    });
                }
            }
        }
    }
}

/// Writes tangents and their handedness into block `index` of every row.
fn write_tangents(stream: &mut VertexStream, index: usize, planes: [&[f32]; 4]) {
    let stride = stream.stride;
    over(Chunks::new(&mut stream.varyings, TASK_VERTICES * stride), |task, rows| {
        for (offset, row) in rows.chunks_exact_mut(stride).enumerate() {
            let vertex = task * TASK_VERTICES + offset;
            row[4 * index..4 * index + 4].copy_from_slice(&planes.map(|plane| plane[vertex]));
        }
    });
}

/// Writes block `index` of every row.
fn fill(stream: &mut VertexStream, index: usize, value: impl Fn(usize) -> [f32; 4]) {
    for (vertex, row) in stream.varyings.chunks_exact_mut(stream.stride).enumerate() {
        row[4 * index..4 * index + 4].copy_from_slice(&value(vertex));
    }
}

/// clip = matrix · (position, 1): each row `((m₀·x + m₁·y) + m₂·z) + m₃`, every operation rounded.
#[simd]
fn transform<S: Simd>(_: S, matrix: &Mat4, [x, y, z]: [&[f32]; 3], clip: [&mut [f32]; 4]) {
    for (row, out) in clip.into_iter().enumerate() {
        let [m0, m1, m2, m3] = matrix.row(row).to_array();
        for (((out, x), y), z) in out.iter_mut().zip(x).zip(y).zip(z) {
            *out = ((m0 * x + m1 * y) + m2 * z) + m3;
        }
    }
}
