//! What the window writes for others: screenshots, and rows of the vertex table.

use std::path::Path;

#[cfg(all(unix, not(target_os = "macos")))]
use super::clipboard::Clipboard;
use super::viewer::Viewer;
#[cfg(not(all(unix, not(target_os = "macos"))))]
use super::without_x::Clipboard;
use refrast_measure::write_whole;

/// Writes the window to a file; gives what became of it.
pub(super) fn screenshot(viewer: &Viewer<'_>) -> String {
    let path = free_name("refrast-view", "png");
    let said = match viewer.canvas().write(Path::new(&path)) {
        Ok(()) => format!("the window is written to {path}"),
        Err(error) => format!("error: {error}"),
    };
    eprintln!("{said}");
    said
}

/// Puts text into the clipboard, or into a file where there is none; gives what became of it.
pub(super) fn copy(clipboard: &mut Option<Clipboard>, csv: String) -> String {
    let rows = csv.lines().count().saturating_sub(1);
    if clipboard.is_none() {
        *clipboard = Clipboard::new();
    }
    if clipboard.as_ref().is_some_and(|clipboard| clipboard.set(&csv)) {
        return format!("{rows} rows are in the clipboard, as CSV");
    }
    let path = free_name("refrast-vertices", "csv");
    match write_whole(Path::new(&path), csv.as_bytes()) {
        Ok(()) => format!("{rows} rows are written to {path}: there is no clipboard that holds them"),
        Err(error) => format!("error: {path}: {error}"),
    }
}

/// The first `START-N.ENDING` that is not there.
fn free_name(start: &str, ending: &str) -> String {
    let names = (1..).map(|number| format!("{start}-{number}.{ending}"));
    names.into_iter().find(|name| !Path::new(name).exists()).unwrap_or_default()
}
