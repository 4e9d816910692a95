//! [`assert_golden!`](crate::assert_golden): a golden as a line of a test.
//!
//! Why it exists: most pictures that are worth keeping are made in somebody's tests. One line there compares, says what
//! differs and leaves a report behind; and one environment variable keeps what was drawn.

use std::{env, fs, path::Path};

use super::{
    commit::keep_golden,
    compare::{CaseFiles, compare_cases},
    report::Report,
};
use refrast_measure::{MeasureOptions, Metric, Picture, Verdict};

/// Who drew the picture of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnBy {
    /// refrast itself, which draws the same bits everywhere: the picture must be the golden exactly.
    Refrast,
    /// Any renderer: the picture must lie in the golden's envelope, and be the same to the eye (ꟻLIP) where it has none.
    Anybody,
}

/// Compares a picture with `golden/NAME.png` in the folder of a package, or writes that golden where the environment
/// variable `REFRAST_BLESS` is set. What differs is shown by a report in `target/refrast/NAME/`.
///
/// # Errors
/// The message of the failed assertion: what differs, where the report is, and how to keep the picture.
pub fn check_against_golden(package: &Path, name: &str, picture: &Picture, drawn_by: DrawnBy) -> Result<(), String> {
    let golden = package.join("golden").join(format!("{name}.png"));
    let say = |error: &dyn std::fmt::Display| format!("golden `{name}`: {error}");
    if env::var_os("REFRAST_BLESS").is_some() {
        return bless(&golden, picture).map_err(|error| say(&error));
    }
    let folder = package.join("target/refrast").join(name);
    let candidate = folder.join("candidate.png");
    fs::create_dir_all(&folder).map_err(|error| say(&format_args!("{}: {error}", folder.display())))?;
    picture.write(&candidate).map_err(|error| say(&error))?;
    let mut options = MeasureOptions::new(if drawn_by == DrawnBy::Refrast { Metric::Exact } else { Metric::Flip });
    options.prefer_envelope = drawn_by == DrawnBy::Anybody;
    let report = Report::new(&folder, &options).map_err(|error| say(&error))?;
    let files = CaseFiles { name: name.to_owned(), golden: golden.clone(), candidate: Ok(candidate.clone()) };
    let comparison =
        compare_cases(&golden, &candidate, vec![files], &options, &|case, pictures| report.add(case, pictures))
            .map_err(|error| say(&error))?;
    if comparison.verdict == Verdict::Same {
        return Ok(());
    }
    let page = report.finish(&comparison).map_err(|error| say(&error))?;
    Err(format!(
        "{}report: {}\nif the new picture is right, keep it: run the test again with REFRAST_BLESS=1",
        comparison,
        page.display()
    ))
}

fn bless(golden: &Path, picture: &Picture) -> Result<(), String> {
    if Picture::read(golden).is_ok_and(|old| old == *picture) {
        return Ok(());
    }
    let bytes = picture.encode(golden).map_err(|error| error.to_string())?;
    // An envelope that is there says what was right of another picture.
    keep_golden(golden, &bytes, None).map_err(|error| format!("{}: {error}", golden.display()))
}

/// Fails the test unless a picture is its golden, `golden/NAME.png` in the package of the test.
///
/// With two arguments, a frame of the renderer and the name, the picture must be the golden exactly: refrast
/// draws the same bits everywhere. With four, RGBA bytes of any renderer with width and height, it must lie in the golden's
/// envelope (`NAME.envelope`, see [`envelope`](crate::envelope)), or look the same where there is none.
///
/// `REFRAST_BLESS=1` writes the golden instead.
///
/// ```no_run
/// let from_my_gpu: Vec<u8> = vec![0; 64 * 64 * 4];
/// refrast_golden::assert_golden!(&from_my_gpu, 64, 64, "my-gpu");
/// ```
#[macro_export]
macro_rules! assert_golden {
    ($frame:expr, $name:expr $(,)?) => {{
        let frame = &$frame;
        $crate::assert_golden!(@ frame.rgba(), frame.width(), frame.height(), $name, Refrast)
    }};
    ($rgba:expr, $width:expr, $height:expr, $name:expr $(,)?) => {
        $crate::assert_golden!(@ $rgba, $width, $height, $name, Anybody)
    };
    (@ $rgba:expr, $width:expr, $height:expr, $name:expr, $drawn_by:ident) => {{
        let rgba: &[u8] = $rgba;
        let package = ::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR"));
        let result = $crate::Picture::from_rgba8($width, $height, rgba)
            .map_err(|error| error.to_string())
            .and_then(|picture| {
                $crate::check_against_golden(package, $name, &picture, $crate::DrawnBy::$drawn_by)
            });
        if let Err(message) = result {
            ::core::panic!("{message}");
        }
    }};
}
