//! [`Bounds`]: the box around what is drawn, from which cameras find their distance.

use glam::DVec3;

/// An axis-aligned box in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: DVec3,
    /// The largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// The box around nothing: `min` is larger than `max`.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Whether the box holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    /// Grows the box so that it holds a point given by planes of coordinates; points that are not finite are passed
    /// over.
    pub fn extend(&mut self, x: &[f32], y: &[f32], z: &[f32]) {
        for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
            let point = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            if point.is_finite() {
                self.min = self.min.min(point);
                self.max = self.max.max(point);
            }
        }
    }

    /// The middle; the origin for an empty box.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { (self.min + self.max) * 0.5 }
    }

    /// Radius and half the height of the upright cylinder around the box; 1 and 1 for an empty box.
    #[must_use]
    pub fn cylinder(&self) -> [f64; 2] {
        if self.is_empty() {
            return [1.0; 2];
        }
        let half = (self.max - self.min) * 0.5;
        [(half.x * half.x + half.z * half.z).sqrt(), half.y]
    }

    /// Half the diagonal: the radius of the sphere around the box; 1 for an empty box.
    #[must_use]
    pub fn radius(&self) -> f64 {
        if self.is_empty() { 1.0 } else { (self.max - self.min).length() * 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_all_finite_points() {
        let mut bounds = Bounds::EMPTY;
        bounds.extend(&[1.0, -3.0, f32::NAN], &[2.0, 0.0, 9.0], &[-1.0, 5.0, 9.0]);
        assert_eq!(bounds.min, DVec3::new(-3.0, 0.0, -1.0));
        assert_eq!(bounds.max, DVec3::new(1.0, 2.0, 5.0));
        // Half of √(4² + 2² + 6²).
        assert!((bounds.radius() - 56f64.sqrt() / 2.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_box_still_frames_something() {
        assert_eq!(Bounds::EMPTY.center(), DVec3::ZERO);
        assert!((Bounds::EMPTY.radius() - 1.0).abs() < f64::EPSILON);
    }
}
