//! The arithmetic of acceptable sets: what a specification grants each operation, and what follows from it.
//!
//! Why it exists: whether a vertex or a pixel is right is decided by the same few numbers everywhere. A [`Profile`] is
//! a specification's sentences as numbers; a [`Bounded`] is a value with a proven bound on its rounding error;
//! a [`Ranged`] is the set of values that a formula over a [`Number`] may give.

mod bounded;
mod declared;
mod number;
mod profile;
mod ranged;
mod rules;

pub use bounded::{Bounded, Rounding};
pub use declared::{Blend, Declared, Diffuse, Dither, Encode, Jpeg, Mips, NormalMaps, Resolve, Tangents};
pub use number::{Number, cross, difference, dot, each, product, scaled, sum};
pub use profile::{Freedoms, Profile, ScaleFactor, StatedBits, UnknownProfileError};
pub use ranged::{INPUTS, Ranged};
pub use rules::{Rules, UnknownRulesError};
