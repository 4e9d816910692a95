//! A draw's vertices as a backend may compute them: positions, and what they carry to the fragments.
//!
//! Native skinning is evaluated exactly, with bounds ([`exact_vertices`]). A vertex program could be anything: there the
//! reference's own numbers are the centre, and around them lies what f32 may make of as many operations as the program has
//! (four roundings an instruction, as a dot product has), on numbers as large as those of the camera's matrices times the
//! vertex.
//!
//! A backend that reads the scene's file has matrices and morph weights of its own: there the positions have room for all that the
//! chain from the file's numbers may make of them ([`file_vertices_of`]), and colours and texture coordinates for the weights'
//! part of it. Lights and cameras are given to all.

use super::{
    color::{Varying, VertexVaryings},
    vertices::{ClipVertex, ToClip, around_stream},
};
use crate::vertex::{ChainPose, ExactError, ExactVertices, VertexInputs, exact_vertices, file_vertices_of};
use refrast_animation::Pose;
use refrast_range::Rounding;
use refrast_scene::{MorphTarget, Primitive};
use refrast_shading::VaryingBlock;
use refrast_stage::{Coloring, FrameDraw, FrameStage};
use refrast_threads as threads;

/// Vertices that a thread bounds at once.
const TASK_VERTICES: usize = 1 << 9;

/// The vertices of a draw.
pub(super) struct StageVertices {
    pub(super) clip: Vec<ClipVertex>,
    pub(super) varyings: VertexVaryings,
}

/// Roundings of an instruction: a product and three additions.
const PER_INSTRUCTION: u32 = 4;
/// Roundings of the arithmetic of attributes: morphing, and sums over influences.
const ATTRIBUTE: u32 = 16;

impl StageVertices {
    /// The vertices of a draw in the clip space of the frame's camera (`own_camera`), or in another one: there they have
    /// infinite radii where theory claims nothing.
    pub(super) fn of(
        frame: &FrameStage<'_>,
        (pose, file): (&Pose, Option<&ChainPose>),
        draw: &FrameDraw<'_>,
        (to_clip, own_camera): (&ToClip, bool),
        rounding: Rounding,
    ) -> Result<Self, ExactError> {
        let drawn = &draw.vertices;
        let settings = frame.settings();
        let inputs = VertexInputs {
            method: settings.skinning,
            normals: settings.normals,
            max_influences: settings.max_influences,
            ..VertexInputs::of_scene(frame.scene(), pose, drawn.node, drawn.primitive)
        };
        let exact = match file {
            None => exact_vertices(&inputs, rounding)?,
            Some(file) => file_vertices_of(frame.scene(), file, drawn.node, &inputs, rounding)?,
        };
        let morphed =
            file.map_or(0.0, |file| doubt_of_morphing(drawn.primitive, &file.doubts_of_weights(drawn.node, rounding)));
        let source = |vertex: usize| drawn.source_vertices.map_or(vertex, |sources| sources[vertex] as usize);
        let roundings = frame.program_length().map(|length| PER_INSTRUCTION * length as u32);
        let bounded = |vertex: usize| {
            let own = position(&exact, source(vertex));
            let skinned = to_clip.point(own.map(|[at, _]| at), own.map(|[_, radius]| radius));
            let is_bounded = skinned.radius.iter().all(|radius| radius.is_finite());
            match roundings {
                // The stream's clip space is that of the frame's camera.
                None if is_bounded || !own_camera => skinned,
                // Where theory claims nothing the reference's own formula is taken.
                None => around_stream(drawn.stream, vertex, to_clip.size(own.map(|[at, _]| at)), ATTRIBUTE, rounding),
                Some(count) => {
                    let size = to_clip.size(own.map(|[at, _]| at));
                    around_stream(drawn.stream, vertex, size, count + ATTRIBUTE, rounding)
                }
            }
        };
        let clip = threads::ranges(drawn.stream.len(), TASK_VERTICES, |range| range.map(bounded).collect::<Vec<_>>());
        let clip: Vec<ClipVertex> = clip.concat();
        let varyings = varyings(draw, &exact, roundings, (rounding, morphed));
        Ok(Self { clip, varyings })
    }
}

/// Each axis with its radius.
fn position(exact: &ExactVertices, vertex: usize) -> [[f64; 2]; 3] {
    let bound = exact.position.bounds.as_ref().map_or([f64::INFINITY; 3], |bounds| bounds[vertex]);
    std::array::from_fn(|axis| [exact.position.values[vertex][axis], bound[axis]])
}

/// How far colours, occlusion and texture coordinates may be off by the weights of the targets that displace them.
fn doubt_of_morphing(primitive: &Primitive, weights: &[f64]) -> f64 {
    let largest = |numbers: &mut dyn Iterator<Item = f32>| f64::from(numbers.fold(0.0f32, |most, x| most.max(x.abs())));
    let of = |target: &MorphTarget| {
        let texcoords = largest(&mut target.texcoords.iter().flatten().flatten().flatten().copied());
        let colors = largest(&mut target.colors.iter().flatten().flatten().copied());
        texcoords.max(colors).max(largest(&mut target.occlusion.iter().flatten().copied()))
    };
    primitive.targets.iter().zip(weights).map(|(target, doubt)| of(target) * doubt).sum()
}

fn varyings(
    draw: &FrameDraw<'_>,
    exact: &ExactVertices,
    program: Option<u32>,
    (rounding, morphed): (Rounding, f64),
) -> VertexVaryings {
    let stream = draw.vertices.stream;
    let mut all = VertexVaryings::exact(stream);
    let layout = match (&draw.coloring, program) {
        (Coloring::Material(layout), _) => layout,
        (Coloring::FixedFunction(_), roundings) => {
            let gamma = rounding.gamma(roundings.unwrap_or_default() + ATTRIBUTE);
            for vertex in 0..stream.len() {
                for number in all.row_mut(vertex) {
                    number.radius = gamma * number.value.abs().max(1.0);
                }
            }
            return all;
        }
    };
    let flat = (exact.normal.is_none() && layout.offset(VaryingBlock::Normal).is_some())
        .then(|| flat_normals(draw, exact, rounding));
    for (index, block) in layout.blocks().iter().enumerate() {
        for vertex in 0..stream.len() {
            let row = &mut all.row_mut(vertex)[4 * index..4 * index + 4];
            match block {
                VaryingBlock::Position => fill(row, position(exact, vertex)),
                VaryingBlock::Tangent => tangent(row, exact, vertex, flat.as_ref().map(|radius| radius[vertex])),
                VaryingBlock::Normal => match (&exact.normal, &flat) {
                    (Some(normals), _) => {
                        let bound = normals.bounds.as_ref().map_or([f64::INFINITY; 3], |bounds| bounds[vertex]);
                        fill(row, std::array::from_fn(|axis| [normals.values[vertex][axis], bound[axis]]));
                    }
                    (None, Some(radius)) => row[..3].iter_mut().for_each(|number| number.radius = radius[vertex]),
                    (None, None) => {}
                },
                VaryingBlock::Texcoords(_)
                | VaryingBlock::Color
                | VaryingBlock::Occlusion
                | VaryingBlock::JointColor => {
                    let morphs = !draw.vertices.primitive.targets.is_empty() || *block == VaryingBlock::JointColor;
                    let gamma = if morphs { rounding.gamma(ATTRIBUTE) } else { 0.0 };
                    row.iter_mut().for_each(|number| number.radius = gamma * number.value.abs().max(1.0) + morphed);
                }
            }
        }
    }
    all
}

/// Exact tangents with their bounds. On a flat surface the tangent is brought to right angles with the normal of its own
/// triangle: t − n·(t·n), divided by its length s = |sin| of the angle between the two, where a normal that is off by r in
/// each component moves it by at most 2·√3·r/s, and by as much again in the division.
fn tangent(row: &mut [Varying], exact: &ExactVertices, vertex: usize, flat: Option<f64>) {
    let Some(tangents) = &exact.tangent else { return };
    let bound = tangents.bounds.as_ref().map_or([f64::INFINITY; 4], |bounds| bounds[vertex]);
    let values = tangents.values[vertex];
    let Some(normal_radius) = flat else {
        fill(row, std::array::from_fn(|axis| [values[axis], bound[axis]]));
        row[3].radius = bound[3];
        return;
    };
    let own = [0, 1, 2].map(|axis: usize| row[axis].value);
    let along = [0, 1, 2].map(|axis: usize| own[axis] * values[axis]).iter().sum::<f64>();
    let largest = bound[..3].iter().fold(0.0, |most: f64, &bound| most.max(bound));
    let radius = 12.0 * (normal_radius + largest) / along.abs().max(f64::MIN_POSITIVE);
    for number in &mut row[..3] {
        number.radius = if radius < 0.25 { radius } else { f64::INFINITY };
    }
    row[3].radius = bound[3];
}

/// Exact numbers with their bounds; where nothing is claimed the reference's own stay, with what a unit vector may be off.
fn fill(row: &mut [Varying], numbers: [[f64; 2]; 3]) {
    for (number, [value, radius]) in row.iter_mut().zip(numbers) {
        *number = match radius.is_finite() && value.is_finite() {
            true => Varying { value, radius },
            false => Varying { value: number.value, radius: f64::INFINITY },
        };
    }
}

/// How far each component of a flat normal may be off: (b − a) × (c − a) over its length, with corners that are known to
/// within ε. The cross product moves by at most 2·ε·(|b − a| + |c − a|)·√2 and as much again for its roundings.
fn flat_normals(draw: &FrameDraw<'_>, exact: &ExactVertices, rounding: Rounding) -> Vec<f64> {
    let mut radius = vec![0.0f64; draw.vertices.stream.len()];
    for corners in draw.indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|corner| position(exact, corner as usize));
        let edge = |to: [[f64; 2]; 3]| -> [f64; 3] { std::array::from_fn(|axis| to[axis][0] - a[axis][0]) };
        let (u, v) = (edge(b), edge(c));
        let length = |vector: [f64; 3]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let (reach, area) = (length(u) + length(v), length(cross));
        let error = [a, b, c].iter().flatten().fold(0.0, |most: f64, [_, radius]| most.max(*radius));
        let moved = 4.0 * std::f64::consts::SQRT_2 * error * reach + rounding.gamma(8) * length(u) * length(v);
        let own = if moved < area { 2.0 * moved / area + rounding.gamma(16) } else { 2.0 };
        for &corner in corners {
            radius[corner as usize] = radius[corner as usize].max(own);
        }
    }
    radius
}
