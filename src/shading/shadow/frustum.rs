//! [`Frustum`]: where a camera's view is split, and the corners of each part.
//!
//! Why by matrices: a part of the view between two distances is a box in clip space, whose sides are those of clip space
//! and whose ends are the clip depths of the distances. A distance d becomes a clip depth by the projection itself, of the
//! point (0, 0, −d), and a corner of the box becomes a point of the world by the inverse of the product of both matrices.
//! Nothing here knows a field of view, so that orthographic, infinite, reversed and oblique projections need no cases of
//! their own. All in f64.

use glam::{DMat4, DVec3, DVec4, Mat4};

use super::settings::SplitScheme;
use refrast_draw::Convention;

/// A camera's view volume.
#[derive(Clone, Copy, Debug)]
pub struct Frustum {
    view: DMat4,
    projection: DMat4,
    /// Clip → world space.
    to_world: DMat4,
    convention: Convention,
}

impl Frustum {
    /// Of a camera: `view` is world → view space, `projection` view → clip space of `convention`.
    #[must_use]
    pub fn new(view: Mat4, projection: Mat4, convention: Convention) -> Self {
        let (view, projection) = (view.as_dmat4(), projection.as_dmat4());
        Self { view, projection, to_world: (projection * view).inverse(), convention }
    }

    /// The clip depth (z/w) of a view-space distance, which may be infinite.
    #[must_use]
    pub fn clip_depth(&self, distance: f64) -> f64 {
        let point =
            if distance.is_finite() { DVec4::new(0.0, 0.0, -distance, 1.0) } else { DVec4::new(0.0, 0.0, -1.0, 0.0) };
        let clip = self.projection * point;
        clip.z / clip.w
    }

    /// The view-space distances of the near and the far plane; the latter may be infinite. In a reversed projection they are the
    /// other way round in clip space, and in this order here.
    #[must_use]
    pub fn range(&self) -> [f64; 2] {
        let first = if self.convention == Convention::OpenGl { -1.0 } else { 0.0 };
        let inverse = self.projection.inverse();
        let distance = |depth: f64| {
            let point = inverse * DVec4::new(0.0, 0.0, depth, 1.0);
            // At infinity w vanishes but for roundings of the inverse.
            if point.w.abs() <= 1e-9 * point.z.abs() { f64::INFINITY } else { -point.z / point.w }
        };
        let [a, b] = [distance(first), distance(1.0)];
        if a <= b { [a, b] } else { [b, a] }
    }

    /// The corners between two view-space distances, in world space: at the nearer end upper left, upper right, lower right,
    /// lower left in clip space, then at the farther one.
    #[must_use]
    pub fn corners(&self, near: f64, far: f64) -> [DVec3; 8] {
        let [near, far] = [near, far].map(|distance| self.clip_depth(distance));
        let corner = |x: f64, y: f64, z: f64| {
            let point = self.to_world * DVec4::new(x, y, z, 1.0);
            point.truncate() / point.w
        };
        let end = |z: f64| [corner(-1.0, 1.0, z), corner(1.0, 1.0, z), corner(1.0, -1.0, z), corner(-1.0, -1.0, z)];
        let ([a, b, c, d], [e, f, g, h]) = (end(near), end(far));
        [a, b, c, d, e, f, g, h]
    }

    /// A point of the world as it lies before the camera: view depth is −z.
    #[must_use]
    pub fn in_view(&self, point: DVec3) -> DVec3 {
        self.view.transform_point3(point)
    }

    /// View → world space.
    #[must_use]
    pub fn to_world(&self, point: DVec3) -> DVec3 {
        self.view.inverse().transform_point3(point)
    }
}

impl SplitScheme {
    /// Where `count` splits between two distances begin and end: one more number than there are splits.
    ///
    /// A logarithm needs a near end that is above 0; where it is not (an orthographic camera may begin behind itself), splits
    /// are counted from a thousandth of the far end on.
    #[must_use]
    pub fn distances(&self, count: usize, near: f64, far: f64) -> Vec<f64> {
        let part = |i: usize| i as f64 / count as f64;
        let uniform = |i: usize| near + (far - near) * part(i);
        let logarithmic = |i: usize| {
            let from = if near > 0.0 { near } else { far / 1000.0 };
            from * libm::pow(far / from, part(i))
        };
        let inner = |i: usize| match *self {
            Self::Uniform => uniform(i),
            Self::Logarithmic => logarithmic(i),
            Self::Mixed(lambda) => {
                let lambda = f64::from(lambda);
                lambda * logarithmic(i) + (1.0 - lambda) * uniform(i)
            }
            Self::Given { ends, .. } => f64::from(ends[i - 1]).max(near),
        };
        let last = match *self {
            Self::Given { .. } => inner(count),
            _ => far,
        };
        std::iter::once(near).chain((1..count).map(inner)).chain([last]).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Clip depth 0 to 1, as in the example that this follows, or −1 to 1.
    pub(in crate::shadow) fn perspective(near: f64, far: Option<f64>, reversed: bool, convention: Convention) -> Mat4 {
        // z' = a·z + b, w' = −z, with z' / w' the two ends at the distances.
        let [first, second] = match (convention, reversed) {
            (Convention::OpenGl, false) => [-1.0, 1.0],
            (Convention::OpenGl, true) => [1.0, -1.0],
            (_, false) => [0.0, 1.0],
            (_, true) => [1.0, 0.0],
        };
        let (a, b) = match far {
            // (−a·n + b)/n = first and (−a·f + b)/f = second.
            Some(far) => {
                let b = (first - second) * near * far / (far - near);
                (b / near - first, b)
            }
            None => (-second, (first - second) * near),
        };
        let columns = [
            DVec4::new(1.5, 0.0, 0.0, 0.0),
            DVec4::new(0.0, 2.0, 0.0, 0.0),
            DVec4::new(0.0, 0.0, a, -1.0),
            DVec4::new(0.0, 0.0, b, 0.0),
        ];
        DMat4::from_cols(columns[0], columns[1], columns[2], columns[3]).as_mat4()
    }

    fn close(a: f64, b: f64, size: f64) -> bool {
        (a - b).abs() <= 1e-5 * size
    }

    /// The camera stands at (10, 20, 30) and looks along −x.
    fn view() -> Mat4 {
        let to_world = DMat4::from_cols(
            DVec4::new(0.0, 0.0, -1.0, 0.0),
            DVec4::new(0.0, 1.0, 0.0, 0.0),
            DVec4::new(1.0, 0.0, 0.0, 0.0),
            DVec4::new(10.0, 20.0, 30.0, 1.0),
        );
        to_world.inverse().as_mat4()
    }

    #[test]
    fn corners_of_a_part_of_a_perspective_view_whatever_its_depths() {
        let cases = [
            (Some(1000.0), false, Convention::D3d),
            (Some(1000.0), false, Convention::OpenGl),
            (Some(1000.0), true, Convention::D3d),
            (None, false, Convention::D3d),
            (None, true, Convention::Vulkan),
            (None, true, Convention::OpenGl),
        ];
        for (far, reversed, convention) in cases {
            let frustum = Frustum::new(view(), perspective(1.0, far, reversed, convention), convention);
            let corners = frustum.corners(50.0, 500.0);
            for (number, corner) in corners.iter().enumerate() {
                let distance = if number < 4 { 50.0 } else { 500.0 };
                let side = [-1.0, 1.0, 1.0, -1.0][number % 4];
                let height = [1.0, 1.0, -1.0, -1.0][number % 4];
                // In view space x = side·d/1.5, y = height·d/2, z = −d; right is −z of the world, backward is x.
                let expected = [10.0 - distance, 20.0 + height * distance / 2.0, 30.0 - side * distance / 1.5];
                for axis in 0..3 {
                    assert!(close(corner[axis], expected[axis], distance), "{far:?} {reversed} {number}: {corner}");
                }
            }
            let [nearest, farthest] = frustum.range();
            assert!(close(nearest, 1.0, 1.0), "{nearest}");
            match far {
                Some(far) => assert!(close(farthest, far, 10.0 * far), "{farthest}"),
                None => assert!(farthest > 1e6, "{farthest}"),
            }
        }
    }

    #[test]
    fn corners_of_a_part_of_an_orthographic_view() {
        // 8 wide, 6 high, from 2 behind the camera to 100 before it.
        let projection = DMat4::from_cols(
            DVec4::new(0.25, 0.0, 0.0, 0.0),
            DVec4::new(0.0, 1.0 / 3.0, 0.0, 0.0),
            DVec4::new(0.0, 0.0, -1.0 / 102.0, 0.0),
            DVec4::new(0.0, 0.0, 2.0 / 102.0, 1.0),
        );
        let frustum = Frustum::new(view(), projection.as_mat4(), Convention::D3d);
        let [nearest, farthest] = frustum.range();
        assert!(close(nearest, -2.0, 1.0) && close(farthest, 100.0, 10.0), "{nearest} {farthest}");
        for (number, corner) in frustum.corners(5.0, 25.0).iter().enumerate() {
            let distance = if number < 4 { 5.0 } else { 25.0 };
            let side = [-4.0, 4.0, 4.0, -4.0][number % 4];
            let height = [3.0, 3.0, -3.0, -3.0][number % 4];
            let expected = DVec3::new(10.0 - distance, 20.0 + height, 30.0 - side);
            assert!((*corner - expected).length() < 1e-4, "{number}: {corner}");
        }
    }

    #[test]
    fn distances_by_hand() {
        let distances = |scheme: SplitScheme| scheme.distances(3, 1.0, 1000.0);
        let near = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near(&distances(SplitScheme::Uniform), &[1.0, 334.0, 667.0, 1000.0]));
        assert!(near(&distances(SplitScheme::Logarithmic), &[1.0, 10.0, 100.0, 1000.0]));
        assert!(near(&distances(SplitScheme::Mixed(0.5)), &[1.0, 172.0, 383.5, 1000.0]));
        let given = "2,20,300".parse::<SplitScheme>().expect("three distances");
        assert!(near(&distances(given), &[1.0, 2.0, 20.0, 300.0]));
        // From a thousandth on: 0.1, 1, 10, 100.
        assert!(near(&SplitScheme::Logarithmic.distances(3, -2.0, 100.0), &[-2.0, 1.0, 10.0, 100.0]));
    }
}
