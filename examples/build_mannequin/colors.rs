//! What colour the mannequin is at each place of its rest surface.
//!
//! Colours are sRGB bytes, mixed as such: these are paints, not light. The figure's left and right differ on purpose
//! (a wristband, a number), so that a picture shows when something was mirrored.

use crate::{
    body::{self, ANKLE, Body, KNEE_ALONG, TROUSER_ALONG},
    charts::{Material, material},
    head::{self, EYE, MOUTH, lid_edges},
    shapes::{smooth_step, tapered_capsule},
};
use glam::DVec3;

const fn rgb(red: u8, green: u8, blue: u8) -> DVec3 {
    DVec3::new(red as f64, green as f64, blue as f64)
}

const IVORY: DVec3 = rgb(229, 198, 170);
const BLUSH: DVec3 = rgb(222, 158, 134);
const LIPS: DVec3 = rgb(183, 98, 90);
const HAIR: DVec3 = rgb(58, 42, 36);
const NAIL: DVec3 = rgb(241, 208, 192);
const LASH: DVec3 = rgb(70, 48, 42);
const SCLERA: DVec3 = rgb(240, 238, 232);
const IRIS: DVec3 = rgb(58, 122, 132);
const IRIS_RIM: DVec3 = rgb(26, 58, 66);
const PUPIL: DVec3 = rgb(14, 14, 16);
const NAVY: DVec3 = rgb(42, 58, 84);
const SLATE: DVec3 = rgb(74, 96, 124);
const ORANGE: DVec3 = rgb(232, 122, 44);
const CHARCOAL: DVec3 = rgb(46, 47, 52);
const WHITE: DVec3 = rgb(236, 234, 228);

/// 1 inside (below 0), 0 outside, over `softness` metres.
fn inside(distance: f64, softness: f64) -> f64 {
    1.0 - smooth_step(-softness, softness, distance)
}

/// The sRGB colour of a place.
pub(crate) fn color(body: &Body, place: DVec3) -> DVec3 {
    let p = body::fold(place);
    let color = match material(body, place) {
        Material::Skin => skin(body, place, p),
        Material::Suit => suit(body, place, p),
    };
    // A faint mottling; a surface of one single colour hides texture mistakes.
    let grain = noise(place * 220.0) * 0.6 + noise(place * 60.0) * 0.4;
    color * (1.0 + 0.035 * grain)
}

/// The sRGB colour of an eyeball, by the direction from its centre.
pub(crate) fn eyeball(direction: DVec3) -> DVec3 {
    let away = libm::acos(direction.z.clamp(-1.0, 1.0)) * head::EYE_RADIUS;
    let around = libm::atan2(direction.y, direction.x);
    let fibres = 1.0 + 0.18 * libm::sin(around * 23.0) * libm::sin(around * 7.0 + 1.0);
    let mut color = SCLERA.lerp(rgb(226, 190, 176), smooth_step(0.0085, 0.0130, away));
    color = color.lerp(IRIS_RIM, inside(away - 0.0066, 0.0004));
    color = color.lerp(IRIS * fibres, inside(away - 0.0058, 0.0006));
    color.lerp(PUPIL, inside(away - 0.0027, 0.0003))
}

fn skin(body: &Body, place: DVec3, p: DVec3) -> DVec3 {
    let face = p - head::CENTER;
    if p.x < 0.12 && face.y > -0.2 {
        return face_color(face);
    }
    let hand = body.to_hand(p);
    let mut color = IVORY;
    let knuckles = (0..5).map(|finger| (hand - body.hand.bones(finger).knuckles[1]).length());
    let redness = knuckles.fold(f64::INFINITY, f64::min);
    color = color.lerp(BLUSH, 0.35 * (1.0 - smooth_step(0.004, 0.016, redness)));
    let nail = (0..5).map(|finger| body.hand.nail_mask(finger, hand)).fold(0.0, f64::max);
    color = color.lerp(NAIL, nail);
    // The left wrist wears a band.
    if place.x > 0.0 {
        let off_band = (hand.x + 0.030).abs() - 0.013;
        color = color.lerp(ORANGE, inside(off_band, 0.0008));
        color = color.lerp(WHITE, inside((hand.x + 0.030).abs() - 0.0025, 0.0006));
    }
    color
}

fn face_color(p: DVec3) -> DVec3 {
    let mut color = IVORY;
    let cheek = (p - DVec3::new(0.046, -0.034, 0.070)).length();
    let nose = (p - DVec3::new(0.0, -0.037, 0.112)).length();
    color = color
        .lerp(BLUSH, 0.45 * (1.0 - smooth_step(0.004, 0.030, cheek)) + 0.30 * (1.0 - smooth_step(0.0, 0.018, nose)));
    if p.z > 0.04 {
        let flat = DVec3::new(p.x, p.y, 0.0);
        // Two lips, each as far as its bow; the line between them is darker.
        let upper = tapered_capsule(
            flat,
            DVec3::new(0.0030, -0.0645, 0.0),
            DVec3::new(MOUTH.x, MOUTH.y, 0.0),
            [0.0046, 0.0008],
        );
        let lower = tapered_capsule(
            flat,
            DVec3::new(0.0085, -0.0732, 0.0),
            DVec3::new(MOUTH.x, MOUTH.y, 0.0),
            [0.0056, 0.0008],
        );
        // The lower lip is full between its two halves.
        let lower = lower.min((flat.x - 0.0085).max((flat.y + 0.0732).abs() - 0.0056));
        color = color.lerp(LIPS, 0.85 * inside(upper.min(lower), 0.0010));
        let line =
            tapered_capsule(flat, DVec3::new(0.0, -0.0688, 0.0), DVec3::new(MOUTH.x, MOUTH.y, 0.0), [0.0007, 0.0003]);
        color = color.lerp(LASH, 0.7 * inside(line, 0.0005));
        let inner =
            tapered_capsule(flat, DVec3::new(0.0135, 0.0170, 0.0), DVec3::new(0.0340, 0.0235, 0.0), [0.0030, 0.0026]);
        let outer =
            tapered_capsule(flat, DVec3::new(0.0340, 0.0235, 0.0), DVec3::new(0.0510, 0.0165, 0.0), [0.0026, 0.0009]);
        let hairs = 0.0006 * noise(p * DVec3::new(1500.0, 500.0, 0.0));
        color = color.lerp(HAIR, 0.88 * inside(inner.min(outer) + hairs, 0.0008));
        let across = p.x - EYE.x;
        let [upper, lower] = lid_edges(across);
        let from_center = (p - EYE).length();
        if from_center < 0.0175 && across.abs() < head::OPENING_HALF_WIDTH + 0.001 {
            let lash =
                inside((p.y - upper).abs() - 0.0009, 0.0004).max(0.45 * inside((p.y - lower).abs() - 0.0004, 0.0004));
            color = color.lerp(LASH, 0.9 * lash);
            let waterline = if p.y < upper && p.y > lower { 1.0 } else { 0.0 };
            color = color.lerp(rgb(206, 138, 120), 0.6 * waterline * (1.0 - lash));
        }
    }
    color.lerp(HAIR, hair(p)) * (1.0 + 0.06 * hair(p) * noise(p * DVec3::new(900.0, 90.0, 250.0)))
}

/// 1 where the cropped hair grows.
fn hair(p: DVec3) -> f64 {
    // The hairline's height over the depth of the head, from the forehead over the temple and sideburn to the nape.
    const LINE: [[f64; 2]; 8] = [
        [-0.110, -0.056],
        [-0.060, -0.056],
        [-0.036, -0.040],
        [-0.016, 0.000],
        [0.004, -0.012],
        [0.022, 0.004],
        [0.052, 0.046],
        [0.095, 0.064],
    ];
    let next = LINE.iter().position(|point| point[0] >= p.z).unwrap_or(LINE.len() - 1).max(1);
    let [[z0, y0], [z1, y1]] = [LINE[next - 1], LINE[next]];
    let height = y0 + (y1 - y0) * smooth_step(z0, z1, p.z);
    let ear = ((p - DVec3::new(0.079, -0.006, -0.014)) / DVec3::new(0.0075, 0.034, 0.021)).length();
    inside(height - p.y + 0.0012 * noise(p * 700.0), 0.0012) * smooth_step(0.85, 1.0, ear)
}

fn suit(body: &Body, place: DVec3, p: DVec3) -> DVec3 {
    let leg = body.leg.local(p);
    if leg.x > TROUSER_ALONG && p.y < 0.2 {
        return shoe(p);
    }
    let mut color = NAVY;
    if p.y > 0.90 {
        color = trunk(place, p);
    }
    // Stripes down the outside of the legs, patches on the knees, a ring at the hem.
    if p.y < 1.0 {
        let outside = if leg.y > 0.0 { inside(leg.z.abs() - 0.0085, 0.0010) } else { 0.0 };
        color = color.lerp(ORANGE, outside * inside(p.y - 0.985, 0.001));
        let knee = ((leg - DVec3::new(KNEE_ALONG, 0.0, 0.045)) / DVec3::new(0.075, 0.042, 0.05)).length();
        let patch = if leg.z > 0.0 { inside((knee - 1.0) * 0.04, 0.0010) } else { 0.0 };
        color = color.lerp(SLATE, patch);
        color = color.lerp(ORANGE, inside((leg.x - TROUSER_ALONG + 0.006).abs() - 0.004, 0.0010));
    }
    if p.x > 0.12 && p.y > 1.10 {
        let sleeved = inside(body.arm_field(p) - body.trunk_field(p), 0.0040);
        color = color.lerp(sleeve(body.arm.local(p).x), sleeved);
    }
    color
}

/// The sleeve's colour, `along` metres from the shoulder.
fn sleeve(along: f64) -> DVec3 {
    let mut color = NAVY;
    color = color.lerp(SLATE, inside(along - 0.085, 0.0010));
    color = color.lerp(ORANGE, inside((along - 0.090).abs() - 0.005, 0.0010));
    color.lerp(ORANGE, inside((along - body::SLEEVE_ALONG + 0.0035).abs() - 0.0060, 0.0010))
}

fn trunk(place: DVec3, p: DVec3) -> DVec3 {
    let mut color = NAVY;
    // A yoke over the shoulders, edged, lower in the middle.
    let yoke = p.y - (1.385 + 0.25 * p.x);
    color = color.lerp(SLATE, inside(-yoke, 0.0010));
    color = color.lerp(ORANGE, inside(yoke.abs() - 0.0045, 0.0010));
    color = color.lerp(ORANGE, inside((body::above_collar(p) + 0.0045).abs() - 0.0065, 0.0010));
    // The belt with a buckle, and the zip above it.
    let belt = (p.y - 1.012).abs() - 0.017;
    color = color.lerp(CHARCOAL, inside(belt, 0.0010));
    if p.z > 0.0 {
        let buckle = (p.x - 0.022).max((p.y - 1.012).abs() - 0.013);
        color = color.lerp(WHITE, inside(buckle.abs() - 0.002, 0.0008));
        let zip = (p.x - 0.0022).max(1.03 - p.y);
        color = color.lerp(CHARCOAL, inside(zip, 0.0008));
        // A small number on the left of the chest only.
        color = color.lerp(WHITE, number((place.x - 0.078) / 0.020, (place.y - 1.335) / 0.020));
    } else {
        // The same, large, on the back: from behind, the reader's right is −X.
        color = color.lerp(WHITE, number(-place.x / 0.055, (place.y - 1.250) / 0.055));
    }
    color
}

fn shoe(p: DVec3) -> DVec3 {
    let [forward, left] = body::foot_directions();
    let offset = p - DVec3::new(ANKLE.x, 0.0, ANKLE.z);
    let (along, across) = (offset.dot(forward), offset.dot(left));
    let mut color = CHARCOAL;
    // A toe cap, laces over the instep, a stripe on the outer side, a heel tab.
    color = color.lerp(SLATE, inside(0.150 - along, 0.0012) * smooth_step(0.018, 0.022, p.y));
    if p.y > 0.035 && along > 0.035 && along < 0.125 && across.abs() < 0.016 {
        let lace = ((along - 0.035) / 0.018).fract() - 0.5;
        color = color.lerp(WHITE, inside((lace.abs() - 0.14) * 0.018, 0.0008) * inside(across.abs() - 0.014, 0.0010));
    }
    if across > 0.0 {
        let stripe = (along - 0.055 - (p.y - 0.03) * 0.6).abs() - 0.009;
        color = color.lerp(ORANGE, inside(stripe, 0.0010) * inside(p.y - 0.062, 0.0010));
    }
    color = color.lerp(
        ORANGE,
        inside(across.abs() - 0.009, 0.0010) * inside(along + 0.035, 0.0010) * inside(p.y - 0.100, 0.0010),
    );
    color.lerp(WHITE, inside(p.y - 0.019, 0.0010))
}

/// The number 85 in the seven-segment way, one unit high, about the origin; x to the reader's right.
fn number(x: f64, y: f64) -> f64 {
    // Segments by their ends, in a cell 0.5 wide and 1 high.
    const STROKES: [[[f64; 2]; 2]; 7] = [
        [[0.0, 1.0], [0.5, 1.0]],
        [[0.5, 1.0], [0.5, 0.5]],
        [[0.5, 0.5], [0.5, 0.0]],
        [[0.5, 0.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.5]],
        [[0.0, 0.5], [0.0, 1.0]],
        [[0.0, 0.5], [0.5, 0.5]],
    ];
    let mut distance = f64::INFINITY;
    for (left, segments) in [(-0.65, 0b111_1111), (0.15, 0b110_1101)] {
        for ends in STROKES.iter().enumerate().filter(|(bit, _)| segments >> bit & 1 == 1).map(|(_, ends)| ends) {
            let [from, to] = ends.map(|[x, y]| DVec3::new(left + x, y - 0.5, 0.0));
            distance = distance.min(tapered_capsule(DVec3::new(x, y, 0.0), from, to, [0.085, 0.085]));
        }
    }
    inside(distance, 0.04)
}

/// Smooth noise in [−1, 1] from a hash of the lattice: integers only, so it is the same everywhere.
fn noise(at: DVec3) -> f64 {
    let base = at.floor();
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let [x, y, z] = (at - base).to_array().map(ease);
    let corner = |i: i64, j: i64, k: i64| lattice(base.x as i64 + i, base.y as i64 + j, base.z as i64 + k);
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let layer = |k: i64| {
        let low = mix(corner(0, 0, k), corner(1, 0, k), x);
        let high = mix(corner(0, 1, k), corner(1, 1, k), x);
        mix(low, high, y)
    };
    mix(layer(0), layer(1), z)
}

/// A value in [−1, 1] for a lattice point (the finaliser of SplitMix64).
fn lattice(x: i64, y: i64, z: i64) -> f64 {
    let mut bits = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_and_bounded() {
        for step in 0..200 {
            let at = DVec3::new(f64::from(step) * 0.37 - 20.0, 1.3, -0.4);
            assert!(noise(at).abs() <= 1.0);
            assert!((noise(at) - noise(at + DVec3::splat(1e-7))).abs() < 1e-5);
        }
    }

    #[test]
    fn eyes_look_forward() {
        assert!(eyeball(DVec3::Z).max_element() < 20.0, "the pupil is black");
        assert!(eyeball(DVec3::X).min_element() > 150.0, "the white is white");
    }
}
