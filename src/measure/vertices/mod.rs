//! Vertex buffers on disk, and the comparison that needs nothing but two files.
//!
//! Why it exists: a picture hides which vertex is wrong and by how much. A golden vertex file carries, beside each
//! number, how far a correct backend may be from it, so that any program can check a buffer without a renderer.

mod alternative;
mod candidate;
mod columns;
mod compare;
mod csv;
mod error;
mod header;
mod layout;
mod npy;
mod numbers;
mod spaces;
mod table;
mod text;

pub use alternative::{Given, VertexAlternative};
pub use candidate::{CandidateBuffer, CandidateOptions};
pub use compare::{AttributeComparison, CandidatePlace, VertexCompareOptions, VertexComparison, WorstVertex};
pub use error::VertexFileError;
pub use layout::{Layout, ParseLayoutError};
pub use numbers::{NumberColumn, NumberTable};
pub use spaces::{ModelMatrix, Space, SpaceMatrices};

/// Which vertex of a scene a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct VertexId {
    /// The node that draws it.
    pub node: u32,
    /// The primitive within the node's mesh.
    pub primitive: u32,
    /// The vertex within the primitive's accessors.
    pub vertex: u32,
}

/// One attribute of all vertices; NaN where a vertex has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribute<const N: usize> {
    /// World space.
    pub values: Vec<[f64; N]>,
    /// How far a correct value may be from it, at least 0; infinite where nothing is claimed, `None` where the file has
    /// no bounds at all.
    pub bounds: Option<Vec<[f64; N]>>,
}

/// The vertices of a scene in a pose: one row a vertex of the file, in the order of node, primitive and vertex.
///
/// World space, metres. Normals and tangents have unit length; w of a tangent is the handedness ±1. A row's normal is
/// NaN where the file gives none (flat primitives, lines, points): such a normal belongs to a face and not to a vertex.
/// All attributes, bounds and ids have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexBuffer {
    /// Which vertex each row is; `None` where the file does not say.
    pub ids: Option<Vec<VertexId>>,
    /// Positions.
    pub position: Attribute<3>,
    /// Normals.
    pub normal: Option<Attribute<3>>,
    /// Tangents.
    pub tangent: Option<Attribute<4>>,
    /// Of a golden: what the backends are given that its bounds are for; `None` where the file does not say.
    pub given: Option<Given>,
    /// Of a golden: what is right as well, where the scene's file leaves a choice.
    pub alternatives: Vec<VertexAlternative>,
}

impl VertexBuffer {
    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.position.values.len()
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.position.values.is_empty()
    }

    /// These rows alone, which there must be.
    #[must_use]
    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        Self {
            ids: Some(rows.iter().map(|&row| self.id(row)).collect()),
            position: self.position.rows(rows),
            normal: self.normal.as_ref().map(|normal| normal.rows(rows)),
            tangent: self.tangent.as_ref().map(|tangent| tangent.rows(rows)),
            given: self.given,
            alternatives: self.alternatives.iter().map(|other| other.rows(rows)).collect(),
        }
    }
}

impl<const N: usize> Attribute<N> {
    /// Attributes without bounds.
    #[must_use]
    pub fn without_bounds(values: Vec<[f64; N]>) -> Self {
        Self { values, bounds: None }
    }

    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        let pick = |values: &Vec<[f64; N]>| rows.iter().map(|&row| values[row]).collect();
        Self { values: pick(&self.values), bounds: self.bounds.as_ref().map(pick) }
    }
}
