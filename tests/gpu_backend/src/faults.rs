//! [`Faults`]: which known mistakes the backend makes, and where each is built in.
//!
//! Why it exists: a check that has never seen a wrong backend may be blind. Each mistake is a small honest version of a
//! real bug, at the place where real backends have it: in a shader it is a pipeline constant of the fault's name, and
//! what lies in the pipeline's state or in what is uploaded asks this set.

use refrast::{shading::ShadingMode, verify::Fault};

use crate::{Settings, backend::PICTURE_SHADER};

/// A set of mistakes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults(Vec<Fault>);

/// What is built into uploads, pipeline states, targets and lights.
const OUTSIDE_SHADERS: [Fault; 45] = [
    Fault::BaseColorLinear,
    Fault::TextureAlphaSrgb,
    Fault::TextureFlipped,
    Fault::TextureChannelsSwapped,
    Fault::MipChainInSrgb,
    Fault::MipChainDecimated,
    Fault::MipChainOddDropped,
    Fault::BaseVertexIgnored,
    Fault::WindingNotFlipped,
    Fault::AmbientMissing,
    Fault::LambertPiMissing,
    Fault::HeadlightInWorld,
    Fault::FirstLightOnly,
    Fault::SpotAngleHalved,
    Fault::CullFront,
    Fault::CullOff,
    Fault::DepthTestLessEqual,
    Fault::DepthTestOff,
    Fault::DepthWriteOff,
    Fault::Depth16Bits,
    Fault::DepthClearedToZero,
    Fault::ReversedDepthTest,
    Fault::DepthRangeGl,
    Fault::DepthPerspective,
    Fault::NearClipMissing,
    Fault::BlendOrder,
    Fault::BlendPremultiplied,
    Fault::BlendAdditive,
    Fault::BlendDepthWrite,
    Fault::BlendAlphaSquared,
    Fault::ViewportHalfPixel,
    Fault::ViewportOffByOneRow,
    Fault::PixelCentreInteger,
    Fault::ScissorOffByOne,
    Fault::AspectRatioInverted,
    Fault::YFlipped,
    Fault::FlatInterpolation,
    Fault::CentroidInterpolation,
    Fault::SamplesAtCentre,
    Fault::SamplesMirrored,
    Fault::FillRuleBottomRight,
    Fault::SrgbEncodeMissing,
    Fault::OutputChannelsSwapped,
    Fault::BackgroundLinear,
    Fault::ConservativeCoverage,
];

impl Faults {
    /// No mistake.
    pub const NONE: Self = Self(Vec::new());

    /// These mistakes at once.
    #[must_use]
    pub fn of(faults: &[Fault]) -> Self {
        Self(faults.to_vec())
    }

    /// Whether the backend can make this mistake.
    #[must_use]
    pub fn can_make(fault: Fault) -> bool {
        OUTSIDE_SHADERS.contains(&fault) || is_in_shader(PICTURE_SHADER, fault)
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.0.contains(&fault)
    }

    pub(crate) fn has_any(&self, faults: &[Fault]) -> bool {
        faults.iter().any(|fault| self.has(*fault))
    }

    /// The pipeline constants that switch on what is built into the text of a shader.
    pub(crate) fn constants(&self, text: &str) -> Vec<(String, f64)> {
        let built_in = self.0.iter().filter(|fault| is_in_shader(text, **fault));
        built_in.map(|fault| (constant_name(*fault), 1.0)).collect()
    }

    /// Varyings that are interpolated otherwise are declared otherwise.
    pub(crate) fn shader(&self, text: &str) -> String {
        let interpolate = if self.has(Fault::FlatInterpolation) {
            "@interpolate(flat, first) @location("
        } else if self.has(Fault::CentroidInterpolation) {
            "@interpolate(perspective, centroid) @location("
        } else {
            return text.to_owned();
        };
        let declared = text.find("struct Varyings").unwrap_or(0);
        let end = declared + text[declared..].find('}').unwrap_or(0);
        format!("{}{}{}", &text[..declared], text[declared..end].replace("@location(", interpolate), &text[end..])
    }

    /// How stored bytes come from linear colours: in which format the target is, and whether the shader encodes.
    pub(crate) fn target_format(&self, settings: &Settings) -> wgpu::TextureFormat {
        let linear = [Fault::SrgbEncodeMissing, Fault::GammaEncode22, Fault::BlendInSrgb, Fault::ResolveInSrgb];
        let encodes = is_srgb(settings.shading) && !self.has_any(&linear);
        match (encodes, self.has(Fault::OutputChannelsSwapped)) {
            (true, false) => wgpu::TextureFormat::Rgba8UnormSrgb,
            (false, false) => wgpu::TextureFormat::Rgba8Unorm,
            (true, true) => wgpu::TextureFormat::Bgra8UnormSrgb,
            (false, true) => wgpu::TextureFormat::Bgra8Unorm,
        }
    }
}

/// Whether pictures of this mode are pictures of light.
pub(crate) fn is_srgb(shading: ShadingMode) -> bool {
    shading.color_space() == refrast::shading::ColorSpace::Srgb
}

fn constant_name(fault: Fault) -> String {
    fault.name().replace('-', "_")
}

fn is_in_shader(text: &str, fault: Fault) -> bool {
    text.contains(&format!("override {}: bool", constant_name(fault)))
}
