//! One mip level: what a filter may make of the texels around a coordinate that is known to within a radius.
//!
//! # Linear filtering
//!
//! For any values tᵢⱼ of the texels the filtered value is continuous, and within a cell between four texel centres it
//! changes along u by at most the larger of the two differences between neighbours along u. So over a rectangle of
//! coordinates p ± r,
//!
//! > |f(p′) − f(p)| ≤ r_u·max|t(i+1, j) − t(i, j)| + r_v·max|t(i, j+1) − t(i, j)|,
//!
//! the maxima being over all texels that the rectangle touches. Weights are not negative, so f is at least what the least
//! values of the texels give and at most what the greatest give; both bounds are computed so, each with differences of its own.
//!
//! A filter computes "with at least as much precision as the format" (Direct3D 11.3 Functional Specification, 7.18.16.2):
//! [`Freedoms::filter`](refrast_range::Freedoms) steps of the stored byte. And "the output must fall between the min and
//! the max values of the texels accessed" (7.18.16.3), so everything is clamped to these, and a constant texture gives
//! its colour.
//!
//! Where a profile lets weights be off ([`Freedoms::weights`](refrast_range::Freedoms)), by errors δ that add up to 0, the result
//! moves by Σ δᵢ·tᵢ, a part of the difference of the greatest and the least texel. And where texels may be cut off
//! ([`Freedoms::cut`](refrast_range::Freedoms)), those lose that have a smaller exponent than the largest: then the result may be
//! below all of them.
//!
//! # Nearest filtering
//!
//! Every texel that the rectangle touches is a choice.
//!
//! # Texels that are not known
//!
//! Where a texel may be anything between two bytes, the least bytes give the lower bound and the greatest the upper one: each filter
//! rises with every texel.

use std::{borrow::Cow, sync::OnceLock};

use super::boxes::ColorBoxes;
use crate::Interval;
use refrast_range::Freedoms;
use refrast_scene::Wrap;
use refrast_shading::{ColorSpace, PreparedTexture, srgb_to_linear};

/// Least and greatest values: red, green, blue, alpha, then the same again.
pub(super) type Bounds = [f64; 8];

/// Texels a filter looks at one by one; past these the whole level counts.
const MOST_TEXELS: usize = 4096;
/// Texels along an axis for which differences are taken; past these the hull of the texels is as good.
const MOST_CELLS: usize = 4;
/// Texels that nearest filtering keeps apart.
const MOST_CHOICES: usize = 16;

/// What bytes decode to: the least and the greatest linear value of each.
pub(super) struct Decoding {
    color: [[f64; 2]; 256],
    alpha: [[f64; 2]; 256],
    /// Filter precision as a part of the width of a decoded colour, or for linear colours and alpha in light.
    color_filter: Precision,
    alpha_filter: f64,
    /// How far a mixture of two levels may be off, colours and alpha.
    between_levels: f64,
    weights: f64,
    /// Of colours; alpha is linear and has all its bits.
    cut: f64,
}

#[derive(Clone, Copy)]
enum Precision {
    /// Of the distance between the least and the greatest value.
    Relative(f64),
    Absolute(f64),
}

impl Decoding {
    /// Of a colour space under a profile's freedoms.
    ///
    /// An sRGB byte may be decoded as anything within [`Freedoms::decode`] steps of it, but 0 and 255 exactly (Direct3D
    /// 11.3 Functional Specification, 3.2.3.7); a linear byte is divided by 255 (3.2.3.5).
    pub(super) fn new(space: ColorSpace, freedoms: &Freedoms) -> Self {
        let linear = |byte: usize| {
            let value = byte as f64 / 255.0;
            let error = value * freedoms.division;
            [value - error, value + error]
        };
        let curved = |byte: usize| {
            let error = if byte == 0 || byte == 255 { 0.0 } else { freedoms.decode };
            [byte as f64 - error, byte as f64 + error].map(|stored| srgb_to_linear(stored / 255.0))
        };
        let interpolation = match space {
            // They are mixed as floats.
            ColorSpace::Srgb => 0.0,
            ColorSpace::Linear => freedoms.interpolation / 255.0,
        };
        let step = (freedoms.filter / 255.0).max(2.0 * interpolation);
        let (color, color_filter) = match space {
            ColorSpace::Srgb => {
                (std::array::from_fn(curved), Precision::Relative(0.5 * freedoms.filter / freedoms.decode))
            }
            ColorSpace::Linear => (std::array::from_fn(linear), Precision::Absolute(step)),
        };
        let cut = match space {
            ColorSpace::Srgb => freedoms.cut,
            ColorSpace::Linear => 0.0,
        };
        let alpha = std::array::from_fn(linear);
        Self {
            color,
            alpha,
            color_filter,
            alpha_filter: step,
            between_levels: interpolation,
            weights: freedoms.weights,
            cut,
        }
    }

    fn texel(&self, [red, green, blue, alpha]: [u8; 4]) -> Bounds {
        let [r, g, b] = [red, green, blue].map(|byte| self.color[usize::from(byte)]);
        let a = self.alpha[usize::from(alpha)];
        [r[0], g[0], b[0], a[0], r[1], g[1], b[1], a[1]]
    }

    /// Cuts off what texels between these may lose because they share the largest one's exponent.
    fn cut_off(&self, bounds: &mut Bounds, extreme: &Bounds) {
        for channel in 0..3 {
            let power = power_of_two(extreme[channel + 4]);
            if extreme[channel] < power {
                bounds[channel] = (bounds[channel] - self.cut * power).max(0.0);
            }
        }
    }

    /// What filtering one level may give.
    pub(super) fn one_level(&self, filtered: &Filtered) -> Bounds {
        self.off_by(filtered, self.weights, 0.0)
    }

    /// With weights that are off by a part of what lies between the texels, and something else.
    fn off_by(&self, filtered: &Filtered, weights: f64, other: f64) -> Bounds {
        let Filtered { mut bounds, extreme } = *filtered;
        for channel in 0..4 {
            let [least, greatest] = [extreme[channel], extreme[channel + 4]];
            let error = weights * (greatest - least) + other;
            bounds[channel] = (bounds[channel] - error).max(least);
            bounds[channel + 4] = (bounds[channel + 4] + error).min(greatest);
        }
        self.cut_off(&mut bounds, &extreme);
        bounds
    }

    /// What is made of two levels, `weight` of the coarser.
    ///
    /// Of four weights that are rounded two may be half a step too large each and the others too small, of eight four.
    pub(super) fn two_levels(&self, finer: &Filtered, coarser: &Filtered, weight: f64) -> Bounds {
        if finer == coarser {
            return self.one_level(finer);
        }
        let mut extreme = finer.extreme;
        widen(&mut extreme, &coarser.extreme);
        let mixed = |channel: usize| finer.bounds[channel] + weight * (coarser.bounds[channel] - finer.bounds[channel]);
        let mixed = Filtered { bounds: std::array::from_fn(mixed), extreme };
        self.off_by(&mixed, 2.0 * self.weights, self.between_levels)
    }

    /// How far filtering may be off where it gives `value`.
    fn precision(&self, value: &Bounds) -> [f64; 4] {
        let color = |channel: usize| match self.color_filter {
            Precision::Relative(part) => part * (value[channel + 4] - value[channel]),
            Precision::Absolute(step) => step,
        };
        [color(0), color(1), color(2), self.alpha_filter]
    }
}

/// A coordinate along one axis, in texels of a level, texel i being [i, i + 1), whole periods not taken off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate {
    pub(super) center: f64,
    pub(super) radius: f64,
}

/// What a filter makes of the texels of a level by exact weights, before any of them is cut off.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Filtered {
    bounds: Bounds,
    /// Of the texels.
    extreme: Bounds,
}

/// A level to be filtered.
pub(super) struct Level<'a> {
    pub(super) size: [usize; 2],
    /// The texels, or the least that they may be.
    texels: Cow<'a, [[u8; 4]]>,
    /// The greatest that they may be, where that is more.
    greatest: Option<Vec<[u8; 4]>>,
    /// Whether not all that lies between can be.
    loose: bool,
    wrap: [Wrap; 2],
    whole: OnceLock<Bounds>,
}

/// The texels along one axis that a coordinate may touch.
struct Span {
    /// The first texel, before wrapping.
    first: i64,
    count: usize,
    /// Place of the centre's lower texel after the first, and the weight of the next one.
    cell: usize,
    fraction: f64,
    /// How far the coordinate may be from its centre.
    radius: f64,
}

impl Filtered {
    /// The nearest texel, which may be anything in a box.
    pub(super) fn texel(texel: &[Interval; 4]) -> Self {
        let ends = |channel: usize| if channel < 4 { texel[channel].low } else { texel[channel - 4].high };
        Self::anywhere(std::array::from_fn(ends))
    }

    /// Where all that is known are the texels.
    fn anywhere(extreme: Bounds) -> Self {
        Self { bounds: extreme, extreme }
    }
}

impl<'a> Level<'a> {
    /// Level `number` of a texture; `None` past the last.
    pub(super) fn new(texture: &'a PreparedTexture, number: usize) -> Option<Self> {
        let size = texture.level_size(number)?.map(|side| side as usize);
        let texels = Cow::Borrowed(texture.level_bytes(number)?.as_chunks().0);
        let sampler = texture.sampler();
        let wrap = [sampler.wrap_u, sampler.wrap_v];
        Some(Self { size, texels, greatest: None, loose: false, wrap, whole: OnceLock::new() })
    }

    /// A level whose texels lie between these; `loose` where not all that lies there can be.
    pub(super) fn between(
        size: [usize; 2],
        wrap: [Wrap; 2],
        [least, greatest]: [Vec<[u8; 4]>; 2],
        loose: bool,
    ) -> Self {
        Self { size, texels: Cow::Owned(least), greatest: Some(greatest), loose, wrap, whole: OnceLock::new() }
    }

    /// Whether another level lies within it.
    #[cfg(test)]
    pub(super) fn holds(&self, other: &Self) -> bool {
        let [own_most, most] = [self, other].map(|level| level.greatest.as_deref().unwrap_or(&level.texels));
        let below =
            |low: &[[u8; 4]], high: &[[u8; 4]]| low.iter().flatten().zip(high.iter().flatten()).all(|(a, b)| a <= b);
        self.size == other.size && below(&self.texels, &other.texels) && below(most, own_most)
    }

    /// Whether what it gives holds more than can be.
    pub(super) fn is_loose(&self) -> bool {
        self.loose
    }

    /// The least and the greatest that a texel stands for.
    fn texel(&self, decoding: &Decoding, place: usize) -> Bounds {
        let mut bounds = decoding.texel(self.texels[place]);
        if let Some(greatest) = &self.greatest {
            widen(&mut bounds, &decoding.texel(greatest[place]));
        }
        bounds
    }

    /// Bilinear filtering.
    pub(super) fn linear(&self, decoding: &Decoding, at: [Coordinate; 2]) -> Filtered {
        let [Some(u), Some(v)] = [self.span(0, at[0], 0.5), self.span(1, at[1], 0.5)] else {
            return Filtered::anywhere(self.whole(decoding));
        };
        if u.count * v.count > MOST_TEXELS {
            return Filtered::anywhere(self.whole(decoding));
        }
        if u.count > MOST_CELLS || v.count > MOST_CELLS {
            return Filtered::anywhere(self.hull(decoding, &u, &v));
        }
        let mut filtered = self.mixed(&self.texels, decoding, [&u, &v]);
        if let Some(greatest) = &self.greatest {
            let greatest = self.mixed(greatest, decoding, [&u, &v]);
            filtered.bounds[4..].copy_from_slice(&greatest.bounds[4..]);
            filtered.extreme[4..].copy_from_slice(&greatest.extreme[4..]);
        }
        filtered
    }

    /// Bilinear filtering of known texels in a few cells.
    fn mixed(&self, bytes: &[[u8; 4]], decoding: &Decoding, [u, v]: [&Span; 2]) -> Filtered {
        let mut texels = [[0.0; 8]; MOST_CELLS * MOST_CELLS];
        for row in 0..v.count {
            let start = self.row(v, row);
            for column in 0..u.count {
                texels[row * MOST_CELLS + column] = decoding.texel(bytes[start + self.column(u, column)]);
            }
        }
        let corner = v.cell * MOST_CELLS + u.cell;
        let [top_left, top_right, bottom_left, bottom_right] =
            [corner, corner + 1, corner + MOST_CELLS, corner + MOST_CELLS + 1].map(|index| &texels[index]);
        let mut value = [0.0; 8];
        for channel in 0..8 {
            let top = top_left[channel] + u.fraction * (top_right[channel] - top_left[channel]);
            let bottom = bottom_left[channel] + u.fraction * (bottom_right[channel] - bottom_left[channel]);
            value[channel] = top + v.fraction * (bottom - top);
        }
        let mut reach = [0.0; 8];
        let mut extreme = *top_left;
        let mut steepest = [[0.0f64; 8]; 2];
        for row in 0..v.count {
            for column in 0..u.count {
                let texel = &texels[row * MOST_CELLS + column];
                widen(&mut extreme, texel);
                if column > 0 {
                    steepen(&mut steepest[0], texel, &texels[row * MOST_CELLS + column - 1]);
                }
                if row > 0 {
                    steepen(&mut steepest[1], texel, &texels[(row - 1) * MOST_CELLS + column]);
                }
            }
        }
        for channel in 0..8 {
            reach[channel] = u.radius * steepest[0][channel] + v.radius * steepest[1][channel];
        }
        let precision = decoding.precision(&value);
        for channel in 0..4 {
            let low = value[channel] - reach[channel] - precision[channel];
            let high = value[channel + 4] + reach[channel + 4] + precision[channel];
            value[channel] = low.max(extreme[channel]);
            value[channel + 4] = high.min(extreme[channel + 4]);
        }
        Filtered { bounds: value, extreme }
    }

    /// Nearest filtering: each texel that may be the one.
    pub(super) fn nearest(&self, decoding: &Decoding, at: [Coordinate; 2]) -> ColorBoxes {
        let spans = [self.span(0, at[0], 0.0), self.span(1, at[1], 0.0)];
        let [Some(u), Some(v)] = spans else { return loose(&self.whole(decoding)) };
        if u.count * v.count > MOST_CHOICES {
            let hull = if u.count * v.count > MOST_TEXELS { self.whole(decoding) } else { self.hull(decoding, &u, &v) };
            return loose(&hull);
        }
        let mut choices = ColorBoxes::default();
        for row in 0..v.count {
            let start = self.row(&v, row);
            for column in 0..u.count {
                choices.push(intervals(&self.texel(decoding, start + self.column(&u, column))));
            }
        }
        if self.is_loose() {
            choices.set_loose();
        }
        choices
    }

    /// The texels around a coordinate whose centres are `half` texels after their beginnings; `None` where all of the
    /// level may be meant. Linear filtering (`half` ½) takes the next texel too.
    fn span(&self, axis: usize, at: Coordinate, half: f64) -> Option<Span> {
        let size = self.size[axis] as f64;
        let (mut low, mut center, mut high) = (at.center - at.radius, at.center, at.center + at.radius);
        if !(low.is_finite() && high.is_finite()) {
            return None;
        }
        if self.wrap[axis] == Wrap::ClampToEdge {
            // Beyond the edges nothing changes.
            (low, center, high) = (low.clamp(0.0, size), center.clamp(0.0, size), high.clamp(0.0, size));
        } else if high - low >= size {
            return None;
        }
        let (low, center, high) = (low - half, center - half, high - half);
        let first = low.floor();
        let after = if half > 0.0 { 2 } else { 1 };
        let last_cell = high.floor() - first;
        let cell = center.floor().clamp(first, first + last_cell);
        Some(Span {
            first: first as i64,
            count: last_cell as usize + after,
            cell: (cell - first) as usize,
            fraction: center - cell,
            radius: (center - low).max(high - center),
        })
    }

    fn row(&self, span: &Span, row: usize) -> usize {
        wrapped(self.wrap[1], span.first + row as i64, self.size[1]) * self.size[0]
    }

    fn column(&self, span: &Span, column: usize) -> usize {
        wrapped(self.wrap[0], span.first + column as i64, self.size[0])
    }

    /// From the least to the greatest of the texels of a rectangle.
    fn hull(&self, decoding: &Decoding, u: &Span, v: &Span) -> Bounds {
        let mut hull = self.texel(decoding, self.row(v, 0) + self.column(u, 0));
        for row in 0..v.count {
            let start = self.row(v, row);
            for column in 0..u.count {
                widen(&mut hull, &self.texel(decoding, start + self.column(u, column)));
            }
        }
        hull
    }

    /// From the least to the greatest of all texels.
    fn whole(&self, decoding: &Decoding) -> Bounds {
        *self.whole.get_or_init(|| {
            let (mut least, mut greatest) = ([u8::MAX; 4], [0; 4]);
            for texel in self.texels.iter().chain(self.greatest.iter().flatten()) {
                for channel in 0..4 {
                    least[channel] = least[channel].min(texel[channel]);
                    greatest[channel] = greatest[channel].max(texel[channel]);
                }
            }
            let mut bounds = decoding.texel(least);
            widen(&mut bounds, &decoding.texel(greatest));
            bounds
        })
    }
}

/// The texel that stands at a place which may lie outside.
pub(super) fn wrapped(wrap: Wrap, texel: i64, size: usize) -> usize {
    let count = size as i64;
    let inside = if (0..count).contains(&texel) {
        texel
    } else {
        match wrap {
            Wrap::Repeat => texel.rem_euclid(count),
            Wrap::ClampToEdge => texel.clamp(0, count - 1),
            Wrap::MirroredRepeat => {
                let period = texel.rem_euclid(2 * count);
                if period < count { period } else { 2 * count - 1 - period }
            }
        }
    };
    inside as usize
}

/// The largest power of two that a positive number is at least; 0 for 0.
fn power_of_two(value: f64) -> f64 {
    f64::from_bits(value.max(0.0).to_bits() & f64::INFINITY.to_bits())
}

/// Makes a hull hold another.
pub(super) fn widen(hull: &mut Bounds, texel: &Bounds) {
    for channel in 0..4 {
        hull[channel] = hull[channel].min(texel[channel]);
        hull[channel + 4] = hull[channel + 4].max(texel[channel + 4]);
    }
}

fn steepen(steepest: &mut Bounds, a: &Bounds, b: &Bounds) {
    for channel in 0..8 {
        steepest[channel] = steepest[channel].max((a[channel] - b[channel]).abs());
    }
}

/// As a box.
pub(super) fn intervals(bounds: &Bounds) -> [Interval; 4] {
    [0, 1, 2, 3].map(|channel: usize| Interval { low: bounds[channel], high: bounds[channel + 4] })
}

fn loose(bounds: &Bounds) -> ColorBoxes {
    let mut boxes = ColorBoxes::one(intervals(bounds));
    boxes.set_loose();
    boxes
}
