//! Programs in other languages, and in their own canonical spelling.
//!
//! The assembly targets keep the program's arithmetic. The shading languages compute as the GPU does, which is the
//! `ieee` model within the freedoms that a GPU has; the rules of `nv-spec` (0 · ∞ = 0) are not imitated there.

mod assembly;
mod lower;
mod shading_language;

pub(super) use assembly::BindingText;
pub use assembly::{format, format_instruction};

use refrast_words::words;

use super::text::assemble;
use refrast_machine::{Dialect, Program};

words! {
    /// The languages that programs can be translated to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Target: "target language" {
        /// WGSL, for WebGPU.
        Wgsl = "wgsl",
        /// GLSL 3.30.
        Glsl = "glsl",
        /// HLSL, in the form that Direct3D 9's compiler takes (`vs_2_0` and up).
        Hlsl = "hlsl",
        /// `!!ARBvp1.0`.
        Arb = "arb",
        /// `!!VP1.0`.
        Vp10 = "vp1.0",
        /// `!!VP1.1`.
        Vp11 = "vp1.1",
        /// `vs_1_1`.
        Vs11 = "vs_1_1",
    }
}

/// Why a program can not be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslateError {
    /// A state program writes constants, which no other language's vertex program can.
    #[error("a state program (!!VSP1.0) has no counterpart in the target: run it, and pass on the constants it wrote")]
    StateProgram,
    /// `vs_1_1` has no position-invariant programs.
    #[error("the target has no position-invariant programs: compute the position in the program")]
    PositionInvariant,
    /// The program is bound to OpenGL state.
    #[error("the target has no OpenGL state, and the program is bound to {0}: bind program.env instead")]
    State(String),
    /// An instruction has no counterpart.
    #[error("instruction {number} ({opcode}) can not be written for {dialect}: {reason}")]
    Instruction {
        /// Which instruction, from 1.
        number: usize,
        /// Its name.
        opcode: &'static str,
        /// The dialect.
        dialect: Dialect,
        /// What is missing.
        reason: String,
    },
    /// The translation breaks a rule of its own dialect.
    #[error("the translation is no valid program: {0}")]
    Invalid(String),
}

/// Translates a program.
///
/// # Errors
///
/// When the target lacks what the program needs, or a limit of the target is exceeded.
pub fn translate(program: &Program, target: Target) -> Result<String, TranslateError> {
    let dialect = match target {
        Target::Wgsl | Target::Glsl | Target::Hlsl => return shading_language::translate(program, target),
        Target::Arb => Dialect::Arb10,
        Target::Vp10 if program.position_invariant => Dialect::Vp11,
        Target::Vp10 => Dialect::Vp10,
        Target::Vp11 => Dialect::Vp11,
        Target::Vs11 => Dialect::Vs11,
    };
    let text = format(&lower::lower(program, dialect)?);
    match assemble(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(TranslateError::Invalid(error.to_string())),
    }
}
