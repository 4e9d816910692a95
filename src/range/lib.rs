//! The arithmetic of acceptable sets: what a specification grants each operation, and what follows from it.
//!
//! Why it exists: whether a vertex or a pixel is right is decided by the same few numbers everywhere. A [`Profile`] is
//! a specification's sentences as numbers; a [`Bounded`] is a value with a proven bound on its rounding error.

mod bounded;
mod profile;

pub use bounded::{Bounded, Rounding};
pub use profile::{Freedoms, Profile, ScaleFactor, StatedBits, UnknownProfileError};
