//! Pictures on disk, metrics, comparisons and reports.
//!
//! Why it exists: whether two pictures agree is a question of its own, asked about pictures of any program. This room
//! knows no renderer: it reads what others wrote, measures how far it is apart and says so in a form that people and
//! machines read.

mod error;
mod files;
mod hash;
pub mod metrics;
mod picture;
mod png;
mod rectangle;

pub use error::PictureError;
pub use files::write_whole;
pub use hash::xxh64;
pub use picture::{Picture, Samples};
pub use metrics::{ChannelDifferences, ErrorMap, FlipScore, MeasureError, MeasureOptions, Measurement, Metric, ParseMetricError, Score, WorstPixel, measure};
pub use rectangle::{ParseRectangleError, Rectangle};
