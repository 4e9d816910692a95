//! Sheen against the formulas of KHR_materials_sheen in f64, and its albedo against the integral.

use super::*;
use refrast_threads as threads;

/// D of the extension's text, times π: (2 + 1/α)·sin(θ)^(1/α)/2.
fn exact_distribution(cosine: f64, alpha: f64) -> f64 {
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    (2.0 + 1.0 / alpha) * libm::pow(sine, 1.0 / alpha) / 2.0
}

/// V of the extension's second text.
fn exact_visibility(nl: f64, nv: f64) -> f64 {
    1.0 / (4.0 * (nl + nv - nl * nv))
}

/// ∫ D·V·(N·L) over all directions of light, by the midpoint rule over equal steps of the sine of the elevation and of the angle
/// around, and not over half vectors as the polynomials were fitted.
fn integrated(cosine: f64, roughness: f64) -> f64 {
    const STEPS: u32 = 400;
    let alpha = roughness * roughness;
    let view = DVec3::new((1.0 - cosine * cosine).sqrt(), 0.0, cosine);
    let mut sum = 0.0;
    for i in 0..STEPS {
        // Steps of the square root of the height, close at the horizon, where thin fibres shine.
        let root = (f64::from(i) + 0.5) / f64::from(STEPS);
        let (height, weight) = (root * root, 2.0 * root / f64::from(STEPS));
        let flat = (1.0 - height * height).sqrt();
        for j in 0..STEPS {
            let angle = (f64::from(j) + 0.5) / f64::from(STEPS) * PI;
            let light = DVec3::new(flat * libm::cos(angle), flat * libm::sin(angle), height);
            let half = (light + view).normalize();
            let brdf = exact_distribution(half.z, alpha) / PI * exact_visibility(height, cosine);
            sum += brdf * height * weight * 2.0 * PI / f64::from(STEPS);
        }
    }
    sum
}

#[test]
fn distribution_is_that_of_the_extension() {
    let mut dice = Dice(21);
    for _ in 0..ARGUMENTS {
        let cosine = dice.next();
        let alpha = dice.next().max(LEAST_SHEEN_ROUGHNESS).squared();
        let exact = exact_distribution(f64::from(cosine), f64::from(alpha));
        let found = f64::from(fibre_distribution(cosine, alpha));
        // The sine squared is a difference, off by two roundings of 1; the exponent magnifies that and is off by one itself.
        let sine_squared = 1.0 - f64::from(cosine) * f64::from(cosine);
        let exponent = 0.5 / f64::from(alpha);
        let off = exponent * 2.0 * U / sine_squared - 2.0 * U * exponent * libm::log(sine_squared) + 8.0 * U;
        // What a tenth of it is off, where the sine has lost all digits, is the whole.
        assert!((found - exact).abs() <= 1.1 * off.min(1.0) * exact + 2e-4, "{cosine}, {alpha}: {found}, not {exact}");
        let nearly = sine_squared > 1e-3;
        assert!(
            !nearly || (found - exact).abs() <= 1.1 * off * exact + 1e-30,
            "{cosine}, {alpha}: {found}, not {exact}"
        );
    }
    assert!(fibre_distribution(1.0f32, 1.0) < 2e-4);
}

#[test]
fn visibility_is_that_of_the_extension() {
    let mut dice = Dice(22);
    for _ in 0..ARGUMENTS {
        let (light, view) = (dice.next(), dice.next());
        let exact = f64::from(light) * exact_visibility(light.into(), view.into());
        let found = f64::from(fibre_visibility(light, view));
        assert!(light == 0.0 || (found - exact).abs() <= 6.0 * U * exact, "{light}, {view}: {found}, not {exact}");
    }
    assert_eq!((fibre_visibility(0.0f32, 0.0), fibre_visibility(0.0f32, 0.5)), (0.0, 0.0));
}

#[test]
fn the_albedo_is_that_of_the_integral() {
    let off = |place: usize| {
        let place = place as u32;
        let roughness = 0.07 + 0.93 * libm::pow(f64::from(place / 24) / 23.0, 1.5);
        let cosine = libm::pow(f64::from(place % 24) / 23.0, 1.5).max(0.004);
        let found = f64::from(fibre_albedo(cosine as f32, roughness as f32));
        let exact = integrated(cosine, roughness);
        let off = (found - exact.min(1.0)).abs();
        assert!(off < 0.007, "{cosine}, {roughness}: {found}, not {exact}");
        off
    };
    let worst = threads::each(24 * 24, 1, off).into_iter().fold(0.0, f64::max);
    // The figure of the module's head is not a guess.
    assert!(worst > 0.004, "{worst}");
}

#[test]
fn the_albedo_is_a_part_everywhere() {
    let mut dice = Dice(23);
    for _ in 0..ARGUMENTS {
        let (cosine, roughness) = (dice.next(), dice.next().max(LEAST_SHEEN_ROUGHNESS));
        let albedo = fibre_albedo(cosine, roughness);
        assert!((0.0..=1.0).contains(&albedo), "{cosine}, {roughness}: {albedo}");
        // What does not lean is seen at the rim alone.
        assert!(roughness > 0.2 || cosine < 0.75 || albedo < 0.01, "{cosine}, {roughness}: {albedo}");
    }
}

/// A surface with fibres, with a light and an eye, all of them anywhere.
pub(super) fn velvet(dice: &mut Dice) -> (Surface<f32>, Lighting) {
    let (surface, lighting) = anything(dice);
    let sheen = Sheen { color: [dice.next(), dice.next(), dice.next()], roughness: dice.next() };
    (Surface { sheen: Some(sheen), ..surface }, lighting)
}

/// KHR_materials_sheen: sheenColor·D·V + base·min(1 − max3(sheenColor)·E(V·N), 1 − max3(sheenColor)·E(L·N)); the base is our own
/// without fibres, as E is, which other tests hold.
#[test]
fn fibres_are_those_of_the_extension() {
    let mut dice = Dice(24);
    let mut compared = 0;
    for _ in 0..ARGUMENTS {
        let (surface, lighting) = velvet(&mut dice);
        let Some(sheen) = surface.sheen else { unreachable!("it was given some") };
        let Reflected { scale, offset, beneath } = reflected(&lighting, &surface, |_| None);
        assert!(beneath.is_none());
        let dark = Lighting { lights: Vec::new(), ..lighting.clone() };
        let [below, ambient] =
            [&lighting, &dark].map(|lighting| reflected(lighting, &Surface { sheen: None, ..surface }, |_| None));
        let (Eye::Direction(eye) | Eye::Point(eye)) = lighting.eye;
        let LightSource::Directional { to_light } = lighting.lights[0].source else { panic!("another light") };
        let wide = |vector: [f32; 3]| DVec3::from_array(vector.map(f64::from));
        let (n, l, v) = (wide(surface.normal), wide(to_light), wide(eye));
        let h = (l + v).normalize();
        let (nl, nv, nh) = (n.dot(l).max(0.0), n.dot(v).abs(), n.dot(h).clamp(0.0, 1.0));
        if nl < 1e-2 || nv < 1e-2 || l.dot(v) < -0.99 || nh > 0.9999 {
            continue;
        }
        compared += 1;
        let roughness = sheen.roughness.max(0.07);
        let alpha = libm::pow(f64::from(roughness), 2.0);
        let albedo = |cosine: f64| f64::from(fibre_albedo(cosine as f32, roughness));
        let most = f64::from(sheen.color[0].max(sheen.color[1]).max(sheen.color[2]));
        let left = (1.0 - most * albedo(nv)).min(1.0 - most * albedo(nl));
        let shine = exact_distribution(nh, alpha) * exact_visibility(nl, nv) * nl;
        // N·H is off by four roundings, more where L and V are nearly opposite; the exponent magnifies what that is of the sine.
        let magnified = 64.0 * U * (1.0 + nh / (1.0 - nh * nh) / alpha / (1.0 + l.dot(v)).sqrt() + 1.0 / nl + 1.0 / nv);
        for i in 0..3 {
            let (around, whole) = (f64::from(ambient.scale[i]), f64::from(below.scale[i]));
            let exact = around * (1.0 - most * albedo(nv)) + (whole - around) * left;
            // E falls by no more than some thirty in one of its cosine.
            let bound = 512.0 * U * whole;
            assert!((f64::from(scale[i]) - exact).abs() <= bound, "{surface:?}: {}, not {exact}", scale[i]);
            let own = f64::from(sheen.color[i]) * f64::from(lighting.lights[0].radiance[i]) * shine;
            let exact = f64::from(below.offset[i]) * left + own;
            let bound = 512.0 * U * f64::from(below.offset[i]) + magnified * own + 1e-9;
            assert!((f64::from(offset[i]) - exact).abs() <= bound, "{surface:?}: {}, not {exact}", offset[i]);
        }
    }
    assert!(compared > ARGUMENTS / 4, "{compared}");
}
