//! The clip and its time.

use egui::{Button, ComboBox, Slider, Ui};

use crate::{
    command_line::clip_name,
    playback::{FRAMES_PER_SECOND, SPEEDS},
    state::State,
};
use refrast_scene::Scene;

/// Clip, play, step, scrub and speed, in one row.
pub(crate) fn timeline(ui: &mut Ui, state: &mut State, scene: &Scene) {
    ui.horizontal(|ui| {
        let name = |clip: Option<usize>| clip.map_or_else(|| "rest pose".to_owned(), |clip| clip_name(scene, clip));
        let mut clip = state.clip;
        ComboBox::from_id_salt("clip").width(110.0).selected_text(name(clip)).show_ui(ui, |ui| {
            for one in std::iter::once(None).chain((0..scene.animations.len()).map(Some)) {
                ui.selectable_value(&mut clip, one, name(one));
            }
        });
        if clip != state.clip {
            state.set_clip(clip);
        }
        ui.add_enabled_ui(state.clip.is_some(), |ui| {
            let button = |ui: &mut Ui, text: &str, hint: &str| {
                ui.add(Button::new(text).min_size(egui::vec2(26.0, 0.0))).on_hover_text(hint).clicked()
            };
            if button(ui, "|<", "key before (,)") {
                state.step_key(scene, false);
            }
            if button(ui, "<", "a frame back (Left)") {
                state.step_frames(scene, -1.0);
            }
            if button(ui, if state.playing { "Pause" } else { "Play" }, "play, pause (Space)") {
                state.playing = !state.playing;
            }
            if button(ui, ">", "a frame on (Right)") {
                state.step_frames(scene, 1.0);
            }
            if button(ui, ">|", "next key (.)") {
                state.step_key(scene, true);
            }
            let duration = state.duration(scene);
            ui.spacing_mut().slider_width = (ui.available_width() - 330.0).max(80.0);
            ui.add(Slider::new(&mut state.time, 0.0..=duration).fixed_decimals(3).suffix(" s"));
            ui.label(format!("frame {:.1} of {:.1}", state.time * FRAMES_PER_SECOND, duration * FRAMES_PER_SECOND));
            ui.spacing_mut().slider_width = 60.0;
            let [slowest, fastest] = SPEEDS;
            ui.add(Slider::new(&mut state.speed, slowest..=fastest).logarithmic(true).max_decimals(2).suffix("×"))
                .on_hover_text("speed ([ and ])");
        });
    });
}
