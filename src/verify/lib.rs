//! What only the reference can know: how far a correct backend may be from the exact result, and which mistake
//! explains a wrong one.
//!
//! Why it exists: a tolerance that somebody chose either lets faults through or cries wolf. Here the scene itself and
//! the theory of rounding errors decide, so that a correct backend can not fail and a wrong one does.
//!
//! What is right comes from [`envelope`] and [`vertex`], what can be wrong from [`simulator`]; this room asks them what its
//! users ask: is it right ([`check`]), keep goldens ([`cases`]), other options under which it is right ([`setup`]), name a
//! mistake ([`diagnose`]), show what each check catches ([`fault_table`]).

mod appeal;
pub mod cases;
mod causes;
pub mod check;
pub mod diagnose;
pub mod fault_table;
pub mod setup;
pub mod showcase;
mod spaces;

pub use refrast_envelope as envelope;
pub use refrast_envelope::vertex;
pub use refrast_range::{
    Blend, Declared, Diffuse, Dither, Encode, Freedoms, Jpeg, Mips, NormalMaps, Profile, Resolve, Rules, ScaleFactor,
    StatedBits, Tangents, UnknownProfileError, UnknownRulesError,
};
pub use refrast_simulator as simulator;
pub use refrast_simulator::{Fault, Section, UnknownFaultError};
pub use spaces::space_matrices;
