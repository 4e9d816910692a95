//! `!!VP1.0`, `!!VP1.1` and `!!VSP1.0`: the grammar of NV_vertex_program 2.14.1.7 and 2.14.4 and of
//! NV_vertex_program1_1 2.14.A.

use super::{Assembled, builder::Builder, cursor::Cursor, lexer::Comments};
use crate::error::{ProgramError, Rule};
use refrast_machine::{
    ATTRIBUTES, COMPONENT_NAMES, CONSTANTS, Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode,
    Output, Source, SourceRegister, TEMPORARIES,
};

/// The mnemonics of attribute registers (table X.3) and their numbers.
pub(crate) const ATTRIBUTE_NAMES: [(&str, u8); 14] = [
    ("OPOS", 0),
    ("WGHT", 1),
    ("NRML", 2),
    ("COL0", 3),
    ("COL1", 4),
    ("FOGC", 5),
    ("TEX0", 8),
    ("TEX1", 9),
    ("TEX2", 10),
    ("TEX3", 11),
    ("TEX4", 12),
    ("TEX5", 13),
    ("TEX6", 14),
    ("TEX7", 15),
];

/// Whether an NV dialect has the opcode.
pub(crate) fn has_opcode(dialect: Dialect, opcode: Opcode) -> bool {
    use Opcode::{
        Abs, Add, Arl, Dp3, Dp4, Dph, Dst, Exp, Lit, Log, Mad, Max, Min, Mov, Mul, Rcc, Rcp, Rsq, Sge, Slt, Sub,
    };
    match opcode {
        Arl | Mov | Mul | Add | Mad | Rcp | Rsq | Dp3 | Dp4 | Dst | Min | Max | Slt | Sge | Exp | Log | Lit => true,
        Abs | Dph | Rcc | Sub => dialect == Dialect::Vp11,
        _ => false,
    }
}

/// Assembles what follows the header, from byte `start`.
pub(super) fn assemble(text: &str, start: usize, dialect: Dialect) -> Result<Assembled, ProgramError> {
    let mut parser =
        Parser { cursor: Cursor::new(text, start, Comments::Hash)?, builder: Builder::new(dialect), dialect };
    parser.program()?;
    Ok(parser.builder.finish())
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    builder: Builder,
    dialect: Dialect,
}

impl Parser<'_> {
    fn program(&mut self) -> Result<(), ProgramError> {
        if self.dialect == Dialect::Vp11 {
            self.options()?;
        }
        while !self.cursor.take_word("END") {
            self.instruction()?;
            self.cursor.expect(';')?;
        }
        if self.cursor.kind() != super::lexer::Kind::End {
            return Err(self.cursor.unexpected("nothing after `END`"));
        }
        if self.builder.program.instructions.is_empty() {
            return Err(self.cursor.error(
                self.cursor.end_span(),
                Rule::Grammar,
                "the program has no instruction".to_owned(),
                "write at least one",
            ));
        }
        self.result_written()
    }

    fn options(&mut self) -> Result<(), ProgramError> {
        while self.cursor.take_word("OPTION") {
            let (name, span) = self.cursor.identifier("the name of an option")?;
            if name != "NV_position_invariant" {
                let message = format!("`{name}` is no option of VP1.1");
                return Err(self.cursor.error(span, Rule::Name, message, "the only option is NV_position_invariant"));
            }
            self.builder.program.position_invariant = true;
            self.cursor.expect(';')?;
        }
        Ok(())
    }

    /// A vertex program has to write `o[HPOS]` unless it is position-invariant, a state program a constant.
    fn result_written(&self) -> Result<(), ProgramError> {
        let program = &self.builder.program;
        let wanted = |register: DestinationRegister| match self.dialect {
            Dialect::Vsp10 => matches!(register, DestinationRegister::Constant(_)),
            _ => register == DestinationRegister::Output(Output::Position),
        };
        let written = program.instructions.iter().any(|instruction| wanted(instruction.destination.register));
        if written || program.position_invariant {
            return Ok(());
        }
        let (message, remedy) = match self.dialect {
            Dialect::Vsp10 => ("the state program writes no constant", "write at least one component of a c[n]"),
            _ => ("the program does not write o[HPOS]", "write at least one component of o[HPOS]"),
        };
        Err(self.cursor.error(self.cursor.end_span(), Rule::MissingResult, message.to_owned(), remedy))
    }

    fn instruction(&mut self) -> Result<(), ProgramError> {
        let start = self.cursor.span().start;
        let (name, span) = self.cursor.identifier("an instruction or `END`")?;
        let opcode = Opcode::from_name(name).filter(|&opcode| has_opcode(self.dialect, opcode));
        let Some(opcode) = opcode else {
            let message = format!("`{name}` is no instruction of {}", self.dialect);
            let names = Opcode::ALL.into_iter().filter(|&opcode| has_opcode(self.dialect, opcode)).map(Opcode::name);
            let remedy = format!("its instructions are {}", names.collect::<Vec<_>>().join(" "));
            return Err(self.cursor.error(span, Rule::Name, message, &remedy));
        };
        let destination = if opcode == Opcode::Arl {
            self.address_register()?;
            Destination { register: DestinationRegister::Address, mask: Mask::X }
        } else {
            self.destination()?
        };
        let mut sources = Vec::with_capacity(3);
        for _ in 0..opcode.operands() {
            self.cursor.expect(',')?;
            sources.push(self.source(opcode.takes_scalars())?);
        }
        let instruction = Instruction::new(opcode, destination, &sources);
        let span = self.cursor.span_from(start);
        Builder::check_read_ports(&self.cursor, &instruction, &span)?;
        self.builder.push(&self.cursor, instruction, span)
    }

    /// `A0.x`
    fn address_register(&mut self) -> Result<(), ProgramError> {
        self.cursor.expect_word("A0")?;
        self.cursor.expect('.')?;
        self.cursor.expect_word("x")
    }

    fn destination(&mut self) -> Result<Destination, ProgramError> {
        let state_program = self.dialect == Dialect::Vsp10;
        let register = match self.cursor.text() {
            "o" if !state_program => {
                self.cursor.advance();
                self.cursor.expect('[')?;
                let (name, span) = self.cursor.identifier("the name of a result register")?;
                let Some(output) = Output::from_name(name) else {
                    let message = format!("there is no result register o[{name}]");
                    let names = Output::ALL.map(Output::name).join(" ");
                    return Err(self.cursor.error(span, Rule::Name, message, &format!("the registers are {names}")));
                };
                if output == Output::Position && self.builder.program.position_invariant {
                    let message = "a position-invariant program has no o[HPOS]".to_owned();
                    let remedy = "leave the position to the modelview-projection matrix, or drop the option";
                    return Err(self.cursor.error(span, Rule::PositionInvariant, message, remedy));
                }
                self.cursor.expect(']')?;
                DestinationRegister::Output(output)
            }
            "c" if state_program => {
                self.cursor.advance();
                self.cursor.expect('[')?;
                let index = self.cursor.integer("the number of a constant", 0..=CONSTANTS as u32 - 1)?;
                self.cursor.expect(']')?;
                DestinationRegister::Constant(index as u8)
            }
            _ => {
                let expected = if state_program {
                    "a destination (R0 to R11, or c[n])"
                } else {
                    "a destination (R0 to R11, or o[…])"
                };
                DestinationRegister::Temporary(self.temporary(expected)?)
            }
        };
        let mask = self.cursor.optional_mask(&[COMPONENT_NAMES])?;
        Ok(Destination { register, mask })
    }

    fn temporary(&mut self, expected: &str) -> Result<u8, ProgramError> {
        let name = self.cursor.text();
        let number = name.strip_prefix('R').filter(|digits| !digits.is_empty());
        let number = number.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(digits) = number else { return Err(self.cursor.unexpected(expected)) };
        let index = digits.parse::<u8>().ok().filter(|&index| usize::from(index) < TEMPORARIES);
        match index {
            // `R07` is no token of the grammar.
            Some(index) if digits == index.to_string() => {
                self.cursor.advance();
                Ok(index)
            }
            _ => {
                let message = format!("there is no temporary register {name}");
                Err(self.cursor.error(self.cursor.span(), Rule::Range, message, "the temporaries are R0 to R11"))
            }
        }
    }

    fn source(&mut self, scalar: bool) -> Result<Source, ProgramError> {
        let negate = self.cursor.optional_sign(self.dialect == Dialect::Vp11);
        let register = match self.cursor.text() {
            "v" => {
                self.cursor.advance();
                self.attribute()?
            }
            "c" => {
                self.cursor.advance();
                self.constant()?
            }
            _ => SourceRegister::Temporary(self.temporary("an operand (R0 to R11, v[…] or c[…])")?),
        };
        let components = if scalar { self.cursor.scalar_suffix()? } else { self.cursor.optional_swizzle()? };
        Ok(Source::swizzled(register, components, negate))
    }

    fn attribute(&mut self) -> Result<SourceRegister, ProgramError> {
        self.cursor.expect('[')?;
        let span = self.cursor.span();
        let name = self.cursor.text();
        let index = if let Some(&(_, index)) = ATTRIBUTE_NAMES.iter().find(|(known, _)| *known == name) {
            self.cursor.advance();
            index
        } else if self.cursor.kind() == super::lexer::Kind::Identifier {
            let message = format!("there is no attribute register v[{name}]");
            let names = ATTRIBUTE_NAMES.map(|(name, _)| name).join(" ");
            return Err(self.cursor.error(span, Rule::Name, message, &format!("use 0 to 15, or {names}")));
        } else {
            self.cursor.integer("the number of an attribute", 0..=ATTRIBUTES as u32 - 1)? as u8
        };
        if self.dialect == Dialect::Vsp10 && index != 0 {
            let message = format!("a state program can not read v[{name}]");
            return Err(self.cursor.error(span, Rule::Range, message, "a state program has v[0] only"));
        }
        self.cursor.expect(']')?;
        Ok(SourceRegister::Attribute(index))
    }

    fn constant(&mut self) -> Result<SourceRegister, ProgramError> {
        self.cursor.expect('[')?;
        let register = if self.cursor.text() == "A0" {
            let start = self.cursor.span().start;
            self.address_register()?;
            let offset = if self.cursor.take('+') {
                self.cursor.integer("the offset", 0..=63)? as i8
            } else if self.cursor.take('-') {
                (-(self.cursor.integer("the offset", 0..=64)? as i32)) as i8
            } else {
                0
            };
            if self.builder.program.position_invariant {
                let span = self.cursor.span_from(start);
                let message = "a position-invariant program has no relative addressing".to_owned();
                return Err(self.cursor.error(span, Rule::PositionInvariant, message, "read constants by number"));
            }
            SourceRegister::Relative { base: 0, offset }
        } else {
            SourceRegister::Constant(self.cursor.integer("the number of a constant", 0..=CONSTANTS as u32 - 1)? as u8)
        };
        self.cursor.expect(']')?;
        Ok(register)
    }
}
