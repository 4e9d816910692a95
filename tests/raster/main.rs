//! The rasteriser: coverage, shapes, determinism, and the traps of its room.

mod coverage;
mod determinism;
mod draws;
mod lines;
mod shapes;
mod support;
mod traps;
