//! Why the pixels of cases are wrong: the causes that a report shows beside them.

use super::{CaseError, GoldenFolder, PreparedCase, case::wrong};
use crate::{appeal::Appeal, causes::explain_worst, setup::Source};
use refrast_envelope::{FrameEnvelope, frame_envelope};
use refrast_golden::{
    Comparison, Measurement, Outcome, Picture, PixelCauses, Rectangle, Score, Verdict,
    envelope::{CheckOptions, EnvelopeVerdict},
};

impl PreparedCase {
    /// Why the worst pixels of a measurement may be what they are: whose colours would be right there.
    ///
    /// # Errors
    /// [`CaseError`] where the case can not be rendered.
    pub fn explain(&self, measurement: &Measurement) -> Result<Vec<PixelCauses>, CaseError> {
        let mut renderer = self.renderer()?;
        let settings = self.judged_by();
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
            let entry = case.golden.as_deref().and_then(|golden| self.case_of(golden)).cloned();
            if let (Score::Envelope(_), Some(entry)) = (&measurement.score, entry)
                && let Ok(causes) = self.prepare(&entry).and_then(|prepared| prepared.explain(measurement))
            {
                explained.push((case.name.clone(), causes));
            }
        }
        explained
    }
}

impl PreparedCase {
    /// What makes a picture right where it is declared, up to so many pixels and those of the rectangles. `verdict` is that of an
    /// envelope that has refused it.
    pub(super) fn right_if(
        &self,
        (picture, verdict): (&Picture, &EnvelopeVerdict),
        ignored: &[Rectangle],
        most: u64,
    ) -> Vec<String> {
        let Ok(renderer) = self.renderer() else { return Vec::new() };
        let moment = (!self.is_programmed()).then(|| Source::FILE.chain(self.moment)).flatten();
        let options = CheckOptions { ignored, ..CheckOptions::default() };
        let accepts =
            |made: &FrameEnvelope| made.envelope.check(picture, &options).is_ok_and(|verdict| verdict.wrong() <= most);
        // Where some may be wrong those may be.
        let worst = if most == 0 { &verdict.worst[..] } else { &[] };
        Appeal::new(renderer, (&self.pose, &self.camera), worst, &accepts).right_if(self.judged_by(), moment)
    }
}
