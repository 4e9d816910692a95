//! Vertex buffers as text, for spreadsheets and for people.

use std::{fmt::Write as _, path::Path};

use super::{VertexBuffer, VertexFileError, VertexId, npy::suffix};
use crate::write_whole;

/// The fields of three or four numbers each, in the order of the NPY file.
const FIELDS: [(&str, &str); 6] = [
    ("position", "xyz"),
    ("normal", "xyz"),
    ("tangent", "xyzw"),
    ("position_bound", "xyz"),
    ("normal_bound", "xyz"),
    ("tangent_bound", "xyzw"),
];

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
        let suffixes = std::iter::once(String::new()).chain(self.alternatives.iter().map(|other| suffix(&other.label)));
        let mut text = "node,primitive,vertex".to_owned();
        for suffix in suffixes {
            for (name, axes) in FIELDS {
                axes.chars().for_each(|axis| text.extend([",", name, &suffix, "_", axis.encode_utf8(&mut [0; 4])]));
            }
        }
        text.push_str(if self.given.is_some() { ",given\n" } else { "\n" });
        for row in 0..self.len() {
            let VertexId { node, primitive, vertex } = self.id(row);
            // Writing to a string does not fail.
            let _ = write!(text, "{node},{primitive},{vertex}");
            for number in self.numbers(row).flatten() {
                let _ = if number.is_nan() { write!(text, ",") } else { write!(text, ",{number}") };
            }
            let _ = self.given.map_or(Ok(()), |given| write!(text, ",{}", given.number()));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Attribute, Given, VertexAlternative},
        *,
    };

    #[test]
    fn lines_have_as_many_cells_as_the_header() {
        let buffer = VertexBuffer {
            ids: Some(vec![VertexId { node: 1, primitive: 2, vertex: 3 }]),
            position: Attribute { values: vec![[0.1, 2.0, -3.0]], bounds: Some(vec![[0.0, 0.5, f64::INFINITY]]) },
            normal: None,
            tangent: Some(Attribute::without_bounds(vec![[1.0, 0.0, 0.0, -1.0]])),
            ..VertexBuffer::default()
        };
        let text = buffer.to_csv();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].split(',').count(), 23);
        // 0.1 is rounded to f32, and its bound says so: |0.1f32 − 0.1| = 1.49e-9.
        assert!(lines[1].starts_with("1,2,3,0.1,2,-3,,,,1,0,0,-1,0.00000000149"), "{text}");
        assert!(lines[1].ends_with(",0.5,inf,,,,,,,"), "{text}");
        let other = VertexAlternative {
            label: "keys-unit".to_owned(),
            position: buffer.position.clone(),
            ..Default::default()
        };
        let text = VertexBuffer { given: Some(Given::File), alternatives: vec![other], ..buffer }.to_csv();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!((lines[0].len(), lines[1].len()), (23 + 20 + 1, 23 + 20 + 1));
        assert_eq!((lines[0][23], lines[1][24], lines[1][43]), ("position@keys-unit_x", "2", "1"));
    }
}
