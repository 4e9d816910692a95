//! [`Layout`]: where the numbers stand in a buffer that says nothing of itself.
//!
//! Why it exists: what a backend reads back is its vertex buffer, byte for byte. One line says what it holds, in the words
//! in which a graphics API is told.

use std::{fmt, str::FromStr};

use super::header::{DataType, Field, Number};

/// The fields of a row of a raw little-endian buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// With what lies between them, which has no name.
    pub(super) fields: Vec<Field>,
    /// Bytes to the end of the last field.
    pub(super) packed: usize,
}

/// The text is no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; write NAME:TYPExCOUNT@OFFSET between commas, as in position:f32x3@0,normal:f32x3@12. NAME is position (3 numbers, in \
     clip space 4), normal (3), tangent (4), node, primitive or vertex (1); TYPE is f16, f32, f64, u8, u16, u32, i8, i16 or i32; \
     without @OFFSET a field stands behind the one before"
)]
pub struct ParseLayoutError(String);

/// The farthest that a field may lie from the beginning of its row.
const FARTHEST: usize = 1 << 20;

/// Names, and how many numbers they may have.
const NAMES: [(&str, [usize; 2]); 6] = [
    ("position", [3, 4]),
    ("normal", [3, 3]),
    ("tangent", [4, 4]),
    ("node", [1, 1]),
    ("primitive", [1, 1]),
    ("vertex", [1, 1]),
];

impl FromStr for Layout {
    type Err = ParseLayoutError;

    fn from_str(text: &str) -> Result<Self, ParseLayoutError> {
        let mut placed: Vec<(usize, usize, Field)> = Vec::new();
        for part in text.split(',') {
            let end = placed.last().map_or(0, |(_, end, _)| *end);
            let (offset, field) = field(part.trim(), end)?;
            if placed.iter().any(|(_, _, other)| other.name == field.name) {
                return Err(ParseLayoutError(format!("`{}` is there twice", field.name)));
            }
            let size = field.data_type.size().unwrap_or(0);
            placed.push((offset, offset + size, field));
        }
        placed.sort_by_key(|(offset, ..)| *offset);
        if !placed.iter().any(|(_, _, field)| field.name == "position") {
            return Err(ParseLayoutError("it has no position".to_owned()));
        }
        let (mut fields, mut packed) = (Vec::new(), 0);
        for (offset, end, field) in placed {
            if offset < packed {
                return Err(ParseLayoutError(format!("`{}` begins at {offset}, within another field", field.name)));
            }
            fields.extend(gap(offset - packed));
            fields.push(field);
            packed = end;
        }
        Ok(Self { fields, packed })
    }
}

/// As it is read.
impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut offset, mut separator) = (0, "");
        for Field { name, data_type } in &self.fields {
            let (count, number) = match data_type {
                DataType::Array(count, number) => (*count, &**number),
                number => (1, number),
            };
            if let (false, DataType::Number(Number { kind, width, .. })) = (name.is_empty(), number) {
                write!(formatter, "{separator}{name}:{kind}{}x{count}@{offset}", width * 8)?;
                separator = ",";
            }
            offset += data_type.size().unwrap_or(0);
        }
        Ok(())
    }
}

/// Bytes that nobody looks at.
fn gap(bytes: usize) -> Option<Field> {
    let byte = Number { big_endian: false, kind: 'u', width: 1, text: "|u1".to_owned() };
    let data_type = DataType::Array(bytes as u64, Box::new(DataType::Number(byte)));
    (bytes > 0).then_some(Field { name: String::new(), data_type })
}

fn field(part: &str, end: usize) -> Result<(usize, Field), ParseLayoutError> {
    let wrong = |reason: String| ParseLayoutError(reason);
    let (name, rest) = part.split_once(':').ok_or_else(|| wrong(format!("`{part}` is not NAME:TYPExCOUNT")))?;
    let (_, counts) = NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| wrong(format!("`{name}` is no field that is compared")))?;
    let (kind, offset) = match rest.split_once('@') {
        None => (rest, end),
        Some((kind, offset)) => {
            let offset = offset.parse().ok().filter(|offset| *offset <= FARTHEST);
            (kind, offset.ok_or_else(|| wrong(format!("`{part}` has no offset in bytes behind its @")))?)
        }
    };
    let (kind, count) = kind.split_once('x').unwrap_or((kind, "1"));
    let count: usize = count.parse().unwrap_or(0);
    if !counts.contains(&count) {
        return Err(wrong(format!("`{name}` can not have {count} numbers")));
    }
    let width = match kind {
        "u8" | "i8" => 1,
        "f16" | "u16" | "i16" => 2,
        "f32" | "u32" | "i32" => 4,
        "f64" => 8,
        _ => return Err(wrong(format!("`{kind}` is no type of numbers"))),
    };
    let letter = kind.chars().next().unwrap_or('f');
    let number = DataType::Number(Number { big_endian: false, kind: letter, width, text: kind.to_owned() });
    let data_type = if count == 1 { number } else { DataType::Array(count as u64, Box::new(number)) };
    Ok((offset, Field { name: name.to_owned(), data_type }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_read_with_its_gaps_and_written_again() {
        let layout: Layout = "normal:f16x3@20, position:f32x3@0,vertex:u32".parse().unwrap();
        assert_eq!(layout.to_string(), "position:f32x3@0,vertex:u32x1@12,normal:f16x3@20");
        assert_eq!((layout.packed, layout.fields.len()), (26, 4));
        assert_eq!(layout.to_string().parse(), Ok(layout));
        let behind: Layout = "position:f64x4,normal:f32x3".parse().unwrap();
        assert_eq!(behind.to_string(), "position:f64x4@0,normal:f32x3@32");
    }

    #[test]
    fn what_is_wrong_with_a_layout_is_said() {
        for (text, expected) in [
            ("", "is not NAME"),
            ("position", "is not NAME"),
            ("position:f32x2", "can not have 2 numbers"),
            ("position:f24x3", "`f24` is no type"),
            ("colour:f32x3", "`colour` is no field"),
            ("normal:f32x3", "no position"),
            ("position:f32x3@-1", "no offset"),
            ("position:f32x3@99999999999", "no offset"),
            ("position:f32x3@0,normal:f32x3@8", "within another field"),
            ("position:f32x3,position:f32x3", "twice"),
        ] {
            let said = text.parse::<Layout>().unwrap_err().to_string();
            assert!(said.contains(expected) && said.contains("as in position:f32x3@0"), "{text}: {said}");
        }
    }
}
