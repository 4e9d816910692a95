//! `refrast program check`: is it a program, and what does it need?

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_vertex_program::{CONSTANTS, CheckReport, ProgramError, ProgramText};
use serde::Serialize;

use crate::{
    CommandResult,
    output::{print, print_json, write_note},
};

/// Check a program: errors with their place, instructions, registers, and how many joints fit
///
/// Exit status: 0 a valid program, 1 an invalid one, 2 the file can not be read.
#[derive(Args)]
pub(super) struct CheckArguments {
    /// Program text, or a program of the library
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// Registers of the constant file that the palette may use
    #[arg(long, value_name = "N", default_value_t = CONSTANTS as u8, value_parser = clap::value_parser!(u8).range(1..=96))]
    constants: u8,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

/// The JSON form.
#[derive(Serialize)]
struct Verdict<'a> {
    file: &'a str,
    valid: bool,
    #[serde(flatten)]
    report: Option<&'a CheckReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    #[serde(flatten)]
    error: &'a ProgramError,
    /// `GL_PROGRAM_ERROR_POSITION`.
    position: usize,
}

pub(super) fn run(arguments: &CheckArguments) -> CommandResult {
    let text = ProgramText::read(&arguments.program)?;
    let result = CheckReport::of(&text.text, arguments.constants);
    if arguments.json {
        let verdict = Verdict {
            file: &text.name,
            valid: result.is_ok(),
            report: result.as_ref().ok(),
            error: result.as_ref().err().map(|error| Place { error, position: error.position() }),
        };
        print_json(&verdict)?;
    }
    match result {
        Ok(report) => {
            if !arguments.json {
                print(format_args!("{}: a valid program\n{report}", text.name))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let shown = error.render(&text.name, &text.text);
            if arguments.json {
                write_note(shown)
            } else {
                print(shown)?
            }
            Ok(ExitCode::FAILURE)
        }
    }
}
