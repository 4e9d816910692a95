//! [`Patches`]: what is new of a window's pixels, on the way from the thread that paints them to the one that shows them.
//!
//! Why it exists: a window of 2560x1440 has 15 megabytes of pixels, of which a frame changes the picture and a few digits. To copy all
//! of them sixty times a second, and send them to the display, costs as much as half of the character.

use super::canvas::{Canvas, PixelRect};

/// A rectangle of pixels, row by row.
#[derive(Debug)]
pub struct Patch {
    /// Where they belong.
    pub area: PixelRect,
    /// As a [`Canvas`] has them.
    pub pixels: Vec<u32>,
}

/// What was not shown yet, oldest first, for a canvas of some size.
#[derive(Debug, Default)]
pub struct Patches {
    size: [usize; 2],
    waiting: Vec<Patch>,
    /// Buffers of those that were shown.
    spare: Vec<Vec<u32>>,
}

impl Patches {
    /// Copies rectangles of a canvas, which may lie partly outside of it.
    pub fn add(&mut self, canvas: &Canvas, areas: &[PixelRect]) {
        let (width, whole) = (canvas.width(), canvas.whole());
        if self.size != [whole.width, whole.height] {
            self.size = [whole.width, whole.height];
            self.shown();
        }
        for area in areas {
            let area = area.and(&whole);
            let length = area.width * area.height;
            if length == 0 {
                continue;
            }
            // What is painted over need not be shown.
            while let Some(place) = self.waiting.iter().position(|patch| patch.area.and(&area) == patch.area) {
                self.spare.push(self.waiting.remove(place).pixels);
            }
            let mut pixels = self.spare.pop().unwrap_or_default();
            pixels.clear();
            pixels.reserve(length);
            for row in canvas.pixels().chunks_exact(width).skip(area.top).take(area.height) {
                pixels.extend_from_slice(&row[area.left..area.left + area.width]);
            }
            self.waiting.push(Patch { area, pixels });
        }
    }

    /// Width and height of the canvas.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// What is to be shown, in this order.
    #[must_use]
    pub fn waiting(&self) -> &[Patch] {
        &self.waiting
    }

    /// Forgets what has been shown.
    pub fn shown(&mut self) {
        self.spare.extend(self.waiting.drain(..).map(|patch| patch.pixels));
    }

    /// Puts everything into a canvas that has been given all patches so far.
    pub fn put_into(&self, canvas: &mut Canvas) {
        canvas.resize(self.size.map(|side| side as u32));
        for Patch { area, pixels } in &self.waiting {
            canvas.put(*area, pixels);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas(size: [u32; 2], first: u32) -> Canvas {
        let mut canvas = Canvas::default();
        canvas.resize(size);
        let pixels: Vec<u32> = (first..first + size[0] * size[1]).collect();
        canvas.put(canvas.whole(), &pixels);
        canvas
    }

    #[test]
    fn a_canvas_that_gets_all_patches_is_the_same() {
        let rect = |left, top, width, height| PixelRect { left, top, width, height };
        let (mut patches, mut other) = (Patches::default(), Canvas::default());
        let first = canvas([4, 3], 100);
        patches.add(&first, &[first.whole()]);
        patches.put_into(&mut other);
        assert_eq!(other, first);
        patches.shown();
        // A part alone, twice over: what is painted over goes no further.
        patches.add(&canvas([4, 3], 200), &[rect(1, 1, 2, 2), rect(3, 2, 9, 9)]);
        patches.add(&canvas([4, 3], 300), &[rect(1, 1, 3, 1), rect(1, 1, 2, 2)]);
        let waiting: Vec<_> = patches.waiting().iter().map(|patch| (patch.area, patch.pixels.clone())).collect();
        let expected = [
            (rect(3, 2, 1, 1), vec![211]),
            (rect(1, 1, 3, 1), vec![305, 306, 307]),
            (rect(1, 1, 2, 2), vec![305, 306, 309, 310]),
        ];
        assert_eq!(waiting, expected);
        patches.put_into(&mut other);
        assert_eq!(other.pixels(), [100, 101, 102, 103, 104, 305, 306, 307, 108, 309, 310, 211]);
        // Of another size nothing is kept.
        let small = canvas([2, 1], 7);
        patches.add(&small, &[small.whole()]);
        patches.put_into(&mut other);
        assert_eq!(other, small);
    }
}
