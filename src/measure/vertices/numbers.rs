//! [`NumberTable`]: columns of numbers as an NPY file.
//!
//! Why it exists: whoever runs a program over data of his own has arrays with names, and wants arrays with names back. What
//! they are names of is not this room's business.

use std::path::Path;

use super::{
    VertexFileError, VertexId,
    candidate::{by_rows, promised},
    columns::Rows,
    header::{DataType, Field, Header},
    npy::read_array,
};
use crate::files::write_whole;

/// A column: as many numbers in each row.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberColumn {
    /// Its name; empty for an array of plain numbers.
    pub name: String,
    /// Numbers in a row.
    pub components: usize,
    /// Row after row; whatever the file has, rounded to f32.
    pub values: Vec<f32>,
}

/// Columns with the same number of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberTable {
    /// Which vertex each row is, where that is to be written: as fields `node`, `primitive` and `vertex` before the others.
    pub ids: Option<Vec<VertexId>>,
    /// In the order of the file.
    pub columns: Vec<NumberColumn>,
    /// Rows of each of them.
    pub rows: usize,
}

impl NumberTable {
    /// Reads a structured array of numbers, or a plain one of the shape (N,) or (N, C), which is one column without a name.
    /// Fields may have any width and byte order.
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
        let not = |reason: String| VertexFileError::NotVertices { path: path.to_owned(), reason };
        let (header, data) = Header::read(bytes).map_err(not)?;
        let (fields, plain) = match (&header.elements, header.shape.as_slice()) {
            (DataType::Record(fields), [_]) => (fields.clone(), None),
            (DataType::Number(_), [_, numbers @ ..]) if numbers.len() < 2 => {
                let numbers = numbers.first().copied().unwrap_or(1);
                let data_type = match numbers {
                    1 => header.elements.clone(),
                    _ => DataType::Array(numbers, Box::new(header.elements.clone())),
                };
                (vec![Field { name: String::new(), data_type }], Some(numbers))
            }
            _ => {
                let sides: Vec<String> = header.shape.iter().map(u64::to_string).collect();
                let shape = sides.join(", ");
                return Err(not(format!(
                    "its shape is ({shape}); a table is a structured array of one dimension, or plain numbers of the shape (N,) or (N, C)"
                )));
            }
        };
        let row_size = DataType::Record(fields.clone()).size().filter(|size| *size > 0);
        let row_size = row_size.ok_or_else(|| not("its rows have no fixed size".to_owned()))?;
        let rows = header.shape.first().copied().unwrap_or(0);
        promised(rows, row_size, data.len()).map_err(not)?;
        // Only now the sizes are known to be those of the bytes.
        let by_rows = plain.map_or_else(|| data.to_vec(), |numbers| by_rows(&header, data, numbers));
        let wrong = |(field, reason)| VertexFileError::NotVertices {
            path: path.to_owned(),
            reason: format!("field `{field}`: {reason}"),
        };
        let columns = Rows { fields: &fields, row_size, bytes: &by_rows }.all().map_err(wrong)?;
        Ok(Self { ids: None, columns, rows: data.len() / row_size })
    }

    /// Writes the table as a structured array of little-endian numbers: f32, and u32 for indices.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write_npy(&self, path: &Path) -> Result<(), VertexFileError> {
        write_whole(path, &self.to_npy()).map_err(|source| VertexFileError::Write { path: path.to_owned(), source })
    }

    /// The bytes of [`write_npy`](Self::write_npy).
    #[must_use]
    pub fn to_npy(&self) -> Vec<u8> {
        let ids = ["node", "primitive", "vertex"].map(|name| (name, "<u4", 1));
        let mut fields = self.ids.as_ref().map_or(Vec::new(), |_| ids.to_vec());
        fields.extend(self.columns.iter().map(|column| (column.name.as_str(), "<f4", column.components)));
        let mut bytes = Header::write(&fields, self.rows);
        for row in 0..self.rows {
            if let Some(&VertexId { node, primitive, vertex }) = self.ids.as_ref().and_then(|ids| ids.get(row)) {
                bytes.extend([node, primitive, vertex].into_iter().flat_map(u32::to_le_bytes));
            }
            for column in &self.columns {
                let numbers = &column.values[row * column.components..][..column.components];
                bytes.extend(numbers.iter().copied().flat_map(f32::to_le_bytes));
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{super::header::MAGIC, *};

    fn column(name: &str, components: usize, values: &[f32]) -> NumberColumn {
        NumberColumn { name: name.to_owned(), components, values: values.to_vec() }
    }

    /// A file with this type, order and shape, as `numpy.save` writes it.
    fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn read(bytes: &[u8]) -> Result<NumberTable, String> {
        NumberTable::from_npy(bytes, Path::new("in.npy")).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_is_read_back() {
        let columns = vec![column("v0", 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), column("age", 1, &[7.0, 8.0])];
        let table = NumberTable { ids: None, columns, rows: 2 };
        assert_eq!(read(&table.to_npy()), Ok(table.clone()));
        let id = |vertex| VertexId { node: 3, primitive: 1, vertex };
        let read = read(&NumberTable { ids: Some(vec![id(8), id(9)]), ..table }.to_npy()).unwrap();
        let names: Vec<&str> = read.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["node", "primitive", "vertex", "v0", "age"]);
        assert_eq!(
            (read.columns[0].values.as_slice(), read.columns[2].values.as_slice()),
            (&[3.0; 2][..], &[8.0, 9.0][..])
        );
    }

    #[test]
    fn plain_numbers_are_one_column_by_rows_whatever_their_order() {
        let bytes = |numbers: &[f64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let rows = file("'<f8'", "False", "(2, 3)", &bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let columns = file("'<f8'", "True", "(2, 3)", &bytes(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
        let table = |columns| NumberTable { ids: None, columns, rows: 2 };
        let expected = table(vec![column("", 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
        assert_eq!((read(&rows), read(&columns)), (Ok(expected.clone()), Ok(expected)));
        let one = read(&file("'<f8'", "False", "(2,)", &bytes(&[1.0, 2.0])));
        assert_eq!(one, Ok(table(vec![column("", 1, &[1.0, 2.0])])));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let cases = [
            (file("'<f4'", "False", "(1, 1, 1)", &[0; 4]), "its shape is (1, 1, 1)"),
            (file("[('a', '|S4')]", "False", "(1,)", &[0; 4]), "field `a`: its type is |S4"),
            (file("'<f4'", "False", "(2, 3)", &[0; 12]), "are promised"),
            (file("'<f8'", "True", "(2, 9223372036854775809)", &[0; 16]), "its rows have no fixed size"),
            (file("[('a', '<f4', (2, 2))]", "False", "(1,)", &[0; 16]), "field `a`: "),
        ];
        for (bytes, expected) in cases {
            let message = read(&bytes).unwrap_err();
            assert!(message.starts_with("in.npy: ") && message.contains(expected), "{message}");
        }
    }
}
