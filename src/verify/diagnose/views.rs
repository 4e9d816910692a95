//! Debug views of the same moment by the same backend: each is judged, and speaks for or against a cause and a stage.
//!
//! Why it exists: a lit picture shows everything at once. A backend that can also write its texture coordinates or its normals
//! as colours splits the question: what is right there is made rightly, and a mistake that would have changed it was not made.

use serde::{Serialize, Serializer};

use super::{Conclusion, DiagnoseError, Diagnosis, Finding, Stage, explains, trial::Causes, variations::variations};
use crate::setup::{Question, Setup};
use refrast_draw::SampleCount;
use refrast_envelope::frame_envelope;
use refrast_golden::{Picture, envelope::CheckOptions};
use refrast_nearness::Allowance;
use refrast_render::Renderer;
use refrast_shading::ShadingMode;
use refrast_simulator::{Shot, Simulator, Variation};
use refrast_stage::{RenderError, RenderSettings};
use refrast_threads as threads;

/// Pixels of a view beside those that may be left over of its wrong ones: of other filters and edges.
const STRAY: u64 = 2;

/// A view that the candidate's backend drew.
#[derive(Clone, Copy, Debug)]
pub struct CandidateView<'a> {
    /// What it shows.
    pub shading: ShadingMode,
    /// As large as the candidate.
    pub picture: &'a Picture,
}

/// What became of a view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewVerdict {
    /// What it shows.
    #[serde(serialize_with = "as_word")]
    pub view: ShadingMode,
    /// Pixels that no backend without a mistake would draw.
    pub wrong: u64,
    /// Causes that explain the candidate and not this view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuted: Vec<String>,
}

fn as_word<S: Serializer>(view: &ShadingMode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(view)
}

impl Diagnosis {
    /// What is left of a diagnosis of a picture beside views of the same set-up.
    ///
    /// # Errors
    ///
    /// When a view can not be drawn, or a picture has another size than the set-up.
    pub fn split_by(
        mut self,
        question: &Question<'_>,
        setup: &Setup,
        views: &[CandidateView<'_>],
    ) -> Result<Self, DiagnoseError> {
        let simulator = Simulator::new(question.scene)?;
        for view in views {
            let verdict = self.split_by_one(question, setup, view, &simulator)?;
            self.views.push(verdict);
        }
        if views.is_empty() || matches!(self.conclusion, Conclusion::NothingToExplain | Conclusion::AnotherSetup) {
            return Ok(self);
        }
        let counts = ([self.total, self.wrong], [self.tried, self.silent]);
        let again = Self::new(self.unit, counts.0, counts.1, std::mem::take(&mut self.findings));
        let again = Self {
            right_with: self.right_with,
            picture_with: self.picture_with,
            right_if: self.right_if,
            views: self.views,
            ..again
        };
        let Some(mut place) = self.place else { return Ok(again) };
        place.stage = stage_of(place.stage, &again.views);
        let is_new = |view: &&str| again.views.iter().all(|own| own.view.name() != *view);
        place.next_view = place.stage.and_then(Stage::next_view).filter(is_new);
        let is_either = !again.right_with.is_empty();
        let located = again.located(place);
        // Another moment is an answer of its own, whatever else is refuted.
        let conclusion = if is_either { self.conclusion } else { located.conclusion };
        Ok(Self { conclusion, ..located })
    }

    /// The verdict of a view; what it refutes explains nothing any more.
    fn split_by_one(
        &mut self,
        question: &Question<'_>,
        setup: &Setup,
        view: &CandidateView<'_>,
        simulator: &Simulator<'_>,
    ) -> Result<ViewVerdict, DiagnoseError> {
        let settings = RenderSettings { shading: view.shading, ..setup.settings };
        let (width, height) = (settings.width, settings.height);
        if view.picture.size() != (width, height) {
            let (own_width, own_height) = view.picture.size();
            return Err(DiagnoseError::Shape(format!(
                "the view {} has {own_width}x{own_height} pixels, the candidate {width}x{height}",
                view.shading
            )));
        }
        let setup = Setup { settings, ..*setup };
        let camera = question.camera_of(&setup)?;
        let judged_by = question.judged_by(setup.moment);
        let pose = setup.moment.pose(question.scene).map_err(RenderError::from)?;
        let made = frame_envelope(&mut Renderer::new(question.scene, settings)?, &pose, &camera, judged_by)?;
        let verdict = made.envelope.check(view.picture, &CheckOptions::default());
        let wrong = verdict.map_err(|error| DiagnoseError::Shape(error.to_string()))?.wrong();

        let shot = Shot { moment: setup.moment, camera: &camera, settings: &settings };
        let allowance = Allowance::of(&made.envelope, settings.samples != SampleCount::One);
        let candidate = view.picture.samples8();
        let candidate = candidate.as_chunks::<4>().0;
        let variations = variations(question.rules);
        let is_refuted = |causes: Causes| {
            let play = |&own: &Variation| Some(simulator.draw(&shot, &causes.chosen(own), causes.faults()).ok()?.rgba);
            let pictures = threads::some_of(&variations, play);
            let left = allowance.unexplained(candidate, &pictures);
            !explains(left.saturating_sub(STRAY), wrong)
        };
        let mut refuted = Vec::new();
        for finding in self.findings.iter_mut().filter(|finding| finding.explains) {
            let beside = finding.beside;
            let (gone, kept): (Vec<_>, Vec<_>) =
                finding.causes().partition(|&first| is_refuted(Causes { first, beside }));
            refuted.extend(gone.iter().map(ToString::to_string));
            match kept.split_first() {
                Some((&cause, same)) => *finding = Finding { cause, same: same.to_vec(), ..finding.clone() },
                None => finding.explains = false,
            }
        }
        Ok(ViewVerdict { view: view.shading, wrong, refuted })
    }
}

/// The first stage that must be wrong where these views are known; `seen` is what the candidate alone shows.
///
/// Every view is drawn by the same geometry. What is made first is wrong first: depth, then coordinates and normals, then base
/// colours, then light.
fn stage_of(seen: Option<Stage>, views: &[ViewVerdict]) -> Option<Stage> {
    use ShadingMode as M;
    let any = |modes: &[ShadingMode], wrong: bool| {
        views.iter().any(|own| modes.contains(&own.view) && (own.wrong > 0) == wrong)
    };
    let of_geometry =
        |stage: &Stage| matches!(stage, Stage::NothingDrawn | Stage::Geometry | Stage::Coverage | Stage::Visibility);
    let of_texels =
        |stage: &Stage| matches!(stage, Stage::TextureCoordinates | Stage::Filtering | Stage::Blend | Stage::Colour);
    let normals = [M::Normals, M::ShadingNormals, M::Tangents, M::Bitangents];
    let colours = [M::BaseColor, M::Unlit];
    if any(&[M::Depth], true) || any(&[M::Joints], true) {
        return seen.filter(of_geometry).or(Some(Stage::Geometry));
    }
    if any(&[M::Uv], true) {
        return Some(Stage::TextureCoordinates);
    }
    if any(&colours, true) {
        let own = seen.filter(of_texels).filter(|own| *own != Stage::TextureCoordinates || !any(&[M::Uv], false));
        return own.or(Some(Stage::Filtering));
    }
    if any(&normals, true) {
        return Some(Stage::Light);
    }
    match seen {
        Some(Stage::TextureCoordinates) if any(&[M::Uv], false) => Some(Stage::Filtering),
        Some(own) if of_texels(&own) && any(&colours, false) => Some(Stage::Light),
        seen => seen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_view_that_is_wrong_tells_the_stage() {
        let views = |own: &[(ShadingMode, u64)]| -> Vec<ViewVerdict> {
            own.iter().map(|&(view, wrong)| ViewVerdict { view, wrong, refuted: Vec::new() }).collect()
        };
        let stage = |seen, own: &[(ShadingMode, u64)]| stage_of(Some(seen), &views(own));
        use ShadingMode as M;
        assert_eq!(stage(Stage::Light, &[(M::Depth, 0), (M::Normals, 9)]), Some(Stage::Light));
        assert_eq!(stage(Stage::Light, &[(M::Depth, 9), (M::Normals, 9)]), Some(Stage::Geometry));
        assert_eq!(stage(Stage::Visibility, &[(M::Depth, 9)]), Some(Stage::Visibility));
        assert_eq!(stage(Stage::Filtering, &[(M::Uv, 9)]), Some(Stage::TextureCoordinates));
        assert_eq!(stage(Stage::TextureCoordinates, &[(M::Uv, 0)]), Some(Stage::Filtering));
        assert_eq!(stage(Stage::Filtering, &[(M::Uv, 0), (M::BaseColor, 0)]), Some(Stage::Light));
        assert_eq!(stage(Stage::Colour, &[(M::Normals, 0)]), Some(Stage::Colour));
        assert_eq!(stage_of(None, &views(&[(M::BaseColor, 3)])), Some(Stage::Filtering));
    }
}
