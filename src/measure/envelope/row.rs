//! [`EnvelopeRow`]: the boxes of a row of pixels.
//!
//! Why it exists: nearly every pixel has one box and nearly every candidate lies in it, so first boxes are dense arrays
//! that a SIMD kernel runs through, and all others are a sparse list that is looked at only where the first one fails.

use super::pixel_box::{PixelBox, simplify};

/// The acceptable colours of each pixel of a row, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvelopeRow {
    /// Ends of the first box of each pixel, which is never loose; `low` is above `high` where there is none.
    pub(super) low: Vec<[u8; 4]>,
    pub(super) high: Vec<[u8; 4]>,
    /// The other boxes with their columns, in ascending order of column.
    pub(super) others: Vec<(u32, PixelBox)>,
}

impl EnvelopeRow {
    /// A row without pixels, with room for so many.
    #[must_use]
    pub fn with_capacity(width: usize) -> Self {
        Self { low: Vec::with_capacity(width), high: Vec::with_capacity(width), others: Vec::new() }
    }

    /// Adds the pixel to the right of those that are there: its golden colour and the boxes whose union a backend may
    /// write, in any number and order. `boxes` is simplified in place: at most [`MOST_BOXES`](super::MOST_BOXES) are
    /// left, of which those that had to be joined are loose.
    pub fn push(&mut self, golden: [u8; 4], boxes: &mut Vec<PixelBox>) {
        simplify(golden, boxes);
        let column = self.len() as u32;
        let (first, others) = match boxes.split_first() {
            Some((first, others)) if !first.loose => (*first, others),
            _ => (PixelBox::NONE, boxes.as_slice()),
        };
        self.low.push(first.low);
        self.high.push(first.high);
        self.others.extend(others.iter().map(|&own| (column, own)));
    }

    /// How many pixels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// The boxes of a pixel: at least one, the golden's first and the loose ones last. Empty outside the row.
    pub fn boxes(&self, column: u32) -> impl Iterator<Item = PixelBox> + Clone {
        let first = self.first(column as usize).filter(|first| !first.is_empty());
        first.into_iter().chain(others_of(&self.others, column).iter().map(|&(_, own)| own))
    }

    fn first(&self, column: usize) -> Option<PixelBox> {
        Some(PixelBox::new(*self.low.get(column)?, *self.high.get(column)?))
    }
}

/// The boxes of a column, of those of a row in ascending order of column.
pub(super) fn others_of(others: &[(u32, PixelBox)], column: u32) -> &[(u32, PixelBox)] {
    let start = others.partition_point(|&(place, _)| place < column);
    let rest = &others[start..];
    &rest[..rest.partition_point(|&(place, _)| place == column)]
}
