//! Mistakes that look like other options: in motion, like another moment; of light, like none.
//!
//! Why it exists: a clip that is sampled at 17 Hz, or whose rotations are blended on a straight line, shows a pose that differs from
//! the right one as the pose of a few milliseconds later does. The envelope of that moment holds all of the picture, and who is told
//! "--time 0.0582" looks for a clock that is right.

use super::{
    Cause, Finding, Progress, explains,
    families::{of_targets, resampled},
    trial::{Causes, Trial},
};
use refrast_simulator::{Fault, ParametricFault, is_misread_by};
use refrast_stage::RenderError;

/// Mistakes that show another moment of the clip, and are told by it.
const OF_CLOCKS: [Fault; 2] = [Fault::TimeRoundedToFrames, Fault::AnimationTimeUnit];

/// What light may be too strong by where no shade of it is left.
const BURNING: [f32; 6] = [1.5, 2.0, 3.0, 4.0, 8.0, 16.0];

/// The nearest of them that are proved.
const PROVED: usize = 4;

impl Trial<'_> {
    /// One cause, or two at once, where they explain the candidate.
    pub(super) fn explained_by(&self, causes: Causes, progress: Progress<'_>) -> Result<Vec<Finding>, RenderError> {
        let (hypotheses, _) = self.hypotheses(vec![causes], progress)?;
        let findings = self.findings(&hypotheses, 1, progress);
        Ok(findings.into_iter().filter(|finding| finding.explains).collect())
    }

    /// The least of some factors by which light burns everything out, as if there were none and all were white; `beside` what has
    /// changed the background.
    pub(super) fn burnt_out(&self, beside: Option<Cause>, progress: Progress<'_>) -> Result<Vec<Finding>, RenderError> {
        for factor in BURNING {
            let first = ParametricFault::Exposure { factor }.into();
            let found = self.explained_by(Causes { first, beside }, progress)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Those under whose own envelope the whole candidate is right.
    pub(super) fn motions(&self, progress: Progress<'_>) -> Result<Vec<Finding>, RenderError> {
        let listed = Fault::ALL.into_iter().filter(|fault| is_misread_by(*fault) && !OF_CLOCKS.contains(fault));
        let with_numbers = of_targets(self.simulator.scene()).into_iter().chain(resampled());
        let causes: Vec<Causes> =
            listed.map(Cause::from).chain(with_numbers.map(Cause::from)).map(Causes::from).collect();
        let (hypotheses, _) = self.hypotheses(causes, progress)?;
        let finding = |causes: &[Causes]| {
            let (first, others) = causes.split_first()?;
            let unexplained = self.outside_of_its_envelope(first.faults()).filter(|left| *left == 0)?;
            Some(Finding {
                cause: first.first,
                beside: None,
                same: others.iter().map(|causes| causes.first).collect(),
                unexplained,
                exact: true,
                distance: 0.0,
                score: self.evidence.score(self.candidate, &self.pictures(*first)),
                explains: explains(unexplained, self.wrong),
            })
        };
        Ok(hypotheses.iter().take(PROVED).filter_map(|hypothesis| finding(&hypothesis.causes)).collect())
    }
}
