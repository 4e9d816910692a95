//! Numbers as the machine sees them: the numeric models, their primitive operations, and one function an opcode.
//!
//! Why models: machines differ, and each is right for somebody. `nv-spec` is section 2.14.1.11 of NV_vertex_program
//! taken literally; `ieee` is what a modern GPU does with the same program, and what ARB_vertex_program asks for.

mod opcodes;
mod primitives;
mod rounding;

use std::{fmt, str::FromStr};

use serde::Serialize;

pub(super) use opcodes::execute;
pub(super) use primitives::{clamp_unit, flush_denormal};

/// How the machine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumericModel {
    /// NV_vertex_program 2.14.1.11: MUL, ADD, MAD, DP3, DP4, DST and their kin round toward zero after each
    /// multiplication and each addition; denormals are 0 with their sign, read or written; 0 times anything is +0; a
    /// NaN that is computed is +NaN; SLT and SGE order −NaN < −Inf < … < −0 < +0 < … < +Inf < +NaN.
    #[default]
    NvSpec,
    /// IEEE 754 single precision, round to nearest even, denormals kept, no fused operations. A NaN that is computed
    /// is the positive quiet NaN, since IEEE 754 leaves sign and payload open and processors differ.
    Ieee,
}

/// How `mov a0.x` of `vs_1_1` turns a number into an address: documents and hardware disagree. `ARL` of the OpenGL
/// dialects is always a floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressRounding {
    /// Toward −infinity, as `ARL` does.
    #[default]
    Floor,
    /// To the nearest integer, ties to even ("mov - vs", "Address Register").
    Nearest,
    /// Toward zero.
    Truncate,
}

/// A name is none of a setting's values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {setting} `{name}`; use one of {values}")]
pub struct UnknownSetting {
    setting: &'static str,
    name: String,
    values: &'static str,
}

impl UnknownSetting {
    /// `name` is no value of `setting`.
    pub(super) fn new(setting: &'static str, name: &str, values: &'static str) -> Self {
        Self { setting, name: name.to_owned(), values }
    }
}

impl FromStr for NumericModel {
    type Err = UnknownSetting;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "nv-spec" => Ok(Self::NvSpec),
            "ieee" => Ok(Self::Ieee),
            _ => Err(UnknownSetting::new("numeric model", name, "nv-spec, ieee")),
        }
    }
}

impl FromStr for AddressRounding {
    type Err = UnknownSetting;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "floor" => Ok(Self::Floor),
            "nearest" => Ok(Self::Nearest),
            "truncate" => Ok(Self::Truncate),
            _ => Err(UnknownSetting::new("address rounding", name, "floor, nearest, truncate")),
        }
    }
}

/// The name that is parsed.
impl fmt::Display for NumericModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NvSpec => "nv-spec",
            Self::Ieee => "ieee",
        })
    }
}

/// The name that is parsed.
impl fmt::Display for AddressRounding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Floor => "floor",
            Self::Nearest => "nearest",
            Self::Truncate => "truncate",
        })
    }
}

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
