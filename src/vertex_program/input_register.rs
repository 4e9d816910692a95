//! [`InputRegister`]: a register that the caller fills, by the name that a person gives it.
//!
//! Why it exists: values and bindings are written on the command line and in files, and each dialect spells the same
//! sixteen attributes and 96 constants in its own way.

use std::{fmt, str::FromStr};

use super::text::nvidia::ATTRIBUTE_NAMES;
use refrast_machine::{ATTRIBUTES, CONSTANTS};

/// A register that the caller fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputRegister {
    /// `v[n]`, 0..=15.
    Attribute(u8),
    /// `c[n]`, 0..=95: for ARB programs `program.env[n]`.
    Constant(u8),
}

/// The name is that of no register.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no register: write v0 to v15, v[OPOS] or vertex.attrib[0] for attributes, c0 to c95, c[0] or \
     program.env[0] for constants"
)]
pub struct UnknownRegister(String);

impl FromStr for InputRegister {
    type Err = UnknownRegister;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownRegister(name.to_owned());
        let number = |text: &str, count: usize| text.parse().ok().filter(|&register| usize::from(register) < count);
        let prefixes = [("vertex.attrib", true), ("program.env", false), ("v", true), ("c", false)];
        let (rest, attribute) = prefixes
            .iter()
            .find_map(|&(prefix, attribute)| Some((name.strip_prefix(prefix)?, attribute)))
            .ok_or_else(unknown)?;
        let inner = rest.strip_prefix('[').map_or(Some(rest), |rest| rest.strip_suffix(']')).ok_or_else(unknown)?;
        let inner = inner.trim();
        let found = if attribute {
            let mnemonic = || ATTRIBUTE_NAMES.iter().find(|(name, _)| *name == inner).map(|&(_, register)| register);
            number(inner, ATTRIBUTES).or_else(mnemonic).map(Self::Attribute)
        } else {
            number(inner, CONSTANTS).map(Self::Constant)
        };
        found.ok_or_else(unknown)
    }
}

impl fmt::Display for InputRegister {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(register) => write!(formatter, "v[{register}]"),
            Self::Constant(register) => write!(formatter, "c[{register}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialects_spelling_names_the_same_register() {
        for name in ["v0", "v[0]", "v[OPOS]", "vertex.attrib[0]"] {
            assert_eq!(name.parse(), Ok(InputRegister::Attribute(0)), "{name}");
        }
        for name in ["c95", "c[95]", "program.env[95]"] {
            assert_eq!(name.parse(), Ok(InputRegister::Constant(95)), "{name}");
        }
        // Table X.3 of NV_vertex_program: TEX0 is attribute 8.
        assert_eq!("v[TEX0]".parse(), Ok(InputRegister::Attribute(8)));
    }

    #[test]
    fn what_is_no_register_is_refused() {
        for name in ["", "v", "v16", "c96", "c[1", "v1]", "vOPOS2", "R0", "v-1", "c[OPOS]"] {
            assert!(name.parse::<InputRegister>().is_err(), "{name}");
        }
    }
}
