//! `refrast completions` and `refrast man`: what a shell and a reader want to know of the command line.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Args, Command};
use clap_complete::Shell;

use super::{
    CommandResult,
    output::{note, write_bytes},
};

/// Print a script that completes commands, options and their values in a shell
#[derive(Args)]
pub(super) struct CompletionsArguments {
    /// Which shell
    shell: Shell,
}

/// Write a manual page for each command
#[derive(Args)]
pub(super) struct ManArguments {
    /// A folder; it is made where it is missing
    folder: PathBuf,
}

/// Prints the script of a shell.
pub(super) fn completions(arguments: &CompletionsArguments, mut command: Command) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "refrast", &mut script);
    write_bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes `refrast.1` and a page for each subcommand.
pub(super) fn man(arguments: &ManArguments, command: Command) -> CommandResult {
    let folder = arguments.folder.display();
    let write = || {
        fs::create_dir_all(&arguments.folder)?;
        clap_mangen::generate_to(command, &arguments.folder)
    };
    write().map_err(|error| {
        format!("{folder}: can not be written: {error}; check that it can be made, is writable and has room")
    })?;
    note!("the pages are written to {folder}; `man -l {folder}/refrast.1` shows the first");
    Ok(ExitCode::SUCCESS)
}
