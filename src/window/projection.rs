//! [`Projection`]: where points of the world stand in the window.
//!
//! Why it exists: overlays are drawn by egui, over a picture that the rasteriser made; both must agree on where a joint
//! is, whatever the convention.

use egui::{Pos2, Rect};
use glam::{Mat4, Vec3, Vec4};

use refrast_draw::Convention;
use refrast_stage::Camera;

/// World space → points of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    matrix: Mat4,
    y_down: bool,
    area: Rect,
}

impl Projection {
    /// For a picture by `camera` that is shown in `area`.
    pub(super) fn new(camera: &Camera, area: Rect) -> Self {
        Self { matrix: camera.view_projection(), y_down: camera.convention == Convention::Vulkan, area }
    }

    /// Where a point is seen; `None` behind the eye.
    pub(super) fn point(&self, world: Vec3) -> Option<Pos2> {
        self.clip(self.matrix * world.extend(1.0))
    }

    /// Where a point in clip space is seen; `None` behind the eye.
    pub(super) fn clip(&self, clip: Vec4) -> Option<Pos2> {
        if clip.w <= 1e-6 || !clip.is_finite() {
            return None;
        }
        let (x, y) = (clip.x / clip.w, clip.y / clip.w);
        let down = if self.y_down { y } else { -y };
        Some(self.area.center() + 0.5 * egui::vec2(x * self.area.width(), down * self.area.height()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_stage::{Bounds, Orbit};

    #[test]
    fn up_is_up_in_every_convention() {
        let mut bounds = Bounds::EMPTY;
        bounds.extend(&[-1.0, 1.0], &[-1.0, 1.0], &[-1.0, 1.0]);
        let area = Rect::from_min_size(Pos2::new(100.0, 50.0), egui::vec2(400.0, 200.0));
        for convention in [Convention::OpenGl, Convention::D3d, Convention::Vulkan] {
            let orbit = Orbit { yaw: 0.0, pitch: 0.0, distance: Some(5.0) };
            let projection = Projection::new(&Camera::orbit(&bounds, orbit, 2.0, convention), area);
            let [center, above, right] =
                [Vec3::ZERO, Vec3::Y, Vec3::X].map(|point| projection.point(point).expect("in front of the eye"));
            assert!((center - area.center()).length() < 1e-3, "{convention}: {center}");
            // 1 m at 5 m is 0.2 ÷ tan(17.5°) of half the height: 63.43 points.
            assert!((above - center - egui::vec2(0.0, -63.43)).length() < 0.01, "{convention}: {above}");
            assert!((right - center - egui::vec2(63.43, 0.0)).length() < 0.01, "{convention}: {right}");
            assert_eq!(projection.point(Vec3::new(0.0, 0.0, 6.0)), None);
        }
    }
}
