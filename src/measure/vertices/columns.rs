//! The fields of a vertex file, by name: where a structured array keeps them, and how their bytes become numbers.
//!
//! Why it exists: candidates come from other programs, with their own choice and order of fields, widths and byte
//! order. Whatever can be read without a guess is read.

use super::{
    Attribute, NumberColumn,
    header::{DataType, Field, Number},
    spaces::without_w,
};

/// Where a field's numbers stand in a row, and what they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    offset: usize,
    width: usize,
    kind: Kind,
    big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
}

/// The rows of a structured array.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) fields: &'a [Field],
    pub(super) row_size: usize,
    pub(super) bytes: &'a [u8],
}

impl Rows<'_> {
    /// The field of this name; `None` where there is none.
    ///
    /// # Errors
    /// What is wrong with its type, for the message about it.
    fn column(&self, name: &str, count: usize) -> Result<Option<Column>, String> {
        let mut offset = 0;
        for field in self.fields {
            if field.name == name {
                return column(&field.data_type, offset, count).map(Some);
            }
            // The size of the whole row was checked, so no part of it can overflow.
            offset += field.data_type.size().unwrap_or(0);
        }
        Ok(None)
    }

    /// `N` numbers a row.
    pub(super) fn vectors<const N: usize>(&self, name: &str) -> Result<Option<Vec<[f64; N]>>, String> {
        let Some(column) = self.column(name, N)? else { return Ok(None) };
        let vector = |row: &[u8]| {
            std::array::from_fn(|i| column.number(&row[column.offset + i * column.width..][..column.width]))
        };
        Ok(Some(self.bytes.chunks_exact(self.row_size).map(vector).collect()))
    }

    /// All fields, as f32.
    ///
    /// # Errors
    /// The field, and what is wrong with its type.
    pub(super) fn all(&self) -> Result<Vec<NumberColumn>, (String, String)> {
        let mut offset = 0;
        let mut all = Vec::new();
        for Field { name, data_type } in self.fields {
            let count = if let DataType::Array(count, _) = data_type { *count as usize } else { 1 };
            // What lies between fields has no name, and may be anything.
            if !name.is_empty() || self.fields.len() == 1 {
                let own = column(data_type, offset, count).map_err(|reason| (name.clone(), reason))?;
                let numbers = |row| {
                    let number = move |place| {
                        let bytes: &[u8] = row;
                        own.number(&bytes[own.offset + place * own.width..][..own.width]) as f32
                    };
                    (0..count).map(number)
                };
                let values = self.bytes.chunks_exact(self.row_size).flat_map(numbers).collect();
                all.push(NumberColumn { name: name.clone(), components: count, values });
            }
            // The size of the whole row was checked, so no part of it can overflow.
            offset += data_type.size().unwrap_or(0);
        }
        Ok(all)
    }

    /// One index a row.
    pub(super) fn indices(&self, name: &str) -> Result<Option<Vec<u32>>, String> {
        let Some(numbers) = self.vectors::<1>(name)? else { return Ok(None) };
        let index = |(row, [number]): (usize, &[f64; 1])| {
            let index = *number as u32;
            (f64::from(index) == *number).then_some(index).ok_or(format!(
                "row {row} holds {number}, which is no index; write unsigned integers of at most 32 bits"
            ))
        };
        numbers.iter().enumerate().map(index).collect::<Result<_, _>>().map(Some)
    }

    /// The positions with their bounds, and the fourth number of those that have one.
    #[expect(clippy::type_complexity, reason = "two parts of one field, which nothing else has")]
    pub(super) fn position(&self) -> Result<(Option<Attribute<3>>, Option<Vec<f64>>), (&'static str, String)> {
        let four = |field: &Field| field.name == "position" && matches!(field.data_type, DataType::Array(4, _));
        if !self.fields.iter().any(four) {
            return Ok((self.attribute("position", "position_bound", "")?, None));
        }
        let values = self.vectors::<4>("position").map_err(|reason| ("position", reason))?.unwrap_or_default();
        let position = Attribute::without_bounds(values.iter().map(without_w).collect());
        Ok((Some(position), Some(values.iter().map(|position| position[3]).collect())))
    }

    /// An attribute and its bounds, the names of their fields followed by `suffix`.
    pub(super) fn attribute<const N: usize>(
        &self,
        name: &'static str,
        bound: &'static str,
        suffix: &str,
    ) -> Result<Option<Attribute<N>>, (&'static str, String)> {
        let vectors = |name: &str| self.vectors::<N>(&format!("{name}{suffix}"));
        let Some(values) = vectors(name).map_err(|reason| (name, reason))? else { return Ok(None) };
        let bounds = vectors(bound).map_err(|reason| (bound, reason))?;
        if let Some(row) = bounds.iter().flatten().position(|bounds| bounds.iter().any(|bound| *bound < 0.0)) {
            return Err((bound, format!("row {row} holds a negative bound; write the golden again")));
        }
        Ok(Some(Attribute { values, bounds }))
    }
}

fn column(data_type: &DataType, offset: usize, count: usize) -> Result<Column, String> {
    let expected = if count == 1 { "one number".to_owned() } else { format!("{count} numbers") };
    let (found, number) = match data_type {
        DataType::Array(found, number) => (*found, &**number),
        number => (1, number),
    };
    let DataType::Number(Number { big_endian, kind, width, text }) = number else {
        return Err(format!("it must hold {expected} a vertex, but its numbers are arrays or records"));
    };
    if found != count as u64 {
        return Err(format!("it must hold {expected} a vertex, but holds {found}; write it with the shape ({count},)"));
    }
    let (kind, width) = match kind {
        'f' => (Kind::Float, *width),
        'i' => (Kind::Signed, *width),
        'u' => (Kind::Unsigned, *width),
        _ => return Err(format!("its type is {text}; write floats of 2, 4 or 8 bytes, or integers")),
    };
    let known = match kind {
        Kind::Float => matches!(width, 2 | 4 | 8),
        Kind::Signed | Kind::Unsigned => matches!(width, 1 | 2 | 4 | 8),
    };
    if !known {
        return Err(format!("its type {text} is not known; write floats of 2, 4 or 8 bytes, or integers"));
    }
    Ok(Column { offset, width, kind, big_endian: *big_endian })
}

impl Column {
    fn number(&self, bytes: &[u8]) -> f64 {
        let mut little = [0; 8];
        for (i, byte) in bytes.iter().enumerate() {
            little[if self.big_endian { bytes.len() - 1 - i } else { i }] = *byte;
        }
        let bits = u64::from_le_bytes(little);
        match (self.kind, self.width) {
            (Kind::Float, 2) => half::f16::from_bits(bits as u16).to_f64(),
            (Kind::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Kind::Float, _) => f64::from_bits(bits),
            (Kind::Unsigned, _) => bits as f64,
            (Kind::Signed, width) => {
                let unused = 64 - 8 * width as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str, count: u64) -> DataType {
        let big_endian = text.starts_with('>');
        let mut rest = text.chars().skip(1);
        let (kind, width) = (rest.next().unwrap(), rest.collect::<String>().parse().unwrap());
        let number = DataType::Number(Number { big_endian, kind, width, text: text.to_owned() });
        if count == 1 { number } else { DataType::Array(count, Box::new(number)) }
    }

    #[test]
    fn numbers_of_every_width_and_byte_order() {
        let fields = [
            ("half", field("<f2", 1)),
            ("big", field(">f4", 2)),
            ("signed", field(">i2", 1)),
            ("byte", field("|u1", 1)),
            ("double", field("<f8", 1)),
        ]
        .map(|(name, data_type)| Field { name: name.to_owned(), data_type });
        let mut bytes = vec![0x00, 0x3e]; // 1.5
        bytes.extend([0x40, 0x20, 0, 0, 0xbf, 0x80, 0, 0]); // 2.5, -1
        bytes.extend([0xff, 0xfe, 0xff]); // -2, 255
        bytes.extend(0.1f64.to_le_bytes());
        let rows = Rows { fields: &fields, row_size: bytes.len(), bytes: &bytes };
        assert_eq!(rows.vectors("half"), Ok(Some(vec![[1.5]])));
        assert_eq!(rows.vectors("big"), Ok(Some(vec![[2.5, -1.0]])));
        assert_eq!(rows.vectors("signed"), Ok(Some(vec![[-2.0]])));
        assert_eq!(rows.indices("byte"), Ok(Some(vec![255])));
        assert_eq!(rows.vectors("double"), Ok(Some(vec![[0.1]])));
        assert_eq!(rows.vectors::<3>("absent"), Ok(None));
        assert!(rows.vectors::<3>("big").unwrap_err().contains("must hold 3 numbers a vertex, but holds 2"));
        assert!(rows.indices("signed").unwrap_err().contains("-2"));
    }
}
