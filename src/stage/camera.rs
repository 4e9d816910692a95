//! [`Camera`]: the two matrices between world and clip space, and the ways to come by them.
//!
//! Why matrices and not angles: a backend under test has a camera of its own, and only the sixteen numbers that it
//! multiplies with tell it apart from ours to the bit. So a camera here *is* its matrices; they are computed once,
//! in f64 with `libm`, and rounded to f32; and they can be printed, edited and read back.

use std::path::Path;

use glam::{DMat4, DVec3, DVec4, Mat4};
use serde::{Deserialize, Serialize};

use crate::{Bounds, Lens, Orbit, Viewpoint};
use refrast_animation::Pose;
use refrast_draw::Convention;
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

/// The file form of a camera.
#[derive(Serialize, Deserialize)]
struct CameraFile {
    convention: Option<Convention>,
    view: [f32; 16],
    projection: [f32; 16],
}

impl CameraFile {
    /// Whether the matrices are no camera as they are, and one when they are transposed.
    ///
    /// A view matrix is affine: its last row is 0 0 0 1. A projection's last row is 0 0 ±1 0 (perspective) or 0 0 0 1. A
    /// rotation alone is affine either way, and then the projection tells.
    fn is_row_by_row(&self) -> bool {
        let affine = |row: [f32; 4]| row == [0.0, 0.0, 0.0, 1.0];
        let projects = |row: [f32; 4]| affine(row) || matches!(row, [0.0, 0.0, z, 0.0] if z.abs() == 1.0);
        let (last, first) = ([3, 7, 11, 15], [12, 13, 14, 15]);
        let of = |numbers: &[f32; 16], places: [usize; 4]| places.map(|place| numbers[place]);
        let [is_view, is_projection] = [affine(of(&self.view, last)), projects(of(&self.projection, last))];
        let [view, projection] = [affine(of(&self.view, first)), projects(of(&self.projection, first))];
        // Whatever else somebody draws with is left alone.
        !(is_view && is_projection) && view && projection
    }
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

    /// A camera on an orbit around `bounds`, with near and far planes that hold all of it (see [`Viewpoint`]).
    ///
    /// `aspect_ratio` is width ÷ height.
    #[must_use]
    pub fn orbit(bounds: &Bounds, orbit: Orbit, aspect_ratio: f64, convention: Convention) -> Self {
        Viewpoint::Orbit { orbit, target: None }.camera(bounds, &Lens::default(), aspect_ratio, convention)
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
        match read_regular(path, LARGEST_CAMERA_FILE) {
            Ok(text) => Self::from_json(&text, &name, convention),
            Err(source) => Err(CameraError::Read { path: name, source }),
        }
    }

    /// A camera from the text of a camera file; `name` stands in the errors.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load), without [`CameraError::Read`].
    pub fn from_json(text: &[u8], name: &str, convention: Convention) -> Result<Self, CameraError> {
        let wrong = |reason: String| CameraError::Format { path: name.to_owned(), reason };
        let file: CameraFile = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
        for (key, numbers) in [("view", &file.view), ("projection", &file.projection)] {
            if numbers.iter().all(|&number| number == 0.0) {
                return Err(wrong(format!(
                    "all numbers of `{key}` are 0: it was written before the matrix was set; write it when a frame has been \
                     drawn"
                )));
            }
        }
        if file.is_row_by_row() {
            return Err(wrong(
                "its matrices are written row by row; transpose both, so that the translation of `view` is in its numbers 12, \
                 13 and 14, counted from 0"
                    .to_owned(),
            ));
        }
        if let Some(own) = file.convention.filter(|own| *own != convention) {
            return Err(CameraError::Convention { path: name.to_owned(), file: own, frame: convention });
        }
        let camera = Self {
            view: Mat4::from_cols_array(&file.view),
            projection: Mat4::from_cols_array(&file.projection),
            convention,
        };
        camera.check().map(|()| camera).map_err(|error| wrong(error.to_string()))
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

/// The inverse of the rigid transform with these axes and this origin.
pub(super) fn rigid_inverse(right: DVec3, up: DVec3, backward: DVec3, origin: DVec3) -> DMat4 {
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
        assert!(error.contains("zeros.json") && error.contains("all numbers of `view` are 0"), "{error}");
        fs::remove_file(&path).expect("it was just written");
    }

    #[test]
    fn a_camera_file_that_is_written_row_by_row_is_told() {
        let path = std::env::temp_dir().join(format!("refrast-camera-{}-rows.json", std::process::id()));
        let load = |view: &Mat4, projection: &Mat4| {
            let numbers = |matrix: &Mat4| matrix.to_cols_array().map(|number| format!("{number:?}")).join(",");
            let text = format!("{{\"view\": [{}], \"projection\": [{}]}}", numbers(view), numbers(projection));
            fs::write(&path, text).expect("it is writable");
            Camera::load(&path, Convention::D3d).map_err(|error| error.to_string())
        };
        let orthographic = Projection::Orthographic { xmag: 2.0, ymag: 1.0, znear: 0.5, zfar: 9.0 };
        let (eye, up) = (DVec3::new(1.0, 2.0, 3.0), DVec3::Y);
        let unbounded = Projection::Perspective { yfov: 1.0, aspect_ratio: None, znear: 0.5, zfar: None };
        for projection in [orthographic, unbounded] {
            let camera = Camera::look_at(eye, DVec3::ZERO, up, &projection, 1.5, Convention::D3d);
            load(&camera.view, &camera.projection).expect("column by column");
            let error = load(&camera.view.transpose(), &camera.projection.transpose()).expect_err("row by row");
            assert!(error.contains("row by row; transpose both"), "{error}");
            // At the origin only the projection can tell.
            let camera = Camera { view: Mat4::from_rotation_x(0.3), ..camera };
            let result = load(&camera.view.transpose(), &camera.projection.transpose());
            assert!(result.expect_err("row by row").contains("transpose both"));
        }
        // A mirror in front of a camera, a left-handed projection: no matter whose, they are used as they are.
        let camera = Camera::look_at(eye, DVec3::ZERO, up, &unbounded, 1.5, Convention::D3d);
        let flip = Mat4::from_scale(glam::Vec3::new(1.0, 1.0, -1.0));
        load(&(flip * camera.view), &(camera.projection * flip)).expect("a camera like any other");
        let ones = vec!["1"; 15].join(",");
        let text = format!("{{\"view\": [1e39,{ones}], \"projection\": [1,{ones}]}}");
        fs::write(&path, text).expect("it is writable");
        let error = Camera::load(&path, Convention::D3d).expect_err("it does not fit").to_string();
        assert!(error.contains("number out of range at line 1"), "{error}");
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
