//! What is left to do where a command is interrupted.
//!
//! Why it exists: whoever presses Ctrl-C wants neither half a golden nor files with strange names. So temporary files are
//! known as long as they are there, and what has to be done as a whole is waited for.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard},
};

/// The temporary files of this process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Held by everybody who changes several files that belong together.
static WHOLE: RwLock<()> = RwLock::new(());

/// A temporary file, known as one as long as this lives.
pub(super) struct Unfinished(PathBuf);

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A set of paths is whole between any two steps.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Unfinished {
    /// Makes the file, which must not be there.
    pub(super) fn create(path: &Path) -> io::Result<(Self, File)> {
        // The lock is held meanwhile, so that no file is made that nobody knows.
        let mut all = unfinished();
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        all.insert(path.to_owned());
        Ok((Self(path.to_owned()), file))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// As long as it lives, an interruption waits.
pub fn do_whole() -> RwLockReadGuard<'static, ()> {
    WHOLE.read().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until what has to be done as a whole is done, removes the temporary files of this process, and lets nobody begin a
/// new one: for whoever ends the process next, after Ctrl-C.
pub fn abandon_writing() {
    std::mem::forget(WHOLE.write().unwrap_or_else(PoisonError::into_inner));
    let all = unfinished();
    for path in &*all {
        // What can not be removed is removed by the next command.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(all);
}
