//! Why the pixels of cases are wrong: the causes that a report shows beside them.

use super::{CaseError, GoldenFolder, PreparedCase, case::wrong};
use crate::causes::explain_worst;
use refrast_envelope::{EnvelopeSettings, frame_envelope};
use refrast_golden::{Comparison, Measurement, Outcome, PixelCauses, Score, Verdict};

impl PreparedCase {
    /// Why the worst pixels of a measurement may be what they are: whose colours would be right there.
    ///
    /// # Errors
    /// [`CaseError`] where the case can not be rendered.
    pub fn explain(&self, measurement: &Measurement) -> Result<Vec<PixelCauses>, CaseError> {
        let mut renderer = self.renderer()?;
        let settings = EnvelopeSettings::of(self.profile);
        let made = frame_envelope(&mut renderer, &self.pose, &self.camera, settings)
            .map_err(wrong(&self.entry, "the envelope"))?;
        Ok(explain_worst(&renderer, &made.causes, measurement))
    }
}

impl GoldenFolder {
    /// Why the worst pixels of the cases are what they are that an envelope has found wrong. A case that can not be drawn
    /// any more is left out: its own error is in the comparison.
    pub fn explain(&mut self, comparison: &Comparison) -> Vec<(String, Vec<PixelCauses>)> {
        let mut explained = Vec::new();
        for case in comparison.cases.iter().filter(|case| case.verdict == Verdict::Different) {
            let Outcome::Measured { measurement, .. } = &case.outcome else { continue };
            let entry = self.cases().iter().find(|entry| entry.name == case.name).cloned();
            if let (Score::Envelope(_), Some(entry)) = (&measurement.score, entry)
                && let Ok(causes) = self.prepare(&entry).and_then(|prepared| prepared.explain(measurement))
            {
                explained.push((case.name.clone(), causes));
            }
        }
        explained
    }
}
