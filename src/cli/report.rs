//! `refrast report`: what comparisons have written.

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use refrast_golden::merge_reports;

use super::{CommandResult, output::say};

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
}

pub(super) fn run(arguments: &ReportArguments) -> CommandResult {
    let ReportCommand::Merge(arguments) = &arguments.command;
    let (page, verdict) = merge_reports(&arguments.reports, &arguments.output)?;
    say!("{}: {}", verdict.name(), page.display())?;
    Ok(ExitCode::from(verdict.exit_status()))
}
