//! Reading what a stranger may have put there.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

/// The longest file of a stranger that is read, in bytes: 2 GiB.
pub const LARGEST_FILE: u64 = 1 << 31;

/// Why a stranger's file was not read.
pub(in super::super) enum ReadError {
    /// What the operating system said.
    Source(io::Error),
    /// It goes on past the limit.
    TooLong,
}

/// Reads a file, a pipe or a device that begins with `signature`; of what begins otherwise only as much is read as shows
/// that. `limit` is the most bytes that are read. A pipe that lies in a folder is not opened: it may never have a writer, and
/// those that a shell hands in lie elsewhere.
pub(in super::super) fn read_signed(path: &Path, signature: &[u8], limit: u64) -> Result<Vec<u8>, ReadError> {
    let read = |limit: u64, bytes: &mut Vec<u8>, file: &fs::File| {
        file.take(limit - bytes.len() as u64).read_to_end(bytes).map_err(ReadError::Source)
    };
    if is_pipe_of_a_folder(path) {
        let reason = "it is not a regular file; name a pipe as /dev/stdin or <(COMMAND)";
        return Err(ReadError::Source(io::Error::new(io::ErrorKind::InvalidInput, reason)));
    }
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

#[cfg(unix)]
fn is_pipe_of_a_folder(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;

    let is_pipe = fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo());
    is_pipe && !path.starts_with("/dev") && !path.starts_with("/proc")
}

#[cfg(not(unix))]
fn is_pipe_of_a_folder(_: &Path) -> bool {
    false
}

/// Reads a file of refrast's own: nobody pipes one, so what is no regular file is not even opened, for a pipe without a
/// writer would be waited for until somebody gives up.
///
/// # Errors
/// What the operating system says, that it is no regular file, or that it is longer than `limit` bytes.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        let kind = if metadata.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
        return Err(io::Error::new(kind, "it is not a regular file"));
    }
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {limit} bytes"));
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    // Somebody may be writing to it.
    fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::process;

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
        assert_eq!(read_file(&path, 17).unwrap(), b"name and contents");
        assert_eq!(read_file(&path, 16).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        fs::remove_file(&path).unwrap();
        assert!(matches!(read_signed(&path, b"name", 17), Err(ReadError::Source(_))));
        assert_eq!(read_file(&std::env::temp_dir(), 16).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
}
