//! How far a vertex buffer may be from the exact one, and how far it is.
//!
//! [`VertexInputs`] is what a backend is given, [`exact_vertices`] what must come out, with a bound for each component
//! that [`Bounded`] derives. [`scene_vertices`] does that for a whole scene, row by row as a vertex file has it, and
//! [`compare_vertices`] holds a backend's buffer against it. That is for backends that are given the palette; for those that read
//! the file there is [`file_vertices`], whose bounds have room for the whole chain (a [`ChainPose`]).

mod chain;
mod compare;
mod exact;
mod inputs;
mod motion;
mod placement;
mod posed;
mod scene;
mod survey;
mod vectors;

pub use chain::{Chain, ChainPose, Conventions, KeyRotations, NodeRotations, StepKeys};
pub use compare::{Influence, VertexReport, WorstInfluences, compare_vertices};
pub use exact::{ExactVertices, exact_vertices, file_vertices_of};
pub use inputs::{ExactError, JointMatrices, VertexInputs};
pub use posed::posed_glb;
pub use refrast_range::{Bounded, Rounding};
pub use scene::{FileVertexError, SceneVertexError, VertexSettings, file_vertices, first_vertices, scene_vertices};
pub use survey::{Distances, MethodError, method_errors};
