//! Pictures of backends that make no mistake, on every driver that is there.
//!
//! Why it exists: how strict a check can be set is decided by what it must let pass. A driver is chosen by the
//! environment of a process, so the others draw in processes of their own, into a folder.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use refrast::{
    golden::{Picture, VertexBuffer},
    raster::SampleCount,
    verify::envelope::SampleDepths,
};
use refrast_gpu_backend::{Backend, Case, Driver, Settings};

use super::{CaseArguments, court::vertex_settings};
use crate::CommandResult;

/// Draws the cases of the fault table without a mistake
#[derive(Args)]
pub(crate) struct PicturesArguments {
    /// The folder: CASE.DRIVER.png, and CASE.DRIVER.npy with the vertices
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    cases: CaseArguments,
}

pub(crate) fn run(arguments: &PicturesArguments, backend: &Backend) -> CommandResult {
    fs::create_dir_all(&arguments.output)?;
    for case in arguments.cases.cases()? {
        if !is_right(&case, backend.driver()) {
            eprintln!("{}: {} is known to draw it wrongly", case.name, backend.driver());
            continue;
        }
        let prepared = case.prepare()?;
        let (scene, pose) = (&prepared.scene, &prepared.pose);
        let [picture, vertices] = files(&arguments.output, &case, backend.driver());
        backend.render(scene, pose, &prepared.camera, Settings::from(&case.settings))?.write(&picture)?;
        backend.vertices(&backend.upload(scene, vertex_settings(&case))?, pose)?.write_npy(&vertices)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the driver is not known for a mistake of its own in such a picture.
pub(super) fn is_right(case: &Case, driver: Driver) -> bool {
    case.settings.samples == SampleCount::One
        || (driver.multisamples() && driver.sample_depths() == SampleDepths::InPlace)
}

fn files(folder: &Path, case: &Case, driver: Driver) -> [PathBuf; 2] {
    ["png", "npy"].map(|kind| folder.join(format!("{}.{driver}.{kind}", case.name)))
}

/// Lets another driver draw all cases; `false` where it is not there.
pub(super) fn draw_with(driver: Driver, folder: &Path, cases: &CaseArguments) -> Result<bool, Box<dyn Error>> {
    let mut command = driver.command(std::env::current_exe()?);
    command.args(["--driver", driver.name(), "pictures"]).args(cases.to_command_line()).arg("--output").arg(folder);
    match command.status()?.code() {
        Some(0) => Ok(true),
        Some(3) => Ok(false),
        _ => Err(format!("{driver} can not draw the cases; see above").into()),
    }
}

/// What a driver drew of a case.
pub(super) struct Drawn {
    pub(super) picture: Picture,
    /// Its file.
    pub(super) path: PathBuf,
    pub(super) vertices: VertexBuffer,
}

/// What a driver drew of a case; `None` where it did not.
pub(super) fn read(folder: &Path, case: &Case, driver: Driver) -> Result<Option<Drawn>, Box<dyn Error>> {
    let [path, vertices] = files(folder, case, driver);
    if !path.exists() {
        return Ok(None);
    }
    Ok(Some(Drawn { picture: Picture::read(&path)?, vertices: VertexBuffer::read_npy(&vertices)?, path }))
}
