//! `refrast view` in a window of an X server (Xvfb) that the test starts, with keys and buttons as a person presses them.
//!
//! Where Xvfb is missing this is skipped by name, unless `REFRAST_REQUIRE` names `xvfb`.
#![cfg(all(feature = "window", unix, not(target_os = "macos")))]

mod desktop;
mod dropped;
mod items;
mod life;
mod manager;
#[cfg(target_os = "linux")]
mod rate;
mod table;
#[cfg(target_os = "linux")]
mod wayland;
