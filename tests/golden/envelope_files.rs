//! Envelopes as a user meets them: files beside goldens, verdicts, and what is said about broken ones.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use proptest::prelude::*;
use refrast::{
    golden::{
        MeasureError, MeasureOptions, Metric, Outcome, Picture, Score, Verdict, compare,
        envelope::{CheckOptions, Envelope, EnvelopeError, EnvelopeFile, EnvelopeRow, PixelBox},
        measure, measure_with_envelope,
    },
    simd::SimdLevel,
};

const BACKGROUND: [u8; 4] = [34, 38, 46, 255];

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("refrast-envelope-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn golden_and_envelope(width: u32, colors: &[[u8; 4]], pixels: &[Vec<PixelBox>]) -> (Picture, Envelope) {
    let golden = Picture::from_rgba8(width, colors.len() as u32 / width, colors.concat()).unwrap();
    let rows = colors.chunks(width as usize).zip(pixels.chunks(width as usize)).map(|(colors, pixels)| {
        let mut row = EnvelopeRow::with_capacity(colors.len());
        colors.iter().zip(pixels).for_each(|(&color, boxes)| row.push(color, &mut boxes.clone()));
        row
    });
    let rows = rows.collect();
    let envelope = Envelope::new(&golden, "vulkan14", PixelBox::exact(BACKGROUND), rows).unwrap();
    (golden, envelope)
}

/// A disc on the background, its edge either of both, its colours within two steps.
fn disc(width: u32, height: u32) -> (Picture, Envelope) {
    let (mut colors, mut pixels) = (Vec::new(), Vec::new());
    for index in 0..width * height {
        let (x, y) = (index % width, index / width);
        let distance = x.abs_diff(width / 2).pow(2) + y.abs_diff(height / 2).pow(2);
        let color = [(x * 200 / width) as u8 + 20, (y * 200 / height) as u8 + 20, 90, 255];
        let surface = PixelBox::new(color.map(|c| c.saturating_sub(1)), color.map(|c| c.saturating_add(2)));
        let radius = width.min(height) / 3;
        let (inside, edge) = (distance < radius * radius, distance.abs_diff(radius * radius) < 2 * radius);
        colors.push(if inside { color } else { BACKGROUND });
        let background = PixelBox::exact(BACKGROUND);
        pixels.push(match (inside, edge) {
            (_, true) => vec![surface, background],
            (true, false) => vec![surface],
            (false, false) => vec![background],
        });
    }
    golden_and_envelope(width, &colors, &pixels)
}

fn with_pixel(picture: &Picture, x: u32, y: u32, color: [u8; 4]) -> Picture {
    let mut bytes = picture.samples8().into_owned();
    bytes[(y * picture.width() + x) as usize * 4..][..4].copy_from_slice(&color);
    Picture::from_rgba8(picture.width(), picture.height(), bytes).unwrap()
}

#[test]
fn the_envelope_beside_a_golden_decides_and_says_what_is_wrong() {
    let folder = Folder::new();
    let (golden, envelope) = disc(90, 60);
    let (golden_path, candidate_path) = (folder.0.join("disc.png"), folder.0.join("candidate.png"));
    golden.write(&golden_path).unwrap();
    let mut options = MeasureOptions::new(Metric::Flip);
    options.prefer_envelope = true;
    let run = |candidate: &Picture, options: &MeasureOptions| {
        candidate.write(&candidate_path).unwrap();
        compare(&golden_path, &candidate_path, options).unwrap()
    };
    let score = |candidate: &Picture, options: &MeasureOptions| {
        let comparison = run(candidate, options);
        let Outcome::Measured { measurement, .. } = &comparison.cases[0].outcome else { panic!("{comparison}") };
        (comparison.verdict, measurement.score.clone())
    };

    // Without an envelope ꟻLIP decides.
    assert!(matches!(score(&golden, &options), (Verdict::Same, Score::Flip(_))));
    envelope.write(&golden, &EnvelopeFile::path_of(&golden_path)).unwrap();
    assert!(matches!(score(&golden, &options), (Verdict::Same, Score::Envelope(_))));

    let middle = golden.pixel(45, 30).unwrap().map(|sample| sample as u8);
    let brighter = with_pixel(&golden, 45, 30, [middle[0] + 2, middle[1], middle[2], 255]);
    assert_eq!(score(&brighter, &options).0, Verdict::Same, "two steps are in the box");

    let holes = with_pixel(&with_pixel(&brighter, 40, 30, BACKGROUND), 1, 1, [255; 4]);
    let (verdict, Score::Envelope(found)) = score(&holes, &options) else { panic!("the envelope was preferred") };
    assert_eq!((verdict, found.missing, found.unexpected, found.outside), (Verdict::Different, 1, 1, 0));
    assert_eq!((found.worst[0].x, found.worst[0].y, found.farthest), (1, 1, 221));
    let text = run(&holes, &options).to_string();
    assert!(text.contains("1 missing, 1 unexpected of 5400 pixels, up to 221 steps of 255 outside"), "{text}");

    options.ignored = vec!["0,0,2,2".parse().unwrap()];
    options.maximum_differing = Some(1);
    assert_eq!(score(&holes, &options).0, Verdict::Same, "one is ignored, one may differ");
}

#[test]
fn an_envelope_that_is_asked_for_must_be_there_and_be_the_golden_s() {
    let folder = Folder::new();
    let (golden, envelope) = disc(20, 20);
    let path = folder.0.join("a.png");
    golden.write(&path).unwrap();
    let options = MeasureOptions::new(Metric::Envelope);
    let message = |expected: &str| {
        let comparison = compare(&path, &path, &options).unwrap();
        assert_eq!(comparison.verdict, Verdict::Error);
        let Outcome::Failed { message } = &comparison.cases[0].outcome else { panic!("{comparison}") };
        assert!(message.contains("a.envelope") && message.contains(expected), "{message}");
    };
    message("the golden has no envelope; write it with `refrast golden bless`");
    envelope.write(&golden, &folder.0.join("a.envelope")).unwrap();
    with_pixel(&golden, 0, 0, [1, 2, 3, 255]).write(&path).unwrap();
    message("belongs to another picture");
    disc(20, 21).0.write(&path).unwrap();
    message("belongs to another picture");
    assert_eq!(measure(&golden, &golden, &options), Err(MeasureError::NoEnvelope));
}

#[test]
fn every_cut_and_every_damaged_byte_is_an_error_or_the_same_envelope() {
    let (golden, envelope) = disc(23, 17);
    let name = Path::new("broken.envelope");
    let bytes = envelope.encode(&golden, name).unwrap();
    let read = |bytes: Vec<u8>| EnvelopeFile::from_bytes(bytes, name).and_then(|file| file.unpack(&golden));
    assert_eq!(read(bytes.clone()).unwrap(), envelope);
    let broken = |result: Result<Envelope, EnvelopeError>, what: &str| {
        let error = result.expect_err(what);
        assert!(matches!(error, EnvelopeError::Broken { .. }), "{what}: {error}");
        let text = error.to_string();
        assert!(text.contains("broken.envelope") && text.contains("refrast golden bless"), "{text}");
    };
    for length in 0..bytes.len() {
        broken(read(bytes[..length].to_vec()), &format!("cut at {length}"));
    }
    broken(read([bytes.clone(), vec![0]].concat()), "one byte more");
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        broken(read(damaged.clone()), &format!("byte {place}"));
        let checked = EnvelopeFile::from_bytes(damaged, name)
            .and_then(|file| file.check(&golden, &golden, &CheckOptions::default()));
        assert!(matches!(checked, Err(EnvelopeError::Broken { .. })), "byte {place}: {checked:?}");
    }
}

#[test]
fn a_header_that_promises_too_much_is_refused_before_anything_is_allocated() {
    let (golden, envelope) = disc(8, 8);
    let bytes = envelope.encode(&golden, Path::new("a")).unwrap();
    // Width and height, with one band: the checksum is never reached.
    for (place, value) in [(12, u32::MAX), (16, u32::MAX), (12, 0), (20, 0), (56, u32::MAX), (60, u32::MAX), (8, 2)] {
        let mut bytes = bytes.clone();
        bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
        let error = EnvelopeFile::from_bytes(bytes, Path::new("bomb.envelope")).unwrap_err().to_string();
        assert!(error.contains("bomb.envelope"), "{error}");
    }
}

fn any_box(color: [u8; 4]) -> impl Strategy<Value = PixelBox> {
    let ends = (prop::array::uniform4(any::<u8>()), prop::array::uniform4(any::<u8>()), any::<bool>());
    let apart = ends.prop_map(|(one, other, loose)| {
        let low = [0, 1, 2, 3].map(|c| one[c].min(other[c]));
        PixelBox { low, high: [0, 1, 2, 3].map(|c| one[c].max(other[c])), loose }
    });
    let around = (0_u8..3)
        .prop_map(move |by| PixelBox::new(color.map(|c| c.saturating_sub(by)), color.map(|c| c.saturating_add(by))));
    prop_oneof![2 => around, 1 => apart, 1 => Just(PixelBox::exact(BACKGROUND))]
}

fn any_pixel() -> impl Strategy<Value = ([u8; 4], Vec<PixelBox>)> {
    prop::array::uniform4(any::<u8>())
        .prop_flat_map(|color| (Just(color), prop::collection::vec(any_box(color), 1..10)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_read_is_what_was_written(width in 1_u32..40, pixels in prop::collection::vec(any_pixel(), 40..160)) {
        let pixels = &pixels[..pixels.len() / width as usize * width as usize];
        let (colors, boxes): (Vec<_>, Vec<_>) = pixels.iter().cloned().unzip();
        let (golden, envelope) = golden_and_envelope(width, &colors, &boxes);
        let bytes = envelope.encode(&golden, Path::new("a")).unwrap();
        let file = EnvelopeFile::from_bytes(bytes, Path::new("a")).unwrap();
        let read = file.unpack(&golden).unwrap();
        prop_assert_eq!(&read, &envelope);
        // The streaming check is the check.
        let candidate = Picture::from_rgba8(width, golden.height(), colors.iter().rev().copied().collect::<Vec<_>>().concat()).unwrap();
        let options = CheckOptions::default();
        prop_assert_eq!(file.check(&golden, &candidate, &options).unwrap(), envelope.check(&candidate, &options).unwrap());
    }
}

#[test]
fn a_large_picture_has_many_bands_and_a_small_file() {
    let (golden, envelope) = disc(1500, 1000);
    let bytes = envelope.encode(&golden, Path::new("a")).unwrap();
    assert!(u32::from_le_bytes(bytes[60..64].try_into().unwrap()) > 3, "bands");
    assert!(bytes.len() < golden.encode(Path::new("a")).unwrap().len(), "{} bytes", bytes.len());
    let file = EnvelopeFile::from_bytes(bytes, Path::new("a")).unwrap();
    assert_eq!(file.unpack(&golden).unwrap(), envelope);
    // And of every seventh pixel something is wrong.
    let mut candidate = golden.samples8().into_owned();
    candidate.chunks_exact_mut(4).step_by(7).enumerate().for_each(|(n, pixel)| pixel[n % 4] ^= 1 << (n % 8));
    let candidate = Picture::from_rgba8(1500, 1000, candidate).unwrap();
    for level in SimdLevel::available() {
        let options = CheckOptions { level, ..CheckOptions::default() };
        let verdict = file.check(&golden, &candidate, &options).unwrap();
        assert!(verdict.wrong() > 10_000);
        assert_eq!(verdict, envelope.check(&candidate, &options).unwrap(), "{level}");
    }
    // Files are compared strip by strip, and the verdict is that on the whole.
    let folder = Folder::new();
    let [golden_path, candidate_path] = ["golden.png", "candidate.png"].map(|name| folder.0.join(name));
    golden.write(&golden_path).unwrap();
    candidate.write(&candidate_path).unwrap();
    envelope.write(&golden, &EnvelopeFile::path_of(&golden_path)).unwrap();
    let options = MeasureOptions::new(Metric::Envelope);
    let comparison = compare(&golden_path, &candidate_path, &options).unwrap();
    let Outcome::Measured { measurement, .. } = &comparison.cases[0].outcome else { panic!("{comparison}") };
    assert_eq!(**measurement, measure_with_envelope(&golden, &candidate, &file, &options).unwrap());
}
