//! What is looked at: a vertex of the scene, or somebody's picture of it.
//!
//! Why it exists: the state names it, candidates are read for it, and neither needs the other for that.

use std::path::Path;

/// A vertex of a drawn primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexChoice {
    /// The node that draws it.
    pub node: usize,
    /// The primitive within the node's mesh.
    pub primitive: usize,
    /// The vertex within the primitive of the [`Scene`](refrast_scene::Scene).
    pub vertex: usize,
}

/// Whether a candidate of this name is read as a picture.
pub(crate) fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}
