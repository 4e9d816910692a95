//! [`Stage`]: the scene through our own renderer, made anew only when something about it changed.

use egui::Rect;

use super::{
    WindowError,
    candidate::{EnvelopeJob, JobProgram},
    navigation::{Placed, place},
    registers::{ProgramKey, ProgramSource},
    state::State,
    through,
};
use refrast_animation::Pose;
use refrast_canvas::PixelRect;
use refrast_envelope::vertex::Chain;
use refrast_range::{Declared, Profile};
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_stage::{
    Bounds, Camera, RenderSettings,
    program::{ProgramChoice, ProgramSettings},
};

/// The picture of a scene, and what it was made from.
pub(super) struct Stage<'scene> {
    scene: &'scene Scene,
    renderer: Renderer<'scene>,
    /// Of the method that is compared with, from the first comparison on.
    other: Option<Renderer<'scene>>,
    pose: Pose,
    /// What of the file the pose is.
    moment: Option<Chain>,
    placed: Option<Placed>,
    /// What an automatic camera holds in view, and the clip that it belongs to.
    bounds: Option<(Option<usize>, Bounds)>,
    settings: RenderSettings,
    /// What the picture shows; `None` where there is none yet.
    shown: Option<(RenderSettings, Pose, Camera, ProgramKey)>,
    program: ProgramSource,
    /// The program that the renderer was made with.
    prepared: Option<ProgramChoice>,
    /// Why there is no picture.
    error: Option<String>,
    /// Why the light can not be looked through.
    refused: Option<String>,
}

impl<'scene> Stage<'scene> {
    pub(super) fn new(scene: &'scene Scene, state: &State) -> Result<Self, WindowError> {
        let settings = settings(state, [1, 1]);
        Ok(Self {
            scene,
            renderer: Renderer::new(scene, settings)?,
            other: None,
            pose: Pose::rest(scene),
            moment: Some(Chain::REST),
            placed: None,
            bounds: None,
            settings,
            shown: None,
            program: ProgramSource::default(),
            prepared: None,
            error: None,
            refused: None,
        })
    }

    /// Takes the pose and the camera of a state, for a picture of `size` pixels.
    pub(super) fn place(&mut self, state: &State, size: [u32; 2]) -> Result<(), WindowError> {
        self.settings = settings(state, size);
        self.program.take(state);
        let clip = state.clip.filter(|&clip| clip < self.scene.animations.len());
        match clip {
            Some(clip) => self.pose.sample_into(self.scene, clip, state.time)?,
            None => self.pose.rest_into(self.scene),
        }
        // Weights that were moved by hand are no moment of the file.
        let moment = clip.map_or(Chain::REST, |clip| Chain::clip(clip, state.time));
        self.moment = state.morph_weights.is_empty().then_some(moment);
        for weights in &mut self.pose.weights {
            for &(target, weight) in &state.morph_weights {
                if let Some(place) = weights.get_mut(target) {
                    *place = weight;
                }
            }
        }
        let bounds = match &self.bounds {
            Some((of, bounds)) if *of == clip => *bounds,
            _ => {
                let bounds = Bounds::of(self.scene, clip)?;
                self.bounds = Some((clip, bounds));
                bounds
            }
        };
        let aspect_ratio = f64::from(size[0]) / f64::from(size[1]);
        let convention = self.settings.convention;
        let mut placed = place((&state.camera, &state.lens), self.scene, &self.pose, &bounds, aspect_ratio, convention);
        let through = through::camera((self.scene, &self.pose), state, &self.settings, &placed.camera);
        self.refused = through.as_ref().err().map(ToString::to_string);
        if let Ok(Some(camera)) = through {
            placed.camera = camera;
        }
        self.placed = Some(placed);
        Ok(())
    }

    /// Makes the picture, unless it is there already; tells whether there is another one than before.
    pub(super) fn render(&mut self) -> bool {
        let Some(Placed { camera, .. }) = self.placed else { return false };
        let key = self.program.key();
        if let Some((settings, pose, shown, program)) = &self.shown
            && (settings, pose, shown, program) == (&self.settings, &self.pose, &camera, &key)
        {
            return false;
        }
        let result = self.render_here(&camera);
        self.error = result.err().map(|error| error.to_string());
        self.shown = Some((self.settings, self.pose.clone(), camera, key));
        true
    }

    fn render_here(&mut self, camera: &Camera) -> Result<(), WindowError> {
        if self.renderer.settings() != &self.settings || self.prepared.as_ref() != self.program.choice() {
            let program = self.program.settings().map_err(|error| WindowError::Program(error.to_owned()))?;
            self.renderer = match program {
                Some(program) => Renderer::with_program(self.scene, self.settings, program.clone())?,
                None => Renderer::new(self.scene, self.settings)?,
            };
            self.prepared = self.program.choice().cloned();
        }
        self.renderer.override_constants(self.program.overrides());
        self.renderer.render(&self.pose, camera)?;
        Ok(())
    }

    /// What an envelope of the frame that is shown is made of; `None` where there is no frame.
    pub(super) fn envelope_job(&self, profile: Profile, declared: Declared) -> Option<EnvelopeJob> {
        let (settings, pose, camera, key) = self.shown.as_ref().filter(|_| self.error.is_none())?;
        let program = self.program.settings().ok()?.map(|settings| JobProgram {
            key: key.clone(),
            settings: ProgramSettings { overrides: self.program.overrides(), ..settings.clone() },
        });
        let file = self.moment.filter(|_| program.is_none());
        Some(EnvelopeJob { settings: *settings, pose: pose.clone(), camera: *camera, profile, declared, file, program })
    }

    /// How the picture is made.
    pub(super) fn settings(&self) -> &RenderSettings {
        &self.settings
    }

    /// The vertex program that makes the vertices.
    pub(super) fn program(&self) -> &ProgramSource {
        &self.program
    }

    /// The scene.
    pub(super) fn scene(&self) -> &'scene Scene {
        self.scene
    }

    /// The pose that [`place`](Self::place) took.
    pub(super) fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The camera that [`place`](Self::place) took.
    pub(super) fn placed(&self) -> Option<&Placed> {
        self.placed.as_ref()
    }

    /// The box around all that is drawn while the clip plays.
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds.as_ref().map_or(Bounds::EMPTY, |(_, bounds)| *bounds)
    }

    /// The picture by the other method: R G B A of the same size.
    ///
    /// # Errors
    ///
    /// Why that method can not draw the scene.
    pub(super) fn other(&mut self, state: &State) -> Result<Vec<u8>, String> {
        let settings = RenderSettings { skinning: state.other_method, ..self.settings };
        let Some(Placed { camera, .. }) = self.placed else { return Err("there is no camera yet".to_owned()) };
        if self.other.as_ref().is_none_or(|other| other.settings() != &settings) {
            self.other = Some(Renderer::new(self.scene, settings).map_err(|error| error.to_string())?);
        }
        let Some(other) = &mut self.other else { return Ok(Vec::new()) };
        let frame = other.render(&self.pose, &camera).map_err(|error| format!("{}: {error}", state.other_method))?;
        Ok(frame.rgba().to_vec())
    }

    /// The renderer, with the triangles of its last frame.
    pub(super) fn renderer(&self) -> &Renderer<'scene> {
        &self.renderer
    }

    /// R G B A bytes of the picture, and its size; `None` where it could not be made.
    pub(super) fn picture(&self) -> Option<([u32; 2], &[u8])> {
        let size = [self.settings.width, self.settings.height];
        let rgba = self.renderer.last_frame().rgba();
        let whole = rgba.len() == 4 * size[0] as usize * size[1] as usize;
        (whole && self.error.is_none()).then_some((size, rgba))
    }

    /// What of the picture's area in the window the last picture has changed, a rectangle for each row of the rasteriser's tiles.
    pub(super) fn fresh(&self, area: PixelRect) -> Vec<PixelRect> {
        let mut rectangles: Vec<PixelRect> = Vec::new();
        for [columns, rows] in self.renderer.last_frame().fresh() {
            let (left, top) = (area.left + columns.start, area.top + rows.start);
            match rectangles.last_mut().filter(|last| last.top == top) {
                Some(last) => last.width = left + columns.len() - last.left,
                None => rectangles.push(PixelRect { left, top, width: columns.len(), height: rows.len() }),
            }
        }
        rectangles.iter().map(|own| own.and(&area)).collect()
    }

    /// Why there is no picture.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref().or(self.refused.as_deref())
    }
}

/// How a state asks for its picture.
fn settings(state: &State, [width, height]: [u32; 2]) -> RenderSettings {
    // A program moves vertices and normals itself.
    let native = RenderSettings::default();
    let (skinning, normals) = match state.active_program() {
        Some(_) => (native.skinning, native.normals),
        None => (state.method, state.normals),
    };
    RenderSettings {
        width: width.max(1),
        height: height.max(1),
        samples: state.samples,
        convention: state.convention,
        subpixel_bits: state.subpixel_bits,
        shading: state.shading,
        ambient: state.ambient,
        development: state.development,
        shadows: if state.active_program().is_some() { native.shadows } else { state.shadows },
        skinning,
        normals,
        max_influences: state.max_influences,
        simd: state.simd,
        ..native
    }
}

/// The whole pixels of an area in points.
pub(super) fn pixels_of(area: Rect, pixels_per_point: f32) -> PixelRect {
    let pixel = |points: f32| (points * pixels_per_point).round().max(0.0) as usize;
    let (left, top) = (pixel(area.min.x), pixel(area.min.y));
    PixelRect {
        left,
        top,
        width: pixel(area.max.x).saturating_sub(left).max(1),
        height: pixel(area.max.y).saturating_sub(top).max(1),
    }
}
