//! The built-in character, so that the first command works without any file.

use super::{Scene, SceneError};

/// Made by `cargo run --release --example build_mannequin`; CC0.
const MANNEQUIN: &[u8] = include_bytes!("mannequin.glb");

impl Scene {
    /// The built-in character: a mannequin of 85 joints with four influences a vertex, two textured materials, morph
    /// targets on the face, and the clips `Walk`, `Flex` and `Expression`.
    ///
    /// # Errors
    ///
    /// None that a released build can meet: the character is loaded as any other file, and tests load it.
    pub fn mannequin() -> Result<Self, SceneError> {
        Self::from_bytes(MANNEQUIN, "mannequin")
    }
}
