//! What only the reference can know: how far a correct backend may be from the exact result, and which mistake
//! explains a wrong one.
//!
//! Why it exists: a tolerance that somebody chose either lets faults through or cries wolf. Here the scene itself and
//! the theory of rounding errors decide, so that a correct backend can not fail and a wrong one does.

pub mod cases;
pub mod diagnose;
pub mod envelope;
mod fault;
pub mod fault_table;
mod profile;
pub mod showcase;
pub mod simulator;
pub mod vertex;

pub use fault::{Fault, Section, UnknownFaultError};
pub use profile::{Freedoms, Profile, ScaleFactor, StatedBits, UnknownProfileError};
