//! The expression's morph targets: a smile, a blink, a surprise.
//!
//! A target is a displacement field over the head at rest. Normals move with it: a small triangle of the tangent
//! plane is displaced, and its new normal taken.

use crate::{
    head::{CENTER, EYE, EYE_RADIUS, LID_THICKNESS, MOUTH, OPENING_HALF_WIDTH, lid_edges},
    shapes::smooth_step,
};
use glam::{DQuat, DVec3};

/// Names of the targets, in the order of the file.
pub(crate) const NAMES: [&str; 3] = ["smile", "blink", "surprise"];

/// The displacement of target `target` at a place of the rest surface; eyeballs have none.
pub(crate) fn displacement(target: usize, place: DVec3) -> DVec3 {
    let side = if place.x < 0.0 { -1.0 } else { 1.0 };
    let p = (place - CENTER) * DVec3::new(side, 1.0, 1.0);
    if p.y < -0.125 || p.z < -0.02 {
        return DVec3::ZERO;
    }
    let moved = match target {
        0 => smile(p),
        1 => blink(p),
        _ => surprise(p),
    };
    moved * DVec3::new(side, 1.0, 1.0)
}

/// The change of the unit normal.
pub(crate) fn normal_change(target: usize, place: DVec3, normal: DVec3) -> DVec3 {
    const STEP: f64 = 2e-4;
    let across = normal.any_orthonormal_vector();
    let along = normal.cross(across);
    let slope = |axis: DVec3| {
        let high = displacement(target, place + axis * STEP);
        let low = displacement(target, place - axis * STEP);
        axis + (high - low) / (2.0 * STEP)
    };
    slope(across).cross(slope(along)).normalize_or(normal) - normal
}

/// 1 at the centre, 0 from `radii` outwards.
fn bump(p: DVec3, center: DVec3, radii: DVec3) -> f64 {
    1.0 - smooth_step(0.0, 1.0, ((p - center) / radii).length())
}

fn smile(p: DVec3) -> DVec3 {
    let corner = bump(p, MOUTH, DVec3::new(0.034, 0.030, 0.045));
    let cheek = bump(p, DVec3::new(0.040, -0.036, 0.072), DVec3::new(0.030, 0.030, 0.045));
    let lower_lid = bump(p, EYE + DVec3::new(0.0, -0.010, 0.010), DVec3::new(0.024, 0.010, 0.024));
    // The middle of the lips stretches thin over the teeth.
    let lips = bump(p, DVec3::new(0.0, -0.0690, 0.0900), DVec3::new(0.022, 0.016, 0.030));
    DVec3::new(0.0070, 0.0070, -0.0035) * corner
        + DVec3::new(0.0020, 0.0055, 0.0045) * cheek
        + DVec3::new(0.0, 0.0012, 0.0005) * lower_lid
        + DVec3::new(0.0, 0.0010, -0.0020) * lips
}

/// Turns the upper lid down over the eyeball, and the lower one a little up, about the eye's centre.
fn blink(p: DVec3) -> DVec3 {
    let offset = p - EYE;
    let reach = offset.length();
    if offset.z < 0.0 || reach < EYE_RADIUS - 0.0004 {
        return DVec3::ZERO;
    }
    let [upper, lower] = lid_edges(offset.x).map(|height| height - EYE.y);
    let closed = lower + 0.03 * (upper - lower);
    let bow = 1.0 - smooth_step(0.75, 1.12, (offset.x / OPENING_HALF_WIDTH).abs());
    // Only the skin of the lids slides; the brow and the cheek keep their places.
    let skin = 1.0 - smooth_step(EYE_RADIUS + LID_THICKNESS + 0.001, EYE_RADIUS + LID_THICKNESS + 0.007, reach);
    let middle = 0.5 * (upper + lower);
    let turn = if offset.y > middle {
        let edge = 1.0 - smooth_step(upper, upper + 0.0085, offset.y);
        (upper - closed) / (EYE_RADIUS + LID_THICKNESS) * edge
    } else {
        let edge = smooth_step(lower - 0.006, lower, offset.y);
        -(closed - lower) / (EYE_RADIUS + LID_THICKNESS) * edge
    };
    let turned = DQuat::from_rotation_x(turn * 1.12 * bow.max(0.0) * skin) * offset;
    // The lid's edge, cut across its thickness, must not dip into the eyeball half-way.
    let lifted = turned.normalize() * (reach + 0.0007 * bow * skin * smooth_step(0.0, 0.2, turn.abs()));
    lifted - offset
}

fn surprise(p: DVec3) -> DVec3 {
    let brow = bump(p, DVec3::new(0.026, 0.021, 0.084), DVec3::new(0.040, 0.030, 0.050));
    let forehead = bump(p, DVec3::new(0.015, 0.052, 0.085), DVec3::new(0.060, 0.040, 0.050));
    let upper_lid = bump(p, EYE + DVec3::new(0.0, 0.008, 0.011), DVec3::new(0.018, 0.007, 0.016));
    let lower_lip = bump(p, DVec3::new(0.0, -0.0770, 0.0900), DVec3::new(0.030, 0.018, 0.035));
    let chin = bump(p, DVec3::new(0.0, -0.1000, 0.0800), DVec3::new(0.045, 0.035, 0.050));
    let corner = bump(p, MOUTH, DVec3::new(0.016, 0.018, 0.030));
    DVec3::new(0.0, 0.0075, 0.0008) * brow
        + DVec3::new(0.0, 0.0025, 0.0) * forehead
        + DVec3::new(0.0, 0.0016, 0.0) * upper_lid
        + DVec3::new(0.0, -0.0040, 0.0) * lower_lip
        + DVec3::new(0.0, -0.0050, -0.0005) * chin
        + DVec3::new(-0.0040, -0.0010, 0.0010) * corner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_stay_symmetric() {
        for target in 0..NAMES.len() {
            let left = displacement(target, CENTER + DVec3::new(0.030, -0.040, 0.080));
            let right = displacement(target, CENTER + DVec3::new(-0.030, -0.040, 0.080));
            assert_eq!(left * DVec3::new(-1.0, 1.0, 1.0), right);
        }
    }

    #[test]
    fn a_blink_lowers_the_upper_lid_past_the_pupil_and_keeps_it_off_the_eyeball() {
        let [upper, _] = lid_edges(0.0);
        let height = upper - EYE.y + 0.0002;
        let depth = ((EYE_RADIUS + 0.0015) * (EYE_RADIUS + 0.0015) - height * height).sqrt();
        let lid = EYE + DVec3::new(0.0, height, depth);
        let moved = lid + displacement(1, CENTER + lid);
        assert!(moved.y < EYE.y - 0.002, "{moved}");
        assert!((moved - EYE).length() > EYE_RADIUS + 0.001);
        assert_eq!(displacement(1, CENTER + DVec3::new(0.0, 0.09, 0.0)), DVec3::ZERO, "the crown stays");
    }
}
