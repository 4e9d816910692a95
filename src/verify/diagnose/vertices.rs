//! [`diagnose_vertices`]: hypotheses against a vertex buffer.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{Cause, DiagnoseError, Diagnosis, Finding, Place, Progress, Unit, explains, place::movements};
use refrast_envelope::vertex::{Chain, VertexSettings, file_vertices, first_vertices, scene_vertices};
use refrast_golden::{Attribute, Verdict, VertexBuffer, VertexCompareOptions, VertexComparison, VertexId};
use refrast_range::Rounding;
use refrast_render::{RenderError, RenderSettings};
use refrast_scene::Scene;
use refrast_simulator::{Fault, Faults, Moment, SimulatedVertices, Simulator, Variation};

/// How many hypotheses are told about.
const FINALISTS: usize = 10;

/// What a component adds at most to a distance, in sizes of the scene.
const FARTHEST: f64 = 0.05;

/// Which known mistake explains a vertex buffer that a backend made of the scene?
///
/// Of `settings` only what moves vertices counts.
///
/// # Errors
///
/// When the scene can not be skinned without a fault, or the candidate has other vertices.
pub fn diagnose_vertices(
    scene: &Scene,
    moment: Moment,
    settings: &RenderSettings,
    rounding: Rounding,
    candidate: &VertexBuffer,
    progress: Progress<'_>,
) -> Result<Diagnosis, DiagnoseError> {
    let pose = moment.pose(scene).map_err(RenderError::from)?;
    let formula = VertexSettings {
        method: settings.skinning,
        normals: settings.normals,
        max_influences: settings.max_influences,
        rounding,
    };
    let exact = scene_vertices(scene, &pose, formula)?;
    let options = VertexCompareOptions { accepted: None, worst: 0 };
    if let Some(mismatch) = VertexComparison::of(&exact, candidate, &options).mismatch {
        return Err(DiagnoseError::Shape(mismatch));
    }
    let wrong = outside(&exact, candidate);
    let total = exact.len() as u64;
    if wrong == 0 {
        return Ok(Diagnosis::new(Unit::Vertices, [total, wrong], [0; 2], Vec::new()));
    }

    let trial = Trial { scene, simulator: Simulator::new(scene)?, moment, settings, exact: &exact, candidate };
    let right = trial.play(Faults::default())?;
    let done = AtomicUsize::new(0);
    let play = |fault: Fault| {
        let played = trial.play(fault.into()).ok().filter(|played| !same_bits(played, &right));
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, Fault::ALL.len());
        played.map(|played| (fault, played))
    };
    let played: Vec<(Fault, VertexBuffer)> = Fault::ALL.into_par_iter().filter_map(play).collect();
    let silent = Fault::ALL.len() - played.len();

    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut findings: Vec<Finding> = Vec::new();
    let size = exact.position.values.iter().flatten().filter(|value| value.is_finite());
    let size = size.fold(f64::MIN_POSITIVE, |size, value| size.max(value.abs()));
    let from_right = distance(&exact, &right, candidate, size).max(f64::MIN_POSITIVE);
    for (fault, buffer) in &played {
        let place = *places.entry(bits(buffer)).or_insert(findings.len());
        match findings.get_mut(place) {
            Some(finding) => finding.same.push(Cause::from(*fault)),
            None => {
                let distance = distance(&exact, buffer, candidate, size);
                findings.push(Finding {
                    cause: Cause::from(*fault),
                    beside: None,
                    same: Vec::new(),
                    unexplained: 0,
                    exact: false,
                    distance,
                    score: 1.0 - distance / from_right,
                    explains: false,
                });
            }
        }
    }
    findings.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    findings.truncate(FINALISTS);
    for finding in &mut findings {
        let faults = finding.cause.faults();
        finding.unexplained = match trial.bounds_of_its_own(faults, formula) {
            Some(own) => {
                finding.exact = true;
                outside(&own, candidate)
            }
            None => trial.outside_of_what_is_played(faults)?,
        };
        finding.explains = explains(finding.unexplained, wrong);
    }
    // Who reads the file rounds elsewhere than who is given the palette, and makes no mistake by that.
    let chain = match moment {
        Moment::Rest => Chain::REST,
        Moment::Clip { animation, seconds } => Chain::clip(animation, seconds),
    };
    let reads_file = || {
        let golden = file_vertices(scene, chain, formula).ok()?;
        Some(VertexComparison::of(&golden, candidate, &options).verdict == Verdict::Same)
    };
    if !findings.iter().any(|finding| finding.explains) && reads_file().unwrap_or(false) {
        return Ok(Diagnosis::new(Unit::Vertices, [total, 0], [0; 2], Vec::new()));
    }
    let diagnosis = Diagnosis::new(Unit::Vertices, [total, wrong], [Fault::ALL.len(), silent], findings);
    let sources = |node: usize, primitive: usize, vertex: usize| {
        let primitive = scene.meshes.get(scene.nodes.get(node)?.mesh?)?.primitives.get(primitive)?;
        primitive.source_vertices.iter().position(|source| *source as usize == vertex)
    };
    let found = movements((scene, &pose), (&exact, candidate), sources);
    Ok(if found.is_empty() { diagnosis } else { diagnosis.located(Place::of_movements(found)) })
}

struct Trial<'a> {
    scene: &'a Scene,
    simulator: Simulator<'a>,
    moment: Moment,
    settings: &'a RenderSettings,
    exact: &'a VertexBuffer,
    candidate: &'a VertexBuffer,
}

impl Trial<'_> {
    fn play(&self, faults: Faults) -> Result<VertexBuffer, RenderError> {
        self.play_with(&Variation::default(), faults)
    }

    fn play_with(&self, variation: &Variation, faults: Faults) -> Result<VertexBuffer, RenderError> {
        let vertices = self.simulator.vertices(self.moment, self.settings, variation, faults)?;
        Ok(self.rows(&vertices))
    }

    /// The rows of a vertex file.
    fn rows(&self, vertices: &[SimulatedVertices]) -> VertexBuffer {
        let places: HashMap<(usize, usize), &SimulatedVertices> =
            vertices.iter().map(|vertices| ((vertices.node, vertices.primitive), vertices)).collect();
        let mut sources: HashMap<(usize, usize), Vec<Option<usize>>> = HashMap::new();
        let ids = self.exact.ids.as_deref().unwrap_or_default();
        let (mut positions, mut normals, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        for VertexId { node, primitive, vertex } in ids.iter().copied() {
            let place = (node as usize, primitive as usize);
            let first = sources.entry(place).or_insert_with(|| {
                let mesh = self.scene.nodes[place.0].mesh.map(|mesh| &self.scene.meshes[mesh]);
                mesh.map_or_else(Vec::new, |mesh| first_vertices(&mesh.primitives[place.1]))
            });
            let row = first.get(vertex as usize).copied().flatten();
            let played = places.get(&place).copied().zip(row);
            positions.push(value(played, |vertices| &vertices.positions));
            normals.push(value(played, |vertices| &vertices.normals));
            tangents.push(value(played, |vertices| &vertices.tangents));
        }
        VertexBuffer {
            ids: self.exact.ids.clone(),
            position: Attribute::without_bounds(positions),
            normal: Some(Attribute::without_bounds(normals)),
            tangent: Some(Attribute::without_bounds(tangents)),
            ..VertexBuffer::default()
        }
    }

    /// The exact vertices of the scene as a backend with this fault reads and poses it, with their bounds; `None` where the
    /// fault lies in more than that.
    fn bounds_of_its_own(&self, faults: Faults, formula: VertexSettings) -> Option<VertexBuffer> {
        let usual = Variation::default();
        let as_read = self.simulator.vertices_as_read(self.moment, self.settings, &usual, faults).ok()?;
        if !same_bits(&self.rows(&as_read), &self.play(faults).ok()?) {
            return None;
        }
        let (scene, pose) = self.simulator.as_read(self.moment, faults).ok()?;
        let exact = scene_vertices(&scene, &pose, formula).ok()?;
        (exact.ids == self.exact.ids).then_some(exact)
    }

    /// Rows that are farther from what is played, with any order and fusing of sums, than the bounds without a fault: those
    /// of the largest vertices where the fault makes them larger.
    fn outside_of_what_is_played(&self, faults: Faults) -> Result<u64, RenderError> {
        let orders = [(false, false), (false, true), (true, false), (true, true)];
        let play = |(fused, reversed)| self.play_with(&Variation { fused, reversed, ..Variation::REFERENCE }, faults);
        let played: Vec<VertexBuffer> = orders.into_iter().map(play).collect::<Result<_, _>>()?;
        let hull = VertexBuffer {
            ids: None,
            position: hull(&self.exact.position, &played, |buffer| Some(&buffer.position)),
            normal: self.exact.normal.as_ref().map(|own| hull(own, &played, |buffer| buffer.normal.as_ref())),
            tangent: self.exact.tangent.as_ref().map(|own| hull(own, &played, |buffer| buffer.tangent.as_ref())),
            ..VertexBuffer::default()
        };
        Ok(outside(&hull, self.candidate))
    }
}

fn value<const N: usize>(
    played: Option<(&SimulatedVertices, usize)>,
    of: impl Fn(&SimulatedVertices) -> &Vec<[f32; N]>,
) -> [f64; N] {
    let value = played.and_then(|(vertices, row)| of(vertices).get(row));
    value.map_or([f64::NAN; N], |value| value.map(f64::from))
}

/// What is played, as far as the exact vertices have a value: the middle of the least and the greatest number, and half of
/// their distance beside the bound.
fn hull<'a, const N: usize>(
    exact: &Attribute<N>,
    played: &'a [VertexBuffer],
    of: impl Fn(&'a VertexBuffer) -> Option<&'a Attribute<N>>,
) -> Attribute<N> {
    let played: Vec<&Attribute<N>> = played.iter().filter_map(of).collect();
    let largest = |attribute: &Attribute<N>| {
        attribute
            .values
            .iter()
            .flatten()
            .filter(|value| value.is_finite())
            .fold(0.0, |sum: f64, value| sum.max(value.abs()))
    };
    let grown = played.iter().map(|played| largest(played)).fold(0.0, f64::max) / largest(exact).max(f64::MIN_POSITIVE);
    let mut hull = Attribute { values: exact.values.clone(), bounds: Some(vec![[0.0; N]; exact.values.len()]) };
    let (values, bounds) = (&mut hull.values, hull.bounds.get_or_insert_default());
    for (row, (value, bound)) in values.iter_mut().zip(bounds).enumerate() {
        for component in 0..N {
            if value[component].is_nan() {
                continue;
            }
            let numbers = played.iter().map(|played| played.values[row][component]);
            let (low, high) = numbers
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
            let own = exact.bounds.as_ref().map_or(0.0, |bounds| bounds[row][component]);
            value[component] = 0.5 * (low + high);
            bound[component] = 0.5 * (high - low) + own * grown.max(1.0);
        }
    }
    hull
}

/// Rows with a component outside of its bound.
fn outside(allowed: &VertexBuffer, candidate: &VertexBuffer) -> u64 {
    let row = |row: usize| {
        lies_outside(Some(&allowed.position), Some(&candidate.position), row)
            || lies_outside(allowed.normal.as_ref(), candidate.normal.as_ref(), row)
            || lies_outside(allowed.tangent.as_ref(), candidate.tangent.as_ref(), row)
    };
    (0..allowed.len()).filter(|index| row(*index)).count() as u64
}

fn lies_outside<const N: usize>(allowed: Option<&Attribute<N>>, candidate: Option<&Attribute<N>>, row: usize) -> bool {
    let (Some(allowed), Some(candidate)) = (allowed, candidate) else { return false };
    let (value, other) = (allowed.values[row], candidate.values[row]);
    (0..N).any(|component| {
        let bound = allowed.bounds.as_ref().map_or(0.0, |bounds| bounds[row][component]);
        let far = (value[component] - other[component]).abs();
        !value[component].is_nan() && bound.is_finite() && (far.is_nan() || far > bound)
    })
}

/// Σ of distances of what the exact vertices have a value for, positions in sizes of the scene.
fn distance(exact: &VertexBuffer, played: &VertexBuffer, candidate: &VertexBuffer, size: f64) -> f64 {
    let directions = of_attribute(exact.normal.as_ref(), played.normal.as_ref(), candidate.normal.as_ref(), 1.0)
        + of_attribute(exact.tangent.as_ref(), played.tangent.as_ref(), candidate.tangent.as_ref(), 1.0);
    of_attribute(Some(&exact.position), Some(&played.position), Some(&candidate.position), size) + directions
}

fn of_attribute<const N: usize>(
    exact: Option<&Attribute<N>>,
    played: Option<&Attribute<N>>,
    candidate: Option<&Attribute<N>>,
    size: f64,
) -> f64 {
    let (Some(exact), Some(played), Some(candidate)) = (exact, played, candidate) else { return 0.0 };
    let rows = exact.values.iter().zip(&played.values).zip(&candidate.values);
    let components = rows.flat_map(|((exact, played), candidate)| {
        (0..N).filter(|component| !exact[*component].is_nan()).map(|component| {
            let far = ((played[component] - candidate[component]) / size).abs();
            if far.is_nan() { FARTHEST } else { far.min(FARTHEST) }
        })
    });
    components.sum()
}

fn bits(buffer: &VertexBuffer) -> Vec<u64> {
    let normals = buffer.normal.iter().flat_map(|normal| normal.values.as_flattened());
    let tangents = buffer.tangent.iter().flat_map(|tangent| tangent.values.as_flattened());
    buffer.position.values.as_flattened().iter().chain(normals).chain(tangents).map(|value| value.to_bits()).collect()
}

fn same_bits(a: &VertexBuffer, b: &VertexBuffer) -> bool {
    bits(a) == bits(b)
}
