//! Against Appendix B of glTF 2.0 in f64, written apart; energy; the same bits in every lane.

use std::f64::consts::PI;

use fearless_simd::{Simd, f32x8, prelude::*};
use fearless_simd_macros::simd;
use glam::DVec3;

use super::*;
use crate::{
    lane::Lane,
    light::{Eye, Light, LightSource},
};
use refrast_simd::{SimdLevel, dispatch};

mod grain;
mod sheen;

/// Half a ULP of 1.
const U: f64 = 1.0 / (1u64 << 24) as f64;
const ARGUMENTS: usize = 100_000;

/// Numbers in [0, 1) (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1u32 << 24) as f32
    }

    fn direction(&mut self) -> [f32; 3] {
        let [x, y, z] = [self.next(), self.next(), self.next()].map(|number| number * 2.0 - 1.0);
        f32::normalized([x, y, z])
    }
}

/// D of the appendix, times π.
fn exact_distribution(cosine: f64, alpha_squared: f64) -> f64 {
    let f = cosine * cosine * (alpha_squared - 1.0) + 1.0;
    alpha_squared / (f * f)
}

/// V of the Khronos sample renderer.
fn exact_visibility(nl: f64, nv: f64, alpha_squared: f64) -> f64 {
    let v = nl * (nv * nv * (1.0 - alpha_squared) + alpha_squared).sqrt();
    let l = nv * (nl * nl * (1.0 - alpha_squared) + alpha_squared).sqrt();
    0.5 / (v + l)
}

#[test]
fn distribution_is_that_of_the_specification() {
    let mut dice = Dice(1);
    for _ in 0..ARGUMENTS {
        let cosine = dice.next();
        let alpha = dice.next().max(0.045).squared();
        let alpha_squared = alpha * alpha;
        let exact = exact_distribution(f64::from(cosine), f64::from(alpha_squared));
        // f is a difference: three roundings of numbers up to 1, and its square doubles what they are of f.
        let f = f64::from(cosine) * f64::from(cosine) * (f64::from(alpha_squared) - 1.0) + 1.0;
        let bound = exact * (8.0 * U / f + 4.0 * U);
        let found = f64::from(distribution(cosine, alpha_squared));
        assert!((found - exact).abs() <= bound, "{cosine}, {alpha_squared}: {found}, not {exact}");
    }
}

#[test]
fn visibility_is_that_of_the_sample_renderer() {
    let mut dice = Dice(2);
    for _ in 0..ARGUMENTS {
        let (light, view) = (dice.next().max(1e-3), dice.next());
        let alpha_squared = dice.next().max(4e-6);
        let exact = f64::from(light) * exact_visibility(light.into(), view.into(), alpha_squared.into());
        let found = f64::from(visibility(light, view, alpha_squared));
        // Sums of what is not negative, products, a root and two divisions: no digits are lost.
        assert!((found - exact).abs() <= 16.0 * U * exact, "{light}, {view}, {alpha_squared}: {found}, not {exact}");
    }
    assert_eq!(visibility(0.0f32, 0.0, 0.25), 0.0);
}

#[test]
fn fresnel_is_schlicks() {
    let mut dice = Dice(3);
    for _ in 0..ARGUMENTS {
        let cosine = dice.next();
        let exact = libm::pow(1.0 - f64::from(cosine), 5.0);
        let found = f64::from(grazing(cosine));
        assert!((found - exact).abs() <= 10.0 * U * exact, "{cosine}: {found}, not {exact}");
    }
    assert_eq!((grazing(0.0f32), grazing(1.0f32)), (1.0, 0.0));
}

/// Burley's course notes of 2012, section 5.3: f_d = base/π · (1 + (F_D90 − 1)(1 − cos θ_l)⁵)(1 + (F_D90 − 1)(1 − cos θ_v)⁵),
/// F_D90 = 0.5 + 2 cos² θ_d · roughness.
#[test]
fn scattered_light_is_burleys() {
    let mut dice = Dice(5);
    for _ in 0..ARGUMENTS {
        let [roughness, light, view, half] = std::array::from_fn(|_| dice.next());
        let wide = [roughness, light, view, half].map(f64::from);
        let most = 0.5 + 2.0 * wide[3] * wide[3] * wide[0];
        let along = |cosine: f64| 1.0 + (most - 1.0) * libm::pow(1.0 - cosine, 5.0);
        let exact = along(wide[1]) * along(wide[2]);
        let found = f64::from(scattered(roughness, [light, view, half]));
        // Each factor is between 0.5 and 2.5, and what is added to 1 is 10 roundings of 1.5 at most off.
        assert!(
            (found - exact).abs() <= 80.0 * U * exact,
            "{roughness}, {light}, {view}, {half}: {found}, not {exact}"
        );
    }
    // Light along the normal on a smooth surface that is seen from the side: half of Lambert's.
    assert_eq!(scattered(0.0f32, [1.0, 0.0, 0.5]), 0.5);
    assert_eq!(scattered(1.0f32, [0.0, 0.0, 1.0]), 6.25);
}

/// A surface with a light and an eye, all of them anywhere.
fn anything(dice: &mut Dice) -> (Surface<f32>, Lighting) {
    let color = |dice: &mut Dice| [dice.next(), dice.next(), dice.next()];
    let to_light = dice.direction();
    let light = Light { radiance: color(dice), source: LightSource::Directional { to_light } };
    let eye = Eye::Direction(dice.direction());
    let lighting = Lighting { ambient: color(dice), lights: vec![light], eye, shadowed: false };
    let surface = Surface {
        position: [0.0; 3],
        normal: dice.direction(),
        metallic: dice.next(),
        roughness: dice.next(),
        occlusion: dice.next(),
        reflectance: color(dice),
        specular: dice.next(),
        diffuse: Diffuse::Beneath,
        grain: None,
        sheen: None,
        coat: None,
    };
    (surface, lighting)
}

/// The same, brushed.
fn brushed(dice: &mut Dice) -> (Surface<f32>, Lighting) {
    let (surface, lighting) = anything(dice);
    let [along, across, normal] = grain::frame(dice);
    let grain = Grain { strength: dice.next(), along, across };
    (Surface { normal, grain: Some(grain), ..surface }, lighting)
}

/// The same under a coat.
fn coated(dice: &mut Dice) -> (Surface<f32>, Lighting) {
    let (surface, lighting) = anything(dice);
    let coat = Coat { strength: dice.next(), roughness: dice.next(), normal: dice.direction() };
    (Surface { coat: Some(coat), ..surface }, lighting)
}

/// The material of Appendix B, B.3.5, for a base colour: mix(dielectric, metal, metallic) under one light, and ambient. With it
/// comes how much the distribution and the visibility magnify what cosines are off by.
fn exact_color(surface: &Surface<f32>, lighting: &Lighting, base: [f64; 3]) -> ([f64; 3], f64) {
    let wide = |vector: [f32; 3]| DVec3::from_array(vector.map(f64::from));
    let (Eye::Direction(eye) | Eye::Point(eye)) = lighting.eye;
    let LightSource::Directional { to_light } = lighting.lights[0].source else { panic!("another light") };
    let (n, l, v) = (wide(surface.normal), wide(to_light), wide(eye));
    let h = (l + v).normalize();
    let alpha = libm::pow(f64::from(surface.roughness).max(0.045), 2.0);
    let a2 = alpha * alpha;
    let (nh, vh) = (n.dot(h).clamp(0.0, 1.0), v.dot(h).clamp(0.0, 1.0));
    let (d, visible, magnified) = match &surface.grain {
        None => {
            let f = nh * nh * (a2 - 1.0) + 1.0;
            (exact_distribution(nh, a2) / PI, exact_visibility(n.dot(l), n.dot(v).abs(), a2), 1.0 / f)
        }
        Some(own) => {
            let (along, across) = (wide(own.along), wide(own.across));
            let alphas = grain::exact_alphas(surface.roughness.into(), own.strength.into());
            let cosines = |vector: DVec3, cosine: f64| [along.dot(vector), across.dot(vector), cosine];
            let half = cosines(h, nh);
            let [to_light, to_eye] = [cosines(l, n.dot(l)), cosines(v, n.dot(v).abs())];
            let [light, eye] = [to_light, to_eye].map(|cosines| grain::exact_masking(cosines, alphas));
            let visible = 0.5 / (n.dot(l) * eye + n.dot(v).abs() * light);
            let squares = [half[0] / alphas[0], half[1] / alphas[1], half[2]];
            let length = squares.iter().map(|own| own * own).sum::<f64>();
            let slopes = half[0].abs() / (alphas[0] * alphas[0]) + half[1].abs() / (alphas[1] * alphas[1]) + half[2];
            (grain::exact_distribution(half, alphas) / PI, visible, slopes / length + 1.0 / light + 1.0 / eye)
        }
    };
    let visible = if n.dot(l) > 0.0 { visible } else { 0.0 };
    let schlick = |f0: f64| f0 + (1.0 - f0) * libm::pow(1.0 - vh, 5.0);
    let f0 = surface.reflectance.map(f64::from);
    let strongest = schlick(f0[0]).max(schlick(f0[1])).max(schlick(f0[2]));
    let (metallic, specular) = (f64::from(surface.metallic), f64::from(surface.specular));
    let color = [0, 1, 2].map(|i: usize| {
        let dielectric = (1.0 - specular * strongest) * base[i] / PI + specular * schlick(f0[i]) * d * visible;
        let metal = schlick(base[i]) * d * visible;
        let brdf = dielectric * (1.0 - metallic) + metal * metallic;
        let arriving = PI * f64::from(lighting.lights[0].radiance[i]) * n.dot(l).max(0.0);
        f64::from(lighting.ambient[i]) * f64::from(surface.occlusion) * base[i] + arriving * brdf
    });
    (color, magnified)
}

#[test]
fn the_whole_is_the_material_of_the_appendix() {
    let mut dice = Dice(4);
    let mut compared = 0;
    for number in 0..2 * ARGUMENTS {
        let surface = if number % 2 == 0 { anything } else { brushed };
        let (surface, lighting) = surface(&mut dice);
        let base = [dice.next(), dice.next(), dice.next()];
        let Reflected { scale, offset, .. } = reflected(&lighting, &surface, |_| None);
        let (exact, magnified) = exact_color(&surface, &lighting, base.map(f64::from));
        let (Eye::Direction(eye) | Eye::Point(eye)) = lighting.eye;
        let LightSource::Directional { to_light } = lighting.lights[0].source else { panic!("another light") };
        let [cosine, apart] = [surface.normal, eye].map(|vector| f64::from(dot(vector, to_light)));
        if (0.0..1e-2).contains(&cosine.abs()) || apart < -0.99 {
            // Grazing light, or light from behind the surface's mirror image, where cosines and H have few digits.
            continue;
        }
        compared += 1;
        for i in 0..3 {
            let found = f64::from(base[i] * scale[i] + offset[i]);
            // Some 40 roundings in all, cosines off by four of them, H by more where L and V are nearly opposite.
            let bound = (64.0 * U + 64.0 * U * magnified / (1.0 + apart).sqrt() + 8.0 * U / cosine.abs()) * exact[i];
            assert!((found - exact[i]).abs() <= bound + 1e-9, "{surface:?}: {found}, not {}", exact[i]);
        }
    }
    assert!(compared > ARGUMENTS, "{compared}");
}

/// KHR_materials_clearcoat: mix(base, D·V of the coat, strength · Schlick of the angle to the eye), for an index of 1.5; the base
/// is our own without a coat.
#[test]
fn a_coat_is_that_of_the_extension() {
    let mut dice = Dice(6);
    let mut compared = 0;
    for _ in 0..ARGUMENTS {
        let (surface, lighting) = coated(&mut dice);
        let Some(coat) = surface.coat else { unreachable!("it was given one") };
        let Reflected { scale, offset, beneath } = reflected(&lighting, &surface, |_| None);
        let below = reflected(&lighting, &Surface { coat: None, ..surface }, |_| None);
        let (Eye::Direction(eye) | Eye::Point(eye)) = lighting.eye;
        let LightSource::Directional { to_light } = lighting.lights[0].source else { panic!("another light") };
        let wide = |vector: [f32; 3]| DVec3::from_array(vector.map(f64::from));
        let (n, l, v) = (wide(coat.normal), wide(to_light), wide(eye));
        let h = (l + v).normalize();
        let weight = f64::from(coat.strength) * (0.04 + 0.96 * libm::pow(1.0 - n.dot(v).abs().min(1.0), 5.0));
        let close = |found: f32, exact: f64, bound: f64| (f64::from(found) - exact).abs() <= bound + 1e-9;
        let found = f64::from(beneath.expect("there is a coat"));
        assert!((found - (1.0 - weight)).abs() < 32.0 * U, "{found}, not {}", 1.0 - weight);
        let apart = l.dot(v);
        if (0.0..1e-2).contains(&n.dot(l).abs()) || n.dot(v).abs() < 1e-2 || apart < -0.99 {
            continue;
        }
        compared += 1;
        let alpha = libm::pow(f64::from(coat.roughness).max(0.045), 2.0);
        let f = libm::pow(n.dot(h).clamp(0.0, 1.0), 2.0) * (alpha * alpha - 1.0) + 1.0;
        let visible = if n.dot(l) > 0.0 { exact_visibility(n.dot(l), n.dot(v).abs(), alpha * alpha) } else { 0.0 };
        let shine = exact_distribution(n.dot(h).clamp(0.0, 1.0), alpha * alpha) * visible * n.dot(l).max(0.0);
        let magnified =
            128.0 * U + 64.0 * U / f / (1.0 + apart).sqrt() + 8.0 * U / n.dot(l).abs() + 8.0 * U / n.dot(v).abs();
        for i in 0..3 {
            let [own_scale, own_offset] = [below.scale[i], below.offset[i]].map(f64::from);
            assert!(close(scale[i], (1.0 - weight) * own_scale, 64.0 * U * own_scale), "{surface:?}");
            let on_top = weight * f64::from(lighting.lights[0].radiance[i]) * shine;
            let exact = (1.0 - weight) * own_offset + on_top;
            let bound = 64.0 * U * own_offset + magnified * on_top;
            assert!(close(offset[i], exact, bound), "{surface:?}: {}, not {exact}", offset[i]);
        }
    }
    assert!(compared > ARGUMENTS / 2, "{compared}");
}

/// ∫ brdf · cosine over all directions of light, by the midpoint rule, for a base of 1 and a view at this angle.
fn sent_back(metallic: f32, roughness: f32, angle: f64, grain: Option<Grain<f32>>) -> f64 {
    const STEPS: u32 = 384;
    let (sine, cosine) = libm::sincos(angle);
    let eye = Eye::Direction([sine as f32, 0.0, cosine as f32]);
    let mut sum = 0.0;
    for i in 0..STEPS {
        // Equal steps of the angle, where highlights are round.
        let theta = (f64::from(i) + 0.5) / f64::from(STEPS) * PI / 2.0;
        for j in 0..STEPS {
            let phi = (f64::from(j) + 0.5) / f64::from(STEPS) * 2.0 * PI;
            let ((st, ct), (sp, cp)) = (libm::sincos(theta), libm::sincos(phi));
            let to_light = [(st * cp) as f32, (st * sp) as f32, ct as f32];
            let source = LightSource::Directional { to_light };
            let lighting = Lighting {
                ambient: [0.0; 3],
                lights: vec![Light { radiance: [1.0; 3], source }],
                eye,
                shadowed: false,
            };
            let surface = Surface {
                position: [0.0; 3],
                normal: [0.0, 0.0, 1.0f32],
                metallic,
                roughness,
                occlusion: 1.0,
                reflectance: [0.04; 3],
                specular: 1.0,
                diffuse: Diffuse::Beneath,
                grain,
                sheen: None,
                coat: None,
            };
            let Reflected { scale, offset, .. } = reflected(&lighting, &surface, |_| None);
            // A radiance of 1 has Lambert's 1/π in it.
            let solid_angle = st * (PI / 2.0 / f64::from(STEPS)) * (2.0 * PI / f64::from(STEPS));
            sum += f64::from(scale[0] + offset[0]) / PI * solid_angle;
        }
    }
    sum
}

/// What a conductor that reflects all sends back, by angle and roughness (0.3, 0.6, 1), and what a white dielectric does:
/// 200,000 samples of visible normals each, weighed by F·G₂/G₁ (E. Heitz, *Sampling the GGX Distribution of Visible
/// Normals*, 2018), and as many of the cosine for what is below the coat, by another program.
///
/// A rough conductor loses what bounces between microfacets. A smooth white dielectric sends back more than it gets at grazing
/// angles: Appendix B takes from the diffuse light what the half vector's Fresnel term says, not what the coat reflects in all.
const SENT_BACK: [(f64, [f64; 3], [f64; 3]); 3] = [
    (0.01, [0.9905, 0.8237, 0.3066], [0.9995, 0.9930, 0.9722]),
    (0.6, [0.9880, 0.8063, 0.3442], [0.9993, 0.9926, 0.9734]),
    (1.2, [0.9588, 0.7866, 0.5189], [1.0786, 1.0139, 0.9783]),
];

#[test]
fn a_white_furnace_gets_back_what_microfacets_leave() {
    for (angle, metal, dielectric) in SENT_BACK {
        for (metallic, expected) in [(1.0, metal), (0.0, dielectric)] {
            for (roughness, expected) in [0.3, 0.6, 1.0].into_iter().zip(expected) {
                let found = sent_back(metallic, roughness, angle, None);
                // 200,000 samples of weights between 0 and 1 have a standard error below 0.0012.
                assert!((found - expected).abs() < 0.005, "{metallic}, {angle}, {roughness}: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn a_texel_of_a_normal_map_turns_the_normal() {
    let plain = MapReading::default();
    let (normal, tangent) = ([0.0, 0.0, 2.0f32], [0.5f32, 0.0, 0.0, 1.0]);
    let flat = mapped_normal(normal, tangent, [0.5, 0.5, 1.0], (1.0, plain));
    assert_eq!(flat, [0.0, 0.0, 1.0]);
    // +x leans to the tangent; +y to N × T·w, which is +y here, and the scale counts for both but not for z.
    let turned = mapped_normal([0.0, 0.0, 1.0f32], [1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0], (0.5, plain));
    let expected = DVec3::new(0.5, 0.5, 1.0).normalize();
    assert!(turned.iter().zip(expected.to_array()).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6), "{turned:?}");
    let mirrored = mapped_normal([0.0, 0.0, 1.0f32], [1.0, 0.0, 0.0, -1.0], [0.5, 1.0, 1.0], (1.0, plain));
    assert!(mirrored[1] < 0.0);
    // Two channels of a texel that a filter has made shorter than 1: (0.6, 0, 0.5) is (0.6, 0, 0.8).
    let rebuilt = MapReading { rebuilds_z: true, ..plain };
    let unit = ([0.0, 0.0, 1.0f32], [1.0f32, 0.0, 0.0, 1.0]);
    let near = |found: [f32; 3], expected: [f32; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
    let found = mapped_normal(unit.0, unit.1, [0.8, 0.5, 0.75], (1.0, rebuilt));
    assert!(near(found, [0.6, 0.0, 0.8]), "{found:?}");
    // Longer than 1 leaves no z, and the scale comes after it.
    let found = mapped_normal(unit.0, unit.1, [1.0, 1.0, 0.5], (1.0, rebuilt));
    assert!(near(found, [std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2, 0.0]), "{found:?}");
    let found = mapped_normal(unit.0, unit.1, [0.8, 0.5, 0.75], (0.5, rebuilt));
    assert!(near(found, DVec3::new(0.3, 0.0, 0.8).normalize().as_vec3().to_array()), "{found:?}");
    // A frame that is neither of unit length nor square becomes so: the tangent leans by 45 degrees.
    let squared = MapReading { squares_frame: true, ..plain };
    let found = mapped_normal([0.0, 0.0, 3.0f32], [0.5, 0.0, 0.5, -1.0], [1.0, 1.0, 1.0], (1.0, squared));
    let third = libm::sqrtf(1.0 / 3.0);
    assert!(near(found, [third, -third, third]), "{found:?}");
}

#[simd]
fn in_lanes<S: Simd>(simd: S, surfaces: &[Surface<f32>; 8], lighting: &Lighting) -> [[[f32; 8]; 3]; 2] {
    let lane = |number: fn(&Surface<f32>) -> f32| Lane(f32x8::from_fn(simd, |i| number(&surfaces[i])));
    let surface = Surface {
        position: [lane(|s| s.position[0]), lane(|s| s.position[1]), lane(|s| s.position[2])],
        normal: [lane(|s| s.normal[0]), lane(|s| s.normal[1]), lane(|s| s.normal[2])],
        metallic: lane(|s| s.metallic),
        roughness: lane(|s| s.roughness),
        occlusion: lane(|s| s.occlusion),
        reflectance: [lane(|s| s.reflectance[0]), lane(|s| s.reflectance[1]), lane(|s| s.reflectance[2])],
        specular: lane(|s| s.specular),
        diffuse: surfaces[0].diffuse,
        grain: surfaces[0].grain.map(|_| {
            let vector = |number: fn(&Grain<f32>) -> [f32; 3]| {
                let axis = |axis: usize| {
                    Lane(f32x8::from_fn(simd, |i| surfaces[i].grain.map_or(0.0, |grain| number(&grain)[axis])))
                };
                [axis(0), axis(1), axis(2)]
            };
            Grain {
                strength: lane(|s| s.grain.map_or(0.0, |grain| grain.strength)),
                along: vector(|grain| grain.along),
                across: vector(|grain| grain.across),
            }
        }),
        sheen: surfaces[0].sheen.map(|_| {
            let number = |number: fn(&Sheen<f32>) -> f32| {
                Lane(f32x8::from_fn(simd, |i| surfaces[i].sheen.as_ref().map_or(0.0, number)))
            };
            Sheen {
                color: [number(|s| s.color[0]), number(|s| s.color[1]), number(|s| s.color[2])],
                roughness: number(|s| s.roughness),
            }
        }),
        coat: surfaces[0].coat.map(|_| Coat {
            strength: lane(|s| s.coat.map_or(0.0, |coat| coat.strength)),
            roughness: lane(|s| s.coat.map_or(0.0, |coat| coat.roughness)),
            normal: [
                lane(|s| s.coat.map_or(0.0, |coat| coat.normal[0])),
                lane(|s| s.coat.map_or(0.0, |coat| coat.normal[1])),
                lane(|s| s.coat.map_or(0.0, |coat| coat.normal[2])),
            ],
        }),
    };
    let Reflected { scale, offset, .. } = reflected(lighting, &surface, |_| None);
    let numbers = |vector: [Lane<S>; 3]| each(vector, |lane| <[f32; 8]>::from(lane.0));
    [numbers(scale), numbers(offset)]
}

#[test]
fn lanes_of_every_level_have_the_bits_of_a_scalar() {
    let mut dice = Dice(5);
    for number in 0..200 {
        let (_, mut lighting) = anything(&mut dice);
        let position = [dice.next() * 4.0, dice.next(), dice.next()];
        let cone = None;
        let source = LightSource::Point { position, inverse_range_squared: 0.04, cone };
        lighting.lights.push(Light { radiance: [2.0, 1.0, 0.5], source });
        lighting.eye = Eye::Point([dice.next(), dice.next(), 3.0]);
        let surface = [anything, coated, brushed, sheen::velvet][number % 4];
        let surfaces = std::array::from_fn(|_| surface(&mut dice).0);
        let expected = surfaces.map(|surface| reflected(&lighting, &surface, |_| None));
        for level in SimdLevel::available() {
            let found = dispatch!(level.token_or_base(), simd => in_lanes(simd, &surfaces, &lighting));
            for (i, expected) in expected.iter().enumerate() {
                let [scale, offset] = found.map(|vector| vector.map(|channel| channel[i].to_bits()));
                assert_eq!(scale, expected.scale.map(f32::to_bits), "{level}");
                assert_eq!(offset, expected.offset.map(f32::to_bits), "{level}");
            }
        }
    }
}
