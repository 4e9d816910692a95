//! Two files, or two folders file by file.
//!
//! Why it exists: a test run ends in a folder of candidates, and the question is whether it is the folder of goldens.
//! What is missing and what is extra is part of the answer, and one broken file must not hide the verdict on the rest.

mod folder;
mod junit;
mod pictures;
mod text;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use refrast_measure::{
    MeasureError, MeasureOptions, Measurement, Metric, PictureError, Rectangle, Verdict, check_memory,
    envelope::EnvelopeFile, measure, measure_strips, measure_with_envelope,
};
use refrast_threads as threads;

pub use pictures::CasePictures;
use pictures::{PictureFile, decode_both};
pub(super) use text::{judged_by, right_if_declared};

/// What became of one golden or candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// Both are there and have one size.
    Measured {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// What the metric says.
        measurement: Box<Measurement>,
        /// By whose rules, as options, where an envelope decides that was made for this comparison ([`OtherEnvelope`]).
        #[serde(skip_serializing_if = "Option::is_none")]
        rules: Option<String>,
        /// What makes the candidate right where it is declared, as options, each alone. Who knows what the golden shows fills
        /// this in.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        right_if: Vec<String>,
        /// Which mistakes or other options explain the candidate, a line each. Who knows what the golden shows, and is asked to
        /// look, fills this in.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        diagnosis: Vec<String>,
    },
    /// Different sizes are a difference: nothing is overlapped.
    Sizes {
        /// Width and height of the golden. A case has its path under the shorter name.
        #[serde(rename = "golden_size")]
        golden: (u32, u32),
        /// Width and height of the candidate.
        #[serde(rename = "candidate_size")]
        candidate: (u32, u32),
    },
    /// There is a golden, but no candidate.
    Missing,
    /// There is a candidate, but no golden.
    Extra,
    /// A file could not be read.
    Failed {
        /// Which file, why, and what to do.
        message: String,
    },
}

/// One golden and its candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Case {
    /// The path below the folders, with `/` between its parts; the golden's file name where two files are compared.
    pub name: String,
    /// The golden, where there is one.
    pub golden: Option<PathBuf>,
    /// The candidate, where there is one.
    pub candidate: Option<PathBuf>,
    /// The verdict on this case.
    pub verdict: Verdict,
    /// How it came about.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The result of a whole comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The worst verdict of all cases.
    pub verdict: Verdict,
    /// The golden file or folder.
    pub golden: PathBuf,
    /// The candidate file or folder.
    pub candidate: PathBuf,
    /// The metric, of cases without an envelope where those are preferred.
    pub metric: Metric,
    /// Whether goldens with an envelope are compared by it.
    pub prefer_envelope: bool,
    /// What the metric accepts.
    pub threshold: f64,
    /// How many blamed pixels are accepted in each case, where that was limited.
    pub maximum_differing: Option<u64>,
    /// Pixels that did not count in any case.
    pub ignored: Vec<Rectangle>,
    /// The cases, by name.
    pub cases: Vec<Case>,
}

/// The comparison as a whole is impossible.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The options are out of range.
    #[error(transparent)]
    Options(#[from] MeasureError),
    /// A path can not be looked at.
    #[error("{path}: {source}; check the path and the permissions", path = path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file against a folder.
    #[error(
        "{golden} and {candidate} are a file and a folder; compare two files or two folders",
        golden = golden.display(), candidate = candidate.display()
    )]
    FileAndFolder {
        /// The golden.
        golden: PathBuf,
        /// The candidate.
        candidate: PathBuf,
    },
    /// Two folders without pictures.
    #[error(
        "neither {golden} nor {candidate} holds a .png file, so there is nothing to compare; check the paths",
        golden = golden.display(), candidate = candidate.display()
    )]
    Nothing {
        /// The golden.
        golden: PathBuf,
        /// The candidate.
        candidate: PathBuf,
    },
    /// What was to be written about a case can not be written.
    #[error(transparent)]
    Observer(#[from] PictureError),
}

/// An envelope that judges a candidate in place of the one beside its golden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherEnvelope {
    /// The file.
    pub path: PathBuf,
    /// By whose rules it was made, as options: `vulkan14 --resolve stored`.
    pub rules: String,
}

/// Compares two files or two folders.
///
/// # Errors
/// [`CompareError`] where the comparison as a whole is impossible; a case that fails is in the result.
pub fn compare(golden: &Path, candidate: &Path, options: &MeasureOptions) -> Result<Comparison, CompareError> {
    compare_observed(golden, candidate, options, &|_, _| Ok(()))
}

/// As [`compare`], and shows each finished case with its pictures to `observer`, from any thread and in any order.
/// Pictures are dropped after that, so that a thousand cases need no more memory than a few.
///
/// # Errors
/// As [`compare`], and the first error of the observer.
pub fn compare_observed(
    golden: &Path,
    candidate: &Path,
    options: &MeasureOptions,
    observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
) -> Result<Comparison, CompareError> {
    compare_pairs(golden, candidate, pairs(golden, candidate, options)?, options, observer)
}

/// As [`compare_observed`], by other envelopes than those beside the goldens: `envelope` is handed the path of each golden that has
/// a candidate, and says in words why there is none for it, which is an error of the case.
///
/// # Errors
/// As [`compare_observed`].
pub fn compare_by(
    golden: &Path,
    candidate: &Path,
    envelope: &dyn Fn(&Path) -> Result<OtherEnvelope, String>,
    options: &MeasureOptions,
    observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
) -> Result<Comparison, CompareError> {
    let mut pairs = pairs(golden, candidate, options)?;
    for pair in &mut pairs {
        if let (Some(golden), Some(_)) = (&pair.golden, &pair.candidate) {
            match envelope(golden) {
                Ok(own) => pair.envelope = Some(own),
                Err(reason) => pair.failure = Some(reason),
            }
        }
    }
    compare_pairs(golden, candidate, pairs, options, observer)
}

/// The pairs of two files or two folders, of which there is one at least.
fn pairs(golden: &Path, candidate: &Path, options: &MeasureOptions) -> Result<Vec<folder::Pair>, CompareError> {
    options.checked_threshold()?;
    let is_folder = |path: &Path| match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_dir()),
        Err(source) => Err(CompareError::Path { path: path.to_owned(), source }),
    };
    let pairs = match (is_folder(golden)?, is_folder(candidate)?) {
        (true, true) => folder::pairs(golden, candidate)?,
        (false, false) => {
            let name = golden.file_name().unwrap_or(golden.as_os_str()).to_string_lossy().into_owned();
            let (golden, candidate) = (Some(golden.to_owned()), Some(candidate.to_owned()));
            vec![folder::Pair { name, golden, candidate, named: true, envelope: None, failure: None }]
        }
        _ => return Err(CompareError::FileAndFolder { golden: golden.to_owned(), candidate: candidate.to_owned() }),
    };
    if pairs.is_empty() {
        return Err(CompareError::Nothing { golden: golden.to_owned(), candidate: candidate.to_owned() });
    }
    Ok(pairs)
}

/// A golden and its candidate, of which either may not be there.
#[derive(Clone, Debug)]
pub struct CaseFiles {
    /// The name of the case.
    pub name: String,
    /// The golden.
    pub golden: PathBuf,
    /// The candidate, or why there is none.
    pub candidate: Result<PathBuf, String>,
}

/// As [`compare_observed`], of files that are given case by case. `golden` and `candidate` are what the result says was
/// compared. A candidate that could not be made is an error of its case.
///
/// # Errors
/// [`CompareError::Options`] and [`CompareError::Observer`].
pub fn compare_cases(
    golden: &Path,
    candidate: &Path,
    cases: Vec<CaseFiles>,
    options: &MeasureOptions,
    observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
) -> Result<Comparison, CompareError> {
    let pair = |case: CaseFiles| {
        let (candidate, failure) = match case.candidate {
            Ok(path) => (Some(path), None),
            Err(failure) => (None, Some(failure)),
        };
        let golden = case.golden.exists().then_some(case.golden);
        folder::Pair { name: case.name, golden, candidate, named: false, envelope: None, failure }
    };
    compare_pairs(golden, candidate, cases.into_iter().map(pair).collect(), options, observer)
}

fn compare_pairs(
    golden: &Path,
    candidate: &Path,
    pairs: Vec<folder::Pair>,
    options: &MeasureOptions,
    observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
) -> Result<Comparison, CompareError> {
    let threshold = options.checked_threshold()?;
    let cases = threads::of(&pairs, |pair| run_case(pair, options, observer));
    let cases: Vec<Case> = cases.into_iter().collect::<Result<_, PictureError>>()?;
    Ok(Comparison {
        verdict: cases.iter().map(|case| case.verdict).max().unwrap_or(Verdict::Same),
        golden: golden.to_owned(),
        candidate: candidate.to_owned(),
        metric: options.metric,
        prefer_envelope: options.prefer_envelope,
        threshold,
        maximum_differing: options.maximum_differing,
        ignored: options.ignored.clone(),
        cases,
    })
}

fn run_case(
    pair: &folder::Pair,
    options: &MeasureOptions,
    observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
) -> Result<Case, PictureError> {
    let read =
        |path: &Option<PathBuf>| path.as_deref().map(|path| PictureFile::read(path, !pair.named, options.memory));
    let (golden, candidate) = threads::both(|| read(&pair.golden), || read(&pair.candidate));
    let failed = |message| (Verdict::Error, Outcome::Failed { message });
    let mut map = None;
    let (verdict, outcome) = match (&golden, &candidate) {
        _ if pair.failure.is_some() => failed(pair.failure.clone().unwrap_or_default()),
        (Some(golden), Some(candidate)) => match measure_files(golden, candidate, pair, options) {
            Ok((width, height, mut measurement)) => {
                map = measurement.map.take();
                let verdict = if measurement.accepted { Verdict::Same } else { Verdict::Different };
                let rules = pair.envelope.as_ref().map(|envelope| envelope.rules.clone());
                let measurement = Box::new(measurement);
                (
                    verdict,
                    Outcome::Measured {
                        width,
                        height,
                        measurement,
                        rules,
                        right_if: Vec::new(),
                        diagnosis: Vec::new(),
                    },
                )
            }
            Err(CaseError::Measure(MeasureError::Sizes { golden, candidate })) => {
                (Verdict::Different, Outcome::Sizes { golden, candidate })
            }
            Err(CaseError::Measure(error)) => failed(error.to_string()),
            Err(CaseError::Picture(message)) => failed(message),
        },
        (Some(only), None) | (None, Some(only)) => match only.picture() {
            Err(error) => failed(error.to_string()),
            Ok(_) if golden.is_some() => (Verdict::Different, Outcome::Missing),
            Ok(_) => (Verdict::Different, Outcome::Extra),
        },
        (None, None) => (Verdict::Different, Outcome::Extra),
    };
    let envelope = pair.envelope_path();
    let case = Case {
        name: pair.name.clone(),
        golden: pair.golden.clone(),
        candidate: pair.candidate.clone(),
        verdict,
        outcome,
    };
    let (golden, candidate, map) = (golden.as_ref(), candidate.as_ref(), map.as_ref());
    observer(&case, CasePictures { golden, candidate, map, envelope: envelope.as_deref() })?;
    Ok(case)
}

/// Why a case has no measurement.
enum CaseError {
    /// One or both pictures can not be read; how, in words.
    Picture(String),
    Measure(MeasureError),
}

/// By the golden's envelope where that is asked for or preferred and there, else by the metric: strip by strip where that
/// is possible, else with both pictures in memory. With the width and height of both.
fn measure_files(
    golden: &PictureFile,
    candidate: &PictureFile,
    pair: &folder::Pair,
    options: &MeasureOptions,
) -> Result<(u32, u32, Measurement), CaseError> {
    let asked = options.metric == Metric::Envelope;
    let path = pair.envelope_path();
    let path = path.filter(|path| asked || pair.envelope.is_some() || options.prefer_envelope && path.exists());
    if let (Some(golden), Some(candidate)) = (golden.header(), candidate.header()) {
        let metric = if path.is_some() { Metric::Envelope } else { options.metric };
        check_memory(metric, golden, candidate, options).map_err(CaseError::Measure)?;
    }
    let envelope = path.map(|path| EnvelopeFile::open(&path)).transpose();
    if let Ok(envelope) = &envelope
        && let Some((size, measurement)) = measure_strips(golden.bytes(), candidate.bytes(), envelope.as_ref(), options)
    {
        return Ok((size.0, size.1, measurement));
    }
    decode_both(golden, candidate);
    let (golden, candidate) = match (golden.picture(), candidate.picture()) {
        (Ok(golden), Ok(candidate)) => (golden, candidate),
        (Err(error), Err(other)) => return Err(CaseError::Picture(format!("{error}; and {other}"))),
        (Err(error), _) | (_, Err(error)) => return Err(CaseError::Picture(error.to_string())),
    };
    let measured = match envelope {
        Err(error) => Err(MeasureError::Envelope(error.to_string())),
        Ok(Some(envelope)) => measure_with_envelope(golden, candidate, &envelope, options),
        Ok(None) => measure(golden, candidate, options),
    };
    measured.map(|measurement| (golden.width(), golden.height(), measurement)).map_err(CaseError::Measure)
}
