//! [`Pen`]: lines in the scene, drawn into the finished picture and hidden by what lies before them.
//!
//! Why not egui's lines: a character has a hundred thousand edges, and each of egui's lines is eight triangles. These are
//! one pixel wide and have no part in any comparison.

use glam::{Mat4, Vec3, Vec4};

use refrast_draw::Convention;
use refrast_skinning::DeformedVertices;

/// Red, green, blue and how much of it covers what is there, of 255.
pub type Ink = [u8; 4];

/// Lines lie on the surface: they are seen when they are behind it by less than this part of the depth range's end.
const BIAS: f32 = 2e-4;

/// Draws lines of the world into a picture.
#[derive(Debug)]
pub struct Pen<'a> {
    /// R G B A bytes, rows from the top.
    pub rgba: &'a mut [u8],
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// World to clip space.
    pub matrix: Mat4,
    /// What clip space is.
    pub convention: Convention,
    /// Window depth of what each pixel shows, which hides what is behind it; `None` where nothing is hidden.
    pub depths: Option<&'a [f32]>,
}

impl Pen<'_> {
    /// Draws every edge once, where triangles that share it run round in the same sense.
    pub fn edges(&mut self, triangles: &[[u32; 3]], vertices: &DeformedVertices, ink: Ink) {
        for &[a, b, c] in triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if from < to {
                    self.line(vertices.position(from as usize).into(), vertices.position(to as usize).into(), ink);
                }
            }
        }
    }

    /// Draws a vector at each vertex, `length` times as long as it is.
    pub fn vectors(&mut self, vertices: &DeformedVertices, [x, y, z]: [&[f32]; 3], length: f32, ink: Ink) {
        for vertex in 0..vertices.len() {
            let from = Vec3::from(vertices.position(vertex));
            self.line(from, from + Vec3::new(x[vertex], y[vertex], z[vertex]) * length, ink);
        }
    }

    /// Draws a line.
    pub fn line(&mut self, from: Vec3, to: Vec3, ink: Ink) {
        let Some((from, to)) = before_the_eye(self.matrix * from.extend(1.0), self.matrix * to.extend(1.0)) else {
            return;
        };
        let (from, to) = (self.window(from), self.window(to));
        let along = to - from;
        let steps = along.x.abs().max(along.y.abs());
        let Some((first, last)) = self.visible(from, along) else { return };
        let count = (steps * (last - first)).max(0.0) as usize;
        for step in 0..=count {
            let at = from + along * (first + (last - first) * step as f32 / count.max(1) as f32);
            self.dot(at, ink);
        }
    }

    /// Pixels from the left, pixels from the top, window depth.
    fn window(&self, clip: Vec4) -> Vec3 {
        let ndc = clip.truncate() / clip.w;
        let y = if self.convention == Convention::Vulkan { ndc.y } else { -ndc.y };
        let z = if self.convention == Convention::OpenGl { ndc.z * 0.5 + 0.5 } else { ndc.z };
        Vec3::new((ndc.x * 0.5 + 0.5) * self.width as f32, (y * 0.5 + 0.5) * self.height as f32, z)
    }

    /// Between which parts of its length a line is in the picture (Liang and Barsky, 1984).
    fn visible(&self, from: Vec3, along: Vec3) -> Option<(f32, f32)> {
        let (mut first, mut last) = (0.0f32, 1.0f32);
        for (start, step, size) in [(from.x, along.x, self.width), (from.y, along.y, self.height)] {
            for (distance, speed) in [(start, -step), (size as f32 - start, step)] {
                if speed > 0.0 {
                    last = last.min(distance / speed);
                } else if speed < 0.0 {
                    first = first.max(distance / speed);
                } else if distance < 0.0 {
                    return None;
                }
            }
        }
        (first <= last).then_some((first, last))
    }

    fn dot(&mut self, at: Vec3, [red, green, blue, cover]: Ink) {
        let (x, y) = (at.x as usize, at.y as usize);
        if at.x < 0.0 || at.y < 0.0 || x >= self.width || y >= self.height {
            return;
        }
        let place = y * self.width + x;
        // Depth crowds at the far end: what is left to it tells how much a step means.
        // The grid goes on behind the far plane, where nothing else is.
        let depth = at.z.min(1.0);
        if self.depths.is_some_and(|depths| depth > depths[place] + BIAS + (1.0 - depths[place]) * 0.01) {
            return;
        }
        for (byte, ink) in self.rgba[4 * place..4 * place + 3].iter_mut().zip([red, green, blue]) {
            let (under, ink, cover) = (u32::from(*byte), u32::from(ink), u32::from(cover));
            *byte = ((under * (255 - cover) + ink * cover + 127) / 255) as u8;
        }
    }
}

/// The part of a line that the eye can see, in clip space; `None` where all of it is behind.
fn before_the_eye(from: Vec4, to: Vec4) -> Option<(Vec4, Vec4)> {
    const NEAREST: f32 = 1e-5;
    let cut = |behind: Vec4, before: Vec4| behind + (before - behind) * ((NEAREST - behind.w) / (before.w - behind.w));
    match (from.w > NEAREST, to.w > NEAREST) {
        (true, true) => Some((from, to)),
        (true, false) => Some((from, cut(to, from))),
        (false, true) => Some((cut(from, to), to)),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_picture_and_hidden_by_depth() {
        let mut rgba = vec![0; 4 * 8 * 4];
        // Row 1 is covered by something nearer than the line.
        let depths: Vec<f32> = (0..32).map(|place| if place / 8 == 1 { 0.1 } else { 1.0 }).collect();
        let mut pen = Pen {
            rgba: &mut rgba,
            width: 8,
            height: 4,
            matrix: Mat4::IDENTITY,
            convention: Convention::Vulkan,
            depths: Some(&depths),
        };
        // Down the column 2, from far above to far below, at depth 0.5.
        pen.line(Vec3::new(-0.4, -9.0, 0.5), Vec3::new(-0.4, 9.0, 0.5), [255, 0, 0, 255]);
        let drawn: Vec<usize> = (0..32).filter(|place| rgba[4 * place] == 255).collect();
        assert_eq!(drawn, [2, 18, 26]);
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let (near, far) = (Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(2.0, 0.0, 0.0, -1.0));
        let (from, to) = before_the_eye(far, near).expect("half of it is seen");
        assert!((from.x - 1.0).abs() < 1e-4 && from.w > 0.0);
        assert_eq!(to, near);
        assert_eq!(before_the_eye(far, far), None);
    }
}
