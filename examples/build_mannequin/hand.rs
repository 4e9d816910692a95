//! The left hand: its bones and its solid, in a frame of its own.
//!
//! The hand's frame: x along the forearm towards the fingertips, y towards the thumb, z out of the back of the hand;
//! the origin is the wrist. The right hand is its mirror image.
//!
//! Bone lengths follow the mean adult proportions of hand anthropometry (middle finger about 0.44 of the hand's
//! length), rounded to millimetres.

use crate::shapes::{Loft, Station, ellipsoid, join, smooth_step, tapered_capsule};
use glam::DVec3;

/// The joints of a finger, from its root to its tip (the tip is no joint).
pub(crate) struct Finger {
    /// The English name, as used in joint names.
    pub(crate) name: &'static str,
    /// Wrist-side end of the metacarpal (`None` for the thumb, whose first joint is the knuckle's).
    pub(crate) metacarpal: Option<DVec3>,
    /// Start of the three phalanges and the tip; the thumb's first is its metacarpal.
    pub(crate) knuckles: [DVec3; 4],
    /// Radii at the knuckles and the tip.
    pub(crate) radii: [f64; 4],
}

/// Root, direction in degrees from the hand's axis towards the thumb, droop in degrees, three bone lengths, radii.
type FingerRow = (&'static str, [f64; 3], f64, f64, [f64; 3], [f64; 4]);

const FINGERS: [FingerRow; 4] = [
    ("index", [0.090, 0.0300, 0.0015], 7.5, 4.0, [0.044, 0.026, 0.020], [0.0094, 0.0088, 0.0080, 0.0068]),
    ("middle", [0.093, 0.0085, 0.0030], 1.0, 4.0, [0.049, 0.030, 0.021], [0.0096, 0.0090, 0.0082, 0.0070]),
    ("ring", [0.089, -0.0130, 0.0015], -6.0, 5.0, [0.045, 0.028, 0.021], [0.0092, 0.0086, 0.0078, 0.0066]),
    ("little", [0.081, -0.0325, -0.0020], -14.0, 6.0, [0.035, 0.021, 0.018], [0.0084, 0.0076, 0.0068, 0.0058]),
];

const THUMB: ([DVec3; 4], [f64; 4]) = (
    [
        DVec3::new(0.022, 0.022, -0.006),
        DVec3::new(0.052, 0.051, -0.014),
        DVec3::new(0.081, 0.067, -0.018),
        DVec3::new(0.104, 0.0755, -0.0195),
    ],
    [0.0140, 0.0112, 0.0100, 0.0082],
);

/// The five fingers, thumb first.
pub(crate) fn fingers() -> [Finger; 5] {
    let thumb = Finger { name: "thumb", metacarpal: None, knuckles: THUMB.0, radii: THUMB.1 };
    let long = |index: usize| {
        let (name, root, spread, droop, lengths, radii) = FINGERS[index];
        let root = DVec3::from(root);
        let (spread_sin, spread_cos) = libm::sincos(spread.to_radians());
        let mut knuckles = [root; 4];
        for bone in 0..3 {
            // Each bone droops a little more than the last: a hand at rest is never flat.
            let (droop_sin, droop_cos) = libm::sincos((droop * (bone + 1) as f64).to_radians());
            let direction = DVec3::new(spread_cos * droop_cos, spread_sin * droop_cos, -droop_sin);
            knuckles[bone + 1] = knuckles[bone] + direction * lengths[bone];
        }
        let metacarpal = Some(DVec3::new(0.020, root.y * 0.55, root.z * 0.5));
        Finger { name, metacarpal, knuckles, radii }
    };
    [thumb, long(0), long(1), long(2), long(3)]
}

/// The solid of a hand, with the distances that tell its parts from one another.
pub(crate) struct Hand {
    palm: Loft,
    fingers: [Finger; 5],
}

impl Hand {
    pub(crate) fn new() -> Self {
        let stations = [
            [-0.030, 0.0000, 0.0000, 0.0290, 0.0280, 0.0205, 0.0205],
            [0.005, 0.0000, 0.0000, 0.0300, 0.0290, 0.0185, 0.0190],
            [0.030, 0.0010, -0.0005, 0.0350, 0.0350, 0.0170, 0.0190],
            [0.060, 0.0000, 0.0000, 0.0400, 0.0400, 0.0145, 0.0160],
            [0.085, -0.0005, 0.0010, 0.0400, 0.0405, 0.0120, 0.0125],
            [0.098, -0.0005, 0.0005, 0.0370, 0.0370, 0.0085, 0.0090],
        ];
        let palm = Loft {
            origin: DVec3::ZERO,
            axis: DVec3::X,
            lateral: DVec3::Y,
            front: DVec3::Z,
            stations: stations.map(Station::row).to_vec(),
            caps: [0.02, 0.012],
            squareness: 0.35,
        };
        Self { palm, fingers: fingers() }
    }

    /// The signed field of the whole hand at a point of the hand's frame.
    pub(crate) fn field(&self, point: DVec3) -> f64 {
        let mut field = self.palm(point);
        let long = (1..5).map(|finger| self.finger(finger, point)).fold(f64::INFINITY, f64::min);
        // Knuckles flow into the palm, but two fingers never flow into each other.
        field = join(field, long, 0.009);
        join(field, self.finger(0, point), 0.014)
    }

    /// The palm alone, with the balls of the thumb and of the little finger and the tendons' ridge of knuckles.
    pub(crate) fn palm(&self, point: DVec3) -> f64 {
        let mut field = self.palm.field(point);
        field = join(field, ellipsoid(point, DVec3::new(0.040, 0.026, -0.013), DVec3::new(0.030, 0.017, 0.013)), 0.014);
        field =
            join(field, ellipsoid(point, DVec3::new(0.042, -0.026, -0.010), DVec3::new(0.036, 0.013, 0.011)), 0.014);
        let hollow = ellipsoid(point, DVec3::new(0.062, 0.001, -0.033), DVec3::new(0.026, 0.020, 0.016));
        crate::shapes::carve(field, hollow, 0.012)
    }

    /// One finger alone: a chain of tapered bones, fuller on the palm's side, with a flat nail.
    pub(crate) fn finger(&self, index: usize, point: DVec3) -> f64 {
        let Finger { knuckles, radii, .. } = &self.fingers[index];
        let mut field = f64::INFINITY;
        for bone in 0..3 {
            let (from, to) = (knuckles[bone], knuckles[bone + 1]);
            let ends = [radii[bone], radii[bone + 1]];
            // The finger's round end, not the centre of its last sphere, reaches the tip.
            let overhang = if bone == 2 { ends[1] } else { 0.0 };
            let shaft = tapered_capsule(point, from, to - (to - from).normalize() * overhang, ends);
            // Bones that meet end to end need hardly any fillet: more would swell the knuckles.
            field = join(field, shaft, 0.0012);
        }
        // The nail's plate is raised by half a millimetre.
        field - 0.0005 * self.nail_mask(index, point)
    }

    /// 1 on the finger's nail, 0 off it.
    pub(crate) fn nail_mask(&self, index: usize, point: DVec3) -> f64 {
        let Finger { knuckles, radii, .. } = &self.fingers[index];
        let axis = (knuckles[3] - knuckles[2]).normalize();
        let back = self.back_of(index);
        let side = axis.cross(back);
        let offset = point - knuckles[3];
        let (along, across, up) = (offset.dot(axis), offset.dot(side), offset.dot(back));
        let half_width = radii[3] * 0.72;
        let width = 1.0 - smooth_step(half_width * 0.9, half_width * 1.1, across.abs());
        let length = smooth_step(-0.0145, -0.0135, along) * (1.0 - smooth_step(-0.0015, -0.0005, along));
        let facing = smooth_step(0.0, radii[3] * 0.3, up);
        width * length * facing
    }

    /// The direction out of a finger's nail: the thumb's looks sideways.
    pub(crate) fn back_of(&self, index: usize) -> DVec3 {
        let knuckles = &self.fingers[index].knuckles;
        let axis = (knuckles[3] - knuckles[2]).normalize();
        let up = if index == 0 { DVec3::new(-0.45, 0.65, 0.62) } else { DVec3::Z };
        (up - axis * up.dot(axis)).normalize()
    }

    /// The bones of finger `index`.
    pub(crate) fn bones(&self, index: usize) -> &Finger {
        &self.fingers[index]
    }
}
