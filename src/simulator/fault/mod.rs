//! The mistakes that backends make, by name.
//!
//! Why it exists: a check is worth what it catches. Each fault here was a bug of a shipped renderer, or is one that a
//! reviewer would expect, and has a name that code, tests and reports share.

mod known;
mod list;
mod part;

use std::{fmt, str::FromStr};

pub use list::Fault;
pub(crate) use part::Part;

/// Where in a backend a fault lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// From joints to vertices.
    Skinning,
    /// From key frames and morph targets to a pose.
    Animation,
    /// From fragments to colours.
    Shading,
    /// From vertices to pixels and bytes.
    Rasterisation,
    /// Palettes as vertex programs index them.
    VertexPrograms,
}

impl Section {
    /// The heading in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skinning => "skinning",
            Self::Animation => "animation and morph targets",
            Self::Shading => "shading and materials",
            Self::Rasterisation => "rasterisation",
            Self::VertexPrograms => "vertex programs",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
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
    fn names_are_read_back_and_belong_to_one_fault() {
        for (index, fault) in Fault::ALL.into_iter().enumerate() {
            assert_eq!(fault.to_string().parse(), Ok(fault));
            assert_eq!(fault as usize, index);
        }
        assert!("matrix-inverted".parse::<Fault>().unwrap_err().to_string().contains("matrix-transposed"));
    }

    #[test]
    fn descriptions_are_sentences() {
        for fault in Fault::ALL {
            let text = fault.description();
            assert!(text.ends_with('.') && text.chars().next().is_some_and(char::is_uppercase), "{fault}: {text}");
        }
    }
}
