//! Why a frame can not be rendered.

use super::{CameraError, program::ProgramStageError};
use refrast_animation::PoseError;
use refrast_draw::{Convention, RasterError};
use refrast_scene::{InvalidSceneError, Scene};
use refrast_shading::{AmbientError, ShadowPlanError, TextureError};
use refrast_skinning::SkinningError;

/// A frame can not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The settings or a draw are out of range.
    #[error(transparent)]
    Raster(#[from] RasterError),
    /// A texture can not be used.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// Shadows can not be made.
    #[error(transparent)]
    Shadows(#[from] ShadowPlanError),
    /// There is no such ambient light.
    #[error(transparent)]
    Ambient(#[from] AmbientError),
    /// There are no frusta to be shown.
    #[error(
        "there are no splits and no boxes of lights to show: add --shadows cascades:N or spot, in a mode with shadows, without a program"
    )]
    NoFrusta,
    /// A primitive can not be deformed.
    #[error("{place}: {source}")]
    Skinning {
        /// The node that draws it, and the joint that is in the way.
        place: String,
        /// Why.
        source: SkinningError,
    },
    /// A vertex program can not draw the scene.
    #[error(transparent)]
    Program(#[from] ProgramStageError),
    /// There is no such pose.
    #[error(transparent)]
    Animation(#[from] PoseError),
    /// The scene contradicts itself.
    #[error(transparent)]
    Scene(#[from] InvalidSceneError),
    /// The pose is of another scene.
    #[error("the pose has {pose} nodes, the scene {scene}: make the pose from the scene that is rendered")]
    Pose {
        /// Nodes of the pose, by its world transforms or its morph weights: whichever does not fit.
        pose: usize,
        /// Nodes of the scene.
        scene: usize,
    },
    /// A light is nowhere.
    #[error("{place}: the world transform of the node that has the light is not finite: the pose is broken")]
    LightNotFinite {
        /// The node.
        place: String,
    },
    /// No picture can be made with the camera.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// Vertices that f32 does not hold.
    #[error(
        "{place}: {count} of its vertices are beyond f32 {space}: the numbers that place them are too large, or none; look for \
         a huge scale on the way from the root, or scale the scene down"
    )]
    OutOfRange {
        /// The node that draws them.
        place: String,
        /// How many.
        count: usize,
        /// `in the world`, `before the camera` or `before a light`.
        space: &'static str,
    },
    /// The camera's clip space is not the frame's.
    #[error("the camera is for the `{camera}` convention, the frame for `{frame}`: make both for the same")]
    Convention {
        /// The camera's.
        camera: Convention,
        /// The frame's.
        frame: Convention,
    },
    /// The threads can not be started.
    #[error("can not start the threads: {0}")]
    Threads(#[source] rayon::ThreadPoolBuildError),
}

impl RenderError {
    /// What is wrong with the deformation of what a node draws.
    pub fn skinning(scene: &Scene, node: usize, source: SkinningError) -> Self {
        Self::Skinning { place: scene.place(node, source.joint()), source }
    }
}
