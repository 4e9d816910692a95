//! What colour the mannequin is at each place of its rest surface.
//!
//! Colours are sRGB bytes, mixed as such: these are paints, not light. The figure's left and right differ on purpose
//! (a wristband, a number), so that a picture shows when something was mirrored.

use crate::{
    body::{self, Body, TROUSER_ALONG},
    charts::{Material, material},
    details::{self, Shoe, inside},
    head::{self, EYE, lid_edges},
    noise::noise,
    shapes::smooth_step,
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
        color = color.lerp(ORANGE, inside(details::wristband(hand), 0.0008));
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
        // The line between the two lips is darker.
        color = color.lerp(LIPS, 0.85 * inside(details::lips(p), 0.0010));
        color = color.lerp(LASH, 0.7 * inside(details::mouth_line(p), 0.0005));
        color = color.lerp(HAIR, 0.88 * inside(details::eyebrow(p), 0.0008));
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
    let hair = details::hair(p);
    color.lerp(HAIR, hair) * (1.0 + 0.06 * hair * noise(p * DVec3::new(900.0, 90.0, 250.0)))
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
        let outside = if leg.y > 0.0 { inside(details::leg_stripe(leg), 0.0010) } else { 0.0 };
        color = color.lerp(ORANGE, outside * inside(p.y - 0.985, 0.001));
        let patch = if leg.z > 0.0 { inside(details::knee_patch(leg), 0.0010) } else { 0.0 };
        color = color.lerp(SLATE, patch);
        color = color.lerp(ORANGE, inside(details::hem(leg), 0.0010));
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
    color = color.lerp(ORANGE, inside(details::sleeve_ring(along), 0.0010));
    color.lerp(ORANGE, inside(details::sleeve_hem(along), 0.0010))
}

fn trunk(place: DVec3, p: DVec3) -> DVec3 {
    let mut color = NAVY;
    // A yoke over the shoulders, edged.
    let yoke = details::above_yoke(p);
    color = color.lerp(SLATE, inside(-yoke, 0.0010));
    color = color.lerp(ORANGE, inside(yoke.abs() - 0.0045, 0.0010));
    color = color.lerp(ORANGE, inside(details::collar(p), 0.0010));
    // The belt with a buckle, and the zip above it.
    color = color.lerp(CHARCOAL, inside(details::belt(p), 0.0010));
    if p.z > 0.0 {
        color = color.lerp(WHITE, inside(details::buckle(p).abs() - 0.002, 0.0008));
        color = color.lerp(CHARCOAL, inside(details::zip(p), 0.0008));
    }
    color.lerp(WHITE, details::number(place))
}

/// A shoe with a toe cap, laces over the instep, a stripe on the outer side, a heel tab.
fn shoe(p: DVec3) -> DVec3 {
    let shoe = Shoe::at(p);
    let color = CHARCOAL.lerp(SLATE, shoe.toe_cap()).lerp(WHITE, shoe.lace()).lerp(ORANGE, shoe.stripe());
    color.lerp(ORANGE, shoe.heel_tab()).lerp(WHITE, shoe.sole())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eyes_look_forward() {
        assert!(eyeball(DVec3::Z).max_element() < 20.0, "the pupil is black");
        assert!(eyeball(DVec3::X).min_element() > 150.0, "the white is white");
    }
}
