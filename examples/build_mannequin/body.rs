//! The whole figure as one field: a standing adult of 1.80 m in A-pose, facing +Z.
//!
//! The figure is symmetric, so the parts are stated for the left side (+X) and a point is folded over first. The
//! tables are breadths and depths of an athletic adult (the customary "eight heads" canon checked against published
//! body breadths), in metres, with the floor at y = 0.

use crate::{
    hand::Hand,
    head::{self, Head},
    shapes::{Loft, Station, carve, ellipsoid, join, smooth_step, tapered_capsule},
};
use glam::DVec3;

/// The left shoulder joint.
pub(crate) const SHOULDER: DVec3 = DVec3::new(0.188, 1.430, -0.018);
/// Metres from the shoulder along the arm to the elbow, the wrist.
pub(crate) const ELBOW_ALONG: f64 = 0.295;
pub(crate) const WRIST_ALONG: f64 = 0.550;
/// The left hip joint.
pub(crate) const HIP: DVec3 = DVec3::new(0.092, 0.930, 0.000);
/// The left ankle joint.
pub(crate) const ANKLE: DVec3 = DVec3::new(0.104, 0.088, -0.022);
/// Metres from the hip along the leg to the knee.
pub(crate) const KNEE_ALONG: f64 = 0.432;
/// Metres along the arm where the sleeve ends.
pub(crate) const SLEEVE_ALONG: f64 = 0.175;
/// The height at which the collar ends on the midline.
const COLLAR_HEIGHT: f64 = 1.478;
/// How far cloth stands off the body.
const CLOTH: f64 = 0.0030;
/// Metres along the leg where the trousers end and the shoe's shaft shows.
pub(crate) const TROUSER_ALONG: f64 = 0.775;

/// The named parts that weights and texture charts are made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Trunk,
    Neck,
    Head,
    Arm,
    Palm,
    /// 0 is the thumb, 4 the little finger.
    Finger(usize),
    Leg,
    Foot,
}

/// The figure's solid.
pub(crate) struct Body {
    pub(crate) trunk: Loft,
    pub(crate) neck: Loft,
    pub(crate) arm: Loft,
    pub(crate) leg: Loft,
    pub(crate) foot: Loft,
    pub(crate) hand: Hand,
    head: Head,
}

/// The direction of the left arm: 38 degrees off the vertical.
pub(crate) fn arm_direction() -> DVec3 {
    let (sin, cos) = libm::sincos(38.0f64.to_radians());
    DVec3::new(sin, -cos, 0.0)
}

/// The directions of the left foot: forward along the sole, and to the left. The toes point 7 degrees outwards.
pub(crate) fn foot_directions() -> [DVec3; 2] {
    let (sin, cos) = libm::sincos(7.0f64.to_radians());
    [DVec3::new(sin, 0.0, cos), DVec3::new(cos, 0.0, -sin)]
}

/// How far a place is above the collar's edge, which rises from the midline to the sides of the neck.
pub(crate) fn above_collar(point: DVec3) -> f64 {
    const ROUNDING: f64 = 0.02;
    let aside = (point.x * point.x + ROUNDING * ROUNDING).sqrt() - ROUNDING;
    point.y - 0.9 * aside - COLLAR_HEIGHT
}

/// Maps the right half onto the left.
pub(crate) fn fold(point: DVec3) -> DVec3 {
    DVec3::new(point.x.abs(), point.y, point.z)
}

impl Body {
    pub(crate) fn new() -> Self {
        Self {
            trunk: trunk(),
            neck: neck(),
            arm: arm(),
            leg: leg(),
            foot: foot(),
            hand: Hand::new(),
            head: Head::new(),
        }
    }

    /// The point in the left hand's frame.
    pub(crate) fn to_hand(&self, folded: DVec3) -> DVec3 {
        let local = self.arm.local(folded);
        DVec3::new(local.x - WRIST_ALONG, local.z, local.y)
    }

    /// The signed field of the whole figure, without the eyeballs.
    pub(crate) fn field(&self, point: DVec3) -> f64 {
        let p = fold(point);
        let mut field = f64::INFINITY;
        // Spheres round the parts: a part that is further than every blend can not change the field.
        let near = |center: [f64; 3], radius: f64, field: f64| {
            (p - DVec3::from(center)).length() - radius < field.min(0.5) + 0.08
        };
        if near([0.0, 1.17, 0.0], 0.42, field) {
            field = self.trunk_field(p);
        }
        if near([0.0, 1.57, -0.01], 0.15, field) {
            let collar = CLOTH * (1.0 - smooth_step(-0.007, 0.007, above_collar(p)));
            field = join(field, self.neck.field(p) - collar, 0.035);
        }
        if near([0.0, 1.69, 0.01], 0.15, field) {
            field = join(field, self.head_field(p), 0.018);
        }
        if near([0.35, 1.21, -0.01], 0.36, field) {
            field = join(field, self.arm_field(p), 0.060);
        }
        if near([0.575, 0.92, -0.01], 0.16, field) {
            field = join(field, self.hand.field(self.to_hand(p)), 0.016);
        }
        if near([0.10, 0.55, 0.0], 0.52, field) {
            field = join(field, self.leg_field(p), 0.035);
        }
        if near([0.11, 0.05, 0.04], 0.20, field) {
            field = join(field, self.foot_field(p), 0.026);
        }
        field
    }

    /// The trunk alone, at a folded point.
    pub(crate) fn trunk_field(&self, p: DVec3) -> f64 {
        let mut field = self.trunk.field(p);
        let chest = ellipsoid(p, DVec3::new(0.078, 1.352, 0.058), DVec3::new(0.080, 0.062, 0.044));
        field = join(field, chest, 0.060);
        let buttock = ellipsoid(p, DVec3::new(0.072, 0.905, -0.062), DVec3::new(0.074, 0.080, 0.062));
        field = join(field, buttock, 0.050);
        let trapezius =
            tapered_capsule(p, DVec3::new(0.030, 1.530, -0.038), DVec3::new(0.165, 1.452, -0.022), [0.026, 0.028]);
        field = join(field, trapezius, 0.050);
        let blade = ellipsoid(p, DVec3::new(0.085, 1.370, -0.085), DVec3::new(0.060, 0.080, 0.030));
        field = join(field, blade, 0.040);
        let spine = tapered_capsule(p, DVec3::new(0.0, 1.42, -0.128), DVec3::new(0.0, 1.02, -0.108), [0.006, 0.010]);
        carve(field, spine, 0.045)
    }

    /// The left arm alone, at a folded point.
    pub(crate) fn arm_field(&self, p: DVec3) -> f64 {
        let along = self.arm.local(p).x;
        let sleeve = CLOTH * (1.0 - smooth_step(SLEEVE_ALONG - 0.009, SLEEVE_ALONG + 0.009, along));
        self.arm.field(p) - sleeve
    }

    /// The left leg alone, at a folded point.
    pub(crate) fn leg_field(&self, p: DVec3) -> f64 {
        let local = self.leg.local(p);
        let hem = CLOTH * (1.0 - smooth_step(TROUSER_ALONG - 0.009, TROUSER_ALONG + 0.009, local.x));
        let kneecap = ellipsoid(local, DVec3::new(KNEE_ALONG - 0.005, 0.0, 0.036), DVec3::new(0.034, 0.027, 0.022));
        join(self.leg.field(p), kneecap, 0.022) - hem
    }

    /// The head alone, at a folded point.
    pub(crate) fn head_field(&self, p: DVec3) -> f64 {
        self.head.field(p - head::CENTER)
    }

    fn foot_field(&self, p: DVec3) -> f64 {
        // The sole is a little wider than the shoe above it.
        let sole = 0.0028 * (1.0 - smooth_step(0.014, 0.024, p.y));
        carve(self.foot.field(p) - sole, p.y, 0.008)
    }

    /// The gradient by central differences over `step` metres either way.
    fn gradient(&self, point: DVec3, step: f64) -> DVec3 {
        let slope = |axis: DVec3| (self.field(point + axis * step) - self.field(point - axis * step)) / (2.0 * step);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    }

    /// The unit normal that a mesh of the wanted edge length can show: the gradient over a third of an edge, so that
    /// a detail finer than the mesh does not tilt the normal of a lone vertex.
    pub(crate) fn normal(&self, point: DVec3) -> DVec3 {
        self.gradient(point, edge_length(point) * 0.35).normalize_or(DVec3::Y)
    }

    /// Pulls a point that is near the surface onto it, by Newton's method along the gradient.
    pub(crate) fn project(&self, point: DVec3) -> DVec3 {
        let mut p = point;
        for _ in 0..4 {
            let value = self.field(p);
            if value.abs() < 1e-7 {
                break;
            }
            let gradient = self.gradient(p, 2e-5);
            let step = gradient * (value / gradient.length_squared().max(0.05));
            p -= step.clamp_length_max(0.004);
        }
        p
    }

    /// The part whose solid is nearest to a point of the surface.
    pub(crate) fn part(&self, point: DVec3) -> Part {
        let p = fold(point);
        let along = self.arm.local(p).x;
        if along > WRIST_ALONG - 0.02 && p.x > 0.35 {
            let local = self.to_hand(p);
            let finger = (0..5).map(|index| (self.hand.finger(index, local), Part::Finger(index)));
            let palm = (self.hand.palm(local), if local.x < 0.0 { Part::Arm } else { Part::Palm });
            return nearest(finger.chain([palm]));
        }
        nearest([
            (self.trunk_field(p), Part::Trunk),
            (self.neck.field(p), Part::Neck),
            (self.head_field(p), Part::Head),
            (self.arm_field(p), Part::Arm),
            (self.leg_field(p), Part::Leg),
            (self.foot_field(p), Part::Foot),
        ])
    }
}

/// The wanted edge length of triangles at a place: fine at the face and the fingers, coarse on the trunk.
pub(crate) fn edge_length(point: DVec3) -> f64 {
    let p = fold(point);
    let arm = p - SHOULDER;
    let along = arm.dot(arm_direction());
    let off_arm = (arm - arm_direction() * along).length();
    let hand = smooth_step(WRIST_ALONG - 0.09, WRIST_ALONG + 0.02, along) * (1.0 - smooth_step(0.15, 0.25, off_arm));
    let head = smooth_step(1.50, 1.58, p.y);
    let face = p - head::CENTER;
    let features = [
        (head::EYE, 0.016, 0.034),
        (head::MOUTH * DVec3::new(0.5, 1.0, 1.0), 0.016, 0.032),
        (DVec3::new(0.0, -0.036, 0.104), 0.012, 0.03),
        (DVec3::new(0.076, -0.005, -0.012), 0.030, 0.055),
    ];
    let near = features.iter().map(|&(center, inner, outer)| 1.0 - smooth_step(inner, outer, (face - center).length()));
    let detail = near.fold(0.0, f64::max);
    let foot = 1.0 - smooth_step(0.10, 0.20, p.y);
    let body = 0.0138 - 0.0040 * foot;
    let skin = body + (0.0068 - body) * head + (0.0041 - body) * hand;
    skin + (0.0020 - skin) * detail
}

fn nearest(candidates: impl IntoIterator<Item = (f64, Part)>) -> Part {
    let start = (f64::INFINITY, Part::Trunk);
    candidates.into_iter().fold(start, |best, next| if next.0 < best.0 { next } else { best }).1
}

fn loft(origin: DVec3, [axis, lateral, front]: [DVec3; 3], rows: &[[f64; 7]], caps: [f64; 2], squareness: f64) -> Loft {
    Loft {
        origin,
        axis,
        lateral,
        front,
        stations: rows.iter().map(|&row| Station::row(row)).collect(),
        caps,
        squareness,
    }
}

fn trunk() -> Loft {
    // Height, centre x and z, half-widths, half-depths.
    let rows = [
        [0.868, 0.0, -0.004, 0.075, 0.075, 0.060, 0.066],
        [0.905, 0.0, -0.005, 0.142, 0.142, 0.088, 0.096],
        [0.955, 0.0, -0.005, 0.158, 0.158, 0.099, 0.106],
        [1.020, 0.0, 0.000, 0.149, 0.149, 0.102, 0.100],
        [1.085, 0.0, 0.003, 0.134, 0.134, 0.099, 0.088],
        [1.145, 0.0, 0.005, 0.132, 0.132, 0.095, 0.082],
        [1.220, 0.0, 0.005, 0.147, 0.147, 0.099, 0.090],
        [1.300, 0.0, 0.000, 0.166, 0.166, 0.108, 0.108],
        [1.370, 0.0, -0.008, 0.172, 0.172, 0.105, 0.110],
        [1.430, 0.0, -0.016, 0.150, 0.150, 0.084, 0.096],
        [1.475, 0.0, -0.022, 0.105, 0.105, 0.062, 0.074],
        [1.505, 0.0, -0.026, 0.062, 0.062, 0.050, 0.056],
    ];
    loft(DVec3::ZERO, [DVec3::Y, DVec3::X, DVec3::Z], &rows, [0.030, 0.020], 0.30)
}

fn neck() -> Loft {
    let (low, high) = (DVec3::new(0.0, 1.440, -0.030), DVec3::new(0.0, 1.640, 0.000));
    let axis = (high - low).normalize();
    let rows = [
        [0.000, 0.0, 0.0, 0.070, 0.070, 0.056, 0.062],
        [0.060, 0.0, 0.0, 0.058, 0.058, 0.054, 0.058],
        [0.100, 0.0, 0.0, 0.054, 0.054, 0.053, 0.055],
        [0.150, 0.0, 0.0, 0.053, 0.053, 0.055, 0.054],
        [0.200, 0.0, 0.0, 0.054, 0.054, 0.050, 0.056],
    ];
    loft(low, [axis, DVec3::X, DVec3::X.cross(axis)], &rows, [0.02, 0.03], 0.0)
}

fn arm() -> Loft {
    let axis = arm_direction();
    // Along the arm; lateral is the outer side, front is +Z.
    let rows = [
        [-0.020, -0.006, 0.000, 0.044, 0.044, 0.046, 0.048],
        [0.030, -0.002, 0.000, 0.055, 0.052, 0.058, 0.056],
        [0.080, 0.000, 0.000, 0.055, 0.052, 0.056, 0.054],
        [0.140, 0.000, 0.000, 0.047, 0.046, 0.051, 0.050],
        [0.200, 0.000, 0.000, 0.042, 0.043, 0.050, 0.047],
        [0.255, 0.000, 0.000, 0.038, 0.039, 0.042, 0.042],
        [0.295, 0.000, 0.000, 0.037, 0.038, 0.038, 0.041],
        [0.345, 0.001, 0.000, 0.041, 0.040, 0.045, 0.039],
        [0.400, 0.001, 0.000, 0.037, 0.036, 0.041, 0.035],
        [0.460, 0.000, 0.000, 0.029, 0.029, 0.034, 0.030],
        [0.520, 0.000, 0.000, 0.022, 0.022, 0.029, 0.0275],
        [0.560, 0.000, 0.000, 0.0195, 0.0195, 0.0285, 0.0275],
    ];
    let lateral = DVec3::new(-axis.y, axis.x, 0.0);
    loft(SHOULDER, [axis, lateral, DVec3::Z], &rows, [0.040, 0.015], 0.0)
}

fn leg() -> Loft {
    let axis = (ANKLE - HIP).normalize();
    let front = (DVec3::Z - axis * axis.z).normalize();
    // Along the leg; lateral is +X, front is +Z.
    let rows = [
        [-0.060, -0.010, 0.000, 0.058, 0.058, 0.060, 0.070],
        [0.000, -0.008, -0.002, 0.070, 0.070, 0.080, 0.086],
        [0.080, -0.003, 0.000, 0.077, 0.076, 0.087, 0.087],
        [0.180, 0.000, 0.003, 0.077, 0.077, 0.085, 0.080],
        [0.280, 0.000, 0.005, 0.066, 0.067, 0.073, 0.067],
        [0.370, 0.000, 0.004, 0.055, 0.057, 0.058, 0.056],
        [0.432, 0.000, 0.000, 0.051, 0.052, 0.053, 0.052],
        [0.490, 0.000, -0.006, 0.049, 0.050, 0.050, 0.054],
        [0.555, 0.001, -0.010, 0.052, 0.053, 0.047, 0.062],
        [0.620, 0.000, -0.010, 0.048, 0.048, 0.043, 0.057],
        [0.700, 0.000, -0.004, 0.038, 0.038, 0.037, 0.044],
        [0.780, 0.000, 0.000, 0.031, 0.032, 0.034, 0.037],
        [0.845, 0.000, 0.000, 0.033, 0.034, 0.038, 0.040],
        [0.875, 0.000, 0.000, 0.031, 0.031, 0.042, 0.042],
    ];
    loft(HIP, [axis, front.cross(axis), front], &rows, [0.050, 0.015], 0.06)
}

fn foot() -> Loft {
    let [forward, left] = foot_directions();
    // Along the sole from below the ankle; lateral is +X (the outer side), front is up.
    let rows = [
        [-0.042, 0.000, 0.038, 0.030, 0.030, 0.040, 0.036],
        [-0.010, 0.000, 0.040, 0.034, 0.034, 0.046, 0.040],
        [0.030, 0.001, 0.040, 0.037, 0.036, 0.050, 0.040],
        [0.072, 0.002, 0.036, 0.041, 0.038, 0.040, 0.036],
        [0.115, 0.002, 0.028, 0.047, 0.045, 0.030, 0.028],
        [0.155, 0.000, 0.024, 0.045, 0.045, 0.023, 0.024],
        [0.185, -0.004, 0.020, 0.036, 0.038, 0.017, 0.020],
    ];
    let origin = DVec3::new(ANKLE.x, 0.0, ANKLE.z);
    loft(origin, [forward, left, DVec3::Y], &rows, [0.030, 0.030], 0.25)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_is_one_metre_eighty_and_symmetric() {
        let body = Body::new();
        assert!(body.field(DVec3::new(0.0, 1.79, 0.0)) < 0.0);
        assert!(body.field(DVec3::new(0.0, 1.81, 0.0)) > 0.0);
        let point = DVec3::new(0.31, 1.2, 0.02);
        assert_eq!(body.field(point), body.field(DVec3::new(-point.x, point.y, point.z)));
    }

    #[test]
    fn projected_points_lie_on_the_surface() {
        let body = Body::new();
        for start in [DVec3::new(0.0, 1.2, 0.103), DVec3::new(0.1, 0.5, 0.055), DVec3::new(0.0, 1.70, 0.105)] {
            assert!(body.field(body.project(start)).abs() < 1e-6);
        }
    }
}
