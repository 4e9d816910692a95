//! [`Viewpoint`] and [`Lens`]: where a camera stands and how much it sees, before there are matrices.
//!
//! Why it exists: the same words must be the same sixteen numbers in every command. So all that a camera finds out for
//! itself (its distance, its planes) comes from one box, [`Bounds::of`], and is worked out here and nowhere else.

use glam::DVec3;

use super::{Bounds, Camera};
use refrast_draw::Convention;
use refrast_scene::Projection;

/// Where the camera stands when nobody says: an orbit around what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Degrees around +Y; 0 looks from +Z (glTF's front), 90 from +X.
    pub yaw: f64,
    /// Degrees above the horizon.
    pub pitch: f64,
    /// Metres from the target; `None` fits the upright cylinder around the bounds into the picture, so that the distance
    /// does not change as the camera goes round.
    pub distance: Option<f64>,
}

impl Orbit {
    /// The part of the picture's height or width that a fitted camera fills.
    pub const FILL: f64 = 0.98;

    /// From the target to the eye, and up; up stays upright past the poles: it is the derivative of the former by the
    /// pitch. Both are of unit length.
    #[must_use]
    pub fn directions(&self) -> [DVec3; 2] {
        let (yaw, pitch) = (self.yaw.to_radians(), self.pitch.to_radians());
        [
            DVec3::new(libm::sin(yaw) * libm::cos(pitch), libm::sin(pitch), libm::cos(yaw) * libm::cos(pitch)),
            DVec3::new(-libm::sin(yaw) * libm::sin(pitch), libm::cos(pitch), -libm::cos(yaw) * libm::sin(pitch)),
        ]
    }
}

impl Default for Orbit {
    /// A three-quarter view from slightly above.
    fn default() -> Self {
        Self { yaw: 25.0, pitch: 8.0, distance: None }
    }
}

/// How much a camera sees; what is `None` is found out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lens {
    /// The vertical field of view in degrees, over 0 and under 180; [`FIELD_OF_VIEW`](Self::FIELD_OF_VIEW) else.
    pub field_of_view: Option<f64>,
    /// Metres to the near plane, over 0; else it touches the sphere around the bounds.
    pub near: Option<f64>,
    /// Metres to the far plane, over `near`; else it touches the sphere around the bounds.
    pub far: Option<f64>,
}

impl Lens {
    /// The vertical field of view when nobody says, in degrees.
    pub const FIELD_OF_VIEW: f64 = 35.0;

    /// The tangent of half of the vertical field of view.
    #[must_use]
    pub fn half_height(&self) -> f64 {
        libm::tan(self.half_angle())
    }

    /// Half of the vertical field of view in radians.
    fn half_angle(&self) -> f64 {
        (self.field_of_view.unwrap_or(Self::FIELD_OF_VIEW) * 0.5).to_radians()
    }

    /// The projection for bounds of `radius` whose centre lies `depth` metres before the eye, which looks at something
    /// in `distance`.
    fn projection(&self, depth: f64, distance: f64, radius: f64) -> Projection {
        /// How much nearer than far plane the near plane may lie: nearer, and depth has no precision left.
        const NEAREST: f64 = 1e-3;
        let reach = radius * 1.01;
        let far = self.far.unwrap_or_else(|| {
            // Behind the eye there is nothing to hold; whatever else is asked for, the planes keep their order.
            (depth + reach).max(distance * 2.0 * NEAREST).max(self.near.map_or(0.0, |near| near * 2.0))
        });
        let near = self.near.unwrap_or_else(|| {
            let near = (depth - reach).max(far * NEAREST);
            if self.far.is_some() { near.min(far * 0.5) } else { near }
        });
        Projection::Perspective {
            yfov: (self.half_angle() * 2.0) as f32,
            aspect_ratio: None,
            znear: near as f32,
            zfar: Some(far as f32),
        }
    }
}

/// Where a camera stands, and where it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewpoint {
    /// Around a point.
    Orbit {
        /// Direction and distance.
        orbit: Orbit,
        /// The point, in world space; `None` is the centre of the bounds.
        target: Option<DVec3>,
    },
    /// At a point.
    Eye {
        /// The point, in world space.
        eye: DVec3,
        /// What is looked at; `None` is the centre of the bounds.
        target: Option<DVec3>,
        /// Up; any direction but that of the line of sight.
        up: DVec3,
    },
}

impl Viewpoint {
    /// The camera for what lies within `bounds`.
    ///
    /// `aspect_ratio` is width ÷ height.
    #[must_use]
    pub fn camera(&self, bounds: &Bounds, lens: &Lens, aspect_ratio: f64, convention: Convention) -> Camera {
        let (center, radius) = (bounds.center(), extent(bounds.radius()));
        let (eye, target, up, depth, distance) = match *self {
            Self::Orbit { orbit, target } => {
                let [backward, up] = orbit.directions();
                // Of the centre from the target: to the right, up and towards the eye.
                let offset = target.map_or(DVec3::ZERO, |target| {
                    let offset = center - target;
                    DVec3::new(offset.dot(up.cross(backward)), offset.dot(up), offset.dot(backward))
                });
                let distance = orbit.distance.unwrap_or_else(|| {
                    let pitch = orbit.pitch.to_radians();
                    fitting_distance(bounds, offset, pitch, lens.half_height(), aspect_ratio)
                });
                let target = target.unwrap_or(center);
                (target + backward * distance, target, up, distance - offset.z, distance)
            }
            Self::Eye { eye, target, up } => {
                let target = target.unwrap_or(center);
                let sight = eye - target;
                let depth = (eye - center).dot(sight.normalize_or(DVec3::Z));
                (eye, target, up, depth, sight.length())
            }
        };
        Camera::look_at(eye, target, up, &lens.projection(depth, distance, radius), aspect_ratio, convention)
    }
}

/// The size of what is looked at, as small as it is; a micrometre for a single point, which has none.
fn extent(size: f64) -> f64 {
    if size > 0.0 { size } else { 1e-6 }
}

/// The distance from which the upright cylinder around `bounds`, whose centre is `offset` (right, up, towards the eye)
/// from what is looked at, fills [`Orbit::FILL`] of the picture.
///
/// A point u over the line of sight, v beside it and b nearer than what is looked at is seen at u ÷ (distance − b), which
/// must not exceed t = tan(half the field of view); so distance ≥ b + |u| ÷ t, and the same for v with t · aspect ratio.
/// Both are convex, so that rims decide. A point of a rim of radius r at height y, at the angle a from the right, has
/// v = r · cos a, and with the pitch p
///
/// - b = y · sin p + r · sin a · cos p and u = y · cos p − r · sin a · sin p: extreme where sin a = ±1;
/// - b + |v| ÷ t = y · sin p + r · (sin a · cos p + |cos a| ÷ t): at most y · sin p + r · √(cos² p + 1 ÷ t²).
fn fitting_distance(bounds: &Bounds, offset: DVec3, pitch: f64, half_height: f64, aspect_ratio: f64) -> f64 {
    let [radius, half] = bounds.cylinder();
    let tan_height = half_height * Orbit::FILL;
    let tan_width = tan_height * aspect_ratio;
    let (sin, cos) = (libm::sin(pitch), libm::cos(pitch));
    let mut distance = extent(radius.max(half));
    for y in [-half, half] {
        for rim in [-radius, radius] {
            let (over, towards) = (offset.y + (y * cos - rim * sin), offset.z + (y * sin + rim * cos));
            distance = distance.max(towards + over.abs() / tan_height);
        }
        let beside = radius * (cos * cos + 1.0 / (tan_width * tan_width)).sqrt() + offset.x.abs() / tan_width;
        distance = distance.max(offset.z + y * sin + beside);
    }
    distance
}

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;

    /// The cylinder's rims as points, which reach farther than the box in them.
    fn rims(bounds: &Bounds) -> impl Iterator<Item = DVec3> {
        let ([radius, half], center) = (bounds.cylinder(), bounds.center());
        (0..720).map(move |step| {
            let angle = f64::from(step) * std::f64::consts::PI / 180.0;
            let y = if step < 360 { half } else { -half };
            center + DVec3::new(radius * libm::cos(angle), y, radius * libm::sin(angle))
        })
    }

    /// How far from the middle, in halves of the picture, a point is seen.
    fn seen(camera: &Camera, point: DVec3) -> [f32; 3] {
        let clip = camera.view_projection() * point.as_vec3().extend(1.0);
        let Vec4 { x, y, z, w } = clip;
        assert!(w > 0.0);
        [x / w, y / w, z / w].map(f32::abs)
    }

    fn boxes() -> [Bounds; 4] {
        let boxed = |x: f64, y: f64, z: f64| Bounds { min: DVec3::new(-x, -y, -z), max: DVec3::new(x, y, z * 0.5) };
        [boxed(0.5, 0.9, 0.3), boxed(9.0, 0.1, 0.2), boxed(0.2, 0.3, 12.0), boxed(5.0, 0.0, 5.0)]
    }

    #[test]
    fn a_fitted_orbit_holds_all_of_its_cylinder_and_touches_it() {
        for bounds in boxes() {
            for aspect_ratio in [4.0 / 3.0, 16.0 / 9.0, 1.0, 9.0 / 16.0] {
                for (yaw, pitch, field_of_view) in
                    [(0.0, 0.0, None), (25.0, 8.0, None), (90.0, -30.0, Some(90.0)), (200.0, 70.0, Some(12.0))]
                {
                    for target in [None, Some(bounds.center() + DVec3::new(0.4, -0.7, 1.1))] {
                        let orbit = Orbit { yaw, pitch, distance: None };
                        let lens = Lens { field_of_view, ..Lens::default() };
                        let viewpoint = Viewpoint::Orbit { orbit, target };
                        let camera = viewpoint.camera(&bounds, &lens, aspect_ratio, Convention::OpenGl);
                        let mut largest = 0.0f32;
                        for point in rims(&bounds) {
                            let [x, y, z] = seen(&camera, point);
                            assert!(x < 0.981 && y < 0.981 && z <= 1.0, "{bounds:?} {orbit:?} {aspect_ratio}: {x} {y}");
                            largest = largest.max(x).max(y);
                        }
                        assert!(largest > 0.975, "{bounds:?} {orbit:?} {aspect_ratio}: only {largest} is filled");
                    }
                }
            }
        }
    }

    #[test]
    fn planes_and_field_of_view_are_those_that_were_asked_for() {
        let [bounds, ..] = boxes();
        let eye = Viewpoint::Eye { eye: DVec3::new(1.0, 0.0, 4.0), target: None, up: DVec3::Y };
        let lens = Lens { field_of_view: Some(90.0), near: Some(0.5), far: Some(8.0) };
        let camera = eye.camera(&bounds, &lens, 2.0, Convention::D3d);
        // tan 45° = 1; glTF 2.0, 3.10.3 with z in [0, 1]: far ÷ (near − far) and near times as much.
        let columns = camera.projection.to_cols_array();
        assert!((columns[0] - 0.5).abs() < 1e-6 && (columns[5] - 1.0).abs() < 1e-6);
        assert!((columns[10] - 8.0 / -7.5).abs() < 1e-6 && (columns[14] - 0.5 * 8.0 / -7.5).abs() < 1e-6);
        for lens in [Lens { near: Some(50.0), ..Lens::default() }, Lens { far: Some(0.01), ..Lens::default() }] {
            eye.camera(&bounds, &lens, 2.0, Convention::D3d).check().expect("the other plane gives way");
        }
    }

    #[test]
    fn up_turns_an_eye_around_its_line_of_sight() {
        let [bounds, ..] = boxes();
        let at = |up| {
            let eye = Viewpoint::Eye { eye: DVec3::new(0.0, 0.0, 4.0), target: Some(DVec3::ZERO), up };
            let clip = eye.camera(&bounds, &Lens::default(), 1.0, Convention::OpenGl).view_projection()
                * Vec4::new(0.3, 0.0, 0.0, 1.0);
            [clip.x / clip.w, clip.y / clip.w]
        };
        let (upright, lying) = (at(DVec3::Y), at(DVec3::X * 7.0));
        // With +x up, what was to the right is above.
        assert!(upright[0] > 0.1 && upright[1].abs() < 1e-6);
        assert!(lying[0].abs() < 1e-6 && (lying[1] - upright[0]).abs() < 1e-6);
    }
}
