//! Programs as assembly text, in canonical spelling.
//!
//! What is printed assembles to the program it was printed from, instruction for instruction.

use std::fmt::{self, Write};

use crate::text::{direct3d, nvidia};
use refrast_machine::{
    Binding, COMPONENT_NAMES, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output, Parameter,
    ParameterArray, Pick, Program, Select, Source, SourceRegister,
};

/// The canonical text of a program in its own dialect.
#[must_use]
pub fn format(program: &Program) -> String {
    let mut text = String::new();
    let printed = match program.dialect {
        Dialect::Vp10 | Dialect::Vp11 | Dialect::Vsp10 => print_nvidia(&mut text, program),
        Dialect::Arb10 => print_arb(&mut text, program),
        Dialect::Vs11 => print_direct3d(&mut text, program),
    };
    // Writing to a String does not fail.
    printed.map_or_else(|_| String::new(), |()| text)
}

/// One instruction as it stands in the canonical text, without its `;`.
#[must_use]
pub fn format_instruction(program: &Program, instruction: &Instruction) -> String {
    Line { program, instruction }.to_string()
}

fn print_nvidia(text: &mut String, program: &Program) -> fmt::Result {
    writeln!(text, "{}", program.dialect.header())?;
    if program.position_invariant {
        writeln!(text, "OPTION NV_position_invariant;")?;
    }
    for Parameter { register, binding } in &program.parameters {
        writeln!(text, "# c[{register}] holds {}", BindingText(binding))?;
    }
    print_instructions(text, program)?;
    writeln!(text, "END")
}

fn print_instructions(text: &mut String, program: &Program) -> fmt::Result {
    let end = if program.dialect == Dialect::Vs11 { "" } else { ";" };
    program.instructions.iter().try_for_each(|instruction| writeln!(text, "{}{end}", Line { program, instruction }))
}

fn print_arb(text: &mut String, program: &Program) -> fmt::Result {
    writeln!(text, "{}", program.dialect.header())?;
    if program.position_invariant {
        writeln!(text, "OPTION ARB_position_invariant;")?;
    }
    for &ParameterArray { first, length } in &program.arrays {
        let elements = &program.parameters[usize::from(first)..usize::from(first + length)];
        writeln!(text, "PARAM c{first}[{length}] = {{ {} }};", elements_text(elements))?;
    }
    let in_array = |register: u8| array_of(program, register).is_some();
    for Parameter { register, binding } in program.parameters.iter().filter(|known| !in_array(known.register)) {
        writeln!(text, "PARAM c{register} = {};", BindingText(binding))?;
    }
    let temporaries = program.instructions.iter().flat_map(temporaries_of).max().map_or(0, |index| index + 1);
    if temporaries > 0 {
        let names = (0..temporaries).map(|index| format!("R{index}")).collect::<Vec<_>>();
        writeln!(text, "TEMP {};", names.join(", "))?;
    }
    let relative = |source: &Source| matches!(source.register, SourceRegister::Relative { .. });
    let addressed = program
        .instructions
        .iter()
        .any(|instruction| instruction.opcode == Opcode::Arl || instruction.operands().iter().any(relative));
    if addressed {
        writeln!(text, "ADDRESS A0;")?;
    }
    print_instructions(text, program)?;
    writeln!(text, "END")
}

fn print_direct3d(text: &mut String, program: &Program) -> fmt::Result {
    // Direct3D 8 programs, which have no declarations, are spelled with dots.
    writeln!(text, "{}", if program.declarations.is_empty() { "vs.1.1" } else { "vs_1_1" })?;
    for declaration in &program.declarations {
        let index = if declaration.index == 0 { String::new() } else { declaration.index.to_string() };
        writeln!(text, "dcl_{}{index} v{}", declaration.usage, declaration.register)?;
    }
    for Parameter { register, binding } in &program.parameters {
        if let Binding::Literal([x, y, z, w]) = binding {
            writeln!(text, "def c{register}, {x:?}, {y:?}, {z:?}, {w:?}")?;
        }
    }
    print_instructions(text, program)
}

/// The temporaries that an instruction reads or writes.
pub(super) fn temporaries_of(instruction: &Instruction) -> impl Iterator<Item = u8> + '_ {
    let written = match instruction.destination.register {
        DestinationRegister::Temporary(index) if instruction.opcode != Opcode::Nop => Some(index),
        _ => None,
    };
    let read = instruction.operands().iter().filter_map(|source| match source.register {
        SourceRegister::Temporary(index) => Some(index),
        _ => None,
    });
    written.into_iter().chain(read)
}

/// The array that holds a register (ARB).
fn array_of(program: &Program, register: u8) -> Option<&ParameterArray> {
    program.arrays.iter().find(|array| (array.first..array.first + array.length).contains(&register))
}

/// Bindings as in `{ … }`: neighbours of one kind as a range.
fn elements_text(elements: &[Parameter]) -> String {
    let numbered = |binding: &Binding| match binding {
        Binding::Environment(index) => Some(("program.env", *index)),
        Binding::Local(index) => Some(("program.local", *index)),
        _ => None,
    };
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(element) = elements.get(at) {
        let mut length = 1;
        match numbered(&element.binding) {
            Some((name, first)) => {
                let follows = |length: usize| {
                    let next = elements.get(at + length).and_then(|next| numbered(&next.binding));
                    next == Some((name, first + length as u8))
                };
                while follows(length) {
                    length += 1;
                }
                let last = first as usize + length - 1;
                parts.push(if length > 1 { format!("{name}[{first}..{last}]") } else { format!("{name}[{first}]") });
            }
            None => parts.push(BindingText(&element.binding).to_string()),
        }
        at += length;
    }
    parts.join(", ")
}

/// A binding as `PARAM` has it.
pub(crate) struct BindingText<'a>(pub(crate) &'a Binding);

impl fmt::Display for BindingText<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Binding::Environment(index) => write!(out, "program.env[{index}]"),
            Binding::Local(index) => write!(out, "program.local[{index}]"),
            Binding::Literal([x, y, z, w]) => write!(out, "{{ {x:?}, {y:?}, {z:?}, {w:?} }}"),
            Binding::State(name) => out.write_str(name),
        }
    }
}

/// An instruction in the spelling of a program.
struct Line<'a> {
    program: &'a Program,
    instruction: &'a Instruction,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opcode = self.instruction.opcode;
        match self.program.dialect {
            Dialect::Vs11 => out.write_str(direct3d::instruction_name(opcode).unwrap_or(opcode.name()))?,
            _ => out.write_str(opcode.name())?,
        }
        if opcode == Opcode::Nop {
            return Ok(());
        }
        out.write_char(' ')?;
        self.destination(out)?;
        for source in self.instruction.operands() {
            out.write_str(", ")?;
            self.source(out, source)?;
        }
        Ok(())
    }
}

impl Line<'_> {
    fn destination(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direct3d = self.program.dialect == Dialect::Vs11;
        match self.instruction.destination.register {
            DestinationRegister::Temporary(index) => write!(out, "{}{index}", if direct3d { 'r' } else { 'R' })?,
            DestinationRegister::Constant(index) => write!(out, "c[{index}]")?,
            DestinationRegister::Address => return out.write_str(if direct3d { "a0.x" } else { "A0.x" }),
            DestinationRegister::Output(output) => match self.program.dialect {
                Dialect::Vs11 => out.write_str(direct3d_output(output).unwrap_or("o?"))?,
                Dialect::Arb10 => arb_output(out, output)?,
                _ => write!(out, "o[{}]", output.name())?,
            },
        }
        match self.instruction.destination.mask {
            Mask::XYZW => Ok(()),
            mask => write!(out, ".{mask}"),
        }
    }

    fn source(&self, out: &mut fmt::Formatter<'_>, source: &Source) -> fmt::Result {
        if self.instruction.opcode == Opcode::Swz {
            self.register(out, source.register)?;
            return source.picks.iter().try_for_each(|pick| write!(out, ", {}", PickText(*pick)));
        }
        // Only SWZ has picks that are no swizzle.
        let (components, negate) = source.swizzle().unwrap_or(([0, 1, 2, 3], false));
        if negate {
            out.write_char('-')?;
        }
        self.register(out, source.register)?;
        let name = |c: u8| COMPONENT_NAMES[usize::from(c)];
        match components {
            _ if self.instruction.opcode.takes_scalars() => write!(out, ".{}", name(components[0])),
            [0, 1, 2, 3] => Ok(()),
            [x, y, z, w] if x == y && y == z && z == w => write!(out, ".{}", name(x)),
            _ => write!(out, ".{}", components.map(name).iter().collect::<String>()),
        }
    }

    fn register(&self, out: &mut fmt::Formatter<'_>, register: SourceRegister) -> fmt::Result {
        let dialect = self.program.dialect;
        match (dialect, register) {
            (Dialect::Vs11, SourceRegister::Attribute(index)) => write!(out, "v{index}"),
            (Dialect::Arb10, SourceRegister::Attribute(index)) => {
                if self.program.conventional_attributes >> index & 1 == 1 {
                    out.write_str(ARB_ATTRIBUTES[usize::from(index)])
                } else {
                    write!(out, "vertex.attrib[{index}]")
                }
            }
            (_, SourceRegister::Attribute(index)) => {
                match nvidia::ATTRIBUTE_NAMES.iter().find(|(_, known)| *known == index) {
                    Some((name, _)) => write!(out, "v[{name}]"),
                    None => write!(out, "v[{index}]"),
                }
            }
            (Dialect::Vs11, SourceRegister::Temporary(index)) => write!(out, "r{index}"),
            (_, SourceRegister::Temporary(index)) => write!(out, "R{index}"),
            (Dialect::Vs11, SourceRegister::Constant(index)) => write!(out, "c{index}"),
            (Dialect::Arb10, SourceRegister::Constant(index)) => match array_of(self.program, index) {
                Some(array) => write!(out, "c{}[{}]", array.first, index - array.first),
                None => write!(out, "c{index}"),
            },
            (_, SourceRegister::Constant(index)) => write!(out, "c[{index}]"),
            (Dialect::Vs11, SourceRegister::Relative { offset, .. }) => relative(out, "c[a0.x", i16::from(offset)),
            (Dialect::Arb10, SourceRegister::Relative { base, offset }) => {
                relative(out, &format!("c{base}[A0.x"), i16::from(offset))
            }
            (_, SourceRegister::Relative { offset, .. }) => relative(out, "c[A0.x", i16::from(offset)),
        }
    }
}

/// `c[A0.x + 3]`
fn relative(out: &mut fmt::Formatter<'_>, start: &str, offset: i16) -> fmt::Result {
    match offset {
        0 => write!(out, "{start}]"),
        1.. => write!(out, "{start} + {offset}]"),
        _ => write!(out, "{start} - {}]", -offset),
    }
}

/// A component of an extended swizzle.
struct PickText(Pick);

impl fmt::Display for PickText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.negate {
            out.write_char('-')?;
        }
        out.write_char(match self.0.select {
            Select::Zero => '0',
            Select::One => '1',
            Select::Component(c) => COMPONENT_NAMES[usize::from(c)],
        })
    }
}

/// The conventional names of ARB_vertex_program (table X.2) by register; 6 is where this machine keeps matrix indices.
const ARB_ATTRIBUTES: [&str; 16] = [
    "vertex.position",
    "vertex.weight",
    "vertex.normal",
    "vertex.color",
    "vertex.color.secondary",
    "vertex.fogcoord",
    "vertex.matrixindex[0]",
    "vertex.attrib[7]",
    "vertex.texcoord[0]",
    "vertex.texcoord[1]",
    "vertex.texcoord[2]",
    "vertex.texcoord[3]",
    "vertex.texcoord[4]",
    "vertex.texcoord[5]",
    "vertex.texcoord[6]",
    "vertex.texcoord[7]",
];

fn arb_output(out: &mut fmt::Formatter<'_>, output: Output) -> fmt::Result {
    out.write_str(match output {
        Output::Position => "result.position",
        Output::FrontPrimary => "result.color",
        Output::FrontSecondary => "result.color.secondary",
        Output::BackPrimary => "result.color.back",
        Output::BackSecondary => "result.color.back.secondary",
        Output::Fog => "result.fogcoord",
        Output::PointSize => "result.pointsize",
        Output::Texture(set) => return write!(out, "result.texcoord[{set}]"),
    })
}

/// The name of a result register in Direct3D, which has no back colours.
pub(super) fn direct3d_output(output: Output) -> Option<&'static str> {
    const TEXTURES: [&str; 8] = ["oT0", "oT1", "oT2", "oT3", "oT4", "oT5", "oT6", "oT7"];
    match output {
        Output::Position => Some("oPos"),
        Output::FrontPrimary => Some("oD0"),
        Output::FrontSecondary => Some("oD1"),
        Output::BackPrimary | Output::BackSecondary => None,
        Output::Fog => Some("oFog"),
        Output::PointSize => Some("oPts"),
        Output::Texture(set) => TEXTURES.get(usize::from(set)).copied(),
    }
}
