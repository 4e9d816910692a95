//! [`Action`]: what a lane operation does.
//!
//! Why it is not an opcode: a dot product of a constant that each vertex addresses is another loop than one of registers, and what
//! takes more than one step is told here by what it is made of.

use crate::{arithmetic::AddressRounding, instruction::Opcode};

/// What a lane operation computes from its operands 0, 1, ….
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// o0
    Move,
    /// |o0|
    Absolute,
    /// o0 · o1
    Multiply,
    /// o0 + o1
    Add,
    /// o0 · o1 + o2
    MultiplyAdd,
    /// o0 · o1 − o2 · o3
    Cross,
    /// The smaller of o0 and o1.
    Minimum,
    /// The larger of o0 and o1.
    Maximum,
    /// o0 < o1
    Less,
    /// o0 ≥ o1
    GreaterOrEqual,
    /// 1 / o0
    Reciprocal,
    /// 1 / √|o0|
    ReciprocalSquareRoot,
    /// o0·o1 + o2·o3 + o4·o5
    Dot3,
    /// `Dot3` + o6
    DotHomogeneous,
    /// `Dot3` + o6·o7
    Dot4,
    /// A scalar function of the reference, lane by lane: operands o0..o3 and o4..o7.
    PerLane(Opcode),
    /// Loads the address register from o0.
    Address(AddressRounding),
    /// Reads `c[A0.x + offset]` into the four destination planes.
    Gather(i32),
    /// As `Dot3`, with the components of `c[A0.x + offset]` for o0, o2 and o4.
    RowDot3(i32),
    /// As `Dot4`, with the components of `c[A0.x + offset]` for o0, o2, o4 and o6.
    RowDot4(i32),
}

impl Action {
    /// How many products it adds up; they are of operands 0 and 1, 2 and 3, ….
    pub(super) fn products(self) -> usize {
        match self {
            Self::Multiply | Self::MultiplyAdd => 1,
            Self::Cross => 2,
            Self::Dot3 | Self::DotHomogeneous | Self::RowDot3(_) => 3,
            Self::Dot4 | Self::RowDot4(_) => 4,
            _ => 0,
        }
    }

    /// Whether every result is one of the operands, 0 or 1, but for the sign.
    pub(super) fn chooses(self) -> bool {
        matches!(self, Self::Move | Self::Absolute | Self::Minimum | Self::Maximum | Self::Less | Self::GreaterOrEqual)
    }

    /// What an action that reads through the address register adds to it.
    pub(super) fn offset(self) -> Option<i32> {
        match self {
            Self::Gather(offset) | Self::RowDot3(offset) | Self::RowDot4(offset) => Some(offset),
            _ => None,
        }
    }

    /// Whether the bits of an operand that is no number may come through.
    pub(super) fn hands_on(self) -> bool {
        matches!(self, Self::Move | Self::Absolute | Self::Minimum | Self::Maximum | Self::PerLane(_))
    }

    /// How many operands an action with products has.
    pub(super) fn operands(self) -> usize {
        2 * self.products() + usize::from(matches!(self, Self::MultiplyAdd | Self::DotHomogeneous))
    }
}
