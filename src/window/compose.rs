//! [`Composer`]: what is painted over or beside the picture before the panels: heat map, lines, and a second picture.

use super::{
    ProgramView,
    candidate::{Candidate, CandidatePicture},
    deform::Deformer,
    heat::{self, HeatMap},
    lines,
    sections::{self, SectionMap},
    stage::Stage,
    state::{Comparison, Heat, State},
};
use refrast_animation::Pose;
use refrast_canvas::{ColorBar, Surface, beside, place_of};

/// Seconds that each picture stays while they blink.
pub(super) const BLINK: f64 = 0.6;
/// Steps of 255 in the colours of [`Comparison::Pixels`].
const STEPS: ColorBar = ColorBar { range: [0.0, 64.0], logarithmic: false };

/// What is painted over the surface.
#[derive(Debug)]
enum Painting {
    Numbers(HeatMap),
    Sections(SectionMap),
}

/// Puts the picture together, and keeps what it was made from.
#[derive(Debug, Default)]
pub(super) struct Composer {
    /// What is painted over the surface, or why it is not.
    heat: Option<Result<Painting, String>>,
    /// What they were made for.
    heated: Option<(State, Pose)>,
    /// R G B A; empty where the picture is shown as it is.
    painted: Vec<u8>,
    /// The pixels that must be seen however small the picture is shown; empty where there are none.
    marks: Vec<bool>,
    error: Option<String>,
}

impl Composer {
    /// Composes the picture of a stage; tells whether the panels have something new to say of it.
    pub(super) fn compose(
        &mut self,
        stage: &mut Stage<'_>,
        state: &State,
        deformer: &mut Deformer,
        (candidate, hypothesis): (Option<&Candidate>, Option<&[u8]>),
        Moment { seconds, line }: Moment,
    ) -> bool {
        self.painted.clear();
        self.marks.clear();
        let picture = candidate.and_then(Candidate::picture);
        let before = self.error.take();
        let fresh = self.heat(stage, state, deformer, candidate);
        let overlays = state.overlays;
        let lined = overlays.wireframe || overlays.normals || overlays.tangents || overlays.ghost || overlays.grid;
        let heated = matches!(self.heat, Some(Ok(_)));
        if let Some((_, rgba)) = stage.picture()
            && (heated || lined || state.comparison != Comparison::Off || picture.is_some())
        {
            let worn = hypothesis.filter(|worn| worn.len() == rgba.len());
            self.painted.extend_from_slice(worn.unwrap_or(rgba));
        }
        if !self.painted.is_empty() {
            if let Some(picture) = picture {
                self.put_together(stage, state, picture.rgba(), seconds, line);
            }
            if heated || lined {
                let surface = Surface::of(stage.renderer());
                self.paint(stage, &surface);
                if lined {
                    self.error = lines::draw(stage, state, deformer, &surface, &mut self.painted).err();
                }
            }
            match picture {
                // What a mistake's picture leaves over is no matter of an envelope.
                Some(picture) if state.heat == Heat::Candidate && hypothesis.is_none() => self.light_up(picture),
                None if state.comparison != Comparison::Off => match stage.other(state) {
                    Ok(other) => self.put_together(stage, state, &other, seconds, line),
                    Err(error) => self.error = Some(error),
                },
                _ => {}
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
        let of_pixels = state.heat == Heat::Candidate && candidate.is_some_and(|one| one.picture().is_some());
        if state.heat == Heat::None || of_pixels {
            (self.heat, self.heated) = (None, None);
            return false;
        }
        let joint = state.joint.or_else(|| heat::heaviest_joint(stage.scene(), state));
        let key = (State { joint, ..numbers_of(state) }, stage.pose().clone());
        let fresh = self.heated.as_ref() != Some(&key);
        if fresh {
            self.heat = Some(match state.heat {
                Heat::Section => SectionMap::of(stage, state).map(Painting::Sections),
                _ => {
                    let vertices = candidate.and_then(Candidate::vertices);
                    HeatMap::of(stage, state, deformer, vertices).map(Painting::Numbers)
                }
            });
            self.heated = Some(key);
        }
        fresh
    }

    fn paint(&mut self, stage: &Stage<'_>, surface: &Surface) {
        let renderer = stage.renderer();
        match &self.heat {
            Some(Ok(Painting::Numbers(map))) => {
                surface.paint(renderer, &mut self.painted, &map.values, &map.bar);
            }
            Some(Ok(Painting::Sections(map))) => {
                let draws: Vec<_> = renderer.stage().drawn_vertices().collect();
                let places: Vec<_> =
                    draws.iter().map(|drawn| Some((drawn.node, place_of(stage.scene(), drawn)?))).collect();
                surface.paint_triangles(&mut self.painted, &|corners| {
                    let (node, primitive) = places.get(corners.draw).copied().flatten()?;
                    map.section(node, primitive, corners.vertices).map(sections::color)
                });
            }
            _ => {}
        }
    }

    /// Lights up the pixels that no conformant backend writes; what is right steps back.
    fn light_up(&mut self, picture: &CandidatePicture) {
        let Some(Ok(judgement)) = picture.judgement() else { return };
        let verdict = &judgement.verdict;
        if verdict.wrong() + verdict.undecided == 0 {
            return;
        }
        let width = picture.size()[0] as usize;
        self.marks.resize(self.painted.len() / 4, false);
        let rows = self.painted.chunks_exact_mut(4 * width).zip(self.marks.chunks_exact_mut(width));
        for ((pixels, marks), classes) in rows.zip(&verdict.classes) {
            beside::light_up(pixels, marks, classes.as_deref());
        }
    }

    /// Lays another picture of the same size beside or over the one that is there; `line` is the column of the split.
    fn put_together(&mut self, stage: &Stage<'_>, state: &State, other: &[u8], seconds: f64, line: f32) {
        let Some(([width, _], rgba)) = stage.picture() else { return };
        if other.len() != rgba.len() {
            return;
        }
        match state.comparison {
            Comparison::Off => {}
            Comparison::Other => self.painted.copy_from_slice(other),
            Comparison::Split => {
                beside::split(&mut self.painted, other, width as usize, line.max(0.0) as usize);
            }
            Comparison::Blink => {
                if shows_other(seconds) {
                    self.painted.copy_from_slice(other);
                }
            }
            Comparison::Pixels => beside::differences(&mut self.painted, other, &STEPS),
        }
    }

    /// What is shown in place of the stage's picture.
    pub(super) fn painted(&self) -> Option<&[u8]> {
        (!self.painted.is_empty()).then_some(self.painted.as_slice())
    }

    /// Which pixels must be seen however small the picture is shown.
    pub(super) fn marks(&self) -> &[bool] {
        &self.marks
    }

    /// The numbers over the surface.
    pub(super) fn map(&self) -> Option<&HeatMap> {
        match &self.heat {
            Some(Ok(Painting::Numbers(map))) => Some(map),
            _ => None,
        }
    }

    /// The sections over the surface.
    pub(super) fn sections(&self) -> Option<&SectionMap> {
        match &self.heat {
            Some(Ok(Painting::Sections(map))) => Some(map),
            _ => None,
        }
    }

    /// Why something is not shown.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// When a picture is put together, and where it is split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Since the start.
    pub(super) seconds: f64,
    /// Columns of the picture before the dividing line.
    pub(super) line: f32,
}

/// Whether it is the other picture's turn.
pub(super) fn shows_other(seconds: f64) -> bool {
    (seconds / BLINK) as u64 % 2 == 1
}

/// The largest number of steps in the colours of [`Comparison::Pixels`].
pub(super) fn pixel_map() -> HeatMap {
    let title = "between the pixels".to_owned();
    HeatMap { bar: STEPS, title, unit: " steps of 255", ..HeatMap::default() }
}

/// A state without what does not change the numbers of vertices.
fn numbers_of(state: &State) -> State {
    let start = State::default();
    State {
        time: start.time,
        playing: start.playing,
        speed: start.speed,
        camera: start.camera,
        camera_file: start.camera_file,
        shading: start.shading,
        ambient: start.ambient,
        development: start.development,
        shadows: start.shadows,
        convention: start.convention,
        subpixel_bits: start.subpixel_bits,
        samples: start.samples,
        overlays: start.overlays,
        selected: start.selected,
        pixel: start.pixel,
        table: start.table,
        panels: start.panels,
        folded: start.folded,
        panel_widths: start.panel_widths,
        program_widths: start.program_widths,
        help: start.help,
        comparison: start.comparison,
        split: start.split,
        program: state.program.as_ref().map(|program| ProgramView { step: 0, ..program.clone() }),
        scale: start.scale,
        diagnose: start.diagnose,
        hypothesis: start.hypothesis,
        profile: start.profile,
        magnified: start.magnified,
        ..state.clone()
    }
}
