//! [`Canvas`]: the pixels of the window.

use std::path::Path;

use rayon::prelude::*;

use super::{WindowError, magnify::PicturePlace};
use refrast_golden::{Picture, PictureError};

/// The pixels of the window, as windows take them: `0x00RRGGBB`, rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    pixels: Vec<u32>,
}

/// What is shown beside a picture that does not fill its area.
const BESIDE: u32 = 0x0010_1216;

/// The pixels of a picture.
#[derive(Clone, Copy)]
struct Source<'a> {
    pixels: &'a [[u8; 4]],
    marks: &'a [bool],
    width: usize,
}

/// The first and the last column (or row) of the picture that a column (or row) of the window stands for.
fn covered(at: usize, place: &PicturePlace, axis: usize) -> Option<(usize, usize)> {
    let in_picture = |at: f32| (at - place.origin[axis]) / place.factor;
    let size = place.size[axis] as f32;
    let (first, end) = (in_picture(at as f32), in_picture(at as f32 + 1.0));
    if end <= 0.0 || first >= size {
        return None;
    }
    let last_pixel = place.size[axis] as usize - 1;
    let first = (first.max(0.0) as usize).min(last_pixel);
    // A window pixel that is smaller than a pixel of the picture shows that one.
    let last =
        if place.factor >= 1.0 { first } else { (end.ceil() as usize).saturating_sub(1).clamp(first, last_pixel) };
    Some((first, last))
}

impl Source<'_> {
    /// The mean of a block of pixels, or of the marked ones in it.
    fn mean(&self, (left, right): (usize, usize), (top, bottom): (usize, usize)) -> u32 {
        let block = || (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * self.width + x));
        let is_marked = |place: usize| self.marks.get(place).copied().unwrap_or(false);
        let only_marked = block().any(is_marked);
        let (mut sum, mut count) = ([0u32; 3], 0u32);
        for place in block().filter(|&place| !only_marked || is_marked(place)) {
            let Some(pixel) = self.pixels.get(place) else { continue };
            for (sum, &byte) in sum.iter_mut().zip(pixel) {
                *sum += u32::from(byte);
            }
            count += 1;
        }
        let [red, green, blue] = sum.map(|sum| ((sum + count / 2) / count.max(1)) as u8);
        u32::from_be_bytes([0, red, green, blue])
    }
}

/// A rectangle of whole pixels: left, top, width, height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PixelRect {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Canvas {
    /// Pixels a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.pixels.len().checked_div(self.width).unwrap_or(0)
    }

    /// Rows from the top, `0x00RRGGBB`.
    #[must_use]
    pub fn pixels(&self) -> &[u32] {
        &self.pixels
    }

    pub(super) fn resize(&mut self, [width, height]: [u32; 2]) {
        self.width = width as usize;
        self.pixels.clear();
        self.pixels.resize(width as usize * height as usize, 0);
    }

    /// Shows R G B A bytes at a place; what lies outside of its area or of the canvas is left out.
    ///
    /// Where pixels are made smaller, a window pixel shows the mean of those it stands for; of marked ones alone where
    /// some are, so that no mark is lost. `marks` is empty or holds one a pixel.
    pub(super) fn show(&mut self, place: &PicturePlace, rgba: &[u8], marks: &[bool]) {
        let (width, area) = (self.width, place.area);
        let visible = area.width.min(width.saturating_sub(area.left));
        if visible == 0 {
            return;
        }
        let source = Source { pixels: rgba.as_chunks::<4>().0, marks, width: place.size[0] as usize };
        let as_it_is = *place == PicturePlace::whole(area);
        let columns: Vec<Option<(usize, usize)>> =
            (area.left..area.left + visible).map(|x| covered(x, place, 0)).collect();
        let rows = self.pixels.par_chunks_exact_mut(width).enumerate().skip(area.top).take(area.height);
        rows.for_each(|(y, row)| {
            let row = &mut row[area.left..area.left + visible];
            if as_it_is {
                let start = (y - area.top) * source.width;
                for (pixel, &[red, green, blue, _]) in row.iter_mut().zip(&source.pixels[start..]) {
                    *pixel = u32::from_be_bytes([0, red, green, blue]);
                }
                return;
            }
            let lines = covered(y, place, 1);
            for (pixel, columns) in row.iter_mut().zip(&columns) {
                *pixel = match (*columns, lines) {
                    (Some(columns), Some(lines)) => source.mean(columns, lines),
                    _ => BESIDE,
                };
            }
        });
    }

    /// Lays a picture of the same size over this one: R G B with alpha multiplied in, all in stored bytes.
    pub(super) fn lay_over(&mut self, layer: &[[u8; 4]]) {
        let chunk = self.width.max(1);
        self.pixels.par_chunks_mut(chunk).zip(layer.par_chunks(chunk)).for_each(|(pixels, layer)| {
            for (pixel, &[red, green, blue, alpha]) in pixels.iter_mut().zip(layer) {
                if alpha == 0 {
                    continue;
                }
                let through = 255 - u32::from(alpha);
                let [_, under_red, under_green, under_blue] = pixel.to_be_bytes();
                let over = |source: u8, under: u8| {
                    // Rounded division by 255.
                    let product = u32::from(under) * through + 128;
                    (u32::from(source) + ((product + (product >> 8)) >> 8)).min(255) as u8
                };
                *pixel =
                    u32::from_be_bytes([0, over(red, under_red), over(green, under_green), over(blue, under_blue)]);
            }
        });
    }

    /// Writes the canvas as a PNG file.
    ///
    /// # Errors
    ///
    /// When the file can not be written.
    pub fn write(&self, path: &Path) -> Result<(), WindowError> {
        let failed = |error: PictureError| WindowError::Screenshot {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        self.picture().map_err(failed)?.write(path).map_err(failed)
    }

    /// The canvas as a picture.
    ///
    /// # Errors
    ///
    /// When it has no pixels.
    pub fn picture(&self) -> Result<Picture, PictureError> {
        let rgba: Vec<u8> = (self.pixels.iter())
            .flat_map(|pixel| {
                let [_, red, green, blue] = pixel.to_be_bytes();
                [red, green, blue, 255]
            })
            .collect();
        Picture::from_rgba8(self.width as u32, self.height() as u32, rgba)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_covers_by_its_alpha_and_pictures_are_cut_at_the_edge() {
        let mut canvas = Canvas::default();
        canvas.resize([2, 2]);
        let area = PixelRect { left: 1, top: 0, width: 2, height: 2 };
        canvas.show(&PicturePlace::whole(area), &[200, 100, 0, 255].repeat(4), &[]);
        assert_eq!(canvas.pixels(), [0, 0x00c8_6400, 0, 0x00c8_6400]);
        // Half of white over (200, 100, 0): 128 + 200 · 127/255 = 227.6, 128 + 49.8 = 177.8, 128.
        canvas.lay_over(&[[0; 4], [128, 128, 128, 128], [255; 4], [0; 4]]);
        assert_eq!(canvas.pixels(), [0, 0x00e4_b280, 0x00ff_ffff, 0x00c8_6400]);
    }

    #[test]
    fn pixels_become_larger_or_their_mean_and_marks_are_kept() {
        let area = PixelRect { left: 0, top: 0, width: 4, height: 2 };
        // Three pixels in a row: 0, 90 and 60 of red.
        let rgba: Vec<u8> = [0, 90, 60].into_iter().flat_map(|red| [red, 0, 0, 255]).collect();
        let mut canvas = Canvas::default();
        canvas.resize([4, 2]);
        let part = |factor, x| Some(crate::Magnified { factor, middle: [x, 0.5] });
        canvas.show(&PicturePlace::of(area, [3, 1], part(2.0, 2.0)), &rgba, &[]);
        let red = |red: u32| red << 16;
        assert_eq!(canvas.pixels()[..4], [red(90), red(90), red(60), red(60)]);
        // Columns 1 and 2 are inside at a third of the size; all three pixels are in the last one.
        canvas.show(&PicturePlace::of(area, [3, 1], part(1.0 / 3.0, 0.0)), &rgba, &[]);
        assert_eq!(canvas.pixels()[4..], [BESIDE, BESIDE, red(50), BESIDE]);
        canvas.show(&PicturePlace::of(area, [3, 1], part(1.0 / 3.0, 0.0)), &rgba, &[false, true, false]);
        assert_eq!(canvas.pixels()[4..], [BESIDE, BESIDE, red(90), BESIDE]);
    }
}
