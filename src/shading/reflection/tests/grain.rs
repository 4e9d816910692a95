//! Anisotropy against the formulas of KHR_materials_anisotropy in f64, its energy, and its direction by hand.

use super::*;

/// D of the extension's text, times π: 1/(αt·αb·((h·t)²/αt² + (h·b)²/αb² + (h·n)²)²).
pub(super) fn exact_distribution([t, b, n]: [f64; 3], [along, across]: [f64; 2]) -> f64 {
    let sum = t * t / (along * along) + b * b / (across * across) + n * n;
    1.0 / (along * across * sum * sum)
}

/// Λ's root for two roughnesses (E. Heitz, *Understanding the Masking-Shadowing Function*, 2014): N·X·√(1 + tan² by α).
pub(super) fn exact_masking([t, b, n]: [f64; 3], [along, across]: [f64; 2]) -> f64 {
    ((along * t) * (along * t) + (across * b) * (across * b) + n * n).sqrt()
}

/// α along and across, by the extension's `mix`.
pub(super) fn exact_alphas(roughness: f64, strength: f64) -> [f64; 2] {
    let alpha = libm::pow(roughness.max(0.045), 2.0);
    let squared = strength * strength;
    [alpha * (1.0 - squared) + 1.0 * squared, alpha]
}

/// Three directions at right angles to each other.
pub(super) fn frame(dice: &mut Dice) -> [[f32; 3]; 3] {
    let normal = dice.direction();
    let along = f32::normalized(refrast_range::cross(normal, dice.direction()));
    [along, refrast_range::cross(normal, along), normal]
}

fn alphas(dice: &mut Dice) -> [f32; 2] {
    [dice.next().max(0.045).squared(), dice.next().max(0.045).squared()]
}

#[test]
fn distribution_is_that_of_the_extension() {
    let mut dice = Dice(11);
    for _ in 0..ARGUMENTS {
        let (cosines, alphas) = (dice.direction(), alphas(&mut dice));
        let exact = exact_distribution(cosines.map(f64::from), alphas.map(f64::from));
        let found = f64::from(stretched_distribution(cosines, alphas));
        // Products and sums of what is not negative: five roundings of each square, two of the sum, and twice the quotient.
        assert!((found - exact).abs() <= 24.0 * U * exact, "{cosines:?}, {alphas:?}: {found}, not {exact}");
    }
}

#[test]
fn visibility_is_that_of_the_extension() {
    let mut dice = Dice(12);
    for _ in 0..ARGUMENTS {
        let [mut light, mut view] = [dice.direction(), dice.direction()];
        (light[2], view[2]) = (light[2].abs().max(1e-3), view[2].abs());
        let alphas = alphas(&mut dice);
        let (wide, to_light, to_eye) = (alphas.map(f64::from), light.map(f64::from), view.map(f64::from));
        let whole = to_light[2] * exact_masking(to_eye, wide) + to_eye[2] * exact_masking(to_light, wide);
        let exact = to_light[2] * 0.5 / whole;
        let found = f64::from(stretched_visibility(light, view, alphas));
        assert!((found - exact).abs() <= 24.0 * U * exact, "{light:?}, {view:?}, {alphas:?}: {found}, not {exact}");
    }
    // From behind no light arrives.
    assert_eq!(stretched_visibility([1.0f32, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.25]), 0.0);
}

/// What microfacets show to the eye is what the surface shows: ∫ G₁(v)·D(h)/(4·n·v) dl = 1 over all directions (the weak
/// white furnace of E. Heitz, *Understanding the Masking-Shadowing Function*, 2014), with G₁ = 2·n·v/(n·v + Λ's root).
#[test]
fn a_weak_white_furnace_is_white() {
    const STEPS: u32 = 512;
    for (alphas, angle, turn) in [([0.5, 0.2], 0.3, 0.4), ([0.9, 0.35], 1.1, 1.2), ([0.25, 0.25], 0.8, 0.0)] {
        let ((st, ct), (sp, cp)): ((f64, f64), (f64, f64)) = (libm::sincos(angle), libm::sincos(turn));
        let view = DVec3::new(st * cp, st * sp, ct);
        let one_sided = 2.0 * ct / (ct + exact_masking(view.to_array(), alphas));
        let mut sum = 0.0;
        for i in 0..STEPS {
            let theta = (f64::from(i) + 0.5) / f64::from(STEPS) * PI;
            for j in 0..STEPS {
                let phi = (f64::from(j) + 0.5) / f64::from(STEPS) * 2.0 * PI;
                let ((st, ct), (sp, cp)) = (libm::sincos(theta), libm::sincos(phi));
                let half = (DVec3::new(st * cp, st * sp, ct) + view).normalize();
                if half.z > 0.0 {
                    let cosines = half.to_array().map(|cosine| cosine as f32);
                    let found = stretched_distribution(cosines, alphas.map(|alpha| alpha as f32));
                    let solid_angle = st * (PI / f64::from(STEPS)) * (2.0 * PI / f64::from(STEPS));
                    sum += one_sided * f64::from(found) / PI / (4.0 * view.z) * solid_angle;
                }
            }
        }
        assert!((sum - 1.0).abs() < 2e-3, "{alphas:?}, {angle}: {sum}");
    }
}

#[test]
fn a_brushed_metal_sends_no_more_back_than_it_gets() {
    for (strength, angle) in [(0.5, 0.3), (0.9, 0.3), (0.9, 1.2), (1.0, 1.2)] {
        let grain = Grain { strength, along: [0.6, 0.8, 0.0], across: [-0.8, 0.6, 0.0] };
        let found = sent_back(1.0, 0.5, angle, Some(grain));
        assert!(found > 0.4 && found < 1.0, "{strength}, {angle}: {found}");
    }
    // With nothing to stretch it is what it was, but for roundings.
    let none = Grain { strength: 0.0, along: [0.6, 0.8, 0.0], across: [-0.8, 0.6, 0.0] };
    let (found, expected) = (sent_back(1.0, 0.5, 0.6, Some(none)), sent_back(1.0, 0.5, 0.6, None));
    assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
}

#[test]
fn a_direction_is_turned_from_the_tangent_to_the_bitangent() {
    let near = |found: [f32; 3], expected: [f32; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
    let (normal, tangent) = ([0.0, 0.0, 2.0f32], [0.5f32, 0.0, 0.0, 1.0]);
    let [along, across] = grain_directions(normal, tangent, None, [1.0, 0.0]);
    assert!(near(along, [1.0, 0.0, 0.0]) && near(across, [0.0, 1.0, 0.0]), "{along:?} {across:?}");
    // A quarter of a turn counter-clockwise goes to the bitangent, which a mirror has on the other side.
    let unit = ([0.0, 0.0, 1.0f32], [1.0f32, 0.0, 0.0, -1.0]);
    let [along, _] = grain_directions(unit.0, unit.1, None, [0.0, 1.0]);
    assert!(near(along, [0.0, -1.0, 0.0]), "{along:?}");
    // Red and green are −1 to 1 along tangent and bitangent, of any length: (0.75, 0.75) is half way between them, and an
    // eighth of a turn more is the bitangent.
    let eighth = std::f32::consts::FRAC_1_SQRT_2;
    let [along, across] = grain_directions([0.0, 0.0, 1.0f32], [1.0, 0.0, 0.0, 1.0], Some([0.75, 0.75]), [eighth; 2]);
    assert!(near(along, [0.0, 1.0, 0.0]) && near(across, [-1.0, 0.0, 0.0]), "{along:?} {across:?}");
}
