//! A picture that is painted by triangles: each texel on a chart takes what its place on the figure has.
//!
//! Because that is a function of place, charts need no matching borders. Texels off the charts take the colour of
//! their nearest painted neighbours, so that filtering at a chart's border finds nothing foreign.

use crate::atlas::SIZE;
use glam::{DVec2, DVec3};
use std::io;

/// What a picture's bytes stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColorSpace {
    /// Colours as a screen shows them.
    Srgb,
    /// Numbers.
    Linear,
}

/// A picture of [`SIZE`]² texels.
pub(crate) struct Picture {
    texels: Vec<Option<[u8; 3]>>,
}

impl Picture {
    pub(crate) fn new() -> Self {
        Self { texels: vec![None; SIZE * SIZE] }
    }

    /// Paints a triangle: texture coordinates of its corners, and what to evaluate, 0 to 255, at the barycentric
    /// coordinates of each texel whose centre it holds.
    pub(crate) fn triangle(&mut self, corners: [DVec2; 3], color: impl Fn(DVec3) -> DVec3) {
        let [a, b, c] = corners.map(|corner| corner * SIZE as f64);
        let area = (b - a).perp_dot(c - a);
        if area.abs() < 1e-9 {
            return;
        }
        let low = a.min(b).min(c).floor();
        let high = a.max(b).max(c).ceil();
        for y in low.y as usize..(high.y as usize).min(SIZE) {
            for x in low.x as usize..(high.x as usize).min(SIZE) {
                let center = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                let second = (center - a).perp_dot(c - a) / area;
                let third = (b - a).perp_dot(center - a) / area;
                let first = 1.0 - second - third;
                // A hair of overlap leaves no pinholes between triangles.
                if first.min(second).min(third) >= -1e-6 {
                    let bytes =
                        color(DVec3::new(first, second, third)).to_array().map(|v| (v + 0.5).clamp(0.0, 255.0) as u8);
                    self.texels[y * SIZE + x] = Some(bytes);
                }
            }
        }
    }

    /// The share of texels that triangles painted.
    pub(crate) fn coverage(&self) -> f64 {
        self.texels.iter().flatten().count() as f64 / self.texels.len() as f64
    }

    /// Grows the painted texels outwards, then fills what is left with the mean colour.
    pub(crate) fn fill_gaps(&mut self) {
        for _ in 0..16 {
            let before = self.texels.clone();
            for (index, texel) in self.texels.iter_mut().enumerate().filter(|(_, texel)| texel.is_none()) {
                let (x, y) = ((index % SIZE) as i64, (index / SIZE) as i64);
                let near = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
                let edge = SIZE as i64;
                let near = near.filter(|&(x, y)| (0..edge).contains(&x) && (0..edge).contains(&y));
                let near: Vec<[u8; 3]> = near.filter_map(|(x, y)| before[(y * edge + x) as usize]).collect();
                *texel = (!near.is_empty()).then(|| mean(&near));
            }
        }
        let painted: Vec<[u8; 3]> = self.texels.iter().flatten().copied().collect();
        let rest = mean(&painted);
        self.texels.iter_mut().for_each(|texel| *texel = Some(texel.unwrap_or(rest)));
    }

    /// The picture as a PNG file's bytes, with fixed settings.
    pub(crate) fn png(&self, space: ColorSpace) -> io::Result<Vec<u8>> {
        let bytes: Vec<u8> = self.texels.iter().flat_map(|texel| texel.unwrap_or_default()).collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, SIZE as u32, SIZE as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        if space == ColorSpace::Srgb {
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        }
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&bytes).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)?;
        Ok(file)
    }
}

/// The mean colour, rounded; black of nothing.
fn mean(colors: &[[u8; 3]]) -> [u8; 3] {
    let count = colors.len().max(1);
    std::array::from_fn(|channel| {
        let sum: usize = colors.iter().map(|color| usize::from(color[channel])).sum();
        ((sum + count / 2) / count) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_paints_the_texels_whose_centres_it_holds() {
        let mut picture = Picture::new();
        let at = |x: f64, y: f64| DVec2::new(x, y) / SIZE as f64;
        picture.triangle([at(0.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)], |_| DVec3::splat(9.0));
        let painted: Vec<usize> =
            (0..4).map(|y| (0..4).filter(|x| picture.texels[y * SIZE + x].is_some()).count()).collect();
        // Centres on the long side count.
        assert_eq!(painted, [4, 3, 2, 1]);
    }

    #[test]
    fn gaps_take_the_nearest_colour() {
        let mut picture = Picture::new();
        picture.texels[5 * SIZE + 5] = Some([10, 20, 30]);
        picture.fill_gaps();
        assert_eq!(picture.texels[6 * SIZE + 8], Some([10, 20, 30]));
    }
}
