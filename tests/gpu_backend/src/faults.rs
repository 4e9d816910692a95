//! [`Faults`]: which known mistakes the backend makes, and where each is built in.
//!
//! Why it exists: a check that has never seen a wrong backend may be blind. Each mistake is a small honest version of a
//! real bug, at the place where real backends have it: in a shader it is a pipeline constant of the fault's name, and
//! what lies in the pipeline's state or in what is uploaded asks this set.

use std::hash::{Hash, Hasher};

use refrast::{
    shading::ShadingMode,
    verify::{
        Fault,
        simulator::{ParametricFault, is_misread_by},
    },
};

use crate::{
    Settings, influences::INFLUENCE_FAULTS, palette::PALETTE_FAULTS, pipeline::PICTURE_SHADER, resolve::RESOLVE_SHADER,
    vertices::CAPTURE_SHADER,
};

/// A set of mistakes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    listed: Vec<Fault>,
    parametric: Vec<ParametricFault>,
}

// No mistake has a number that is none.
impl Eq for Faults {}

impl Hash for Faults {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.listed.hash(state);
        // Mistakes that are equal are called the same.
        self.parametric.iter().for_each(|fault| fault.to_string().hash(state));
    }
}

/// What is built into the state of pipelines.
const PIPELINE_FAULTS: [Fault; 21] = [
    Fault::CullFront,
    Fault::CullOff,
    Fault::YFlipped,
    Fault::DepthTestLessEqual,
    Fault::DepthTestOff,
    Fault::DepthWriteOff,
    Fault::Depth16Bits,
    Fault::ReversedDepthTest,
    Fault::DepthPerspective,
    Fault::NearClipMissing,
    Fault::BlendPremultiplied,
    Fault::BlendAdditive,
    Fault::BlendDepthWrite,
    Fault::BlendAlphaSquared,
    Fault::FlatInterpolation,
    Fault::CentroidInterpolation,
    Fault::SamplesAtCentre,
    Fault::SamplesMirrored,
    Fault::FillRuleBottomRight,
    Fault::OutputChannelsSwapped,
    Fault::ConservativeCoverage,
];

/// What is built into uploads, passes, targets and lights.
const OUTSIDE_PIPELINES: [Fault; 31] = [
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
    Fault::DepthClearedToZero,
    Fault::DepthRangeGl,
    Fault::BlendOrder,
    Fault::ViewportHalfPixel,
    Fault::ViewportOffByOneRow,
    Fault::PixelCentreInteger,
    Fault::ScissorOffByOne,
    Fault::AspectRatioInverted,
    Fault::SrgbEncodeMissing,
    Fault::BackgroundLinear,
    Fault::NormalMapSrgb,
    Fault::ShadowBiasSign,
    Fault::ShadowBiasUnits,
    Fault::CastersClipped,
    Fault::MapClearedToZero,
    Fault::CascadeMatrixStale,
    Fault::LightMapSwapped,
];

impl Faults {
    /// No mistake.
    pub const NONE: Self = Self { listed: Vec::new(), parametric: Vec::new() };

    /// These mistakes at once.
    #[must_use]
    pub fn of(faults: &[Fault]) -> Self {
        Self { listed: faults.to_vec(), parametric: Vec::new() }
    }

    /// These, and mistakes with a number in them.
    #[must_use]
    pub fn and(self, parametric: &[ParametricFault]) -> Self {
        Self { parametric: [self.parametric, parametric.to_vec()].concat(), ..self }
    }

    /// Whether the backend can make this mistake.
    ///
    /// Those of files and animations it makes by drawing what [`refrast::verify::simulator::as_read`] gives: an importer's
    /// mistake is a wrong scene, drawn rightly.
    #[must_use]
    pub fn can_make(fault: Fault) -> bool {
        is_misread_by(fault)
            || [&PIPELINE_FAULTS[..], &OUTSIDE_PIPELINES, &INFLUENCE_FAULTS, &PALETTE_FAULTS]
                .iter()
                .any(|faults| faults.contains(&fault))
            || [PICTURE_SHADER, RESOLVE_SHADER].iter().any(|text| is_in_shader(text, fault))
    }

    /// Whether one of them changes what the vertex stage computes, and so a vertex file.
    #[must_use]
    pub fn move_vertices(&self) -> bool {
        self.listed.iter().any(|&fault| {
            is_misread_by(fault)
                || INFLUENCE_FAULTS.contains(&fault)
                || PALETTE_FAULTS.contains(&fault)
                || fault == Fault::BaseVertexIgnored
                || is_in_shader(CAPTURE_SHADER, fault)
        })
    }

    /// Those that make other pipelines.
    pub(crate) fn in_pipelines(&self) -> Self {
        let in_state = |fault: &&Fault| PIPELINE_FAULTS.contains(fault) || is_in_shader(PICTURE_SHADER, **fault);
        let numbers = self.parametric.iter().filter(|fault| is_in_pipeline(fault));
        Self { listed: self.listed.iter().filter(in_state).copied().collect(), parametric: numbers.copied().collect() }
    }

    /// Those that are built into the text of a shader.
    pub(crate) fn in_text(&self, text: &str) -> Self {
        let listed = self.listed.iter().filter(|fault| is_in_shader(text, **fault)).copied().collect();
        let numbers = self
            .parametric
            .iter()
            .filter(|fault| constant_of(fault).is_some_and(|(name, _)| text.contains(&number(name))));
        Self { listed, parametric: numbers.copied().collect() }
    }

    /// Whether the shader has to know which corner of which triangle a vertex is.
    pub(crate) fn need_corners(&self) -> bool {
        self.has_any(&[Fault::FillRuleMissing, Fault::NearClipDrops])
    }

    /// Whether samples are averaged by a pass of its own.
    pub(crate) fn resolves_itself(&self, settings: &Settings) -> bool {
        self.has(Fault::ResolveFirstSample) || (self.has(Fault::ResolveInSrgb) && is_srgb(settings.shading))
    }

    /// Those with a number in them.
    pub(crate) fn parametric(&self) -> impl Iterator<Item = ParametricFault> + '_ {
        self.parametric.iter().copied()
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.listed.contains(&fault)
    }

    pub(crate) fn has_any(&self, faults: &[Fault]) -> bool {
        faults.iter().any(|fault| self.has(*fault))
    }

    /// The pipeline constants that switch on what is built into the text of a shader.
    pub(crate) fn constants(&self, text: &str) -> Vec<(String, f64)> {
        let built_in = self.listed.iter().filter(|fault| is_in_shader(text, **fault));
        let numbers = self.parametric.iter().filter_map(constant_of).filter(|(name, _)| text.contains(&number(name)));
        let numbers = numbers.map(|(name, value)| (name.to_owned(), value));
        built_in.map(|fault| (constant_name(*fault), 1.0)).chain(numbers).collect()
    }

    /// Varyings that are interpolated otherwise are declared otherwise. OpenGL's shaders can not say whose value a flat
    /// varying has; there it is the last vertex's.
    pub(crate) fn shader(&self, text: &str, api: wgpu::Backends) -> String {
        let interpolate = if self.has(Fault::FlatInterpolation) && api == wgpu::Backends::GL {
            "@interpolate(flat, either) @location("
        } else if self.has(Fault::FlatInterpolation) {
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
        let linear = [Fault::SrgbEncodeMissing, Fault::GammaEncode22, Fault::BlendInSrgb, Fault::OutputTruncated];
        let by_shader = self.parametric().any(|fault| matches!(fault, ParametricFault::Gamma { .. }));
        let encodes = is_srgb(settings.shading) && !self.has_any(&linear) && !by_shader;
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

/// A number that is built into the text of a shader: the constant's name and its value.
fn constant_of(fault: &ParametricFault) -> Option<(&'static str, f64)> {
    Some(match *fault {
        ParametricFault::MipBias { levels } => ("mip_bias_of", levels.into()),
        ParametricFault::Gamma { gamma, .. } => ("gamma_of", gamma.into()),
        ParametricFault::Exposure { factor } => ("exposure", factor.into()),
        ParametricFault::GridBits { bits } => ("grid_steps", f64::from(1u32 << bits)),
        _ => return None,
    })
}

/// How a shader declares such a number.
fn number(name: &str) -> String {
    format!("override {name}: f32")
}

/// Whether a mistake with a number makes another pipeline.
fn is_in_pipeline(fault: &ParametricFault) -> bool {
    let is_state = matches!(fault, ParametricFault::DepthTest { .. } | ParametricFault::DepthSlopeBias { .. });
    is_state || constant_of(fault).is_some()
}

fn constant_name(fault: Fault) -> String {
    fault.name().replace(['-', '.'], "_")
}

fn is_in_shader(text: &str, fault: Fault) -> bool {
    text.contains(&format!("override {}: bool", constant_name(fault)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_mistake_can_be_made() {
        let missing: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| !Faults::can_make(*fault)).collect();
        assert_eq!(missing, []);
    }

    #[test]
    fn switches_in_shaders_are_known_mistakes() {
        for text in [PICTURE_SHADER, CAPTURE_SHADER, RESOLVE_SHADER] {
            for line in text.lines().filter(|line| line.starts_with("override ") && line.contains(": bool")) {
                let name = line.trim_start_matches("override ").split(':').next().unwrap_or_default();
                assert!(Fault::ALL.into_iter().any(|fault| constant_name(fault) == name), "{line}");
            }
        }
    }

    #[test]
    fn numbers_in_shaders_are_those_of_known_families() {
        let families = [
            ParametricFault::MipBias { levels: 0.5 },
            ParametricFault::Gamma { gamma: 1.8, in_shader: true },
            ParametricFault::Exposure { factor: 2.0 },
            ParametricFault::GridBits { bits: 1 },
        ];
        let numbers = Faults::NONE.and(&families).constants(PICTURE_SHADER);
        let declared = PICTURE_SHADER.lines().filter(|line| line.starts_with("override ") && line.contains(": f32"));
        for line in declared.clone() {
            assert!(numbers.iter().any(|(name, _)| line.starts_with(&number(name))), "{line}");
        }
        assert_eq!((declared.count(), numbers.len()), (families.len(), families.len()));
        let exposed = Faults::NONE.and(&families[2..3]);
        assert_eq!(exposed.in_pipelines(), exposed);
        let cleared = Faults::NONE.and(&[ParametricFault::DepthClear { depth: 0.5 }]);
        assert_eq!(cleared.in_pipelines(), Faults::NONE);
    }

    #[test]
    fn pipelines_are_shared_with_mistakes_that_lie_elsewhere() {
        assert_eq!(Faults::of(&[Fault::MatrixTransposed, Fault::StepAsLinear]).in_pipelines(), Faults::NONE);
        let mixed = Faults::of(&[Fault::MatrixTransposed, Fault::CullOff, Fault::MipBias]);
        assert_eq!(mixed.in_pipelines(), Faults::of(&[Fault::CullOff, Fault::MipBias]));
    }
}
