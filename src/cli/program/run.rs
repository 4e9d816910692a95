//! `refrast program run` and `refrast program trace`: one vertex through the reference machine.

use std::{error::Error, fmt::Display, fs, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast_vertex_program::{
    MissingState, Program, ProgramText, RunReport, ScalarMachine, Settings, TraceReport, Values,
};
use serde::Serialize;

use crate::{
    CommandResult,
    output::{print, print_json},
    skinning_choice::ModelArguments,
};

/// A program, the values of its registers and the way it computes.
#[derive(Args)]
pub(super) struct RunArguments {
    /// Program text, or a program of the library
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// Constants: "c0=1,0,0,0; c[1]=0,1"; ARB: also "local[2]=1; state.matrix.mvp.row[0]=1,0,0,0" (position-invariant
    /// programs of every dialect use state.matrix.mvp). Or JSON in a file or inline:
    /// {"constants": {"0": [1, 0, 0, 0]}, "attributes": {}, "locals": {}, "state": {}}. What is not given is 0
    #[arg(long, value_name = "VALUES")]
    constants: Option<String>,
    /// Attributes, in the same forms: "v0=1,2,3; v[NRML]=0,0,1". What is not given is (0, 0, 0, 1)
    #[arg(long, value_name = "VALUES")]
    attributes: Option<String>,
    #[command(flatten)]
    model: ModelArguments,
    /// Leave colours as the program wrote them; otherwise they are clamped to [0, 1]
    #[arg(long)]
    no_clamp: bool,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RunArguments) -> CommandResult {
    arguments.report(RunReport::of)
}

pub(super) fn trace(arguments: &RunArguments) -> CommandResult {
    arguments.report(TraceReport::of)
}

impl RunArguments {
    /// Runs the program and prints what `make` reports.
    fn report<R: Display + Serialize>(
        &self,
        make: fn(&Program, &Values, &ScalarMachine) -> Result<R, MissingState>,
    ) -> CommandResult {
        let text = ProgramText::read(&self.program)?;
        let program = text.assemble()?.program;
        let mut values = Values::default();
        for (option, given) in [("--constants", &self.constants), ("--attributes", &self.attributes)] {
            if let Some(given) = given {
                set(&mut values, given).map_err(|error| format!("{option}: {error}"))?;
            }
        }
        let mut settings = Settings {
            model: self.model.model,
            address_rounding: self.model.address_rounding,
            clamp_colors: !self.no_clamp,
            ..Settings::default()
        };
        for (row, numbers) in settings.modelview_projection.iter_mut().enumerate() {
            *numbers = values.state.get(&format!("state.matrix.mvp.row[{row}]")).copied().unwrap_or(*numbers);
        }
        let report = make(&program, &values, &ScalarMachine::new(settings));
        let report = report.map_err(|error| format!("{}: {error}", text.name))?;
        if self.json {
            print_json(&report)?;
        } else {
            print(report)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Sets what is given inline, as JSON, or in a JSON file.
fn set(values: &mut Values, given: &str) -> Result<(), Box<dyn Error>> {
    if given.trim_start().starts_with('{') {
        return Ok(values.set_json(given)?);
    }
    if given.contains('=') {
        let assignments = given.split(';').filter(|assignment| !assignment.trim().is_empty());
        return Ok(assignments.map(str::trim).try_for_each(|assignment| values.set_inline(assignment))?);
    }
    let text = fs::read_to_string(given)
        .map_err(|error| format!("{given}: can not be read: {error}; name a JSON file, or write c0=1,0,0,0"))?;
    Ok(values.set_json(&text).map_err(|error| format!("{given}: {error}"))?)
}
