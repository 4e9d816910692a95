//! Lights as the shader reads them: section 4 of the shading model.

use std::f32::consts::{FRAC_1_PI, PI};

use glam::{Mat4, Vec3};
use refrast::{
    animation::Pose,
    scene::{Light, LightKind, Scene},
    verify::Fault,
};

use crate::Faults;

/// A light in the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct GpuLight {
    pub(crate) radiance: [f32; 4],
    /// w: 1 / range squared.
    pub(crate) position: [f32; 4],
    pub(crate) direction: [f32; 4],
    /// Kind, scale, offset.
    pub(crate) kind: [f32; 4],
    /// The first of its shadow maps, how many there are, and 1 where they are cascades.
    pub(crate) maps: [u32; 4],
}

const DIRECTIONAL: f32 = 0.0;
const POINT: f32 = 1.0;
const SPOT: f32 = 2.0;

/// The lights of a scene and its ambient light.
pub(crate) struct Lights {
    pub(crate) ambient: f32,
    pub(crate) lights: Vec<GpuLight>,
}

impl Lights {
    /// The lights of the drawn nodes in draw order, or a headlight where there is none.
    pub(crate) fn new(scene: &Scene, pose: &Pose, ambient: Option<f32>, view: &Mat4, faults: &Faults) -> Self {
        let shining = (scene.drawn.iter())
            .filter_map(|&node| Some((&scene.lights[scene.nodes[node].light?], &pose.worlds[node])));
        Self::of(shining, ambient, view, faults)
    }

    /// These lights, each with its node's matrix, or a headlight where there is none. Both bring an ambient light, unless one is asked for.
    pub(crate) fn of<'a>(
        shining: impl Iterator<Item = (&'a Light, &'a Mat4)>,
        asked: Option<f32>,
        view: &Mat4,
        faults: &Faults,
    ) -> Self {
        let mut lights: Vec<GpuLight> = shining.map(|(own, world)| light(own, world, faults)).collect();
        let mut ambient = 0.05;
        if lights.is_empty() {
            (ambient, lights) = (0.25, vec![headlight(view, faults)]);
        }
        ambient = asked.unwrap_or(ambient);
        if faults.has(Fault::FirstLightOnly) {
            lights.truncate(1);
        }
        if faults.has(Fault::AmbientMissing) {
            ambient = 0.0;
        }
        Self { ambient, lights }
    }
}

/// A light that is fixed to the camera.
fn headlight(view: &Mat4, faults: &Faults) -> GpuLight {
    let seen = Vec3::new(0.35, 0.5, 1.0).normalize();
    // The view is rigid, so its transpose takes directions back to the world.
    let turned = Vec3::from([view.x_axis, view.y_axis, view.z_axis].map(|axis| axis.truncate().dot(seen)));
    let to_light = if faults.has(Fault::HeadlightInWorld) { seen } else { turned };
    GpuLight {
        radiance: [0.75 * PI * per_steradian(faults); 4],
        direction: to_light.extend(0.0).to_array(),
        kind: [DIRECTIONAL, 0.0, 0.0, 0.0],
        ..GpuLight::default()
    }
}

/// Lambert's 1/π.
fn per_steradian(faults: &Faults) -> f32 {
    if faults.has(Fault::LambertPiMissing) { 1.0 } else { FRAC_1_PI }
}

fn light(light: &Light, world: &Mat4, faults: &Faults) -> GpuLight {
    let axis = -world.z_axis.truncate().normalize_or(Vec3::Z);
    let [red, green, blue] = light.color.map(|channel| channel * light.intensity * per_steradian(faults));
    let position = world.w_axis.truncate();
    let falling = light.range.map_or(0.0, |range| 1.0 / (range * range));
    let (direction, kind) = match light.kind {
        LightKind::Directional => (-axis, [DIRECTIONAL, 0.0, 0.0, 0.0]),
        LightKind::Point => (axis, [POINT, 0.0, 0.0, 0.0]),
        LightKind::Spot { inner_cone_angle, outer_cone_angle } => {
            let share = if faults.has(Fault::SpotAngleHalved) { 0.5 } else { 1.0 };
            let [inner, outer] = [inner_cone_angle, outer_cone_angle].map(|angle| libm::cosf(share * angle));
            let scale = 1.0 / (inner - outer).max(0.001);
            (axis, [SPOT, scale, -outer * scale, 0.0])
        }
    };
    GpuLight {
        radiance: [red, green, blue, 0.0],
        position: position.extend(falling).to_array(),
        direction: direction.extend(0.0).to_array(),
        kind,
        ..GpuLight::default()
    }
}
