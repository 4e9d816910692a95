//! Clip, set up, bin, walk tiles, depth, coverage.
//!
//! Why it exists: everything between a vertex stream and finished pixels is here and nothing else: this room knows
//! clip-space vertices, rows of varyings and a shader to call, but no scene, no material and no camera.
//!
//! Implements: points, lines and triangles; one sample or the four standard ones; the top-left rule on a grid of 4 to
//! 16 bits with exact integers; three clip-space conventions; alpha mask and source-over; f32 depth; depth alone, clamped,
//! biased and in whole steps.
//! Will not: stencil, point sizes and line widths other than 1, anisotropic or variable-rate sampling.

mod assemble;
mod batch;
mod clip;
mod coverage;
mod depth;
mod draw;
mod fragment;
mod project;
mod rasteriser;
mod settings;
mod stream;
mod target;
mod tile;
mod triangle;
mod visibility;
mod visible;

pub use depth::{DepthBias, DepthFormat, DepthMap, DepthSettings, ParseDepthBiasError};
pub use draw::{AlphaMode, CullMode, DepthTest, Draw, DrawState, FrontFace, PrimitiveTopology};
pub use fragment::{BlockShader, FragmentBatch, FragmentBlock, FragmentShader, Interpolated, LANES, transpose};
#[doc(hidden)]
pub use fragment::{block_alpha, shade_block};
pub use rasteriser::{HitCounts, Rasteriser, Statistics, Wanted};
pub use refrast_simd::Level;
#[doc(hidden)]
pub use refrast_simd::dispatch;
pub use settings::{Convention, MAX_SIZE, RasterError, RasterSettings, SampleCount};
pub use stream::VertexStream;
pub use target::{LinearRgba, Resolve, Target};
pub use triangle::{EdgeFunctions, SetupTriangle};
