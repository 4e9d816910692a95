//! [`write_whole`]: the old file or the new one, never a part.
//!
//! Only a regular file can be replaced. A link stands for the file that it leads to, and a pipe or a device is there to be
//! written to: whoever names one wants the bytes to arrive at its other end.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use super::interrupt::Unfinished;

/// How temporary files begin and end; between is the writer's process and a number.
const PART: (&str, &str) = (".refrast-", ".part");

/// As many links are followed as Linux follows.
const MOST_LINKS: usize = 40;

/// A temporary file that somebody has cleared away is written again so many times.
const MOST_ATTEMPTS: usize = 3;

/// Writes `bytes` to `path`. A regular file, or one that is not there yet, is written through a temporary file beside it
/// and a rename, so that a reader sees the old file or the new one and never a part; the temporary file is removed when
/// something fails. Links are followed and stay; pipes and devices are written to.
///
/// # Errors
/// What the file system says about the temporary file, the rename, the pipe or the device.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    }
    match Place::of(path)? {
        Place::Stream => OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes),
        Place::File(path) => {
            let mut attempt = 1;
            loop {
                match replace(&path, bytes) {
                    // Between making and locking a temporary file, `remove_parts` may take it for an orphan.
                    Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < MOST_ATTEMPTS => attempt += 1,
                    result => return result,
                }
            }
        }
    }
}

/// What a path stands for.
enum Place {
    /// A regular file, there or not, by a path without a link at its end.
    File(PathBuf),
    /// Something that bytes go through.
    Stream,
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let metadata = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::File(path)),
                metadata => metadata?,
            };
            if !metadata.is_symlink() {
                return Ok(if metadata.is_file() || metadata.is_dir() { Self::File(path) } else { Self::Stream });
            }
            // `/dev/stdout` leads to whatever is open there: a file that has a name must not be replaced under whoever
            // opened it, and what has none can not be followed.
            if path.starts_with("/dev") || path.starts_with("/proc") {
                return Ok(Self::Stream);
            }
            let target = fs::read_link(&path)?;
            path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "the link leads to more links than are followed"))
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let (begin, end) = PART;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!("{begin}{}-{number}{end}", process::id()));
    let write = || -> io::Result<()> {
        let (_known, mut file) = Unfinished::create(&temporary)?;
        // Says that the writer lives. Where files can not be locked, orphans are not told apart and stay.
        let _ = file.try_lock();
        if let Ok(old) = fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        fs::rename(&temporary, path)
    };
    let result = write();
    if result.is_err() {
        // The first error is the one to report; there may be no temporary file to remove.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Removes the temporary files of writers that were killed. What can not be read or removed stays: the next one will try.
pub fn remove_parts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_part = name.to_str().is_some_and(|name| name.starts_with(PART.0) && name.ends_with(PART.1));
        if is_part && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("refrast-files-{}-{name}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = folder("failed");
        fs::create_dir_all(folder.join("taken/inside")).unwrap();
        // A folder that is not empty can not be replaced by a file, so the rename fails after the bytes were written.
        assert!(write_whole(&folder.join("taken"), b"bytes").is_err());
        assert!(write_whole(&folder.join("absent/name"), b"bytes").is_err());
        assert_eq!(names(&folder), ["taken"]);
        write_whole(&folder.join("file"), b"old").unwrap();
        write_whole(&folder.join("file"), b"new").unwrap();
        assert_eq!(fs::read(folder.join("file")).unwrap(), b"new");
        // 255 bytes are the longest name of most file systems; the temporary file's does not grow with it.
        let long = folder.join("n".repeat(255));
        write_whole(&long, b"long").unwrap();
        assert_eq!(fs::read(long).unwrap(), b"long");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_their_files_change() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = folder("links");
        fs::create_dir_all(folder.join("elsewhere")).unwrap();
        symlink("elsewhere/file", folder.join("link")).unwrap();
        symlink("link", folder.join("chain")).unwrap();
        symlink("round", folder.join("round")).unwrap();
        write_whole(&folder.join("chain"), b"made").unwrap();
        fs::set_permissions(folder.join("elsewhere/file"), fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&folder.join("link"), b"changed").unwrap();
        assert_eq!(fs::read(folder.join("elsewhere/file")).unwrap(), b"changed");
        assert_eq!(fs::metadata(folder.join("link")).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(write_whole(&folder.join("round"), b"bytes").is_err());
        assert_eq!(names(&folder), ["chain", "elsewhere", "link", "round"]);
        assert!(["chain", "link"].iter().all(|name| folder.join(name).is_symlink()));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_orphans_are_cleared_away() {
        let folder = folder("orphans");
        for name in [".refrast-1-0.part", ".refrast-1-1.part", "refrast-1-2.part", ".file.1-0.part"] {
            fs::write(folder.join(name), b"half").unwrap();
        }
        let alive = File::open(folder.join(".refrast-1-1.part")).unwrap();
        alive.lock().unwrap();
        remove_parts(&folder);
        assert_eq!(names(&folder), [".file.1-0.part", ".refrast-1-1.part", "refrast-1-2.part"]);
        drop(alive);
        remove_parts(&folder);
        assert_eq!(names(&folder), [".file.1-0.part", "refrast-1-2.part"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
