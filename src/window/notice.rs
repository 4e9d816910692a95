//! [`Notice`]: a line over the picture that says what became of something, for a moment.
//!
//! Why it exists: what a key prints or writes happens outside of the window, and who looks at the window does not see it.

use egui::{Align2, Color32, FontId, Painter, Rect};

/// How long it stays, in seconds.
const STAYS: f64 = 4.0;

/// What became of something.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    text: String,
    /// Seconds since the start.
    until: f64,
}

impl Notice {
    pub(super) fn new(text: String, now: f64) -> Self {
        Self { text, until: now + STAYS }
    }

    /// When it goes.
    pub(super) fn until(&self) -> f64 {
        self.until
    }

    /// Draws it at the top of an area, in as many lines as it needs.
    pub(super) fn draw(&self, painter: &Painter, area: Rect) {
        let font = FontId::proportional(13.0);
        let galley = painter.layout(self.text.clone(), font, Color32::WHITE, (area.width() - 40.0).max(80.0));
        let at = area.center_top() + egui::vec2(0.0, 34.0);
        let rect = Align2::CENTER_TOP.anchor_size(at, galley.size());
        painter.rect_filled(rect.expand2(egui::vec2(8.0, 4.0)), 3.0, Color32::from_black_alpha(215));
        painter.galley(rect.min, galley, Color32::WHITE);
    }
}
