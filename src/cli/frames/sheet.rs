//! Frames side by side in one picture.

use std::{fmt, str::FromStr};

use refrast_golden::{Picture, PictureError};

use crate::arguments::WriteError;

/// Columns and rows of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct SheetSize {
    columns: u32,
    rows: u32,
}

impl SheetSize {
    /// Frames that it holds.
    pub(in super::super) fn count(self) -> usize {
        self.columns as usize * self.rows as usize
    }
}

/// As it is read.
impl fmt::Display for SheetSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.columns, self.rows)
    }
}

impl FromStr for SheetSize {
    type Err = WriteError;

    fn from_str(text: &str) -> Result<Self, WriteError> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=100).contains(side));
        let parse = || {
            let (columns, rows) = text.split_once(['x', 'X'])?;
            Some(Self { columns: side(columns)?, rows: side(rows)? })
        };
        parse().ok_or(WriteError("columns and rows of 1 to 100, as in 6x4"))
    }
}

/// The frames from left to right, row by row. They have one size.
pub(super) fn sheet(frames: &[Picture], size: SheetSize) -> Result<Picture, PictureError> {
    let (width, height) = frames.first().map_or((0, 0), Picture::size);
    let (columns, row_bytes) = (size.columns as usize, width as usize * 4);
    let mut bytes = vec![0; frames.len().max(size.count()) * row_bytes * height as usize];
    for (place, frame) in frames.iter().take(size.count()).enumerate() {
        let (column, row) = (place % columns, place / columns);
        for (y, pixels) in frame.samples8().chunks_exact(row_bytes.max(1)).enumerate() {
            let start = ((row * height as usize + y) * columns + column) * row_bytes;
            bytes[start..start + row_bytes].copy_from_slice(pixels);
        }
    }
    Picture::from_rgba8(width * size.columns, height * size.rows, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_stand_in_reading_order() {
        let frame = |value: u8| Picture::from_rgba8(2, 1, [value; 8]).expect("two pixels");
        let size = "2x2".parse().expect("a size");
        let sheet = sheet(&[frame(1), frame(2), frame(3), frame(4)], size).expect("it fits");
        assert_eq!(sheet.size(), (4, 2));
        let values: Vec<u8> = sheet.samples8().chunks_exact(8).map(|pair| pair[0]).collect();
        assert_eq!(values, [1, 2, 3, 4]);
        assert!("0x3".parse::<SheetSize>().is_err() && "3".parse::<SheetSize>().is_err());
    }
}
