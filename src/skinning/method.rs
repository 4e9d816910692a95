//! [`SkinningMethod`] and [`NormalMode`]: the names of the ways to skin a vertex.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// How joints move a vertex.
///
/// v is a vertex, wᵢ and i its influences, Mᵢ = Wᵢ·Bᵢ the palette matrix of a joint: world · inverse bind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SkinningMethod {
    /// (Σ wᵢMᵢ)·v: the matrices are blended, and the vertex is transformed once.
    #[default]
    Linear,
    /// Σ wᵢ(Mᵢ·v): the vertex is transformed by each joint, and the results are blended. Equal to
    /// [`Linear`](Self::Linear) but for rounding.
    LinearPerJoint,
    /// Unit dual quaternions are blended on one hemisphere and normalised (Kavan et al., *Geometric Skinning with
    /// Approximate Dual Quaternion Blending*, 2008). Scale and shear are blended first and linearly, as that paper's
    /// two-phase method does. Joints that mirror or flatten are refused.
    DualQuaternion,
    /// Σ wᵢWᵢ·vᵢ with vᵢ = Bᵢ·v stored for each joint: the "vertex offset" of the 2001 talk. Normals go through the
    /// 3×3 blocks in the same way, whatever the [`NormalMode`].
    VertexOffset,
    /// Σ wᵢ(Wᵢ·Bᵢ)·v with the product made once a joint: the "bone offset" of the 2001 talk. Normals go through the
    /// 3×3 blocks in the same way, whatever the [`NormalMode`].
    BoneOffset,
    /// Only the heaviest influence counts; of equals, the first.
    Rigid,
    /// (Σ wᵢWᵢ)·(Σ wᵢBᵢ·v): wrong, and kept because it is made so often. Vertices between joints cave in.
    WeightsBeforeBind,
}

impl SkinningMethod {
    /// All methods.
    pub const ALL: [Self; 7] = [
        Self::Linear,
        Self::LinearPerJoint,
        Self::DualQuaternion,
        Self::VertexOffset,
        Self::BoneOffset,
        Self::Rigid,
        Self::WeightsBeforeBind,
    ];

    /// The name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::LinearPerJoint => "linear-per-joint",
            Self::DualQuaternion => "dual-quaternion",
            Self::VertexOffset => "vertex-offset",
            Self::BoneOffset => "bone-offset",
            Self::Rigid => "rigid",
            Self::WeightsBeforeBind => "weights-before-bind",
        }
    }

    /// The normal mode that holds with this method where `wanted` is asked for.
    ///
    /// The two offsets and the mistake of seed 001 define where a normal goes. Of a single joint, and of a blend of
    /// stretches, the inverse transpose is the same by either way.
    #[must_use]
    pub const fn normal_mode(self, wanted: NormalMode) -> NormalMode {
        match (self, wanted) {
            (Self::Linear | Self::LinearPerJoint, wanted) => wanted,
            (Self::DualQuaternion | Self::Rigid, NormalMode::RotationOnly) => NormalMode::RotationOnly,
            (Self::DualQuaternion | Self::Rigid, NormalMode::InverseTranspose | NormalMode::PerJoint) => {
                NormalMode::InverseTranspose
            }
            (Self::VertexOffset | Self::BoneOffset | Self::WeightsBeforeBind, _) => NormalMode::RotationOnly,
        }
    }
}

/// How normals follow the joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NormalMode {
    /// The inverse transpose of the blended matrix, by its cofactors: right for every matrix.
    #[default]
    InverseTranspose,
    /// The blended matrix itself: right where joints only turn, move and scale evenly, and cheaper.
    RotationOnly,
    /// Each joint's inverse transpose, blended: what many renderers do, and not the inverse transpose of the blend.
    PerJoint,
}

impl NormalMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::InverseTranspose, Self::RotationOnly, Self::PerJoint];

    /// The name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InverseTranspose => "inverse-transpose",
            Self::RotationOnly => "rotation-only",
            Self::PerJoint => "per-joint",
        }
    }
}

/// A name that names nothing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no {kind} `{name}`; there are: {known}")]
pub struct UnknownNameError {
    kind: &'static str,
    name: String,
    known: String,
}

impl UnknownNameError {
    fn new(kind: &'static str, name: &str, known: &[&str]) -> Self {
        Self { kind, name: name.to_owned(), known: known.join(", ") }
    }
}

impl fmt::Display for SkinningMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for SkinningMethod {
    type Err = UnknownNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| UnknownNameError::new("skinning method", name, &Self::ALL.map(Self::name)))
    }
}

impl fmt::Display for NormalMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for NormalMode {
    type Err = UnknownNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| UnknownNameError::new("normal mode", name, &Self::ALL.map(Self::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_unknown_ones_list_the_known() {
        for method in SkinningMethod::ALL {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        for mode in NormalMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        let error = "lineal".parse::<SkinningMethod>().unwrap_err().to_string();
        assert!(error.contains("`lineal`") && error.contains("dual-quaternion"), "{error}");
    }
}
