//! The panels on both sides while a vertex program is stepped through.

use egui::{Context, SidePanel};

use super::{STRIP, foldable, program, registers::registers};
use crate::{
    registers::{ProgramSource, RegisterView, Stepping},
    state::{Panel, State},
};
use refrast_scene::Scene;

/// Points, the least and the most of what nobody has dragged: its buttons, and the longest instruction in a line.
const PROGRAM_WIDTH: [f32; 2] = [270.0, 460.0];
/// Points: the picture has at least this before the program is cut off.
const LEAST_PICTURE: f32 = 340.0;
/// Points: a register with its name and four numbers.
const REGISTERS_WIDTH: f32 = 356.0;

/// Shows the program on the left and the registers on the right; gives the way to go on that was asked for.
pub(crate) fn program_panels(
    context: &Context,
    state: &mut State,
    scene: &Scene,
    source: &ProgramSource,
    view: Option<&RegisterView>,
) -> Option<Stepping> {
    let [width, registers_width] = program_widths(context.content_rect().width(), state, program::width(source));
    // They take the places of settings and inspector, and fold as those do.
    let left = SidePanel::left("program").resizable(false).exact_width(width).show(context, |ui| {
        foldable(ui, state, Panel::Settings, |ui, state| program::program(ui, state, source, view))
    });
    let right = SidePanel::right("registers").resizable(false).exact_width(registers_width);
    right.show(context, |ui| {
        foldable(ui, state, Panel::Inspector, |ui, state| registers(ui, state, scene, view));
    });
    left.inner.flatten()
}

/// The widths of program and registers in a window of so many points, where `whole` shows every line of the program.
fn program_widths(total: f32, state: &State, whole: f32) -> [f32; 2] {
    let [least, most] = PROGRAM_WIDTH;
    let [asked, asked_registers] = state.program_widths;
    let is_folded = |panel| state.folded.contains(&panel);
    // Registers are never narrower than their numbers, and leave the picture and the program something where they are wider.
    let widest = (total - least - LEAST_PICTURE).max(REGISTERS_WIDTH);
    let registers = if is_folded(Panel::Inspector) {
        STRIP
    } else {
        asked_registers.unwrap_or(REGISTERS_WIDTH).clamp(REGISTERS_WIDTH, widest)
    };
    let room = total - registers - LEAST_PICTURE;
    let program =
        if is_folded(Panel::Settings) { STRIP } else { asked.unwrap_or(whole.min(most)).min(room).max(least) };
    [program, registers]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_of_a_program_are_as_wide_as_their_lines_until_they_are_dragged() {
        let mut state = State::default();
        assert_eq!(program_widths(1280.0, &state, 350.0), [350.0, 356.0]);
        assert_eq!(program_widths(1280.0, &state, 900.0), [460.0, 356.0]);
        assert_eq!(program_widths(700.0, &state, 350.0), [270.0, 356.0]);
        state.program_widths = [Some(500.0), Some(300.0)];
        assert_eq!(program_widths(1280.0, &state, 350.0), [500.0, 356.0]);
        state.program_widths = [Some(280.0), Some(2000.0)];
        // 1280 - 270 - 340: the program and the picture keep what they need.
        assert_eq!(program_widths(1280.0, &state, 350.0), [270.0, 670.0]);
        state.folded = vec![Panel::Inspector];
        assert_eq!(program_widths(1280.0, &state, 350.0), [280.0, 20.0]);
    }
}
