//! `!!ARBvp1.0`: the grammar and the rules of sections 2.14.2 and 2.14.3 of ARB_vertex_program.

use std::{collections::HashMap, ops::Range};

use super::{
    Assembled, arb_bindings,
    arb_parameters::{AllocationError, Item, allocate},
    builder::Builder,
    cursor::Cursor,
    lexer::{Comments, Kind},
};
use crate::error::{ProgramError, Rule};
use refrast_machine::{
    Binding, COMPONENT_NAMES, CONSTANTS, Destination, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output,
    Pick, Select, Source, SourceRegister, TEMPORARIES,
};

/// Words that can not be names (section 2.14.2).
const RESERVED: [&str; 39] = [
    "ABS", "ADD", "ADDRESS", "ALIAS", "ARL", "ATTRIB", "DP3", "DP4", "DPH", "DST", "END", "EX2", "EXP", "FLR", "FRC",
    "LG2", "LIT", "LOG", "MAD", "MAX", "MIN", "MOV", "MUL", "OPTION", "OUTPUT", "PARAM", "POW", "RCP", "RSQ", "SGE",
    "SLT", "SUB", "SWZ", "TEMP", "XPD", "program", "result", "state", "vertex",
];

/// Whether ARB_vertex_program has the opcode.
pub(crate) fn has_opcode(opcode: Opcode) -> bool {
    RESERVED.contains(&opcode.name())
}

/// Assembles what follows the header, from byte `start`.
pub(super) fn assemble(text: &str, start: usize) -> Result<Assembled, ProgramError> {
    let mut parser = Parser {
        cursor: Cursor::new(text, start, Comments::Hash)?,
        builder: Builder::new(Dialect::Arb10),
        names: HashMap::new(),
        attributes: arb_bindings::BoundAttributes::default(),
        items: Vec::new(),
        pending: Vec::new(),
        temporaries: 0,
        addresses: 0,
    };
    parser.options()?;
    while !parser.cursor.take_word("END") {
        parser.statement()?;
        parser.cursor.expect(';')?;
    }
    if parser.cursor.kind() != Kind::End {
        return Err(parser.cursor.unexpected("nothing after `END`"));
    }
    parser.place_parameters()?;
    Ok(parser.builder.finish())
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Variable {
    Attribute(u8),
    /// An entry of `items`.
    Parameter(usize),
    Temporary(u8),
    Address,
    Output(Output),
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    builder: Builder,
    names: HashMap<&'a str, Variable>,
    attributes: arb_bindings::BoundAttributes,
    items: Vec<Item>,
    pending: Vec<Pending>,
    temporaries: usize,
    addresses: usize,
}

/// An instruction whose parameters have no registers yet.
struct Pending {
    opcode: Opcode,
    destination: Destination,
    operands: Vec<(PendingRegister, [Pick; 4])>,
    span: Range<usize>,
}

/// A register that an operand names, before parameters get theirs.
#[derive(Clone, Copy)]
enum PendingRegister {
    Placed(SourceRegister),
    /// Element `element` of an entry of `items`.
    Element {
        item: usize,
        element: usize,
    },
    /// An entry of `items`, read through the address register.
    Relative {
        item: usize,
        offset: i8,
    },
}

impl<'a> Parser<'a> {
    fn options(&mut self) -> Result<(), ProgramError> {
        while self.cursor.take_word("OPTION") {
            let (name, span) = self.cursor.identifier("the name of an option")?;
            if name != "ARB_position_invariant" {
                let message = format!("the option `{name}` is not known");
                return Err(self.cursor.error(span, Rule::Name, message, "the only option is ARB_position_invariant"));
            }
            self.builder.program.position_invariant = true;
            self.cursor.expect(';')?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), ProgramError> {
        let start = self.cursor.span();
        let (word, _) = self.cursor.identifier("a statement or `END`")?;
        match word {
            "ATTRIB" => {
                let name = self.new_name()?;
                self.cursor.expect('=')?;
                self.cursor.expect_word("vertex")?;
                let register = arb_bindings::vertex(&mut self.cursor, &mut self.attributes)?;
                self.names.insert(name, Variable::Attribute(register));
                Ok(())
            }
            "OUTPUT" => {
                let name = self.new_name()?;
                self.cursor.expect('=')?;
                self.cursor.expect_word("result")?;
                let invariant = self.builder.program.position_invariant;
                let output = arb_bindings::result(&mut self.cursor, invariant)?;
                self.names.insert(name, Variable::Output(output));
                Ok(())
            }
            "ALIAS" => {
                let name = self.new_name()?;
                self.cursor.expect('=')?;
                let variable = self.known_name()?.0;
                self.names.insert(name, variable);
                Ok(())
            }
            "TEMP" => self.variables(|parser, span| {
                parser.temporaries += 1;
                if parser.temporaries > TEMPORARIES {
                    let message = format!("the program declares more than {TEMPORARIES} temporaries");
                    return Err(parser.cursor.error(span, Rule::RegisterLimit, message, "use one for two purposes"));
                }
                Ok(Variable::Temporary(parser.temporaries as u8 - 1))
            }),
            "ADDRESS" => self.variables(|parser, span| {
                parser.addresses += 1;
                if parser.addresses > 1 {
                    let message = "the machine has one address register".to_owned();
                    return Err(parser.cursor.error(span, Rule::RegisterLimit, message, "load the one again"));
                }
                Ok(Variable::Address)
            }),
            "PARAM" => self.parameter(),
            _ => {
                let opcode = Opcode::from_name(word).filter(|&opcode| has_opcode(opcode));
                let Some(opcode) = opcode else {
                    let message = format!("`{word}` is no statement of ARBvp1.0");
                    let remedy = format!("a statement starts with one of {}", RESERVED[..35].join(" "));
                    return Err(self.cursor.error(start, Rule::Name, message, &remedy));
                };
                self.instruction(opcode, start.start)
            }
        }
    }

    /// A name that is not taken.
    fn new_name(&mut self) -> Result<&'a str, ProgramError> {
        let (name, span) = self.cursor.identifier("a name")?;
        let (message, remedy) = if RESERVED.contains(&name) {
            (format!("`{name}` is a reserved word"), "choose another name")
        } else if self.names.contains_key(name) {
            (format!("`{name}` is declared twice"), "choose another name")
        } else {
            return Ok(name);
        };
        Err(self.cursor.error(span, Rule::Name, message, remedy))
    }

    /// What an established name stands for, and where it was read.
    fn known_name(&mut self) -> Result<(Variable, Range<usize>), ProgramError> {
        let (name, span) = self.cursor.identifier("a name")?;
        match self.names.get(name) {
            Some(&variable) => Ok((variable, span)),
            None => {
                let message = format!("`{name}` is not declared");
                let remedy = "declare it above with ATTRIB, PARAM, TEMP, ADDRESS, OUTPUT or ALIAS";
                Err(self.cursor.error(span, Rule::Name, message, remedy))
            }
        }
    }

    fn wrong_kind(&self, span: Range<usize>, wanted: &str) -> ProgramError {
        let message = format!("`{}` is not {wanted}", self.cursor.slice(span.clone()));
        self.cursor.error(span, Rule::Name, message, &format!("name {wanted}"))
    }

    /// `TEMP a, b` and `ADDRESS a, b`.
    fn variables(
        &mut self,
        declare: impl Fn(&mut Self, Range<usize>) -> Result<Variable, ProgramError>,
    ) -> Result<(), ProgramError> {
        loop {
            let span = self.cursor.span();
            let name = self.new_name()?;
            let variable = declare(self, span)?;
            self.names.insert(name, variable);
            if !self.cursor.take(',') {
                return Ok(());
            }
        }
    }

    /// `PARAM name = …` and `PARAM name[n] = { … }`.
    fn parameter(&mut self) -> Result<(), ProgramError> {
        let span = self.cursor.span();
        let name = self.new_name()?;
        let array = self.cursor.take('[');
        let mut size = None;
        if array && self.cursor.kind() == Kind::Integer {
            size = Some(self.cursor.integer("the size of the array", 1..=CONSTANTS as u32)? as usize);
        }
        if array {
            self.cursor.expect(']')?;
        }
        self.cursor.expect('=')?;
        let mut elements = Vec::new();
        if array {
            self.cursor.expect('{')?;
            loop {
                elements.extend(self.parameter_binding(true, true)?);
                if elements.len() > CONSTANTS {
                    return Err(self.too_many_parameters(span));
                }
                if !self.cursor.take(',') {
                    break;
                }
            }
            self.cursor.expect('}')?;
        } else {
            elements = self.parameter_binding(false, true)?;
        }
        if size.is_some_and(|size| size != elements.len()) {
            let message = format!("`{name}` has another size than its {} bindings", elements.len());
            return Err(self.cursor.error(span, Rule::Range, message, "correct the size, or leave it out"));
        }
        let item = self.add_item(Item { elements, array, relative: false, span })?;
        self.names.insert(name, Variable::Parameter(item));
        Ok(())
    }

    /// Adds an entry to `items`. The same vector may be bound by many names, but not without end.
    fn add_item(&mut self, item: Item) -> Result<usize, ProgramError> {
        const MOST: usize = 4096;
        if self.items.len() >= MOST {
            let message = format!("the program names parameters more than {MOST} times");
            return Err(self.cursor.error(item.span, Rule::RegisterLimit, message, "declare each parameter once"));
        }
        self.items.push(item);
        Ok(self.items.len() - 1)
    }

    fn too_many_parameters(&self, span: Range<usize>) -> ProgramError {
        let message = format!("the program binds more than {CONSTANTS} parameters");
        self.cursor.error(span, Rule::RegisterLimit, message, "bind fewer")
    }

    /// A binding of `PARAM` or of an operand. `ranges` allows several at once, `signs` signed scalar constants.
    fn parameter_binding(&mut self, ranges: bool, signs: bool) -> Result<Vec<Binding>, ProgramError> {
        if self.cursor.take_word("program") {
            return arb_bindings::program(&mut self.cursor, ranges);
        }
        if self.cursor.take_word("state") {
            return arb_bindings::state(&mut self.cursor, ranges);
        }
        if self.cursor.take('{') {
            let mut vector = [0.0, 0.0, 0.0, 1.0];
            for (index, component) in vector.iter_mut().enumerate() {
                if index > 0 && !self.cursor.take(',') {
                    break;
                }
                *component = self.signed_float()?;
            }
            self.cursor.expect('}')?;
            return Ok(vec![Binding::Literal(vector)]);
        }
        let scalar = if signs { self.signed_float()? } else { self.cursor.float()? };
        Ok(vec![Binding::Literal([scalar; 4])])
    }

    fn signed_float(&mut self) -> Result<f32, ProgramError> {
        let negative = self.cursor.optional_sign(true);
        let magnitude = self.cursor.float()?;
        Ok(if negative { -magnitude } else { magnitude })
    }

    fn instruction(&mut self, opcode: Opcode, start: usize) -> Result<(), ProgramError> {
        let destination = if opcode == Opcode::Arl {
            let (variable, span) = self.known_name()?;
            if !matches!(variable, Variable::Address) {
                return Err(self.wrong_kind(span, "an address register"));
            }
            self.cursor.expect('.')?;
            self.cursor.expect_word("x")?;
            Destination { register: DestinationRegister::Address, mask: Mask::X }
        } else {
            self.destination()?
        };
        let mut operands = Vec::with_capacity(3);
        for _ in 0..opcode.operands() {
            self.cursor.expect(',')?;
            operands.push(self.operand(opcode)?);
        }
        let span = self.cursor.span_from(start);
        self.builder.reserve(&self.cursor, opcode, span.clone())?;
        self.pending.push(Pending { opcode, destination, operands, span });
        Ok(())
    }

    fn destination(&mut self) -> Result<Destination, ProgramError> {
        let register = if self.cursor.take_word("result") {
            let invariant = self.builder.program.position_invariant;
            DestinationRegister::Output(arb_bindings::result(&mut self.cursor, invariant)?)
        } else {
            match self.known_name()? {
                (Variable::Temporary(index), _) => DestinationRegister::Temporary(index),
                (Variable::Output(output), _) => DestinationRegister::Output(output),
                (_, span) => return Err(self.wrong_kind(span, "a temporary or a result")),
            }
        };
        let mask = self.cursor.optional_mask(&[COMPONENT_NAMES])?;
        Ok(Destination { register, mask })
    }

    fn operand(&mut self, opcode: Opcode) -> Result<(PendingRegister, [Pick; 4]), ProgramError> {
        if opcode == Opcode::Swz {
            let register = self.source_register()?;
            return Ok((register, self.extended_swizzle()?));
        }
        let negate = self.cursor.optional_sign(true);
        let register = self.source_register()?;
        let components =
            if opcode.takes_scalars() { self.cursor.scalar_suffix()? } else { self.cursor.optional_swizzle()? };
        Ok((register, components.map(|c| Pick { select: Select::Component(c), negate })))
    }

    fn source_register(&mut self) -> Result<PendingRegister, ProgramError> {
        let span = self.cursor.span();
        if self.cursor.take_word("vertex") {
            let register = arb_bindings::vertex(&mut self.cursor, &mut self.attributes)?;
            return Ok(PendingRegister::Placed(SourceRegister::Attribute(register)));
        }
        let implicit = self.cursor.kind() != Kind::Identifier || matches!(self.cursor.text(), "program" | "state");
        if implicit {
            let elements = self.parameter_binding(false, false)?;
            let item = self.add_item(Item { elements, array: false, relative: false, span })?;
            return Ok(PendingRegister::Element { item, element: 0 });
        }
        match self.known_name()? {
            (Variable::Attribute(index), _) => Ok(PendingRegister::Placed(SourceRegister::Attribute(index))),
            (Variable::Temporary(index), _) => Ok(PendingRegister::Placed(SourceRegister::Temporary(index))),
            (Variable::Parameter(item), _) if self.items[item].array => self.array_element(item),
            (Variable::Parameter(item), _) => Ok(PendingRegister::Element { item, element: 0 }),
            (Variable::Address | Variable::Output(_), span) => {
                Err(self.wrong_kind(span, "an attribute, a parameter or a temporary"))
            }
        }
    }

    /// `[3]`, `[A0.x]`, `[A0.x + 3]` or `[A0.x - 3]` after the name of an array.
    fn array_element(&mut self, item: usize) -> Result<PendingRegister, ProgramError> {
        self.cursor.expect('[')?;
        let length = self.items[item].elements.len();
        let register = if self.cursor.kind() == Kind::Identifier {
            let (variable, span) = self.known_name()?;
            if !matches!(variable, Variable::Address) {
                return Err(self.wrong_kind(span, "an address register"));
            }
            self.cursor.expect('.')?;
            self.cursor.expect_word("x")?;
            let offset = if self.cursor.take('+') {
                self.cursor.integer("the offset", 0..=63)? as i8
            } else if self.cursor.take('-') {
                (-(self.cursor.integer("the offset", 0..=64)? as i32)) as i8
            } else {
                0
            };
            self.items[item].relative = true;
            PendingRegister::Relative { item, offset }
        } else {
            let element = self.cursor.integer("the index into the array", 0..=length as u32 - 1)? as usize;
            PendingRegister::Element { item, element }
        };
        self.cursor.expect(']')?;
        Ok(register)
    }

    /// `x, -y, 0, 1`
    fn extended_swizzle(&mut self) -> Result<[Pick; 4], ProgramError> {
        let mut picks = [Pick { select: Select::Zero, negate: false }; 4];
        for pick in &mut picks {
            self.cursor.expect(',')?;
            pick.negate = self.cursor.optional_sign(true);
            pick.select = match self.cursor.text() {
                "0" => Select::Zero,
                "1" => Select::One,
                "x" => Select::Component(0),
                "y" => Select::Component(1),
                "z" => Select::Component(2),
                "w" => Select::Component(3),
                _ => return Err(self.cursor.unexpected("x, y, z, w, 0 or 1")),
            };
            self.cursor.advance();
        }
        Ok(picks)
    }

    /// Gives parameters their registers, and the instructions their operands.
    fn place_parameters(&mut self) -> Result<(), ProgramError> {
        let allocation = allocate(&self.items).map_err(|error| match error {
            AllocationError::TooMany(span) => self.too_many_parameters(span),
            AllocationError::BoundTwice(span) => {
                let message = "a vector is bound twice in arrays that are read through the address register".to_owned();
                self.cursor.error(span, Rule::Binding, message, "bind it once, or read one of the arrays by number")
            }
        })?;
        let place = |register| match register {
            PendingRegister::Placed(register) => register,
            PendingRegister::Element { item, element } => SourceRegister::Constant(allocation.registers[item][element]),
            PendingRegister::Relative { item, offset } => {
                SourceRegister::Relative { base: allocation.registers[item][0], offset }
            }
        };
        for Pending { opcode, destination, operands, span } in self.pending.drain(..) {
            let sources = operands.into_iter().map(|(register, picks)| Source { register: place(register), picks });
            let sources = sources.collect::<Vec<_>>();
            self.builder.program.instructions.push(Instruction::new(opcode, destination, &sources));
            self.builder.spans.push(span);
        }
        let read = self.builder.program.usage().attributes_read().map(|register| 1 << register).sum::<u16>();
        self.builder.program.conventional_attributes = self.attributes.conventional() & read;
        self.builder.program.parameters = allocation.parameters;
        self.builder.program.arrays = allocation.arrays;
        Ok(())
    }
}
