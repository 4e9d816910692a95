//! [`Settings`]: what a picture shows and how large it is.

use refrast::{raster::SampleCount, render::RenderSettings, shading::ShadingMode, skinning::SkinningMethod};

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
}

impl From<&RenderSettings> for Settings {
    fn from(settings: &RenderSettings) -> Self {
        let RenderSettings { width, height, samples, shading, background, .. } = *settings;
        let dual_quaternions = settings.skinning == SkinningMethod::DualQuaternion;
        let skinning = if dual_quaternions { Skinning::DualQuaternion } else { Skinning::Linear };
        Self { width, height, samples, shading, background, skinning }
    }
}
