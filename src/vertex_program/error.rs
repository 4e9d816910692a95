//! [`ProgramError`]: why a program text is refused, where, and what to do.

use refrast_words::names;
use std::ops::Range;

use codespan_reporting::{
    diagnostic::{Diagnostic, Label},
    files::SimpleFile,
    term,
};
use serde::Serialize;

names! {
    /// The kinds of rules that a program text can break.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Rule: "rule" {
        /// The header names no known dialect.
        Header = "header",
        /// The text is longer than a program may be.
        TextLength = "text-length",
        /// A character that no token contains.
        Character = "character",
        /// The tokens do not match the grammar.
        Grammar = "grammar",
        /// A number outside its range.
        Range = "range",
        /// A name that is not known here, or known already.
        Name = "name",
        /// More instructions (slots) than the machine holds.
        InstructionLimit = "instruction-limit",
        /// More registers or parameters than the machine has.
        RegisterLimit = "register-limit",
        /// More than one distinct constant register in one instruction.
        OneConstant = "one-constant",
        /// More than one distinct attribute register in one instruction.
        OneAttribute = "one-attribute",
        /// The program never writes what it has to write.
        MissingResult = "missing-result",
        /// The position is computed for a position-invariant program, or relative addressing is used in one.
        PositionInvariant = "position-invariant",
        /// A write mask that the instruction does not allow.
        WriteMask = "write-mask",
        /// Two bindings that can not be used together.
        Binding = "binding",
        /// A register is read before it is written.
        Uninitialised = "uninitialised",
        /// A declaration comes after the first instruction, or is missing.
        Declaration = "declaration",
    }
}

/// Messages quote the text; what is longer than this, in bytes, is cut in the middle.
const LONGEST_MESSAGE: usize = 240;
/// A line longer than this is described, not shown.
const LONGEST_SHOWN_LINE: usize = 1000;

/// Why a program text was refused.
///
/// A rule that can only be checked at the end of the text has its place there, as section 2.14.1.7 of
/// NV_vertex_program says for `PROGRAM_ERROR_POSITION_NV`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("line {line}, column {column}: {message} (byte {}); {remedy}", self.position())]
pub struct ProgramError {
    /// The rule that was broken.
    pub rule: Rule,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
    /// The offending bytes of the text.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl ProgramError {
    /// An error at `span` of `text`.
    #[must_use]
    pub fn new(text: &str, span: Range<usize>, rule: Rule, message: String, remedy: String) -> Self {
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end).max(start);
        let before = &text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { rule, message: abridged(message), remedy, span: start..end, line, column }
    }

    /// The byte offset, as `GL_PROGRAM_ERROR_POSITION` would give it.
    #[must_use]
    pub fn position(&self) -> usize {
        self.span.start
    }

    /// The error with the line it is on, the place underlined; plain text that needs no terminal.
    #[must_use]
    pub fn render(&self, file_name: &str, text: &str) -> String {
        let line_start = text[..self.span.start].rfind('\n').map_or(0, |at| at + 1);
        let line_length = text[line_start..].find('\n').unwrap_or(text.len() - line_start);
        if line_length > LONGEST_SHOWN_LINE {
            return format!("{file_name}: {self}\n");
        }
        let file = SimpleFile::new(file_name, text);
        let label = Label::primary((), self.span.clone()).with_message(&self.message);
        let diagnostic = Diagnostic::error()
            .with_code(self.rule.name())
            .with_message(&self.message)
            .with_labels(vec![label])
            .with_notes(vec![self.remedy.clone(), format!("program error position: byte {}", self.position())]);
        term::emit_into_string(&term::Config::default(), &file, &diagnostic)
            .unwrap_or_else(|_| format!("{file_name}: {self}\n"))
    }
}

/// A message with an ellipsis in place of its middle, if it is long.
fn abridged(message: String) -> String {
    if message.len() <= LONGEST_MESSAGE {
        return message;
    }
    let head = floor_boundary(&message, LONGEST_MESSAGE / 2);
    let tail = floor_boundary(&message, message.len() - LONGEST_MESSAGE / 2);
    format!("{}…{}", &message[..head], &message[tail..])
}

/// The nearest character boundary of `text` at or before `index`.
fn floor_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_count_characters() {
        let text = "a\nbé c";
        let error = ProgramError::new(text, 6..7, Rule::Grammar, "wrong".into(), "fix it".into());
        assert_eq!((error.line, error.column, error.position()), (2, 4, 6));
    }

    #[test]
    fn a_long_quotation_is_cut_in_the_middle() {
        let message = format!("the number `{}` is too large", "é".repeat(100_000));
        let error = ProgramError::new("", 0..0, Rule::Range, message, "write less".into());
        assert!(error.message.starts_with("the number `é") && error.message.ends_with("é` is too large"));
        assert!(error.message.len() < 250 && error.message.contains('…'));
    }

    #[test]
    fn the_place_is_underlined_without_a_terminal() {
        let text = "!!VP1.0\nMOV R12, v[0];\nEND";
        let error = ProgramError::new(text, 12..15, Rule::Range, "no register R12".into(), "use R0 to R11".into());
        let shown = error.render("demo.vp", text);
        for part in ["demo.vp:2:5", "MOV R12, v[0];", "^^^", "use R0 to R11", "byte 12", "range"] {
            assert!(shown.contains(part), "{part} missing from:\n{shown}");
        }
        assert!(!shown.contains('\u{1b}'));
    }
}
