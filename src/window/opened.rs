//! [`Opened`]: a scene that was dropped on the window.
//!
//! Why it exists: the window stays, and what it shows is another scene from then on, with what a person has set about the window itself.

use std::path::PathBuf;

use super::{state::State, viewer::Viewer};
use refrast_scene::Scene;

/// A scene that was dropped on the window, and how it is shown.
pub(super) struct Opened {
    pub(super) scene: Scene,
    /// What it was opened by.
    pub(super) name: String,
    pub(super) state: State,
    /// Pixels of the window.
    pub(super) size: [u32; 2],
}

impl Opened {
    /// Reads the first scene among files, which is taken out of them; what can not be read is told of.
    pub(super) fn take(files: &mut Vec<PathBuf>, viewer: &mut Viewer<'_>, size: [u32; 2]) -> Option<Self> {
        let is_scene = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ["glb", "gltf"].iter().any(|own| ending.eq_ignore_ascii_case(own)))
        };
        let path = files.remove(files.iter().position(is_scene)?);
        match Scene::load(&path) {
            Ok(scene) => {
                let State { panels, folded, panel_widths, scale, simd, .. } = viewer.state().clone();
                let state = State { panels, folded, panel_widths, scale, simd, ..State::default() };
                Some(Self { scene, name: path.display().to_string(), state, size })
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
