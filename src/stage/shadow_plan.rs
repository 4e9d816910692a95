//! [`shadow_plan`]: the splits and matrices of a frame's shadows.

use glam::DVec3;

use super::{
    Bounds, Camera, FrameStage, RenderError, RenderSettings,
    frame_stage::{check_pose, deform, stages},
    vertex_stage::PrimitiveStage,
};
use refrast_animation::Pose;
use refrast_scene::Scene;
use refrast_shading::{Lighting, ShadowPlan, VaryingLayout};

/// The splits and matrices of a frame, which whoever draws it is handed; `None` where it shows no shadows. The scene must be valid
/// ([`Scene::validate`]), but for its images, which are not looked at.
///
/// # Errors
///
/// As [`FrameStage::run`].
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
    deform(&mut stages, scene, pose, settings)?;
    let mut lighting = Lighting::new(scene, &pose.worlds, camera.view, camera.projection);
    lighting.set_ambient(settings.ambient);
    Ok((plan(settings, &stages, &lighting, camera)?, lighting))
}

/// Plans the shadows of a frame whose vertices are deformed.
fn plan(
    settings: &RenderSettings,
    stages: &[PrimitiveStage<'_>],
    lighting: &Lighting,
    camera: &Camera,
) -> Result<ShadowPlan, RenderError> {
    let camera = (camera.view, camera.projection, camera.convention);
    Ok(ShadowPlan::new(&settings.shadows, lighting, camera, scene_box(stages))?)
}

/// The box around all deformed vertices.
fn scene_box(stages: &[PrimitiveStage<'_>]) -> Option<[DVec3; 2]> {
    let bounds = bounds(stages);
    (!bounds.is_empty()).then_some([bounds.min, bounds.max])
}

/// Likewise; empty where there are none.
pub(super) fn bounds(stages: &[PrimitiveStage<'_>]) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for stage in stages {
        let count = stage.deformed.len();
        let [x, y, z] = stage.deformed.positions().map(|plane| &plane[..count]);
        bounds.extend(x, y, z);
    }
    bounds
}

impl FrameStage<'_> {
    /// Plans the shadows of the last frame, as `camera` sees it.
    ///
    /// # Errors
    ///
    /// When the camera has no view that could be split.
    pub fn plan_shadows(&self, camera: &Camera) -> Result<ShadowPlan, RenderError> {
        plan(&self.settings, &self.stages, &self.lighting, camera)
    }
}
