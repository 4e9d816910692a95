//! [`Opened`]: another scene for the window.
//!
//! Why it exists: the window stays, and what it shows is another scene from then on, with what a person has set about the window
//! itself.

use std::path::{Path, PathBuf};

use super::{
    state::State,
    viewer::{Input, Viewer},
};
use refrast_scene::Scene;

/// A scene in place of the one before, and how it is shown.
pub(super) struct Opened {
    pub(super) scene: Scene,
    /// What it was opened by.
    pub(super) name: String,
    pub(super) state: State,
    /// What happened together with it, and has not been seen yet.
    pub(super) input: Input,
}

impl Opened {
    /// Reads the first scene among the files that were dropped on the window, which is taken out of them.
    pub(super) fn dropped(viewer: &mut Viewer<'_>, input: &mut Input) -> Option<Self> {
        let is_scene = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ["glb", "gltf"].iter().any(|own| ending.eq_ignore_ascii_case(own)))
        };
        let path = input.files.remove(input.files.iter().position(is_scene)?);
        Self::read(&path, viewer, input.clone())
    }

    /// Reads a scene; one that can not be read is told of.
    pub(super) fn read(path: &Path, viewer: &mut Viewer<'_>, input: Input) -> Option<Self> {
        match Scene::load(path) {
            Ok(scene) => {
                let State { panels, folded, panel_widths, program_widths, scale, simd, .. } = viewer.state().clone();
                let state = State { panels, folded, panel_widths, program_widths, scale, simd, ..State::default() };
                Some(Self { scene, name: path.display().to_string(), state, input })
            }
            Err(error) => {
                viewer.notify(format!("error: {error}"));
                None
            }
        }
    }
}

/// What the window of a scene is called.
pub(super) fn title_of(scene_name: &str) -> String {
    format!("{scene_name} - refrast")
}
