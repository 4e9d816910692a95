//! What the viewer does with a candidate: takes it, has it judged, and goes where it is worst.

use std::path::Path;

use super::{
    Viewer,
    candidate::Candidate,
    compose::Composer,
    inspection::VertexView,
    state::{Heat, State},
};

/// How far the camera is from a vertex that it goes to, in radii of all that is drawn.
const NEAR_VERTEX: f64 = 0.6;

/// Seconds from look to look while an envelope is made.
const ENVELOPE_STEP: f64 = 0.05;

impl Viewer<'_> {
    /// Takes a backend's picture or buffer in place of the one before; one that does not fit is told of, and changes nothing.
    pub(super) fn take_candidate(&mut self, path: &Path) {
        match Candidate::read(self.stage.scene(), path) {
            Ok(candidate) => {
                self.candidate = Some(candidate);
                self.state.candidate = Some(path.to_owned());
                (self.state.heat, self.state.magnified) = (Heat::Candidate, None);
                self.state.comparison = State::comparison_with(Some(path), None);
                self.composer = Composer::default();
                (self.state.diagnose, self.state.hypothesis) = (false, None);
                self.advice.forget();
                self.findings.forget();
                self.notify(format!("the candidate is {}", path.display()));
            }
            Err(error) => self.notify(format!("error: {error}")),
        }
    }

    /// Waits for what is made in the background; tells whether there was something, so that there is more to see now.
    pub fn wait(&mut self) -> bool {
        let waited = match &mut self.candidate {
            Some(Candidate::Picture(picture)) => picture.wait(),
            _ => false,
        };
        if waited {
            self.take_verdict();
        }
        // Nobody is asked before there is a verdict.
        waited || self.wait_for_answer()
    }

    /// Holds a candidate's picture against the envelope of the frame, where it is to be seen.
    pub(super) fn judge(&mut self) {
        let Some(Candidate::Picture(picture)) = &mut self.candidate else { return };
        let wanted = self.state.heat == Heat::Candidate && !self.state.playing;
        let job = self.stage.envelope_job(self.state.profile, self.state.declared).filter(|_| wanted);
        let fresh = picture.judge(job.as_ref());
        if picture.is_busy() {
            self.clock.look_by(self.clock.now() + ENVELOPE_STEP);
        }
        if fresh {
            self.take_verdict();
        }
    }

    /// There is another verdict than before: legend and inspector have to say so.
    fn take_verdict(&mut self) {
        self.findings.forget();
        self.clock.look_now();
    }

    /// Inspects the vertex with the largest number or the pixel that is farthest outside, or the next one, and goes near.
    pub(super) fn next_worst(&mut self) {
        let judgement = self.candidate.as_ref().and_then(Candidate::picture).and_then(|picture| picture.judgement());
        if let Some(Ok(judgement)) = judgement {
            let Some(&pixel) = judgement.worst.get(self.findings.worst % judgement.worst.len().max(1)) else { return };
            self.findings.worst += 1;
            self.state.magnified = Some(self.screen.place.at_pixel(pixel));
            self.choose(pixel);
            return;
        }
        let Some(map) = self.composer.map() else { return };
        let Some(&choice) = map.worst.get(self.findings.worst % map.worst.len().max(1)) else { return };
        self.findings.worst += 1;
        (self.state.selected, self.state.pixel) = (Some(choice), None);
        let (scene, pose) = (self.stage.scene(), self.stage.pose());
        let view = VertexView::of(&mut self.deformer, scene, pose, &self.state, choice, None);
        if let Some(view) = view {
            let at = glam::DVec3::from(view.position.exact);
            if at.is_finite() {
                self.state.camera.look_at(at, NEAR_VERTEX * self.stage.bounds().radius());
            }
        }
    }
}
