//! Two mistakes at once.
//!
//! Why it exists: old engines filter before they decode *and* build mips from stored bytes. Neither alone explains the picture.
//! So what takes away most stays, and what is left over is explained once more, with that mistake being made. Numbers that were
//! fitted alone are fitted again beside the other mistake, and the other's beside them, for each of the two hid a part of the other.
//!
//! The first halves come from different stages: the nearest hypotheses of one stage are mostly one mistake under several names, and
//! where the second mistake hides the first, the true first half is not the nearest of all.

use super::{
    Cause, Finding, Progress,
    families::Ground,
    place::Stage,
    trial::{Causes, Hypothesis, Trial},
};
use refrast_nearness::Evidence;
use refrast_stage::RenderError;

/// Hypotheses that may be one half, and those of one stage.
const HALVES: usize = 5;
const OF_A_STAGE: usize = 2;

/// Pairs whose numbers are fitted again, and how often each half is.
const REFINED: usize = 6;
const ROUNDS: usize = 2;

/// Pairs in which others are tried in the place of either half, and how many.
const EXCHANGED: usize = 2;
const MOST_SAME: usize = 24;

/// Steps of 255 that roundings do not make of a pixel.
const FAR: u8 = 6;

/// A half takes away a twentieth of the distance.
const WORTH: [u64; 2] = [19, 20];

impl Trial<'_> {
    /// Pairs that explain the candidate, the best first.
    pub(super) fn pairs(
        &self,
        hypotheses: &[Hypothesis],
        ground: &mut Ground<'_>,
        progress: Progress<'_>,
    ) -> Result<Vec<Finding>, RenderError> {
        let halves = self.halves(hypotheses, ground)?;
        let mut pairs: Vec<Causes> = Vec::new();
        let (joints, is_right) = (ground.clues.joints.clone(), ground.clues.ground_is_right);
        let order = ground.clues.order.map(Cause::from);
        for (first, takes_most) in &halves {
            ground.clues.beside = first.faults();
            // With its channels exchanged the background is as it should be.
            ground.clues.ground_is_right = is_right || Some(*first) == order;
            ground.clues.joints = self.joints_beside(*first, ground, &joints);
            let mut fitted = ground.fitted()?;
            if *takes_most {
                fitted.extend(ground.fitted_closely()?);
            }
            let fitted = fitted.into_iter().map(Cause::from);
            let others = hypotheses.iter().map(|hypothesis| hypothesis.causes[0].first);
            for second in others.filter(|second| second.fault().is_some()).chain(fitted) {
                let known = pairs.iter().any(|own| own.first == second && own.beside == Some(*first));
                if second != *first && !known && !first.is_one_with(second) {
                    pairs.push(Causes { first: *first, beside: Some(second) });
                }
            }
        }
        (ground.clues.joints, ground.clues.ground_is_right) = (joints, is_right);
        let tried = pairs.len();
        let (coarse, _) = self.hypotheses(pairs, progress)?;
        let nearest: Vec<Causes> = coarse.iter().take(REFINED).map(|pair| pair.causes[0]).collect();
        let refined: Vec<Causes> = nearest.iter().map(|pair| refined(*pair, ground)).collect();
        let all = refined.into_iter().chain(nearest).collect();
        let (found, _) = self.hypotheses(all, progress)?;
        let others: Vec<Causes> =
            found.iter().take(EXCHANGED).flat_map(|pair| exchanged(pair, [hypotheses, &coarse])).collect();
        let all = found.iter().flat_map(|pair| pair.causes.iter().copied()).chain(others).collect();
        let (found, _) = self.hypotheses(all, progress)?;
        let mut findings = self.findings(&found, tried, progress);
        for finding in findings.iter_mut().filter(|finding| finding.explains) {
            let mut halves = std::iter::once(finding.cause).chain(finding.beside);
            finding.explains = halves.all(|half| self.is_more_than(finding.score, half));
        }
        findings.retain(|finding| finding.explains);
        Ok(findings)
    }

    /// Whether a pair of such a score is needed where one half of it may do: it leaves much less than the half alone, and if the half leaves
    /// no pixel unexplained, less by more than roundings make.
    fn is_more_than(&self, score: f64, half: Cause) -> bool {
        let pictures = self.pictures(half.into());
        let alone = self.evidence.score(self.candidate, &pictures);
        let leaves_much_less = Evidence::is_much(1.0 - (1.0 - score) / (1.0 - alone).max(f64::MIN_POSITIVE));
        leaves_much_less
            && (self.evidence.is_beyond_roundings(score - alone)
                || self.allowance.unexplained(self.candidate, &pictures) > 0)
    }

    /// The joints that are seen most where a first mistake leaves much over; all that are seen where it leaves nothing.
    fn joints_beside(&self, first: Cause, ground: &Ground<'_>, all: &[u16]) -> Vec<u16> {
        let variation = Causes::from(first).chosen(self.variations[0]);
        let Ok(frame) = self.simulator.draw(&self.shot, &variation, first.faults()) else { return all.to_vec() };
        let drawn = frame.rgba.as_chunks::<4>().0;
        let is_far = |pixel: usize| {
            let channels = drawn[pixel].iter().zip(self.candidate[pixel]);
            channels.map(|(own, other)| own.abs_diff(other)).max().is_some_and(|steps| steps > FAR)
        };
        let left = ground.joints_where(is_far);
        if left.is_empty() { all.to_vec() } else { left }
    }

    /// What may be one half, and whether it takes away more than half of the distance: the nearest hypotheses, at most two of a stage,
    /// the order of channels that the background shows, and where none takes away much the light that is as bright as a whole.
    fn halves(&self, hypotheses: &[Hypothesis], ground: &Ground<'_>) -> Result<Vec<(Cause, bool)>, RenderError> {
        let right = self.distance_from_right()?;
        let [part, whole] = WORTH;
        let mut halves: Vec<(Cause, bool)> = Vec::new();
        for hypothesis in hypotheses.iter().take_while(|hypothesis| hypothesis.distance / part < right / whole) {
            let cause = hypothesis.causes[0].first;
            let stage = Stage::of(cause);
            let of_its_stage = halves.iter().filter(|(half, _)| Stage::of(*half) == stage).count();
            if of_its_stage < OF_A_STAGE && halves.len() < HALVES {
                halves.push((cause, hypothesis.distance < right / 2));
            }
        }
        let order = ground.clues.order.map(Cause::from);
        halves.extend(order.filter(|order| halves.iter().all(|(half, _)| half != order)).map(|order| (order, false)));
        // Pixel by pixel no light fits where textures are elsewhere, but altogether they are about as bright there.
        if halves.iter().all(|(_, takes_most)| !takes_most) {
            halves.extend(ground.light_as_a_whole().map(|light| (light.into(), true)));
        }
        Ok(halves)
    }
}

/// The pair with others in the place of either half that have given the same as it, alone or beside the other half: which of them it
/// is may not be told.
fn exchanged(pair: &Hypothesis, [alone, pairs]: [&[Hypothesis]; 2]) -> Vec<Causes> {
    let own = pair.causes[0];
    // Fitted numbers have been fitted anew since.
    let is_half = |half: Cause, own: Cause| half == own || (half.is_fitted() && half.is_like(own));
    let is_beside = |half: Option<Cause>| match (half, own.beside) {
        (Some(half), Some(own)) => is_half(half, own),
        (half, own) => half == own,
    };
    let same = |half: Cause| {
        let stands_for = |own: &&Hypothesis| own.causes.iter().any(|causes| is_half(causes.first, half));
        alone.iter().find(stands_for).into_iter().flat_map(|own| &own.causes).map(|causes| causes.first)
    };
    let of_first = same(own.first).map(|first| Causes { first, ..own });
    let of_beside = own.beside.into_iter().flat_map(same).map(|beside| Causes { beside: Some(beside), ..own });
    let is_own = |causes: &Causes| is_half(causes.first, own.first) && is_beside(causes.beside);
    let of_both = pairs.iter().find(|pair| pair.causes.iter().any(is_own)).into_iter().flat_map(|pair| &pair.causes);
    let of_both = of_both.map(|causes| Causes {
        first: if is_half(causes.first, own.first) { own.first } else { causes.first },
        beside: if is_beside(causes.beside) { own.beside } else { causes.beside },
    });
    let is_other = |causes: &Causes| *causes != own && causes.beside != Some(causes.first);
    of_first.take(MOST_SAME).chain(of_beside.take(MOST_SAME)).chain(of_both.take(MOST_SAME)).filter(is_other).collect()
}

/// A pair with the numbers that fit best beside each other.
fn refined(pair: Causes, ground: &mut Ground<'_>) -> Causes {
    let mut refine = |own: Cause, beside: Cause| match own {
        Cause::Parametric(fault) => {
            ground.clues.beside = beside.faults();
            Cause::Parametric(ground.refined(fault))
        }
        Cause::Fault(_) | Cause::Undeclared { .. } => own,
    };
    let Some(mut beside) = pair.beside else { return pair };
    let mut first = pair.first;
    for _ in 0..ROUNDS {
        first = refine(first, beside);
        beside = refine(beside, first);
    }
    Causes { first, beside: Some(beside) }
}
