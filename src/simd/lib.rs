//! The SIMD level as a value that is handed in.
//!
//! Why it exists: a kernel that picks its own instruction set can not be tested at another one. Here the level is
//! chosen once, at the edge of the program, and every kernel receives it, so that a test can fan one scene out over
//! all levels and demand equal bits.
//!
//! The rule that makes equal bits possible: a lane holds a vertex, a pixel or a matrix element of its own, never a
//! part of somebody else's sum; nothing is fused, nothing is estimated. Of fearless_simd's operations only those
//! that are exact by IEEE 754 may be used, and the `_precise` form where there are two (`min_precise`,
//! `max_precise`); `mul_add`, `approximate_recip` and reductions over lanes may not.

mod dispatch;
mod level;
mod unroll;

#[doc(hidden)]
pub use dispatch::any_level;
pub use dispatch::{Base, EightLanes, Widest, base};
#[doc(hidden)]
pub use fearless_simd::{Fallback, Level, Simd};
pub use level::{ParseSimdLevelError, SimdLevel};
