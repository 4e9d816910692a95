//! `refrast check`: is this picture, or this vertex buffer, right?

use std::{
    error::Error,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{
    Args,
    builder::{PathBufValueParser, TypedValueParser},
};
use refrast_envelope::vertex::VertexSettings;
use refrast_golden::{
    CandidateOptions, ErrorMap, Judge, Layout, Picture, Space, Verdict, VertexCompareOptions, VertexComparison,
    difference_picture,
};
use refrast_scene::Scene;
use refrast_simulator::Moment;
use refrast_stage::{RenderSettings, Rgb, Size};
use refrast_verify::{
    check::{PictureCheck, check_picture},
    setup::{Question, Setup},
    space_matrices,
};

use super::{
    CommandResult,
    answered_case::AnsweredCase,
    arguments::{
        CanvasArguments, DeclaredArguments, PictureArguments, PictureViewArguments, ProfileArguments, SceneArguments,
        SimdArguments, png_file, seconds, threads,
    },
    compare::is_table,
    output::note,
    print_verdict,
    skinning_choice::MethodArguments,
    vertices::GivenArguments,
    words::word,
};

/// Say whether a picture or a vertex buffer of a scene is right
///
/// Name the scene and the options that it was drawn with, as for `refrast render`. The verdict
/// is the first line; where it is wrong, whose pixels those are and which other options would make it right. Exit status: 0
/// right, 1 wrong, 2 an error.
#[derive(Args)]
pub(super) struct CheckArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// What a renderer made of it: a picture (.png) or vertices (.npy, .csv, or a raw buffer with --layout)
    #[arg(value_name = "CANDIDATE")]
    candidate: PathBuf,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true, value_parser = seconds)]
    time: f32,
    #[command(flatten)]
    profile: ProfileArguments,
    #[command(flatten)]
    declared: DeclaredArguments,
    /// Background colour
    #[arg(long, value_name = "#RRGGBB", default_value_t)]
    background: Rgb,
    #[command(flatten)]
    view: PictureViewArguments,
    #[command(flatten)]
    skinning: MethodArguments,
    #[command(flatten)]
    given: GivenArguments,
    /// Threads [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    simd: SimdArguments,
    /// Write the differences from the reference's picture as a heat map
    #[arg(long, value_name = "OUT.png", value_parser = PathBufValueParser::new().try_map(png_file))]
    diff: Option<PathBuf>,
    /// Write a report to this folder: a page that any browser opens, without a network
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Print the result as JSON on standard output
    #[arg(long)]
    json: bool,
    /// What a row of a raw little-endian buffer holds: NAME:TYPExCOUNT@OFFSET between commas, as in
    /// position:f32x3@0,normal:f32x3@12
    #[arg(long, value_name = "FIELDS")]
    layout: Option<Layout>,
    /// Bytes from row to row of a raw buffer [default: as many as --layout takes]
    #[arg(long, value_name = "BYTES", requires = "layout")]
    stride: Option<usize>,
    /// The space that vertices are in [default: world]
    #[arg(long, value_name = "SPACE", value_parser = word::<Space>())]
    space: Option<Space>,
    /// Size that the picture was to have [default: its own]; for vertices in clip space, of the picture that the camera is for
    #[arg(long, value_name = "WxH")]
    size: Option<Size>,
}

pub(super) fn run(arguments: &CheckArguments, judge: Option<Judge>) -> CommandResult {
    let scene = arguments.scene.load()?;
    let moment = arguments.scene.moment(&scene, arguments.time)?;
    let has_vertices = arguments.layout.is_some() || arguments.space.is_some() || is_table(&arguments.candidate);
    let right =
        if has_vertices { vertices(arguments, &scene, moment)? } else { picture(arguments, &scene, moment, judge)? };
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Bytes a pixel of the reference's picture and its envelope, and of those by other options. Measured on 1000x1000 and
/// 2000x2000 pixels of CesiumMan: 37 where the picture is right, up to 110 where it is not.
const REFERENCE_BYTES: u64 = 120;

fn picture(
    arguments: &CheckArguments,
    scene: &Scene,
    moment: Moment,
    judge: Option<Judge>,
) -> Result<bool, Box<dyn Error>> {
    let candidate = Picture::read_within(&arguments.candidate, arguments.scene.file.memory(), REFERENCE_BYTES)?;
    let (width, height) = candidate.size();
    let picture = PictureArguments {
        canvas: CanvasArguments {
            size: arguments.size.unwrap_or(Size { width, height }),
            background: arguments.background,
        },
        view: arguments.view.clone(),
        threads: arguments.threads,
        simd: arguments.simd.clone(),
    };
    let settings = RenderSettings {
        skinning: arguments.skinning.method,
        normals: arguments.skinning.rules.normals,
        max_influences: arguments.skinning.rules.max_influences,
        ..picture.settings()
    };
    let camera = arguments.view.camera.settings();
    let question = Question {
        scene,
        camera: &camera,
        rules: arguments.declared.beside(&arguments.profile),
        source: arguments.given.source(),
        candidate: &candidate,
        images: None,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads.map_or(0, NonZeroUsize::get)).build()?;
    let settings = RenderSettings { threads: None, ..settings };
    let checked = pool.install(|| check_picture(&question, &Setup { moment, settings }));
    let checked = checked.map_err(|error| format!("{}: {error}", arguments.candidate.display()))?;
    print_verdict(&checked, arguments.json.then(|| serde_json::to_string_pretty(&checked)).transpose()?)?;
    if let Some(path) = &arguments.diff {
        difference_picture(&checked.reference, &ErrorMap::of_channels(&checked.reference, &candidate), &[])?
            .write(path)?;
        note!("differences: {}", path.display());
    }
    if let Some(folder) = &arguments.report {
        report(arguments, (&checked, &candidate), folder, judge)?;
    }
    if !checked.right && checked.right_with.is_empty() && checked.right_if.is_empty() {
        note!(
            "no other options make it right; `refrast diagnose` with the same ones and --candidate looks for the mistake"
        );
    }
    Ok(checked.right)
}

/// The page of a folder of one case.
fn report(
    arguments: &CheckArguments,
    (checked, candidate): (&PictureCheck, &Picture),
    folder: &Path,
    judge: Option<Judge>,
) -> Result<(), Box<dyn Error>> {
    let answered = AnsweredCase {
        scene: &arguments.scene.file.scene,
        candidate: &arguments.candidate,
        picture: candidate,
        reference: &checked.reference,
        envelope: &checked.envelope,
        causes: checked.causes.clone(),
        answers: checked.remedies().collect(),
        hypotheses: Vec::new(),
    };
    answered.write(folder, judge)
}

fn vertices(arguments: &CheckArguments, scene: &Scene, moment: Moment) -> Result<bool, Box<dyn Error>> {
    let for_pictures = [(arguments.diff.is_some(), "--diff"), (arguments.report.is_some(), "--report")];
    if let Some((_, option)) = for_pictures.into_iter().find(|(given, _)| *given) {
        return Err(format!("{option} is for pictures; {} is a vertex buffer", arguments.candidate.display()).into());
    }
    let settings = VertexSettings {
        method: arguments.skinning.method,
        normals: arguments.skinning.rules.normals,
        max_influences: arguments.skinning.rules.max_influences,
        rounding: arguments.profile.profile.profile.rounding(),
    };
    let pose = moment.pose(scene)?;
    let golden = arguments.given.golden(scene, moment, &pose, settings)?;
    let (layout, stride) = (arguments.layout.clone(), arguments.stride);
    let source = CandidateOptions { layout, stride, space: arguments.space.unwrap_or_default(), matrices: None };
    let Size { width, height } = arguments.size.unwrap_or_default();
    let picture = RenderSettings { width, height, convention: arguments.view.convention, ..RenderSettings::default() };
    let camera = arguments.view.camera.settings().camera(scene, moment.clip(), &pose, &picture)?;
    let (matrices, options) = (space_matrices(scene, &pose, &camera), VertexCompareOptions::default());
    let comparison = VertexComparison::of_candidate(&golden, &arguments.candidate, &source, &matrices, &options)?;
    print_verdict(&comparison.to_check(), arguments.json.then(|| comparison.to_json()).transpose()?)?;
    Ok(comparison.verdict == Verdict::Same)
}
