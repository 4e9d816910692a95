//! The panels on both sides while a vertex program is stepped through.

use egui::{Context, SidePanel};

use super::{program, registers::registers};
use crate::{
    registers::{ProgramSource, RegisterView, Stepping},
    state::State,
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
    let room = context.content_rect().width() - REGISTERS_WIDTH - LEAST_PICTURE;
    let width = program::width(source).min(room).clamp(least, most);
    let left = SidePanel::left("program").resizable(false).exact_width(width);
    let asked = left.show(context, |ui| program::program(ui, state, source, view)).inner;
    let right = SidePanel::right("registers").resizable(false).exact_width(REGISTERS_WIDTH);
    right.show(context, |ui| registers(ui, state, scene, view));
    asked
}
