//! `refrast program run` and `refrast program trace`: a vertex through the reference machine, or many through the fast one.

use std::{
    error::Error,
    fmt::Display,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use refrast_golden::{NumberColumn, NumberTable};
use refrast_vertex_program::{
    MissingState, Program, ProgramText, RunReport, ScalarMachine, Settings, TraceReport, Values,
};
use serde::Serialize;

use super::batch;
use crate::{
    CommandResult,
    arguments::SimdArguments,
    output::{print, print_json},
    skinning_choice::ModelArguments,
};

/// A program, the values of its registers and the way it computes.
#[derive(Args)]
pub(super) struct ValueArguments {
    /// Program text, or a program of the library
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// Constants: "c0=1,0,0,0; c[1]=0,1"; ARB: also "local[2]=1; state.matrix.mvp.row[0]=1,0,0,0" (position-invariant
    /// programs of every dialect use state.matrix.mvp). Or JSON in a file or inline:
    /// {"constants": {"0": [1, 0, 0, 0]}, "attributes": {}, "locals": {}, "state": {}}. Or an .npy file: rows of one to four
    /// numbers, for c0 and those that follow. What is not given is 0
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

/// The same, and whose vertices.
#[derive(Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    values: ValueArguments,
    /// Run it for each row of this file: a structured array whose fields are attributes (v0, v[NRML], normal, …), or plain
    /// numbers of the shape (N, 1) to (N, 4), which are v0. What is not in it is what --attributes says
    #[arg(long, value_name = "IN.npy", requires = "output", conflicts_with = "json")]
    batch: Option<PathBuf>,
    /// Where the results of --batch go: a structured array with a field a result register, four numbers each
    #[arg(short, long, value_name = "OUT.npy", requires = "batch")]
    output: Option<PathBuf>,
    #[command(flatten)]
    simd: SimdArguments,
}

pub(super) fn run(arguments: &RunArguments) -> CommandResult {
    let (Some(input), Some(output)) = (&arguments.batch, &arguments.output) else {
        return arguments.values.report(RunReport::of);
    };
    let (text, program, values, settings) = arguments.values.prepare()?;
    batch::run(&program, settings, &values, input, output, arguments.simd.simd)
        .map_err(|error| format!("{}: {error}", text.name))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn trace(arguments: &ValueArguments) -> CommandResult {
    arguments.report(TraceReport::of)
}

impl ValueArguments {
    /// Runs the program and prints what `make` reports.
    fn report<R: Display + Serialize>(
        &self,
        make: fn(&Program, &Values, &ScalarMachine) -> Result<R, MissingState>,
    ) -> CommandResult {
        let (text, program, values, settings) = self.prepare()?;
        let report = make(&program, &values, &ScalarMachine::new(settings));
        let report = report.map_err(|error| format!("{}: {error}", text.name))?;
        if self.json {
            print_json(&report)?;
        } else {
            print(report)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The program, its values and how it computes.
    fn prepare(&self) -> Result<(ProgramText, Program, Values, Settings), Box<dyn Error>> {
        let text = ProgramText::read(&self.program)?;
        let program = text.assemble()?.program;
        let mut values = Values::default();
        for (option, given) in [("--constants", &self.constants), ("--attributes", &self.attributes)] {
            if let Some(given) = given {
                let is_table = option == "--constants" && given.to_ascii_lowercase().ends_with(".npy");
                let set = if is_table { set_constants } else { set };
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
        Ok((text, program, values, settings))
    }
}

/// Sets c0 and those that follow to the rows of an NPY file.
fn set_constants(values: &mut Values, path: &str) -> Result<(), Box<dyn Error>> {
    let table = NumberTable::read_npy(Path::new(path))?;
    let [NumberColumn { components, values: numbers, .. }] = table.columns.as_slice() else {
        return Err(format!(
            "{path}: constants are one array of plain numbers, and this has {} fields",
            table.columns.len()
        )
        .into());
    };
    if !(1..=4).contains(components) || table.rows > values.constants.len() {
        let (rows, most) = (table.rows, values.constants.len());
        return Err(format!(
            "{path}: its shape is ({rows}, {components}); constants are at most {most} rows of 1 to 4"
        )
        .into());
    }
    for (constant, row) in values.constants.iter_mut().zip(numbers.chunks_exact(*components)) {
        constant[..*components].copy_from_slice(row);
    }
    Ok(())
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
