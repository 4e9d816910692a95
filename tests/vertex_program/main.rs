//! The vertex-program machine.

mod batch;
mod conformance;
mod language;
mod library;
mod random_programs;
#[path = "../support/mod.rs"]
mod support;
mod talk;
mod translate;
mod traps;
