//! The pipeline: [`Renderer`] takes scene, pose, camera and settings and returns a [`Frame`].
//!
//! Why it exists: the rooms below each know one thing (poses, skinning, coverage, colour). This one knows the order in
//! which they are called, and nothing else. What comes before a frame's pixels is the vertex stage's
//! ([`refrast_stage`]), whose cameras and settings are handed on here.

mod frame;
mod frusta;
mod recycle;
mod renderer;
mod shadow_stage;

pub use frame::Frame;
#[doc(inline)]
pub use refrast_stage::*;
pub use renderer::{Renderer, bounds_with_shadows};
