//! `refrast-gpu matrix`: every driver that is there, held against the goldens and the showcases.
//!
//! Why it exists: a reference is worth what drivers agree with it, and that is a table: drivers by pictures and samples,
//! with the pixels that no conformant backend writes. Drivers are chosen by environment variables, so each is a process
//! of its own; what takes the time are the envelopes, so each is made once, in a pack a profile, for all drivers that fit
//! it.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
    thread,
};

use clap::Args;
use refrast::{
    golden::{Picture, envelope::CheckOptions},
    raster::SampleCount,
    verify::{
        Profile,
        cases::{GoldenFolder, Pack, PackSettings, PreparedCase},
        envelope::{EnvelopeSettings, SampleDepths, frame_envelope},
        showcase::showcases,
    },
};
use refrast_gpu_backend::{Driver, surfaces};

use crate::{CommandResult, arguments::word, packed::CaseResult, tables::Tables};

/// Prints Markdown. A driver that is missing is named and left out, unless REFRAST_REQUIRE names it
#[derive(Args)]
pub(crate) struct MatrixArguments {
    /// The folder of goldens
    #[arg(long, value_name = "FOLDER", default_value = "golden")]
    golden: PathBuf,
    /// Only these drivers
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    drivers: Vec<Driver>,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Samples a pixel
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,4", value_parser = word::<SampleCount>())]
    samples: Vec<SampleCount>,
    /// Draw the goldens with sides that are this many times smaller
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=16))]
    smaller: u32,
    /// Hold every driver against this profile, not against the one that its stated bits fit
    #[arg(long)]
    profile: Option<Profile>,
    /// Keep the packs, with their envelopes, in this folder, and use those that are there
    #[arg(long, value_name = "FOLDER")]
    packs: Option<PathBuf>,
    /// Print a table by picture too
    #[arg(long)]
    each: bool,
}

/// A driver that is there.
struct Present {
    driver: Driver,
    description: String,
    profile: Profile,
}

/// A folder that is removed at the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // What can not be removed stays where temporary files are.
        drop(fs::remove_dir_all(&self.0));
    }
}

pub(crate) fn run(arguments: &MatrixArguments) -> CommandResult {
    let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
    let wanted = if arguments.drivers.is_empty() { &Driver::ALL[..] } else { &arguments.drivers };
    let mut present = Vec::new();
    for &driver in wanted {
        match describe(driver)? {
            Ok(description) => {
                let profile = arguments.profile.unwrap_or(driver.profile());
                present.push(Present { driver, description, profile });
            }
            Err(complaint) if required.split(',').any(|name| name.trim() == driver.name()) => {
                return Err(format!("REFRAST_REQUIRE asks for {driver}, but {complaint}").into());
            }
            Err(complaint) => eprintln!("SKIPPED: {complaint}"),
        }
    }
    let temporary = Temporary(env::temp_dir().join(format!("refrast-matrix-{}", std::process::id())));
    let packs = arguments.packs.as_deref().unwrap_or(&temporary.0);
    let mut folders = BTreeMap::new();
    for Present { profile, .. } in &present {
        if let Entry::Vacant(place) = folders.entry(profile.to_string()) {
            let folder = packs.join(place.key());
            let cases = arguments.cases(*profile)?;
            pack(&folder, *profile, &cases)?;
            place.insert((folder, cases));
        }
    }
    let pictures = |driver: Driver| temporary.0.join(driver.name());
    let results = thread::scope(|scope| {
        let running: Vec<_> = (present.iter())
            .map(|own| {
                let (pack, _) = &folders[&own.profile.to_string()];
                scope.spawn(move || check(own.driver, pack, &arguments.only, &pictures(own.driver)))
            })
            .collect();
        let joined =
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread ended early".into())));
        joined.collect::<Result<Vec<_>, String>>()
    })?;
    let mut tables = Tables::default();
    for (own, mut results) in present.iter().zip(results) {
        let (_, cases) = &folders[&own.profile.to_string()];
        for result in results.iter_mut().filter(|result| result.outside > 0) {
            if let Some(case) = cases.iter().find(|case| case.entry.name == result.name) {
                explain(own.driver, case, &pictures(own.driver), result)?;
            }
        }
        tables.add(own.driver, &own.description, own.profile, results);
    }
    print!("{}", tables.summary());
    if arguments.each {
        print!("\n{}", tables.each());
    }
    Ok(if tables.right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl MatrixArguments {
    /// The goldens, the showcases and this backend's own scenes, for a profile.
    fn cases(&self, profile: Profile) -> Result<Vec<PreparedCase>, Box<dyn Error>> {
        let settings = PackSettings { profile: Some(profile), samples: self.samples.clone() };
        let mut cases = Vec::new();
        let mut goldens = GoldenFolder::open(&self.golden)?;
        goldens.select(None, std::slice::from_ref(&self.only), false);
        goldens.leave_out_programs();
        let wanted = profile.freedoms().and_then(|freedoms| freedoms.grid_bits);
        for entry in goldens.cases().to_vec() {
            let mut case = goldens.prepare(&entry)?;
            if wanted.is_some_and(|bits| bits != case.settings.subpixel_bits) {
                eprintln!(
                    "{} is left out: {profile} has another grid than its {} bits",
                    entry.name, case.settings.subpixel_bits
                );
                continue;
            }
            case.settings.width = (case.settings.width / self.smaller).max(1);
            case.settings.height = (case.settings.height / self.smaller).max(1);
            cases.extend(settings.variants(&case));
        }
        let scenes = showcases().into_iter().chain(surfaces());
        for showcase in scenes.filter(|showcase| showcase.name.contains(&self.only)) {
            cases.extend(settings.variants(&PreparedCase::of_showcase(showcase, profile)?));
        }
        Ok(cases)
    }
}

/// Writes the pack of a profile, unless it is there.
fn pack(folder: &Path, profile: Profile, cases: &[PreparedCase]) -> Result<(), Box<dyn Error>> {
    if folder.join("pack.json").exists() {
        eprintln!("{} is used as it is", folder.display());
        return Ok(());
    }
    eprintln!("making envelopes for {profile}");
    let mut pack = Pack::new(folder);
    cases.iter().try_for_each(|case| pack.add(case))?;
    Ok(pack.finish()?)
}

/// A mistake of a driver, and how it is shown to be the cause.
const SAMPLE_DEPTHS: &str = "By a mistake of the driver: it takes the depth of a sample where the sample would be in a mirror, \
                             left for right. Each of these pictures is one that a backend may draw that makes this mistake and \
                             no other.";

/// Holds a picture with wrong pixels against what its driver may draw with the mistake that it is known for.
fn explain(
    driver: Driver,
    case: &PreparedCase,
    pictures: &Path,
    result: &mut CaseResult,
) -> Result<(), Box<dyn Error>> {
    let sample_depths = driver.sample_depths();
    if sample_depths == SampleDepths::InPlace || result.samples == 1 {
        return Ok(());
    }
    let settings = EnvelopeSettings { sample_depths, ..EnvelopeSettings::of(case.profile) };
    let made = frame_envelope(&mut case.renderer()?, &case.pose, &case.camera, settings)?;
    let picture = Picture::read(&pictures.join(&case.entry.name).with_extension("png"))?;
    let verdict = made.envelope.check(&picture, &CheckOptions::default())?;
    result.explained = result.outside.saturating_sub(verdict.wrong());
    if result.explained > 0 {
        result.explanation = Some(SAMPLE_DEPTHS.to_owned());
    }
    if verdict.wrong() > 0 {
        result.remarks =
            verdict.worst.iter().take(3).map(|pixel| format!("with its known mistake {pixel:?}")).collect();
    }
    Ok(())
}

/// What a driver says about itself, or why it is not there.
pub(crate) fn describe(driver: Driver) -> std::io::Result<Result<String, String>> {
    let output = driver.command(env::current_exe()?).args(["--driver", driver.name(), "describe"]).output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Ok(if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
}

/// Runs a driver over a pack, and keeps what it draws in the folder `pictures`.
fn check(driver: Driver, pack: &Path, only: &str, pictures: &Path) -> Result<Vec<CaseResult>, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = driver.command(program);
    command.args(["--driver", driver.name(), "pack", "--json", "--only", only, "--output"]).arg(pictures).arg(pack);
    command.stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("{driver}: {error}"))?;
    // 1 is a difference, which the lines tell.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("{driver}: {} before the pack was drawn", output.status));
    }
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let results = lines.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("{driver}: {error}")));
    results.collect()
}
