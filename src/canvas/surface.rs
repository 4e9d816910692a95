//! [`Surface`]: which triangle is seen at each pixel, so that numbers of vertices can be painted over a finished picture.
//!
//! Why not another fragment shader: every shader type is compiled for each SIMD level and sample count, for a picture
//! that only a person looks at. The triangles of the last frame are still there, with their exact edge functions and the
//! depth that the rasteriser compared, so that going over them again gives the same surface. What alpha cuts out or lets
//! through counts as solid here, and of four samples the first one counts.

use super::{
    colors::ColorBar,
    pick::{Corners, ndc_of},
};
use refrast_render::Renderer;
use refrast_threads::{self as threads, Chunks, over};

/// Rows that one task looks at.
const BAND: usize = 16;
/// Triangles that a thread asks for the colours of at once.
const TASK_TRIANGLES: usize = 1 << 10;
/// The pixel shows no triangle.
const NOTHING: u32 = u32::MAX;

/// The triangle that is seen at each pixel.
#[derive(Debug, Default)]
pub struct Surface {
    width: usize,
    corners: Vec<Corners>,
    owner: Vec<u32>,
    depths: Vec<f32>,
}

impl Surface {
    /// The surface of a renderer's last frame.
    #[must_use]
    pub fn of(renderer: &Renderer<'_>) -> Self {
        let settings = renderer.settings();
        let (width, height) = (settings.width as usize, settings.height as usize);
        let bits = settings.subpixel_bits;
        let [sample_x, sample_y] = settings.samples.positions()[0].map(|sixteenths| sixteenths << (bits - 4));
        let draws: Vec<_> = renderer.stage().drawn_vertices().collect();
        let mut corners = Vec::new();
        let mut triangles = Vec::new();
        for (draw, triangle) in renderer.triangles() {
            corners.push(Corners::of(&draws[draw], draw, triangle));
            triangles.push(*triangle);
        }
        let mut owner = vec![NOTHING; width * height];
        let mut depths = vec![1.0; width * height];
        let bands = (Chunks::new(&mut owner, BAND * width), Chunks::new(&mut depths, BAND * width));
        over(bands, |band, (owner, depths)| {
            let (top, rows) = (band * BAND, owner.len() / width);
            for (number, triangle) in triangles.iter().enumerate() {
                let corner = [0, 1, 2].map(|i| triangle.corner(i));
                let range = |axis: usize, first: usize, count: usize, sample: i64| {
                    let sides = corner.map(|corner| i64::from(corner[axis]) - sample);
                    let low = (sides[0].min(sides[1]).min(sides[2]) >> bits).max(first as i64);
                    let high = (sides[0].max(sides[1]).max(sides[2]) >> bits).min((first + count) as i64 - 1);
                    low..=high
                };
                let columns = range(0, 0, width, sample_x);
                let lines = range(1, top, rows, sample_y);
                if columns.is_empty() || lines.is_empty() {
                    continue;
                }
                let edges = triangle.edges();
                for y in lines {
                    for x in columns.clone() {
                        let (at_x, at_y) = ((x << bits) + sample_x, (y << bits) + sample_y);
                        if !edges.covers(at_x, at_y) {
                            continue;
                        }
                        let depth = triangle.depth_at(at_x, at_y);
                        let place = (y as usize - top) * width + x as usize;
                        if depth < depths[place] || (owner[place] == NOTHING && depth <= 1.0) {
                            (depths[place], owner[place]) = (depth, number as u32);
                        }
                    }
                }
            }
        });
        Self { width, corners, owner, depths }
    }

    /// Window depth of each pixel; 1 where nothing is seen.
    #[must_use]
    pub fn depths(&self) -> &[f32] {
        &self.depths
    }

    /// Paints over R G B A bytes of the picture: `color` gets the triangle.
    pub fn paint_triangles(&self, rgba: &mut [u8], color: &(dyn Fn(&Corners) -> Option<[u8; 3]> + Sync)) {
        // A triangle is asked for once, not once a pixel.
        let colors = threads::filled(self.corners.len(), TASK_TRIANGLES, |triangle| color(&self.corners[triangle]));
        over(Chunks::new(rgba.as_chunks_mut::<4>().0, self.width), |y, pixels| {
            for (pixel, &owner) in pixels.iter_mut().zip(self.owner.iter().skip(y * self.width)) {
                if let Some(Some(color)) = colors.get(owner as usize) {
                    tint(pixel, *color);
                }
            }
        });
    }

    /// Paints over R G B A bytes of the picture the interpolated values of its vertices, in the colours of a bar.
    ///
    /// `values` holds for each draw one number a vertex of its primitive; what is not finite is not painted.
    pub fn paint(&self, renderer: &Renderer<'_>, rgba: &mut [u8], values: &[Vec<f32>], bar: &ColorBar) {
        let settings = *renderer.settings();
        over(Chunks::new(rgba.as_chunks_mut::<4>().0, self.width), |y, pixels| {
            let owners = self.owner.iter().skip(y * self.width);
            for (x, (pixel, &owner)) in pixels.iter_mut().zip(owners).enumerate() {
                let Some(corners) = self.corners.get(owner as usize) else { continue };
                let Some(weights) = corners.weights(ndc_of(&settings, [x as u32, y as u32])) else { continue };
                let Some(values) = values.get(corners.draw) else { continue };
                let value =
                    corners.vertices.iter().zip(weights).map(|(&vertex, weight)| f64::from(values[vertex]) * weight);
                let value = value.sum::<f64>() as f32;
                if value.is_finite() {
                    tint(pixel, bar.color(value));
                }
            }
        });
    }
}

/// Colours a pixel; a quarter of the shading stays, so that the shape can be seen.
fn tint(pixel: &mut [u8; 4], color: [u8; 3]) {
    let shade = pixel.iter().take(3).map(|&byte| u32::from(byte)).sum::<u32>() / 3;
    for (byte, color) in pixel.iter_mut().zip(color) {
        *byte = ((u32::from(color) * (192 + shade / 2)) / 320) as u8;
    }
}
