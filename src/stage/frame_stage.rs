//! [`FrameStage`]: scene, pose and camera in, draws out.

use std::{collections::BTreeMap, sync::Arc};

use glam::Mat4;

use super::{
    Bounds, Camera, Images, RenderError, RenderSettings,
    program::{Combiners, DrawSpace, ProgramSettings, ProgramStage, ProgramStageError},
    shadow_plan::bounds,
    vertex_stage::{Preparation, PrimitiveStage},
};
use refrast_animation::Pose;
use refrast_draw::RasterError;
use refrast_scene::{Primitive, Scene};
use refrast_shading::{Eye, Lighting, ShadingMode, ShadowPlanError, TextureSet, VaryingLayout, VertexAttributes};
use refrast_threads::try_over;

/// Window depths that the depth view shows white and black.
const SHOWN_DEPTHS: [f32; 2] = [0.0, 1.0];

/// Makes the draws of frames of one scene, and keeps its buffers from frame to frame.
pub struct FrameStage<'scene> {
    pub(super) scene: &'scene Scene,
    pub(super) settings: RenderSettings,
    pub(super) textures: Arc<TextureSet>,
    pub(super) stages: Vec<PrimitiveStage<'scene>>,
    /// The program that makes the vertex streams, with a stage for each of `stages`; native skinning does where there
    /// is none.
    pub(super) program: Option<(Vec<ProgramStage>, ProgramSettings)>,
    pub(super) lighting: Lighting,
}

impl<'scene> FrameStage<'scene> {
    /// Prepares everything about a scene that no pose changes.
    ///
    /// # Errors
    ///
    /// When the scene contradicts itself (see [`Scene::validate`]), a texture can not be used, or the settings are out of range.
    pub fn new(scene: &'scene Scene, settings: RenderSettings) -> Result<Self, RenderError> {
        scene.validate()?;
        let textures = TextureSet::new(scene, settings.shading)?;
        Self::with_textures(scene, settings, Arc::new(textures))
    }

    /// As [`new`](Self::new), with images that were prepared before, where they are this scene's; they are prepared anew where not, and
    /// where the settings show what reads others. The draws are the same.
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
        // Which kinds of lights there are does not depend on where they stand.
        let mut lighting = Lighting::new(scene, &Pose::rest(scene).worlds, Mat4::IDENTITY, Mat4::IDENTITY);
        lighting.shadowed = settings.are_shadows_shown();
        let stages = stages(scene, &settings, |primitive| {
            let material = &scene.materials[primitive.material];
            VaryingLayout::new(material, VertexAttributes::of(primitive), settings.shading, &lighting)
        });
        settings.shadows.check().map_err(ShadowPlanError::from)?;
        settings.ambient.map(Lighting::check_ambient).transpose()?;
        Ok(Self { scene, settings, textures, stages, program: None, lighting })
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
        let mut frame = Self::new(scene, settings)?;
        if program.combiners == Combiners::Dot3 {
            frame.textures = Arc::new(TextureSet::new(scene, ShadingMode::ShadingNormals)?);
        }
        let stages = frame.stages.iter().map(|stage| ProgramStage::new(stage, &program));
        frame.program = Some((stages.collect::<Result<_, _>>()?, program));
        Ok(frame)
    }

    /// Makes the draws of a frame as `observer` sees them, in the light of the scene before `camera`; whoever looks through the
    /// camera is both. It runs on the rayon pool of its caller.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene or is not finite, a camera is for another convention or sees nothing, f32
    /// does not hold the vertices, or the picture has no pixels.
    pub fn run(&mut self, pose: &Pose, camera: &Camera, observer: &Camera) -> Result<(), RenderError> {
        let Self { scene, settings, stages, program, lighting, .. } = self;
        let (scene, level) = (*scene, settings.simd);
        if let Some(other) = [camera, observer].into_iter().find(|own| own.convention != settings.convention) {
            return Err(RenderError::Convention { camera: other.convention, frame: settings.convention });
        }
        let RenderSettings { width, height, .. } = *settings;
        if width == 0 || height == 0 {
            // No camera fits it, so the camera is not to blame.
            return Err(RasterError::Size { width, height }.into());
        }
        camera.check()?;
        observer.check()?;
        check_pose(scene, pose)?;
        lighting.set(scene, &pose.worlds, camera.view, camera.projection);
        lighting.set_ambient(settings.ambient);
        lighting.eye = Eye::of(observer.view, observer.projection);
        // Which way a mesh faces is decided by the native deformation, whoever makes the vertices.
        deform(stages, scene, pose, settings)?;
        if let Some((programs, program)) = program {
            let space = DrawSpace::new(camera, lighting, settings.shading);
            return try_over((&mut programs[..], &stages[..]), |_, (own, stage)| {
                own.run(scene, pose, stage, &space, program, level)
            });
        }
        let view_projection = observer.view_projection();
        try_over(&mut stages[..], |_, stage| stage.project(scene, &view_projection, pose, level))
    }

    /// The scene that is drawn.
    #[must_use]
    pub fn scene(&self) -> &'scene Scene {
        self.scene
    }

    /// How frames are made.
    #[must_use]
    pub fn settings(&self) -> &RenderSettings {
        &self.settings
    }

    /// The scene's textures as they are sampled.
    #[must_use]
    pub fn textures(&self) -> &TextureSet {
        &self.textures
    }

    /// The lights of the last frame, and where it is seen from.
    #[must_use]
    pub fn lighting(&self) -> &Lighting {
        &self.lighting
    }

    /// Gives constant registers of the vertex program values in place of those that belong there, from the next frame on
    /// (see [`ProgramSettings::overrides`]). Without a program it does nothing.
    pub fn override_constants(&mut self, overrides: BTreeMap<u8, [f32; 4]>) {
        if let Some((_, settings)) = &mut self.program {
            settings.overrides = overrides;
        }
    }

    /// The part of the base colour that was seen where no light falls, in the last frame.
    #[must_use]
    pub fn ambient(&self) -> f32 {
        self.lighting.ambient[0]
    }

    /// Window depths that the depth view shows white and black.
    #[must_use]
    pub fn shown_depths(&self) -> [f32; 2] {
        SHOWN_DEPTHS
    }

    /// Instructions of the vertex program, if there is one.
    #[must_use]
    pub fn program_length(&self) -> Option<usize> {
        self.program.as_ref().map(|(_, settings)| settings.program.instructions.len())
    }

    /// The box around everything that is drawn in a pose, by these settings. A camera's box is [`Bounds::of`], which no setting
    /// changes.
    ///
    /// # Errors
    ///
    /// When the pose belongs to another scene, or is not finite.
    pub fn bounds(&mut self, pose: &Pose) -> Result<Bounds, RenderError> {
        check_pose(self.scene, pose)?;
        deform(&mut self.stages, self.scene, pose, &self.settings)?;
        Ok(bounds(&self.stages))
    }
}

/// A pose of another scene would index out of range. (Joints and meshes that are nowhere are for the deformation to
/// refuse, which knows whether a vertex follows them.)
pub(super) fn check_pose(scene: &Scene, pose: &Pose) -> Result<(), RenderError> {
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
pub(super) fn stages<'scene>(
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

/// Moves the vertices of all of them into the world.
pub(super) fn deform(
    stages: &mut [PrimitiveStage<'_>],
    scene: &Scene,
    pose: &Pose,
    settings: &RenderSettings,
) -> Result<(), RenderError> {
    try_over(stages, |_, stage| stage.deform(scene, pose, settings))
}
