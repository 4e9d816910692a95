//! The `refrast` command as its users call it.

#![cfg(feature = "command")]

#[cfg(unix)]
#[path = "../support/browser.rs"]
mod browser;
mod camera;
mod check;
mod commands;
mod data_safety;
mod declared;
mod documentation;
mod endings;
mod faults;
#[cfg(target_os = "linux")]
mod faulty_files;
mod folder;
mod frames;
mod golden_folder;
mod json_shapes;
mod lint;
mod picture_memory;
#[cfg(unix)]
mod pipelines;
mod program_command;
mod program_data;
#[cfg(all(unix, feature = "judge"))]
mod report_judge;
#[cfg(unix)]
mod report_page;
mod shadows;
#[path = "../support/mod.rs"]
mod support;
// Where the names of functions are as the linker of Linux keeps them, and nothing is left to be made part of its caller.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(debug_assertions)))]
mod vector_code;
mod vertex_files;
mod vertices;
