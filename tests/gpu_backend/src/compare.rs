//! `refrast-gpu compare`: the driver's pictures against what a conformant backend may draw, and its vertices against
//! their bounds.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use refrast::{
    golden::envelope::CheckOptions,
    raster::SampleCount,
    render::Renderer,
    verify::{
        Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, SampleDepths, frame_envelope},
    },
};
use refrast_gpu_backend::{Backend, Case, Settings};

use crate::{CommandResult, arguments::word};

/// Cases are the built-in character, the library's showcases, and the models in REFRAST_MODELS
#[derive(Args)]
pub(crate) struct CompareArguments {
    /// Keep the pictures in this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Samples a pixel: 1 or 4
    #[arg(long, value_name = "N", default_value_t, value_parser = word::<SampleCount>())]
    samples: SampleCount,
    /// What the driver may do differently, in the words of `refrast diagnose --profile` [default: the strictest that the
    /// driver's stated bits fit]
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
    /// Hold the driver against what it may draw with the mistake that it is known for
    #[arg(long)]
    with_mistake: bool,
}

/// Every case there is.
pub(crate) fn all_cases() -> Vec<Case> {
    let mut cases = Case::built_in();
    cases.extend(Case::showcases());
    cases.extend(Case::surfaces());
    if let Some(models) = env::var_os("REFRAST_MODELS") {
        cases.extend(Case::models(Path::new(&models)));
    }
    cases
}

pub(crate) fn run(arguments: &CompareArguments, backend: &Backend) -> CommandResult {
    let profile = arguments.profile.unwrap_or(backend.driver().profile());
    println!("{} ({}), profile {profile}", backend.driver(), backend.description());
    let envelope_settings = EnvelopeSettings {
        sample_depths: if arguments.with_mistake { backend.driver().sample_depths() } else { SampleDepths::InPlace },
        ..EnvelopeSettings::of(profile)
    };
    let (mut wrong, mut undecided, mut pixels, mut count) = (0, 0, 0, 0);
    for case in all_cases().into_iter().filter(|case| case.name.contains(&arguments.only)) {
        let case = case.with_samples(arguments.samples);
        let prepared = case.prepare()?;
        let mut renderer = Renderer::new(&prepared.scene, case.settings)?;
        let made = frame_envelope(&mut renderer, &prepared.pose, &prepared.camera, envelope_settings)?;
        let FrameEnvelope { golden, envelope, causes } = &made;
        let settings = Settings::from(&case.settings);
        let candidate = backend.render(&prepared.scene, &prepared.pose, &prepared.camera, settings)?;
        if let Some(folder) = &arguments.output {
            fs::create_dir_all(folder)?;
            golden.write(&folder.join(format!("{}.png", case.name)))?;
            candidate.write(&folder.join(format!("{}.{}.png", case.name, backend.driver())))?;
        }
        let verdict = envelope.check(&candidate, &CheckOptions::default())?;
        let statistics = envelope.statistics();
        println!(
            "{:32} {:7} pixels {:6} outside {:6} undecided, farthest {:3}; loose {:.4}, mean width {:.2}",
            case.name,
            golden.width() * golden.height(),
            verdict.wrong(),
            verdict.undecided,
            verdict.farthest,
            statistics.loose_share(),
            statistics.mean_width(),
        );
        for pixel in verdict.worst.iter().take(3) {
            println!("    {pixel:?} {:?}", causes.of(pixel.x, pixel.y));
        }
        wrong += verdict.wrong();
        undecided += verdict.undecided;
        pixels += u64::from(golden.width()) * u64::from(golden.height());
        count += 1;
    }
    println!("{wrong} of {pixels} pixels in {count} pictures are outside, {undecided} undecided");
    Ok(if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
