//! [`Visibility`]: which triangle is seen at each sample, before any of them has a colour.
//!
//! Why it exists: a mistake in colours does not change what is seen. A diagnosis plays such mistakes by the thousand on the same
//! triangles, and finds what is seen of them once.

use std::{ops::Range, sync::OnceLock};

use super::{
    barycentric::Interpolation, coverage::Sides, depths::Depths, faults::Faults, geometry::Geometry, is_sparse,
    raster::BAND, variation::Variation, viewport::Viewport,
};
use crate::{DepthFunction, Fault, ParametricFault};

/// A triangle at a pixel.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Seen {
    pub(super) triangle: u32,
    /// The first sample that it was seen at.
    pub(super) first_sample: u8,
}

/// Rows of a target: row by row, pixel by pixel, sample by sample.
#[derive(Clone)]
pub(super) struct SeenBand {
    pub(super) depth: Vec<f32>,
    /// What has no colour yet.
    pub(super) seen: Vec<Option<Seen>>,
}

/// The bands of a picture that lets no light through and has no masks; each is made when it is asked for.
pub(super) struct Visibility {
    /// Of all pixels, and of those of a sparse picture.
    bands: Vec<[OnceLock<SeenBand>; 2]>,
}

impl Visibility {
    /// For a window of this size.
    pub(super) fn new(viewport: &Viewport) -> Self {
        Self { bands: (0..viewport.height.div_ceil(BAND)).map(|_| [OnceLock::new(), OnceLock::new()]).collect() }
    }

    /// What it takes to keep all of it.
    pub(super) fn bytes(viewport: &Viewport) -> usize {
        let samples = viewport.width * viewport.height * viewport.samples.len();
        2 * samples * (size_of::<f32>() + size_of::<Option<Seen>>())
    }

    /// The band with this row, as it is known or as it is made now.
    pub(super) fn band(&self, row: usize, sparsely: bool, make: impl FnOnce() -> SeenBand) -> &SeenBand {
        self.bands[row / BAND][usize::from(sparsely)].get_or_init(make)
    }
}

/// Finds where triangles are seen.
pub(super) struct Scan<'a> {
    pub(super) viewport: &'a Viewport,
    pub(super) geometry: &'a Geometry,
    pub(super) interpolation: Interpolation,
    pub(super) variation: &'a Variation,
    pub(super) faults: Faults,
    /// Whether only the pixels that [`is_sparse`] tells are asked for.
    pub(super) sparsely: bool,
}

impl Scan<'_> {
    /// Rows in which nothing is seen.
    pub(super) fn cleared(&self, rows: usize) -> SeenBand {
        let nearest = self.faults.has(Fault::DepthClearedToZero) || self.faults.has(Fault::ReversedDepthTest);
        let cleared = self.faults.parametric().fold(if nearest { 0.0 } else { 1.0 }, |cleared, fault| match fault {
            ParametricFault::DepthClear { depth } => depth,
            _ => cleared,
        });
        let samples = self.viewport.width * rows * self.viewport.samples.len();
        SeenBand { depth: vec![cleared; samples], seen: vec![None; samples] }
    }

    /// What is seen of triangles that let no light through, in some rows.
    pub(super) fn seen(&self, rows: &Range<usize>, triangles: impl Iterator<Item = u32>) -> SeenBand {
        let mut band = self.cleared(rows.len());
        triangles.for_each(|number| self.see(number, rows, &mut band));
        band
    }

    /// Adds such a triangle.
    pub(super) fn see(&self, number: u32, rows: &Range<usize>, band: &mut SeenBand) {
        let writes = self.writes();
        self.walk(number, rows, |first, plane, pixel, covered| {
            let (depths, passing) = self.passing(plane, pixel, covered, &band.depth[first..]);
            let seen = Seen { triangle: number, first_sample: passing.trailing_zeros() as u8 };
            for sample in self.samples_of(passing) {
                if writes {
                    band.depth[first + sample] = depths[sample];
                }
                band.seen[first + sample] = Some(seen);
            }
        });
    }

    /// Whether what is seen is in front of what comes later.
    pub(super) fn writes(&self) -> bool {
        !self.faults.has(Fault::DepthWriteOff)
    }

    /// The samples whose bits are set.
    pub(super) fn samples_of(&self, bits: u32) -> impl Iterator<Item = usize> + use<> {
        (0..self.viewport.samples.len()).filter(move |sample| bits >> sample & 1 == 1)
    }

    /// Visits each pixel in some rows of which a triangle covers a sample: with the place of its first sample in the rows' band, the
    /// triangle's depth, column and row, and the covered samples as bits.
    pub(super) fn walk(
        &self,
        number: u32,
        rows: &Range<usize>,
        mut visit: impl FnMut(usize, &Depths<'_>, [usize; 2], u32),
    ) {
        let triangle = &self.geometry.triangles[number as usize];
        let [left, right, top, bottom] = triangle.bounds.map(|place| place as usize);
        let (top, bottom) = (top.max(rows.start), bottom.min(rows.end - 1));
        let one = self.viewport.one as i64;
        // A pixel is a power of two of grid units: a shift rounds down as a division would.
        let pixel = |place: i64| place >> one.trailing_zeros();
        let sides = Sides::of(triangle, one, self.faults);
        let depth = Depths::new(triangle, self.interpolation, self.faults);
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
                if covered != 0 && (!self.sparsely || is_sparse([column as usize, row])) {
                    let place = (row - rows.start) * self.viewport.width + column as usize;
                    visit(place * self.viewport.samples.len(), &depth, [column as usize, row], covered);
                }
            }
        }
    }

    /// The depths at the covered samples of a pixel as the target stores them, and which of them pass against what is `stored` there, as
    /// bits.
    pub(super) fn passing(
        &self,
        plane: &Depths<'_>,
        pixel: [usize; 2],
        covered: u32,
        stored: &[f32],
    ) -> ([f32; 4], u32) {
        let [left, top] = pixel.map(|place| place as f64 * self.viewport.one);
        let (mut depths, mut passing) = ([0.0; 4], 0);
        for sample in self.samples_of(covered) {
            let [dx, dy] = self.viewport.samples[sample];
            let depth = plane.at([left + dx as f64, top + dy as f64]);
            depths[sample] = self.kept_depth((depth + plane.bias).clamp(0.0, 1.0));
            passing |= u32::from(self.passes(depths[sample], stored[sample])) << sample;
        }
        (depths, passing)
    }

    /// The depth as the target stores it.
    fn kept_depth(&self, depth: f32) -> f32 {
        let whole = |steps: f64| ((f64::from(depth) * steps).round_ties_even() / steps) as f32;
        if self.faults.has(Fault::Depth16Bits) {
            whole(65_535.0)
        } else if self.variation.depth_24_bits {
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
}
