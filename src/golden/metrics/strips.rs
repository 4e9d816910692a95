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
    channels::{row_differences, summarise, wide_row_differences},
    error_map::worst_of_row,
    measurement::{WORST_PIXELS, of_verdict},
};
use refrast_simd::SimdLevel;

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
/// `None` where that needs whole pictures: for other metrics than `exact`, `threshold` and `envelope`, different sizes or bits,
/// ignored pixels, and an envelope of 16 bits. Else their width and height, and the measurement. `None` as well where a file is broken: who decodes it as a whole finds out how.
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
    if golden_reader.bits() != other.bits() || other.size() != size {
        return None;
    }
    if envelope.is_some_and(|envelope| envelope.size() != size) {
        return None;
    }

    // The check of the options has made sure that this is a whole number of steps.
    let tolerance = if metric == Metric::Threshold { threshold as u8 } else { 0 };
    let counted = u64::from(size.0) * u64::from(size.1);
    if golden_reader.bits() == 16 {
        if envelope.is_some() {
            return None;
        }
        let found = find_wide(golden_reader, candidate_reader, tolerance, options.level)?;
        return Some((size, found.measurement((metric, threshold), (16, counted), options)));
    }
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
                        found.row(y, golden, candidate, u16::from(tolerance), largest);
                    }
                }
            }
        }
        found.differences.extend(differences);
    }
    golden_reader.finish().ok()?;
    candidate_reader.map_or(Ok(()), PictureReader::finish).ok()?;

    if let Some(envelope) = envelope {
        let channels = summarise(8, &found.differences);
        envelope.check_hash(hasher.finish()).ok()?;
        let verdict = EnvelopeVerdict::of_rows(found.verdicts);
        let listed = verdict.worst.iter().map(|pixel| (pixel.x, pixel.y, f32::from(pixel.distance) / 255.0));
        let worst = with_values(listed, &found.values);
        return Some((size, of_verdict(verdict, worst, channels, (threshold, counted, 0), options)));
    }
    Some((size, found.measurement((metric, threshold), (8, counted), options)))
}

/// The strips of two pictures of 16 bits.
fn find_wide(
    mut golden: PictureReader<'_>,
    mut candidate: Option<PictureReader<'_>>,
    tolerance: u8,
    level: SimdLevel,
) -> Option<Found<u16>> {
    let width = golden.size().0 as usize;
    let rows = golden.size().1 as usize;
    // Half as many pixels in as many bytes.
    let strip = (STRIP_PIXELS / 2 / width).max(1);
    let mut golden_strip = vec![0; strip * width * 4];
    let mut candidate_strip = vec![0; if candidate.is_some() { golden_strip.len() } else { 0 }];
    let mut found = Found::default();
    for first in (0..rows).step_by(strip) {
        let length = strip.min(rows - first) * width * 4;
        let golden_strip = &mut golden_strip[..length];
        golden.read_wide_rows(golden_strip).ok()?;
        let golden_strip = &*golden_strip;
        let candidate_strip = match &mut candidate {
            None => golden_strip,
            Some(candidate) => {
                candidate.read_wide_rows(&mut candidate_strip[..length]).ok()?;
                &candidate_strip[..length]
            }
        };
        let differences = wide_row_differences(golden_strip, candidate_strip, width * 4, tolerance, level);
        let (golden, candidate) = (golden_strip.as_chunks::<4>().0, candidate_strip.as_chunks::<4>().0);
        let rows = golden.chunks_exact(width).zip(candidate.chunks_exact(width));
        for ((y, (golden, candidate)), row) in (first as u32..).zip(rows).zip(&differences) {
            let largest = row.largest.into_iter().fold(0, u16::max);
            let tolerance = u16::from(tolerance) * 257;
            if largest > tolerance {
                found.row(y, golden, candidate, tolerance, largest);
            }
        }
        found.differences.extend(differences);
    }
    golden.finish().ok()?;
    candidate.map_or(Ok(()), PictureReader::finish).ok()?;
    Some(found)
}

/// What the strips have given so far, of samples of 8 or 16 bits.
struct Found<T> {
    differences: Vec<super::channels::RowDifferences>,
    verdicts: Vec<super::super::envelope::RowVerdict>,
    /// The worst pixels by channels: column, row, error.
    worst: Vec<(u32, u32, f32)>,
    /// Colours of the golden and of the candidate at all pixels that have been among the worst.
    values: Vec<(u32, u32, [T; 4], [T; 4])>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { differences: Vec::new(), verdicts: Vec::new(), worst: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy + Into<u16>> Found<T> {
    /// What the metric says; it looks at channels alone.
    fn measurement(
        self,
        (metric, threshold): (Metric, f64),
        (bits, counted): (u32, u64),
        options: &MeasureOptions,
    ) -> Measurement {
        let channels = summarise(bits, &self.differences);
        Measurement {
            metric,
            accepted: channels.differing <= options.maximum_differing.unwrap_or(0),
            score: if metric == Metric::Threshold { Score::Threshold } else { Score::Exact },
            threshold,
            differing: channels.differing,
            counted,
            ignored: 0,
            channels,
            worst: with_values(self.worst.into_iter(), &self.values),
            map: None,
        }
    }

    /// Looks for worse pixels in a row whose largest difference is known; tolerance and difference are in steps of `T`.
    fn row(&mut self, y: u32, golden: &[[T; 4]], candidate: &[[T; 4]], tolerance: u16, largest: u16) {
        // 255 or 65535.
        let most = u16::MAX >> (16 - 8 * size_of::<T>());
        let least = if self.worst.len() < WORST_PIXELS { 0.0 } else { self.worst[WORST_PIXELS - 1].2 };
        if f32::from(largest) / f32::from(most) <= least {
            return;
        }
        worst_of_row((golden, candidate), y, (tolerance, most), WORST_PIXELS, &mut self.worst);
        for &(x, _, _) in self.worst.iter().filter(|pixel| pixel.1 == y) {
            self.values.push((x, y, golden[x as usize], candidate[x as usize]));
        }
    }
}

fn with_values<T: Copy + Into<u16>>(
    worst: impl Iterator<Item = (u32, u32, f32)>,
    values: &[(u32, u32, [T; 4], [T; 4])],
) -> Vec<WorstPixel> {
    let with_values = |(x, y, error)| {
        let &(_, _, golden, candidate) = values.iter().find(|value| (value.0, value.1) == (x, y))?;
        Some(WorstPixel { x, y, golden: golden.map(T::into), candidate: candidate.map(T::into), error })
    };
    worst.filter_map(with_values).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::picture::{Picture, Samples},
        *,
    };

    /// Sixteen bits by strips is sixteen bits at once, and takes more than one strip.
    #[test]
    fn wide_pictures_are_measured_the_same_by_strips() {
        let (width, height) = (700, 1600);
        assert!(width * height > STRIP_PIXELS / 2);
        let samples: Vec<u16> = (0..width * height * 4).map(|index| ((index * 40_503) >> 3) as u16).collect();
        let picture = |samples: Vec<u16>| Picture::new(width as u32, height as u32, Samples::Sixteen(samples)).unwrap();
        let golden = picture(samples.clone());
        let mut changed = samples;
        for (place, step) in [(5, 1), (70_003, 257), (4_000_000, 300), (4_479_999, 9000)] {
            changed[place] = changed[place].wrapping_add(step);
        }
        let candidate = picture(changed);
        let name = Path::new("wide.png");
        let files = [&golden, &candidate].map(|picture| picture.encode(name).unwrap());
        let named = |bytes| NamedBytes { bytes, name };
        for metric in [Metric::Exact, Metric::Threshold] {
            for (one, other, pictures) in [(0, 1, (&golden, &candidate)), (0, 0, (&golden, &golden))] {
                let options = MeasureOptions::new(metric);
                let (size, strips) = measure_strips(named(&files[one]), named(&files[other]), None, &options).unwrap();
                let mut whole = super::super::measure(pictures.0, pictures.1, &options).unwrap();
                whole.map = None;
                assert_eq!((size, strips), ((width as u32, height as u32), whole), "{metric}");
            }
        }
    }
}
