//! [`VertexView`] and [`PixelView`]: every number that made a vertex or a pixel, collected for the inspector.
//!
//! The f32 numbers are those of the frame: the whole primitive is deformed as the renderer does it, since the order of a
//! sum depends on the vertices beside it. The exact ones are those of `refrast vertices`, evaluated for this vertex alone.

use glam::{Mat4, Vec3};

use super::{
    blend::{self, BlendStep},
    candidate::{CandidateVertices, Explanation, PixelVerdict, explain},
    deform::{Deformer, primitive},
    state::State,
    subject::VertexChoice,
};
use refrast_animation::Pose;
use refrast_canvas::Hit;
use refrast_envelope::vertex::{VertexInputs, exact_vertices};
use refrast_range::Rounding;
use refrast_scene::{Influences, MorphTarget, Primitive, Scene};
use refrast_skinning::{Palette, limit_influences};

/// Everything about a vertex in a pose.
#[derive(Clone, Debug)]
pub(super) struct VertexView {
    pub(super) choice: VertexChoice,
    /// The vertex in the file's accessors.
    pub(super) file_vertex: u32,
    pub(super) node_name: String,
    pub(super) texcoord: Option<[f32; 2]>,
    pub(super) position: Attribute<3>,
    pub(super) normal: Option<Attribute<3>>,
    pub(super) tangent: Option<Attribute<4>>,
    /// The rest position after morph targets, in mesh space.
    pub(super) morphed: [f32; 3],
    pub(super) influences: Vec<InfluenceView>,
    /// What the method does with them, where it does not add them up.
    pub(super) steps: Vec<BlendStep>,
    /// Why there are no posed numbers, where there are none.
    pub(super) error: Option<String>,
    /// Where the candidate has it.
    pub(super) candidate: Option<[f64; 3]>,
    /// What would bring it about there, best first; only where the candidate is out of bounds.
    pub(super) explanations: Vec<Explanation>,
}

/// An attribute from the file to the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<const N: usize> {
    /// As the file has it, in mesh space.
    pub(super) rest: [f32; N],
    /// In world space, as the frame uses it.
    pub(super) posed: [f32; N],
    /// The exact value; NaN where there is none.
    pub(super) exact: [f64; N],
    /// How far a correct backend may be from it; infinite where nothing is claimed.
    pub(super) bound: [f64; N],
}

impl<const N: usize> Attribute<N> {
    /// The distance of f32 from the exact value.
    pub(super) fn error(&self) -> [f64; N] {
        std::array::from_fn(|i| (f64::from(self.posed[i]) - self.exact[i]).abs())
    }

    /// The distance in bounds: up to 1 is accepted.
    pub(super) fn ratio(&self) -> [f64; N] {
        self.judge(self.posed.map(f64::from))
    }

    /// The distance of other values from the exact ones in bounds.
    pub(super) fn judge(&self, values: [f64; N]) -> [f64; N] {
        std::array::from_fn(|i| {
            let error = (values[i] - self.exact[i]).abs();
            if error == 0.0 { 0.0 } else { error / self.bound[i] }
        })
    }
}

/// A joint of a vertex.
#[derive(Clone, Debug)]
pub(super) struct InfluenceView {
    /// Index into the skin's joints.
    pub(super) joint: usize,
    /// The node that is the joint.
    pub(super) node: usize,
    pub(super) name: String,
    pub(super) weight: f32,
    /// world · inverse bind.
    pub(super) matrix: Mat4,
    /// weight · matrix · v: what a linear blend adds for this joint.
    pub(super) contribution: [f32; 3],
}

/// Everything about a pixel.
#[derive(Clone, Debug)]
pub(super) struct PixelView {
    pub(super) at: [u32; 2],
    /// Stored bytes.
    pub(super) color: [u8; 4],
    /// Nearest first.
    pub(super) hits: Vec<Hit>,
    pub(super) texcoord: Option<[f64; 2]>,
    /// The nearest texel of the base colour texture: its column, row and stored bytes.
    pub(super) texel: Option<([u32; 2], [u8; 4])>,
    /// What the envelope says of the candidate's pixel.
    pub(super) verdict: Option<PixelVerdict>,
    /// The section of the triangle, while sections are shown.
    pub(super) section: Option<usize>,
}

impl VertexView {
    /// Collects what is known of a vertex; `None` where there is no such vertex.
    pub(super) fn of(
        deformer: &mut Deformer,
        scene: &Scene,
        pose: &Pose,
        state: &State,
        choice: VertexChoice,
        candidate: Option<&CandidateVertices>,
    ) -> Option<Self> {
        let primitive = primitive(scene, choice.node, choice.primitive)?;
        if choice.vertex >= primitive.positions.len() {
            return None;
        }
        let vertex = choice.vertex;
        let deformed = deformer.run(scene, pose, state, state.method, (choice.node, choice.primitive));
        let deformed = deformed.map_err(|error| error.to_string());
        let alone = alone(primitive, vertex);
        let inputs = VertexInputs {
            max_influences: state.max_influences,
            method: state.method,
            normals: state.normals,
            ..VertexInputs::of_scene(scene, pose, choice.node, &alone)
        };
        let exact = exact_vertices(&inputs, Rounding::Nearest).map_err(|error| error.to_string());
        let morphed = morphed(primitive, vertex, &pose.weights[choice.node]);
        let node = &scene.nodes[choice.node];
        let posed = deformed.as_ref().ok();
        let exact_values = exact.as_ref().ok();
        let (influences, steps) = influences(scene, pose, state, choice, &alone, morphed);
        let mut view = Self {
            choice,
            file_vertex: primitive.source_vertices.get(vertex).copied().unwrap_or(vertex as u32),
            node_name: node.name.clone().unwrap_or_else(|| "unnamed".to_owned()),
            texcoord: primitive.texcoords.first().map(|set| set[vertex]),
            position: attribute(
                primitive.positions[vertex],
                posed.map(|posed| posed.position(vertex)),
                exact_values.map(|exact| &exact.position),
            ),
            normal: (primitive.normals.as_ref()).map(|normals| {
                let posed = posed.and_then(|posed| posed.normal(vertex));
                attribute(normals[vertex], posed, exact_values.and_then(|exact| exact.normal.as_ref()))
            }),
            tangent: (primitive.tangents.as_ref()).map(|tangents| {
                let posed = posed.and_then(|posed| posed.tangent(vertex));
                attribute(tangents[vertex], posed, exact_values.and_then(|exact| exact.tangent.as_ref()))
            }),
            morphed,
            influences,
            steps,
            error: deformed.as_ref().err().or(exact.as_ref().err()).cloned(),
            candidate: candidate.and_then(|candidate| candidate.position(primitive, choice)),
            explanations: Vec::new(),
        };
        let outside = |position: &[f64; 3]| view.position.judge(*position).iter().any(|ratio| *ratio > 1.0);
        if let Some(position) = view.candidate.filter(outside) {
            view.explanations = explain(scene, pose, &view, position);
        }
        Some(view)
    }
}

/// A primitive with this vertex only.
fn alone(primitive: &Primitive, vertex: usize) -> Primitive {
    let pick = |values: &Vec<[f32; 3]>| vec![values[vertex]];
    let target = |target: &MorphTarget| MorphTarget {
        positions: target.positions.as_ref().map(pick),
        normals: target.normals.as_ref().map(pick),
        tangents: target.tangents.as_ref().map(pick),
        ..MorphTarget::default()
    };
    Primitive {
        positions: vec![primitive.positions[vertex]],
        normals: primitive.normals.as_ref().map(pick),
        tangents: primitive.tangents.as_ref().map(|tangents| vec![tangents[vertex]]),
        influences: primitive.influences.as_ref().map(|influences| {
            let own = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            Influences {
                per_vertex: influences.per_vertex,
                joints: influences.joints[own.clone()].to_vec(),
                weights: influences.weights[own].to_vec(),
            }
        }),
        targets: primitive.targets.iter().map(target).collect(),
        ..Primitive::default()
    }
}

fn attribute<const N: usize>(
    rest: [f32; N],
    posed: Option<[f32; N]>,
    exact: Option<&refrast_measure::Attribute<N>>,
) -> Attribute<N> {
    let bounds = exact.and_then(|exact| exact.bounds.as_ref());
    Attribute {
        rest,
        posed: posed.unwrap_or([f32::NAN; N]),
        exact: exact.map_or([f64::NAN; N], |exact| exact.values[0]),
        bound: bounds.map_or([f64::INFINITY; N], |bounds| bounds[0]),
    }
}

/// base + Σ weight · displacement.
fn morphed(primitive: &Primitive, vertex: usize, weights: &[f32]) -> [f32; 3] {
    let targets = primitive.targets.iter().zip(weights);
    let displacements = targets.filter_map(|(target, &weight)| Some((target.positions.as_ref()?[vertex], weight)));
    let base = Vec3::from(primitive.positions[vertex]);
    displacements.fold(base, |sum, (displacement, weight)| sum + Vec3::from(displacement) * weight).to_array()
}

/// The influences of a vertex that count, heaviest first, and what the method does with them.
fn influences(
    scene: &Scene,
    pose: &Pose,
    state: &State,
    choice: VertexChoice,
    alone: &Primitive,
    morphed: [f32; 3],
) -> (Vec<InfluenceView>, Vec<BlendStep>) {
    let skin = scene.nodes[choice.node].skin.map(|skin| &scene.skins[skin]);
    let (Some(skin), Some(influences)) = (skin, &alone.influences) else { return Default::default() };
    let limited = state.max_influences.map(|most| limit_influences(influences, most));
    let influences = limited.as_ref().unwrap_or(influences);
    let palette = Palette::of_skin(skin, pose);
    let pairs = influences.joints.iter().zip(&influences.weights).filter(|&(_, &weight)| weight != 0.0);
    let mut views: Vec<InfluenceView> = pairs
        .map(|(&joint, &weight)| {
            let joint = usize::from(joint);
            let (node, matrix) = (skin.joints[joint], palette.matrix(joint));
            InfluenceView {
                joint,
                node,
                name: scene.nodes[node].name.clone().unwrap_or_else(|| format!("node {node}")),
                weight,
                matrix,
                contribution: (matrix.transform_point3(Vec3::from(morphed)) * weight).to_array(),
            }
        })
        .collect();
    let pairs: Vec<(usize, f32)> = views.iter().map(|view| (view.joint, view.weight)).collect();
    let steps = blend::steps(state.method, &palette, &pairs, morphed);
    views.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    (views, steps)
}

/// Collects what is known of a pixel of a picture.
pub(super) fn pixel(scene: &Scene, at: [u32; 2], color: [u8; 4], hits: Vec<Hit>) -> PixelView {
    let nearest = hits.first().copied();
    let surface = nearest.and_then(|hit| {
        let primitive = primitive(scene, hit.node, hit.primitive)?;
        let texture = scene.materials[primitive.material].base_color_texture;
        let set = primitive.texcoords.get(texture.map_or(0, |texture| texture.texcoord))?;
        let weighted = |axis: usize| {
            let terms = hit.vertices.iter().zip(hit.barycentrics);
            terms.map(|(&vertex, weight)| f64::from(set[vertex][axis]) * weight).sum::<f64>()
        };
        Some(([weighted(0), weighted(1)], texture))
    });
    let texel = surface.and_then(|([u, v], texture)| {
        let texture = texture?;
        let [u, v] = refrast_shading::transform_texcoord(&texture.transform, [u as f32, v as f32]);
        let image = &scene.images[scene.textures[texture.texture].image];
        let place = |coordinate: f32, size: u32| {
            let wrapped = coordinate - libm::floorf(coordinate);
            ((wrapped * size as f32) as u32).min(size.saturating_sub(1))
        };
        let (column, row) = (place(u, image.width), place(v, image.height));
        let start = 4 * (row as usize * image.width as usize + column as usize);
        let bytes = image.rgba.get(start..start + 4)?;
        Some(([column, row], [bytes[0], bytes[1], bytes[2], bytes[3]]))
    });
    PixelView { at, color, hits, texcoord: surface.map(|(texcoord, _)| texcoord), texel, verdict: None, section: None }
}
