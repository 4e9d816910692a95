//! All keys at a glance.

use egui::{Align2, Context, Grid, RichText, Window};

use super::style::ACCENT;
use crate::keys::GROUPS;

/// Points that all keys take.
const ALL_KEYS: egui::Vec2 = egui::vec2(1000.0, 620.0);

const MOUSE: &[(&str, &str)] = &[
    ("drag", "turn"),
    ("right drag", "shift (also Shift drag)"),
    ("wheel", "nearer, farther"),
    ("click", "inspect a vertex and a pixel"),
];

/// Shows the keys over everything else; a click outside of it changes nothing.
pub(crate) fn help(context: &Context) {
    // All keys, as far as there is room; to the others one scrolls.
    let room = context.content_rect().size() - egui::vec2(28.0, 28.0);
    let window = Window::new("Keys")
        .title_bar(false)
        .resizable(false)
        .scroll(true)
        .default_size(room.min(ALL_KEYS))
        .max_size(room);
    window.anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO).show(context, |ui| {
        ui.horizontal_top(|ui| {
            let columns: [&[&str]; 3] = [
                &["Skinning", "Vertex program", "Picture"],
                &["Time", "Overlays", "Comparison", "Heat map"],
                &["Vertex table", "Window", "Mouse"],
            ];
            for titles in columns {
                ui.vertical(|ui| titles.iter().for_each(|title| group(ui, title)));
                ui.add_space(12.0);
            }
        });
    });
}

fn group(ui: &mut egui::Ui, title: &str) {
    ui.label(RichText::new(title).strong());
    let row = |ui: &mut egui::Ui, key: &str, text: &str| {
        ui.label(RichText::new(key).monospace().color(ACCENT));
        ui.label(text);
        ui.end_row();
    };
    Grid::new(title).spacing([10.0, 1.0]).show(ui, |ui| {
        for binding in GROUPS.iter().filter(|group| group.title == title).flat_map(|group| group.bindings) {
            row(ui, binding.label, binding.text);
        }
        if title == "Mouse" {
            MOUSE.iter().for_each(|(key, text)| row(ui, key, text));
        }
    });
    ui.add_space(6.0);
}
