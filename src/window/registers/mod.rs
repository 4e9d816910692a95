//! The register view: a vertex program, stepped through for the vertex that was clicked.
//!
//! Why it exists: what a program of 2001 computes is in registers, one instruction after the other, and a vertex is
//! wrong because one of them is. What stands here was not gathered for the debugger: it is what the frame was made of
//! ([`ProgramVertex`](refrast_stage::program::ProgramVertex)), run again by the scalar machine, which is the batch
//! machine bit for bit.
//!
//! [`ProgramView`] is what a person sets (and a part of the [`State`](super::State)), [`ProgramSource`] the program that
//! it names, [`RegisterView`] what there is to see at the instruction it stands at.

mod breaks;
mod source;
mod trace;
mod view;

pub use self::{
    breaks::{Break, Breaks, ParseBreakError},
    view::ProgramView,
};
pub(super) use self::{
    source::{ProgramKey, ProgramSource},
    trace::{Cell, Current, Operand, RegisterView, name as cell_name},
    view::Stepping,
};
