//! [`Builder`]: collects instructions and enforces the limits that the dialects share.

use std::ops::Range;

use super::{Assembled, cursor::Cursor};
use crate::error::{ProgramError, Rule};
use refrast_machine::{Dialect, Instruction, Opcode, Program, SourceRegister};

/// A program in the making.
pub(super) struct Builder {
    pub(super) program: Program,
    pub(super) spans: Vec<Range<usize>>,
    slots: usize,
}

impl Builder {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { program: Program::empty(dialect), spans: Vec::new(), slots: 0 }
    }

    /// Adds an instruction, unless the program is full.
    pub(super) fn push(
        &mut self,
        cursor: &Cursor<'_>,
        instruction: Instruction,
        span: Range<usize>,
    ) -> Result<(), ProgramError> {
        self.reserve(cursor, instruction.opcode, span.clone())?;
        self.program.instructions.push(instruction);
        self.spans.push(span);
        Ok(())
    }

    /// Counts an instruction that will be added later.
    pub(super) fn reserve(
        &mut self,
        cursor: &Cursor<'_>,
        opcode: Opcode,
        span: Range<usize>,
    ) -> Result<(), ProgramError> {
        self.slots += self.program.dialect.slots(opcode);
        let limit = self.program.slot_limit();
        if self.slots > limit {
            let message = format!("the program takes more than {limit} instructions");
            return Err(cursor.error(span, Rule::InstructionLimit, message, "shorten it"));
        }
        Ok(())
    }

    /// Refuses an instruction that reads two different constants or two different attributes: NV_vertex_program
    /// 2.14.1.7, and the one read port of `c#` and `v#` in `Registers - vs_1_1`.
    pub(super) fn check_read_ports(
        cursor: &Cursor<'_>,
        instruction: &Instruction,
        span: &Range<usize>,
    ) -> Result<(), ProgramError> {
        let distinct = |accepts: fn(&SourceRegister) -> bool| {
            let mut registers = instruction.operands().iter().map(|source| source.register).filter(accepts);
            let first = registers.next();
            registers.any(|register| Some(register) != first)
        };
        let is_constant = |register: &SourceRegister| {
            matches!(register, SourceRegister::Constant(_) | SourceRegister::Relative { .. })
        };
        let (rule, what) = if distinct(is_constant) {
            (Rule::OneConstant, "constant")
        } else if distinct(|register| matches!(register, SourceRegister::Attribute(_))) {
            (Rule::OneAttribute, "attribute")
        } else {
            return Ok(());
        };
        let message = format!("the instruction reads more than one {what} register");
        Err(cursor.error(span.clone(), rule, message, "move one of them to a temporary first"))
    }

    /// The finished program.
    pub(super) fn finish(self) -> Assembled {
        Assembled { program: self.program, spans: self.spans }
    }
}
