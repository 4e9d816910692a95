//! [`CameraSettings`]: all that can be said about a camera, and the one way from there to its matrices.
//!
//! Why it exists: a picture is drawn twice, by a renderer under test and by this one, and by several commands. The same
//! words must be the same camera in all of them, and words that contradict each other be told in the same way.

use glam::DVec3;

use super::{Bounds, Camera, CameraChoice, CameraError, Lens, RenderError, RenderSettings, Viewpoint};
use refrast_animation::Pose;
use refrast_scene::{Scene, SceneError};

/// The camera that was asked for can not be had.
#[derive(Debug, thiserror::Error)]
pub enum CameraSettingsError {
    /// The camera file can not be used.
    #[error(transparent)]
    File(#[from] CameraError),
    /// The scene has no such camera.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// What it must hold in view can not be found out.
    #[error(transparent)]
    Bounds(#[from] RenderError),
    /// A camera that comes with its matrices was to be changed.
    #[error(
        "{option} is for cameras that stand around what is drawn or at an --eye; {camera} has its own: leave {option} out, or \
         write the camera with --eye, --target and --fov"
    )]
    OwnMatrices {
        /// What was asked for beside it.
        option: &'static str,
        /// `the camera `NAME` of the scene` or `FILE.json`.
        camera: String,
    },
    /// `--eye` and an orbit.
    #[error("--eye says where the camera stands, and so does --camera {0}: leave one out")]
    EyeAndOrbit(String),
    /// `--up` without an eye.
    #[error("--up turns a camera that stands at an --eye; an orbit is upright: add --eye X,Y,Z or leave --up out")]
    UpWithoutEye,
    /// A number that is no angle of view.
    #[error("--fov {0} is no field of view: give degrees from bottom to top, over 0 and under 180")]
    FieldOfView(f64),
    /// Planes that hold nothing.
    #[error("the near plane at {near} and the far plane at {far} hold nothing: give 0 < --near < --far, in metres")]
    Planes {
        /// Metres.
        near: f64,
        /// Metres.
        far: f64,
    },
    /// The camera looks nowhere, or along its own up.
    #[error("{0}")]
    Direction(&'static str),
}

/// What was said about a camera: the words of the command line and of a manifest of goldens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraSettings {
    /// Where it comes from.
    pub choice: CameraChoice,
    /// How much it sees.
    pub lens: Lens,
    /// Where it stands, in world space.
    pub eye: Option<DVec3>,
    /// What it looks at, in world space; without it the middle of what is drawn.
    pub target: Option<DVec3>,
    /// Up, for an eye; +Y without it.
    pub up: Option<DVec3>,
}

impl From<CameraChoice> for CameraSettings {
    fn from(choice: CameraChoice) -> Self {
        Self { choice, ..Self::default() }
    }
}

impl CameraSettings {
    /// Where the camera stands; `None` where it comes with its matrices.
    ///
    /// # Errors
    /// [`CameraSettingsError`] where the words contradict each other or are out of range.
    pub fn viewpoint(&self) -> Result<Option<Viewpoint>, CameraSettingsError> {
        let Self { choice, lens, eye, target, up } = self;
        if let CameraChoice::Scene(_) | CameraChoice::File(_) = choice {
            let camera = match choice {
                CameraChoice::Scene(name) => format!("the camera `{name}` of the scene"),
                CameraChoice::File(path) => path.display().to_string(),
                CameraChoice::Orbit(_) => String::new(),
            };
            let said = [
                (lens.field_of_view.is_some(), "--fov"),
                (lens.near.is_some(), "--near"),
                (lens.far.is_some(), "--far"),
                (eye.is_some(), "--eye"),
                (target.is_some(), "--target"),
                (up.is_some(), "--up"),
            ];
            return match said.into_iter().find(|(said, _)| *said) {
                Some((_, option)) => Err(CameraSettingsError::OwnMatrices { option, camera }),
                None => Ok(None),
            };
        }
        if let Some(degrees) = lens.field_of_view.filter(|degrees| !(*degrees > 0.0 && *degrees < 180.0)) {
            return Err(CameraSettingsError::FieldOfView(degrees));
        }
        let (near, far) = (lens.near.unwrap_or(f64::MIN_POSITIVE), lens.far.unwrap_or(f64::MAX));
        if !(near > 0.0 && near < far) {
            return Err(CameraSettingsError::Planes { near: lens.near.unwrap_or(0.0), far });
        }
        match (*eye, choice) {
            (Some(_), CameraChoice::Orbit(_)) if *choice != CameraChoice::default() => {
                Err(CameraSettingsError::EyeAndOrbit(choice.to_string()))
            }
            (Some(eye), _) => {
                let up = up.unwrap_or(DVec3::Y);
                let sight = target.map(|target| eye - target);
                if sight == Some(DVec3::ZERO) {
                    Err(CameraSettingsError::Direction("--eye and --target are one point: move one of them"))
                } else if up == DVec3::ZERO || sight.is_some_and(|sight| sight.cross(up) == DVec3::ZERO) {
                    Err(CameraSettingsError::Direction(
                        "the camera looks along its own up: give another --up, such as --up 0,0,1",
                    ))
                } else {
                    Ok(Some(Viewpoint::Eye { eye, target: *target, up }))
                }
            }
            (None, _) if up.is_some() => Err(CameraSettingsError::UpWithoutEye),
            (None, CameraChoice::Orbit(orbit)) => Ok(Some(Viewpoint::Orbit { orbit: *orbit, target: *target })),
            (None, CameraChoice::Scene(_) | CameraChoice::File(_)) => Ok(None),
        }
    }

    /// The camera for pictures with these settings. What it finds out for itself, it finds out of the whole `clip`
    /// ([`Bounds::of`]); `pose` moves the cameras of the scene alone.
    ///
    /// # Errors
    /// [`CameraSettingsError`].
    pub fn camera(
        &self,
        scene: &Scene,
        clip: Option<usize>,
        pose: &Pose,
        settings: &RenderSettings,
    ) -> Result<Camera, CameraSettingsError> {
        let (convention, aspect_ratio) = (settings.convention, f64::from(settings.width) / f64::from(settings.height));
        let viewpoint = self.viewpoint()?;
        match (&self.choice, viewpoint) {
            (_, Some(viewpoint)) => {
                Ok(viewpoint.camera(&Bounds::of(scene, clip)?, &self.lens, aspect_ratio, convention))
            }
            (CameraChoice::File(path), None) => Ok(Camera::load(path, convention)?),
            (CameraChoice::Scene(name), None) => {
                let camera = scene.find_camera(name)?;
                Ok(Camera::from_scene(scene, pose, camera, aspect_ratio, convention))
            }
            (CameraChoice::Orbit(orbit), None) => {
                let bounds = Bounds::of(scene, clip)?;
                Ok(Camera::orbit(&bounds, *orbit, aspect_ratio, convention))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Orbit;

    #[test]
    fn words_that_contradict_each_other_are_told_with_a_remedy() {
        let said = |settings: CameraSettings| settings.viewpoint().expect_err("it can not be").to_string();
        let eye = CameraSettings { eye: Some(DVec3::Z), ..CameraSettings::default() };
        let file = CameraSettings::from(CameraChoice::File("shot.json".into()));
        let orbit = CameraChoice::Orbit(Orbit { yaw: 1.0, ..Orbit::default() });
        let cases = [
            (CameraSettings { choice: orbit, ..eye.clone() }, "--camera orbit:1,8: leave one out"),
            (CameraSettings { target: Some(DVec3::Z), ..eye.clone() }, "one point"),
            (CameraSettings { target: Some(DVec3::ZERO), up: Some(DVec3::Z * -2.0), ..eye.clone() }, "its own up"),
            (CameraSettings { eye: None, up: Some(DVec3::Z), ..eye.clone() }, "add --eye"),
            (CameraSettings { target: Some(DVec3::Z), ..file.clone() }, "--target is for cameras"),
            (CameraSettings { lens: Lens { near: Some(1.0), ..Lens::default() }, ..file }, "shot.json has its own"),
        ];
        for (settings, expected) in cases {
            let said = said(settings);
            assert!(said.contains(expected), "{said}");
        }
        for degrees in [0.0, 180.0, -1.0, f64::NAN] {
            let lens = Lens { field_of_view: Some(degrees), ..Lens::default() };
            assert!(said(CameraSettings { lens, ..eye.clone() }).contains("under 180"));
        }
        for (near, far) in [(Some(0.0), None), (Some(2.0), Some(2.0)), (None, Some(-1.0)), (Some(f64::NAN), None)] {
            let lens = Lens { near, far, ..Lens::default() };
            assert!(said(CameraSettings { lens, ..eye.clone() }).contains("0 < --near < --far"));
        }
    }
}
