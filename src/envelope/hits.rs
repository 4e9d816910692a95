//! Which triangles may cover which pixels, a band of rows at a time.
//!
//! Why it exists: most pixels are touched by a triangle or two. A band is the unit of parallel work: it always holds the
//! same rows, whoever works on it, and lists its triangles in submission order.

use std::ops::Range;

use super::{
    coverage::{Coverage, Edge, coverage},
    surface::Surface,
};
use refrast_draw::SampleCount;

/// Rows of a band.
pub(super) const BAND: usize = 8;

/// A triangle that may cover samples of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) surface: u32,
    /// Bit s is set where sample s is covered for every allowed position …
    pub(super) inside: u8,
    /// … and for some.
    pub(super) maybe: u8,
}

/// For each band of some rows the surfaces whose boxes reach it, in order.
pub(super) fn bands(surfaces: &[Surface], rows: &Range<usize>) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); rows.len().div_ceil(BAND)];
    for (number, surface) in surfaces.iter().enumerate() {
        let reach = surface.outline.rows(rows.end as u32);
        let [first, end] = [reach.start, reach.end].map(|row| usize::from(row).max(rows.start) - rows.start);
        if first < end {
            for band in &mut bands[first / BAND..=(end - 1) / BAND] {
                band.push(number as u32);
            }
        }
    }
    bands
}

/// The hits of a band, pixel by pixel.
#[derive(Debug, Default)]
pub(super) struct Hits {
    found: Vec<(u32, Hit)>,
    sorted: Vec<Hit>,
    /// Where each pixel's hits start.
    starts: Vec<u32>,
    /// Those of the surface that is looked at.
    edges: Vec<Edge>,
}

impl Hits {
    /// Finds the hits of `surfaces` in the rows from `first` on; `size` is the band's columns and rows.
    pub(super) fn find(
        &mut self,
        all: &[Surface],
        surfaces: &[u32],
        first: usize,
        [width, rows]: [usize; 2],
        samples: SampleCount,
    ) {
        let positions = samples.positions().iter().map(|&[x, y]| [x as f64 / 16.0, y as f64 / 16.0]);
        let positions: Vec<[f64; 2]> = positions.collect();
        self.found.clear();
        for &number in surfaces {
            let surface = &all[number as usize];
            let [columns, lines] = [surface.outline.extent(0), surface.outline.extent(1)];
            let range = |[low, high]: [f64; 2], start: usize, count: usize| {
                let [low, high] = [low, high].map(|end| (end - start as f64).clamp(0.0, count as f64));
                let below = high as usize;
                low as usize..below + usize::from(high > below as f64)
            };
            self.edges.clear();
            self.edges.extend(Edge::all(&surface.outline));
            let is_culled = surface.surely_culled();
            for y in range(lines, first, rows) {
                for x in range(columns, 0, width) {
                    let mut hit = Hit { surface: number, inside: 0, maybe: 0 };
                    for (sample, [dx, dy]) in positions.iter().enumerate() {
                        match coverage(surface, &self.edges, [x as f64 + dx, (first + y) as f64 + dy]) {
                            Coverage::In => hit.inside |= 1 << sample,
                            Coverage::Maybe => hit.maybe |= 1 << sample,
                            Coverage::Out => {}
                        }
                    }
                    // What surely faces away matters only for the patches that it belongs to.
                    let useful = hit.maybe | if is_culled { 0 } else { hit.inside };
                    if useful != 0 {
                        self.found.push(((y * width + x) as u32, hit));
                    }
                }
            }
        }
        self.sort(width * rows);
    }

    /// Counting sort by pixel; order inside a pixel stays.
    fn sort(&mut self, pixels: usize) {
        self.starts.clear();
        self.starts.resize(pixels + 1, 0);
        for (pixel, _) in &self.found {
            self.starts[*pixel as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.sorted.clear();
        self.sorted.resize(self.found.len(), Hit { surface: 0, inside: 0, maybe: 0 });
        // Filling moves each pixel's start to its end, which is the next one's start: shift back by one after.
        for &(pixel, hit) in &self.found {
            let slot = &mut self.starts[pixel as usize];
            self.sorted[*slot as usize] = hit;
            *slot += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// The hits of a pixel of the band, in submission order.
    pub(super) fn of(&self, pixel: usize) -> &[Hit] {
        &self.sorted[self.starts[pixel] as usize..self.starts[pixel + 1] as usize]
    }
}
