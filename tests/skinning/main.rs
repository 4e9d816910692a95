//! Pose to vertices by every method, held against exact arithmetic, and the traps on the way.

mod chain_bounds;
mod chain_support;
mod methods;
mod packing;
mod partition;
#[path = "../support/mod.rs"]
mod support;
mod traps_animation;
mod traps_skinning;
mod vertex_bounds;
mod vertex_methods;
mod vertex_support;
