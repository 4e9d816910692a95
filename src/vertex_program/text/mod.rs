//! Program texts: one parser a dialect, all to one [`Program`].

pub(super) mod arb;
mod arb_bindings;
mod arb_parameters;
mod builder;
mod cursor;
pub(super) mod direct3d;
mod lexer;
pub(super) mod nvidia;

use std::ops::Range;

use super::error::{ProgramError, Rule};
use refrast_machine::{Dialect, Program};

/// The longest text that is looked at, in bytes. 128 instructions fit in a hundredth of it.
pub const LONGEST_TEXT: usize = 1 << 20;

/// A program and where its instructions stand in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The program.
    pub program: Program,
    /// The bytes of each instruction, in order. The dot products of one matrix macro share theirs.
    pub spans: Vec<Range<usize>>,
}

/// Assembles a program text; its header names the dialect.
///
/// # Errors
///
/// When the text breaks a rule of its dialect: the first such place.
pub fn assemble(text: &str) -> Result<Assembled, ProgramError> {
    if text.len() > LONGEST_TEXT {
        return Err(ProgramError::new(
            text,
            LONGEST_TEXT..LONGEST_TEXT,
            Rule::TextLength,
            format!("the text has more than {LONGEST_TEXT} bytes, and no program has"),
            "this is no vertex program: check the file".to_owned(),
        ));
    }
    if let Some(rest) = text.strip_prefix(Dialect::Arb10.header()) {
        return arb::assemble(text, text.len() - rest.len());
    }
    let body = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let start = text.len() - body.len();
    for dialect in [Dialect::Vp10, Dialect::Vp11, Dialect::Vsp10] {
        if body.starts_with(dialect.header()) {
            return nvidia::assemble(text, start + dialect.header().len(), dialect);
        }
    }
    if let Some(after_header) = direct3d::header(text)? {
        return direct3d::assemble(text, after_header);
    }
    let end = body.find(char::is_whitespace).unwrap_or(body.len()).min(40);
    let message = if body.starts_with(Dialect::Arb10.header()) {
        "`!!ARBvp1.0` must be the very first characters of the text".to_owned()
    } else {
        "the text starts with no known header".to_owned()
    };
    Err(ProgramError::new(
        text,
        start..start + end,
        Rule::Header,
        message,
        format!("start with one of {}", Dialect::ALL.map(Dialect::header).join(", ")),
    ))
}
