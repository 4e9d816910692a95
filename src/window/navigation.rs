//! Orbit, pan and zoom: what a drag does to a [`ViewCamera`], and the [`Camera`] that it stands for.

use glam::{DMat4, DVec3};

use super::state::ViewCamera;
use refrast_animation::Pose;
use refrast_draw::Convention;
use refrast_scene::Scene;
use refrast_stage::{Bounds, Camera, Lens, Orbit, Viewpoint};

/// Degrees a point of a drag.
const TURN: f64 = 0.4;
/// The part of the distance that is left after a step of the wheel.
const ZOOM: f64 = 0.88;

/// A camera and where it came from, so that a drag can go on from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) camera: Camera,
    /// What is looked at.
    target: DVec3,
    /// Metres from the target to the eye.
    distance: f64,
    /// The tangent of half of the vertical field of view.
    half_height: f64,
}

impl Placed {
    /// Metres from what is looked at to the eye.
    pub(super) fn distance(&self) -> f64 {
        self.distance
    }
}

/// The camera that `view` stands for: that of the same words in every other command, to the bit.
pub(super) fn place(
    (view, lens): (&ViewCamera, &Lens),
    scene: &Scene,
    pose: &Pose,
    bounds: &Bounds,
    aspect_ratio: f64,
    convention: Convention,
) -> Placed {
    let middle = bounds.center();
    let from = |viewpoint: Viewpoint| viewpoint.camera(bounds, lens, aspect_ratio, convention);
    let (camera, target) = match *view {
        ViewCamera::File(index) => match scene.placed_cameras().get(index) {
            Some(&placed) => (Camera::from_scene(scene, pose, placed, aspect_ratio, convention), middle),
            None => (Camera::orbit(bounds, Orbit::default(), aspect_ratio, convention), middle),
        },
        ViewCamera::Matrices(camera) => (camera, middle),
        ViewCamera::Free { orbit, target } => (from(Viewpoint::Orbit { orbit, target }), target.unwrap_or(middle)),
        ViewCamera::Eye { eye, target, up } => (from(Viewpoint::Eye { eye, target: Some(target), up }), target),
    };
    let eye = eye(&camera);
    Placed { camera, target, distance: (eye - target).length(), half_height: lens.half_height() }
}

/// Where the camera stands, in world space.
fn eye(camera: &Camera) -> DVec3 {
    let view: DMat4 = camera.view.as_dmat4();
    // The inverse of a rigid transform: -Rᵀ·t.
    let translation = view.w_axis.truncate();
    -DVec3::new(
        view.x_axis.truncate().dot(translation),
        view.y_axis.truncate().dot(translation),
        view.z_axis.truncate().dot(translation),
    )
}

/// The orbit that has its eye where it is.
fn orbit_of(eye: DVec3, target: DVec3) -> Orbit {
    let sight = eye - target;
    let pitch = libm::asin((sight.y / sight.length()).clamp(-1.0, 1.0)).to_degrees();
    Orbit { yaw: libm::atan2(sight.x, sight.z).to_degrees(), pitch, distance: Some(sight.length()) }
}

impl ViewCamera {
    /// Turns by a drag of (x, y) points: the scene follows the pointer.
    pub(super) fn turn(&mut self, x: f64, y: f64) {
        self.change(|orbit, _| {
            // As many digits as a command line should have.
            let digits = |degrees: f64| (degrees * 1e6).round() / 1e6;
            orbit.yaw = digits((orbit.yaw - x * TURN).rem_euclid(360.0));
            orbit.pitch = digits((orbit.pitch + y * TURN).clamp(-89.0, 89.0));
        });
    }

    /// Shifts by a drag of (x, y) points in a picture of `height` points: what is looked at follows the pointer.
    pub(super) fn pan(&mut self, placed: &Placed, x: f64, y: f64, height: f64) {
        let metres = 2.0 * placed.distance * placed.half_height / height.max(1.0);
        self.change(|orbit, target| {
            let [backward, up] = orbit.directions();
            let right = up.cross(backward);
            *target = Some(target.unwrap_or(placed.target) - (right * x - up * y) * metres);
            orbit.distance = Some(placed.distance);
        });
    }

    /// Goes nearer by steps of the wheel.
    pub(super) fn zoom(&mut self, placed: &Placed, steps: f64) {
        self.change(|orbit, _| orbit.distance = Some(placed.distance * libm::pow(ZOOM, steps)));
    }

    /// Looks at a point from a distance, in the direction it has.
    pub(super) fn look_at(&mut self, point: DVec3, distance: f64) {
        self.change(|orbit, target| (orbit.distance, *target) = (Some(distance), Some(point)));
    }

    /// Holds all that is drawn, in the direction it has.
    pub(super) fn frame(&mut self) {
        self.change(|orbit, target| (orbit.distance, *target) = (None, None));
    }

    /// Direction and target, to be changed. A camera of the file can not be moved: moving starts from where nobody said.
    fn change(&mut self, change: impl FnOnce(&mut Orbit, &mut Option<DVec3>)) {
        let (mut orbit, mut target) = match *self {
            Self::Free { orbit, target } => (orbit, target),
            Self::Eye { eye, target, .. } => (orbit_of(eye, target), Some(target)),
            Self::File(_) | Self::Matrices(_) => (Orbit::default(), None),
        };
        change(&mut orbit, &mut target);
        *self = Self::Free { orbit, target };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        let mut bounds = Bounds::EMPTY;
        bounds.extend(&[-0.5, 0.5], &[0.0, 1.8], &[-0.3, 0.2]);
        bounds
    }

    fn placed(view: &ViewCamera) -> Placed {
        let lens = Lens::default();
        place((view, &lens), &Scene::default(), &Pose::default(), &bounds(), 1.5, Convention::OpenGl)
    }

    #[test]
    fn a_target_in_the_middle_changes_only_rounding() {
        let orbit = Orbit { yaw: 200.0, pitch: 35.0, distance: Some(4.0) };
        let free = placed(&ViewCamera::Free { orbit, target: None });
        let aimed = placed(&ViewCamera::Free { orbit, target: Some(bounds().center()) });
        let difference = free.camera.view_projection() - aimed.camera.view_projection();
        assert!(difference.to_cols_array().iter().all(|number| number.abs() < 1e-5), "{difference}");
        assert!((aimed.distance - 4.0).abs() < 1e-6 && (free.distance - 4.0).abs() < 1e-6);
    }

    #[test]
    fn a_pan_moves_the_target_with_the_pointer() {
        let mut view = ViewCamera::Free { orbit: Orbit { yaw: 0.0, pitch: 0.0, distance: Some(2.0) }, target: None };
        let before = placed(&view);
        view.pan(&before, 30.0, 0.0, 600.0);
        // 2 m away a picture of 600 points is 4·tan(17.5°) m high; the target goes left, so that the scene goes right.
        let metres = 30.0 * 4.0 * libm::tan(17.5f64.to_radians()) / 600.0;
        let ViewCamera::Free { target: Some(target), .. } = view else { panic!("a pan has a target") };
        assert!((target - (bounds().center() - DVec3::X * metres)).length() < 1e-6, "{target}");
        view.frame();
        assert_eq!(view, ViewCamera::Free { orbit: Orbit { yaw: 0.0, pitch: 0.0, distance: None }, target: None });
    }

    #[test]
    fn a_drag_goes_on_from_an_eye() {
        let (eye, target) = (DVec3::new(1.0, 2.0, -3.0), DVec3::new(0.0, 0.5, 0.0));
        let mut view = ViewCamera::Eye { eye, target, up: DVec3::Y };
        let before = placed(&view).camera;
        view.turn(0.0, 0.0);
        assert!(matches!(view, ViewCamera::Free { .. }));
        let difference = placed(&view).camera.view_projection() - before.view_projection();
        assert!(difference.to_cols_array().iter().all(|number| number.abs() < 1e-5), "{difference}");
    }

    #[test]
    fn the_wheel_comes_nearer_and_never_arrives() {
        let mut view = ViewCamera::default();
        let before = placed(&view).distance;
        for _ in 0..40 {
            view.zoom(&placed(&view), 1.0);
        }
        let after = placed(&view).distance;
        assert!(after > 0.0 && after < before * 0.01, "{before} {after}");
    }
}
