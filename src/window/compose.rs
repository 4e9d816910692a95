//! [`Composer`]: what is painted over or beside the picture before the panels: heat map, lines, and a second picture.

use super::{
    ProgramView,
    candidate::Candidate,
    deform::Deformer,
    heat::{self, HeatMap},
    lines,
    stage::Stage,
    state::{Comparison, Heat, State},
    surface::Surface,
};
use crate::animation::Pose;

/// Seconds that each picture stays while they blink.
pub(super) const BLINK: f64 = 0.6;
/// Steps of 255 that the colours of [`Comparison::Pixels`] end at.
const MOST_STEPS: f32 = 64.0;

/// Puts the picture together, and keeps what it was made from.
#[derive(Debug, Default)]
pub(super) struct Composer {
    /// The numbers over the surface, or why there are none.
    heat: Option<Result<HeatMap, String>>,
    /// What they were made for.
    heated: Option<(State, Pose)>,
    /// R G B A; empty where the picture is shown as it is.
    painted: Vec<u8>,
    error: Option<String>,
}

impl Composer {
    /// Composes the picture of a stage; tells whether the panels have something new to say of it.
    pub(super) fn compose(
        &mut self,
        stage: &mut Stage<'_>,
        state: &State,
        deformer: &mut Deformer,
        candidate: Option<&Candidate>,
        seconds: f64,
    ) -> bool {
        self.painted.clear();
        let before = self.error.take();
        let fresh = self.heat(stage, state, deformer, candidate);
        let overlays = state.overlays;
        let lined = overlays.wireframe || overlays.normals || overlays.tangents || overlays.ghost;
        let heated = matches!(self.heat, Some(Ok(_)));
        if let Some((_, rgba)) = stage.picture()
            && (heated || lined || state.comparison != Comparison::Off)
        {
            self.painted.extend_from_slice(rgba);
        }
        if !self.painted.is_empty() {
            if heated || lined {
                let surface = Surface::of(stage.renderer());
                if let Some(Ok(map)) = &self.heat {
                    surface.paint(stage.renderer(), &mut self.painted, &map.values, |value| map.color(value));
                }
                if lined {
                    self.error = lines::draw(stage, state, deformer, &surface, &mut self.painted).err();
                }
            }
            if state.comparison != Comparison::Off {
                self.compare(stage, state, seconds);
            }
        }
        if let Some(Err(error)) = &self.heat {
            self.error = Some(error.clone());
        }
        fresh || self.error != before
    }

    /// Makes the numbers of the heat map where they may have changed.
    fn heat(
        &mut self,
        stage: &Stage<'_>,
        state: &State,
        deformer: &mut Deformer,
        candidate: Option<&Candidate>,
    ) -> bool {
        if state.heat == Heat::None {
            (self.heat, self.heated) = (None, None);
            return false;
        }
        let key = (numbers_of(state), stage.pose().clone());
        let fresh = self.heated.as_ref() != Some(&key);
        if fresh {
            self.heat = Some(HeatMap::of(stage, state, deformer, candidate));
            self.heated = Some(key);
        }
        fresh
    }

    /// Lays the picture by the other method beside or over the one that is there.
    fn compare(&mut self, stage: &mut Stage<'_>, state: &State, seconds: f64) {
        let other = match stage.other(state) {
            Ok(other) => other,
            Err(error) => {
                self.error = Some(error);
                return;
            }
        };
        let Some(([width, _], _)) = stage.picture() else { return };
        match state.comparison {
            Comparison::Off => {}
            Comparison::Split => {
                let line = (state.split.clamp(0.0, 1.0) * width as f32) as usize * 4;
                let rows = self.painted.chunks_exact_mut(4 * width as usize);
                for (row, other) in rows.zip(other.chunks_exact(4 * width as usize)) {
                    row[line..].copy_from_slice(&other[line..]);
                }
            }
            Comparison::Blink => {
                if shows_other(seconds) {
                    self.painted.copy_from_slice(&other);
                }
            }
            Comparison::Pixels => {
                let pixels = self.painted.as_chunks_mut::<4>().0.iter_mut();
                for (pixel, other) in pixels.zip(other.as_chunks::<4>().0) {
                    let steps = [0, 1, 2].map(|i| pixel[i].abs_diff(other[i]));
                    let most = f32::from(steps[0].max(steps[1]).max(steps[2]));
                    let [red, green, blue] = heat::color(most / MOST_STEPS);
                    *pixel = [red, green, blue, 255];
                }
            }
        }
    }

    /// What is shown in place of the stage's picture.
    pub(super) fn painted(&self) -> Option<&[u8]> {
        (!self.painted.is_empty()).then_some(self.painted.as_slice())
    }

    /// The numbers over the surface.
    pub(super) fn map(&self) -> Option<&HeatMap> {
        self.heat.as_ref().and_then(|heat| heat.as_ref().ok())
    }

    /// Why something is not shown.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// Whether it is the other picture's turn.
pub(super) fn shows_other(seconds: f64) -> bool {
    (seconds / BLINK) as u64 % 2 == 1
}

/// The largest number of steps in the colours of [`Comparison::Pixels`].
pub(super) fn pixel_map() -> HeatMap {
    HeatMap { range: [0.0, MOST_STEPS], title: "steps of 255 between the pixels".to_owned(), ..HeatMap::default() }
}

/// A state without what does not change the numbers of vertices.
fn numbers_of(state: &State) -> State {
    let start = State::default();
    State {
        time: start.time,
        playing: start.playing,
        speed: start.speed,
        camera: start.camera,
        shading: start.shading,
        convention: start.convention,
        subpixel_bits: start.subpixel_bits,
        samples: start.samples,
        overlays: start.overlays,
        selected: start.selected,
        pixel: start.pixel,
        panels: start.panels,
        help: start.help,
        comparison: start.comparison,
        split: start.split,
        program: state.program.as_ref().map(|program| ProgramView { step: 0, ..program.clone() }),
        scale: start.scale,
        ..state.clone()
    }
}
