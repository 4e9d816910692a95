//! Vertex buffers as NPY files: a structured array that numpy, and a reader for it in any language, opens as it is.

use std::path::Path;

use super::{
    Attribute, CandidateBuffer, Given, VertexAlternative, VertexBuffer, VertexFileError, VertexId,
    candidate::WANTED,
    columns::Rows,
    header::{Header, MAGIC},
};
use crate::files::{LARGEST_FILE, ReadError, read_signed, write_whole};

/// The indices of a row as they are written, without padding.
const INDICES: [(&str, &str, usize); 3] = [("node", "<u4", 1), ("primitive", "<u4", 1), ("vertex", "<u4", 1)];

/// What a golden's bounds are for, where it is known: the same number in each row, since an NPY file has no other place
/// for it.
const GIVEN: (&str, &str, usize) = ("given", "<u4", 1);

/// The numbers of a row; those of an alternative are called `position@LABEL` and so on.
const NUMBERS: [(&str, &str, usize); 6] = [
    ("position", "<f4", 3),
    ("normal", "<f4", 3),
    ("tangent", "<f4", 4),
    ("position_bound", "<f4", 3),
    ("normal_bound", "<f4", 3),
    ("tangent_bound", "<f4", 4),
];

impl VertexBuffer {
    /// Writes the buffer with all fields: ids (0, 0 and the row where there are none), values rounded to f32, and bounds
    /// that make up for that rounding. What a buffer lacks is NaN; a bound that claims nothing is infinite.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write_npy(&self, path: &Path) -> Result<(), VertexFileError> {
        write_whole(path, &self.to_npy()).map_err(|source| VertexFileError::Write { path: path.to_owned(), source })
    }

    /// The bytes of [`write_npy`](Self::write_npy).
    #[must_use]
    pub fn to_npy(&self) -> Vec<u8> {
        let named = |suffix: &str, fields: &[(&str, &'static str, usize)]| -> Vec<_> {
            fields.iter().map(|&(name, number, count)| (format!("{name}{suffix}"), number, count)).collect()
        };
        let mut fields = [named("", &INDICES), named("", &NUMBERS)].concat();
        for alternative in &self.alternatives {
            fields.extend(named(&suffix(&alternative.label), &NUMBERS));
        }
        fields.extend(named("", self.given.map_or(&[][..], |_| &[GIVEN])));
        let mut bytes = Header::write(&fields, self.len());
        // Three indices, 20 numbers of each alternative and what the vertices come from; a buffer that grows by doubling would be
        // held twice.
        bytes.reserve_exact(4 * self.len() * (3 + 20 * (1 + self.alternatives.len()) + 1));
        for row in 0..self.len() {
            let VertexId { node, primitive, vertex } = self.id(row);
            bytes.extend([node, primitive, vertex].into_iter().flat_map(u32::to_le_bytes));
            for numbers in self.numbers(row) {
                bytes.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
            }
            bytes.extend(self.given.map(Given::number).into_iter().flat_map(u32::to_le_bytes));
        }
        bytes
    }

    /// The numbers of a row as they are written: the buffer's own, then each alternative's.
    pub(super) fn numbers(&self, row: usize) -> impl Iterator<Item = [f32; 20]> + '_ {
        let own = (&self.position, self.normal.as_ref(), self.tangent.as_ref());
        let others =
            self.alternatives.iter().map(|other| (&other.position, other.normal.as_ref(), other.tangent.as_ref()));
        std::iter::once(own).chain(others).map(move |(position, normal, tangent)| {
            let (position, position_bound) = rounded(Some(position), row);
            let (normal, normal_bound) = rounded(normal, row);
            let (tangent, tangent_bound) = rounded(tangent, row);
            let mut numbers = [0.0; 20];
            let vectors: [&[f32]; 6] = [&position, &normal, &tangent, &position_bound, &normal_bound, &tangent_bound];
            numbers.iter_mut().zip(vectors.into_iter().flatten()).for_each(|(to, from)| *to = *from);
            numbers
        })
    }

    /// Which vertex a row is; where the buffer does not say, the vertex of that number in the first primitive.
    pub(super) fn id(&self, row: usize) -> VertexId {
        let unknown = VertexId { node: 0, primitive: 0, vertex: row as u32 };
        self.ids.as_ref().map_or(unknown, |ids| ids[row])
    }

    /// Reads positions, or a structured array with at least the field `position`: fields may have any order, byte order and
    /// width, and others beside them are not looked at.
    ///
    /// # Errors
    /// [`VertexFileError`] names the file, the field and what is wrong with it.
    pub fn read_npy(path: &Path) -> Result<Self, VertexFileError> {
        Self::from_npy(&read_array(path)?, path)
    }

    /// As [`read_npy`](Self::read_npy), from bytes; `path` stands for the file in messages.
    ///
    /// # Errors
    /// As [`read_npy`](Self::read_npy).
    pub fn from_npy(bytes: &[u8], path: &Path) -> Result<Self, VertexFileError> {
        CandidateBuffer::from_npy(bytes, path)?.points(path)
    }

    /// The buffer, and the fourth number of positions that have one.
    pub(super) fn from_rows(rows: &Rows<'_>, path: &Path) -> Result<(Self, Option<Vec<f64>>), VertexFileError> {
        let wrong = |(field, reason)| VertexFileError::Field { path: path.to_owned(), field, reason };
        let (position, w) = rows.position().map_err(wrong)?;
        let absent = || {
            let names: Vec<&str> = rows.fields.iter().map(|field| field.name.as_str()).collect();
            wrong(("position", format!("it is missing; there are: {}; {WANTED}", names.join(", "))))
        };
        let index = |name| rows.indices(name).map_err(|reason| wrong((name, reason)));
        let ids = match (index("node")?, index("primitive")?, index("vertex")?) {
            (Some(nodes), Some(primitives), Some(vertices)) => Some(
                (nodes.into_iter().zip(primitives).zip(vertices))
                    .map(|((node, primitive), vertex)| VertexId { node, primitive, vertex })
                    .collect(),
            ),
            _ => None,
        };
        let labels = rows.fields.iter().filter_map(|field| field.name.strip_prefix("position@"));
        let alternative = |label: &str| {
            let suffix = suffix(label);
            Ok(VertexAlternative {
                label: label.to_owned(),
                position: rows.attribute("position", "position_bound", &suffix).map_err(wrong)?.unwrap_or_default(),
                normal: rows.attribute("normal", "normal_bound", &suffix).map_err(wrong)?,
                tangent: rows.attribute("tangent", "tangent_bound", &suffix).map_err(wrong)?,
            })
        };
        let given = match index(GIVEN.0)?.as_deref() {
            None | Some([]) => None,
            Some([first, ..]) => {
                let unknown =
                    || wrong((GIVEN.0, format!("{first} is neither 0 (the palette) nor 1 (the scene's file)")));
                Some(Given::of_number(*first).ok_or_else(unknown)?)
            }
        };
        let buffer = Self {
            ids,
            position: position.ok_or_else(absent)?,
            normal: rows.attribute("normal", "normal_bound", "").map_err(wrong)?,
            tangent: rows.attribute("tangent", "tangent_bound", "").map_err(wrong)?,
            given,
            alternatives: labels.map(alternative).collect::<Result<_, VertexFileError>>()?,
        };
        Ok((buffer, w))
    }
}

/// What the names of an alternative's fields end in.
pub(super) fn suffix(label: &str) -> String {
    format!("@{label}")
}

/// A row of an attribute that may be absent, which is NaN then.
fn rounded<const N: usize>(attribute: Option<&Attribute<N>>, row: usize) -> ([f32; N], [f32; N]) {
    attribute.map_or(([f32::NAN; N], [f32::NAN; N]), |attribute| attribute.rounded(row))
}

impl<const N: usize> Attribute<N> {
    /// A row's values as f32, and bounds around those that hold what the bounds around the values hold.
    fn rounded(&self, row: usize) -> ([f32; N], [f32; N]) {
        let values = self.values[row].map(|value| value as f32);
        let Some(bounds) = &self.bounds else { return (values, [f32::NAN; N]) };
        let mut widened = [f32::NAN; N];
        for (axis, widened) in widened.iter_mut().enumerate() {
            let (value, bound) = (self.values[row][axis], bounds[row][axis]);
            *widened = round_up(bound + (f64::from(values[axis]) - value).abs());
        }
        (values, widened)
    }
}

/// The smallest f32 that is not below a number ≥ 0.
fn round_up(number: f64) -> f32 {
    let nearest = number as f32;
    if f64::from(nearest) < number { nearest.next_up() } else { nearest }
}

/// The bytes of a file that begins as an array does; of another one no more than that is read.
pub(super) fn read_array(path: &Path) -> Result<Vec<u8>, VertexFileError> {
    read_signed(path, MAGIC, LARGEST_FILE).map_err(|error| match error {
        ReadError::Source(source) => VertexFileError::Read { path: path.to_owned(), source },
        ReadError::TooLong => VertexFileError::TooLong { path: path.to_owned(), limit: LARGEST_FILE },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> &'static Path {
        Path::new("buffer.npy")
    }

    fn buffer() -> VertexBuffer {
        let id = |vertex| VertexId { node: 3, primitive: 1, vertex };
        VertexBuffer {
            ids: Some(vec![id(0), id(1)]),
            position: Attribute {
                values: vec![[0.1, -2.0, 3.0], [4.0, 5.0, 6.0]],
                bounds: Some(vec![[1e-7, 0.0, f64::INFINITY], [0.5; 3]]),
            },
            normal: Some(Attribute {
                values: vec![[f64::NAN; 3], [0.0, 1.0, 0.0]],
                bounds: Some(vec![[f64::NAN; 3], [1e-6; 3]]),
            }),
            tangent: None,
            given: Some(Given::Palette),
            alternatives: vec![VertexAlternative {
                label: "keys-unit".to_owned(),
                position: Attribute { values: vec![[7.0; 3]; 2], bounds: Some(vec![[0.25; 3]; 2]) },
                normal: None,
                tangent: None,
            }],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let bytes = buffer().to_npy();
        let read = VertexBuffer::from_npy(&bytes, path()).unwrap();
        assert_eq!((&read.ids, read.given), (&buffer().ids, Some(Given::Palette)));
        let [other] = read.alternatives.as_slice() else { panic!("one was written") };
        assert_eq!(
            (&other.label, &other.position),
            (&buffer().alternatives[0].label, &buffer().alternatives[0].position)
        );
        let plain = VertexBuffer { given: None, alternatives: vec![], ..buffer() };
        let row = |buffer: &VertexBuffer| (buffer.to_npy().len() - plain.to_npy().len()) / buffer.len();
        assert!(row(&buffer()) >= 4 * (20 + 1), "an alternative and what is given");
        let read_plain = VertexBuffer::from_npy(&plain.to_npy(), path()).unwrap();
        assert_eq!((read_plain.given, read_plain.alternatives.len()), (None, 0));
        assert_eq!(read.position.values, [[f64::from(0.1f32), -2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert!(read.normal.unwrap().values[0][0].is_nan());
        assert!(read.tangent.unwrap().values[1][3].is_nan());
        // The bound around the f32 nearest to 0.1 holds the interval around 0.1 itself.
        let bounds = read.position.bounds.unwrap();
        let error = (f64::from(0.1f32) - 0.1).abs();
        assert!(bounds[0][0] >= 1e-7 + error && bounds[0][0] < 1.0001 * (1e-7 + error));
        assert_eq!((bounds[0][1], bounds[0][2]), (0.0, f64::INFINITY));
    }

    #[test]
    fn every_truncation_is_an_error_that_names_the_file() {
        let bytes = buffer().to_npy();
        for length in 0..bytes.len() {
            let message = VertexBuffer::from_npy(&bytes[..length], path()).unwrap_err().to_string();
            assert!(message.starts_with("buffer.npy: not a vertex file"), "{length}: {message}");
        }
    }

    /// A file with this header and these bytes after it.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn wrong_fields_are_named() {
        let read = |descr: &str, shape: &str, data: &[u8]| {
            let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
            VertexBuffer::from_npy(&file(&header, data), path()).map_err(|error| error.to_string())
        };
        let good = read("[('position', '<f4', (3,))]", "(1,)", &[0; 12]).unwrap();
        assert_eq!((good.position.values.as_slice(), good.ids), ([[0.0; 3]].as_slice(), None));
        let cases: [(&str, &str, usize, &str); 8] = [
            ("'<f4'", "(3,)", 12, "its shape is (3) of plain numbers"),
            ("[('place', '<f4', (3,))]", "(1,)", 12, "field `position`: it is missing; there are: place"),
            ("[('position', '<f4', (2,))]", "(1,)", 8, "must hold 3 numbers a vertex, but holds 2"),
            ("[('position', '<f4', (3,)), ('normal', '|S4', (3,))]", "(1,)", 24, "field `normal`: its type is |S4"),
            ("[('position', '<f4', (3,))]", "(2,)", 12, "2 rows of 12 bytes are promised, but 12 bytes follow"),
            ("[('position', '<f4', (3,))]", "(1, 1)", 12, "2 dimensions"),
            ("[('position', '<f4', (3,))]", "(99999999999999999999, 99999999999999999999)", 12, "2 dimensions"),
            ("[('position', '<f4', (3,))]", "(9999999999999999999,)", 12, "bytes are promised"),
        ];
        for (descr, shape, length, expected) in cases {
            let message = read(descr, shape, &vec![0; length]).unwrap_err();
            assert!(message.starts_with("buffer.npy: ") && message.contains(expected), "{message}");
        }
        let message = read(&"[".repeat(5000), "(1,)", &[]).unwrap_err();
        assert!(message.contains("nests too deep"), "{message}");
    }
}
