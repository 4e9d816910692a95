//! [`Renderer`]: scene, pose and camera in, [`Frame`] out.

mod last_frame;

pub use last_frame::{Coloring, DrawnVertices, FrameDraw};

use std::{collections::BTreeMap, sync::Arc};

use glam::Mat4;
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use super::{
    Bounds, Camera, Images, RenderError, RenderSettings,
    draw_state::{draw_state, topology},
    frame::{Encode, Frame},
    frusta::{Frusta, bounds_with_frusta},
    program::{Combiners, DrawSpace, ProgramSettings, ProgramStage, ProgramStageError},
    recycle::recycled,
    shadow_stage::{Casting, ShadowStage},
    vertex_stage::{Preparation, PrimitiveStage},
};
use refrast_animation::Pose;
use refrast_raster::{AlphaMode, Draw, RasterError, Rasteriser};
use refrast_scene::{Primitive, Scene};
use refrast_shading::{
    Eye, Lighting, MaterialShader, ShadingMode, ShadowPlan, ShadowPlanError, TextureSet, VaryingLayout,
    VertexAttributes,
};

/// Window depths that the depth view shows white and black.
const SHOWN_DEPTHS: [f32; 2] = [0.0, 1.0];

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
    scene: &'scene Scene,
    settings: RenderSettings,
    pool: Option<ThreadPool>,
    textures: Arc<TextureSet>,
    stages: Vec<PrimitiveStage<'scene>>,
    /// The program that makes the vertex streams, with a stage for each of `stages`; native skinning does where there
    /// is none.
    program: Option<(Vec<ProgramStage>, ProgramSettings)>,
    lighting: Lighting,
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
        scene.validate()?;
        let textures = TextureSet::new(scene, settings.shading)?;
        Self::with_textures(scene, settings, Arc::new(textures))
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
        match images.textures_for(scene, &settings)? {
            Some(textures) => Self::with_textures(scene, settings, textures),
            None => Self::new(scene, settings),
        }
    }

    /// Of a scene that is valid.
    fn with_textures(
        scene: &'scene Scene,
        settings: RenderSettings,
        textures: Arc<TextureSet>,
    ) -> Result<Self, RenderError> {
        let pool = settings
            .threads
            .map(|threads| ThreadPoolBuilder::new().num_threads(threads.get()).build())
            .transpose()
            .map_err(RenderError::Threads)?;
        // Which kinds of lights there are does not depend on where they stand.
        let mut lighting = Lighting::new(scene, &Pose::rest(scene).worlds, Mat4::IDENTITY, Mat4::IDENTITY);
        lighting.shadowed = settings.are_shadows_shown();
        let stages = stages(scene, &settings, |primitive| {
            let material = &scene.materials[primitive.material];
            VaryingLayout::new(material, VertexAttributes::of(primitive), settings.shading, &lighting)
        });
        let (draws, rasteriser, frame) = (Vec::new(), Rasteriser::new(), Frame::default());
        let shadow_stage = ShadowStage::default();
        settings.shadows.check().map_err(ShadowPlanError::from)?;
        settings.ambient.map(Lighting::check_ambient).transpose()?;
        Ok(Self {
            scene,
            settings,
            pool,
            textures,
            stages,
            program: None,
            lighting,
            shadow_stage,
            draws,
            rasteriser,
            frame,
        })
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
        if !matches!(settings.shading, ShadingMode::Lambert | ShadingMode::Unlit) {
            return Err(ProgramStageError::Shading(settings.shading).into());
        }
        if settings.shadows.are_cast() {
            return Err(ProgramStageError::Shadows.into());
        }
        let RenderSettings { skinning, normals, .. } = RenderSettings::default();
        if (settings.skinning, settings.normals) != (skinning, normals) {
            return Err(ProgramStageError::NativeSkinning.into());
        }
        program.combiners.check(scene, &program.program)?;
        let mut renderer = Self::new(scene, settings)?;
        if program.combiners == Combiners::Dot3 {
            renderer.textures = Arc::new(TextureSet::new(scene, ShadingMode::ShadingNormals)?);
        }
        let stages = renderer.stages.iter().map(|stage| ProgramStage::new(stage, &program));
        renderer.program = Some((stages.collect::<Result<_, _>>()?, program));
        Ok(renderer)
    }

    /// The scene that is rendered.
    #[must_use]
    pub fn scene(&self) -> &'scene Scene {
        self.scene
    }

    /// How the pictures are made.
    #[must_use]
    pub fn settings(&self) -> &RenderSettings {
        &self.settings
    }

    /// Renders a frame; it is overwritten by the next one.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene or is not finite, the camera is for another convention or sees nothing, f32
    /// does not hold the vertices, or the settings are out of range.
    pub fn render(&mut self, pose: &Pose, camera: &Camera) -> Result<&Frame, RenderError> {
        if camera.convention != self.settings.convention {
            return Err(RenderError::Convention { camera: camera.convention, frame: self.settings.convention });
        }
        let RenderSettings { width, height, .. } = self.settings;
        if width == 0 || height == 0 {
            // No camera fits it, so the camera is not to blame.
            return Err(RasterError::Size { width, height }.into());
        }
        camera.check()?;
        check_pose(self.scene, pose)?;
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
        if self.program.is_some() || !self.lighting.shadowed {
            return Err(RenderError::NoFrusta);
        }
        for own in [camera, observer] {
            if own.convention != self.settings.convention {
                return Err(RenderError::Convention { camera: own.convention, frame: self.settings.convention });
            }
            own.check()?;
        }
        check_pose(self.scene, pose)?;
        self.within_pool(|renderer| renderer.render_here(pose, camera, observer))?;
        Ok(&self.frame)
    }

    /// What `observer` sees of the shadows of `camera`, with lines where the two are not the same one.
    fn render_here(&mut self, pose: &Pose, camera: &Camera, observer: &Camera) -> Result<(), RenderError> {
        let Self {
            scene,
            settings,
            textures,
            stages,
            program,
            lighting,
            shadow_stage,
            draws: kept,
            rasteriser,
            frame,
            ..
        } = self;
        let (scene, level) = (*scene, settings.simd);
        lighting.set(scene, &pose.worlds, camera.view, camera.projection);
        lighting.set_ambient(settings.ambient);
        lighting.eye = Eye::of(observer.view, observer.projection);
        let lighting = &*lighting;
        // Which way a mesh faces is decided by the native deformation, whoever makes the vertices.
        stages.par_iter_mut().try_for_each(|stage| stage.deform(scene, pose, settings))?;
        let (raster, encode) = (settings.raster(), Encode(settings.shading.color_space()));
        let state = |stage: &PrimitiveStage<'_>| {
            let material = &scene.materials[stage.primitive.material];
            draw_state(material, stage.deformed.mirrored(), settings.shading)
        };
        if let Some((programs, program)) = program {
            let space = DrawSpace::new(camera, lighting, settings.shading);
            let run = |(own, stage): (&mut ProgramStage, &PrimitiveStage<'_>)| {
                own.run(scene, pose, stage, &space, program, level)
            };
            programs.par_iter_mut().zip(stages.par_iter()).try_for_each(run)?;
            let draws = stages.iter().zip(programs.iter()).flat_map(|(stage, own)| {
                let state = state(stage);
                own.draws().map(move |section| (stage, own, state, section))
            });
            let draws: Vec<_> = draws
                .map(|(stage, own, state, section)| Draw {
                    stream: &section.stream,
                    topology: topology(stage.primitive.topology),
                    indices: section.indices(),
                    state,
                    shader: own.shader(scene, stage, textures, state.alpha == AlphaMode::Blend),
                })
                .collect();
            rasteriser.draw(&raster, &draws, &encode, &mut frame.target)?;
            return Ok(());
        }
        let view_projection = observer.view_projection();
        stages.par_iter_mut().try_for_each(|stage| stage.project(scene, &view_projection, pose, level))?;
        if lighting.shadowed {
            let plan = ShadowStage::plan(settings, stages, lighting, camera)?;
            shadow_stage.draw(plan, &Casting { scene, settings, stages, textures, lighting })?;
        }
        let shadows = lighting.shadowed.then_some(&shadow_stage.shadows);
        let outside = shadows.filter(|_| !std::ptr::eq(camera, observer));
        let frusta = outside.map(|shadows| Frusta::new(&shadows.plan, &view_projection, settings.convention));
        let mut draws = recycled(std::mem::take(kept));
        draws.extend(stages.iter().map(|stage| {
            let material = &scene.materials[stage.primitive.material];
            let (layout, shading) = (&stage.layout, settings.shading);
            Draw {
                stream: &stage.stream,
                topology: topology(stage.primitive.topology),
                indices: &stage.primitive.indices,
                state: state(stage),
                shader: MaterialShader::new(material, layout, textures, lighting, shading, SHOWN_DEPTHS)
                    .developed(settings.development)
                    .shadowed(shadows),
            }
        }));
        draws.extend(frusta.iter().flat_map(|frusta| frusta.draws(textures, lighting)));
        rasteriser.draw(&raster, &draws, &encode, &mut frame.target)?;
        *kept = recycled(draws);
        Ok(())
    }

    /// Gives constant registers of the vertex program values in place of those that belong there, from the next frame on
    /// (see [`ProgramSettings::overrides`]). Without a program it does nothing.
    pub fn override_constants(&mut self, overrides: BTreeMap<u8, [f32; 4]>) {
        if let Some((_, settings)) = &mut self.program {
            settings.overrides = overrides;
        }
    }

    /// The part of the base colour that was seen where no light falls, in the last frame.
    pub fn ambient(&self) -> f32 {
        self.lighting.ambient[0]
    }

    /// The scene's textures as they are sampled.
    pub fn textures(&self) -> &TextureSet {
        &self.textures
    }

    /// Window depths that the depth view shows white and black.
    pub fn shown_depths(&self) -> [f32; 2] {
        SHOWN_DEPTHS
    }

    /// Instructions of the vertex program, if there is one.
    pub fn program_length(&self) -> Option<usize> {
        self.program.as_ref().map(|(_, settings)| settings.program.instructions.len())
    }

    /// The box around everything that is drawn in a pose, by the renderer's settings. A camera's box is
    /// [`Bounds::of`], which no setting changes.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene, or is not finite.
    pub fn bounds(&mut self, pose: &Pose) -> Result<Bounds, RenderError> {
        check_pose(self.scene, pose)?;
        self.within_pool(|renderer| {
            let mut bounds = Bounds::EMPTY;
            for stage in &mut renderer.stages {
                stage.deform(renderer.scene, pose, &renderer.settings)?;
                let count = stage.deformed.len();
                let [x, y, z] = stage.deformed.positions().map(|plane| &plane[..count]);
                bounds.extend(x, y, z);
            }
            Ok(bounds)
        })
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

/// A pose of another scene would index out of range. (Joints and meshes that are nowhere are for the deformation to
/// refuse, which knows whether a vertex follows them.)
fn check_pose(scene: &Scene, pose: &Pose) -> Result<(), RenderError> {
    let nodes = scene.nodes.len();
    if let Some(pose) = [pose.worlds.len(), pose.weights.len()].into_iter().filter(|count| *count != nodes).min() {
        return Err(RenderError::Pose { pose, scene: nodes });
    }
    let mut lights = scene.drawn.iter().filter(|node| scene.nodes[**node].light.is_some());
    match lights.find(|node| !pose.worlds[**node].is_finite()) {
        None => Ok(()),
        Some(&node) => Err(RenderError::LightNotFinite { place: scene.place(node, None) }),
    }
}

/// Everything that the scene draws, in order.
fn stages<'scene>(
    scene: &'scene Scene,
    settings: &RenderSettings,
    layout: impl Fn(&Primitive) -> VaryingLayout,
) -> Vec<PrimitiveStage<'scene>> {
    let mut preparation = Preparation::new(settings.max_influences);
    let mut stages = Vec::new();
    for &node in &scene.drawn {
        let Some(mesh) = scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]) else { continue };
        for primitive in mesh.primitives.iter().filter(|primitive| !primitive.indices.is_empty()) {
            stages.push(PrimitiveStage::new(scene, node, primitive, layout(primitive), &mut preparation));
        }
    }
    stages
}

/// The splits and matrices of a frame, which whoever draws it is handed; `None` where it shows no shadows. The scene must be valid
/// ([`Scene::validate`]), but for its images, which are not looked at.
///
/// # Errors
///
/// As [`Renderer::render`].
pub fn shadow_plan(
    scene: &Scene,
    pose: &Pose,
    camera: &Camera,
    settings: &RenderSettings,
) -> Result<Option<ShadowPlan>, RenderError> {
    if !settings.are_shadows_shown() {
        return Ok(None);
    }
    planned(scene, pose, camera, settings).map(|(plan, _)| Some(plan))
}

/// The splits and matrices of a frame, shown or not, and the light that they are of.
pub(super) fn planned(
    scene: &Scene,
    pose: &Pose,
    camera: &Camera,
    settings: &RenderSettings,
) -> Result<(ShadowPlan, Lighting), RenderError> {
    camera.check()?;
    check_pose(scene, pose)?;
    let mut stages = stages(scene, settings, |_| VaryingLayout::default());
    stages.par_iter_mut().try_for_each(|stage| stage.deform(scene, pose, settings))?;
    let mut lighting = Lighting::new(scene, &pose.worlds, camera.view, camera.projection);
    lighting.set_ambient(settings.ambient);
    Ok((ShadowStage::plan(settings, &stages, &lighting, camera)?, lighting))
}

/// `scene` with the parts of a camera's view and the boxes of the lights' maps: what [`Renderer::render_frusta`] draws.
#[must_use]
pub fn bounds_with_shadows(scene: Bounds, plan: &ShadowPlan, camera: &Camera) -> Bounds {
    bounds_with_frusta(scene, plan, camera.convention)
}
