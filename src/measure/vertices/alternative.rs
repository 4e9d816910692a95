//! What a golden vertex file is for, and the other results that are right as well.

use refrast_words::words;

use super::{Attribute, VertexBuffer};

words! {
    /// What a backend is given, and so what its bounds have room for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Given: "given" = File {
        /// The glTF file: it samples, composes and multiplies itself.
        File = "file",
        /// The joint matrices and morph weights that refrast has, as from a pack.
        Palette = "palette",
    }
}

impl Given {
    /// As vertex files have it.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Palette => 0,
            Self::File => 1,
        }
    }

    /// The reverse; `None` for any other number.
    pub(super) fn of_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|given| given.number() == number)
    }
}

/// Vertices that are right as well, by another choice where the file leaves one: all of a buffer's vertices must follow the
/// same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexAlternative {
    /// Which choice it is, without spaces and commas: it is part of names in files (`position@LABEL`).
    pub label: String,
    /// Positions.
    pub position: Attribute<3>,
    /// Normals.
    pub normal: Option<Attribute<3>>,
    /// Tangents.
    pub tangent: Option<Attribute<4>>,
}

impl VertexAlternative {
    /// These rows alone.
    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        Self {
            label: self.label.clone(),
            position: self.position.rows(rows),
            normal: self.normal.as_ref().map(|normal| normal.rows(rows)),
            tangent: self.tangent.as_ref().map(|tangent| tangent.rows(rows)),
        }
    }

    /// It alone as a golden, in place of the one whose alternative it is.
    pub(super) fn alone(&self, of: &VertexBuffer) -> VertexBuffer {
        let Self { position, normal, tangent, .. } = self.clone();
        VertexBuffer { ids: of.ids.clone(), position, normal, tangent, given: of.given, alternatives: Vec::new() }
    }
}
