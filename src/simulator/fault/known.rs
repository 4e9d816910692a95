//! Where faults were seen, and what would have been right.
//!
//! Why it exists: somebody who is told the name of a mistake wants to read how others found and mended it.

use super::Fault;

impl Fault {
    /// The issue trackers in which a shipped program had this mistake, or the paper that warns of it; `None` where we know of
    /// none.
    #[must_use]
    pub fn seen_in(self) -> Option<&'static str> {
        Some(match self {
            Self::JointBoundByName => "PlayCanvas, whose skin instances find joints by findByName",
            Self::SkinnedNodeTransformApplied => "three.js #13897, glTF-Sample-Viewer #609",
            Self::InverseBindMissing => "tinygltf #492, assimp #3465",
            Self::InverseBindRecomputed => "glTF #1504",
            Self::NonJointAncestorDropped => "flutter_scene #124, glTF #1784",
            Self::Joints1Ignored => "bevy #22235, godot #61912",
            Self::InfluencesTruncatedUnscaled => "bevy #22235",
            Self::WeightsL2Normalised => "FBX2glTF #176",
            Self::LastWeightReconstructed => "ozz-animation's skinning job, which asks for it",
            Self::WeightIntegerScale => "glTF #1749",
            Self::JointIndexOffByOne | Self::JointPaletteStale | Self::JointIndexWidth => {
                "Vulkan-glTF-PBR #31, three.js #24772"
            }
            Self::ZeroWeightJointDereferenced => "glTF #2393",
            Self::SharedMeshSecondSkin => "playcanvas #9367",
            Self::NormalNotInverseTransposed => "filament #374, godot #51989",
            Self::NormalInverseTransposePerJoint => "ozz-animation's skinning job",
            Self::NormalNotRenormalised => "glTF-Blender-IO #1142",
            Self::NormalFlippedByNegativeScale => "Babylon.js #7103",
            Self::WindingNotFlipped => "bevy #4738, glTF #1697",
            Self::DualQuaternionAntipodal | Self::DualQuaternionDualPartUnscaled | Self::DualQuaternionScaleLost => {
                "Kavan et al., Geometric Skinning with Approximate Dual Quaternion Blending, 2008, which warns of it"
            }
            Self::CubicTangentUnscaled => "glTF-Blender-Exporter #90",
            Self::CubicTangentIndex => "godot #21935",
            Self::RotationNotNormalised => "three.js #22339",
            Self::SlerpLongWay | Self::SlerpBothNegated => "fastgltf #108, filament #1716",
            Self::StepAsLinear => "gltfpack #380",
            Self::TimeNotClamped => "glTF #1327",
            Self::ReservedNodeName => "three.js up to 0.110, whose property bindings take it for the scene",
            Self::NodeWeightsIgnored => "three.js #15142",
            Self::MorphAfterSkin => "filament #1440",
            Self::MorphNormalDropped => "filament #1609",
            Self::SparseIgnored | Self::AccessorWithoutView => "three.js #12596, gltf-rs #266",
            Self::InterleavedStride => "three.js #11576",
            Self::SnormMinus128 => "glTF #1317",
            Self::MissingNormalsSmooth => "filament #6358",
            Self::TangentNotMikktspace => "glTF-Sample-Viewer #466",
            Self::TangentHandedness => "glTF #1252",
            Self::DoubleSidedNormal => "filament #1874",
            Self::MaskIgnoresFactor => "meshoptimizer #909",
            Self::OpaqueUsesAlpha => "glTF #1158",
            Self::TextureTransformOrder | Self::TextureTransformRotation => "three.js #34033, glTF #1563",
            Self::TextureTransformRotationIgnored => "Galacean, whose texture transforms are tiling and offset",
            Self::WrapDefaultClamp => "glTF #2316",
            Self::NormalMapZRebuilt => {
                "engines that keep normal maps in two channels (BC5), by choice: --normal-maps two"
            }
            Self::RoughnessByCurvature => {
                "three.js, against highlights that flicker: material.roughness += geometryRoughness"
            }
            Self::RoughnessByMappedNormal => {
                "Babylon.js, against highlights that flicker: max(roughness, geometricRoughnessFactor)"
            }
            Self::DiffuseFresnelHeadOn => "Babylon.js, by choice: --diffuse head-on",
            Self::DiffuseBurley => "Godot, by choice: --diffuse burley",
            Self::DiffuseBurleySquared => "Bevy, by choice: --diffuse burley-squared",
            Self::ViewCosineClamped => "Bevy, Galacean and three.js",
            Self::LightColorDecoded => "Bevy and PlayCanvas",
            Self::MultipleScatteringAdded => {
                "three.js (multiScatteringCompensation), Babylon.js (energyConservationFactor)"
            }
            Self::LightRangeSquared => "three.js, Babylon.js and PlayCanvas",
            Self::SpotSmoothstep => "three.js and PlayCanvas",
            Self::DiffuseWithoutFresnel => "three.js up to r185 and Filament, by choice: --diffuse whole",
            Self::VertexColorIgnored => "glTF #1638",
            Self::OutputTruncated => "Godot 3, whose constant colours are cut off",
            Self::MipBias | Self::FilterNearest => "playcanvas #3014",
            Self::MipNone => "playcanvas #3014; Bevy, by choice: --mips none",
            _ => return None,
        })
    }

    /// What a backend must do instead, where the fault's own description does not say it already.
    #[must_use]
    pub fn right_behaviour(self) -> Option<&'static str> {
        Some(match self {
            Self::JointBoundByName => "a skin lists its joints by index; names need not differ",
            Self::SkinnedNodeTransformApplied => "the joints alone place a skinned mesh",
            Self::InverseBindMissing => "they are identities only where the skin has none",
            Self::InverseBindRecomputed => "the file's matrices are used; the rest pose need not be the bind pose",
            Self::NonJointAncestorDropped => "every ancestor counts; skin.skeleton is no more than a hint",
            Self::Joints1Ignored => "JOINTS_n and WEIGHTS_n of all n count",
            Self::InfluencesTruncatedUnscaled => "those that stay are divided by their sum",
            Self::WeightsL2Normalised => "by their sum",
            Self::LastWeightReconstructed => "every weight is read",
            Self::WeightIntegerScale => "by 255 or 65535",
            Self::ZeroWeightJointDereferenced => "an influence of weight 0 may name any joint, even a broken one",
            Self::SharedMeshSecondSkin => "the mesh is drawn once with each of the skins",
            Self::MatrixTransposed => "glTF matrices are stored column by column",
            Self::MatrixOrderSwapped => "joint matrix = world · inverse bind, for column vectors",
            Self::NormalNotInverseTransposed => {
                "by its inverse transpose, which differs where the scale is not uniform"
            }
            Self::NormalInverseTransposePerJoint => "blend first, then take the inverse transpose",
            Self::NormalNotRenormalised => "unit length after blending",
            Self::NormalFlippedByNegativeScale => "divide the sign of the determinant out",
            Self::WindingNotFlipped => "a negative determinant turns front faces round",
            Self::DualQuaternionAntipodal => "bring all to one hemisphere first",
            Self::DualQuaternionDualPartUnscaled => "divide both parts by the length of the real one",
            Self::CubicTangentUnscaled => "multiply both tangents by the seconds between the keys",
            Self::CubicTangentIndex => "the out-tangent of the left key and the in-tangent of the right one",
            Self::RotationNotNormalised => "normalise after the sum",
            Self::SlerpLongWay | Self::SlerpBothNegated => "negate one of them where the dot product is negative",
            Self::RotationLerped => "LINEAR rotations are spherical",
            Self::StepAsLinear => "STEP holds the left key",
            Self::TimeNotClamped => "the first and the last value hold",
            Self::ReservedNodeName => "a channel names its node by index, whatever that is called",
            Self::MorphAfterSkin => "morph first, then skin",
            Self::SnormMinus128 => "max(c / 127, −1)",
            Self::MissingNormalsSmooth => "without normals each triangle is flat, and given tangents are left out",
            Self::TangentNotMikktspace => "missing tangents follow MikkTSpace",
            Self::TangentHandedness => "bitangent = cross(normal, tangent) · w",
            Self::NormalScaleOnZ => "the scale counts for x and y, and unit length follows",
            Self::NormalMapSrgb => "normal maps are plain numbers",
            Self::NormalMapGreenFlipped => "green points up the picture, against v",
            Self::TwoChannelZMissing => "z = √(1 − x² − y²) where a map has two channels",
            Self::NormalMapZRebuilt => "z is blue; the mean of unit vectors is shorter",
            Self::TangentReorthogonalised => "the frame is used as it is interpolated (MikkTSpace)",
            Self::BitangentInterpolated => "cross(normal, tangent) · w in the pixel",
            Self::TangentNotSkinned => "tangents follow the joints as positions do, without the translation",
            Self::BitangentSignLost => "w survives skinning, and turns where a matrix mirrors",
            Self::RoughnessNotSquared | Self::RoughnessSquaredTwice => "α = roughness²",
            Self::RoughnessByCurvature | Self::RoughnessByMappedNormal => {
                "roughness is that of the file, whatever the normals beside it are"
            }
            Self::ViewCosineClamped => "|N·V|, as appendix B of glTF 2.0 has it",
            Self::LightColorDecoded => "colours of lights are light, and need no decoding",
            Self::MultipleScatteringAdded => "light is reflected once, as appendix B of glTF 2.0 has it",
            Self::LightRangeSquared => {
                "max(min(1 − (distance ÷ range)⁴, 1), 0) ÷ distance², as the extension recommends"
            }
            Self::SpotSmoothstep => "by the square of how far inside a cosine is, as the extension recommends",
            Self::MetalRoughSwapped => "roughness is green, metal is blue",
            Self::F0OfMetal => "a metal's reflectance is its base colour",
            Self::DiffuseWithoutFresnel => {
                "what a dielectric reflects does not reach its colour: 1 − F (glTF 2.0, appendix B)"
            }
            Self::AnisotropyDirectionIgnored => "red and green are its direction along tangent and bitangent",
            Self::AnisotropyRotationSign => "counter-clockwise from the tangent to the bitangent",
            Self::AnisotropyNotSquared => "α along the direction is mix(α, 1, strength²)",
            Self::SheenAlbedoMissing => "the base gets what fibres leave, 1 − max(colour)·E",
            Self::SheenRoughnessNotSquared => "α = roughness², for sheen too",
            Self::ClearcoatEnergyAdded => "what the coat reflects does not reach the base: 1 − strength·F(N'·V)",
            Self::VertexOcclusionNotMorphed => "targets move `_OCCLUSION` as they move positions",
            Self::OcclusionOnDirect => "occlusion scales ambient light alone",
            Self::EmissiveTinted => "emission is added as it is",
            Self::ShadowBiasSign => "a positive bias moves the map away from the light",
            Self::ShadowBiasUnits => "the constant counts steps of the depth format that the map has",
            Self::SplitByDistance => "splits are chosen by view depth, along the line of sight",
            Self::MapYFlipped => "v runs down, as the rows of the map do",
            Self::MapDepthRange => "compare depth as the map stores it, from 0 to 1",
            Self::MapWNotDivided => "u, v and depth of a spot are divided by w",
            Self::MapBorder => "beside a map there is light",
            Self::FilterHalfTexel => "texel i has its centre at (i + ½) ÷ side",
            Self::CastersClipped => "clamp depth, or pull the near plane before all casters",
            Self::MapClearedToZero => "clear to 1, the farthest depth",
            Self::CascadeMatrixStale => "the matrices that the map was drawn by",
            Self::LightMapSwapped => "each light has maps of its own",

            Self::MaskIgnoresFactor => "texture · factor · vertex colour",
            Self::BaseColorLinear => "base colour and emissive textures are sRGB",
            Self::FactorSrgb => "factors are linear",
            Self::TextureTransformOrder => "translation · rotation · scale",
            Self::WrapDefaultClamp => "the default is REPEAT",
            Self::VertexColorIgnored | Self::VertexColorSrgb => "COLOR_0 multiplies, and is linear",
            Self::PixelCentreInteger => "samples sit at half-integers",
            Self::FillRuleMissing | Self::FillRuleBottomRight => "the top-left rule: neither cracks nor double hits",
            Self::DepthPerspective => "window depth is linear in the window",
            Self::PaletteStrideFour => "three times its index",
            Self::PaletteSplitWrongRemap => "each section looks up its own map",
            Self::AddressRounding => "round the same way when writing and when reading",
            _ => return None,
        })
    }
}
