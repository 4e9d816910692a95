//! [`Advice`]: who is asked which mistake it is, and what the viewer does with the answer.

use std::sync::Arc;

use super::{
    Viewer,
    candidate::{Candidate, PATIENCE},
    diagnosis::{Consultation, Diagnostician, Effect, PictureQuestion},
    panels::DiagnosisView,
    state::State,
};
use refrast_measure::Picture;

/// Seconds from look to look while an answer is made.
const ANSWER_STEP: f64 = 0.1;

/// Somebody who can be asked, and the question that was.
#[derive(Debug, Default)]
pub(super) struct Advice {
    diagnostician: Option<Diagnostician>,
    consultation: Option<Consultation>,
    /// Whether the candidate is wrong now, and whether it was asked about as it is asked for now.
    is_wrong: bool,
    is_of_this: bool,
}

impl Advice {
    pub(super) fn by(diagnostician: Option<Diagnostician>) -> Self {
        Self { diagnostician, ..Self::default() }
    }

    /// Whom another scene's viewer asks.
    pub(super) fn diagnostician(&self) -> Option<&Diagnostician> {
        self.diagnostician.as_ref()
    }

    /// What the panel shows of it.
    pub(super) fn view(&self) -> DiagnosisView<'_> {
        DiagnosisView {
            said: self.consultation.as_ref().map(Consultation::said),
            is_of_this: self.is_of_this,
            is_wrong: self.is_wrong && self.diagnostician.is_some(),
        }
    }

    /// The mistake that is tried on, and what a backend draws that makes it.
    pub(super) fn worn(&self, state: &State) -> Option<(&str, &Arc<Picture>)> {
        let hypothesis = self.consultation.as_ref()?.said().hypothesis(state.hypothesis?)?;
        match &hypothesis.effect {
            Effect::Picture(picture) => Some((&hypothesis.name, picture)),
            Effect::Options(_) => None,
        }
    }

    /// Forgets what was asked; there is another candidate.
    pub(super) fn forget(&mut self) {
        (self.consultation, self.is_wrong, self.is_of_this) = (None, false, false);
    }
}

impl Viewer<'_> {
    /// With somebody who says which mistake a candidate's picture shows.
    #[must_use]
    pub fn advised_by(mut self, diagnostician: Option<Diagnostician>) -> Self {
        self.advice = Advice::by(diagnostician);
        self
    }

    /// Somebody wants to know which mistake the candidate shows.
    pub(super) fn ask(&mut self) {
        let picture = self.candidate.as_ref().and_then(Candidate::picture);
        let judgement = picture.and_then(|picture| picture.judgement());
        let refusal = match (picture, judgement) {
            _ if self.advice.diagnostician.is_none() => Some("nobody here knows mistakes: refrast diagnose does"),
            (None, _) => Some("what is diagnosed is a backend's picture: drop one on the window (--candidate)"),
            (Some(_), Some(Ok(judgement))) if judgement.verdict.wrong() == 0 => {
                Some("nothing to explain: every pixel is in the envelope")
            }
            _ => None,
        };
        if let Some(refusal) = refusal {
            return self.notify(refusal.to_owned());
        }
        if !self.advice.is_of_this {
            self.advice.consultation = None;
            self.state.try_on(None);
        }
        self.state.diagnose = true;
        self.clock.look_now();
    }

    /// Asks, where it is wanted and the candidate is known to be wrong, and listens.
    pub(super) fn consult(&mut self) {
        let Some(Candidate::Picture(picture)) = &self.candidate else { return };
        let judgement = picture.judgement().and_then(Result::ok);
        let is_wrong = judgement.is_some_and(|judgement| judgement.verdict.wrong() > 0);
        let question =
            || PictureQuestion::of(&self.state, self.stage.scene(), *self.stage.settings(), picture.picture());
        let before = (self.advice.is_wrong, self.advice.is_of_this);
        if self.state.diagnose
            && is_wrong
            && self.advice.consultation.is_none()
            && let Some(diagnostician) = self.advice.diagnostician.clone()
        {
            match question() {
                Ok(question) => {
                    let consultation = Consultation::new(&diagnostician, self.stage.scene(), question);
                    (self.advice.consultation, self.advice.is_of_this) = (Some(consultation), true);
                }
                Err(refusal) => {
                    self.state.diagnose = false;
                    self.notify(refusal.to_owned());
                    return;
                }
            }
        }
        self.advice.is_wrong = is_wrong;
        if let Some(consultation) = &self.advice.consultation {
            self.advice.is_of_this = question().is_ok_and(|question| question.is_like(consultation.question()));
        }
        let heard = self.advice.consultation.as_mut().is_some_and(Consultation::listen);
        if heard || before != (self.advice.is_wrong, self.advice.is_of_this) {
            self.clock.look_now();
        }
        if self.advice.consultation.as_ref().is_some_and(Consultation::is_busy) {
            self.clock.look_by(self.clock.now() + ANSWER_STEP);
        }
    }

    /// Waits for an answer; tells whether there was something to wait for.
    pub(super) fn wait_for_answer(&mut self) -> bool {
        let waited = self.advice.consultation.as_mut().is_some_and(|consultation| consultation.wait(PATIENCE));
        if waited {
            self.clock.look_now();
        }
        waited
    }
}
