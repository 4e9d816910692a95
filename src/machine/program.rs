//! [`Program`]: an assembled vertex program, and what can be read off it without running it.

use std::{collections::BTreeSet, fmt};

use serde::Serialize;

use super::instruction::{
    ATTRIBUTES, CONSTANTS, DestinationRegister, Instruction, Mask, Opcode, Output, SourceRegister, TEMPORARIES,
};

/// The languages that programs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Dialect {
    /// `!!VP1.0`, NV_vertex_program.
    #[serde(rename = "vp1.0")]
    Vp10,
    /// `!!VP1.1`, NV_vertex_program1_1.
    #[serde(rename = "vp1.1")]
    Vp11,
    /// `!!VSP1.0`, a state program of NV_vertex_program: it writes constants instead of results.
    #[serde(rename = "vsp1.0")]
    Vsp10,
    /// `!!ARBvp1.0`, ARB_vertex_program.
    #[serde(rename = "arb")]
    Arb10,
    /// `vs_1_1` or `vs.1.1`, Direct3D.
    #[serde(rename = "vs_1_1")]
    Vs11,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] = [Self::Vp10, Self::Vp11, Self::Vsp10, Self::Arb10, Self::Vs11];

    /// The header that a program of this dialect starts with.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::Vp10 => "!!VP1.0",
            Self::Vp11 => "!!VP1.1",
            Self::Vsp10 => "!!VSP1.0",
            Self::Arb10 => "!!ARBvp1.0",
            Self::Vs11 => "vs_1_1",
        }
    }

    /// Slots that an opcode takes of the 128. Only Direct3D's macros take more than one (`Instructions - vs_1_1`).
    #[must_use]
    pub const fn slots(self, opcode: Opcode) -> usize {
        match (self, opcode) {
            (Self::Vs11, Opcode::Ex2 | Opcode::Lg2) => 10,
            (Self::Vs11, Opcode::Frc) => 3,
            _ => 1,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.header())
    }
}

/// What fills a constant register before the program runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// `program.env[n]`.
    Environment(u8),
    /// `program.local[n]`.
    Local(u8),
    /// A value written in the program: `def`, or a constant of `PARAM`.
    Literal([f32; 4]),
    /// OpenGL state, by its canonical name (`state.matrix.mvp.row[0]`).
    State(String),
}

/// A constant register and what fills it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The register `c[n]`.
    pub register: u8,
    /// What fills it.
    pub binding: Binding,
}

/// A run of constant registers that is read through the address register (ARB).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterArray {
    /// The first register.
    pub first: u8,
    /// How many registers.
    pub length: u8,
}

/// `dcl_usage` of `vs_1_1`: which vertex element fills an attribute register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The usage, such as `position` or `blendweight`.
    pub usage: String,
    /// The usage index.
    pub index: u8,
    /// The attribute register.
    pub register: u8,
}

/// An assembled program. Two programs are equal when they do the same by the same instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The language it was written in.
    pub dialect: Dialect,
    /// Whether the position comes from the modelview-projection matrix instead of the program.
    pub position_invariant: bool,
    /// What fills constant registers, in register order. Empty for the NV dialects: the caller fills all of them.
    pub parameters: Vec<Parameter>,
    /// The arrays that are read through the address register (ARB).
    pub arrays: Vec<ParameterArray>,
    /// The vertex elements (`vs_1_1`).
    pub declarations: Vec<Declaration>,
    /// Attribute registers, bit n for register n, that the program binds by conventional names (`vertex.normal`) and not
    /// by `vertex.attrib[n]` (ARB, where an application fills them by different calls).
    pub conventional_attributes: u16,
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
}

/// The values of all constant registers.
pub type ConstantFile = [[f32; 4]; CONSTANTS];

/// What the caller provides for the constant registers.
pub struct ParameterInputs<'a> {
    /// NV dialects and `vs_1_1`: `c[0..95]`. ARB: `program.env[0..95]`.
    pub constants: &'a ConstantFile,
    /// ARB: `program.local[0..95]`.
    pub locals: &'a ConstantFile,
    /// ARB: the value of an OpenGL state vector by its canonical name.
    pub state: &'a dyn Fn(&str) -> Option<[f32; 4]>,
}

/// The program is bound to OpenGL state that nobody provides.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program reads `{0}`, and no value was given for it: provide it, or bind program.env or program.local")]
pub struct MissingState(pub String);

impl Program {
    /// A program without instructions.
    #[must_use]
    pub fn empty(dialect: Dialect) -> Self {
        Self {
            dialect,
            position_invariant: false,
            parameters: Vec::new(),
            arrays: Vec::new(),
            declarations: Vec::new(),
            conventional_attributes: 0,
            instructions: Vec::new(),
        }
    }

    /// Slots taken, of [`slot_limit`](Self::slot_limit).
    #[must_use]
    pub fn slots(&self) -> usize {
        self.instructions.iter().map(|instruction| self.dialect.slots(instruction.opcode)).sum()
    }

    /// The limit on slots: 128, and 124 where four are kept for the position.
    #[must_use]
    pub const fn slot_limit(&self) -> usize {
        if self.position_invariant { super::instruction::INSTRUCTIONS - 4 } else { super::instruction::INSTRUCTIONS }
    }

    /// The constant registers as the program will see them.
    ///
    /// # Errors
    ///
    /// When the program is bound to OpenGL state that `inputs.state` does not know.
    pub fn constant_file(&self, inputs: &ParameterInputs<'_>) -> Result<ConstantFile, MissingState> {
        let mut file = if self.dialect == Dialect::Arb10 { [[0.0; 4]; CONSTANTS] } else { *inputs.constants };
        for Parameter { register, binding } in &self.parameters {
            file[usize::from(*register)] = match binding {
                Binding::Environment(index) => inputs.constants[usize::from(*index)],
                Binding::Local(index) => inputs.locals[usize::from(*index)],
                Binding::Literal(value) => *value,
                Binding::State(name) => (inputs.state)(name).ok_or_else(|| MissingState(name.clone()))?,
            };
        }
        Ok(file)
    }

    /// As [`constant_file`](Self::constant_file), where the program needs nothing but `constants` (and literals).
    ///
    /// # Errors
    ///
    /// When the program is bound to OpenGL state.
    pub fn constant_file_from(&self, constants: &ConstantFile) -> Result<ConstantFile, MissingState> {
        let locals = [[0.0; 4]; CONSTANTS];
        self.constant_file(&ParameterInputs { constants, locals: &locals, state: &|_| None })
    }

    /// What the program reads and writes.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for instruction in &self.instructions {
            for (register, components) in instruction.reads() {
                match register {
                    SourceRegister::Attribute(index) => {
                        let read = &mut usage.attributes[usize::from(index)];
                        *read = read.or(components);
                    }
                    SourceRegister::Temporary(index) => {
                        let undefined = components.without(usage.temporaries[usize::from(index)]);
                        if undefined != Mask::NONE {
                            usage.undefined_temporaries.insert(index);
                        }
                        usage.temporaries_read.insert(index);
                    }
                    SourceRegister::Constant(index) => {
                        usage.constants.insert(index);
                    }
                    SourceRegister::Relative { base, offset } => {
                        usage.relative.insert(i16::from(base) + i16::from(offset));
                    }
                }
            }
            let written = instruction.written();
            match instruction.destination.register {
                DestinationRegister::Temporary(index) => {
                    let mask = &mut usage.temporaries[usize::from(index)];
                    *mask = mask.or(written);
                }
                DestinationRegister::Output(output) => {
                    let mask = &mut usage.outputs[output.index()];
                    *mask = mask.or(written);
                }
                DestinationRegister::Constant(index) => {
                    usage.constants_written.insert(index);
                }
                DestinationRegister::Address => usage.address_loads += 1,
            }
        }
        if self.position_invariant {
            usage.attributes[0] = Mask::XYZW;
            usage.outputs[Output::Position.index()] = Mask::XYZW;
        }
        usage
    }
}

/// What a program reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Components read of each attribute register.
    pub attributes: [Mask; ATTRIBUTES],
    /// Components written of each temporary.
    pub temporaries: [Mask; TEMPORARIES],
    /// Temporaries that are read.
    pub temporaries_read: BTreeSet<u8>,
    /// Temporaries that are read where they were not written: 0 in the NV dialects, undefined in ARB.
    pub undefined_temporaries: BTreeSet<u8>,
    /// Constant registers read by number.
    pub constants: BTreeSet<u8>,
    /// Offsets from `A0.x` that constants are read at, with the start of the array added.
    pub relative: BTreeSet<i16>,
    /// Constant registers written (state programs).
    pub constants_written: BTreeSet<u8>,
    /// How often the address register is loaded.
    pub address_loads: usize,
    /// Components written of each result register, as in [`Output::ALL`].
    pub outputs: [Mask; Output::ALL.len()],
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            attributes: [Mask::NONE; ATTRIBUTES],
            temporaries: [Mask::NONE; TEMPORARIES],
            temporaries_read: BTreeSet::new(),
            undefined_temporaries: BTreeSet::new(),
            constants: BTreeSet::new(),
            relative: BTreeSet::new(),
            constants_written: BTreeSet::new(),
            address_loads: 0,
            outputs: [Mask::NONE; Output::ALL.len()],
        }
    }
}

impl Usage {
    /// The attribute registers that are read.
    pub fn attributes_read(&self) -> impl Iterator<Item = u8> + '_ {
        (0..ATTRIBUTES as u8).filter(|&index| self.attributes[usize::from(index)] != Mask::NONE)
    }

    /// The result registers that are written.
    pub fn outputs_written(&self) -> impl Iterator<Item = Output> + '_ {
        Output::ALL.into_iter().filter(|output| self.outputs[output.index()] != Mask::NONE)
    }

    /// How many temporaries the program touches.
    #[must_use]
    pub fn temporary_count(&self) -> usize {
        (0..TEMPORARIES as u8)
            .filter(|index| {
                self.temporaries[usize::from(*index)] != Mask::NONE || self.temporaries_read.contains(index)
            })
            .count()
    }
}
