//! The box of a shadow map: what of the world a light's camera sees.
//!
//! A directional light has no place. Its space here is the world turned so that z runs toward the light, and a map is a box
//! in it: a rectangle of x and y, and a range of z. The rectangle is the square around the sphere around a split's eight
//! corners, or the rectangle around the corners themselves. A sphere's size hangs on nothing but the projection and the
//! split's distances, so that with a place that moves by whole texels the same points of the world stay texels' centres.
//! All in f64.

use glam::{DMat4, DVec2, DVec3, DVec4};

use super::{
    frustum::Frustum,
    settings::{Casters, ShadowFit, ShadowSettings, ShadowShape, Steadiness},
};
use refrast_draw::Convention;

/// A box in the space of a light.
#[derive(Clone, Copy, Debug)]
struct LightBox {
    min: DVec3,
    max: DVec3,
}

/// What is added to both ends of a range of depth, as a part of it: room for a bias, and for roundings.
const MARGIN: f64 = 0.01;

/// The world as a directional light sees it: the unit vectors right, up and toward the light as rows.
fn light_space(to_light: DVec3) -> DMat4 {
    let up = if to_light.y.abs() < 0.99 { DVec3::Y } else { DVec3::Z };
    let right = up.cross(to_light).normalize_or(DVec3::X);
    let up = to_light.cross(right);
    DMat4::from_cols(right.extend(0.0), up.extend(0.0), to_light.extend(0.0), DVec4::W).transpose()
}

impl LightBox {
    fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let nothing = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        points.into_iter().fold(nothing, |own, point| Self { min: own.min.min(point), max: own.max.max(point) })
    }

    fn cube(center: DVec3, radius: f64) -> Self {
        Self { min: center - radius, max: center + radius }
    }

    /// What both have in common; `self` where that is nothing.
    fn cut_to(self, other: Self) -> Self {
        let own = Self { min: self.min.max(other.min), max: self.max.min(other.max) };
        if own.min.cmplt(own.max).all() { own } else { self }
    }

    /// World → clip space.
    fn matrix(&self, to_light: &DMat4, convention: Convention) -> DMat4 {
        let (sum, size) = (self.min + self.max, self.max - self.min);
        let up = if convention == Convention::Vulkan { -1.0 } else { 1.0 };
        // Depth is 0 where z is largest, and 1 where it is smallest.
        let (scale, offset) = match convention {
            Convention::OpenGl => (-2.0 / size.z, sum.z / size.z),
            Convention::D3d | Convention::Vulkan => (-1.0 / size.z, self.max.z / size.z),
        };
        let to_clip = DMat4::from_cols(
            DVec4::new(2.0 / size.x, 0.0, 0.0, 0.0),
            DVec4::new(0.0, up * 2.0 / size.y, 0.0, 0.0),
            DVec4::new(0.0, 0.0, scale, 0.0),
            DVec4::new(-sum.x / size.x, -up * sum.y / size.y, offset, 1.0),
        );
        to_clip * *to_light
    }
}

/// A size, or a little more, in steps of about a thousandth: what is computed from a camera that has moved is another number in its
/// last digits, and a texel must not be.
fn in_steps(size: f64) -> f64 {
    let exponent = libm::ilogb(size.max(f64::MIN_POSITIVE));
    let step = libm::scalbn(1.0, exponent - 10);
    (size / step - 1e-6).ceil() * step
}

/// The smallest sphere around a part of a view, with its centre between the middles of the two ends: in world space.
fn sphere(frustum: &Frustum, corners: &[DVec3; 8]) -> (DVec3, f64) {
    let own = corners.map(|corner| frustum.in_view(corner));
    let (near, far) = own.split_at(4);
    let middle = |end: &[DVec3]| end.iter().sum::<DVec3>() / 4.0;
    let (first, last) = (middle(near), middle(far));
    let square =
        |end: &[DVec3], from: DVec3| end.iter().map(|corner| (*corner - from).length_squared()).fold(0.0, f64::max);
    let (a, b, length) = (square(near, first), square(far, last), (last - first).length_squared());
    // Where both ends are equally far: t²·l² + a = (1 − t)²·l² + b.
    let t = if length > 0.0 { ((length + b - a) / (2.0 * length)).clamp(0.0, 1.0) } else { 0.5 };
    let center = first + (last - first) * t;
    let radius = square(&own, center).sqrt();
    (frustum.to_world(center), radius)
}

/// World → clip space of the map of a split: for light from the direction `to_light` (unit length), for the part of a view
/// with these corners, in a scene in the box with `scene` as its corners (none where nothing is drawn).
pub(super) fn directional(
    settings: &ShadowSettings,
    to_light: DVec3,
    (frustum, corners): (&Frustum, &[DVec3; 8]),
    scene: Option<&[DVec3; 8]>,
    convention: Convention,
) -> DMat4 {
    let space = light_space(to_light);
    let turned = |point: &DVec3| space.transform_point3(*point);
    let drawn = scene.map(|corners| LightBox::around(corners.iter().map(turned)));
    let mut own = match settings.shape {
        ShadowShape::Box => LightBox::around(corners.iter().map(turned)),
        ShadowShape::Sphere => {
            let (center, radius) = sphere(frustum, corners);
            LightBox::cube(turned(&center), in_steps(radius))
        }
    };
    if let (ShadowFit::Scene, Some(drawn)) = (settings.fit, drawn) {
        own = match settings.shape {
            ShadowShape::Box => own.cut_to(drawn),
            ShadowShape::Sphere => {
                let around = (drawn.max - drawn.min).length() * 0.5;
                let smaller = around > 0.0 && around < (own.max.x - own.min.x) * 0.5;
                if smaller { LightBox::cube((drawn.min + drawn.max) * 0.5, in_steps(around)) } else { own }
            }
        };
    }
    if let (Casters::Pull, Some(drawn)) = (settings.casters, drawn) {
        own.max.z = own.max.z.max(drawn.max.z);
    }
    let depth = (own.max.z - own.min.z).max(1e-6);
    own.min.z -= MARGIN * depth;
    own.max.z += MARGIN * depth;
    let (min, size) = rectangle(settings, own.min.truncate(), (own.max - own.min).truncate());
    (own.min, own.max) = (min.extend(own.min.z), (min + size).extend(own.max.z));
    own.matrix(&space, convention)
}

/// The rectangle of a map around one from `min` on of this size.
fn rectangle(settings: &ShadowSettings, min: DVec2, size: DVec2) -> (DVec2, DVec2) {
    let size = size.max(DVec2::splat(1e-6));
    match settings.steadiness {
        Steadiness::Free => (min, size),
        Steadiness::Texels => {
            // One texel more than is needed, so that its place may be rounded down to whole ones.
            let size = if settings.shape == ShadowShape::Box { size.map(in_steps) } else { size };
            let texel = size / (f64::from(settings.side) - 1.0);
            ((min / texel).floor() * texel, texel * f64::from(settings.side))
        }
    }
}

/// The widest cone that one map sees: beyond, its middle would have no texels left.
pub(super) const WIDEST: f64 = 1.48;

/// World → clip space of the map of a spot light at `position` that shines along the unit vector `axis` into a cone of the
/// half angle whose tangent is `tangent`, as far as `range` reaches; `scene` is as above.
pub(super) fn spot(
    (position, axis): (DVec3, DVec3),
    tangent: f64,
    range: f64,
    scene: Option<&[DVec3; 8]>,
    convention: Convention,
) -> DMat4 {
    let space = light_space(-axis) * DMat4::from_translation(-position);
    let distances = scene.iter().flat_map(|corners| corners.iter().map(|corner| -space.transform_point3(*corner).z));
    let (nearest, farthest) =
        distances.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), depth| (low.min(depth), high.max(depth)));
    let far = range.min(if farthest > 0.0 { farthest * (1.0 + MARGIN) } else { 1.0 });
    // A thousandth of the way leaves 24 bits digits enough, and nearer casters are as near as that.
    let near = (nearest * (1.0 - MARGIN)).clamp(far / 1000.0, far / 2.0);
    // A little wider than the cone, whose own edge is then inside.
    let focal = 1.0 / (tangent * (1.0 + MARGIN));
    let up = if convention == Convention::Vulkan { -focal } else { focal };
    let (scale, offset) = match convention {
        Convention::OpenGl => ((far + near) / (near - far), 2.0 * far * near / (near - far)),
        Convention::D3d | Convention::Vulkan => (far / (near - far), far * near / (near - far)),
    };
    let to_clip = DMat4::from_cols(
        DVec4::new(focal, 0.0, 0.0, 0.0),
        DVec4::new(0.0, up, 0.0, 0.0),
        DVec4::new(0.0, 0.0, scale, -1.0),
        DVec4::new(0.0, 0.0, offset, 0.0),
    );
    to_clip * space
}

#[cfg(test)]
mod tests {
    use glam::Mat4;
    use proptest::prelude::*;

    use super::*;
    use crate::shadow::frustum::tests::perspective;
    use refrast_draw::DepthFormat;

    const SCENE: [DVec3; 8] = [
        DVec3::new(-50.0, 0.0, -50.0),
        DVec3::new(50.0, 0.0, -50.0),
        DVec3::new(-50.0, 0.0, 50.0),
        DVec3::new(50.0, 0.0, 50.0),
        DVec3::new(-50.0, 9.0, -50.0),
        DVec3::new(50.0, 9.0, -50.0),
        DVec3::new(-50.0, 9.0, 50.0),
        DVec3::new(50.0, 9.0, 50.0),
    ];

    fn frustum(yaw: f32, moved: f32) -> Frustum {
        let to_world = Mat4::from_translation(glam::Vec3::new(moved, 2.0, 3.0)) * Mat4::from_rotation_y(yaw);
        let projection = perspective(0.1, Some(200.0), false, Convention::D3d);
        Frustum::new(to_world.inverse(), projection, Convention::D3d)
    }

    proptest! {
        /// All of the split is in its map, whichever way it is made, and casters are where they should be.
        #[test]
        fn a_split_is_inside_of_its_map(
            yaw in -3.0f32..3.0, moved in -9.0f32..9.0, light in [-1.0..1.0f64, 0.1..1.0f64, -1.0..1.0f64],
            near in 0.2..5.0f64, length in 0.5..40.0f64, choice in 0u8..8,
        ) {
            let settings = ShadowSettings {
                shape: if choice & 1 == 0 { ShadowShape::Box } else { ShadowShape::Sphere },
                steadiness: if choice & 2 == 0 { Steadiness::Free } else { Steadiness::Texels },
                casters: if choice & 4 == 0 { Casters::Pull } else { Casters::Clamp },
                format: DepthFormat::Float,
                ..ShadowSettings::default()
            };
            let frustum = frustum(yaw, moved);
            let corners = frustum.corners(near, near + length);
            let to_light = DVec3::from_array(light).normalize();
            let matrix = directional(&settings, to_light, (&frustum, &corners), Some(&SCENE), Convention::D3d);
            for corner in corners {
                let clip = matrix.project_point3(corner);
                prop_assert!(clip.truncate().abs().max_element() <= 1.0 + 1e-6, "{clip}");
                prop_assert!((0.0..=1.0).contains(&clip.z), "{clip}");
            }
            if settings.casters == Casters::Pull {
                let nearest = SCENE.map(|corner| matrix.project_point3(corner).z).into_iter().fold(f64::INFINITY, f64::min);
                prop_assert!(nearest > 0.0);
            }
            // Toward the light is toward the near plane.
            let [here, above] = [DVec3::ZERO, to_light].map(|point| matrix.project_point3(point));
            prop_assert!(above.z < here.z && (above - here).truncate().length() < 1e-9);
        }

        /// A steady map's texels stay where they are in the world while the camera moves and turns.
        #[test]
        fn steady_texels_stay_where_they_are(yaw in -3.0f32..3.0, moved in -9.0f32..9.0) {
            let settings = ShadowSettings::default();
            let to_light = DVec3::new(0.3, 0.9, 0.2).normalize();
            let texel = |yaw, moved| {
                let frustum = frustum(yaw, moved);
                let corners = frustum.corners(1.0, 20.0);
                let matrix = directional(&settings, to_light, (&frustum, &corners), Some(&SCENE), Convention::D3d);
                let clip = matrix.project_point3(DVec3::new(1.0, 0.5, -2.0));
                (clip.truncate() * 0.5 + 0.5) * f64::from(settings.side)
            };
            let (first, second) = (texel(0.0, 0.0), texel(yaw, moved));
            let apart = second - first;
            prop_assert!((apart - apart.round()).abs().max_element() < 1e-5, "{apart}");
        }
    }

    #[test]
    fn a_box_is_smaller_than_a_sphere_and_a_scene_cuts_it() {
        let frustum = frustum(0.3, 0.0);
        let corners = frustum.corners(1.0, 100.0);
        let to_light = DVec3::new(0.3, 0.9, 0.2).normalize();
        let small = SCENE.map(|corner| corner * 0.02);
        let scale = |shape, fit| {
            let settings = ShadowSettings { shape, fit, ..ShadowSettings::default() };
            directional(&settings, to_light, (&frustum, &corners), Some(&small), Convention::D3d)
                .row(0)
                .truncate()
                .length()
        };
        let (sphere, tight) = (scale(ShadowShape::Sphere, ShadowFit::Split), scale(ShadowShape::Box, ShadowFit::Split));
        assert!(tight > sphere);
        assert!(scale(ShadowShape::Sphere, ShadowFit::Scene) > 10.0 * sphere);
        assert!(scale(ShadowShape::Box, ShadowFit::Scene) > 10.0 * tight);
    }

    #[test]
    fn a_spot_sees_its_cone_as_far_as_it_reaches() {
        for convention in [Convention::OpenGl, Convention::D3d, Convention::Vulkan] {
            let at = DVec3::new(0.0, 5.0, 0.0);
            let matrix = spot((at, DVec3::NEG_Y), 0.5, 20.0, Some(&SCENE), convention);
            let middle = matrix.project_point3(DVec3::new(0.0, 0.0, 0.0));
            assert!(middle.truncate().length() < 1e-9 && middle.z < 1.0 && middle.z > 0.0, "{middle}");
            let edge = matrix.project_point3(DVec3::new(2.5, 0.0, 0.0)).truncate().length();
            assert!(edge < 1.0 && edge > 0.98, "{edge}");
        }
    }
}
