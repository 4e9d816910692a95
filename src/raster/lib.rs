//! Clip, set up, bin, walk tiles, depth, coverage.
//!
//! Why it exists: everything between a vertex stream and finished pixels is here and nothing else: this room knows
//! clip-space vertices, rows of varyings and a shader to call ([`refrast_draw`]), but no scene, no material and no camera.
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
mod draw_list;
mod grid;
mod project;
mod rasteriser;
mod target;
mod tile;
mod triangle;
mod visibility;
mod visible;

pub use rasteriser::{HitCounts, Rasteriser, Statistics, Wanted};
#[doc(inline)]
pub use refrast_draw::*;
pub use target::{LinearRgba, Resolve, Target};
pub use triangle::{EdgeFunctions, SetupTriangle};
