//! `refrast program run` and `refrast program trace`: one vertex through the reference machine.

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use clap::Args;
use refrast::vertex_program::{
    AddressRounding, Assembled, Attributes, COMPONENT_NAMES, CONSTANTS, ConstantFile, DestinationRegister, Dialect,
    InputRegister, Instruction, Mask, NumericModel, ParameterInputs, Program, Registers, ScalarMachine, Settings, Step,
    UNSET, format_instruction,
};
use serde::Serialize;

use super::{
    CommandResult, ProgramText, print_text,
    table::{number, table, vector},
    values::{Number, Values, read_values},
};

/// Run a program on one vertex and print its results
#[derive(Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    input: InputArguments,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Run a program on one vertex and print what each instruction reads, computes and changes
#[derive(Args)]
pub(super) struct TraceArguments {
    #[command(flatten)]
    input: InputArguments,
    /// Print JSON to standard output
    #[arg(long)]
    json: bool,
}

/// A program, the values of its registers and the way it computes.
#[derive(Args)]
struct InputArguments {
    /// Program text, or a program of the library
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// Constants, inline ("c0=1,0,0,0; c[1]=0,1,0,0"), or JSON ({"c0": [1, 0, 0, 0]}) in a file or inline; others are 0
    #[arg(long, value_name = "VALUES")]
    constants: Option<String>,
    /// Attributes, written in the same way ("v0=1,2,3,1; v[NRML]=0,0,1"); others are (0, 0, 0, 1)
    #[arg(long, value_name = "VALUES")]
    attributes: Option<String>,
    /// ARB: program.local[n], written in the same way ("c0" is program.local[0])
    #[arg(long, value_name = "VALUES")]
    locals: Option<String>,
    /// OpenGL state by its full name ("state.matrix.mvp.row[0]=1,0,0,0"); position-invariant programs of every dialect
    /// use the rows of state.matrix.mvp, which are those of the identity where they are not given
    #[arg(long, value_name = "VALUES")]
    state: Option<String>,
    /// Numeric model: nv-spec | ieee
    #[arg(long, value_name = "MODEL", default_value = "nv-spec")]
    model: NumericModel,
    /// How `mov a0.x` of vs_1_1 rounds: floor | nearest | truncate
    #[arg(long, value_name = "ROUNDING", default_value = "floor")]
    address_rounding: AddressRounding,
    /// Leave colours as the program wrote them; otherwise they are clamped to [0, 1]
    #[arg(long)]
    no_clamp: bool,
}

/// A program ready to run.
struct Input {
    assembled: Assembled,
    machine: ScalarMachine,
    constants: ConstantFile,
    attributes: Attributes,
}

impl InputArguments {
    fn prepare(&self) -> Result<Input, Box<dyn std::error::Error>> {
        let text = ProgramText::read(&self.program)?;
        let assembled = text.assemble()?;
        let environment = constant_file("--constants", self.constants.as_deref())?;
        let locals = constant_file("--locals", self.locals.as_deref())?;
        let state = given("--state", self.state.as_deref())?;
        let inputs =
            ParameterInputs { constants: &environment, locals: &locals, state: &|name| state.get(name).copied() };
        let constants = assembled.program.constant_file(&inputs).map_err(|error| format!("{}: {error}", text.name))?;
        let mut attributes: Attributes = [UNSET; 16];
        for (name, value) in given("--attributes", self.attributes.as_deref())? {
            match name.parse()? {
                InputRegister::Attribute(register) => attributes[usize::from(register)] = value,
                InputRegister::Constant(_) => return Err(format!("--attributes: `{name}` is a constant").into()),
            }
        }
        let mut settings = Settings {
            model: self.model,
            address_rounding: self.address_rounding,
            clamp_colors: !self.no_clamp,
            ..Settings::default()
        };
        for (row, values) in settings.modelview_projection.iter_mut().enumerate() {
            *values = state.get(&format!("state.matrix.mvp.row[{row}]")).copied().unwrap_or(*values);
        }
        Ok(Input { assembled, machine: ScalarMachine::new(settings), constants, attributes })
    }
}

fn given(option: &str, values: Option<&str>) -> Result<Values, String> {
    values.map_or_else(|| Ok(Values::new()), |values| read_values(option, values))
}

fn constant_file(option: &str, values: Option<&str>) -> Result<ConstantFile, Box<dyn std::error::Error>> {
    let mut file: ConstantFile = [[0.0; 4]; CONSTANTS];
    for (name, value) in given(option, values)? {
        match name.parse()? {
            InputRegister::Constant(register) => file[usize::from(register)] = value,
            InputRegister::Attribute(_) => return Err(format!("{option}: `{name}` is an attribute").into()),
        }
    }
    Ok(file)
}

/// The registers after a program, by name. Constants are there for state programs only.
#[derive(Serialize)]
struct Results {
    results: BTreeMap<String, [Number; 4]>,
    temporaries: BTreeMap<String, [Number; 4]>,
    constants: BTreeMap<String, [Number; 4]>,
    address: i32,
}

impl Results {
    fn new(program: &Program, registers: &Registers) -> Self {
        let usage = program.usage();
        let named = |name: String, value: [f32; 4]| (name, value.map(Number));
        let written = |index: &usize| usage.temporaries[*index] != Mask::NONE;
        Self {
            results: usage
                .outputs_written()
                .map(|output| named(output.name().to_owned(), registers.output(output)))
                .collect(),
            temporaries: (0..registers.temporaries.len())
                .filter(written)
                .map(|index| named(format!("R{index}"), registers.temporaries[index]))
                .collect(),
            constants: usage
                .constants_written
                .iter()
                .map(|&index| named(format!("c[{index}]"), registers.constants[usize::from(index)]))
                .collect(),
            address: registers.address,
        }
    }

    fn to_text(&self, program: &Program) -> String {
        let groups = [&self.results, &self.constants, &self.temporaries];
        let rows = groups.into_iter().flatten().map(|(name, value)| vec![name.clone(), vector(&value.map(|n| n.0))]);
        let mut rows: Vec<Vec<String>> = rows.collect();
        if program.usage().address_loads > 0 {
            rows.push(vec!["A0.x".to_owned(), self.address.to_string()]);
        }
        table(&rows)
    }
}

pub(super) fn run(arguments: &RunArguments) -> CommandResult {
    let Input { assembled, machine, constants, attributes } = arguments.input.prepare()?;
    let registers = machine.run(&assembled.program, &constants, &attributes);
    let results = Results::new(&assembled.program, &registers);
    let text = if arguments.json {
        serde_json::to_string_pretty(&results)? + "\n"
    } else {
        results.to_text(&assembled.program)
    };
    print_text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// An instruction of a trace.
#[derive(Serialize)]
struct TracedStep {
    instruction: usize,
    text: String,
    sources: Vec<[Number; 4]>,
    result: [Number; 4],
    destination: String,
    mask: String,
    before: [Number; 4],
    after: [Number; 4],
}

#[derive(Serialize)]
struct Trace {
    steps: Vec<TracedStep>,
    #[serde(flatten)]
    results: Results,
}

pub(super) fn trace(arguments: &TraceArguments) -> CommandResult {
    let Input { assembled, machine, constants, attributes } = arguments.input.prepare()?;
    let program = &assembled.program;
    let (registers, steps) = machine.trace(program, &constants, &attributes);
    let results = Results::new(program, &registers);
    if arguments.json {
        let steps = steps.iter().map(|step| TracedStep::new(program, step)).collect();
        print_text(&format!("{}\n", serde_json::to_string_pretty(&Trace { steps, results })?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = vec![["#", "instruction", "sources", "result", "changed"].map(str::to_owned).to_vec()];
    for step in &steps {
        rows.extend(step_rows(program, step));
    }
    print_text(&format!("{}\n{}", table(&rows), results.to_text(program)))?;
    Ok(ExitCode::SUCCESS)
}

impl TracedStep {
    fn new(program: &Program, step: &Step) -> Self {
        let instruction = &program.instructions[step.instruction];
        Self {
            instruction: step.instruction + 1,
            text: format_instruction(program, instruction),
            sources: step.sources.iter().map(|source| source.map(Number)).collect(),
            result: step.result.map(Number),
            destination: destination(program.dialect, instruction),
            mask: Mask::from_bits(step.mask).to_string(),
            before: step.before.map(Number),
            after: step.after.map(Number),
        }
    }
}

/// The rows of one instruction: a line for each operand, or for each component that changed.
fn step_rows(program: &Program, step: &Step) -> Vec<Vec<String>> {
    let instruction = &program.instructions[step.instruction];
    let name = destination(program.dialect, instruction);
    let mask = Mask::from_bits(step.mask);
    let changed: Vec<String> = mask
        .components()
        .map(|c| {
            let component = COMPONENT_NAMES[c];
            format!("{name}.{component} {} → {}", number(step.before[c]), number(step.after[c]))
        })
        .collect();
    let result: Vec<f32> = mask.components().map(|c| step.result[c]).collect();
    let lines = step.sources.len().max(changed.len()).max(1);
    (0..lines)
        .map(|line| {
            let first = |text: String| if line == 0 { text } else { String::new() };
            vec![
                first((step.instruction + 1).to_string()),
                first(format_instruction(program, instruction)),
                step.sources.get(line).map(|source| vector(source)).unwrap_or_default(),
                first(vector(&result)),
                changed.get(line).cloned().unwrap_or_default(),
            ]
        })
        .collect()
}

fn destination(dialect: Dialect, instruction: &Instruction) -> String {
    match instruction.destination.register {
        DestinationRegister::Temporary(index) => format!("R{index}"),
        DestinationRegister::Output(output) if dialect == Dialect::Arb10 => format!("result {}", output.name()),
        DestinationRegister::Output(output) => format!("o[{}]", output.name()),
        DestinationRegister::Constant(index) => format!("c[{index}]"),
        DestinationRegister::Address => "A0".to_owned(),
    }
}
