//! [`RenderSettings`]: everything about a picture that is neither scene, pose nor camera.

use std::num::NonZeroUsize;

use refrast_draw::{Convention, RasterSettings, SampleCount};
use refrast_shading::{Development, ShadingMode, ShadowSettings};
use refrast_simd::SimdLevel;
use refrast_skinning::{NormalMode, SkinningMethod};

/// How a picture is made. `simd` and `threads` change no bit of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderSettings {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Samples a pixel.
    pub samples: SampleCount,
    /// What clip space means; the camera must be made for it.
    pub convention: Convention,
    /// Fraction bits of the grid that vertices snap to, 4 to 16; GPUs have 8.
    pub subpixel_bits: u32,
    /// What the fragments show.
    pub shading: ShadingMode,
    /// The part of the base colour that is seen where no light falls, in the modes [`ShadingMode::Lambert`] and
    /// [`ShadingMode::Lit`]; `None` is 0.25 under the headlight and 0.05 under a file's own lights.
    pub ambient: Option<f32>,
    /// How the light of [`ShadingMode::Lit`] becomes the light of the picture.
    pub development: Development,
    /// The shadows that lights cast in the modes [`ShadingMode::Lambert`] and [`ShadingMode::Lit`].
    pub shadows: ShadowSettings,
    /// Stored bytes where nothing is drawn; alpha is 255 there.
    pub background: [u8; 3],
    /// How joints move vertices.
    pub skinning: SkinningMethod,
    /// How normals follow, as far as the method leaves it open.
    pub normals: NormalMode,
    /// The most influences a vertex keeps: the heaviest, rescaled by their sum; `None` keeps all.
    pub max_influences: Option<NonZeroUsize>,
    /// Whether the frame keeps the depth of every sample for reading.
    pub keep_depth: bool,
    /// The instruction set.
    pub simd: SimdLevel,
    /// Threads; `None` takes rayon's global pool.
    pub threads: Option<NonZeroUsize>,
}

impl Default for RenderSettings {
    /// 1280×720, one sample, 8 grid bits, OpenGL's convention, Lambert's light on dark grey, linear skinning with the inverse
    /// transpose for normals and all influences, no shadows, no depth kept.
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: SampleCount::default(),
            convention: Convention::default(),
            subpixel_bits: 8,
            shading: ShadingMode::default(),
            ambient: None,
            development: Development::default(),
            shadows: ShadowSettings::default(),
            background: [0x22, 0x26, 0x2e],
            skinning: SkinningMethod::default(),
            normals: NormalMode::default(),
            max_influences: None,
            keep_depth: false,
            simd: SimdLevel::default(),
            threads: None,
        }
    }
}

impl RenderSettings {
    /// Whether the picture shows shadows, or where they are split.
    #[must_use]
    pub fn are_shadows_shown(&self) -> bool {
        let shown = matches!(self.shading, ShadingMode::Lambert | ShadingMode::Lit | ShadingMode::Splits);
        shown && self.shadows.are_cast()
    }

    /// What the rasteriser needs of them.
    #[must_use]
    pub fn raster(&self) -> RasterSettings {
        let [red, green, blue] = self.background;
        RasterSettings {
            width: self.width,
            height: self.height,
            samples: self.samples,
            subpixel_bits: self.subpixel_bits,
            convention: self.convention,
            background: self.shading.color_space().decode([red, green, blue, 255]),
            keep_depth: self.keep_depth,
            simd: self.simd,
        }
    }
}
