//! The stage in which a named mistake lies.
//!
//! Why it exists: who has the name has the place as well, and need not guess it from the picture.

use super::Stage;
use crate::diagnose::Cause;
use refrast_simulator::{Fault, ParametricFault, Section};

/// Mistakes that do not lie where most of their section do, stage by stage.
const EXCEPTIONS: [(Stage, &[Fault]); 8] = [
    (
        Stage::Geometry,
        &[
            Fault::StripParity,
            Fault::LastTriangleDropped,
            Fault::Index16BitWrap,
            Fault::NearClipMissing,
            Fault::NearClipDrops,
            Fault::GuardBandOverflow,
            Fault::YFlipped,
            Fault::ViewportHalfPixel,
            Fault::ViewportOffByOneRow,
            Fault::AspectRatioInverted,
        ],
    ),
    (
        Stage::Visibility,
        &[
            Fault::WindingNotFlipped,
            Fault::DoubleSidedIgnored,
            Fault::CullFront,
            Fault::CullOff,
            Fault::DepthTestLessEqual,
            Fault::DepthRangeGl,
            Fault::DepthTestOff,
            Fault::DepthWriteOff,
            Fault::Depth16Bits,
            Fault::DepthClearedToZero,
            Fault::ReversedDepthTest,
            Fault::DepthPerspective,
        ],
    ),
    (
        Stage::TextureCoordinates,
        &[
            Fault::TextureTransformOrder,
            Fault::TextureTransformRotation,
            Fault::TextureTransformRotationIgnored,
            Fault::TextureTransformIgnored,
            Fault::WrapDefaultClamp,
            Fault::WrapMirrorAsRepeat,
            Fault::WrapAxesSwapped,
            Fault::TextureFlipped,
            Fault::TexcoordSetIgnored,
            Fault::TexcoordsHalfPrecision,
            Fault::TexelCentreInteger,
            Fault::AffineInterpolation,
            Fault::FlatInterpolation,
            Fault::CentroidInterpolation,
        ],
    ),
    (
        Stage::Filtering,
        &[
            Fault::MipBias,
            Fault::MipNone,
            Fault::MipFilterNearest,
            Fault::MipShortestAxis,
            Fault::MipChainInSrgb,
            Fault::MipChainDecimated,
            Fault::MipChainOddDropped,
            Fault::FilterNearest,
            Fault::FiltersSwapped,
            Fault::FilterBeforeDecode,
        ],
    ),
    (
        Stage::Light,
        &[
            Fault::NormalNotInverseTransposed,
            Fault::NormalInverseTransposePerJoint,
            Fault::NormalNotRenormalised,
            Fault::NormalFlippedByNegativeScale,
            Fault::NormalTranslated,
            Fault::TangentNotSkinned,
            Fault::TangentNotOrthogonalised,
            Fault::BitangentSignLost,
            Fault::MorphNormalDropped,
        ],
    ),
    (
        Stage::Blend,
        &[
            Fault::MaskCutoffDefault,
            Fault::MaskAsOpaque,
            Fault::MaskAsBlend,
            Fault::MaskIgnoresFactor,
            Fault::OpaqueUsesAlpha,
            Fault::BlendAsOpaque,
            Fault::BlendOrder,
            Fault::BlendInSrgb,
            Fault::BlendPremultiplied,
            Fault::BlendAdditive,
            Fault::BlendDepthWrite,
            Fault::BlendAlphaSquared,
            Fault::TextureAlphaSrgb,
        ],
    ),
    (
        Stage::Resolve,
        &[Fault::SamplesAtCentre, Fault::SamplesMirrored, Fault::ResolveInSrgb, Fault::ResolveFirstSample],
    ),
    (
        Stage::Colour,
        &[
            Fault::BaseColorLinear,
            Fault::FactorSrgb,
            Fault::BaseColorFactorIgnored,
            Fault::VertexColorIgnored,
            Fault::VertexColorSrgb,
            Fault::TextureChannelsSwapped,
            Fault::TextureGamma22,
            Fault::SrgbEncodeMissing,
            Fault::SrgbEncodeTwice,
            Fault::GammaEncode22,
            Fault::OutputChannelsSwapped,
            Fault::BackgroundLinear,
        ],
    ),
];

impl Stage {
    /// Where a cause lies; none for what is no mistake.
    pub(in crate::diagnose) fn of(cause: Cause) -> Option<Self> {
        match cause {
            Cause::Fault(fault) => Some(of_list(fault)),
            Cause::Parametric(fault) => Some(of_family(fault)),
            Cause::Undeclared { .. } => None,
        }
    }
}

fn of_list(fault: Fault) -> Stage {
    if fault == Fault::OutputTruncated {
        return Stage::Store;
    }
    let exception = EXCEPTIONS.iter().find(|(_, faults)| faults.contains(&fault));
    exception.map_or_else(
        || match fault.section() {
            Section::Skinning | Section::Animation | Section::VertexPrograms => Stage::Geometry,
            Section::Shading => Stage::Light,
            Section::Rasterisation => Stage::Coverage,
        },
        |(stage, _)| *stage,
    )
}

fn of_family(fault: ParametricFault) -> Stage {
    use ParametricFault as P;
    match fault {
        P::TimeRounded { .. }
        | P::ClipResampled { .. }
        | P::InfluencesKept { .. }
        | P::WeightBits { .. }
        | P::JointsShifted { .. }
        | P::JointsSwapped { .. }
        | P::JointTakenFor { .. }
        | P::JointTurned { .. }
        | P::NodeStill { .. }
        | P::NodeMoved { .. }
        | P::MorphTargetsShifted { .. }
        | P::MorphTargetMissing { .. }
        | P::NodeTransformRepeated { .. }
        | P::WindowOffset { .. } => Stage::Geometry,
        P::GridBits { .. } => Stage::Coverage,
        P::NodeMissing { .. }
        | P::InsideOut { .. }
        | P::DepthTest { .. }
        | P::DepthClear { .. }
        | P::DepthSlopeBias { .. } => Stage::Visibility,
        P::TexcoordsMoved { .. } => Stage::TextureCoordinates,
        P::MipBias { .. } => Stage::Filtering,
        P::NormalsReversed { .. } | P::Exposure { .. } => Stage::Light,
        P::Gamma { .. } | P::Channels { .. } => Stage::Colour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mistake_is_an_exception_twice() {
        let all: Vec<Fault> = EXCEPTIONS.iter().flat_map(|(_, faults)| *faults).copied().collect();
        for (place, fault) in all.iter().enumerate() {
            assert!(!all[..place].contains(fault), "{fault}");
        }
    }

    #[test]
    fn a_name_has_its_place() {
        let stages = [Fault::MatrixTransposed, Fault::AmbientMissing, Fault::SnapToPixels, Fault::MipBias]
            .map(|fault| Stage::of(fault.into()));
        assert_eq!(stages, [Stage::Geometry, Stage::Light, Stage::Coverage, Stage::Filtering].map(Some));
    }
}
