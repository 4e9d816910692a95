//! The panels on both sides while a vertex program is stepped through.

use egui::{Context, SidePanel};

use super::{program::program, registers::registers};
use crate::{
    scene::Scene,
    window::{
        registers::{ProgramSource, RegisterView, Stepping},
        state::State,
    },
};

/// Points: the longest instruction in a line.
const PROGRAM_WIDTH: f32 = 300.0;
/// Points: a register with its name and four numbers.
const REGISTERS_WIDTH: f32 = 356.0;

/// Shows the program on the left and the registers on the right; gives the way to go on that was asked for.
pub(in crate::window) fn program_panels(
    context: &Context,
    state: &mut State,
    scene: &Scene,
    source: &ProgramSource,
    view: Option<&RegisterView>,
) -> Option<Stepping> {
    let left = SidePanel::left("program").resizable(false).exact_width(PROGRAM_WIDTH);
    let asked = left.show(context, |ui| program(ui, state, source, view)).inner;
    let right = SidePanel::right("registers").resizable(false).exact_width(REGISTERS_WIDTH);
    right.show(context, |ui| registers(ui, state, scene, view));
    asked
}
