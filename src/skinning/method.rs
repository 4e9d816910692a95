//! [`SkinningMethod`] and [`NormalMode`]: the names of the ways to skin a vertex.

use refrast_words::{UnknownWord, words};

words! {
    /// How joints move a vertex.
    ///
    /// v is a vertex, wᵢ and i its influences, Mᵢ = Wᵢ·Bᵢ the palette matrix of a joint: world · inverse bind.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SkinningMethod: "skinning method" = Linear {
        /// (Σ wᵢMᵢ)·v: the matrices are blended, and the vertex is transformed once.
        Linear = "linear",
        /// Σ wᵢ(Mᵢ·v): the vertex is transformed by each joint, and the results are blended. Equal to
        /// [`Linear`](Self::Linear) but for rounding.
        LinearPerJoint = "linear-per-joint",
        /// Unit dual quaternions are blended on one hemisphere and normalised. See Kavan et al., *Geometric Skinning with
        /// Approximate Dual Quaternion Blending*, 2008. Scale and shear are blended first and linearly, as that paper's
        /// two-phase method does. Joints that mirror or flatten are refused.
        DualQuaternion = "dual-quaternion",
        /// Σ wᵢWᵢ·vᵢ with vᵢ = Bᵢ·v stored for each joint: the "vertex offset" of the 2001 talk. Normals go through the
        /// 3×3 blocks in the same way, whatever the [`NormalMode`].
        VertexOffset = "vertex-offset",
        /// Σ wᵢ(Wᵢ·Bᵢ)·v with the product made once a joint: the "bone offset" of the 2001 talk. Normals go through the
        /// 3×3 blocks in the same way, whatever the [`NormalMode`].
        BoneOffset = "bone-offset",
        /// Only the heaviest influence counts; of equals, the first.
        Rigid = "rigid",
        /// (Σ wᵢWᵢ)·(Σ wᵢBᵢ·v): wrong, and kept because it is made so often. Vertices between joints cave in.
        WeightsBeforeBind = "weights-before-bind",
    }
}

impl SkinningMethod {
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

words! {
    /// How normals follow the joints.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum NormalMode: "normal mode" = InverseTranspose {
        /// The inverse transpose of the blended matrix, by its cofactors: right for every matrix.
        InverseTranspose = "inverse-transpose",
        /// The blended matrix itself: right where joints only turn, move and scale evenly, and cheaper.
        RotationOnly = "rotation-only",
        /// Each joint's inverse transpose, blended: what many renderers do, and not the inverse transpose of the blend.
        PerJoint = "per-joint",
    }
}

/// A name that names nothing.
pub type UnknownNameError = UnknownWord;

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
