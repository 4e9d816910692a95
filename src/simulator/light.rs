//! The light that falls on a scene, from the shading model's text.

use std::f32::consts::PI;

use glam::{Mat4, Vec3};

use super::{
    arithmetic::{Arithmetic, Vector, scale, subtract},
    faults::Faults,
};
use crate::{Fault, shadow::Shadows};
use refrast_scene::{LightKind, Scene};

/// All light, in world space.
pub(super) struct Lights {
    ambient: f32,
    lights: Vec<Light>,
    /// Where the camera stands; for parallel lines of sight, the direction to it.
    eye: Vector,
    parallel: bool,
}

/// The light of one source at a position.
pub(super) struct Incidence {
    /// Unit vector.
    pub(super) to_light: Vector,
    /// Attenuated.
    pub(super) radiance: Vector,
}

struct Light {
    radiance: Vector,
    /// From the surface to the light for parallel rays, along which it shines for a cone.
    direction: Vector,
    /// Of a light that has one, and 1/range².
    position: Option<(Vector, f32)>,
    /// Scale and offset of the cosine.
    cone: Option<[f32; 2]>,
}

fn unit(vector: Vec3, otherwise: Vec3) -> Vector {
    vector.try_normalize().unwrap_or(otherwise).to_array()
}

impl Incidence {
    /// What is left of it in the shade.
    pub(super) fn times(self, part: f32) -> Self {
        Self { radiance: scale(self.radiance, part), ..self }
    }
}

impl Lights {
    /// Where the camera stands; of parallel lines of sight the direction to it.
    pub(super) fn eye(&self) -> Vector {
        self.eye
    }

    /// The lights of the drawn nodes, or the headlight; with the ambient light that a picture asks for, or theirs.
    pub(super) fn new(
        scene: &Scene,
        (worlds, asked): (&[Mat4], Option<f32>),
        (view, projection): (&Mat4, &Mat4),
        faults: Faults,
    ) -> Self {
        let per_pi = if faults.has(Fault::LambertPiMissing) { 1.0 } else { 1.0 / PI };
        let mut lights = Vec::new();
        for &node in &scene.drawn {
            let Some(light) = scene.nodes[node].light.map(|light| &scene.lights[light]) else { continue };
            let axis = unit(worlds[node].transform_vector3(Vec3::NEG_Z), Vec3::NEG_Z);
            let radiance = light.color.map(|channel| channel * light.intensity * per_pi);
            let inverse_range_squared = light.range.map_or(0.0, |range| 1.0 / (range * range));
            let place = (worlds[node].w_axis.truncate().to_array(), inverse_range_squared);
            lights.push(match light.kind {
                LightKind::Directional => Light { radiance, direction: axis.map(|x| -x), position: None, cone: None },
                LightKind::Point => Light { radiance, direction: axis, position: Some(place), cone: None },
                LightKind::Spot { inner_cone_angle, outer_cone_angle } => {
                    let share = if faults.has(Fault::SpotAngleHalved) { 0.5 } else { 1.0 };
                    let [inner, outer] = [inner_cone_angle, outer_cone_angle].map(|angle| libm::cosf(angle * share));
                    let scale = 1.0 / (inner - outer).max(0.001);
                    Light { radiance, direction: axis, position: Some(place), cone: Some([scale, -outer * scale]) }
                }
            });
        }
        let mut ambient = 0.05;
        if lights.is_empty() {
            let seen = Vec3::new(0.35, 0.5, 1.0);
            let turned =
                if faults.has(Fault::HeadlightInWorld) { seen } else { view.inverse().transform_vector3(seen) };
            let radiance = [0.75 * PI * per_pi; 3];
            lights.push(Light { radiance, direction: unit(turned, Vec3::Z), position: None, cone: None });
            ambient = 0.25;
        }
        ambient = asked.unwrap_or(ambient);
        if faults.has(Fault::FirstLightOnly) {
            lights.truncate(1);
        }
        if faults.has(Fault::AmbientMissing) {
            ambient = 0.0;
        }
        let [x, y, z, _] = projection.row(3).to_array();
        let parallel = [x, y, z] == [0.0; 3];
        let to_world = view.inverse();
        let eye = match parallel {
            true => unit(to_world.z_axis.truncate(), Vec3::Z),
            false => to_world.w_axis.truncate().to_array(),
        };
        Self { ambient, lights, eye, parallel }
    }

    pub(super) fn ambient(&self) -> f32 {
        self.ambient
    }

    /// Unit vector to the camera.
    pub(super) fn to_eye(&self, arithmetic: Arithmetic, position: Vector) -> Vector {
        if self.parallel { self.eye } else { arithmetic.normalize(subtract(self.eye, position)) }
    }

    /// The light of each source.
    pub(super) fn incidences(
        &self,
        arithmetic: Arithmetic,
        position: Vector,
        faults: Faults,
    ) -> impl Iterator<Item = Incidence> {
        self.lights.iter().map(move |light| light.incidence(arithmetic, position, faults))
    }

    /// What a white surface with this unit normal sends out.
    pub(super) fn on(
        &self,
        (arithmetic, shadows): (Arithmetic, Option<&Shadows>),
        normal: Vector,
        position: Vector,
        faults: Faults,
    ) -> Vector {
        let mut sum = [self.ambient; 3];
        for (number, light) in self.lights.iter().enumerate() {
            let mut strength = light.strength(arithmetic, normal, position, faults);
            if let Some(shadows) = shadows {
                strength *= shadows.part(number, position);
            }
            for (sum, radiance) in sum.iter_mut().zip(light.radiance) {
                *sum = arithmetic.multiply_add(radiance, strength, *sum);
            }
        }
        if faults.has(Fault::SpecularAdded) {
            let highlight = self.highlight(arithmetic, normal, position);
            sum = sum.map(|channel| channel + highlight);
        }
        sum
    }

    /// Blinn's highlight of the first light.
    fn highlight(&self, arithmetic: Arithmetic, normal: Vector, position: Vector) -> f32 {
        let Some(light) = self.lights.first() else { return 0.0 };
        let to_light = match light.position {
            Some((place, _)) => arithmetic.normalize(subtract(place, position)),
            None => light.direction,
        };
        let to_eye = self.to_eye(arithmetic, position);
        let middle = arithmetic.normalize([0, 1, 2].map(|i| to_light[i] + to_eye[i]));
        0.3 * libm::powf(arithmetic.dot(normal, middle).max(0.0), 32.0)
    }
}

impl Light {
    fn strength(&self, arithmetic: Arithmetic, normal: Vector, position: Vector, faults: Faults) -> f32 {
        let (to_light, [falloff, inside]) = self.attenuated(arithmetic, position, faults);
        cosine(arithmetic.dot(normal, to_light), faults) * falloff * (inside * inside)
    }

    fn incidence(&self, arithmetic: Arithmetic, position: Vector, faults: Faults) -> Incidence {
        let (to_light, [falloff, inside]) = self.attenuated(arithmetic, position, faults);
        let to_light = if faults.has(Fault::LightDirectionFlipped) { scale(to_light, -1.0) } else { to_light };
        Incidence { to_light, radiance: scale(self.radiance, falloff * (inside * inside)) }
    }

    /// The direction to the light, its fall-off, and how far inside of a cone: 1 where it has none.
    fn attenuated(&self, arithmetic: Arithmetic, position: Vector, faults: Faults) -> (Vector, [f32; 2]) {
        let Some((place, inverse_range_squared)) = self.position else { return (self.direction, [1.0; 2]) };
        let toward = subtract(place, position);
        let squared = arithmetic.dot(toward, toward).max(1e-8);
        let to_light = scale(toward, 1.0 / squared.sqrt());
        let ratio = squared * inverse_range_squared;
        let mut window = (1.0 - ratio * ratio).max(0.0);
        if faults.has(Fault::LightRangeSquared) {
            window *= window;
        }
        let falloff = if faults.has(Fault::LightFalloffLinear) { squared.sqrt() } else { squared };
        let inside = match self.cone.filter(|_| !faults.has(Fault::SpotConeIgnored)) {
            None => 1.0,
            Some([scale, offset]) => {
                let along = -arithmetic.dot(to_light, self.direction);
                let inside = arithmetic.multiply_add(along, scale, offset).clamp(0.0, 1.0);
                // It is squared afterwards.
                if faults.has(Fault::SpotSmoothstep) { inside * (3.0 - 2.0 * inside).sqrt() } else { inside }
            }
        };
        (to_light, [window / falloff, inside])
    }
}

/// What is made of N·L.
fn cosine(cosine: f32, faults: Faults) -> f32 {
    let cosine = if faults.has(Fault::LightDirectionFlipped) { -cosine } else { cosine };
    if faults.has(Fault::HalfLambert) {
        let half = 0.5 * cosine + 0.5;
        return half * half;
    }
    if faults.has(Fault::LightUnclamped) { cosine } else { cosine.max(0.0) }
}
