//! The mistakes that backends make, by name.
//!
//! Why it exists: a check is worth what it catches. Each fault here was a bug of a shipped renderer, and has a name that
//! code, tests and reports share.

use std::fmt;
use std::str::FromStr;

/// A seeded mistake of a skinning backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The transform of the node that draws the mesh is applied on top of the joints.
    SkinnedNodeTransformApplied,
    /// Inverse bind matrices are taken as identities.
    InverseBindMissing,
    /// Inverse bind matrices are computed from the rest pose.
    InverseBindRecomputed,
    /// Ancestors of a joint that are no joints are left out.
    NonJointAncestorDropped,
    /// Only the first set of four influences counts.
    Joints1Ignored,
    /// Influences are dropped, and the others keep their weights.
    InfluencesTruncatedUnscaled,
    /// Weights are divided by their length.
    WeightsL2Normalised,
    /// The last weight is 1 minus the others.
    LastWeightReconstructed,
    /// Integer weights are divided by 256 or 65536.
    WeightIntegerScale,
    /// Joints are counted from 1.
    JointIndexOffByOne,
    /// The palette is that of the frame before.
    JointPaletteStale,
    /// Bytes are read as 16-bit joints.
    JointIndexWidth,
    /// The matrix of a joint with weight 0 is looked at.
    ZeroWeightJointDereferenced,
    /// A mesh that two nodes draw gets the other node's skin.
    SharedMeshSecondSkin,
    /// Rows are taken for columns.
    MatrixTransposed,
    /// Inverse bind · world.
    MatrixOrderSwapped,
    /// Normals go through the blended matrix itself.
    NormalNotInverseTransposed,
    /// Normals go through the blend of each joint's inverse transpose.
    NormalInverseTransposePerJoint,
    /// Normals keep the length that blending gives them.
    NormalNotRenormalised,
    /// The cofactor matrix is used with the determinant's sign in it.
    NormalFlippedByNegativeScale,
    /// Front faces of a mirrored mesh are culled. It changes no vertex: only pictures show it.
    WindingNotFlipped,
    /// Vertices are brought to the mean bind space before the joints move them.
    WeightsAppliedBeforeBind,
    /// Dual quaternions are blended without regard to the hemisphere.
    DualQuaternionAntipodal,
    /// Only the real part is divided by its length.
    DualQuaternionDualPartUnscaled,
    /// The joints' scale is left out.
    DualQuaternionScaleLost,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 25] = [
        Self::SkinnedNodeTransformApplied,
        Self::InverseBindMissing,
        Self::InverseBindRecomputed,
        Self::NonJointAncestorDropped,
        Self::Joints1Ignored,
        Self::InfluencesTruncatedUnscaled,
        Self::WeightsL2Normalised,
        Self::LastWeightReconstructed,
        Self::WeightIntegerScale,
        Self::JointIndexOffByOne,
        Self::JointPaletteStale,
        Self::JointIndexWidth,
        Self::ZeroWeightJointDereferenced,
        Self::SharedMeshSecondSkin,
        Self::MatrixTransposed,
        Self::MatrixOrderSwapped,
        Self::NormalNotInverseTransposed,
        Self::NormalInverseTransposePerJoint,
        Self::NormalNotRenormalised,
        Self::NormalFlippedByNegativeScale,
        Self::WindingNotFlipped,
        Self::WeightsAppliedBeforeBind,
        Self::DualQuaternionAntipodal,
        Self::DualQuaternionDualPartUnscaled,
        Self::DualQuaternionScaleLost,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SkinnedNodeTransformApplied => "skinned-node-transform-applied",
            Self::InverseBindMissing => "inverse-bind-missing",
            Self::InverseBindRecomputed => "inverse-bind-recomputed",
            Self::NonJointAncestorDropped => "non-joint-ancestor-dropped",
            Self::Joints1Ignored => "joints-1-ignored",
            Self::InfluencesTruncatedUnscaled => "influences-truncated-unscaled",
            Self::WeightsL2Normalised => "weights-l2-normalised",
            Self::LastWeightReconstructed => "last-weight-reconstructed",
            Self::WeightIntegerScale => "weight-integer-scale",
            Self::JointIndexOffByOne => "joint-index-off-by-one",
            Self::JointPaletteStale => "joint-palette-stale",
            Self::JointIndexWidth => "joint-index-width",
            Self::ZeroWeightJointDereferenced => "zero-weight-joint-dereferenced",
            Self::SharedMeshSecondSkin => "shared-mesh-second-skin",
            Self::MatrixTransposed => "matrix-transposed",
            Self::MatrixOrderSwapped => "matrix-order-swapped",
            Self::NormalNotInverseTransposed => "normal-not-inverse-transposed",
            Self::NormalInverseTransposePerJoint => "normal-inverse-transpose-per-joint",
            Self::NormalNotRenormalised => "normal-not-renormalised",
            Self::NormalFlippedByNegativeScale => "normal-flipped-by-negative-scale",
            Self::WindingNotFlipped => "winding-not-flipped",
            Self::WeightsAppliedBeforeBind => "weights-applied-before-bind",
            Self::DualQuaternionAntipodal => "dual-quaternion-antipodal",
            Self::DualQuaternionDualPartUnscaled => "dual-quaternion-dual-part-unscaled",
            Self::DualQuaternionScaleLost => "dual-quaternion-scale-lost",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that names no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault `{0}`; there are: {known}", known = Fault::ALL.map(Fault::name).join(", "))]
pub struct UnknownFaultError(pub String);

impl FromStr for Fault {
    type Err = UnknownFaultError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|fault| fault.name() == name).ok_or_else(|| UnknownFaultError(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for fault in Fault::ALL {
            assert_eq!(fault.to_string().parse(), Ok(fault));
        }
        assert!("matrix-inverted".parse::<Fault>().unwrap_err().to_string().contains("matrix-transposed"));
    }
}
