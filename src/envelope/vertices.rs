//! Where the vertices of a draw may be in the window.
//!
//! Why it exists: every freedom of a pixel's coverage comes from its triangles' corners. The centre of each corner is the
//! exact position (f64, not the golden's f32); around it lies what the roundings of skinning, projection, division and
//! viewport add up to, and then the grid.
//!
//! With W the rounded and w the exact clip-space w, |W − w| ≤ r_w, and likewise for x: |X/W − x/w| =
//! |(X − x) − (x/w)(W − w)| / |W| ≤ (r_x + |x/w|·r_w) / (w − r_w). The division adds its own relative error, the viewport's
//! product and sum two roundings of a·x/w and of the result.
//!
//! # Places on a grid that is known
//!
//! Direct3D 11 fixes the grid: "the x and y positions of the vertices are snapped to exactly n.8 fixed point integers" (11.3
//! Functional Specification, 3.4.1), and the integer is within 0.6 of 256·x (3.2.4.1). So a vertex whose exact place is v, and
//! which f32 has to within e of it, can only be at a k/256 with |k − 256·v| ≤ 0.6 + 256·e. While v is not within 0.1 − 256·e of
//! the middle between two grid points that is one place, for every conformant backend: the roundings before it have no
//! bearing at all. Edges between such vertices are exact, samples on them go by the top-left rule (3.4.2.1), and attributes
//! follow from the same places (15.16.2).
//!
//! That holds for the vertices themselves. A backend may clip to the viewport or to a guard band; what it cuts off gets
//! new vertices, which it snaps as well, so that an edge that leaves the picture may turn a little: there the corners keep
//! all that roundings can do to them ([`loose_radius`](Corner::loose_radius)).
//!
//! Vulkan says only how many bits there are at least, not how a coordinate is rounded to them, and asks of the division and the
//! viewport no more than "1 part in 10⁵" ("Floating-Point Computation"): there a vertex is never certain. (The bounds here ask
//! for f32, as all implementations have it.)

use glam::Mat4;

use super::Interval;
use refrast_draw::{Convention, VertexStream};
use refrast_range::{Bounded, Freedoms, Rounding};
use refrast_stage::Camera;

/// A vertex in clip space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipVertex {
    /// x, y, z and w.
    pub(super) position: [f64; 4],
    /// How far each may be off.
    pub(super) radius: [f64; 4],
}

/// A corner in the window, pixels from the upper left corner of the picture.
///
/// A backend puts it within `radius` of `at`, and within `reach` of `exact`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Corner {
    /// The middle of the places where it may be.
    pub(super) at: [f64; 2],
    /// How far from there a backend may put it along each axis; 0 where there is one place only.
    pub(super) radius: [f64; 2],
    /// Before the grid.
    pub(super) exact: [f64; 2],
    /// What all roundings add up to, with the grid's.
    pub(super) reach: [f64; 2],
    /// Window depth, not clamped.
    pub(super) depth: Interval,
}

impl Corner {
    /// The radius about `at` that holds all that `reach` does: for what hangs on places that are snapped elsewhere too.
    pub(super) fn loose_radius(&self) -> [f64; 2] {
        [0, 1].map(|axis| (self.at[axis] - self.exact[axis]).abs() + self.reach[axis])
    }

    /// The same about its exact place, for a corner that is no vertex.
    pub(super) fn about_exact(self) -> Self {
        Self { at: self.exact, radius: self.reach, ..self }
    }
}

/// The middle and half of the width of the places on a grid of `bits` where a backend may put what it has as `exact`, to within
/// `reach`.
fn places(exact: f64, reach: f64, bits: u32) -> [f64; 2] {
    let one = f64::from(1u32 << bits);
    // The roundings of f64 here.
    let slack = 1e-9 + 1e-14 * (exact * one).abs();
    let [first, last] = [((exact - reach) * one - slack).ceil(), ((exact + reach) * one + slack).floor()];
    [0.5 * (first + last) / one, 0.5 * (last - first) / one]
}

/// The window, and what a backend may do on the way to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) convention: Convention,
    pub(super) freedoms: Freedoms,
    /// Whether nothing is cut at the near and the far plane.
    pub(super) depth_clamp: bool,
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
        rounding(self.freedoms)
    }

    /// Relative error of w, whose reciprocal weighs the vertex.
    pub(super) fn relative_w(&self, vertex: &ClipVertex) -> f64 {
        let (w, radius) = (vertex.position[3].abs(), vertex.radius[3]);
        if w > radius { radius / (w - radius) + self.freedoms.division } else { f64::INFINITY }
    }

    /// Whether a vertex surely lies in the picture and between the near and the far plane, so that nothing cuts its edges off.
    pub(super) fn surely_inside(&self, vertex: &ClipVertex) -> bool {
        let ([x, y, z, w], [x_radius, y_radius, z_radius, w_radius]) = (vertex.position, vertex.radius);
        let least_w = w - w_radius;
        let near = if self.convention == Convention::OpenGl { -least_w } else { 0.0 };
        let in_depth = self.depth_clamp || (z - z_radius > near && z + z_radius < least_w);
        x.abs() + x_radius < least_w && y.abs() + y_radius < least_w && in_depth
    }

    /// Divides by w, for a vertex whose w is surely above 0.
    pub(super) fn corner(&self, vertex: &ClipVertex) -> Corner {
        let [.., w] = vertex.position;
        let [.., w_radius] = vertex.radius;
        let Freedoms { arithmetic, division, snap, grid_bits, depth, .. } = self.freedoms;
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
        let (exact, reach) = ([x, y], [x_radius + snap, y_radius + snap]);
        let (at, radius) = match grid_bits {
            None => (exact, reach),
            Some(bits) => {
                let [[x, x_radius], [y, y_radius]] = [0, 1].map(|axis| places(exact[axis], reach[axis], bits));
                ([x, y], [x_radius, y_radius])
            }
        };
        Corner { at, radius, exact, reach, depth: Interval::around(z, z_radius + depth) }
    }
}

/// How backends with these freedoms round sums and products.
pub(super) fn rounding(freedoms: Freedoms) -> Rounding {
    if freedoms.arithmetic > Rounding::Nearest.unit() { Rounding::AnyDirection } else { Rounding::Nearest }
}

/// world → clip space, as exact products of the camera's two matrices: a backend multiplies them itself, in either order.
pub(super) struct ToClip {
    rows: [[Bounded; 4]; 4],
    rounding: Rounding,
}

impl ToClip {
    /// As one matrix, which a backend is handed.
    pub(super) fn of_matrix(matrix: &Mat4, rounding: Rounding) -> Self {
        let rows = std::array::from_fn(|row| std::array::from_fn(|column| Bounded::exact(matrix.col(column)[row])));
        Self { rows, rounding }
    }

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
    use refrast_range::Profile;

    fn window(profile: Profile) -> Window {
        let freedoms = profile.freedoms().expect("a profile with freedoms");
        Window { width: 640, height: 480, convention: Convention::D3d, freedoms, depth_clamp: false }
    }

    #[test]
    fn the_middle_of_clip_space_is_the_middle_of_the_picture() {
        let vertex = ClipVertex { position: [0.0, 0.0, 1.0, 2.0], radius: [0.0; 4] };
        let corner = window(Profile::D3d11).corner(&vertex);
        assert_eq!(corner.at, [320.0, 240.0]);
        assert!(corner.depth.contains(0.5) && corner.depth.radius() < 1e-6);
        // The grid, and two roundings of 320.
        assert!(corner.reach[0] >= 0.6 / 256.0 && corner.reach[0] < 0.6 / 256.0 + 1e-4);
    }

    #[test]
    fn on_a_known_grid_a_vertex_has_one_place_or_two() {
        // x = 320 + 320·q: 256·x is a whole number, then 0.35 and 0.45 beyond one.
        let x = |beyond: f64| {
            let q = beyond / 256.0 / 320.0;
            let corner = window(Profile::D3d11).corner(&ClipVertex { position: [q, 0.0, 0.5, 1.0], radius: [0.0; 4] });
            (corner.at[0], corner.radius[0])
        };
        assert_eq!(x(0.0), (320.0, 0.0));
        assert_eq!(x(0.35), (320.0, 0.0));
        assert_eq!(x(-0.35), (320.0, 0.0));
        assert_eq!(x(0.45), (320.0 + 0.5 / 256.0, 0.5 / 256.0));
        assert_eq!(x(0.65), (320.0 + 1.0 / 256.0, 0.0));
        let vertex = ClipVertex { position: [0.0, 0.0, 0.5, 1.0], radius: [0.0; 4] };
        assert!(window(Profile::Vulkan14).corner(&vertex).radius[0] > 0.03);
    }

    #[test]
    fn a_loosened_corner_holds_all_places_that_it_had() {
        let vertex = ClipVertex { position: [0.35 / 256.0 / 320.0, 0.0, 0.5, 1.0], radius: [0.0; 4] };
        let corner = window(Profile::D3d11).corner(&vertex);
        let radius = corner.loose_radius()[0];
        assert!(corner.at[0] != corner.exact[0] && corner.radius[0] == 0.0);
        assert!(corner.at[0] - radius <= corner.exact[0] - corner.reach[0]);
        assert!(corner.at[0] + radius >= corner.exact[0] + corner.reach[0]);
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

        /// And on Direct3D's grid, rounded as sloppily as it allows.
        #[test]
        fn places_on_a_known_grid_are_among_those_that_are_allowed(
            x in -4.0f32..4.0, y in -4.0f32..4.0, w in 0.5f32..8.0, sloppy in -0.1..0.1f64,
        ) {
            let exact = ClipVertex { position: [x, y, 0.25, w].map(f64::from), radius: [0.0; 4] };
            let corner = window(Profile::D3d11).corner(&exact);
            let snap = |value: f32| (f64::from(value) * 256.0 + sloppy).round_ties_even() / 256.0;
            let at = [snap(x / w * 320.0 + 320.0), snap(y / w * -240.0 + 240.0)];
            for (at, (middle, radius)) in at.into_iter().zip(corner.at.into_iter().zip(corner.radius)) {
                prop_assert!((at - middle).abs() <= radius);
            }
        }
    }
}
