//! How near two pictures are, pixel by pixel, and two vertex buffers, row by row, where no theory bounds it.
//!
//! Why it exists: a diagnosis holds a candidate against hundreds of pictures that were played with one mistake or another. Those
//! loops over pixels and rows are here, so that this room is compiled with all optimisations and the one that asks, which is ten times
//! as large, need not be.

mod allowance;
mod bands;
mod distance;
mod evidence;
mod vertices;

pub use allowance::Allowance;
pub use bands::{WrongBands, rows_of};
pub use distance::{
    FARTHEST, Pixels, difference, distance, distance_at, is_same_but_for_roundings, spread, squared_distance,
    squared_distance_beyond,
};
pub use evidence::{Evidence, looks_dithered};
pub use vertices::{
    GatheredRows, PlayedVertices, hash_of_rows, hull, is_row_outside, rows_outside, same_rows, vertex_distance,
};
