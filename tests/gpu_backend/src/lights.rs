//! Lights as the shader reads them: section 4 of the shading model.

use std::f32::consts::FRAC_1_PI;

use glam::{Mat4, Vec3};
use refrast::{
    animation::Pose,
    scene::{LightKind, Scene},
};

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
    pub(crate) fn new(scene: &Scene, pose: &Pose, view: &Mat4) -> Self {
        let lights: Vec<GpuLight> = (scene.drawn.iter())
            .filter_map(|&node| Some(light(&scene.lights[scene.nodes[node].light?], &pose.worlds[node])))
            .collect();
        if !lights.is_empty() {
            return Self { ambient: 0.05, lights };
        }
        // The view is rigid, so its transpose takes directions back to the world.
        let toward = Vec3::new(0.35, 0.5, 1.0).normalize();
        let [x, y, z] = [view.x_axis, view.y_axis, view.z_axis].map(|axis| axis.truncate().dot(toward));
        let headlight = GpuLight {
            radiance: [0.75, 0.75, 0.75, 0.0],
            direction: [x, y, z, 0.0],
            kind: [DIRECTIONAL, 0.0, 0.0, 0.0],
            ..GpuLight::default()
        };
        Self { ambient: 0.25, lights: vec![headlight] }
    }
}

fn light(light: &refrast::scene::Light, world: &Mat4) -> GpuLight {
    let axis = -world.z_axis.truncate().normalize_or(Vec3::Z);
    let [red, green, blue] = light.color.map(|channel| channel * light.intensity * FRAC_1_PI);
    let position = world.w_axis.truncate();
    let falling = light.range.map_or(0.0, |range| 1.0 / (range * range));
    let (direction, kind) = match light.kind {
        LightKind::Directional => (-axis, [DIRECTIONAL, 0.0, 0.0, 0.0]),
        LightKind::Point => (axis, [POINT, 0.0, 0.0, 0.0]),
        LightKind::Spot { inner_cone_angle, outer_cone_angle } => {
            let outer = libm::cosf(outer_cone_angle);
            let scale = 1.0 / (libm::cosf(inner_cone_angle) - outer).max(0.001);
            (axis, [SPOT, scale, -outer * scale, 0.0])
        }
    };
    GpuLight {
        radiance: [red, green, blue, 0.0],
        position: position.extend(falling).to_array(),
        direction: direction.extend(0.0).to_array(),
        kind,
    }
}
