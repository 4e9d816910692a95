//! What can go wrong with an envelope.

use std::{io, path::PathBuf};

/// An envelope can not be made, read, written or used.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// The picture has another size.
    #[error(
        "the envelope is for {width}x{height} pixels, the picture has {picture_width}x{picture_height}; compare pictures of its size",
        width = envelope.0, height = envelope.1, picture_width = picture.0, picture_height = picture.1
    )]
    Size {
        /// Width and height of the envelope.
        envelope: (u32, u32),
        /// Width and height of the picture.
        picture: (u32, u32),
    },
    /// The rows handed in do not fill the golden.
    #[error("an envelope of {width}x{height} pixels was handed {rows} rows, of which row {row} has {found} pixels")]
    Shape {
        /// Width of the golden.
        width: u32,
        /// Height of the golden.
        height: u32,
        /// Rows that were handed in.
        rows: usize,
        /// The first row that is wrong.
        row: usize,
        /// Its pixels.
        found: usize,
    },
    /// The name of a profile is stored in 16 bytes.
    #[error("`{0}` can not be stored as the name of a profile: write 1 to 16 ASCII letters, digits or dashes")]
    Profile(String),
    /// The file can not be opened or read.
    #[error("{path}: can not be read: {source}; check the path and the permissions", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// There is no envelope beside the golden.
    #[error(
        "{path}: the golden has no envelope; write it with `refrast golden bless`, or compare by another metric",
        path = path.display()
    )]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The file is not an envelope, cut off, damaged, or from a later version.
    #[error("{path}: not a usable envelope: {reason}; write it again with `refrast golden bless`", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// The envelope belongs to another golden.
    #[error(
        "{path}: the envelope belongs to another picture than its golden (content hash {expected:016x}, the golden's is {found:016x}); \
         write both again with `refrast golden bless`",
        path = path.display()
    )]
    OtherGolden {
        /// The file.
        path: PathBuf,
        /// The content hash in the envelope.
        expected: u64,
        /// That of the golden.
        found: u64,
    },
    /// The file can not be written.
    #[error("{path}: can not be written: {source}; check that the folder exists, is writable and has room", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}
