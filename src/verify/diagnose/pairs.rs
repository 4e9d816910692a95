//! Two mistakes at once.
//!
//! Why it exists: old engines filter before they decode *and* build mips from stored bytes. Neither alone explains the picture.
//! So what takes away the most stays, and what is left over is explained once more, with that mistake being made. Numbers that were
//! fitted alone are fitted again beside the other mistake.

use super::{
    Cause, Finding, Progress,
    evidence::Evidence,
    families::Ground,
    trial::{Causes, Hypothesis, Trial},
};
use refrast_render::RenderError;

/// Hypotheses that may be one half.
const HALVES: usize = 4;

/// Pairs whose numbers are fitted again.
const REFINED: usize = 4;

/// A half takes away a tenth of the distance.
const WORTH: [u64; 2] = [9, 10];

impl Trial<'_> {
    /// Pairs that explain the candidate, the best first.
    pub(super) fn pairs(
        &self,
        hypotheses: &[Hypothesis],
        ground: &mut Ground<'_>,
        progress: Progress<'_>,
    ) -> Result<Vec<Finding>, RenderError> {
        let right = self.distance_from_right()?;
        let [part, whole] = WORTH;
        let worth = |hypothesis: &&Hypothesis| hypothesis.distance / part < right / whole;
        let halves: Vec<Cause> =
            hypotheses.iter().filter(worth).take(HALVES).map(|hypothesis| hypothesis.causes[0].first).collect();
        let mut pairs: Vec<Causes> = Vec::new();
        for first in &halves {
            ground.beside = first.faults();
            let fitted = ground.fitted()?.into_iter().map(Cause::from);
            let others = hypotheses.iter().map(|hypothesis| hypothesis.causes[0].first);
            for second in others.filter(|second| second.fault().is_some()).chain(fitted) {
                let known = pairs.iter().any(|own| own.first == second && own.beside == Some(*first));
                if second != *first && !known {
                    pairs.push(Causes { first: *first, beside: Some(second) });
                }
            }
        }
        let tried = pairs.len();
        let (mut found, _) = self.hypotheses(pairs, progress)?;
        found.truncate(REFINED);
        let refined: Vec<Causes> = found.iter().map(|pair| refined(pair.causes[0], ground)).collect();
        let all = refined.into_iter().chain(found.iter().map(|pair| pair.causes[0])).collect();
        let (found, _) = self.hypotheses(all, progress)?;
        let mut findings = self.findings(&found, tried, progress);
        // Both halves have to be needed.
        let left = |cause: Cause| 1.0 - self.evidence.score(self.candidate, &self.pictures(cause.into()));
        for finding in findings.iter_mut().filter(|finding| finding.explains) {
            let alone = finding.beside.map_or(1.0, &left).min(left(finding.cause));
            finding.explains = Evidence::speaks_for(1.0 - (1.0 - finding.score) / alone.max(f64::MIN_POSITIVE));
        }
        findings.retain(|finding| finding.explains);
        Ok(findings)
    }
}

/// A pair with the numbers that fit best beside each other.
fn refined(pair: Causes, ground: &mut Ground<'_>) -> Causes {
    let mut refine = |own: Cause, beside: Cause| match own {
        Cause::Parametric(fault) => {
            ground.beside = beside.faults();
            Cause::Parametric(ground.refined(fault))
        }
        Cause::Fault(_) | Cause::Undeclared { .. } => own,
    };
    let Some(beside) = pair.beside else { return pair };
    let first = refine(pair.first, beside);
    Causes { first, beside: Some(refine(beside, first)) }
}
