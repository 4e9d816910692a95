//! The panels at the sides: how wide they are, how they are folded and dragged.
//!
//! Why it exists: egui keeps such things to itself, and what decides how large the picture is belongs to the state.

use egui::{Color32, Rect, RichText, ScrollArea, Sense, Stroke, Ui};

use super::style::ACCENT;
use crate::state::{Panel, State};

/// Points that a folded panel is wide.
pub(crate) const STRIP: f32 = 20.0;
/// The least that a panel is, and the most.
const WIDTHS: [f32; 2] = [150.0, 600.0];
/// The least that is left to the picture as long as the panels can be narrower.
const LEAST_PICTURE: f32 = 240.0;
/// The least that the vertex table is high: its bar, headings and three rows; and the most of the window's height.
const LEAST_TABLE: f32 = 120.0;
const TABLE_PART: f32 = 0.5;
/// How near to an edge a drag takes it.
const REACH: f32 = 3.0;

/// The widths of settings and inspector in a window of so many points: those that were asked for, or less, each in its part.
pub(crate) fn widths(total: f32, state: &State) -> [f32; 2] {
    let is_folded = [Panel::Settings, Panel::Inspector].map(|panel| state.folded.contains(&panel));
    let room = total - LEAST_PICTURE - is_folded.iter().filter(|folded| **folded).count() as f32 * STRIP;
    let wanted: f32 =
        state.panel_widths.iter().zip(is_folded).map(|(width, folded)| if folded { 0.0 } else { *width }).sum();
    let part = (room / wanted.max(1.0)).min(1.0);
    let [least, _] = WIDTHS;
    [0, 1].map(|side| if is_folded[side] { STRIP } else { (state.panel_widths[side] * part).floor().max(least) })
}

/// The height of the vertex table in a window of so many points; `None` where it is not shown.
pub(crate) fn table_height(total: f32, state: &State) -> Option<f32> {
    let [least, most] = [LEAST_TABLE, (TABLE_PART * total).floor().max(LEAST_TABLE)];
    state.table.as_ref().map(|view| view.height.clamp(least, most))
}

/// What stands in a panel at a side and scrolls, or the strip that is left of it.
pub(crate) fn side(ui: &mut Ui, state: &mut State, panel: Panel, contents: impl FnOnce(&mut Ui, &mut State)) {
    let area = ScrollArea::both().auto_shrink([false, false]);
    foldable(ui, state, panel, |ui, state| area.show(ui, |ui| contents(ui, state)));
}

/// What stands in a panel at a side, or the strip that is left of it.
pub(crate) fn foldable<R>(
    ui: &mut Ui,
    state: &mut State,
    panel: Panel,
    contents: impl FnOnce(&mut Ui, &mut State) -> R,
) -> Option<R> {
    let (key, arrows) = match panel {
        Panel::Settings => ("F3", ["«", "»"]),
        Panel::Inspector => ("F4", ["»", "«"]),
    };
    if state.folded.contains(&panel) {
        let hint = format!("unfold ({key})");
        let strip = ui.interact(ui.max_rect(), ui.id().with(panel.name()), Sense::click()).on_hover_text(hint);
        let color = if strip.hovered() { ACCENT } else { ui.visuals().text_color() };
        ui.label(RichText::new(arrows[1]).color(color));
        if strip.clicked() {
            state.fold(panel);
        }
        return None;
    }
    let shown = contents(ui, state);
    // In the corner, over what scrolls.
    let corner = Rect::from_min_size(ui.max_rect().right_top() - egui::vec2(14.0, 0.0), egui::vec2(14.0, 16.0));
    let button = ui.interact(corner, ui.id().with((panel.name(), "fold")), Sense::click());
    let color = if button.hovered() { ACCENT } else { Color32::from_gray(0x80) };
    ui.painter().text(corner.center(), egui::Align2::CENTER_CENTER, arrows[0], egui::FontId::proportional(13.0), color);
    if button.on_hover_text(format!("fold ({key})")).clicked() {
        state.fold(panel);
    }
    Some(shown)
}

/// The edges between the picture and what is around it, which can be dragged.
pub(crate) fn edges(ui: &Ui, state: &mut State, area: Rect) {
    let sides = [(0, Panel::Settings, area.left(), 1.0), (1, Panel::Inspector, area.right(), -1.0)];
    for (side, panel, x, sign) in sides {
        if state.folded.contains(&panel) {
            continue;
        }
        let reach = Rect::from_x_y_ranges(x - REACH..=x + REACH, area.y_range());
        let edge = ui.interact(reach, ui.id().with((panel.name(), "edge")), Sense::drag());
        if edge.dragged() && state.shown_program().is_some() {
            // A vertex program has panels of its own, which begin at the window's edges as well.
            let shown = [area.left(), ui.ctx().content_rect().right() - area.right()][side];
            state.program_widths[side] = Some(shown + sign * edge.drag_delta().x);
        } else if edge.dragged() {
            let [least, most] = WIDTHS;
            // From what both are in this window: else the other one would take a part of what this one leaves.
            let shown = widths(ui.ctx().content_rect().width(), state);
            for (panel, (width, shown)) in
                [Panel::Settings, Panel::Inspector].iter().zip(state.panel_widths.iter_mut().zip(shown))
            {
                if !state.folded.contains(panel) {
                    *width = shown;
                }
            }
            state.panel_widths[side] = (shown[side] + sign * edge.drag_delta().x).clamp(least, most);
        }
        if edge.hovered() || edge.dragged() {
            ui.painter().vline(x, area.y_range(), Stroke::new(2.0, ACCENT));
        }
    }
    let Some(height) = table_height(ui.ctx().content_rect().height(), state) else { return };
    let reach = Rect::from_x_y_ranges(area.x_range(), area.bottom() - 2.0 * REACH..=area.bottom());
    let edge = ui.interact(reach, ui.id().with("table edge"), Sense::drag());
    if let Some(view) = state.table.as_mut().filter(|_| edge.dragged()) {
        view.height = (height - edge.drag_delta().y).max(LEAST_TABLE);
    }
    if edge.hovered() || edge.dragged() {
        ui.painter().hline(area.x_range(), area.bottom() - 1.0, Stroke::new(2.0, ACCENT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_windows_have_narrow_panels_and_folded_ones_give_way() {
        let mut state = State::default();
        assert_eq!(widths(1280.0, &state), State::PANEL_WIDTHS);
        // 700 - 240 = 460 of the 590 that were asked for.
        assert_eq!(widths(700.0, &state), [194.0, 265.0]);
        assert_eq!(widths(400.0, &state), [150.0, 150.0]);
        state.fold(Panel::Inspector);
        assert_eq!(widths(700.0, &state), [250.0, 20.0]);
        state.fold(Panel::Inspector);
        state.panel_widths[0] = 300.0;
        assert_eq!(widths(1280.0, &state), [300.0, 340.0]);
    }
}
