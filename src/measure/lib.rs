//! Pictures, envelopes and vertex buffers on disk, and how far two of them are apart.
//!
//! Why it exists: everything that goes through each pixel or each row of what others have drawn is here, compiled with all
//! optimisations. What is said of it, in cases, manifests and reports, is the room `refrast-golden`, which hands all of this on and
//! is where readers of the documentation should begin.

mod classes;
mod difference;
pub mod envelope;
mod error;
mod files;
mod hash;
mod interlaced;
mod metrics;
mod picture;
mod png;
mod rectangle;
mod verdict;
mod vertices;

pub use classes::class_picture;
pub use difference::difference_picture;
pub use error::PictureError;
pub use files::{FolderLock, LARGEST_FILE, abandon_writing, do_whole, read_file, remove_parts, write_whole};
pub use hash::xxh64;
pub use metrics::{
    ChannelDifferences, DEFAULT_PIXELS_PER_DEGREE, ErrorMap, FlipScore, MeasureError, MeasureOptions, Measurement,
    Metric, NamedBytes, ParseMetricError, Score, WorstPixel, check_memory, measure, measure_strips,
    measure_with_envelope,
};
pub use picture::{Picture, Samples};
pub use png::PictureHeader;
pub use rectangle::{ParseRectangleError, Rectangle};
pub use verdict::Verdict;
pub use vertices::{
    Attribute, AttributeComparison, CandidateBuffer, CandidateOptions, CandidatePlace, Given, Layout, ModelMatrix,
    NumberColumn, NumberTable, ParseLayoutError, Space, SpaceMatrices, VertexAlternative, VertexBuffer,
    VertexCompareOptions, VertexComparison, VertexFileError, VertexId, WorstVertex,
};

/// Pixels that a thread takes at once where rows do not matter.
pub(crate) const PIECE: usize = 1 << 14;
