//! [`OwnFolder`]: a place for files that a command needs for itself.
//!
//! Why it exists: comparisons and reports are of files, and what is only worked out to be held against a picture lies in none.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A folder among those for what may go, removed in the end.
pub(super) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Makes it for a command.
    pub(super) fn make(command: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("refrast-{command}-{}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(error) => Err(format!("{}: can not make the folder: {error}; set TMPDIR", path.display())),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        // What stays lies in a folder for what may go.
        let _ = fs::remove_dir_all(&self.0);
    }
}
