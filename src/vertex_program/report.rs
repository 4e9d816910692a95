//! What the commands say about a program, as data and as text: [`CheckReport`], [`RunReport`], [`TraceReport`].

use std::fmt::{self, Write};

use serde::{Serialize, Serializer};

use super::{
    budget::ConstantBudget,
    error::ProgramError,
    text::{assemble, nvidia::ATTRIBUTE_NAMES},
    translate::{BindingText, format_instruction},
    values::Values,
};
use refrast_machine::{
    ATTRIBUTES, COMPONENT_NAMES, CONSTANTS, Dialect, Mask, MissingState, Output, Program, ScalarMachine, TEMPORARIES,
};

/// A register value; JSON has no infinities and no NaN, so they become strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() { serializer.serialize_f32(self.0) } else { serializer.serialize_str(&self.to_string()) }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            x if x.is_nan() => write!(out, "{}nan", if x.is_sign_negative() { "-" } else { "" }),
            x if x.is_infinite() => write!(out, "{}inf", if x < 0.0 { "-" } else { "" }),
            x if x != 0.0 && !(1.0e-4..1.0e7).contains(&x.abs()) => write!(out, "{x:e}"),
            x => write!(out, "{x}"),
        }
    }
}

fn numbers(vector: [f32; 4]) -> [Number; 4] {
    vector.map(Number)
}

fn vector_text(vector: &[Number; 4]) -> String {
    format!("({})", vector.iter().map(Number::to_string).collect::<Vec<_>>().join(", "))
}

/// A register and the components of it that are used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegisterUse {
    /// The register, as the dialect of the report names it.
    pub register: String,
    /// The components, as in `xyz`.
    pub components: String,
}

/// What `program check` finds in a valid program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// The dialect.
    pub dialect: Dialect,
    /// Instructions after macros are expanded.
    pub instructions: usize,
    /// Slots taken.
    pub slots: usize,
    /// Slots there are.
    pub slot_limit: usize,
    /// Whether the position comes from the modelview-projection matrix.
    pub position_invariant: bool,
    /// Attributes read.
    pub attributes: Vec<RegisterUse>,
    /// Temporaries read or written.
    pub temporaries: usize,
    /// Constants read by number.
    pub constants: Vec<u8>,
    /// Offsets from the address register that constants are read at.
    pub relative_offsets: Vec<i16>,
    /// What fills constants, by register (`def`, `PARAM`).
    pub parameters: Vec<(u8, String)>,
    /// Constants written (state programs).
    pub constants_written: Vec<u8>,
    /// Results written.
    pub outputs: Vec<RegisterUse>,
    /// How many joints fit, when the program reads a palette.
    pub budget: Option<ConstantBudget>,
    /// Valid, but probably not meant.
    pub warnings: Vec<String>,
}

/// The NV name of an attribute register: `v[OPOS]`, `v[6]`.
#[must_use]
pub fn attribute_name(register: u8) -> String {
    match ATTRIBUTE_NAMES.iter().find(|(_, known)| *known == register) {
        Some((name, _)) => format!("v[{name}]"),
        None => format!("v[{register}]"),
    }
}

impl CheckReport {
    /// Assembles a program text and describes it. `constants` is the size of the constant file that the budget is
    /// computed for: 96 unless the machine has another.
    ///
    /// # Errors
    ///
    /// When the text is no valid program.
    pub fn of(text: &str, constants: u8) -> Result<Self, ProgramError> {
        let program = assemble(text)?.program;
        let usage = program.usage();
        let mut warnings: Vec<String> = Vec::new();
        for index in &usage.undefined_temporaries {
            let value = if program.dialect == Dialect::Arb10 { "undefined in ARB, 0 here" } else { "0" };
            warnings.push(format!("temporary {index} is read before it is written: its value is {value}"));
        }
        let position = usage.outputs[Output::Position.index()];
        if program.dialect != Dialect::Vsp10 && position != Mask::XYZW {
            let missing = Mask::XYZW.without(position);
            warnings.push(format!("the position's {missing} is never written and stays at its initial value"));
        }
        if usage.address_loads == 0 && !usage.relative.is_empty() {
            warnings.push("constants are read through the address register, which is never loaded: it is 0".to_owned());
        }
        Ok(Self {
            dialect: program.dialect,
            instructions: program.instructions.len(),
            slots: program.slots(),
            slot_limit: program.slot_limit(),
            position_invariant: program.position_invariant,
            attributes: usage
                .attributes_read()
                .map(|index| RegisterUse {
                    register: attribute_name(index),
                    components: usage.attributes[usize::from(index)].to_string(),
                })
                .collect(),
            temporaries: usage.temporary_count(),
            constants: usage.constants.iter().copied().collect(),
            relative_offsets: usage.relative.iter().copied().collect(),
            parameters: program
                .parameters
                .iter()
                .map(|parameter| (parameter.register, BindingText(&parameter.binding).to_string()))
                .collect(),
            constants_written: usage.constants_written.iter().copied().collect(),
            outputs: usage
                .outputs_written()
                .map(|output| RegisterUse {
                    register: format!("o[{}]", output.name()),
                    components: usage.outputs[output.index()].to_string(),
                })
                .collect(),
            budget: ConstantBudget::of(&program, constants),
            warnings,
        })
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |uses: &[RegisterUse]| {
            let parts = uses.iter().map(|used| format!("{}.{}", used.register, used.components));
            parts.collect::<Vec<_>>().join(", ")
        };
        writeln!(out, "dialect       {}", self.dialect)?;
        writeln!(out, "instructions  {} of {} slots", self.slots, self.slot_limit)?;
        writeln!(out, "attributes    {} of {ATTRIBUTES}: {}", self.attributes.len(), list(&self.attributes))?;
        writeln!(out, "temporaries   {} of {TEMPORARIES}", self.temporaries)?;
        let constants = self.constants.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        writeln!(out, "constants     {} of {CONSTANTS} by number: {constants}", self.constants.len())?;
        writeln!(out, "results       {}", list(&self.outputs))?;
        if let Some(budget) = &self.budget {
            writeln!(
                out,
                "palette       c[{}] to c[{}], {} constants a joint: {} joints fit",
                budget.first,
                budget.end.saturating_sub(1),
                budget.rows_per_joint,
                budget.joints,
            )?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(out, "warning: {warning}"))
    }
}

/// What `program run` finds: every register that the program writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// Results, by the NV names of their registers.
    pub outputs: Vec<(String, [Number; 4])>,
    /// Constants that a state program wrote.
    pub constants: Vec<(u8, [Number; 4])>,
}

impl RunReport {
    /// Runs a program once.
    ///
    /// # Errors
    ///
    /// When the program is bound to OpenGL state that `values` lacks.
    pub fn of(program: &Program, values: &Values, machine: &ScalarMachine) -> Result<Self, MissingState> {
        let registers = machine.run(program, &values.constant_file(program)?, &values.attributes);
        let usage = program.usage();
        let outputs = usage.outputs_written();
        let written = usage.constants_written.iter();
        Ok(Self {
            outputs: outputs.map(|output| (output.name().to_owned(), numbers(registers.output(output)))).collect(),
            constants: written.map(|&index| (index, numbers(registers.constants[usize::from(index)]))).collect(),
        })
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.outputs {
            writeln!(out, "o[{name}] = {}", vector_text(value))?;
        }
        self.constants.iter().try_for_each(|(index, value)| writeln!(out, "c[{index}] = {}", vector_text(value)))
    }
}

/// A line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceLine {
    /// The instruction in canonical spelling.
    pub instruction: String,
    /// The operands, with swizzle and sign applied.
    pub sources: Vec<[Number; 4]>,
    /// The result before the write mask.
    pub result: [Number; 4],
    /// The components that were written.
    pub written: String,
    /// The destination before.
    pub before: [Number; 4],
    /// The destination after.
    pub after: [Number; 4],
}

/// What `program trace` shows: every instruction with its operands and what it changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceReport {
    /// The instructions, in order.
    pub lines: Vec<TraceLine>,
    /// The registers at the end.
    pub end: RunReport,
}

impl TraceReport {
    /// Runs a program once and records every instruction.
    ///
    /// # Errors
    ///
    /// When the program is bound to OpenGL state that `values` lacks.
    pub fn of(program: &Program, values: &Values, machine: &ScalarMachine) -> Result<Self, MissingState> {
        let (_, steps) = machine.trace(program, &values.constant_file(program)?, &values.attributes);
        let lines = steps.iter().zip(&program.instructions).map(|(step, instruction)| TraceLine {
            instruction: format_instruction(program, instruction),
            sources: step.sources[..instruction.opcode.operands()].iter().map(|&source| numbers(source)).collect(),
            result: numbers(step.result),
            written: Mask::from_bits(step.mask).to_string(),
            before: numbers(step.before),
            after: numbers(step.after),
        });
        Ok(Self { lines: lines.collect(), end: RunReport::of(program, values, machine)? })
    }
}

impl fmt::Display for TraceReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.lines.iter().map(|line| line.instruction.len()).max().unwrap_or(0);
        for (index, line) in self.lines.iter().enumerate() {
            let sources = line.sources.iter().map(vector_text).collect::<Vec<_>>().join(" ");
            let mut changes = String::new();
            for (c, name) in COMPONENT_NAMES.iter().enumerate() {
                let (before, after) = (line.before[c].0, line.after[c].0);
                if line.written.contains(*name) && before.to_bits() != after.to_bits() {
                    write!(changes, " {name}: {} -> {}", Number(before), Number(after))?;
                }
            }
            let changes = if changes.is_empty() { " nothing changed".to_owned() } else { changes };
            writeln!(
                out,
                "{index:3}  {:width$}  {sources} = {} |{changes}",
                line.instruction,
                vector_text(&line.result)
            )?;
        }
        write!(out, "{}", self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "!!VP1.0 ARL A0.x, v[0].w; MUL R0.xy, v[OPOS], c[A0.x + 4].y; MOV o[HPOS].xyw, R0; END";

    fn values() -> Values {
        let mut values = Values::default();
        values.set_inline("v[OPOS]=1,-2,3,1").unwrap();
        values.set_inline("c[5]=9,0.5,9,9").unwrap();
        values
    }

    #[test]
    fn a_check_counts_what_is_used_and_warns() {
        let report = CheckReport::of(TEXT, 96).unwrap();
        assert_eq!((report.slots, report.temporaries, report.relative_offsets.as_slice()), (3, 1, &[4_i16][..]));
        assert_eq!(report.attributes[0], RegisterUse { register: "v[OPOS]".into(), components: "xyw".into() });
        assert_eq!(report.budget.unwrap().joints, 92);
        // R0.w is read but never written, and o[HPOS].z is not written.
        assert_eq!(report.warnings.len(), 2, "{:?}", report.warnings);
        let shown = report.to_string();
        assert!(shown.contains("3 of 128 slots") && shown.contains("92 joints fit"), "{shown}");
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["budget"]["rows_per_joint"], 1);
        assert_eq!(json["dialect"], "vp1.0");
    }

    #[test]
    fn a_run_reports_the_results() {
        let program = assemble(TEXT).unwrap().program;
        let report = RunReport::of(&program, &values(), &ScalarMachine::default()).unwrap();
        assert_eq!(report.to_string(), "o[HPOS] = (0.5, -1, 0, 0)\n");
    }

    #[test]
    fn a_trace_shows_operands_result_and_change() {
        let program = assemble(TEXT).unwrap().program;
        let report = TraceReport::of(&program, &values(), &ScalarMachine::default()).unwrap();
        let shown = report.to_string();
        let second = shown.lines().nth(1).unwrap();
        assert!(second.contains("MUL R0.xy, v[OPOS], c[A0.x + 4].y"), "{shown}");
        assert!(
            second.contains("(1, -2, 3, 1) (0.5, 0.5, 0.5, 0.5) = (0.5, -1, 1.5, 0.5) | x: 0 -> 0.5 y: 0 -> -1"),
            "{shown}"
        );
        assert_eq!(report.lines[0].result[0], Number(1.0));
    }

    #[test]
    fn what_json_has_no_number_for_is_a_string() {
        let values = [Number(f32::NAN), Number(f32::NEG_INFINITY), Number(0.1)];
        assert_eq!(serde_json::to_string(&values).unwrap(), r#"["nan","-inf",0.1]"#);
    }
}
