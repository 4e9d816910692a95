//! Which part of the simulator makes a mistake.
//!
//! Why it exists: a fault that no part makes would be a backend without a mistake, and no check could catch it. So every
//! fault has its part here, or this does not compile, and a test reads the part's source for it.

use super::Fault;

/// A part of the simulator, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// From the file to the scene that a backend believes it has.
    Reading,
    /// From key frames to a pose.
    Posing,
    /// From the pose to vertices in clip space.
    Skinning,
    /// From there to triangles on the grid.
    Assembly,
    /// From there to what is seen at each sample.
    Visibility,
    /// From there to bytes.
    Drawing,
}

impl Fault {
    /// The part of the simulator that makes this mistake.
    pub(crate) const fn part(self) -> Part {
        match self {
            Self::JointBoundByName
            | Self::MorphNormalDropped
            | Self::SparseIgnored
            | Self::AccessorWithoutView
            | Self::InterleavedStride
            | Self::SnormMinus128
            | Self::MorphAbsolute
            | Self::MissingNormalsSmooth
            | Self::TangentNotMikktspace
            | Self::TangentHandedness
            | Self::DoubleSidedIgnored
            | Self::MaskCutoffDefault
            | Self::MaskAsOpaque
            | Self::MaskAsBlend
            | Self::OpaqueUsesAlpha
            | Self::BlendAsOpaque
            | Self::FactorSrgb
            | Self::BaseColorFactorIgnored
            | Self::TextureTransformRotation
            | Self::TextureTransformRotationIgnored
            | Self::TextureTransformIgnored
            | Self::WrapDefaultClamp
            | Self::WrapMirrorAsRepeat
            | Self::WrapAxesSwapped
            | Self::VertexColorIgnored
            | Self::VertexColorSrgb
            | Self::MipNone
            | Self::MipFilterNearest
            | Self::FilterNearest
            | Self::FiltersSwapped
            | Self::TexcoordSetIgnored
            | Self::NormalsInBytes
            | Self::LightColorIgnored
            | Self::LightColorDecoded
            | Self::LightRangeIgnored
            | Self::EmissiveIgnored
            | Self::EmissiveTextureIgnored
            | Self::UnlitIgnored
            | Self::AnisotropyIgnored
            | Self::AnisotropyRotationSign
            | Self::SheenIgnored
            | Self::VertexOcclusionIgnored
            | Self::VertexOcclusionNotMorphed
            | Self::StripParity
            | Self::LastTriangleDropped
            | Self::Index16BitWrap => Part::Reading,
            Self::HierarchyOrderSwapped
            | Self::ScaleRotationSwapped
            | Self::QuaternionScalarFirst
            | Self::NegativeScaleLost
            | Self::CubicTangentUnscaled
            | Self::CubicTangentIndex
            | Self::RotationNotNormalised
            | Self::SlerpLongWay
            | Self::SlerpBothNegated
            | Self::RotationLerped
            | Self::StepAsLinear
            | Self::TimeNotClamped
            | Self::NodeWeightsIgnored
            | Self::MorphWeightsStale
            | Self::AnimationTimeUnit
            | Self::TimeRoundedToFrames
            | Self::KeySearchOffByOne
            | Self::AnimationsIgnored
            | Self::ReservedNodeName
            | Self::TranslationChannelsIgnored
            | Self::MorphTargetsLimited
            | Self::MorphWeightsClamped => Part::Posing,
            Self::SkinnedNodeTransformApplied
            | Self::InverseBindMissing
            | Self::InverseBindRecomputed
            | Self::NonJointAncestorDropped
            | Self::Joints1Ignored
            | Self::InfluencesTruncatedUnscaled
            | Self::WeightsL2Normalised
            | Self::LastWeightReconstructed
            | Self::WeightIntegerScale
            | Self::JointIndexOffByOne
            | Self::JointPaletteStale
            | Self::JointIndexWidth
            | Self::ZeroWeightJointDereferenced
            | Self::SharedMeshSecondSkin
            | Self::MatrixTransposed
            | Self::MatrixOrderSwapped
            | Self::NormalNotInverseTransposed
            | Self::NormalInverseTransposePerJoint
            | Self::NormalNotRenormalised
            | Self::NormalFlippedByNegativeScale
            | Self::WindingNotFlipped
            | Self::WeightsAppliedBeforeBind
            | Self::DualQuaternionAntipodal
            | Self::DualQuaternionDualPartUnscaled
            | Self::DualQuaternionScaleLost
            | Self::PaletteTranslationDropped
            | Self::PaletteRowDropped
            | Self::PaletteHalfPrecision
            | Self::PaletteInNodeOrder
            | Self::PaletteOfFirstSkin
            | Self::WeightsInBytesUnfixed
            | Self::HeaviestInfluenceOnly
            | Self::JointScaleIgnored
            | Self::NormalTranslated
            | Self::TangentNotSkinned
            | Self::TangentNotOrthogonalised
            | Self::BitangentSignLost
            | Self::UnskinnedNodeTransformDropped
            | Self::MorphAfterSkin
            | Self::BaseVertexIgnored
            | Self::PaletteStrideFour
            | Self::PaletteSplitWrongRemap
            | Self::AddressRounding
            | Self::AspectRatioInverted => Part::Skinning,
            Self::PixelCentreInteger
            | Self::NearClipMissing
            | Self::NearClipDrops
            | Self::GuardBandOverflow
            | Self::DepthRangeGl
            | Self::CullFront
            | Self::CullOff
            | Self::ViewportHalfPixel
            | Self::ViewportOffByOneRow
            | Self::SnapToPixels
            | Self::SnapToQuarters
            | Self::ConservativeCoverage
            | Self::SamplesAtCentre
            | Self::SamplesMirrored => Part::Assembly,
            Self::FillRuleMissing
            | Self::FillRuleBottomRight
            | Self::DepthPerspective
            | Self::DepthTestLessEqual
            | Self::DepthTestOff
            | Self::DepthWriteOff
            | Self::Depth16Bits
            | Self::DepthClearedToZero
            | Self::ReversedDepthTest => Part::Visibility,
            Self::DoubleSidedNormal
            | Self::MaskIgnoresFactor
            | Self::BaseColorLinear
            | Self::TextureTransformOrder
            | Self::MipBias
            | Self::MipShortestAxis
            | Self::MipChainInSrgb
            | Self::MipChainDecimated
            | Self::MipChainOddDropped
            | Self::FilterBeforeDecode
            | Self::TexelCentreInteger
            | Self::TextureFlipped
            | Self::TextureChannelsSwapped
            | Self::TextureAlphaSrgb
            | Self::TextureGamma22
            | Self::TexcoordsHalfPrecision
            | Self::FragmentNormalNotNormalised
            | Self::FlatNormals
            | Self::NormalInViewSpace
            | Self::LightDirectionFlipped
            | Self::LightUnclamped
            | Self::HalfLambert
            | Self::AmbientMissing
            | Self::LambertPiMissing
            | Self::HeadlightInWorld
            | Self::FirstLightOnly
            | Self::LightFalloffLinear
            | Self::LightRangeSquared
            | Self::SpotConeIgnored
            | Self::SpotAngleHalved
            | Self::SpotSmoothstep
            | Self::SpecularAdded
            | Self::FogLeftOn
            | Self::EmissiveLit
            | Self::NormalMapGreenFlipped
            | Self::NormalMapSrgb
            | Self::NormalScaleOnZ
            | Self::TwoChannelZMissing
            | Self::NormalMapZRebuilt
            | Self::TangentReorthogonalised
            | Self::BitangentInterpolated
            | Self::RoughnessNotSquared
            | Self::RoughnessSquaredTwice
            | Self::RoughnessByCurvature
            | Self::RoughnessByMappedNormal
            | Self::MetalRoughSwapped
            | Self::F0OfMetal
            | Self::DiffuseWithoutPi
            | Self::DiffuseWithoutFresnel
            | Self::DiffuseFresnelHeadOn
            | Self::DiffuseBurley
            | Self::DiffuseBurleySquared
            | Self::ViewCosineClamped
            | Self::MultipleScatteringAdded
            | Self::AnisotropyDirectionIgnored
            | Self::AnisotropyNotSquared
            | Self::SheenAlbedoMissing
            | Self::SheenRoughnessNotSquared
            | Self::ClearcoatEnergyAdded
            | Self::OcclusionOnDirect
            | Self::EmissiveTinted
            | Self::ShadowBiasSign
            | Self::ShadowBiasUnits
            | Self::SplitByDistance
            | Self::MapYFlipped
            | Self::MapDepthRange
            | Self::MapWNotDivided
            | Self::MapBorder
            | Self::FilterHalfTexel
            | Self::CastersClipped
            | Self::MapClearedToZero
            | Self::CascadeMatrixStale
            | Self::LightMapSwapped
            | Self::AffineInterpolation
            | Self::YFlipped
            | Self::SrgbEncodeMissing
            | Self::SrgbEncodeTwice
            | Self::GammaEncode22
            | Self::BlendOrder
            | Self::BlendInSrgb
            | Self::BlendPremultiplied
            | Self::BlendAdditive
            | Self::BlendDepthWrite
            | Self::BlendAlphaSquared
            | Self::FlatInterpolation
            | Self::CentroidInterpolation
            | Self::ResolveInSrgb
            | Self::ResolveFirstSample
            | Self::ScissorOffByOne
            | Self::OutputChannelsSwapped
            | Self::BackgroundLinear
            | Self::OutputTruncated => Part::Drawing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources of a part.
    const fn sources(part: Part) -> &'static [&'static str] {
        match part {
            Part::Reading => &[include_str!("../reading.rs")],
            Part::Posing => &[include_str!("../motion.rs")],
            Part::Skinning => &[
                include_str!("../dual.rs"),
                include_str!("../palette.rs"),
                include_str!("../skin.rs"),
                include_str!("../vertices.rs"),
            ],
            Part::Assembly => {
                &[include_str!("../geometry.rs"), include_str!("../triangle.rs"), include_str!("../viewport.rs")]
            }
            Part::Visibility => {
                &[include_str!("../coverage.rs"), include_str!("../depths.rs"), include_str!("../visibility.rs")]
            }
            Part::Drawing => &[
                include_str!("../chain.rs"),
                include_str!("../lib.rs"),
                include_str!("../light.rs"),
                include_str!("../physical.rs"),
                include_str!("../raster.rs"),
                include_str!("../shade.rs"),
                include_str!("../shade/surface.rs"),
                include_str!("../shadow.rs"),
                include_str!("../texture.rs"),
                include_str!("../transfer.rs"),
            ],
        }
    }

    /// Whether a part asks for a fault by its name.
    fn asks(part: Part, fault: Fault) -> bool {
        let asked = format!("has(Fault::{fault:?})");
        let code = |source: &'static str| source.split("#[cfg(test)]").next().unwrap_or_default();
        sources(part).iter().any(|source| code(source).contains(&asked))
    }

    #[test]
    fn every_mistake_is_made_by_its_part() {
        let forgotten: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| !asks(fault.part(), *fault)).collect();
        assert_eq!(forgotten, [], "their part does not ask for these");
    }

    /// What is made of the vertices is kept for all mistakes that are made afterwards.
    #[test]
    fn no_part_asks_for_mistakes_of_one_that_runs_later() {
        for part in [Part::Reading, Part::Posing, Part::Skinning, Part::Assembly, Part::Visibility] {
            let later: Vec<Fault> =
                Fault::ALL.into_iter().filter(|own| own.part() > part && asks(part, *own)).collect();
            assert_eq!(later, [], "{part:?}");
        }
    }

    #[test]
    fn what_is_read_and_posed_wrongly_is_drawn_rightly() {
        for part in [Part::Reading, Part::Posing] {
            let own: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| asks(part, *fault)).collect();
            let listed: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| fault.part() == part).collect();
            assert_eq!(own, listed, "{part:?}");
        }
    }
}
