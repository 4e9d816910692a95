//! [`CandidateBuffer`]: vertices as people have them, and what of them can be put beside a golden.
//!
//! Why it exists: nobody should write a file format in order to ask whether a vertex is right. An array of positions, a
//! debugger's table, the bytes of a buffer with a line that says what they are: whatever can be read without a guess is
//! read, and where something is missing the message names it.

use std::path::{Path, PathBuf};

use super::{
    Layout, Space, SpaceMatrices, VertexBuffer, VertexFileError,
    columns::Rows,
    header::{DataType, Header},
    npy::read_array,
};
use crate::files::{LARGEST_FILE, read_file};

/// What a candidate's file does not say of itself.
#[derive(Clone, Debug, Default)]
pub struct CandidateOptions {
    /// Where numbers stand in a raw buffer; NPY and CSV say it themselves.
    pub layout: Option<Layout>,
    /// Bytes from row to row of a raw buffer; without it rows are packed.
    pub stride: Option<usize>,
    /// The space that its vertices are in.
    pub space: Space,
    /// The file of matrices that lead there.
    pub matrices: Option<PathBuf>,
}

/// A backend's vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateBuffer {
    /// Positions by their first three numbers.
    pub buffer: VertexBuffer,
    /// The fourth number of positions that have one.
    pub w: Option<Vec<f64>>,
    /// Which of the golden's rows these are; `None` is all of them in their order.
    pub rows: Option<Vec<usize>>,
}

/// What is looked for in a file.
pub(super) const WANTED: &str = "`position` holds 3 numbers a vertex (in clip space 4), and beside it may stand `normal` (3), `tangent` (4) \
     and the indices `node`, `primitive` and `vertex`";

impl CandidateBuffer {
    /// Reads a file: NPY and CSV by their names, anything else by its layout.
    ///
    /// # Errors
    /// [`VertexFileError`] names the file, the field or line and what is wrong with it.
    pub fn read(path: &Path, options: &CandidateOptions) -> Result<Self, VertexFileError> {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let kind = extension.as_deref().and_then(|extension| extension.to_str());
        match (&options.layout, kind) {
            (None, Some("npy")) => Self::from_npy(&read_array(path)?, path),
            (None, Some("csv")) => {
                let bytes = regular(path)?;
                Self::from_csv(&String::from_utf8_lossy(&bytes), options.space, path)
            }
            (None, _) => Err(VertexFileError::NoLayout { path: path.to_owned() }),
            (Some(_), Some(kind @ ("npy" | "csv"))) => {
                let reason = format!("a .{kind} file says itself what it holds; leave out --layout and --stride");
                Err(VertexFileError::NotVertices { path: path.to_owned(), reason })
            }
            (Some(layout), _) => Self::from_raw(&regular(path)?, layout, options.stride, path),
        }
    }

    /// Reads an NPY file: a structured array with at least the field `position`, or a plain one of the shape (N, 3) or
    /// (N, 4).
    ///
    /// # Errors
    /// As [`read`](Self::read); `path` stands for the file in messages.
    pub fn from_npy(bytes: &[u8], path: &Path) -> Result<Self, VertexFileError> {
        let not = |reason: String| VertexFileError::NotVertices { path: path.to_owned(), reason };
        let (header, data) = Header::read(bytes).map_err(not)?;
        let DataType::Record(fields) = &header.elements else {
            return Self::from_plain(&header, data, path);
        };
        let &[count] = header.shape.as_slice() else {
            return Err(not(format!("it has {} dimensions, not one", header.shape.len())));
        };
        let row_size = header.elements.size().filter(|size| *size > 0);
        let row_size = row_size.ok_or_else(|| not("its rows have no fixed size".to_owned()))?;
        promised(count, row_size, data.len()).map_err(not)?;
        Self::from_rows(&Rows { fields, row_size, bytes: data }, path)
    }

    /// Numbers without names: positions, one a row.
    fn from_plain(header: &Header, data: &[u8], path: &Path) -> Result<Self, VertexFileError> {
        let not = |reason: String| VertexFileError::NotVertices { path: path.to_owned(), reason };
        let (DataType::Number(number), &[count, numbers @ (3 | 4)]) = (&header.elements, header.shape.as_slice())
        else {
            let sides: Vec<String> = header.shape.iter().map(u64::to_string).collect();
            let shape = sides.join(", ");
            return Err(not(format!(
                "its shape is ({shape}) of plain numbers; positions are (N, 3) or (N, 4); {WANTED}"
            )));
        };
        let width = number.width;
        let row_size = width.checked_mul(numbers as usize);
        let row_size = row_size.ok_or_else(|| not("its rows have no size that can be counted".to_owned()))?;
        promised(count, row_size, data.len()).map_err(not)?;
        let by_rows = by_rows(header, data, numbers);
        let data_type = DataType::Array(numbers, Box::new(header.elements.clone()));
        let fields = [super::header::Field { name: "position".to_owned(), data_type }];
        Self::from_rows(&Rows { fields: &fields, row_size, bytes: &by_rows }, path)
    }

    /// Reads the bytes of a buffer, little-endian.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_raw(
        bytes: &[u8],
        layout: &Layout,
        stride: Option<usize>,
        path: &Path,
    ) -> Result<Self, VertexFileError> {
        let not = |reason: String| VertexFileError::NotVertices { path: path.to_owned(), reason };
        let stride = stride.unwrap_or(layout.packed);
        if stride < layout.packed {
            return Err(not(format!(
                "--stride {stride} is shorter than the {} bytes that --layout {layout} takes",
                layout.packed
            )));
        }
        // Behind the last field of the last row nothing needs to follow.
        let rows = (bytes.len() + stride - layout.packed) / stride;
        let used = rows.saturating_sub(1) * stride + if rows > 0 { layout.packed } else { 0 };
        if bytes.len() < used || bytes.len() >= used.max(1) + stride {
            return Err(not(format!("its {} bytes are no whole number of rows of {stride} bytes", bytes.len())));
        }
        if bytes.len() != used && bytes.len() != rows * stride {
            return Err(not(format!(
                "its {} bytes are no whole number of rows of {stride} bytes; check --layout {layout} and --stride",
                bytes.len()
            )));
        }
        let mut whole = bytes.to_vec();
        whole.resize(rows * stride, 0);
        Self::from_rows(&Rows { fields: &layout.fields, row_size: stride, bytes: &whole }, path)
    }

    fn from_rows(rows: &Rows<'_>, path: &Path) -> Result<Self, VertexFileError> {
        let (buffer, w) = VertexBuffer::from_rows(rows, path)?;
        Ok(Self { buffer, w, rows: None })
    }

    /// The buffer where its positions are points of three numbers.
    ///
    /// # Errors
    /// [`VertexFileError::ClipSpace`] where a fourth number is not 1.
    pub fn points(self, path: &Path) -> Result<VertexBuffer, VertexFileError> {
        let projected = self.w.iter().flatten().position(|w| *w != 1.0);
        match projected {
            Some(row) => Err(VertexFileError::ClipSpace {
                path: path.to_owned(),
                row,
                w: self.w.as_ref().map_or(f64::NAN, |w| w[row]),
            }),
            None => Ok(self.buffer),
        }
    }
}

impl CandidateOptions {
    /// The matrices, as far as there is a file.
    pub(super) fn read_matrices(&self) -> Result<SpaceMatrices, VertexFileError> {
        self.matrices.as_deref().map_or_else(|| Ok(SpaceMatrices::default()), SpaceMatrices::read)
    }
}

fn regular(path: &Path) -> Result<Vec<u8>, VertexFileError> {
    read_file(path, LARGEST_FILE).map_err(|source| VertexFileError::Read { path: path.to_owned(), source })
}

/// The bytes of plain numbers, `numbers` a row, row by row.
pub(super) fn by_rows(header: &Header, data: &[u8], numbers: u64) -> Vec<u8> {
    let DataType::Number(number) = &header.elements else { return data.to_vec() };
    let width = number.width;
    let rows = data.len() / (width * numbers as usize).max(1);
    // Fortran's order is column by column.
    if !header.fortran_order || width == 0 || rows == 0 {
        return data.to_vec();
    }
    let number = |place: usize| &data[(place % numbers as usize * rows + place / numbers as usize) * width..][..width];
    (0..rows * numbers as usize).flat_map(number).copied().collect()
}

/// Whether the bytes are as many as a header promises.
pub(super) fn promised(count: u64, row_size: usize, length: usize) -> Result<(), String> {
    if usize::try_from(count).ok().and_then(|count| count.checked_mul(row_size)) == Some(length) {
        return Ok(());
    }
    Err(format!("{count} rows of {row_size} bytes are promised, but {length} bytes follow"))
}

#[cfg(test)]
mod tests {
    use super::{super::header::MAGIC, *};

    fn npy(descr: &str, order: &str, shape: &str, data: &[u8]) -> Result<CandidateBuffer, String> {
        let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
        let length = (header.len() as u16).to_le_bytes();
        let bytes = [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat();
        CandidateBuffer::from_npy(&bytes, Path::new("mine.npy")).map_err(|error| error.to_string())
    }

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Found by fuzzing: three numbers of so many bytes are two bytes, if nobody looks.
    #[test]
    fn numbers_of_any_width_are_counted() {
        let third = u64::MAX / 3 + 1;
        for order in ["False", "True"] {
            let error = npy(&format!("'>f{third}'"), order, "(3, 3)", &[0; 6]).unwrap_err();
            assert!(error.contains("no size that can be counted"), "{error}");
        }
    }

    #[test]
    fn plain_arrays_are_positions() {
        let rows = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert_eq!(npy("'<f4'", "False", "(2, 3)", &rows).unwrap().buffer.position.values, expected);
        let columns = floats(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(npy("'<f4'", "True", "(2, 3)", &columns).unwrap().buffer.position.values, expected);
        let double: Vec<u8> = [0.1f64, -2.0, 3.0].iter().flat_map(|number| number.to_be_bytes()).collect();
        assert_eq!(npy("'>f8'", "False", "(1, 3)", &double).unwrap().buffer.position.values, [[0.1, -2.0, 3.0]]);
        // 1.5, -2 and 0.5 in binary16.
        let half = [0x00, 0x3e, 0x00, 0xc0, 0x00, 0x38];
        assert_eq!(npy("'<f2'", "False", "(1, 3)", &half).unwrap().buffer.position.values, [[1.5, -2.0, 0.5]]);
        let four = npy("'<f4'", "False", "(1, 4)", &floats(&[1.0, 2.0, 3.0, 0.5])).unwrap();
        assert_eq!(
            (four.buffer.position.values.as_slice(), four.w.as_deref()),
            ([[1.0, 2.0, 3.0]].as_slice(), Some(&[0.5][..]))
        );
        let said = four.points(Path::new("mine.npy")).unwrap_err().to_string();
        assert!(said.contains("row 0") && said.contains("0.5") && said.contains("--space clip"), "{said}");
        for (shape, length) in [("(2, 2)", 16), ("(6,)", 24), ("(1, 2, 3)", 24), ("()", 4)] {
            let said = npy("'<f4'", "False", shape, &vec![0; length]).unwrap_err();
            assert!(said.contains("(N, 3) or (N, 4)") && said.contains("`normal` (3)"), "{said}");
        }
        assert!(npy("'<f4'", "False", "(3, 3)", &rows).unwrap_err().contains("3 rows of 12 bytes are promised"));
        assert!(npy("'|S4'", "False", "(1, 3)", &rows[..12]).unwrap_err().contains("its type is |S4"));
    }

    #[test]
    fn raw_bytes_are_read_by_their_layout() {
        let read = |bytes: &[u8], layout: &str, stride| {
            let layout = layout.parse().unwrap();
            let read = CandidateBuffer::from_raw(bytes, &layout, stride, Path::new("mine.bin"));
            read.map_err(|error| error.to_string())
        };
        let bytes = floats(&[9.0, 1.0, 2.0, 3.0, 9.0, 9.0, 4.0, 5.0, 6.0, 9.0]);
        let expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let layout = "position:f32x3@4";
        assert_eq!(read(&bytes, layout, Some(20)).unwrap().buffer.position.values, expected);
        // The last row needs no padding.
        assert_eq!(read(&bytes[..36], layout, Some(20)).unwrap().buffer.position.values, expected);
        assert_eq!(read(&[], layout, Some(20)).unwrap().buffer.len(), 0);
        for length in [1, 19, 21, 30, 39] {
            assert!(read(&bytes[..length], layout, Some(20)).unwrap_err().contains("no whole number of rows"));
        }
        assert!(read(&bytes, layout, Some(12)).unwrap_err().contains("shorter than the 16 bytes"));
        let with_ids = [&3u32.to_le_bytes()[..], &floats(&[1.0, 2.0, 3.0, 1.0])].concat();
        let read = read(&with_ids, "vertex:u32,position:f32x4", None).unwrap();
        assert_eq!((read.buffer.ids, read.w), (None, Some(vec![1.0])));
    }
}
