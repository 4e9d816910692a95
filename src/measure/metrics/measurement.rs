//! [`measure`]: one question to any metric, one form of answer.
//!
//! Why it exists: whatever the metric, a person wants the verdict, the number behind it, how many pixels it blames, and
//! where the worst of them are with both values.

use std::{borrow::Cow, ops::Range};

use serde::Serialize;

use super::{
    super::{
        envelope::{CheckOptions, EnvelopeFile, EnvelopeVerdict},
        picture::{Picture, Samples},
        rectangle::Rectangle,
    },
    ChannelDifferences, ErrorMap, FlipScore, Metric,
    channels::channel_differences,
    error_map::worst_channels,
    flip,
    fuzzy::fuzzy_compare,
    psnr::psnr,
    ssim::ssim,
    yiq::yiq_differences,
};
use refrast_simd::SimdLevel;
use refrast_threads::both;

/// How many of the worst pixels are listed.
pub(super) const WORST_PIXELS: usize = 10;

/// What to measure and what to accept.
#[derive(Clone, Debug)]
pub struct MeasureOptions {
    /// The metric.
    pub metric: Metric,
    /// What the metric accepts; `None` is [`Metric::default_threshold`]. See [`Metric::threshold_meaning`].
    pub threshold: Option<f64>,
    /// Whether comparisons of files use the golden's envelope instead of `metric` where there is one beside it.
    pub prefer_envelope: bool,
    /// How many pixels the metric may blame. `None` is 0 for `envelope`, `exact`, `threshold`, `flip` and `yiq`, which
    /// judge pixels; the others judge the whole picture, and blamed pixels count only where a number is given.
    pub maximum_differing: Option<u64>,
    /// Pixels that do not count: before the measurement they are copied from the golden to the candidate.
    pub ignored: Vec<Rectangle>,
    /// For ꟻLIP: how many pixels the viewer sees in a degree.
    pub pixels_per_degree: f32,
    /// The instruction set to use; every one gives the same answer.
    pub level: SimdLevel,
    /// Bytes that comparing two files may take, counted before they are taken.
    pub memory: u64,
}

impl MeasureOptions {
    /// The memory of a comparison where nobody says: 4 GiB, two pictures of 80 million pixels by the most demanding metric.
    pub const DEFAULT_MEMORY: u64 = 4 << 30;

    /// The metric with its default threshold, nothing ignored.
    #[must_use]
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            threshold: None,
            prefer_envelope: false,
            maximum_differing: None,
            ignored: Vec::new(),
            pixels_per_degree: flip::DEFAULT_PIXELS_PER_DEGREE,
            level: SimdLevel::best(),
            memory: Self::DEFAULT_MEMORY,
        }
    }

    /// As [`checked_threshold`](Self::checked_threshold), or the default of `metric` where the options name another.
    pub(super) fn threshold_for(&self, metric: Metric) -> Result<f64, MeasureError> {
        if self.metric == metric { self.checked_threshold() } else { Ok(metric.default_threshold()) }
    }

    /// The threshold to use, given or default, after the options have been checked.
    ///
    /// # Errors
    /// [`MeasureError::Threshold`] or [`MeasureError::PixelsPerDegree`] where one is out of range.
    pub fn checked_threshold(&self) -> Result<f64, MeasureError> {
        let threshold = self.threshold.unwrap_or(self.metric.default_threshold());
        if !self.metric.accepts(threshold) {
            return Err(MeasureError::Threshold { metric: self.metric, threshold });
        }
        if !(1.0..=1000.0).contains(&self.pixels_per_degree) {
            return Err(MeasureError::PixelsPerDegree(self.pixels_per_degree));
        }
        Ok(threshold)
    }
}

/// The options make no sense, or the pictures can not be compared pixel by pixel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// The threshold is out of range.
    #[error("{threshold} is no threshold for the metric {metric}: it is {meaning}", meaning = metric.threshold_meaning())]
    Threshold {
        /// The metric.
        metric: Metric,
        /// What was asked for.
        threshold: f64,
    },
    /// Pixels a degree must be between 1 and 1000.
    #[error("{0} pixels a degree is out of range: give a number from 1 to 1000, a desktop display has about 67")]
    PixelsPerDegree(f32),
    /// The metric `envelope` was asked for without an envelope.
    #[error("the metric envelope needs the golden's envelope: compare files, with GOLDEN.envelope beside GOLDEN.png")]
    NoEnvelope,
    /// A comparison of nothing would accept everything.
    #[error(
        "every pixel is ignored, so nothing is compared; make the ignored rectangles smaller, the picture is {0}x{1}"
    )]
    AllIgnored(u32, u32),
    /// More memory than it may take, counted before any of it is.
    #[error(
        "comparing by {metric} takes some {needed} MiB, and {allowed} are allowed: allow more with --memory, or cut the pictures; \
         exact, threshold and psnr look at a few rows at a time",
        needed = needed.div_ceil(1 << 20), allowed = allowed >> 20
    )]
    Memory {
        /// The metric.
        metric: Metric,
        /// Bytes.
        needed: u64,
        /// Bytes.
        allowed: u64,
    },
    /// The envelope can not be used.
    #[error("{0}")]
    Envelope(String),
    /// Different sizes are a difference, not something to measure.
    #[error(
        "the sizes differ: the golden is {golden_width}x{golden_height}, the candidate {candidate_width}x{candidate_height}",
        golden_width = golden.0, golden_height = golden.1, candidate_width = candidate.0, candidate_height = candidate.1
    )]
    Sizes {
        /// Width and height of the golden.
        golden: (u32, u32),
        /// Width and height of the candidate.
        candidate: (u32, u32),
    },
}

/// The metric's own number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "metric", rename_all = "kebab-case")]
pub enum Score {
    /// Pixels by class.
    Envelope(EnvelopeVerdict),
    /// `exact` has none beside the channel differences.
    Exact,
    /// `threshold` has none beside the channel differences.
    Threshold,
    /// The pooled ꟻLIP errors.
    Flip(FlipScore),
    /// The ratio in decibels; none for equal pictures, whose ratio is infinite.
    Psnr {
        /// 10 · log10(peak² / mean squared difference).
        decibels: Option<f64>,
    },
    /// The mean similarity.
    Ssim {
        /// At most 1, which means equal.
        mean: f64,
    },
    /// dEQP's error.
    Fuzzy {
        /// 0 or more; dEQP's tests usually accept 0.05 or less.
        error: f64,
    },
    /// pixelmatch's count is [`Measurement::differing`].
    Yiq {
        /// Pixels above the threshold that were taken for anti-aliasing.
        antialiased: u64,
    },
}

/// A pixel that is far off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstPixel {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// The golden's red, green, blue and alpha, in the golden's bits.
    pub golden: [u16; 4],
    /// The candidate's, in the candidate's bits.
    pub candidate: [u16; 4],
    /// The error by the metric, 0 to 1.
    pub error: f32,
}

/// What a metric says about two pictures of one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The metric.
    #[serde(skip)]
    pub metric: Metric,
    /// Whether the candidate is accepted.
    pub accepted: bool,
    /// The metric's number.
    pub score: Score,
    /// The threshold that was used.
    pub threshold: f64,
    /// Pixels that the metric blames: for `exact`, `threshold`, `flip` and `yiq` those above the threshold; for
    /// `envelope` those that are wrong; for `ssim` those whose own error is above what is accepted of the mean; for `psnr` and `fuzzy` all that are unequal.
    pub differing: u64,
    /// Pixels that count.
    pub counted: u64,
    /// Pixels that were ignored.
    pub ignored: u64,
    /// How the channels differ, with no tolerance except for the metric `threshold`.
    pub channels: ChannelDifferences,
    /// The worst pixels, worst first; for `threshold` none that it accepts.
    pub worst: Vec<WorstPixel>,
    /// The error of every pixel where something differs, by `flip`, `ssim` and `yiq`. The other metrics have none of
    /// their own; [`ErrorMap::of_channels`] shows where the pictures differ.
    #[serde(skip)]
    pub map: Option<ErrorMap>,
}

/// Measures how far the candidate is from the golden.
///
/// # Errors
/// [`MeasureError`] where the options are out of range or the sizes differ.
pub fn measure(golden: &Picture, candidate: &Picture, options: &MeasureOptions) -> Result<Measurement, MeasureError> {
    let metric = options.metric;
    let threshold = options.checked_threshold()?;
    check_sizes(golden, candidate)?;
    let (width, height) = golden.size();
    let ignored = ignored_pixels(&options.ignored, width, height)?;
    let counted = u64::from(width) * u64::from(height) - ignored;
    let original = candidate;
    let candidate = &*with_ignored_copied(golden, candidate, &options.ignored);

    // The check above has made sure that this is a whole number of steps.
    let tolerance = if metric == Metric::Threshold { threshold as u8 } else { 0 };
    let channels = channel_differences(golden, candidate, tolerance, options.level);
    let mut measurement = Measurement {
        metric,
        accepted: true,
        score: Score::Exact,
        threshold,
        differing: channels.differing,
        counted,
        ignored,
        channels,
        worst: Vec::new(),
        map: None,
    };
    let unequal = measurement.channels.largest != [0; 4];
    let (size, eight) = ((width as usize, height as usize), || (golden.samples8(), candidate.samples8()));
    let own_map = |mut map: ErrorMap| {
        map.clear(&options.ignored);
        map
    };
    match metric {
        Metric::Envelope => return Err(MeasureError::NoEnvelope),
        Metric::Exact => {}
        Metric::Threshold => measurement.score = Score::Threshold,
        Metric::Psnr => {
            let decibels = psnr(golden, candidate, counted);
            measurement.accepted = decibels.is_none_or(|decibels| decibels >= threshold);
            measurement.score = Score::Psnr { decibels };
        }
        Metric::Fuzzy => {
            let (golden, candidate) = eight();
            let error = if unequal { fuzzy_compare(&golden, &candidate, size.0, size.1) } else { 0.0 };
            measurement.accepted = error <= threshold;
            measurement.score = Score::Fuzzy { error };
        }
        Metric::Flip => {
            let mut score = FlipScore::default();
            if unequal {
                let map = own_map(flip::error_map(golden, candidate, options.pixels_per_degree, options.level));
                score = FlipScore::new(&map, counted);
                measurement.differing = map.count_above(threshold as f32);
                measurement.map = Some(map);
            }
            measurement.score = Score::Flip(score);
        }
        Metric::Ssim => {
            let mut mean = 1.0;
            if unequal {
                let (similarity, map) = ssim(golden, candidate, options.level);
                let map = own_map(map);
                mean = similarity;
                measurement.differing = map.count_above((1.0 - threshold) as f32);
                measurement.map = Some(map);
            }
            measurement.accepted = mean >= threshold;
            measurement.score = Score::Ssim { mean };
        }
        Metric::Yiq => {
            let (golden, candidate) = eight();
            let differences = yiq_differences(&golden, &candidate, size.0, size.1, threshold);
            measurement.differing = differences.differing;
            measurement.map = unequal.then_some(differences.map);
            measurement.score = Score::Yiq { antialiased: differences.antialiased };
        }
    }
    let judges_pixels = matches!(metric, Metric::Exact | Metric::Threshold | Metric::Flip | Metric::Yiq);
    let maximum_differing = options.maximum_differing.or(judges_pixels.then_some(0));
    measurement.accepted &= maximum_differing.is_none_or(|maximum| measurement.differing <= maximum);
    let worst = match &measurement.map {
        Some(map) => map.worst(WORST_PIXELS),
        None => worst_channels(golden, candidate, &measurement.channels, tolerance, WORST_PIXELS),
    };
    let with_values =
        |(x, y, error)| Some(WorstPixel { x, y, golden: golden.pixel(x, y)?, candidate: original.pixel(x, y)?, error });
    measurement.worst = worst.into_iter().filter_map(with_values).collect();
    Ok(measurement)
}

/// As [`measure`] by [`Metric::Envelope`], whatever metric the options name: is each pixel of the candidate one that a
/// conformant backend may write? Another metric's threshold is not used.
///
/// # Errors
/// As [`measure`], and [`MeasureError::Envelope`] where the envelope is broken or belongs to another golden.
pub fn measure_with_envelope(
    golden: &Picture,
    candidate: &Picture,
    envelope: &EnvelopeFile,
    options: &MeasureOptions,
) -> Result<Measurement, MeasureError> {
    let threshold = options.threshold_for(Metric::Envelope)?;
    check_sizes(golden, candidate)?;
    let (width, height) = golden.size();
    let ignored = ignored_pixels(&options.ignored, width, height)?;
    let check = CheckOptions { tolerance: threshold as u8, ignored: &options.ignored, level: options.level };
    // What lies in the envelope is right; how far it is from the golden is told all the same.
    let (verdict, channels) = both(
        || envelope.check(golden, candidate, &check),
        || {
            let candidate = with_ignored_copied(golden, candidate, &options.ignored);
            channel_differences(golden, &candidate, 0, options.level)
        },
    );
    let verdict = verdict.map_err(|error| MeasureError::Envelope(error.to_string()))?;
    let worst = verdict.worst.iter().filter_map(|pixel| {
        let (x, y) = (pixel.x, pixel.y);
        let error = f32::from(pixel.distance) / 255.0;
        Some(WorstPixel { x, y, golden: golden.pixel(x, y)?, candidate: candidate.pixel(x, y)?, error })
    });
    let worst = worst.collect();
    let counted = u64::from(width) * u64::from(height) - ignored;
    Ok(of_verdict(verdict, worst, channels, (threshold, counted, ignored), options))
}

/// The measurement that an envelope's verdict is, with the threshold and the numbers of pixels counted and ignored.
pub(super) fn of_verdict(
    verdict: EnvelopeVerdict,
    worst: Vec<WorstPixel>,
    channels: ChannelDifferences,
    (threshold, counted, ignored): (f64, u64, u64),
    options: &MeasureOptions,
) -> Measurement {
    Measurement {
        metric: Metric::Envelope,
        accepted: verdict.wrong() <= options.maximum_differing.unwrap_or(0),
        threshold,
        differing: verdict.wrong(),
        counted,
        ignored,
        channels,
        worst,
        map: None,
        score: Score::Envelope(verdict),
    }
}

fn check_sizes(golden: &Picture, candidate: &Picture) -> Result<(), MeasureError> {
    if golden.size() == candidate.size() {
        Ok(())
    } else {
        Err(MeasureError::Sizes { golden: golden.size(), candidate: candidate.size() })
    }
}

/// How many pixels lie in at least one rectangle; an error where all do.
pub(super) fn ignored_pixels(rectangles: &[Rectangle], width: u32, height: u32) -> Result<u64, MeasureError> {
    if rectangles.is_empty() {
        return Ok(0);
    }
    let mut row_is_ignored = vec![false; width as usize];
    let mut count = 0;
    for row in 0..height as usize {
        row_is_ignored.fill(false);
        for rectangle in rectangles.iter().filter(|rectangle| rectangle.rows(height).contains(&row)) {
            row_is_ignored[rectangle.columns(width)].fill(true);
        }
        count += row_is_ignored.iter().filter(|ignored| **ignored).count() as u64;
    }
    if count == u64::from(width) * u64::from(height) { Err(MeasureError::AllIgnored(width, height)) } else { Ok(count) }
}

/// The candidate with the golden's pixels in the rectangles, in 16 bits where the two differ in bits.
fn with_ignored_copied<'a>(golden: &Picture, candidate: &'a Picture, rectangles: &[Rectangle]) -> Cow<'a, Picture> {
    if rectangles.is_empty() {
        return Cow::Borrowed(candidate);
    }
    let mut samples = match (golden.samples(), candidate.samples()) {
        (Samples::Eight(_), Samples::Eight(samples)) => Samples::Eight(samples.clone()),
        _ => Samples::Sixteen(candidate.samples16().into_owned()),
    };
    let all = 0..golden.height() as usize;
    match &mut samples {
        Samples::Eight(samples) => copy_rectangles(&golden.samples8(), samples, golden.size(), all, rectangles),
        Samples::Sixteen(samples) => copy_rectangles(&golden.samples16(), samples, golden.size(), all, rectangles),
    }
    Cow::Owned(candidate.with_samples(samples))
}

/// Copies what lies in the rectangles, where both slices are these rows of pictures of this size.
pub(super) fn copy_rectangles<T: Copy>(
    from: &[T],
    to: &mut [T],
    (width, height): (u32, u32),
    rows: Range<usize>,
    rectangles: &[Rectangle],
) {
    for rectangle in rectangles {
        let columns = rectangle.columns(width);
        for row in rectangle.rows(height).filter(|row| rows.contains(row)) {
            let start = (row - rows.start) * width as usize;
            let range = (start + columns.start) * 4..(start + columns.end) * 4;
            to[range.clone()].copy_from_slice(&from[range]);
        }
    }
}
