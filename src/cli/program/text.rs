//! [`ProgramText`]: the text of a program, from a file or from the library.

use std::{error::Error, fs::File, io::Read, path::Path};

use refrast::vertex_program::{Assembled, LIBRARY, LONGEST_TEXT, LibraryProgram, assemble};

/// A program text and what messages call it.
pub(crate) struct ProgramText {
    /// The file, or the program of the library.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// The program of the library, if it is one.
    pub(crate) library: Option<&'static LibraryProgram>,
}

impl ProgramText {
    /// Reads a file; where there is none of that name, a program of the library (`-` is as good as `_`, and an
    /// extension `.vp`, `.arb` or `.vs` chooses the form).
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        if !path.exists()
            && let Some(found) = Self::from_library(path)
        {
            return Ok(found);
        }
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        // What is longer than a program may be is refused for that, so it is not read whole and may end inside a character.
        File::open(path)
            .and_then(|file| file.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes))
            .map_err(|error| format!("{name}: can not read the program: {error}; {}", remedy()))?;
        if bytes.len() > LONGEST_TEXT {
            return Ok(Self { name, text: String::from_utf8_lossy(&bytes).into_owned(), library: None });
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let position = error.utf8_error().valid_up_to();
            format!("{name}: no text: byte {position} is not UTF-8; a program is plain text")
        })?;
        Ok(Self { name, text, library: None })
    }

    fn from_library(path: &Path) -> Option<Self> {
        let name = path.to_str()?.replace('-', "_");
        let (stem, form) = name.split_once('.').unwrap_or((&name, "vp"));
        let program = LibraryProgram::named(stem)?;
        let text = match form {
            "vp" => program.vp10,
            "arb" => program.arb,
            "vs" => program.vs11,
            _ => return None,
        };
        Some(Self { name: format!("{stem}.{form}"), text: text.to_owned(), library: Some(program) })
    }

    /// Assembles the program; the error shows the line with the place underlined.
    pub(crate) fn assemble(&self) -> Result<Assembled, Box<dyn Error>> {
        assemble(&self.text).map_err(|error| {
            let shown = error.render(&self.name, &self.text);
            // `error:` is printed before every message.
            shown.strip_prefix("error").map_or(shown.as_str(), |rest| rest.trim_start_matches(':')).trim().into()
        })
    }
}

fn remedy() -> String {
    let names: Vec<&str> = LIBRARY.iter().map(|program| program.name).collect();
    format!("name a file, or a program of the library: {}", names.join(", "))
}
