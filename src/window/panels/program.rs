//! The program: its choice, the keys to go through it, and its instructions.

use egui::{
    Align, Button, Checkbox, Color32, ComboBox, FontFamily, FontId, Id, Response, RichText, ScrollArea, Sense, Ui,
    style::ScrollAnimation,
};

use super::{Control, choice, labelled, list_width, style::ACCENT};
use crate::{
    registers::{ProgramSource, ProgramView, RegisterView, Stepping},
    state::State,
};
use refrast_stage::program::ProgramChoice;
use refrast_vertex_program::{LIBRARY, NumericModel};

const CODE: FontId = FontId::new(11.0, FontFamily::Monospace);
/// The line that comes next.
const CURRENT: Color32 = Color32::from_rgb(0x3a, 0x4a, 0x2a);
/// What must be looked at: a NaN, a read out of range, a break.
pub(super) const WRONG: Color32 = Color32::from_rgb(0xff, 0x70, 0x60);
/// Points: room for the mark of a break and the number of a line.
const GUTTER: f32 = 40.0;

/// The panel on the left while registers are shown; gives the way to go through the program that was asked for.
pub(crate) fn program(
    ui: &mut Ui,
    state: &mut State,
    source: &ProgramSource,
    registers: Option<&RegisterView>,
) -> Option<Stepping> {
    ui.label(RichText::new("Vertex program").strong());
    program_choice(ui, state);
    let view = state.shown_program()?;
    choice(
        ui,
        Control::new("numbers", "Shift N", "the numeric model: what NaN, infinity and 0 · NaN are"),
        &mut view.choice.model,
        &NumericModel::ALL,
    );
    let asked = steps(ui, view, registers);
    ui.horizontal(|ui| {
        ui.label("stop at");
        ui.add(Checkbox::new(&mut view.breaks.nan, "NaN")).on_hover_text("an instruction that writes a NaN");
        ui.add(Checkbox::new(&mut view.breaks.out_of_range, "out of range"))
            .on_hover_text("a read through A0.x outside of c[0..95]");
        if !view.breaks.instructions.is_empty() && ui.button("clear").on_hover_text("stop at no line").clicked() {
            view.breaks.instructions.clear();
        }
    });
    ui.separator();
    if let Err(error) = source.settings() {
        ScrollArea::both().show(ui, |ui| ui.label(RichText::new(error).font(CODE).color(WRONG)));
        return asked;
    }
    let at = registers.map(|registers| view.step.min(registers.stops.len()));
    let moved = changed(ui, "program at", at);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (number, text) in source.lines().iter().enumerate() {
            let response = line(ui, view, number, text, at == Some(number), registers);
            if moved && at == Some(number) {
                show(ui, &response);
            }
        }
        let response = end(ui, at == Some(source.lines().len()), at);
        if moved && at == Some(source.lines().len()) {
            show(ui, &response);
        }
    });
    asked
}

/// Which program, of the library and the one that was opened.
pub(super) fn program_choice(ui: &mut Ui, state: &mut State) {
    let names: Vec<&str> = LIBRARY.iter().map(|program| program.name).collect();
    labelled(ui, Control::new("program", "Shift V", "a vertex program of 2001 in place of the method"), |ui| {
        let own = state.program.as_ref().map(|program| program.choice.file.display().to_string());
        let on = state.active_program().is_some();
        let shown = own.clone().filter(|_| on).unwrap_or_else(|| "none".to_owned());
        let list = ComboBox::from_id_salt("program").width(list_width(ui)).truncate();
        list.selected_text(shown).show_ui(ui, |ui| {
            if ui.selectable_label(!on, "none").clicked()
                && let Some(program) = &mut state.program
            {
                program.on = false;
            }
            let opened = own.iter().map(String::as_str).filter(|own| !names.contains(own));
            for name in opened.chain(names.iter().copied()) {
                if ui.selectable_label(on && own.as_deref() == Some(name), name).clicked() {
                    take(state, name);
                }
            }
        });
    });
}

/// Takes a program; what was set for another one does not fit it, but how it computes does.
fn take(state: &mut State, name: &str) {
    match &mut state.program {
        Some(program) if program.choice.file.to_str() == Some(name) => program.on = true,
        Some(program) => {
            let choice =
                ProgramChoice { bindings: Vec::new(), combiners: None, file: name.into(), ..program.choice.clone() };
            *program = ProgramView { shown: program.shown, ..ProgramView::new(choice) };
        }
        None => state.program = Some(ProgramView::new(ProgramChoice::new(name))),
    }
}

/// The buttons.
fn steps(ui: &mut Ui, view: &ProgramView, registers: Option<&RegisterView>) -> Option<Stepping> {
    let mut asked = None;
    ui.add_enabled_ui(registers.is_some(), |ui| {
        ui.horizontal(|ui| {
            let buttons = [
                ("|<", "to the start (Shift F5)", Stepping::Restart),
                ("<", "an instruction back (Shift F10)", Stepping::Back),
                (">", "an instruction on (F10)", Stepping::On),
                ("run", "to the next stop, or the end (F5)", Stepping::Run),
            ];
            for (text, hint, stepping) in buttons {
                if ui.add(Button::new(text).min_size(egui::vec2(30.0, 0.0))).on_hover_text(hint).clicked() {
                    asked = Some(stepping);
                }
            }
            if let Some(registers) = registers {
                let length = registers.stops.len();
                ui.label(RichText::new(format!("{} of {length} done", view.step.min(length))).weak());
            }
        });
    });
    asked
}

/// An instruction: a click stops at it, or no longer; the other button goes to it.
fn line(
    ui: &mut Ui,
    view: &mut ProgramView,
    number: usize,
    text: &str,
    current: bool,
    registers: Option<&RegisterView>,
) -> Response {
    let size = egui::vec2(ui.available_width(), 15.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let stop = registers.and_then(|registers| registers.stops.get(number)).copied().unwrap_or_default();
    let painter = ui.painter();
    if current || response.hovered() {
        painter.rect_filled(rect, 2.0, if current { CURRENT } else { Color32::from_gray(0x2a) });
    }
    if view.breaks.instructions.contains(&number) {
        painter.circle_filled(rect.left_center() + egui::vec2(6.0, 0.0), 4.0, WRONG);
    }
    let weak = ui.visuals().weak_text_color();
    let color = match (current, stop.nan || stop.out_of_range) {
        (_, true) => WRONG,
        (true, false) => ACCENT,
        (false, false) => ui.visuals().text_color(),
    };
    let place = |x: f32| rect.left_center() + egui::vec2(x, 0.0);
    painter.text(place(GUTTER - 8.0), egui::Align2::RIGHT_CENTER, number.to_string(), CODE, weak);
    painter.text(place(GUTTER), egui::Align2::LEFT_CENTER, text, CODE, color);
    if response.clicked() {
        view.breaks.toggle(number);
    }
    if response.secondary_clicked() {
        view.step = number;
    }
    let why = match (stop.nan, stop.out_of_range) {
        (true, true) => "writes a NaN, and reads out of range; ",
        (true, false) => "writes a NaN; ",
        (false, true) => "reads out of range; ",
        (false, false) => "",
    };
    response.on_hover_text(format!("{why}click: stop here or no longer, right click: go here"))
}

/// Scrolls to what is not seen.
fn show(ui: &Ui, response: &Response) {
    if !ui.clip_rect().contains_rect(response.rect) {
        response.scroll_to_me_animation(Some(Align::Center), ScrollAnimation::none());
    }
}

/// Whether a value is another one than at the last look. What scrolled whenever it is not seen would scroll for ever in
/// a window that is too small.
pub(super) fn changed<T: PartialEq + Clone + Send + Sync + 'static>(ui: &Ui, name: &str, value: T) -> bool {
    ui.data_mut(|data| {
        let id = Id::new(name);
        let before = data.get_temp::<T>(id);
        data.insert_temp(id, value.clone());
        before != Some(value)
    })
}

/// The width that shows every line whole, in points.
pub(super) fn width(source: &ProgramSource) -> f32 {
    let longest = source.lines().iter().map(|line| line.chars().count()).max().unwrap_or(0);
    // A letter is 6.63 points wide; frame and scroll bar take 30.
    GUTTER + 6.63 * longest as f32 + 30.0
}

/// The line after the last one.
fn end(ui: &mut Ui, current: bool, at: Option<usize>) -> Response {
    let text = match (current, at) {
        (true, _) => "the program is done; colours are clamped to 0 … 1",
        (false, Some(_)) => "end",
        (false, None) => "click a vertex to run the program for it",
    };
    ui.add_space(4.0);
    let text = RichText::new(text).small();
    ui.label(if current { text.color(ACCENT) } else { text.weak() })
}
