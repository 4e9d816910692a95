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
    /// The plain shaders have no way to draw it.
    #[error("the plain shaders, which are for times alone, draw no {0}")]
    NotPlain(&'static str),
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
    /// More sets of texture coordinates than the shaders carry.
    #[error(
        "the material {material} reads more than four sets of texture coordinates, which this backend does not carry"
    )]
    TexcoordSets {
        /// Its name.
        material: String,
    },
    /// Splits and matrices of shadows can not be made.
    #[error(transparent)]
    Shadows(#[from] refrast::render::RenderError),
    /// The API takes whole steps of a constant bias.
    #[error("a constant bias of {constant} steps: this API takes whole steps, write one without a fraction")]
    Bias {
        /// Steps.
        constant: f32,
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
