//! Heat maps: a number of every vertex, painted over the surface, with a bar that says what the colours mean.

use super::{
    candidate::CandidateVertices,
    deform::Deformer,
    pick::place_of,
    stage::Stage,
    state::{Heat, State},
    subject::VertexChoice,
};
use refrast_animation::Pose;
use refrast_envelope::vertex::{VertexInputs, exact_vertices};
use refrast_range::Rounding;
use refrast_render::Renderer;
use refrast_scene::{Primitive, Scene};
use refrast_skinning::{SkinningMethod, limit_influences};

/// Numbers of all vertices, and how they are shown.
#[derive(Clone, Debug, Default)]
pub(super) struct HeatMap {
    /// For each draw one number a vertex of its primitive.
    pub(super) values: Vec<Vec<f32>>,
    /// What the colours' ends stand for.
    pub(super) range: [f32; 2],
    /// Whether the colours stand for the logarithm of 1 + the number, so that few large ones leave the others apart.
    pub(super) logarithmic: bool,
    /// What the numbers are.
    pub(super) title: String,
    /// The vertices with the largest numbers, largest first.
    pub(super) worst: Vec<VertexChoice>,
}

/// How many of the worst vertices are kept.
const WORST: usize = 64;

/// Colours from low to high: Google's Turbo colour map (Mikhailov, 2019) at nine places.
const COLORS: [[u8; 3]; 9] = [
    [48, 18, 59],
    [70, 107, 227],
    [40, 188, 235],
    [50, 242, 152],
    [164, 252, 60],
    [238, 207, 58],
    [251, 128, 34],
    [208, 47, 5],
    [122, 4, 3],
];

/// The colour of a place in 0 … 1.
pub(super) fn color(place: f32) -> [u8; 3] {
    let place = place.clamp(0.0, 1.0) * (COLORS.len() - 1) as f32;
    let low = (place as usize).min(COLORS.len() - 2);
    let part = place - low as f32;
    std::array::from_fn(|i| {
        let (a, b) = (f32::from(COLORS[low][i]), f32::from(COLORS[low + 1][i]));
        (a + (b - a) * part + 0.5) as u8
    })
}

impl HeatMap {
    /// The colour of a number.
    pub(super) fn color(&self, value: f32) -> [u8; 3] {
        let [low, high] = self.range;
        let size = (high - low).max(f32::MIN_POSITIVE);
        match self.logarithmic {
            true => color(libm::log1pf((value - low).max(0.0)) / libm::log1pf(size)),
            false => color((value - low) / size),
        }
    }

    /// The number at a place of the colour bar, 0 … 1.
    pub(super) fn number(&self, place: f32) -> f32 {
        let [low, high] = self.range;
        match self.logarithmic {
            true => low + libm::expm1f(libm::log1pf(high - low) * place),
            false => low + (high - low) * place,
        }
    }

    /// The numbers that a state asks for.
    ///
    /// # Errors
    ///
    /// What is missing, or why a method can not follow a joint.
    pub(super) fn of(
        stage: &Stage<'_>,
        state: &State,
        deformer: &mut Deformer,
        candidate: Option<&CandidateVertices>,
    ) -> Result<Self, String> {
        if state.active_program().is_some() && matches!(state.heat, Heat::Error | Heat::Difference | Heat::Ulps) {
            return Err(format!(
                "--heat {} tells of native skinning: switch the vertex program off (Shift V)",
                state.heat
            ));
        }
        let renderer = stage.renderer();
        let mut map = Self { range: [0.0, 1.0], ..Self::default() };
        let mut keys = Vec::new();
        for (node, index, primitive) in draws(renderer) {
            let maker = Maker { scene: stage.scene(), pose: stage.pose(), state, node, index, primitive };
            map.values.push(maker.values(deformer, candidate)?);
            keys.push((node, index));
        }
        let all = || map.values.iter().flatten().copied().filter(|value| value.is_finite());
        let largest = all().fold(0.0, f32::max);
        let joint = || {
            state.joint.map_or_else(
                || "no joint: choose one on the left, or of a vertex".to_owned(),
                |joint| super::command_line::node_name(stage.scene(), joint),
            )
        };
        let (range, title) = match state.heat {
            Heat::None | Heat::Section => ([0.0, 1.0], String::new()),
            Heat::Weight => ([0.0, 1.0], format!("weight of {}", joint())),
            Heat::Influences => ([0.0, largest.max(4.0)], "influences".to_owned()),
            Heat::Error => ([0.0, 1.0], format!("f32 error ÷ bound, at most {largest:.4}")),
            Heat::Difference => {
                ([0.0, largest.max(1e-9)], format!("metres between {} and {}", state.method, state.other_method))
            }
            Heat::Ulps => {
                ([0.0, largest.max(1.0)], format!("steps of f32 between {} and {}", state.method, state.other_method))
            }
            Heat::Candidate => {
                let outside = all().filter(|&value| value > 1.0).count();
                ([0.0, 2.0], format!("candidate's error ÷ bound, {outside} outside, at most {largest:.3e}"))
            }
        };
        (map.range, map.title, map.logarithmic) = (range, title, state.heat == Heat::Ulps);
        map.worst = worst(&map.values, &keys);
        Ok(map)
    }
}

/// What is drawn: node, primitive within its mesh, and the primitive.
fn draws<'a>(renderer: &'a Renderer<'a>) -> impl Iterator<Item = (usize, usize, &'a Primitive)> {
    renderer.drawn_vertices().filter_map(|drawn| {
        let index = place_of(renderer.scene(), &drawn)?;
        Some((drawn.node, index, drawn.primitive))
    })
}

fn worst(values: &[Vec<f32>], keys: &[(usize, usize)]) -> Vec<VertexChoice> {
    let mut all: Vec<(f32, VertexChoice)> = Vec::new();
    for (values, &(node, primitive)) in values.iter().zip(keys) {
        let vertices = values.iter().enumerate().filter(|&(_, &value)| value > 0.0);
        all.extend(vertices.map(|(vertex, &value)| (value, VertexChoice { node, primitive, vertex })));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.truncate(WORST);
    all.into_iter().map(|(_, choice)| choice).collect()
}

/// A draw whose numbers are wanted.
struct Maker<'a> {
    scene: &'a Scene,
    pose: &'a Pose,
    state: &'a State,
    node: usize,
    index: usize,
    primitive: &'a Primitive,
}

impl Maker<'_> {
    fn values(&self, deformer: &mut Deformer, candidate: Option<&CandidateVertices>) -> Result<Vec<f32>, String> {
        let count = self.primitive.positions.len();
        match self.state.heat {
            Heat::None | Heat::Section => Ok(vec![f32::NAN; count]),
            Heat::Weight => Ok(self.weights(count)),
            Heat::Influences => Ok(self.influence_counts(count)),
            Heat::Error => {
                let posed = self.positions(deformer, self.state.method)?;
                self.ratios(|vertex| posed[vertex].map(f64::from))
            }
            Heat::Difference => self.differences(deformer, |a, b| {
                let squares =
                    [0, 1, 2].map(|i| (f64::from(a[i]) - f64::from(b[i])) * (f64::from(a[i]) - f64::from(b[i])));
                (squares[0] + squares[1] + squares[2]).sqrt() as f32
            }),
            Heat::Ulps => self.differences(deformer, |a, b| {
                let steps = [0, 1, 2].map(|i| (f64::from(a[i]) - f64::from(b[i])).abs() / f64::from(step(a[i])));
                steps[0].max(steps[1]).max(steps[2]) as f32
            }),
            Heat::Candidate => {
                let candidate = candidate.ok_or("there is no candidate: start with --candidate FILE (.npy or .png)")?;
                self.ratios(|vertex| {
                    let choice = VertexChoice { node: self.node, primitive: self.index, vertex };
                    candidate.position(self.primitive, choice).unwrap_or([f64::NAN; 3])
                })
            }
        }
    }

    /// Error ÷ bound of the worst component.
    fn ratios(&self, position: impl Fn(usize) -> [f64; 3]) -> Result<Vec<f32>, String> {
        let inputs = VertexInputs {
            max_influences: self.state.max_influences,
            method: self.state.method,
            normals: self.state.normals,
            ..VertexInputs::of_scene(self.scene, self.pose, self.node, self.primitive)
        };
        let exact = exact_vertices(&inputs, Rounding::Nearest).map_err(|error| error.to_string())?.position;
        let bounds = exact.bounds.unwrap_or_default();
        let ratio = |(vertex, (exact, bound)): (usize, (&[f64; 3], &[f64; 3]))| {
            let position = position(vertex);
            let ratios = [0, 1, 2].map(|i| {
                let error = (position[i] - exact[i]).abs();
                if error == 0.0 { 0.0 } else { error / bound[i] }
            });
            ratios[0].max(ratios[1]).max(ratios[2]) as f32
        };
        Ok(exact.values.iter().zip(&bounds).enumerate().map(ratio).collect())
    }

    fn positions(&self, deformer: &mut Deformer, method: SkinningMethod) -> Result<Vec<[f32; 3]>, String> {
        let deformed = deformer.run(self.scene, self.pose, self.state, method, (self.node, self.index));
        let deformed = deformed.map_err(|error| format!("{method}: {error}"))?;
        Ok((0..deformed.len()).map(|vertex| deformed.position(vertex)).collect())
    }

    fn differences(
        &self,
        deformer: &mut Deformer,
        distance: impl Fn([f32; 3], [f32; 3]) -> f32,
    ) -> Result<Vec<f32>, String> {
        let own = self.positions(deformer, self.state.method)?;
        let other = self.positions(deformer, self.state.other_method)?;
        Ok(own.into_iter().zip(other).map(|(own, other)| distance(own, other)).collect())
    }

    fn weights(&self, count: usize) -> Vec<f32> {
        let skin = self.scene.nodes[self.node].skin.map(|skin| &self.scene.skins[skin]);
        let (Some(skin), Some(influences)) = (skin, &self.primitive.influences) else { return vec![0.0; count] };
        let limited = self.state.max_influences.map(|most| limit_influences(influences, most));
        let influences = limited.as_ref().unwrap_or(influences);
        let joint = skin.joints.iter().position(|&node| Some(node) == self.state.joint);
        let vertices = influences.joints.chunks_exact(influences.per_vertex);
        let own = |(joints, weights): (&[u16], &[f32])| {
            let pairs = joints.iter().zip(weights).filter(|&(&own, _)| Some(usize::from(own)) == joint);
            pairs.map(|(_, weight)| weight).sum()
        };
        vertices.zip(influences.weights.chunks_exact(influences.per_vertex)).map(own).collect()
    }

    fn influence_counts(&self, count: usize) -> Vec<f32> {
        let Some(influences) = &self.primitive.influences else { return vec![0.0; count] };
        let most = self.state.max_influences.map_or(usize::MAX, std::num::NonZeroUsize::get);
        let vertices = influences.weights.chunks_exact(influences.per_vertex);
        vertices.map(|weights| weights.iter().filter(|&&weight| weight != 0.0).count().min(most) as f32).collect()
    }
}

/// The distance from a number to the next larger one of its size.
fn step(number: f32) -> f32 {
    let size = number.abs().max(f32::MIN_POSITIVE);
    f32::from_bits(size.to_bits() + 1) - size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_the_format() {
        assert_eq!((step(1.0), step(-1.5), step(2.0)), (f32::EPSILON, f32::EPSILON, 2.0 * f32::EPSILON));
        assert_eq!(step(0.0), f32::from_bits(1));
    }

    #[test]
    fn colours_run_from_end_to_end() {
        assert_eq!((color(-1.0), color(0.0), color(0.5), color(2.0)), (COLORS[0], COLORS[0], COLORS[4], COLORS[8]));
        let map = HeatMap { range: [2.0, 4.0], ..HeatMap::default() };
        assert_eq!(map.color(3.0), COLORS[4]);
        assert_eq!(map.number(0.5), 3.0);
        // ln(1 + 9999) ÷ 2 = ln 100.
        let map = HeatMap { range: [0.0, 9999.0], logarithmic: true, ..HeatMap::default() };
        assert!((map.number(0.5) - 99.0).abs() < 1e-3, "{}", map.number(0.5));
        assert_eq!((map.color(99.0), map.color(9999.0)), (COLORS[4], COLORS[8]));
    }
}
