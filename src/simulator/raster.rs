//! Triangles → bytes: coverage, depth, blending, samples.
//!
//! Why it exists: the plainest rasteriser that can be checked by reading. The picture is cut into bands of rows that
//! threads take; within a band triangles come in order, and each is walked row by row, between its sides. What lets no light
//! through is shaded when all of it has been drawn: a sample's colour is that of the last triangle that passed its tests.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    GoesOn, Played,
    coverage::Sides,
    depths::Depths,
    faults::Faults,
    geometry::Geometry,
    is_sparse,
    shade::{Environment, Fragment, Shader},
    transfer::TargetCurves,
    vertices::Draw,
    viewport::Viewport,
};
use crate::{DepthFunction, Fault, ParametricFault};
use refrast_scene::AlphaMode;

/// Rows of a band: even, so that no quad of pixels is cut.
pub const BAND: usize = 16;

/// What a picture is made from.
pub(super) struct Picture<'a> {
    pub(super) viewport: &'a Viewport,
    pub(super) draws: &'a [Draw],
    pub(super) geometry: &'a Geometry,
    /// One a draw.
    pub(super) shaders: &'a [Shader<'a>],
    pub(super) environment: &'a Environment<'a>,
    pub(super) curves: &'a TargetCurves,
    /// Linear RGBA.
    pub(super) background: [f32; 4],
    pub(super) faults: Faults,
    /// What is drawn; bands that are not are left black. `None` draws all.
    pub(super) played: Option<Played<'a>>,
}

/// Rows of the target.
struct Band {
    first_row: usize,
    rows: usize,
    /// Linear RGBA of each sample: row by row, pixel by pixel.
    color: Vec<[f32; 4]>,
    depth: Vec<f32>,
    /// What is seen at each sample and has no colour yet.
    seen: Vec<Option<Seen>>,
}

/// A triangle at a pixel, which is yet to be shaded.
#[derive(Clone, Copy, PartialEq)]
struct Seen {
    triangle: u32,
    /// The first sample that it was seen at.
    first_sample: u8,
}

impl Picture<'_> {
    /// Rows from the top, R G B A.
    pub(super) fn render(&self, goes_on: GoesOn<'_>) -> Vec<u8> {
        let (width, height) = (self.viewport.width, self.viewport.height);
        let mut bytes = vec![0; 4 * width * height];
        let wanted = |index: usize| self.played.is_none_or(|own| own.bands.get(index).copied().unwrap_or_default());
        let moves_rows = self.faults.has(Fault::YFlipped);
        let bands = bytes.par_chunks_mut(4 * width * BAND).zip(&self.geometry.bins).enumerate();
        let drawn = bands.filter(|(index, _)| wanted(*index)).try_for_each(|(index, (bytes, bin))| {
            self.band(index * BAND, bin, bytes);
            self.send(index * BAND, bytes);
            (moves_rows || goes_on(index, bytes)).then_some(())
        });
        if moves_rows && drawn.is_some() {
            bytes = bytes.chunks_exact(4 * width).rev().flatten().copied().collect();
            bytes.chunks(4 * width * BAND).enumerate().all(|(index, bytes)| goes_on(index, bytes));
        }
        bytes
    }

    /// What is done to rows when all of them have been drawn.
    fn send(&self, first_row: usize, bytes: &mut [u8]) {
        let Viewport { width, height, .. } = *self.viewport;
        if self.faults.has(Fault::ScissorOffByOne) && 4 * width * (height - first_row) == bytes.len() {
            let last = bytes.chunks_exact_mut(4 * width).next_back();
            let background = self.curves.encode(self.background);
            last.into_iter().flatten().zip(background.iter().cycle()).for_each(|(byte, value)| *byte = *value);
        }
        let pixels = bytes.as_chunks_mut::<4>().0;
        if self.faults.has(Fault::OutputChannelsSwapped) {
            pixels.iter_mut().for_each(|pixel| pixel.swap(0, 2));
        }
        for fault in self.faults.parametric() {
            if let ParametricFault::Channels { order } = fault {
                let order = order.map(|channel| usize::from(channel.min(2)));
                for pixel in pixels.iter_mut() {
                    let [red, green, blue] = order.map(|channel| pixel[channel]);
                    *pixel = [red, green, blue, pixel[3]];
                }
            }
        }
    }

    fn band(&self, first_row: usize, triangles: &[u32], bytes: &mut [u8]) {
        let (width, samples) = (self.viewport.width, self.viewport.samples.len());
        let rows = bytes.len() / (4 * width);
        if triangles.is_empty() {
            let background = self.curves.encode(self.background);
            bytes.as_chunks_mut::<4>().0.fill(background);
            return;
        }
        let nearest = self.faults.has(Fault::DepthClearedToZero) || self.faults.has(Fault::ReversedDepthTest);
        let cleared = self.faults.parametric().fold(if nearest { 0.0 } else { 1.0 }, |cleared, fault| match fault {
            ParametricFault::DepthClear { depth } => depth,
            _ => cleared,
        });
        let background = self.stored(self.background);
        let mut band = Band {
            first_row,
            rows,
            color: vec![background; width * rows * samples],
            depth: vec![cleared; width * rows * samples],
            seen: vec![None; width * rows * samples],
        };
        let blends = |number: &&u32| {
            let draw = self.geometry.triangles[**number as usize].draw;
            self.shaders[draw as usize].alpha_mode == AlphaMode::Blend
        };
        triangles.iter().filter(|number| !blends(number)).for_each(|number| self.draw(*number, &mut band));
        // What nothing is laid over and nothing is averaged with is stored as it is sent: once.
        let is_final =
            samples == 1 && self.environment.variation.dither_steps == 0 && !triangles.iter().any(|own| blends(&own));
        self.shade(&mut band, is_final);
        if self.faults.has(Fault::BlendOrder) {
            triangles.iter().rev().filter(blends).for_each(|number| self.draw(*number, &mut band));
        } else {
            triangles.iter().filter(blends).for_each(|number| self.draw(*number, &mut band));
        }
        let pixels = bytes.as_chunks_mut::<4>().0.iter_mut().zip(band.color.chunks_exact(samples));
        // Most of many a picture.
        let nothing = vec![background; samples];
        let of_nothing = self.resolve(&nothing);
        for (number, (pixel, colors)) in pixels.enumerate() {
            *pixel = match self.environment.variation.dither_steps {
                0 if colors == nothing => of_nothing,
                0 => self.resolve(colors),
                steps => self.dithered(colors, [number % width, first_row + number / width], steps),
            };
        }
    }

    /// A colour as the target gives it back.
    fn stored(&self, color: [f32; 4]) -> [f32; 4] {
        if self.environment.variation.eight_bit_target { self.curves.decode(self.curves.encode(color)) } else { color }
    }

    /// The mean of the samples, spread by Bayer's matrix of 4 × 4 thresholds, (k + ½) ÷ 16 − ½ each.
    fn dithered(&self, colors: &[[f32; 4]], [column, row]: [usize; 2], steps: u8) -> [u8; 4] {
        const BAYER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
        let threshold = (f64::from(BAYER[row % 4][column % 4]) + 0.5) / 16.0 - 0.5;
        let mean = |i: usize| colors.iter().map(|color| f64::from(color[i])).sum::<f64>() / colors.len() as f64;
        [0, 1, 2, 3].map(|i| {
            let stored = if i < 3 { self.curves.color.stored(mean(i)) } else { mean(3).clamp(0.0, 1.0) };
            (255.0 * stored + f64::from(steps) * threshold).round_ties_even() as u8
        })
    }

    fn resolve(&self, colors: &[[f32; 4]]) -> [u8; 4] {
        let &[a, b, c, d] = colors else { return self.curves.encode(colors[0]) };
        if self.faults.has(Fault::ResolveFirstSample) {
            return self.curves.encode(a);
        }
        if self.faults.has(Fault::ResolveInSrgb) {
            let sum = [a, b, c, d].map(|color| self.curves.encode(color).map(u32::from));
            return [0, 1, 2, 3].map(|i| ((sum[0][i] + sum[1][i] + sum[2][i] + sum[3][i] + 2) / 4) as u8);
        }
        self.curves.encode([0, 1, 2, 3].map(|i| ((a[i] + b[i]) + (c[i] + d[i])) * 0.25))
    }

    fn draw(&self, number: u32, band: &mut Band) {
        let triangle = &self.geometry.triangles[number as usize];
        let [left, right, top, bottom] = triangle.bounds.map(|place| place as usize);
        let (top, bottom) = (top.max(band.first_row), bottom.min(band.first_row + band.rows - 1));
        let one = self.viewport.one as i64;
        // A pixel is a power of two of grid units: a shift rounds down as a division would.
        let pixel = |place: i64| place >> one.trailing_zeros();
        let sides = Sides::of(triangle, one, self.faults);
        let depth = Depths::new(triangle, self.environment.interpolation, self.faults);
        let sparsely = self.played.is_some_and(|own| own.sparsely);
        for row in top..=bottom {
            // Of each sample, the columns whose sample lies between the sides.
            let columns = |[dx, dy]: &[i64; 2]| {
                let ends = [left as i64 * one + dx, right as i64 * one + dx];
                let [first, last] = sides.span(row as i64 * one + dy, ends)?;
                Some(pixel(first - dx + one - 1)..pixel(last - dx) + 1)
            };
            let mut spans: [Range<i64>; 4] = [const { 0..0 }; 4];
            for (span, sample) in spans.iter_mut().zip(&self.viewport.samples) {
                *span = columns(sample).unwrap_or_default();
            }
            let covering = || spans.iter().filter(|span| !span.is_empty());
            let start = covering().map(|span| span.start).min().unwrap_or_default();
            let end = covering().map(|span| span.end).max().unwrap_or_default();
            for column in start..end {
                let bit = |(sample, span): (usize, &Range<i64>)| u32::from(span.contains(&column)) << sample;
                let covered = spans.iter().enumerate().map(bit).sum();
                if covered != 0 && (!sparsely || is_sparse([column as usize, row])) {
                    self.pixel(number, &depth, band, [column as usize, row], covered);
                }
            }
        }
    }

    /// Tests the covered samples of a pixel, and stores those that pass.
    fn pixel(&self, number: u32, plane: &Depths<'_>, band: &mut Band, pixel: [usize; 2], covered: u32) {
        let [left, top] = self.corner_of(pixel);
        let samples = &self.viewport.samples;
        let first = self.first_sample(band, pixel);
        let (mut depths, mut passing) = ([0.0; 4], 0);
        for (sample, [dx, dy]) in samples.iter().enumerate().filter(|(sample, _)| covered >> sample & 1 == 1) {
            let depth = plane.at([left + *dx as f64, top + *dy as f64]);
            depths[sample] = self.kept_depth((depth + plane.bias).clamp(0.0, 1.0));
            passing |= u32::from(self.passes(depths[sample], band.depth[first + sample])) << sample;
        }
        if passing == 0 {
            return;
        }
        let seen = Seen { triangle: number, first_sample: passing.trailing_zeros() as u8 };
        let mode = self.shaders[self.geometry.triangles[number as usize].draw as usize].alpha_mode;
        let color = match mode {
            AlphaMode::Opaque => None,
            AlphaMode::Blend => Some(self.fragment(seen, pixel).shade()),
            AlphaMode::Mask { cutoff } => {
                let fragment = self.fragment(seen, pixel);
                let kept = fragment.mask_alpha() >= cutoff;
                if !kept {
                    return;
                }
                Some(fragment.shade())
            }
        };
        let blended = mode == AlphaMode::Blend;
        let writes = !self.faults.has(Fault::DepthWriteOff) && (!blended || self.faults.has(Fault::BlendDepthWrite));
        for sample in (0..samples.len()).filter(|sample| passing >> sample & 1 == 1) {
            if writes {
                band.depth[first + sample] = depths[sample];
            }
            band.seen[first + sample] = color.is_none().then_some(seen);
            if let Some(color) = color {
                let under = &mut band.color[first + sample];
                *under = self.stored(if blended { self.over(color, *under) } else { color });
            }
        }
    }

    /// Gives what is seen its colours: as the target gives them back, or where they are final as they were sent to it.
    fn shade(&self, band: &mut Band, is_final: bool) {
        let (width, samples) = (self.viewport.width, self.viewport.samples.len());
        for number in 0..width * band.rows {
            let pixel = [number % width, band.first_row + number / width];
            let first = number * samples;
            let mut last = None;
            for sample in first..first + samples {
                let Some(seen) = band.seen[sample].take() else { continue };
                let color = match last {
                    Some((other, color)) if other == seen => color,
                    _ if is_final => self.fragment(seen, pixel).shade(),
                    _ => self.stored(self.fragment(seen, pixel).shade()),
                };
                band.color[sample] = color;
                last = Some((seen, color));
            }
        }
    }

    /// A triangle where a pixel is shaded.
    fn fragment(&self, seen: Seen, pixel: [usize; 2]) -> Fragment<'_> {
        let triangle = &self.geometry.triangles[seen.triangle as usize];
        let (draw, shader) = (&self.draws[triangle.draw as usize], &self.shaders[triangle.draw as usize]);
        let [left, top] = self.corner_of(pixel);
        let center = self.environment.center;
        let mut at = [left + center, top + center];
        if self.faults.has(Fault::CentroidInterpolation) {
            let [dx, dy] = self.viewport.samples[usize::from(seen.first_sample)];
            at = [left + dx as f64, top + dy as f64];
        }
        Fragment::new(self.environment, shader, draw, triangle, pixel, at)
    }

    /// A pixel's upper left corner in grid units.
    fn corner_of(&self, pixel: [usize; 2]) -> [f64; 2] {
        pixel.map(|place| place as f64 * self.viewport.one)
    }

    /// Where a band keeps the samples of a pixel.
    fn first_sample(&self, band: &Band, [column, row]: [usize; 2]) -> usize {
        ((row - band.first_row) * self.viewport.width + column) * self.viewport.samples.len()
    }

    /// The depth as the target stores it.
    fn kept_depth(&self, depth: f32) -> f32 {
        let whole = |steps: f64| ((f64::from(depth) * steps).round_ties_even() / steps) as f32;
        if self.faults.has(Fault::Depth16Bits) {
            whole(65_535.0)
        } else if self.environment.variation.depth_24_bits {
            whole(16_777_215.0)
        } else {
            depth
        }
    }

    fn passes(&self, depth: f32, stored: f32) -> bool {
        if self.faults.has(Fault::DepthTestOff) {
            true
        } else if self.faults.has(Fault::DepthTestLessEqual) {
            depth <= stored
        } else if self.faults.has(Fault::ReversedDepthTest) {
            depth > stored
        } else {
            let functions = self.faults.parametric().filter_map(|fault| match fault {
                ParametricFault::DepthTest { function } => Some(function),
                _ => None,
            });
            match functions.last() {
                None => depth < stored,
                Some(DepthFunction::Never) => false,
                Some(DepthFunction::Equal) => depth == stored,
                Some(DepthFunction::NotEqual) => depth != stored,
                Some(DepthFunction::GreaterEqual) => depth >= stored,
            }
        }
    }

    /// Source over destination, in linear light.
    fn over(&self, source: [f32; 4], under: [f32; 4]) -> [f32; 4] {
        let arithmetic = self.environment.variation.arithmetic();
        let alpha = source[3];
        let mix = |source: f32, under: f32| {
            let source = if self.faults.has(Fault::BlendPremultiplied) { source } else { source * alpha };
            let through = if self.faults.has(Fault::BlendAdditive) { 1.0 } else { 1.0 - alpha };
            arithmetic.multiply_add(under, through, source)
        };
        if self.faults.has(Fault::BlendInSrgb) {
            let (source, under) = (self.curves.encode(source), self.curves.encode(under));
            let byte = |i: usize| mix(f32::from(source[i]), f32::from(under[i])).round_ties_even() as u8;
            let [red, green, blue, _] = self.curves.decode([byte(0), byte(1), byte(2), 255]);
            return [red, green, blue, arithmetic.multiply_add(f32::from(under[3]) / 255.0, 1.0 - alpha, alpha)];
        }
        let own_alpha = if self.faults.has(Fault::BlendAlphaSquared) { alpha * alpha } else { alpha };
        [
            mix(source[0], under[0]),
            mix(source[1], under[1]),
            mix(source[2], under[2]),
            arithmetic.multiply_add(under[3], 1.0 - alpha, own_alpha),
        ]
    }
}
