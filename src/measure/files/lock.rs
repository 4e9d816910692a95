//! [`FolderLock`]: one at a time.
//!
//! Why it exists: a manifest is read, changed and written, and a golden is two files. Two commands that do so at once would
//! each undo what the other did.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// What is locked where a folder itself can not be: on Windows, and on some network file systems.
const LOCK_NAME: &str = ".refrast-lock";

/// As long as it lives, nobody else has one of the same folder. The system ends it with the process, however that ends.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Makes the folder where it is missing, and waits until nobody else holds its lock.
    ///
    /// # Errors
    /// What the file system says.
    pub fn take(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        if let Ok(file) = File::open(folder)
            && file.lock().is_ok()
        {
            return Ok(Self { _file: file });
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(LOCK_NAME))?;
        file.lock()?;
        Ok(Self { _file: file })
    }
}
