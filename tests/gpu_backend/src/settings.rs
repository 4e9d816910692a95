//! [`Settings`]: what a picture shows and how large it is.

use refrast::{
    animation::Pose,
    raster::SampleCount,
    render::{Camera, RenderSettings, shadow_plan},
    scene::Scene,
    shading::{Development, ShadingMode, ShadowPlan, ShadowSettings},
    skinning::SkinningMethod,
};

use crate::BackendError;

/// How joints move vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Skinning {
    /// Matrices are blended.
    #[default]
    Linear,
    /// Dual quaternions are blended.
    DualQuaternion,
}

/// What a picture shows and how large it is; the convention comes with the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Samples a pixel.
    pub samples: SampleCount,
    /// What fragments show.
    pub shading: ShadingMode,
    /// Stored bytes where nothing is drawn.
    pub background: [u8; 3],
    /// How joints move vertices.
    pub skinning: Skinning,
    /// Ambient light in place of the scene's own.
    pub ambient: Option<f32>,
    /// Exposure and tone of the mode `lit`.
    pub development: Development,
    /// How shadows are made.
    pub shadows: ShadowSettings,
}

impl From<&RenderSettings> for Settings {
    fn from(settings: &RenderSettings) -> Self {
        let RenderSettings { width, height, samples, shading, background, ambient, development, shadows, .. } =
            *settings;
        let dual_quaternions = settings.skinning == SkinningMethod::DualQuaternion;
        let skinning = if dual_quaternions { Skinning::DualQuaternion } else { Skinning::Linear };
        Self { width, height, samples, shading, background, skinning, ambient, development, shadows }
    }
}

impl Settings {
    /// Splits and matrices of a scene's shadows, which a backend is handed; `None` where the picture shows none.
    pub(crate) fn shadow_plan(
        &self,
        scene: &Scene,
        pose: &Pose,
        camera: &Camera,
    ) -> Result<Option<ShadowPlan>, BackendError> {
        let dual_quaternions = self.skinning == Skinning::DualQuaternion;
        let settings = RenderSettings {
            width: self.width,
            height: self.height,
            shading: self.shading,
            shadows: self.shadows,
            convention: camera.convention,
            skinning: if dual_quaternions { SkinningMethod::DualQuaternion } else { SkinningMethod::Linear },
            ..RenderSettings::default()
        };
        Ok(shadow_plan(scene, pose, camera, &settings)?)
    }
}
