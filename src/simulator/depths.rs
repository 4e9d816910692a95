//! [`Depths`]: how far away a triangle is at a point of the picture.
//!
//! Why it exists: the reference steps a plane with a change of depth for each edge value. Here depth comes from the parts of the
//! triangle's area, so that neither can have the other's mistake.

use super::{
    barycentric::{Interpolation, areas},
    faults::Faults,
    triangle::Triangle,
};
use crate::{Fault, ParametricFault};

/// Window depth over a triangle: that of the first corner, and what is added on the way to the others by the parts of the
/// triangle's area.
pub(super) struct Depths<'a> {
    triangle: &'a Triangle,
    interpolation: Interpolation,
    corners: [[f64; 2]; 3],
    area: f64,
    /// From the first corner to the other two.
    change: [f32; 2],
    with_perspective: bool,
    /// What is added to every depth of the triangle that is tested and stored.
    pub(super) bias: f32,
}

impl<'a> Depths<'a> {
    pub(super) fn new(triangle: &'a Triangle, interpolation: Interpolation, faults: Faults) -> Self {
        let corners = [0, 1, 2].map(|i| [triangle.x[i] as f64, triangle.y[i] as f64]);
        let area = areas(corners, corners[0])[0];
        let change = [1, 2].map(|i: usize| triangle.z[i] - triangle.z[0]);
        let with_perspective = faults.has(Fault::DepthPerspective);
        let mut depths = Self { triangle, interpolation, corners, area, change, with_perspective, bias: 0.0 };
        for fault in faults.parametric() {
            if let ParametricFault::DepthSlopeBias { factor } = fault {
                depths.bias += factor * depths.slope();
            }
        }
        depths
    }

    /// The larger change of depth from pixel to pixel, along x and y.
    fn slope(&self) -> f32 {
        let one = self.interpolation.one;
        let changes = [[one, 0.0], [0.0, one]].map(|[right, down]| {
            let [x, y] = self.corners[0];
            let [_, second, third] = areas(self.corners, [x + right, y + down]);
            let parts = [second, third].map(|area| (area / self.area) as f32);
            (parts[0] * self.change[0] + parts[1] * self.change[1]).abs()
        });
        changes[0].max(changes[1])
    }

    /// At a point in grid units.
    pub(super) fn at(&self, at: [f64; 2]) -> f32 {
        let Triangle { z, .. } = self.triangle;
        let arithmetic = self.interpolation.arithmetic;
        if self.with_perspective {
            let uncut = Interpolation { affine: false, ..self.interpolation };
            let corners = uncut.corner_weights(self.triangle, at);
            return arithmetic.dot(corners, *z).clamp(0.0, 1.0);
        }
        let [_, second, third] = areas(self.corners, at);
        let parts = [second, third].map(|area| (area / self.area) as f32);
        arithmetic.dot_plus(parts, self.change, z[0]).clamp(0.0, 1.0)
    }
}
