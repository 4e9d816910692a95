//! Colours of verdicts, where a terminal shows them.
//!
//! Why it exists: among forty lines of figures one word is looked for. It is coloured where clap colours its help: on a terminal,
//! unless `NO_COLOR` is set, and elsewhere where `CLICOLOR_FORCE` is. The text itself never changes, and JSON has no colours.

use std::borrow::Cow;

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};

/// What lines begin with, and the colour of it.
const VERDICTS: [(&str, AnsiColor); 10] = [
    ("RIGHT:", AnsiColor::Green),
    ("SAME:", AnsiColor::Green),
    ("same:", AnsiColor::Green),
    ("WRONG:", AnsiColor::Red),
    ("DIFFERENT:", AnsiColor::Red),
    ("ERROR:", AnsiColor::Red),
    ("error:", AnsiColor::Red),
    ("warning:", AnsiColor::Yellow),
    // What to do is looked for as well.
    ("right with:", AnsiColor::Cyan),
    ("right if", AnsiColor::Cyan),
];

/// The text as it goes to a stream: with colours where that shows them.
pub(super) fn colored<'a>(text: &'a str, stream: &impl RawStream) -> Cow<'a, str> {
    if AutoStream::choice(stream) == ColorChoice::Never { Cow::Borrowed(text) } else { Cow::Owned(painted(text)) }
}

/// The text with its verdicts coloured.
fn painted(text: &str) -> String {
    let mut painted = String::with_capacity(text.len() + 32);
    for line in text.split_inclusive('\n') {
        let verdict = VERDICTS.iter().find_map(|&(word, color)| Some((word, color, line.strip_prefix(word)?)));
        match verdict {
            Some((word, color, rest)) => {
                let style = Style::new().bold().fg_color(Some(color.into()));
                painted.push_str(&format!("{style}{word}{style:#}{rest}"));
            }
            None => painted.push_str(line),
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_coloured_where_they_begin_a_line() {
        let text = "WRONG: 2 of 4\n  at (0, 0) right if RIGHT: is said\nright with: --time 1\n";
        // ECMA-48: 1 is bold, 31 red, 36 cyan, 0 ends both.
        let expected = "\u{1b}[1m\u{1b}[31mWRONG:\u{1b}[0m 2 of 4\n  at (0, 0) right if RIGHT: is said\n\
                        \u{1b}[1m\u{1b}[36mright with:\u{1b}[0m --time 1\n";
        assert_eq!(painted(text), expected);
    }
}
