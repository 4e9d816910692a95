//! [`diagnose_vertices`]: hypotheses against a vertex buffer.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    Cause, DiagnoseError, Diagnosis, Finding, Place, Progress, Step, Unit,
    buffer::Trial,
    explains,
    families::{Clues, of_vertices},
    place::movements,
    trial::{Causes, listed, one_of_each_family},
};
use refrast_envelope::vertex::{Chain, VertexSettings, file_vertices, first_vertices, scene_vertices};
use refrast_golden::{Verdict, VertexBuffer, VertexCompareOptions, VertexComparison};
use refrast_nearness::rows_outside;
use refrast_range::Rounding;
use refrast_scene::Scene;
use refrast_simulator::{Fault, Moment, Simulator};
use refrast_stage::{RenderError, RenderSettings};
use refrast_threads as threads;

/// How many hypotheses are told about.
const FINALISTS: usize = 10;

/// Hypotheses that may be one half of a pair.
const HALVES: usize = 4;

/// A half takes away a twentieth of the distance.
const WORTH: f64 = 0.05;

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
    let wrong = rows_outside(&exact, candidate);
    let total = exact.len() as u64;
    if wrong == 0 {
        return Ok(Diagnosis::new(Unit::Vertices, [total, wrong], [0; 2], Vec::new()));
    }

    progress(Step::Wrong { wrong, total, unit: Unit::Vertices });
    let size = exact.position.values.iter().flatten().filter(|value| value.is_finite());
    let size = size.fold(f64::MIN_POSITIVE, |size, value| size.max(value.abs()));
    let trial = Trial { scene, simulator: Simulator::new(scene)?, moment, settings, exact: &exact, candidate, size };
    let clues = Clues { joints: trial.joints(), ..Clues::new(scene, moment, settings.shading) };
    let families = of_vertices(&clues).into_iter().map(Cause::from);
    let causes: Vec<Causes> = Fault::ALL.into_iter().map(Cause::from).chain(families).map(Causes::from).collect();
    let tried = causes.len();
    let hypotheses = Hypotheses::of(&trial, causes, progress)?;
    let silent = tried - hypotheses.changing.len();
    let judged = |finding| judged(&trial, finding, formula, wrong);
    let mut findings: Vec<Finding> =
        hypotheses.findings.iter().take(FINALISTS).cloned().map(judged).collect::<Result<_, _>>()?;
    // Who reads the file rounds elsewhere than who is given the palette, and makes no mistake by that.
    let chain = match moment {
        Moment::Rest => Chain::REST,
        Moment::Clip { animation, seconds } => Chain::clip(animation, seconds),
    };
    let reads_file = || {
        let golden = file_vertices(scene, chain, formula).ok()?;
        Some(VertexComparison::of(&golden, candidate, &options).verdict == Verdict::Same)
    };
    let explained = |findings: &[Finding]| findings.iter().any(|finding| finding.explains);
    if !explained(&findings) && reads_file().unwrap_or(false) {
        return Ok(Diagnosis::new(Unit::Vertices, [total, 0], [0; 2], Vec::new()));
    }
    progress(Step::One(findings.iter().find(|finding| finding.explains)));
    if !explained(&findings) {
        let pairs = hypotheses.pairs(&trial, progress)?;
        let pairs: Vec<Finding> = pairs.into_iter().take(FINALISTS).map(judged).collect::<Result<_, _>>()?;
        findings.extend(pairs.into_iter().filter(|finding| finding.explains));
    }
    let findings = Diagnosis::new(Unit::Vertices, [total, wrong], [0; 2], findings).findings;
    let findings = one_of_each_family(findings.into_iter().map(listed).collect());
    let diagnosis = Diagnosis::new(Unit::Vertices, [total, wrong], [tried, silent], findings);
    let mut first: HashMap<[usize; 2], Vec<Option<usize>>> = HashMap::new();
    let sources = |node: usize, primitive: usize, vertex: usize| {
        let own = scene.meshes.get(scene.nodes.get(node)?.mesh?)?.primitives.get(primitive)?;
        *first.entry([node, primitive]).or_insert_with(|| first_vertices(own)).get(vertex)?
    };
    let found = movements((scene, &pose), (&exact, candidate), sources);
    Ok(if found.is_empty() { diagnosis } else { diagnosis.located(Place::of_movements(found)) })
}

/// A finding with what it leaves over.
fn judged(trial: &Trial<'_>, finding: Finding, formula: VertexSettings, wrong: u64) -> Result<Finding, RenderError> {
    let faults = Causes { first: finding.cause, beside: finding.beside }.faults();
    let (unexplained, exact) = match trial.bounds_of_its_own(faults, formula) {
        Some(own) => (rows_outside(&own, trial.candidate), true),
        None => (trial.outside_of_what_is_played(faults)?, false),
    };
    Ok(Finding { unexplained, exact, explains: explains(unexplained, wrong), ..finding })
}

/// What changes the vertices.
struct Hypotheses {
    /// Those that give the same bits are one; the nearest first.
    findings: Vec<Finding>,
    /// All causes of them.
    changing: Vec<Causes>,
}

impl Hypotheses {
    fn of(trial: &Trial<'_>, causes: Vec<Causes>, progress: Progress<'_>) -> Result<Self, RenderError> {
        let all = causes.len();
        let (right, from_right) = trial.right()?;
        let done = AtomicUsize::new(0);
        let test = |&causes: &Causes| {
            let tested = trial.tested(causes).filter(|(hash, _)| *hash != right);
            progress(Step::Tried { done: done.fetch_add(1, Ordering::Relaxed) + 1, of: all });
            tested.map(|(hash, distance)| (causes, hash, distance))
        };
        let tested: Vec<(Causes, u64, f64)> = threads::some_of(&causes, test);
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut findings: Vec<Finding> = Vec::new();
        for (causes, hash, distance) in &tested {
            let place = *places.entry(*hash).or_insert(findings.len());
            match findings.get_mut(place) {
                Some(finding) => finding.same.push(causes.beside.unwrap_or(causes.first)),
                None => findings.push(Finding {
                    cause: causes.first,
                    beside: causes.beside,
                    same: Vec::new(),
                    unexplained: 0,
                    exact: false,
                    distance: *distance,
                    score: 1.0 - distance / from_right,
                    explains: false,
                }),
            }
        }
        findings.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        Ok(Self { findings, changing: tested.into_iter().map(|(causes, ..)| causes).collect() })
    }

    /// Two mistakes at once: the nearest ones, each with everything else that changes a vertex; those that are nearer than either half.
    fn pairs(&self, trial: &Trial<'_>, progress: Progress<'_>) -> Result<Vec<Finding>, RenderError> {
        let halves = self.findings.iter().filter(|half| half.score >= WORTH).take(HALVES);
        let mut pairs: Vec<Causes> = Vec::new();
        for half in halves {
            for other in &self.changing {
                let is_known = |pair: &Causes| pair.first == other.first && pair.beside == Some(half.cause);
                if other.first != half.cause && !half.same.contains(&other.first) && !pairs.iter().any(is_known) {
                    pairs.push(Causes { first: half.cause, beside: Some(other.first) });
                }
            }
        }
        let pairs = Self::of(trial, pairs, progress)?.findings;
        let alone = |cause: Cause| {
            let own = self.findings.iter().find(|finding| finding.causes().any(|own| own == cause));
            own.map_or(f64::INFINITY, |finding| finding.distance)
        };
        let is_needed = |pair: &Finding| {
            let least = pair.beside.map_or(f64::INFINITY, alone).min(alone(pair.cause));
            pair.distance < least * (1.0 - WORTH)
        };
        Ok(pairs.into_iter().filter(is_needed).collect())
    }
}
