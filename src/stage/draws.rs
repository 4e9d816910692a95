//! What the last frame is made of: its draws, their vertices, and what a vertex program made of each vertex.
//!
//! Why it is apart: a frame is drawn from these, and whoever proves a picture or shows its numbers asks for the same.

use super::{
    FrameStage,
    draw_state::{draw_state, topology},
    program::{ProgramDraw, ProgramResult, ProgramVertex, results},
    vertex_stage::PrimitiveStage,
};
use refrast_draw::{AlphaMode, DrawState, PrimitiveTopology, VertexStream};
use refrast_scene::Primitive;
use refrast_shading::{FixedFunctionShader, VaryingLayout};

/// The vertices of a draw.
#[derive(Clone, Copy, Debug)]
pub struct DrawnVertices<'a> {
    /// The node that draws them.
    pub node: usize,
    /// The primitive that they belong to.
    pub primitive: &'a Primitive,
    /// For each vertex that of the primitive, where a mesh is drawn in sections; `None` where they are the same.
    pub source_vertices: Option<&'a [u32]>,
    /// Clip-space positions and varyings.
    pub stream: &'a VertexStream,
}

/// A draw of the last frame, with everything that decides its pixels.
pub struct FrameDraw<'a> {
    /// Which drawn primitive it is, or is a section of.
    pub stage: usize,
    /// What the vertex stage made.
    pub vertices: DrawnVertices<'a>,
    /// What the indices make of them.
    pub topology: PrimitiveTopology,
    /// Into the vertices.
    pub indices: &'a [u32],
    /// Depth test, culling, blending.
    pub state: DrawState,
    /// What colours them.
    pub coloring: Coloring<'a>,
}

/// What colours the fragments of a draw.
pub enum Coloring<'a> {
    /// The shading model, from rows with this layout.
    Material(&'a VaryingLayout),
    /// The fixed stage behind a vertex program.
    FixedFunction(FixedFunctionShader<'a>),
}

impl FrameStage<'_> {
    /// The vertices of the last frame, in the order in which they were drawn.
    pub fn drawn_vertices(&self) -> impl Iterator<Item = DrawnVertices<'_>> {
        let native = self.stages.iter().filter(|_| self.program.is_none()).map(|stage| DrawnVertices {
            node: stage.node,
            primitive: stage.primitive,
            source_vertices: None,
            stream: &stage.stream,
        });
        let programs = self.program.iter().flat_map(|(programs, _)| self.stages.iter().zip(programs));
        native.chain(programs.flat_map(|(stage, own)| {
            own.draws().map(|section| DrawnVertices {
                node: stage.node,
                primitive: stage.primitive,
                source_vertices: Some(section.source_vertices()),
                stream: &section.stream,
            })
        }))
    }

    /// The draws of the last frame as a backend with vertex programs makes them, in order; none without a vertex program.
    /// Blended ones are drawn after all others.
    pub fn program_draws(&self) -> impl Iterator<Item = ProgramDraw<'_>> {
        let programs = self.program.iter().flat_map(|(programs, _)| self.stages.iter().zip(programs));
        programs.flat_map(move |(stage, own)| {
            own.draws().map(move |section| ProgramDraw {
                node: stage.node,
                primitive: stage.primitive,
                constants: section.constants(),
                attributes: section.attributes(),
                ambient: own.combined_ambient(),
                topology: topology(stage.primitive.topology),
                indices: section.indices(),
                state: self.draw_state(stage),
            })
        })
    }

    /// What the vertex program of the last frame made of each vertex, in the order of node, primitive and vertex of the file;
    /// nothing without a program. Vertices that no face uses are not there.
    pub fn program_results(&self) -> impl Iterator<Item = ProgramResult> {
        let programs = self.program.iter().flat_map(|(programs, _)| self.stages.iter().zip(programs));
        programs.flat_map(|(stage, own)| {
            let mesh = self.scene.nodes[stage.node].mesh.map(|mesh| &self.scene.meshes[mesh]);
            let mut primitives = mesh.into_iter().flat_map(|mesh| &mesh.primitives);
            let primitive = primitives.position(|primitive| std::ptr::eq(primitive, stage.primitive));
            results(own, stage.node, primitive.unwrap_or(0))
        })
    }

    /// A vertex of a node's primitive with all registers as the vertex program of the last frame got them; `None` without
    /// a program, and where nothing draws such a vertex.
    #[must_use]
    pub fn program_vertex(&self, node: usize, primitive: usize, vertex: usize) -> Option<ProgramVertex<'_>> {
        let (programs, settings) = self.program.as_ref()?;
        let primitive = self.scene.meshes[self.scene.nodes.get(node)?.mesh?].primitives.get(primitive)?;
        let place =
            self.stages.iter().position(|stage| stage.node == node && std::ptr::eq(stage.primitive, primitive))?;
        ProgramVertex::of(programs.get(place)?, settings, vertex)
    }

    /// The draws of the last frame, in order.
    pub fn frame_draws(&self) -> impl Iterator<Item = FrameDraw<'_>> {
        let sections = self.program.iter().flat_map(|(programs, _)| self.stages.iter().zip(programs).enumerate());
        let native = self.stages.iter().enumerate().filter(|_| self.program.is_none()).map(|(number, stage)| {
            let (indices, coloring) = (stage.primitive.indices.as_slice(), Coloring::Material(&stage.layout));
            (number, stage, indices, coloring)
        });
        let programs = sections.flat_map(move |(number, (stage, own))| {
            let blended = self.draw_state(stage).alpha == AlphaMode::Blend;
            own.draws().map(move |section| {
                let shader = own.shader(self.scene, stage, &self.textures, blended);
                (number, stage, section.indices(), Coloring::FixedFunction(shader))
            })
        });
        let vertices = self.drawn_vertices();
        native.chain(programs).zip(vertices).map(|((number, stage, indices, coloring), vertices)| FrameDraw {
            stage: number,
            vertices,
            topology: topology(stage.primitive.topology),
            indices,
            state: self.draw_state(stage),
            coloring,
        })
    }

    fn draw_state(&self, stage: &PrimitiveStage<'_>) -> DrawState {
        let material = &self.scene.materials[stage.primitive.material];
        draw_state(material, stage.deformed.mirrored(), self.settings.shading)
    }
}
