//! Comparing pictures as a user does: files and folders in, a verdict and its reasons out.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use refrast::golden::{
    MeasureError, MeasureOptions, Metric, Outcome, Picture, PictureError, Rectangle, Report, Samples, Score, Verdict,
    compare, compare_observed, measure,
};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("refrast-compare-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, picture: &Picture) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        picture.write(&path).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A picture with a different colour at every pixel.
fn gradient(width: u32, height: u32) -> Picture {
    let pixel = |index: u32| [(index % width) as u8, (index / width) as u8, 128, 255];
    Picture::from_rgba8(width, height, (0..width * height).flat_map(pixel).collect::<Vec<u8>>()).unwrap()
}

/// The same with one channel of one pixel moved.
fn changed(picture: &Picture, x: u32, y: u32, channel: usize, by: u8) -> Picture {
    let mut bytes = picture.samples8().into_owned();
    let sample = &mut bytes[(y * picture.width() + x) as usize * 4 + channel];
    *sample = sample.wrapping_add(by);
    Picture::from_rgba8(picture.width(), picture.height(), bytes).unwrap()
}

fn exact() -> MeasureOptions {
    MeasureOptions::new(Metric::Exact)
}

#[test]
fn one_changed_sample_is_found_and_named() {
    let folder = Folder::new();
    let picture = gradient(40, 30);
    let golden = folder.write("golden.png", &picture);
    let candidate = folder.write("candidate.png", &changed(&picture, 7, 11, 1, 3));
    let comparison = compare(&golden, &candidate, &exact()).unwrap();
    assert_eq!(comparison.verdict, Verdict::Different);
    let Outcome::Measured { measurement, .. } = &comparison.cases[0].outcome else { panic!("{comparison:?}") };
    assert_eq!((measurement.differing, measurement.channels.largest), (1, [0, 3, 0, 0]));
    let worst = measurement.worst[0];
    assert_eq!((worst.x, worst.y, worst.golden, worst.candidate), (7, 11, [7, 11, 128, 255], [7, 14, 128, 255]));
    let text = comparison.to_string();
    assert!(
        text.contains("DIFFERENT: golden.png") && text.contains("(7, 11): (7 11 128 255) -> (7 14 128 255)"),
        "{text}"
    );
}

#[test]
fn the_threshold_is_the_largest_difference_that_is_accepted() {
    let picture = gradient(20, 20);
    let candidate = changed(&picture, 3, 4, 2, 5);
    let mut options = MeasureOptions::new(Metric::Threshold);
    for (threshold, accepted) in [(4.0, false), (5.0, true)] {
        options.threshold = Some(threshold);
        assert_eq!(measure(&picture, &candidate, &options).unwrap().accepted, accepted, "{threshold}");
    }
    options.threshold = Some(4.0);
    options.maximum_differing = Some(1);
    assert!(measure(&picture, &candidate, &options).unwrap().accepted, "one pixel may differ");
}

#[test]
fn an_invisible_change_of_a_transparent_pixel_is_still_a_difference() {
    let golden = Picture::from_rgba8(1, 1, vec![10, 20, 30, 0]).unwrap();
    let color = Picture::from_rgba8(1, 1, vec![90, 20, 30, 0]).unwrap();
    let alpha = Picture::from_rgba8(1, 1, vec![10, 20, 30, 1]).unwrap();
    for candidate in [color, alpha] {
        assert!(!measure(&golden, &candidate, &exact()).unwrap().accepted);
    }
}

#[test]
fn ignored_pixels_do_not_count_in_any_metric() {
    let picture = gradient(40, 30);
    let mut candidate = picture.clone();
    for (x, y) in [(5, 5), (6, 5), (39, 29)] {
        candidate = changed(&candidate, x, y, 0, 100);
    }
    for metric in Metric::OF_TWO_PICTURES {
        let mut options = MeasureOptions::new(metric);
        // Two rectangles that overlap and one that reaches past the edge: 2 x 1 + 2 x 2 - 2 + 1 pixels.
        options.ignored = ["5,5,2,1", "5,5,2,2", "39,29,50,50"].map(|text| text.parse::<Rectangle>().unwrap()).to_vec();
        let measurement = measure(&picture, &candidate, &options).unwrap();
        assert_eq!((measurement.ignored, measurement.counted), (5, 1195), "{metric}");
        assert!(measurement.accepted && measurement.differing == 0 && measurement.worst.is_empty(), "{metric}");
        options.ignored.pop();
        assert_eq!(measure(&picture, &candidate, &options).unwrap().channels.first, Some((39, 29)), "{metric}");
    }
}

#[test]
fn equal_pictures_are_perfect_by_every_metric() {
    let picture = gradient(33, 17);
    for metric in Metric::OF_TWO_PICTURES {
        let mut options = MeasureOptions::new(metric);
        options.threshold = Some(match metric {
            Metric::Psnr => 1e9,
            Metric::Ssim => 1.0,
            _ => 0.0,
        });
        let measurement = measure(&picture, &picture.clone(), &options).unwrap();
        assert!(measurement.accepted && measurement.differing == 0, "{metric}: {measurement:?}");
    }
}

#[test]
fn black_against_white_is_rejected_by_every_metric() {
    let [black, white] =
        [0, 255].map(|value| Picture::from_rgba8(32, 32, [[value, value, value, 255]; 1024].concat()).unwrap());
    for metric in Metric::OF_TWO_PICTURES {
        let measurement = measure(&black, &white, &MeasureOptions::new(metric)).unwrap();
        assert!(!measurement.accepted && measurement.differing == 1024, "{metric}: {measurement:?}");
    }
}

#[test]
fn different_sizes_are_said_and_never_overlapped() {
    let folder = Folder::new();
    let golden = folder.write("a.png", &gradient(10, 10));
    let candidate = folder.write("b.png", &gradient(10, 11));
    let comparison = compare(&golden, &candidate, &MeasureOptions::new(Metric::Flip)).unwrap();
    assert_eq!(comparison.verdict, Verdict::Different);
    assert_eq!(comparison.cases[0].outcome, Outcome::Sizes { golden: (10, 10), candidate: (10, 11) });
    assert!(comparison.to_string().contains("the golden is 10x10, the candidate 10x11"));
}

#[test]
fn folders_are_compared_by_name_and_what_is_missing_or_extra_is_said() {
    let folder = Folder::new();
    let picture = gradient(8, 8);
    for name in
        ["golden/same.png", "candidate/same.png", "golden/walk/0001.png", "golden/gone.png", "candidate/new.PNG"]
    {
        folder.write(name, &picture);
    }
    folder.write("candidate/walk/0001.png", &changed(&picture, 0, 0, 0, 200));
    fs::write(folder.path("golden/notes.txt"), "not a picture").unwrap();
    let comparison = compare(&folder.path("golden"), &folder.path("candidate"), &exact()).unwrap();
    let verdicts: Vec<_> = comparison.cases.iter().map(|case| (case.name.as_str(), case.verdict)).collect();
    assert_eq!(
        verdicts,
        [
            ("gone.png", Verdict::Different),
            ("new.PNG", Verdict::Different),
            ("same.png", Verdict::Same),
            ("walk/0001.png", Verdict::Different),
        ]
    );
    assert_eq!(comparison.cases[0].outcome, Outcome::Missing);
    assert_eq!(comparison.cases[1].outcome, Outcome::Extra);
    let text = comparison.to_string();
    assert!(text.contains("4 cases: 1 same, 3 different, 0 with errors"), "{text}");

    let json: serde_json::Value = serde_json::from_str(&comparison.to_json().unwrap()).unwrap();
    assert_eq!(json["verdict"], "different");
    assert_eq!(json["cases"][0]["outcome"], "missing");
    assert_eq!(json["cases"][3]["measurement"]["channels"]["largest"][0], 200);
    let junit = comparison.to_junit().unwrap();
    assert!(
        junit.contains(r#"tests="4""#) && junit.contains(r#"failures="3""#) && junit.contains(r#"errors="0""#),
        "{junit}"
    );
}

#[test]
fn files_are_compared_in_strips_as_pictures_are_as_a_whole() {
    let folder = Folder::new();
    // More than a strip.
    let golden = gradient(1300, 1000);
    let mut bytes = golden.samples8().into_owned();
    bytes.iter_mut().step_by(4003).enumerate().for_each(|(n, sample)| *sample = sample.wrapping_add((n % 7) as u8));
    let candidate = changed(&Picture::from_rgba8(1300, 1000, bytes).unwrap(), 700, 990, 2, 99);
    let paths = [("golden.png", &golden), ("candidate.png", &candidate)].map(|(name, it)| folder.write(name, it));
    for (metric, maximum_differing) in
        [(Metric::Exact, None), (Metric::Threshold, None), (Metric::Threshold, Some(100_000))]
    {
        let options = MeasureOptions { maximum_differing, ..MeasureOptions::new(metric) };
        for (path, picture) in paths.iter().zip([&golden, &candidate]) {
            let comparison = compare(&paths[0], path, &options).unwrap();
            let Outcome::Measured { width, height, measurement, .. } = &comparison.cases[0].outcome else {
                panic!("{comparison}")
            };
            assert_eq!((*width, *height), (1300, 1000));
            assert_eq!(**measurement, measure(&golden, picture, &options).unwrap(), "{metric}");
        }
    }
}

#[test]
fn a_broken_file_is_an_error_and_does_not_hide_the_other_verdicts() {
    let folder = Folder::new();
    let picture = gradient(8, 8);
    for name in ["golden/a.png", "golden/b.png", "candidate/a.png"] {
        folder.write(name, &picture);
    }
    fs::write(folder.path("candidate/b.png"), "").unwrap();
    let comparison = compare(&folder.path("golden"), &folder.path("candidate"), &exact()).unwrap();
    assert_eq!(comparison.verdict.exit_status(), 2);
    assert_eq!(comparison.cases[0].verdict, Verdict::Same);
    let Outcome::Failed { message } = &comparison.cases[1].outcome else { panic!("{comparison:?}") };
    assert!(message.contains("b.png") && message.contains("empty (0 bytes)"), "{message}");
}

#[test]
fn two_equal_but_broken_files_are_an_error() {
    let folder = Folder::new();
    let golden = folder.write("a.png", &gradient(8, 8));
    let bytes = fs::read(&golden).unwrap();
    for name in ["a.png", "b.png"] {
        fs::write(folder.path(name), &bytes[..bytes.len() - 20]).unwrap();
    }
    let comparison = compare(&golden, &folder.path("b.png"), &exact()).unwrap();
    assert_eq!(comparison.verdict, Verdict::Error);
}

#[test]
fn what_can_not_be_compared_is_explained() {
    let folder = Folder::new();
    let file = folder.write("a.png", &gradient(8, 8));
    let missing = compare(&file, &folder.path("absent.png"), &exact()).unwrap_err().to_string();
    assert!(missing.contains("absent.png"), "{missing}");
    let mixed = compare(&file, &folder.0, &exact()).unwrap_err().to_string();
    assert!(mixed.contains("a file and a folder"), "{mixed}");
    fs::create_dir_all(folder.path("empty")).unwrap();
    let empty = compare(&folder.path("empty"), &folder.path("empty"), &exact()).unwrap_err().to_string();
    assert!(empty.contains("nothing to compare"), "{empty}");
    let mut options = MeasureOptions::new(Metric::Threshold);
    options.threshold = Some(2.5);
    let threshold = compare(&file, &file, &options).unwrap_err().to_string();
    assert!(threshold.contains("2.5") && threshold.contains("whole 8-bit steps"), "{threshold}");
}

#[test]
fn sizes_and_options_are_checked_by_measure_itself() {
    let (small, large) = (gradient(2, 2), gradient(3, 2));
    assert_eq!(
        measure(&small, &large, &exact()).unwrap_err(),
        MeasureError::Sizes { golden: (2, 2), candidate: (3, 2) }
    );
    let mut options = MeasureOptions::new(Metric::Flip);
    for pixels_per_degree in [0.0, f32::NAN, 1e9] {
        options.pixels_per_degree = pixels_per_degree;
        assert!(matches!(measure(&small, &small, &options), Err(MeasureError::PixelsPerDegree(_))));
    }
    for metric in Metric::OF_TWO_PICTURES {
        let mut options = MeasureOptions::new(metric);
        options.threshold = Some(f64::NAN);
        assert!(matches!(measure(&small, &small, &options), Err(MeasureError::Threshold { .. })), "{metric}");
    }
}

#[test]
fn eight_bits_and_sixteen_bits_of_the_same_picture_are_the_same() {
    let folder = Folder::new();
    let picture = gradient(9, 9);
    let wide = Picture::new(9, 9, Samples::Sixteen(picture.samples16().into_owned())).unwrap();
    let (golden, candidate) = (folder.write("8.png", &picture), folder.write("16.png", &wide));
    assert_eq!(Picture::read(&candidate).unwrap(), wide);
    for metric in Metric::OF_TWO_PICTURES {
        let comparison = compare(&golden, &candidate, &MeasureOptions::new(metric)).unwrap();
        assert_eq!(comparison.verdict, Verdict::Same, "{metric}: {comparison}");
    }
}

#[test]
fn the_report_shows_failing_cases_first_and_needs_nothing_else() {
    let folder = Folder::new();
    let picture = gradient(16, 16);
    for name in ["golden/a<b>&\"c.png", "candidate/a<b>&\"c.png", "golden/z.png"] {
        folder.write(name, &picture);
    }
    folder.write("candidate/z.png", &changed(&picture, 1, 2, 0, 90));
    let options = exact();
    let report = Report::new(&folder.path("report"), &options).unwrap();
    let comparison =
        compare_observed(&folder.path("golden"), &folder.path("candidate"), &options, &|case, pictures| {
            report.add(case, pictures)
        })
        .unwrap();
    let page = fs::read_to_string(report.finish(&comparison).unwrap()).unwrap();
    let files: Vec<_> = fs::read_dir(folder.path("report")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["index.html"], "small pictures are inside the page");
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src=\""));
    assert!(!page.contains("a<b>"), "names are escaped in the list and in the data");
    let (failing, same) = (page.find(">z.png<").unwrap(), page.find(">a&#60;b&#62;&#38;&#34;c.png<").unwrap());
    assert!(failing < same);
    assert_eq!(
        page.matches("data:image/png;base64,").count(),
        3,
        "golden, candidate and difference of the failing case"
    );
}

#[test]
fn a_large_case_stays_beside_the_page_and_keeps_no_small_one_out() {
    let folder = Folder::new();
    let mut state = 1_u32;
    let mut noise = |width: u32, height: u32| {
        let bytes = (0..width * height * 4).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        Picture::from_rgba8(width, height, bytes.collect::<Vec<_>>()).unwrap()
    };
    // Noise does not compress: 2 x 17 MB of it are more than a page holds.
    for (name, width, height) in [("a-large.png", 2400, 1800), ("z-small.png", 16, 16)] {
        folder.write(&format!("golden/{name}"), &noise(width, height));
        folder.write(&format!("candidate/{name}"), &noise(width, height));
    }
    let options = exact();
    let report = Report::new(&folder.path("report"), &options).unwrap();
    let [golden, candidate] = ["golden", "candidate"].map(|name| folder.path(name));
    let comparison =
        compare_observed(&golden, &candidate, &options, &|case, pictures| report.add(case, pictures)).unwrap();
    let page = fs::read_to_string(report.finish(&comparison).unwrap()).unwrap();
    assert_eq!(page.matches("data:image/png;base64,").count(), 3, "the small case is inside");
    assert_eq!(fs::read_dir(folder.path("report/images")).unwrap().count(), 3, "the large one is not, as a whole");
    assert!(page.contains("beside this page: 1."), "and the reader is told");
}

#[test]
fn ignored_pixels_are_told_and_ignoring_all_of_them_is_an_error() {
    let folder = Folder::new();
    let golden = folder.write("a.png", &gradient(8, 8));
    let candidate = folder.write("b.png", &changed(&gradient(8, 8), 1, 2, 0, 90));
    let mut options = exact();
    let mut run = |rectangle: &str| {
        options.ignored = vec![rectangle.parse().unwrap()];
        let comparison = compare(&golden, &candidate, &options).unwrap();
        (comparison.verdict, comparison.to_string())
    };
    let (verdict, text) = run("100,100,5,5");
    assert!(verdict == Verdict::Different && text.contains("lies outside of the picture"), "{text}");
    let (verdict, text) = run("0,0,5,5");
    assert!(verdict == Verdict::Same && text.contains("25 pixels ignored"), "{text}");
    assert!(text.contains("all 39 pixels equal"), "{text}");
    let (verdict, text) = run("0,0,800,800");
    assert!(verdict == Verdict::Error && text.contains("nothing is compared"), "{text}");
}

#[test]
fn flip_reports_its_pooled_values() {
    let picture = gradient(32, 32);
    let measurement =
        measure(&picture, &changed(&picture, 16, 16, 1, 128), &MeasureOptions::new(Metric::Flip)).unwrap();
    let Score::Flip(score) = measurement.score else { panic!("{measurement:?}") };
    assert!(score.mean > 0.0 && score.mean < score.weighted_median && score.weighted_median <= score.maximum);
    assert_eq!(measurement.worst[0].error, score.maximum as f32);
    assert!(score.mean < 0.05, "one pixel of 1024 is nothing in the mean");
    assert!(!measurement.accepted && measurement.differing > 0, "but it is seen");
    let mut options = MeasureOptions::new(Metric::Flip);
    options.maximum_differing = Some(measurement.differing);
    assert!(measure(&picture, &changed(&picture, 16, 16, 1, 128), &options).unwrap().accepted);
}

#[test]
fn a_missing_file_names_itself() {
    let error = Picture::read(Path::new("no/such/picture.png")).unwrap_err();
    assert!(matches!(error, PictureError::Read { .. }));
    assert!(error.to_string().contains("no/such/picture.png"), "{error}");
}
