//! [`light_camera`]: a shadow map's own camera, to look through a light.
//!
//! Why it exists: what a map misses, cuts off or has too few texels for is seen best from where the map is drawn. A plan has
//! one matrix a map, from the world to clip space; whoever looks around wants a camera, that is a rigid view and what is left.

use glam::{DMat4, DVec3};

use super::{Camera, RenderError, RenderSettings, camera::rigid_inverse, shadow_plan::planned};
use refrast_animation::Pose;
use refrast_draw::Convention;
use refrast_scene::Scene;
use refrast_shading::{Casters, LightSource, ShadowSettings};

/// The camera of map `map` of light `light` (its place among the lights), as `camera` would have it drawn; `None` where these
/// settings give that light no such map.
///
/// A directional light's is orthographic, a spot's perspective. The map is square: of a picture that is wider or higher
/// (`aspect_ratio` is its width ÷ its height) the map is the middle. Casters before the near plane are seen like any others, as
/// if it were [pulled](Casters::Pull).
///
/// # Errors
///
/// As [`FrameStage::run`](super::FrameStage::run).
pub fn light_camera(
    (scene, pose): (&Scene, &Pose),
    camera: &Camera,
    settings: &RenderSettings,
    [light, map]: [usize; 2],
    aspect_ratio: f64,
) -> Result<Option<Camera>, RenderError> {
    let shadows = ShadowSettings { casters: Casters::Pull, ..settings.shadows };
    let (plan, lighting) = planned(scene, pose, camera, &RenderSettings { shadows, ..*settings })?;
    let own = plan.lights.iter().find(|own| own.light == light).and_then(|own| own.maps.get(map));
    let (Some(own), Some(light)) = (own, lighting.lights.get(light)) else { return Ok(None) };
    let to_clip = own.view_projection.as_dmat4();
    let wide = |vector: [f32; 3]| DVec3::from_array(vector.map(f64::from));
    let (eye, toward) = match light.source {
        // It has no place: the middle of the map's near end is as good as any.
        LightSource::Directional { to_light } => {
            let near = if camera.convention == Convention::OpenGl { -1.0 } else { 0.0 };
            (to_clip.inverse().project_point3(DVec3::new(0.0, 0.0, near)), -wide(to_light))
        }
        LightSource::Point { position, cone: Some(cone), .. } => (wide(position), wide(cone.axis)),
        LightSource::Point { cone: None, .. } => return Ok(None),
    };
    let backward = (-toward).normalize_or(DVec3::Y);
    // Up as in the map.
    let up = if backward.y.abs() < 0.99 { DVec3::Y } else { DVec3::Z };
    let right = up.cross(backward).normalize_or(DVec3::X);
    let view = rigid_inverse(right, backward.cross(right), backward, eye);
    let room = DVec3::new((1.0 / aspect_ratio).min(1.0), aspect_ratio.min(1.0), 1.0);
    let projection = DMat4::from_scale(room) * to_clip * view.inverse();
    Ok(Some(Camera { view: view.as_mat4(), projection: projection.as_mat4(), convention: camera.convention }))
}
