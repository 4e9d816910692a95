//! The picture cut into strips of rows, each with no more surfaces than fit into memory at once.
//!
//! Why it exists: a pixel's set follows from the surfaces that reach its row, in submission order, and from no others. So
//! the picture can be worked on a strip at a time, and memory follows the strip and not the mesh. A triangle that reaches
//! several strips is set up in each; its surface is the same every time.

use std::ops::Range;

use super::{hits::BAND, surface::Surface, surfaces::Geometry, vertices::Window};

/// As many surfaces as are held at once (a surface is most of a kilobyte), as far as they are not all in the same rows: enough for
/// many threads to find work in a strip, and few enough that the same memory serves for all. With four times as many the envelope of
/// the character takes 1.06 of the time.
const MOST: usize = 1 << 14;

/// Where the strips are, and what reaches them.
pub(super) struct Strips {
    /// For each draw the rows that its primitives reach; none where there is one strip only, which all of them reach.
    reach: Vec<Vec<Range<u16>>>,
    /// The first row of each strip, and the end of the last one; all but the last hold whole bands.
    ends: Vec<usize>,
}

impl Strips {
    /// Of a picture with these draws.
    pub(super) fn new(window: &Window, draws: &[Geometry<'_>]) -> Self {
        Self::with(window, draws, MOST)
    }

    fn with(window: &Window, draws: &[Geometry<'_>], most: usize) -> Self {
        let height = window.height as usize;
        if draws.iter().map(Geometry::len).sum::<usize>() <= most {
            return Self { reach: Vec::new(), ends: vec![0, height] };
        }
        let reach: Vec<Vec<Range<u16>>> = draws.iter().map(|draw| draw.rows(window)).collect();
        // Primitives that begin, and those that end, in each band.
        let (mut begin, mut end) = (vec![0; height.div_ceil(BAND)], vec![0; height.div_ceil(BAND)]);
        for rows in reach.iter().flatten().filter(|rows| !rows.is_empty()) {
            begin[usize::from(rows.start) / BAND] += 1;
            end[usize::from(rows.end - 1) / BAND] += 1;
        }
        let mut ends = vec![0];
        // Those of the strip so far, and those that reach beyond the band before.
        let (mut held, mut open) = (0, 0);
        for (band, (begin, end)) in begin.into_iter().zip(end).enumerate() {
            let start = band * BAND;
            if Some(&start) > ends.last() && held + begin > most {
                ends.push(start);
                held = open;
            }
            held += begin;
            open = open + begin - end;
        }
        ends.push(height);
        Self { reach, ends }
    }

    /// The rows of each strip, from the top.
    pub(super) fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        self.ends.windows(2).map(|ends| ends[0]..ends[1])
    }

    /// The surfaces that reach some rows, in submission order.
    pub(super) fn surfaces(
        &self,
        window: &Window,
        draws: &[Geometry<'_>],
        rows: &Range<usize>,
        into: &mut Vec<Surface>,
    ) {
        into.clear();
        for (number, draw) in draws.iter().enumerate() {
            let reach = self.reach.get(number);
            let wanted = |primitive: usize| {
                reach.is_none_or(|reach| {
                    let own = &reach[primitive];
                    usize::from(own.start) < rows.end && usize::from(own.end) > rows.start
                })
            };
            draw.surfaces(window, wanted, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{surfaces::Drawn, vertices::ClipVertex};
    use refrast_draw::{Convention, DrawState, PrimitiveTopology};
    use refrast_range::Profile;

    const HEIGHT: u32 = 61;

    fn window() -> Window {
        let freedoms = Profile::Vulkan14.freedoms().expect("a profile with freedoms");
        Window { width: 64, height: HEIGHT, convention: Convention::Vulkan, freedoms, depth_clamp: false }
    }

    /// Triangles of clip space, three corners each.
    fn draw(number: u32, indices: &[u32], places: &[[f64; 2]]) -> Geometry<'static> {
        let vertex = |&[x, y]: &[f64; 2]| ClipVertex { position: [x, y, 0.5, 1.0], radius: [1e-6; 4] };
        let drawn = Drawn {
            draw: number,
            group: number,
            topology: PrimitiveTopology::Triangles,
            indices: indices.to_vec().leak(),
            state: DrawState::default(),
        };
        Geometry::new(drawn, (places.iter().map(vertex).collect(), (0..places.len() as u32).collect()), None)
    }

    /// What reaches a row, by draw and primitive, among some surfaces.
    fn reaching(surfaces: &[Surface], row: u16) -> Vec<(u32, u32)> {
        let reaching = surfaces.iter().filter(|surface| surface.outline.rows(HEIGHT).contains(&row));
        reaching.map(|surface| (surface.draw, surface.primitive)).collect()
    }

    proptest! {
        /// A row is reached by the same surfaces in the same order, whether the picture is worked on at once or in strips.
        #[test]
        fn a_row_does_not_know_its_strip(
            places in prop::collection::vec([-1.5..1.5f64, -1.5..1.5f64], 3..12),
            corners in prop::collection::vec(any::<prop::sample::Index>(), 60),
            most in 1usize..30,
        ) {
            let indices: Vec<u32> = corners.iter().map(|corner| corner.index(places.len()) as u32).collect();
            let draws = [draw(0, &indices[..30], &places), draw(1, &indices[30..], &places)];
            let mut whole = Vec::new();
            let window = window();
            let one = Strips::with(&window, &draws, usize::MAX);
            prop_assert_eq!(one.rows().count(), 1);
            one.surfaces(&window, &draws, &(0..HEIGHT as usize), &mut whole);
            let strips = Strips::with(&window, &draws, most);
            let (mut next, mut own) = (0, Vec::new());
            for rows in strips.rows() {
                prop_assert!(rows.start == next && rows.start % BAND == 0 && !rows.is_empty());
                strips.surfaces(&window, &draws, &rows, &mut own);
                // More only where a single band has more.
                prop_assert!(own.len() <= most || rows.len() <= BAND);
                for row in rows.clone() {
                    prop_assert_eq!(reaching(&own, row as u16), reaching(&whole, row as u16));
                }
                next = rows.end;
            }
            prop_assert_eq!(next, HEIGHT as usize);
        }
    }
}
