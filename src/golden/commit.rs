//! [`keep_golden`]: a golden and its envelope change together.
//!
//! Why it exists: they are two files, and whoever is killed between two renames leaves a new picture beside the envelope of
//! an old one. So the new envelope waits beside the old one under a name of its own, whole; the rename of the picture
//! decides; then the envelope takes its place. An envelope holds the content hash of its picture, so the next command can
//! tell from the picture whether a waiting envelope belongs there or was given up.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use refrast_measure::{FolderLock, Picture, do_whole, envelope::EnvelopeFile, remove_parts, write_whole};

/// How the name of a waiting envelope begins and ends; between is the envelope's.
const PENDING: (&str, &str) = (".", ".pending");

/// Puts the bytes of a golden and of its envelope in their place, or the golden alone, whose old envelope goes then.
///
/// Whoever shares the folder with others holds its [`FolderLock`].
///
/// # Errors
/// What the file system says. What has been done until then is finished or undone by [`settle_goldens`].
pub fn keep_golden(golden: &Path, picture: &[u8], envelope: Option<&[u8]>) -> io::Result<()> {
    let _interruptions_wait = do_whole();
    golden.parent().map_or(Ok(()), fs::create_dir_all)?;
    let path = EnvelopeFile::path_of(golden);
    let old = fs::read(golden).ok();
    let unchanged = old.as_ref().is_some_and(|old| old == picture);
    match envelope {
        Some(envelope) if unchanged => write_whole(&path, envelope),
        Some(envelope) => {
            let pending = pending_of(&path);
            write_whole(&pending, envelope)?;
            let kept = match write_whole(golden, picture) {
                Ok(()) => finish(&pending, &path).inspect_err(|_| put_back(golden, old.as_deref())),
                // The old golden is still there, and so is its envelope.
                failed => failed,
            };
            kept.inspect_err(|_| {
                let _ = fs::remove_file(&pending);
            })
        }
        None => {
            if !unchanged {
                write_whole(golden, picture)?;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        }
    }
}

/// Finishes or gives up what was begun in the folders of these goldens by somebody who was killed, and removes temporary
/// files that nobody writes any more. `folder` is the one to lock.
///
/// # Errors
/// What the file system says. Nothing is done where there is nothing to do, so goldens may be read-only.
pub fn settle_goldens(folder: &Path, goldens: impl Iterator<Item = PathBuf>) -> io::Result<()> {
    let folders: BTreeSet<PathBuf> = goldens.filter_map(|golden| Some(golden.parent()?.to_owned())).collect();
    let mut lock = None;
    for own in folders {
        for entry in fs::read_dir(&own).into_iter().flatten().flatten() {
            let file_name = entry.file_name();
            let Some(name) = envelope_of(&file_name) else { continue };
            if lock.is_none() {
                lock = Some(FolderLock::take(folder)?);
            }
            let (pending, path) = (entry.path(), own.join(name));
            // Whoever held the lock may have finished it.
            if pending.exists() {
                if belongs(&pending, &path.with_extension("png")) {
                    finish(&pending, &path)?;
                } else {
                    fs::remove_file(&pending)?;
                }
            }
        }
        remove_parts(&own);
    }
    Ok(())
}

/// Undoes a change of a golden whose envelope could not follow. Where not even that works, the next command finds a picture
/// that is not its envelope's, and tells so.
fn put_back(golden: &Path, old: Option<&[u8]>) {
    let _ = match old {
        Some(old) => write_whole(golden, old),
        None => fs::remove_file(golden),
    };
}

/// Whether a waiting envelope is whole and that of the golden.
fn belongs(pending: &Path, golden: &Path) -> bool {
    let hash = Picture::read(golden).map(|picture| picture.content_hash());
    EnvelopeFile::open(pending).is_ok_and(|file| hash.is_ok_and(|hash| file.check_hash(hash).is_ok()))
}

fn finish(pending: &Path, path: &Path) -> io::Result<()> {
    if path.is_symlink() {
        write_whole(path, &fs::read(pending)?)?;
        return fs::remove_file(pending);
    }
    fs::rename(pending, path)
}

fn pending_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(PENDING.0);
    name.push(path.file_name().unwrap_or_default());
    name.push(PENDING.1);
    path.with_file_name(name)
}

/// The name of the envelope that a file waits to become.
fn envelope_of(name: &OsStr) -> Option<&str> {
    let name = name.to_str()?.strip_prefix(PENDING.0)?.strip_suffix(PENDING.1)?;
    (Path::new(name).extension() == Some(OsStr::new("envelope"))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_measure::envelope::{Envelope, EnvelopeRow, PixelBox};

    /// A picture of one pixel with its envelope, as files.
    fn golden(red: u8) -> (Vec<u8>, Vec<u8>) {
        let name = Path::new("golden");
        let picture = Picture::from_rgba8(1, 1, vec![red, 2, 3, 255]).unwrap();
        let own = PixelBox::new([red, 2, 3, 255], [red, 2, 3, 255]);
        let mut row = EnvelopeRow::default();
        row.push([red, 2, 3, 255], &mut vec![own]);
        let envelope = Envelope::new(&picture, "exact", own, vec![row]).unwrap();
        (picture.encode(name).unwrap(), envelope.encode(&picture, name).unwrap())
    }

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("refrast-commit-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn golden(&self) -> PathBuf {
            self.0.join("a.png")
        }

        fn settle(&self) {
            settle_goldens(&self.0, [self.golden()].into_iter()).unwrap();
        }

        /// What lies there, by name.
        fn files(&self) -> Vec<(String, Vec<u8>)> {
            let entries = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap());
            let mut files: Vec<_> = entries
                .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
                .collect();
            files.sort();
            files
        }

        fn expect(&self, (picture, envelope): &(Vec<u8>, Vec<u8>), when: &str) {
            let expected = [("a.envelope".to_owned(), envelope.clone()), ("a.png".to_owned(), picture.clone())];
            assert_eq!(self.files(), expected, "{when}");
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn whoever_is_killed_between_leaves_the_old_or_the_new() {
        let (old, new) = (golden(1), golden(9));
        let folder = Folder::new("killed");
        let pending = folder.0.join(".a.envelope.pending");
        let keep = |(picture, envelope): &(Vec<u8>, Vec<u8>)| keep_golden(&folder.golden(), picture, Some(envelope));

        keep(&old).unwrap();
        folder.expect(&old, "the first");
        // Killed while a file was written, before the picture, after it.
        fs::write(folder.0.join(".refrast-1-0.part"), b"half").unwrap();
        folder.settle();
        folder.expect(&old, "before the envelope waits");
        fs::write(&pending, &new.1).unwrap();
        folder.settle();
        folder.expect(&old, "before the picture is there");
        fs::write(&pending, &new.1).unwrap();
        fs::write(folder.golden(), &new.0).unwrap();
        folder.settle();
        folder.expect(&new, "after the picture is there");
        // A waiting envelope that was damaged is none.
        fs::write(&pending, &new.1[..new.1.len() - 1]).unwrap();
        folder.settle();
        folder.expect(&new, "damaged");
        keep(&old).unwrap();
        folder.expect(&old, "and back");
        keep_golden(&folder.golden(), &new.0, None).unwrap();
        assert_eq!(folder.files(), [("a.png".to_owned(), new.0)]);
    }

    #[test]
    fn a_failed_write_keeps_the_old() {
        let (old, new) = (golden(1), golden(9));
        let folder = Folder::new("failed");
        fs::create_dir_all(folder.golden().join("inside")).unwrap();
        fs::write(folder.0.join("a.envelope"), &old.1).unwrap();
        // The picture's place is taken by a folder, so its rename fails.
        assert!(keep_golden(&folder.golden(), &new.0, Some(&new.1)).is_err());
        fs::remove_dir_all(folder.golden()).unwrap();
        assert_eq!(folder.files(), [("a.envelope".to_owned(), old.1)]);
    }
}
