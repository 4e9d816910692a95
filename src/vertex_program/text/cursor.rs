//! [`Cursor`]: reads tokens in order, and words the errors.

use std::ops::{Range, RangeInclusive};

use super::lexer::{Comments, Kind, Token, tokens};
use crate::error::{ProgramError, Rule};
use refrast_machine::{COMPONENT_NAMES, Mask};

/// A place in a list of tokens.
pub(super) struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The tokens of `text` from byte `start`.
    pub(super) fn new(text: &'a str, start: usize, comments: Comments) -> Result<Self, ProgramError> {
        Ok(Self { text, tokens: tokens(text, start, comments)?, at: 0 })
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// What the next token is.
    pub(super) fn kind(&self) -> Kind {
        self.token().kind
    }

    /// Where the next token is.
    pub(super) fn span(&self) -> Range<usize> {
        self.token().span.clone()
    }

    /// From `start` to the end of the last token read.
    pub(super) fn span_from(&self, start: usize) -> Range<usize> {
        let end = if self.at == 0 { start } else { self.tokens[self.at - 1].span.end };
        start..end.max(start)
    }

    /// The end of the text.
    pub(super) fn end_span(&self) -> Range<usize> {
        self.text.len()..self.text.len()
    }

    /// The next token's text; empty at the end.
    pub(super) fn text(&self) -> &'a str {
        &self.text[self.span()]
    }

    /// The text of `span`.
    pub(super) fn slice(&self, span: Range<usize>) -> &'a str {
        &self.text[span]
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// An error at `span`.
    pub(super) fn error(&self, span: Range<usize>, rule: Rule, message: String, remedy: &str) -> ProgramError {
        ProgramError::new(self.text, span, rule, message, remedy.to_owned())
    }

    /// "expected …, found …" at the next token.
    pub(super) fn unexpected(&self, expected: &str) -> ProgramError {
        let found = match self.kind() {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text()),
        };
        let remedy = format!("write {expected} here");
        self.error(self.span(), Rule::Grammar, format!("expected {expected}, found {found}"), &remedy)
    }

    /// Whether the next token is `mark`; takes it if so.
    pub(super) fn take(&mut self, mark: char) -> bool {
        let found = self.kind() == Kind::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Takes `mark`.
    pub(super) fn expect(&mut self, mark: char) -> Result<(), ProgramError> {
        if self.take(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    /// Whether the next token is the identifier `word`; takes it if so.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.kind() == Kind::Identifier && self.text() == word;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the identifier `word`.
    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ProgramError> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Takes `.` and one of `words`, if both come next.
    pub(super) fn take_dot_word<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        let next = self.tokens.get(self.at + 1)?;
        if self.kind() != Kind::Mark('.') || next.kind != Kind::Identifier {
            return None;
        }
        let word = words.iter().copied().find(|&word| word == &self.text[next.span.clone()])?;
        self.at += 2;
        Some(word)
    }

    /// Takes an identifier.
    pub(super) fn identifier(&mut self, expected: &str) -> Result<(&'a str, Range<usize>), ProgramError> {
        if self.kind() != Kind::Identifier {
            return Err(self.unexpected(expected));
        }
        let found = (self.text(), self.span());
        self.advance();
        Ok(found)
    }

    /// Takes an integer in `range`; `what` names it in errors.
    pub(super) fn integer(&mut self, what: &str, range: RangeInclusive<u32>) -> Result<u32, ProgramError> {
        if self.kind() != Kind::Integer {
            return Err(self.unexpected(what));
        }
        // Too many digits for a u32 are out of every range.
        let value = self.text().parse().ok().filter(|value| range.contains(value));
        let Some(value) = value else {
            let message = format!("{what} `{}` is outside {}..={}", self.text(), range.start(), range.end());
            let remedy = format!("use {} to {}", range.start(), range.end());
            return Err(self.error(self.span(), Rule::Range, message, &remedy));
        };
        self.advance();
        Ok(value)
    }

    /// Takes an integer or float without a sign.
    pub(super) fn float(&mut self) -> Result<f32, ProgramError> {
        let value = match self.kind() {
            Kind::Integer | Kind::Float => self.text().parse().ok(),
            _ => None,
        };
        let Some(value): Option<f32> = value else { return Err(self.unexpected("a number")) };
        if value.is_infinite() {
            let message = format!("the number `{}` is too large for single precision", self.text());
            return Err(self.error(self.span(), Rule::Range, message, "use at most 3.4028235e38"));
        }
        self.advance();
        Ok(value)
    }

    /// Takes the letters that name components after a `.`: at most four, each one of `names[0..4]`, spaces allowed
    /// between them. Returns the component numbers.
    pub(super) fn component_letters(&mut self, names: &[[char; 4]]) -> Result<Vec<u8>, ProgramError> {
        let start = self.span().start;
        let mut components: Vec<u8> = Vec::new();
        while self.kind() == Kind::Identifier && components.len() < 4 {
            let places = |set: &[char; 4]| -> Option<Vec<u8>> {
                self.text().chars().map(|letter| Some(set.iter().position(|&name| name == letter)? as u8)).collect()
            };
            let Some(letters) = names.iter().find_map(places) else { break };
            components.extend(letters);
            self.advance();
        }
        if components.is_empty() {
            return Err(self.unexpected("components (x, y, z, w)"));
        }
        if components.len() > 4 {
            let span = self.span_from(start);
            let message = format!("`{}` names more than four components", self.slice(span.clone()));
            return Err(self.error(span, Rule::Grammar, message, "name at most four components"));
        }
        Ok(components)
    }

    /// Takes an optional `.mask`: components in the order x, y, z, w, each at most once.
    pub(super) fn optional_mask(&mut self, names: &[[char; 4]]) -> Result<Mask, ProgramError> {
        if !self.take('.') {
            return Ok(Mask::XYZW);
        }
        let start = self.span().start;
        let components = self.component_letters(names)?;
        if !components.is_sorted_by(|a, b| a < b) {
            let span = self.span_from(start);
            let message = format!("`{}` is no write mask", self.slice(span.clone()));
            return Err(self.error(
                span,
                Rule::WriteMask,
                message,
                "name each component once, in the order x, y, z, w",
            ));
        }
        Ok(Mask::from_components(std::array::from_fn(|c| components.contains(&(c as u8)))))
    }

    /// Takes an optional swizzle of the OpenGL dialects: nothing, one component or four.
    pub(super) fn optional_swizzle(&mut self) -> Result<[u8; 4], ProgramError> {
        if !self.take('.') {
            return Ok([0, 1, 2, 3]);
        }
        let start = self.span().start;
        match self.component_letters(&[COMPONENT_NAMES])?[..] {
            [one] => Ok([one; 4]),
            [x, y, z, w] => Ok([x, y, z, w]),
            _ => {
                let span = self.span_from(start);
                let message = format!("`{}` is no swizzle", self.slice(span.clone()));
                Err(self.error(span, Rule::Grammar, message, "name one component or four"))
            }
        }
    }

    /// Takes the `.component` of a scalar operand.
    pub(super) fn scalar_suffix(&mut self) -> Result<[u8; 4], ProgramError> {
        if self.kind() != Kind::Mark('.') {
            return Err(self.unexpected("`.` and the one component that a scalar operand needs"));
        }
        self.advance();
        let start = self.span().start;
        match self.component_letters(&[COMPONENT_NAMES])?[..] {
            [one] => Ok([one; 4]),
            _ => {
                let span = self.span_from(start);
                let message = format!("a scalar operand takes one component, not `{}`", self.slice(span.clone()));
                Err(self.error(span, Rule::Grammar, message, "name one component"))
            }
        }
    }

    /// Takes an optional sign; `plus` says whether `+` is one.
    pub(super) fn optional_sign(&mut self, plus: bool) -> bool {
        if self.take('-') {
            return true;
        }
        if plus {
            self.take('+');
        }
        false
    }
}
