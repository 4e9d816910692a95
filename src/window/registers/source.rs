//! [`ProgramSource`]: the program that a state names, read and assembled once.

use std::collections::BTreeMap;

use crate::State;
use refrast_stage::program::{ConstantOverride, ProgramChoice, ProgramSettings};
use refrast_vertex_program::{Program, format_instruction};

/// The program that the state names, or why there is none.
#[derive(Debug, Default)]
pub(crate) struct ProgramSource {
    choice: Option<ProgramChoice>,
    constants: Vec<ConstantOverride>,
    loaded: Option<Result<Loaded, String>>,
}

#[derive(Debug)]
struct Loaded {
    settings: ProgramSettings,
    lines: Vec<String>,
}

/// What of a program decides the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProgramKey(Option<ProgramChoice>, Vec<ConstantOverride>);

impl ProgramSource {
    /// Takes the program of a state; reads it when it is another one.
    pub(crate) fn take(&mut self, state: &State) {
        let view = state.active_program();
        let choice = view.map(|view| &view.choice);
        if self.choice.as_ref() != choice {
            self.choice = choice.cloned();
            self.loaded = choice.map(|choice| {
                let settings = choice.load().map_err(|error| error.to_string())?;
                Ok(Loaded { lines: lines(&settings.program), settings })
            });
        }
        self.constants.clear();
        self.constants.extend(view.iter().flat_map(|view| &view.constants));
    }

    /// The choice whose program this is.
    pub(crate) fn choice(&self) -> Option<&ProgramChoice> {
        self.choice.as_ref()
    }

    /// What of it decides the picture.
    pub(crate) fn key(&self) -> ProgramKey {
        ProgramKey(self.choice.clone(), self.constants.clone())
    }

    /// The constants with values of their own.
    pub(crate) fn overrides(&self) -> BTreeMap<u8, [f32; 4]> {
        self.constants.iter().map(|constant| (constant.register, constant.value)).collect()
    }

    /// The program as the renderer takes it; `None` for native skinning.
    ///
    /// # Errors
    ///
    /// Why it can not be read or assembled, with its line and the place underlined.
    pub(crate) fn settings(&self) -> Result<Option<&ProgramSettings>, &str> {
        match &self.loaded {
            None => Ok(None),
            Some(Ok(loaded)) => Ok(Some(&loaded.settings)),
            Some(Err(error)) => Err(error),
        }
    }

    /// Its instructions in canonical spelling; none where there is no program.
    pub(crate) fn lines(&self) -> &[String] {
        match &self.loaded {
            Some(Ok(loaded)) => &loaded.lines,
            _ => &[],
        }
    }
}

fn lines(program: &Program) -> Vec<String> {
    program.instructions.iter().map(|instruction| format_instruction(program, instruction)).collect()
}
