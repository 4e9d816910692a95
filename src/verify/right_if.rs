//! [`right_if`]: what would have to be declared for a refused picture to be right.
//!
//! Why it exists: a whole class of engines resolves stored bytes. To be told of ten thousand wrong pixels sends nobody
//! anywhere; to be told which one choice explains all of them does.

use refrast_envelope::{EnvelopeSettings, vertex::Chain};
use refrast_range::{Declared, Profile};
use refrast_scene::Scene;

/// What makes a picture right, as options: that its backend reads the file (`moment` of it) where it is held to refrast's
/// palette; of choices that can show in the `scene` each choice of an engine that does so alone, beside those that are declared; where none does, the first profile that
/// grants more. `is_right` judges the picture.
pub(crate) fn right_if(
    scene: &Scene,
    judged_by: EnvelopeSettings,
    moment: Option<Chain>,
    is_right: impl Fn(EnvelopeSettings) -> bool,
) -> Vec<String> {
    let EnvelopeSettings { profile, declared, .. } = judged_by;
    if profile == Profile::Exact {
        return Vec::new();
    }
    if judged_by.file.is_none() && moment.is_some() && is_right(EnvelopeSettings { file: moment, ..judged_by }) {
        return vec!["--given file".to_owned()];
    }
    let mut choices: Vec<Declared> = Vec::new();
    for more in declared.one_more().filter(|more| more.jpeg == declared.jpeg || has_jpeg(scene)) {
        // Whoever is right with means of stored bytes needs no more room for a chain, nor for a decoder who is right by rounding.
        let has_mips = more.mips != declared.mips && choices.iter().any(|less| less.mips != declared.mips);
        let has_decoder = more.jpeg != declared.jpeg && choices.iter().any(|less| less.jpeg != declared.jpeg);
        if !has_mips && !has_decoder && is_right(EnvelopeSettings { declared: more, ..judged_by }) {
            choices.push(more);
        }
    }
    if !choices.is_empty() {
        return choices.iter().map(|more| more.beside(&declared)).collect();
    }
    looser(judged_by, is_right).into_iter().collect()
}

/// Whether texels of a scene hang on who decodes its images.
pub(crate) fn has_jpeg(scene: &Scene) -> bool {
    scene.images.iter().any(|image| image.jpeg.is_some())
}

/// The first profile that grants more and makes a picture right, as an option.
fn looser(judged_by: EnvelopeSettings, is_right: impl Fn(EnvelopeSettings) -> bool) -> Option<String> {
    let looser = match judged_by.profile {
        Profile::D3d11 | Profile::Vulkan(_) => &[Profile::Vulkan14, Profile::VulkanMin][..],
        Profile::Vulkan14 => &[Profile::VulkanMin],
        Profile::VulkanMin | Profile::Exact => &[],
    };
    let found = looser.iter().find(|looser| is_right(EnvelopeSettings { profile: **looser, ..judged_by }));
    found.map(|looser| format!("--profile {looser}"))
}
