//! The material of glTF 2.0, one fragment at a time, from the shading model's text (sections 7 to 9).

use super::{
    arithmetic::{Arithmetic, Vector, add, scale},
    light::Incidence,
};
use refrast_shading::{Development, ToneMapping};

/// What a fragment's surface is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Substance {
    pub(super) metallic: f32,
    pub(super) roughness: f32,
    pub(super) occlusion: f32,
    /// Reflectance of what is not metal, head-on.
    pub(super) reflectance: Vector,
    pub(super) specular: f32,
}

/// The texel of a normal map in the frame of normal and tangent.
pub(super) fn mapped(
    arithmetic: Arithmetic,
    normal: Vector,
    tangent: [f32; 4],
    texel: [f32; 3],
    factor: f32,
) -> Vector {
    let [x, y, z] = texel.map(|channel| arithmetic.multiply_add(2.0, channel, -1.0));
    let [tx, ty, tz, handedness] = tangent;
    let bitangent = scale(arithmetic.cross(normal, [tx, ty, tz]), handedness);
    let along = [x * factor, y * factor, z];
    let component = |i: usize| arithmetic.dot(along, [[tx, ty, tz][i], bitangent[i], normal[i]]);
    arithmetic.normalize([component(0), component(1), component(2)])
}

/// What one light adds: of the base colour, and beside it. `arriving` is its radiance at the surface.
pub(super) fn reflect(
    arithmetic: Arithmetic,
    substance: &Substance,
    incidence: &Incidence,
    (normal, to_eye): (Vector, Vector),
) -> [Vector; 2] {
    let alpha = substance.roughness.max(0.045) * substance.roughness.max(0.045);
    let alpha_squared = alpha * alpha;
    let half = arithmetic.normalize(add(incidence.to_light, to_eye));
    let normal_light = arithmetic.dot(normal, incidence.to_light).max(0.0);
    let normal_view = arithmetic.dot(normal, to_eye).abs();
    let normal_half = arithmetic.dot(normal, half).clamp(0.0, 1.0);
    let view_half = arithmetic.dot(to_eye, half).clamp(0.0, 1.0);

    let falling = 1.0 - view_half;
    let grazing = falling * falling * (falling * falling) * falling;
    let spread = arithmetic.multiply_add(normal_half * normal_half, alpha_squared - 1.0, 1.0);
    let distribution = alpha_squared / (spread * spread);
    let masking = |cosine: f32| arithmetic.multiply_add(cosine * cosine, 1.0 - alpha_squared, alpha_squared).sqrt();
    let visibility = if normal_light > 0.0 {
        let (eye, light) = (normal_light * masking(normal_view), normal_view * masking(normal_light));
        0.5 * normal_light / (eye + light)
    } else {
        0.0
    };
    let shine = distribution * visibility;

    let Substance { metallic, specular, reflectance, .. } = *substance;
    let fresnel = reflectance.map(|own| arithmetic.multiply_add(1.0 - own, grazing, own));
    let strongest = fresnel[0].max(fresnel[1]).max(fresnel[2]);
    let diffuse = (1.0 - specular * strongest) * normal_light;
    let of_base = (1.0 - metallic) * diffuse + metallic * (shine * (1.0 - grazing));
    let beside = fresnel.map(|fresnel| shine * ((1.0 - metallic) * specular * fresnel + metallic * grazing));
    [scale(incidence.radiance, of_base), [0, 1, 2].map(|i| incidence.radiance[i] * beside[i])]
}

/// Exposure and tone.
pub(super) fn developed(development: Development, color: Vector) -> Vector {
    let color = scale(color, development.exposure);
    match development.tone {
        ToneMapping::None => color,
        ToneMapping::Neutral => neutral(color),
    }
}

fn neutral(color: Vector) -> Vector {
    let least = color[0].min(color[1]).min(color[2]);
    let foot = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
    let color = color.map(|channel| channel - foot);
    let peak = color[0].max(color[1]).max(color[2]);
    if peak < 0.76 {
        return color;
    }
    let limit = 1.0 - 0.24 * 0.24 / (peak + 0.24 - 0.76);
    let grey = 1.0 - 1.0 / (0.15 * (peak - limit) + 1.0);
    color.map(|channel| {
        let dimmed = channel * (limit / peak);
        dimmed + grey * (limit - dimmed)
    })
}
