//! [`PictureQuestion`]: a candidate's picture, and with which options it should have been drawn.

use std::sync::Arc;

use crate::{
    command_line::camera_name,
    state::{State, ViewCamera},
};
use refrast_measure::Picture;
use refrast_range::Rules;
use refrast_scene::Scene;
use refrast_stage::{CameraChoice, CameraSettings, RenderSettings};

/// What is wrong with this picture?
#[derive(Clone, Debug)]
pub struct PictureQuestion {
    /// What a backend drew.
    pub candidate: Arc<Picture>,
    /// The clip and the seconds in it; the rest pose where there is none.
    pub moment: Option<(usize, f32)>,
    /// Where from.
    pub camera: CameraSettings,
    /// How, and in the candidate's size.
    pub settings: RenderSettings,
    /// What the backend may do differently.
    pub rules: Rules,
}

impl PictureQuestion {
    /// The question about a candidate that a window's state leads to.
    ///
    /// # Errors
    ///
    /// Why such a picture can not be explained, in a sentence.
    pub(crate) fn of(
        state: &State,
        scene: &Scene,
        settings: RenderSettings,
        candidate: &Arc<Picture>,
    ) -> Result<Self, &'static str> {
        if state.active_program().is_some() {
            return Err("mistakes are known of skinning methods, and not of vertex programs (Shift V)");
        }
        if !state.morph_weights.is_empty() {
            return Err("with morph weights that were moved by hand the pose is no moment of the file");
        }
        let camera = match state.camera {
            ViewCamera::Free { orbit, target } => CameraSettings {
                choice: CameraChoice::Orbit(orbit),
                lens: state.lens,
                target,
                ..CameraSettings::default()
            },
            ViewCamera::Eye { eye, target, up } => CameraSettings {
                lens: state.lens,
                eye: Some(eye),
                target: Some(target),
                up: Some(up),
                ..CameraSettings::default()
            },
            ViewCamera::File(index) => CameraChoice::Scene(camera_name(scene, index)).into(),
            ViewCamera::Matrices(_) => match &state.camera_file {
                Some(file) => CameraChoice::File(file.clone()).into(),
                None => return Err("nobody knows the file of these matrices any more"),
            },
        };
        let clip = state.clip.filter(|&clip| clip < scene.animations.len());
        Ok(Self {
            candidate: Arc::clone(candidate),
            moment: clip.map(|clip| (clip, state.time)),
            camera,
            settings: RenderSettings { threads: None, ..settings },
            rules: Rules { profile: state.profile, declared: state.declared },
        })
    }

    /// Whether it is the same question as another one about the same candidate.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Self { candidate: _, moment, camera, settings, rules } = self;
        (moment, camera, settings, rules) == (&other.moment, &other.camera, &other.settings, &other.rules)
    }
}
