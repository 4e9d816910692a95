//! How far a vertex buffer may be from the exact one, and how far it is.
//!
//! [`VertexInputs`] is what a backend is given, [`exact_vertices`] what must come out, with a bound for each component
//! that [`Bounded`] derives. [`scene_vertices`] does that for a whole scene, row by row as a vertex file has it, and
//! [`compare_vertices`] holds a backend's buffer against it.

mod compare;
mod exact;
mod inputs;
mod motion;
mod posed;
mod scene;
mod survey;
mod vectors;

pub use compare::{Influence, VertexReport, WorstInfluences, compare_vertices};
pub use exact::{ExactVertices, exact_vertices};
pub use inputs::{ExactError, JointMatrices, VertexInputs};
pub use posed::posed_glb;
pub use refrast_range::{Bounded, Rounding};
pub use scene::{SceneVertexError, VertexSettings, first_vertices, scene_vertices};
pub use survey::{Distances, MethodError, method_errors};
