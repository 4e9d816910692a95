//! Mip chains in linear light.
//!
//! Why it exists: a chain that is averaged in stored (sRGB) values is too dark, and one that drops the odd row or
//! column of a level shifts the picture by half a texel. Here every level is the exact box filter of the one before:
//! a texel of the smaller level is the mean over the area that it covers, odd sizes included.
//!
//! Level sizes are max(1, floor(n/2)) of the level before, as in the Vulkan specification ("Image Miplevel Sizing").
//! Along an axis of n texels, the output texel i of m = floor(n/2) is
//!
//! - n even: ½·a\[2i\] + ½·a\[2i+1\];
//! - n = 2m + 1: ((m − i)/n)·a\[2i\] + (m/n)·a\[2i+1\] + ((i + 1)/n)·a\[2i+2\];
//! - n = 1: a\[0\],
//!
//! with each weight an f32 division, products and sums in f32 from left to right, first along x, then along y. Alpha is
//! filtered like the colours and is not multiplied into them.

use refrast_threads::{Chunks, over};

/// Four numbers a texel: linear R, G, B and alpha.
pub(super) type Texel = [f32; 4];

/// One level of a chain, rows from the top.
pub(super) struct Level {
    /// In texels.
    pub(super) width: usize,
    /// In texels.
    pub(super) height: usize,
    /// `width · height` texels.
    pub(super) texels: Vec<Texel>,
}

/// The texels of the larger level that one texel of the smaller level is the weighted sum of.
struct Taps {
    first: usize,
    weights: [f32; 3],
    count: usize,
}

impl Taps {
    /// For output `index` of an axis with `size` texels.
    fn new(size: usize, index: usize) -> Self {
        let half = size / 2;
        match (size, size % 2) {
            (1, _) => Self { first: 0, weights: [1.0, 0.0, 0.0], count: 1 },
            (_, 0) => Self { first: 2 * index, weights: [0.5, 0.5, 0.0], count: 2 },
            _ => {
                let share = |part: usize| part as f32 / size as f32;
                Self { first: 2 * index, weights: [share(half - index), share(half), share(index + 1)], count: 3 }
            }
        }
    }

    /// The weighted sum of what `texel` gives for each tap.
    #[inline(always)]
    fn sum(&self, texel: impl Fn(usize) -> Texel) -> Texel {
        let mut sum = texel(self.first).map(|component| self.weights[0] * component);
        for tap in 1..self.count {
            let addend = texel(self.first + tap);
            for (component, other) in sum.iter_mut().zip(addend) {
                *component += self.weights[tap] * other;
            }
        }
        sum
    }
}

/// The number of levels down to one texel: floor(log2(the longer side)) + 1.
pub(super) fn level_count(width: usize, height: usize) -> usize {
    width.max(height).ilog2() as usize + 1
}

impl Level {
    /// The next level, unrounded.
    pub(super) fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let columns: Vec<Taps> = (0..width).map(|x| Taps::new(self.width, x)).collect();
        let mut texels = vec![[0.0; 4]; width * height];
        over(Chunks::new(&mut texels, width), |y, row| {
            let rows = Taps::new(self.height, y);
            for (texel, column) in row.iter_mut().zip(&columns) {
                *texel = rows.sum(|source_y| {
                    let source = &self.texels[source_y * self.width..][..self.width];
                    column.sum(|source_x| source[source_x])
                });
            }
        });
        Self { width, height, texels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f32]) -> Level {
        Level { width: values.len(), height: 1, texels: values.iter().map(|&value| [value; 4]).collect() }
    }

    #[test]
    fn sizes_follow_floor_down_to_one_texel() {
        assert_eq!(level_count(1, 1), 1);
        assert_eq!(level_count(5, 3), 3);
        assert_eq!(level_count(1024, 1), 11);
        let mut level = Level { width: 7, height: 3, texels: vec![[0.25; 4]; 21] };
        let mut sizes = vec![];
        while (level.width, level.height) != (1, 1) {
            level = level.halved();
            sizes.push((level.width, level.height));
            assert_eq!(level.texels.len(), level.width * level.height);
        }
        assert_eq!(sizes, [(3, 1), (1, 1)]);
    }

    #[test]
    fn an_even_row_averages_pairs() {
        assert_eq!(row(&[0.0, 1.0, 0.5, 0.25]).halved().texels, [[0.5; 4], [0.375; 4]]);
    }

    #[test]
    fn an_odd_row_weighs_by_covered_area() {
        // Five texels onto two: the first output covers texels 0 and 1 and half of texel 2.
        let level = row(&[1.0, 0.0, 0.0, 0.0, 0.0]).halved();
        assert_eq!(level.texels, [[0.4; 4], [0.0; 4]]);
        let level = row(&[0.0, 0.0, 1.0, 0.0, 0.0]).halved();
        assert_eq!(level.texels, [[0.2; 4], [0.2; 4]]);
        let level = row(&[0.0, 0.0, 0.0, 0.0, 1.0]).halved();
        assert_eq!(level.texels, [[0.0; 4], [0.4; 4]]);
    }

    #[test]
    fn every_texel_counts_equally_in_the_sum_over_an_odd_level() {
        // The box filter keeps the mean: output sums weigh each of 7·5 texels by (3·2)/(7·5).
        for place in 0..35 {
            let mut level = Level { width: 7, height: 5, texels: vec![[0.0; 4]; 35] };
            level.texels[place] = [1.0; 4];
            let sum: f32 = level.halved().texels.iter().map(|texel| texel[0]).sum();
            assert!((sum - 6.0 / 35.0).abs() < 1e-6, "texel {place} counts {sum}");
        }
    }
}
