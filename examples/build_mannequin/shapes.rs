//! The clay: signed fields of simple solids, and the ways to blend them.
//!
//! Fields are negative inside, in metres, and close to a distance near the surface. They need not be exact
//! distances: the surface is followed by its sign changes, and points are pulled onto it along the gradient.

use glam::DVec3;

/// A half-size pair of a cross-section: towards the positive and towards the negative side of an axis.
pub(crate) type Sides = [f64; 2];

/// One cross-section of a [`Loft`]: an ellipse whose four quarters may differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Station {
    /// Where along the axis, in metres from the loft's origin.
    pub(crate) along: f64,
    /// Offset of the section's centre along the loft's lateral and front directions.
    pub(crate) center: [f64; 2],
    /// Half-sizes along the lateral direction.
    pub(crate) lateral: Sides,
    /// Half-sizes along the front direction.
    pub(crate) front: Sides,
}

impl Station {
    /// A section from a row of a table: along, lateral centre, front centre, +lateral, −lateral, +front, −front.
    pub(crate) const fn row(row: [f64; 7]) -> Self {
        Self { along: row[0], center: [row[1], row[2]], lateral: [row[3], row[4]], front: [row[5], row[6]] }
    }

    fn channels(&self) -> [f64; 6] {
        [self.center[0], self.center[1], self.lateral[0], self.lateral[1], self.front[0], self.front[1]]
    }
}

/// A solid swept along a straight axis through sections of changing shape: a limb, a trunk.
#[derive(Clone, Debug)]
pub(crate) struct Loft {
    /// Where `along` is zero.
    pub(crate) origin: DVec3,
    /// Unit direction of the axis.
    pub(crate) axis: DVec3,
    /// Unit direction, perpendicular to the axis.
    pub(crate) lateral: DVec3,
    /// Unit direction, perpendicular to both.
    pub(crate) front: DVec3,
    /// At least two sections, ascending.
    pub(crate) stations: Vec<Station>,
    /// How far the rounded ends reach beyond the first and the last section.
    pub(crate) caps: [f64; 2],
    /// 0 gives ellipses, 1 gives rounded squares.
    pub(crate) squareness: f64,
}

impl Loft {
    /// The point's coordinates in the loft's frame: along, lateral, front.
    pub(crate) fn local(&self, point: DVec3) -> DVec3 {
        let offset = point - self.origin;
        DVec3::new(offset.dot(self.axis), offset.dot(self.lateral), offset.dot(self.front))
    }

    /// The signed field.
    pub(crate) fn field(&self, point: DVec3) -> f64 {
        let local = self.local(point);
        let first = self.stations[0].along;
        let last = self.stations[self.stations.len() - 1].along;
        let along = local.x.clamp(first, last);
        let [center_x, center_z, lateral_plus, lateral_minus, front_plus, front_minus] = self.section(along);
        let (x, z) = (local.y - center_x, local.z - center_z);
        let radius_x = if x >= 0.0 { lateral_plus } else { lateral_minus };
        let radius_z = if z >= 0.0 { front_plus } else { front_minus };
        let beyond = local.x - along;
        let cap = if beyond >= 0.0 { self.caps[1] } else { self.caps[0] };
        let (a, b, c) = ((x / radius_x).abs(), (z / radius_z).abs(), (beyond / cap).abs());
        let (a2, b2) = (a * a, b * b);
        let round = (a2 + b2).sqrt();
        let square = (a2 * a2 + b2 * b2).sqrt().sqrt();
        let section = round + (square - round) * self.squareness;
        let norm = (section * section + c * c).sqrt();
        let reach = (x * x + z * z + beyond * beyond).sqrt();
        // On the axis the ratio of the two has no limit; any radius of the section gives a continuous sign.
        let radius = if norm > 1e-9 { reach / norm } else { radius_x.min(radius_z) };
        (norm - 1.0) * radius
    }

    /// The section's six numbers by a cubic Hermite spline with finite-difference slopes.
    fn section(&self, along: f64) -> [f64; 6] {
        let stations = &self.stations;
        let segment = stations[1..stations.len() - 1].iter().take_while(|station| station.along <= along).count();
        let (from, to) = (stations[segment].channels(), stations[segment + 1].channels());
        let length = stations[segment + 1].along - stations[segment].along;
        let t = (along - stations[segment].along) / length;
        let (t2, t3) = (t * t, t * t * t);
        let slopes_from = self.slopes(segment);
        let slopes_to = self.slopes(segment + 1);
        std::array::from_fn(|i| {
            (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                + (t3 - 2.0 * t2 + t) * length * slopes_from[i]
                + (3.0 * t2 - 2.0 * t3) * to[i]
                + (t3 - t2) * length * slopes_to[i]
        })
    }

    fn slopes(&self, station: usize) -> [f64; 6] {
        let before = &self.stations[station.saturating_sub(1)];
        let after = &self.stations[(station + 1).min(self.stations.len() - 1)];
        let (low, high) = (before.channels(), after.channels());
        // The ends are flat, so that the caps continue the sides without a crease.
        if station == 0 || station + 1 == self.stations.len() {
            return [0.0; 6];
        }
        std::array::from_fn(|i| (high[i] - low[i]) / (after.along - before.along))
    }
}

/// An ellipsoid: (|p/r| − 1) scaled to metres along the ray from its centre.
pub(crate) fn ellipsoid(point: DVec3, center: DVec3, radii: DVec3) -> f64 {
    let offset = point - center;
    let norm = (offset / radii).length();
    if norm > 1e-9 { (norm - 1.0) * offset.length() / norm } else { -radii.min_element() }
}

/// A capsule between two spheres of different radius (cone distance to first order).
pub(crate) fn tapered_capsule(point: DVec3, from: DVec3, to: DVec3, radii: [f64; 2]) -> f64 {
    let axis = to - from;
    let t = ((point - from).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
    (point - from - axis * t).length() - (radii[0] + (radii[1] - radii[0]) * t)
}

/// The union with a fillet of width `blend` (Quílez's polynomial smooth minimum: exact where the two are further
/// apart than `blend`).
pub(crate) fn join(a: f64, b: f64, blend: f64) -> f64 {
    let overlap = (blend - (a - b).abs()).max(0.0) / blend;
    a.min(b) - overlap * overlap * blend * 0.25
}

/// Cuts `tool` out of `solid` with a rounded rim.
pub(crate) fn carve(solid: f64, tool: f64, blend: f64) -> f64 {
    -join(-solid, tool, blend)
}

/// 0 below `low`, 1 above `high`, smooth between them.
pub(crate) fn smooth_step(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cylinder() -> Loft {
        let row = |along| Station::row([along, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1]);
        Loft {
            origin: DVec3::ZERO,
            axis: DVec3::Y,
            lateral: DVec3::X,
            front: DVec3::Z,
            stations: vec![row(0.0), row(0.5), row(1.0)],
            caps: [0.1, 0.2],
            squareness: 0.0,
        }
    }

    #[test]
    fn a_loft_of_equal_circles_is_a_cylinder_with_ellipsoid_ends() {
        let loft = cylinder();
        assert!((loft.field(DVec3::new(0.3, 0.4, 0.0)) - 0.2).abs() < 1e-12);
        assert!((loft.field(DVec3::new(0.0, 0.7, 0.05)) + 0.05).abs() < 1e-12);
        assert!(loft.field(DVec3::new(0.0, 1.2, 0.0)).abs() < 1e-12, "the far end reaches 0.2 beyond");
        assert!(loft.field(DVec3::new(0.0, -0.1, 0.0)).abs() < 1e-12, "the near end reaches 0.1 beyond");
    }

    #[test]
    fn a_join_is_the_minimum_far_from_the_seam_and_deepest_on_it() {
        assert_eq!(join(0.5, 0.1, 0.2), 0.1);
        assert!((join(0.1, 0.1, 0.2) - 0.05).abs() < 1e-12, "a quarter of the blend is added on the seam");
    }

    #[test]
    fn carving_removes_the_tool() {
        assert!(carve(-1.0, -0.5, 0.1) > 0.0);
        assert_eq!(carve(-1.0, 3.0, 0.1), -1.0);
    }
}
