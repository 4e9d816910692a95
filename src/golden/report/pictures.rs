//! [`Pictures`]: which files beside a page are the report's own.
//!
//! Why it exists: a report goes to a folder that its user names, and in a folder of somebody's own `images` and
//! `index.html` may be anything. So each picture is written down before it is written, and the next report removes what
//! is written down, or named by the page of an older one, and nothing else. And whoever looks at the older page sees its
//! pictures until the new page is there: new pictures get other names than those.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{
    IMAGES, ReportError, image, kind,
    page::{PAGE_NAME, PageData},
};
use refrast_measure::{LARGEST_FILE, read_file, remove_parts, write_whole};

/// The list of a report's pictures, beside its page.
const LIST: &str = "images.txt";
/// The list's first line: who may remove what follows.
const HEAD: &str = "Pictures of a report of refrast. The next report in this folder removes them.";

/// The pictures of a report that is being written.
#[derive(Debug)]
pub(super) struct Pictures {
    folder: PathBuf,
    /// The list on disk, and what this report has added to it.
    list: Mutex<(File, BTreeSet<String>)>,
    /// The pictures of the older page, which need their places until it is replaced.
    old: BTreeSet<String>,
    /// Whether the page is there.
    ended: AtomicBool,
}

impl Pictures {
    /// Makes the folder, and removes what a report that was not finished has left in it.
    pub(super) fn begin(folder: &Path) -> Result<Self, ReportError> {
        let (page, list) = (folder.join(PAGE_NAME), folder.join(LIST));
        let (mut old, mut left) = (BTreeSet::new(), Vec::new());
        if let Some(html) = text_of(&page)? {
            let data = PageData::of_page(&html).map_err(|_| ReportError::Foreign { path: page })?;
            let named = data.rows.into_iter().flat_map(|row| row.pictures).map(|(_, address)| address);
            old.extend(named.filter(|address| is_own(address)));
        }
        if let Some(text) = text_of(&list)? {
            let names = text.strip_prefix(HEAD).ok_or_else(|| ReportError::Foreign { path: list.clone() })?;
            left.extend(names.lines().filter(|address| is_own(address) && !old.contains(*address)).map(str::to_owned));
        }
        let images = folder.join(IMAGES);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| ReportError::File { path, source }
        };
        for address in &left {
            let path = folder.join(address);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&path)(error)),
                _ => {}
            }
        }
        fs::create_dir_all(&images).map_err(failed(&images))?;
        remove_parts(folder);
        remove_parts(&images);
        let text: String = old.iter().fold(format!("{HEAD}\n"), |text, address| text + address + "\n");
        let begun = write_whole(&list, text.as_bytes())
            .and_then(|()| OpenOptions::new().append(true).open(&list))
            .inspect_err(|_| clear(folder, &old))
            .map_err(failed(&list))?;
        let (list, ended) = (Mutex::new((begun, BTreeSet::new())), AtomicBool::new(false));
        Ok(Self { folder: folder.to_owned(), list, old, ended })
    }

    /// Where a picture of a case lies, below the report's folder: another file than any of the older page.
    pub(super) fn address(&self, case: &str, role: &str, extension: &str) -> String {
        let first = image(case, role, extension, 0);
        // The older page has one or the other.
        if self.old.contains(&first) { image(case, role, extension, 1) } else { first }
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

    /// To be called when the page is there: removes pictures that are inside of it, those of the older page, and list and
    /// folder where nothing needs them any more.
    pub(super) fn end(&self, embedded: &[PathBuf]) {
        self.ended.store(true, Ordering::Relaxed);
        for file in embedded {
            let _ = fs::remove_file(file);
        }
        self.remove(&self.old);
        let list = self.list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !list.1.iter().any(|address| self.folder.join(address).exists()) {
            let _ = fs::remove_file(self.folder.join(LIST));
        }
        // Somebody else's files keep it.
        let _ = fs::remove_dir(self.folder.join(IMAGES));
    }
}

impl Pictures {
    fn remove(&self, addresses: &BTreeSet<String>) {
        for address in addresses {
            let _ = fs::remove_file(self.folder.join(address));
        }
    }
}

/// A report that is given up leaves the older one as it was.
impl Drop for Pictures {
    fn drop(&mut self) {
        if self.ended.load(Ordering::Relaxed) {
            return;
        }
        let own = std::mem::take(&mut self.list.get_mut().unwrap_or_else(PoisonError::into_inner).1);
        self.remove(&own);
        clear(&self.folder, &self.old);
    }
}

/// Removes what a report that is given up has left beside its pictures, but for what the older page's `old` pictures need.
fn clear(folder: &Path, old: &BTreeSet<String>) {
    if old.is_empty() {
        let _ = fs::remove_file(folder.join(LIST));
    }
    // Pictures, and somebody else's files, keep it.
    let _ = fs::remove_dir(folder.join(IMAGES));
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
        Some(hex && kind(role).is_some_and(|own| own.1 == extension))
    };
    parts().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_reports_pictures_are_its_own() {
        assert!(is_own("images/0123456789abcdef-golden.png") && is_own("images/0123456789abcdef-boxes.envelope"));
        assert!(is_own("images/0123456789abcdef-hypothesis-0.png"));
        assert!(is_own("images/0123456789abcdef-hypothesis-12-difference.png"));
        for address in [
            "images/holiday.png",
            "images/0123456789abcdef-hypothesis-.png",
            "images/0123456789abcdef-hypothesis-0-.png",
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
