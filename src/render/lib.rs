//! The pipeline: [`Renderer`] takes scene, pose, camera and settings and returns a [`Frame`].
//!
//! Why it exists: the rooms below each know one thing (poses, skinning, coverage, colour). This one knows the order in
//! which they are called, and nothing else.

mod bounds;
mod camera;
mod choice;
mod error;
mod frame;
pub mod program;
mod recycle;
mod renderer;
mod settings;
mod vertex_stage;

pub use bounds::Bounds;
pub use camera::{Camera, CameraError, Orbit};
pub use choice::{CameraChoice, CameraChoiceError, ParseChoiceError, Rgb, Size};
pub use error::RenderError;
pub use frame::Frame;
pub use renderer::{Coloring, DrawnVertices, FrameDraw, Renderer};
pub use settings::RenderSettings;
