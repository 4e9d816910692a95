//! A golden pack on the device: raw files and JSON in, a picture and vertices out.
//!
//! Why it exists: most backends do not load glTF with refrast, they have their own assets and a folder of numbers to be
//! tested with. This is such a backend. Nothing here loads, poses or skins a scene: `read.rs` turns files into plain data,
//! `draw.rs` brings the data to the device, and the pack's own envelopes and vertex bounds say whether the result is right.
//!
//! A backend in another language needs the same three: its reader, its upload, and `refrast compare` for the verdict.

mod draw;
mod files;
mod read;
mod words;

pub use files::ListedCase;
pub use read::{Pack, PackReadError, PackedCase};
