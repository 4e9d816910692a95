//! The pipeline: [`Renderer`] takes scene, pose, camera and settings and returns a [`Frame`].
//!
//! Why it exists: the rooms below each know one thing (poses, skinning, coverage, colour). This one knows the order in
//! which they are called, and nothing else.

mod bounds;
mod camera;
mod camera_settings;
mod choice;
mod draw_state;
mod error;
mod frame;
mod frusta;
mod images;
mod light_camera;
pub mod program;
mod recycle;
mod renderer;
mod settings;
mod shadow_stage;
mod vertex_stage;
mod viewpoint;

pub use bounds::Bounds;
pub use camera::{Camera, CameraError};
pub use camera_settings::{CameraSettings, CameraSettingsError};
pub use choice::{CameraChoice, ParseChoiceError, Rgb, Size};
pub use error::RenderError;
pub use frame::Frame;
pub use images::Images;
pub use light_camera::light_camera;
pub use renderer::{Coloring, DrawnVertices, FrameDraw, Renderer, bounds_with_shadows, shadow_plan};
pub use settings::RenderSettings;
pub use viewpoint::{Lens, Orbit, Viewpoint};
