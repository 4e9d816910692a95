//! `refrast golden check` and `bless`: every case is drawn again, and compared or written.

use std::{
    error::Error,
    io::{IsTerminal, stdin},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use refrast_golden::{Judge, MeasureOptions, Metric, Picture, Report, read_marks};
use refrast_verify::cases::{Against, Change};

use super::{FolderArguments, blessing};
use crate::{
    CommandResult,
    arguments::write_warnings,
    diagnose::diagnose_cases,
    output::{self, note, say, write_file},
    print_verdict, progress_bar,
    words::word,
};

/// Draw every case again and compare with its golden
///
/// Our own pictures must be the goldens to the last bit; those of another renderer must lie in their envelopes. Exit
/// status: 0 the same, 1 different, 2 an error.
#[derive(Args)]
pub(super) struct CheckArguments {
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
    /// Say which known mistake, or which other options, explain each picture that is different; takes seconds a picture
    #[arg(long)]
    diagnose: bool,
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
pub(super) struct BlessArguments {
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

pub(super) fn check(arguments: &CheckArguments, judge: Option<Judge>) -> CommandResult {
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
        report = report.blessed_by(blessing(&arguments.folder.folder));
    }
    let candidates = arguments.output.join("candidates");
    let bar = progress_bar(folder.cases().len(), "cases");
    let mut comparison =
        folder.check(&candidates, against, &options, &|_| bar.inc(1), &|case, pictures| report.add(case, pictures))?;
    bar.finish_and_clear();
    for (name, causes) in folder.explain(&comparison) {
        report.explain(&name, causes);
    }
    folder.suggest(&mut comparison, options.memory);
    if arguments.diagnose {
        diagnose_cases(&mut folder, &mut comparison, options.memory, Some(&report))?;
    }
    // First of all the result: a report that can not be written must not hide it.
    print_verdict(&comparison, arguments.json.then(|| comparison.to_json()).transpose()?)?;
    let page = report.finish(&comparison)?;
    note!("report: {}", page.display());
    if let Some(path) = &arguments.junit {
        write_file(path, comparison.to_junit()?.as_bytes())?;
    }
    Ok(ExitCode::from(comparison.verdict.exit_status()))
}

pub(super) fn bless(arguments: &BlessArguments, judge: Option<Judge>) -> CommandResult {
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
    let report = report.blessed_by(blessing(&arguments.folder.folder)).judged_by(judge);
    let bar = progress_bar(folder.cases().len(), "cases");
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
