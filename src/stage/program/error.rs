//! Why a program can not be the vertex stage.

use refrast_shading::ShadingMode;
use refrast_skinning::PartitionError;
use refrast_vertex_program::{BatchError, MissingState};

/// A program can not draw a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProgramStageError {
    /// It can not run over vertices.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// It reads OpenGL state that the pipeline does not have.
    #[error("{0}; the pipeline provides state.matrix.mvp, .modelview[0] and .projection, by rows")]
    State(#[from] MissingState),
    /// The palette's registers are not those of a matrix or a dual quaternion.
    #[error(
        "the program reads {rows} registers a joint through A0.x; the pipeline fills 2 (dual quaternion), 3 or 4 (rows \
         of a matrix)"
    )]
    RowsPerJoint {
        /// Registers a joint.
        rows: u8,
    },
    /// The palette lies outside of the constant file, or not even one joint fits.
    #[error("no joint fits into the program's palette: give it more constants (at most 96), or move its own below it")]
    NoRoom,
    /// A skinned mesh and a program that would move its vertices, but reads no palette.
    #[error(
        "node {node} is skinned, and the program reads weights, joints or morph targets, but no palette through A0.x: draw \
         it with a skinning program, such as bone_offset_4, or bind something else (--bind)"
    )]
    NoPalette {
        /// The node that draws the mesh.
        node: usize,
    },
    /// One face needs more joints than fit.
    #[error("the mesh of node {node} can not be drawn in sections of {joints} joints: {source}")]
    Partition {
        /// The node that draws the mesh.
        node: usize,
        /// Joints that fit.
        joints: usize,
        /// Which face, and what it needs.
        source: PartitionError,
    },
    /// A joint does more than turn and move.
    #[error(
        "joint {joint} of node {node} scales, shears or mirrors, which no dual quaternion does: use a program with three \
         registers a joint"
    )]
    NotRigid {
        /// The node that draws the mesh.
        node: usize,
        /// The joint's place in the skin.
        joint: usize,
    },
    /// A method or a normal mode was asked for.
    #[error(
        "a vertex program moves vertices and normals itself: leave the skinning method and the normal mode at their \
         defaults, or leave out the program"
    )]
    NativeSkinning,
    /// Shadows are drawn of vertices in the world.
    #[error(
        "a vertex program hands on no places in the world, so nothing can be drawn as a light sees it: leave out --shadows, or the program"
    )]
    Shadows,
    /// The combiners light, and the program says nothing of the light.
    #[error(
        "dot3 needs the vector to the light in tangent space in o[TEX1] (oT1, result.texcoord[1]), which the program does not \
         write: take bone_offset_tangent_4, or --combiners modulate"
    )]
    NoLightVector,
    /// One set of texture coordinates is to do for two textures.
    #[error(
        "material {material} has another place for its normal map than for its base colour, and a program hands on one set of \
         texture coordinates: use --combiners modulate"
    )]
    MapCoordinates {
        /// Its place in the file.
        material: usize,
    },
    /// The picture is to show something that programs do not compute.
    #[error("`{0}` needs numbers that a vertex program does not hand on; choose lambert or unlit")]
    Shading(ShadingMode),
}
