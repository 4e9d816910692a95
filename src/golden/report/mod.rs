//! The report: one page that shows what differs.
//!
//! Why it exists: a number makes nobody fix anything. The page puts the verdict on top and the failing cases first, and
//! lets golden and candidate be seen side by side, under a slider, blinking and pixel by pixel. It needs no network and
//! no server. Pictures are inside the page as long as they are few; past that they lie in a folder beside it, so that
//! the page of a thousand cases still opens, and each is loaded only when it is looked at.

mod hypotheses;
mod judge;
mod marks;
mod merge;
mod page;
mod pictures;
mod rows;
mod table;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use askama::Template;
use base64::{Engine, prelude::BASE64_STANDARD};

pub use hypotheses::Hypothesis;
pub use judge::Judge;
pub use marks::{Mark, MarksError, read_marks};
pub use merge::{MergedReport, merge_reports};

use self::{
    hypotheses::{Supposed, roles},
    judge::JudgePart,
    page::{PAGE_NAME, Page, PageData, Row, SCRIPT, STYLE},
    pictures::Pictures,
};
use super::compare::{Case, CasePictures, Comparison, Outcome};
use refrast_measure::{
    ErrorMap, MeasureOptions, Metric, PictureError, Score, Verdict, class_picture, difference_picture, write_whole,
    xxh64,
};

/// Pictures of cases are put into the page, in the order of the list, up to this many bytes; the others stay files.
const EMBEDDED_BYTES: u64 = 32 << 20;
const IMAGES: &str = "images";
/// Type and extension of a picture's file, and of an envelope's.
const PICTURE: (&str, &str) = ("image/png", "png");
const ENVELOPE: (&str, &str) = ("application/octet-stream", "envelope");
/// What a case may have beside the pictures of hypotheses.
const ROLES: [(&str, (&str, &str)); 5] =
    [("golden", PICTURE), ("candidate", PICTURE), ("difference", PICTURE), ("envelope", PICTURE), ("boxes", ENVELOPE)];

/// Why a pixel of a case is what it is, in words: which triangle, which joint, and whether an edge, a depth, a texel or
/// arithmetic decides. Whoever drew the golden knows; the report only shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixelCauses {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// A cause an entry.
    pub causes: Vec<String>,
}

/// A report being written to a folder: pictures case by case, the page at the end.
#[derive(Debug)]
pub struct Report {
    folder: PathBuf,
    pictures: Pictures,
    options: MeasureOptions,
    bless: Option<String>,
    judge: Option<Judge>,
    /// By case.
    causes: Mutex<BTreeMap<String, Vec<PixelCauses>>>,
    /// Of the candidates that are shown.
    hashes: Mutex<BTreeMap<String, u64>>,
    /// Why pictures of a case are not shown.
    refusals: Mutex<BTreeMap<String, Vec<String>>>,
    answers: Mutex<BTreeMap<String, Vec<String>>>,
    hypotheses: Mutex<BTreeMap<String, Vec<Supposed>>>,
}

/// The report can not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file or folder of the report can not be read or written.
    #[error("{path}: {source}; check that the report's folder is writable and has room", path = path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The folder holds somebody else's file where the report's own would go.
    #[error("{path}: not written by a report of refrast, so it is not replaced; name another folder for the report", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The joined report would replace one that it is made of.
    #[error("{path}: the joined report can not go where one of the reports is; name another folder", path = path.display())]
    Joined {
        /// The folder.
        path: PathBuf,
    },
    /// A page can not be joined with others.
    #[error("{path}: not a report of refrast: {reason}; name the folder that `--report` wrote", path = path.display())]
    NoReport {
        /// The page.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The page can not be filled in.
    #[error("the report's page can not be made: {0}")]
    Page(String),
}

impl Report {
    /// Begins a report in a folder, which is made where it is missing. Pictures of an older report in it are removed;
    /// whatever else is there stays.
    ///
    /// # Errors
    /// [`ReportError::File`] where the folder can not be made or written to, [`ReportError::Foreign`] where the page would
    /// replace a file that is none.
    pub fn new(folder: &Path, options: &MeasureOptions) -> Result<Self, ReportError> {
        let pictures = Pictures::begin(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            pictures,
            options: options.clone(),
            bless: None,
            judge: None,
            causes: Mutex::default(),
            hashes: Mutex::default(),
            refusals: Mutex::default(),
            answers: Mutex::default(),
            hypotheses: Mutex::default(),
        })
    }

    /// Says by which command candidates become goldens, as in `refrast golden bless --folder golden`: the page shows it, and
    /// its reader can approve and reject ([`read_marks`]).
    #[must_use]
    pub fn blessed_by(self, command: String) -> Self {
        Self { bless: Some(command), ..self }
    }

    /// Lets the page judge pictures that are dropped on it.
    #[must_use]
    pub fn judged_by(self, judge: Option<Judge>) -> Self {
        Self { judge, ..self }
    }

    /// Keeps the pictures of a case, unless golden and candidate are equal and that is right: then there is nothing to see.
    ///
    /// # Errors
    /// [`PictureError::Write`] where a picture can not be written.
    pub fn add(&self, case: &Case, pictures: CasePictures<'_>) -> Result<(), PictureError> {
        let measurement = match &case.outcome {
            Outcome::Measured { measurement, .. } => Some(measurement),
            _ => None,
        };
        if measurement.is_some_and(|measured| measured.accepted && measured.channels.largest == [0; 4]) {
            return Ok(());
        }
        if let Some(candidate) = pictures.candidate() {
            locked(&self.hashes).insert(case.name.clone(), candidate.content_hash());
        }
        // Where the case itself could be measured: else its summary says so already.
        if measurement.is_some() {
            let refused = pictures.refusals().map(|error| format!("not shown: {error}")).collect();
            locked(&self.refusals).insert(case.name.clone(), refused);
        }
        let [golden_image, candidate_image, difference_image, classes_image, boxes_image] =
            ROLES.map(|(role, (_, extension))| self.pictures.address(&case.name, role, extension));
        let place = |address: &str| {
            let failed = |source| PictureError::Write { path: self.folder.join(address), source };
            self.pictures.claim(address).map_err(failed)
        };
        let copy = |source: &Path, address: &str| {
            let to = place(address)?;
            fs::read(source)
                .and_then(|bytes| write_whole(&to, &bytes))
                .map_err(|source| PictureError::Write { path: to, source })
        };
        for (picture, source, address) in [
            (pictures.golden(), &case.golden, &golden_image),
            (pictures.candidate(), &case.candidate, &candidate_image),
        ] {
            if let (Some(_), Some(source)) = (picture, source) {
                copy(source, address)?;
            }
        }
        if let (Some(golden), Some(candidate)) = (pictures.golden(), pictures.candidate())
            && golden.size() == candidate.size()
        {
            let channels;
            let map = match pictures.map() {
                Some(map) => map,
                None => {
                    channels = ErrorMap::of_channels(golden, candidate);
                    &channels
                }
            };
            difference_picture(golden, map, &self.options.ignored)?.write(&place(&difference_image)?)?;
            if let Some(Score::Envelope(verdict)) = measurement.map(|measured| &measured.score) {
                class_picture(golden, verdict, &self.options.ignored)?.write(&place(&classes_image)?)?;
            }
        }
        let by_envelope = match measurement {
            Some(measurement) => matches!(measurement.score, Score::Envelope(_)),
            // What would decide about another candidate.
            None => self.options.prefer_envelope || self.options.metric == Metric::Envelope,
        };
        if let Some(source) =
            pictures.envelope().filter(|path| by_envelope && pictures.golden().is_some() && path.exists())
        {
            copy(source, &boxes_image)?;
        }
        Ok(())
    }

    /// Says why pixels of a case are what they are; the page shows it beside those that it lists.
    pub fn explain(&self, case: &str, causes: Vec<PixelCauses>) {
        locked(&self.causes).entry(case.to_owned()).or_default().extend(causes);
    }

    /// Says what is known of a case; the page shows it first of all that it says of the pictures.
    pub fn answer(&self, case: &str, lines: impl IntoIterator<Item = String>) {
        locked(&self.answers).entry(case.to_owned()).or_default().extend(lines);
    }

    /// Writes the page and tells where it is. Failing cases come first, then by name.
    ///
    /// # Errors
    /// [`ReportError`] where a file can not be read or written.
    pub fn finish(&self, comparison: &Comparison) -> Result<PathBuf, ReportError> {
        self.finish_with(comparison, EMBEDDED_BYTES)
    }

    /// As [`finish`](Self::finish), with `room` for pictures inside the page.
    fn finish_with(&self, comparison: &Comparison, room: u64) -> Result<PathBuf, ReportError> {
        let (causes, hashes, refusals) = (locked(&self.causes), locked(&self.hashes), locked(&self.refusals));
        let (answers, hypotheses) = (locked(&self.answers), locked(&self.hypotheses));
        let own_causes = |case: &Case| causes.get(&case.name).map_or(&[][..], Vec::as_slice);
        let rows = comparison.cases.iter().map(|case| rows::row(case, &self.options, own_causes(case)));
        let mut data = PageData {
            title: format!("{} and {}", comparison.golden.display(), comparison.candidate.display()),
            settings: rows::settings(comparison),
            bless: self.bless.clone(),
            rows: rows.collect(),
        };
        for row in &mut data.rows {
            row.hash = hashes.get(&row.name).map(|hash| format!("{hash:016x}"));
            row.notes.splice(0..0, answers.get(&row.name).into_iter().flatten().cloned());
            row.notes.extend(refusals.get(&row.name).into_iter().flatten().cloned());
            row.hypotheses = hypotheses.get(&row.name).cloned().unwrap_or_default();
            let supposed = (0..row.hypotheses.len()).flat_map(roles).map(|role| (role, PICTURE));
            for (role, (_, extension)) in ROLES.map(|(role, kind)| (role.to_owned(), kind)).into_iter().chain(supposed)
            {
                let address = self.pictures.address(&row.name, &role, extension);
                if self.pictures.holds(&address) {
                    row.pictures.push((role, address));
                }
            }
        }
        write_page(&self.folder, &self.pictures, data, room, self.judge)
    }
}

/// Type and extension of the file that a case has for a role; none for what is no role.
fn kind(role: &str) -> Option<(&'static str, &'static str)> {
    let known = ROLES.iter().find(|known| known.0 == role).map(|known| known.1);
    known.or_else(|| hypotheses::is_role(role).then_some(PICTURE))
}

/// What a lock holds. Nothing that takes one can fail half-way.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a picture of a case lies, below the report's folder. Names of cases may hold anything, so the file is named by
/// their hash, which a seed makes another.
fn image(case: &str, role: &str, extension: &str, seed: u64) -> String {
    format!("{IMAGES}/{:016x}-{role}.{extension}", xxh64(case.as_bytes(), seed))
}

/// Puts what fails first, and leaves the order of the others.
fn sort(rows: &mut [Row]) {
    rows.sort_by_key(|row| match row.verdict {
        Verdict::Different => 0,
        Verdict::Error => 1,
        Verdict::Same => 2,
    });
}

/// Sorts the cases, puts pictures into the page as long as there is `room` (in bytes), and writes it. Pictures are files in
/// the folder.
fn write_page(
    folder: &Path,
    pictures: &Pictures,
    mut data: PageData,
    mut room: u64,
    judge: Option<Judge>,
) -> Result<PathBuf, ReportError> {
    sort(&mut data.rows);
    let mut embedded = Vec::new();
    let mut beside = 0;
    for row in &mut data.rows {
        beside += usize::from(!embed(folder, row, &mut room, &mut embedded)?);
    }
    let failed = |error: &dyn std::fmt::Display| ReportError::Page(error.to_string());
    let count = |verdict| data.rows.iter().filter(|row| row.verdict == verdict).count();
    let verdict = data.rows.iter().map(|row| row.verdict).max().unwrap_or(Verdict::Same);
    let page = Page {
        title: &data.title,
        verdict: verdict.name(),
        counts: [Verdict::Different, Verdict::Error, Verdict::Same].map(|verdict| (verdict.name(), count(verdict))),
        beside,
        settings: &data.settings,
        rows: &data.rows,
        data: data.to_json().map_err(|error| failed(&error))?,
        style: STYLE,
        script: SCRIPT,
        judge: judge.map(JudgePart::of).transpose().map_err(|error| failed(&error))?,
    };
    let html = page.render().map_err(|error| failed(&error))?;
    let path = folder.join(PAGE_NAME);
    write_whole(&path, html.as_bytes()).map_err(|source| ReportError::File { path: path.clone(), source })?;
    // Only now does nobody need the files any more.
    pictures.end(&embedded);
    Ok(path)
}

/// Puts the pictures of a case into the page, all or none, so that no case is half inside. Tells whether they fitted.
fn embed(folder: &Path, row: &mut Row, room: &mut u64, embedded: &mut Vec<PathBuf>) -> Result<bool, ReportError> {
    let paths: Vec<PathBuf> = row.pictures.iter().map(|(_, address)| folder.join(address)).collect();
    let failed = |path: &Path, source| ReportError::File { path: path.to_owned(), source };
    let mut length = 0;
    for path in &paths {
        length += fs::metadata(path).map_err(|source| failed(path, source))?.len();
    }
    // One large case must not keep the small ones after it out.
    if length > *room {
        return Ok(false);
    }
    *room -= length;
    for ((role, address), path) in row.pictures.iter_mut().zip(paths) {
        let bytes = fs::read(&path).map_err(|source| failed(&path, source))?;
        let (kind, _) = kind(role).unwrap_or(ENVELOPE);
        *address = format!("data:{kind};base64,{}", BASE64_STANDARD.encode(bytes));
        embedded.push(path);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Picture, compare_observed};

    #[test]
    fn the_older_page_keeps_its_pictures_until_the_new_one_is_there() {
        let folder = std::env::temp_dir().join(format!("refrast-report-{}", std::process::id()));
        let write = |name: &str, red: u8| {
            fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            Picture::from_rgba8(1, 1, vec![red, 0, 0, 255]).unwrap().write(&folder.join(name)).unwrap();
        };
        let options = MeasureOptions::new(Metric::Exact);
        let begin = || {
            let report = Report::new(&folder.join("report"), &options).unwrap();
            let observer = |case: &Case, pictures: CasePictures<'_>| report.add(case, pictures);
            let compared = compare_observed(&folder.join("golden"), &folder.join("candidate"), &options, &observer);
            (compared.unwrap(), report)
        };
        // Everything in the report's folder, but the list.
        let state = || {
            let files =
                |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
            let all = files(&folder.join("report")).into_iter().chain(files(&folder.join("report/images")));
            let mut all: Vec<_> =
                all.filter(|path| path.is_file()).map(|path| (fs::read(&path).unwrap(), path)).collect();
            all.sort_by(|one, other| one.1.cmp(&other.1));
            all
        };
        write("golden/a.png", 0);
        write("candidate/a.png", 90);
        let (comparison, report) = begin();
        report.finish_with(&comparison, 0).unwrap();
        let old = state();
        assert_eq!(old.len(), 5, "page, list, golden, candidate, difference");
        write("candidate/a.png", 200);
        let (_, report) = begin();
        assert_eq!(state().len(), 8, "the new pictures have other names");
        drop(report);
        let without_list = |state: Vec<(Vec<u8>, PathBuf)>| -> Vec<_> {
            state.into_iter().filter(|(_, path)| !path.ends_with("images.txt")).collect()
        };
        assert_eq!(without_list(state()), without_list(old.clone()), "given up");
        // Twice, so that the first names come back.
        for _ in 0..2 {
            let (comparison, report) = begin();
            report.finish_with(&comparison, 0).unwrap();
            assert_eq!(state().len(), 5);
            assert_ne!(without_list(state()), without_list(old.clone()));
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
