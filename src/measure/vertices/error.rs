//! What can go wrong with a vertex file.

use std::{io, path::PathBuf};

/// A vertex file can not be read, written or compared.
#[derive(Debug, thiserror::Error)]
pub enum VertexFileError {
    /// The file can not be opened or read.
    #[error("{path}: can not be read: {source}; check the path and the permissions", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is longer than any vertex file that is read, or does not end.
    #[error("{path}: has more than {limit} bytes; write the vertices to several files, and check that it is a file that ends", path = path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The file can not be written.
    #[error("{path}: can not be written: {source}; check that the folder exists, is writable and has room", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is no NPY file, or not the kind that holds vertices.
    #[error("{path}: not a vertex file: {reason}; write an (N, 3) array of positions with numpy.save, or a structured one with the field `position`", path = path.display())]
    NotVertices {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A raw buffer without a word about what it holds.
    #[error(
        "{path}: its name says not what it holds: write .npy or .csv, or say what a row of a raw little-endian buffer holds, \
         as in --layout position:f32x3@0,normal:f32x3@12 --stride 24"
    , path = path.display())]
    NoLayout {
        /// The file.
        path: PathBuf,
    },
    /// Positions of four numbers where points were to be.
    #[error(
        "{path}: row {row} has w = {w}, so its position is before the division by w: add --space clip, or write three numbers"
    , path = path.display())]
    ClipSpace {
        /// The file.
        path: PathBuf,
        /// The first such row.
        row: usize,
        /// Its fourth number.
        w: f64,
    },
    /// Positions of three numbers where clip space was named.
    #[error(
        "{path}: clip space has four numbers a vertex: write (N, 4), the columns .x .y .z .w, or position:f32x4"
    , path = path.display())]
    NoW {
        /// The file.
        path: PathBuf,
    },
    /// The golden can not be taken to the candidate's space.
    #[error("{reason}; give that file with --matrices")]
    Space {
        /// What is missing.
        reason: String,
    },
    /// The file of matrices is none.
    #[error(
        "{path}: not a file of matrices: {reason}; `refrast vertices SCENE … --matrices FILE.json` writes one"
    , path = path.display())]
    Matrices {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A field of the structured array is missing or of the wrong type.
    #[error("{path}: field `{field}`: {reason}", path = path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The field's name.
        field: &'static str,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// The distance that is to be accepted is none.
    #[error("{0} is no distance that can be accepted: give metres, a finite number of at least 0")]
    Threshold(f64),
    /// Nothing says how far a candidate may be from the golden.
    #[error(
        "{path}: nothing says how far a position may be from the golden (no bounds, or the skinning method has none); \
         give --threshold METRES"
    , path = path.display())]
    NoBounds {
        /// The golden.
        path: PathBuf,
    },
}
