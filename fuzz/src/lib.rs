//! What must hold for every input, whatever it is: one function for each kind, which a target hands its bytes to.
//!
//! Why it exists: strangers write these files. [How to run them](../README.md).

mod compressed;
mod pictures;
mod programs;
mod scenes;
mod texts;

pub use compressed::{check_draco, check_meshopt};
pub use pictures::{check_envelope, check_picture, check_vertices};
pub use programs::check;
pub use scenes::{check_image, check_scene};
pub use texts::{check_camera, check_manifest};
