//! `refrast golden`: the folder of goldens and its manifest.

mod new;
mod redraw;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use refrast_draw::SampleCount;
use refrast_golden::{GoldenCase, Judge, Shard};
use refrast_range::Profile;
use refrast_verify::cases::{GoldenFolder, PackSettings, VariedCase};

use self::{
    new::NewArguments,
    redraw::{BlessArguments, CheckArguments},
};
use super::{
    CommandResult,
    arguments::ReadingArguments,
    output::{note, say},
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
    /// Without the cases that vertex programs skin, unless they are asked for by name; says which it leaves out.
    fn open_without_programs(&self) -> Result<GoldenFolder, Box<dyn Error>> {
        let mut folder = self.open()?;
        if self.words.is_empty() {
            let left_out = folder.leave_out_programs();
            if !left_out.is_empty() {
                note!("left out, because only refrast runs their vertex programs: {}", left_out.join(", "));
            }
        }
        Ok(folder)
    }

    fn open(&self) -> Result<GoldenFolder, Box<dyn Error>> {
        let mut folder = GoldenFolder::open(&self.folder)?;
        folder.select(self.shard, &self.words, self.exact);
        folder.read_scenes(self.reading.options());
        Ok(folder)
    }
}

/// What a shell is told to bless a case of a folder, but for its name.
fn blessing(folder: &Path) -> String {
    let folder = folder.to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./-".contains(letter);
    match folder.chars().all(plain) {
        true if folder == "golden" => "refrast golden bless".to_owned(),
        true => format!("refrast golden bless --folder {folder}"),
        false => format!("refrast golden bless --folder '{}'", folder.replace('\'', "'\\''")),
    }
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
        GoldenCommand::New(arguments) => new::new(arguments),
        GoldenCommand::Check(arguments) => redraw::check(arguments, judge),
        GoldenCommand::Bless(arguments) => redraw::bless(arguments, judge),
        GoldenCommand::List(arguments) => list(arguments),
        GoldenCommand::Vary(arguments) => vary(arguments),
        GoldenCommand::Pack(arguments) => pack(arguments),
    }
}

fn vary(arguments: &VaryArguments) -> CommandResult {
    let mut folder = arguments.folder.open_without_programs()?;
    say!("| golden | profile | pictures | pixels outside | boxes a pixel | mean width | spread | loose pixels |")?;
    say!("|---|---|---:|---:|---:|---:|---:|---:|")?;
    let mut status = ExitCode::SUCCESS;
    let (mut all_pictures, mut all_outside) = (0, 0);
    for case in folder.cases().to_vec() {
        let prepared = folder.prepare(&case)?;
        let own = [prepared.profile];
        let profiles = if arguments.profile.is_empty() { &own[..] } else { &arguments.profile };
        for profile in profiles {
            let VariedCase { pictures, outside, refused, statistics, spread, .. } = match prepared.vary(*profile) {
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
            say!(
                "| {name} | {profile} | {pictures} | {outside} | {boxes:.2} | {width:.2} | {spread:.2} | {loose:.2} % |"
            )?;
            for (backend, pixels, [x, y]) in refused {
                note!("{name}, {profile}: {backend}: {pixels} pixels outside, the worst at {x}, {y}");
                status = if status == ExitCode::SUCCESS { ExitCode::from(1) } else { status };
            }
        }
    }
    say!("| **all** | | {all_pictures} | {all_outside} | | | | |")?;
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
    let mut folder = arguments.folder.open_without_programs()?;
    let bar = super::progress_bar(folder.cases().len(), "cases");
    let settings = PackSettings { profile: arguments.profile, samples: arguments.samples.clone() };
    folder.pack(&arguments.output, &settings, &|_| bar.inc(1))?;
    bar.finish_and_clear();
    note!("{} cases written to {}", folder.cases().len(), arguments.output.display());
    Ok(ExitCode::SUCCESS)
}
