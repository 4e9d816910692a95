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
mod in_words;
mod manifest;
mod report;

pub use assertion::{DrawnBy, check_against_golden};
pub use commit::{keep_golden, settle_goldens};
pub use compare::{
    Case, CaseFiles, CasePictures, CompareError, Comparison, OtherEnvelope, Outcome, compare, compare_by,
    compare_cases, compare_observed,
};
pub use in_words::{InWordsError, measure_in_words};
pub use manifest::{GoldenCase, MANIFEST_NAME, Manifest, ManifestError, ParseShardError, Shard};
#[doc(inline)]
pub use refrast_measure::{
    Attribute, AttributeComparison, CandidateBuffer, CandidateOptions, CandidatePlace, ChannelDifferences,
    DEFAULT_PIXELS_PER_DEGREE, ErrorMap, FlipScore, FolderLock, Given, Layout, MeasureError, MeasureOptions,
    Measurement, Metric, ModelMatrix, NumberColumn, NumberTable, ParseLayoutError, ParseMetricError,
    ParseRectangleError, Picture, PictureError, Rectangle, Samples, Score, Space, SpaceMatrices, Verdict,
    VertexAlternative, VertexBuffer, VertexCompareOptions, VertexComparison, VertexFileError, VertexId, WorstPixel,
    WorstVertex, abandon_writing, difference_picture, envelope, measure, measure_with_envelope, write_whole, xxh64,
};
pub use report::{
    Hypothesis, Judge, Mark, MarksError, MergedReport, PixelCauses, Report, ReportError, merge_reports, read_marks,
};
