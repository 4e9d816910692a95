//! The eyeballs: two spheres behind the lids, each a closed mesh of its own.

use crate::{
    charts::{Chart, Material},
    head,
    skeleton::Side,
};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// Segments round the axis of sight, and rings from the pupil to the back.
const SEGMENTS: u32 = 32;
const RINGS: u32 = 16;

/// One eyeball.
pub(crate) struct Eyeball {
    pub(crate) side: Side,
    pub(crate) center: DVec3,
    pub(crate) positions: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Eyeball {
    pub(crate) fn new(side: Side) -> Self {
        let center = head::CENTER + side.place(head::EYE);
        let mut positions = vec![center + DVec3::Z * head::EYE_RADIUS];
        for ring in 1..RINGS {
            let (away_sin, away_cos) = libm::sincos(PI * f64::from(ring) / f64::from(RINGS));
            for segment in 0..SEGMENTS {
                let (sin, cos) = libm::sincos(TAU * f64::from(segment) / f64::from(SEGMENTS));
                positions.push(center + DVec3::new(away_sin * cos, away_sin * sin, away_cos) * head::EYE_RADIUS);
            }
        }
        positions.push(center - DVec3::Z * head::EYE_RADIUS);
        let at = |ring: u32, segment: u32| 1 + (ring - 1) * SEGMENTS + segment % SEGMENTS;
        let last = positions.len() as u32 - 1;
        let mut triangles = Vec::new();
        for segment in 0..SEGMENTS {
            triangles.push([0, at(1, segment), at(1, segment + 1)]);
            for ring in 1..RINGS - 1 {
                let [a, b] = [at(ring, segment), at(ring, segment + 1)];
                let [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
                triangles.extend([[a, c, d], [a, d, b]]);
            }
            triangles.push([at(RINGS - 1, segment), last, at(RINGS - 1, segment + 1)]);
        }
        Self { side, center, positions, triangles }
    }

    /// Two flat charts, the seeing half and the hidden half. `first` is the number of this eyeball's first triangle.
    pub(crate) fn charts(&self, first: u32) -> [Chart; 2] {
        [true, false].map(|front| {
            let mut chart =
                Chart { material: Material::Skin, triangles: Vec::new(), corners: Vec::new(), density: 3.0 };
            if !front {
                // Nobody sees the back of an eye.
                chart.density = 0.8;
            }
            for (index, triangle) in self.triangles.iter().enumerate() {
                let corners = triangle.map(|vertex| self.positions[vertex as usize] - self.center);
                let facing = corners.iter().map(|corner| corner.z).sum::<f64>() > 0.0;
                if facing == front {
                    chart.triangles.push(first + index as u32);
                    chart.corners.push(corners.map(|corner| flatten(corner, front)));
                }
            }
            chart
        })
    }
}

/// The equidistant azimuthal projection about the axis of sight.
fn flatten(offset: DVec3, front: bool) -> DVec2 {
    let across = DVec2::new(offset.x, offset.y);
    let away = libm::atan2(across.length(), offset.z.abs());
    let flat = across.normalize_or_zero() * away * head::EYE_RADIUS;
    DVec2::new(if front { flat.x } else { -flat.x }, -flat.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Mesh, open_edge, volume};

    #[test]
    fn an_eyeball_is_closed_and_faces_outwards() {
        let eye = Eyeball::new(Side::Right);
        assert_eq!(open_edge(&eye.triangles), None);
        let positions = eye.positions.iter().map(|&position| position - eye.center).collect();
        assert!(volume(&Mesh { positions, triangles: eye.triangles.clone() }) > 0.0);
    }
}
