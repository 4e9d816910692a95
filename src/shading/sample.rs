//! Texture sampling: nearest, bilinear and trilinear, eight fragments at a time.
//!
//! Why it exists: this is where renderers differ most quietly. Everything a sampler state can ask for goes one way,
//! so that no case has rules of its own:
//!
//! 1. The wrap mode turns each coordinate into a *fold* in [0, 1] ([`Fold`]): exact for every finite coordinate,
//!    because whole periods are taken off before anything is multiplied.
//! 2. λ chooses one or two mip levels per lane (`level_of_detail.rs`).
//! 3. On each level a coordinate becomes two texels and a fraction ([`Axis`]); nearest filtering is the case where
//!    both are the same texel and the fraction is 0.
//! 4. Texels are mixed along u, then along v, then between the levels, always as `a + f·(b − a)`, which gives `a`
//!    exactly for f = 0 and for a = b. So a constant texture filters to itself, and leaving out a level whose
//!    fraction is 0 changes no bit.

use fearless_simd::{Simd, f32x4, f32x8, mask32x8, prelude::*, u32x8};
use fearless_simd_macros::simd;

use super::{
    level_of_detail::{level_of_detail, scale_squared},
    mipmap::Texel,
    srgb::ColorSpace,
    texture::{MipLevel, PreparedTexture},
};
use refrast_draw::{LANES, transpose};
use refrast_scene::{Filter, Sampler, Wrap};

/// Where eight fragments look into a texture, in texture sizes (u right, v down, the image is [0, 1]²).
pub struct Coordinates<S: Simd> {
    /// (u, v) at the sample.
    pub at: [f32x8<S>; 2],
    /// Change of (u, v) for one pixel to the right.
    pub dx: [f32x8<S>; 2],
    /// Change of (u, v) for one pixel down.
    pub dy: [f32x8<S>; 2],
}

/// A wrapped coordinate.
struct Fold<S: Simd> {
    /// In [0, 1], in texture sizes.
    at: f32x8<S>,
    /// Counted from the far end: the mirrored copies of [`Wrap::MirroredRepeat`].
    mirrored: mask32x8<S>,
}

impl<S: Simd> Fold<S> {
    /// Takes whole periods off; a coordinate that is not a number (or that has no place in a period, being infinite)
    /// counts as 0.
    #[inline(always)]
    fn new(wrap: Wrap, coordinate: f32x8<S>) -> Self {
        let simd = coordinate.token();
        let zero = f32x8::splat(simd, 0.0);
        let one = f32x8::splat(simd, 1.0);
        let mut mirrored = mask32x8::splat(simd, false);
        let folded = match wrap {
            Wrap::Repeat => coordinate - coordinate.floor(),
            Wrap::ClampToEdge => coordinate.simd_gt(one).select(one, coordinate),
            Wrap::MirroredRepeat => {
                let period = coordinate - (coordinate * 0.5).floor() * 2.0;
                mirrored = period.simd_ge(one);
                mirrored.select(period - 1.0, period)
            }
        };
        Self { at: folded.simd_gt(zero).select(folded, zero), mirrored }
    }
}

/// The two texels along one axis that a lane mixes.
struct Axis<S: Simd> {
    first: u32x8<S>,
    second: u32x8<S>,
    /// Weight of `second`, in [0, 1).
    fraction: f32x8<S>,
}

impl<S: Simd> Axis<S> {
    /// On a level with `size` texels along the axis; texel i has its centre at (i + ½)/size.
    #[inline(always)]
    fn new(fold: &Fold<S>, size: f32x8<S>, wrap: Wrap, linear: mask32x8<S>) -> Self {
        let simd = size.token();
        let zero = f32x8::splat(simd, 0.0);
        let last = size - 1.0;
        let position = fold.at * size - linear.select(f32x8::splat(simd, 0.5), zero);
        let below = position.floor();
        let fraction = linear.select(position - below, zero);
        let above = linear.select(below + 1.0, below);
        // A position lies in [−½, size], so `below` in [−1, size]. It is `size` only where nearest filtering meets a
        // fold that was rounded up to 1; then `second` may be any texel, because its weight is 0.
        let (first, second) = match wrap {
            Wrap::Repeat => {
                let inside = below.simd_lt(last).select(below, last);
                (inside.simd_lt(zero).select(last, inside), above.simd_gt(last).select(zero, above))
            }
            Wrap::MirroredRepeat | Wrap::ClampToEdge => {
                let inside = below.simd_lt(last).select(below, last);
                (inside.simd_lt(zero).select(zero, inside), above.simd_lt(last).select(above, last))
            }
        };
        let place = |texel: f32x8<S>| fold.mirrored.select(last - texel, texel).to_int_precise();
        Self { first: place(first), second: place(second), fraction }
    }
}

/// The four texels of a level that a lane mixes, and how.
struct Footprint<S: Simd> {
    /// Numbers of texels: top left, top right, bottom left, bottom right.
    texels: [u32x8<S>; 4],
    /// Weight of the right texels.
    across: f32x8<S>,
    /// Weight of the bottom texels.
    down: f32x8<S>,
}

/// Where a texel's colour comes from.
trait TexelSource: Copy {
    /// Linear R G B and alpha of the texel with this number.
    fn load<S: Simd>(self, simd: S, texel: u32) -> f32x4<S>;
}

/// Texels kept as four floats.
#[derive(Clone, Copy)]
struct Decoded<'a>(&'a [Texel]);

impl TexelSource for Decoded<'_> {
    #[inline(always)]
    fn load<S: Simd>(self, simd: S, texel: u32) -> f32x4<S> {
        f32x4::from_slice(simd, &self.0[texel as usize])
    }
}

/// Texels kept as four bytes.
#[derive(Clone, Copy)]
struct Encoded<'a> {
    texels: &'a [[u8; 4]],
    color: &'a [f32; 256],
    alpha: &'a [f32; 256],
}

impl TexelSource for Encoded<'_> {
    #[inline(always)]
    fn load<S: Simd>(self, simd: S, texel: u32) -> f32x4<S> {
        let [red, green, blue, alpha] = self.texels[texel as usize];
        let color = |byte: u8| self.color[usize::from(byte)];
        f32x4::from_slice(simd, &[color(red), color(green), color(blue), self.alpha[usize::from(alpha)]])
    }
}

/// A lane's mip level.
struct LevelLanes<S: Simd> {
    width: f32x8<S>,
    height: f32x8<S>,
    row: u32x8<S>,
    offset: u32x8<S>,
}

impl<S: Simd> LevelLanes<S> {
    #[inline(always)]
    fn splat(simd: S, level: &MipLevel) -> Self {
        Self {
            width: f32x8::splat(simd, level.width as f32),
            height: f32x8::splat(simd, level.height as f32),
            row: u32x8::splat(simd, level.width),
            offset: u32x8::splat(simd, level.offset),
        }
    }

    /// `levels[number]` for each lane's level number, a whole number that is in range.
    #[inline(always)]
    fn gather(levels: &[MipLevel], number: f32x8<S>) -> Self {
        let simd = number.token();
        let numbers: [f32; LANES] = number.into();
        if number.simd_eq(f32x8::splat(simd, numbers[0])).all_true() {
            return Self::splat(simd, &levels[numbers[0] as usize]);
        }
        let (mut widths, mut heights, mut offsets) = ([0; LANES], [0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let level = &levels[numbers[lane] as usize];
            (widths[lane], heights[lane], offsets[lane]) = (level.width, level.height, level.offset);
        }
        let row = u32x8::from_slice(simd, &widths);
        Self {
            width: row.to_float(),
            height: u32x8::from_slice(simd, &heights).to_float(),
            row,
            offset: u32x8::from_slice(simd, &offsets),
        }
    }
}

/// Mixes `a` and `b`; exactly `a` for `fraction` 0 and for `a` = `b`.
#[inline(always)]
fn mix<S: Simd>(a: f32x8<S>, b: f32x8<S>, fraction: f32x8<S>) -> f32x8<S> {
    a + fraction * (b - a)
}

/// The R G B A of two lanes side by side: fragment `pair` and fragment `pair + 4`.
type ColorPair<S> = f32x8<S>;

#[inline(always)]
fn splat_pair<S: Simd>(values: f32x8<S>, pair: usize) -> f32x8<S> {
    let simd = values.token();
    f32x4::splat(simd, values[pair]).combine(f32x4::splat(simd, values[pair + LANES / 2]))
}

impl<S: Simd> Footprint<S> {
    /// Texels are numbered from `origin` on.
    #[inline(always)]
    fn new(sampler: &Sampler, level: &LevelLanes<S>, origin: u32, folds: &[Fold<S>; 2], linear: mask32x8<S>) -> Self {
        let u = Axis::new(&folds[0], level.width, sampler.wrap_u, linear);
        let v = Axis::new(&folds[1], level.height, sampler.wrap_v, linear);
        let offset = level.offset - origin;
        let top = offset + v.first * level.row;
        let bottom = offset + v.second * level.row;
        Self {
            texels: [top + u.first, top + u.second, bottom + u.first, bottom + u.second],
            across: u.fraction,
            down: v.fraction,
        }
    }

    /// One texel of each of the two lanes.
    #[inline(always)]
    fn load(&self, source: impl TexelSource, corner: usize, pair: usize) -> ColorPair<S> {
        let simd = self.across.token();
        let texels = self.texels[corner];
        source.load(simd, texels[pair]).combine(source.load(simd, texels[pair + LANES / 2]))
    }

    /// Mixes along u, then along v.
    #[inline(always)]
    fn mixed(&self, source: impl TexelSource, pair: usize) -> ColorPair<S> {
        let across = splat_pair(self.across, pair);
        let top = mix(self.load(source, 0, pair), self.load(source, 1, pair), across);
        let bottom = mix(self.load(source, 2, pair), self.load(source, 3, pair), across);
        mix(top, bottom, splat_pair(self.down, pair))
    }
}

/// [`ColorPair`]s to one vector a channel.
#[inline(always)]
fn channels<S: Simd>(pairs: [ColorPair<S>; 4]) -> [f32x8<S>; 4] {
    let [(low0, high0), (low1, high1), (low2, high2), (low3, high3)] =
        [pairs[0].split(), pairs[1].split(), pairs[2].split(), pairs[3].split()];
    let low = transpose([low0, low1, low2, low3]);
    let high = transpose([high0, high1, high2, high3]);
    [low[0].combine(high[0]), low[1].combine(high[1]), low[2].combine(high[2]), low[3].combine(high[3])]
}

impl PreparedTexture {
    /// The filtered colour, linear R G B and alpha, for all eight lanes.
    #[inline(always)]
    pub fn sample<S: Simd>(&self, coordinates: &Coordinates<S>) -> [f32x8<S>; 4] {
        sample(coordinates.at[0].token(), self, coordinates)
    }
}

/// The mip levels that each lane mixes.
struct Levels<S: Simd> {
    /// A whole number.
    finer: f32x8<S>,
    /// Weight of the next level, in [0, 1); 0 on the last level.
    fraction: f32x8<S>,
}

impl<S: Simd> Levels<S> {
    #[inline(always)]
    fn new(texture: &PreparedTexture, scale_squared: f32x8<S>, minified: mask32x8<S>) -> Self {
        let simd = scale_squared.token();
        let zero = f32x8::splat(simd, 0.0);
        let Some(between) = texture.sampler.mip else { return Self { finer: zero, fraction: zero } };
        if minified.all_false() {
            return Self { finer: zero, fraction: zero };
        }
        let lambda = level_of_detail(scale_squared, minified, (texture.levels.len() - 1) as f32);
        match between {
            // Vulkan's preferred rule: ⌈λ + ½⌉ − 1, so that λ = ½ still reads level 0.
            Filter::Nearest => Self { finer: (lambda + 0.5).ceil() - 1.0, fraction: zero },
            Filter::Linear => Self { finer: lambda.floor(), fraction: lambda - lambda.floor() },
        }
    }
}

#[simd]
fn sample<S: Simd>(simd: S, texture: &PreparedTexture, coordinates: &Coordinates<S>) -> [f32x8<S>; 4] {
    let sampler = &texture.sampler;
    let [width, height] = [texture.levels[0].width as f32, texture.levels[0].height as f32];
    let scale_squared = scale_squared([width, height], coordinates.dx, coordinates.dy);
    let minified = scale_squared.simd_gt(f32x8::splat(simd, 1.0));
    let linear = match (sampler.magnification, sampler.minification) {
        (Filter::Linear, Filter::Linear) => mask32x8::splat(simd, true),
        (Filter::Nearest, Filter::Nearest) => mask32x8::splat(simd, false),
        (Filter::Nearest, Filter::Linear) => minified,
        (Filter::Linear, Filter::Nearest) => !minified,
    };
    let folds = [Fold::new(sampler.wrap_u, coordinates.at[0]), Fold::new(sampler.wrap_v, coordinates.at[1])];

    let levels = Levels::new(texture, scale_squared, minified);

    let first_decoded = f32x8::splat(simd, texture.first_decoded as f32);
    if levels.finer.simd_ge(first_decoded).all_true() {
        let origin = texture.levels[texture.first_decoded].offset;
        mix_levels(texture, &levels, &folds, linear, origin, Decoded(&texture.decoded))
    } else {
        let source = Encoded {
            texels: &texture.bytes,
            color: texture.color_space.decode_table(),
            alpha: ColorSpace::decode_alpha_table(),
        };
        mix_levels(texture, &levels, &folds, linear, 0, source)
    }
}

/// The colours of the footprints on one or two levels, whose texels `source` has from the number `origin` on.
#[inline(always)]
fn mix_levels<S: Simd>(
    texture: &PreparedTexture,
    levels: &Levels<S>,
    folds: &[Fold<S>; 2],
    linear: mask32x8<S>,
    origin: u32,
    source: impl TexelSource,
) -> [f32x8<S>; 4] {
    let Levels { finer, fraction } = *levels;
    let simd = finer.token();
    let level = LevelLanes::gather(&texture.levels, finer);
    let near = Footprint::new(&texture.sampler, &level, origin, folds, linear);
    let mut pairs = [near.mixed(source, 0), near.mixed(source, 1), near.mixed(source, 2), near.mixed(source, 3)];
    let between_levels = fraction.simd_gt(f32x8::splat(simd, 0.0));
    if between_levels.any_true() {
        // Where the fraction is 0 the finer level stands in for the next, which may not exist.
        let level = LevelLanes::gather(&texture.levels, between_levels.select(finer + 1.0, finer));
        let far = Footprint::new(&texture.sampler, &level, origin, folds, linear);
        pairs[0] = mix(pairs[0], far.mixed(source, 0), splat_pair(fraction, 0));
        pairs[1] = mix(pairs[1], far.mixed(source, 1), splat_pair(fraction, 1));
        pairs[2] = mix(pairs[2], far.mixed(source, 2), splat_pair(fraction, 2));
        pairs[3] = mix(pairs[3], far.mixed(source, 3), splat_pair(fraction, 3));
    }
    channels(pairs)
}
