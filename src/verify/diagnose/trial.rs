//! [`Trial`]: a picture on trial, and everything that a hypothesis is tested with.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    Cause, Diagnosis, Finding, NUMBERS_FIT_BETTER, Progress, Step, Unit, explains, explains_with,
    families::as_near_as_fitted,
};
use refrast_animation::Pose;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, FrameEnvelopeError, frame_envelope};
use refrast_golden::{
    Picture,
    envelope::{CheckOptions, Envelope, EnvelopeVerdict},
    xxh64,
};
use refrast_nearness::{Allowance, Evidence, distance, is_same_but_for_roundings, rows_of};
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_simulator::{BAND, Faults, Scale, Shot, Simulator, Variation};
use refrast_stage::RenderError;
use refrast_threads as threads;

/// How many bands of rows hypotheses are tested on (192 rows); of so many of them the first is where all are tested first.
pub(super) const BANDS: usize = 12;
pub(super) const FIRST: usize = 3;

/// A cause is looked at more closely where it comes nearer than a backend without a mistake, or is farther by no more than this part:
/// what it explains may be little of what is different.
const NEAR: [u64; 2] = [21, 20];

/// The part of the distance that a hypothesis has to take away by the usual choices, to be played with all others.
const HOPEFUL: f64 = 0.1;

/// How many hypotheses are looked at closely.
const FINALISTS: usize = 10;

/// How many of them get an envelope of their own, where they can.
const ENVELOPES: usize = 3;

/// The part of the distance that a mistake of three fitted numbers has to take away, and the wrong pixels that it takes to tell them: with
/// so many numbers a few pixels are met by chance, and none may be left over.
const OF_THREE_NUMBERS: f64 = 0.9;
const TELLS_THREE_NUMBERS: u64 = 16;

/// One cause, or two at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Causes {
    pub(super) first: Cause,
    pub(super) beside: Option<Cause>,
}

impl Causes {
    pub(super) fn faults(self) -> Faults {
        self.beside.map_or_else(|| self.first.faults(), |beside| self.first.faults().and(beside.faults()))
    }

    pub(super) fn chosen(self, variation: Variation) -> Variation {
        self.first.chosen(variation)
    }

    /// Whether one of them is.
    fn any(self, is: fn(Cause) -> bool) -> bool {
        std::iter::once(self.first).chain(self.beside).any(is)
    }

    /// The choices that it is played with where others are played with the usual ones: those, and where it matters both ways: of a grid
    /// so coarse that it is seen whether attributes follow the vertices to it, of two derivatives that are one whether an ellipse is made of
    /// them, of own decoding before a filter and after.
    fn usual(self, usual: Variation) -> Vec<Variation> {
        let usual = self.chosen(usual);
        let mut all = vec![usual];
        if self.any(Cause::coarsens_the_grid) {
            all.push(Variation { snapped_attributes: !usual.snapped_attributes, ..usual });
        }
        if self.any(Cause::gives_its_derivatives) {
            all.push(Variation { scale: Scale::Axis, ..usual });
        }
        if self.any(Cause::decodes_textures) {
            all.push(Variation { texels_by_powers: !usual.texels_by_powers, ..usual });
        }
        all
    }
}

impl From<Cause> for Causes {
    fn from(first: Cause) -> Self {
        Self { first, beside: None }
    }
}

/// Causes that give one and the same picture.
#[derive(Clone, Debug)]
pub(super) struct Hypothesis {
    pub(super) causes: Vec<Causes>,
    pub(super) distance: u64,
}

/// Causes after a first look.
pub(super) struct Sifted {
    /// Those that come nearer to the candidate, and those that could not be looked at.
    pub(super) near: Vec<Causes>,
    /// Those that come no nearer.
    pub(super) far: Vec<Causes>,
    /// How many change nothing, which are in neither.
    pub(super) silent: usize,
}

/// Everything that a hypothesis is tested with.
pub(super) struct Trial<'a> {
    pub(super) simulator: Simulator<'a>,
    pub(super) shot: Shot<'a>,
    pub(super) picture: &'a Picture,
    /// Its pixels.
    pub(super) candidate: &'a [[u8; 4]],
    pub(super) judged_by: EnvelopeSettings,
    pub(super) variations: Vec<Variation>,
    pub(super) allowance: Allowance,
    pub(super) evidence: Evidence,
    /// Whether it is off by a little nearly everywhere.
    pub(super) looks_dithered: bool,
    /// Bands of rows that hypotheses are tested on.
    pub(super) bands: Vec<bool>,
    /// Those of them that all hypotheses are tested on first.
    pub(super) first_bands: Vec<bool>,
    /// Pixels that are outside of the envelope without a fault.
    pub(super) wrong: u64,
}

impl Trial<'_> {
    /// A first look at all causes, on the first bands.
    pub(super) fn sifted(&self, causes: Vec<Causes>, progress: Progress<'_>) -> Result<Sifted, RenderError> {
        if self.first_bands == self.bands {
            return Ok(Sifted { near: causes, far: Vec::new(), silent: 0 });
        }
        let part = Part::of(self, &self.first_bands)?;
        let (steps, done) = (causes.len() + FINALISTS, AtomicUsize::new(0));
        let test = |&causes: &Causes| {
            let distance = part.nearest(causes).map(|(_, distance)| distance);
            progress(Step::Tried { done: done.fetch_add(1, Ordering::Relaxed) + 1, of: steps });
            (causes, distance)
        };
        let tested: Vec<(Causes, Option<u64>)> = threads::of(&causes, test);
        let silent = tested.iter().filter(|(_, distance)| distance.is_none()).count();
        let [more, whole] = NEAR;
        let is_near = |distance: Option<u64>| distance.is_some_and(|own| own / more <= part.from_right / whole);
        let (near, far): (Vec<_>, Vec<_>) = tested.into_iter().partition(|(_, distance)| is_near(*distance));
        let causes = |tested: Vec<(Causes, Option<u64>)>| tested.into_iter().map(|(causes, _)| causes).collect();
        Ok(Sifted { near: causes(near), far: causes(far), silent })
    }

    /// All hypotheses that change the picture, nearest first, and the number of causes that do not.
    pub(super) fn hypotheses(
        &self,
        causes: Vec<Causes>,
        progress: Progress<'_>,
    ) -> Result<(Vec<Hypothesis>, usize), RenderError> {
        let part = Part::of(self, &self.bands)?;
        let (all, steps, done) = (causes.len(), causes.len() + FINALISTS, AtomicUsize::new(0));
        let test = |&causes: &Causes| {
            let nearest = part.nearest(causes).map(|(hash, distance)| (causes, hash, distance));
            progress(Step::Tried { done: done.fetch_add(1, Ordering::Relaxed) + 1, of: steps });
            nearest
        };
        let played: Vec<(Causes, u64, u64)> = threads::some_of(&causes, test);
        let silent = all - played.len();
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut hypotheses: Vec<Hypothesis> = Vec::new();
        for (causes, hash, distance) in played {
            let place = *places.entry(hash).or_insert(hypotheses.len());
            match hypotheses.get_mut(place) {
                Some(hypothesis) if hypothesis.causes.contains(&causes) => {}
                Some(hypothesis) => hypothesis.causes.push(causes),
                None => hypotheses.push(Hypothesis { causes: vec![causes], distance }),
            }
        }
        hypotheses.sort_by_key(|hypothesis| hypothesis.distance);
        Ok((hypotheses, silent))
    }

    /// How far the candidate is from the usual backend without a mistake, on the bands that hypotheses are tested on.
    pub(super) fn distance_from_right(&self) -> Result<u64, RenderError> {
        Ok(Part::of(self, &self.bands)?.from_right)
    }

    /// What the nearest hypotheses leave unexplained, the best first.
    pub(super) fn findings(&self, hypotheses: &[Hypothesis], tried: usize, progress: Progress<'_>) -> Vec<Finding> {
        let (steps, done) = (tried + FINALISTS, AtomicUsize::new(tried));
        let finalists = self.finalists(hypotheses);
        let judged: Vec<(Finding, Vec<u8>)> = threads::of(&finalists, |hypothesis| {
            let finding = self.finding(hypothesis);
            progress(Step::Tried { done: done.fetch_add(1, Ordering::Relaxed) + 1, of: steps });
            finding
        });
        let judged = join(judged);
        let mut diagnosis = Diagnosis::new(Unit::Pixels, [0, self.wrong], [0; 2], judged);
        for finding in diagnosis.findings.iter_mut().take(ENVELOPES) {
            let causes = Causes { first: finding.cause, beside: finding.beside };
            // Numbers that were fitted are right but for their last digits: their own envelope proves them, and refutes nothing.
            let left = self.outside_of_its_envelope(causes.faults());
            if let Some(unexplained) = left.filter(|left| *left == 0 || !causes.any(Cause::is_fitted)) {
                finding.unexplained = unexplained;
                finding.exact = true;
                // What right backends come nearer to may be drawn by one with the mistake, but is no reason to think of it.
                finding.explains = explains(unexplained, self.wrong) && self.may_tell(causes) && finding.score > 0.0;
            }
        }
        // A number that was fitted and leaves something is worth no more than the proof about the mistake of the list that it is like.
        let refuted: Vec<Finding> =
            diagnosis.findings.iter().filter(|own| own.exact && !own.explains).cloned().collect();
        for finding in diagnosis.findings.iter_mut().filter(|own| own.explains && !own.exact && own.unexplained > 0) {
            let is_refuted = |own: &Finding| own.stands_for(finding) && finding.score - own.score <= NUMBERS_FIT_BETTER;
            finding.explains = !refuted.iter().any(is_refuted);
        }
        progress(Step::Tried { done: steps, of: steps });
        let findings = Diagnosis::new(Unit::Pixels, [0, self.wrong], [0; 2], diagnosis.findings).findings;
        one_of_each_family(findings)
    }

    /// The nearest hypotheses. Causes that gave the same on the bands that were tested may differ elsewhere.
    fn finalists(&self, hypotheses: &[Hypothesis]) -> Vec<Hypothesis> {
        let mut finalists = Vec::new();
        for hypothesis in hypotheses {
            if finalists.len() >= FINALISTS {
                break;
            }
            if hypothesis.causes.len() == 1 || self.bands.iter().all(|band| *band) {
                finalists.push(hypothesis.clone());
                continue;
            }
            let draw = |causes: &Causes| {
                let variation = causes.chosen(self.variations[0]);
                let frame = self.simulator.draw(&self.shot, &variation, causes.faults()).ok()?;
                Some((*causes, xxh64(&frame.rgba, 0), distance(self.candidate, &frame.rgba)))
            };
            let mut drawn: Vec<(Causes, u64, u64)> = threads::some_of(&hypothesis.causes, draw);
            drawn.sort_by_key(|&(_, hash, distance)| (distance, hash));
            finalists.extend(drawn.chunk_by(|a, b| a.1 == b.1).map(|same| Hypothesis {
                causes: same.iter().map(|(causes, ..)| *causes).collect(),
                distance: same[0].2,
            }));
        }
        finalists.truncate(FINALISTS);
        finalists
    }

    /// The pictures of backends with these causes. Numbers that were fitted are known as far as the steps they were fitted with:
    /// those around them are among the pictures, by the usual backend.
    pub(super) fn pictures(&self, causes: Causes) -> Vec<Vec<u8>> {
        let mut played: Vec<(Variation, Faults)> =
            self.variations.iter().map(|variation| (causes.chosen(*variation), causes.faults())).collect();
        let usual = played[0].0;
        played.extend(causes.usual(self.variations[0]).into_iter().skip(1).map(|own| (own, causes.faults())));
        let around = |cause: Cause| cause.parametric().map(as_near_as_fitted).unwrap_or_default();
        let beside = causes.beside.map_or_else(Faults::default, Cause::faults);
        played.extend(around(causes.first).into_iter().map(|near| (usual, beside.and(near))));
        let near_beside = causes.beside.map(around).unwrap_or_default();
        played.extend(near_beside.into_iter().map(|near| (usual, causes.first.faults().and(near))));
        threads::some_of(&played, |(variation, faults)| {
            Some(self.simulator.draw(&self.shot, variation, *faults).ok()?.rgba)
        })
    }

    /// As [`pictures`](Self::pictures), where those of the usual backend give reason to hope; else an error, which is those alone.
    pub(super) fn pictures_of_hopeful(&self, causes: Causes) -> Result<Vec<Vec<u8>>, Vec<Vec<u8>>> {
        let usual = causes.usual(self.variations[0]).into_iter();
        let usual = usual.filter_map(|own| self.simulator.draw(&self.shot, &own, causes.faults()).ok());
        let usual: Vec<Vec<u8>> = usual.map(|frame| frame.rgba).collect();
        let is_hopeful = self.evidence.score_of_wrong(self.candidate, &usual) >= HOPEFUL;
        if is_hopeful { Ok(self.pictures(causes)) } else { Err(usual) }
    }

    /// Whether enough is wrong to tell the numbers of such causes.
    fn may_tell(&self, causes: Causes) -> bool {
        !causes.any(Cause::has_three_numbers) || self.wrong >= TELLS_THREE_NUMBERS
    }

    /// A finding, and the picture of the usual backend with it.
    fn finding(&self, hypothesis: &Hypothesis) -> (Finding, Vec<u8>) {
        let causes = hypothesis.causes[0];
        let (Ok(pictures) | Err(pictures)) = self.pictures_of_hopeful(causes);
        let nearest = pictures.iter().map(|picture| distance(self.candidate, picture)).min();
        let unexplained = self.allowance.unexplained(self.candidate, &pictures);
        let score = self.evidence.score(self.candidate, &pictures);
        let explains = if causes.any(Cause::is_fitted) {
            explains(unexplained, self.wrong)
        } else {
            explains_with(score, unexplained, self.wrong)
        };
        let is_met = !causes.any(Cause::has_three_numbers) || (score >= OF_THREE_NUMBERS && unexplained == 0);
        let speaks = self.evidence.speaks_for(score) && is_met && self.may_tell(causes);
        let finding = Finding {
            cause: causes.first,
            beside: causes.beside,
            same: others(hypothesis),
            unexplained,
            exact: false,
            distance: nearest.unwrap_or(hypothesis.distance) as f64,
            score,
            explains: explains && speaks,
        };
        (finding, pictures.into_iter().next().unwrap_or_default())
    }

    /// How many pixels lie outside of the envelope of the scene as a backend with these faults reads and poses it; `None`
    /// where a fault lies in more than that.
    pub(super) fn outside_of_its_envelope(&self, faults: Faults) -> Option<u64> {
        let usual = &self.variations[0];
        let with = self.simulator.draw(&self.shot, usual, faults).ok()?;
        let as_read = self.simulator.draw_as_read(&self.shot, usual, faults).ok()?;
        if with != as_read || faults == Faults::default() {
            return None;
        }
        let (scene, pose) = self.simulator.as_read(self.shot.moment, faults).ok()?;
        // Who reads the file makes the right pose of it: bounds of that are none of a mistake in posing.
        let own = self.shot.moment.pose(&scene).ok()?;
        let is_of_file = own.worlds == pose.worlds && own.weights == pose.weights;
        let judged_by = EnvelopeSettings { file: self.judged_by.file.filter(|_| is_of_file), ..self.judged_by };
        let envelope = envelope(&scene, &self.shot, pose, judged_by).ok()?.envelope;
        Some(check(&envelope, self.picture).ok()?.wrong())
    }
}

/// Some bands of the picture on trial.
struct Part<'a> {
    trial: &'a Trial<'a>,
    bands: &'a [bool],
    candidate: Vec<u8>,
    /// By the usual backend without a mistake.
    right: Vec<u8>,
    from_right: u64,
}

impl<'a> Part<'a> {
    fn of(trial: &'a Trial<'a>, bands: &'a [bool]) -> Result<Self, RenderError> {
        let candidate = rows_of(trial.candidate, bands, BAND * trial.shot.settings.width as usize);
        let own = Self { trial, bands, candidate, right: Vec::new(), from_right: 0 };
        let right = own.play(&trial.variations[0], Faults::default())?;
        Ok(Self { from_right: own.distance(&right), right, ..own })
    }

    fn play(&self, variation: &Variation, faults: Faults) -> Result<Vec<u8>, RenderError> {
        let Trial { simulator, shot, .. } = self.trial;
        let frame = simulator.draw_bands(shot, variation, faults, self.bands)?;
        Ok(rows_of(frame.rgba.as_chunks::<4>().0, self.bands, BAND * shot.settings.width as usize))
    }

    fn distance(&self, rows: &[u8]) -> u64 {
        distance(self.candidate.as_chunks::<4>().0, rows)
    }

    /// The picture that comes nearest, as its hash, and how near; none where the causes change nothing. A mistake that ends in an
    /// error draws no picture at all.
    fn nearest(&self, causes: Causes) -> Option<(u64, u64)> {
        let variations = causes.usual(self.trial.variations[0]).into_iter();
        let played = variations.filter_map(|own| self.play(&own, causes.faults()).ok());
        let changed = played.filter(|rows| *rows != self.right);
        changed.map(|rows| (xxh64(&rows, 0), self.distance(&rows))).min_by_key(|&(_, distance)| distance)
    }
}

/// The envelope of a scene.
fn envelope(
    scene: &Scene,
    shot: &Shot<'_>,
    pose: Pose,
    judged_by: EnvelopeSettings,
) -> Result<FrameEnvelope, FrameEnvelopeError> {
    let mut renderer = Renderer::new(scene, *shot.settings)?;
    frame_envelope(&mut renderer, &pose, shot.camera, judged_by)
}

pub(super) fn check(envelope: &Envelope, candidate: &Picture) -> Result<EnvelopeVerdict, FrameEnvelopeError> {
    Ok(envelope.check(candidate, &CheckOptions::default())?)
}

/// Joins findings whose pictures are the same but for roundings: no candidate can tell them apart. A member of a family that is
/// the same as a fault of the list is left out: the fault says more.
fn join(judged: Vec<(Finding, Vec<u8>)>) -> Vec<Finding> {
    let mut joined: Vec<(Finding, Vec<u8>)> = Vec::new();
    for (finding, picture) in judged {
        let same = |other: &&mut (Finding, Vec<u8>)| {
            other.0.explains == finding.explains && !picture.is_empty() && is_same_but_for_roundings(&other.1, &picture)
        };
        match joined.iter_mut().find(same) {
            Some((other, _)) if other.distance <= finding.distance => stand_beside(other, &finding),
            Some((other, _)) => {
                let farther = std::mem::replace(other, finding);
                stand_beside(other, &farther);
            }
            None => joined.push((finding, picture)),
        }
    }
    joined.into_iter().map(|(finding, _)| listed(finding)).collect()
}

/// The causes that may stand in the place of a hypothesis' first one: of pairs, in the place of either half. Not those that differ
/// from what is told in the last digits of their numbers.
fn others(hypothesis: &Hypothesis) -> Vec<Cause> {
    let told = hypothesis.causes[0];
    let mut others: Vec<Cause> = Vec::new();
    for causes in &hypothesis.causes[1..] {
        for cause in std::iter::once(causes.first).chain(causes.beside) {
            let is_told = |own: Cause| own == cause || (cause.is_fitted() && own.is_like(cause));
            if !std::iter::once(told.first).chain(told.beside).chain(others.iter().copied()).any(is_told) {
                others.push(cause);
            }
        }
    }
    others
}

/// Adds the causes of a finding that gives the same; not those that differ in the last digits of their numbers.
fn stand_beside(told: &mut Finding, other: &Finding) {
    for cause in other.causes().chain(other.beside) {
        let is_told = |own: Cause| own == cause || (cause.is_fitted() && own.is_like(cause));
        if !told.causes().chain(told.beside).any(is_told) {
            told.same.push(cause);
        }
    }
}

/// Of findings that differ by nothing but numbers the first, which is the best.
pub(super) fn one_of_each_family(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let is_like = |known: &Finding| {
            let halves = |[own, other]: [Option<Cause>; 2]| match (own, other) {
                (Some(own), Some(other)) => own.is_like(other),
                (own, other) => own == other,
            };
            let [own, other] = [&finding, known].map(|finding| [Some(finding.cause), finding.beside]);
            (halves([own[0], other[0]]) && halves([own[1], other[1]]))
                || (halves([own[0], other[1]]) && halves([own[1], other[0]]))
        };
        if !kept.iter().any(is_like) {
            kept.push(finding);
        }
    }
    kept
}

/// The finding without members of families that are a fault of the list, where that gives the same.
pub(super) fn listed(finding: Finding) -> Finding {
    let causes: Vec<Cause> = finding.causes().collect();
    let is_known = |cause: &Cause| match cause {
        Cause::Parametric(own) => own.listed().iter().any(|fault| causes.iter().any(|cause| cause == fault)),
        Cause::Fault(_) | Cause::Undeclared { .. } => false,
    };
    let mut kept = causes.iter().copied().filter(|cause| !is_known(cause));
    match kept.next() {
        Some(cause) if finding.beside.is_none() => Finding { cause, same: kept.collect(), ..finding },
        _ => finding,
    }
}
