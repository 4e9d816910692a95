//! `refrast program check`: is it a program, and what does it need?

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use refrast::vertex_program::{
    CONSTANTS, ConstantBudget, Mask, Output, Program, ProgramError, TEMPORARIES, assemble, format_instruction,
};
use serde::Serialize;

use super::{CommandResult, ProgramText, print_text, table::table};

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

/// What is said about a program.
#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    valid: bool,
    #[serde(flatten)]
    summary: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorReport<'a>>,
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    #[serde(flatten)]
    error: &'a ProgramError,
    /// `GL_PROGRAM_ERROR_POSITION`.
    position: usize,
}

/// The resources of a program. Lists name registers with the components that are used.
#[derive(Serialize)]
struct Summary {
    dialect: String,
    position_invariant: bool,
    instructions: usize,
    slots: usize,
    slot_limit: usize,
    attributes: Vec<String>,
    results: Vec<String>,
    temporaries: Vec<String>,
    uninitialised_temporaries: Vec<String>,
    constants: Vec<u8>,
    constants_written: Vec<u8>,
    address_loads: usize,
    relative_offsets: Vec<i16>,
    budget: Option<ConstantBudget>,
    listing: Vec<String>,
}

impl Summary {
    fn new(program: &Program, constants: u8) -> Self {
        let usage = program.usage();
        let register = |name: String, mask: Mask| format!("{name}.{mask}");
        Self {
            dialect: program.dialect.header().to_owned(),
            position_invariant: program.position_invariant,
            instructions: program.instructions.len(),
            slots: program.slots(),
            slot_limit: program.slot_limit(),
            attributes: usage
                .attributes_read()
                .map(|index| register(format!("v[{index}]"), usage.attributes[usize::from(index)]))
                .collect(),
            results: usage
                .outputs_written()
                .map(|output: Output| register(output.name().to_owned(), usage.outputs[output.index()]))
                .collect(),
            temporaries: (0..TEMPORARIES as u8)
                .filter(|index| {
                    usage.temporaries[usize::from(*index)] != Mask::NONE || usage.temporaries_read.contains(index)
                })
                .map(|index| format!("R{index}"))
                .collect(),
            uninitialised_temporaries: usage.undefined_temporaries.iter().map(|index| format!("R{index}")).collect(),
            constants: usage.constants.into_iter().collect(),
            constants_written: usage.constants_written.into_iter().collect(),
            address_loads: usage.address_loads,
            relative_offsets: usage.relative.into_iter().collect(),
            budget: ConstantBudget::of(program, constants),
            listing: program.instructions.iter().map(|instruction| format_instruction(program, instruction)).collect(),
        }
    }

    /// The table that people read.
    fn to_text(&self, file: &str) -> String {
        let invariant = if self.position_invariant { ", position invariant" } else { "" };
        let mut rows = vec![
            ("instructions", format!("{} ({} slots of {})", self.instructions, self.slots, self.slot_limit)),
            ("attributes", listed(&self.attributes)),
            ("results", listed(&self.results)),
            ("temporaries", format!("{} of {TEMPORARIES}: {}", self.temporaries.len(), listed(&self.temporaries))),
            ("constants", listed(&ranges(&self.constants))),
        ];
        if !self.constants_written.is_empty() {
            rows.push(("constants written", listed(&ranges(&self.constants_written))));
        }
        if !self.uninitialised_temporaries.is_empty() {
            let undefined = listed(&self.uninitialised_temporaries);
            rows.push(("read before written", format!("{undefined} (0 in the NV dialects, undefined elsewhere)")));
        }
        rows.push(("palette", self.palette()));
        let rows: Vec<_> = rows.into_iter().map(|(name, value)| vec![format!("  {name}"), value]).collect();
        format!("{file}: a valid {} program{invariant}\n{}", self.dialect, table(&rows))
    }

    fn palette(&self) -> String {
        match self.budget {
            Some(ConstantBudget { first, rows_per_joint, end, joints }) => format!(
                "c[{first}] to c[{}], {rows_per_joint} registers a joint: {joints} joints fit",
                end.saturating_sub(1)
            ),
            None if self.relative_offsets.is_empty() => "none: nothing is read through A0.x".to_owned(),
            None => "none: what is read through A0.x lies outside of the constant file".to_owned(),
        }
    }
}

pub(super) fn run(arguments: &CheckArguments) -> CommandResult {
    let text = ProgramText::read(&arguments.program)?;
    let assembled = assemble(&text.text);
    let report = Report {
        file: &text.name,
        valid: assembled.is_ok(),
        summary: assembled.as_ref().ok().map(|assembled| Summary::new(&assembled.program, arguments.constants)),
        error: assembled.as_ref().err().map(|error| ErrorReport { error, position: error.position() }),
    };
    if arguments.json {
        print_text(&format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    }
    match (&assembled, &report.summary) {
        (Err(error), _) => eprint!("{}", error.render(&text.name, &text.text)),
        (Ok(_), Some(summary)) if !arguments.json => print_text(&summary.to_text(&text.name))?,
        _ => {}
    }
    Ok(if report.valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

/// Registers in ascending order, neighbours joined: `c[0..3]`.
fn ranges(registers: &[u8]) -> Vec<String> {
    let neighbours = registers.chunk_by(|a, b| a + 1 == *b);
    neighbours
        .map(|run| match run {
            [only] => format!("c[{only}]"),
            [first, .., last] => format!("c[{first}..{last}]"),
            [] => String::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_registers_are_joined() {
        assert_eq!(ranges(&[0, 1, 2, 3, 5, 7, 8]), ["c[0..3]", "c[5]", "c[7..8]"]);
        assert!(ranges(&[]).is_empty());
    }
}
