//! [`ProgramDraw`]: a draw as a backend with vertex programs makes it.
//!
//! Why it exists: a backend that runs a program on another machine needs the registers that the reference fills, section
//! by section. With them its pictures can be held against the reference's envelope, and nothing but the machine and what
//! comes after it differs.

use refrast_draw::{DrawState, PrimitiveTopology};
use refrast_scene::Primitive;
use refrast_vertex_program::ConstantFile;

/// Registers, faces and switches of one draw of the last frame.
#[derive(Debug)]
pub struct ProgramDraw<'a> {
    /// The node whose mesh is drawn: an index into [`Scene::nodes`](refrast_scene::Scene::nodes).
    pub node: usize,
    /// What is drawn, in one section or several.
    pub primitive: &'a Primitive,
    /// The constants, the palette of this section among them.
    pub constants: &'a ConstantFile,
    /// The attribute registers that are filled, each with a row a vertex. The others are (0, 0, 0, 1).
    pub attributes: Vec<(u8, &'a [[f32; 4]])>,
    /// What [`Combiners::Dot3`](super::Combiners) adds as ambient light × base colour; `None` behind a program that lights its vertices.
    pub ambient: Option<[f32; 3]>,
    /// What the indices form.
    pub topology: PrimitiveTopology,
    /// The faces, by the rows of `attributes`.
    pub indices: &'a [u32],
    /// The switches.
    pub state: DrawState,
}
