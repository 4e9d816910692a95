//! [`EnvelopeSpread`]: how far right backends lie apart in what an envelope allows.
//!
//! Why it exists: the width of a box says what is allowed, not whether anybody needs it. Pictures that are right show a
//! part of what is right: no envelope that holds them all can be narrower than they lie apart.

use super::{Envelope, EnvelopeError, PixelBox};
use crate::Picture;

/// For each box of an envelope's drawn pixels the colours in it that right backends wrote.
#[derive(Clone, Debug)]
pub struct EnvelopeSpread<'a> {
    envelope: &'a Envelope,
    /// The hulls of those colours, [`PixelBox::NONE`] where there are none: in reading order, those of a pixel in the order of its boxes.
    seen: Vec<PixelBox>,
}

impl<'a> EnvelopeSpread<'a> {
    /// No picture so far.
    #[must_use]
    pub fn new(envelope: &'a Envelope) -> Self {
        let boxes = envelope.drawn().map(|(.., boxes)| boxes.count()).sum();
        Self { envelope, seen: vec![PixelBox::NONE; boxes] }
    }

    /// Adds a picture. A colour belongs to the first box that holds it; one in no box counts nowhere. The order of pictures does not
    /// matter.
    ///
    /// # Errors
    /// [`EnvelopeError::Size`] where the picture has another size.
    pub fn add(&mut self, picture: &Picture) -> Result<(), EnvelopeError> {
        self.envelope.fits(picture)?;
        let samples = picture.samples8();
        let colors = samples.as_chunks::<4>().0;
        let mut seen = self.seen.iter_mut();
        for (x, y, boxes) in self.envelope.drawn() {
            let color = colors[y * self.envelope.width as usize + x];
            let mut placed = false;
            for (own, seen) in boxes.zip(&mut seen) {
                if !placed && own.contains(color) {
                    *seen = seen.hull(&PixelBox::exact(color));
                    placed = true;
                }
            }
        }
        Ok(())
    }

    /// The mean, over the boxes of drawn pixels, of how far the colours in one lie apart in a channel, in steps of 1/255: what
    /// [`mean_width`](super::EnvelopeStatistics::mean_width) would be of an envelope that allows these pictures and no other. A box
    /// without a colour counts as 0.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let apart = |(low, high): (u8, u8)| u64::from(high.saturating_sub(low));
        let of_box = |own: &PixelBox| own.low.into_iter().zip(own.high).take(3).map(apart).sum::<u64>();
        match self.seen.len() {
            0 => 0.0,
            boxes => self.seen.iter().map(of_box).sum::<u64>() as f64 / (3 * boxes) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Envelope, EnvelopeRow, EnvelopeSpread, PixelBox};
    use crate::Picture;

    const BLACK: [u8; 4] = [0, 0, 0, 255];

    fn picture(colors: [[u8; 4]; 3]) -> Picture {
        Picture::from_rgba8(3, 1, colors.concat()).unwrap()
    }

    #[test]
    fn colours_of_a_box_are_joined_and_those_of_another_are_not() {
        let background = PixelBox::exact(BLACK);
        let surface = PixelBox::new([10, 10, 10, 255], [40, 20, 20, 255]);
        let mut row = EnvelopeRow::with_capacity(3);
        for mut boxes in [vec![background], vec![surface], vec![surface, background]] {
            row.push(boxes[0].low, &mut boxes);
        }
        let golden = picture([BLACK, [10, 10, 10, 255], [10, 10, 10, 255]]);
        let envelope = Envelope::new(&golden, "d3d11", background, vec![row]).unwrap();
        let mut spread = EnvelopeSpread::new(&envelope);
        assert_eq!(spread.mean(), 0.0);
        spread.add(&golden).unwrap();
        assert_eq!(spread.mean(), 0.0);
        spread.add(&picture([BLACK, [25, 10, 16, 255], BLACK])).unwrap();
        // Three boxes belong to drawn pixels, the background behind the edge among them: (15 + 0 + 6) / 9.
        assert_eq!(spread.mean(), 21.0 / 9.0);
        // What is wrong belongs to no box.
        spread.add(&picture([[9; 4], [90; 4], [90; 4]])).unwrap();
        spread.add(&picture([BLACK, [16, 12, 10, 255], [40, 20, 20, 255]])).unwrap();
        assert_eq!(spread.mean(), (21.0 + 2.0 + 30.0 + 10.0 + 10.0) / 9.0);
        assert!(spread.mean() <= envelope.statistics().mean_width());
        assert!(spread.add(&Picture::from_rgba8(1, 1, BLACK.to_vec()).unwrap()).is_err());
    }
}
