//! The vertex-program machine of 2001: what a program is when nobody reads its text any more, and what runs it.
//!
//! Why it exists: all that a frame with a vertex program waits for is here and is compiled with all optimisations; texts, translations
//! and reports are the room `vertex_program` above, which hands on all of this one.
//!
//! [`ScalarMachine`] is the reference, which shows every register after every step; [`BatchMachine`] runs a draw's vertices with the
//! same bits, SIMD across vertices. Arithmetic is a named choice ([`NumericModel`]).
//!
//! Sources: NV_vertex_program, NV_vertex_program1_1 and ARB_vertex_program in the OpenGL registry, and Microsoft's
//! Direct3D 9 assembly reference.

mod arithmetic;
mod batch;
mod instruction;
mod program;
mod scalar;

pub use arithmetic::{AddressRounding, NumericModel, UnknownSetting};
pub use batch::{AttributeArray, AttributeData, BatchError, BatchMachine, VertexOutputs};
pub use instruction::{
    ATTRIBUTES, COMPONENT_NAMES, CONSTANTS, Destination, DestinationRegister, INSTRUCTIONS, Instruction, Mask, OUTPUTS,
    Opcode, Output, Pick, Select, Source, SourceRegister, TEMPORARIES,
};
pub use program::{
    Binding, ConstantFile, Declaration, Dialect, MissingState, Parameter, ParameterArray, ParameterInputs, Program,
    Usage,
};
pub use scalar::{Attributes, Registers, ScalarMachine, Settings, Step, UNSET};
