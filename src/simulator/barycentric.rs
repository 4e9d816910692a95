//! The weights of a triangle's vertices at a point of the picture.
//!
//! Why it exists: perspective is decided here and nowhere else: e are the areas of the triangles that the point forms with
//! the sides, r = 1/w up to a common factor, l = e·r ÷ Σ e·r. The areas come from where the corners lie as seen from the
//! point and not from equations of the edges; below 2^26 grid units f64 has both exactly.

use super::{arithmetic::Arithmetic, triangle::Triangle};

/// How attributes are interpolated.
#[derive(Clone, Copy)]
pub(super) struct Interpolation {
    pub(super) arithmetic: Arithmetic,
    /// From snapped positions (else from those before).
    pub(super) snapped: bool,
    /// Without perspective.
    pub(super) affine: bool,
    /// A pixel in grid units.
    pub(super) one: f64,
}

/// Twice the areas of the triangles that a point forms with the sides opposite to the corners; their sum is twice that of the
/// whole triangle. Positive within, for corners that run clockwise in the picture.
pub(super) fn areas(corners: [[f64; 2]; 3], at: [f64; 2]) -> [f64; 3] {
    let [a, b, c] = corners.map(|[x, y]| [x - at[0], y - at[1]]);
    [[b, c], [c, a], [a, b]].map(|[from, to]| from[0] * to[1] - from[1] * to[0])
}

impl Interpolation {
    fn corners(&self, triangle: &Triangle) -> [[f64; 2]; 3] {
        if self.snapped { [0, 1, 2].map(|i| [triangle.x[i] as f64, triangle.y[i] as f64]) } else { triangle.planes }
    }

    /// e·r of each corner, their sum, and r.
    fn products(&self, triangle: &Triangle, at: [f64; 2]) -> ([f32; 3], f32, [f32; 3]) {
        let corners = self.corners(triangle);
        let e = areas(corners, at).map(|area| area as f32);
        let mut r = if self.affine { [1.0; 3] } else { triangle.nearness };
        let mut sum = self.arithmetic.dot(e, r);
        if sum.is_nan() || sum <= 0.0 {
            // Beyond the horizon of the triangle's plane.
            r = [1.0; 3];
            sum = self.arithmetic.dot(e, r);
        }
        ([e[0] * r[0], e[1] * r[1], e[2] * r[2]], sum, r)
    }

    /// Weights of the triangle's own corners at a point in grid units.
    pub(super) fn corner_weights(&self, triangle: &Triangle, at: [f64; 2]) -> [f32; 3] {
        let (products, sum, _) = self.products(triangle, at);
        products.map(|product| product / sum)
    }

    /// Weights of the primitive's vertices at a point in grid units.
    pub(super) fn weights(&self, triangle: &Triangle, at: [f64; 2]) -> [f32; 3] {
        of_primitive(triangle, self.corner_weights(triangle, at))
    }

    /// Change of the weights for one pixel to the right and one down, exact.
    pub(super) fn derivatives(&self, triangle: &Triangle, at: [f64; 2]) -> [[f32; 3]; 2] {
        let (products, sum, r) = self.products(triangle, at);
        let weights = products.map(|product| product / sum);
        let corners = self.corners(triangle);
        [0, 1].map(|axis| {
            let change = [0, 1, 2].map(|i| {
                let (from, to) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
                let step = if axis == 0 { from[1] - to[1] } else { to[0] - from[0] };
                (step * self.one) as f32 * r[i]
            });
            let total = change[0] + (change[1] + change[2]);
            of_primitive(triangle, [0, 1, 2].map(|i| (change[i] - weights[i] * total) / sum))
        })
    }
}

/// Weights of corners → weights of the primitive's vertices.
fn of_primitive(triangle: &Triangle, corners: [f32; 3]) -> [f32; 3] {
    let Some(weights) = &triangle.weights else { return corners };
    [0, 1, 2].map(|vertex| {
        let part = |corner: usize| corners[corner] * weights[corner][vertex] as f32;
        part(0) + (part(1) + part(2))
    })
}
