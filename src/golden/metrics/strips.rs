//! [`measure_strips`]: two files compared a strip at a time.
//!
//! Why it exists: most comparisons end with "the same", and need each pixel once. Decoding a strip of both files,
//! comparing it and decoding the next over it takes a fifth of the memory of two whole pictures, and less time than the
//! operating system needs to hand out the rest. Metrics that look at neighbours, and people, get whole pictures.

use std::path::Path;

use super::{
    super::{
        envelope::{CheckOptions, EnvelopeFile, EnvelopeVerdict},
        picture::content_hasher,
        png::PictureReader,
    },
    MeasureOptions, Measurement, Metric, Score, WorstPixel,
    channels::{row_differences, summarise},
    error_map::worst_of_row,
    measurement::{WORST_PIXELS, of_verdict},
};

/// Pixels of a strip, of each picture 4 MiB: enough that all threads have work until the next.
const STRIP_PIXELS: usize = 1 << 20;

/// A file's bytes and the name that stands in errors.
#[derive(Clone, Copy)]
pub(in super::super) struct NamedBytes<'a> {
    pub(in super::super) bytes: &'a [u8],
    pub(in super::super) name: &'a Path,
}

/// As [`measure`](super::measure), or with an envelope [`measure_with_envelope`](super::measure_with_envelope), of the
/// pictures in two files.
///
/// `None` where that needs whole pictures: for other metrics than `exact`, `threshold` and `envelope`, 16 bits, different
/// sizes, ignored pixels. Else their width and height, and the measurement. `None` as well where a file is broken: who decodes it as a whole finds out how.
pub(in super::super) fn measure_strips(
    golden: NamedBytes<'_>,
    candidate: NamedBytes<'_>,
    envelope: Option<&EnvelopeFile>,
    options: &MeasureOptions,
) -> Option<((u32, u32), Measurement)> {
    let metric = if envelope.is_some() { Metric::Envelope } else { options.metric };
    if envelope.is_none() && !matches!(metric, Metric::Exact | Metric::Threshold) {
        return None;
    }
    if !options.ignored.is_empty() {
        return None;
    }
    let threshold = options.threshold_for(metric).ok()?;
    let mut golden_reader = PictureReader::open(golden.bytes, golden.name).ok()?;
    // Files of equal bytes hold equal pictures, so only one is decoded.
    let mut candidate_reader = match golden.bytes == candidate.bytes {
        true => None,
        false => Some(PictureReader::open(candidate.bytes, candidate.name).ok()?),
    };
    let size = golden_reader.size();
    let other = candidate_reader.as_ref().unwrap_or(&golden_reader);
    if (golden_reader.bits(), other.bits()) != (8, 8) || other.size() != size {
        return None;
    }
    if envelope.is_some_and(|envelope| envelope.size() != size) {
        return None;
    }

    // The check of the options has made sure that this is a whole number of steps.
    let tolerance = if metric == Metric::Threshold { threshold as u8 } else { 0 };
    let check = CheckOptions { tolerance: threshold as u8, ignored: &[], level: options.level };
    let width = size.0 as usize;
    let all = width * size.1 as usize;
    let unit = envelope.map_or(width, EnvelopeFile::band_pixels);
    let units = (STRIP_PIXELS / unit).max(1);
    let strip = (units * unit).min(all);
    let mut golden_strip = vec![0; strip * 4];
    let mut candidate_strip = vec![0; if candidate_reader.is_some() { strip * 4 } else { 0 }];
    let mut hasher = content_hasher(size, 8);
    let mut found = Found::default();
    for first in (0..all).step_by(strip) {
        let length = strip.min(all - first) * 4;
        let (golden_strip, candidate_strip) = (&mut golden_strip[..length], &mut candidate_strip[..]);
        let (one, other) = rayon::join(
            || golden_reader.read_rows(golden_strip),
            || candidate_reader.as_mut().map_or(Ok(()), |reader| reader.read_rows(&mut candidate_strip[..length])),
        );
        one.and(other).ok()?;
        let golden_strip = &*golden_strip;
        let candidate_strip = if candidate_reader.is_some() { &candidate_strip[..length] } else { golden_strip };
        let (golden, candidate) = (golden_strip.as_chunks::<4>().0, candidate_strip.as_chunks::<4>().0);
        let (verdicts, (differences, ())) = rayon::join(
            || envelope.map(|envelope| envelope.check_bands(first / unit, golden, candidate, &check)).transpose(),
            || {
                rayon::join(
                    || row_differences(golden_strip, candidate_strip, width * 4, tolerance, options.level),
                    || {
                        if envelope.is_some() {
                            hasher.update(golden_strip)
                        }
                    },
                )
            },
        );
        let rows = golden.chunks_exact(width).zip(candidate.chunks_exact(width));
        let first_row = (first / width) as u32;
        match verdicts.ok()? {
            Some(verdicts) => {
                for pixel in verdicts.iter().flat_map(|row| &row.worst) {
                    let place = (pixel.y - first_row) as usize * width + pixel.x as usize;
                    found.values.push((pixel.x, pixel.y, golden[place], pixel.candidate));
                }
                found.verdicts.extend(verdicts);
            }
            None => {
                for ((y, (golden, candidate)), row) in (first_row..).zip(rows).zip(&differences) {
                    let largest = row.largest.into_iter().fold(0, u16::max);
                    if largest > u16::from(tolerance) {
                        found.row(y, golden, candidate, tolerance, largest);
                    }
                }
            }
        }
        found.differences.extend(differences);
    }
    golden_reader.finish().ok()?;
    candidate_reader.map_or(Ok(()), PictureReader::finish).ok()?;

    let channels = summarise(8, &found.differences);
    let counted = all as u64;
    if let Some(envelope) = envelope {
        envelope.check_hash(hasher.finish()).ok()?;
        let verdict = EnvelopeVerdict::of_rows(found.verdicts);
        let listed = verdict.worst.iter().map(|pixel| (pixel.x, pixel.y, f32::from(pixel.distance) / 255.0));
        let worst = with_values(listed, &found.values);
        return Some((size, of_verdict(verdict, worst, channels, (threshold, counted, 0), options)));
    }
    let measurement = Measurement {
        metric,
        accepted: channels.differing <= options.maximum_differing.unwrap_or(0),
        score: if metric == Metric::Threshold { Score::Threshold } else { Score::Exact },
        threshold,
        differing: channels.differing,
        counted,
        ignored: 0,
        channels,
        worst: with_values(found.worst.into_iter(), &found.values),
        map: None,
    };
    Some((size, measurement))
}

/// What the strips have given so far.
#[derive(Default)]
struct Found {
    differences: Vec<super::channels::RowDifferences>,
    verdicts: Vec<super::super::envelope::RowVerdict>,
    /// The worst pixels by channels: column, row, error.
    worst: Vec<(u32, u32, f32)>,
    /// Colours of the golden and of the candidate at all pixels that have been among the worst.
    values: Vec<(u32, u32, [u8; 4], [u8; 4])>,
}

impl Found {
    /// Looks for worse pixels in a row whose largest difference is known.
    fn row(&mut self, y: u32, golden: &[[u8; 4]], candidate: &[[u8; 4]], tolerance: u8, largest: u16) {
        let least = if self.worst.len() < WORST_PIXELS { 0.0 } else { self.worst[WORST_PIXELS - 1].2 };
        if f32::from(largest) / 255.0 <= least {
            return;
        }
        worst_of_row(golden, candidate, y, tolerance, WORST_PIXELS, &mut self.worst);
        for &(x, _, _) in self.worst.iter().filter(|pixel| pixel.1 == y) {
            self.values.push((x, y, golden[x as usize], candidate[x as usize]));
        }
    }
}

fn with_values(
    worst: impl Iterator<Item = (u32, u32, f32)>,
    values: &[(u32, u32, [u8; 4], [u8; 4])],
) -> Vec<WorstPixel> {
    let with_values = |(x, y, error)| {
        let &(_, _, golden, candidate) = values.iter().find(|value| (value.0, value.1) == (x, y))?;
        Some(WorstPixel { x, y, golden: golden.map(u16::from), candidate: candidate.map(u16::from), error })
    };
    worst.filter_map(with_values).collect()
}
