//! Metallic-roughness in f64: written from Appendix B of glTF 2.0 and KHR_materials_specular, anisotropy, sheen and clearcoat, with the visibility of
//! the Khronos sample renderer.

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
    pub(super) grain: Option<Grain>,
    pub(super) sheen: Option<Sheen>,
    pub(super) coat: Option<Coat>,
}

/// Anisotropy: strength, the direction in which highlights are long, and what is at right angles to it.
pub(super) struct Grain {
    pub(super) strength: f64,
    pub(super) along: [f64; 3],
    pub(super) across: [f64; 3],
}

impl Grain {
    /// D·V of KHR_materials_anisotropy; both sums are kept from 0 where a normal map leans the normal out of its frame.
    fn microfacets(&self, normal: [f64; 3], roughness: f64, [to_light, eye, half]: [[f64; 3]; 3]) -> f64 {
        let across = roughness.max(0.045) * roughness.max(0.045);
        let along = across + (1.0 - across) * self.strength * self.strength;
        let (nl, nv, nh) = (dot(normal, to_light), dot(normal, eye).abs(), dot(normal, half).clamp(0.0, 1.0));
        if nl <= 0.0 {
            return 0.0;
        }
        let frame = |direction: [f64; 3]| [dot(self.along, direction), dot(self.across, direction)];
        let [t, b] = frame(half);
        let squares = libm::pow(across * t, 2.0) + libm::pow(along * b, 2.0) + libm::pow(along * across * nh, 2.0);
        let d = libm::pow(along * across, 3.0) / (PI * libm::pow(squares.max(1e-12), 2.0));
        let masking = |direction: [f64; 3], n: f64| {
            let [t, b] = frame(direction);
            (libm::pow(along * t, 2.0) + libm::pow(across * b, 2.0) + n * n).max(1e-8).sqrt()
        };
        d * 0.5 / (nl * masking(eye, nv) + nv * masking(to_light, nl))
    }
}

/// Fibres: colour and roughness.
pub(super) struct Sheen {
    pub(super) color: [f64; 3],
    pub(super) roughness: f64,
}

impl Sheen {
    /// D·V of KHR_materials_sheen, with its second visibility.
    fn fibres(&self, nl: f64, nv: f64, nh: f64) -> f64 {
        let alpha = self.roughness.max(0.07) * self.roughness.max(0.07);
        let d = (2.0 + 1.0 / alpha) * libm::pow((1.0 - nh * nh).max(1e-8), 0.5 / alpha) / (2.0 * PI);
        if nl > 0.0 { d / (4.0 * (nl + nv - nl * nv)) } else { 0.0 }
    }

    /// max3(sheenColor)·E, by the polynomials of the model's page.
    fn taken(&self, cosine: f64) -> f64 {
        let r = self.roughness.max(0.07);
        let rows = [
            [0.00139667, -0.0423006, 0.987904, 0.381524, -0.168883],
            [-0.0115647, 0.444485, -0.609379, 1.673684, -1.035299],
            [0.0560543, -0.836727, 3.279102, -7.016825, 4.324504],
            [0.164759, 0.259273, -1.495219, 4.193077, -2.919523],
        ];
        let mut p = -0.002382 / (cosine + 0.06);
        for (i, row) in rows.iter().enumerate() {
            for (j, a) in row.iter().enumerate() {
                p += a * libm::pow(cosine, i as f64) * libm::pow(r, j as f64 - 2.0);
            }
        }
        let most = self.color.iter().fold(0.0f64, |most, own| most.max(*own));
        most * libm::pow(p.max(1.0), -4.0)
    }
}

/// A clear coat: strength, roughness and normal.
pub(super) struct Coat {
    pub(super) strength: f64,
    pub(super) roughness: f64,
    pub(super) normal: [f64; 3],
}

impl Coat {
    /// The weight of `fresnel_coat` in KHR_materials_clearcoat, with an index of refraction of 1.5.
    fn weight(&self, eye: [f64; 3]) -> f64 {
        self.strength * (0.04 + 0.96 * libm::pow(1.0 - dot(self.normal, eye).abs().min(1.0), 5.0))
    }
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 { vector.map(|component| component / length) } else { [0.0; 3] }
}

/// Light to the eye from all lights, all around and the surface itself.
pub(super) fn shade(surface: &Surface, lighting: &Lighting, emission: [f64; 3]) -> [f64; 3] {
    let eye = match lighting.eye {
        Eye::Point(eye) => unit([0, 1, 2].map(|i: usize| f64::from(eye[i]) - surface.position[i])),
        Eye::Direction(direction) => direction.map(f64::from),
    };
    let weight = surface.coat.as_ref().map_or(0.0, |coat| coat.weight(eye));
    let left = surface.sheen.as_ref().map_or(1.0, |sheen| 1.0 - sheen.taken(dot(surface.normal, eye).abs()));
    let mut color = [0, 1, 2].map(|i: usize| {
        (1.0 - weight) * (f64::from(lighting.ambient[i]) * surface.occlusion * left * surface.base[i] + emission[i])
    });
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
        let on_top = surface.coat.as_ref().map_or(0.0, |coat| {
            let half = unit([0, 1, 2].map(|i: usize| to_light[i] + eye[i]));
            weight
                * dot(coat.normal, to_light).max(0.0)
                * microfacets(coat.normal, coat.roughness, [to_light, eye, half])
        });
        for (i, color) in color.iter_mut().enumerate() {
            // The radiance has Lambert's 1/π in it.
            let arriving = PI * f64::from(light.radiance[i]) * attenuation;
            *color += arriving * ((1.0 - weight) * cosine * brdf[i] + on_top);
        }
    }
    color
}

/// D·V.
fn microfacets(normal: [f64; 3], roughness: f64, [to_light, eye, half]: [[f64; 3]; 3]) -> f64 {
    let alpha = roughness.max(0.045) * roughness.max(0.045);
    let (nl, nv, nh) = (dot(normal, to_light), dot(normal, eye).abs(), dot(normal, half).clamp(0.0, 1.0));
    let f = nh * nh * (alpha * alpha - 1.0) + 1.0;
    let masking = |cosine: f64| (cosine * cosine * (1.0 - alpha * alpha) + alpha * alpha).sqrt();
    let v = if nl > 0.0 { 0.5 / (nl * masking(nv) + nv * masking(nl)) } else { 0.0 };
    alpha * alpha / (PI * f * f) * v
}

/// mix(dielectric, metal, metallic).
fn brdf(surface: &Surface, to_light: [f64; 3], eye: [f64; 3]) -> [f64; 3] {
    let half = unit([0, 1, 2].map(|i: usize| to_light[i] + eye[i]));
    let shine = match &surface.grain {
        None => microfacets(surface.normal, surface.roughness, [to_light, eye, half]),
        Some(grain) => grain.microfacets(surface.normal, surface.roughness, [to_light, eye, half]),
    };
    let vh = dot(eye, half).clamp(0.0, 1.0);
    let schlick = |f0: f64| f0 + (1.0 - f0) * libm::pow(1.0 - vh, 5.0);
    let most = surface.f0.iter().fold(0.0f64, |most, f0| most.max(schlick(*f0)));
    let (nl, nv) = (dot(surface.normal, to_light).max(0.0), dot(surface.normal, eye).abs());
    let (left, fibres) = surface.sheen.as_ref().map_or((1.0, [0.0; 3]), |sheen| {
        let shine = sheen.fibres(nl, nv, dot(surface.normal, half).clamp(0.0, 1.0));
        (1.0 - sheen.taken(nl).max(sheen.taken(nv)), sheen.color.map(|color| color * shine))
    });
    [0, 1, 2].map(|i: usize| {
        let base = surface.base[i];
        let layer = surface.specular * schlick(surface.f0[i]) * shine;
        let dielectric = (1.0 - surface.specular * most) * base / PI + layer;
        let metal = schlick(base) * shine;
        left * ((1.0 - surface.metallic) * dielectric + surface.metallic * metal) + fibres[i]
    })
}
