//! A glTF file from its bytes to world-space vertices, by code that shares nothing with refrast: for the bounds of the whole
//! chain. Every step has the forms that engines have, in f32 or f64.

pub(crate) mod evaluate;
pub(crate) mod file;
pub(crate) mod machine;
pub(crate) mod pose;
pub(crate) mod random;

/// Mistakes on the way from the file to a vertex, by their names in the list of known faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mistake {
    JointIndexOffByOne,
    InverseBindMissing,
    WeightsL2Normalised,
    LastWeightReconstructed,
    Joints1Ignored,
    MatrixTransposed,
    MatrixOrderSwapped,
    NonJointAncestorDropped,
    SkinnedNodeTransformApplied,
    ParentsInReverse,
    ScaleAfterRotation,
    MorphAfterSkin,
    MorphIgnored,
    NodeWeightsIgnored,
    StepAsLinear,
    LinearAsStep,
    RotationLerped,
    SlerpLongWay,
    CubicTangentUnscaled,
    CubicTangentIndex,
    RotationNotNormalised,
    TimeNotClamped,
    NormalNotInverseTransposed,
}

impl Mistake {
    pub(crate) const ALL: [Self; 23] = [
        Self::JointIndexOffByOne,
        Self::InverseBindMissing,
        Self::WeightsL2Normalised,
        Self::LastWeightReconstructed,
        Self::Joints1Ignored,
        Self::MatrixTransposed,
        Self::MatrixOrderSwapped,
        Self::NonJointAncestorDropped,
        Self::SkinnedNodeTransformApplied,
        Self::ParentsInReverse,
        Self::ScaleAfterRotation,
        Self::MorphAfterSkin,
        Self::MorphIgnored,
        Self::NodeWeightsIgnored,
        Self::StepAsLinear,
        Self::LinearAsStep,
        Self::RotationLerped,
        Self::SlerpLongWay,
        Self::CubicTangentUnscaled,
        Self::CubicTangentIndex,
        Self::RotationNotNormalised,
        Self::TimeNotClamped,
        Self::NormalNotInverseTransposed,
    ];
}
