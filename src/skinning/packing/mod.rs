//! Vertices in few bytes, and what that costs.
//!
//! Why it exists: a backend that stores normals in shorts is right and still not equal to the reference. How far it
//! may be off is not a matter of taste: it is the difference between a vertex and what comes back from the store,
//! vertex by vertex.

mod codec;
mod format;
mod pack;

pub use codec::{decode_octahedral, decode_snorm, encode_octahedral, encode_snorm};
pub use format::{DirectionEncoding, FrameVectors, IndexEncoding, PositionEncoding, VertexFormat, WeightEncoding};
pub use pack::{PackedVertices, PackingError, VertexError, pack};
