//! [`Camera`]: the two matrices between world and clip space, and the ways to come by them.
//!
//! Why matrices and not angles: a backend under test has a camera of its own, and only the sixteen numbers that it
//! multiplies with tell it apart from ours to the bit. So a camera here *is* its matrices; they are computed once,
//! in f64 with `libm`, and rounded to f32; and they can be printed, edited and read back.

use std::{fs, path::Path};

use glam::{DMat4, DVec3, DVec4, Mat4};
use serde::{Deserialize, Serialize};

use crate::{
    animation::Pose,
    raster::Convention,
    render::Bounds,
    scene::{PlacedCamera, Projection, Scene},
};

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
    /// Metres from the centre of the bounds; `None` fits the bounding sphere into the picture.
    pub distance: Option<f64>,
}

impl Orbit {
    /// The vertical field of view of orbit cameras, in degrees.
    pub const FIELD_OF_VIEW: f64 = 35.0;
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
    /// A camera on an orbit around `bounds`, with near and far planes that hold all of it.
    ///
    /// `aspect_ratio` is width ÷ height.
    #[must_use]
    pub fn orbit(bounds: &Bounds, orbit: Orbit, aspect_ratio: f64, convention: Convention) -> Self {
        let radius = bounds.radius().max(1e-6);
        let half_fov = (Orbit::FIELD_OF_VIEW * 0.5).to_radians();
        // The sphere must fit the narrower of the two angles.
        let half_width = libm::atan(libm::tan(half_fov) * aspect_ratio);
        let fitting = radius / libm::sin(half_fov.min(half_width));
        let distance = orbit.distance.unwrap_or(fitting);
        let (yaw, pitch) = (orbit.yaw.to_radians(), orbit.pitch.to_radians());
        let backward =
            DVec3::new(libm::sin(yaw) * libm::cos(pitch), libm::sin(pitch), libm::cos(yaw) * libm::cos(pitch));
        let right = DVec3::new(libm::cos(yaw), 0.0, -libm::sin(yaw));
        let up = backward.cross(right);
        let eye = bounds.center() + backward * distance;
        let far = distance + radius * 1.01;
        let near = (distance - radius * 1.01).max(far * 1e-3);
        let projection = Projection::Perspective {
            yfov: (half_fov * 2.0) as f32,
            aspect_ratio: None,
            znear: near as f32,
            zfar: Some(far as f32),
        };
        Self {
            view: rigid_inverse(right, up, backward, eye).as_mat4(),
            projection: projection_matrix(&projection, aspect_ratio, convention).as_mat4(),
            convention,
        }
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
        let backward = world.z_axis.truncate().normalize_or(DVec3::Z);
        let right = world.y_axis.truncate().cross(backward).normalize_or(DVec3::X);
        let up = backward.cross(right);
        let projection = scene.cameras[placed.camera].projection;
        Self {
            view: rigid_inverse(right, up, backward, world.w_axis.truncate()).as_mat4(),
            projection: projection_matrix(&projection, aspect_ratio, convention).as_mat4(),
            convention,
        }
    }

    /// Reads a camera file.
    ///
    /// # Errors
    ///
    /// When the file can not be read, is not a camera, or is one for another convention.
    pub fn load(path: &Path, convention: Convention) -> Result<Self, CameraError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|source| CameraError::Read { path: name.clone(), source })?;
        let file: CameraFile = serde_json::from_str(&text)
            .map_err(|error| CameraError::Format { path: name.clone(), reason: error.to_string() })?;
        if file.view.iter().chain(&file.projection).any(|number| !number.is_finite()) {
            return Err(CameraError::Format { path: name, reason: "a number is not finite".to_owned() });
        }
        match file.convention {
            Some(own) if own != convention => Err(CameraError::Convention { path: name, file: own, frame: convention }),
            _ => Ok(Self {
                view: Mat4::from_cols_array(&file.view),
                projection: Mat4::from_cols_array(&file.projection),
                convention,
            }),
        }
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
