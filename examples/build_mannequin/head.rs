//! The head: a skull, a face with lids that can close, and ears, in a frame of its own.
//!
//! The head's frame is the body's, moved to [`CENTRE`]: x to the character's left, y up, z forward. The face is
//! symmetric, so everything here is stated for the left half. The sizes are the usual ones of an adult head: 225 mm
//! from chin to crown, 151 mm wide, the eyes half-way up.

use crate::shapes::{Loft, Station, carve, ellipsoid, join, tapered_capsule};
use glam::DVec3;

/// The middle of the head in the body's space.
pub(crate) const CENTER: DVec3 = DVec3::new(0.0, 1.688, 0.014);
/// The left eyeball's centre in the head's frame.
pub(crate) const EYE: DVec3 = DVec3::new(0.0320, -0.0020, 0.0660);
/// The eyeball's radius.
pub(crate) const EYE_RADIUS: f64 = 0.0130;
/// How far the lids stand off the eyeball.
pub(crate) const LID_THICKNESS: f64 = 0.0017;
/// Half the width of the opening between the lids.
pub(crate) const OPENING_HALF_WIDTH: f64 = 0.0138;
/// Height of the upper and of the lower lid's edge over the eye's centre, in the middle of the opening.
const LID_HEIGHTS: [f64; 2] = [0.0062, -0.0042];
/// Rise of the line between the corners of the eye: the outer corner is the higher one.
const CANT: f64 = 0.07;
/// Height of the line between the lips, and where it ends.
pub(crate) const MOUTH: DVec3 = DVec3::new(0.0245, -0.0685, 0.0835);

/// Heights of the upper and the lower lid's edge at `across` metres from the eye's centre, in the head's frame.
pub(crate) fn lid_edges(across: f64) -> [f64; 2] {
    let bow = 1.0 - (across / OPENING_HALF_WIDTH) * (across / OPENING_HALF_WIDTH);
    LID_HEIGHTS.map(|height| EYE.y + CANT * across + height * bow)
}

/// The solid of the head without the eyeballs.
pub(crate) struct Head {
    face: Loft,
}

impl Head {
    pub(crate) fn new() -> Self {
        let stations = [
            [-0.060, 0.0, 0.020, 0.0600, 0.0600, 0.0600, 0.060],
            [-0.020, 0.0, 0.020, 0.0635, 0.0635, 0.0700, 0.060],
            [0.015, 0.0, 0.022, 0.0610, 0.0610, 0.0675, 0.055],
            [0.045, 0.0, 0.026, 0.0555, 0.0555, 0.0655, 0.045],
            [0.075, 0.0, 0.030, 0.0470, 0.0470, 0.0590, 0.035],
            [0.098, 0.0, 0.034, 0.0330, 0.0330, 0.0480, 0.030],
        ];
        let face = Loft {
            origin: DVec3::ZERO,
            axis: DVec3::NEG_Y,
            lateral: DVec3::X,
            front: DVec3::Z,
            stations: stations.map(Station::row).to_vec(),
            caps: [0.03, 0.012],
            squareness: 0.30,
        };
        Self { face }
    }

    /// The signed field at a point of the head's frame.
    pub(crate) fn field(&self, point: DVec3) -> f64 {
        let p = DVec3::new(point.x.abs(), point.y, point.z);
        let skull = ellipsoid(p, DVec3::new(0.0, 0.029, -0.010), DVec3::new(0.0755, 0.0835, 0.0980));
        let mut field = join(skull, self.face.field(p), 0.030);
        let jaw =
            tapered_capsule(p, DVec3::new(0.046, -0.058, 0.006), DVec3::new(0.017, -0.098, 0.072), [0.010, 0.009]);
        field = join(field, jaw, 0.036);
        let chin = ellipsoid(p, DVec3::new(0.0, -0.0985, 0.0770), DVec3::new(0.0190, 0.0150, 0.0140));
        field = join(field, chin, 0.014);
        let cheekbone = ellipsoid(p, DVec3::new(0.046, -0.025, 0.056), DVec3::new(0.017, 0.013, 0.017));
        field = join(field, cheekbone, 0.034);
        let brow =
            tapered_capsule(p, DVec3::new(0.014, 0.0165, 0.0835), DVec3::new(0.050, 0.0170, 0.0630), [0.0075, 0.0050]);
        field = join(field, brow, 0.016);
        field = self.eyes(p, field);
        field = nose(p, field);
        field = mouth(p, field);
        ear(p, field)
    }

    fn eyes(&self, p: DVec3, field: f64) -> f64 {
        let socket = ellipsoid(p, EYE + DVec3::new(-0.001, 0.0005, 0.0265), DVec3::new(0.0200, 0.0125, 0.0180));
        let mut field = carve(field, socket, 0.014);
        let lids = (p - EYE).length() - (EYE_RADIUS + LID_THICKNESS);
        field = join(field, lids, 0.006);
        let [upper, lower] = lid_edges(p.x - EYE.x);
        let opening = (p.y - upper).max(lower - p.y);
        let depth = (EYE_RADIUS - 0.0011) - (p - EYE).length();
        let behind = EYE.z - p.z;
        carve(field, opening.max(depth).max(behind), 0.0020)
    }
}

fn nose(p: DVec3, field: f64) -> f64 {
    let bridge = tapered_capsule(p, DVec3::new(0.0, 0.010, 0.0815), DVec3::new(0.0, -0.0330, 0.1035), [0.0062, 0.0078]);
    let mut field = join(field, bridge, 0.011);
    let tip = ellipsoid(p, DVec3::new(0.0, -0.0365, 0.1035), DVec3::new(0.0095, 0.0085, 0.0105));
    field = join(field, tip, 0.010);
    let wing = ellipsoid(p, DVec3::new(0.0105, -0.0410, 0.0940), DVec3::new(0.0056, 0.0062, 0.0095));
    field = join(field, wing, 0.009);
    let nostril = ellipsoid(p, DVec3::new(0.0062, -0.0490, 0.0995), DVec3::new(0.0032, 0.0040, 0.0050));
    carve(field, nostril, 0.003)
}

fn mouth(p: DVec3, field: f64) -> f64 {
    let upper =
        tapered_capsule(p, DVec3::new(0.0, -0.0638, 0.0905), DVec3::new(0.0230, -0.0680, 0.0790), [0.0056, 0.0024]);
    let lower =
        tapered_capsule(p, DVec3::new(0.0, -0.0742, 0.0888), DVec3::new(0.0215, -0.0695, 0.0790), [0.0066, 0.0024]);
    let mut field = join(field, upper, 0.010);
    field = join(field, lower, 0.010);
    let line =
        tapered_capsule(p, DVec3::new(0.0, -0.0688, 0.0968), DVec3::new(MOUTH.x, MOUTH.y, MOUTH.z), [0.0015, 0.0010]);
    field = carve(field, line, 0.0050);
    let philtrum =
        tapered_capsule(p, DVec3::new(0.0, -0.0510, 0.0975), DVec3::new(0.0, -0.0580, 0.0985), [0.0020, 0.0024]);
    carve(field, philtrum, 0.006)
}

fn ear(p: DVec3, field: f64) -> f64 {
    // The ear leans back and stands off the skull towards its rear rim.
    let offset = p - DVec3::new(0.0735, -0.0060, -0.0140);
    let (lean_sin, lean_cos) = libm::sincos(0.26);
    let (off_sin, off_cos) = libm::sincos(-0.34);
    let leaned =
        DVec3::new(offset.x, offset.y * lean_cos + offset.z * lean_sin, offset.z * lean_cos - offset.y * lean_sin);
    let local = DVec3::new(leaned.x * off_cos + leaned.z * off_sin, leaned.y, leaned.z * off_cos - leaned.x * off_sin);
    let shell = ellipsoid(local, DVec3::new(0.0, 0.002, 0.0), DVec3::new(0.0065, 0.0280, 0.0165));
    let lobe = ellipsoid(local, DVec3::new(0.0, -0.0215, 0.0050), DVec3::new(0.0055, 0.0095, 0.0080));
    let ear = join(shell, lobe, 0.008);
    let bowl = ellipsoid(local, DVec3::new(0.0080, 0.0040, 0.0025), DVec3::new(0.0062, 0.0190, 0.0100));
    join(field, carve(ear, bowl, 0.005), 0.007)
}
