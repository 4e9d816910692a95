//! [`Canvas`]: the pixels of the window.

use std::{ops::Range, path::Path};

use super::magnify::PicturePlace;
use refrast_measure::{Picture, PictureError};
use refrast_threads::{Chunks, over};

/// The pixels of the window, as windows take them: `0x00RRGGBB`, rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    pixels: Vec<u32>,
}

/// What is shown beside a picture that does not fill its area.
const BESIDE: u32 = 0x0010_1216;

/// Rows that one task paints at least.
const ROWS: usize = 16;
/// Pixels that are looked at together: most of a layer is empty.
const TOGETHER: usize = 16;

/// A picture that is shown: R G B A bytes at a place. What lies outside of its area is left out.
///
/// Where pixels are made smaller, a window pixel shows the mean of those it stands for; of marked ones alone where some are, so
/// that no mark is lost.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Where it stands in the window.
    pub place: &'a PicturePlace,
    /// Its pixels, rows from the top.
    pub pixels: &'a [[u8; 4]],
    /// None, or one a pixel.
    pub marks: &'a [bool],
}

/// Some columns of the window with what they show of a picture.
struct Columns<'a> {
    shown: &'a Shown<'a>,
    /// Those of the window.
    window: Range<usize>,
    /// Those of them that belong to the picture's area.
    area: Range<usize>,
    /// For each of the area what it covers, where the picture is magnified.
    covered: Vec<Option<(usize, usize)>>,
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

impl<'a> Columns<'a> {
    fn of(shown: &'a Shown<'a>, window: Range<usize>) -> Self {
        let PixelRect { left, width, .. } = shown.place.area;
        let start = left.clamp(window.start, window.end);
        let area = start..(left + width).clamp(start, window.end);
        let covered = match shown.is_as_it_is() {
            true => Vec::new(),
            false => area.clone().map(|x| covered(x, shown.place, 0)).collect(),
        };
        Self { shown, window, area, covered }
    }

    /// Paints these columns of row `y` of the window.
    fn paint(&self, y: usize, row: &mut [u32]) {
        let PicturePlace { area, size, .. } = *self.shown.place;
        if self.area.is_empty() || !(area.top..area.top + area.height).contains(&y) {
            row.fill(0);
            return;
        }
        let (start, end) = (self.area.start - self.window.start, self.area.end - self.window.start);
        row[..start].fill(0);
        row[end..].fill(0);
        let row = &mut row[start..end];
        if self.shown.is_as_it_is() {
            let first = (y - area.top) * size[0] as usize + self.area.start - area.left;
            for (pixel, &[red, green, blue, _]) in row.iter_mut().zip(&self.shown.pixels[first..]) {
                *pixel = u32::from_be_bytes([0, red, green, blue]);
            }
            return;
        }
        let lines = covered(y, self.shown.place, 1);
        for (pixel, columns) in row.iter_mut().zip(&self.covered) {
            *pixel = match (*columns, lines) {
                (Some(columns), Some(lines)) => self.shown.mean(columns, lines),
                _ => BESIDE,
            };
        }
    }
}

impl Shown<'_> {
    /// Whether each of its pixels is one of the window's.
    fn is_as_it_is(&self) -> bool {
        *self.place == PicturePlace::whole(self.place.area)
    }

    /// The mean of a block of pixels, or of the marked ones in it.
    fn mean(&self, (left, right): (usize, usize), (top, bottom): (usize, usize)) -> u32 {
        let block = || (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * self.place.size[0] as usize + x));
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

/// Lays a row of pixels with alpha multiplied in over another.
fn lay_over(row: &mut [u32], layer: &[[u8; 4]]) {
    for (row, layer) in row.chunks_mut(TOGETHER).zip(layer.chunks(TOGETHER)) {
        // Whole words side by side: to compare with an array would be a call for each.
        if layer.iter().fold(0, |all, pixel| all | u32::from_ne_bytes(*pixel)) == 0 {
            continue;
        }
        for (pixel, &[red, green, blue, alpha]) in row.iter_mut().zip(layer) {
            let through = 255 - u32::from(alpha);
            let [_, under_red, under_green, under_blue] = pixel.to_be_bytes();
            let over = |source: u8, under: u8| {
                // Rounded division by 255.
                let product = u32::from(under) * through + 128;
                (u32::from(source) + ((product + (product >> 8)) >> 8)).min(255) as u8
            };
            *pixel = u32::from_be_bytes([0, over(red, under_red), over(green, under_green), over(blue, under_blue)]);
        }
    }
}

/// A rectangle of whole pixels: left, top, width, height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelRect {
    /// The first column.
    pub left: usize,
    /// The first row.
    pub top: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl PixelRect {
    /// The rectangle around both.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let [left, top] = [self.left.min(other.left), self.top.min(other.top)];
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        Self { left, top, width: right - left, height: bottom - top }
    }

    /// The pixels of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let [left, top] = [self.left.max(other.left), self.top.max(other.top)];
        let right = (self.left + self.width).min(other.left + other.width).max(left);
        let bottom = (self.top + self.height).min(other.top + other.height).max(top);
        Self { left, top, width: right - left, height: bottom - top }
    }
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

    /// Takes a size; tells whether it is another one, and the canvas empty.
    pub fn resize(&mut self, [width, height]: [u32; 2]) -> bool {
        let (width, length) = (width as usize, width as usize * height as usize);
        if (self.width, self.pixels.len()) == (width, length) {
            return false;
        }
        self.width = width;
        self.pixels.clear();
        self.pixels.resize(length, 0);
        true
    }

    /// All of it.
    #[must_use]
    pub fn whole(&self) -> PixelRect {
        PixelRect { left: 0, top: 0, width: self.width, height: self.height() }
    }

    /// Takes the pixels of a rectangle inside of it, row by row.
    pub fn put(&mut self, area: PixelRect, pixels: &[u32]) {
        let (width, columns) = (self.width.max(1), area.left..area.left + area.width);
        let rows = self.pixels.chunks_exact_mut(width).skip(area.top).take(area.height);
        for (row, pixels) in rows.zip(pixels.chunks_exact(area.width.max(1))) {
            row[columns.clone()].copy_from_slice(pixels);
        }
    }

    /// Paints rectangles anew: the picture, and over it the `layer`, which is as large as the canvas and has alpha multiplied in,
    /// all in stored bytes.
    pub fn paint(&mut self, areas: &[PixelRect], picture: Option<&Shown<'_>>, layer: &[[u8; 4]]) {
        let (width, whole) = (self.width, self.whole());
        for area in areas {
            let own = area.and(&whole);
            if own.width == 0 || own.height == 0 {
                continue;
            }
            let columns = own.left..own.left + own.width;
            let picture = picture.map(|picture| Columns::of(picture, columns.clone()));
            let rows = own.top * width..(own.top + own.height) * width;
            over(Chunks::new(&mut self.pixels[rows], ROWS * width), |piece, rows| {
                let first = own.top + piece * ROWS;
                let layers = layer.chunks_exact(width).skip(first);
                for (y, (row, layer)) in (first..).zip(rows.chunks_exact_mut(width).zip(layers)) {
                    let row = &mut row[columns.clone()];
                    match &picture {
                        Some(picture) => picture.paint(y, row),
                        None => row.fill(0),
                    }
                    lay_over(row, &layer[columns.clone()]);
                }
            });
        }
    }

    /// Writes the canvas as a PNG file.
    ///
    /// # Errors
    ///
    /// When the file can not be written.
    pub fn write(&self, path: &Path) -> Result<(), PictureError> {
        self.picture()?.write(path)
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
        assert!(canvas.resize([2, 2]) && !canvas.resize([2, 2]));
        let place = PicturePlace::whole(PixelRect { left: 1, top: 0, width: 2, height: 2 });
        let shown = Shown { place: &place, pixels: &[[200, 100, 0, 255]; 4], marks: &[] };
        let whole = [canvas.whole()];
        canvas.paint(&whole, Some(&shown), &[[0; 4]; 4]);
        assert_eq!(canvas.pixels(), [0, 0x00c8_6400, 0, 0x00c8_6400]);
        // Half of white over (200, 100, 0): 128 + 200 · 127/255 = 227.6, 128 + 49.8 = 177.8, 128.
        let layer = [[0; 4], [128, 128, 128, 128], [255; 4], [0; 4]];
        canvas.paint(&whole, Some(&shown), &layer);
        assert_eq!(canvas.pixels(), [0, 0x00e4_b280, 0x00ff_ffff, 0x00c8_6400]);
        // What is painted once more is not laid over itself, and what is not painted stays.
        let column = PixelRect { left: 1, top: 0, width: 9, height: 9 };
        canvas.paint(&[column], Some(&shown), &layer);
        assert_eq!(canvas.pixels(), [0, 0x00e4_b280, 0x00ff_ffff, 0x00c8_6400]);
        let beside = PixelRect { left: 0, top: 0, width: 1, height: 2 };
        canvas.paint(&[beside], Some(&shown), &layer);
        assert_eq!(canvas.pixels(), [0, 0x00e4_b280, 0x00ff_ffff, 0x00c8_6400]);
        canvas.paint(&[column], None, &[[0; 4]; 4]);
        assert_eq!(canvas.pixels(), [0, 0, 0x00ff_ffff, 0]);
    }

    #[test]
    fn pixels_become_larger_or_their_mean_and_marks_are_kept() {
        let area = PixelRect { left: 0, top: 0, width: 4, height: 2 };
        // Three pixels in a row: 0, 90 and 60 of red.
        let pixels = [0, 90, 60].map(|red| [red, 0, 0, 255]);
        let mut canvas = Canvas::default();
        canvas.resize([4, 2]);
        let mut paint = |factor, x, marks: &[bool]| {
            let place = PicturePlace::of(area, [3, 1], Some(crate::Magnified { factor, middle: [x, 0.5] }));
            canvas.paint(&[area], Some(&Shown { place: &place, pixels: &pixels, marks }), &[[0; 4]; 8]);
            canvas.pixels().to_vec()
        };
        let red = |red: u32| red << 16;
        assert_eq!(paint(2.0, 2.0, &[])[..4], [red(90), red(90), red(60), red(60)]);
        // Columns 1 and 2 are inside at a third of the size; all three pixels are in the last one.
        assert_eq!(paint(1.0 / 3.0, 0.0, &[])[4..], [BESIDE, BESIDE, red(50), BESIDE]);
        assert_eq!(paint(1.0 / 3.0, 0.0, &[false, true, false])[4..], [BESIDE, BESIDE, red(90), BESIDE]);
    }
}
