//! What can go wrong between a scene and its picture.

use crate::Driver;

/// The backend can not draw.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The process was not started for the driver.
    #[error("{driver} is chosen by environment variables: start this process through Driver::command")]
    Environment {
        /// Which one.
        driver: Driver,
    },
    /// The driver is not there.
    #[error("{driver} is not to be found ({found}): {remedy}", remedy = .driver.remedy())]
    Missing {
        /// Which one.
        driver: Driver,
        /// What is there instead.
        found: String,
    },
    /// The driver gives no device.
    #[error("{driver} gives no device: {reason}")]
    Device {
        /// Which one.
        driver: Driver,
        /// What it says.
        reason: String,
    },
    /// A command was refused.
    #[error("the API refuses what the backend asks for: {0}")]
    Refused(String),
    /// Nothing could be read back.
    #[error("the device does not give its results back: {0}")]
    ReadBack(String),
    /// Four samples where the driver has one.
    #[error("{driver} has no working multisampling; draw with one sample a pixel")]
    Multisampling {
        /// Which one.
        driver: Driver,
    },
    /// The shaders do not have the mode.
    #[error(
        "this backend has no shader for {mode} yet; lambert, unlit, normals, uv, depth, joints and wireframe it draws"
    )]
    Mode {
        /// Which one.
        mode: refrast::shading::ShadingMode,
    },
    /// A texture of the scene can not be used.
    #[error(transparent)]
    Texture(#[from] refrast::shading::TextureError),
    /// Dual quaternions can not follow a joint.
    #[error("joint {joint} mirrors or flattens space, which dual quaternions can not follow; use linear skinning")]
    NoRotation {
        /// The joint of the skin.
        joint: usize,
    },
    /// The picture has no pixels.
    #[error("a picture of {width}x{height} pixels can not be drawn: {reason}")]
    Picture {
        /// Pixels a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Why.
        reason: String,
    },
}
