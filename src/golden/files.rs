//! Files that appear whole or not at all.
//!
//! Why it exists: an interrupted run must lose nothing and leave nothing half-written that a later run would trust.

use std::{
    ffi::OsString,
    fs, io,
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

#[cfg(test)]
mod tests {
    use super::*;

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
