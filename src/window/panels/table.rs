//! The vertex table, under the picture.

use egui::{
    Align2, Button, Color32, ComboBox, DragValue, FontFamily, FontId, Rect, RichText, ScrollArea, Sense, TextEdit, Ui,
};
use refrast_words::Word;

use super::style::ACCENT;
use crate::{
    command_line::node_name,
    state::State,
    table::{Column, Table, TableColumns, short},
};
use refrast_canvas::Cells;
use refrast_scene::Scene;

const NUMBERS: FontId = FontId::new(11.0, FontFamily::Monospace);
const HEADING: FontId = FontId::new(11.0, FontFamily::Proportional);
/// Letters of a column of indices, and of one of numbers.
const WIDTHS: [usize; 2] = [8, 11];
/// Lines above the rows: heading, smallest and largest number.
const LINES: f32 = 3.0;

/// What was asked of the table, where changing the state is not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableRequest {
    /// Choose this row.
    Row(usize),
    /// Copy the rows as CSV.
    Copy,
}

/// Shows the table; `scroll` asks for a row to be brought into view.
pub(crate) fn table(
    ui: &mut Ui,
    state: &mut State,
    scene: &Scene,
    table: Option<&Table>,
    scroll: Option<usize>,
) -> Option<TableRequest> {
    let asked = bar(ui, state, scene, table);
    let Some(table) = table else { return asked };
    if let Some(error) = &table.error {
        ui.colored_label(ACCENT, error);
    }
    rows(ui, state, table, scroll).or(asked)
}

/// What is shown, how it is ordered, and where to go.
fn bar(ui: &mut Ui, state: &mut State, scene: &Scene, table: Option<&Table>) -> Option<TableRequest> {
    let mut asked = None;
    let mut chosen_draw = None;
    let Some(view) = &mut state.table else { return None };
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Vertices").strong());
        if let Some(table) = table {
            let name = |(node, primitive): (usize, usize)| format!("{}, primitive {primitive}", node_name(scene, node));
            let list = ComboBox::from_id_salt("draw").selected_text(name(table.draw)).show_ui(ui, |ui| {
                for &draw in &table.draws {
                    if ui.selectable_label(draw == table.draw, name(draw)).clicked() {
                        chosen_draw = Some(draw);
                    }
                }
            });
            list.response.on_hover_text("which node's primitive");
        }
        for group in TableColumns::ALL {
            let shown = view.columns.contains(&group);
            if ui.selectable_label(shown, group.name()).on_hover_text(group.about()).clicked() {
                view.toggle(group);
            }
        }
        ui.toggle_value(&mut view.corners, "indices")
            .on_hover_text("a row for each corner of each triangle, as the indices have them");
        ui.toggle_value(&mut view.follow, "follow").on_hover_text("the camera goes to the row that is chosen");
        // In a colour of its own: the one of all texts would have it taken for something that was typed.
        let hint = RichText::new("position_y>1 forearm").color(Color32::from_gray(0x70));
        ui.add(TextEdit::singleline(&mut view.filter).hint_text(hint).desired_width(150.0)).on_hover_text(
            "which rows are left: COLUMN<NUMBER (<= > >= = !=), a part of a joint's name, or outside (of the view); all \
             of them must hold",
        );
        let Some(table) = table else { return };
        let column = table.columns.iter().find(|column| column.name == "vertex");
        if let Some(Column { cells: Cells::Index(vertices), .. }) = column {
            let chosen = state.selected.filter(|choice| (choice.node, choice.primitive) == table.draw);
            let mut vertex = chosen.and_then(|choice| vertices.get(choice.vertex)).copied().unwrap_or(0);
            let last = vertices.iter().copied().max().unwrap_or(0);
            let field = ui.add(DragValue::new(&mut vertex).range(0..=last).prefix("go to "));
            if field.on_hover_text("the index of a vertex in the file; type it, or drag").changed() {
                asked = table.row_of_file_vertex(vertex).map(TableRequest::Row);
            }
        }
        if ui.add(Button::new("copy")).on_hover_text("these rows and columns as CSV into the clipboard").clicked() {
            asked = Some(TableRequest::Copy);
        }
        ui.label(RichText::new(format!("{} of {}", table.rows.len(), table.total)).weak());
    });
    if let Some(draw) = chosen_draw {
        view.draw = Some(draw);
        state.selected = state.selected.filter(|choice| (choice.node, choice.primitive) == draw);
    }
    asked
}

/// How the columns are laid out.
struct Layout<'a> {
    columns: Vec<&'a Column>,
    /// Points a letter.
    letter: f32,
    corners: bool,
}

impl Layout<'_> {
    fn letters(column: &Column) -> usize {
        WIDTHS[usize::from(matches!(column.cells, Cells::Number(_)))].max(column.name.len() + 1)
    }

    /// Where the columns begin and end, in points from the first.
    fn places(&self) -> Vec<[f32; 2]> {
        let mut at = if self.corners { WIDTHS[0] } else { 0 };
        let place = |column: &&Column| {
            let start = at;
            at += Self::letters(column);
            [start, at].map(|letters| letters as f32 * self.letter)
        };
        self.columns.iter().map(place).collect()
    }
}

/// Headings, bounds and rows.
fn rows(ui: &mut Ui, state: &mut State, table: &Table, scroll: Option<usize>) -> Option<TableRequest> {
    let selected = state.selected;
    let view = state.table.as_mut()?;
    let shown = view.clone();
    let letter = ui.fonts_mut(|fonts| fonts.glyph_width(&NUMBERS, '0'));
    let layout = Layout { columns: table.shown(&shown).collect(), letter, corners: view.corners };
    let places = layout.places();
    let width = places.last().map_or(0.0, |place| place[1]);
    let line = ui.text_style_height(&egui::TextStyle::Small) + 2.0;
    let (top, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), LINES * line), Sense::hover());
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut asked = None;
    let mut area = ScrollArea::both().auto_shrink([false, false]);
    if let Some(row) = scroll {
        area = area.vertical_scroll_offset((row as f32 * line - 0.5 * ui.available_height()).max(0.0));
    }
    let output = area.show_rows(ui, line, table.rows.len(), |ui, range| {
        for row in range {
            let (Some(choice), Some(&own)) = (table.choice(row), table.rows.get(row)) else { continue };
            let (rect, response) =
                ui.allocate_exact_size(egui::vec2(width.max(ui.available_width()), line), Sense::click());
            let color = if selected == Some(choice) { ACCENT } else { ui.visuals().text_color() };
            if response.hovered() {
                ui.painter().rect_filled(rect, 0.0, ui.visuals().widgets.hovered.weak_bg_fill);
            }
            let text = |right: f32, text: String| {
                let at = egui::pos2(rect.left() + right, rect.top());
                ui.painter().text(at, Align2::RIGHT_TOP, text, NUMBERS, color);
            };
            if let Some(corner) = own.corner {
                text(WIDTHS[0] as f32 * letter, corner.to_string());
            }
            let seen = ui.clip_rect().x_range();
            for (column, [start, end]) in layout.columns.iter().zip(&places) {
                if rect.left() + end >= seen.min && rect.left() + start <= seen.max {
                    text(*end, column.text(own.vertex as usize));
                }
            }
            if response.clicked() {
                asked = Some(TableRequest::Row(row));
            }
        }
    });
    // The headings go with the columns under them, and stay above the rows.
    let left = top.left() - output.state.offset.x;
    let painter = ui.painter().with_clip_rect(top.intersect(ui.clip_rect()));
    let sorted = view.sort.clone();
    for (column, [start, end]) in layout.columns.iter().zip(&places) {
        let cell = Rect::from_x_y_ranges(left + start..=left + end, top.y_range());
        let visible = cell.intersect(top);
        if !visible.is_positive() {
            continue;
        }
        let response = ui.interact(visible, ui.id().with(("heading", &column.name)), Sense::click());
        let mark = match &sorted {
            Some((name, descending)) if *name == column.name => {
                if *descending {
                    " ⏷"
                } else {
                    " ⏶"
                }
            }
            _ => "",
        };
        let color = if response.hovered() || !mark.is_empty() { ACCENT } else { ui.visuals().text_color() };
        let at = |number: f32| egui::pos2(cell.right(), top.top() + number * line);
        painter.text(at(0.0), Align2::RIGHT_TOP, format!("{}{mark}", column.name), HEADING, color);
        if let Some(bounds) = column.bounds {
            for (number, bound) in (1..).zip(bounds) {
                let text = if matches!(column.cells, Cells::Index(_)) { format!("{bound}") } else { short(bound) };
                painter.text(at(number as f32), Align2::RIGHT_TOP, text, NUMBERS, ui.visuals().weak_text_color());
            }
        }
        let hint =
            format!("{}: {}\nsmallest and largest number below it; click to order by it", column.name, column.about);
        if response.on_hover_text(hint).clicked() {
            view.sort_by(&column.name);
        }
    }
    asked
}
