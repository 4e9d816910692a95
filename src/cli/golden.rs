//! `refrast golden`: the folder of goldens and its manifest.

use std::{
    error::Error,
    io::{IsTerminal, stdin},
    path::{Component, Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use refrast_golden::{Given, GoldenCase, Judge, Manifest, MeasureOptions, Metric, Picture, Report, Shard, read_marks};
use refrast_range::{Declared, Profile};
use refrast_raster::SampleCount;
use refrast_render::CameraChoice;
use refrast_verify::cases::{Against, Change, GoldenFolder, PackSettings, VariedCase};
use refrast_words::Word;

use super::{
    CommandResult,
    arguments::{
        CanvasArguments, DeclaredArguments, PictureViewArguments, Point, ProfileArguments, ReadingArguments,
        write_warnings,
    },
    output::{self, note, say, write_file},
    print_verdict,
    skinning_choice::{SkinningChoice, VertexArguments},
    words::{offered, word},
};

/// The folder of goldens: pictures that are known to be right, and a manifest that says what each of them shows
#[derive(Args)]
pub(super) struct GoldenArguments {
    #[command(subcommand)]
    command: GoldenCommand,
}

#[derive(Subcommand)]
enum GoldenCommand {
    New(Box<NewArguments>),
    Check(CheckArguments),
    Bless(BlessArguments),
    List(ListArguments),
    Vary(VaryArguments),
    Pack(PackArguments),
}

/// Which goldens.
#[derive(Args)]
struct FolderArguments {
    /// Only cases whose names hold one of these words
    words: Vec<String>,
    /// The words are whole names of cases
    #[arg(long)]
    exact: bool,
    /// The folder with manifest.toml
    #[arg(long, value_name = "FOLDER", default_value = "golden")]
    folder: PathBuf,
    /// Only the I-th of N parts, for N machines that each do one
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    reading: ReadingArguments,
}

impl FolderArguments {
    fn open(&self) -> Result<GoldenFolder, Box<dyn Error>> {
        let mut folder = GoldenFolder::open(&self.folder)?;
        folder.select(self.shard, &self.words, self.exact);
        folder.read_scenes(self.reading.options());
        Ok(folder)
    }

    /// What a shell is told to bless a case of this folder, but for its name.
    fn blessing(&self) -> String {
        let folder = self.folder.to_string_lossy();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./-".contains(letter);
        match folder.chars().all(plain) {
            true if folder == "golden" => "refrast golden bless".to_owned(),
            true => format!("refrast golden bless --folder {folder}"),
            false => format!("refrast golden bless --folder '{}'", folder.replace('\'', "'\\''")),
        }
    }
}

/// Add a case to the manifest; `refrast golden bless` draws it
///
/// The options are those of `refrast render`. The manifest keeps paths as they are seen from its folder, so that the two can
/// move together.
#[derive(Args)]
struct NewArguments {
    /// Name of the golden, as in walk-front
    name: String,
    /// A .gltf or .glb file, or `mannequin`, the built-in character
    scene: String,
    /// The folder with manifest.toml; both are made where they are missing
    #[arg(long, value_name = "FOLDER", default_value = "golden")]
    folder: PathBuf,
    /// Animation clip by name or index
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,
    /// Time within the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", allow_negative_numbers = true)]
    time: f32,
    #[command(flatten)]
    canvas: CanvasArguments,
    #[command(flatten)]
    view: PictureViewArguments,
    #[command(flatten)]
    vertices: VertexArguments,
    #[command(flatten)]
    profile: ProfileArguments,
    #[command(flatten)]
    declared: DeclaredArguments,
    #[command(flatten)]
    reading: ReadingArguments,
    /// What the backends are given: the scene's file, which they sample, compose and multiply themselves; or refrast's palette, as
    /// from a pack [default: file; palette for a vertex program, which has its constants from the renderer]
    #[arg(long, value_name = "WHAT", value_parser = word::<Given>())]
    given: Option<Given>,
}

/// Draw every case again and compare with its golden
///
/// Our own pictures must be the goldens to the last bit; those of another renderer must lie in their envelopes. Exit
/// status: 0 the same, 1 different, 2 an error.
#[derive(Args)]
struct CheckArguments {
    #[command(flatten)]
    folder: FolderArguments,
    /// Another renderer: a command with {case}, a JSON file that says what to draw, and {out}, the PNG to write
    #[arg(long, value_name = "COMMAND")]
    against: Option<Against>,
    /// As --against, word by word, for programs and arguments with spaces: -- PROGRAM {case} {out}
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "against")]
    command: Vec<String>,
    /// Compare by this metric [default: exact; with --against the envelope, and flip where there is none]
    #[arg(long, value_parser = word::<Metric>())]
    metric: Option<Metric>,
    /// How many pixels of a picture may be wrong
    #[arg(long, value_name = "N")]
    max_differing: Option<u64>,
    /// Where the candidates and the report go
    #[arg(short, long, value_name = "FOLDER", default_value = "refrast-out/golden")]
    output: PathBuf,
    /// Print the result as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Write the result as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Draw every case again, show what changes, and write the new goldens and envelopes
///
/// Exit status: 0 written, or nothing to write; 1 not written; 2 an error.
#[derive(Args)]
struct BlessArguments {
    #[command(flatten)]
    folder: FolderArguments,
    /// Write without asking
    #[arg(long)]
    yes: bool,
    /// Write what is approved in this list, which `save marks` of a report has written, and nothing else. Where what is drawn
    /// is not the picture that was looked at, nothing is written
    #[arg(long, value_name = "LIST", conflicts_with_all = ["words", "exact", "shard"])]
    from: Option<PathBuf>,
    /// Where the new pictures and the report go before they are accepted
    #[arg(short, long, value_name = "FOLDER", default_value = "refrast-out/bless")]
    output: PathBuf,
}

/// List the cases, and what their envelopes allow
///
/// Of the pixels that something is drawn to: how many boxes a pixel has, how wide they are (high - low of red, green and
/// blue, in steps of 255), and for how many pixels the envelope does not know.
#[derive(Args)]
struct ListArguments {
    #[command(flatten)]
    folder: FolderArguments,
}

/// Play right backends on every case, and count the pixels that its envelope refuses
///
/// They snap, round, fuse, filter and store in their own ways, each as a profile allows, and none of their pixels may lie
/// outside. Prints a table for Markdown; exit status: 0 none is outside, 1 some are, 2 an error.
#[derive(Args)]
struct VaryArguments {
    #[command(flatten)]
    folder: FolderArguments,
    /// What they may do differently; more than once for several [default: the case's own]
    #[arg(long, value_name = "NAME", value_parser = offered::<Profile>(Profile::offers()))]
    profile: Vec<Profile>,
}

/// Write the cases as raw files and JSON, for backends that load no glTF
#[derive(Args)]
struct PackArguments {
    #[command(flatten)]
    folder: FolderArguments,
    /// Folder of the pack
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The profile that the backend fits, instead of those of the cases
    #[arg(long, value_name = "NAME", value_parser = offered::<Profile>(Profile::offers()))]
    profile: Option<Profile>,
    /// Each case with each of these numbers of samples, instead of with its own
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = word::<SampleCount>())]
    samples: Vec<SampleCount>,
}

pub(super) fn run(arguments: &GoldenArguments, judge: Option<Judge>) -> CommandResult {
    match &arguments.command {
        GoldenCommand::New(arguments) => new(arguments),
        GoldenCommand::Check(arguments) => check(arguments, judge),
        GoldenCommand::Bless(arguments) => bless(arguments, judge),
        GoldenCommand::List(arguments) => list(arguments),
        GoldenCommand::Vary(arguments) => vary(arguments),
        GoldenCommand::Pack(arguments) => pack(arguments),
    }
}

impl NewArguments {
    /// A file of which the user has said where it is, as it is seen from the folder of the manifest; other words stay.
    fn seen_from_folder(&self, words: &str) -> String {
        let path = Path::new(words);
        let seen = || relative(&std::path::absolute(&self.folder).ok()?, &std::path::absolute(path).ok()?);
        let own = path.is_absolute() || !path.exists();
        (!own).then(seen).flatten().unwrap_or_else(|| words.to_owned())
    }

    /// The case, with its files in the words of `place`.
    fn case(&self, place: &dyn Fn(&str) -> String) -> GoldenCase {
        let Self { canvas, view, vertices, .. } = self;
        let point = |point: Option<Point>| point.map(|Point(point)| point.to_array());
        let rules = self.declared.beside(&self.profile);
        let (declared, nothing) = (rules.declared, Declared::default());
        let by_default = match vertices.skinning {
            SkinningChoice::Program(_) => Given::Palette,
            SkinningChoice::Method(_) => Given::File,
        };
        GoldenCase {
            name: self.name.clone(),
            scene: place(&self.scene),
            animation: self.animation.clone(),
            time: self.time,
            camera: match &view.camera.camera {
                CameraChoice::File(path) => place(&path.to_string_lossy()),
                words => words.to_string(),
            },
            fov: view.camera.fov,
            eye: point(view.camera.eye),
            target: point(view.camera.target),
            up: point(view.camera.up),
            near: view.camera.near,
            far: view.camera.far,
            size: canvas.size.to_string(),
            shading: view.shading.to_string(),
            exposure: view.development.exposure,
            tone: view.development.tone.to_string(),
            shadows: view
                .shadows
                .settings()
                .changed_words()
                .into_iter()
                .map(|(name, word)| (name.to_owned(), word))
                .collect(),
            background: canvas.background.to_string(),
            samples: view.samples.to_string(),
            convention: view.convention.to_string(),
            subpixel_bits: view.subpixel_bits,
            skinning: match &vertices.skinning {
                SkinningChoice::Program(file) => format!("program:{}", place(&file.to_string_lossy())),
                method @ SkinningChoice::Method(_) => method.to_string(),
            },
            normals: vertices.rules.normals.to_string(),
            max_influences: vertices.rules.max_influences,
            bind: vertices.bind.clone(),
            constants: vertices.constants,
            model: vertices.model.model.to_string(),
            address_rounding: vertices.model.address_rounding.to_string(),
            given: self.given.unwrap_or(by_default).to_string(),
            profile: rules.profile.to_string(),
            resolve: said(declared.resolve, nothing.resolve),
            blend: said(declared.blend, nothing.blend),
            dither: said(declared.dither, nothing.dither),
            encode: said(declared.encode, nothing.encode),
            anisotropy: Some(declared.anisotropy).filter(|own| *own != nothing.anisotropy),
            mips: said(declared.mips, nothing.mips),
        }
    }
}

/// The way from a folder to a file, with `/` between its parts; `None` between drives.
fn relative(folder: &Path, file: &Path) -> Option<String> {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) = (parts(folder), parts(file));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return None;
    }
    let up = from[shared..].iter().map(|_| "..".into());
    let down = to[shared..].iter().map(|part| part.as_os_str().to_string_lossy());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The parts of an absolute path, without `.` and with `..` taken back.
fn parts(path: &Path) -> Vec<Component<'_>> {
    path.components().fold(Vec::new(), |mut parts, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            other => parts.push(other),
        }
        parts
    })
}

fn new(arguments: &NewArguments) -> CommandResult {
    // Words about a program that nobody asked for.
    arguments.vertices.program()?;
    let case = arguments.case(&|words| arguments.seen_from_folder(words));
    // The folder may not be there yet, and what is seen from it can then not be read.
    let absolute = |words: &str| match Path::new(words).exists().then(|| std::path::absolute(words)) {
        Some(Ok(path)) => path.to_string_lossy().into_owned(),
        _ => words.to_owned(),
    };
    // A case that can not be drawn would only fail later, where nobody remembers what was meant.
    let mut folder = GoldenFolder::empty(&arguments.folder);
    folder.read_scenes(arguments.reading.options());
    folder.prepare(&arguments.case(&absolute))?;
    folder.scenes().for_each(write_warnings);
    Manifest::add(&arguments.folder, &case)?;
    output::write_note(format_args!("added to {}:\n{}", arguments.folder.display(), case.to_toml()));
    note!("`refrast golden bless --folder {} {}` draws it", arguments.folder.display(), case.name);
    Ok(ExitCode::SUCCESS)
}

fn check(arguments: &CheckArguments, judge: Option<Judge>) -> CommandResult {
    let mut folder = arguments.folder.open()?;
    let command = if arguments.command.is_empty() { None } else { Some(Against::of_words(arguments.command.clone())?) };
    let against = arguments.against.as_ref().or(command.as_ref());
    let fallback = if against.is_some() { Metric::Flip } else { Metric::Exact };
    let options = MeasureOptions {
        prefer_envelope: against.is_some() && arguments.metric.is_none(),
        maximum_differing: arguments.max_differing,
        memory: arguments.folder.reading.options().memory,
        ..MeasureOptions::new(arguments.metric.unwrap_or(fallback))
    };
    let mut report = Report::new(&arguments.output.join("report"), &options)?.judged_by(judge);
    // What another renderer has drawn is no golden.
    if against.is_none() {
        report = report.blessed_by(arguments.folder.blessing());
    }
    let candidates = arguments.output.join("candidates");
    let bar = super::progress_bar(folder.cases().len(), "cases");
    let comparison =
        folder.check(&candidates, against, &options, &|_| bar.inc(1), &|case, pictures| report.add(case, pictures))?;
    bar.finish_and_clear();
    for (name, causes) in folder.explain(&comparison) {
        report.explain(&name, causes);
    }
    // First of all the result: a report that can not be written must not hide it.
    print_verdict(&comparison, arguments.json.then(|| comparison.to_json()).transpose()?)?;
    for (name, options) in folder.right_if(&comparison) {
        options.iter().for_each(|options| note!("{name}: right if {options} is declared"));
    }
    let page = report.finish(&comparison)?;
    note!("report: {}", page.display());
    if let Some(path) = &arguments.junit {
        write_file(path, comparison.to_junit()?.as_bytes())?;
    }
    Ok(ExitCode::from(comparison.verdict.exit_status()))
}

fn bless(arguments: &BlessArguments, judge: Option<Judge>) -> CommandResult {
    let marks = arguments.from.as_deref().map(read_marks).transpose()?;
    let mut folder = arguments.folder.open()?;
    if let (Some(marks), Some(list)) = (&marks, &arguments.from) {
        let approved: Vec<String> = marks.iter().filter(|mark| mark.approved).map(|mark| mark.name.clone()).collect();
        if approved.is_empty() {
            note!("nothing to write: {} approves no picture", list.display());
            return Ok(ExitCode::SUCCESS);
        }
        folder.select(None, &approved, true);
    }
    let report = Report::new(&arguments.output.join("report"), &MeasureOptions::new(Metric::Exact))?;
    let report = report.blessed_by(arguments.folder.blessing()).judged_by(judge);
    let bar = super::progress_bar(folder.cases().len(), "cases");
    let drafts = arguments.output.join("drafts");
    let blessing = folder.draft(&drafts, &|_| bar.inc(1), &|case, pictures| {
        if pictures.candidate().is_some_and(Picture::is_one_color) {
            note!(
                "warning: {}: the picture is of one colour: nothing that is drawn is in view, or nothing that differs from the background",
                case.name
            );
        }
        report.add(case, pictures)
    })?;
    bar.finish_and_clear();
    folder.scenes().for_each(write_warnings);
    let page = report.finish(&blessing.comparison)?;
    if let (Some(marks), Some(list)) = (&marks, &arguments.from) {
        let held = blessing.hold_against(marks);
        held.map_err(|error| format!("{}: {error}; nothing was written", list.display()))?;
    }
    for (case, change) in blessing.comparison.cases.iter().zip(&blessing.changes) {
        match change {
            Change::None => {}
            Change::New => say!("new:      {}", case.name)?,
            Change::Envelope => say!("envelope: {}", case.name)?,
            Change::Picture => say!("changed:  {}: {}", case.name, case.summary())?,
            Change::Impossible => say!("error:    {}: {}", case.name, case.summary())?,
        }
    }
    let impossible = blessing.changes.contains(&Change::Impossible);
    let status = if impossible { ExitCode::from(2) } else { ExitCode::SUCCESS };
    let (changed, all) = (blessing.changed(), blessing.changes.len());
    if changed == 0 {
        note!("nothing to write: {all} cases are as they were");
        return Ok(status);
    }
    note!("old and new side by side: {}", page.display());
    if !arguments.yes && marks.is_none() && !confirmed(changed, all)? {
        note!("nothing was written");
        return Ok(ExitCode::from(1));
    }
    let written = blessing.apply()?;
    note!("{written} of {all} goldens written to {}", folder.path().display());
    Ok(status)
}

/// A word that is not the one that is meant anyway.
fn said<W: Word>(word: W, by_default: W) -> Option<String> {
    (word != by_default).then(|| word.name().to_owned())
}

/// Asks on a terminal; elsewhere nobody could answer.
fn confirmed(changed: usize, all: usize) -> Result<bool, Box<dyn Error>> {
    if !stdin().is_terminal() {
        return Err("nobody can be asked here; look at the report and add --yes".into());
    }
    output::write_note(format_args!("write {changed} of {all} goldens? [y/N] "));
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn vary(arguments: &VaryArguments) -> CommandResult {
    let mut folder = arguments.folder.open()?;
    say!("| golden | profile | pictures | pixels outside | boxes a pixel | mean width | loose pixels |")?;
    say!("|---|---|---:|---:|---:|---:|---:|")?;
    let mut status = ExitCode::SUCCESS;
    let (mut all_pictures, mut all_outside) = (0, 0);
    for case in folder.cases().to_vec() {
        let prepared = folder.prepare(&case)?;
        let own = [prepared.profile];
        let profiles = if arguments.profile.is_empty() { &own[..] } else { &arguments.profile };
        for profile in profiles {
            let VariedCase { pictures, outside, refused, statistics, .. } = match prepared.vary(*profile) {
                Ok(varied) => varied,
                Err(error) => {
                    note!("{error}");
                    status = ExitCode::from(2);
                    continue;
                }
            };
            let (boxes, width, loose) =
                (statistics.mean_boxes(), statistics.mean_width(), statistics.loose_share() * 100.0);
            let name = &case.name;
            (all_pictures, all_outside) = (all_pictures + pictures, all_outside + outside);
            say!("| {name} | {profile} | {pictures} | {outside} | {boxes:.2} | {width:.2} | {loose:.2} % |")?;
            for (backend, pixels, [x, y]) in refused {
                note!("{name}, {profile}: {backend}: {pixels} pixels outside, the worst at {x}, {y}");
                status = if status == ExitCode::SUCCESS { ExitCode::from(1) } else { status };
            }
        }
    }
    say!("| **all** | | {all_pictures} | {all_outside} | | | |")?;
    Ok(status)
}

fn list(arguments: &ListArguments) -> CommandResult {
    let folder = arguments.folder.open()?;
    let head = ("case", "scene", "clip", "time", "size", "profile", "boxes", "width", "loose");
    let (name, scene, clip, time, size, profile, boxes, width, loose) = head;
    say!("{name:20} {scene:16} {clip:12} {time:>6} {size:>10} {profile:10} {boxes:>6} {width:>6} {loose:>8}")?;
    for case in folder.cases() {
        let (golden, envelope) = folder.files(case);
        let allowed = match (golden.exists(), envelope.exists()) {
            (true, true) => match folder.statistics(case) {
                Ok(figures) => {
                    let (boxes, width) = (figures.mean_boxes(), figures.mean_width());
                    format!("{boxes:6.2} {width:6.2} {:6.2} %", figures.loose_share() * 100.0)
                }
                Err(error) => error,
            },
            (true, false) => "no envelope".to_owned(),
            (false, _) => "no golden yet".to_owned(),
        };
        let clip = case.animation.as_deref().unwrap_or("rest");
        let GoldenCase { name, scene, time, size, profile, .. } = case;
        say!("{name:20} {scene:16} {clip:12} {time:>6} {size:>10} {profile:10} {allowed}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn pack(arguments: &PackArguments) -> CommandResult {
    let mut folder = arguments.folder.open()?;
    let bar = super::progress_bar(folder.cases().len(), "cases");
    let settings = PackSettings { profile: arguments.profile, samples: arguments.samples.clone() };
    folder.pack(&arguments.output, &settings, &|_| bar.inc(1))?;
    bar.finish_and_clear();
    note!("{} cases written to {}", folder.cases().len(), arguments.output.display());
    Ok(ExitCode::SUCCESS)
}
