//! The `refrast` command as its users call it.

#![cfg(feature = "command")]

mod camera;
mod check;
mod commands;
mod data_safety;
mod declared;
mod documentation;
mod faults;
#[cfg(target_os = "linux")]
mod faulty_files;
mod folder;
mod frames;
mod golden_folder;
mod lint;
mod picture_memory;
mod program_command;
mod shadows;
#[path = "../support/mod.rs"]
mod support;
mod vertex_files;
mod vertices;
