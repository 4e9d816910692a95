//! Vertex programs as the vertex stage: a scene's numbers in the registers that a program reads.
//!
//! Why it exists: a program of 2001 knows registers, a glTF file knows attributes, joints and materials. What goes where
//! is a table ([`Bindings`]). The rest of the pipeline gets a [`VertexStream`](refrast_draw::VertexStream) as from
//! native skinning.
//!
//! | register | dialects | default source |
//! |---|---|---|
//! | `v[OPOS]` `vertex.attrib[0]` `dcl_position` | all | `position`, w = 1 |
//! | `v[WGHT]` `vertex.attrib[1]` `dcl_blendweight` | all | `weights` |
//! | `v[NRML]` `vertex.attrib[2]` `dcl_normal` | all | `normal` |
//! | `v[COL0]` `vertex.attrib[3]` `dcl_color` | all | `color`, white where the file has none |
//! | `v[6]` `vertex.attrib[6]` `dcl_blendindices` | all | `rows`: joint in the draw's palette × registers a joint |
//! | `v[TEX0]` `vertex.attrib[8]` `dcl_texcoord` | all | `texcoord`, of the base colour texture, transformed |
//! | `v[TEX1]` `vertex.attrib[9]` `dcl_texcoord1` `dcl_tangent` | all | `tangent`, w is the handedness |
//! | `v[TEX2]` `vertex.attrib[10]` `dcl_texcoord2` `dcl_binormal` | all | `bitangent` |
//! | `c[0..3]` `program.env[0..3]` | all | `mvp`: palette space → clip space, by rows |
//! | `c[4]` | all | `light`: unit vector to the light in the palette's space |
//! | `c[5]` | all | `diffuse`: light × base colour; w is its alpha |
//! | `c[6]` | all | `ambient`: ambient light × base colour |
//! | `c[7]` | all | (0, 1, 0.5, 2) |
//! | the registers of [`ConstantBudget`](refrast_vertex_program::ConstantBudget) | all | the palette |
//!
//! With `vs_1_1`, declarations say which register has which usage; without them the numbers of the table hold. Two more
//! tables ([`Preset`]) fit programs that store a vertex once for each joint, and programs that blend morph targets; one more fits
//! programs that light in tangent space: `eye` in `c[8]` and `specular`, the colour of highlights, in `c[9]`.
//!
//! A joint takes four or three registers (its matrix by rows) or two (a unit dual quaternion). A mesh without a skin has a
//! palette of one joint, its node. A program that reads neither palette nor weights gets such meshes in their own space, and
//! meshes with a skin in world space, as linear skinning has moved them before the program runs. Meshes with more joints than fit are drawn in sections, in the order of their faces. Morph targets are blended
//! before the program, unless its table binds them.
//!
//! The light is the file's first directional light, else the headlight. After the program colours are clamped to
//! [0, 1]; a fragment is COL0 times the base colour texture at TEX0, or what register combiners make of it ([`Combiners`]). Back colours, fog, point size, emission and
//! further lights are not used.

mod bindings;
mod choice;
mod combiners;
mod constant_override;
mod constants;
mod draw;
mod error;
mod inputs;
mod results;
mod sections;
mod stage;
mod vertex;

use std::collections::BTreeMap;

pub use self::{
    bindings::{AttributeSource, Bindings, ConstantSource, ParseBindingError, Preset},
    choice::{ProgramChoice, ProgramChoiceError},
    combiners::Combiners,
    constant_override::{ConstantOverride, ParseConstantError},
    draw::ProgramDraw,
    error::ProgramStageError,
    results::ProgramResult,
    vertex::{ConstantRole, ProgramVertex},
};
pub(super) use self::{constants::DrawSpace, results::results, stage::ProgramStage};
use refrast_vertex_program::{CONSTANTS, Program};

/// A program as the vertex stage, and how it is fed.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// The program.
    pub program: Program,
    /// What goes into its registers.
    pub bindings: Bindings,
    /// What colours the fragments.
    pub combiners: Combiners,
    /// How the machine computes. The modelview-projection matrix in it is replaced by each draw's.
    pub machine: refrast_vertex_program::Settings,
    /// Registers of the constant file that the palette may use, 1 to 96.
    pub constants: u8,
    /// Registers of the constant file that hold these values in every draw and section, whatever else belongs there. For
    /// ARB programs they are the registers that its parameters were given, as `refrast program format` shows them.
    pub overrides: BTreeMap<u8, [f32; 4]>,
}

impl ProgramSettings {
    /// A program with the default bindings, numeric model and all 96 constants.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self {
            program,
            bindings: Bindings::default(),
            combiners: Combiners::default(),
            machine: refrast_vertex_program::Settings::default(),
            constants: CONSTANTS as u8,
            overrides: BTreeMap::new(),
        }
    }
}
