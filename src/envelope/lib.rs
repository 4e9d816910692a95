//! The acceptable set of each pixel: what a conformant backend may draw where the reference drew its golden.
//!
//! Why it exists: a golden is one of many correct pictures. Which others are correct follows from the scene and from
//! the freedoms of a [`Profile`](refrast_range::Profile): nothing is tuned until a test is green.
//!
//! [`frame_envelope`] renders a golden and makes its envelope:
//!
//! 1. vertices: the exact position in the window, and how far skinning, transform, division, viewport and grid may move it;
//! 2. surfaces: triangles from these corners, cut at the near and the far plane, with planes of depth and weights;
//! 3. hits: the pixels that a surface covers for all, or for some, of the allowed positions;
//! 4. samples: of the surfaces at a sample those that may be seen. Along shared edges and around vertices a patch of them
//!    surely covers, though none alone does;
//! 5. colours: the boxes of each of them ([`color`]), laid over each other where they blend, averaged over the samples;
//! 6. bytes.
//!
//! Shadow maps go through the first four steps, and become the depths that each of their texels may hold.

mod blend;
mod bounded;
mod byte_table;
mod causes;
mod choice;
mod clip;
mod clip_errors;
pub mod color;
mod coverage;
mod depth_maps;
mod fragment;
mod hits;
mod interval;
mod output;
mod patch;
mod pixel;
mod planes;
mod produce;
mod repeats;
mod sample;
mod sample_depths;
mod shadows;
mod stage;
mod strips;
mod surface;
mod surfaces;
mod suspects;
mod thin;
pub mod vertex;
mod vertices;

#[cfg(test)]
mod movement_tests;

pub use causes::{CauseKind, Causes, PixelCause};
pub use color::ShadowBounds;
pub use depth_maps::MapBounds;
pub use fragment::{ColorBox, Fragment, Shift};
pub use interval::Interval;
pub use produce::{EnvelopeSettings, FrameEnvelope, FrameEnvelopeError, frame_envelope};
pub use sample_depths::SampleDepths;
pub use suspects::choices_allowing;
