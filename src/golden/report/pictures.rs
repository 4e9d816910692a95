//! [`Pictures`]: which files beside a page are the report's own.
//!
//! Why it exists: a report goes to a folder that its user names, and in a folder of somebody's own `images` and
//! `index.html` may be anything. So each picture is written down before it is written, and the next report removes what
//! is written down, or named by the page of an older one, and nothing else.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::{
    IMAGES, ROLES, ReportError,
    page::{PAGE_NAME, PageData},
};
use crate::files::{LARGEST_FILE, read_file, remove_parts, write_whole};

/// The list of a report's pictures, beside its page.
const LIST: &str = "images.txt";
/// The list's first line: who may remove what follows.
const HEAD: &str = "Pictures of a report of refrast. The next report in this folder removes them.";

/// The pictures of a report that is being written.
#[derive(Debug)]
pub(super) struct Pictures {
    folder: PathBuf,
    /// The list on disk, and what stands in it.
    list: Mutex<(File, BTreeSet<String>)>,
}

impl Pictures {
    /// Makes the folder, and removes the pictures of an older report in it.
    pub(super) fn begin(folder: &Path) -> Result<Self, ReportError> {
        let (page, list) = (folder.join(PAGE_NAME), folder.join(LIST));
        let mut old = Vec::new();
        if let Some(html) = text_of(&page)? {
            let data = PageData::of_page(&html).map_err(|_| ReportError::Foreign { path: page })?;
            old.extend(data.rows.into_iter().flat_map(|row| row.pictures).map(|(_, address)| address));
        }
        if let Some(text) = text_of(&list)? {
            let names = text.strip_prefix(HEAD).ok_or_else(|| ReportError::Foreign { path: list.clone() })?;
            old.extend(names.lines().map(str::to_owned));
        }
        let images = folder.join(IMAGES);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| ReportError::File { path, source }
        };
        for address in old.iter().filter(|address| is_own(address)) {
            let path = folder.join(address);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&path)(error)),
                _ => {}
            }
        }
        fs::create_dir_all(&images).map_err(failed(&images))?;
        remove_parts(folder);
        remove_parts(&images);
        let begun = write_whole(&list, format!("{HEAD}\n").as_bytes())
            .and_then(|()| OpenOptions::new().append(true).open(&list))
            .map_err(failed(&list))?;
        Ok(Self { folder: folder.to_owned(), list: Mutex::new((begun, BTreeSet::new())) })
    }

    /// Where a picture goes. From now on it is the report's own.
    pub(super) fn claim(&self, address: &str) -> io::Result<PathBuf> {
        // What is half done when a thread panics is at worst a line without its file.
        let mut list = self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !list.1.contains(address) {
            list.0.write_all(format!("{address}\n").as_bytes())?;
            list.1.insert(address.to_owned());
        }
        Ok(self.folder.join(address))
    }

    /// Whether the report has written this picture.
    pub(super) fn holds(&self, address: &str) -> bool {
        let list = self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        list.1.contains(address) && self.folder.join(address).exists()
    }

    /// Removes pictures that are inside the page now, and list and folder where nothing needs them any more.
    pub(super) fn end(&self, embedded: &[PathBuf]) {
        let list = self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for file in embedded {
            let _ = fs::remove_file(file);
        }
        if !list.1.iter().any(|address| self.folder.join(address).exists()) {
            let _ = fs::remove_file(self.folder.join(LIST));
        }
        // Somebody else's files keep it.
        let _ = fs::remove_dir(self.folder.join(IMAGES));
    }
}

fn text_of(path: &Path) -> Result<Option<String>, ReportError> {
    match read_file(path, LARGEST_FILE) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ReportError::File { path: path.to_owned(), source }),
    }
}

/// Whether an address may be one that [`image`](super::image) has made: whoever has written into the list, no other file
/// is removed.
fn is_own(address: &str) -> bool {
    let parts = || {
        let (hash, rest) = address.strip_prefix(IMAGES)?.strip_prefix('/')?.split_once('-')?;
        let (role, extension) = rest.split_once('.')?;
        let hex = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(hex && ROLES.iter().any(|known| (known.0, known.2) == (role, extension)))
    };
    parts().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_reports_pictures_are_its_own() {
        assert!(is_own("images/0123456789abcdef-golden.png") && is_own("images/0123456789abcdef-boxes.envelope"));
        for address in [
            "images/holiday.png",
            "images/0123456789abcdef-golden.jpg",
            "images/0123456789abcdef-golden.png/../../x",
            "../images/0123456789abcdef-golden.png",
            "data:image/png;base64,AAAA",
            "images/",
            "",
        ] {
            assert!(!is_own(address), "{address}");
        }
    }
}
