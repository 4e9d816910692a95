//! The panels: what a person reads and sets, around the picture.
//!
//! Each panel takes the state (and what it shows) and changes nothing else, so that whatever it sets can be set by a key
//! or on the command line too.

mod help;
mod inspector;
mod program;
mod program_panels;
mod registers;
mod settings;
mod style;
mod timeline;

use std::fmt::Display;

use egui::{ComboBox, Ui};
use refrast_words::Word;

pub(super) use self::{
    help::help,
    inspector::inspector,
    program_panels::program_panels,
    settings::settings,
    style::{ACCENT, set_style},
    timeline::timeline,
};

/// A drop-down list of words.
fn choice<T: Word>(ui: &mut Ui, label: &str, key: &str, value: &mut T, all: &[T]) {
    choice_of(ui, label, key, value, all, T::about);
}

/// A drop-down list; the pointer over a line is told what it is about.
fn choice_of<T: Copy + PartialEq + Display>(
    ui: &mut Ui,
    label: &str,
    key: &str,
    value: &mut T,
    all: &[T],
    about: fn(T) -> &'static str,
) {
    labelled(ui, label, key, |ui| {
        let width = list_width(ui);
        ComboBox::from_id_salt(label).width(width).selected_text(value.to_string()).show_ui(ui, |ui| {
            for &one in all {
                ui.selectable_value(value, one, one.to_string()).on_hover_text(about(one));
            }
        });
    });
}

/// The width of a list that fills its row: egui adds the frame to what it is given.
fn list_width(ui: &Ui) -> f32 {
    ui.available_width() - 2.0 * ui.spacing().button_padding.x
}

/// A row of a two-column form: a label with its key, and what is set.
fn labelled<R>(ui: &mut Ui, label: &str, key: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        let (rect, response) =
            ui.allocate_exact_size(egui::vec2(92.0, ui.spacing().interact_size.y), egui::Sense::hover());
        let color = ui.visuals().text_color();
        let font = egui::TextStyle::Body.resolve(ui.style());
        ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, label, font, color);
        if !key.is_empty() {
            response.on_hover_text(format!("key {key}"));
        }
        contents(ui)
    })
    .inner
}
