//! [`EnvelopeStatistics`]: how much an envelope allows.
//!
//! Why it exists: an envelope that allows everything fails nobody. These figures keep it honest: how wide its boxes
//! are, how many a pixel has, and for how many pixels it does not know.

use serde::Serialize;

use super::{Envelope, EnvelopeRow};
use refrast_threads::each;

/// How much an envelope allows. *Drawn* pixels are those in which something else than background is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnvelopeStatistics {
    /// All pixels.
    pub pixels: u64,
    /// Drawn pixels.
    pub drawn: u64,
    /// Pixels that have a loose box.
    pub loose: u64,
    /// Boxes of the drawn pixels.
    pub boxes: u64,
    /// Sum over those boxes of high − low of red, green and blue, in steps of 1/255.
    pub width_sum: u64,
    /// The largest high − low of a box that is not loose.
    pub widest: u8,
}

impl EnvelopeStatistics {
    /// Loose pixels as a share of the drawn ones, 0 to 1.
    #[must_use]
    pub fn loose_share(&self) -> f64 {
        ratio(self.loose, self.drawn)
    }

    /// Boxes of a drawn pixel.
    #[must_use]
    pub fn mean_boxes(&self) -> f64 {
        ratio(self.boxes, self.drawn)
    }

    /// The mean of high − low of a colour channel, in steps of 1/255; 0 means that one colour is right.
    #[must_use]
    pub fn mean_width(&self) -> f64 {
        ratio(self.width_sum, 3 * self.boxes)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            pixels: self.pixels + other.pixels,
            drawn: self.drawn + other.drawn,
            loose: self.loose + other.loose,
            boxes: self.boxes + other.boxes,
            width_sum: self.width_sum + other.width_sum,
            widest: self.widest.max(other.widest),
        }
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Envelope {
    /// How much it allows.
    #[must_use]
    pub fn statistics(&self) -> EnvelopeStatistics {
        let of_row = |row: &EnvelopeRow| {
            let mut statistics = EnvelopeStatistics { pixels: row.len() as u64, ..EnvelopeStatistics::default() };
            for x in 0..row.len() as u32 {
                let boxes = row.boxes(x);
                if !self.is_drawn(boxes.clone()) {
                    continue;
                }
                statistics.drawn += 1;
                statistics.loose += u64::from(boxes.clone().any(|own| own.loose));
                for own in boxes {
                    statistics.boxes += 1;
                    for (low, high) in own.low.into_iter().zip(own.high).take(3) {
                        statistics.width_sum += u64::from(high - low);
                        if !own.loose {
                            statistics.widest = statistics.widest.max(high - low);
                        }
                    }
                }
            }
            statistics
        };
        let rows = each(self.rows.len(), 8, |row| of_row(&self.rows[row]));
        rows.into_iter().fold(EnvelopeStatistics::default(), EnvelopeStatistics::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Envelope, EnvelopeRow, PixelBox};
    use crate::Picture;

    #[test]
    fn figures_are_those_of_the_drawn_pixels() {
        let background = PixelBox::exact([0, 0, 0, 255]);
        let surface = PixelBox::new([9, 9, 9, 255], [12, 12, 12, 255]);
        let loose = PixelBox { loose: true, ..PixelBox::new([9, 9, 9, 255], [21, 9, 9, 255]) };
        let mut row = EnvelopeRow::with_capacity(4);
        for boxes in [vec![background], vec![surface], vec![surface, background], vec![loose]] {
            row.push(boxes[0].low, &mut boxes.clone());
        }
        let golden =
            Picture::from_rgba8(4, 1, [[0, 0, 0, 255], [9, 9, 9, 255], [9, 9, 9, 255], [9, 9, 9, 255]].concat());
        let envelope = Envelope::new(&golden.unwrap(), "d3d11", background, vec![row]).unwrap();
        let statistics = envelope.statistics();
        assert_eq!((statistics.pixels, statistics.drawn, statistics.loose, statistics.boxes), (4, 3, 1, 4));
        // Surface 3 twice, background 0, loose (12 + 0 + 0) / 3 = 4: 10 / 4.
        assert_eq!((statistics.mean_width(), statistics.widest), (2.5, 3));
        assert_eq!((statistics.loose_share(), statistics.mean_boxes()), (1.0 / 3.0, 4.0 / 3.0));
    }
}
