//! [`AnsweredCase`]: the page of one picture, with what is known of it beside the pixels.

use std::{error::Error, path::Path};

use refrast_golden::{
    Case, CaseFiles, CasePictures, Hypothesis, Judge, MeasureOptions, Metric, Picture, PixelCauses, Report,
    compare_cases, envelope::EnvelopeFile,
};

use super::{
    output::{note, write_file},
    own_folder::OwnFolder,
};

/// A candidate, what it is held against, and what came out.
pub(super) struct AnsweredCase<'a> {
    pub(super) scene: &'a Path,
    pub(super) candidate: &'a Path,
    /// What is in that file.
    pub(super) picture: &'a Picture,
    pub(super) reference: &'a Picture,
    /// As a file.
    pub(super) envelope: &'a [u8],
    pub(super) causes: Vec<PixelCauses>,
    /// What is known of the candidate, a line each.
    pub(super) answers: Vec<String>,
    /// What the candidate may be.
    pub(super) hypotheses: Vec<Hypothesis>,
}

impl AnsweredCase<'_> {
    /// Writes the page to a folder.
    pub(super) fn write(self, folder: &Path, judge: Option<Judge>) -> Result<(), Box<dyn Error>> {
        let own = OwnFolder::make("answered")?;
        let golden = own.path().join("reference.png");
        self.reference.write(&golden)?;
        write_file(&EnvelopeFile::path_of(&golden), self.envelope)?;
        let name = self.candidate.file_name().map_or("candidate".into(), |name| name.to_string_lossy().into_owned());
        let cases = vec![CaseFiles { name: name.clone(), golden, candidate: Ok(self.candidate.to_owned()) }];
        let options = MeasureOptions { prefer_envelope: true, ..MeasureOptions::new(Metric::Envelope) };
        let report = Report::new(folder, &options)?.judged_by(judge);
        report.answer(&name, self.answers);
        report.suppose(&name, self.picture, &self.hypotheses)?;
        let observer = |case: &Case, pictures: CasePictures<'_>| report.add(case, pictures);
        let comparison = compare_cases(self.scene, self.candidate, cases, &options, &observer)?;
        report.explain(&name, self.causes);
        let page = report.finish(&comparison)?;
        note!("report: {}", page.display());
        Ok(())
    }
}
