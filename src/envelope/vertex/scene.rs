//! All vertices of a scene in a pose, as a vertex file has them.

use std::num::NonZeroUsize;

use thiserror::Error;

use super::{
    chain::{Chain, ChainPose},
    exact::{ExactVertices, exact_vertices, file_vertices_of},
    inputs::{ExactError, VertexInputs},
};
use refrast_animation::{Pose, PoseError};
use refrast_measure::{Attribute, Given, VertexAlternative, VertexBuffer, VertexId};
use refrast_range::Rounding;
use refrast_scene::{Primitive, Scene};
use refrast_skinning::{NormalMode, SkinningMethod};

/// What the vertices are evaluated by.
#[derive(Clone, Copy, Debug, Default)]
pub struct VertexSettings {
    /// What moves positions and tangents.
    pub method: SkinningMethod,
    /// What moves normals, as far as the method leaves it open.
    pub normals: NormalMode,
    /// The most influences a vertex keeps; `None` keeps all.
    pub max_influences: Option<NonZeroUsize>,
    /// How the backends that are to pass may round.
    pub rounding: Rounding,
}

/// A primitive has no exact vertices.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}, primitive {primitive}: {reason}")]
pub struct SceneVertexError {
    /// The file, the node that draws the primitive and the joint that is in the way, in words.
    pub place: String,
    /// The node that draws it.
    pub node: usize,
    /// The primitive within the node's mesh.
    pub primitive: usize,
    /// What is wrong.
    #[source]
    pub reason: ExactError,
}

/// There are no exact vertices of a file at a moment.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FileVertexError {
    /// There is no such moment.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// A primitive has none.
    #[error(transparent)]
    Vertices(#[from] SceneVertexError),
}

/// A primitive that the scene draws, and where its vertices are.
pub(super) struct DrawnPrimitive<'a> {
    pub(super) node: usize,
    pub(super) index: usize,
    pub(super) inputs: VertexInputs<'a>,
}

impl VertexSettings {
    /// The primitives that the scene draws, by node and then by primitive.
    pub(super) fn drawn<'a>(self, scene: &'a Scene, pose: &'a Pose) -> Vec<DrawnPrimitive<'a>> {
        let mut nodes = scene.drawn.clone();
        nodes.sort_unstable();
        let primitives = |node: usize| {
            let mesh = scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]);
            let primitives = mesh.map_or(&[][..], |mesh| mesh.primitives.as_slice());
            primitives.iter().enumerate().map(move |(index, primitive)| {
                let Self { method, normals, max_influences, .. } = self;
                let inputs = VertexInputs::of_scene(scene, pose, node, primitive);
                DrawnPrimitive { node, index, inputs: VertexInputs { method, normals, max_influences, ..inputs } }
            })
        };
        nodes.into_iter().flat_map(primitives).collect()
    }
}

impl DrawnPrimitive<'_> {
    pub(super) fn exact(&self, scene: &Scene, rounding: Rounding) -> Result<ExactVertices, SceneVertexError> {
        exact_vertices(&self.inputs, rounding).map_err(|reason| self.error(scene, reason))
    }

    fn of_file(&self, scene: &Scene, pose: &ChainPose, rounding: Rounding) -> Result<ExactVertices, SceneVertexError> {
        file_vertices_of(scene, pose, self.node, &self.inputs, rounding).map_err(|reason| self.error(scene, reason))
    }

    fn error(&self, scene: &Scene, reason: ExactError) -> SceneVertexError {
        let place = scene.place(self.node, reason.joint());
        SceneVertexError { place, node: self.node, primitive: self.index, reason }
    }
}

/// The exact vertices of everything that the scene draws, one row a vertex of the file: by node, primitive and vertex, for
/// backends that are given the pose's matrices and morph weights.
///
/// What belongs to a face and not to a vertex is NaN: the normals and tangents of flat primitives, and generated
/// tangents of which a vertex has more than one. So is a vertex that no triangle of such a primitive uses.
///
/// # Errors
///
/// Where the formula can not follow a joint.
pub fn scene_vertices(scene: &Scene, pose: &Pose, settings: VertexSettings) -> Result<VertexBuffer, SceneVertexError> {
    let drawn = settings.drawn(scene, pose);
    let (ids, alternative) = rows(&drawn, |drawn| drawn.exact(scene, settings.rounding))?;
    let VertexAlternative { position, normal, tangent, .. } = alternative;
    Ok(VertexBuffer {
        ids: Some(ids),
        position,
        normal,
        tangent,
        given: Some(Given::Palette),
        ..VertexBuffer::default()
    })
}

/// The same for backends that read the file themselves, at a moment of it. The first alternative, by refrast's own
/// [`Conventions`](super::Conventions), is the buffer's own; the others are its
/// [`alternatives`](VertexBuffer::alternatives).
///
/// # Errors
///
/// When there is no such moment, or the formula can not follow a joint.
pub fn file_vertices(scene: &Scene, chain: Chain, settings: VertexSettings) -> Result<VertexBuffer, FileVertexError> {
    let pose = match chain.clip {
        Some((animation, seconds)) => Pose::sample(scene, animation, seconds)?,
        None => Pose::rest(scene),
    };
    let drawn = settings.drawn(scene, &pose);
    let mut buffer = VertexBuffer { given: Some(Given::File), ..VertexBuffer::default() };
    for pose in ChainPose::alternatives(scene, chain, settings.rounding)? {
        let (ids, mut alternative) = rows(&drawn, |drawn| drawn.of_file(scene, &pose, settings.rounding))?;
        alternative.label = pose.conventions().label();
        if buffer.ids.is_none() {
            buffer.ids = Some(ids);
            (buffer.position, buffer.normal, buffer.tangent) =
                (alternative.position, alternative.normal, alternative.tangent);
        } else {
            buffer.alternatives.push(alternative);
        }
    }
    Ok(buffer)
}

/// A row for each vertex of the file.
fn rows(
    all: &[DrawnPrimitive<'_>],
    exact: impl Fn(&DrawnPrimitive<'_>) -> Result<ExactVertices, SceneVertexError>,
) -> Result<(Vec<VertexId>, VertexAlternative), SceneVertexError> {
    let (mut position, mut normal, mut tangent) = (Attribute::default(), Attribute::default(), Attribute::default());
    let mut ids = Vec::new();
    for drawn in all {
        let exact = exact(drawn)?;
        let rows = Rows::of(drawn.inputs.primitive);
        append(&mut position, Some(&exact.position), &rows.vertices);
        append(&mut normal, exact.normal.as_ref(), &rows.vertices);
        append(&mut tangent, exact.tangent.as_ref(), &rows.tangents);
        let (node, primitive) = (drawn.node as u32, drawn.index as u32);
        ids.extend((0..rows.vertices.len()).map(|vertex| VertexId { node, primitive, vertex: vertex as u32 }));
    }
    Ok((ids, VertexAlternative { label: String::new(), position, normal: Some(normal), tangent: Some(tangent) }))
}

/// For each vertex of the file the vertex of the primitive that stands for it; `None` where no triangle of a flat
/// primitive uses it.
pub fn first_vertices(primitive: &Primitive) -> Vec<Option<usize>> {
    Rows::of(primitive).vertices
}

/// For each vertex of the file the vertex of the scene that stands for it.
struct Rows {
    vertices: Vec<Option<usize>>,
    /// The same, where all vertices of the scene that came from it have one tangent.
    tangents: Vec<Option<usize>>,
}

impl Rows {
    fn of(primitive: &Primitive) -> Self {
        let mut vertices = vec![None; primitive.source_vertex_count];
        for (vertex, &source) in primitive.source_vertices.iter().enumerate() {
            vertices[source as usize].get_or_insert(vertex);
        }
        let mut tangents = vertices.clone();
        if let Some(values) = &primitive.tangents {
            let same = |a: usize, b: usize| values[a].map(f32::to_bits) == values[b].map(f32::to_bits);
            for (vertex, &source) in primitive.source_vertices.iter().enumerate() {
                let source = source as usize;
                if vertices[source].is_some_and(|first| !same(first, vertex)) {
                    tangents[source] = None;
                }
            }
        }
        Self { vertices, tangents }
    }
}

fn append<const N: usize>(to: &mut Attribute<N>, from: Option<&Attribute<N>>, rows: &[Option<usize>]) {
    let bounds = to.bounds.get_or_insert_default();
    for (to, from) in
        [(&mut to.values, from.map(|from| &from.values)), (bounds, from.and_then(|from| from.bounds.as_ref()))]
    {
        let pick = |row: &Option<usize>| row.zip(from).map_or([f64::NAN; N], |(vertex, values)| values[vertex]);
        to.reserve(rows.len());
        to.extend(rows.iter().map(pick));
    }
}
