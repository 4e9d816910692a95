//! The panels: what a person reads and sets, around the picture.
//!
//! Each panel takes the state (and what it shows) and changes nothing else, so that whatever it sets can be set by a key
//! or on the command line too.

mod diagnosis;
mod help;
mod inspector;
mod program;
mod program_panels;
mod registers;
mod settings;
mod shadows;
mod sides;
mod style;
mod table;
mod timeline;

use std::fmt::Display;

use egui::{ComboBox, Ui, text::LayoutJob};
use refrast_words::Word;

pub(super) use self::{
    diagnosis::{DiagnosisView, diagnosis},
    help::help,
    inspector::inspector,
    program_panels::program_panels,
    settings::{recent, settings},
    sides::{STRIP, edges, foldable, side, table_height, widths},
    style::{ACCENT, set_style},
    table::{TableRequest, table},
    timeline::timeline,
};

/// What a control is called, the keys that stand for it, and what it does.
#[derive(Clone, Copy)]
struct Control<'a> {
    label: &'a str,
    key: &'a str,
    about: &'a str,
}

impl<'a> Control<'a> {
    const fn new(label: &'a str, key: &'a str, about: &'a str) -> Self {
        Self { label, key, about }
    }

    /// What the pointer over it is told.
    fn hint(self) -> String {
        let Self { about, key, .. } = self;
        if key.is_empty() { about.to_owned() } else { format!("{about} (key {key})") }
    }
}

/// A drop-down list of words.
fn choice<T: Word>(ui: &mut Ui, control: Control<'_>, value: &mut T, all: &[T]) {
    choice_of(ui, control, value, all, T::about);
}

/// A drop-down list; the pointer over a line is told what it is about.
fn choice_of<T: Copy + PartialEq + Display>(
    ui: &mut Ui,
    control: Control<'_>,
    value: &mut T,
    all: &[T],
    about: fn(T) -> &'static str,
) {
    labelled(ui, control, |ui| {
        let width = list_width(ui);
        let chosen = *value;
        let list = ComboBox::from_id_salt(control.label).width(width).truncate().selected_text(chosen.to_string());
        let list = list.show_ui(ui, |ui| {
            for &one in all {
                ui.selectable_value(value, one, one.to_string()).on_hover_text(about(one));
            }
        });
        list.response.on_hover_text(format!("{chosen}: {}", about(chosen)));
    });
}

/// The width of a list that fills its row: egui adds the frame to what it is given.
fn list_width(ui: &Ui) -> f32 {
    ui.available_width() - 2.0 * ui.spacing().button_padding.x
}

/// Points of a form: what is narrower has narrower labels too.
const FORM: f32 = 215.0;
const LABELS: [f32; 2] = [80.0, 92.0];
/// The least that a slider is.
const LEAST_SLIDER: f32 = 24.0;

/// A row of a two-column form: a label, and what is set, which breaks where it does not fit.
fn labelled<R>(ui: &mut Ui, control: Control<'_>, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let width = LABELS[usize::from(ui.available_width() >= FORM)];
    ui.horizontal_top(|ui| {
        let (rect, response) =
            ui.allocate_exact_size(egui::vec2(width, ui.spacing().interact_size.y), egui::Sense::hover());
        let color = ui.visuals().text_color();
        let font = egui::TextStyle::Body.resolve(ui.style());
        // A morph target may have any name.
        let mut label = LayoutJob::simple_singleline(control.label.to_owned(), font, color);
        label.wrap = egui::text::TextWrapping::truncate_at_width(width);
        let label = ui.painter().layout_job(label);
        let place = egui::Align2::LEFT_CENTER.anchor_size(rect.left_center(), label.size());
        ui.painter().galley(place.min, label, color);
        response.on_hover_text(control.hint());
        ui.horizontal_wrapped(contents).inner
    })
    .inner
}

/// Makes sliders as wide as there is room beside their numbers.
fn fit_sliders(ui: &mut Ui) {
    let spacing = ui.spacing();
    let room = ui.available_size_before_wrap().x - spacing.interact_size.x - spacing.item_spacing.x;
    ui.spacing_mut().slider_width = ui.spacing().slider_width.min(room.max(LEAST_SLIDER));
}
