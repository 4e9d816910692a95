//! ARB vertex programs on a real driver, so that refrast's machine is held against code that others wrote.
//!
//! A member of the workspace of its own: OpenGL, and the `unsafe` that it takes, stay out of the library. The driver is
//! Mesa's softpipe without a window: an interpreter, whose arithmetic is the processor's. NV_vertex_program is gone from
//! Mesa, so programs of the other dialects come here as their ARB translations.
//!
//! [`probe`] compares registers, [`picture`] draws whole scenes, which are held against the reference's envelopes; that on
//! llvmpipe too. [`Mistake`]s of emulators can be built into the pictures, to see them refused.

mod context;
mod mistake;
mod picture;
mod probe;
mod texture;

pub use context::Context;
pub use mistake::{Mistake, ZERO_GUARD};
pub use picture::picture;
pub use probe::{PROBED, Probe, SIDE, probe};
