//! Where the vertices of a draw may be in the window.
//!
//! Why it exists: every freedom of a pixel's coverage comes from its triangles' corners. The centre of each corner is the
//! exact position (f64, not the golden's f32); around it lies what the roundings of skinning, projection, division and
//! viewport add up to, and then the grid.
//!
//! With W the rounded and w the exact clip-space w, |W − w| ≤ r_w, and likewise for x: |X/W − x/w| =
//! |(X − x) − (x/w)(W − w)| / |W| ≤ (r_x + |x/w|·r_w) / (w − r_w). The division adds its own relative error, the viewport's
//! product and sum two roundings of a·x/w and of the result.

use glam::Mat4;

use super::Interval;
use crate::{
    raster::{Convention, VertexStream},
    render::Camera,
    verify::{
        Freedoms,
        vertex::{Bounded, Rounding},
    },
};

/// A vertex in clip space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipVertex {
    /// x, y, z and w.
    pub(super) position: [f64; 4],
    /// How far each may be off.
    pub(super) radius: [f64; 4],
}

/// A corner in the window, pixels from the upper left corner of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Corner {
    pub(super) at: [f64; 2],
    /// How far a backend may put it along each axis.
    pub(super) radius: [f64; 2],
    /// Window depth, not clamped.
    pub(super) depth: Interval,
}

/// The window, and what a backend may do on the way to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) convention: Convention,
    pub(super) freedoms: Freedoms,
}

impl Window {
    /// x = a·(x/w) + b in pixels, and y likewise.
    pub(super) fn viewport(&self) -> [[f64; 2]; 2] {
        let [half_width, half_height] = [self.width, self.height].map(|side| f64::from(side) * 0.5);
        let down = if self.convention == Convention::Vulkan { half_height } else { -half_height };
        [[half_width, half_width], [down, half_height]]
    }

    /// Window depth = a·(z/w) + b.
    pub(super) fn depth_range(&self) -> [f64; 2] {
        if self.convention == Convention::OpenGl { [0.5, 0.5] } else { [1.0, 0.0] }
    }

    /// How the backends of the profile round sums and products.
    pub(super) fn rounding(&self) -> Rounding {
        if self.freedoms.arithmetic > Rounding::Nearest.unit() { Rounding::AnyDirection } else { Rounding::Nearest }
    }

    /// Relative error of w, whose reciprocal weighs the vertex.
    pub(super) fn relative_w(&self, vertex: &ClipVertex) -> f64 {
        let (w, radius) = (vertex.position[3].abs(), vertex.radius[3]);
        if w > radius { radius / (w - radius) + self.freedoms.division } else { f64::INFINITY }
    }

    /// Divides by w, for a vertex whose w is surely above 0.
    pub(super) fn corner(&self, vertex: &ClipVertex) -> Corner {
        let [.., w] = vertex.position;
        let [.., w_radius] = vertex.radius;
        let Freedoms { arithmetic, division, snap, depth, .. } = self.freedoms;
        let map = |axis: usize, [a, b]: [f64; 2]| {
            let quotient = vertex.position[axis] / w;
            let radius = (vertex.radius[axis] + quotient.abs() * w_radius) / (w - w_radius);
            let radius = radius + division * (quotient.abs() + radius);
            let at = a * quotient + b;
            let rounding = 2.0 * arithmetic * ((a * quotient).abs() + b.abs());
            (at, a.abs() * radius + rounding)
        };
        let [x_map, y_map] = self.viewport();
        let [(x, x_radius), (y, y_radius)] = [map(0, x_map), map(1, y_map)];
        let (z, z_radius) = map(2, self.depth_range());
        Corner { at: [x, y], radius: [x_radius + snap, y_radius + snap], depth: Interval::around(z, z_radius + depth) }
    }
}

/// world → clip space, as exact products of the camera's two matrices: a backend multiplies them itself, in either order.
pub(super) struct ToClip {
    rows: [[Bounded; 4]; 4],
    rounding: Rounding,
}

impl ToClip {
    pub(super) fn new(camera: &Camera, rounding: Rounding) -> Self {
        let entry = |matrix: &Mat4, row: usize, column: usize| Bounded::exact(matrix.col(column)[row]);
        let rows = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                Bounded::sum((0..4).map(|i| entry(&camera.projection, row, i) * entry(&camera.view, i, column)))
            })
        });
        Self { rows, rounding }
    }

    /// A point of the world, each coordinate with how far it may be off.
    pub(super) fn point(&self, position: [f64; 3], radius: [f64; 3]) -> ClipVertex {
        let [x, y, z] = [0, 1, 2].map(|axis| Bounded::within(position[axis], radius[axis]));
        let clip = self.rows.map(|[a, b, c, d]| Bounded::sum([a * x, b * y, c * z, d]));
        ClipVertex { position: clip.map(Bounded::value), radius: clip.map(|value| value.bound(self.rounding)) }
    }

    /// Σ of the magnitudes that each clip coordinate of a point is added up from.
    pub(super) fn size(&self, position: [f64; 3]) -> [f64; 4] {
        let [x, y, z] = position;
        self.rows.map(|row| {
            let [a, b, c, d] = row.map(|entry| entry.value().abs());
            a * x.abs() + b * y.abs() + c * z.abs() + d
        })
    }
}

/// How far f32 may be from a position that only the golden's own arithmetic gives, after `roundings` operations on numbers
/// of the size of `scale`.
pub(super) fn around_stream(
    stream: &VertexStream,
    vertex: usize,
    scale: [f64; 4],
    roundings: u32,
    rounding: Rounding,
) -> ClipVertex {
    let position = stream.position(vertex).map(f64::from);
    let gamma = rounding.gamma(roundings);
    let radius = std::array::from_fn(|axis| gamma * (scale[axis] + position[axis].abs()));
    ClipVertex { position, radius }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::verify::Profile;

    fn window(profile: Profile) -> Window {
        let freedoms = profile.freedoms().expect("a profile with freedoms");
        Window { width: 640, height: 480, convention: Convention::D3d, freedoms }
    }

    #[test]
    fn the_middle_of_clip_space_is_the_middle_of_the_picture() {
        let vertex = ClipVertex { position: [0.0, 0.0, 1.0, 2.0], radius: [0.0; 4] };
        let corner = window(Profile::D3d11).corner(&vertex);
        assert_eq!(corner.at, [320.0, 240.0]);
        assert!(corner.depth.contains(0.5) && corner.depth.radius() < 1e-6);
        // The grid, and two roundings of 320.
        assert!(corner.radius[0] >= 0.6 / 256.0 && corner.radius[0] < 0.6 / 256.0 + 1e-4);
    }

    proptest! {
        /// f32 arithmetic with the 4-bit grid ends within the radius of the Vulkan profile.
        #[test]
        fn rounded_positions_stay_inside(
            x in -4.0f32..4.0, y in -4.0f32..4.0, z in 0.0f32..4.0, w in 0.5f32..8.0, wobble in -1e-6f32..1e-6,
        ) {
            let window = window(Profile::Vulkan14);
            let position = [x, y, z, w].map(f64::from);
            let exact = ClipVertex { position, radius: [1e-5; 4] };
            let corner = window.corner(&exact);
            let [x, y, w] = [x + wobble, y - wobble, w + wobble];
            let snap = |value: f32| (f64::from(value) * 16.0).round_ties_even() / 16.0;
            let at = [snap(x / w * 320.0 + 320.0), snap(y / w * -240.0 + 240.0)];
            for (at, (exact, radius)) in at.into_iter().zip(corner.at.into_iter().zip(corner.radius)) {
                prop_assert!((at - exact).abs() <= radius);
            }
        }
    }
}
