//! Where words go: results to standard output, notes to standard error.
//!
//! Why it exists: both may be closed or full. Who closes the pipe has read enough, and hears nothing more; a result that
//! could not be written is an error like any other; a note that nobody can read is none. And names of files and nodes are
//! whatever their makers liked, so what steers a terminal is spelled out before it gets there.

use std::{
    error::Error,
    fmt::{self, Display, Write as _},
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use refrast_golden::write_whole;
use serde::Serialize;

use super::color::colored;

/// What a shell calls the end of a program that SIGPIPE has ended: 128 + 13.
const CLOSED_PIPE: u8 = 141;

/// Standard output could not be written to.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}; the result is not complete, send it somewhere with room")]
struct OutputError(io::Error);

/// Writes a result, which is lines of text, to standard output.
pub(super) fn print(text: impl Display) -> Result<(), Box<dyn Error>> {
    let text = spelled(text, |character| format!("\\u{{{:x}}}", u32::from(character)));
    write_result(&colored(&text, &io::stdout()))
}

/// Writes a result as JSON to standard output.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Box<dyn Error>> {
    print_json_text(&serde_json::to_string_pretty(value)?)
}

/// As [`print_json`], of a text that is JSON already: outside of strings it holds no control character but line ends.
pub(super) fn print_json_text(json: &str) -> Result<(), Box<dyn Error>> {
    write_result(&spelled(format_args!("{json}\n"), |character| format!("\\u{:04x}", u32::from(character))))
}

fn write_result(text: &str) -> Result<(), Box<dyn Error>> {
    write_bytes(text.as_bytes())
}

/// Writes a result that is no text to standard output.
pub(super) fn write_bytes(bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    // What is left in the buffer at the end of the program would be lost without a word.
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| OutputError(error).into())
}

/// Writes a note to standard error.
pub(super) fn write_note(text: impl Display) {
    let text = spelled(text, |character| format!("\\u{{{:x}}}", u32::from(character)));
    // There is nowhere to tell that this fails.
    let _ = io::stderr().lock().write_all(colored(&text, &io::stderr()).as_bytes());
}

/// Writes a file whole, or says what stands in the way.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    write_whole(path, bytes).map_err(|error| {
        let path = path.display();
        format!("{path}: can not be written: {error}; check that the folder exists, is writable and has room").into()
    })
}

/// Ends a command line that asks for nothing to be done: with what was asked to be read (help, the version), or with what
/// is wrong with it.
pub(super) fn end_of_parsing(error: &clap::Error) -> ExitCode {
    let told = error.print().and_then(|()| io::stdout().flush());
    match told {
        Err(failed) if !error.use_stderr() => end(&OutputError(failed)),
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

/// Ends a command that has failed: in silence where its reader has gone away, otherwise with a line.
pub(super) fn end(error: &(dyn Error + 'static)) -> ExitCode {
    match error.downcast_ref() {
        Some(OutputError(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(CLOSED_PIPE),
        _ => {
            write_note(format_args!("error: {error}\n"));
            ExitCode::from(2)
        }
    }
}

/// The text with control characters spelled out, but for tabs and line ends.
fn spelled(text: impl Display, spell: fn(char) -> String) -> String {
    struct Spelled(String, fn(char) -> String);

    impl fmt::Write for Spelled {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for character in text.chars() {
                match character {
                    '\t' | '\n' => self.0.push(character),
                    control if control.is_control() => self.0.push_str(&self.1(control)),
                    other => self.0.push(other),
                }
            }
            Ok(())
        }
    }

    let mut spelled = Spelled(String::new(), spell);
    // A string takes everything, and what is displayed here does not fail.
    let _ = write!(spelled, "{text}");
    spelled.0
}

/// As `println!`, to standard output through [`print`].
macro_rules! say {
    ($($part:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($part)*))) };
}

/// As `eprintln!`, through [`write_note`].
macro_rules! note {
    ($($part:tt)*) => { $crate::output::write_note(format_args!("{}\n", format_args!($($part)*))) };
}

pub(super) use {note, say};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        let escaped = |character: char| format!("<{:x}>", u32::from(character));
        assert_eq!(spelled("a\u{1b}[31m\tb\r\n\u{9b}c\u{7f}ü", escaped), "a<1b>[31m\tb<d>\n<9b>c<7f>ü");
        let json = serde_json::to_string("x\u{9b}y").expect("a string");
        let spelled = spelled(json, |character| format!("\\u{:04x}", u32::from(character)));
        assert_eq!(spelled, r#""x\u009by""#);
        assert_eq!(serde_json::from_str::<String>(&spelled).expect("JSON"), "x\u{9b}y");
    }
}
