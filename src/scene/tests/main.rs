//! Tests of the loader with tiny files built in code. Names that contain the id of a trap (a bug of shipped renderers)
//! show that the trap is avoided; expected values are worked out by hand.

mod animations;
mod builtin;
mod compressed;
mod damage;
mod errors;
mod file_builder;
mod hierarchy;
mod materials;
mod remarks;
mod skins;
mod surfaces;

use refrast_scene::{LoadOptions, Scene, SceneError};
