//! New goldens, shown before they replace the old ones.
//!
//! Why it exists: whoever blesses a picture says that it is right. So everything is drawn first, to the side; what would
//! change is listed and can be looked at; and only then are files replaced, each as a whole.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{CaseError, CheckError, GoldenFolder, PreparedCase, case::wrong};
use refrast_golden::{
    Case, CaseFiles, CasePictures, Comparison, FolderLock, Mark, MeasureOptions, Metric, Outcome, Picture,
    PictureError, Verdict, compare_cases, envelope::EnvelopeFile, keep_golden,
};

/// What blessing would do to a golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// There is none yet.
    New,
    /// The picture differs.
    Picture,
    /// Only the envelope differs, or there is none yet.
    Envelope,
    /// It can not be drawn.
    Impossible,
}

/// New goldens, drawn but not yet in their place.
#[derive(Debug)]
pub struct Blessing {
    /// Old goldens against new ones.
    pub comparison: Comparison,
    /// What would change, case by case as in the comparison.
    pub changes: Vec<Change>,
    /// Where each new picture is, and where it goes.
    places: Vec<(PathBuf, PathBuf)>,
    /// The folder of the goldens.
    folder: PathBuf,
}

impl GoldenFolder {
    /// Draws every case with its envelope into the folder `drafts`, and compares it with the golden that is there.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn draft(
        &mut self,
        drafts: &Path,
        progress: &dyn Fn(&str),
        observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
    ) -> Result<Blessing, CheckError> {
        if self.cases.is_empty() {
            return Err(CheckError::Nothing { path: self.path.clone() });
        }
        let (mut files, mut places) = (Vec::new(), Vec::new());
        for case in self.cases.clone() {
            let (golden, draft) = (case.golden(&self.path), drafts.join(format!("{}.png", case.name)));
            self.prepare_place(&draft)?;
            self.prepare_place(&EnvelopeFile::path_of(&draft))?;
            let drawn = self.prepare(&case).and_then(|prepared| draw(&prepared, &draft));
            progress(&case.name);
            places.push((draft.clone(), golden.clone()));
            files.push(CaseFiles {
                name: case.name,
                golden,
                candidate: drawn.map(|()| draft).map_err(|error| error.to_string()),
            });
        }
        let comparison = compare_cases(&self.path, drafts, files, &MeasureOptions::new(Metric::Exact), observer)?;
        let cases = comparison.cases.iter().zip(&places);
        let changes = cases.map(|(case, (draft, golden))| change(case, draft, golden)).collect();
        Ok(Blessing { comparison, changes, places, folder: self.path.clone() })
    }
}

/// The picture and, beside it, its envelope.
fn draw(prepared: &PreparedCase, draft: &Path) -> Result<(), CaseError> {
    let made = prepared.envelope()?;
    made.golden.write(draft).map_err(wrong(&prepared.entry, "the golden"))?;
    let path = EnvelopeFile::path_of(draft);
    made.envelope.write(&made.golden, &path).map_err(wrong(&prepared.entry, "the envelope"))
}

fn change(case: &Case, draft: &Path, golden: &Path) -> Change {
    match (&case.outcome, case.verdict) {
        (Outcome::Extra, _) => Change::New,
        // A golden that can not be read is no reason to keep it, as long as there is a new one.
        (Outcome::Failed { .. }, _) if draft.exists() => Change::Picture,
        (Outcome::Failed { .. } | Outcome::Missing, _) => Change::Impossible,
        (_, Verdict::Same) => {
            let read = |picture: &Path| fs::read(EnvelopeFile::path_of(picture)).ok();
            let (old, new) = (read(golden), read(draft));
            if new.is_some() && old != new { Change::Envelope } else { Change::None }
        }
        _ => Change::Picture,
    }
}

/// A picture was approved that is not the one that would be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkError {
    /// There is no case of the name.
    #[error("`{0}` is approved, and no case has that name; `refrast golden list` shows those that there are")]
    Unknown(String),
    /// The case can not be drawn.
    #[error("`{0}` is approved, and can not be drawn: {1}")]
    Impossible(String, String),
    /// Something else is drawn now.
    #[error(
        "`{name}` is approved as the picture {approved:016x}, and what is drawn now is {drawn:016x}; run `refrast golden check` and look again"
    )]
    Other {
        /// The case.
        name: String,
        /// The content hash of the picture that was looked at.
        approved: u64,
        /// That of the picture that would be written.
        drawn: u64,
    },
}

impl Blessing {
    /// Holds the new pictures against those that were approved, all of which must be among them.
    ///
    /// # Errors
    /// [`MarkError`] of the first one that is another.
    pub fn hold_against(&self, marks: &[Mark]) -> Result<(), MarkError> {
        for Mark { name, hash, .. } in marks.iter().filter(|mark| mark.approved) {
            let place = self.comparison.cases.iter().position(|case| case.name == *name);
            let (draft, _) = &self.places[place.ok_or_else(|| MarkError::Unknown(name.clone()))?];
            let drawn = match Picture::read(draft) {
                Ok(picture) => picture.content_hash(),
                Err(error) => return Err(MarkError::Impossible(name.clone(), error.to_string())),
            };
            if drawn != *hash {
                return Err(MarkError::Other { name: name.clone(), approved: *hash, drawn });
            }
        }
        Ok(())
    }

    /// How many goldens would be written.
    #[must_use]
    pub fn changed(&self) -> usize {
        let written = |change: &&Change| !matches!(change, Change::None | Change::Impossible);
        self.changes.iter().filter(written).count()
    }

    /// Puts the new goldens in their place, each picture together with its envelope: whoever is killed meanwhile leaves
    /// old goldens and new ones, and never a picture with the envelope of another. Tells how many there were.
    ///
    /// # Errors
    /// [`CheckError::File`]; what has been written until then stays.
    pub fn apply(&self) -> Result<usize, CheckError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| CheckError::File { path, source }
        };
        let _lock = FolderLock::take(&self.folder).map_err(failed(&self.folder))?;
        for (change, (draft, golden)) in self.changes.iter().zip(&self.places) {
            if matches!(change, Change::None | Change::Impossible) {
                continue;
            }
            let picture = fs::read(draft).map_err(failed(draft))?;
            let path = EnvelopeFile::path_of(draft);
            let envelope = if path.exists() { Some(fs::read(&path).map_err(failed(&path))?) } else { None };
            keep_golden(golden, &picture, envelope.as_deref()).map_err(failed(golden))?;
        }
        Ok(self.changed())
    }
}
