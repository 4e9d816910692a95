//! Which files of two folders belong together.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use super::{CompareError, OtherEnvelope};
use refrast_measure::envelope::EnvelopeFile;

/// A golden and a candidate of one name, of which one may be missing.
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) golden: Option<PathBuf>,
    pub(super) candidate: Option<PathBuf>,
    /// Whether the two were named one by one, and may be pipes.
    pub(super) named: bool,
    /// What judges it in place of the envelope beside the golden.
    pub(super) envelope: Option<OtherEnvelope>,
    /// Why there is no candidate, where it could not be made.
    pub(super) failure: Option<String>,
}

impl Pair {
    /// Where the envelope is that judges, or would if there were one.
    pub(super) fn envelope_path(&self) -> Option<PathBuf> {
        let beside = || self.golden.as_deref().map(EnvelopeFile::path_of);
        self.envelope.as_ref().map(|other| other.path.clone()).or_else(beside)
    }
}

/// The PNG files of both folders and the folders in them, paired by relative name, in order of name.
pub(super) fn pairs(golden: &Path, candidate: &Path) -> Result<Vec<Pair>, CompareError> {
    let mut names: BTreeMap<String, (Option<PathBuf>, Option<PathBuf>)> = BTreeMap::new();
    for (name, path) in pictures(golden)? {
        names.entry(name).or_default().0 = Some(path);
    }
    for (name, path) in pictures(candidate)? {
        names.entry(name).or_default().1 = Some(path);
    }
    Ok(names
        .into_iter()
        .map(|(name, (golden, candidate))| Pair {
            name,
            golden,
            candidate,
            named: false,
            envelope: None,
            failure: None,
        })
        .collect())
}

/// Every PNG file below a folder with its relative name. Links to folders are not followed: they may lead in circles.
fn pictures(folder: &Path) -> Result<Vec<(String, PathBuf)>, CompareError> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, folder)) = open.pop() {
        let failed = |source| CompareError::Path { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(failed)?.is_dir() {
                open.push((format!("{name}/"), path));
            } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
                found.push((name, path));
            }
        }
    }
    Ok(found)
}
