//! [`Renderer`]: scene, pose and camera in, [`Frame`] out.

use std::collections::BTreeMap;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{
    frame::{Encode, Frame},
    frusta::{Frusta, bounds_with_frusta},
    recycle::recycled,
    shadow_stage::ShadowStage,
};
use refrast_animation::Pose;
use refrast_draw::Draw;
use refrast_raster::{Rasteriser, SetupTriangle};
use refrast_scene::Scene;
use refrast_shading::{MaterialShader, ShadowMaps, ShadowPlan};
use refrast_stage::{
    Bounds, Camera, Coloring, DrawnPicture, FrameStage, Images, Reference, RenderError, RenderSettings,
    program::ProgramSettings,
};

/// Renders frames of one scene, and keeps its buffers from frame to frame.
///
/// ```
/// use refrast_animation::Pose;
/// use refrast_render::{Bounds, Camera, Orbit, RenderSettings, Renderer};
/// use refrast_scene::Scene;
///
/// let scene = Scene::mannequin()?;
/// let walk = scene.find_animation("Walk")?;
/// let pose = Pose::sample(&scene, walk, 0.3)?;
/// let settings = RenderSettings { width: 64, height: 64, ..RenderSettings::default() };
/// let mut renderer = Renderer::new(&scene, settings)?;
/// let camera = Camera::orbit(&Bounds::of(&scene, Some(walk))?, Orbit::default(), 1.0, settings.convention);
/// let frame = renderer.render(&pose, &camera)?;
/// assert_eq!(frame.rgba().len(), 64 * 64 * 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Renderer<'scene> {
    pool: Option<ThreadPool>,
    stage: FrameStage<'scene>,
    shadow_stage: ShadowStage,
    /// Empty: memory for the draws of a frame.
    draws: Vec<Draw<'static, MaterialShader<'static>>>,
    rasteriser: Rasteriser,
    frame: Frame,
}

impl<'scene> Renderer<'scene> {
    /// Prepares everything about a scene that no pose changes.
    ///
    /// # Errors
    ///
    /// When the scene contradicts itself (see [`Scene::validate`]), a texture can not be used or the threads can not be
    /// started.
    pub fn new(scene: &'scene Scene, settings: RenderSettings) -> Result<Self, RenderError> {
        Self::of(FrameStage::new(scene, settings)?)
    }

    /// As [`new`](Self::new), with images that were prepared before, where they are this scene's; they are prepared anew where not, and
    /// where the settings show what reads others. The picture is the same.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_images(
        scene: &'scene Scene,
        settings: RenderSettings,
        images: &Images<'_>,
    ) -> Result<Self, RenderError> {
        Self::of(FrameStage::with_images(scene, settings, images)?)
    }

    /// As [`new`](Self::new), with a vertex program as the vertex stage (see [`program`](super::program)).
    ///
    /// # Errors
    ///
    /// Also when the program can not draw the scene.
    pub fn with_program(
        scene: &'scene Scene,
        settings: RenderSettings,
        program: ProgramSettings,
    ) -> Result<Self, RenderError> {
        Self::of(FrameStage::with_program(scene, settings, program)?)
    }

    fn of(stage: FrameStage<'scene>) -> Result<Self, RenderError> {
        let threads = stage.settings().threads;
        let pool = threads.map(|threads| ThreadPoolBuilder::new().num_threads(threads.get()).build()).transpose();
        Ok(Self {
            pool: pool.map_err(RenderError::Threads)?,
            stage,
            shadow_stage: ShadowStage::default(),
            draws: Vec::new(),
            rasteriser: Rasteriser::new(),
            frame: Frame::default(),
        })
    }

    /// The scene that is rendered.
    #[must_use]
    pub fn scene(&self) -> &'scene Scene {
        self.stage.scene()
    }

    /// How the pictures are made.
    #[must_use]
    pub fn settings(&self) -> &RenderSettings {
        self.stage.settings()
    }

    /// The draws of the last frame, and what they were made of.
    #[must_use]
    pub fn stage(&self) -> &FrameStage<'scene> {
        &self.stage
    }

    /// Renders a frame; it is overwritten by the next one.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene or is not finite, the camera is for another convention or sees nothing, f32
    /// does not hold the vertices, or the settings are out of range.
    pub fn render(&mut self, pose: &Pose, camera: &Camera) -> Result<&Frame, RenderError> {
        self.within_pool(|renderer| renderer.render_here(pose, camera, camera))?;
        Ok(&self.frame)
    }

    /// As [`render`](Self::render), as `observer` sees it: the shadows are those of `camera`, and the parts of its view
    /// and the boxes of the lights' maps are drawn as lines.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render), for both cameras; and where the picture shows no shadows.
    pub fn render_frusta(&mut self, pose: &Pose, camera: &Camera, observer: &Camera) -> Result<&Frame, RenderError> {
        if self.stage.program_length().is_some() || !self.stage.lighting().shadowed {
            return Err(RenderError::NoFrusta);
        }
        self.within_pool(|renderer| renderer.render_here(pose, camera, observer))?;
        Ok(&self.frame)
    }

    /// What `observer` sees of the shadows of `camera`, with lines where the two are not the same one.
    fn render_here(&mut self, pose: &Pose, camera: &Camera, observer: &Camera) -> Result<(), RenderError> {
        let Self { stage, shadow_stage, draws: kept, rasteriser, frame, .. } = self;
        stage.run(pose, camera, observer)?;
        let (scene, settings, textures, lighting) =
            (stage.scene(), stage.settings(), stage.textures(), stage.lighting());
        let (raster, encode) = (settings.raster(), Encode(settings.shading.color_space()));
        if stage.program_length().is_some() {
            let draws = stage.frame_draws().filter_map(|draw| match draw.coloring {
                Coloring::FixedFunction(shader) => Some(Draw {
                    stream: draw.vertices.stream,
                    topology: draw.topology,
                    indices: draw.indices,
                    state: draw.state,
                    shader,
                }),
                Coloring::Material(_) => None,
            });
            rasteriser.draw(&raster, &draws.collect::<Vec<_>>(), &encode, &mut frame.target)?;
            return Ok(());
        }
        if lighting.shadowed {
            shadow_stage.draw(stage.plan_shadows(camera)?, stage)?;
        }
        let shadows = lighting.shadowed.then_some(&shadow_stage.shadows);
        let outside = shadows.filter(|_| !std::ptr::eq(camera, observer));
        let view_projection = observer.view_projection();
        let frusta = outside.map(|shadows| Frusta::new(&shadows.plan, &view_projection, settings.convention));
        let mut draws = recycled(std::mem::take(kept));
        draws.extend(stage.frame_draws().filter_map(|draw| {
            let Coloring::Material(layout) = draw.coloring else { return None };
            let material = &scene.materials[draw.vertices.primitive.material];
            let depths = stage.shown_depths();
            Some(Draw {
                stream: draw.vertices.stream,
                topology: draw.topology,
                indices: draw.indices,
                state: draw.state,
                shader: MaterialShader::new(material, layout, textures, lighting, settings.shading, depths)
                    .developed(settings.development)
                    .shadowed(shadows),
            })
        }));
        draws.extend(frusta.iter().flat_map(|frusta| frusta.draws(textures, lighting)));
        rasteriser.draw(&raster, &draws, &encode, &mut frame.target)?;
        *kept = recycled(draws);
        Ok(())
    }

    /// Gives constant registers of the vertex program values in place of those that belong there, from the next frame on
    /// (see [`ProgramSettings::overrides`]). Without a program it does nothing.
    pub fn override_constants(&mut self, overrides: BTreeMap<u8, [f32; 4]>) {
        self.stage.override_constants(overrides);
    }

    /// The frame that was rendered last.
    #[must_use]
    pub fn last_frame(&self) -> &Frame {
        &self.frame
    }

    /// The triangles of the last frame on the grid, in submission order, each with the number of its draw: its place in
    /// [`drawn_vertices`](FrameStage::drawn_vertices).
    pub fn triangles(&self) -> impl Iterator<Item = (usize, &SetupTriangle)> {
        self.rasteriser.triangles()
    }

    /// The shadow maps of the last frame, with splits and matrices; `None` where it shows no shadows.
    #[must_use]
    pub fn shadows(&self) -> Option<&ShadowMaps> {
        self.stage.lighting().shadowed.then_some(&self.shadow_stage.shadows)
    }

    /// The box around everything that is drawn in a pose, by the renderer's settings. A camera's box is
    /// [`Bounds::of`], which no setting changes.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene, or is not finite.
    pub fn bounds(&mut self, pose: &Pose) -> Result<Bounds, RenderError> {
        self.within_pool(|renderer| renderer.stage.bounds(pose))
    }

    /// Runs on the renderer's own threads where it has some.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            None => work(),
            Some(pool) => pool.install(work),
        }
    }

    /// As [`install`](Self::install), for work that changes the renderer.
    fn within_pool<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        match self.pool.take() {
            None => work(self),
            Some(pool) => {
                let result = pool.install(|| work(self));
                self.pool = Some(pool);
                result
            }
        }
    }
}

impl Reference for Renderer<'_> {
    fn draw_frame(&mut self, pose: &Pose, camera: &Camera) -> Result<(), RenderError> {
        self.render(pose, camera).map(|_| ())
    }

    fn stage(&self) -> &FrameStage<'_> {
        &self.stage
    }

    fn shadow_maps(&self) -> Option<&ShadowMaps> {
        self.shadows()
    }

    fn picture(&self) -> DrawnPicture<'_> {
        DrawnPicture { width: self.frame.width(), height: self.frame.height(), rgba: self.frame.rgba() }
    }

    fn on_threads(&self, work: &mut (dyn FnMut() + Send)) {
        self.install(work);
    }
}

/// `scene` with the parts of a camera's view and the boxes of the lights' maps: what [`Renderer::render_frusta`] draws.
#[must_use]
pub fn bounds_with_shadows(scene: Bounds, plan: &ShadowPlan, camera: &Camera) -> Bounds {
    bounds_with_frusta(scene, plan, camera.convention)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_shading::ShadingMode;
    use refrast_stage::Orbit;

    #[test]
    fn images_that_were_prepared_before_make_the_same_picture() {
        let scenes = [(); 2].map(|()| Scene::mannequin().unwrap());
        let images = Images::new(&scenes[0], ShadingMode::Unlit).unwrap();
        for (scene, shading) in
            [(&scenes[0], ShadingMode::Unlit), (&scenes[0], ShadingMode::Lit), (&scenes[1], ShadingMode::Unlit)]
        {
            let settings = RenderSettings { width: 48, height: 64, shading, ..RenderSettings::default() };
            let pose = Pose::rest(scene);
            let camera = Camera::orbit(&Bounds::of(scene, None).unwrap(), Orbit::default(), 0.75, settings.convention);
            let [own, shared] = [Renderer::new(scene, settings), Renderer::with_images(scene, settings, &images)]
                .map(|renderer| renderer.unwrap().render(&pose, &camera).unwrap().rgba().to_vec());
            assert!(own == shared, "{shading}");
        }
    }
}
