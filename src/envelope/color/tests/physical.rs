//! Metallic-roughness in f64: written from Appendix B of glTF 2.0 and KHR_materials_specular, with the visibility of the
//! Khronos sample renderer.

use std::f64::consts::PI;

use refrast_shading::{Eye, LightSource, Lighting};

/// A point of a surface.
pub(super) struct Surface {
    pub(super) position: [f64; 3],
    pub(super) normal: [f64; 3],
    pub(super) base: [f64; 3],
    pub(super) metallic: f64,
    pub(super) roughness: f64,
    pub(super) occlusion: f64,
    pub(super) f0: [f64; 3],
    pub(super) specular: f64,
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 { vector.map(|component| component / length) } else { [0.0; 3] }
}

/// Light to the eye from all lights and all around.
pub(super) fn shade(surface: &Surface, lighting: &Lighting) -> [f64; 3] {
    let eye = match lighting.eye {
        Eye::Point(eye) => unit([0, 1, 2].map(|i: usize| f64::from(eye[i]) - surface.position[i])),
        Eye::Direction(direction) => direction.map(f64::from),
    };
    let mut color = [0, 1, 2].map(|i: usize| f64::from(lighting.ambient[i]) * surface.occlusion * surface.base[i]);
    for light in &lighting.lights {
        let (to_light, attenuation) = match light.source {
            LightSource::Directional { to_light } => (to_light.map(f64::from), 1.0),
            LightSource::Point { position: from, inverse_range_squared, cone } => {
                let toward = [0, 1, 2].map(|i: usize| f64::from(from[i]) - surface.position[i]);
                let squared = dot(toward, toward).max(1e-8);
                let toward = toward.map(|component| component / squared.sqrt());
                let ratio = squared * f64::from(inverse_range_squared);
                let inside = cone.map_or(1.0, |cone| {
                    let cosine = -dot(toward, cone.axis.map(f64::from));
                    (cosine * f64::from(cone.scale) + f64::from(cone.offset)).clamp(0.0, 1.0)
                });
                (toward, (1.0 - ratio * ratio).max(0.0) / squared * inside * inside)
            }
        };
        let cosine = dot(surface.normal, to_light).max(0.0);
        let brdf = brdf(surface, to_light, eye);
        for (i, color) in color.iter_mut().enumerate() {
            // The radiance has Lambert's 1/π in it.
            *color += PI * f64::from(light.radiance[i]) * attenuation * cosine * brdf[i];
        }
    }
    color
}

/// mix(dielectric, metal, metallic).
fn brdf(surface: &Surface, to_light: [f64; 3], eye: [f64; 3]) -> [f64; 3] {
    let half = unit([0, 1, 2].map(|i: usize| to_light[i] + eye[i]));
    let alpha = surface.roughness.max(0.045) * surface.roughness.max(0.045);
    let (nl, nv) = (dot(surface.normal, to_light), dot(surface.normal, eye).abs());
    let (nh, vh) = (dot(surface.normal, half).clamp(0.0, 1.0), dot(eye, half).clamp(0.0, 1.0));
    let f = nh * nh * (alpha * alpha - 1.0) + 1.0;
    let d = alpha * alpha / (PI * f * f);
    let masking = |cosine: f64| (cosine * cosine * (1.0 - alpha * alpha) + alpha * alpha).sqrt();
    let v = if nl > 0.0 { 0.5 / (nl * masking(nv) + nv * masking(nl)) } else { 0.0 };
    let schlick = |f0: f64| f0 + (1.0 - f0) * libm::pow(1.0 - vh, 5.0);
    let most = surface.f0.iter().fold(0.0f64, |most, f0| most.max(schlick(*f0)));
    [0, 1, 2].map(|i: usize| {
        let base = surface.base[i];
        let layer = surface.specular * schlick(surface.f0[i]) * d * v;
        let dielectric = (1.0 - surface.specular * most) * base / PI + layer;
        let metal = schlick(base) * d * v;
        (1.0 - surface.metallic) * dielectric + surface.metallic * metal
    })
}
