//! Programs rewritten for another dialect: opcodes that it lacks become sequences that it has.
//!
//! Sequences keep the order of operations and so the bits, except where noted at [`expand`].

use std::collections::BTreeSet;

use super::{TranslateError, assembly::temporaries_of};
use crate::text::{arb, direct3d, nvidia};
use refrast_machine::{
    Binding, Declaration, Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output, Parameter,
    ParameterArray, Pick, Program, Select, Source, SourceRegister, TEMPORARIES,
};

/// Rewrites `program` for `dialect`.
pub(super) fn lower(program: &Program, dialect: Dialect) -> Result<Program, TranslateError> {
    if program.dialect == dialect {
        return Ok(program.clone());
    }
    if program.dialect == Dialect::Vsp10 || dialect == Dialect::Vsp10 {
        return Err(TranslateError::StateProgram);
    }
    let program = &environment_numbered(program);
    let used: Vec<u8> = program.instructions.iter().flat_map(temporaries_of).collect();
    let free = (0..TEMPORARIES as u8).filter(|index| !used.contains(index)).collect();
    let mut lowering = Lowering { dialect, free, lowered: Program::empty(dialect) };
    lowering.lowered.position_invariant = program.position_invariant;
    for (index, instruction) in program.instructions.iter().enumerate() {
        lowering.instruction(instruction).map_err(|reason| TranslateError::Instruction {
            number: index + 1,
            opcode: instruction.opcode.name(),
            dialect,
            reason,
        })?;
    }
    let mut lowered = lowering.lowered;
    place_constants(program, &mut lowered)?;
    if dialect == Dialect::Vs11 {
        if program.position_invariant {
            return Err(TranslateError::PositionInvariant);
        }
        lowered.declarations = lowered.usage().attributes_read().map(declaration).collect();
    }
    Ok(lowered)
}

/// An ARB program with `program.env[n]` in c[n], where the other dialects look for it; any other binding gets a
/// register that is left. The program as it is where that can not be: two bindings of one parameter, or an array that
/// is no run of parameters.
fn environment_numbered(program: &Program) -> Program {
    let mut places: Vec<Option<u8>> = program.parameters.iter().map(environment).collect();
    let mut free = (0..96_u8).filter(|index| !places.contains(&Some(*index))).collect::<Vec<_>>().into_iter();
    let distinct: BTreeSet<u8> = places.iter().flatten().copied().collect();
    let runs = program.arrays.iter().all(|array| {
        let elements = &places[usize::from(array.first)..usize::from(array.first + array.length)];
        elements.windows(2).all(|pair| matches!(pair, [Some(a), Some(b)] if a + 1 == *b)) && elements[0].is_some()
    });
    if distinct.len() != places.iter().flatten().count() || !runs {
        return program.clone();
    }
    for place in &mut places {
        *place = place.or_else(|| free.next());
    }
    let place = |register: u8| places.get(usize::from(register)).copied().flatten().unwrap_or(register);
    let mut numbered = program.clone();
    numbered.arrays.clear();
    numbered.parameters.retain(|parameter| environment(parameter).is_none());
    for parameter in &mut numbered.parameters {
        parameter.register = place(parameter.register);
    }
    for source in numbered.instructions.iter_mut().flat_map(|instruction| &mut instruction.sources) {
        match &mut source.register {
            SourceRegister::Constant(register) => *register = place(*register),
            SourceRegister::Relative { base, .. } if !program.arrays.is_empty() => *base = place(*base),
            _ => {}
        }
    }
    numbered
}

/// The environment parameter that fills a register.
fn environment(parameter: &Parameter) -> Option<u8> {
    match parameter.binding {
        Binding::Environment(index) => Some(index),
        _ => None,
    }
}

/// Binds the constants of the new program: ARB names where each register comes from, `vs_1_1` defines literals, the NV
/// dialects leave all of it to the application.
fn place_constants(program: &Program, lowered: &mut Program) -> Result<(), TranslateError> {
    match lowered.dialect {
        Dialect::Arb10 => {
            let literal = |register: u8| program.parameters.iter().find(|known| known.register == register);
            let binding =
                |register: u8| literal(register).map_or(Binding::Environment(register), |known| known.binding.clone());
            let relative = lowered.instructions.iter().flat_map(Instruction::operands);
            let relative = relative.filter(|source| matches!(source.register, SourceRegister::Relative { .. })).count();
            let registers: Vec<u8> = if relative > 0 {
                lowered.arrays.push(ParameterArray { first: 0, length: 96 });
                (0..96).collect()
            } else {
                lowered.usage().constants.into_iter().collect()
            };
            // Without an array the registers are numbered in the order in which they are declared.
            let place = |register: u8| registers.iter().position(|&known| known == register).unwrap_or(0) as u8;
            for source in lowered.instructions.iter_mut().flat_map(|instruction| &mut instruction.sources) {
                if let SourceRegister::Constant(register) = &mut source.register {
                    *register = place(*register);
                }
            }
            let parameters = registers.iter().enumerate();
            lowered.parameters = parameters
                .map(|(place, &register)| Parameter { register: place as u8, binding: binding(register) })
                .collect();
        }
        Dialect::Vs11 => {
            if let Some(bound) = program.parameters.iter().find(|known| matches!(known.binding, Binding::State(_))) {
                return Err(TranslateError::State(format!("{:?}", bound.binding)));
            }
            let is_literal = |known: &&Parameter| matches!(known.binding, Binding::Literal(_));
            lowered.parameters = program.parameters.iter().filter(is_literal).cloned().collect();
        }
        Dialect::Vp10 | Dialect::Vp11 | Dialect::Vsp10 => lowered.parameters = program.parameters.clone(),
    }
    Ok(())
}

/// The usage that the library's programs have in each attribute register.
fn declaration(register: u8) -> Declaration {
    let (usage, index) = match register {
        0 => ("position", 0),
        1 => ("blendweight", 0),
        2 => ("normal", 0),
        3 => ("color", 0),
        4 => ("color", 1),
        5 => ("fog", 0),
        6 => ("blendindices", 0),
        7 => ("psize", 0),
        8.. => ("texcoord", register - 8),
    };
    Declaration { usage: usage.to_owned(), index, register }
}

struct Lowering {
    dialect: Dialect,
    /// Temporaries that the program does not use.
    free: Vec<u8>,
    lowered: Program,
}

impl Lowering {
    fn has(&self, opcode: Opcode) -> bool {
        match self.dialect {
            Dialect::Arb10 => arb::has_opcode(opcode),
            Dialect::Vs11 => direct3d::has_opcode(opcode) && opcode != Opcode::Frc,
            dialect => nvidia::has_opcode(dialect, opcode),
        }
    }

    fn scratch(&self, index: usize) -> Result<u8, String> {
        let missing = || format!("it needs {} temporaries that the program does not use", index + 1);
        self.free.get(index).copied().ok_or_else(missing)
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), String> {
        if instruction.opcode == Opcode::Nop {
            return Ok(());
        }
        let mut instruction = *instruction;
        for source in &mut instruction.sources {
            if let SourceRegister::Relative { base, offset } = source.register {
                let offset = i16::from(base) + i16::from(offset);
                let limits = if self.dialect == Dialect::Vs11 { 0..=95 } else { -64..=63 };
                if !limits.contains(&offset) {
                    let (low, high) = limits.into_inner();
                    return Err(format!("the offset {offset} from the address register is outside {low}..={high}"));
                }
                source.register = SourceRegister::Relative { base: 0, offset: offset as i8 };
            }
        }
        if let DestinationRegister::Output(output @ (Output::BackPrimary | Output::BackSecondary)) =
            instruction.destination.register
            && self.dialect == Dialect::Vs11
        {
            return Err(format!("vs_1_1 has no register for o[{}]", output.name()));
        }
        for part in self.expand(&instruction)? {
            self.push_with_ports(part)?;
        }
        Ok(())
    }

    /// Adds an instruction; where the dialect allows one constant and one attribute, further ones go through a
    /// temporary.
    fn push_with_ports(&mut self, mut instruction: Instruction) -> Result<(), String> {
        if self.dialect != Dialect::Arb10 {
            let operands = instruction.opcode.operands();
            let mut constant = None;
            let mut attribute = None;
            // An expansion uses up to two temporaries itself.
            let mut next_scratch = 2;
            for index in 0..operands {
                let register = instruction.sources[index].register;
                let port = match register {
                    SourceRegister::Constant(_) | SourceRegister::Relative { .. } => &mut constant,
                    SourceRegister::Attribute(_) => &mut attribute,
                    SourceRegister::Temporary(_) => continue,
                };
                if *port.get_or_insert(register) != register {
                    let temporary = self.scratch(next_scratch)?;
                    next_scratch += 1;
                    let moved = destination(temporary, Mask::XYZW);
                    self.lowered.instructions.push(Instruction::new(Opcode::Mov, moved, &[Source::plain(register)]));
                    instruction.sources[index].register = SourceRegister::Temporary(temporary);
                }
            }
            if operands == 1 {
                instruction.sources = [instruction.sources[0]; 3];
            }
        }
        self.lowered.instructions.push(instruction);
        Ok(())
    }

    /// The instruction in opcodes of the dialect.
    ///
    /// `EX2`, `LG2` and `POW` go through `EXP` and `LOG`, which this machine computes as exactly; a real one may not.
    /// `ABS` goes through `MAX`, and constants of `SWZ` through `SGE` and `SLT` of a register with itself, which holds
    /// for every number but not (in `ieee`) for a NaN.
    fn expand(&self, instruction: &Instruction) -> Result<Vec<Instruction>, String> {
        let &Instruction { opcode, destination: target, sources: [a, b, _] } = instruction;
        if self.has(opcode) {
            return Ok(vec![*instruction]);
        }
        let first = |mask| -> Result<_, String> { Ok(destination(self.scratch(0)?, mask)) };
        let read = |components: [u8; 4]| -> Result<_, String> {
            Ok(Source::swizzled(SourceRegister::Temporary(self.scratch(0)?), components, false))
        };
        let (y, z) = (Mask::from_bits(0b0010), Mask::from_bits(0b0100));
        Ok(match opcode {
            Opcode::Abs => vec![Instruction::new(Opcode::Max, target, &[a, negated(a)])],
            Opcode::Sub => vec![Instruction::new(Opcode::Add, target, &[a, negated(b)])],
            Opcode::Dph => vec![
                Instruction::new(Opcode::Dp3, first(Mask::X)?, &[a, b]),
                Instruction::new(Opcode::Add, target, &[read([0; 4])?, component(b, 3)]),
            ],
            Opcode::Xpd => {
                let target = Destination { mask: target.mask.and(Mask::XYZ), ..target };
                let ([yzx, zxy], minus) = ([[1, 2, 0, 3], [2, 0, 1, 3]], negated(read([0, 1, 2, 3])?));
                vec![
                    Instruction::new(Opcode::Mul, first(Mask::XYZ)?, &[arranged(a, zxy), arranged(b, yzx)]),
                    Instruction::new(Opcode::Mad, target, &[arranged(a, yzx), arranged(b, zxy), minus]),
                ]
            }
            Opcode::Ex2 => vec![
                Instruction::new(Opcode::Exp, first(z)?, &[a]),
                Instruction::new(Opcode::Mov, target, &[read([2; 4])?]),
            ],
            Opcode::Lg2 => vec![
                Instruction::new(Opcode::Log, first(z)?, &[a]),
                Instruction::new(Opcode::Mov, target, &[read([2; 4])?]),
            ],
            Opcode::Pow => vec![
                Instruction::new(Opcode::Log, first(z)?, &[a]),
                Instruction::new(Opcode::Mul, first(z)?, &[read([2; 4])?, b]),
                Instruction::new(Opcode::Exp, first(z)?, &[read([2; 4])?]),
                Instruction::new(Opcode::Mov, target, &[read([2; 4])?]),
            ],
            Opcode::Frc | Opcode::Flr => {
                let second = self.scratch(1)?;
                let mut parts = Vec::new();
                for c in target.mask.components() {
                    let part =
                        Destination { mask: Mask::from_bits(1 << c), register: DestinationRegister::Temporary(second) };
                    parts.push(Instruction::new(Opcode::Exp, first(y)?, &[component(a, c)]));
                    parts.push(if opcode == Opcode::Frc {
                        Instruction::new(Opcode::Mov, part, &[read([1; 4])?])
                    } else {
                        Instruction::new(Opcode::Add, part, &[a, negated(read([1; 4])?)])
                    });
                }
                parts.push(Instruction::new(Opcode::Mov, target, &[Source::plain(SourceRegister::Temporary(second))]));
                parts
            }
            Opcode::Swz => self.extended_swizzle(target, a)?,
            _ => return Err("the dialect has no instruction for it, and no sequence of instructions".to_owned()),
        })
    }

    /// `SWZ`: zeros and ones, then the components, in a temporary; then a move.
    fn extended_swizzle(&self, target: Destination, source: Source) -> Result<Vec<Instruction>, String> {
        let temporary = self.scratch(0)?;
        let plain = Source::plain(source.register);
        let mut parts = Vec::new();
        for (c, pick) in source.picks.iter().enumerate().filter(|(c, _)| target.mask.has(*c)) {
            let part = destination(temporary, Mask::from_bits(1 << c));
            parts.push(match pick.select {
                Select::Zero => Instruction::new(Opcode::Slt, part, &[plain, plain]),
                Select::One => Instruction::new(Opcode::Sge, part, &[plain, plain]),
                Select::Component(from) => {
                    Instruction::new(Opcode::Mov, part, &[Source::swizzled(source.register, [from; 4], false)])
                }
            });
            if pick.negate {
                let minus = Source::swizzled(SourceRegister::Temporary(temporary), [c as u8; 4], true);
                parts.push(Instruction::new(Opcode::Mov, part, &[minus]));
            }
        }
        parts.push(Instruction::new(Opcode::Mov, target, &[Source::plain(SourceRegister::Temporary(temporary))]));
        Ok(parts)
    }
}

fn destination(temporary: u8, mask: Mask) -> Destination {
    Destination { register: DestinationRegister::Temporary(temporary), mask }
}

fn negated(source: Source) -> Source {
    Source { picks: source.picks.map(|pick| Pick { negate: !pick.negate, ..pick }), ..source }
}

/// Component `c` of an operand, four times.
fn component(source: Source, c: usize) -> Source {
    Source { picks: [source.picks[c]; 4], ..source }
}

/// An operand with its components rearranged once more.
fn arranged(source: Source, order: [usize; 4]) -> Source {
    Source { picks: order.map(|c| source.picks[c]), ..source }
}
