//! Where things are on the figure: trimmings, fastenings, features of the face.
//!
//! Colours, relief and finish are painted separately and have to lie on each other to the texel, so all three ask here.
//! A place is asked for by its signed distance in metres, negative on the thing, where it has one; `p` is always folded
//! onto the left half.

use crate::{
    body::{self, ANKLE, KNEE_ALONG, SLEEVE_ALONG, TROUSER_ALONG},
    head::MOUTH,
    noise::noise,
    shapes::{smooth_step, tapered_capsule},
};
use glam::DVec3;

/// The middle of the number on the chest, to the left and up, and how high a digit is there.
const CHEST: [f64; 2] = [0.078, 1.335];
const CHEST_DIGIT: f64 = 0.020;
/// The height of the middle of the number on the back, and how high a digit is there.
const BACK_HEIGHT: f64 = 1.250;
const BACK_DIGIT: f64 = 0.055;

/// 1 inside (below 0), 0 outside, over `softness` metres.
pub(crate) fn inside(distance: f64, softness: f64) -> f64 {
    1.0 - smooth_step(-softness, softness, distance)
}

/// How far a place is above the lower edge of the yoke, which is lower in the middle.
pub(crate) fn above_yoke(p: DVec3) -> f64 {
    p.y - (1.385 + 0.25 * p.x)
}

pub(crate) fn collar(p: DVec3) -> f64 {
    (body::above_collar(p) + 0.0045).abs() - 0.0065
}

pub(crate) fn belt(p: DVec3) -> f64 {
    (p.y - 1.012).abs() - 0.017
}

/// The buckle's plate, on the front; its frame is the rim of this.
pub(crate) fn buckle(p: DVec3) -> f64 {
    (p.x - 0.022).max((p.y - 1.012).abs() - 0.013)
}

/// The zip above the belt, on the front.
pub(crate) fn zip(p: DVec3) -> f64 {
    (p.x - 0.0022).max(1.03 - p.y)
}

/// The stripe down the outside of a leg, by the leg's coordinates.
pub(crate) fn leg_stripe(leg: DVec3) -> f64 {
    leg.z.abs() - 0.0085
}

/// The patch on a knee, by the leg's coordinates; before the leg only.
pub(crate) fn knee_patch(leg: DVec3) -> f64 {
    let knee = ((leg - DVec3::new(KNEE_ALONG, 0.0, 0.045)) / DVec3::new(0.075, 0.042, 0.05)).length();
    (knee - 1.0) * 0.04
}

/// The trousers' hem, by the leg's coordinates.
pub(crate) fn hem(leg: DVec3) -> f64 {
    (leg.x - TROUSER_ALONG + 0.006).abs() - 0.004
}

/// The ring round a sleeve, `along` metres from the shoulder.
pub(crate) fn sleeve_ring(along: f64) -> f64 {
    (along - 0.090).abs() - 0.005
}

/// The sleeve's hem, `along` metres from the shoulder.
pub(crate) fn sleeve_hem(along: f64) -> f64 {
    (along - SLEEVE_ALONG + 0.0035).abs() - 0.0060
}

/// 1 on the number: small on the left of the chest, large on the back. `place` is not folded.
pub(crate) fn number(place: DVec3) -> f64 {
    if place.z > 0.0 {
        digits((place.x - CHEST[0]) / CHEST_DIGIT, (place.y - CHEST[1]) / CHEST_DIGIT)
    } else {
        // From behind, the reader's right is −X.
        digits(-place.x / BACK_DIGIT, (place.y - BACK_HEIGHT) / BACK_DIGIT)
    }
}

/// The number 85 in the seven-segment way, one unit high, about the origin; x to the reader's right.
fn digits(x: f64, y: f64) -> f64 {
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

/// A place on a shoe: along the foot from the ankle, across it to the outside, above the floor.
#[derive(Clone, Copy)]
pub(crate) struct Shoe {
    pub(crate) along: f64,
    pub(crate) across: f64,
    pub(crate) height: f64,
}

impl Shoe {
    pub(crate) fn at(p: DVec3) -> Self {
        let [forward, left] = body::foot_directions();
        let offset = p - DVec3::new(ANKLE.x, 0.0, ANKLE.z);
        Self { along: offset.dot(forward), across: offset.dot(left), height: p.y }
    }

    /// 1 on the toe cap.
    pub(crate) fn toe_cap(self) -> f64 {
        inside(0.150 - self.along, 0.0012) * smooth_step(0.018, 0.022, self.height)
    }

    /// 1 on a lace over the instep.
    pub(crate) fn lace(self) -> f64 {
        if self.height <= 0.035 || self.along <= 0.035 || self.along >= 0.125 || self.across.abs() >= 0.016 {
            return 0.0;
        }
        let lace = ((self.along - 0.035) / 0.018).fract() - 0.5;
        inside((lace.abs() - 0.14) * 0.018, 0.0008) * inside(self.across.abs() - 0.014, 0.0010)
    }

    /// 1 on the stripe of the outer side.
    pub(crate) fn stripe(self) -> f64 {
        if self.across <= 0.0 {
            return 0.0;
        }
        let stripe = (self.along - 0.055 - (self.height - 0.03) * 0.6).abs() - 0.009;
        inside(stripe, 0.0010) * inside(self.height - 0.062, 0.0010)
    }

    /// 1 on the heel's tab.
    pub(crate) fn heel_tab(self) -> f64 {
        inside(self.across.abs() - 0.009, 0.0010)
            * inside(self.along + 0.035, 0.0010)
            * inside(self.height - 0.100, 0.0010)
    }

    /// 1 on the sole.
    pub(crate) fn sole(self) -> f64 {
        inside(self.height - 0.019, 0.0010)
    }
}

/// The band round the left wrist, by the hand's coordinates.
pub(crate) fn wristband(hand: DVec3) -> f64 {
    (hand.x + 0.030).abs() - 0.013
}

/// The lips, by a place of the face before its middle: each as far as its bow.
pub(crate) fn lips(face: DVec3) -> f64 {
    let flat = face.with_z(0.0);
    let corner = MOUTH.with_z(0.0);
    let upper = tapered_capsule(flat, DVec3::new(0.0030, -0.0645, 0.0), corner, [0.0046, 0.0008]);
    let lower = tapered_capsule(flat, DVec3::new(0.0085, -0.0732, 0.0), corner, [0.0056, 0.0008]);
    // The lower lip is full between its two halves.
    upper.min(lower.min((flat.x - 0.0085).max((flat.y + 0.0732).abs() - 0.0056)))
}

/// The line between the lips.
pub(crate) fn mouth_line(face: DVec3) -> f64 {
    tapered_capsule(face.with_z(0.0), DVec3::new(0.0, -0.0688, 0.0), MOUTH.with_z(0.0), [0.0007, 0.0003])
}

/// The eyebrow, with ragged edges.
pub(crate) fn eyebrow(face: DVec3) -> f64 {
    let flat = face.with_z(0.0);
    let bow = DVec3::new(0.0340, 0.0235, 0.0);
    let inner = tapered_capsule(flat, DVec3::new(0.0135, 0.0170, 0.0), bow, [0.0030, 0.0026]);
    let outer = tapered_capsule(flat, bow, DVec3::new(0.0510, 0.0165, 0.0), [0.0026, 0.0009]);
    inner.min(outer) + 0.0006 * noise(face * DVec3::new(1500.0, 500.0, 0.0))
}

/// 1 where the cropped hair grows.
pub(crate) fn hair(face: DVec3) -> f64 {
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
    let next = LINE.iter().position(|point| point[0] >= face.z).unwrap_or(LINE.len() - 1).max(1);
    let [[z0, y0], [z1, y1]] = [LINE[next - 1], LINE[next]];
    let height = y0 + (y1 - y0) * smooth_step(z0, z1, face.z);
    let ear = ((face - DVec3::new(0.079, -0.006, -0.014)) / DVec3::new(0.0075, 0.034, 0.021)).length();
    inside(height - face.y + 0.0012 * noise(face * 700.0), 0.0012) * smooth_step(0.85, 1.0, ear)
}
