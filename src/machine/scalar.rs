//! [`ScalarMachine`]: the reference interpreter, one vertex at a time, every register in sight.

use super::{
    arithmetic::{AddressRounding, NumericModel, clamp_unit, execute, flush_denormal},
    instruction::{
        ATTRIBUTES, CONSTANTS, DestinationRegister, Instruction, Mask, OUTPUTS, Opcode, Output, Pick, Select, Source,
        SourceRegister, TEMPORARIES,
    },
    program::{ConstantFile, Dialect, Program},
};

/// How a machine computes, and what happens around the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The numeric model.
    pub model: NumericModel,
    /// How `mov a0.x` of `vs_1_1` rounds.
    pub address_rounding: AddressRounding,
    /// Whether the four colours are clamped to [0, 1] after the program, as rasterisation wants them.
    pub clamp_colors: bool,
    /// The rows of the modelview-projection matrix, for position-invariant programs: clip-space position = rows · `v[0]`.
    pub modelview_projection: [[f32; 4]; 4],
}

impl Default for Settings {
    fn default() -> Self {
        let row = |i: usize| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 });
        Self {
            model: NumericModel::default(),
            address_rounding: AddressRounding::default(),
            clamp_colors: true,
            modelview_projection: [row(0), row(1), row(2), row(3)],
        }
    }
}

impl Settings {
    /// How a program of this dialect loads its address register.
    pub(super) fn rounding_for(&self, dialect: Dialect) -> AddressRounding {
        if dialect == Dialect::Vs11 { self.address_rounding } else { AddressRounding::Floor }
    }
}

/// The attribute registers `v[0..15]` of one vertex. What is not given is (0, 0, 0, 1).
pub type Attributes = [[f32; 4]; ATTRIBUTES];

/// The value of an attribute, or of a result, that nobody wrote.
pub const UNSET: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// The registers of the machine after a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Registers {
    /// Temporaries `R0..R11`.
    pub temporaries: [[f32; 4]; TEMPORARIES],
    /// Results `o[…]`, in the order of [`Output::ALL`].
    pub outputs: [[f32; 4]; OUTPUTS],
    /// Constants `c[0..95]`; only a state program changes them.
    pub constants: ConstantFile,
    /// The address register.
    pub address: i32,
}

impl Registers {
    /// A result register.
    #[must_use]
    pub fn output(&self, output: Output) -> [f32; 4] {
        self.outputs[output.index()]
    }
}

/// What one instruction did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Which instruction, from 0.
    pub instruction: usize,
    /// The operands, with swizzle and sign applied; as many count as the opcode has.
    pub sources: [[f32; 4]; 3],
    /// The result before the write mask; for an address load, the address in x.
    pub result: [f32; 4],
    /// The components written, bit 0 for x.
    pub mask: u8,
    /// The destination before.
    pub before: [f32; 4],
    /// The destination after.
    pub after: [f32; 4],
}

/// Runs programs one vertex at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScalarMachine {
    /// How it computes.
    pub settings: Settings,
}

impl ScalarMachine {
    /// A machine with these settings.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Runs a program on one vertex. A state program gets its parameter as `attributes[0]` and leaves its results in
    /// [`Registers::constants`].
    #[must_use]
    pub fn run(&self, program: &Program, constants: &ConstantFile, attributes: &Attributes) -> Registers {
        self.run_observed(program, constants, attributes, |_| ())
    }

    /// As [`run`](Self::run), with a record of every instruction.
    #[must_use]
    pub fn trace(
        &self,
        program: &Program,
        constants: &ConstantFile,
        attributes: &Attributes,
    ) -> (Registers, Vec<Step>) {
        let mut steps = Vec::with_capacity(program.instructions.len());
        let registers = self.run_observed(program, constants, attributes, |step| steps.push(step));
        (registers, steps)
    }

    fn run_observed(
        &self,
        program: &Program,
        constants: &ConstantFile,
        attributes: &Attributes,
        mut observe: impl FnMut(Step),
    ) -> Registers {
        let mut state = State {
            model: self.settings.model,
            rounding: self.settings.rounding_for(program.dialect),
            attributes,
            registers: Registers {
                temporaries: [[0.0; 4]; TEMPORARIES],
                outputs: [UNSET; OUTPUTS],
                constants: *constants,
                address: 0,
            },
        };
        for (index, instruction) in program.instructions.iter().enumerate() {
            let mut step = state.step(instruction);
            step.instruction = index;
            observe(step);
        }
        let mut registers = state.registers;
        if program.position_invariant {
            registers.outputs[Output::Position.index()] = self.invariant_position(attributes[0]);
        }
        if self.settings.clamp_colors {
            for output in Output::ALL.into_iter().filter(|output| output.is_color()) {
                let color = &mut registers.outputs[output.index()];
                *color = color.map(clamp_unit);
            }
        }
        registers
    }

    /// The position of a position-invariant program: four dot products, as the fixed pipeline computes it.
    fn invariant_position(&self, position: [f32; 4]) -> [f32; 4] {
        let model = self.settings.model;
        self.settings.modelview_projection.map(|row| {
            let operands = [row, position, position].map(|vector| flushed(model, vector));
            execute(Opcode::Dp4, model, operands)[0]
        })
    }
}

/// `vector` as an instruction of this model reads it.
#[inline(always)]
fn flushed(model: NumericModel, vector: [f32; 4]) -> [f32; 4] {
    let [x, y, z, w] = vector;
    match model {
        NumericModel::NvSpec => [flush_denormal(x), flush_denormal(y), flush_denormal(z), flush_denormal(w)],
        NumericModel::Ieee => vector,
    }
}

/// A program in flight.
struct State<'a> {
    model: NumericModel,
    rounding: AddressRounding,
    attributes: &'a Attributes,
    registers: Registers,
}

impl State<'_> {
    #[inline(always)]
    fn step(&mut self, instruction: &Instruction) -> Step {
        // Operands that do not count repeat the first.
        let (count, [first, second, third]) = (instruction.opcode.operands(), &instruction.sources);
        let first = self.fetch(first);
        let second = if count > 1 { self.fetch(second) } else { first };
        let sources = [first, second, if count > 2 { self.fetch(third) } else { first }];
        let result = if instruction.opcode == Opcode::Arl {
            let address = self.rounding.address(sources[0][0]);
            [address as f32, 0.0, 0.0, 0.0]
        } else {
            execute(instruction.opcode, self.model, sources)
        };
        let mask = instruction.written();
        let (before, after) = self.write(instruction.destination.register, mask, result);
        Step { instruction: 0, sources, result, mask: mask.bits(), before, after }
    }

    #[inline(always)]
    fn fetch(&self, source: &Source) -> [f32; 4] {
        let [x, y, z, w] = flushed(self.model, self.read(source.register));
        // What a component may be, and no branches: this is done for each component of each operand of each instruction.
        let all = [x, y, z, w, 0.0, 1.0, 0.0, 0.0];
        let pick = |Pick { select, negate }: Pick| {
            let place = match select {
                Select::Component(c) => c & 3,
                Select::Zero => 4,
                Select::One => 5,
            };
            f32::from_bits(all[usize::from(place)].to_bits() ^ u32::from(negate) << 31)
        };
        let [a, b, c, d] = source.picks;
        [pick(a), pick(b), pick(c), pick(d)]
    }

    #[inline(always)]
    fn read(&self, register: SourceRegister) -> [f32; 4] {
        match register {
            SourceRegister::Attribute(index) => self.attributes[usize::from(index)],
            SourceRegister::Temporary(index) => self.registers.temporaries[usize::from(index)],
            SourceRegister::Constant(index) => self.registers.constants[usize::from(index)],
            SourceRegister::Relative { base, offset } => {
                // "Relative addressing reads outside of the 0 to 95 inclusive range always read the value (0,0,0,0)."
                let index = i32::from(base) + self.registers.address + i32::from(offset);
                usize::try_from(index)
                    .ok()
                    .filter(|&index| index < CONSTANTS)
                    .map_or([0.0; 4], |index| self.registers.constants[index])
            }
        }
    }

    /// Writes the components in `mask`; gives the register before and after.
    fn write(&mut self, register: DestinationRegister, mask: Mask, result: [f32; 4]) -> ([f32; 4], [f32; 4]) {
        let target = match register {
            DestinationRegister::Temporary(index) => &mut self.registers.temporaries[usize::from(index)],
            DestinationRegister::Output(output) => &mut self.registers.outputs[output.index()],
            DestinationRegister::Constant(index) => &mut self.registers.constants[usize::from(index)],
            DestinationRegister::Address => {
                let before = [self.registers.address as f32, 0.0, 0.0, 0.0];
                self.registers.address = result[0] as i32;
                return (before, result);
            }
        };
        let before = *target;
        for c in mask.components() {
            target[c] = result[c];
        }
        (before, *target)
    }
}
