//! [`hypotheses`]: what a diagnosis names, as pictures.
//!
//! Why it exists: a name is believed when its picture has been seen. Held against the candidate, it shows what the name
//! explains, and what it leaves over.

use super::{Cause, DiagnoseError, Diagnosis, Finding, trial::Causes};
use crate::setup::{Question, Setup, in_words};
use refrast_golden::{Hypothesis, Picture};
use refrast_simulator::{Shot, Simulator, Variation};

/// Mistakes whose pictures are made.
const SHOWN: usize = 3;

impl Finding {
    /// The cause, and of a pair both.
    #[must_use]
    pub fn name(&self) -> String {
        self.beside.map_or_else(|| self.cause.to_string(), |beside| format!("{} and {beside}", self.cause))
    }

    /// What a backend does that has this cause, and what is right.
    #[must_use]
    pub fn about(&self) -> String {
        let about = |cause: Cause| match cause.fault().and_then(|fault| fault.right_behaviour()) {
            Some(right) => format!("{} Right: {right}", cause.description()),
            None => cause.description(),
        };
        let both: Vec<String> = std::iter::once(self.cause).chain(self.beside).map(about).collect();
        both.join(" ")
    }
}

/// What is drawn with the options that make a candidate right, and what backends draw that make the mistakes that are named: at most
/// three of these. What an engine may declare is no mistake that could be drawn.
///
/// # Errors
///
/// When the set-up can not be drawn, or not with these mistakes.
pub fn hypotheses(
    question: &Question<'_>,
    setup: &Setup,
    diagnosis: &Diagnosis,
) -> Result<Vec<Hypothesis>, DiagnoseError> {
    let with_options = diagnosis.picture_with.as_ref().map(|picture| Hypothesis {
        name: in_words(&diagnosis.right_with),
        about: "The reference's picture with these options, with which the candidate is right.".to_owned(),
        picture: picture.clone(),
    });
    let drawn = diagnosis.likely().filter(|finding| !matches!(finding.cause, Cause::Undeclared { .. })).take(SHOWN);
    let mistake = |finding: &Finding| {
        let picture = hypothesis_picture(question, setup, finding)?;
        Ok(Hypothesis { name: finding.name(), about: finding.about(), picture })
    };
    with_options.map(Ok).into_iter().chain(drawn.map(mistake)).collect()
}

/// The picture of a usual backend with a finding's mistakes, in the set-up that was diagnosed.
///
/// # Errors
///
/// When the set-up can not be drawn, or not with these mistakes.
pub fn hypothesis_picture(question: &Question<'_>, setup: &Setup, finding: &Finding) -> Result<Picture, DiagnoseError> {
    let camera = question.camera_of(setup)?;
    let shot = Shot { moment: setup.moment, camera: &camera, settings: &setup.settings };
    let causes = Causes { first: finding.cause, beside: finding.beside };
    let frame = Simulator::new(question.scene)?.draw(&shot, &causes.chosen(Variation::default()), causes.faults())?;
    let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba);
    picture.map_err(|error| DiagnoseError::Shape(error.to_string()))
}
