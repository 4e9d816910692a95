//! [`Verdict`]: the answer to a comparison.

use refrast_words::names;
use serde::{Deserialize, Serialize};

names! {
    /// The answer to "is this the same?".
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict: "verdict" {
        /// The metric accepts the candidate.
        Same = "same",
        /// It does not, or there is nothing to compare with, or the sizes differ.
        Different = "different",
        /// A file could not be read.
        Error = "error",
    }
}

impl Verdict {
    /// The exit status of `refrast compare`: 0 same, 1 different, 2 error.
    #[must_use]
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Same => 0,
            Self::Different => 1,
            Self::Error => 2,
        }
    }
}
