//! What is drawn and by which rules: vertex streams, draw states, picture and depth formats, and the seam to shaders.
//!
//! Why it exists: who makes vertices, who colours fragments, who bounds pictures and who plays backends all speak of draws, and
//! none of them needs the rasteriser for that. So its words and data are here, and its kernels in a room of their own: a line of
//! these changes, and nothing is compiled again but what draws pictures.

mod depth;
mod draw;
mod fragment;
mod settings;
mod stream;

pub use depth::{DepthBias, DepthFormat, DepthMap, DepthSettings, ParseDepthBiasError};
pub use draw::{AlphaMode, CullMode, DepthTest, Draw, DrawState, FrontFace, PrimitiveTopology};
pub use fragment::{BlockShader, FragmentBatch, FragmentBlock, FragmentShader, Interpolated, LANES, transpose};
#[doc(hidden)]
pub use fragment::{block_alpha, shade_block};
pub use refrast_simd::Level;
#[doc(hidden)]
pub use refrast_simd::dispatch;
pub use settings::{Convention, MAX_SIZE, RasterError, RasterSettings, SampleCount};
pub use stream::VertexStream;
