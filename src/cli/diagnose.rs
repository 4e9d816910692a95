//! `refrast diagnose`: which known mistake explains somebody's picture or vertex buffer.

use std::{error::Error, num::NonZeroUsize, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_golden::{Picture, VertexBuffer};
use refrast_render::RenderSettings;
use refrast_scene::Scene;
use refrast_simulator::Fault;
use refrast_verify::{
    diagnose::{DiagnoseError, Diagnosis, Progress, diagnose_setup, diagnose_vertices},
    setup::{Question, Setup},
};

use super::{
    CommandResult,
    arguments::{DeclaredArguments, PictureArguments, ProfileArguments, SceneArguments},
    print_verdict, progress_bar,
    skinning_choice::MethodArguments,
    vertices::GivenArguments,
};

/// An error that leaves a thread.
type ThreadedError = Box<dyn Error + Send + Sync>;

/// Say which known mistake explains a wrong picture or vertex buffer
///
/// Name the scene and the options that the candidate was made with, as for `refrast render` or `refrast vertices`. Exit
/// status: 0 one cause named, or nothing to explain; 1 several causes, or none; 2 an error.
#[derive(Args)]
pub(super) struct DiagnoseArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// What a backend made of it: a picture (.png) or a vertex buffer (.npy)
    #[arg(long, value_name = "FILE")]
    candidate: PathBuf,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true)]
    time: f32,
    #[command(flatten)]
    profile: ProfileArguments,
    #[command(flatten)]
    declared: DeclaredArguments,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    skinning: MethodArguments,
    #[command(flatten)]
    given: GivenArguments,
    /// Print the result as JSON on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &DiagnoseArguments) -> CommandResult {
    let scene = arguments.scene.load()?;
    let settings = RenderSettings {
        skinning: arguments.skinning.method,
        normals: arguments.skinning.rules.normals,
        max_influences: arguments.skinning.rules.max_influences,
        ..arguments.picture.settings()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads.map_or(0, NonZeroUsize::get)).build()?;
    let bar = progress_bar(Fault::ALL.len(), "hypotheses");
    let progress = |done: usize, steps: usize| {
        bar.set_length(steps as u64);
        bar.set_position(done as u64);
    };
    let diagnosis = pool.install(|| diagnose(arguments, &scene, &settings, &progress));
    bar.finish_and_clear();
    let diagnosis = diagnosis.map_err(|error| -> Box<dyn Error> { error })?;
    print_verdict(&diagnosis, arguments.json.then(|| serde_json::to_string_pretty(&diagnosis)).transpose()?)?;
    Ok(if diagnosis.conclusion.is_answer() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn diagnose(
    arguments: &DiagnoseArguments,
    scene: &Scene,
    settings: &RenderSettings,
    progress: Progress<'_>,
) -> Result<Diagnosis, ThreadedError> {
    let moment = arguments.scene.moment(scene, arguments.time).map_err(|error| error.to_string())?;
    let path = &arguments.candidate;
    let named = |error: DiagnoseError| match error {
        DiagnoseError::Shape(_) => ThreadedError::from(format!("{}: {error}", path.display())),
        other => other.into(),
    };
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy")) {
        if let Some(option) = arguments.given.option() {
            let path = path.display();
            return Err(format!(
                "{option} is for pictures; {path} is a vertex buffer, which is held to both kinds of bounds"
            )
            .into());
        }
        let candidate = VertexBuffer::read_npy(path)?;
        let rounding = arguments.profile.profile.profile.rounding();
        return diagnose_vertices(scene, moment, settings, rounding, &candidate, progress).map_err(named);
    }
    let candidate = Picture::read_within(path, arguments.scene.file.memory(), 0)?;
    let camera = arguments.picture.view.camera.settings();
    let question = Question {
        scene,
        camera: &camera,
        rules: arguments.declared.beside(&arguments.profile),
        source: arguments.given.source(),
        candidate: &candidate,
    };
    // Threads are the caller's pool.
    let settings = RenderSettings { threads: None, ..*settings };
    diagnose_setup(&question, &Setup { moment, settings }, progress).map_err(named)
}
