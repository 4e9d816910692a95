//! [`InterfaceTexture`]: egui's textures, of which the font atlas is the one that is always there.

use std::collections::HashMap;

use egui::{Color32, ImageData, Rect, TextureId, TexturesDelta, epaint::ImageDelta, pos2};

/// Texels as egui gives them: stored bytes with alpha multiplied in.
#[derive(Debug, Default)]
pub(super) struct InterfaceTexture {
    width: usize,
    height: usize,
    texels: Vec<[u8; 4]>,
}

/// Applies what egui says of its textures; those that it frees must be kept until the frame is painted.
///
/// Gives for each texture the texture coordinates at which samples may be others than before: letters that were not needed
/// yet come into the font atlas one by one.
pub(super) fn update(
    textures: &mut HashMap<TextureId, InterfaceTexture>,
    delta: &TexturesDelta,
) -> Vec<(TextureId, Rect)> {
    let mut changed = Vec::new();
    for (id, ImageDelta { image: ImageData::Color(image), pos, .. }) in &delta.set {
        let texture = textures.entry(*id).or_default();
        let [width, height] = image.size;
        let [left, top] = pos.unwrap_or_else(|| {
            texture.resize(width, height);
            changed.push((*id, Rect::EVERYTHING));
            [0, 0]
        });
        changed.extend(texture.set(left, top, width, &image.pixels).map(|area| (*id, area)));
    }
    changed
}

impl InterfaceTexture {
    fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.texels.clear();
        self.texels.resize(width * height, [0; 4]);
    }

    /// Replaces a rectangle; what lies outside is left out. Gives the texture coordinates of all samples that change.
    fn set(&mut self, left: usize, top: usize, width: usize, pixels: &[Color32]) -> Option<Rect> {
        let visible = width.min(self.width.saturating_sub(left));
        if visible == 0 {
            return None;
        }
        let mut changed = Rect::NOTHING;
        let rows = self.texels.chunks_exact_mut(self.width).enumerate().skip(top);
        for ((y, row), pixels) in rows.zip(pixels.chunks_exact(width)) {
            for ((x, texel), pixel) in row.iter_mut().enumerate().skip(left).zip(&pixels[..visible]) {
                if *texel != pixel.to_array() {
                    *texel = pixel.to_array();
                    changed.extend_with(pos2(x as f32, y as f32));
                }
            }
        }
        // A sample between two texels is of both.
        let [width, height] = [self.width as f32, (self.texels.len() / self.width) as f32];
        let at = |x: f32, y: f32| pos2(x / width, y / height);
        changed.is_finite().then(|| {
            let (min, max) = (changed.min, changed.max);
            Rect::from_min_max(at(min.x - 1.0, min.y - 1.0), at(max.x + 2.0, max.y + 2.0))
        })
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
