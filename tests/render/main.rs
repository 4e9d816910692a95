//! Whole frames.

mod camera;
mod damaged_scenes;
mod determinism;
mod dot3;
mod goldens;
mod methods;
mod occlusion;
mod program_rendering;
mod program_vertex;
mod shadows;
#[path = "../support/mod.rs"]
mod support;
