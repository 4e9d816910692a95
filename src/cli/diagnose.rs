//! `refrast diagnose`: which known mistake explains somebody's picture or vertex buffer.

use std::{
    error::Error,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
};

use clap::Args;
use refrast_golden::{Comparison, Judge, Picture, PictureError, Report, Verdict, VertexBuffer};
use refrast_scene::Scene;
use refrast_shading::{ParseShadingModeError, ShadingMode};
use refrast_simulator::Fault;
use refrast_stage::{RenderSettings, Rgb, Size};
use refrast_verify::{
    cases::{DiagnosedCase, GoldenFolder},
    check::judged_picture,
    diagnose::{
        CandidateView, DiagnoseError, Diagnosis, Progress, Step, diagnose_setup, diagnose_vertices, hypotheses,
    },
    setup::{Question, Setup},
};

use super::{
    CommandResult,
    answered_case::AnsweredCase,
    arguments::{
        CanvasArguments, DeclaredArguments, PictureArguments, PictureViewArguments, ProfileArguments, SceneArguments,
        SimdArguments, seconds, threads,
    },
    output::note,
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
    /// A debug view of the same moment by the same backend, as in normals=normals.png: what is right in it was made rightly;
    /// may be given several times
    #[arg(long, value_name = "SHADING=FILE")]
    candidate_view: Vec<ViewFile>,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    #[command(flatten)]
    profile: ProfileArguments,
    #[command(flatten)]
    declared: DeclaredArguments,
    /// Picture size in pixels [default: the candidate's own]
    #[arg(long, value_name = "WxH")]
    size: Option<Size>,
    /// Background colour
    #[arg(long, value_name = "#RRGGBB", default_value_t)]
    background: Rgb,
    #[command(flatten)]
    view: PictureViewArguments,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    simd: SimdArguments,
    #[command(flatten)]
    skinning: MethodArguments,
    #[command(flatten)]
    given: GivenArguments,
    /// Write a report to this folder: the answer beside the wrong pixels, and the pictures of what it names
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Print the result as JSON on standard output
    #[arg(long)]
    json: bool,
}

/// `SHADING=FILE`.
#[derive(Clone)]
struct ViewFile {
    shading: ShadingMode,
    file: PathBuf,
}

impl FromStr for ViewFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((shading, file)) = text.split_once('=') else {
            return Err("write a shading mode and a picture, as in normals=normals.png".to_owned());
        };
        let shading = shading.parse().map_err(|error: ParseShadingModeError| error.to_string())?;
        Ok(Self { shading, file: file.into() })
    }
}

impl DiagnoseArguments {
    /// How the candidate was drawn; the size is a usual one where nobody says.
    fn settings(&self) -> RenderSettings {
        let picture = PictureArguments {
            canvas: CanvasArguments { size: self.size.unwrap_or_default(), background: self.background },
            view: self.view.clone(),
            threads: self.threads,
            simd: self.simd.clone(),
        };
        RenderSettings {
            skinning: self.skinning.method,
            normals: self.skinning.rules.normals,
            max_influences: self.skinning.rules.max_influences,
            ..picture.settings()
        }
    }
}

pub(super) fn run(arguments: &DiagnoseArguments, judge: Option<Judge>) -> CommandResult {
    let scene = arguments.scene.load()?;
    let settings = arguments.settings();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads.map_or(0, NonZeroUsize::get)).build()?;
    let bar = progress_bar(Fault::ALL.len(), "hypotheses");
    let progress = |step: Step<'_>| match step {
        Step::Tried { done, of } => {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        }
        known => bar.suspend(|| note!("{known}")),
    };
    let diagnosis = pool.install(|| diagnose(arguments, &scene, &settings, judge, &progress));
    bar.finish_and_clear();
    let diagnosis = diagnosis.map_err(|error| -> Box<dyn Error> { error })?;
    print_verdict(&diagnosis, arguments.json.then(|| serde_json::to_string_pretty(&diagnosis)).transpose()?)?;
    Ok(if diagnosis.conclusion.is_answer() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn diagnose(
    arguments: &DiagnoseArguments,
    scene: &Scene,
    settings: &RenderSettings,
    judge: Option<Judge>,
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
        let for_pictures =
            [(!arguments.candidate_view.is_empty(), "--candidate-view"), (arguments.report.is_some(), "--report")];
        if let Some((_, option)) = for_pictures.into_iter().find(|(given, _)| *given) {
            return Err(format!("{option} is for pictures; {} is a vertex buffer", path.display()).into());
        }
        let candidate = VertexBuffer::read_npy(path)?;
        let rounding = arguments.profile.profile.profile.rounding();
        return diagnose_vertices(scene, moment, settings, rounding, &candidate, progress).map_err(named);
    }
    let memory = arguments.scene.file.memory();
    let candidate = Picture::read_within(path, memory, 0)?;
    let camera = arguments.view.camera.settings();
    let question = Question {
        scene,
        camera: &camera,
        rules: arguments.declared.beside(&arguments.profile),
        source: arguments.given.source(),
        candidate: &candidate,
        images: None,
    };
    // Who gives a size has a picture of another one told to him.
    let (width, height) = arguments.size.map_or(candidate.size(), |Size { width, height }| (width, height));
    // Threads are the caller's pool.
    let settings = RenderSettings { width, height, threads: None, ..*settings };
    let setup = Setup { moment, settings };
    let read = |view: &ViewFile| Ok::<_, ThreadedError>((view.shading, Picture::read_within(&view.file, memory, 0)?));
    let views: Vec<(ShadingMode, Picture)> = arguments.candidate_view.iter().map(read).collect::<Result<_, _>>()?;
    let views: Vec<CandidateView<'_>> =
        views.iter().map(|(shading, picture)| CandidateView { shading: *shading, picture }).collect();
    let diagnosis = diagnose_setup(&question, &setup, progress).map_err(named)?;
    let diagnosis = diagnosis.split_by(&question, &setup, &views)?;
    if let Some(folder) = &arguments.report {
        report(arguments, (&question, &setup), &diagnosis, folder, judge)?;
    }
    Ok(diagnosis)
}

/// Says of each case that is different what explains it, and lets a report show what that looks like.
pub(super) fn diagnose_cases(
    goldens: &mut GoldenFolder,
    comparison: &mut Comparison,
    memory: u64,
    report: Option<&Report>,
) -> Result<(), PictureError> {
    let wrong = comparison.cases.iter().filter(|case| case.verdict == Verdict::Different).count();
    let bar = progress_bar(wrong, "diagnoses");
    let shown = goldens.diagnose(comparison, memory, |name, candidate, DiagnosedCase { hypotheses, .. }| {
        bar.inc(1);
        report.map_or(Ok(()), |report| report.suppose(name, candidate, hypotheses))
    });
    bar.finish_and_clear();
    shown
}

/// The page of the candidate, of the size that was diagnosed, with the answer and pictures of what it names.
fn report(
    arguments: &DiagnoseArguments,
    (question, setup): (&Question<'_>, &Setup),
    diagnosis: &Diagnosis,
    folder: &Path,
    judge: Option<Judge>,
) -> Result<(), ThreadedError> {
    let setup = &setup.in_size(question.candidate.size());
    let threaded = |error: Box<dyn Error>| ThreadedError::from(error.to_string());
    let judged = judged_picture(question, setup)?;
    let answered = AnsweredCase {
        scene: &arguments.scene.file.scene,
        candidate: &arguments.candidate,
        picture: question.candidate,
        reference: &judged.reference,
        envelope: &judged.envelope,
        causes: judged.causes,
        answers: diagnosis.to_string().lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
        hypotheses: hypotheses(question, setup, diagnosis)?,
    };
    answered.write(folder, judge).map_err(threaded)
}
