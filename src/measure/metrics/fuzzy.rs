//! dEQP's fuzzy compare.
//!
//! Why it exists: the conformance tests of OpenGL ES and Vulkan judge many pictures with it, so people know it, and
//! should see what it misses next to metrics that do not miss it. It is reproduced with all of its habits; source of
//! the facts: `framework/common/tcuFuzzyImageCompare.cpp` and `deRandom.c` of the Khronos VK-GL-CTS.
//!
//! Both pictures are blurred a little. A random fifth of the inner pixels is visited; each is compared with the other
//! picture's pixel at its place, then with the eight around it, then with 32 random bilinear samples, and the smallest
//! squared distance counts (differences of up to four steps of a channel are none). The squared distances are squared
//! again and summed. A square above 2^32 wraps around, as it does there: so the strongest differences may count little.
//!
//! Alpha is a channel like the others. The walk is serial, since each random number depends on all that went before.

use refrast_threads::{both, each_piece};

/// Channel differences up to this many steps are none.
const FREE_STEPS: i32 = 4;
const SEED: u32 = 667;
/// The walk advances by 1 to 8 pixels.
const LARGEST_SKIP: u32 = 8;
const RANDOM_SAMPLES: usize = 32;
const KERNEL: [f32; 3] = [0.1, 0.8, 0.1];
const NEIGHBOURS: [(isize, isize); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// Xorshift128, seeded as `deRandom_init` does it.
struct Random([u32; 4]);

impl Random {
    fn new(seed: u32) -> Self {
        Self([
            seed.wrapping_neg() ^ 123_456_789,
            seed.wrapping_mul(362_436_069),
            (seed >> 7) ^ 521_288_629,
            (seed << 3) ^ 88_675_123,
        ])
    }

    fn next(&mut self) -> u32 {
        let [x, y, z, w] = self.0;
        let mixed = x ^ (x << 11);
        let next = (w ^ (w >> 19)) ^ (mixed ^ (mixed >> 8));
        self.0 = [y, z, w, next];
        next
    }

    /// 0 to 1, from 28 bits.
    fn unit(&mut self) -> f32 {
        (self.next() & 0x0fff_ffff) as f32 / 268_435_456.0
    }
}

struct Blurred {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
}

/// The error as dEQP computes it, to be held against a threshold such as 0.05. Both slices are RGBA of one size.
/// Without inner pixels (a width or height below 3) it is 0 for equal pictures, else 1.
pub(super) fn fuzzy_compare(golden: &[u8], candidate: &[u8], width: usize, height: usize) -> f64 {
    if width < 3 || height < 3 {
        return if golden == candidate { 0.0 } else { 1.0 };
    }
    let (golden, candidate) = both(|| Blurred::new(golden, width, height), || Blurred::new(candidate, width, height));
    let mut random = Random::new(SEED);
    let (mut visited, mut sum) = (0_u64, 0_u64);
    for y in 1..height - 1 {
        let mut x = 1;
        while x < width - 1 {
            let there = candidate.smallest_distance(&mut random, golden.pixel(x, y), x, y);
            let back = golden.smallest_distance(&mut random, candidate.pixel(x, y), x, y);
            let distance = there.min(back);
            sum = sum.saturating_add(u64::from(distance.wrapping_mul(distance)));
            visited += 1;
            x += 1 + (random.next() % LARGEST_SKIP) as usize;
        }
    }
    let share = ((width - 2) * (height - 2)) as f64 / visited as f64;
    let largest = f64::from(255 - FREE_STEPS);
    f64::from((sum as f64 / (largest * largest * largest * largest) * share) as f32)
}

impl Blurred {
    fn new(samples: &[u8], width: usize, height: usize) -> Self {
        let source = samples.as_chunks::<4>().0;
        let mut horizontal = vec![[0_u8; 4]; width * height];
        each_piece(&mut horizontal, width, |y, row| {
            let source = &source[y * width..][..width];
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = blur([source[x.saturating_sub(1)], source[x], source[(x + 1).min(width - 1)]]);
            }
        });
        let mut pixels = vec![[0_u8; 4]; width * height];
        each_piece(&mut pixels, width, |y, row| {
            let rows = [y.saturating_sub(1), y, (y + 1).min(height - 1)].map(|y| &horizontal[y * width..][..width]);
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = blur(rows.map(|row| row[x]));
            }
        });
        Self { width, height, pixels }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        self.pixels[y * self.width + x]
    }

    /// The smallest squared distance of `pixel` to this picture around an inner `x`, `y`.
    fn smallest_distance(&self, random: &mut Random, pixel: [u8; 4], x: usize, y: usize) -> u32 {
        let mut smallest = squared_distance(pixel, self.pixel(x, y));
        for (right, down) in NEIGHBOURS {
            if smallest == 0 {
                return 0;
            }
            let (x, y) = (x.wrapping_add_signed(right), y.wrapping_add_signed(down));
            smallest = smallest.min(squared_distance(pixel, self.pixel(x, y)));
        }
        for _ in 0..RANDOM_SAMPLES {
            if smallest == 0 {
                return 0;
            }
            let u = x as f32 + random.unit() * 2.0 - 0.5;
            let v = y as f32 + random.unit() * 2.0 - 0.5;
            smallest = smallest.min(squared_distance(pixel, self.bilinear(u, v)));
        }
        smallest
    }

    fn bilinear(&self, u: f32, v: f32) -> [u8; 4] {
        let (left, top) = ((u - 0.5).floor(), (v - 0.5).floor());
        let (a, b) = (u - 0.5 - left, v - 0.5 - top);
        let column = |offset: i32| (left as i32 + offset).clamp(0, self.width as i32 - 1) as usize;
        let row = |offset: i32| (top as i32 + offset).clamp(0, self.height as i32 - 1) as usize;
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| self.pixel(column(x), row(y)));
        std::array::from_fn(|channel| {
            let [p00, p10, p01, p11] = corners.map(|pixel| f32::from(pixel[channel]));
            let sum = p00 * (1.0 - a) * (1.0 - b) + p10 * a * (1.0 - b) + p01 * (1.0 - a) * b + p11 * a * b;
            rounded(sum)
        })
    }
}

fn blur(pixels: [[u8; 4]; 3]) -> [u8; 4] {
    std::array::from_fn(|channel| {
        let taps = pixels.iter().zip(KERNEL);
        rounded(taps.fold(0.0, |sum, (pixel, weight)| sum + f32::from(pixel[channel]) * weight))
    })
}

/// To the nearest step, halves up; the cast saturates.
fn rounded(value: f32) -> u8 {
    (value + 0.5) as u8
}

fn squared_distance(one: [u8; 4], other: [u8; 4]) -> u32 {
    let channels = one.iter().zip(other);
    channels
        .map(|(&one, other)| {
            let steps = ((i32::from(one) - i32::from(other)).abs() - FREE_STEPS).max(0);
            (steps * steps) as u32
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Picture,
        metrics::test_pictures::{discs, texture, translucent},
    };

    fn error(golden: &Picture, candidate: &Picture) -> f64 {
        let (width, height) = (golden.width() as usize, golden.height() as usize);
        fuzzy_compare(&golden.samples8(), &candidate.samples8(), width, height)
    }

    // The expected numbers come from tcuFuzzyImageCompare.cpp of VK-GL-CTS itself, compiled with g++ 12 -O2 around a
    // minimal pixel buffer: `fuzzyCompare(FuzzyCompareParams(), reference, result, mask)`.
    #[test]
    fn agrees_with_deqp_on_small_differences() {
        for ((golden, candidate), expected) in
            [(discs(), 0.000_493_826_927), (texture(), 0.0), (translucent(), 0.200_074_151)]
        {
            let error = error(&golden, &candidate);
            assert!((error - expected).abs() <= expected * 1e-6, "{error} {expected}");
        }
    }

    #[test]
    fn wraps_large_squares_as_deqp_does() {
        let (golden, _) = texture();
        let mut bytes = golden.samples8().into_owned();
        for pixel in bytes.as_chunks_mut::<4>().0 {
            pixel[..3].iter_mut().for_each(|sample| *sample = 255 - *sample);
        }
        let inverted = Picture::from_rgba8(97, 61, bytes).unwrap();
        let error = error(&golden, &inverted);
        assert!((error / 1_828.832_89 - 1.0).abs() < 1e-6, "{error}");
    }

    #[test]
    fn pictures_without_inner_pixels_are_equal_or_not() {
        let picture = |value| Picture::from_rgba8(2, 5, vec![value; 40]).unwrap();
        assert_eq!(error(&picture(1), &picture(1)), 0.0);
        assert_eq!(error(&picture(1), &picture(2)), 1.0);
    }
}
