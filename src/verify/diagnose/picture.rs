//! [`diagnose_picture`]: hypotheses against a picture.

use super::{
    Cause, Conclusion, DiagnoseError, Diagnosis, Finding, Likeness, Progress, SURE, Step, Unit,
    families::{Ground, drawn_depths, is_changed_by_powers, order_of, power_of},
    place::{Scenery, Stage},
    trial::{BANDS, Causes, FIRST, Hypothesis, Sifted, Trial, check, one_of_each_family},
    variations::variations,
};
use crate::{
    appeal::Appeal,
    setup::{Change, OtherSetup, Question, Setup, SetupError, Source, find_setup},
};
use refrast_draw::SampleCount;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope};
use refrast_golden::{Picture, envelope::EnvelopeVerdict};
use refrast_nearness::{Allowance, Evidence, WrongBands, looks_dithered};
use refrast_range::Rules;
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_shading::ShadingMode;
use refrast_simulator::{BAND, Fault, ParametricFault, Shot, Simulator};
use refrast_stage::{RenderError, Rgb};
use refrast_threads as threads;

/// Where one mistake explains the candidate, a second one has to explain so many pixels that it leaves.
const FEWEST: u64 = 3;

/// And to leave a part of them at most.
const MUCH_LESS: u64 = 4;

/// The part of the pixels that has to be wrong for a search for other moments to have been in vain: 1 in 200.
const ENOUGH_TO_SEARCH: u64 = 200;

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
    diagnose(scene, shot, judged_by.into(), candidate, progress, None::<fn() -> _>)
}

/// As [`diagnose_picture`], but before any mistake is thought of it is asked whether the picture is right under other options
/// ([`find_setup`]): then nothing is wrong with the backend.
///
/// # Errors
///
/// When the set-up can not be drawn without a fault, or the candidate has another size and is not right in that either.
pub fn diagnose_setup(
    question: &Question<'_>,
    setup: &Setup,
    progress: Progress<'_>,
) -> Result<Diagnosis, DiagnoseError> {
    let camera = question.camera_of(setup)?;
    let shot = Shot { moment: setup.moment, camera: &camera, settings: &setup.settings };
    let Question { scene, candidate, .. } = *question;
    if let Some(other) = right_in_own_size(question, setup)? {
        let (pixels, picture) = (candidate.samples8().len() as u64 / 4, other.picture(question)?);
        return Ok(Diagnosis::new(Unit::Pixels, [pixels; 2], [0; 2], Vec::new()).right_with(other.changes, picture));
    }
    let judged_by = question.judged_by(setup.moment);
    let find = || {
        let drawn = |other: OtherSetup| Ok((other.picture(question)?, other.changes));
        find_setup(question, setup)?.map(drawn).transpose()
    };
    diagnose(scene, &shot, judged_by, candidate, progress, Some(find))
}

/// The options under which a candidate of another size than that of the set-up is right in its own.
fn right_in_own_size(question: &Question<'_>, setup: &Setup) -> Result<Option<OtherSetup>, SetupError> {
    let own = setup.in_size(question.candidate.size());
    if own.size() == setup.size() {
        return Ok(None);
    }
    let is_right = question.is_right(&own, question.candidate);
    let found = if is_right { Some(OtherSetup::of(question, own)?) } else { find_setup(question, &own)? };
    Ok(found.map(|other| other.after(Change::size(own.size()))))
}

fn diagnose(
    scene: &Scene,
    shot: &Shot<'_>,
    judged_by: EnvelopeSettings,
    candidate: &Picture,
    progress: Progress<'_>,
    find_setup: Option<impl FnOnce() -> Result<Option<(Picture, Vec<Change>)>, SetupError>>,
) -> Result<Diagnosis, DiagnoseError> {
    let (width, height) = (shot.settings.width, shot.settings.height);
    if candidate.size() != (width, height) {
        let (own_width, own_height) = candidate.size();
        return Err(DiagnoseError::Shape(format!(
            "it has {own_width}x{own_height} pixels, the picture of the scene {width}x{height}"
        )));
    }
    let pose = shot.moment.pose(scene).map_err(RenderError::from)?;
    let mut renderer = Renderer::new(scene, *shot.settings)?;
    let made = frame_envelope(&mut renderer, &pose, shot.camera, judged_by)?;
    let verdict = check(&made.envelope, candidate)?;
    let wrong = verdict.wrong();
    let total = u64::from(width) * u64::from(height);
    if wrong == 0 {
        return Ok(Diagnosis::new(Unit::Pixels, [total, wrong], [0; 2], Vec::new()));
    }
    progress(Step::Wrong { wrong, total, unit: Unit::Pixels });
    let moments_are_searched = find_setup.is_some();
    let other = find_setup.map_or(Ok(None), |find| find())?;
    if moments_are_searched && other.is_none() {
        progress(Step::NotTheOptions);
    }
    let another_setup = |findings: Vec<Finding>, (picture, changes): (Picture, Vec<Change>)| {
        Diagnosis::new(Unit::Pixels, [total, wrong], [0; 2], findings).right_with(changes, picture)
    };
    let other = match other {
        None => None,
        Some(other) => match StandsFor::of(&other.1, shot.settings.background) {
            None => return Ok(another_setup(Vec::new(), other)),
            Some(mistakes) => Some((other, mistakes)),
        },
    };

    // Who has declared too much has made no mistake either.
    let accepts = |made: &FrameEnvelope| check(&made.envelope, candidate).is_ok_and(|verdict| verdict.wrong() == 0);
    let appeal = Appeal::new(Renderer::new(scene, *shot.settings)?, (&pose, shot.camera), &verdict.worst, &accepts);
    if let Some(rules) = appeal.by_fewer(judged_by) {
        let diagnosis = Diagnosis::new(Unit::Pixels, [total, wrong], [0; 2], Vec::new());
        return Ok(Diagnosis { conclusion: Conclusion::AnotherSetup, right_if: vec![rules], ..diagnosis });
    }

    let bytes = candidate.samples8();
    let simulator = Simulator::new(scene)?;
    let variations = variations(Rules { profile: judged_by.profile, declared: judged_by.declared });
    let right = threads::of(&variations, |variation| simulator.draw(shot, variation, &[]));
    let right: Vec<Vec<u8>> = right.into_iter().map(|frame| frame.map(|frame| frame.rgba)).collect::<Result<_, _>>()?;
    let [red, green, blue] = shot.settings.background;
    let wrong_bands = WrongBands::of(&verdict, BAND);
    let trial = Trial {
        looks_dithered: looks_dithered(bytes.as_chunks::<4>().0, &right, [red, green, blue, u8::MAX], wrong),
        evidence: Evidence::of(&verdict, bytes.as_chunks::<4>().0, &right),
        simulator,
        shot: *shot,
        candidate: bytes.as_chunks::<4>().0,
        variations,
        allowance: Allowance::of(&made.envelope, shot.settings.samples != SampleCount::One)
            .beside(&verdict, right[0].as_chunks::<4>().0),
        judged_by,
        picture: candidate,
        bands: wrong_bands.worst(BANDS),
        first_bands: wrong_bands.spread(BANDS, FIRST),
        wrong,
    };
    if let Some((other, mistakes)) = other {
        let findings = match mistakes {
            StandsFor::Ground(fault) => trial.explained_by(Cause::from(fault).into(), progress)?,
            StandsFor::TooMuchLight(ground) => trial.burnt_out(ground.map(Cause::from), progress)?,
            StandsFor::Motion => trial.motions(progress)?,
        };
        return Ok(another_setup(findings, other));
    }
    let mut ground = Ground::new((&trial.simulator, *shot, trial.variations[0]), trial.candidate, &right, &verdict);
    // Where few pixels are wrong, what right backends differ by elsewhere hides which moment comes nearest.
    ground.clues.moments_are_searched = moments_are_searched && wrong * ENOUGH_TO_SEARCH >= total;
    let scenery = Scenery {
        simulator: &trial.simulator,
        shot: *shot,
        variation: trial.variations[0],
        renderer: &renderer,
        causes: &made.causes,
        verdict: &verdict,
        candidate: trial.candidate,
        right: right[0].as_chunks::<4>().0,
    };
    ground.joints = scenery.joints();
    let objects = scenery.objects();
    ground.clues.nodes = objects.likely_nodes();
    ground.clues.materials = objects.likely_materials();
    ground.clues.unseen_nodes = objects.unseen_nodes(scene);
    ground.clues.joints = objects.likely_joints(scene);
    ground.clues.may_hang_on_one_joint = objects.may_hang_on_one_joint();
    ground.clues.stage = scenery.stage(&objects);
    let (background, seen) = (shot.settings.background, scenery.ground_of_candidate());
    ground.clues.order = seen.and_then(|seen| order_of(background, seen));
    ground.clues.ground_is_right = seen == Some(background) && is_changed_by_powers(background);
    ground.clues.depths = drawn_depths(&renderer);
    if let Some(stage) = ground.clues.stage {
        progress(Step::Stage(stage));
    }
    let thing = scenery.only_thing(&objects).filter(|_| ground.clues.stage.is_some_and(Stage::is_of_surfaces));
    let found = if is_blank(trial.candidate, shot.settings.background) {
        Found::default()
    } else {
        hypotheses_and_pairs(&trial, &mut ground, thing, progress)?
    };
    let diagnosis = concluded(&trial, (&verdict, &appeal), found.findings, found.counts);
    let likely: Vec<Cause> = diagnosis.likely().flat_map(Finding::causes).collect();
    let mut place = scenery.place(ground.clues.stage, &objects, &likely);
    if diagnosis.best().next().is_none() {
        place = diagnosis.likened(place, found.likeness);
    }
    Ok(diagnosis.located(place))
}

/// Whether all of a picture has one colour, and none that a background has whose channels are exchanged or that is stored by a power:
/// whatever draws nothing would explain it, with anything beside it that changes the background.
fn is_blank(candidate: &[[u8; 4]], background: [u8; 3]) -> bool {
    let Some(&[red, green, blue, _]) = candidate.first() else { return true };
    let seen = [red, green, blue];
    let is_told = seen == background || changed_ground([background, seen]).is_some();
    !is_told && candidate.iter().all(|pixel| pixel[..3] == seen)
}

/// What has made another background of the right one: an order of channels, or a power.
fn changed_ground([right, seen]: [[u8; 3]; 2]) -> Option<ParametricFault> {
    order_of(right, seen).or_else(|| power_of([right, seen]))
}

/// Mistakes that other options may stand for: both make the picture right.
enum StandsFor {
    /// Another moment alone: mistakes in motion.
    Motion,
    /// Another background alone, which is the right one with its channels exchanged or stored by a power: on a grey model nothing
    /// else would show the one, and what is nearly white or black shows little of the other.
    Ground(ParametricFault),
    /// No light: too much of it looks the same on what is white. And what has changed the background, where that is another one.
    TooMuchLight(Option<ParametricFault>),
}

impl StandsFor {
    fn of(changes: &[Change], background: [u8; 3]) -> Option<Self> {
        let is_unlit =
            |change: &Change| change.option == Some("--shading") && change.value == ShadingMode::Unlit.to_string();
        let seen = |change: &Change| {
            let is_background = change.option == Some("--background");
            Some(change.value.parse::<Rgb>().ok()?.0).filter(|_| is_background)
        };
        match changes {
            moments if moments.iter().all(|change| change.option == Some("--time")) => Some(Self::Motion),
            [shading] if is_unlit(shading) => Some(Self::TooMuchLight(None)),
            [ground] => changed_ground([background, seen(ground)?]).map(Self::Ground),
            [shading, ground] | [ground, shading] if is_unlit(shading) => {
                Some(Self::TooMuchLight(Some(changed_ground([background, seen(ground)?])?)))
            }
            _ => None,
        }
    }
}

/// What has been found.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    /// How many causes were tried, and how many change nothing.
    counts: [usize; 2],
    /// What the only thing that is wrong looks like.
    likeness: Option<Likeness>,
}

/// What explains the candidate: one cause, or else a member of a family that is looked for more closely, or else a mistake that is made
/// with the only thing that is wrong, or else two causes.
fn hypotheses_and_pairs(
    trial: &Trial<'_>,
    ground: &mut Ground<'_>,
    thing: Option<(String, Vec<bool>)>,
    progress: Progress<'_>,
) -> Result<Found, RenderError> {
    let explained = |findings: &[Finding]| findings.iter().any(|finding| finding.explains);
    let fitted = ground.fitted()?.into_iter().map(Cause::from);
    let causes: Vec<Causes> = Fault::ALL.into_iter().map(Cause::from).chain(fitted).map(Causes::from).collect();
    let mut tried = causes.len();
    let Sifted { near, far, silent } = trial.sifted(causes, progress)?;
    let (mut hypotheses, silent_near) = trial.hypotheses(near, &|_| {})?;
    let mut silent = silent + silent_near;
    let mut findings = trial.findings(&hypotheses, tried, progress);
    let best = |findings: &[Finding]| progress(Step::One(findings.iter().find(|finding| finding.explains)));
    // What leaves more than a tenth may be a neighbour of what was made.
    if !findings.iter().any(|finding| finding.explains && finding.score >= SURE) {
        let more: Vec<Causes> = ground.fitted_closely()?.into_iter().map(|fault| Cause::from(fault).into()).collect();
        if !more.is_empty() {
            tried += more.len();
            let (more, _) = trial.hypotheses(more, progress)?;
            findings.extend(trial.findings(&more, tried, progress));
            hypotheses.extend(more);
            hypotheses.sort_by_key(|hypothesis| hypothesis.distance);
        }
    }
    if explained(&findings) {
        best(&findings);
        // What the best one leaves over may be a second mistake's.
        let left = findings.iter().filter(|finding| finding.explains).map(|finding| finding.unexplained).min();
        if let Some(left) = left.filter(|left| *left >= FEWEST) {
            let mut pairs = trial.pairs(&hypotheses, ground, progress)?;
            pairs.retain(|pair| pair.unexplained * MUCH_LESS <= left && pair.unexplained + FEWEST <= left);
            findings.extend(pairs);
        }
        return Ok(Found { findings, counts: [tried, silent], likeness: None });
    }
    best(&[]);
    let likeness = thing.map(|thing| trial.likeness(ground, thing, &findings)).transpose()?.flatten();
    // The same mistake made everywhere does not explain it, so there is no other one beside it to be looked for.
    if likeness.as_ref().is_some_and(Likeness::is_all) {
        return Ok(Found { findings, counts: [tried, silent], likeness });
    }
    // What changes nothing for the better where most of it is wrong may be one half.
    let (others, silent_far) = trial.hypotheses(far, &|_| {})?;
    silent = silent_near + silent_far;
    hypotheses.extend(others);
    // Nor had what moves no outline a say where outlines are wrong: of two mistakes it may be the one that changes most.
    if ground.clues.outlines_are_wrong() {
        let fitted = ground.fitted_beside_outlines()?;
        let of_surfaces: Vec<Causes> = fitted.into_iter().map(|fault| Cause::from(fault).into()).collect();
        let (halves, _) = trial.hypotheses(of_surfaces, &|_| {})?;
        let is_new = |half: &Hypothesis| hypotheses.iter().all(|own| !own.causes.contains(&half.causes[0]));
        let new: Vec<Hypothesis> = halves.into_iter().filter(is_new).collect();
        hypotheses.extend(new);
    }
    hypotheses.sort_by_key(|hypothesis| hypothesis.distance);
    findings.extend(trial.pairs(&hypotheses, ground, progress)?);
    Ok(Found { findings, counts: [tried, silent], likeness })
}

/// The findings with choices that were not declared beside them.
fn concluded(
    trial: &Trial<'_>,
    (verdict, appeal): (&EnvelopeVerdict, &Appeal<'_, '_>),
    findings: Vec<Finding>,
    counts: [usize; 2],
) -> Diagnosis {
    let sorted = Diagnosis::new(Unit::Pixels, [0, trial.wrong], counts, findings).findings;
    let mut findings = one_of_each_family(sorted);
    let (undeclared, mut right_if) = trial.undeclared(verdict, &findings, appeal);
    // What an engine is free to do comes before any mistake that explains no more.
    let best = findings.iter().filter(|finding| finding.explains).map(|finding| finding.score).fold(0.0, f64::max);
    for choice in undeclared {
        if choice.score > best {
            findings.iter_mut().for_each(|finding| finding.explains = false);
        }
        findings.push(choice);
    }
    let total = trial.candidate.len() as u64;
    let mut diagnosis = Diagnosis::new(Unit::Pixels, [total, trial.wrong], counts, findings);
    // Of what does not explain it the likest comes first and not what leaves least: where several mistakes were made, each of them is
    // refuted by its own envelope, and what is merely like one of them may not have been held against one.
    let unlikely = diagnosis.findings.partition_point(|finding| finding.explains);
    diagnosis.findings[unlikely..].sort_by(|a, b| b.score.total_cmp(&a.score));
    if diagnosis.best().next().is_none() && right_if.is_empty() {
        right_if = appeal.right_if(trial.judged_by, Source::FILE.chain(trial.shot.moment));
    }
    Diagnosis { right_if, ..diagnosis }
}
