//! [`Camera`]: the two matrices between world and clip space, and the ways to come by them.
//!
//! Why matrices and not angles: a backend under test has a camera of its own, and only the sixteen numbers that it
//! multiplies with tell it apart from ours to the bit. So a camera here *is* its matrices; they are computed once,
//! in f64 with `libm`, and rounded to f32; and they can be printed, edited and read back.

use std::path::Path;

use glam::{DMat4, DVec3, DVec4, Mat4};
use serde::{Deserialize, Serialize};

use crate::Bounds;
use refrast_animation::Pose;
use refrast_raster::Convention;
use refrast_scene::{PlacedCamera, Projection, Scene, read_regular};

/// The longest camera file that is read: 32 numbers take less than a kilobyte, and spaces are free.
const LARGEST_CAMERA_FILE: u64 = 1 << 20;

/// World → view → clip space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// World → view space (right-handed, looking along −Z, +Y up); rigid.
    pub view: Mat4,
    /// View → clip space of `convention`.
    pub projection: Mat4,
    /// The clip space that `projection` leads to.
    pub convention: Convention,
}

/// A camera can not be had.
#[derive(Debug, thiserror::Error)]
pub enum CameraError {
    /// The camera file can not be read.
    #[error("{path}: can not read the camera file: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The camera file is not what it should be.
    #[error(
        "{path}: not a camera file: {reason}; it holds {{\"convention\": \"opengl\" | \"d3d\" | \"vulkan\", \"view\": [16 numbers], \
         \"projection\": [16 numbers]}}, matrices column by column (`--print-camera` writes one)"
    )]
    Format {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// No picture can be made with these matrices.
    #[error(
        "the camera can not be used: {0}; choose another distance, planes that are farther apart, or a scene that is neither \
         astronomically large nor small"
    )]
    Matrices(&'static str),
    /// The file's projection leads to another clip space than the frame's.
    #[error(
        "{path}: the camera is for the `{file}` convention, the frame for `{frame}`; render with --convention {file}"
    )]
    Convention {
        /// The file.
        path: String,
        /// The camera's.
        file: Convention,
        /// The frame's.
        frame: Convention,
    },
}

/// Where the camera stands when nobody says: an orbit around what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Degrees around +Y; 0 looks from +Z (glTF's front), 90 from +X.
    pub yaw: f64,
    /// Degrees above the horizon.
    pub pitch: f64,
    /// Metres from the centre of the bounds; `None` fits the upright cylinder around the bounds into the picture, so
    /// that the distance does not change as the camera goes round.
    pub distance: Option<f64>,
}

impl Orbit {
    /// The vertical field of view of orbit cameras, in degrees.
    pub const FIELD_OF_VIEW: f64 = 35.0;
    /// The part of the picture's height or width that a fitted camera fills.
    pub const FILL: f64 = 0.98;
}

impl Default for Orbit {
    /// A three-quarter view from slightly above.
    fn default() -> Self {
        Self { yaw: 25.0, pitch: 8.0, distance: None }
    }
}

/// The file form of a camera.
#[derive(Serialize, Deserialize)]
struct CameraFile {
    convention: Option<Convention>,
    view: [f32; 16],
    projection: [f32; 16],
}

impl Camera {
    /// A camera at `eye` that looks at `target`, world space in metres.
    ///
    /// `up` is any direction that is not along the line of sight; `aspect_ratio` is width ÷ height.
    #[must_use]
    pub fn look_at(
        eye: DVec3,
        target: DVec3,
        up: DVec3,
        projection: &Projection,
        aspect_ratio: f64,
        convention: Convention,
    ) -> Self {
        let backward = (eye - target).normalize_or(DVec3::Z);
        let right = up.cross(backward).normalize_or(DVec3::X);
        Self {
            view: rigid_inverse(right, backward.cross(right), backward, eye).as_mat4(),
            projection: projection_matrix(projection, aspect_ratio, convention).as_mat4(),
            convention,
        }
    }

    /// A camera on an orbit around `bounds`, with near and far planes that hold all of it.
    ///
    /// `aspect_ratio` is width ÷ height.
    #[must_use]
    pub fn orbit(bounds: &Bounds, orbit: Orbit, aspect_ratio: f64, convention: Convention) -> Self {
        let radius = extent(bounds.radius());
        let half_fov = (Orbit::FIELD_OF_VIEW * 0.5).to_radians();
        let (yaw, pitch) = (orbit.yaw.to_radians(), orbit.pitch.to_radians());
        let distance = orbit.distance.unwrap_or_else(|| fitting_distance(bounds, pitch, half_fov, aspect_ratio));
        let backward =
            DVec3::new(libm::sin(yaw) * libm::cos(pitch), libm::sin(pitch), libm::cos(yaw) * libm::cos(pitch));
        // Stays upright past the poles: the derivative of `backward` by the pitch.
        let up = DVec3::new(-libm::sin(yaw) * libm::sin(pitch), libm::cos(pitch), -libm::cos(yaw) * libm::sin(pitch));
        let far = distance + radius * 1.01;
        let near = (distance - radius * 1.01).max(far * 1e-3);
        let projection = Projection::Perspective {
            yfov: (half_fov * 2.0) as f32,
            aspect_ratio: None,
            znear: near as f32,
            zfar: Some(far as f32),
        };
        let target = bounds.center();
        Self::look_at(target + backward * distance, target, up, &projection, aspect_ratio, convention)
    }

    /// A camera of the file, at the place that `pose` gives its node.
    ///
    /// Scale on the way to the node is ignored, as viewers do: a camera has no size.
    #[must_use]
    pub fn from_scene(
        scene: &Scene,
        pose: &Pose,
        placed: PlacedCamera,
        aspect_ratio: f64,
        convention: Convention,
    ) -> Self {
        let world = pose.worlds[placed.node].as_dmat4();
        let [_, up, backward, eye] = [world.x_axis, world.y_axis, world.z_axis, world.w_axis].map(DVec4::truncate);
        let projection = scene.cameras[placed.camera].projection;
        Self::look_at(eye, eye - backward, up, &projection, aspect_ratio, convention)
    }

    /// Reads a camera file.
    ///
    /// # Errors
    ///
    /// When the file can not be read, is not a camera, or is one for another convention.
    pub fn load(path: &Path, convention: Convention) -> Result<Self, CameraError> {
        let name = path.display().to_string();
        let read = read_regular(path, LARGEST_CAMERA_FILE);
        let text = read.map_err(|source| CameraError::Read { path: name.clone(), source })?;
        let file: CameraFile = serde_json::from_slice(&text)
            .map_err(|error| CameraError::Format { path: name.clone(), reason: error.to_string() })?;
        if file.view.iter().chain(&file.projection).any(|number| !number.is_finite()) {
            return Err(CameraError::Format { path: name, reason: "a number is not finite".to_owned() });
        }
        match file.convention {
            Some(own) if own != convention => Err(CameraError::Convention { path: name, file: own, frame: convention }),
            _ => {
                let camera = Self {
                    view: Mat4::from_cols_array(&file.view),
                    projection: Mat4::from_cols_array(&file.projection),
                    convention,
                };
                let unusable = |error: CameraError| CameraError::Format { path: name, reason: error.to_string() };
                camera.check().map_err(unusable).map(|()| camera)
            }
        }
    }

    /// Whether a picture can be made with the matrices.
    ///
    /// # Errors
    ///
    /// [`CameraError::Matrices`] where a number is not finite, or they flatten space, so that nothing could be seen.
    pub fn check(&self) -> Result<(), CameraError> {
        if !(self.view.is_finite() && self.projection.is_finite() && self.view_projection().is_finite()) {
            return Err(CameraError::Matrices("one of its numbers, or of the two matrices' product, is beyond f32"));
        }
        let flat = |matrix: &Mat4| matrix.as_dmat4().determinant() == 0.0;
        if flat(&self.view) || flat(&self.projection) {
            return Err(CameraError::Matrices("its view or projection matrix is singular, so it flattens space"));
        }
        Ok(())
    }

    /// The camera as the text of a camera file; [`load`](Self::load) gives the same bits back.
    #[must_use]
    pub fn to_json(&self) -> String {
        let row = |matrix: &Mat4| {
            let columns = matrix.to_cols_array();
            let columns: Vec<String> = columns
                .chunks(4)
                .map(|column| column.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(", "))
                .collect();
            columns.join(",\n    ")
        };
        format!(
            "{{\n  \"convention\": \"{}\",\n  \"view\": [\n    {}\n  ],\n  \"projection\": [\n    {}\n  ]\n}}\n",
            self.convention,
            row(&self.view),
            row(&self.projection)
        )
    }

    /// World → clip space: `projection · view`, each element summed from the first column to the last, in f32.
    #[must_use]
    pub fn view_projection(&self) -> Mat4 {
        self.projection * self.view
    }
}

/// The size of what is looked at, as small as it is; a micrometre for a single point, which has none.
fn extent(size: f64) -> f64 {
    if size > 0.0 { size } else { 1e-6 }
}

/// The distance from which the upright cylinder around `bounds` fills [`Orbit::FILL`] of the picture.
///
/// A point at height u over the line of sight and b towards the camera from the centre is seen at u ÷ (distance − b),
/// which must not exceed tan(half the field of view); so distance ≥ b + |u| ÷ tan. The extreme points are the near
/// and far points of both rims (height), and the right ones of both rims (width).
fn fitting_distance(bounds: &Bounds, pitch: f64, half_fov: f64, aspect_ratio: f64) -> f64 {
    let [radius, half_height] = bounds.cylinder();
    let tan_height = libm::tan(half_fov) * Orbit::FILL;
    let tan_width = tan_height * aspect_ratio;
    let (sin, cos) = (libm::sin(pitch), libm::cos(pitch));
    let mut distance = extent(radius.max(half_height));
    for y in [-half_height, half_height] {
        for rim in [-radius, radius] {
            let (over, towards) = (y * cos - rim * sin, y * sin + rim * cos);
            distance = distance.max(towards + over.abs() / tan_height);
        }
        distance = distance.max(y * sin + radius / tan_width);
    }
    distance
}

/// The inverse of the rigid transform with these axes and this origin.
fn rigid_inverse(right: DVec3, up: DVec3, backward: DVec3, origin: DVec3) -> DMat4 {
    DMat4::from_cols(
        DVec4::new(right.x, up.x, backward.x, 0.0),
        DVec4::new(right.y, up.y, backward.y, 0.0),
        DVec4::new(right.z, up.z, backward.z, 0.0),
        DVec4::new(-right.dot(origin), -up.dot(origin), -backward.dot(origin), 1.0),
    )
}

/// View → clip space: glTF 2.0 section 3.10.3 for `opengl`, with z mapped to [0, w] for `d3d` and `vulkan`, and y
/// turned round for `vulkan`.
fn projection_matrix(projection: &Projection, aspect_ratio: f64, convention: Convention) -> DMat4 {
    let zero_to_one = convention != Convention::OpenGl;
    let y_sign = if convention == Convention::Vulkan { -1.0 } else { 1.0 };
    match *projection {
        Projection::Perspective { yfov, aspect_ratio: own_aspect, znear, zfar } => {
            let focal = 1.0 / libm::tan(f64::from(yfov) * 0.5);
            let aspect_ratio = own_aspect.map_or(aspect_ratio, f64::from);
            let near = f64::from(znear);
            let (scale, offset) = match (zfar.map(f64::from), zero_to_one) {
                (Some(far), false) => ((far + near) / (near - far), 2.0 * far * near / (near - far)),
                (Some(far), true) => (far / (near - far), far * near / (near - far)),
                (None, false) => (-1.0, -2.0 * near),
                (None, true) => (-1.0, -near),
            };
            DMat4::from_cols(
                DVec4::new(focal / aspect_ratio, 0.0, 0.0, 0.0),
                DVec4::new(0.0, y_sign * focal, 0.0, 0.0),
                DVec4::new(0.0, 0.0, scale, -1.0),
                DVec4::new(0.0, 0.0, offset, 0.0),
            )
        }
        Projection::Orthographic { xmag, ymag, znear, zfar } => {
            let (near, far) = (f64::from(znear), f64::from(zfar));
            let (scale, offset) = if zero_to_one {
                (1.0 / (near - far), near / (near - far))
            } else {
                (2.0 / (near - far), (far + near) / (near - far))
            };
            DMat4::from_cols(
                DVec4::new(1.0 / f64::from(xmag), 0.0, 0.0, 0.0),
                DVec4::new(0.0, y_sign / f64::from(ymag), 0.0, 0.0),
                DVec4::new(0.0, 0.0, scale, 0.0),
                DVec4::new(0.0, 0.0, offset, 1.0),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use glam::Vec4;

    use super::*;

    fn bounds() -> Bounds {
        let mut bounds = Bounds::EMPTY;
        bounds.extend(&[-0.5, 0.5], &[0.0, 1.8], &[-0.3, 0.2]);
        bounds
    }

    #[test]
    fn a_fitted_orbit_holds_the_bounds_and_fills_the_picture() {
        for (yaw, pitch) in [(0.0, 0.0), (25.0, 8.0), (90.0, -30.0), (200.0, 70.0)] {
            let orbit = Orbit { yaw, pitch, distance: None };
            let camera = Camera::orbit(&bounds(), orbit, 16.0 / 9.0, Convention::OpenGl);
            let mut largest = 0.0f32;
            for corner in 0..8 {
                let pick = |axis: usize, bit: u32| {
                    let side = if corner >> bit & 1 == 0 { bounds().min } else { bounds().max };
                    side[axis] as f32
                };
                let clip = camera.view_projection() * Vec4::new(pick(0, 0), pick(1, 1), pick(2, 2), 1.0);
                let ndc = clip.truncate() / clip.w;
                assert!(ndc.abs().max_element() < 1.0, "yaw {yaw} pitch {pitch}: corner {corner} at {ndc}");
                largest = largest.max(ndc.x.abs()).max(ndc.y.abs());
            }
            assert!(largest > 0.6, "yaw {yaw} pitch {pitch}: the character fills only {largest}");
        }
    }

    #[test]
    fn depth_and_y_follow_the_convention() {
        let at = |convention| {
            let orbit = Orbit { yaw: 0.0, pitch: 0.0, distance: Some(3.0) };
            let camera = Camera::orbit(&bounds(), orbit, 1.0, convention);
            let top = camera.view_projection() * Vec4::new(0.0, 1.8, -0.05, 1.0);
            top / top.w
        };
        let (gl, d3d, vulkan) = (at(Convention::OpenGl), at(Convention::D3d), at(Convention::Vulkan));
        // The top of the box is 0.9 m over the line of sight, three metres away.
        let y = 0.9 / 3.0 / libm::tan(17.5f64.to_radians());
        assert!((f64::from(gl.y) - y).abs() < 1e-5 && (d3d.y - gl.y).abs() < 1e-6 && (vulkan.y + gl.y).abs() < 1e-6);
        assert!((gl.z * 0.5 + 0.5 - d3d.z).abs() < 1e-5 && (d3d.z - vulkan.z).abs() < 1e-7);
    }

    #[test]
    fn a_camera_that_sees_nothing_is_told() {
        let camera = Camera::orbit(&bounds(), Orbit::default(), 1.5, Convention::OpenGl);
        camera.check().expect("a camera like any other");
        let with =
            |view: Mat4, projection: Mat4| Camera { view, projection, ..camera }.check().unwrap_err().to_string();
        assert!(with(Mat4::ZERO, camera.projection).contains("singular"));
        assert!(with(camera.view, Mat4::ZERO).contains("singular"));
        assert!(with(camera.view * f32::NAN, camera.projection).contains("beyond f32"));
        // From so far away near and far plane are one f32.
        let far = Orbit { distance: Some(1e12), ..Orbit::default() };
        let error = Camera::orbit(&bounds(), far, 1.0, Convention::OpenGl).check().unwrap_err().to_string();
        assert!(error.contains("choose another distance"), "{error}");
        for scale in [1e-20, 1e20] {
            let bounds = Bounds { min: bounds().min * scale, max: bounds().max * scale };
            Camera::orbit(&bounds, Orbit::default(), 1.0, Convention::OpenGl).check().expect("f32 can");
        }
        let path = std::env::temp_dir().join(format!("refrast-camera-{}-zeros.json", std::process::id()));
        let zeros = vec!["0"; 16].join(",");
        fs::write(&path, format!("{{\"view\": [{zeros}], \"projection\": [{zeros}]}}")).expect("it is writable");
        let error = Camera::load(&path, Convention::OpenGl).expect_err("zeros").to_string();
        assert!(error.contains("zeros.json") && error.contains("singular"), "{error}");
        fs::remove_file(&path).expect("it was just written");
    }

    #[test]
    fn a_camera_file_gives_the_same_bits_back() {
        let camera = Camera::orbit(&bounds(), Orbit::default(), 1.5, Convention::Vulkan);
        let path = std::env::temp_dir().join(format!("refrast-camera-{}.json", std::process::id()));
        fs::write(&path, camera.to_json()).expect("the temporary folder is writable");
        let again = Camera::load(&path, Convention::Vulkan).expect("what was written can be read");
        assert_eq!(again, camera);
        let error = Camera::load(&path, Convention::OpenGl).expect_err("another convention").to_string();
        assert!(error.contains("--convention vulkan"), "{error}");
        fs::write(&path, "{\"view\": [1, 2]}").expect("the temporary folder is writable");
        let error = Camera::load(&path, Convention::OpenGl).expect_err("too few numbers").to_string();
        assert!(error.contains("not a camera file") && error.contains("--print-camera"), "{error}");
        fs::remove_file(&path).expect("it was just written");
    }
}
