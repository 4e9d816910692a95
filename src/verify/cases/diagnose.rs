//! Which mistake, or which other options, explain the pictures that a comparison refuses?
//!
//! Why it exists: whoever has thirty cases and three that are wrong wants the three names beside the three pictures, and not to type
//! the scene, clip, time and camera of each again, which the manifest knows.

use std::path::Path;

use refrast_golden::{Case, Comparison, Hypothesis, Outcome, Picture, Verdict};
use refrast_range::Rules;

use super::{
    CaseError, GoldenFolder, PreparedCase,
    case::{camera, wrong},
    rules::candidate_to_read_again,
};
use crate::{
    diagnose::{Conclusion, Diagnosis, diagnose_setup, hypotheses},
    setup::{Question, Setup},
};
use refrast_stage::CameraSettings;

/// What is said of a candidate that is right and refused.
const NOT_THE_CASE: &str =
    "it is what its case asks for, within the profile: the golden is another picture, or the metric asks for more";

/// What was found out about a picture of a case.
#[derive(Clone, Debug)]
pub struct DiagnosedCase {
    /// What explains it.
    pub diagnosis: Diagnosis,
    /// Pictures of what it names.
    pub hypotheses: Vec<Hypothesis>,
}

impl PreparedCase {
    /// What is asked about a picture of the case.
    pub(super) fn question<'a>(&'a self, camera: &'a CameraSettings, candidate: &'a Picture) -> (Question<'a>, Setup) {
        let rules = Rules { profile: self.profile, declared: self.declared };
        let question = Question { scene: &self.scene, camera, rules, source: self.source(), candidate, images: None };
        (question, Setup { moment: self.moment, settings: self.settings })
    }

    /// Whether a picture of the case is wrong, and what explains it.
    fn diagnose(&self, folder: &Path, candidate: &Picture) -> Result<DiagnosedCase, CaseError> {
        let camera = camera(folder, &self.entry)?;
        let (question, setup) = self.question(&camera, candidate);
        let failed = "the diagnosis";
        let diagnosis = diagnose_setup(&question, &setup, &|_| {}).map_err(wrong(&self.entry, failed))?;
        let hypotheses = hypotheses(&question, &setup, &diagnosis).map_err(wrong(&self.entry, failed))?;
        Ok(DiagnosedCase { diagnosis, hypotheses })
    }
}

impl GoldenFolder {
    /// Says of each case whose picture is different what explains it, or why nobody can tell. `memory` is what a picture may take;
    /// `observer` hears of each such case that an entry of the manifest draws, with its candidate, and may keep the pictures.
    ///
    /// # Errors
    /// What `observer` says.
    pub fn diagnose<E>(
        &mut self,
        comparison: &mut Comparison,
        memory: u64,
        mut observer: impl FnMut(&str, &Picture, &DiagnosedCase) -> Result<(), E>,
    ) -> Result<(), E> {
        for case in comparison.cases.iter_mut().filter(|case| case.verdict == Verdict::Different) {
            let answer = self.diagnose_one(case, memory);
            let Outcome::Measured { diagnosis: lines, .. } = &mut case.outcome else { continue };
            match answer {
                None => {}
                Some(Err(reason)) => lines.push(format!("no diagnosis: {reason}")),
                Some(Ok((candidate, found))) => {
                    let text = found.diagnosis.to_string();
                    lines.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
                    if found.diagnosis.conclusion == Conclusion::NothingToExplain {
                        lines.push(NOT_THE_CASE.to_owned());
                    }
                    observer(&case.name, &candidate, &found)?;
                }
            }
        }
        Ok(())
    }

    /// `None` where nobody knows what the golden shows, or the picture has another size than it, or can not be read again.
    fn diagnose_one(&mut self, case: &Case, memory: u64) -> Option<Result<(Picture, DiagnosedCase), String>> {
        let (Outcome::Measured { .. }, Some(path)) = (&case.outcome, candidate_to_read_again(case)) else {
            return None;
        };
        let entry = self.case_of(case.golden.as_deref()?)?.clone();
        let candidate = match Picture::read_within(path, memory, 0) {
            Ok(candidate) => candidate,
            Err(error) => return Some(Err(error.to_string())),
        };
        let found = self.prepare_method(&entry).and_then(|prepared| prepared.diagnose(self.path(), &candidate));
        Some(found.map(|found| (candidate, found)).map_err(|error| error.to_string()))
    }
}
