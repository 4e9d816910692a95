//! [`Appeal`]: what would have to be declared for a refused picture to be right.
//!
//! Why it exists: a whole class of engines resolves stored bytes. To be told of ten thousand wrong pixels sends nobody
//! anywhere; to be told which one choice explains all of them does.

use std::cell::RefCell;

use refrast_animation::Pose;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, choices_allowing, frame_envelope, vertex::Chain};
use refrast_golden::envelope::WrongPixel;
use refrast_range::{Declared, Profile, Rules};
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_stage::Camera;

/// A refused picture, held against the same frame by other rules.
pub(crate) struct Appeal<'a, 'scene> {
    renderer: RefCell<Renderer<'scene>>,
    pose: &'a Pose,
    camera: &'a Camera,
    /// Pixels that refute it; where a few may be wrong, none of them does.
    worst: &'a [WrongPixel],
    accepts: &'a dyn Fn(&FrameEnvelope) -> bool,
}

impl<'a, 'scene> Appeal<'a, 'scene> {
    /// `worst` are pixels of which none may be wrong; `accepts` says whether the picture is right by an envelope.
    pub(crate) fn new(
        renderer: Renderer<'scene>,
        (pose, camera): (&'a Pose, &'a Camera),
        worst: &'a [WrongPixel],
        accepts: &'a dyn Fn(&FrameEnvelope) -> bool,
    ) -> Self {
        Self { renderer: RefCell::new(renderer), pose, camera, worst, accepts }
    }

    /// Whether all of the picture is right by these rules.
    pub(crate) fn is_right(&self, judged_by: EnvelopeSettings) -> bool {
        self.hopeful(judged_by, vec![judged_by.declared]).len() == 1 && self.is_accepted(judged_by)
    }

    /// Of choices in the place of those that rules declare the ones that the worst pixels do not refute.
    pub(crate) fn hopeful(&self, judged_by: EnvelopeSettings, choices: Vec<Declared>) -> Vec<Declared> {
        if self.worst.is_empty() {
            return choices;
        }
        let shot = (self.pose, self.camera);
        let allowing = choices_allowing(&mut *self.renderer.borrow_mut(), shot, judged_by, &choices, self.worst);
        // What can not be bounded is right by nothing.
        let allowing = allowing.unwrap_or_default();
        choices.into_iter().zip(allowing).filter(|(_, allows)| *allows).map(|(choice, _)| choice).collect()
    }

    /// As [`is_right`](Self::is_right), where its worst pixels are known to be.
    pub(crate) fn is_accepted(&self, judged_by: EnvelopeSettings) -> bool {
        let made = frame_envelope(&mut *self.renderer.borrow_mut(), self.pose, self.camera, judged_by);
        made.is_ok_and(|made| (self.accepts)(&made))
    }

    /// What makes the picture right, as options: that its backend reads the file (`moment` of it) where it is held to refrast's
    /// palette; of choices that can show in the scene each choice of an engine that does so alone, beside those that are declared; where
    /// none does, fewer of those that are declared, or else the first profile that grants more.
    pub(crate) fn right_if(&self, judged_by: EnvelopeSettings, moment: Option<Chain>) -> Vec<String> {
        let EnvelopeSettings { profile, declared, .. } = judged_by;
        if profile == Profile::Exact {
            return Vec::new();
        }
        if judged_by.file.is_none() && moment.is_some() && self.is_right(EnvelopeSettings { file: moment, ..judged_by })
        {
            return vec!["--given file".to_owned()];
        }
        let has_jpeg = has_jpeg(self.renderer.borrow().scene());
        let more = declared.one_more().filter(|more| more.jpeg == declared.jpeg || has_jpeg).collect();
        let mut choices: Vec<Declared> = Vec::new();
        for more in self.hopeful(judged_by, more) {
            // Whoever is right with means of stored bytes needs no more room for a chain, nor for a decoder who is right by rounding.
            let has_mips = more.mips != declared.mips && choices.iter().any(|less| less.mips != declared.mips);
            let has_decoder = more.jpeg != declared.jpeg && choices.iter().any(|less| less.jpeg != declared.jpeg);
            if !has_mips && !has_decoder && self.is_accepted(EnvelopeSettings { declared: more, ..judged_by }) {
                choices.push(more);
            }
        }
        if !choices.is_empty() {
            return choices.iter().map(|more| more.beside(&declared)).collect();
        }
        self.by_fewer(judged_by).or_else(|| self.looser(judged_by)).into_iter().collect()
    }

    /// The most of the choices that are declared by which the picture is right, where that is fewer than all of them, as options with
    /// the profile. What is declared is right with all of it or without any: a target that averages light, held as a canvas would be,
    /// is refused for each other choice that shows in it.
    pub(crate) fn by_fewer(&self, judged_by: EnvelopeSettings) -> Option<String> {
        let EnvelopeSettings { profile, declared, .. } = judged_by;
        let fewer = self.hopeful(judged_by, declared.fewer());
        let found =
            fewer.into_iter().find(|fewer| self.is_accepted(EnvelopeSettings { declared: *fewer, ..judged_by }))?;
        Some(format!("--profile {}", Rules { profile, declared: found }))
    }

    /// The first profile that grants more and makes the picture right, as an option.
    fn looser(&self, judged_by: EnvelopeSettings) -> Option<String> {
        let looser = match judged_by.profile {
            Profile::D3d11 | Profile::Vulkan(_) => &[Profile::Vulkan14, Profile::VulkanMin][..],
            Profile::Vulkan14 => &[Profile::VulkanMin],
            Profile::VulkanMin | Profile::Exact => &[],
        };
        let found = looser.iter().find(|looser| self.is_right(EnvelopeSettings { profile: **looser, ..judged_by }));
        found.map(|looser| format!("--profile {looser}"))
    }
}

/// Whether texels of a scene hang on who decodes its images.
pub(crate) fn has_jpeg(scene: &Scene) -> bool {
    scene.images.iter().any(|image| image.jpeg.is_some())
}
