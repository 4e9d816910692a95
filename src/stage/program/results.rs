//! [`ProgramResult`]: what a program made of each vertex of a scene.
//!
//! Why it exists: a mesh may be drawn in sections, each with its own copy of a vertex, and a list in the order of the file is
//! what can be put beside other lists.

use super::{combiners::color_and_texcoord, stage::ProgramStage};

/// The results of a vertex program for one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramResult {
    /// The node that draws it.
    pub node: usize,
    /// The primitive within the node's mesh.
    pub primitive: usize,
    /// The vertex within the primitive.
    pub vertex: usize,
    /// `o[HPOS]`, in clip space.
    pub position: [f32; 4],
    /// `o[COL0]`, clamped to [0, 1] where the machine clamps colours.
    pub color: [f32; 4],
    /// `o[TEX0]`.
    pub texcoord: [f32; 4],
}

/// The results for a primitive, by vertex. What several sections have is the same in all of them; vertices that no face uses
/// are in none.
pub(crate) fn results(stage: &ProgramStage, node: usize, primitive: usize) -> Vec<ProgramResult> {
    let mut results: Vec<ProgramResult> = Vec::new();
    for draw in stage.draws() {
        for (own, &vertex) in draw.source_vertices().iter().enumerate().take(draw.stream.len()) {
            let [color, texcoord] = color_and_texcoord(&draw.stream, own);
            let (vertex, position) = (vertex as usize, draw.stream.position(own));
            results.push(ProgramResult { node, primitive, vertex, position, color, texcoord });
        }
    }
    results.sort_by_key(|result| result.vertex);
    results.dedup_by_key(|result| result.vertex);
    results
}
