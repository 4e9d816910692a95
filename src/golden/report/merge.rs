//! Reports of several machines as one.
//!
//! Why it exists: a run that is split over machines is still one run, and whoever reads it wants one list with the failing
//! cases on top. A page holds its own results, so pages are all that has to be carried together.

use std::path::{Path, PathBuf};

use base64::{Engine, prelude::BASE64_STANDARD};

use super::{
    EMBEDDED_BYTES, ENVELOPE, IMAGES, Judge, ReportError, kind,
    page::{PAGE_NAME, PageData},
    pictures::Pictures,
    sort,
    table::table,
    write_page,
};
use refrast_measure::{LARGEST_FILE, Verdict, read_file, write_whole};

/// What has become of several reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedReport {
    /// The new page.
    pub page: PathBuf,
    /// The worst verdict of all cases.
    pub verdict: Verdict,
    /// The counts, and the cases that are not the same as a table, in Markdown.
    pub table: String,
}

/// Joins reports, each the folder of one or its `index.html`, into a new one. Of cases that are in several reports, each is
/// listed. With a judge the new page judges what is dropped on it.
///
/// # Errors
/// [`ReportError`] where a report can not be read or the new one not written.
pub fn merge_reports(reports: &[PathBuf], folder: &Path, judge: Option<Judge>) -> Result<MergedReport, ReportError> {
    let pages = reports.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let target = folder.canonicalize().ok();
    let place = |page: &Path| Some(page.canonicalize().ok()?.parent()?.to_owned());
    if target.is_some() && pages.iter().any(|(page, _)| place(page) == target) {
        return Err(ReportError::Joined { path: folder.to_owned() });
    }
    let pictures = Pictures::begin(folder)?;
    let mut merged = PageData { title: String::new(), settings: Vec::new(), bless: None, rows: Vec::new() };
    if let Some(((_, first), others)) = pages.split_first()
        && others.iter().all(|(_, other)| other.bless == first.bless)
    {
        merged.bless.clone_from(&first.bless);
    }
    for (number, (page, data)) in pages.into_iter().enumerate() {
        for setting in data.settings {
            if !merged.settings.contains(&setting) {
                merged.settings.push(setting);
            }
        }
        for mut row in data.rows {
            row.pictures.retain(|(role, _)| kind(role).is_some());
            for (role, address) in &mut row.pictures {
                let (_, extension) = kind(role).unwrap_or(ENVELOPE);
                // A case may be in two reports with two candidates.
                let own = pictures.address(&format!("{number}/{}", row.name), role, extension);
                let bytes = picture(&page, address)?;
                pictures
                    .claim(&own)
                    .and_then(|to| write_whole(&to, &bytes))
                    .map_err(|source| ReportError::File { path: folder.join(&own), source })?;
                *address = own;
            }
            merged.rows.push(row);
        }
    }
    merged.rows.sort_by(|one, other| one.name.cmp(&other.name));
    merged.title = format!("{} cases of {} reports", merged.rows.len(), reports.len());
    let verdict = merged.rows.iter().map(|row| row.verdict).max().unwrap_or(Verdict::Same);
    sort(&mut merged.rows);
    let table = table(&merged.rows);
    Ok(MergedReport { page: write_page(folder, &pictures, merged, EMBEDDED_BYTES, judge)?, verdict, table })
}

fn read(path: &Path) -> Result<(PathBuf, PageData), ReportError> {
    let page = if path.is_dir() { path.join(PAGE_NAME) } else { path.to_owned() };
    let html = read_file(&page, LARGEST_FILE).map_err(|source| ReportError::File { path: page.clone(), source })?;
    match PageData::of_page(&String::from_utf8_lossy(&html)) {
        Ok(data) => Ok((page, data)),
        Err(reason) => Err(ReportError::NoReport { path: page, reason }),
    }
}

/// The bytes of a picture that is in the page or beside it.
fn picture(page: &Path, address: &str) -> Result<Vec<u8>, ReportError> {
    if let Some((_, base64)) = address.split_once(";base64,") {
        return BASE64_STANDARD
            .decode(base64)
            .map_err(|error| ReportError::NoReport { path: page.to_owned(), reason: error.to_string() });
    }
    // An address is a file of the report itself, whatever the page says.
    let name = Path::new(address).file_name().unwrap_or_default();
    let path = page.with_file_name(IMAGES).join(name);
    read_file(&path, LARGEST_FILE).map_err(|source| ReportError::File { path, source })
}
