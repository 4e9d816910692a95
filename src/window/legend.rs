//! What colours over the picture stand for, in its lower left corner.

use egui::{Align2, Color32, FontId, Galley, Painter, Pos2, Rect, Stroke};
use std::sync::Arc;

use super::{
    candidate::CandidatePicture,
    heat::{HeatMap, short},
    sections::{self, SectionMap},
    state::State,
};
use refrast_canvas::{beside::class_color, color_at};
use refrast_measure::envelope::PixelClass;

const WHITE: Color32 = Color32::from_gray(0xf0);
const FONT: FontId = FontId::proportional(12.0);
/// Lines of a list before the rest is only counted.
const MOST_LINES: usize = 12;
const LINE: f32 = 16.0;

/// The ends and the middle of a heat map.
pub(super) fn color_bar(painter: &Painter, area: Rect, map: &HeatMap) {
    const STEPS: usize = 64;
    let left = area.left_bottom() + egui::vec2(12.0, -30.0);
    let size = egui::vec2((area.width() - 24.0).min(256.0), 10.0);
    let title = painter.layout(map.title.clone(), FONT, WHITE, area.width() - 26.0);
    let above = title.size().y + 3.0;
    let back = egui::vec2(title.size().x.max(size.x) + 14.0, above + 32.0);
    let corner = left - egui::vec2(7.0, above + 4.0);
    painter.rect_filled(Rect::from_min_size(corner, back), 3.0, Color32::from_black_alpha(170));
    painter.galley(left - egui::vec2(0.0, above), title, WHITE);
    for step in 0..STEPS {
        let place = |step: usize| left.x + size.x * step as f32 / STEPS as f32;
        let [red, green, blue] = color_at((step as f32 + 0.5) / STEPS as f32);
        let cell = Rect::from_min_max(Pos2::new(place(step), left.y), Pos2::new(place(step + 1), left.y + size.y));
        painter.rect_filled(cell, 0.0, Color32::from_rgb(red, green, blue));
    }
    for (part, align) in [(0.0, Align2::LEFT_TOP), (0.5, Align2::CENTER_TOP), (1.0, Align2::RIGHT_TOP)] {
        let at = left + egui::vec2(size.x * part, size.y + 1.0);
        let unit = if part == 1.0 { map.unit } else { "" };
        painter.text(at, align, short(map.bar.number(part)) + unit, FONT, WHITE);
    }
    // What a bound is: beyond this line nothing is right any more.
    let [low, high] = map.bar.range;
    if map.bounded && low < 1.0 && high > 1.0 {
        let at = left.x + size.x * map.bar.place(1.0);
        painter.vline(at, left.y - 2.0..=left.y + size.y + 2.0, Stroke::new(2.0, WHITE));
    }
}

/// What is seen of a mistake that is tried on.
pub(super) fn hypothesis(painter: &Painter, area: Rect, candidate: &str, mistake: &str) {
    let lines = [
        format!("what a backend draws that makes this mistake: {mistake}"),
        format!("2 flips it with {candidate}, O shows where they differ, Esc takes it off"),
    ];
    list(painter, area, lines.map(|line| (None, line)).into());
}

/// What became of a candidate's picture.
pub(super) fn verdict(painter: &Painter, area: Rect, candidate: &CandidatePicture, state: &State) {
    let name = candidate.name();
    let line = |text: String| vec![(None, text)];
    let lines = match candidate.judgement() {
        None if state.playing => line(format!("{name}: judged when the clip stands still")),
        None => line(format!("{name}: judging ... the envelope is being made ({})", state.profile)),
        Some(Err(error)) => line(format!("{name}: there is no envelope: {error}")),
        Some(Ok(judgement)) => {
            let verdict = &judgement.verdict;
            let mut lines = line(match verdict.wrong() {
                0 => format!("{name}: every pixel is in the envelope ({})", state.profile),
                wrong => format!(
                    "{name}: {wrong} pixels outside the envelope ({}), by up to {} steps of 255",
                    state.profile, verdict.farthest
                ),
            });
            let counts = [
                (PixelClass::Outside, verdict.outside, "wrong colour, or another surface"),
                (PixelClass::Missing, verdict.missing, "surface missing"),
                (PixelClass::Unexpected, verdict.unexpected, "surface where none is"),
                (PixelClass::Undecided, verdict.undecided, "undecided"),
            ];
            let counts = counts.into_iter().filter(|&(_, count, _)| count > 0);
            lines.extend(counts.map(|(class, count, text)| (class_color(class), format!("{count} {text}"))));
            lines
        }
    };
    list(painter, area, lines);
}

/// Which colour is which section.
pub(super) fn sections(painter: &Painter, area: Rect, map: &SectionMap, state: &State) {
    let count = map.sections.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut lines = vec![(None, format!("{count} section{plural} of at most {} joints", state.max_joints))];
    lines.extend(map.sections.iter().enumerate().take(MOST_LINES).map(|(number, section)| {
        let text = format!("{number}: {} joints, {} triangles", section.joints, section.triangles);
        (Some(sections::color(number)), text)
    }));
    if count > MOST_LINES {
        lines.push((None, format!("and {} more", count - MOST_LINES)));
    }
    list(painter, area, lines);
}

/// Lines of text, some with a colour before them.
fn list(painter: &Painter, area: Rect, lines: Vec<(Option<[u8; 3]>, String)>) {
    const SWATCH: f32 = 16.0;
    let room = area.width() - 40.0;
    let lay_out = |(color, text): (Option<[u8; 3]>, String)| (color, painter.layout(text, FONT, WHITE, room));
    let lines: Vec<(Option<[u8; 3]>, Arc<Galley>)> = lines.into_iter().map(lay_out).collect();
    let indent = |color: Option<[u8; 3]>| if color.is_some() { SWATCH } else { 0.0 };
    let width = lines.iter().map(|(color, text)| text.size().x + indent(*color)).fold(0.0, f32::max);
    let height = lines.iter().map(|(_, text)| text.size().y.max(LINE)).sum::<f32>();
    let mut at = area.left_bottom() + egui::vec2(12.0, -height - 10.0);
    let back = Rect::from_min_size(at - egui::vec2(7.0, 4.0), egui::vec2(width + 14.0, height + 8.0));
    painter.rect_filled(back, 3.0, Color32::from_black_alpha(190));
    for (color, text) in lines {
        if let Some([red, green, blue]) = color {
            let swatch = Rect::from_min_size(at + egui::vec2(0.0, 3.0), egui::vec2(10.0, 10.0));
            painter.rect_filled(swatch, 2.0, Color32::from_rgb(red, green, blue));
        }
        let height = text.size().y.max(LINE);
        painter.galley(at + egui::vec2(indent(color), 0.0), text, WHITE);
        at.y += height;
    }
}
