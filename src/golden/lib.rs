//! Pictures on disk, metrics, comparisons and reports.
//!
//! Why it exists: whether two pictures agree is a question of its own, asked about pictures of any program. This room
//! knows no renderer: it reads what others wrote, measures how far it is apart and says so in a form that people and
//! machines read.
//!
//! ```
//! use refrast_golden::{MeasureOptions, Metric, Picture, measure};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let golden = Picture::from_rgba8(2, 1, vec![10, 20, 30, 255, 0, 0, 0, 255])?;
//! let candidate = Picture::from_rgba8(2, 1, vec![10, 20, 33, 255, 0, 0, 1, 255])?;
//! let measurement = measure(&golden, &candidate, &MeasureOptions::new(Metric::Threshold))?;
//! // Two steps of 255 are accepted where nothing else is said.
//! assert_eq!((measurement.accepted, measurement.differing), (false, 1));
//! # Ok(())
//! # }
//! ```
//!
//! In a test it is one line, [`assert_golden!`]; with a report, [`compare()`] and [`Report`].

mod assertion;
mod commit;
mod compare;
pub mod envelope;
mod error;
mod files;
mod hash;
mod in_words;
mod interlaced;
mod manifest;
mod metrics;
mod picture;
mod png;
mod rectangle;
mod report;
mod vertices;

pub use assertion::{DrawnBy, check_against_golden};
pub use commit::{keep_golden, settle_goldens};
pub use compare::{
    Case, CaseFiles, CasePictures, CompareError, Comparison, OtherEnvelope, Outcome, Verdict, compare, compare_by,
    compare_cases, compare_observed,
};
pub use error::PictureError;
pub use files::{FolderLock, abandon_writing, write_whole};
pub use hash::xxh64;
pub use in_words::{InWordsError, measure_in_words};
pub use manifest::{GoldenCase, MANIFEST_NAME, Manifest, ManifestError, ParseShardError, Shard};
pub use metrics::{
    ChannelDifferences, DEFAULT_PIXELS_PER_DEGREE, ErrorMap, FlipScore, MeasureError, MeasureOptions, Measurement,
    Metric, ParseMetricError, Score, WorstPixel, measure, measure_with_envelope,
};
pub use picture::{Picture, Samples};
pub use rectangle::{ParseRectangleError, Rectangle};
pub use report::{
    Hypothesis, Judge, Mark, MarksError, MergedReport, PixelCauses, Report, ReportError, difference_picture,
    merge_reports, read_marks,
};
pub use vertices::{
    Attribute, AttributeComparison, CandidateBuffer, CandidateOptions, CandidatePlace, Given, Layout, ModelMatrix,
    NumberColumn, NumberTable, ParseLayoutError, Space, SpaceMatrices, VertexAlternative, VertexBuffer,
    VertexCompareOptions, VertexComparison, VertexFileError, VertexId, WorstVertex,
};
