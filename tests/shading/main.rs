//! Fragment to colour: lights, textures, debug views, and the traps of its room.

mod debug_views;
mod fixed_function;
mod fragments;
mod lighting;
mod texture_sampling;
mod traps;
