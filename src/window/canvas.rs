//! [`Canvas`]: the pixels of the window.

use std::path::Path;

use rayon::prelude::*;

use super::WindowError;
use crate::golden::Picture;

/// The pixels of the window, as windows take them: `0x00RRGGBB`, rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    pixels: Vec<u32>,
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

    /// Copies R G B A bytes to a place; what lies outside of the canvas is left out.
    pub(super) fn copy(&mut self, at: PixelRect, rgba: &[u8]) {
        let width = self.width;
        let visible = at.width.min(width.saturating_sub(at.left));
        if visible == 0 {
            return;
        }
        let rows = self.pixels.par_chunks_exact_mut(width).skip(at.top);
        rows.zip(rgba.par_chunks_exact(at.width * 4)).for_each(|(row, rgba)| {
            for (pixel, &[red, green, blue, _]) in
                row[at.left..at.left + visible].iter_mut().zip(rgba.as_chunks::<4>().0)
            {
                *pixel = u32::from_be_bytes([0, red, green, blue]);
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
        let rgba: Vec<u8> = (self.pixels.iter())
            .flat_map(|pixel| {
                let [_, red, green, blue] = pixel.to_be_bytes();
                [red, green, blue, 255]
            })
            .collect();
        let failed = |reason: String| WindowError::Screenshot { path: path.display().to_string(), reason };
        let picture = Picture::from_rgba8(self.width as u32, self.height() as u32, rgba);
        picture.map_err(|error| failed(error.to_string()))?.write(path).map_err(|error| failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_covers_by_its_alpha_and_pictures_are_cut_at_the_edge() {
        let mut canvas = Canvas::default();
        canvas.resize([2, 2]);
        canvas.copy(PixelRect { left: 1, top: 0, width: 2, height: 2 }, &[200, 100, 0, 255].repeat(4));
        assert_eq!(canvas.pixels(), [0, 0x00c8_6400, 0, 0x00c8_6400]);
        // Half of white over (200, 100, 0): 128 + 200 · 127/255 = 227.6, 128 + 49.8 = 177.8, 128.
        canvas.lay_over(&[[0; 4], [128, 128, 128, 128], [255; 4], [0; 4]]);
        assert_eq!(canvas.pixels(), [0, 0x00e4_b280, 0x00ff_ffff, 0x00c8_6400]);
    }
}
