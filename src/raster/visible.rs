//! What is left in a visibility buffer, draw by draw.
//!
//! Why it exists: shading takes fragments of one draw, eight at once. So they are listed row by row, and then put together
//! by draw; a pixel is looked at once, and a fragment's draw looked up once.

use std::mem;

use super::{
    grid::tile_size,
    visibility::{Fragment, NOBODY, Tile, VisibilityBuffer, address},
};

/// Pixels that are looked at together for somebody.
const LOOK: usize = 8;

/// The visible fragments of one tile, by draw; inside a draw row by row. Its buffers are kept from tile to tile.
#[derive(Debug, Default)]
pub(super) struct VisibleFragments {
    /// Room for a fragment a sample and one more: those behind the last one are of no meaning.
    listed: Vec<Fragment>,
    sorted: Vec<Fragment>,
    /// The draws of the listed fragments.
    draws: Vec<u32>,
    /// Where each draw's fragments go.
    starts: Vec<u32>,
    /// Draws, and where their fragments end.
    groups: Vec<(u32, u32)>,
}

impl VisibleFragments {
    /// Takes the fragments of a tile. Samples of a pixel that have the same owner are one.
    pub(super) fn take<const N: usize>(&mut self, tile: &Tile<'_>, buffer: &VisibilityBuffer) {
        let count = list::<N>(tile, buffer, &mut self.listed);
        self.group(tile, count);
    }

    /// The draws that are seen, in ascending order, with their fragments.
    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, &[Fragment])> {
        self.groups.iter().scan(0, |start, &(draw, end)| {
            let own = &self.listed[*start..end as usize];
            *start = end as usize;
            Some((draw as usize, own))
        })
    }

    /// Puts the first `count` fragments together by draw.
    fn group(&mut self, tile: &Tile<'_>, count: usize) {
        let Self { listed, sorted, draws, starts, groups } = self;
        let fragments = &mut listed[..count];
        groups.clear();
        draws.clear();
        draws.extend(fragments.iter().map(|fragment| tile.draw(fragment.triangle) as u32));
        let Some(first) = draws.iter().copied().min() else { return };
        let last = draws.iter().copied().max().unwrap_or(first);
        if first == last {
            groups.push((first, count as u32));
            return;
        }
        let span = (last - first) as usize + 1;
        // Counting takes time for every draw between the two, seen here or not.
        if span > 4 * count {
            let draw = |fragment: &Fragment| tile.draw(fragment.triangle) as u32;
            fragments.sort_unstable_by_key(|fragment| (draw(fragment), fragment.y(), fragment.x(), fragment.triangle));
            let mut end = 0;
            groups.extend(fragments.chunk_by(|a, b| draw(a) == draw(b)).map(|group| {
                end += group.len() as u32;
                (draw(&group[0]), end)
            }));
            return;
        }
        starts.clear();
        starts.resize(span, 0);
        for draw in &*draws {
            starts[(draw - first) as usize] += 1;
        }
        let mut sum = 0;
        for (draw, start) in (first..).zip(&mut *starts) {
            let own = mem::replace(start, sum);
            sum += own;
            if own > 0 {
                groups.push((draw, sum));
            }
        }
        sorted.resize(listed.len(), Fragment::NONE);
        for (fragment, draw) in listed.iter().zip(&*draws) {
            let slot = &mut starts[(draw - first) as usize];
            sorted[*slot as usize] = *fragment;
            *slot += 1;
        }
        mem::swap(listed, sorted);
    }
}

/// Lists what is left in the buffer, row by row, and says how many fragments there are. One is written for each sample, and
/// counts where it is the first of somebody in its pixel: a jump that is guessed wrongly costs more.
fn list<const N: usize>(tile: &Tile<'_>, buffer: &VisibilityBuffer, listed: &mut Vec<Fragment>) -> usize {
    let [width, height] = tile.size;
    listed.resize(tile_size(N) * tile_size(N) * N + 1, Fragment::NONE);
    let mut count = 0;
    for y in 0..height {
        let rows: [&[u32]; N] = std::array::from_fn(|sample| &buffer.owner[address::<N>(sample, 0, y)..][..width]);
        for left in (0..width).step_by(LOOK) {
            let near = rows.map(|row| &row[left..width.min(left + LOOK)]);
            if near.iter().all(|row| row.iter().fold(true, |empty, &owner| empty & (owner == NOBODY))) {
                continue;
            }
            for (place, x) in (left..width).take(LOOK).enumerate() {
                let owners: [u32; N] = std::array::from_fn(|sample| near[sample][place]);
                for (sample, &triangle) in owners.iter().enumerate() {
                    let earlier = owners[..sample].iter().fold(false, |any, &own| any | (own == triangle));
                    let later = owners.iter().enumerate().skip(sample);
                    let samples = later.fold(0, |samples, (other, &own)| samples | u32::from(own == triangle) << other);
                    listed[count] = Fragment::new(triangle, [x, y], samples);
                    count += usize::from((triangle != NOBODY) & !earlier);
                }
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{assemble::Chunk, grid::Grid};
    use refrast_draw::{RasterSettings, SampleCount};

    /// Fragments as they are defined: pixel by pixel, the owners in the order of their first samples.
    fn expected<const N: usize>(tile: &Tile<'_>, buffer: &VisibilityBuffer) -> Vec<(usize, [u32; 4])> {
        let mut all = Vec::new();
        for (y, x) in (0..tile.size[1]).flat_map(|y| (0..tile.size[0]).map(move |x| (y, x))) {
            let owners: Vec<u32> = (0..N).map(|sample| buffer.owner[address::<N>(sample, x, y)]).collect();
            let mut seen = vec![NOBODY];
            for &owner in &owners {
                if !seen.contains(&owner) {
                    seen.push(owner);
                    let samples = (0..N).filter(|&sample| owners[sample] == owner).map(|sample| 1 << sample).sum();
                    all.push((tile.draw(owner), [owner, x as u32, y as u32, samples]));
                }
            }
        }
        all
    }

    fn check<const N: usize>(samples: SampleCount, draws: [usize; 3], size: [usize; 2], one_in: u32) {
        let grid = Grid::new(&RasterSettings { samples, ..RasterSettings::default() }).expect("they are in range");
        let chunks = [Chunk::of_ten(&draws)];
        let tile = Tile { grid: &grid, chunks: &chunks, local_bits: 8, number: 0, origin: [0; 2], size };
        let mut buffer = VisibilityBuffer::default();
        buffer.clear(&grid);
        let mut visible = VisibleFragments::default();
        // Nobody, then somebody twice: what an earlier tile has left is of no meaning.
        for seed in 0..3 {
            let mut random: u32 = 12_345 + seed;
            for owner in buffer.owner.iter_mut().filter(|_| seed > 0) {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *owner = if (random >> 20).is_multiple_of(one_in) { (random >> 8) % 30 } else { NOBODY };
            }
            visible.take::<N>(&tile, &buffer);
            let all = visible.groups().flat_map(|(draw, own)| own.iter().map(move |fragment| (draw, fragment)));
            let samples = |own: &Fragment| (0..N).map(|sample| own.has(sample) << sample).sum();
            let all = all.map(|(draw, own)| (draw, [own.triangle, own.x() as u32, own.y() as u32, samples(own)]));
            let (mut all, mut expected) = (all.collect::<Vec<_>>(), expected::<N>(&tile, &buffer));
            // Inside a pixel of one draw the order is nobody's business: each has samples of its own.
            let order = |(draw, [triangle, x, y, _]): &(usize, [u32; 4])| (*draw, *y, *x, *triangle);
            assert!(all.is_sorted_by_key(|(draw, [_, x, y, _])| (*draw, *y, *x)), "{draws:?}");
            all.sort_by_key(order);
            expected.sort_by_key(order);
            assert_eq!(all, expected, "{draws:?}, {size:?}, one in {one_in}");
            assert_eq!(all.is_empty(), seed == 0);
        }
    }

    #[test]
    fn each_owner_of_a_pixel_is_one_fragment_and_stands_with_its_draw() {
        for one_in in [1, 3, 40] {
            // One draw; several that are counted, one of them unseen; and numbers that are far apart, which are sorted.
            for draws in [[0, 0, 0], [2, 3, 5], [0, 7, 4_000_000]] {
                for size in [[64, 64], [61, 3], [1, 1]] {
                    check::<1>(SampleCount::One, draws, size, if size == [1, 1] { 1 } else { one_in });
                }
                for size in [[32, 32], [9, 31]] {
                    check::<4>(SampleCount::Four, draws, size, one_in);
                }
            }
        }
    }
}
