//! refrast is the reference rasteriser for skinned meshes: a CPU-only pipeline whose pictures and numbers a GPU
//! backend is checked against.
//!
//! Data flows one way: file → [`scene::Scene`] → [`animation::Pose`] → [`raster::VertexStream`] → [`render::Frame`] → verdict.
//! The rooms (modules) are stacked in floors, and a room imports only from rooms below it; see each room's head.
//!
//! One scene, pose, camera and settings give one image and one vertex stream, bit for bit, for every thread count,
//! SIMD level, build profile, processor and operating system.

pub mod animation;
pub mod golden;
pub mod raster;
pub mod render;
pub mod scene;
pub mod shading;
pub mod simd;
pub mod skinning;
pub mod verify;
pub mod vertex_program;
#[cfg(feature = "window")]
pub mod window;
