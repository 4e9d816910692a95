//! `vs_1_1`, also spelled `vs.1.1`: Direct3D's vertex shader assembly.
//!
//! Sources: "Instructions - vs_1_1", "Registers - vs_1_1", "Destination Register Masking" and the pages of the single
//! instructions in Microsoft's Direct3D 9 reference. Names are case-insensitive there, and so they are here.
//!
//! The macros `m3x2` … `m4x4` become the dot products that their pages list. Where the pages leave a choice open, the
//! strict reading is taken for what breaks silently (scalar operands name their component) and the lenient one where
//! programs in the wild differ (`rcp r0, r1.w` may write all components).

use std::ops::Range;

use super::{
    Assembled,
    builder::Builder,
    cursor::Cursor,
    lexer::{Comments, Kind, skip_space},
};
use crate::error::{ProgramError, Rule};
use refrast_machine::{
    ATTRIBUTES, Binding, CONSTANTS, Declaration, Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode,
    Output, Parameter, Source, SourceRegister, TEMPORARIES,
};

/// Components by position or by colour.
const COMPONENTS: [[char; 4]; 4] =
    [['x', 'y', 'z', 'w'], ['r', 'g', 'b', 'a'], ['X', 'Y', 'Z', 'W'], ['R', 'G', 'B', 'A']];

/// The usages of `D3DDECLUSAGE`.
const USAGES: [&str; 14] = [
    "position",
    "blendweight",
    "blendindices",
    "normal",
    "psize",
    "texcoord",
    "tangent",
    "binormal",
    "tessfactor",
    "positiont",
    "color",
    "fog",
    "depth",
    "sample",
];

/// The matrix macros: name, rows, opcode of a row.
const MACROS: [(&str, u8, Opcode); 5] = [
    ("m3x2", 2, Opcode::Dp3),
    ("m3x3", 3, Opcode::Dp3),
    ("m3x4", 4, Opcode::Dp3),
    ("m4x3", 3, Opcode::Dp4),
    ("m4x4", 4, Opcode::Dp4),
];

/// The instructions and their opcodes. `mov` to `a0` is `ARL`.
const INSTRUCTIONS: [(&str, Opcode); 22] = [
    ("nop", Opcode::Nop),
    ("mov", Opcode::Mov),
    ("add", Opcode::Add),
    ("sub", Opcode::Sub),
    ("mul", Opcode::Mul),
    ("mad", Opcode::Mad),
    ("dp3", Opcode::Dp3),
    ("dp4", Opcode::Dp4),
    ("dst", Opcode::Dst),
    ("min", Opcode::Min),
    ("max", Opcode::Max),
    ("slt", Opcode::Slt),
    ("sge", Opcode::Sge),
    ("rcp", Opcode::Rcp),
    ("rsq", Opcode::Rsq),
    ("expp", Opcode::Exp),
    ("logp", Opcode::Log),
    ("exp", Opcode::Ex2),
    ("log", Opcode::Lg2),
    ("lit", Opcode::Lit),
    ("frc", Opcode::Frc),
    ("arl", Opcode::Arl),
];

/// The name of an opcode in `vs_1_1`, or `None` where it has none. `ARL` is written `mov`.
pub(crate) fn instruction_name(opcode: Opcode) -> Option<&'static str> {
    match opcode {
        Opcode::Arl => Some("mov"),
        _ => INSTRUCTIONS.iter().find(|(_, known)| *known == opcode).map(|(name, _)| *name),
    }
}

/// Whether `vs_1_1` has the opcode.
pub(crate) fn has_opcode(opcode: Opcode) -> bool {
    instruction_name(opcode).is_some()
}

/// Where the text continues after `vs_1_1` or `vs.1.1`, or `None` when it starts otherwise.
pub(super) fn header(text: &str) -> Result<Option<usize>, ProgramError> {
    let start = skip_space(text, 0, Comments::Slashes)?;
    let name = text.get(start..start + 6).map(str::to_ascii_lowercase);
    let ends = text[start..].chars().nth(6).is_none_or(|next| next.is_whitespace() || next == ';' || next == '/');
    Ok(match name.as_deref() {
        Some("vs_1_1" | "vs.1.1") if ends => Some(start + 6),
        _ => None,
    })
}

/// Assembles what follows the header, from byte `start`.
pub(super) fn assemble(text: &str, start: usize) -> Result<Assembled, ProgramError> {
    let mut parser = Parser {
        cursor: Cursor::new(text, start, Comments::Slashes)?,
        builder: Builder::new(Dialect::Vs11),
        declarations_needed: text[..start].ends_with("_1"),
        written: [Mask::NONE; TEMPORARIES],
        address_written: false,
        position_written: Mask::NONE,
    };
    while parser.cursor.kind() != Kind::End {
        parser.statement()?;
    }
    if parser.position_written != Mask::XYZW {
        return Err(parser.cursor.error(
            parser.cursor.end_span(),
            Rule::MissingResult,
            "the shader does not write all four components of oPos".to_owned(),
            "write oPos.x, oPos.y, oPos.z and oPos.w",
        ));
    }
    parser.builder.program.parameters.sort_by_key(|parameter| parameter.register);
    Ok(parser.builder.finish())
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    builder: Builder,
    /// Direct3D 9 (`vs_1_1`) demands `dcl`; in Direct3D 8 (`vs.1.1`) the declaration is made outside the shader.
    declarations_needed: bool,
    written: [Mask; TEMPORARIES],
    address_written: bool,
    position_written: Mask,
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<(), ProgramError> {
        let start = self.cursor.span().start;
        let (name, span) = self.cursor.identifier("an instruction")?;
        let name = name.to_ascii_lowercase();
        if name == "def" {
            return self.definition(span);
        }
        if let Some(usage) = name.strip_prefix("dcl_") {
            return self.declaration(usage, span);
        }
        if let Some(&(_, rows, opcode)) = MACROS.iter().find(|(known, ..)| *known == name) {
            return self.matrix(start, rows, opcode);
        }
        let known = INSTRUCTIONS.iter().find(|(known, opcode)| *known == name && *opcode != Opcode::Arl);
        let Some(&(_, opcode)) = known else {
            let message = format!("`{name}` is no instruction of vs_1_1");
            let known = INSTRUCTIONS.iter().filter(|(_, opcode)| *opcode != Opcode::Arl).map(|(name, _)| *name);
            let names = known.chain(MACROS.map(|(name, ..)| name)).collect::<Vec<_>>().join(" ");
            return Err(self.cursor.error(span, Rule::Name, message, &format!("its instructions are {names}")));
        };
        if opcode == Opcode::Nop {
            return self.builder.push(&self.cursor, Instruction::nop(), span);
        }
        let destination = self.destination(opcode)?;
        let opcode = if destination.register == DestinationRegister::Address { Opcode::Arl } else { opcode };
        let mut sources = Vec::with_capacity(3);
        for _ in 0..opcode.operands() {
            self.cursor.expect(',')?;
            sources.push(self.source(opcode)?);
        }
        let instruction = Instruction::new(opcode, destination, &sources);
        let span = self.cursor.span_from(start);
        self.check_mask(&instruction, &span)?;
        self.push(instruction, span)
    }

    /// Checks and adds an instruction, and notes what it writes.
    fn push(&mut self, instruction: Instruction, span: Range<usize>) -> Result<(), ProgramError> {
        Builder::check_read_ports(&self.cursor, &instruction, &span)?;
        for (register, components) in instruction.reads() {
            if let SourceRegister::Temporary(index) = register {
                let missing = components.without(self.written[usize::from(index)]);
                if missing != Mask::NONE {
                    let message = format!("r{index}.{missing} is read but was never written");
                    let remedy = "temporaries have no initial value in vs_1_1: write it first";
                    return Err(self.cursor.error(span, Rule::Uninitialised, message, remedy));
                }
            }
        }
        let mask = instruction.destination.mask;
        match instruction.destination.register {
            DestinationRegister::Temporary(index) => {
                let written = &mut self.written[usize::from(index)];
                *written = written.or(mask);
            }
            DestinationRegister::Output(Output::Position) => self.position_written = self.position_written.or(mask),
            DestinationRegister::Address => self.address_written = true,
            DestinationRegister::Output(_) | DestinationRegister::Constant(_) => {}
        }
        self.builder.push(&self.cursor, instruction, span)
    }

    /// `frc` writes `.y` or `.xy` ("frc - vs"); fog and point size are scalars ("Destination Register Masking").
    fn check_mask(&self, instruction: &Instruction, span: &Range<usize>) -> Result<(), ProgramError> {
        let mask = instruction.destination.mask;
        let scalar = DestinationRegister::Output(Output::Fog) == instruction.destination.register
            || DestinationRegister::Output(Output::PointSize) == instruction.destination.register;
        let (allowed, message, remedy) = match instruction.opcode {
            Opcode::Frc => (matches!(mask.bits(), 0b0010 | 0b0011), "frc can not write this mask", "write .y or .xy"),
            _ if scalar => (
                mask == Mask::XYZW || mask.count() == 1,
                "fog and point size have one component",
                "name one component, or none",
            ),
            _ => (true, "", ""),
        };
        if allowed {
            return Ok(());
        }
        Err(self.cursor.error(span.clone(), Rule::WriteMask, message.to_owned(), remedy))
    }

    /// `m4x4 dst, src0, src1`: one dot product of src0 with each of the registers from src1 on.
    fn matrix(&mut self, start: usize, rows: u8, opcode: Opcode) -> Result<(), ProgramError> {
        let destination = self.destination(opcode)?;
        self.cursor.expect(',')?;
        let vector = self.source(opcode)?;
        self.cursor.expect(',')?;
        let matrix_span = self.cursor.span();
        let matrix = self.source(opcode)?;
        let span = self.cursor.span_from(start);
        let wanted = Mask::from_bits((1 << rows) - 1);
        if destination.mask != wanted {
            let message = format!("this macro writes .{wanted}, not .{}", destination.mask);
            return Err(self.cursor.error(span, Rule::WriteMask, message, "write the whole mask"));
        }
        let same = matches!((destination.register, vector.register),
            (DestinationRegister::Temporary(a), SourceRegister::Temporary(b)) if a == b);
        if same {
            let message = "the macro would overwrite its own operand".to_owned();
            return Err(self.cursor.error(
                span,
                Rule::Binding,
                message,
                "write to another register than the first operand",
            ));
        }
        if matrix != Source::plain(matrix.register) {
            let message = "the matrix of a macro takes neither sign nor swizzle".to_owned();
            return Err(self.cursor.error(matrix_span, Rule::Grammar, message, "name the first register only"));
        }
        for row in 0..rows {
            let register = following(matrix.register, row).ok_or_else(|| {
                let message = "the matrix reaches past the last register".to_owned();
                self.cursor.error(matrix_span.clone(), Rule::Range, message, "start it at a lower register")
            })?;
            let destination = Destination { register: destination.register, mask: Mask::from_bits(1 << row) };
            let instruction = Instruction::new(opcode, destination, &[vector, Source::plain(register)]);
            self.push(instruction, span.clone())?;
        }
        Ok(())
    }

    /// `def c#, x, y, z, w`
    fn definition(&mut self, span: Range<usize>) -> Result<(), ProgramError> {
        self.before_instructions(&span)?;
        let (name, name_span) = self.cursor.identifier("a constant register")?;
        let register = self.register_number(name, 'c', CONSTANTS, &name_span)?;
        let mut value = [0.0; 4];
        for component in &mut value {
            self.cursor.expect(',')?;
            let negative = self.cursor.optional_sign(true);
            let magnitude = self.cursor.float()?;
            // `1.0f` is allowed; the suffix is its own token.
            if !self.cursor.take_word("f") {
                self.cursor.take_word("F");
            }
            *component = if negative { -magnitude } else { magnitude };
        }
        if self.builder.program.parameters.iter().any(|parameter| parameter.register == register) {
            let message = format!("c{register} is defined twice");
            return Err(self.cursor.error(name_span, Rule::Name, message, "keep one definition"));
        }
        self.builder.program.parameters.push(Parameter { register, binding: Binding::Literal(value) });
        Ok(())
    }

    /// `dcl_usage[index] v#`
    fn declaration(&mut self, usage: &str, span: Range<usize>) -> Result<(), ProgramError> {
        self.before_instructions(&span)?;
        let name = usage.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let digits = &usage[name.len()..];
        let index = if digits.is_empty() { Some(0) } else { digits.parse().ok().filter(|&index: &u8| index < 16) };
        let (true, Some(index)) = (USAGES.contains(&name), index) else {
            let message = format!("`{usage}` is no usage of a vertex element");
            let remedy = format!("use one of {}, and an index from 0 to 15", USAGES.join(" "));
            return Err(self.cursor.error(span, Rule::Name, message, &remedy));
        };
        let (register_name, register_span) = self.cursor.identifier("an input register")?;
        let register = self.register_number(register_name, 'v', ATTRIBUTES, &register_span)?;
        let declarations = &mut self.builder.program.declarations;
        let taken = declarations
            .iter()
            .any(|known| known.register == register || (known.usage == name && known.index == index));
        if taken {
            let message = format!("dcl_{usage} or v{register} is declared twice");
            return Err(self.cursor.error(register_span, Rule::Name, message, "keep one declaration"));
        }
        declarations.push(Declaration { usage: name.to_owned(), index, register });
        Ok(())
    }

    fn before_instructions(&self, span: &Range<usize>) -> Result<(), ProgramError> {
        if self.builder.program.instructions.is_empty() {
            return Ok(());
        }
        let message = "`def` and `dcl` come before the first instruction".to_owned();
        Err(self.cursor.error(span.clone(), Rule::Declaration, message, "move it up"))
    }

    /// The number of the register `name`, which is `letter` followed by a number below `count`.
    fn register_number(&self, name: &str, letter: char, count: usize, span: &Range<usize>) -> Result<u8, ProgramError> {
        let digits = name.strip_prefix([letter, letter.to_ascii_uppercase()]).unwrap_or("");
        let number = digits.parse().ok().filter(|&number: &u8| usize::from(number) < count);
        number.filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit())).ok_or_else(|| {
            let message = format!("there is no register `{name}` here");
            let remedy = format!("use {letter}0 to {letter}{}", count - 1);
            self.cursor.error(span.clone(), Rule::Range, message, &remedy)
        })
    }

    fn destination(&mut self, opcode: Opcode) -> Result<Destination, ProgramError> {
        let (name, span) = self.cursor.identifier("a destination (r#, o…, or a0.x)")?;
        let name = name.to_ascii_lowercase();
        let output = match name.as_str() {
            "opos" => Some(Output::Position),
            "ofog" => Some(Output::Fog),
            "opts" => Some(Output::PointSize),
            "od0" => Some(Output::FrontPrimary),
            "od1" => Some(Output::FrontSecondary),
            _ => name
                .strip_prefix("ot")
                .and_then(|digits| digits.parse().ok())
                .filter(|&set: &u8| set < 8 && name.len() == 3)
                .map(Output::Texture),
        };
        let register = match output {
            Some(output) => DestinationRegister::Output(output),
            None if name == "a0" && opcode == Opcode::Mov => DestinationRegister::Address,
            None if name.starts_with('r') => {
                DestinationRegister::Temporary(self.register_number(&name, 'r', TEMPORARIES, &span)?)
            }
            None => {
                let message = format!("`{name}` can not be written here");
                let remedy = "write r0 to r11, oPos, oFog, oPts, oD0, oD1, oT0 to oT7, or (mov only) a0.x";
                return Err(self.cursor.error(span, Rule::Name, message, remedy));
            }
        };
        let mask = self.cursor.optional_mask(&COMPONENTS)?;
        if register == DestinationRegister::Address && mask != Mask::X {
            let message = "the address register has the component x only".to_owned();
            return Err(self.cursor.error(span, Rule::WriteMask, message, "write a0.x"));
        }
        Ok(Destination { register, mask })
    }

    fn source(&mut self, opcode: Opcode) -> Result<Source, ProgramError> {
        let negate = self.cursor.optional_sign(false);
        let (name, span) = self.cursor.identifier("an operand (r#, v# or c#)")?;
        let name = name.to_ascii_lowercase();
        let register = match name.as_bytes() {
            b"c" => self.bracketed_constant(0, &span)?,
            [b'c', ..] => {
                let number = self.register_number(&name, 'c', CONSTANTS, &span)?;
                if self.cursor.kind() == Kind::Mark('[') {
                    self.bracketed_constant(number, &span)?
                } else {
                    SourceRegister::Constant(number)
                }
            }
            [b'v', ..] => {
                let number = self.register_number(&name, 'v', ATTRIBUTES, &span)?;
                let declarations = &self.builder.program.declarations;
                let needed = self.declarations_needed || !declarations.is_empty();
                if needed && declarations.iter().all(|known| known.register != number) {
                    let message = format!("v{number} is read but not declared");
                    let remedy = "declare it with dcl_usage, or use the header vs.1.1 (Direct3D 8), which has no dcl";
                    return Err(self.cursor.error(span, Rule::Declaration, message, remedy));
                }
                SourceRegister::Attribute(number)
            }
            _ => SourceRegister::Temporary(self.register_number(&name, 'r', TEMPORARIES, &span)?),
        };
        let components = self.swizzle(opcode)?;
        Ok(Source::swizzled(register, components, negate))
    }

    /// `[4]`, `[a0.x]`, `[a0.x + 4]` or `[4 + a0.x]` after `c` or `c#`; `first` is the number before the bracket.
    fn bracketed_constant(&mut self, first: u8, span: &Range<usize>) -> Result<SourceRegister, ProgramError> {
        self.cursor.expect('[')?;
        let mut relative = false;
        let mut number = u32::from(first);
        loop {
            if self.cursor.kind() == Kind::Identifier && !relative {
                let (name, name_span) = self.cursor.identifier("a0.x")?;
                let suffix = self.cursor.take('.') && (self.cursor.take_word("x") || self.cursor.take_word("X"));
                if !name.eq_ignore_ascii_case("a0") || !suffix {
                    let message = "the address register is written a0.x".to_owned();
                    return Err(self.cursor.error(name_span, Rule::Grammar, message, "write a0.x"));
                }
                if !self.address_written {
                    let message = "a0.x is read but was never written".to_owned();
                    let remedy = "load it first: mov a0.x, …";
                    return Err(self.cursor.error(name_span, Rule::Uninitialised, message, remedy));
                }
                relative = true;
            } else {
                number += self.cursor.integer("the number of a constant", 0..=CONSTANTS as u32 - 1)?;
            }
            if !self.cursor.take('+') {
                break;
            }
        }
        self.cursor.expect(']')?;
        if number >= CONSTANTS as u32 {
            let message = format!("there is no constant c{number}");
            return Err(self.cursor.error(span.clone(), Rule::Range, message, "use c0 to c95"));
        }
        Ok(if relative {
            SourceRegister::Relative { base: 0, offset: number as i8 }
        } else {
            SourceRegister::Constant(number as u8)
        })
    }

    /// One to four components; the last one is repeated. Scalar operands need exactly one.
    fn swizzle(&mut self, opcode: Opcode) -> Result<[u8; 4], ProgramError> {
        let start = self.cursor.span().start;
        let components =
            if self.cursor.take('.') { self.cursor.component_letters(&COMPONENTS)? } else { vec![0, 1, 2, 3] };
        // Writing a0.x moves the x component of the operand, as any `mov` to `.x` does.
        if opcode == Opcode::Arl {
            return Ok([components[0]; 4]);
        }
        if opcode.takes_scalars() && components.iter().any(|&component| component != components[0]) {
            let span = self.cursor.span_from(start);
            let message = "a scalar operand needs one component".to_owned();
            let remedy = "name it (.x, .y, .z or .w): the documents disagree on what is read without";
            return Err(self.cursor.error(span, Rule::Grammar, message, remedy));
        }
        Ok(std::array::from_fn(|c| components[c.min(components.len() - 1)]))
    }
}

/// The register `row` places after `register`.
fn following(register: SourceRegister, row: u8) -> Option<SourceRegister> {
    let within = |index: u8, count: usize| Some(index + row).filter(|&next| usize::from(next) < count);
    Some(match register {
        SourceRegister::Attribute(index) => SourceRegister::Attribute(within(index, ATTRIBUTES)?),
        SourceRegister::Temporary(index) => SourceRegister::Temporary(within(index, TEMPORARIES)?),
        SourceRegister::Constant(index) => SourceRegister::Constant(within(index, CONSTANTS)?),
        SourceRegister::Relative { base, offset } => {
            SourceRegister::Relative { base, offset: within(offset as u8, CONSTANTS)? as i8 }
        }
    })
}
