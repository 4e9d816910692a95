//! A renderer on a real GPU API, and how refrast says whether it is right.
//!
//! Why it exists: a reference that has never met a driver proves nothing. This is a small renderer as one would write it
//! from the shading model's page, on wgpu: it shares scenes, poses and cameras with refrast, and none of its shading. It
//! is a template too: what stands here is what a backend of your own needs to be checked.
//!
//! [`Driver`] chooses an implementation of Vulkan or OpenGL, [`Backend`] draws with it.

mod backend;
mod cases;
mod driver;
mod error;
mod faults;
mod frame;
mod influences;
mod layouts;
mod lights;
mod material;
mod mesh;
pub mod pack;
mod palette;
mod pipeline;
mod plain;
mod resolve;
mod sampled;
mod settings;
mod shadow;
mod surfaces;
mod target;
mod texture;
mod timed;
mod upload;
mod vertices;

pub use backend::Backend;
pub use cases::{Case, Prepared};
pub use driver::{Driver, UnknownDriverError};
pub use error::BackendError;
pub use faults::Faults;
pub use plain::PlainScene;
pub use sampled::{SampledPlace, Texels};
pub use settings::{Settings, Skinning};
pub use surfaces::surfaces;
pub use timed::{FrameTime, TimedFrames};
pub use upload::UploadedScene;
