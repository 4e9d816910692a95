//! [`Rule`]: what can be found, and whose matter it is.

use refrast_scene::RemarkKind;
use serde::Serialize;

refrast_words::words! {
    /// What a finding means.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(into = "&'static str")]
    pub enum Standing: "standing of a finding" {
        /// The file breaks a rule of glTF, and is drawn all the same.
        Broken = "broken",
        /// The file is right, and glTF leaves open what is drawn: right renderers differ.
        Open = "open",
        /// The file is right and glTF says what is drawn, but renderers are known to draw something else.
        Pitfall = "pitfall",
    }
}

refrast_words::words! {
    /// What can be found in a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(into = "&'static str")]
    pub enum Rule: "rule" {
        /// Rotations are no unit quaternions.
        RotationNotUnit = "rotation-not-unit",
        /// Weights of vertices do not sum to 1.
        WeightsOffOne = "weights-off-one",
        /// Weights of vertices are all 0.
        WeightsAllZero = "weights-all-zero",
        /// A joint moves a vertex twice.
        InfluenceTwice = "influence-twice",
        /// The last row of a matrix is not 0, 0, 0, 1.
        MatrixLastRow = "matrix-last-row",
        /// A node's matrix shears, which translation, rotation and scale can not.
        MatrixSheared = "matrix-sheared",
        /// A `byteStride` is outside of 4 to 252, or no multiple of 4.
        StrideNotAllowed = "stride-not-allowed",
        /// FLOAT or UNSIGNED_INT numbers are said to be normalised.
        NormalizedFloat = "normalized-float",
        /// Normals are not of unit length.
        NormalsNotUnit = "normals-not-unit",
        /// Joints of a skin have no node above all of them.
        JointsWithoutCommonRoot = "joints-without-common-root",
        /// Joints are not in the scene that is drawn.
        JointsOutsideScene = "joints-outside-scene",
        /// A morph target displaces normals or tangents that the primitive does not have.
        MorphWithoutBase = "morph-without-base",
        /// A scene lists a node that is a child of another, or twice.
        SceneNodeNotRoot = "scene-node-not-root",
        /// A light is of a type that KHR_lights_punctual does not have.
        LightTypeUnknown = "light-type-unknown",
        /// Colours of vertices are outside of 0 to 1.
        ColorsOutside = "colors-outside",
        /// More than four joints move a vertex.
        InfluencesOverFour = "influences-over-four",
        /// A texture that a material uses has no image.
        TextureWithoutImage = "texture-without-image",
        /// Tangents are missing where a normal map needs them.
        TangentsMissing = "tangents-missing",
        /// Triangles with a normal map have texture coordinates without an area.
        TexcoordsDegenerate = "texcoords-degenerate",
        /// A sampler leaves its filters open.
        SamplerUnspecified = "sampler-unspecified",
        /// A texture has an image for glTF and another one for an extension.
        TextureWithTwoImages = "texture-with-two-images",
        /// An image is stored with losses.
        ImageLossy = "image-lossy",
        /// An extension is used that is not drawn here.
        ExtensionIgnored = "extension-ignored",
        /// A light has a range.
        LightRange = "light-range",
        /// A spot light fades toward the edge of its cone.
        LightCone = "light-cone",
        /// Normals are missing, so that every triangle is flat.
        NormalsMissing = "normals-missing",
        /// Influences do not come with the heaviest first.
        InfluencesUnsorted = "influences-unsorted",
        /// A joint scales unevenly.
        JointScaleUneven = "joint-scale-uneven",
        /// A joint mirrors.
        JointMirrored = "joint-mirrored",
        /// A skinned mesh hangs under a node that is placed.
        SkinnedNodePlaced = "skinned-node-placed",
        /// A joint shares its name with another node.
        JointNameTwice = "joint-name-twice",
        /// A node that moves is called "root".
        NodeCalledRoot = "node-called-root",
        /// Keys lie between the frames of 60 a second.
        KeysOffGrid = "keys-off-grid",
        /// A cubic spline leaves the range of its keys.
        SplineOvershoots = "spline-overshoots",
        /// A texture with mip levels has sides that are no powers of two.
        TextureNotPowerOfTwo = "texture-not-power-of-two",
        /// A light has a colour that is not full or none in every channel.
        LightColored = "light-colored",
        /// A light is as strong as its intensity says, in lux or candela.
        LightIntensity = "light-intensity",
    }
}

impl Rule {
    /// Whose matter it is.
    #[must_use]
    pub fn standing(self) -> Standing {
        match self {
            Self::RotationNotUnit
            | Self::WeightsOffOne
            | Self::WeightsAllZero
            | Self::InfluenceTwice
            | Self::MatrixLastRow
            | Self::MatrixSheared
            | Self::StrideNotAllowed
            | Self::NormalizedFloat
            | Self::NormalsNotUnit
            | Self::JointsWithoutCommonRoot
            | Self::JointsOutsideScene
            | Self::MorphWithoutBase
            | Self::SceneNodeNotRoot
            | Self::LightTypeUnknown
            | Self::ColorsOutside => Standing::Broken,
            Self::InfluencesOverFour
            | Self::TextureWithoutImage
            | Self::TangentsMissing
            | Self::TexcoordsDegenerate
            | Self::SamplerUnspecified
            | Self::TextureWithTwoImages
            | Self::ImageLossy
            | Self::ExtensionIgnored
            | Self::LightRange
            | Self::LightCone => Standing::Open,
            Self::NormalsMissing
            | Self::InfluencesUnsorted
            | Self::JointScaleUneven
            | Self::JointMirrored
            | Self::SkinnedNodePlaced
            | Self::JointNameTwice
            | Self::NodeCalledRoot
            | Self::KeysOffGrid
            | Self::SplineOvershoots
            | Self::TextureNotPowerOfTwo
            | Self::LightColored
            | Self::LightIntensity => Standing::Pitfall,
        }
    }

    /// What the file's maker can do.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::RotationNotUnit => "bring the quaternions to unit length in the exporter",
            Self::WeightsOffOne | Self::WeightsAllZero => "normalise the weights in the exporter",
            Self::InfluenceTwice => "add up the weights of a joint",
            Self::MatrixLastRow => "write 0, 0, 0, 1",
            Self::MatrixSheared => "write translation, rotation and scale, or put the shear into the vertices",
            Self::StrideNotAllowed => "leave byteStride out for packed data, else pad to a multiple of 4",
            Self::NormalizedFloat => "leave normalized out",
            Self::NormalsNotUnit => "normalise the normals in the exporter",
            Self::JointsWithoutCommonRoot => "put one node above all joints",
            Self::JointsOutsideScene => "list the joints' root in the scene",
            Self::MorphWithoutBase => "export the base attribute too, or leave the displacement out",
            Self::SceneNodeNotRoot => "list each root once, and nothing else",
            Self::LightTypeUnknown => "use directional, point or spot lights",
            Self::ColorsOutside => "bring the colours into 0 to 1, or into the material's factor",
            Self::TextureWithoutImage => "give the texture an image, or leave it out of the material",
            Self::InfluencesOverFour => "export four influences a vertex where renderers are to agree",
            Self::TangentsMissing => "export the tangents that the normal map was baked with",
            Self::TexcoordsDegenerate => "unwrap these triangles, or leave out their normal map",
            Self::SamplerUnspecified => "state minFilter and magFilter",
            Self::TextureWithTwoImages => "hold both renderers to the same image",
            Self::ImageLossy => "store as PNG where single steps matter",
            Self::ExtensionIgnored => "compare with renderers that leave it out too",
            Self::LightRange => "leave the range out where renderers are to agree",
            Self::LightCone => "compare outside of the cone's edge, or by a point light",
            Self::NormalsMissing => "export normals",
            Self::InfluencesUnsorted => "sort by weight where a renderer keeps the first few",
            Self::JointScaleUneven => "keep joints' scales even, or compare normals apart",
            Self::JointMirrored => "mirror the mesh and not the joint",
            Self::SkinnedNodePlaced => "make the skinned mesh a root without a transform",
            Self::JointNameTwice => "give every node a name of its own",
            Self::NodeCalledRoot => "call it otherwise",
            Self::KeysOffGrid => "set keys at multiples of 1/60 s, or compare at moments between them with care",
            Self::SplineOvershoots => "bake the clip to linear keys",
            Self::TextureNotPowerOfTwo => "resize to powers of two",
            Self::LightColored => "compare under white light first",
            Self::LightIntensity => "compare one light, and find its factor, before anything else",
        }
    }
}

impl From<RemarkKind> for Rule {
    fn from(kind: RemarkKind) -> Self {
        match kind {
            RemarkKind::RotationNotUnit => Self::RotationNotUnit,
            RemarkKind::WeightsOffOne => Self::WeightsOffOne,
            RemarkKind::WeightsAllZero => Self::WeightsAllZero,
            RemarkKind::MatrixLastRow => Self::MatrixLastRow,
            RemarkKind::StrideNotAllowed => Self::StrideNotAllowed,
            RemarkKind::NormalizedFloat => Self::NormalizedFloat,
            RemarkKind::JointsWithoutCommonRoot => Self::JointsWithoutCommonRoot,
            RemarkKind::JointsOutsideScene => Self::JointsOutsideScene,
            RemarkKind::MorphWithoutBase => Self::MorphWithoutBase,
            RemarkKind::SceneNodeNotRoot => Self::SceneNodeNotRoot,
            RemarkKind::LightTypeUnknown => Self::LightTypeUnknown,
            RemarkKind::ColorsOutside => Self::ColorsOutside,
            RemarkKind::TextureWithoutImage => Self::TextureWithoutImage,
            RemarkKind::TangentsMissing => Self::TangentsMissing,
            RemarkKind::SamplerUnspecified => Self::SamplerUnspecified,
            RemarkKind::TextureWithTwoImages => Self::TextureWithTwoImages,
            RemarkKind::ImageLossy => Self::ImageLossy,
            RemarkKind::ExtensionIgnored => Self::ExtensionIgnored,
        }
    }
}
