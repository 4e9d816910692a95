//! `refrast-gpu compare`: pictures of the driver beside those of the reference.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use refrast::{golden::Picture, raster::SampleCount};
use refrast_gpu_backend::{Backend, Case, Settings};

use crate::CommandResult;

/// Pictures are compared pixel by pixel; a model's folder is read from REFRAST_MODELS
#[derive(Args)]
pub(crate) struct CompareArguments {
    /// Keep the pictures in this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Samples a pixel: 1 or 4
    #[arg(long, value_name = "1|4", default_value = "1", value_parser = SampleCount::parse)]
    samples: SampleCount,
}

/// Steps of 8 bits that filtering, rounding and the arithmetic may add up to beside an edge.
const STEPS: u8 = 3;
/// The share of strange pixels that is no sign of a mistake: thin lines and details of a pixel's size that a grid of
/// four bits moves by a pixel.
const STRANGE_SHARE: f64 = 0.01;

pub(crate) fn run(arguments: &CompareArguments, backend: &Backend) -> CommandResult {
    println!("{}: {}", backend.driver(), backend.description());
    let mut cases = Case::built_in();
    if let Some(models) = env::var_os("REFRAST_MODELS") {
        cases.extend(Case::models(Path::new(&models)));
    }
    let mut differs = false;
    for case in cases.into_iter().filter(|case| case.name.contains(&arguments.only)) {
        let case = case.with_samples(arguments.samples);
        let prepared = case.prepare()?;
        let golden = case.golden(&prepared)?;
        let settings = Settings::from(&case.settings);
        let candidate = backend.render(&prepared.scene, &prepared.pose, &prepared.camera, settings)?;
        if let Some(folder) = &arguments.output {
            fs::create_dir_all(folder)?;
            golden.write(&folder.join(format!("{}.png", case.name)))?;
            candidate.write(&folder.join(format!("{}.{}.png", case.name, backend.driver())))?;
        }
        let differences = Differences::between(&golden, &candidate);
        differs |= differences.strange as f64 > STRANGE_SHARE * differences.pixels as f64;
        let Differences { pixels, equal, close, strange } = differences;
        println!(
            "{:30} {pixels:7} pixels {equal:7} equal {close:6} by a step {strange:6} unlike their surroundings",
            case.name
        );
    }
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// How many pixels are how far off.
struct Differences {
    pixels: usize,
    equal: usize,
    /// By one step in a channel.
    close: usize,
    /// Outside the colours of the nine pixels around the golden one by more than [`STEPS`]: an edge that falls otherwise
    /// and a texture that is filtered otherwise stay inside.
    strange: usize,
}

impl Differences {
    fn between(golden: &Picture, candidate: &Picture) -> Self {
        let (width, height) = (golden.width() as usize, golden.height() as usize);
        let (golden, candidate) = (golden.samples8(), candidate.samples8());
        let (golden, candidate) = (golden.as_chunks::<4>().0, candidate.as_chunks::<4>().0);
        let mut differences = Self { pixels: width * height, equal: 0, close: 0, strange: 0 };
        for (index, (expected, actual)) in golden.iter().zip(candidate).enumerate() {
            let step = expected.iter().zip(actual).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
            match step {
                0 => differences.equal += 1,
                1 => differences.close += 1,
                _ => {
                    let (x, y) = (index % width, index / width);
                    let columns = x.saturating_sub(1)..(x + 2).min(width);
                    let around = (y.saturating_sub(1)..(y + 2).min(height))
                        .flat_map(|y| &golden[y * width + columns.start..y * width + columns.end]);
                    let (low, high) = around.fold(([u8::MAX; 4], [0; 4]), |(low, high), pixel| {
                        let pick = |by: fn(u8, u8) -> u8, bound: [u8; 4]| {
                            std::array::from_fn(|channel| by(bound[channel], pixel[channel]))
                        };
                        (pick(u8::min, low), pick(u8::max, high))
                    });
                    let outside = (0..4).any(|channel| {
                        actual[channel] < low[channel].saturating_sub(STEPS)
                            || actual[channel] > high[channel].saturating_add(STEPS)
                    });
                    differences.strange += usize::from(outside);
                }
            }
        }
        differences
    }
}
