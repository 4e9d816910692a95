//! The mistakes that backends make, by name.
//!
//! Why it exists: a check is worth what it catches. Each fault here was a bug of a shipped renderer, or is one that a
//! reviewer would expect, and has a name that code, tests and reports share.

mod known;
mod list;
mod parametric;
mod part;

pub use list::Fault;
pub use parametric::{DepthFunction, FrameRounding, InfluenceChoice, ParametricFault};
pub(crate) use part::Part;
use refrast_words::{UnknownWord, names};

names! {
    /// Where in a backend a fault lies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Section: "section of faults" {
        /// From joints to vertices.
        Skinning = "skinning",
        /// From key frames and morph targets to a pose.
        Animation = "animation and morph targets",
        /// From fragments to colours.
        Shading = "shading and materials",
        /// From vertices to pixels and bytes.
        Rasterisation = "rasterisation",
        /// Palettes as vertex programs index them.
        VertexPrograms = "vertex programs",
    }
}

/// A name that names no fault.
pub type UnknownFaultError = UnknownWord;

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
