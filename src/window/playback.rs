//! Time: playing, stepping by frame and by key, speed.

use super::state::State;
use refrast_scene::Scene;

/// Frames a second that a step goes by.
pub(super) const FRAMES_PER_SECOND: f32 = 30.0;
/// Slowest and fastest playing.
pub(super) const SPEEDS: [f32; 2] = [1.0 / 64.0, 8.0];

impl State {
    /// Seconds of the clip; 0 at rest.
    pub(super) fn duration(&self, scene: &Scene) -> f32 {
        self.clip.and_then(|clip| scene.animations.get(clip)).map_or(0.0, |clip| clip.duration)
    }

    /// Lets `seconds` of real time pass; a clip that ends begins again.
    pub(super) fn advance(&mut self, scene: &Scene, seconds: f32) {
        let duration = self.duration(scene);
        if self.playing && duration > 0.0 {
            self.time = (self.time + seconds * self.speed).rem_euclid(duration);
        }
    }

    /// Stops, and goes by frames to the next whole one.
    pub(super) fn step_frames(&mut self, scene: &Scene, frames: f32) {
        self.playing = false;
        let frame = (self.time * FRAMES_PER_SECOND + frames).round();
        self.time = (frame / FRAMES_PER_SECOND).clamp(0.0, self.duration(scene));
    }

    /// Stops, and goes to the next key of any channel, or the one before.
    pub(super) fn step_key(&mut self, scene: &Scene, forward: bool) {
        self.playing = false;
        let Some(clip) = self.clip.and_then(|clip| scene.animations.get(clip)) else { return };
        let times = clip.channels.iter().flat_map(|channel| channel.times.iter().copied());
        let now = self.time;
        let next = if forward {
            times.filter(|&time| time > now).min_by(f32::total_cmp)
        } else {
            times.filter(|&time| time < now).max_by(f32::total_cmp)
        };
        self.time = next.unwrap_or(now);
    }

    /// Takes the next clip, the rest pose after the last.
    pub(super) fn next_clip(&mut self, scene: &Scene) {
        let next = self.clip.map_or(0, |clip| clip + 1);
        self.set_clip(Some(next).filter(|&clip| clip < scene.animations.len()));
    }

    /// Takes a clip from its start; the rest pose does not play.
    pub(super) fn set_clip(&mut self, clip: Option<usize>) {
        (self.clip, self.time) = (clip, 0.0);
        self.playing &= clip.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_scene::{Animation, Channel, ChannelTarget, Interpolation};

    fn scene() -> Scene {
        let channel = |times: &[f32]| Channel {
            node: 0,
            target: ChannelTarget::Translation,
            interpolation: Interpolation::Linear,
            times: times.to_vec(),
            values: vec![0.0; 3 * times.len()],
            components: 3,
        };
        let channels = vec![channel(&[0.0, 0.5, 2.0]), channel(&[0.25, 1.5])];
        Scene { animations: vec![Animation { name: None, channels, duration: 2.0 }], ..Scene::default() }
    }

    #[test]
    fn a_clip_begins_again_and_steps_stop_it() {
        let scene = scene();
        let mut state = State { clip: Some(0), time: 1.75, playing: true, speed: 2.0, ..State::default() };
        state.advance(&scene, 0.25);
        assert_eq!(state.time, 0.25);
        state.step_frames(&scene, 1.0);
        // A quarter of a second is frame 7.5; the next whole one is 9 (8.5 rounded away from zero).
        assert_eq!((state.time, state.playing), (9.0 / 30.0, false));
        state.advance(&scene, 1.0);
        assert_eq!(state.time, 9.0 / 30.0);
    }

    #[test]
    fn keys_of_all_channels_are_visited_in_order() {
        let scene = scene();
        let mut state = State { clip: Some(0), ..State::default() };
        let mut seen = Vec::new();
        for _ in 0..5 {
            state.step_key(&scene, true);
            seen.push(state.time);
        }
        assert_eq!(seen, [0.25, 0.5, 1.5, 2.0, 2.0]);
        state.step_key(&scene, false);
        assert_eq!(state.time, 1.5);
        state.next_clip(&scene);
        assert_eq!((state.clip, state.time), (None, 0.0));
    }
}
