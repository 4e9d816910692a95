//! The panels on both sides while a vertex program is stepped through.

use egui::{Context, SidePanel};

use super::{STRIP, foldable, program, registers::registers};
use crate::{
    registers::{ProgramSource, RegisterView, Stepping},
    state::{Panel, State},
};
use refrast_scene::Scene;

/// Points, the least and the most: its buttons, and the longest instruction in a line.
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
    let [least, most] = PROGRAM_WIDTH;
    let is_folded = |state: &State, panel| state.folded.contains(&panel);
    let registers_width = if is_folded(state, Panel::Inspector) { STRIP } else { REGISTERS_WIDTH };
    let room = context.content_rect().width() - registers_width - LEAST_PICTURE;
    let width = match is_folded(state, Panel::Settings) {
        true => STRIP,
        false => program::width(source).min(room).clamp(least, most),
    };
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
