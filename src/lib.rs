//! refrast is the reference rasteriser for skinned meshes: a CPU-only pipeline whose pictures and numbers a GPU
//! backend is checked against.
//!
//! Data flows one way: file → [`scene::Scene`] → [`animation::Pose`] → [`raster::VertexStream`] → [`render::Frame`] → verdict.
//! Each room is a package of the workspace, stacked in floors, and a room imports only from rooms below it; see each room's head.
//!
//! One scene, pose, camera and settings give one image and one vertex stream, bit for bit, for every thread count,
//! SIMD level, build profile, processor and operating system.

pub use refrast_animation as animation;
pub use refrast_golden as golden;
pub use refrast_golden::assert_golden;
pub use refrast_raster as raster;
pub use refrast_render as render;
pub use refrast_scene as scene;
pub use refrast_shading as shading;
pub use refrast_simd as simd;
pub use refrast_skinning as skinning;
pub use refrast_verify as verify;
pub use refrast_vertex_program as vertex_program;
#[cfg(feature = "window")]
pub use refrast_window as window;
pub use refrast_words as words;
