//! The material of glTF 2.0, one fragment at a time, from the shading model's text (sections 7 to 9).

use std::f32::consts::PI;

use super::{
    arithmetic::{Arithmetic, Vector, add, scale},
    faults::Faults,
    light::Incidence,
};
use crate::Fault;
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
    pub(super) grain: Option<Grain>,
    pub(super) sheen: Option<Sheen>,
}

/// Which way a surface is brushed: the direction in which highlights are long, the one at right angles to it, both in the
/// plane of the interpolated normal, and how much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grain {
    pub(super) strength: f32,
    pub(super) along: Vector,
    pub(super) across: Vector,
}

/// Fibres that stand on a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheen {
    pub(super) color: Vector,
    /// Perceptual.
    pub(super) roughness: f32,
}

/// A clear coat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coat {
    pub(super) strength: f32,
    pub(super) roughness: f32,
    pub(super) normal: Vector,
}

impl Substance {
    /// What single reflections are multiplied by to stand for all: 1 + F₀·(1 ÷ E − 1), E being the part of light by an angle that a
    /// white mirror of this roughness sends back at once, by MaterialX' fit of that integral, which is 0.04 off at most.
    pub(super) fn several_times(&self, base: Vector, normal_view: f32) -> Vector {
        let Self { metallic, specular, reflectance, .. } = *self;
        let (x, y) = (normal_view, self.roughness * self.roughness);
        let terms = [1.0, x, y, x * y, x * x, y * y, x * x * y, x * y * y, x * x * y * y];
        let sum = |row: [f32; 9]| row.iter().zip(terms).map(|(own, term)| own * term).sum::<f32>();
        let of_color = sum([0.1003, -0.6303, 9.748, -2.038, 29.34, -8.245, -26.44, 19.99, -5.448])
            / sum([1.0, -1.765, 8.263, 11.53, 28.96, -7.507, -36.11, 15.86, 33.37]);
        let at_grazing = sum([0.9345, -2.323, 2.229, -3.748, 1.424, -0.7684, 1.436, 0.2913, 0.6286])
            / sum([1.0, 0.2281, 15.94, -55.83, 13.08, 41.26, 54.9, 300.2, -285.1]);
        let lost = (1.0 / (of_color.clamp(0.0, 1.0) + at_grazing.clamp(0.0, 1.0)) - 1.0).max(0.0);
        [0, 1, 2].map(|i| 1.0 + lost * ((1.0 - metallic) * specular * reflectance[i] + metallic * base[i]))
    }
}

impl Coat {
    /// How much of all light it reflects.
    pub(super) fn weight(&self, arithmetic: Arithmetic, to_eye: Vector) -> f32 {
        let falling = 1.0 - arithmetic.dot(self.normal, to_eye).abs().min(1.0);
        let grazing = falling * falling * (falling * falling) * falling;
        self.strength * arithmetic.multiply_add(0.96, grazing, 0.04)
    }

    /// What it reflects of one light, before its weight.
    pub(super) fn reflect(&self, arithmetic: Arithmetic, incidence: &Incidence, to_eye: Vector) -> Vector {
        let half = arithmetic.normalize(add(incidence.to_light, to_eye));
        let normal_light = arithmetic.dot(self.normal, incidence.to_light).max(0.0);
        let normal_view = arithmetic.dot(self.normal, to_eye).abs();
        let normal_half = arithmetic.dot(self.normal, half).clamp(0.0, 1.0);
        let roughness = self.roughness.max(0.045);
        let shine = shine(arithmetic, roughness * roughness, [normal_light, normal_view, normal_half]);
        scale(incidence.radiance, shine)
    }
}

impl Sheen {
    fn least(&self) -> f32 {
        self.roughness.max(0.07)
    }

    /// max(colour)·E for a cosine: what they keep from the base.
    fn taken(&self, arithmetic: Arithmetic, cosine: f32) -> f32 {
        let r = self.least();
        let row = |coefficients: [f32; 5]| {
            coefficients.into_iter().rev().reduce(|sum, own| arithmetic.multiply_add(sum, r, own)).unwrap_or_default()
        };
        let rows = [
            row([0.001_396_67, -0.042_300_6, 0.987_904, 0.381_524, -0.168_883]),
            row([-0.011_564_7, 0.444_485, -0.609_379, 1.673_684, -1.035_299]),
            row([0.056_054_3, -0.836_727, 3.279_102, -7.016_825, 4.324_504]),
            row([0.164_759, 0.259_273, -1.495_219, 4.193_077, -2.919_523]),
        ];
        let sum = rows.into_iter().rev().reduce(|sum, own| arithmetic.multiply_add(sum, cosine, own));
        let p = (sum.unwrap_or_default() / (r * r) - 0.002_382 / (cosine + 0.06)).max(1.0);
        let [red, green, blue] = self.color;
        red.max(green).max(blue) / ((p * p) * (p * p))
    }

    /// The part of ambient light that is left for the base.
    pub(super) fn left_of_ambient(&self, arithmetic: Arithmetic, (normal, to_eye): (Vector, Vector)) -> f32 {
        1.0 - self.taken(arithmetic, arithmetic.dot(normal, to_eye).abs())
    }

    /// The part of a light that is left for the base.
    fn left(&self, arithmetic: Arithmetic, [normal_light, normal_view]: [f32; 2]) -> f32 {
        1.0 - self.taken(arithmetic, normal_view).max(self.taken(arithmetic, normal_light))
    }

    /// π·D·V·(N·L) for the cosines N·L, |N·V| and N·H.
    fn shine(&self, arithmetic: Arithmetic, [normal_light, normal_view, normal_half]: [f32; 3], faults: Faults) -> f32 {
        if normal_light <= 0.0 {
            return 0.0;
        }
        let is_plain = faults.has(Fault::SheenRoughnessNotSquared);
        let turns = 0.5 / if is_plain { self.least() } else { self.least() * self.least() };
        let sine_squared = arithmetic.multiply_add(-normal_half, normal_half, 1.0).max(1e-8);
        let distribution = (1.0 + turns) * libm::exp2f(turns * libm::log2f(sine_squared));
        let around = arithmetic.multiply_add(-normal_light, normal_view, normal_light + normal_view);
        distribution * (0.25 * normal_light / around)
    }
}

impl Grain {
    /// π·D·V·(N·L), by the extension's own formulas, for α and the cosines N·L, |N·V| and N·H.
    fn shine(
        &self,
        arithmetic: Arithmetic,
        (alpha, faults): (f32, Faults),
        [to_light, to_eye, half]: [Vector; 3],
        [normal_light, normal_view, normal_half]: [f32; 3],
    ) -> f32 {
        if normal_light <= 0.0 {
            return 0.0;
        }
        let is_plain = faults.has(Fault::AnisotropyNotSquared);
        let share = if is_plain { self.strength } else { self.strength * self.strength };
        let long = arithmetic.multiply_add(alpha, 1.0 - share, share);
        let [light, view, half] = [to_light, to_eye, half]
            .map(|direction| [arithmetic.dot(self.along, direction), arithmetic.dot(self.across, direction)]);
        let product = long * alpha;
        let around = [alpha * half[0], long * half[1], product * normal_half];
        let ratio = product / arithmetic.dot(around, around).max(1e-12);
        let masking = |[tangent, bitangent]: [f32; 2], cosine: f32| {
            let stretched = [long * tangent, alpha * bitangent, cosine];
            arithmetic.dot(stretched, stretched).max(1e-8).sqrt()
        };
        let hidden = normal_light * masking(view, normal_view) + normal_view * masking(light, normal_light);
        product * ratio * ratio * (0.5 * normal_light / hidden)
    }
}

/// π·D·V·(N·L) for α and the cosines N·L, |N·V| and N·H.
fn shine(arithmetic: Arithmetic, alpha: f32, [normal_light, normal_view, normal_half]: [f32; 3]) -> f32 {
    let alpha_squared = alpha * alpha;
    let spread = arithmetic.multiply_add(normal_half * normal_half, alpha_squared - 1.0, 1.0);
    let distribution = alpha_squared / (spread * spread);
    let masking = |cosine: f32| arithmetic.multiply_add(cosine * cosine, 1.0 - alpha_squared, alpha_squared).sqrt();
    let visibility = if normal_light > 0.0 {
        let (eye, light) = (normal_light * masking(normal_view), normal_view * masking(normal_light));
        0.5 * normal_light / (eye + light)
    } else {
        0.0
    };
    distribution * visibility
}

/// The texel of a normal map in a frame: tangent, bitangent, normal.
pub(super) fn mapped(
    arithmetic: Arithmetic,
    [tangent, bitangent, normal]: [Vector; 3],
    texel: Vector,
    factor: f32,
    faults: Faults,
) -> Vector {
    let [x, mut y, mut z] = texel.map(|channel| arithmetic.multiply_add(2.0, channel, -1.0));
    if faults.has(Fault::NormalMapGreenFlipped) {
        y = -y;
    }
    if faults.has(Fault::NormalMapZRebuilt) {
        z = (1.0 - arithmetic.dot([x, y, 0.0], [x, y, 0.0])).max(0.0).sqrt();
    }
    if faults.has(Fault::NormalScaleOnZ) {
        z *= factor;
    }
    if faults.has(Fault::TwoChannelZMissing) {
        z = -1.0;
    }
    let along = [x * factor, y * factor, z];
    let component = |i: usize| arithmetic.dot(along, [tangent[i], bitangent[i], normal[i]]);
    arithmetic.normalize([component(0), component(1), component(2)])
}

/// What one light adds: of the base colour, and beside it. What is reflected is multiplied by `several`.
pub(super) fn reflect(
    arithmetic: Arithmetic,
    (substance, several): (&Substance, Vector),
    incidence: &Incidence,
    (normal, to_eye): (Vector, Vector),
    faults: Faults,
) -> [Vector; 2] {
    let roughness = substance.roughness.max(0.045);
    let mut alpha = roughness * roughness;
    if faults.has(Fault::RoughnessNotSquared) {
        alpha = roughness;
    }
    if faults.has(Fault::RoughnessSquaredTwice) {
        alpha *= alpha;
    }
    let half = arithmetic.normalize(add(incidence.to_light, to_eye));
    let normal_light = arithmetic.dot(normal, incidence.to_light).max(0.0);
    let toward_eye = arithmetic.dot(normal, to_eye);
    let normal_view = if faults.has(Fault::ViewCosineClamped) { toward_eye.max(0.0) } else { toward_eye.abs() };
    let normal_half = arithmetic.dot(normal, half).clamp(0.0, 1.0);
    let view_half = arithmetic.dot(to_eye, half).clamp(0.0, 1.0);

    let falling = 1.0 - view_half;
    let grazing = falling * falling * (falling * falling) * falling;
    let cosines = [normal_light, normal_view, normal_half];
    let shine = match &substance.grain {
        None => shine(arithmetic, alpha, cosines),
        Some(grain) => grain.shine(arithmetic, (alpha, faults), [incidence.to_light, to_eye, half], cosines),
    };

    let Substance { metallic, specular, reflectance, .. } = *substance;
    let fresnel = reflectance.map(|own| arithmetic.multiply_add(1.0 - own, grazing, own));
    let reflected = if faults.has(Fault::DiffuseFresnelHeadOn) { reflectance } else { fresnel };
    let strongest = reflected[0].max(reflected[1]).max(reflected[2]);
    let scattered = |roughness: f32| {
        let more = 2.0 * roughness * (view_half * view_half) - 0.5;
        let along = |cosine: f32| {
            let falling = 1.0 - cosine.min(1.0);
            arithmetic.multiply_add(more, falling * falling * (falling * falling) * falling, 1.0)
        };
        along(normal_light) * along(normal_view)
    };
    let beneath = if faults.has(Fault::DiffuseBurley) {
        scattered(substance.roughness)
    } else if faults.has(Fault::DiffuseBurleySquared) {
        scattered(substance.roughness * substance.roughness)
    } else if faults.has(Fault::DiffuseWithoutFresnel) {
        1.0
    } else {
        1.0 - specular * strongest
    };
    let mut diffuse = beneath * normal_light;
    if faults.has(Fault::DiffuseWithoutPi) {
        diffuse *= PI;
    }
    let (mut of_metal, mut at_grazing) = (metallic * (shine * (1.0 - grazing)), metallic * grazing);
    if faults.has(Fault::F0OfMetal) {
        of_metal = 0.0;
        at_grazing = metallic * (0.04 + 0.96 * grazing);
    }
    let mut of_base = several.map(|several| (1.0 - metallic) * diffuse + of_metal * several);
    let mut beside = [0, 1, 2].map(|i| shine * ((1.0 - metallic) * specular * fresnel[i] + at_grazing) * several[i]);
    if let Some(sheen) = &substance.sheen {
        let all = faults.has(Fault::SheenAlbedoMissing);
        let left = if all { 1.0 } else { sheen.left(arithmetic, [normal_light, toward_eye.abs()]) };
        of_base = scale(of_base, left);
        beside = add(scale(beside, left), scale(sheen.color, sheen.shine(arithmetic, cosines, faults)));
    }
    let shaded = if faults.has(Fault::OcclusionOnDirect) { substance.occlusion } else { 1.0 };
    let arriving = scale(incidence.radiance, shaded);
    [of_base, beside].map(|part| [0, 1, 2].map(|i| arriving[i] * part[i]))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of light by an angle that a white mirror sends back at once: ∫ D·V·(N·L) over all directions of light, by the middle
    /// direction h, dω = 4·(V·h)·dωₕ, in f64.
    fn sent_back(roughness: f64, normal_view: f64) -> f64 {
        let squared = (roughness * roughness) * (roughness * roughness);
        let view = [(1.0 - normal_view * normal_view).sqrt(), 0.0, normal_view];
        let masking = |cosine: f64| (cosine * cosine * (1.0 - squared) + squared).sqrt();
        let (steps, mut sum) = (400, 0.0);
        for ring in 0..steps {
            let lean = (f64::from(ring) + 0.5) / f64::from(steps) * std::f64::consts::FRAC_PI_2;
            let (sine, cosine) = libm::sincos(lean);
            for turn in 0..steps {
                let around = (f64::from(turn) + 0.5) / f64::from(steps) * std::f64::consts::TAU;
                let half = [sine * libm::cos(around), sine * libm::sin(around), cosine];
                let view_half = view[0] * half[0] + view[2] * half[2];
                let normal_light = 2.0 * view_half * half[2] - view[2];
                if view_half <= 0.0 || normal_light <= 0.0 {
                    continue;
                }
                let spread = half[2] * half[2] * (squared - 1.0) + 1.0;
                let distribution = squared / (std::f64::consts::PI * spread * spread);
                let visibility = 0.5 / (normal_light * masking(normal_view) + normal_view * masking(normal_light));
                sum += distribution * visibility * normal_light * 4.0 * view_half * sine;
            }
        }
        sum * std::f64::consts::FRAC_PI_2 * std::f64::consts::TAU / f64::from(steps * steps)
    }

    #[test]
    fn a_white_mirror_sends_back_what_an_integral_says() {
        for roughness in [0.3f32, 0.5, 0.7, 0.9, 1.0] {
            for normal_view in [0.05f32, 0.15, 0.4, 0.7, 1.0] {
                let mirror = Substance {
                    metallic: 1.0,
                    roughness,
                    occlusion: 1.0,
                    reflectance: [0.04; 3],
                    specular: 1.0,
                    grain: None,
                    sheen: None,
                };
                let [several, ..] = mirror.several_times([1.0; 3], normal_view);
                let expected = sent_back(roughness.into(), normal_view.into());
                assert!(
                    (1.0 / f64::from(several) - expected).abs() < 0.04,
                    "{roughness} {normal_view}: {several} {expected}"
                );
            }
        }
    }
}
