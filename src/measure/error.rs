//! What can go wrong with a picture on disk.
//!
//! Why it exists: pictures come from other programs, so each way in which one can be wrong has a line of its own that
//! names the file, says what is wrong with it and what to do.

use std::{io, path::PathBuf};

/// A picture can not be read, written or made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file can not be opened or read.
    #[error("{path}: can not be read: {source}; check the path and the permissions", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is longer than any picture that is read, or does not end.
    #[error("{path}: has more than {limit} bytes, and no picture that is read needs them; check that it is a file that ends", path = path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The file has no bytes.
    #[error("{path}: the file is empty (0 bytes); write the picture again", path = path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file does not begin with the PNG signature.
    #[error("{path}: not a PNG file (its first bytes are not the PNG signature); convert the picture to PNG", path = path.display())]
    NotPng {
        /// The file.
        path: PathBuf,
    },
    /// The file is a PNG that breaks the PNG specification, or that stops early.
    #[error("{path}: broken PNG: {reason}; write the picture again, or copy it again if it was copied", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        reason: String,
    },
    /// The picture is larger than we are willing to hold in memory.
    #[error(
        "{path}: the picture is {width}x{height} pixels, more than the limit of {limit} pixels; cut it into smaller pictures",
        path = path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Width in pixels, as the file says.
        width: u32,
        /// Height in pixels, as the file says.
        height: u32,
        /// The largest number of pixels that is read, [`super::Picture::MAXIMUM_PIXELS`].
        limit: u64,
    },
    /// The picture takes more memory than it may.
    #[error(
        "{path}: the picture of {width}x{height} pixels takes {needed} MiB, and {allowed} are allowed; allow more with --memory, or cut it",
        path = path.display(), needed = needed.div_ceil(1 << 20), allowed = allowed >> 20
    )]
    Memory {
        /// The file.
        path: PathBuf,
        /// Width in pixels, as the file says.
        width: u32,
        /// Height in pixels, as the file says.
        height: u32,
        /// Bytes of its pixels.
        needed: u64,
        /// Bytes.
        allowed: u64,
    },
    /// The header promises more pixels than so few bytes can hold: the file is cut off, or made to exhaust memory.
    #[error(
        "{path}: the header promises {width}x{height} pixels, but {bytes} bytes can not hold that many; \
         the file is cut off or not what it claims to be, write the picture again",
        path = path.display()
    )]
    TooShort {
        /// The file.
        path: PathBuf,
        /// Width in pixels, as the file says.
        width: u32,
        /// Height in pixels, as the file says.
        height: u32,
        /// Length of the file.
        bytes: u64,
    },
    /// The file can not be written.
    #[error("{path}: can not be written: {source}; check that the folder exists, is writable and has room", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The pixels handed in do not fill a picture of this size.
    #[error(
        "a picture of {width}x{height} pixels needs {expected} samples (four a pixel, at least one pixel), but {found} were handed in"
    )]
    Shape {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// 4 · width · height.
        expected: u64,
        /// The length of the slice that was handed in.
        found: usize,
    },
}
