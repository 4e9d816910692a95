//! [`ProgramChoice`]: a program and how it is fed, in the words of the command line.
//!
//! Why it exists: `refrast render` and the window take the same words, and must mean the same by them.

use std::path::PathBuf;

use super::{Bindings, Combiners, ParseBindingError, Preset, ProgramSettings};
use refrast_vertex_program::{AddressRounding, CONSTANTS, NumericModel, ProgramText, ProgramTextError, Settings};

/// Which program makes the vertices, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramChoice {
    /// A file, or a program of the library.
    pub file: PathBuf,
    /// What [`Bindings::add`] takes, in order.
    pub bindings: Vec<String>,
    /// What colours the fragments; `None` for what a program of the library was written for, and `modulate` for others.
    pub combiners: Option<Combiners>,
    /// Registers of the constant file that the palette may use, 1 to 96.
    pub constants: u8,
    /// How the machine computes.
    pub model: NumericModel,
    /// How `mov a0.x` of a `vs_1_1` program rounds.
    pub address_rounding: AddressRounding,
}

/// A program can not be chosen.
#[derive(Debug, thiserror::Error)]
pub enum ProgramChoiceError {
    /// The text can not be read, or is no program.
    #[error(transparent)]
    Text(#[from] ProgramTextError),
    /// A binding is none.
    #[error(transparent)]
    Binding(#[from] ParseBindingError),
}

impl ProgramChoice {
    /// A program as it is used when nothing else is said.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            bindings: Vec::new(),
            combiners: None,
            constants: CONSTANTS as u8,
            model: NumericModel::default(),
            address_rounding: AddressRounding::default(),
        }
    }

    /// Reads and assembles the program. A program of the library gets the table of bindings that fits it.
    ///
    /// # Errors
    ///
    /// [`ProgramChoiceError`]: with the line of the program and the place underlined, where it does not assemble.
    pub fn load(&self) -> Result<ProgramSettings, ProgramChoiceError> {
        let text = ProgramText::read(&self.file)?;
        let preset = text.library.map(|library| Preset::of_library_program(library.name)).unwrap_or_default();
        let own = text.library.map(|library| Combiners::of_library_program(library.name)).unwrap_or_default();
        let mut bindings = Bindings::from(preset);
        self.bindings.iter().try_for_each(|binding| bindings.add(binding))?;
        Ok(ProgramSettings {
            bindings,
            combiners: self.combiners.unwrap_or(own),
            machine: Settings { model: self.model, address_rounding: self.address_rounding, ..Settings::default() },
            constants: self.constants,
            ..ProgramSettings::new(text.assemble()?.program)
        })
    }
}
