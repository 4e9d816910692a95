//! [`InterfaceTexture`]: egui's textures, of which the font atlas is the one that is always there.

use std::collections::HashMap;

use egui::{Color32, ImageData, TextureId, TexturesDelta, epaint::ImageDelta};

/// Texels as egui gives them: stored bytes with alpha multiplied in.
#[derive(Debug, Default)]
pub(super) struct InterfaceTexture {
    width: usize,
    height: usize,
    texels: Vec<[u8; 4]>,
}

/// Applies what egui says of its textures; those that it frees must be kept until the frame is painted.
pub(super) fn update(textures: &mut HashMap<TextureId, InterfaceTexture>, delta: &TexturesDelta) {
    for (id, ImageDelta { image: ImageData::Color(image), pos, .. }) in &delta.set {
        let texture = textures.entry(*id).or_default();
        let [width, height] = image.size;
        let [left, top] = pos.unwrap_or_else(|| {
            texture.resize(width, height);
            [0, 0]
        });
        texture.set(left, top, width, &image.pixels);
    }
}

impl InterfaceTexture {
    fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.texels.clear();
        self.texels.resize(width * height, [0; 4]);
    }

    /// Replaces a rectangle; what lies outside is left out.
    fn set(&mut self, left: usize, top: usize, width: usize, pixels: &[Color32]) {
        let visible = width.min(self.width.saturating_sub(left));
        if visible == 0 {
            return;
        }
        let rows = self.texels.chunks_exact_mut(self.width).skip(top);
        for (row, pixels) in rows.zip(pixels.chunks_exact(width)) {
            for (texel, pixel) in row[left..left + visible].iter_mut().zip(pixels) {
                *texel = pixel.to_array();
            }
        }
    }

    /// The bilinear sample at (u, v) in 0 … 1, clamped at the borders: R G B A, 0 … 255.
    #[inline(always)]
    pub(super) fn sample(&self, u: f32, v: f32) -> [f32; 4] {
        let (x, y) = (u * self.width as f32 - 0.5, v * self.height as f32 - 0.5);
        let (left, top) = (libm::floorf(x), libm::floorf(y));
        let (right_part, bottom_part) = (x - left, y - top);
        let column = |x: f32| (x.max(0.0) as usize).min(self.width.saturating_sub(1));
        let row = |y: f32| (y.max(0.0) as usize).min(self.height.saturating_sub(1)) * self.width;
        let texel = |column: usize, row: usize| self.texels.get(row + column).copied().unwrap_or_default();
        let (x0, x1, y0, y1) = (column(left), column(left + 1.0), row(top), row(top + 1.0));
        let (a, b, c, d) = (texel(x0, y0), texel(x1, y0), texel(x0, y1), texel(x1, y1));
        let mut sample = [0.0; 4];
        for i in 0..4 {
            let upper = f32::from(a[i]) + (f32::from(b[i]) - f32::from(a[i])) * right_part;
            let lower = f32::from(c[i]) + (f32::from(d[i]) - f32::from(c[i])) * right_part;
            sample[i] = upper + (lower - upper) * bottom_part;
        }
        sample
    }
}
