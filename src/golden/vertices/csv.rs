//! Vertex buffers as text, for spreadsheets and for people.

use std::{fmt::Write as _, path::Path};

use super::{VertexBuffer, VertexFileError, VertexId, npy::rounded};
use crate::write_whole;

const HEADER: &str = "node,primitive,vertex,\
    position_x,position_y,position_z,normal_x,normal_y,normal_z,tangent_x,tangent_y,tangent_z,tangent_w,\
    position_bound_x,position_bound_y,position_bound_z,normal_bound_x,normal_bound_y,normal_bound_z,\
    tangent_bound_x,tangent_bound_y,tangent_bound_z,tangent_bound_w\n";

impl VertexBuffer {
    /// Writes the buffer as CSV with a header line: the numbers of the NPY file, each with the digits that give the
    /// same f32 back. What a vertex lacks is an empty cell; a bound that claims nothing is `inf`.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write_csv(&self, path: &Path) -> Result<(), VertexFileError> {
        let written = write_whole(path, self.to_csv().as_bytes());
        written.map_err(|source| VertexFileError::Write { path: path.to_owned(), source })
    }

    pub(super) fn to_csv(&self) -> String {
        let mut text = HEADER.to_owned();
        for row in 0..self.len() {
            let VertexId { node, primitive, vertex } = self.id(row);
            let (position, position_bound) = rounded(Some(&self.position), row);
            let (normal, normal_bound) = rounded(self.normal.as_ref(), row);
            let (tangent, tangent_bound) = rounded(self.tangent.as_ref(), row);
            let numbers = (position.iter().chain(&normal).chain(&tangent))
                .chain(&position_bound)
                .chain(&normal_bound)
                .chain(&tangent_bound);
            // Writing to a string does not fail.
            let _ = write!(text, "{node},{primitive},{vertex}");
            for number in numbers {
                let _ = if number.is_nan() { write!(text, ",") } else { write!(text, ",{number}") };
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Attribute, *};

    #[test]
    fn lines_have_as_many_cells_as_the_header() {
        let buffer = VertexBuffer {
            ids: Some(vec![VertexId { node: 1, primitive: 2, vertex: 3 }]),
            position: Attribute { values: vec![[0.1, 2.0, -3.0]], bounds: Some(vec![[0.0, 0.5, f64::INFINITY]]) },
            normal: None,
            tangent: Some(Attribute::without_bounds(vec![[1.0, 0.0, 0.0, -1.0]])),
        };
        let text = buffer.to_csv();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].split(',').count(), 23);
        // 0.1 is rounded to f32, and its bound says so: |0.1f32 − 0.1| = 1.49e-9.
        assert!(lines[1].starts_with("1,2,3,0.1,2,-3,,,,1,0,0,-1,0.00000000149"), "{text}");
        assert!(lines[1].ends_with(",0.5,inf,,,,,,,"), "{text}");
    }
}
