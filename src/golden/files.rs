//! Files that appear whole or not at all, and files that may not end.
//!
//! Why it exists: an interrupted run must lose nothing and leave nothing half-written that a later run would trust. And a
//! path that a user names may be a pipe or a device: it is read as far as it is what it should be, and no further than a
//! limit.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read},
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// Writes `bytes` to `path` through a temporary file beside it and a rename, so that a reader sees the old file or the
/// new one and never a part. The temporary file is removed when something fails.
///
/// # Errors
/// What the file system says about the temporary file or the rename.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}-{}.part", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let temporary = path.with_file_name(temporary);
    let result = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to report; there may be no temporary file to remove.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// The longest file of a stranger that is read, in bytes: 2 GiB.
pub(super) const LARGEST_FILE: u64 = 1 << 31;

/// Why a stranger's file was not read.
pub(super) enum ReadError {
    /// What the operating system said.
    Source(io::Error),
    /// It goes on past the limit.
    TooLong,
}

/// Reads a file, a pipe or a device that begins with `signature`; of what begins otherwise only as much is read as shows
/// that. `limit` is the most bytes that are read.
pub(super) fn read_signed(path: &Path, signature: &[u8], limit: u64) -> Result<Vec<u8>, ReadError> {
    let read = |limit: u64, bytes: &mut Vec<u8>, file: &fs::File| {
        file.take(limit - bytes.len() as u64).read_to_end(bytes).map_err(ReadError::Source)
    };
    let file = fs::File::open(path).map_err(ReadError::Source)?;
    let mut bytes = Vec::new();
    read(limit.min(signature.len() as u64), &mut bytes, &file)?;
    if bytes != signature {
        return Ok(bytes);
    }
    // A pipe does not say how long it is.
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    bytes.reserve_exact(length.min(limit) as usize);
    read(limit + 1, &mut bytes, &file)?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLong) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit_and_what_it_is_not_is_hardly_read() {
        let path = std::env::temp_dir().join(format!("refrast-files-{}-signed", process::id()));
        fs::write(&path, b"name and contents").unwrap();
        let read = |signature: &[u8], limit| read_signed(&path, signature, limit).map_err(|_| "too long");
        assert_eq!(read(b"name", 17).as_deref(), Ok(&b"name and contents"[..]));
        assert_eq!(read(b"name", 16), Err("too long"));
        assert_eq!(read(b"none", 16).as_deref(), Ok(&b"name"[..]));
        assert_eq!(read(b"name and contents and more", 17).as_deref(), Ok(&b"name and contents"[..]));
        fs::remove_file(&path).unwrap();
        assert!(matches!(read_signed(&path, b"name", 17), Err(ReadError::Source(_))));
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("refrast-files-{}", process::id()));
        fs::create_dir_all(folder.join("taken/inside")).unwrap();
        // A folder that is not empty can not be replaced by a file, so the rename fails after the bytes were written.
        assert!(write_whole(&folder.join("taken"), b"bytes").is_err());
        assert!(write_whole(&folder.join("absent/name"), b"bytes").is_err());
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["taken"]);
        write_whole(&folder.join("file"), b"old").unwrap();
        write_whole(&folder.join("file"), b"new").unwrap();
        assert_eq!(fs::read(folder.join("file")).unwrap(), b"new");
        fs::remove_dir_all(&folder).unwrap();
    }
}
