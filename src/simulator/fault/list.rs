//! The list of faults: name, section and what the mistake is.
//!
//! Why one list: a fault that has no name, no section or no description can not be written down.
//!
//! Not in the list, because no backend that draws our scenes can make them: `relative-read-unchecked`, `zero-times-infinity` and
//! `light-not-clamped`, mistakes of who emulates vertex programs. The backend of `tests/arb_driver` can be told to make them, and its
//! pictures are then refused.

use refrast_words::words;

use super::Section;

macro_rules! faults {
    ($($section:ident { $($(#[doc = $description:literal])+ $fault:ident = $name:literal,)+ })+) => {
        words! {
            /// A seeded mistake of a backend.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[non_exhaustive]
            pub enum Fault: "fault" {
                $($($(#[doc = $description])+ $fault = $name,)+)+
            }
        }

        impl Fault {
            /// Where it lies.
            #[must_use]
            pub const fn section(self) -> Section {
                match self {
                    $($(Self::$fault => Section::$section,)+)+
                }
            }

            /// What the backend does, in a sentence.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self {
                    $($(Self::$fault => concat!($($description),+).trim_start(),)+)+
                }
            }
        }
    };
}

faults! {
    Skinning {
        /// Joints are looked up by name, and the first node of a name is taken.
        JointBoundByName = "joint-bound-by-name",
        /// The transform of the node that draws the mesh is applied on top of the joints.
        SkinnedNodeTransformApplied = "skinned-node-transform-applied",
        /// Inverse bind matrices are taken as identities.
        InverseBindMissing = "inverse-bind-missing",
        /// Inverse bind matrices are computed from the rest pose.
        InverseBindRecomputed = "inverse-bind-recomputed",
        /// Ancestors of a joint that are no joints are left out.
        NonJointAncestorDropped = "non-joint-ancestor-dropped",
        /// Only the first set of four influences counts.
        Joints1Ignored = "joints-1-ignored",
        /// Influences are dropped, and the others keep their weights.
        InfluencesTruncatedUnscaled = "influences-truncated-unscaled",
        /// Weights are divided by their length.
        WeightsL2Normalised = "weights-l2-normalised",
        /// The last weight is 1 minus the others.
        LastWeightReconstructed = "last-weight-reconstructed",
        /// Integer weights are divided by 256 or 65536.
        WeightIntegerScale = "weight-integer-scale",
        /// Joints are counted from 1.
        JointIndexOffByOne = "joint-index-off-by-one",
        /// The palette is that of the frame before.
        JointPaletteStale = "joint-palette-stale",
        /// Bytes are read as 16-bit joints.
        JointIndexWidth = "joint-index-width",
        /// The matrix of a joint with weight 0 is looked at.
        ZeroWeightJointDereferenced = "zero-weight-joint-dereferenced",
        /// A mesh that two nodes draw gets the other node's skin.
        SharedMeshSecondSkin = "shared-mesh-second-skin",
        /// Rows are taken for columns.
        MatrixTransposed = "matrix-transposed",
        /// Inverse bind · world.
        MatrixOrderSwapped = "matrix-order-swapped",
        /// Normals go through the blended matrix itself.
        NormalNotInverseTransposed = "normal-not-inverse-transposed",
        /// Normals go through the blend of each joint's inverse transpose.
        NormalInverseTransposePerJoint = "normal-inverse-transpose-per-joint",
        /// Normals keep the length that blending gives them.
        NormalNotRenormalised = "normal-not-renormalised",
        /// The cofactor matrix is used with the determinant's sign in it.
        NormalFlippedByNegativeScale = "normal-flipped-by-negative-scale",
        /// Front faces of a mirrored mesh are culled. It changes no vertex: only pictures show it.
        WindingNotFlipped = "winding-not-flipped",
        /// Vertices are brought to the mean bind space before the joints move them.
        WeightsAppliedBeforeBind = "weights-applied-before-bind",
        /// Dual quaternions are blended without regard to the hemisphere.
        DualQuaternionAntipodal = "dual-quaternion-antipodal",
        /// Only the real part is divided by its length.
        DualQuaternionDualPartUnscaled = "dual-quaternion-dual-part-unscaled",
        /// The joints' scale is left out.
        DualQuaternionScaleLost = "dual-quaternion-scale-lost",
        /// The fourth column of the palette's matrices is lost.
        PaletteTranslationDropped = "palette-translation-dropped",
        /// The third row of the palette's matrices is lost.
        PaletteRowDropped = "palette-row-dropped",
        /// The palette is kept in 16-bit floats.
        PaletteHalfPrecision = "palette-half-precision",
        /// The palette is in the order of the nodes, not of the skin's joints.
        PaletteInNodeOrder = "palette-in-node-order",
        /// Every mesh uses the first skin's palette.
        PaletteOfFirstSkin = "palette-of-first-skin",
        /// Weights are rounded to bytes, and their sum is not mended.
        WeightsInBytesUnfixed = "weights-in-bytes-unfixed",
        /// Only the heaviest influence of a vertex counts.
        HeaviestInfluenceOnly = "heaviest-influence-only",
        /// Joints lose their scale.
        JointScaleIgnored = "joint-scale-ignored",
        /// Normals are transformed as points, with the translation.
        NormalTranslated = "normal-translated",
        /// Tangents stay as they are in the file.
        TangentNotSkinned = "tangent-not-skinned",
        /// Tangents are not brought to right angles with the deformed normal.
        TangentNotOrthogonalised = "tangent-not-orthogonalised",
        /// Joints and nodes that mirror do not turn the handedness of tangents.
        BitangentSignLost = "bitangent-sign-lost",
        /// Meshes without a skin are drawn at the origin.
        UnskinnedNodeTransformDropped = "unskinned-node-transform-dropped",
        /// A node's world transform is local · parent.
        HierarchyOrderSwapped = "hierarchy-order-swapped",
        /// A node's transform is translation · scale · rotation.
        ScaleRotationSwapped = "scale-rotation-swapped",
        /// Quaternions are read as w x y z.
        QuaternionScalarFirst = "quaternion-scalar-first",
        /// The signs of a node's scale are lost.
        NegativeScaleLost = "negative-scale-lost",
    }
    Animation {
        /// The tangents of cubic splines are not multiplied by the key interval.
        CubicTangentUnscaled = "cubic-tangent-unscaled",
        /// The in-tangent of the left key and the out-tangent of the right one are used.
        CubicTangentIndex = "cubic-tangent-index",
        /// A cubic rotation keeps the length of its sum.
        RotationNotNormalised = "rotation-not-normalised",
        /// Rotations take the long way round where the dot product is negative.
        SlerpLongWay = "slerp-long-way",
        /// Both operands are negated where the dot product is negative.
        SlerpBothNegated = "slerp-both-negated",
        /// Rotations are blended linearly and normalised.
        RotationLerped = "rotation-lerped",
        /// STEP channels are interpolated.
        StepAsLinear = "step-as-linear",
        /// Outside the keys the first or last interval goes on.
        TimeNotClamped = "time-not-clamped",
        /// The morph weights of a node do not override those of its mesh.
        NodeWeightsIgnored = "node-weights-ignored",
        /// Morph displacements are added to skinned vertices.
        MorphAfterSkin = "morph-after-skin",
        /// Morph targets do not move normals and tangents.
        MorphNormalDropped = "morph-normal-dropped",
        /// Arrays that are mostly zeros, which files store sparsely, stay zeros.
        SparseIgnored = "sparse-ignored",
        /// Arrays of zeros, which need no buffer view, are read from the buffer's beginning.
        AccessorWithoutView = "accessor-without-view",
        /// Positions and normals that lie interleaved are read as if tightly packed.
        InterleavedStride = "interleaved-stride",
        /// Normalised signed bytes are divided by 128 (16-bit ones by 32768).
        SnormMinus128 = "snorm-minus-128",
        /// The morph weights are those of the frame before.
        MorphWeightsStale = "morph-weights-stale",
        /// Key times are taken for seconds where the clock counts milliseconds.
        AnimationTimeUnit = "animation-time-unit",
        /// Time stands still between frames of 1/24 s.
        TimeRoundedToFrames = "time-rounded-to-frames",
        /// Keys are looked up one too early.
        KeySearchOffByOne = "key-search-off-by-one",
        /// Clips are not played.
        AnimationsIgnored = "animations-ignored",
        /// Channels of a node that is called root move the scene, and not the node.
        ReservedNodeName = "reserved-node-name",
        /// Nodes turn but do not move.
        TranslationChannelsIgnored = "translation-channels-ignored",
        /// Only the first four morph targets count.
        MorphTargetsLimited = "morph-targets-limited",
        /// Morph weights are clamped to [0, 1].
        MorphWeightsClamped = "morph-weights-clamped",
        /// Morph displacements are taken for positions.
        MorphAbsolute = "morph-absolute",
    }
    Shading {
        /// Triangles without normals are shaded smoothly.
        MissingNormalsSmooth = "missing-normals-smooth",
        /// Tangents are made from the normal alone. They show in vertex buffers only.
        TangentNotMikktspace = "tangent-not-mikktspace",
        /// The handedness of tangents is lost. It shows in vertex buffers only.
        TangentHandedness = "tangent-handedness",
        /// The normal of a back face is not turned round.
        DoubleSidedNormal = "double-sided-normal",
        /// Double-sided materials are culled.
        DoubleSidedIgnored = "double-sided-ignored",
        /// The alpha test looks at the texture alone.
        MaskIgnoresFactor = "mask-ignores-factor",
        /// The cutoff of the alpha test is always 0.5.
        MaskCutoffDefault = "mask-cutoff-default",
        /// Masked materials are drawn as opaque ones.
        MaskAsOpaque = "mask-as-opaque",
        /// Masked materials are blended.
        MaskAsBlend = "mask-as-blend",
        /// Opaque materials are blended by their alpha.
        OpaqueUsesAlpha = "opaque-uses-alpha",
        /// Blended materials are drawn as opaque ones.
        BlendAsOpaque = "blend-as-opaque",
        /// Colour textures are taken as linear.
        BaseColorLinear = "base-color-linear",
        /// Factors are taken as sRGB.
        FactorSrgb = "factor-srgb",
        /// The base colour factor is left out.
        BaseColorFactorIgnored = "base-color-factor-ignored",
        /// Texture coordinates are moved before they are turned and scaled.
        TextureTransformOrder = "texture-transform-order",
        /// Texture coordinates turn the other way.
        TextureTransformRotation = "texture-transform-rotation",
        /// Texture coordinates are scaled and moved, but not turned.
        TextureTransformRotationIgnored = "texture-transform-rotation-ignored",
        /// Texture coordinates are not transformed.
        TextureTransformIgnored = "texture-transform-ignored",
        /// Textures that repeat are clamped to their edge.
        WrapDefaultClamp = "wrap-default-clamp",
        /// Mirrored repeat is plain repeat.
        WrapMirrorAsRepeat = "wrap-mirror-as-repeat",
        /// The wrap modes of u and v are exchanged.
        WrapAxesSwapped = "wrap-axes-swapped",
        /// Vertex colours are left out.
        VertexColorIgnored = "vertex-color-ignored",
        /// Vertex colours are taken as sRGB.
        VertexColorSrgb = "vertex-color-srgb",
        /// The level of detail is one too high.
        MipBias = "mip-bias",
        /// Only level 0 of a texture is sampled.
        MipNone = "mip-none",
        /// Levels are chosen, not mixed.
        MipFilterNearest = "mip-filter-nearest",
        /// The level of detail follows the shorter axis of the footprint.
        MipShortestAxis = "mip-shortest-axis",
        /// Mip levels are averaged in stored values.
        MipChainInSrgb = "mip-chain-in-srgb",
        /// Mip levels are every second texel.
        MipChainDecimated = "mip-chain-decimated",
        /// Mip levels of odd sizes leave out the last row and column.
        MipChainOddDropped = "mip-chain-odd-dropped",
        /// Texels are not filtered.
        FilterNearest = "filter-nearest",
        /// The filters for magnification and minification are exchanged.
        FiltersSwapped = "filters-swapped",
        /// Texels are filtered before they are decoded.
        FilterBeforeDecode = "filter-before-decode",
        /// Texels have their centres at whole numbers.
        TexelCentreInteger = "texel-centre-integer",
        /// Images are turned upside down.
        TextureFlipped = "texture-flipped",
        /// Red and blue of textures are exchanged.
        TextureChannelsSwapped = "texture-channels-swapped",
        /// Alpha of textures is decoded like a colour.
        TextureAlphaSrgb = "texture-alpha-srgb",
        /// Textures are decoded by a power of 2.2, mostly after filtering.
        TextureGamma22 = "texture-gamma-2-2",
        /// Every texture uses TEXCOORD_0.
        TexcoordSetIgnored = "texcoord-set-ignored",
        /// Texture coordinates are interpolated in 16-bit floats.
        TexcoordsHalfPrecision = "texcoords-half-precision",
        /// Normals are stored as signed bytes.
        NormalsInBytes = "normals-in-bytes",
        /// Normals are interpolated and not brought to unit length.
        FragmentNormalNotNormalised = "fragment-normal-not-normalised",
        /// Triangles are shaded by their own planes although there are normals.
        FlatNormals = "flat-normals",
        /// Normals are taken to view space, lights are not.
        NormalInViewSpace = "normal-in-view-space",
        /// Light comes from where it goes.
        LightDirectionFlipped = "light-direction-flipped",
        /// Light that comes from behind is subtracted.
        LightUnclamped = "light-unclamped",
        /// The cosine is halved, raised by a half and squared.
        HalfLambert = "half-lambert",
        /// There is no ambient light.
        AmbientMissing = "ambient-missing",
        /// Lambert's 1/π is left out.
        LambertPiMissing = "lambert-pi-missing",
        /// The headlight does not follow the camera.
        HeadlightInWorld = "headlight-in-world",
        /// Only the first light shines.
        FirstLightOnly = "first-light-only",
        /// Light is white.
        LightColorIgnored = "light-color-ignored",
        /// The colours of lights are decoded as if they were stored in sRGB.
        LightColorDecoded = "light-color-decoded",
        /// Light falls off with the distance, not with its square.
        LightFalloffLinear = "light-falloff-linear",
        /// The range of a light is left out.
        LightRangeIgnored = "light-range-ignored",
        /// Light falls off toward its range by the square of what the extension has.
        LightRangeSquared = "light-range-squared",
        /// Spot lights shine in all directions.
        SpotConeIgnored = "spot-cone-ignored",
        /// The angles of a spot light are taken for the whole cone's.
        SpotAngleHalved = "spot-angle-halved",
        /// Light falls off toward the edge of a cone by smoothstep.
        SpotSmoothstep = "spot-smoothstep",
        /// A highlight is added.
        SpecularAdded = "specular-added",
        /// Fog is left on.
        FogLeftOn = "fog-left-on",
        /// Emission is left out.
        EmissiveIgnored = "emissive-ignored",
        /// Emission is lit like the base colour.
        EmissiveLit = "emissive-lit",
        /// Emissive textures are left out.
        EmissiveTextureIgnored = "emissive-texture-ignored",
        /// Unlit materials are lit.
        UnlitIgnored = "unlit-ignored",
        /// The green of normal maps is taken to point down.
        NormalMapGreenFlipped = "normal-map-green-flipped",
        /// Normal maps are decoded like colours.
        NormalMapSrgb = "normal-map-srgb",
        /// The scale of a normal map is applied to z too.
        NormalScaleOnZ = "normal-scale-on-z",
        /// Normal maps are kept in two channels, and the third is not made again.
        TwoChannelZMissing = "two-channel-z-missing",
        /// The third channel of normal maps is made again from two where the file has it.
        NormalMapZRebuilt = "normal-map-z-rebuilt",
        /// Pixels bring normal and tangent to unit length and right angles before a normal map is applied.
        TangentReorthogonalised = "tangent-reorthogonalised",
        /// Bitangents are made at the vertices and interpolated.
        BitangentInterpolated = "bitangent-interpolated",
        /// Roughness is not squared.
        RoughnessNotSquared = "roughness-not-squared",
        /// Roughness is squared twice.
        RoughnessSquaredTwice = "roughness-squared-twice",
        /// Surfaces are rougher where the normal changes from pixel to pixel.
        RoughnessByCurvature = "roughness-by-curvature",
        /// Surfaces are no smoother than their mapped normal changes from pixel to pixel.
        RoughnessByMappedNormal = "roughness-by-mapped-normal",
        /// Metal is read from green and roughness from blue.
        MetalRoughSwapped = "metal-rough-swapped",
        /// Metals reflect a twenty-fifth, as dielectrics do.
        F0OfMetal = "f0-of-metal-0.04",
        /// The diffuse light of physically based materials is not divided by π.
        DiffuseWithoutPi = "diffuse-without-pi",
        /// Diffuse light is not lessened by what the surface reflects.
        DiffuseWithoutFresnel = "diffuse-without-fresnel",
        /// Diffuse light is lessened by what the surface reflects head-on, from wherever it comes.
        DiffuseFresnelHeadOn = "diffuse-fresnel-head-on",
        /// Diffuse light is scattered as Burley has it, by roughness.
        DiffuseBurley = "diffuse-burley",
        /// Diffuse light is scattered as Burley has it, by the square of roughness.
        DiffuseBurleySquared = "diffuse-burley-squared",
        /// Where a normal points away from the eye, the angle between them counts as a right one.
        ViewCosineClamped = "view-cosine-clamped",
        /// What a surface reflects is made brighter for light that it reflects several times.
        MultipleScatteringAdded = "multiple-scattering-added",
        /// Anisotropy is left out.
        AnisotropyIgnored = "anisotropy-ignored",
        /// The direction that an anisotropy texture gives is left out.
        AnisotropyDirectionIgnored = "anisotropy-direction-ignored",
        /// Anisotropy is turned clockwise.
        AnisotropyRotationSign = "anisotropy-rotation-sign",
        /// The strength of anisotropy is not squared.
        AnisotropyNotSquared = "anisotropy-not-squared",
        /// Sheen is left out.
        SheenIgnored = "sheen-ignored",
        /// Sheen is added without taking from the base.
        SheenAlbedoMissing = "sheen-albedo-missing",
        /// The roughness of sheen is not squared.
        SheenRoughnessNotSquared = "sheen-roughness-not-squared",
        /// A clear coat is added without taking from what lies beneath.
        ClearcoatEnergyAdded = "clearcoat-energy-added",
        /// Occlusion of vertices is left out.
        VertexOcclusionIgnored = "vertex-occlusion-ignored",
        /// Morph targets do not move the occlusion of vertices.
        VertexOcclusionNotMorphed = "vertex-occlusion-not-morphed",
        /// Occlusion darkens direct light too.
        OcclusionOnDirect = "occlusion-on-direct",
        /// Emission is multiplied by the base colour.
        EmissiveTinted = "emissive-tinted",
        /// The bias of shadow maps moves them toward the light.
        ShadowBiasSign = "shadow-bias-sign",
        /// The bias of shadow maps is counted in steps of another depth format.
        ShadowBiasUnits = "shadow-bias-units",
        /// Splits are chosen by the distance from the eye.
        SplitByDistance = "split-by-distance",
        /// Shadow maps are looked up upside down.
        MapYFlipped = "map-y-flipped",
        /// Shadow maps are compared with depth in the range of the other convention.
        MapDepthRange = "map-depth-range",
        /// Places in the map of a spot light are not divided by w.
        MapWNotDivided = "map-w-not-divided",
        /// It is dark beside a shadow map.
        MapBorder = "map-border",
        /// Shadow maps are looked up half a texel away.
        FilterHalfTexel = "filter-half-texel",
        /// Casters before the near plane of a shadow map are clipped away.
        CastersClipped = "casters-clipped",
        /// Shadow maps are cleared to the nearest depth.
        MapClearedToZero = "map-cleared-to-zero",
        /// Shadow maps are looked up with the matrices of the frame before.
        CascadeMatrixStale = "cascade-matrix-stale",
        /// A light looks into the shadow maps of another one.
        LightMapSwapped = "light-map-swapped",
    }
    Rasterisation {
        /// Samples sit at whole numbers.
        PixelCentreInteger = "pixel-centre-integer",
        /// A sample on an edge belongs to neither triangle.
        FillRuleMissing = "fill-rule-missing",
        /// A sample on an edge belongs to the triangle above or to the left.
        FillRuleBottomRight = "fill-rule-bottom-right",
        /// Attributes are interpolated without perspective.
        AffineInterpolation = "affine-interpolation",
        /// Window depth is interpolated with perspective.
        DepthPerspective = "depth-perspective",
        /// Triangles across the near plane are not clipped.
        NearClipMissing = "near-clip-missing",
        /// Triangles across the near plane are dropped.
        NearClipDrops = "near-clip-drops",
        /// Coordinates far off the picture wrap round.
        GuardBandOverflow = "guard-band-overflow",
        /// Of two equal depths the later one wins.
        DepthTestLessEqual = "depth-test-less-equal",
        /// The depth range of the other convention is used.
        DepthRangeGl = "depth-range-gl",
        /// Every second triangle is turned round.
        StripParity = "strip-parity",
        /// Front faces are culled.
        CullFront = "cull-front",
        /// Nothing is culled.
        CullOff = "cull-off",
        /// The picture is upside down.
        YFlipped = "y-flipped",
        /// Linear values are stored.
        SrgbEncodeMissing = "srgb-encode-missing",
        /// Encoded values are encoded again.
        SrgbEncodeTwice = "srgb-encode-twice",
        /// Colours are encoded by a power of 1/2.2.
        GammaEncode22 = "gamma-encode-2-2",
        /// Blended draws come in the reverse order.
        BlendOrder = "blend-order",
        /// Colours are blended as they are stored.
        BlendInSrgb = "blend-in-srgb",
        /// Blending takes colours for premultiplied ones.
        BlendPremultiplied = "blend-premultiplied",
        /// Blending adds to what is there.
        BlendAdditive = "blend-additive",
        /// Blended draws write depth.
        BlendDepthWrite = "blend-depth-write",
        /// Alpha is blended by itself, as colours are.
        BlendAlphaSquared = "blend-alpha-squared",
        /// The viewport is half a pixel too far right.
        ViewportHalfPixel = "viewport-half-pixel",
        /// The viewport is a row too low.
        ViewportOffByOneRow = "viewport-off-by-one-row",
        /// Width and height are exchanged in the projection.
        AspectRatioInverted = "aspect-ratio-inverted",
        /// Vertices snap to whole pixels.
        SnapToPixels = "snap-to-pixels",
        /// Vertices snap to quarters of a pixel.
        SnapToQuarters = "snap-to-quarters",
        /// Every pixel that a triangle touches is covered.
        ConservativeCoverage = "conservative-coverage",
        /// A triangle's first vertex gives it all attributes.
        FlatInterpolation = "flat-interpolation",
        /// Depth is not tested.
        DepthTestOff = "depth-test-off",
        /// Depth is not written.
        DepthWriteOff = "depth-write-off",
        /// Depth has 16 bits.
        Depth16Bits = "depth-16-bits",
        /// Depth is cleared to the nearest value.
        DepthClearedToZero = "depth-cleared-to-zero",
        /// Depth is tested as if near were 1.
        ReversedDepthTest = "reversed-depth-test",
        /// All samples of a pixel sit at its centre.
        SamplesAtCentre = "samples-at-centre",
        /// The sample positions are mirrored.
        SamplesMirrored = "samples-mirrored",
        /// Attributes are taken at the first covered sample.
        CentroidInterpolation = "centroid-interpolation",
        /// Samples are averaged as they are stored.
        ResolveInSrgb = "resolve-in-srgb",
        /// Only the first sample of a pixel is kept.
        ResolveFirstSample = "resolve-first-sample",
        /// The last row stays empty.
        ScissorOffByOne = "scissor-off-by-one",
        /// The last triangle of a primitive is not drawn.
        LastTriangleDropped = "last-triangle-dropped",
        /// Indices lose what is above 16 bits.
        Index16BitWrap = "index-16-bit-wrap",
        /// The primitives of a mesh all read the first one's vertices.
        BaseVertexIgnored = "base-vertex-ignored",
        /// Red and blue are exchanged.
        OutputChannelsSwapped = "output-channels-swapped",
        /// The background is taken as linear.
        BackgroundLinear = "background-linear",
        /// Colours are cut off to bytes, not rounded.
        OutputTruncated = "output-truncated",
    }
    VertexPrograms {
        /// A bone has three rows, and is looked up at four times its index.
        PaletteStrideFour = "palette-stride-four",
        /// All sections of a split mesh use the first one's bone map.
        PaletteSplitWrongRemap = "palette-split-wrong-remap",
        /// Bone indices come as fractions of 255 and lose one when they are cut off.
        AddressRounding = "address-rounding",
    }
}
