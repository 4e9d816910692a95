//! Time → [`Pose`]: where every node is, and how far every morph target is blended in.
//!
//! Why it exists: everything that moves is decided here, in one place and one order of operations, so that two
//! renderers that are handed the same [`Pose`] can only differ in what they draw, not in what they were told.
//! Channels are exact at their keys, hold outside them, and follow the formulas of the glTF 2.0 specification
//! (appendix C, "Animation Sampler Interpolation Modes") in between.

mod channel;
mod pose;
mod transform;

pub use pose::{Pose, PoseError};
pub use transform::{compose, multiply, normalize, slerp};
