//! Clip, set up, bin, walk tiles, depth, coverage.
//!
//! Why it exists: everything between a vertex stream and finished pixels is here and nothing else: this room knows
//! clip-space vertices, rows of varyings and a shader to call, but no scene, no material and no camera.

mod fragment;
mod stream;

pub(crate) use fragment::transpose;
pub use fragment::{FragmentBatch, FragmentShader, Interpolated, LANES};
pub use stream::VertexStream;
