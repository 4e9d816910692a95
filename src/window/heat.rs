//! Heat maps: a number of every vertex, painted over the surface, with a bar that says what the colours mean.

use super::{
    candidate::CandidateVertices,
    deform::Deformer,
    stage::Stage,
    state::{Heat, HeatRange, State},
    subject::VertexChoice,
};
use refrast_animation::Pose;
use refrast_canvas::{ColorBar, Spread, largest, place_of};
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
    /// Their colours.
    pub(super) bar: ColorBar,
    /// What the numbers are.
    pub(super) title: String,
    /// What they are counted in, as it stands behind them.
    pub(super) unit: &'static str,
    /// Whether 1 is the most that a correct backend may have.
    pub(super) bounded: bool,
    /// The vertices with the largest numbers, largest first.
    pub(super) worst: Vec<VertexChoice>,
}

/// How many of the worst vertices are kept.
const WORST: usize = 64;

impl HeatMap {
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
        let mut map = Self::default();
        let mut keys = Vec::new();
        for (node, index, primitive) in draws(renderer) {
            let maker = Maker { scene: stage.scene(), pose: stage.pose(), state, node, index, primitive };
            map.values.push(maker.values(deformer, candidate)?);
            keys.push((node, index));
        }
        let all = || map.values.iter().flatten().copied().filter(|value| value.is_finite());
        let spread = Spread::of(all().collect());
        let most = spread.largest;
        let joint = || {
            let name = |joint| super::command_line::node_name(stage.scene(), joint);
            match (state.joint, heaviest_joint(stage.scene(), state)) {
                (Some(joint), _) => name(joint),
                (None, Some(joint)) => format!("{}, the heaviest of the vertex", name(joint)),
                (None, None) => "no joint: choose one on the left, or a vertex".to_owned(),
            }
        };
        let between = || format!("between {} and {}", state.method, state.other_method);
        let at_most = |number: String| format!("at most {number}, 99 % below {}", short(spread.percentile));
        let (range, title, unit) = match state.heat {
            Heat::None | Heat::Section => ([0.0, 1.0], String::new(), ""),
            Heat::Weight => ([0.0, 1.0], format!("weight of {}", joint()), ""),
            Heat::Influences => ([0.0, most.max(4.0)], "influences".to_owned(), ""),
            Heat::Error => ([0.0, 1.0], format!("f32 error ÷ bound, {}", at_most(short(most))), ""),
            Heat::Difference => ([0.0, 0.0], format!("distance {}, {}", between(), at_most(short(most))), " m"),
            Heat::Ulps => ([0.0, 0.0], format!("{}, {}", between(), at_most(short(most))), " steps of f32"),
            Heat::Candidate => {
                let outside = all().filter(|&value| value > 1.0).count();
                let title = format!("candidate's error ÷ bound, {outside} outside, {}", at_most(format!("{most:.3e}")));
                ([0.0, 0.0], title, "")
            }
        };
        (map.bar, map.title, map.unit) = (ColorBar { range, logarithmic: false }, title, unit);
        map.bounded = matches!(state.heat, Heat::Error | Heat::Candidate);
        if state.heat.is_ranged() {
            map.bar = bar(spread, state.range);
        }
        let worst = largest(&map.values, WORST).into_iter();
        map.worst =
            worst.map(|[draw, vertex]| VertexChoice { node: keys[draw].0, primitive: keys[draw].1, vertex }).collect();
        Ok(map)
    }
}

/// Decades of [`HeatRange::Log`].
const DECADES: f32 = 6.0;
/// Colours are logarithmic where half of the numbers would have less than this part of them.
const CROWDED: f32 = 1.0 / 64.0;
/// And end at the percentile where that is less than this part of the largest.
const FAR: f32 = 0.5;

/// The colours of numbers that lie so.
fn bar(Spread { largest, percentile, median }: Spread, wanted: HeatRange) -> ColorBar {
    let linear = |range: [f32; 2]| ColorBar { range, logarithmic: false };
    if largest <= 0.0 {
        return linear([0.0, 1.0]);
    }
    let logarithmic = || ColorBar {
        range: [(largest * libm::powf(10.0, -DECADES)).max(f32::MIN_POSITIVE), largest],
        logarithmic: true,
    };
    match wanted {
        HeatRange::Log => logarithmic(),
        HeatRange::Auto if median < CROWDED * largest => logarithmic(),
        HeatRange::Auto if percentile < FAR * largest && percentile > 0.0 => linear([0.0, percentile]),
        HeatRange::Percentile if percentile > 0.0 => linear([0.0, percentile]),
        HeatRange::Auto | HeatRange::Full | HeatRange::Percentile => linear([0.0, largest]),
    }
}

/// A number in few letters.
pub(super) fn short(value: f32) -> String {
    if value == 0.0 || (0.01..10_000.0).contains(&value.abs()) { format!("{value:.3}") } else { format!("{value:.2e}") }
}

/// The joint that moves the inspected vertex most, of those that it keeps.
pub(super) fn heaviest_joint(scene: &Scene, state: &State) -> Option<usize> {
    let VertexChoice { node, primitive, vertex } = state.selected?;
    let skin = &scene.skins[scene.nodes.get(node)?.skin?];
    let influences = super::deform::primitive(scene, node, primitive)?.influences.as_ref()?;
    let own = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
    let pairs = influences.weights.get(own.clone())?.iter().zip(&influences.joints[own]);
    // Of equals the first.
    let heaviest = pairs.rev().max_by(|a, b| a.0.total_cmp(b.0))?;
    skin.joints.get(usize::from(*heaviest.1)).copied()
}

/// What is drawn: node, primitive within its mesh, and the primitive.
fn draws<'a>(renderer: &'a Renderer<'a>) -> impl Iterator<Item = (usize, usize, &'a Primitive)> {
    renderer.stage().drawn_vertices().filter_map(|drawn| {
        let index = place_of(renderer.scene(), &drawn)?;
        Some((drawn.node, index, drawn.primitive))
    })
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
        let wanted = self.state.joint.or_else(|| heaviest_joint(self.scene, self.state));
        let joint = skin.joints.iter().position(|&node| Some(node) == wanted);
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
    fn a_range_leaves_most_numbers_apart() {
        let linear = |end: f32| ColorBar { range: [0.0, end], logarithmic: false };
        // 1 … 200: the 99th percentile is 198, the median 100.
        let even = Spread { largest: 200.0, percentile: 198.0, median: 100.0 };
        assert_eq!(bar(even, HeatRange::Auto), linear(200.0));
        assert_eq!(bar(even, HeatRange::Percentile), linear(198.0));
        // One of 200 is ten times as large as the others.
        let peak = Spread { largest: 10.0, percentile: 1.0, median: 1.0 };
        assert_eq!(bar(peak, HeatRange::Auto), linear(1.0));
        assert_eq!(bar(peak, HeatRange::Full), linear(10.0));
        // Decades apart.
        let ColorBar { range: [low, high], logarithmic } =
            bar(Spread { largest: 1e6, percentile: 1e6, median: 1e3 }, HeatRange::Auto);
        assert!(logarithmic && (high / low / 1e6 - 1.0).abs() < 1e-3, "{low} {high}");
        let none = Spread { largest: 0.0, percentile: 0.0, median: 0.0 };
        assert_eq!([HeatRange::Auto, HeatRange::Log].map(|range| bar(none, range)), [linear(1.0); 2]);
    }
}
