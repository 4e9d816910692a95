//! [`Cause`]: what a diagnosis can name.

use std::fmt;

use super::families::as_near_as_fitted;
use refrast_range::Declared;
use refrast_scene::Scene;
use refrast_simulator::{Fault, Faults, ParametricFault, Variation};
use serde::{Serialize, Serializer};

/// Why a candidate is not what was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A mistake of the list.
    Fault(Fault),
    /// A mistake of a family, with the numbers that fit best.
    Parametric(ParametricFault),
    /// No mistake: a choice that an engine is free to make and that was not declared. These are all that are declared with it.
    Undeclared {
        /// What would have to be declared.
        declared: Declared,
        /// What has been.
        beside: Declared,
    },
}

impl Cause {
    /// The mistake of the list, if it is one.
    #[must_use]
    pub fn fault(self) -> Option<Fault> {
        match self {
            Self::Fault(fault) => Some(fault),
            Self::Parametric(_) | Self::Undeclared { .. } => None,
        }
    }

    /// The member of a family, if it is one.
    pub(super) fn parametric(self) -> Option<ParametricFault> {
        match self {
            Self::Parametric(fault) => Some(fault),
            Self::Fault(_) | Self::Undeclared { .. } => None,
        }
    }

    /// The node that it is about, where it is about the mesh of one.
    pub(super) fn node(self) -> Option<usize> {
        use ParametricFault::{InsideOut, NodeMissing, NodeMoved, NormalsReversed};
        match self.parametric()? {
            NodeMissing { node } | NodeMoved { node, .. } | InsideOut { node, .. } | NormalsReversed { node, .. } => {
                usize::try_from(node).ok()
            }
            _ => None,
        }
    }

    /// The node of the joint whose vertices it moves, where it is about one.
    pub(super) fn joint(self, scene: &Scene) -> Option<usize> {
        use ParametricFault::{JointTakenFor, JointTurned, NodeStill};
        let in_palette = |joint: u16| scene.skins.iter().find_map(|skin| skin.joints.get(usize::from(joint)).copied());
        match self.parametric()? {
            JointTurned { joint, .. } | JointTakenFor { joint, .. } => in_palette(joint),
            NodeStill { node } => usize::try_from(node).ok(),
            _ => None,
        }
    }

    /// Whether it samples textures with derivatives of its own.
    pub(super) fn gives_its_derivatives(self) -> bool {
        self.fault() == Some(Fault::MipShortestAxis)
    }

    /// Whether it decodes textures by itself, which may be before they are filtered or after.
    pub(super) fn decodes_textures(self) -> bool {
        self.fault() == Some(Fault::TextureGamma22)
    }

    /// Whether vertices snap to a grid of which a picture shows the steps.
    pub(super) fn coarsens_the_grid(self) -> bool {
        match self {
            Self::Fault(fault) => matches!(fault, Fault::SnapToPixels | Fault::SnapToQuarters),
            Self::Parametric(fault) => matches!(fault, ParametricFault::GridBits { .. }),
            Self::Undeclared { .. } => false,
        }
    }

    /// Whether it is a mistake of the list, and the other one a member of its family.
    pub(super) fn lists(self, other: Self) -> bool {
        match (self, other) {
            (Self::Fault(fault), Self::Parametric(other)) => other.listed().contains(&fault),
            _ => false,
        }
    }

    /// Whether it is the same but for numbers. Textures that are flipped in another way differ by more than that, and so do other
    /// joints.
    pub(super) fn is_like(self, other: Self) -> bool {
        use ParametricFault::{JointTakenFor, JointsSwapped, TexcoordsMoved};
        match (self, other) {
            (Self::Parametric(own @ (JointTakenFor { .. } | JointsSwapped { .. })), Self::Parametric(other)) => {
                own == other
            }
            (
                Self::Parametric(TexcoordsMoved { scale, swapped, .. }),
                Self::Parametric(TexcoordsMoved { scale: other_scale, swapped: other_swapped, .. }),
            ) => swapped == other_swapped && scale.map(f32::is_sign_negative) == other_scale.map(f32::is_sign_negative),
            (Self::Parametric(own), Self::Parametric(other)) => own.family() == other.family(),
            (own, other) => own == other,
        }
    }

    /// Whether its numbers are any, so that they are never met exactly.
    pub(super) fn is_fitted(self) -> bool {
        self.parametric().is_some_and(|fault| !as_near_as_fitted(fault).is_empty())
    }

    /// Whether three numbers are fitted to it, with which much is met by chance.
    pub(super) fn has_three_numbers(self) -> bool {
        use ParametricFault::{JointTurned, NodeMoved};
        matches!(self.parametric(), Some(JointTurned { .. } | NodeMoved { .. }))
    }

    /// What the backend does, in a sentence.
    #[must_use]
    pub fn description(self) -> String {
        match self {
            Self::Fault(fault) => fault.description().to_owned(),
            Self::Parametric(fault) => fault.description(),
            Self::Undeclared { .. } => {
                "An engine's own choice and no mistake; declare it, and the picture is right.".to_owned()
            }
        }
    }

    /// Whether it and the other one are one mistake, with other numbers: both set the same thing for all that is drawn.
    pub(super) fn is_one_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Parametric(own), Self::Parametric(other)) => sets_for_all(own) && own.family() == other.family(),
            (Self::Parametric(own), listed) | (listed, Self::Parametric(own)) => {
                sets_for_all(own) && own.listed().iter().any(|fault| listed == *fault)
            }
            _ => false,
        }
    }

    /// Whether it is the choice of another decoder of JPEG.
    pub(super) fn is_decoder(self) -> bool {
        matches!(self, Self::Undeclared { declared, beside } if declared.jpeg != beside.jpeg)
    }

    /// The mistakes that a backend makes for this cause.
    pub(super) fn faults(self) -> Faults {
        match self {
            Self::Fault(fault) => fault.into(),
            Self::Parametric(fault) => fault.into(),
            Self::Undeclared { .. } => Faults::default(),
        }
    }

    /// A backend's choices with this one among them.
    pub(super) fn chosen(self, variation: Variation) -> Variation {
        match self {
            Self::Undeclared { declared: Declared { anisotropy, mips, .. }, .. } => {
                Variation { anisotropy, mips, ..variation }
            }
            Self::Fault(_) | Self::Parametric(_) => variation,
        }
    }
}

/// As it is named: a fault, a family with its numbers, or an option.
impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => formatter.write_str(fault.name()),
            Self::Parametric(fault) => fault.fmt(formatter),
            Self::Undeclared { declared, beside } => formatter.write_str(&declared.beside(beside)),
        }
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl PartialEq<Fault> for Cause {
    fn eq(&self, fault: &Fault) -> bool {
        self.fault() == Some(*fault)
    }
}

impl From<Fault> for Cause {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<ParametricFault> for Cause {
    fn from(fault: ParametricFault) -> Self {
        Self::Parametric(fault)
    }
}

/// Whether a member's numbers are a setting that there is once for all that is drawn.
fn sets_for_all(fault: ParametricFault) -> bool {
    use ParametricFault as P;
    matches!(
        fault,
        P::TexcoordsMoved { .. }
            | P::InfluencesKept { .. }
            | P::WeightBits { .. }
            | P::WindowOffset { .. }
            | P::GridBits { .. }
            | P::MipBias { .. }
            | P::Gamma { .. }
            | P::Exposure { .. }
            | P::Channels { .. }
            | P::DepthTest { .. }
            | P::DepthClear { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_make_no_other_cause_but_flips_do() {
        let moved = |scale, offset, swapped| Cause::from(ParametricFault::TexcoordsMoved { scale, offset, swapped });
        let own = moved([1.0, -1.0], [0.0, 1.0], false);
        assert!(own.is_like(moved([1.5, -2.0], [0.25, 0.0], false)));
        assert!(!own.is_like(moved([-1.0, 1.0], [1.0, 0.0], false)));
        assert!(!own.is_like(moved([1.0, -1.0], [0.0, 1.0], true)));
        let offset = |x| Cause::from(ParametricFault::WindowOffset { x, y: 0.5 });
        assert!(offset(0.25).is_like(offset(0.250_000_03)) && offset(0.25).is_fitted());
        assert!(!offset(0.25).is_like(Fault::ViewportHalfPixel.into()));
    }

    #[test]
    fn a_setting_is_wrong_once() {
        let [offset, other] = [0.25, -1.0].map(|x| Cause::from(ParametricFault::WindowOffset { x, y: 0.5 }));
        assert!(offset.is_one_with(other) && offset.is_one_with(Fault::ViewportHalfPixel.into()));
        assert!(Cause::from(Fault::ViewportHalfPixel).is_one_with(offset));
        assert!(!offset.is_one_with(ParametricFault::Exposure { factor: 2.0 }.into()));
        // Two things are turned apart.
        let [elbow, knee] =
            [3, 9].map(|joint| Cause::from(ParametricFault::JointTurned { joint, by: [0.0, 0.0, 5.0] }));
        assert!(!elbow.is_one_with(knee));
    }
}
