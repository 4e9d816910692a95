//! Tokens of the assembly languages.
//!
//! One lexer serves all dialects; they differ in comments and in whether a number may have a fraction. It never
//! looks back, so a text of n bytes takes n steps.

use std::ops::Range;

use crate::error::{ProgramError, Rule};

/// How a dialect writes comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comments {
    /// `# …` to the end of the line (OpenGL).
    Hash,
    /// `; …` and `// …` to the end of the line, `/* … */` (Direct3D).
    Slashes,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits, `_` and `$`, not starting with a digit.
    Identifier,
    /// Digits only.
    Integer,
    /// A number with a decimal point, an exponent, or both.
    Float,
    /// `..`
    Range,
    /// One character of `, ; . [ ] { } + - =`.
    Mark(char),
    /// The end of the text.
    End,
}

/// A token: what it is, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: Kind,
    /// Where it is.
    pub(super) span: Range<usize>,
}

/// Splits `text[start..]` into tokens; the last one is [`Kind::End`].
pub(super) fn tokens(text: &str, start: usize, comments: Comments) -> Result<Vec<Token>, ProgramError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = start;
    loop {
        at = skip_space(text, at, comments)?;
        let Some(&first) = bytes.get(at) else { break };
        let (kind, end) = match first {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' => (Kind::Identifier, run(bytes, at, is_identifier)),
            b'0'..=b'9' => number(bytes, at),
            b'.' if bytes.get(at + 1) == Some(&b'.') => (Kind::Range, at + 2),
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => number(bytes, at),
            b',' | b';' | b'.' | b'[' | b']' | b'{' | b'}' | b'+' | b'-' | b'=' => {
                (Kind::Mark(char::from(first)), at + 1)
            }
            _ => {
                let found = text[at..].chars().next().unwrap_or('\u{fffd}');
                return Err(ProgramError::new(
                    text,
                    at..at + found.len_utf8(),
                    Rule::Character,
                    format!("no token has the character {found:?}"),
                    "remove it".to_owned(),
                ));
            }
        };
        tokens.push(Token { kind, span: at..end });
        at = end;
    }
    tokens.push(Token { kind: Kind::End, span: text.len()..text.len() });
    Ok(tokens)
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// The end of the run of bytes that `accepts`, from `at`.
fn run(bytes: &[u8], at: usize, accepts: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|&byte| !accepts(byte)).map_or(bytes.len(), |length| at + length)
}

/// An integer or float at `at`. `0..3` is an integer followed by a range.
fn number(bytes: &[u8], at: usize) -> (Kind, usize) {
    let digits = |from: usize| run(bytes, from, |byte| byte.is_ascii_digit());
    let mut end = digits(at);
    let mut kind = Kind::Integer;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        kind = Kind::Float;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            kind = Kind::Float;
            end = exponent;
        }
    }
    (kind, end)
}

/// The first byte at or after `at` that is neither space nor comment.
pub(super) fn skip_space(text: &str, mut at: usize, comments: Comments) -> Result<usize, ProgramError> {
    let bytes = text.as_bytes();
    loop {
        at = run(bytes, at, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let rest = &bytes[at..];
        let line = match comments {
            Comments::Hash => rest.starts_with(b"#"),
            Comments::Slashes => rest.starts_with(b";") || rest.starts_with(b"//"),
        };
        if line {
            at = run(bytes, at, |byte| byte != b'\n' && byte != b'\r');
        } else if comments == Comments::Slashes && rest.starts_with(b"/*") {
            let length = rest.windows(2).skip(2).position(|pair| pair == b"*/");
            let Some(length) = length else {
                return Err(ProgramError::new(
                    text,
                    at..at + 2,
                    Rule::Character,
                    "the comment has no end".to_owned(),
                    "close it with `*/`".to_owned(),
                ));
            };
            at += length + 4;
        } else {
            return Ok(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, comments: Comments) -> Vec<Kind> {
        tokens(text, 0, comments).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn a_range_is_not_a_float() {
        let integer_range = [Kind::Integer, Kind::Range, Kind::Integer, Kind::End];
        assert_eq!(kinds("0..3", Comments::Hash), integer_range);
        assert_eq!(
            kinds("0. .3 1e-3 5", Comments::Hash),
            [Kind::Float, Kind::Float, Kind::Float, Kind::Integer, Kind::End]
        );
    }

    #[test]
    fn comments_end_with_the_line_or_the_text() {
        assert_eq!(kinds("a # b ;\rc # d", Comments::Hash), [Kind::Identifier, Kind::Identifier, Kind::End]);
        assert_eq!(kinds("a ; b\nc // d\n/* e\n*/ f", Comments::Slashes).len(), 4);
        assert_eq!(tokens("a /* b", 0, Comments::Slashes).unwrap_err().position(), 2);
    }

    #[test]
    fn a_strange_character_is_named_with_its_place() {
        let error = tokens("MOV é", 0, Comments::Hash).unwrap_err();
        assert_eq!((error.rule, error.position()), (Rule::Character, 4));
    }
}
