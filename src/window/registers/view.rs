//! [`ProgramView`]: which program makes the vertices, and where the register view stands in it.

use super::{Breaks, RegisterView};
use crate::State;
use refrast_skinning::SkinningMethod;
use refrast_stage::program::{ConstantOverride, ProgramChoice};

/// A vertex program in place of native skinning, and what of it is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramView {
    /// Which program, and how it is fed.
    pub choice: ProgramChoice,
    /// Whether it makes the vertices; otherwise it waits until it is switched on again.
    pub on: bool,
    /// Whether the registers are shown in place of settings and inspector.
    pub shown: bool,
    /// Constants with values of their own in all draws, ordered by register.
    pub constants: Vec<ConstantOverride>,
    /// How many instructions are done: the number of the one that comes next. What is beyond the end is the end.
    pub step: usize,
    /// What stops a program that runs on.
    pub breaks: Breaks,
}

/// A way to go through a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stepping {
    /// To the start.
    Restart,
    /// An instruction back.
    Back,
    /// An instruction on.
    On,
    /// To the next break, or the end.
    Run,
    /// Breaks at the instruction that comes next, or no longer.
    Break,
}

impl ProgramView {
    /// A program as it is used when nothing else is said, at its start.
    #[must_use]
    pub fn new(choice: ProgramChoice) -> Self {
        Self { choice, on: true, shown: true, constants: Vec::new(), step: 0, breaks: Breaks::default() }
    }

    /// Gives a constant a value of its own.
    pub fn set_constant(&mut self, constant: ConstantOverride) {
        match self.constants.binary_search_by_key(&constant.register, |own| own.register) {
            Ok(place) => self.constants[place] = constant,
            Err(place) => self.constants.insert(place, constant),
        }
    }

    /// Goes on through the program, as far as is known of the vertex that it runs for.
    pub(crate) fn go(&mut self, stepping: Stepping, registers: Option<&RegisterView>) {
        let length = registers.map_or(0, |registers| registers.stops.len());
        let step = self.step.min(length);
        self.step = match stepping {
            Stepping::Restart => 0,
            Stepping::Back => step.saturating_sub(1),
            Stepping::On => (step + 1).min(length),
            Stepping::Run => {
                let stops = registers.map_or(&[][..], |registers| &registers.stops);
                let stopped = |number: &usize| {
                    self.breaks.instructions.contains(number)
                        || (self.breaks.nan && stops[*number].nan)
                        || (self.breaks.out_of_range && stops[*number].out_of_range)
                };
                (step + 1..length).find(stopped).unwrap_or(length)
            }
            Stepping::Break => {
                if step < length {
                    self.breaks.toggle(step);
                }
                step
            }
        };
    }
}

impl State {
    /// The program that makes the vertices; `None` where native skinning does.
    #[must_use]
    pub fn active_program(&self) -> Option<&ProgramView> {
        self.program.as_ref().filter(|program| program.on)
    }

    /// As [`active_program`](Self::active_program), where its registers are shown.
    pub(crate) fn shown_program(&mut self) -> Option<&mut ProgramView> {
        self.program.as_mut().filter(|program| program.on && program.shown)
    }

    /// Takes a native method; a program waits.
    pub(crate) fn take_method(&mut self, method: SkinningMethod) {
        self.method = method;
        if let Some(program) = &mut self.program {
            program.on = false;
        }
    }

    /// Switches the program off, or on again; the first time it is one of the library.
    pub(crate) fn toggle_program(&mut self) {
        match &mut self.program {
            Some(program) => program.on = !program.on,
            None => self.program = Some(ProgramView::new(ProgramChoice::new("bone_offset_4"))),
        }
    }

    /// What makes the vertices, in a word.
    pub(crate) fn method_name(&self) -> String {
        match self.active_program() {
            Some(program) => format!("program:{}", program.choice.file.display()),
            None => self.method.name().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_stay_in_order_and_are_replaced() {
        let mut view = ProgramView::new(ProgramChoice::new("bone_offset_1"));
        for text in ["c9=1", "c4=2", "c9=3,4"] {
            view.set_constant(text.parse().unwrap());
        }
        let texts: Vec<String> = view.constants.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["c4=2,0,0,0", "c9=3,4,0,0"]);
    }

    #[test]
    fn a_native_method_lets_the_program_wait_with_all_that_was_set() {
        let mut state = State::default();
        state.toggle_program();
        assert_eq!(state.method_name(), "program:bone_offset_4");
        state.program.as_mut().unwrap().step = 7;
        state.take_method(SkinningMethod::Rigid);
        assert_eq!((state.active_program(), state.method_name().as_str()), (None, "rigid"));
        state.toggle_program();
        assert_eq!(state.active_program().unwrap().step, 7);
    }
}
