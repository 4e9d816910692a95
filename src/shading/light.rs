//! [`Lighting`]: the light that falls on a surface.
//!
//! Why it exists: the lights of a file live in nodes that move; per fragment only their world-space numbers count.
//! They are made once a frame here, and each [`Light::irradiance`] follows KHR_lights_punctual: its range attenuation,
//! its cone fall-off, its units (lux for directional lights, candela for the others).

use std::f32::consts::{FRAC_1_PI, PI};

use fearless_simd::{Simd, f32x8, prelude::*};
use fearless_simd_macros::simd;
use glam::{Mat4, Vec3};

use super::{
    lane::Lane,
    shadow::ShadowMaps,
    vector::{add, scale, splat},
};
use refrast_range::{Number, difference, dot, each, scaled};
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

/// There is no such ambient light.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "an ambient light of {0} makes no picture; give the part of the base colour that is seen where no light falls, from 0 to 1000000"
)]
pub struct AmbientError(f32);

/// The strongest ambient light, as exposure has it.
const MOST_AMBIENT: f32 = 1e6;

/// All light that falls on a scene, in world space.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// The part of the base colour that is seen without any light, linear RGB.
    pub ambient: [f32; 3],
    /// In the order in which their light is added up.
    pub lights: Vec<Light>,
    /// Who looks.
    pub eye: Eye,
    /// Whether lights cast shadows, so that fragments must know where they are.
    pub shadowed: bool,
}

/// Where a picture is seen from, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Eye {
    /// From a point, by a perspective camera: metres.
    Point([f32; 3]),
    /// Along parallel lines, by an orthographic one: the unit vector toward the viewer.
    Direction([f32; 3]),
}

impl Eye {
    /// The eye of a camera: `view` is world space → view space, `projection` view space → clip space.
    #[must_use]
    pub fn of(view: Mat4, projection: Mat4) -> Self {
        let to_world = view.inverse();
        if projection.row(3).truncate() == Vec3::ZERO {
            return Self::Direction(direction(to_world.z_axis.truncate(), Vec3::Z));
        }
        Self::Point(to_world.w_axis.truncate().to_array())
    }
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
    /// `view` takes world space to view space (right-handed, looking along −Z, in perspective).
    #[must_use]
    pub fn headlight(view: Mat4) -> Self {
        let eye = Eye::Point(view.inverse().w_axis.truncate().to_array());
        Self { ambient: [HEADLIGHT_AMBIENT; 3], lights: vec![Light::head(view)], eye, shadowed: false }
    }

    /// The lights of the nodes that the scene draws, in draw order; the headlight where there is none.
    ///
    /// `world` has each node's node space → world space, by node index; `view` is as in
    /// [`headlight`](Self::headlight), and `projection` view space → clip space.
    #[must_use]
    pub fn new(scene: &Scene, world: &[Mat4], view: Mat4, projection: Mat4) -> Self {
        let eye = Eye::of(view, projection);
        let mut lighting = Self { ambient: [SCENE_AMBIENT; 3], lights: Vec::new(), eye, shadowed: false };
        lighting.set(scene, world, view, projection);
        lighting
    }

    /// As [`new`](Self::new), in the memory of `self`; whether shadows are cast stays as it is.
    pub fn set(&mut self, scene: &Scene, world: &[Mat4], view: Mat4, projection: Mat4) {
        self.eye = Eye::of(view, projection);
        let lit = scene.drawn.iter().filter_map(|&node| Some((scene.nodes[node].light?, world[node])));
        self.ambient = [SCENE_AMBIENT; 3];
        self.lights.clear();
        self.lights.extend(lit.map(|(light, world)| Light::new(&scene.lights[light], world)));
        if self.lights.is_empty() {
            self.ambient = [HEADLIGHT_AMBIENT; 3];
            self.lights.push(Light::head(view));
        }
    }

    /// Ambient light that a picture can be drawn with.
    ///
    /// # Errors
    ///
    /// When it is below 0, above a million or no number.
    pub fn check_ambient(ambient: f32) -> Result<f32, AmbientError> {
        if (0.0..=MOST_AMBIENT).contains(&ambient) { Ok(ambient) } else { Err(AmbientError(ambient)) }
    }

    /// Puts a grey in place of the ambient light; `None` leaves it as it is.
    pub fn set_ambient(&mut self, ambient: Option<f32>) {
        if let Some(ambient) = ambient {
            self.ambient = [ambient; 3];
        }
    }

    /// Whether a fragment must know where it is, and not only how it is turned.
    #[must_use]
    pub fn needs_position(&self) -> bool {
        self.shadowed || self.lights.iter().any(|light| matches!(light.source, LightSource::Point { .. }))
    }

    /// The unit vector from a position to the eye.
    #[inline(always)]
    pub(super) fn to_eye<N: Number>(&self, position: [N; 3]) -> [N; 3] {
        let any = position[0];
        match self.eye {
            Eye::Direction(direction) => each(direction, |component| any.derived(component, 1.0)),
            Eye::Point(point) => {
                let size = point.iter().fold(0.0f32, |size, component| size.max(component.abs()));
                let eye = each(point, |component| any.derived(component, size));
                N::normalized(difference(eye, position))
            }
        }
    }

    /// What a white Lambert surface with the unit `normal` sends out: ambient, then each light's part, added in order.
    /// `position` is read only where [`needs_position`](Self::needs_position).
    #[inline(always)]
    pub(super) fn white_radiance<S: Simd>(&self, normal: [f32x8<S>; 3], position: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
        white_radiance(normal[0].token(), self, normal, position)
    }

    /// The same, with what shadows leave of each light.
    #[inline(always)]
    pub(super) fn shadowed_radiance<S: Simd>(
        &self,
        shadows: &ShadowMaps,
        normal: [f32x8<S>; 3],
        position: [f32x8<S>; 3],
    ) -> [f32x8<S>; 3] {
        shadowed_radiance(normal[0].token(), (self, shadows), normal, position)
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
        let strength = light.strength(each(normal, Lane), each(position, Lane));
        sum = add(sum, scale(splat(simd, light.radiance), strength.0));
    }
    sum
}

/// As [`white_radiance`]: what a light sends is multiplied by its part that arrives.
#[simd]
fn shadowed_radiance<S: Simd>(
    simd: S,
    (lighting, shadows): (&Lighting, &ShadowMaps),
    normal: [f32x8<S>; 3],
    position: [f32x8<S>; 3],
) -> [f32x8<S>; 3] {
    let mut sum = splat(simd, lighting.ambient);
    for (number, light) in lighting.lights.iter().enumerate() {
        let Lane(mut strength) = light.strength(each(normal, Lane), each(position, Lane));
        if let Some(visibility) = shadows.visibility(simd, number, position) {
            strength *= visibility;
        }
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

    /// What arrives at a position, for any surface there.
    #[inline(always)]
    pub(super) fn incidence<N: Number>(&self, position: [N; 3]) -> Incidence<N> {
        let any = position[0];
        let direction = |vector: [f32; 3]| each(vector, |component| any.derived(component, 1.0));
        match self.source {
            LightSource::Directional { to_light } => {
                Incidence { to_light: direction(to_light), falloff: None, inside: None }
            }
            LightSource::Point { position: light, inverse_range_squared, cone } => {
                let light = each(light, |component| any.derived(component, component));
                let toward = difference(light, position);
                let squared = dot(toward, toward).at_least(SMALLEST_DISTANCE_SQUARED);
                let to_light = scaled(toward, squared.inverse_square_root());
                let ratio = squared * any.derived(inverse_range_squared, inverse_range_squared);
                let window = (any.constant(1.0) - ratio.squared()).at_least(0.0);
                let mut inside = None;
                if let Some(cone) = cone {
                    let cosine = any.constant(0.0) - dot(to_light, direction(cone.axis));
                    let (scale, offset) = (any.derived(cone.scale, cone.scale), any.derived(cone.offset, cone.scale));
                    inside = Some((cosine * scale + offset).at_least(0.0).at_most(1.0));
                }
                Incidence { to_light, falloff: Some(window.divided_by(squared)), inside }
            }
        }
    }

    /// max(0, N·L), times the attenuation of a point or spot light.
    #[inline(always)]
    fn strength<S: Simd>(&self, normal: [Lane<S>; 3], position: [Lane<S>; 3]) -> Lane<S> {
        let Incidence { to_light, falloff, inside } = self.incidence(position);
        let mut strength = dot(normal, to_light).at_least(0.0);
        if let Some(falloff) = falloff {
            strength = strength * falloff;
        }
        if let Some(inside) = inside {
            strength = strength * inside.squared();
        }
        strength
    }
}

/// What a light sends to a position.
#[derive(Clone, Copy)]
pub(super) struct Incidence<N> {
    /// Unit vector to the light.
    pub(super) to_light: [N; 3],
    /// (1 − (distance/range)⁴) ÷ distance², for lights that are somewhere.
    falloff: Option<N>,
    /// How far inside a cone, 0 to 1; its square attenuates.
    inside: Option<N>,
}

impl<N: Number> Incidence<N> {
    /// What the light is multiplied by, where it is.
    #[inline(always)]
    pub(super) fn attenuation(&self) -> Option<N> {
        match (self.falloff, self.inside) {
            (Some(falloff), Some(inside)) => Some(falloff * inside.squared()),
            (falloff, inside) => falloff.or(inside),
        }
    }
}
