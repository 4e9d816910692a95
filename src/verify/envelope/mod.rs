//! The acceptable set of each pixel: what a conformant backend may draw where the reference drew its golden.
//!
//! Why it exists: a golden is one of many correct pictures. Which others are correct follows from the scene and from
//! the freedoms of a [`Profile`](super::Profile): nothing is tuned until a test is green.

pub mod color;
mod fragment;
mod interval;

pub use fragment::{ColorBox, Fragment};
pub use interval::Interval;
