//! The vertex stage: [`FrameStage`] takes scene, pose, camera and settings and has the draws of a frame, with all that
//! decides their pixels.
//!
//! Why it exists: who draws a frame, who bounds it and who plays backends that draw it wrongly need the same cameras, settings
//! and vertices, and only the first of them needs a rasteriser. So this room ends where pixels begin. A renderer shows
//! itself to the others as a [`Reference`].

mod bounds;
mod camera;
mod camera_settings;
mod casters;
mod choice;
mod draw_state;
mod draws;
mod error;
mod frame_stage;
mod images;
mod light_camera;
pub mod program;
mod reference;
mod settings;
mod shadow_plan;
mod vertex_stage;
mod viewpoint;

pub use bounds::Bounds;
pub use camera::{Camera, CameraError};
pub use camera_settings::{CameraSettings, CameraSettingsError};
pub use casters::Caster;
pub use choice::{CameraChoice, ParseChoiceError, Rgb, Size};
pub use draws::{Coloring, DrawnVertices, FrameDraw};
pub use error::RenderError;
pub use frame_stage::FrameStage;
pub use images::Images;
pub use light_camera::light_camera;
pub use reference::{DrawnPicture, Reference};
pub use settings::RenderSettings;
pub use shadow_plan::shadow_plan;
pub use viewpoint::{Lens, Orbit, Viewpoint};
