//! How high the surface's fine detail stands above the modelled one, in metres: what the normal maps show.
//!
//! Like a colour, a height is a function of place, so charts need no matching borders. Nothing here is finer than two
//! texels of the atlas: what a map can not hold would only shimmer.

use crate::{
    body::{self, Body, ELBOW_ALONG, KNEE_ALONG, TROUSER_ALONG},
    charts::{Material, material},
    details::{self, Shoe, inside},
    hand::Finger,
    head,
    noise::noise,
    shapes::smooth_step,
};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// The height of a place of the body.
pub(crate) fn height(body: &Body, place: DVec3) -> f64 {
    let p = body::fold(place);
    match material(body, place) {
        Material::Skin => skin(body, place, p),
        Material::Suit => suit(body, place, p),
    }
}

/// How high the collar and the sleeves' hems stand. They end a little beyond the cloth's edge, where the skin slopes up to them:
/// a step between two atlases would show their texels.
const COLLAR: f64 = 0.0014;
const SLEEVE_HEM: f64 = 0.0012;

/// Something that stands `height` metres above its surroundings, rounded over `softness`.
fn raised(distance: f64, height: f64, softness: f64) -> f64 {
    height * inside(distance, softness)
}

/// A thin line sunk by `depth` at `distance` 0.
fn groove(distance: f64, depth: f64) -> f64 {
    -depth * (1.0 - smooth_step(0.0, 0.0028, distance.abs()))
}

/// Stitches of a row that runs along `along`, at `off` metres from the row.
fn stitches(along: f64, off: f64) -> f64 {
    let one = 0.5 + 0.5 * libm::cos(TAU * along / 0.0075);
    0.0005 * one * (1.0 - smooth_step(0.0006, 0.0022, off.abs()))
}

/// Rounded ridges `period` metres apart.
fn ridges(along: f64, period: f64, height: f64) -> f64 {
    height * libm::sin(PI * along / period).abs()
}

/// Folds that lie across a limb, strongest at its bend: `along` from the bend, `reach` to either side.
fn folds(p: DVec3, along: f64, reach: f64, depth: f64) -> f64 {
    let waver = 1.3 * noise(p * 28.0);
    depth * (1.0 - smooth_step(0.0, reach, along.abs())) * libm::sin(TAU * along / 0.026 + waver)
}

fn skin(body: &Body, place: DVec3, p: DVec3) -> f64 {
    let pores = 0.00006 * noise(place * 160.0);
    let face = p - head::CENTER;
    if p.x < 0.12 && face.y > -0.2 {
        return face_height(face) + pores + COLLAR * inside(details::collar(p), 0.0026);
    }
    let hand = body.to_hand(p);
    let mut height = pores + SLEEVE_HEM * inside(details::sleeve_hem(body.arm.local(p).x), 0.0026);
    for index in 0..5 {
        let nail = body.hand.nail_mask(index, hand);
        height = height * (1.0 - nail) + 0.0003 * nail + creases(body.hand.bones(index), hand);
    }
    // The left wrist's band is a ribbed one.
    if place.x > 0.0 {
        let band = details::wristband(hand);
        height += raised(band, 0.0016, 0.0014) + inside(band, 0.0008) * ridges(hand.x + 0.030, 0.0052, 0.0005);
    }
    height
}

/// Creases across the two outer joints of a finger.
fn creases(finger: &Finger, hand: DVec3) -> f64 {
    let crease = |joint: usize| {
        let axis = (finger.knuckles[joint + 1] - finger.knuckles[joint - 1]).normalize();
        let offset = hand - finger.knuckles[joint];
        let along = offset.dot(axis);
        let near = 1.0 - smooth_step(0.009, 0.013, offset.length());
        near * [-0.0026, 0.0, 0.0026].map(|line| groove(along - line, 0.00028)).iter().sum::<f64>()
    };
    crease(1) + crease(2)
}

fn face_height(face: DVec3) -> f64 {
    let hair = details::hair(face);
    // Strands follow the head's height; there are as many as the atlas can tell apart.
    let strands = 0.0007 * noise(face * DVec3::new(420.0, 70.0, 260.0)) + 0.0004 * noise(face * 210.0);
    let mut height = hair * (0.0016 + strands);
    if face.z > 0.04 {
        let lips = inside(details::lips(face), 0.0012);
        height += lips * (0.0007 + 0.00022 * libm::sin(TAU * face.x / 0.0042 + 2.0 * noise(face * 300.0)));
        height += groove(details::mouth_line(face).max(0.0), 0.0009) * lips;
        let brow = inside(details::eyebrow(face), 0.0010);
        height += brow * (0.0006 + 0.0003 * noise(face * DVec3::new(520.0, 260.0, 0.0)));
    }
    height
}

/// Cloth: a weave that is too fine to be seen is left to roughness; what is seen are slubs and soft waves.
fn cloth(place: DVec3) -> f64 {
    0.00016 * noise(place * 110.0) + 0.0009 * noise(place * 26.0)
}

fn suit(body: &Body, place: DVec3, p: DVec3) -> f64 {
    let leg = body.leg.local(p);
    if leg.x > TROUSER_ALONG && p.y < 0.2 {
        return shoe(place, p);
    }
    let sleeved = if p.x > 0.12 && p.y > 1.10 { inside(body.arm_field(p) - body.trunk_field(p), 0.0040) } else { 0.0 };
    let mut height = cloth(place);
    if p.y > 0.90 {
        height += trunk(place, p) * (1.0 - sleeved);
    }
    if p.y < 1.0 {
        height += trouser(place, p, leg);
    }
    height + sleeved * sleeve(place, body.arm.local(p).x)
}

fn sleeve(place: DVec3, along: f64) -> f64 {
    let ring = raised(details::sleeve_ring(along), 0.0010, 0.0014);
    let hem = raised(details::sleeve_hem(along), SLEEVE_HEM, 0.0026);
    ring + hem + folds(place, along - ELBOW_ALONG * 0.25, 0.07, 0.0009)
}

fn trunk(place: DVec3, p: DVec3) -> f64 {
    let yoke = details::above_yoke(p);
    let mut height = raised(yoke.abs() - 0.0045, 0.0012, 0.0016);
    // The yoke is quilted in lozenges.
    let lozenge = [p.x + p.y, p.x - p.y].map(|across| libm::sin(PI * across / 0.026).abs().sqrt());
    height += inside(0.008 - yoke, 0.004) * 0.0016 * lozenge[0].min(lozenge[1]);
    let collar = details::collar(p);
    height += raised(collar, COLLAR, 0.0026) + inside(collar, 0.001) * stitches(p.x + p.z, collar + 0.0042);
    let belt = details::belt(p);
    height += raised(belt, 0.0022, 0.0014)
        + [0.012, -0.012].map(|row| stitches(p.x + p.z, p.y - 1.012 - row)).iter().sum::<f64>();
    // Cloth gathers under and above the belt.
    let gathered = 1.0 - smooth_step(0.0, 0.075, (belt + 0.004).max(0.0));
    let around = libm::atan2(place.x, place.z);
    height += 0.0011 * gathered * inside(-belt, 0.004) * libm::sin(around * 34.0 + 2.0 * noise(place * 22.0));
    if p.z > 0.0 {
        height += raised(details::buckle(p).abs() - 0.002, 0.0022, 0.0012);
        // The tongue lies across the frame.
        height += raised((p.y - 1.012).abs().max(p.x - 0.022) - 0.0022, 0.0018, 0.0012);
        if p.y > 1.03 {
            let side = if place.x > 0.0 { 0.5 } else { 0.0 };
            let tooth = 0.5 + 0.5 * libm::cos(TAU * (p.y / 0.0080 + side));
            height += inside(details::zip(p) - 0.0014, 0.0012) * 0.0014 * tooth;
            height += groove(p.x - 0.0105, 0.0008) + stitches(p.y, p.x - 0.0150);
        }
    }
    // The print is a film on the cloth.
    height + 0.0007 * details::number(place)
}

fn trouser(place: DVec3, p: DVec3, leg: DVec3) -> f64 {
    let mut height = 0.0;
    if leg.y > 0.0 {
        // The stripe's two edges are piped.
        height +=
            inside(p.y - 0.985, 0.001) * raised((details::leg_stripe(leg) + 0.0016).abs() - 0.0010, 0.0009, 0.0014);
    } else if p.y < 0.86 {
        height += groove(leg.z, 0.0010) + stitches(leg.x, leg.z - 0.0052);
    }
    if leg.z > 0.0 {
        let patch = details::knee_patch(leg);
        height += raised(patch, 0.0014, 0.0016) + inside(patch + 0.006, 0.002) * ridges(leg.x, 0.0135, 0.0013);
        height += stitches(libm::atan2(leg.y, leg.x - KNEE_ALONG) * 0.055, patch + 0.0035);
        // A slanted pocket on the hip.
        if p.y > 0.88 && p.y < 0.985 {
            height += groove(p.x - 0.100 - (0.985 - p.y) * 0.45, 0.0013);
        }
    }
    let hem = details::hem(leg);
    height += raised(hem, 0.0010, 0.0014);
    // Cloth folds behind the knee, and stands on the shoe.
    let behind = inside(leg.z, 0.02);
    height
        + behind * folds(place, leg.x - KNEE_ALONG, 0.10, 0.0022)
        + folds(place, leg.x - TROUSER_ALONG + 0.045, 0.06, 0.0016)
}

fn shoe(place: DVec3, p: DVec3) -> f64 {
    let shoe = Shoe::at(p);
    let sole = shoe.sole();
    let leather = 0.00022 * noise(place * 260.0);
    let mut height = leather * (1.0 - shoe.lace());
    height += 0.0013 * shoe.toe_cap() + 0.0010 * shoe.stripe() + 0.0012 * shoe.heel_tab();
    // A lace is round: highest in its middle.
    let lace = ((shoe.along - 0.035) / 0.018).fract() - 0.5;
    height += shoe.lace() * (0.0008 + 0.0018 * (1.0 - (lace / 0.16) * (lace / 0.16)).max(0.0));
    height += stitches(shoe.across, shoe.along - 0.1535) * inside(0.024 - shoe.height, 0.002);
    // The sole stands out, with a profile all round and a groove where the upper is sewn on.
    height += sole * 0.0016 + groove(shoe.height - 0.0205, 0.0012);
    let around = shoe.along + if shoe.across > 0.0 { shoe.across } else { -shoe.across };
    height + inside(shoe.height - 0.011, 0.001) * inside(0.002 - shoe.height, 0.001) * ridges(around, 0.0100, 0.0016)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimmings_stand_above_the_cloth_and_seams_below() {
        let body = Body::new();
        let front = |x: f64, y: f64| height(&body, DVec3::new(x, y, 0.12));
        let cloth = front(0.060, 1.15);
        assert!(front(0.060, 1.012) > cloth + 0.0008, "the belt");
        assert!(front(0.0215, 1.005) > front(0.0105, 1.005), "the buckle's frame over its inside");
        assert!(front(0.0105, 1.20) < front(0.0125, 1.20), "the zip's seam");
    }

    #[test]
    fn heights_are_those_of_cloth_not_of_hills() {
        let body = Body::new();
        for step in 0..400 {
            let share = f64::from(step) / 400.0;
            let place = DVec3::new(0.3 * libm::sin(40.0 * share), 1.8 * share, 0.15 * libm::cos(30.0 * share));
            assert!(height(&body, place).abs() < 0.012, "{place}");
        }
    }
}
