//! [`Lighting`]: the light that falls on a surface.
//!
//! Why it exists: the lights of a file live in nodes that move; per fragment only their world-space numbers count.
//! They are made once a frame here, and each [`Light::irradiance`] follows KHR_lights_punctual: its range attenuation,
//! its cone fall-off, its units (lux for directional lights, candela for the others).

use std::f32::consts::{FRAC_1_PI, PI};

use fearless_simd::{Simd, f32x8, prelude::*};
use fearless_simd_macros::simd;
use glam::{Mat4, Vec3};

use super::vector::{add, dot, inverse_length, scale, splat, subtract};
use refrast_scene::{LightKind, Scene};

/// The direction from a surface to the headlight, in view space before it is normalised: over the viewer's right
/// shoulder, so that shapes show their form and nothing that is seen lies in full shadow.
pub const HEADLIGHT_DIRECTION: Vec3 = Vec3::new(0.35, 0.5, 1.0);
/// The headlight's illuminance. With [`HEADLIGHT_AMBIENT`] a white surface that faces it is exactly white.
pub const HEADLIGHT_ILLUMINANCE: f32 = 0.75 * PI;
/// The part of the base colour that is seen where no light falls, under the headlight.
pub const HEADLIGHT_AMBIENT: f32 = 0.25;
/// The part of the base colour that is seen where no light falls, under the lights of a file: enough to tell a shape
/// from the background, little enough that the file's lights make the picture.
pub const SCENE_AMBIENT: f32 = 0.05;
/// The smallest squared distance to a point or spot light, in m²: 0.1 mm, below which its light grows no more.
pub const SMALLEST_DISTANCE_SQUARED: f32 = 1e-8;

/// All light that falls on a scene, in world space.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// The part of the base colour that is seen without any light, linear RGB.
    pub ambient: [f32; 3],
    /// In the order in which their light is added up.
    pub lights: Vec<Light>,
}

/// A light as fragments need it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Colour × intensity ÷ π, linear RGB: what a white Lambert surface sends out for each unit of cosine (and of
    /// attenuation).
    pub radiance: [f32; 3],
    /// Where it comes from.
    pub source: LightSource,
}

/// Where light comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightSource {
    /// Parallel rays.
    Directional {
        /// Unit vector from a surface to the light.
        to_light: [f32; 3],
    },
    /// A point; the light falls off with the square of the distance.
    Point {
        /// World space, metres.
        position: [f32; 3],
        /// 1 ÷ range², or 0 where the light reaches everywhere.
        inverse_range_squared: f32,
        /// The cone of a spot light.
        cone: Option<Cone>,
    },
}

/// The cone of a spot light: attenuation saturate(cos·scale + offset)², cos being that of the angle to the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Unit vector along which it shines.
    pub axis: [f32; 3],
    /// 1 ÷ max(0.001, cos(inner) − cos(outer)).
    pub scale: f32,
    /// −cos(outer)·scale.
    pub offset: f32,
}

/// `vector` divided by its length in f32, or `fallback` where that is no direction.
fn direction(vector: Vec3, fallback: Vec3) -> [f32; 3] {
    vector.try_normalize().unwrap_or(fallback).to_array()
}

impl Lighting {
    /// One directional light that is fixed to the camera: [`HEADLIGHT_DIRECTION`].
    ///
    /// `view` takes world space to view space (right-handed, looking along −Z).
    #[must_use]
    pub fn headlight(view: Mat4) -> Self {
        Self { ambient: [HEADLIGHT_AMBIENT; 3], lights: vec![Light::head(view)] }
    }

    /// The lights of the nodes that the scene draws, in draw order; the headlight where there is none.
    ///
    /// `world` has each node's node space → world space, by node index; `view` is as in
    /// [`headlight`](Self::headlight).
    #[must_use]
    pub fn new(scene: &Scene, world: &[Mat4], view: Mat4) -> Self {
        let mut lighting = Self { ambient: [SCENE_AMBIENT; 3], lights: Vec::new() };
        lighting.set(scene, world, view);
        lighting
    }

    /// As [`new`](Self::new), in the memory of `self`.
    pub fn set(&mut self, scene: &Scene, world: &[Mat4], view: Mat4) {
        let lit = scene.drawn.iter().filter_map(|&node| Some((scene.nodes[node].light?, world[node])));
        self.ambient = [SCENE_AMBIENT; 3];
        self.lights.clear();
        self.lights.extend(lit.map(|(light, world)| Light::new(&scene.lights[light], world)));
        if self.lights.is_empty() {
            self.ambient = [HEADLIGHT_AMBIENT; 3];
            self.lights.push(Light::head(view));
        }
    }

    /// Whether a fragment must know where it is, and not only how it is turned.
    #[must_use]
    pub fn needs_position(&self) -> bool {
        self.lights.iter().any(|light| matches!(light.source, LightSource::Point { .. }))
    }

    /// What a white Lambert surface with the unit `normal` sends out: ambient, then each light's part, added in order.
    /// `position` is read only where [`needs_position`](Self::needs_position).
    #[inline(always)]
    pub(super) fn white_radiance<S: Simd>(&self, normal: [f32x8<S>; 3], position: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
        white_radiance(normal[0].token(), self, normal, position)
    }
}

/// Compiled once a level, however many modes are lit.
#[simd]
fn white_radiance<S: Simd>(
    simd: S,
    lighting: &Lighting,
    normal: [f32x8<S>; 3],
    position: [f32x8<S>; 3],
) -> [f32x8<S>; 3] {
    let mut sum = splat(simd, lighting.ambient);
    for light in &lighting.lights {
        let strength = light.strength(normal, position);
        sum = add(sum, scale(splat(simd, light.radiance), strength));
    }
    sum
}

impl Light {
    /// The headlight of a camera.
    fn head(view: Mat4) -> Self {
        let to_light = direction(view.inverse().transform_vector3(HEADLIGHT_DIRECTION), Vec3::Z);
        Self { radiance: [HEADLIGHT_ILLUMINANCE * FRAC_1_PI; 3], source: LightSource::Directional { to_light } }
    }

    /// A light of the file at a node whose node space → world space is `world`.
    fn new(light: &refrast_scene::Light, world: Mat4) -> Self {
        let axis = direction(world.transform_vector3(Vec3::NEG_Z), Vec3::NEG_Z);
        let position = world.w_axis.truncate().to_array();
        let inverse_range_squared = light.range.map_or(0.0, |range| 1.0 / (range * range));
        let source = match light.kind {
            LightKind::Directional => LightSource::Directional { to_light: axis.map(|component| -component) },
            LightKind::Point => LightSource::Point { position, inverse_range_squared, cone: None },
            LightKind::Spot { inner_cone_angle, outer_cone_angle } => {
                let cos_outer = libm::cosf(outer_cone_angle);
                let scale = 1.0 / (libm::cosf(inner_cone_angle) - cos_outer).max(0.001);
                let cone = Some(Cone { axis, scale, offset: -cos_outer * scale });
                LightSource::Point { position, inverse_range_squared, cone }
            }
        };
        Self { radiance: light.color.map(|component| component * light.intensity * FRAC_1_PI), source }
    }

    /// max(0, N·L), times the attenuation of a point or spot light.
    #[inline(always)]
    fn strength<S: Simd>(&self, normal: [f32x8<S>; 3], position: [f32x8<S>; 3]) -> f32x8<S> {
        let simd = normal[0].token();
        let zero = f32x8::splat(simd, 0.0);
        match self.source {
            LightSource::Directional { to_light } => positive(dot(normal, splat(simd, to_light))),
            LightSource::Point { position: light, inverse_range_squared, cone } => {
                let toward = subtract(splat(simd, light), position);
                let smallest = f32x8::splat(simd, SMALLEST_DISTANCE_SQUARED);
                let squared = dot(toward, toward);
                let squared = squared.simd_gt(smallest).select(squared, smallest);
                let to_light = scale(toward, inverse_length(squared));
                let ratio = squared * inverse_range_squared;
                let window = positive(f32x8::splat(simd, 1.0) - ratio * ratio);
                let mut strength = positive(dot(normal, to_light)) * (window / squared);
                if let Some(cone) = cone {
                    let cosine = zero - dot(to_light, splat(simd, cone.axis));
                    let inside = positive(cosine * cone.scale + cone.offset);
                    let one = f32x8::splat(simd, 1.0);
                    let inside = inside.simd_lt(one).select(inside, one);
                    strength *= inside * inside;
                }
                strength
            }
        }
    }
}

/// max(0, x); 0 for not-a-number.
#[inline(always)]
fn positive<S: Simd>(x: f32x8<S>) -> f32x8<S> {
    let zero = f32x8::splat(x.token(), 0.0);
    x.simd_gt(zero).select(x, zero)
}
