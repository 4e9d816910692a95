//! Triangles → bytes: coverage, depth, blending, samples.
//!
//! Why it exists: the plainest rasteriser that can be checked by reading. The picture is cut into bands of rows that
//! threads take; within a band triangles come in order, and each is walked row by row, between its sides. What lets no light
//! through is shaded when all of it has been drawn: a sample's colour is that of the last triangle that passed its tests.

use std::{
    borrow::Cow,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    GoesOn, Played,
    faults::Faults,
    geometry::Geometry,
    shade::{Environment, Fragment, Shader},
    transfer::TargetCurves,
    vertices::Draw,
    viewport::Viewport,
    visibility::{Scan, Seen, SeenBand, Visibility},
};
use crate::{Fault, ParametricFault};
use refrast_scene::AlphaMode;
use refrast_threads::{Chunks, over};

/// Rows of a band: even, so that no quad of pixels is cut.
pub const BAND: usize = 16;

/// What a picture is made from.
pub(super) struct Picture<'a> {
    pub(super) viewport: &'a Viewport,
    pub(super) draws: &'a [Draw],
    pub(super) geometry: &'a Geometry,
    /// What is known to be seen of it.
    pub(super) visibility: Option<&'a Visibility>,
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

impl Picture<'_> {
    /// Rows from the top, R G B A.
    pub(super) fn render(&self, goes_on: GoesOn<'_>) -> Vec<u8> {
        let (width, height) = (self.viewport.width, self.viewport.height);
        let mut bytes = vec![0; 4 * width * height];
        let wanted = |index: usize| self.played.is_none_or(|own| own.bands.get(index).copied().unwrap_or_default());
        let moves_rows = self.faults.has(Fault::YFlipped);
        let is_given_up = AtomicBool::new(false);
        over((Chunks::new(&mut bytes, 4 * width * BAND), &self.geometry.bins[..]), |index, (bytes, bin)| {
            if !wanted(index) || is_given_up.load(Ordering::Relaxed) {
                return;
            }
            self.band(index * BAND, bin, bytes);
            self.send(index * BAND, bytes);
            if !moves_rows && !goes_on(index, bytes) {
                is_given_up.store(true, Ordering::Relaxed);
            }
        });
        if moves_rows {
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
        let rows = first_row..first_row + bytes.len() / (4 * width);
        if triangles.is_empty() {
            let background = self.curves.encode(self.background);
            bytes.as_chunks_mut::<4>().0.fill(background);
            return;
        }
        let background = self.stored(self.background);
        let mut colors = vec![background; width * rows.len() * samples];
        let mode = |number: &u32| self.mode(*number);
        let solid = || triangles.iter().copied().filter(|number| mode(number) != AlphaMode::Blend);
        let is_masked = solid().any(|number| mode(&number) != AlphaMode::Opaque);
        let sparsely = self.played.is_some_and(|own| own.sparsely);
        let mut band = match self.visibility.filter(|_| !is_masked) {
            Some(known) => Cow::Borrowed(known.band(first_row, sparsely, || self.scan(sparsely).seen(&rows, solid()))),
            None => Cow::Owned(self.masked(&rows, solid(), &mut colors)),
        };
        let blended = || triangles.iter().copied().filter(|number| mode(number) == AlphaMode::Blend);
        let blends = blended().next().is_some();
        // What nothing is laid over and nothing is averaged with is stored as it is sent: once.
        let is_final = samples == 1 && self.environment.variation.dither_steps == 0 && !blends;
        self.shade(&rows, &band.seen, &mut colors, is_final);
        if blends {
            let depths = &mut band.to_mut().depth;
            if self.faults.has(Fault::BlendOrder) {
                let reversed = triangles.iter().rev().copied().filter(|number| mode(number) == AlphaMode::Blend);
                reversed.for_each(|number| self.blend(number, &rows, depths, &mut colors));
            } else {
                blended().for_each(|number| self.blend(number, &rows, depths, &mut colors));
            }
        }
        let pixels = bytes.as_chunks_mut::<4>().0.iter_mut().zip(colors.chunks_exact(samples));
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

    /// How a triangle's surface treats alpha.
    fn mode(&self, number: u32) -> AlphaMode {
        self.shaders[self.geometry.triangles[number as usize].draw as usize].alpha_mode
    }

    fn scan(&self, sparsely: bool) -> Scan<'_> {
        Scan {
            viewport: self.viewport,
            geometry: self.geometry,
            interpolation: self.environment.interpolation,
            variation: self.environment.variation,
            faults: self.faults,
            sparsely,
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

    /// What is seen of triangles some of which have masks: what their masks keep has its colour at once.
    fn masked(&self, rows: &Range<usize>, triangles: impl Iterator<Item = u32>, colors: &mut [[f32; 4]]) -> SeenBand {
        let scan = self.scan(self.played.is_some_and(|own| own.sparsely));
        let (mut band, writes) = (scan.cleared(rows.len()), scan.writes());
        for number in triangles {
            let AlphaMode::Mask { cutoff } = self.mode(number) else {
                scan.see(number, rows, &mut band);
                continue;
            };
            scan.walk(number, rows, |first, plane, pixel, covered| {
                let (depths, passing) = scan.passing(plane, pixel, covered, &band.depth[first..]);
                if passing == 0 {
                    return;
                }
                let seen = Seen { triangle: number, first_sample: passing.trailing_zeros() as u8 };
                let fragment = self.fragment(seen, pixel);
                if fragment.mask_alpha() < cutoff {
                    return;
                }
                let color = self.stored(fragment.shade());
                for sample in scan.samples_of(passing) {
                    if writes {
                        band.depth[first + sample] = depths[sample];
                    }
                    band.seen[first + sample] = None;
                    colors[first + sample] = color;
                }
            });
        }
        band
    }

    /// Lays a triangle over what is seen.
    fn blend(&self, number: u32, rows: &Range<usize>, stored: &mut [f32], colors: &mut [[f32; 4]]) {
        let scan = self.scan(self.played.is_some_and(|own| own.sparsely));
        let writes = scan.writes() && self.faults.has(Fault::BlendDepthWrite);
        scan.walk(number, rows, |first, plane, pixel, covered| {
            let (depths, passing) = scan.passing(plane, pixel, covered, &stored[first..]);
            if passing == 0 {
                return;
            }
            let seen = Seen { triangle: number, first_sample: passing.trailing_zeros() as u8 };
            let color = self.fragment(seen, pixel).shade();
            for sample in scan.samples_of(passing) {
                if writes {
                    stored[first + sample] = depths[sample];
                }
                let under = &mut colors[first + sample];
                *under = self.stored(self.over(color, *under));
            }
        });
    }

    /// Gives what is seen its colours: as the target gives them back, or where they are final as they were sent to it.
    fn shade(&self, rows: &Range<usize>, seen: &[Option<Seen>], colors: &mut [[f32; 4]], is_final: bool) {
        let (width, samples) = (self.viewport.width, self.viewport.samples.len());
        let pixels = seen.chunks_exact(samples).zip(colors.chunks_exact_mut(samples)).enumerate();
        for (number, (seen, colors)) in pixels {
            let pixel = [number % width, rows.start + number / width];
            let mut last = None;
            for (seen, own) in seen.iter().zip(colors) {
                let Some(seen) = *seen else { continue };
                let color = match last {
                    Some((other, color)) if other == seen => color,
                    _ if is_final => self.fragment(seen, pixel).shade(),
                    _ => self.stored(self.fragment(seen, pixel).shade()),
                };
                *own = color;
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
