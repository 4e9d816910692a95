//! `refrast-gpu bench`: the same frames drawn by drivers on the processor and by the reference, in turns, as a table.
//!
//! Why it exists: "fast" is a ratio to somebody else who does the same work in the same minutes. Scene, pose, camera, shading model,
//! size and samples are the same, and so is the processor. A driver reads its number of threads once, so each number is a process of
//! its own; all of them draw all frames once a round. `unlit` and `lambert` are drawn by plain shaders on drivers, the rest by the
//! backend's own.

mod jobs;
mod table;

use std::{
    env,
    error::Error,
    num::NonZeroUsize,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use clap::Args;
use jobs::{Job, Look, Subject};
use refrast::{
    animation::Pose,
    golden::{Picture, envelope::CheckOptions},
    raster::SampleCount,
    render::{Camera, RenderSettings, Renderer, Size},
    simd::SimdLevel,
    verify::envelope::{EnvelopeSettings, frame_envelope},
};
use refrast_gpu_backend::{Backend, Driver, Settings};
use serde::{Deserialize, Serialize};
use table::Table;

use crate::{CommandResult, arguments::word, matrix::describe};

/// Prints Markdown: milliseconds a frame, the best and (in brackets) the median. A driver that is missing is named and left out
#[derive(Args)]
pub(crate) struct BenchArguments {
    /// Drivers that use the processor
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "lavapipe,llvmpipe")]
    drivers: Vec<Driver>,
    /// Whose frames
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "character,torus", value_parser = word::<Subject>())]
    subjects: Vec<Subject>,
    /// What they show
    #[arg(long, value_name = "LOOK,…", value_delimiter = ',', default_value = "unlit,lambert", value_parser = word::<Look>())]
    looks: Vec<Look>,
    /// Picture sizes in pixels
    #[arg(long, value_name = "WxH,…", value_delimiter = ',', default_value = "1280x720,1920x1080")]
    sizes: Vec<Size>,
    /// Samples a pixel
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,4", value_parser = word::<SampleCount>())]
    samples: Vec<SampleCount>,
    /// Threads of the reference, and of Mesa's drivers (LP_NUM_THREADS, where 0 is the calling thread alone)
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<NonZeroUsize>,
    /// The reference's instruction set; without it the best of this processor
    #[arg(long, value_name = "LEVEL")]
    simd: Option<SimdLevel>,
    /// How many times everybody takes a turn
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: NonZeroUsize,
    /// Frames of a turn, each from another side and at another moment
    #[arg(long, value_name = "N", default_value = "8")]
    frames: NonZeroUsize,
    /// Hold the last frame of each kind against what a conformant backend may draw
    #[arg(long)]
    check: bool,
    /// Take one turn with so many threads, and print times as JSON
    #[arg(long, hide = true)]
    turn: Option<NonZeroUsize>,
    /// With --turn: the reference draws, and no driver
    #[arg(long, hide = true)]
    reference: bool,
}

/// A turn's frames of a job, in milliseconds; none where the driver can not draw them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Times {
    drawn: Vec<f64>,
    read_back: Vec<f64>,
}

pub(crate) fn run(arguments: &BenchArguments, driver: Driver) -> CommandResult {
    if let Some(threads) = arguments.turn {
        println!("{}", serde_json::to_string(&take_turn(arguments, threads, driver)?)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut drivers = Vec::new();
    for &driver in &arguments.drivers {
        match describe(driver)? {
            Ok(description) => drivers.push((driver, description)),
            Err(reason) => eprintln!("{driver} is left out: {reason}"),
        }
    }
    let jobs = arguments.jobs();
    let simd = arguments.simd.unwrap_or_default();
    let mut table = Table::new(&jobs, &arguments.threads, drivers.iter().map(|(driver, _)| *driver).collect());
    for round in 0..arguments.rounds.get() {
        for (place, &threads) in arguments.threads.iter().enumerate() {
            eprintln!("round {} of {}, {threads} threads", round + 1, arguments.rounds);
            table.add(place, None, turn(threads, None)?);
            for (driver, _) in &drivers {
                table.add(place, Some(*driver), turn(threads, Some(*driver))?);
            }
        }
    }
    print!("{table}");
    println!("\n- refrast {} at {simd}", env!("CARGO_PKG_VERSION"));
    for (driver, description) in drivers {
        println!("- {driver}: {description}");
    }
    Ok(ExitCode::SUCCESS)
}

impl BenchArguments {
    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for &subject in &self.subjects {
            for &look in &self.looks {
                for &samples in &self.samples {
                    jobs.extend(self.sizes.iter().map(|&size| Job { subject, look, samples, size }));
                }
            }
        }
        jobs
    }
}

/// Has a process of its own draw all frames: a driver's, or the reference's.
fn turn(threads: NonZeroUsize, driver: Option<Driver>) -> Result<Vec<Times>, Box<dyn Error>> {
    let program = env::current_exe()?;
    let mut command = match driver {
        Some(driver) => {
            let mut command = driver.command(program);
            command.args(["--driver", driver.name()]);
            // With 1 a second thread rasterises while the first sets up.
            let workers = if threads.get() == 1 { 0 } else { threads.get() };
            command.env("LP_NUM_THREADS", workers.to_string());
            command
        }
        None => Command::new(program),
    };
    command.args(env::args_os().skip(1)).args(["--turn", &threads.to_string()]);
    if driver.is_none() {
        command.arg("--reference");
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(
            format!("a turn of {} ended with {}", driver.map_or("refrast", |it| it.name()), output.status).into()
        );
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn take_turn(arguments: &BenchArguments, threads: NonZeroUsize, driver: Driver) -> Result<Vec<Times>, Box<dyn Error>> {
    let backend = if arguments.reference { None } else { Some(Backend::new(driver)?) };
    let simd = arguments.simd.unwrap_or_default();
    let turn = |job: Job| {
        let scene = job.subject.scene()?;
        let frames = job.frames(&scene, arguments.frames.get())?;
        let settings = job.settings();
        let Some(backend) = &backend else {
            let mut renderer = Renderer::new(&scene, RenderSettings { simd, threads: Some(threads), ..settings })?;
            let mut times = Times::default();
            for is_timed in [false, true] {
                for (pose, camera) in &frames {
                    let start = Instant::now();
                    renderer.render(pose, camera)?;
                    if is_timed {
                        times.drawn.push(milliseconds(start.elapsed()));
                    }
                }
            }
            return Ok(times);
        };
        if job.samples != SampleCount::One && !backend.driver().multisamples() {
            return Ok(Times::default());
        }
        let own = Settings::from(&settings);
        let (times, picture) = if job.is_plain() {
            backend.plain_frame_times(&backend.upload_plain(&scene, own)?, &frames)?
        } else {
            backend.frame_times(&backend.upload(&scene, own)?, &frames)?
        };
        if let Some((picture, (pose, camera))) = picture.as_ref().zip(frames.last()).filter(|_| arguments.check) {
            check(&mut Renderer::new(&scene, settings)?, (pose, camera), picture, driver)?;
        }
        Ok(Times {
            drawn: times.iter().map(|time| milliseconds(time.drawn)).collect(),
            read_back: times.iter().map(|time| milliseconds(time.read_back)).collect(),
        })
    };
    arguments.jobs().into_iter().map(turn).collect()
}

/// What is timed must be the picture that was asked for.
fn check(
    renderer: &mut Renderer<'_>,
    (pose, camera): (&Pose, &Camera),
    picture: &Picture,
    driver: Driver,
) -> Result<(), Box<dyn Error>> {
    let settings = EnvelopeSettings { sample_depths: driver.sample_depths(), ..EnvelopeSettings::of(driver.profile()) };
    let made = frame_envelope(renderer, pose, camera, settings)?;
    let wrong = made.envelope.check(picture, &CheckOptions::default())?.wrong();
    if wrong > 0 {
        return Err(format!("{driver} draws {wrong} pixels that no conformant backend draws").into());
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}
