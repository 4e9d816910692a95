//! [`Envelope`]: for each pixel of a golden the set of colours that a conformant backend may write.
//!
//! Why it exists: a golden alone asks every backend for the same bytes, which none but the reference gives, and a
//! tolerance lets faults through. Which colours are right follows from the scene (see `verify`, which makes envelopes);
//! this is the form in which it is kept, read and held against candidates, and it needs no renderer for that.
//!
#![doc = include_str!("FORMAT.md")]

mod band;
mod band_check;
mod check;
mod closest;
mod error;
mod layout;
mod pixel_box;
mod read;
mod row;
mod spread;
mod statistics;
mod write;

pub(super) use check::RowVerdict;
pub use check::{CheckOptions, EnvelopeVerdict, PixelClass, WrongPixel};
pub use closest::{Order, join_closest};
pub use error::EnvelopeError;
pub use pixel_box::{MOST_BOXES, PixelBox};
pub use read::EnvelopeFile;
pub use row::EnvelopeRow;
pub use spread::EnvelopeSpread;
pub use statistics::EnvelopeStatistics;

use super::picture::Picture;

/// For each pixel of a golden a union of one to eight boxes of RGBA bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    width: u32,
    height: u32,
    profile: String,
    background: PixelBox,
    golden_hash: u64,
    rows: Vec<EnvelopeRow>,
}

impl Envelope {
    /// The envelope of `golden`, from one row of boxes for each of its rows.
    ///
    /// `profile` names the freedoms that were granted; `background` holds the bytes of a pixel that nothing is drawn to.
    ///
    /// # Errors
    /// [`EnvelopeError::Shape`] unless the rows fill the golden, [`EnvelopeError::Profile`] for a name that can not be
    /// stored.
    pub fn new(
        golden: &Picture,
        profile: &str,
        background: PixelBox,
        rows: Vec<EnvelopeRow>,
    ) -> Result<Self, EnvelopeError> {
        let (width, height) = golden.size();
        let short = rows.iter().position(|row| row.len() != width as usize);
        if rows.len() != height as usize || short.is_some() {
            let row = short.unwrap_or(rows.len().min(height as usize));
            let found = rows.get(row).map_or(0, EnvelopeRow::len);
            return Err(EnvelopeError::Shape { width, height, rows: rows.len(), row, found });
        }
        if !is_profile(profile) {
            return Err(EnvelopeError::Profile(profile.to_owned()));
        }
        let background = PixelBox { loose: false, ..background };
        let golden_hash = golden.content_hash();
        Ok(Self { width, height, profile: profile.to_owned(), background, golden_hash, rows })
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The name of the freedoms that were granted.
    #[must_use]
    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// What a pixel holds that nothing is drawn to.
    #[must_use]
    pub fn background(&self) -> PixelBox {
        self.background
    }

    /// [`Picture::content_hash`] of the golden.
    #[must_use]
    pub fn golden_hash(&self) -> u64 {
        self.golden_hash
    }

    /// The rows, from top to bottom.
    #[must_use]
    pub fn rows(&self) -> &[EnvelopeRow] {
        &self.rows
    }

    /// The boxes of the pixel in column `x` of row `y`; none outside of the picture.
    pub fn boxes(&self, x: u32, y: u32) -> impl Iterator<Item = PixelBox> + Clone {
        self.rows.get(y as usize).into_iter().flat_map(move |row| row.boxes(x))
    }

    /// Column, row and boxes of the pixels in which something else than background is right, in reading order.
    fn drawn(&self) -> impl Iterator<Item = (usize, usize, impl Iterator<Item = PixelBox> + Clone)> {
        let of_row = move |(y, row)| (0..EnvelopeRow::len(row)).map(move |x| (x, y, row.boxes(x as u32)));
        self.rows.iter().enumerate().flat_map(of_row).filter(|(.., boxes)| self.is_drawn(boxes.clone()))
    }

    /// Whether something else than background is right in a pixel with these boxes.
    fn is_drawn(&self, mut boxes: impl Iterator<Item = PixelBox>) -> bool {
        boxes.any(|own| !self.background.holds(&own))
    }

    fn fits(&self, picture: &Picture) -> Result<(), EnvelopeError> {
        let envelope = (self.width, self.height);
        if picture.size() == envelope { Ok(()) } else { Err(EnvelopeError::Size { envelope, picture: picture.size() }) }
    }
}

/// Whether it can be stored as the name of a profile.
fn is_profile(name: &str) -> bool {
    (1..=16).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
