//! [`Viewer`]: events in, pixels out, without a window.
//!
//! Why it exists: what has a window can only be tried by hand. This has none: it takes events and a clock, tells whether
//! there is something new to see, and paints it into memory. It makes nothing twice: the scene is rendered when the
//! scene changes, the panels when they do, and while nothing happens it does nothing.

use std::path::PathBuf;

use egui::{CentralPanel, Context, Event, Frame, Key, Popup, RawInput, Rect, SidePanel, TopBottomPanel};

use super::{
    WindowError,
    advice::Advice,
    candidate::Candidate,
    clock::Clock,
    command_line::command_line,
    compose::{BLINK, Composer, Moment},
    deform::Deformer,
    findings::Findings,
    inspection::{self, VertexView},
    keys::{self, Request},
    notice::Notice,
    panels,
    registers::{RegisterView, Stepping},
    screen::{Screen, ShownPicture},
    stage::Stage,
    state::{Comparison, Panel, State},
    subject::VertexChoice,
    tabulated::Tabulated,
};
use refrast_canvas::{Canvas, InterfacePainter, PicturePlace, PixelRect, Shown, hits};
use refrast_scene::Scene;

/// The longest step of the clock that time follows: after a pause the clip goes on where it was.
const LONGEST_STEP: f64 = 0.25;

/// Seconds from picture to picture while the clip plays.
const PLAYING_STEP: f64 = 1.0 / 60.0;

/// What happened since the last look.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Width and height of the window in pixels.
    pub size: [u32; 2],
    /// Seconds since the start.
    pub seconds: f64,
    /// Keys and the mouse, in egui's words; places are in pixels.
    pub events: Vec<Event>,
    /// Which of Shift, Ctrl and Alt are down.
    pub modifiers: egui::Modifiers,
    /// Candidates that were dropped on the window.
    pub files: Vec<PathBuf>,
}

/// The panels and what paints them.
struct Interface {
    context: Context,
    painter: InterfacePainter,
}

/// The debugger without its window.
pub struct Viewer<'scene> {
    pub(super) state: State,
    pub(super) stage: Stage<'scene>,
    /// Counts the pictures that the stage made.
    pub(super) pictures: u64,
    pub(super) deformer: Deformer,
    pub(super) candidate: Option<Candidate>,
    pub(super) composer: Composer,
    pub(super) advice: Advice,
    interface: Interface,
    pub(super) screen: Screen,
    pub(super) findings: Findings,
    pub(super) clock: Clock,
    pub(super) requests: Vec<Request>,
    /// What became of the last request.
    pub(super) notice: Option<Notice>,
    pub(super) tabulated: Tabulated,
    /// Scenes that can be opened in place of this one, and the one that was chosen.
    recent: Vec<PathBuf>,
    chosen: Option<PathBuf>,
}

impl<'scene> Viewer<'scene> {
    /// A viewer of a scene.
    ///
    /// # Errors
    ///
    /// When the scene can not be prepared.
    pub fn new(scene: &'scene Scene, state: State) -> Result<Self, WindowError> {
        let context = Context::default();
        panels::set_style(&context);
        // Ctrl and + would scale behind the state's back.
        context.options_mut(|options| options.zoom_with_keyboard = false);
        Ok(Self {
            stage: Stage::new(scene, &state)?,
            pictures: 0,
            deformer: Deformer::default(),
            candidate: state.candidate.as_deref().map(|path| Candidate::read(scene, path)).transpose()?,
            composer: Composer::default(),
            advice: Advice::default(),
            interface: Interface { context, painter: InterfacePainter::default() },
            screen: Screen::default(),
            findings: Findings::default(),
            clock: Clock::new(),
            requests: Vec::new(),
            notice: None,
            tabulated: Tabulated::default(),
            recent: Vec::new(),
            chosen: None,
            state,
        })
    }

    /// What is shown.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What is shown, to be changed from outside.
    pub fn state_mut(&mut self) -> &mut State {
        self.clock.look_now();
        &mut self.state
    }

    /// Takes what happened; tells whether the window looks different now. Where nothing happened it costs nothing.
    ///
    /// # Errors
    ///
    /// When the picture can not be made.
    pub fn update(&mut self, input: Input) -> Result<bool, WindowError> {
        let passed = (input.seconds - self.clock.now()).clamp(0.0, LONGEST_STEP);
        let due = self.clock.is_due(input.seconds);
        let still = input.events.is_empty()
            && input.files.is_empty()
            && input.size == self.screen.size
            && !due
            && !self.state.playing;
        if still || input.size.contains(&0) {
            return Ok(false);
        }
        self.clock.advance(input.seconds);
        input.files.iter().for_each(|path| self.take_candidate(path));
        self.screen.size = input.size;
        self.state.advance(self.stage.scene(), passed as f32);
        self.run(input)?;
        self.pictures += u64::from(self.stage.render());
        self.judge();
        self.consult();
        self.compose();
        self.inspect();
        self.tabulate();
        Ok(true)
    }

    /// Offers scenes that were opened before, in a list above the settings.
    pub fn offer(&mut self, recent: Vec<PathBuf>) {
        self.recent = recent;
    }

    /// The scene that was chosen of those that are offered.
    pub(super) fn take_chosen(&mut self) -> Option<PathBuf> {
        self.chosen.take()
    }

    /// Says over the picture what became of something, for four seconds.
    pub fn notify(&mut self, text: String) {
        let notice = Notice::new(text, self.clock.now());
        self.notice = Some(notice);
        self.clock.look_now();
    }

    /// Paints what belongs over the picture.
    fn compose(&mut self) {
        let moment = Moment { seconds: self.clock.now(), line: self.screen.line(self.state.split) };
        let Self { composer, stage, state, deformer, candidate, advice, .. } = self;
        let worn = advice.worn(state).map(|(_, picture)| picture.samples8());
        if composer.compose(stage, state, deformer, (candidate.as_ref(), worn.as_deref()), moment) {
            // The bar beside the picture shows the new numbers.
            self.clock.look_now();
            self.findings.worst = 0;
        }
        if self.state.comparison == Comparison::Blink {
            self.clock.look_by(((self.clock.now() / BLINK).floor() + 1.0) * BLINK);
        }
    }

    /// Collects the inspector's numbers where they may have changed; the panels show them the next time.
    fn inspect(&mut self) {
        if !self.findings.are_stale(&self.state, self.pictures) {
            return;
        }
        let (scene, state) = (self.stage.scene(), &self.state);
        let program = state.active_program().filter(|_| self.stage.error().is_none());
        self.findings.registers = program
            .zip(state.selected)
            .and_then(|(program, choice)| RegisterView::of(scene, self.stage.renderer(), choice, program.step));
        let (pose, candidate) = (self.stage.pose(), self.candidate.as_ref());
        let deformer = &mut self.deformer;
        let vertices = candidate.and_then(Candidate::vertices);
        let view = |choice| VertexView::of(deformer, scene, pose, state, choice, vertices);
        self.findings.vertex = state.selected.and_then(view);
        self.findings.pixel = state.pixel.and_then(|at| {
            let ([width, height], rgba) = self.stage.picture()?;
            let start = 4 * (at[1] as usize * width as usize + at[0] as usize);
            let bytes = rgba.get(start..start + 4).filter(|_| at[0] < width && at[1] < height)?;
            let color = [bytes[0], bytes[1], bytes[2], bytes[3]];
            let mut view = inspection::pixel(scene, at, color, hits(self.stage.renderer(), at));
            view.verdict = candidate.and_then(Candidate::picture).and_then(|picture| picture.pixel(at));
            let hit = view.hits.first();
            let sections = self.composer.sections();
            view.section = sections.zip(hit).and_then(|(map, hit)| map.section(hit.node, hit.primitive, hit.vertices));
            Some(view)
        });
        self.clock.look_now();
    }

    /// Takes a pixel, and of what is seen there the nearest vertex.
    pub(super) fn choose(&mut self, pixel: [u32; 2]) {
        self.state.pixel = Some(pixel);
        self.state.selected = hits(self.stage.renderer(), pixel).first().map(|hit| {
            let nearest = (0..3).max_by(|&a, &b| hit.barycentrics[a].total_cmp(&hit.barycentrics[b])).unwrap_or(0);
            VertexChoice { node: hit.node, primitive: hit.primitive, vertex: hit.vertices[nearest] }
        });
    }

    /// Runs the panels, places the camera and paints the layer.
    fn run(&mut self, input: Input) -> Result<(), WindowError> {
        let mut input = input;
        self.notice = self.notice.take().filter(|notice| notice.until() > self.clock.now());
        self.keys(&mut input.events);
        let scale = self.state.scale;
        let [width, height] = self.screen.size;
        let mut raw = RawInput {
            screen_rect: Some(Rect::from_min_size(
                egui::Pos2::ZERO,
                egui::vec2(width as f32 / scale, height as f32 / scale),
            )),
            time: Some(input.seconds),
            modifiers: input.modifiers,
            events: in_points(input.events, scale),
            ..RawInput::default()
        };
        if let Some(viewport) = raw.viewports.get_mut(&raw.viewport_id) {
            viewport.native_pixels_per_point = Some(scale);
        }
        let context = self.interface.context.clone();
        let mut failure = None;
        let output = context.run(raw, |context| {
            if let Err(error) = self.show(context) {
                failure = Some(error);
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let root = output.viewport_output.get(&egui::ViewportId::ROOT);
        let delay = root.map(|viewport| viewport.repaint_delay.as_secs_f64());
        self.clock.look_after(delay.filter(|delay| *delay < 3600.0));
        if let Some(notice) = &self.notice {
            self.clock.look_by(notice.until());
        }
        self.interface.painter.set_textures(&output.textures_delta);
        let meshes = context.tessellate(output.shapes, output.pixels_per_point);
        self.interface.painter.paint(meshes, output.pixels_per_point, self.screen.size, self.state.simd)?;
        self.interface.painter.free_textures(&output.textures_delta);
        Ok(())
    }

    fn show(&mut self, context: &Context) -> Result<(), WindowError> {
        let row = self.row_to_show();
        let (state, scene) = (&mut self.state, self.stage.scene());
        if state.panels {
            TopBottomPanel::bottom("timeline").show(context, |ui| {
                ui.add_space(3.0);
                panels::timeline(ui, state, scene);
                ui.add_space(1.0);
            });
            if let Some(height) = panels::table_height(context.content_rect().height(), state) {
                let table = self.tabulated.table.as_ref();
                let panel = TopBottomPanel::bottom("table").resizable(false).exact_height(height);
                let asked = panel.show(context, |ui| panels::table(ui, state, scene, table, row)).inner;
                if let Some(request) = asked {
                    self.ask_table(request);
                }
            }
            let (state, scene) = (&mut self.state, self.stage.scene());
            if state.shown_program().is_some() {
                let (program, registers) = (self.stage.program(), self.findings.registers.as_ref());
                let asked = panels::program_panels(context, state, scene, program, registers);
                return self.show_picture(context, asked);
            }
            let [left, right] = panels::widths(context.content_rect().width(), state);
            SidePanel::left("settings").resizable(false).exact_width(left).show(context, |ui| {
                panels::side(ui, state, Panel::Settings, |ui, state| {
                    if let Some(path) = panels::recent(ui, scene, &self.recent) {
                        self.chosen = Some(path);
                    }
                    panels::settings(ui, state, scene);
                });
            });
            let (diagnosis, mut asked) = (self.advice.view(), false);
            // Always there, so that the picture does not move under the pointer that clicks into it.
            SidePanel::right("inspector").resizable(false).exact_width(right).show(context, |ui| {
                let (pose, vertex, pixel) =
                    (self.stage.pose(), self.findings.vertex.as_ref(), self.findings.pixel.as_ref());
                panels::side(ui, state, Panel::Inspector, |ui, state| {
                    asked = panels::diagnosis(ui, state, &diagnosis);
                    panels::inspector(ui, state, scene, pose, vertex, pixel);
                });
            });
            if asked {
                self.ask();
            }
        }
        self.show_picture(context, None)
    }

    /// Shows the picture between the panels, after what they asked for.
    fn show_picture(&mut self, context: &Context, asked: Option<Stepping>) -> Result<(), WindowError> {
        if let Some(asked) = asked {
            self.step(asked);
        }
        let shown = CentralPanel::default().frame(Frame::NONE).show(context, |ui| self.picture(ui));
        if self.state.help {
            panels::help(context);
        }
        shown.inner
    }

    /// Goes through the vertex program.
    fn step(&mut self, stepping: Stepping) {
        if let Some(program) = self.state.shown_program() {
            program.go(stepping, self.findings.registers.as_ref());
            self.clock.look_now();
        }
    }

    /// Does what keys stand for, and takes them away, unless a widget is being typed into: egui would move its focus by
    /// Tab and the arrows, which are ours.
    fn keys(&mut self, events: &mut Vec<Event>) {
        if self.interface.context.wants_keyboard_input() {
            return;
        }
        let mut pressed: Vec<_> = (events.iter())
            .filter_map(|event| match *event {
                Event::Key { key, pressed: true, modifiers, .. } => Some((key, modifiers)),
                _ => None,
            })
            .collect();
        events.retain(|event| !matches!(event, Event::Key { .. } | Event::Text(_)));
        // A list that is open is in front of everything else.
        if Popup::is_any_open(&self.interface.context)
            && let Some(place) = pressed.iter().position(|&(key, _)| key == Key::Escape)
        {
            pressed.remove(place);
            Popup::close_all(&self.interface.context);
        }
        for (key, modifiers) in pressed {
            match keys::press(key, modifiers, &mut self.state, self.stage.scene()) {
                Some(Request::NextWorst) => self.next_worst(),
                Some(Request::Diagnose) => self.ask(),
                Some(Request::Step(stepping)) => self.step(stepping),
                Some(Request::Row(by)) => self.step_row(by),
                // What it says of the last screenshot is no part of the next.
                Some(Request::Screenshot) => {
                    self.notice = None;
                    self.requests.push(Request::Screenshot);
                }
                request => self.requests.extend(request),
            }
        }
    }

    /// Paints the window: the picture, and what is new of the panels.
    pub fn draw(&mut self) -> &Canvas {
        let Self { screen, composer, stage, interface, .. } = self;
        let Screen { size, place, canvas, painted, shown, laid_out, .. } = screen;
        let others = std::mem::replace(laid_out, place.area) != place.area;
        let is_plain = composer.painted().is_none() && *place == PicturePlace::whole(place.area);
        let now = ShownPicture { number: self.pictures, area: place.area };
        let before = std::mem::replace(shown, (is_plain && stage.picture().is_some()).then_some(now));
        painted.clear();
        if canvas.resize(*size) || others {
            painted.push(canvas.whole());
        } else {
            match (before, *shown) {
                (Some(before), Some(now)) if before == now => {}
                (Some(before), Some(now)) if before.number + 1 == now.number => painted.extend(stage.fresh(place.area)),
                _ => painted.push(place.area),
            }
        }
        painted.extend(interface.painter.take_fresh());
        let shown = stage.picture().map(|(_, rgba)| Shown {
            place,
            pixels: composer.painted().unwrap_or(rgba).as_chunks::<4>().0,
            marks: composer.marks(),
        });
        canvas.paint(painted, shown.as_ref(), interface.painter.layer());
        canvas
    }

    /// Which parts of the window were painted last.
    pub(super) fn painted(&self) -> &[PixelRect] {
        &self.screen.painted
    }

    /// The window as it was painted last.
    #[must_use]
    pub fn canvas(&self) -> &Canvas {
        &self.screen.canvas
    }

    /// The command that shows the same.
    pub(super) fn command_line(&self, scene_name: &str) -> String {
        command_line(&self.state, self.stage.scene(), scene_name, self.screen.size)
    }

    /// What keys asked for since the last time.
    pub(super) fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// When to look again though nothing happens, in seconds since the start; `None` is never.
    #[must_use]
    pub fn wake(&self) -> Option<f64> {
        if self.state.playing { Some(self.clock.now() + PLAYING_STEP) } else { self.clock.wake() }
    }
}

/// Places in points, as egui wants them.
fn in_points(mut events: Vec<Event>, scale: f32) -> Vec<Event> {
    for event in &mut events {
        match event {
            Event::PointerMoved(at) | Event::PointerButton { pos: at, .. } => *at = (at.to_vec2() / scale).to_pos2(),
            _ => {}
        }
    }
    events
}
