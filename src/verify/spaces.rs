//! [`space_matrices`]: what leads from where the golden's vertices are to where a backend has its own.
//!
//! Why it exists: the golden room takes vertices from space to space and knows no scene; here are the matrices of one.

use refrast_animation::Pose;
use refrast_golden::{ModelMatrix, SpaceMatrices};
use refrast_scene::Scene;
use refrast_stage::Camera;

/// The matrices from the spaces of a pose's nodes to world space, and from there to a camera's view and clip space.
#[must_use]
pub fn space_matrices(scene: &Scene, pose: &Pose, camera: &Camera) -> SpaceMatrices {
    let drawn = scene.drawn.iter().filter(|node| scene.nodes[**node].mesh.is_some());
    let model = |&node: &usize| ModelMatrix { node: node as u32, world: pose.worlds[node].to_cols_array() };
    SpaceMatrices {
        convention: Some(camera.convention.to_string()),
        view: Some(camera.view.to_cols_array()),
        projection: Some(camera.projection.to_cols_array()),
        models: drawn.map(model).collect(),
    }
}
