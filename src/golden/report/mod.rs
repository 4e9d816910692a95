//! The report: one page that shows what differs.
//!
//! Why it exists: a number makes nobody fix anything. The page puts the verdict on top and the failing cases first, and
//! lets golden and candidate be seen side by side, under a slider, blinking and pixel by pixel. It needs no network and
//! no server. Pictures are inside the page as long as they are few; past that they lie in a folder beside it, so that
//! the page of a thousand cases still opens, and each is loaded only when it is looked at.

mod difference;
mod page;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use askama::Template;
use base64::{Engine, prelude::BASE64_STANDARD};

pub use difference::difference_picture;

use self::page::{Page, Row, SCRIPT, STYLE, WorstRow};
use super::{
    compare::{Case, CasePictures, Comparison, Outcome, Verdict},
    error::PictureError,
    files::write_whole,
    hash::xxh64,
    metrics::{ErrorMap, MeasureOptions},
    rectangle::Rectangle,
};

/// Pictures of the first cases are put into the page up to this many bytes; the others stay files.
const EMBEDDED_BYTES: u64 = 32 << 20;
const IMAGES: &str = "images";
const ROLES: [&str; 3] = ["golden", "candidate", "difference"];

/// A report being written to a folder: pictures case by case, the page at the end.
#[derive(Debug)]
pub struct Report {
    folder: PathBuf,
    ignored: Vec<Rectangle>,
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
    /// The page can not be filled in.
    #[error("the report's page can not be made: {0}")]
    Page(String),
}

impl Report {
    /// Begins a report in a folder, which is made where it is missing. Pictures of an older report in it are removed.
    ///
    /// # Errors
    /// [`ReportError::File`] where the folder can not be made or emptied.
    pub fn new(folder: &Path, options: &MeasureOptions) -> Result<Self, ReportError> {
        let images = folder.join(IMAGES);
        let failed = |source| ReportError::File { path: images.clone(), source };
        match fs::remove_dir_all(&images) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => fs::create_dir_all(&images).map_err(failed)?,
        }
        Ok(Self { folder: folder.to_owned(), ignored: options.ignored.clone() })
    }

    /// Keeps the pictures of a case, unless golden and candidate are equal: then there is nothing to see.
    ///
    /// # Errors
    /// [`PictureError::Write`] where a picture can not be written.
    pub fn add(&self, case: &Case, pictures: CasePictures<'_>) -> Result<(), PictureError> {
        if let Outcome::Measured { measurement, .. } = &case.outcome
            && measurement.channels.largest == [0; 4]
        {
            return Ok(());
        }
        let path = |role| self.folder.join(self.image(case, role));
        let [golden_path, candidate_path, difference_path] = ROLES.map(path);
        for (picture, source, to) in
            [(pictures.golden, &case.golden, &golden_path), (pictures.candidate, &case.candidate, &candidate_path)]
        {
            if let (Some(_), Some(source)) = (picture, source) {
                let failed = |source| PictureError::Write { path: to.clone(), source };
                fs::read(source).and_then(|bytes| write_whole(to, &bytes)).map_err(failed)?;
            }
        }
        if let (Some(golden), Some(candidate)) = (pictures.golden, pictures.candidate)
            && golden.size() == candidate.size()
        {
            let channels;
            let map = match pictures.map {
                Some(map) => map,
                None => {
                    channels = ErrorMap::of_channels(golden, candidate);
                    &channels
                }
            };
            difference_picture(golden, map, &self.ignored)?.write(&difference_path)?;
        }
        Ok(())
    }

    /// Writes the page and tells where it is. Failing cases come first, then by name.
    ///
    /// # Errors
    /// [`ReportError`] where a file can not be read or written.
    pub fn finish(&self, comparison: &Comparison) -> Result<PathBuf, ReportError> {
        let mut cases: Vec<&Case> = comparison.cases.iter().collect();
        cases.sort_by_key(|case| match case.verdict {
            Verdict::Different => 0,
            Verdict::Error => 1,
            Verdict::Same => 2,
        });
        let mut room = EMBEDDED_BYTES;
        let rows: Vec<Row> = cases.iter().map(|case| self.row(case, &mut room)).collect::<Result<_, _>>()?;
        // The folder stays only where pictures stayed in it.
        let _ = fs::remove_dir(self.folder.join(IMAGES));

        let failed = |error: &dyn std::fmt::Display| ReportError::Page(error.to_string());
        // Inside a script element the only thing that can end it is `</`, and JSON may write `<` as an escape.
        let data = serde_json::to_string(&rows).map_err(|error| failed(&error))?.replace('<', "\\u003c");
        let count = |verdict| comparison.cases.iter().filter(|case| case.verdict == verdict).count();
        let page = Page {
            title: &format!("{} and {}", comparison.golden.display(), comparison.candidate.display()),
            verdict: comparison.verdict.name(),
            counts: [Verdict::Different, Verdict::Error, Verdict::Same].map(|verdict| (verdict.name(), count(verdict))),
            settings: settings(comparison),
            rows: &rows,
            data,
            style: STYLE,
            script: SCRIPT,
        };
        let html = page.render().map_err(|error| failed(&error))?;
        let path = self.folder.join("index.html");
        write_whole(&path, html.as_bytes()).map_err(|source| ReportError::File { path: path.clone(), source })?;
        Ok(path)
    }

    /// Where a picture of a case lies, below the report's folder. Names of cases may hold anything, so the file is
    /// named by their hash.
    fn image(&self, case: &Case, role: &str) -> String {
        format!("{IMAGES}/{:016x}-{role}.png", xxh64(case.name.as_bytes(), 0))
    }

    fn row(&self, case: &Case, room: &mut u64) -> Result<Row, ReportError> {
        let mut pictures = Vec::new();
        for role in ROLES {
            let address = self.image(case, role);
            let path = self.folder.join(&address);
            let failed = |source| ReportError::File { path: path.clone(), source };
            match fs::metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
                Ok(metadata) if metadata.len() > *room => {
                    // What follows is outside as well, so that no case is half inside.
                    *room = 0;
                    pictures.push((role, address));
                }
                Ok(metadata) => {
                    *room -= metadata.len();
                    let bytes = fs::read(&path).map_err(failed)?;
                    pictures.push((role, format!("data:image/png;base64,{}", BASE64_STANDARD.encode(bytes))));
                    fs::remove_file(&path).map_err(failed)?;
                }
            }
        }
        let (mut worst, mut notes) = (Vec::new(), Vec::new());
        if let Outcome::Measured { width, height, measurement } = &case.outcome {
            notes.push(format!("{width} x {height} pixels"));
            if measurement.ignored > 0 {
                notes.push(format!("{} pixels ignored", measurement.ignored));
            }
            if let Some(bounds) = measurement.channels.bounds {
                let (x, y) = (bounds.x, bounds.y);
                notes.push(format!(
                    "all that differs lies in {} x {} pixels from ({x}, {y})",
                    bounds.width, bounds.height
                ));
            }
            let [red, green, blue, alpha] = measurement.channels.largest;
            let steps = (1_u32 << measurement.channels.bits) - 1;
            notes.push(format!("largest differences of {steps}: red {red}, green {green}, blue {blue}, alpha {alpha}"));
            let text = |pixel: [u16; 4]| pixel.map(|sample| sample.to_string()).join(" ");
            worst.extend(measurement.worst.iter().map(|pixel| WorstRow {
                x: pixel.x,
                y: pixel.y,
                golden: text(pixel.golden),
                candidate: text(pixel.candidate),
                error: format!("{:.4}", pixel.error),
            }));
        }
        Ok(Row {
            name: case.name.clone(),
            verdict: case.verdict.name(),
            summary: case.summary(),
            pictures,
            worst,
            notes,
        })
    }
}

fn settings(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let metric = comparison.metric;
    let mut settings = vec![
        ("golden", comparison.golden.display().to_string()),
        ("candidate", comparison.candidate.display().to_string()),
        (
            "metric",
            if comparison.prefer_envelope {
                format!("envelope where the golden has one, else {metric}")
            } else {
                metric.to_string()
            },
        ),
        ("threshold", format!("{} ({})", comparison.threshold, metric.threshold_meaning())),
    ];
    if let Some(maximum) = comparison.maximum_differing {
        settings.push(("pixels that may be blamed", maximum.to_string()));
    }
    if !comparison.ignored.is_empty() {
        let ignored: Vec<String> = comparison.ignored.iter().map(Rectangle::to_string).collect();
        settings.push(("ignored (x,y,width,height)", ignored.join("; ")));
    }
    settings
}
