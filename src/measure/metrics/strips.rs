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
    measurement::{WORST_PIXELS, copy_rectangles, ignored_pixels, of_verdict},
    psnr::Squares,
};
use refrast_threads::both;

/// Pixels of a strip, of each picture 4 MiB: enough that all threads have work until the next.
const STRIP_PIXELS: usize = 1 << 20;

/// A file's bytes and the name that stands in errors.
#[derive(Clone, Copy)]
pub struct NamedBytes<'a> {
    /// All of them.
    pub bytes: &'a [u8],
    /// The name.
    pub name: &'a Path,
}

/// As [`measure`](super::measure), or with an envelope [`measure_with_envelope`](super::measure_with_envelope), of the
/// pictures in two files.
///
/// `None` where that needs whole pictures, where the sizes differ, and where a file is broken: who decodes it
/// as a whole finds out how. Else their width and height, and the measurement.
#[must_use]
pub fn measure_strips(
    golden: NamedBytes<'_>,
    candidate: NamedBytes<'_>,
    envelope: Option<&EnvelopeFile>,
    options: &MeasureOptions,
) -> Option<((u32, u32), Measurement)> {
    let metric = if envelope.is_some() { Metric::Envelope } else { options.metric };
    let threshold = options.threshold_for(metric).ok()?;
    let mut golden_reader = PictureReader::open(golden.bytes, golden.name).ok()?;
    // Files of equal bytes hold equal pictures, so only one is decoded.
    let mut candidate_reader = match golden.bytes == candidate.bytes {
        true => None,
        false => Some(PictureReader::open(candidate.bytes, candidate.name).ok()?),
    };
    let size = golden_reader.size();
    let other = candidate_reader.as_ref().unwrap_or(&golden_reader);
    let bits = (golden_reader.bits(), other.bits());
    if other.size() != size || !are_enough(metric, bits, options) {
        return None;
    }
    if envelope.is_some_and(|envelope| envelope.size() != size) {
        return None;
    }

    // The check of the options has made sure that this is a whole number of steps.
    let tolerance = if metric == Metric::Threshold { threshold as u8 } else { 0 };
    let ignored = ignored_pixels(&options.ignored, size.0, size.1).ok()?;
    let counted = u64::from(size.0) * u64::from(size.1) - ignored;
    let numbers = (threshold, counted, ignored);
    if bits != (8, 8) {
        let mut found = find_wide(golden_reader, candidate_reader, (metric, tolerance), options)?;
        // Each picture's values are told in its own bits.
        let narrow = |sample: u16, bits: u32| if bits == 8 { sample / 257 } else { sample };
        for (_, _, golden, candidate) in &mut found.values {
            *golden = golden.map(|sample| narrow(sample, bits.0));
            *candidate = candidate.map(|sample| narrow(sample, bits.1));
        }
        return Some((size, found.measurement(metric, 16, numbers, options)));
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
        let (one, other) = both(
            || golden_reader.read_rows(golden_strip),
            || candidate_reader.as_mut().map_or(Ok(()), |reader| reader.read_rows(&mut candidate_strip[..length])),
        );
        one.and(other).ok()?;
        let golden_strip = &*golden_strip;
        if candidate_reader.is_some() {
            let first_row = first / width;
            copy_rectangles(
                golden_strip,
                candidate_strip,
                size,
                first_row..first_row + length / 4 / width,
                &options.ignored,
            );
        }
        let candidate_strip = if candidate_reader.is_some() { &candidate_strip[..length] } else { golden_strip };
        if metric == Metric::Psnr {
            found.squares = found.squares.plus(Squares::of(golden_strip, candidate_strip));
        }
        let (golden, candidate) = (golden_strip.as_chunks::<4>().0, candidate_strip.as_chunks::<4>().0);
        let (verdicts, (differences, ())) = both(
            || envelope.map(|envelope| envelope.check_bands(first / unit, golden, candidate, &check)).transpose(),
            || {
                both(
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
        return Some((size, of_verdict(verdict, worst, channels, numbers, options)));
    }
    Some((size, found.measurement(metric, 8, numbers, options)))
}

/// Whether strips are all that a metric needs of pictures with so many bits: of channels and of their sums they are, and of
/// envelopes where every pixel counts.
pub(super) fn are_enough(metric: Metric, bits: (u32, u32), options: &MeasureOptions) -> bool {
    match metric {
        Metric::Exact | Metric::Threshold | Metric::Psnr => true,
        Metric::Envelope => bits == (8, 8) && options.ignored.is_empty(),
        Metric::Flip | Metric::Ssim | Metric::Fuzzy | Metric::Yiq => false,
    }
}

/// The strips of two pictures, of which at least one has 16 bits, in 16 bits.
fn find_wide(
    mut golden: PictureReader<'_>,
    mut candidate: Option<PictureReader<'_>>,
    (metric, tolerance): (Metric, u8),
    options: &MeasureOptions,
) -> Option<Found<u16>> {
    let size = golden.size();
    let (width, rows) = (size.0 as usize, size.1 as usize);
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
                let rows = first..first + length / 4 / width;
                copy_rectangles(golden_strip, &mut candidate_strip, size, rows, &options.ignored);
                &candidate_strip[..length]
            }
        };
        if metric == Metric::Psnr {
            found.squares = found.squares.plus(Squares::of(golden_strip, candidate_strip));
        }
        let differences = wide_row_differences(golden_strip, candidate_strip, width * 4, tolerance, options.level);
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
    /// For `psnr`.
    squares: Squares,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self {
            differences: Vec::new(),
            verdicts: Vec::new(),
            worst: Vec::new(),
            values: Vec::new(),
            squares: Squares::default(),
        }
    }
}

impl<T: Copy + Into<u16>> Found<T> {
    /// What the metric says, which looks at channels alone, with the threshold and the numbers of pixels counted and ignored.
    fn measurement(
        self,
        metric: Metric,
        bits: u32,
        (threshold, counted, ignored): (f64, u64, u64),
        options: &MeasureOptions,
    ) -> Measurement {
        let channels = summarise(bits, &self.differences);
        let few = |most: u64| channels.differing <= most;
        let (accepted, score) = match metric {
            Metric::Psnr => {
                let decibels = self.squares.decibels(counted, bits);
                let accepted = decibels.is_none_or(|decibels| decibels >= threshold);
                (accepted && options.maximum_differing.is_none_or(few), Score::Psnr { decibels })
            }
            Metric::Threshold => (few(options.maximum_differing.unwrap_or(0)), Score::Threshold),
            _ => (few(options.maximum_differing.unwrap_or(0)), Score::Exact),
        };
        Measurement {
            metric,
            accepted,
            score,
            threshold,
            differing: channels.differing,
            counted,
            ignored,
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
        super::super::{
            picture::{Picture, Samples},
            rectangle::Rectangle,
        },
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

    /// Files of 8 and of 16 bits, interlaced or not, with pixels that do not count: all that a strip can be made of.
    #[test]
    fn every_kind_of_file_is_measured_the_same_by_strips() {
        let (width, height) = (37, 23);
        let samples: Vec<u8> = (0..width * height * 4).map(|index| ((index * 40_503) >> 7) as u8).collect();
        let mut changed = samples.clone();
        for (place, step) in [(5, 1), (700, 3), (1500, 40), (3300, 90)] {
            changed[place] ^= step;
        }
        let wide = |samples: &[u8]| samples.iter().map(|sample| u16::from(*sample) * 257).collect();
        let picture = |samples| Picture::new(width as u32, height as u32, samples).unwrap();
        let name = Path::new("any.png");
        let goldens = [picture(Samples::Eight(samples.clone())), picture(Samples::Sixteen(wide(&samples)))];
        let candidates = [picture(Samples::Eight(changed.clone())), picture(Samples::Sixteen(wide(&changed)))];
        let ignored = vec![Rectangle { x: 10, y: 17, width: 20, height: 3 }];
        for (golden, candidate) in
            [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(one, other)| (&goldens[one], &candidates[other]))
        {
            let files = [golden.encode(name).unwrap(), candidate.encode(name).unwrap(), interlaced(candidate)];
            for (metric, ignored, other) in [
                (Metric::Exact, &Vec::new(), 1),
                (Metric::Psnr, &Vec::new(), 2),
                (Metric::Threshold, &ignored, 2),
                (Metric::Psnr, &ignored, 1),
            ] {
                let options = MeasureOptions { ignored: ignored.clone(), ..MeasureOptions::new(metric) };
                let named = |bytes| NamedBytes { bytes, name };
                let (_, strips) = measure_strips(named(&files[0]), named(&files[other]), None, &options).unwrap();
                let mut whole = super::super::measure(golden, candidate, &options).unwrap();
                whole.map = None;
                assert_eq!(strips, whole, "{metric}, {} and {} bits", golden.bits(), candidate.bits());
            }
        }
    }

    /// The picture as an interlaced file: PNG specification, third edition, section 8.2.
    fn interlaced(picture: &Picture) -> Vec<u8> {
        let (width, height) = picture.size();
        let mut data = Vec::new();
        for (x0, y0, dx, dy) in
            [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        {
            for y in (y0..height).step_by(dy) {
                // Filter type 0.
                data.push(0);
                for sample in (x0..width).step_by(dx).flat_map(|x| picture.pixel(x, y).unwrap()) {
                    let bytes = sample.to_be_bytes();
                    data.extend(if picture.bits() == 16 { &bytes[..] } else { &bytes[1..] });
                }
            }
        }
        let chunk = |kind: &[u8; 4], data: &[u8]| {
            let body = [&kind[..], data].concat();
            let mut checksum = flate2::Crc::new();
            checksum.update(&body);
            [&(data.len() as u32).to_be_bytes()[..], &body, &checksum.sum().to_be_bytes()].concat()
        };
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[picture.bits() as u8, 6, 0, 0, 1]].concat();
        let data = fdeflate::compress_to_vec(&data);
        [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &header), &chunk(b"IDAT", &data), &chunk(b"IEND", &[])].concat()
    }
}
