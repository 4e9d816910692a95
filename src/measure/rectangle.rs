//! [`Rectangle`]: a part of a picture.
//!
//! Why it exists: pixels to ignore and the bounds of what differs are both rectangles of whole pixels.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A rectangle of whole pixels; `x`, `y` is its top left pixel. It may reach past a picture and then counts only inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rectangle {
    /// First column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

/// The text is not a rectangle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rectangle; write X,Y,WIDTH,HEIGHT in pixels, for example 0,0,320,20")]
pub struct ParseRectangleError(String);

impl Rectangle {
    /// The columns inside a picture of this width.
    pub(super) fn columns(self, width: u32) -> std::ops::Range<usize> {
        self.x.min(width) as usize..self.x.saturating_add(self.width).min(width) as usize
    }

    /// The rows inside a picture of this height.
    pub(super) fn rows(self, height: u32) -> std::ops::Range<usize> {
        self.y.min(height) as usize..self.y.saturating_add(self.height).min(height) as usize
    }
}

impl FromStr for Rectangle {
    type Err = ParseRectangleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers: Result<Vec<u32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[x, y, width, height]) => Ok(Self { x, y, width, height }),
            _ => Err(ParseRectangleError(text.to_owned())),
        }
    }
}

impl fmt::Display for Rectangle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{},{},{}", self.x, self.y, self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_reads_what_it_prints_and_names_what_it_can_not_read() {
        let rectangle = Rectangle { x: 1, y: 2, width: 30, height: 4 };
        assert_eq!(rectangle.to_string().parse(), Ok(rectangle));
        for text in ["", "1,2,3", "1,2,3,4,5", "-1,2,3,4", "a,b,c,d"] {
            assert!(text.parse::<Rectangle>().unwrap_err().to_string().contains("X,Y,WIDTH,HEIGHT"));
        }
    }

    #[test]
    fn a_rectangle_past_the_edge_counts_inside_only() {
        let rectangle = Rectangle { x: 3, y: u32::MAX, width: u32::MAX, height: 2 };
        assert_eq!(rectangle.columns(5), 3..5);
        assert_eq!(rectangle.rows(5), 5..5);
    }
}
