//! [`ProgramText`]: the text of a program, from a file or from the library.
//!
//! Why it exists: commands, manifests and tests all name programs, and a name must mean the same to each of them.

use std::{fs::File, io::Read, path::Path};

use super::{Assembled, LIBRARY, LONGEST_TEXT, LibraryProgram, assemble};

/// A program text and what messages call it.
#[derive(Clone, Debug)]
pub struct ProgramText {
    /// The file, or the program of the library.
    pub name: String,
    /// The text.
    pub text: String,
    /// The program of the library, if it is one.
    pub library: Option<&'static LibraryProgram>,
}

/// A program can not be read or assembled.
#[derive(Debug, thiserror::Error)]
pub enum ProgramTextError {
    /// The file can not be read.
    #[error("{name}: can not read the program: {source}; name a file, or a program of the library: {library}", library = library_names())]
    Read {
        /// The file.
        name: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is not text.
    #[error("{name}: no text: byte {position} is not UTF-8; a program is plain text")]
    NotText {
        /// The file.
        name: String,
        /// The first byte that is wrong.
        position: usize,
    },
    /// The text is not a program. Shows the line, with the place underlined.
    #[error("{0}")]
    Assembly(String),
}

impl ProgramText {
    /// Reads a file; where there is none of that name, a program of the library (`-` is as good as `_`, and an
    /// extension `.vp`, `.arb` or `.vs` chooses the form).
    ///
    /// # Errors
    /// [`ProgramTextError::Read`] and [`ProgramTextError::NotText`].
    pub fn read(path: &Path) -> Result<Self, ProgramTextError> {
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
            .map_err(|source| ProgramTextError::Read { name: name.clone(), source })?;
        if bytes.len() > LONGEST_TEXT {
            return Ok(Self { name, text: String::from_utf8_lossy(&bytes).into_owned(), library: None });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, text, library: None }),
            Err(error) => Err(ProgramTextError::NotText { name, position: error.utf8_error().valid_up_to() }),
        }
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

    /// Assembles the program.
    ///
    /// # Errors
    /// [`ProgramTextError::Assembly`].
    pub fn assemble(&self) -> Result<Assembled, ProgramTextError> {
        assemble(&self.text).map_err(|error| {
            let shown = error.render(&self.name, &self.text);
            // `error:` is printed before every message.
            let message = shown.strip_prefix("error").map_or(shown.as_str(), |rest| rest.trim_start_matches(':'));
            ProgramTextError::Assembly(message.trim().to_owned())
        })
    }
}

fn library_names() -> String {
    let names: Vec<&str> = LIBRARY.iter().map(|program| program.name).collect();
    names.join(", ")
}
