//! [`diagnose_picture`]: hypotheses against a picture.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{
    DiagnoseError, Diagnosis, Finding, Progress, Unit,
    allowance::{Allowance, distance},
    evidence::Evidence,
    explains,
    variations::variations,
};
use crate::{
    right_if::right_if,
    setup::{Change, Question, Setup, SetupError, Source, find_setup},
};
use refrast_animation::Pose;
use refrast_envelope::{EnvelopeSettings, FrameEnvelopeError, frame_envelope};
use refrast_golden::{
    Picture,
    envelope::{CheckOptions, Envelope, EnvelopeVerdict, PixelClass},
    xxh64,
};
use refrast_render::{RenderError, Renderer};
use refrast_scene::Scene;
use refrast_simulator::{BAND, Fault, Shot, Simulator, Variation};

/// How many bands of rows all hypotheses are tested on: 192 rows.
const BANDS: usize = 12;

/// How many hypotheses are looked at closely.
const FINALISTS: usize = 10;

/// How many of them get an envelope of their own, where they can.
const ENVELOPES: usize = 3;

/// Faults that give one and the same picture.
struct Hypothesis {
    faults: Vec<Fault>,
    distance: u64,
}

/// Which known mistake explains a picture that a backend drew of the shot, when what `judged_by` says is no mistake? A
/// [`Profile`](refrast_range::Profile) is what it says of itself.
///
/// Takes about as long as drawing a hundred pictures.
///
/// # Errors
///
/// When the shot can not be drawn without a fault, or the candidate has another size.
pub fn diagnose_picture(
    scene: &Scene,
    shot: &Shot<'_>,
    judged_by: impl Into<EnvelopeSettings>,
    candidate: &Picture,
    progress: Progress<'_>,
) -> Result<Diagnosis, DiagnoseError> {
    diagnose(scene, shot, judged_by.into(), candidate, progress, || Ok(None))
}

/// As [`diagnose_picture`], but before any mistake is thought of it is asked whether the picture is right under other options
/// ([`find_setup`]): then nothing is wrong with the backend.
///
/// # Errors
///
/// When the set-up can not be drawn without a fault, or the candidate has another size.
pub fn diagnose_setup(
    question: &Question<'_>,
    setup: &Setup,
    progress: Progress<'_>,
) -> Result<Diagnosis, DiagnoseError> {
    let camera = question.camera_of(setup)?;
    let shot = Shot { moment: setup.moment, camera: &camera, settings: &setup.settings };
    let Question { scene, candidate, .. } = *question;
    diagnose(scene, &shot, question.judged_by(setup.moment), candidate, progress, || find_setup(question, setup))
}

fn diagnose(
    scene: &Scene,
    shot: &Shot<'_>,
    judged_by: EnvelopeSettings,
    candidate: &Picture,
    progress: Progress<'_>,
    find_setup: impl FnOnce() -> Result<Option<Vec<Change>>, SetupError>,
) -> Result<Diagnosis, DiagnoseError> {
    let (width, height) = (shot.settings.width, shot.settings.height);
    if candidate.size() != (width, height) {
        let (own_width, own_height) = candidate.size();
        return Err(DiagnoseError::Shape(format!(
            "it has {own_width}x{own_height} pixels, the picture of the scene {width}x{height}"
        )));
    }
    let profile = judged_by.profile;
    let pose = shot.moment.pose(scene).map_err(RenderError::from)?;
    let envelope = envelope(scene, shot, pose, judged_by)?;
    let verdict = check(&envelope, candidate)?;
    let wrong = verdict.wrong();
    let total = u64::from(width) * u64::from(height);
    if wrong == 0 {
        return Ok(Diagnosis::new(Unit::Pixels, [total, wrong], [0; 2], Vec::new()));
    }
    if let Some(changes) = find_setup()? {
        return Ok(Diagnosis::new(Unit::Pixels, [total, wrong], [0; 2], Vec::new()).right_with(changes));
    }

    let bytes = candidate.samples8();
    let simulator = Simulator::new(scene)?;
    let variations = variations(profile);
    let right = variations.par_iter().map(|variation| simulator.draw(shot, variation, &[]));
    let right: Vec<Vec<u8>> = right.map(|frame| frame.map(|frame| frame.rgba)).collect::<Result<_, _>>()?;
    let trial = Trial {
        evidence: Evidence::of(&verdict, bytes.as_chunks::<4>().0, &right),
        simulator,
        shot: *shot,
        candidate: bytes.as_chunks::<4>().0,
        variations,
        allowance: Allowance::of(&envelope, shot.settings.samples),
        judged_by,
        picture: candidate,
        bands: wrong_bands(&verdict),
        wrong,
    };
    let (hypotheses, silent) = trial.hypotheses(progress)?;
    let findings = trial.findings(&hypotheses, progress);
    let diagnosis = Diagnosis::new(Unit::Pixels, [total, wrong], [Fault::ALL.len(), silent], findings);
    Ok(Diagnosis { right_if: trial.right_if(), ..diagnosis })
}

/// Everything that a hypothesis is tested with.
struct Trial<'a> {
    simulator: Simulator<'a>,
    shot: Shot<'a>,
    picture: &'a Picture,
    /// Its pixels.
    candidate: &'a [[u8; 4]],
    judged_by: EnvelopeSettings,
    variations: Vec<Variation>,
    allowance: Allowance,
    evidence: Evidence,
    /// Bands of rows that all hypotheses are tested on.
    bands: Vec<bool>,
    /// Pixels that are outside of the envelope without a fault.
    wrong: u64,
}

impl Trial<'_> {
    /// All hypotheses that change the picture, nearest first, and the number of faults that do not.
    fn hypotheses(&self, progress: Progress<'_>) -> Result<(Vec<Hypothesis>, usize), RenderError> {
        let usual = &self.variations[0];
        let play = |faults: &[Fault]| {
            let frame = self.simulator.draw_bands(&self.shot, usual, faults, &self.bands)?;
            Ok::<_, RenderError>(self.rows_of_bands(frame.rgba.as_chunks::<4>().0))
        };
        let right: Vec<u8> = play(&[])?;
        let candidate = self.rows_of_bands(self.candidate);
        let candidate = candidate.as_chunks::<4>().0;
        let (steps, done) = (self.steps(), AtomicUsize::new(0));
        let test = |fault: Fault| {
            // A mistake that ends in an error draws no picture at all.
            let played = play(&[fault]).ok().filter(|rows| *rows != right);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, steps);
            played.map(|rows| (fault, xxh64(&rows, 0), distance(candidate, &rows)))
        };
        let played: Vec<(Fault, u64, u64)> = Fault::ALL.into_par_iter().filter_map(test).collect();
        let silent = Fault::ALL.len() - played.len();
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut hypotheses: Vec<Hypothesis> = Vec::new();
        for (fault, hash, distance) in played {
            let place = *places.entry(hash).or_insert(hypotheses.len());
            match hypotheses.get_mut(place) {
                Some(hypothesis) => hypothesis.faults.push(fault),
                None => hypotheses.push(Hypothesis { faults: vec![fault], distance }),
            }
        }
        hypotheses.sort_by_key(|hypothesis| hypothesis.distance);
        Ok((hypotheses, silent))
    }

    /// The bytes of the rows that all hypotheses are tested on.
    fn rows_of_bands(&self, pixels: &[[u8; 4]]) -> Vec<u8> {
        let band = BAND * self.shot.settings.width as usize;
        let wanted = pixels.chunks(band).zip(&self.bands).filter(|(_, wanted)| **wanted);
        wanted.flat_map(|(pixels, _)| pixels.as_flattened()).copied().collect()
    }

    fn steps(&self) -> usize {
        Fault::ALL.len() + FINALISTS
    }

    /// What the nearest hypotheses leave unexplained.
    fn findings(&self, hypotheses: &[Hypothesis], progress: Progress<'_>) -> Vec<Finding> {
        let done = AtomicUsize::new(Fault::ALL.len());
        let finalists = self.finalists(hypotheses);
        let judged: Vec<(Finding, Vec<u8>)> = finalists
            .par_iter()
            .map(|hypothesis| {
                let finding = self.finding(hypothesis);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, self.steps());
                finding
            })
            .collect();
        let judged = join(judged);
        let mut diagnosis = Diagnosis::new(Unit::Pixels, [0, self.wrong], [0; 2], judged);
        for finding in diagnosis.findings.iter_mut().take(ENVELOPES) {
            if let Some(unexplained) = self.outside_of_its_envelope(finding.fault) {
                finding.unexplained = unexplained;
                finding.exact = true;
                finding.explains = explains(unexplained, self.wrong);
            }
        }
        progress(self.steps(), self.steps());
        diagnosis.findings
    }

    /// The nearest hypotheses. Faults that gave the same on the bands that were tested may differ elsewhere.
    fn finalists(&self, hypotheses: &[Hypothesis]) -> Vec<Hypothesis> {
        let mut finalists = Vec::new();
        for Hypothesis { faults, .. } in hypotheses {
            if finalists.len() >= FINALISTS {
                break;
            }
            if faults.len() == 1 || self.bands.iter().all(|band| *band) {
                finalists.push(Hypothesis { faults: faults.clone(), distance: 0 });
                continue;
            }
            let draw = |fault: &Fault| {
                let frame = self.simulator.draw(&self.shot, &self.variations[0], &[*fault]).ok()?;
                Some((*fault, xxh64(&frame.rgba, 0), distance(self.candidate, &frame.rgba)))
            };
            let mut drawn: Vec<(Fault, u64, u64)> = faults.par_iter().filter_map(draw).collect();
            drawn.sort_by_key(|&(fault, hash, distance)| (distance, hash, fault));
            finalists.extend(drawn.chunk_by(|a, b| a.1 == b.1).map(|same| Hypothesis {
                faults: same.iter().map(|(fault, ..)| *fault).collect(),
                distance: same[0].2,
            }));
        }
        finalists.truncate(FINALISTS);
        finalists
    }

    /// A finding, and the picture of the usual backend with it.
    fn finding(&self, hypothesis: &Hypothesis) -> (Finding, Vec<u8>) {
        let fault = hypothesis.faults[0];
        let play = |variation: &Variation| self.simulator.draw(&self.shot, variation, &[fault]).ok();
        let frames = self.variations.par_iter().filter_map(play);
        let pictures: Vec<Vec<u8>> = frames.map(|frame| frame.rgba).collect();
        let nearest = pictures.iter().map(|picture| distance(self.candidate, picture)).min();
        let unexplained = self.allowance.unexplained(self.candidate, &pictures);
        let finding = Finding {
            fault,
            same: hypothesis.faults[1..].to_vec(),
            unexplained,
            exact: false,
            distance: nearest.unwrap_or(hypothesis.distance) as f64,
            explains: explains(unexplained, self.wrong) && self.evidence.speaks_for(self.candidate, &pictures),
        };
        (finding, pictures.into_iter().next().unwrap_or_default())
    }

    /// How many pixels lie outside of the envelope of the scene as a backend with this fault reads and poses it; `None`
    /// where the fault lies in more than that.
    fn outside_of_its_envelope(&self, fault: Fault) -> Option<u64> {
        let usual = &self.variations[0];
        let with = self.simulator.draw(&self.shot, usual, &[fault]).ok()?;
        let as_read = self.simulator.draw_as_read(&self.shot, usual, fault).ok()?;
        if with != as_read {
            return None;
        }
        let (scene, pose) = self.simulator.as_read(self.shot.moment, fault).ok()?;
        let envelope = envelope(&scene, &self.shot, pose, self.judged_by).ok()?;
        Some(check(&envelope, self.picture).ok()?.wrong())
    }

    /// What would make the candidate right: one more choice that is declared, or else a profile that grants more.
    fn right_if(&self) -> Vec<String> {
        right_if(self.judged_by, Source::FILE.chain(self.shot.moment), |judged_by| {
            let judge = || {
                let pose = self.shot.moment.pose(self.simulator.scene()).ok()?;
                let envelope = envelope(self.simulator.scene(), &self.shot, pose, judged_by).ok()?;
                Some(check(&envelope, self.picture).ok()?.wrong() == 0)
            };
            judge() == Some(true)
        })
    }
}

fn envelope(
    scene: &Scene,
    shot: &Shot<'_>,
    pose: Pose,
    judged_by: EnvelopeSettings,
) -> Result<Envelope, FrameEnvelopeError> {
    let mut renderer = Renderer::new(scene, *shot.settings)?;
    Ok(frame_envelope(&mut renderer, &pose, shot.camera, judged_by)?.envelope)
}

/// Joins findings whose pictures are the same but for roundings: no candidate can tell them apart.
fn join(judged: Vec<(Finding, Vec<u8>)>) -> Vec<Finding> {
    let mut joined: Vec<(Finding, Vec<u8>)> = Vec::new();
    for (finding, picture) in judged {
        let same = |other: &&mut (Finding, Vec<u8>)| {
            let steps = other.1.iter().zip(&picture).map(|(a, b)| a.abs_diff(*b));
            other.0.explains == finding.explains && !picture.is_empty() && steps.max().is_some_and(|most| most <= 1)
        };
        match joined.iter_mut().find(same) {
            Some((other, _)) if other.distance <= finding.distance => {
                other.same.push(finding.fault);
                other.same.extend(finding.same);
            }
            Some((other, _)) => {
                let farther = std::mem::replace(other, finding);
                other.same.push(farther.fault);
                other.same.extend(farther.same);
            }
            None => joined.push((finding, picture)),
        }
    }
    joined.into_iter().map(|(finding, _)| finding).collect()
}

fn check(envelope: &Envelope, candidate: &Picture) -> Result<EnvelopeVerdict, FrameEnvelopeError> {
    Ok(envelope.check(candidate, &CheckOptions::default())?)
}

/// The bands with most wrong pixels, none without any: what explains the picture explains these.
fn wrong_bands(verdict: &EnvelopeVerdict) -> Vec<bool> {
    let wrong = |row: &Option<Box<[PixelClass]>>| {
        row.as_ref().map_or(0, |row| row.iter().filter(|class| class.is_wrong()).count())
    };
    let counts: Vec<usize> = verdict.classes.chunks(BAND).map(|rows| rows.iter().map(wrong).sum()).collect();
    let mut order: Vec<usize> = (0..counts.len()).filter(|band| counts[*band] > 0).collect();
    order.sort_by_key(|band| std::cmp::Reverse(counts[*band]));
    let mut bands = vec![false; counts.len()];
    order.into_iter().take(BANDS).for_each(|band| bands[band] = true);
    bands
}
