//! Reading files that a stranger has named.
//!
//! Why it exists: a scene names its buffers and images, and whoever wrote it may have named a device without an end, a pipe
//! without a writer, or a file of gigabytes for a buffer of bytes. Only regular files are opened, and of those no more is
//! read than somebody can say is needed.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// The longest scene or image that is read, in bytes: 1 GiB.
pub(super) const LARGEST_FILE: u64 = 1 << 30;

/// Reads a regular file as far as `most` bytes.
///
/// # Errors
/// What the system says, and where it is no regular file.
pub fn read_start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        let kind = if metadata.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
        return Err(io::Error::new(kind, "it is not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(most)).unwrap_or(0));
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// As [`read_start`], and where it is longer.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
    if fs::metadata(path)?.len() > most {
        return Err(too_large());
    }
    // Somebody may be writing to it.
    let bytes = read_start(path, most.saturating_add(1))?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}
