//! Heat maps: a number of every vertex, painted over the surface, with a bar that says what the colours mean.

use super::{
    candidate::CandidateVertices,
    deform::Deformer,
    pick::place_of,
    stage::Stage,
    state::{Heat, HeatRange, State},
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
    /// Whether the colours stand for the logarithm of the number: what is below the lower end has its colour.
    pub(super) logarithmic: bool,
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
        color(self.place(value))
    }

    /// Where a number stands on the colour bar, 0 … 1.
    pub(super) fn place(&self, value: f32) -> f32 {
        let [low, high] = self.range;
        match self.logarithmic {
            true => libm::logf((value / low).max(1.0)) / libm::logf(high / low),
            false => (value - low) / (high - low).max(f32::MIN_POSITIVE),
        }
    }

    /// The number at a place of the colour bar, 0 … 1.
    pub(super) fn number(&self, place: f32) -> f32 {
        let [low, high] = self.range;
        match self.logarithmic {
            true => low * libm::powf(high / low, place),
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
        let spread = Spread::of(all().collect());
        let largest = spread.largest;
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
            Heat::Influences => ([0.0, largest.max(4.0)], "influences".to_owned(), ""),
            Heat::Error => ([0.0, 1.0], format!("f32 error ÷ bound, {}", at_most(short(largest))), ""),
            Heat::Difference => ([0.0, 0.0], format!("distance {}, {}", between(), at_most(short(largest))), " m"),
            Heat::Ulps => ([0.0, 0.0], format!("{}, {}", between(), at_most(short(largest))), " steps of f32"),
            Heat::Candidate => {
                let outside = all().filter(|&value| value > 1.0).count();
                let title =
                    format!("candidate's error ÷ bound, {outside} outside, {}", at_most(format!("{largest:.3e}")));
                ([0.0, 0.0], title, "")
            }
        };
        (map.range, map.title, map.unit) = (range, title, unit);
        map.bounded = matches!(state.heat, Heat::Error | Heat::Candidate);
        if state.heat.is_ranged() {
            (map.range, map.logarithmic) = spread.range(state.range);
        }
        map.worst = worst(&map.values, &keys);
        Ok(map)
    }
}

/// How the numbers of a map lie.
#[derive(Clone, Copy, Debug)]
struct Spread {
    largest: f32,
    /// 99 of 100 are not above it.
    percentile: f32,
    /// Half of those that are not 0 are not above it.
    median: f32,
}

impl Spread {
    /// Decades of [`HeatRange::Log`].
    const DECADES: f32 = 6.0;
    /// Colours are logarithmic where half of the numbers would have less than this part of them.
    const CROWDED: f32 = 1.0 / 64.0;
    /// And end at the percentile where that is less than this part of the largest.
    const FAR: f32 = 0.5;

    fn of(mut numbers: Vec<f32>) -> Self {
        numbers.sort_by(f32::total_cmp);
        let at = |numbers: &[f32], part: f64| {
            // The nearest rank.
            let rank = (part * numbers.len() as f64).ceil() as usize;
            numbers.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let zeros = numbers.partition_point(|&number| number <= 0.0);
        Self { largest: at(&numbers, 1.0).max(0.0), percentile: at(&numbers, 0.99), median: at(&numbers[zeros..], 0.5) }
    }

    /// The ends of the colours, and whether these are logarithmic.
    fn range(self, wanted: HeatRange) -> ([f32; 2], bool) {
        let Self { largest, percentile, median } = self;
        if largest <= 0.0 {
            return ([0.0, 1.0], false);
        }
        match wanted {
            HeatRange::Auto if median < Self::CROWDED * largest => self.range(HeatRange::Log),
            HeatRange::Auto if percentile < Self::FAR * largest => self.range(HeatRange::Percentile),
            HeatRange::Percentile if percentile > 0.0 => ([0.0, percentile], false),
            HeatRange::Auto | HeatRange::Full | HeatRange::Percentile => ([0.0, largest], false),
            HeatRange::Log => ([(largest * libm::powf(10.0, -Self::DECADES)).max(f32::MIN_POSITIVE), largest], true),
        }
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
    fn colours_run_from_end_to_end() {
        assert_eq!((color(-1.0), color(0.0), color(0.5), color(2.0)), (COLORS[0], COLORS[0], COLORS[4], COLORS[8]));
        let map = HeatMap { range: [2.0, 4.0], ..HeatMap::default() };
        assert_eq!(map.color(3.0), COLORS[4]);
        assert_eq!(map.number(0.5), 3.0);
        // Half of four decades up from 0.01 is 1.
        let map = HeatMap { range: [0.01, 100.0], logarithmic: true, ..HeatMap::default() };
        assert!((map.number(0.5) - 1.0).abs() < 1e-5, "{}", map.number(0.5));
        assert_eq!([0.0, 0.01, 1.0, 100.0].map(|value| map.color(value)), [0, 0, 4, 8].map(|place| COLORS[place]));
    }

    #[test]
    fn a_range_leaves_most_numbers_apart() {
        // 1 … 200: the 99th percentile is 198, the median 100.
        let even = Spread::of((1..=200).map(|number| number as f32).collect());
        assert_eq!((even.largest, even.percentile, even.median), (200.0, 198.0, 100.0));
        assert_eq!(even.range(HeatRange::Auto), ([0.0, 200.0], false));
        assert_eq!(even.range(HeatRange::Percentile), ([0.0, 198.0], false));
        // One of 200 is ten times as large as the others.
        let peak = Spread::of((0..200).map(|number| if number == 7 { 10.0 } else { 1.0 }).collect());
        assert_eq!(peak.range(HeatRange::Auto), ([0.0, 1.0], false));
        assert_eq!(peak.range(HeatRange::Full), ([0.0, 10.0], false));
        // Decades apart, and zeros that say nothing of the others.
        let steep = Spread::of(
            (0..=60).map(|number| if number % 2 == 0 { 0.0 } else { libm::powf(10.0, number as f32 / 10.0) }).collect(),
        );
        let ([low, high], logarithmic) = steep.range(HeatRange::Auto);
        assert!(logarithmic && (high / low / 1e6 - 1.0).abs() < 1e-3, "{low} {high}");
        assert_eq!(Spread::of(vec![0.0; 3]).range(HeatRange::Auto), ([0.0, 1.0], false));
        assert_eq!(Spread::of(Vec::new()).range(HeatRange::Log), ([0.0, 1.0], false));
    }
}
