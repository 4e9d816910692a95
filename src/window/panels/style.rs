//! How the panels look: dark and dense, without anything that moves by itself.

use egui::{Color32, Context, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Visuals};

/// What is chosen, here and in overlays.
pub(crate) const ACCENT: Color32 = Color32::from_rgb(0xff, 0xb0, 0x3a);

/// Sets the style of all panels.
pub(crate) fn set_style(context: &Context) {
    let mut visuals = Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(0x1b, 0x1e, 0x24);
    visuals.window_fill = Color32::from_rgb(0x1b, 0x1e, 0x24);
    visuals.override_text_color = Some(Color32::from_gray(0xd8));
    visuals.selection.bg_fill = Color32::from_rgb(0x3a, 0x5f, 0x8a);
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, Color32::from_gray(0x38));
    visuals.window_shadow = egui::Shadow::NONE;
    visuals.popup_shadow = egui::Shadow::NONE;
    visuals.menu_corner_radius = CornerRadius::same(3);
    visuals.window_corner_radius = CornerRadius::same(4);
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        // What fades asks for pictures; nothing here is worth them.
        style.animation_time = 0.0;
        style.spacing.item_spacing = egui::vec2(6.0, 3.0);
        style.spacing.slider_width = 84.0;
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.3;
        style.text_styles = [
            (TextStyle::Heading, FontId::new(15.0, FontFamily::Proportional)),
            (TextStyle::Body, FontId::new(13.0, FontFamily::Proportional)),
            (TextStyle::Button, FontId::new(13.0, FontFamily::Proportional)),
            (TextStyle::Small, FontId::new(11.0, FontFamily::Proportional)),
            (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
        ]
        .into();
    });
}
