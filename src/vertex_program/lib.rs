//! The vertex-program machine: programs of the early 2000s, run exactly as their specifications say.
//!
//! Why it exists: skinning on the GPU began with 96 constants, one address register and 128 instructions, and the
//! programs written for that machine are still the clearest statement of what a GPU skinning path must compute. Here
//! they run again, with every register visible, so that each emulator, driver and translation can be checked.
//!
//! ```text
//! text ── assemble ──► Program ──┬── ScalarMachine (reference, trace)
//!  ▲                             ├── BatchMachine  (SIMD across vertices, same bits)
//!  └──────── format ─────────────┴── translate     (WGSL, GLSL, HLSL, ARB, VP1.1, vs_1_1)
//! ```
//!
//! Five dialects ([`Dialect`]) are assembled to one instruction set ([`Instruction`]). Arithmetic is a named choice
//! ([`NumericModel`]). The instruction set and the machines are a room of their own, [`refrast_machine`], which is compiled with all
//! optimisations; what reads and writes texts is not.
//!
//! Implemented: every instruction, limit and rule of `!!VP1.0`, `!!VP1.1`, `!!VSP1.0`, `!!ARBvp1.0` and `vs_1_1`.
//! Not implemented: NV_vertex_program2 and later (branches), matrix tracking, evaluators.
//!
//! Sources: NV_vertex_program, NV_vertex_program1_1 and ARB_vertex_program in the OpenGL registry, and Microsoft's
//! Direct3D 9 assembly reference.

mod budget;
mod error;
mod input_register;
mod library;
mod report;
mod source;
mod text;
mod translate;
mod values;

pub use budget::ConstantBudget;
pub use error::{ProgramError, Rule};
pub use input_register::{InputRegister, UnknownRegister};
pub use library::{LIBRARY, LibraryProgram};
pub use refrast_machine::{
    ATTRIBUTES, AddressRounding, AttributeArray, AttributeData, Attributes, BatchError, BatchMachine, Binding,
    COMPONENT_NAMES, CONSTANTS, ConstantFile, Declaration, Destination, DestinationRegister, Dialect, INSTRUCTIONS,
    Instruction, Mask, MissingState, NumericModel, OUTPUTS, Opcode, Output, Parameter, ParameterArray, ParameterInputs,
    Pick, Program, Registers, ScalarMachine, Select, Settings, Source, SourceRegister, Step, TEMPORARIES, UNSET,
    UnknownSetting, Usage, VertexOutputs,
};
pub use report::{CheckReport, Number, RegisterUse, RunReport, TraceLine, TraceReport, attribute_name};
pub use source::{ProgramText, ProgramTextError};
pub use text::{Assembled, LONGEST_TEXT, assemble};
pub use translate::{Target, TranslateError, format, format_instruction, translate};
pub use values::{ValueError, Values};
