//! `refrast program`: vertex programs, checked, run, traced, translated and formatted.

mod batch;
mod check;
mod run;

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use refrast_vertex_program::{ProgramText, Target};

use self::{
    check::CheckArguments,
    run::{RunArguments, ValueArguments},
};
use super::{
    CommandResult,
    output::{print, write_file},
    words::word,
};

/// Vertex programs: !!VP1.0, !!VP1.1, !!VSP1.0, !!ARBvp1.0 and vs_1_1.
///
/// FILE is a program text, or the name of a program of the library, such as bone_offset_4, bone_offset_4.arb or
/// bone_offset_4.vs.
#[derive(Args)]
pub(super) struct ProgramArguments {
    #[command(subcommand)]
    command: ProgramCommand,
}

#[derive(Subcommand)]
enum ProgramCommand {
    Check(CheckArguments),
    /// Run a program on one vertex and print its results, or on each row of a file (--batch)
    Run(RunArguments),
    /// Run a program on one vertex and print what each instruction reads, computes and changes
    Trace(ValueArguments),
    Translate(TranslateArguments),
    Format(FormatArguments),
    /// List the programs of the library
    Library,
}

/// Write the program in another language
#[derive(Args)]
struct TranslateArguments {
    /// Program text, or a program of the library
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// The language
    #[arg(long, value_name = "LANGUAGE", value_parser = word::<Target>())]
    to: Target,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

/// Write the program in its canonical spelling
#[derive(Args)]
struct FormatArguments {
    /// Program text, or a program of the library
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// Write to this file (it may be FILE itself) instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &ProgramArguments) -> CommandResult {
    match &arguments.command {
        ProgramCommand::Check(arguments) => check::run(arguments),
        ProgramCommand::Run(arguments) => run::run(arguments),
        ProgramCommand::Trace(arguments) => run::trace(arguments),
        ProgramCommand::Translate(arguments) => {
            let text = ProgramText::read(&arguments.program)?;
            let translated = refrast_vertex_program::translate(&text.assemble()?.program, arguments.to)
                .map_err(|error| format!("{}: {error}", text.name))?;
            write_text(arguments.output.as_ref(), &translated)
        }
        ProgramCommand::Format(arguments) => {
            let formatted = refrast_vertex_program::format(&ProgramText::read(&arguments.program)?.assemble()?.program);
            write_text(arguments.output.as_ref(), &formatted)
        }
        ProgramCommand::Library => {
            let names = refrast_vertex_program::LIBRARY.iter().map(|program| format!("{}\n", program.name));
            write_text(None, &names.collect::<String>())
        }
    }
}

/// Writes to a file, or to standard output.
fn write_text(output: Option<&PathBuf>, text: &str) -> CommandResult {
    match output {
        Some(path) => write_file(path, text.as_bytes())?,
        None => print(text)?,
    }
    Ok(ExitCode::SUCCESS)
}
