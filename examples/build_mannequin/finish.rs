//! What the surface is made of: how rough it is, and whether it is metal.

use crate::{
    body::{self, Body, TROUSER_ALONG},
    charts::{Material, material},
    details::{self, Shoe, inside},
    head,
    shapes::smooth_step,
};
use glam::DVec3;

/// Perceptual roughness and metalness, both 0 to 1, as glTF's metallic-roughness texture has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Finish {
    pub(crate) roughness: f64,
    pub(crate) metallic: f64,
}

const BARE: Finish = Finish::dull(0.52);
const MOIST: Finish = Finish::dull(0.30);
const NAIL: Finish = Finish::dull(0.22);
const HAIR: Finish = Finish::dull(0.58);
const RUBBER: Finish = Finish::dull(0.62);
const CLOTH: Finish = Finish::dull(0.86);
const SATIN: Finish = Finish::dull(0.46);
const LEATHER: Finish = Finish::dull(0.40);
const FILM: Finish = Finish::dull(0.34);
const STEEL: Finish = Finish { roughness: 0.24, metallic: 1.0 };
const CORNEA: Finish = Finish::dull(0.06);

impl Finish {
    const fn dull(roughness: f64) -> Self {
        Self { roughness, metallic: 0.0 }
    }

    fn lerp(self, other: Self, share: f64) -> Self {
        let mix = |from: f64, to: f64| from + (to - from) * share;
        Self { roughness: mix(self.roughness, other.roughness), metallic: mix(self.metallic, other.metallic) }
    }
}

/// The finish of a place of the body.
pub(crate) fn finish(body: &Body, place: DVec3) -> Finish {
    let p = body::fold(place);
    match material(body, place) {
        Material::Skin => skin(body, place, p),
        Material::Suit => suit(body, place, p),
    }
}

/// The finish of an eyeball, by the direction from its centre: wet where it is seen.
pub(crate) fn eyeball(direction: DVec3) -> Finish {
    CORNEA.lerp(MOIST, smooth_step(0.3, -0.1, direction.z))
}

fn skin(body: &Body, place: DVec3, p: DVec3) -> Finish {
    let face = p - head::CENTER;
    if p.x < 0.12 && face.y > -0.2 {
        return face_finish(face);
    }
    let hand = body.to_hand(p);
    let nail = (0..5).map(|finger| body.hand.nail_mask(finger, hand)).fold(0.0, f64::max);
    let finish = BARE.lerp(NAIL, nail);
    if place.x > 0.0 { finish.lerp(RUBBER, inside(details::wristband(hand), 0.0008)) } else { finish }
}

fn face_finish(face: DVec3) -> Finish {
    // Forehead and nose shine a little.
    let forehead = 1.0 - smooth_step(0.5, 1.0, ((face - DVec3::new(0.0, 0.045, 0.085)) / 0.045).length());
    let nose = 1.0 - smooth_step(0.5, 1.0, ((face - DVec3::new(0.0, -0.030, 0.108)) / 0.030).length());
    let mut finish = BARE.lerp(MOIST, 0.45 * forehead.max(nose));
    if face.z > 0.04 {
        finish = finish.lerp(MOIST, inside(details::lips(face), 0.0010));
        finish = finish.lerp(HAIR, inside(details::eyebrow(face), 0.0010));
    }
    finish.lerp(HAIR, details::hair(face))
}

fn suit(body: &Body, place: DVec3, p: DVec3) -> Finish {
    let leg = body.leg.local(p);
    if leg.x > TROUSER_ALONG && p.y < 0.2 {
        let shoe = Shoe::at(p);
        let upper = LEATHER.lerp(CLOTH, shoe.lace()).lerp(SATIN, shoe.stripe().max(shoe.heel_tab()));
        return upper.lerp(RUBBER, shoe.sole());
    }
    let sleeved = if p.x > 0.12 && p.y > 1.10 { inside(body.arm_field(p) - body.trunk_field(p), 0.0040) } else { 0.0 };
    let mut finish = CLOTH;
    if p.y > 0.90 {
        let piping = inside(details::above_yoke(p).abs() - 0.0045, 0.0010).max(inside(details::collar(p), 0.0010));
        finish = finish.lerp(SATIN, piping * (1.0 - sleeved)).lerp(LEATHER, inside(details::belt(p), 0.0010));
        if p.z > 0.0 {
            let frame = inside(details::buckle(p).abs() - 0.002, 0.0008);
            let zip = if p.y > 1.03 { inside(details::zip(p) - 0.0010, 0.0008) } else { 0.0 };
            finish = finish.lerp(STEEL, frame.max(zip));
        }
        finish = finish.lerp(FILM, details::number(place));
    }
    if p.y < 1.0 {
        let stripe =
            if leg.y > 0.0 { inside(details::leg_stripe(leg), 0.0010) * inside(p.y - 0.985, 0.001) } else { 0.0 };
        finish = finish.lerp(SATIN, stripe.max(inside(details::hem(leg), 0.0010)));
        let patch = if leg.z > 0.0 { inside(details::knee_patch(leg), 0.0010) } else { 0.0 };
        finish = finish.lerp(LEATHER, patch);
    }
    let along = body.arm.local(p).x;
    let trimmed = inside(details::sleeve_ring(along), 0.0010).max(inside(details::sleeve_hem(along), 0.0010));
    finish.lerp(SATIN, trimmed * sleeved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckle_and_zip_are_metal_and_nothing_else_of_the_front_is() {
        let body = Body::new();
        let metallic = |x: f64, y: f64| finish(&body, DVec3::new(x, y, 0.12)).metallic;
        assert!(metallic(0.022, 1.012) > 0.9 && metallic(0.0, 1.2) > 0.9);
        assert_eq!([metallic(0.060, 1.012), metallic(0.060, 1.2)], [0.0; 2]);
    }

    #[test]
    fn eyes_are_the_smoothest_thing() {
        assert_eq!(eyeball(DVec3::Z), CORNEA);
        assert!(eyeball(-DVec3::Z).roughness > CORNEA.roughness);
    }
}
