//! Numbers as the machine sees them: the numeric models, their primitive operations, and one function an opcode.
//!
//! Why models: machines differ, and each is right for somebody. `nv-spec` is section 2.14.1.11 of NV_vertex_program
//! taken literally; `ieee` is what a modern GPU does with the same program, and what ARB_vertex_program asks for.

mod opcodes;
mod primitives;
mod rounding;

use refrast_words::{UnknownWord, words};
use serde::Serialize;

pub(super) use opcodes::execute;
pub(super) use primitives::{clamp_unit, flush_denormal};

words! {
    /// How the machine computes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NumericModel: "numeric model" = NvSpec {
        /// NV_vertex_program 2.14.1.11 to the letter. MUL, ADD, MAD, DP3, DP4, DST and their kin round toward zero after each
        /// multiplication and each addition; denormals are 0 with their sign, read or written; 0 times anything is +0; a
        /// NaN that is computed is +NaN; SLT and SGE order −NaN < −Inf < … < −0 < +0 < … < +Inf < +NaN.
        NvSpec = "nv-spec",
        /// IEEE 754 single precision, round to nearest even, denormals kept, no fused operations. A NaN that is computed
        /// is the positive quiet NaN, since IEEE 754 leaves sign and payload open and processors differ.
        Ieee = "ieee",
    }
}

words! {
    /// How `mov a0.x` of `vs_1_1` turns a number into an address: documents and hardware disagree. `ARL` of the OpenGL
    /// dialects is always a floor.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum AddressRounding: "address rounding" = Floor {
        /// Toward −infinity, as `ARL` does.
        Floor = "floor",
        /// To the nearest integer, ties to even ("mov - vs", "Address Register").
        Nearest = "nearest",
        /// Toward zero.
        Truncate = "truncate",
    }
}

/// A name is none of a setting's values.
pub type UnknownSetting = UnknownWord;

impl AddressRounding {
    /// The address for the number `value`, clamped to ±2^10: no offset reaches the file from outside that (issue
    /// "extremely positive or negative" of NV_vertex_program). A NaN gives 0.
    #[must_use]
    pub fn address(self, value: f32) -> i32 {
        let rounded = match self {
            Self::Floor => value.floor(),
            Self::Nearest => value.round_ties_even(),
            Self::Truncate => value.trunc(),
        };
        // `as` gives 0 for NaN.
        rounded.clamp(-1024.0, 1024.0) as i32
    }
}
