//! The clip and its time.

use egui::{Button, ComboBox, DragValue, Label, RichText, Slider, Ui};

use crate::{
    command_line::clip_name,
    playback::{FRAMES_PER_SECOND, SPEEDS},
    state::State,
};
use refrast_scene::Scene;

/// Points of what has the same width whatever it says, so that nothing moves under the pointer: a step, play or pause, the
/// seconds, the frames and the speed.
const STEP: f32 = 26.0;
const PLAY: f32 = 48.0;
const SECONDS: f32 = 72.0;
const FRAMES: f32 = 128.0;
const SPEED: f32 = 56.0;
/// The least that the slider is.
const LEAST_SLIDER: f32 = 60.0;

/// Clip, play, step, scrub and speed, in one row.
pub(crate) fn timeline(ui: &mut Ui, state: &mut State, scene: &Scene) {
    let narrow = ui.available_width() < 760.0;
    ui.horizontal(|ui| {
        let name = |clip: Option<usize>| clip.map_or_else(|| "rest pose".to_owned(), |clip| clip_name(scene, clip));
        let mut clip = state.clip;
        let list = ComboBox::from_id_salt("clip").width(if narrow { 84.0 } else { 110.0 }).truncate();
        let list = list.selected_text(name(clip)).show_ui(ui, |ui| {
            for one in std::iter::once(None).chain((0..scene.animations.len()).map(Some)) {
                ui.selectable_value(&mut clip, one, name(one));
            }
        });
        list.response.on_hover_text("the clip that plays (K)");
        if clip != state.clip {
            state.set_clip(clip);
        }
        ui.add_enabled_ui(state.clip.is_some(), |ui| {
            let button = |ui: &mut Ui, text: &str, width: f32, hint: &str| {
                ui.add(Button::new(text).min_size(egui::vec2(width, 0.0))).on_hover_text(hint).clicked()
            };
            if button(ui, "|<", STEP, "key before (,)") {
                state.step_key(scene, false);
            }
            if button(ui, "<", STEP, "a frame back (Left)") {
                state.step_frames(scene, -1.0);
            }
            if button(ui, if state.playing { "Pause" } else { "Play" }, PLAY, "play, pause (Space)") {
                state.playing = !state.playing;
            }
            if button(ui, ">", STEP, "a frame on (Right)") {
                state.step_frames(scene, 1.0);
            }
            if button(ui, ">|", STEP, "next key (.)") {
                state.step_key(scene, true);
            }
            let duration = state.duration(scene);
            let row = ui.spacing().interact_size.y;
            let others = SECONDS + SPEED + if narrow { 0.0 } else { FRAMES };
            let gaps = ui.spacing().item_spacing.x * 4.0;
            ui.spacing_mut().slider_width = (ui.available_width() - others - gaps).max(LEAST_SLIDER);
            ui.add(Slider::new(&mut state.time, 0.0..=duration).show_value(false))
                .on_hover_text("the time within the clip");
            let seconds =
                DragValue::new(&mut state.time).range(0.0..=duration).speed(0.005).fixed_decimals(3).suffix(" s");
            ui.add_sized([SECONDS, row], seconds).on_hover_text("seconds within the clip: type or drag them");
            if !narrow {
                let [frame, frames] = [state.time, duration].map(|seconds| seconds * FRAMES_PER_SECOND);
                let text = RichText::new(format!("frame {frame:.1} of {frames:.1}"));
                let place = egui::Layout::left_to_right(egui::Align::Center);
                ui.allocate_ui_with_layout(egui::vec2(FRAMES, row), place, |ui| {
                    ui.set_min_width(FRAMES);
                    ui.add(Label::new(text).truncate()).on_hover_text("at 30 frames a second");
                });
            }
            let [slowest, fastest] = SPEEDS;
            let speed =
                DragValue::new(&mut state.speed).range(slowest..=fastest).speed(0.01).max_decimals(2).suffix("×");
            ui.add_sized([SPEED, row], speed).on_hover_text("speed ([ and ]): seconds of the clip in a second");
        });
    });
}
