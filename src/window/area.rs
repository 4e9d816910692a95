//! The area of the picture: what the mouse does there, and what is drawn over it.

use egui::{Event, PointerButton, Sense, Ui};

use super::{
    WindowError,
    candidate::Candidate,
    legend, overlays, panels,
    projection::Projection,
    stage::pixels_of,
    state::{Comparison, Heat},
    viewer::Viewer,
};
use refrast_canvas::PicturePlace;

impl Viewer<'_> {
    /// Everything between the panels.
    pub(super) fn picture(&mut self, ui: &mut Ui) -> Result<(), WindowError> {
        self.screen.area = ui.max_rect();
        let response = ui.allocate_rect(self.screen.area, Sense::click_and_drag());
        self.navigate(ui, &response);
        if self.state.panels {
            panels::edges(ui, &mut self.state, self.screen.area);
        }
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
            let scale = self.state.scale;
            if let Some(pixel) = self.screen.place.pixel([at.x * scale, at.y * scale]) {
                self.choose(pixel);
            }
        }
        let area = pixels_of(self.screen.area, self.state.scale);
        let candidate = self.candidate.as_ref().and_then(Candidate::picture);
        self.screen.place = match candidate {
            Some(picture) => PicturePlace::of(area, picture.size(), self.state.magnified),
            None => PicturePlace::whole(area),
        };
        self.stage.place(&self.state, self.screen.place.size)?;
        if let Some(placed) = self.stage.placed() {
            let projection = Projection::new(&placed.camera, self.screen.picture(self.state.scale));
            let painter = ui.painter().with_clip_rect(self.screen.area);
            overlays::draw(&painter, &projection, &self.stage, &self.state);
            if self.state.overlays.gizmo {
                overlays::gizmo(&painter, self.screen.area, &placed.camera.view);
            }
            if let Some(vertex) =
                self.findings.vertex.as_ref().filter(|vertex| self.state.selected == Some(vertex.choice))
            {
                let at = match &self.findings.registers {
                    Some(registers) => projection.clip(registers.clip.into()),
                    None => projection.point(vertex.position.posed.into()),
                };
                overlays::vertex(&painter, at);
            }
            if let Some(pixel) = self.state.pixel {
                overlays::pixel(&painter, self.screen.picture(self.state.scale), self.screen.place.size, pixel);
            }
        }
        let painter = ui.painter().with_clip_rect(self.screen.area);
        if let Some(map) = self.composer.map() {
            legend::color_bar(&painter, self.screen.area, map);
        }
        if let Some(map) = self.composer.sections() {
            legend::sections(&painter, self.screen.area, map, &self.state);
        }
        let candidate = self.candidate.as_ref().and_then(Candidate::picture);
        let worn = self.advice.worn(&self.state).map(|(mistake, _)| mistake);
        if let Some(picture) = candidate.filter(|_| self.state.heat == Heat::Candidate) {
            match worn {
                Some(mistake) => legend::hypothesis(&painter, self.screen.area, picture.name(), mistake),
                None => legend::verdict(&painter, self.screen.area, picture, &self.state),
            }
        }
        let names = candidate.map(|picture| (picture.name(), worn));
        overlays::comparison(&painter, self.screen.area, &self.state, names, self.clock.now());
        if let Some(notice) = &self.notice {
            notice.draw(&painter, self.screen.area);
        }
        if let Some(error) = self.stage.error().or(self.composer.error()) {
            // What shows a line of a program underlines a place in it.
            let several = error.contains('\n');
            let font = if several { egui::FontId::monospace(12.0) } else { egui::FontId::proportional(15.0) };
            let text = ui.painter().layout(error.to_owned(), font, panels::ACCENT, self.screen.area.width() - 40.0);
            ui.painter().galley(self.screen.area.min + egui::vec2(20.0, 20.0), text, panels::ACCENT);
        }
        Ok(())
    }

    fn navigate(&mut self, ui: &Ui, response: &egui::Response) {
        let Some(placed) = self.stage.placed().copied() else { return };
        if response.drag_started() {
            let start = ui.input(|input| input.pointer.press_origin());
            let on_line = self.screen.is_on_line(start, self.state.split);
            self.screen.splitting = on_line && self.state.comparison == Comparison::Split;
        }
        let drag = response.drag_delta();
        if self.screen.splitting && response.dragged() {
            self.state.split = (self.state.split + drag.x / self.screen.area.width()).clamp(0.0, 1.0);
            return;
        }
        let wheel = if response.hovered() { ui.input(wheel_steps) } else { 0.0 };
        if self.candidate.as_ref().is_some_and(|candidate| candidate.picture().is_some()) {
            self.magnify(drag, wheel, response.hover_pos());
            return;
        }
        if drag != egui::Vec2::ZERO || wheel != 0.0 {
            // A light stays where it is: what moves is the camera.
            self.state.through_light = None;
        }
        let camera = &mut self.state.camera;
        let (x, y) = (f64::from(drag.x), f64::from(drag.y));
        if drag != egui::Vec2::ZERO {
            let shift = ui.input(|input| input.modifiers.shift);
            if response.dragged_by(PointerButton::Primary) && !shift {
                camera.turn(x, y);
            } else {
                camera.pan(&placed, x, y, f64::from(self.screen.area.height()));
            }
        }
        if wheel != 0.0 {
            camera.zoom(&placed, f64::from(wheel));
        }
    }

    /// Moves and magnifies a candidate's picture.
    fn magnify(&mut self, drag: egui::Vec2, wheel: f32, pointer: Option<egui::Pos2>) {
        let scale = self.state.scale;
        if drag != egui::Vec2::ZERO {
            self.state.magnified = Some(self.screen.place.dragged([drag.x * scale, drag.y * scale]));
        }
        if let Some(at) = pointer.filter(|_| wheel != 0.0) {
            self.state.magnified = Some(self.screen.place.zoomed(wheel, [at.x * scale, at.y * scale]));
        }
    }
}

/// How far the wheel was turned.
fn wheel_steps(input: &egui::InputState) -> f32 {
    let steps = input.events.iter().map(|event| match event {
        Event::MouseWheel { delta, .. } => delta.y,
        _ => 0.0,
    });
    steps.sum()
}
