//! Pose → deformed vertices in world space.
//!
//! Why it exists: this is what the whole project is about. A vertex is morphed, then moved by the joints it follows;
//! its normal and tangent go with it. Every operation and every order of summation is fixed, so that the result is
//! the same bits on every machine, and is what a backend's vertices are held against.
//!
//! A scene is prepared once ([`PreparedPrimitive`]); each frame a [`Palette`] is made from the pose, and a
//! [`Deformation`] fills [`DeformedVertices`].

mod blend;
mod deformation;
mod deformed;
mod flat;
mod lanes;
mod linear;
mod morph;
mod palette;
mod prepared;
mod vectors;

pub use deformation::{Deformation, NormalMode, Placement, SkinningError};
pub use deformed::DeformedVertices;
pub use lanes::{LANES, Lanes};
pub use morph::{morph_colors, morph_texcoords};
pub use palette::Palette;
pub use prepared::PreparedPrimitive;
