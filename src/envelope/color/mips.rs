//! [`MipChain`]: the bytes that the texels of mip levels may have, where an engine declares that they are not the reference's.
//!
//! Why it exists: no specification says how a chain is made. OpenGL ES 3.2 (8.14.4) and OpenGL 4.6 (8.14.4) have "no particular filter
//! algorithm", Direct3D's `GenerateMips` names none, and engines that decode texels in a shader average what is stored. Level 0 is
//! the file's, or what [a decoder](jpeg) makes of it; of each level after it this gives the least and the greatest byte of every texel and channel.
//!
//! Sizes are the reference's, max(1, ⌊n ÷ 2⌋). Texel i of m covers \[i·n/m, (i + 1)·n/m\) of the n texels before it.
//!
//! # Means of stored bytes
//!
//! Each level is the mean of those areas of the level before it, of bytes, whatever they stand for. An engine may round every level or
//! none, up or down, or have the mean from a filter whose weights have eight bits: 2⁻⁹ off, which is half a byte beside the half of
//! rounding to the nearest. So a level adds at most one byte to the error of the one before it, which a mean hands on: n after n
//! levels. And no mean leaves what it is a mean of.
//!
//! # A driver's own filter
//!
//! Assumed is that a texel is a weighted mean of texels of the level before it, along x and then along y or the other way round; that no
//! weight is negative; that only texels take part which its area touches or which lie beside those (one more at either end; over
//! the edge the sampler's wrap mode or the edge itself); that along a side of an even number of texels no weight is more than a
//! half, and 2⁻⁸ for filters that count in eight bits; and that the mean is of stored bytes or of light. That holds every box, tents of
//! four texels (1 3 3 1), and at odd sizes drivers that mix the two texels at the centre of an area, that leave out the last row, or
//! that weigh three. It does not hold levels that keep every second texel, nor filters with negative lobes (Kaiser, Lanczos).
//!
//! With no weight above m ≥ ½ the least mean is m of the least texel and 1 − m of the next one, and the greatest likewise. sRGB's
//! curve is convex, so that a mean of light is nowhere below the mean of stored bytes: this is the lower bound, that the upper one. Either
//! may be rounded up or down.

use std::ops::RangeInclusive;

use super::{
    filter::{Level, wrapped},
    jpeg,
};
use refrast_range::{Freedoms, Jpeg, Mips};
use refrast_scene::Wrap;
use refrast_shading::{ColorSpace, PreparedTexture, srgb_to_linear};
use refrast_threads::{each_piece, filled};

/// Four bytes a texel.
type Texel = [u8; 4];

/// Texels that a thread takes at once.
const PIECE: usize = 1 << 12;

/// Four numbers a texel.
type Numbers = [f32; 4];

/// A texel of the level before, and its weight or the most that this may be.
type Tap = (usize, f32);

/// The taps of each texel of the next level along each axis.
type Taps = [Vec<Vec<Tap>>; 2];

/// What is left for the roundings of a mean in f32: of bytes, and of light between 0 and 1.
const SLACK: [f32; 2] = [1e-3, 4e-6];

/// The most that a tap of an even side weighs.
const HALF: f32 = 0.5 + 1.0 / 256.0;

/// The levels of a texture as a backend with these freedoms may have them, level 0 first.
pub(super) fn levels<'a>(texture: &'a PreparedTexture, freedoms: &Freedoms) -> Vec<Level<'a>> {
    let own = (0..texture.level_count()).map_while(|level| Level::new(texture, level));
    let sampler = texture.sampler();
    let wrap = [sampler.wrap_u, sampler.wrap_v];
    let decoded = jpeg::bounds(texture, freedoms.jpeg);
    // Between the samples around a texel not every colour can be.
    let loose = freedoms.jpeg == Jpeg::Any;
    let size = |level: usize| texture.level_size(level).unwrap_or_default().map(|side| side as usize);
    if freedoms.mips == Mips::Linear {
        // The mean of light rises with every texel, and so does the byte that it is rounded to.
        let Some([least, greatest]) = decoded.map(|texels| texels.map(|texels| texture.levels_of(texels))) else {
            return own.collect();
        };
        let pairs = least.into_iter().zip(greatest).enumerate();
        return pairs
            .map(|(number, (least, greatest))| Level::between(size(number), wrap, [least, greatest], loose))
            .collect();
    }
    let (mut levels, mut mip): (Vec<Level<'_>>, Mip) = match decoded {
        Some([least, greatest]) => {
            let mip = Mip::file(size(0), least, Some(greatest));
            (vec![Level::between(mip.size, wrap, [mip.least.clone(), mip.greatest.clone()], loose)], mip)
        }
        None => {
            let texels = texture.level_bytes(0).unwrap_or_default().as_chunks().0.to_vec();
            (own.take(1).collect(), Mip::file(size(0), texels, None))
        }
    };
    let light = Light::of(texture.color_space());
    let count = if freedoms.mips == Mips::None { 1 } else { texture.level_count() };
    for number in 1..count {
        mip = if freedoms.mips == Mips::Stored { mip.averaged(number) } else { mip.filtered(wrap, &light) };
        levels.push(Level::between(mip.size, wrap, [mip.least.clone(), mip.greatest.clone()], true));
    }
    levels
}

/// The light of a byte of a colour, and of alpha.
struct Light([[f32; 256]; 2]);

impl Light {
    fn of(space: ColorSpace) -> Self {
        let plain = std::array::from_fn(|byte| byte as f32 / 255.0);
        let color = match space {
            ColorSpace::Linear => plain,
            ColorSpace::Srgb => std::array::from_fn(|byte| srgb_to_linear(byte as f64 / 255.0) as f32),
        };
        Self([color, plain])
    }

    fn channel(&self, channel: usize) -> &[f32; 256] {
        &self.0[usize::from(channel == 3)]
    }

    fn decoded(&self, texel: Texel) -> Numbers {
        std::array::from_fn(|channel| self.channel(channel)[usize::from(texel[channel])])
    }

    /// Rounded up.
    fn stored(&self, light: Numbers) -> Texel {
        std::array::from_fn(|channel| {
            self.channel(channel).partition_point(|own| *own < light[channel] - SLACK[1]).min(255) as u8
        })
    }
}

/// A level on the way down.
struct Mip {
    size: [usize; 2],
    least: Vec<Texel>,
    greatest: Vec<Texel>,
    /// The unrounded mean of the file's bytes, or of the least and of the greatest that those may be; empty where nobody asks
    /// for it any more.
    means: Vec<Vec<Numbers>>,
}

impl Mip {
    /// Level 0: its texels, or the least that they may be and the greatest.
    fn file(size: [usize; 2], least: Vec<Texel>, greatest: Option<Vec<Texel>>) -> Self {
        let means = [Some(&least), greatest.as_ref()].into_iter().flatten().map(|texels| numbers(texels)).collect();
        let greatest = greatest.unwrap_or_else(|| least.clone());
        Self { size, least, greatest, means }
    }

    /// The next level, by any filter.
    fn filtered(&self, wrap: [Wrap; 2], light: &Light) -> Self {
        let taps = [0, 1].map(|axis: usize| {
            let size = self.size[axis];
            let most = if size.is_multiple_of(2) { HALF } else { 1.0 };
            let reached = |index| {
                let area = area(size, index);
                (area.start() - 1..=area.end() + 1).map(|texel| (wrapped(wrap[axis], texel, size), most)).collect()
            };
            (0..halved(size)).map(reached).collect()
        });
        let least = gathered(&numbers(&self.least), self.size, &taps, |taps, texel| extreme(taps, texel, f32::lt));
        let lights: Vec<Numbers> = filled(self.greatest.len(), PIECE, |place| light.decoded(self.greatest[place]));
        let greatest = gathered(&lights, self.size, &taps, |taps, texel| extreme(taps, texel, f32::gt));
        Self {
            size: self.size.map(halved),
            least: filled(least.len(), PIECE, |place| least[place].map(|byte| (byte + SLACK[0]).floor() as u8)),
            greatest: filled(greatest.len(), PIECE, |place| light.stored(greatest[place])),
            means: Vec::new(),
        }
    }

    /// Level `number`, by means of stored bytes.
    fn averaged(&self, number: usize) -> Self {
        let taps = self.size.map(|size| (0..halved(size)).map(|index| shares(size, index)).collect());
        let mean = |texels: &Vec<Numbers>| {
            gathered(texels, self.size, &taps, |taps, texel| {
                let add = |sum: Numbers, &(place, weight): &Tap| {
                    let texel = texel(place);
                    std::array::from_fn(|channel| sum[channel] + weight * texel[channel])
                };
                taps.iter().fold([0.0; 4], add)
            })
        };
        let means: Vec<Vec<Numbers>> = self.means.iter().map(mean).collect();
        let error = number as f32 + SLACK[0];
        let by = |texels: &[Texel], choose: fn(u8, u8) -> u8| {
            gathered(texels, self.size, &taps, |taps, texel| {
                let choose = |a: Texel, b: Texel| std::array::from_fn(|channel| choose(a[channel], b[channel]));
                taps.iter().map(|&(place, _)| texel(place)).reduce(choose).unwrap_or_default()
            })
        };
        let (mut least, mut greatest) = (by(&self.least, u8::min), by(&self.greatest, u8::max));
        if let (Some(low), Some(high)) = (means.first(), means.last()) {
            for ((least, greatest), (low, high)) in least.iter_mut().zip(&mut greatest).zip(low.iter().zip(high)) {
                for channel in 0..4 {
                    least[channel] = least[channel].max((low[channel] - error).ceil() as u8);
                    greatest[channel] = greatest[channel].min((high[channel] + error).floor() as u8);
                }
            }
        }
        Self { size: self.size.map(halved), least, greatest, means }
    }
}

fn numbers(texels: &[Texel]) -> Vec<Numbers> {
    filled(texels.len(), PIECE, |place| texels[place].map(f32::from))
}

/// The mean that lies farthest to one side: the most that a tap may weigh of the first texel in that order, the rest of the second.
fn extreme(taps: &[Tap], texel: &dyn Fn(usize) -> Numbers, is_before: fn(&f32, &f32) -> bool) -> Numbers {
    let mut all = taps.iter().map(|&(place, most)| (texel(place), most));
    let Some((start, most)) = all.next() else { return Numbers::default() };
    let (mut first, mut second): (Numbers, Option<Numbers>) = (start, None);
    for (texel, _) in all {
        let mut next = second.unwrap_or(texel);
        for channel in 0..4 {
            let own = texel[channel];
            if is_before(&own, &first[channel]) {
                (next[channel], first[channel]) = (first[channel], own);
            } else if is_before(&own, &next[channel]) {
                next[channel] = own;
            }
        }
        second = Some(next);
    }
    let second = second.unwrap_or(first);
    std::array::from_fn(|channel| most * first[channel] + (1.0 - most) * second[channel])
}

/// What the taps of each texel of the next level give, first along x, then along y.
fn gathered<T: Copy + Default + Send + Sync>(
    texels: &[T],
    [width, height]: [usize; 2],
    [columns, rows]: &Taps,
    gather: impl Fn(&[Tap], &dyn Fn(usize) -> T) -> T + Sync,
) -> Vec<T> {
    let mut narrow = vec![T::default(); columns.len() * height];
    each_piece(&mut narrow, columns.len(), |y, row| {
        let texels = &texels[y * width..][..width];
        for (own, taps) in row.iter_mut().zip(columns) {
            *own = gather(taps, &|x| texels[x]);
        }
    });
    let mut all = vec![T::default(); columns.len() * rows.len()];
    each_piece(&mut all, columns.len(), |number, row| {
        for (x, own) in row.iter_mut().enumerate() {
            *own = gather(&rows[number], &|y| narrow[y * columns.len() + x]);
        }
    });
    all
}

/// The texels of a side of the next level.
fn halved(size: usize) -> usize {
    (size / 2).max(1)
}

/// The texels that texel `index` of the next level covers or touches.
fn area(size: usize, index: usize) -> RangeInclusive<i64> {
    let half = halved(size);
    (index * size / half) as i64..=((index + 1) * size).div_ceil(half) as i64 - 1
}

/// The same with the part of the area that each has.
fn shares(size: usize, index: usize) -> Vec<Tap> {
    let half = halved(size);
    // In units of 1 ÷ half texels, which are whole numbers.
    let (start, end) = (index * size, (index + 1) * size);
    let share = |texel: usize| end.min((texel + 1) * half) - start.max(texel * half);
    area(size, index).map(|texel| (texel as usize, share(texel as usize) as f32 / size as f32)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A row of greys.
    fn row(greys: &[u8]) -> Mip {
        let texels: Vec<Texel> = greys.iter().map(|&grey| [grey; 4]).collect();
        Mip::file([greys.len(), 1], texels, None)
    }

    /// The least and the greatest grey of each texel.
    fn greys(mip: &Mip) -> Vec<[u8; 2]> {
        mip.least.iter().zip(&mip.greatest).map(|(least, greatest)| [least[0], greatest[0]]).collect()
    }

    const CLAMP: [Wrap; 2] = [Wrap::ClampToEdge; 2];

    #[test]
    fn a_mean_of_stored_bytes_is_a_byte_off_at_each_level_and_never_outside() {
        // Means 50, 150, 7 and 250, then 100 and 128.5.
        let first = row(&[0, 100, 100, 200, 7, 7, 250, 250]).averaged(1);
        assert_eq!(greys(&first), [[49, 51], [149, 151], [7, 7], [250, 250]]);
        assert_eq!(greys(&first.averaged(2)), [[98, 102], [127, 130]]);
        // Five onto two: (2·a0 + 2·a1 + 1·a2) ÷ 5 and (1·a2 + 2·a3 + 2·a4) ÷ 5.
        assert_eq!(greys(&row(&[0, 50, 100, 150, 250]).averaged(1)), [[39, 41], [179, 181]]);
    }

    /// Bytes that are plain numbers.
    fn plain() -> Light {
        Light::of(ColorSpace::Linear)
    }

    #[test]
    fn a_filter_reaches_its_area_and_one_texel_more() {
        // Half of the least and half of the next one of 10 10 20 30, of 20 30 40 50, and so on, rounded down; likewise above.
        let eight = row(&[10, 20, 30, 40, 50, 60, 70, 80]);
        assert_eq!(greys(&eight.filtered(CLAMP, &plain())), [[10, 26], [24, 46], [44, 66], [64, 80]]);
        // Over the edge is the other end.
        let repeated = eight.filtered([Wrap::Repeat; 2], &plain());
        assert_eq!(greys(&repeated), [[14, 56], [24, 46], [44, 66], [34, 76]]);
        // Of an odd side any one texel may be all.
        assert_eq!(greys(&row(&[10, 20, 30, 40, 50]).filtered(CLAMP, &plain())), [[10, 40], [20, 50]]);
    }

    #[test]
    fn the_upper_bound_is_a_mean_of_light() {
        let all = greys(&row(&[0, 255]).filtered([Wrap::Repeat; 2], &Light::of(ColorSpace::Srgb)));
        // Both texels are reached twice over the edges.
        assert_eq!(all, [[0, 255]]);
        // Of three blacks and a white: nothing but black, and half white, which is 187.5 of light and two thirds more for its eight bits.
        let all = greys(&row(&[0, 0, 255, 255]).filtered(CLAMP, &Light::of(ColorSpace::Srgb)));
        assert_eq!(all[0], [0, 189]);
    }

    /// Numbers of a row and of the weights of filters of it.
    fn rows() -> impl Strategy<Value = (Vec<u8>, Vec<f64>, bool)> {
        (1usize..40).prop_flat_map(|size| {
            let weights = proptest::collection::vec(0.0..1.0f64, 8 * size.max(8));
            (proptest::collection::vec(any::<u8>(), size), weights, any::<bool>())
        })
    }

    fn linear_to_srgb(linear: f64) -> f64 {
        if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
    }

    proptest! {
        /// Any weights that are not negative, of even sides none above a half, of stored values or of light, rounded or not.
        #[test]
        fn whatever_a_driver_weighs_is_inside((greys, weights, of_light) in rows()) {
            let (mut mip, mut values) = (row(&greys), greys.iter().map(|&grey| f64::from(grey)).collect::<Vec<_>>());
            let mut weights = weights.into_iter().cycle();
            let light = Light::of(ColorSpace::Srgb);
            while values.len() > 1 {
                mip = mip.filtered(CLAMP, &light);
                let next = |index: usize| {
                    let area = area(values.len(), index);
                    let mut own: Vec<f64> =
                        (area.start() - 1..=area.end() + 1).map(|_| libm::pow(weights.next().unwrap_or(1.0), 6.0) + 1e-9).collect();
                    let whole: f64 = own.iter().sum();
                    own.iter_mut().for_each(|weight| *weight /= whole);
                    if let Some(heavy) = own.iter().position(|weight| values.len() % 2 == 0 && *weight > 0.5) {
                        let rest = 1.0 - own[heavy];
                        own.iter_mut().for_each(|weight| *weight *= 0.5 / rest);
                        own[heavy] = 0.5;
                    }
                    let texels = (area.start() - 1..).map(|texel| values[texel.clamp(0, values.len() as i64 - 1) as usize]);
                    let mean: f64 = own.iter().zip(texels).map(|(weight, value)| {
                        weight * if of_light { srgb_to_linear(value / 255.0) } else { value }
                    }).sum();
                    let mean = if of_light { 255.0 * linear_to_srgb(mean) } else { mean };
                    if index.is_multiple_of(2) { mean.round() } else { mean }
                };
                values = (0..halved(values.len())).map(next).collect();
                for (value, (least, greatest)) in values.iter().zip(mip.least.iter().zip(&mip.greatest)) {
                    let stored = value.round() as u8;
                    prop_assert!(least[0] <= stored && stored <= greatest[0], "{stored} of {least:?} and {greatest:?}");
                }
            }
        }

        /// Means by areas, each level cut off, rounded up or not rounded, and by weights of eight bits that are to the nearest.
        #[test]
        fn however_a_mean_is_rounded_it_is_inside((greys, _, nearest) in rows(), mode in 0..3u8) {
            let (mut mip, mut values) = (row(&greys), greys.iter().map(|&grey| f64::from(grey)).collect::<Vec<_>>());
            let mut number = 0;
            while values.len() > 1 {
                number += 1;
                mip = mip.averaged(number);
                let next = |index: usize| {
                    let mean: f64 = shares(values.len(), index).iter().map(|&(texel, share)| f64::from(share) * values[texel]).sum();
                    match mode {
                        0 => (mean + 1e-9).floor(),
                        1 => (mean - 1e-9).ceil(),
                        _ if nearest => mean.round(),
                        _ => mean,
                    }
                };
                values = (0..halved(values.len())).map(next).collect();
                for (value, (least, greatest)) in values.iter().zip(mip.least.iter().zip(&mip.greatest)) {
                    let stored = value.round() as u8;
                    prop_assert!(least[0] <= stored && stored <= greatest[0], "{stored} of {least:?} and {greatest:?}");
                }
            }
        }

        /// An area's shares are one area.
        #[test]
        fn shares_are_a_whole((size, index) in (1usize..200).prop_flat_map(|size| (Just(size), 0..halved(size)))) {
            let shares = shares(size, index);
            prop_assert!(shares.iter().all(|&(texel, share)| texel < size && share > 0.0));
            prop_assert!((shares.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }
}
