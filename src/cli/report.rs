//! `refrast report`: what comparisons have written.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use refrast_golden::{Judge, MergedReport, merge_reports};

use super::{
    CommandResult,
    output::{say, write_file},
};

/// Reports of comparisons
#[derive(Args)]
pub(super) struct ReportArguments {
    #[command(subcommand)]
    command: ReportCommand,
}

#[derive(Subcommand)]
enum ReportCommand {
    Merge(MergeArguments),
}

/// Join the reports of several machines into one
///
/// Exit status: 0 all the same, 1 some different, 2 an error.
#[derive(Args)]
struct MergeArguments {
    /// Folders of reports, or their index.html
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    /// Folder of the joined report
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Write the counts and a table of what fails as Markdown, for the comment of a pipeline
    #[arg(long, value_name = "FILE.md")]
    markdown: Option<PathBuf>,
}

pub(super) fn run(arguments: &ReportArguments, judge: Option<Judge>) -> CommandResult {
    let ReportCommand::Merge(arguments) = &arguments.command;
    let MergedReport { page, verdict, table } = merge_reports(&arguments.reports, &arguments.output, judge)?;
    if let Some(path) = &arguments.markdown {
        write_file(path, table.as_bytes())?;
    }
    say!("{}: {}", verdict.name(), page.display())?;
    Ok(ExitCode::from(verdict.exit_status()))
}
