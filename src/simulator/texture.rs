//! Texture sampling, one fragment at a time, from the shading model's text.

use std::borrow::Cow;

use super::{
    chain::{Chains, Level},
    faults::Faults,
    transfer::{DECODED, power_to_linear, srgb_to_linear},
    variation::{Scale, Variation},
};
use crate::{Fault, ParametricFault};
use refrast_scene::{Filter, Sampler, Scene, TextureReference, Wrap};

/// Coordinates with their derivatives along x and y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footprint {
    pub(super) at: [f32; 2],
    pub(super) dx: [f32; 2],
    pub(super) dy: [f32; 2],
}

/// What the texels of a texture are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextureKind {
    Color,
    Numbers,
    Normals,
}

/// A texture as a material uses it.
pub(super) struct Bound<'a> {
    /// The set of texture coordinates that it is looked up with.
    pub(super) texcoord: usize,
    levels: Cow<'a, [Level]>,
    /// What decodes colours when they have been filtered; `None` where texels are decoded.
    decodes_filtered: Option<fn(f32) -> f32>,
    sampler: Sampler,
    /// Rows of the texture transform and its offset; `None` for the identity.
    matrix: Option<([[f32; 2]; 2], [f32; 2])>,
    /// What each byte of a colour and of alpha is filtered as.
    color: &'static [f32; 256],
    alpha: &'static [f32; 256],
    /// Whether colours are decoded from sRGB.
    is_srgb: bool,
    coarse: bool,
    texel_steps: Option<f32>,
    level_steps: Option<f32>,
    anisotropy: f32,
    scale: Scale,
    /// What is added to the level of detail.
    bias: f32,
    faults: Faults,
}

impl<'a> Bound<'a> {
    /// `None` where it is not there.
    pub(super) fn new(
        reference: &TextureReference,
        (scene, chains): (&Scene, &'a Chains),
        kind: TextureKind,
        variation: &Variation,
        faults: Faults,
    ) -> Option<Self> {
        let is_color = kind == TextureKind::Color;
        let transform = reference.transform;
        let ([su, sv], identity) = (transform.scale, transform == refrast_scene::TextureTransform::default());
        let (sine, cosine) = libm::sincosf(transform.rotation);
        let rows = [[cosine * su, sine * sv], [-sine * su, cosine * sv]];
        let moved = |row: [f32; 2]| row[0] * transform.offset[0] + row[1] * transform.offset[1];
        let first = faults.has(Fault::TextureTransformOrder);
        let offset = if first { rows.map(moved) } else { transform.offset };
        let is_a_power = faults.has(Fault::TextureGamma22);
        let decodes_filtered: Option<fn(f32) -> f32> = if !is_color {
            None
        } else if is_a_power && !variation.texels_by_powers {
            Some(power_to_linear)
        } else if faults.has(Fault::FilterBeforeDecode) {
            Some(srgb_to_linear)
        } else {
            None
        };
        let color = if decodes_filtered.is_some() {
            &DECODED.linear
        } else if kind == TextureKind::Normals && faults.has(Fault::NormalMapSrgb) {
            &DECODED.srgb
        } else if !is_color || faults.has(Fault::BaseColorLinear) {
            &DECODED.linear
        } else if is_a_power {
            &DECODED.gamma22
        } else {
            &DECODED.srgb
        };
        let is_alpha_decoded = faults.has(Fault::TextureAlphaSrgb) && decodes_filtered.is_none();
        let alpha = if is_alpha_decoded { &DECODED.srgb } else { &DECODED.linear };
        let biases = faults.parametric().map(|fault| match fault {
            ParametricFault::MipBias { levels } => levels,
            _ => 0.0,
        });
        let steps = |bits: Option<u32>| bits.map(|bits| (1u32 << bits) as f32);
        Some(Self {
            texcoord: reference.texcoord,
            levels: chains.uploaded(reference.texture, is_color, variation.mips, faults)?,
            decodes_filtered,
            sampler: scene.textures[reference.texture].sampler,
            matrix: (!identity).then_some((rows, offset)),
            color,
            alpha,
            is_srgb: std::ptr::eq(color, &DECODED.srgb),
            coarse: variation.coarse_filters,
            texel_steps: steps(variation.texel_bits),
            level_steps: steps(variation.level_bits),
            anisotropy: f32::from(variation.anisotropy),
            scale: variation.scale,
            bias: biases.sum::<f32>() + if faults.has(Fault::MipBias) { 1.0 } else { 0.0 },
            faults,
        })
    }

    /// The filtered colour, linear R G B and alpha.
    pub(super) fn sample(&self, footprint: Footprint) -> [f32; 4] {
        let filtered = self.filtered(footprint);
        let Some(decode) = self.decodes_filtered else { return filtered };
        let [red, green, blue, alpha] = filtered;
        [decode(red), decode(green), decode(blue), alpha]
    }

    fn filtered(&self, footprint: Footprint) -> [f32; 4] {
        let Footprint { mut at, mut dx, mut dy } = footprint;
        if let Some((rows, offset)) = self.matrix {
            let turn = |[u, v]: [f32; 2]| rows.map(|row| u * row[0] + v * row[1]);
            let turned = turn(at);
            at = [turned[0] + offset[0], turned[1] + offset[1]];
            (dx, dy) = (turn(dx), turn(dy));
        }
        if self.faults.has(Fault::TexelCentreInteger) {
            let size = [self.levels[0].width, self.levels[0].height].map(|side| side as f32);
            at = [at[0] + 0.5 / size[0], at[1] + 0.5 / size[1]];
        }
        if self.anisotropy > 1.0 {
            return self.along_the_longer(at, dx, dy);
        }
        self.at_level(at, self.level_of_detail(dx, dy))
    }

    /// The mean of samples along the longer of the two derivatives (Vulkan, "Texel Anisotropic Filtering": the sample i of N is
    /// i ÷ (N + 1) − ½ of it away).
    fn along_the_longer(&self, at: [f32; 2], dx: [f32; 2], dy: [f32; 2]) -> [f32; 4] {
        let (width, height) = (self.levels[0].width as f32, self.levels[0].height as f32);
        let length = |[u, v]: [f32; 2]| ((u * width) * (u * width) + (v * height) * (v * height)).sqrt();
        let (x, y) = (length(dx), length(dy));
        let (longer, most, least) = if x > y { (dx, x, y) } else { (dy, y, x) };
        let stretch = if least > 0.0 { (most / least).min(self.anisotropy) } else { self.anisotropy };
        let count = stretch.ceil().max(1.0);
        let lambda = if most > 0.0 { libm::log2f(most / stretch) } else { f32::MIN };
        let mut sum = [0.0; 4];
        for number in 1..=count as u32 {
            let part = number as f32 / (count + 1.0) - 0.5;
            let own = self.at_level([at[0] + part * longer[0], at[1] + part * longer[1]], lambda);
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / count);
        }
        sum
    }

    fn at_level(&self, at: [f32; 2], lambda: f32) -> [f32; 4] {
        let filter = if lambda > 0.0 { self.sampler.minification } else { self.sampler.magnification };
        let last = (self.levels.len() - 1) as f32;
        let lambda = self.quantised(lambda.clamp(0.0, last), self.level_steps);
        match self.sampler.mip {
            None => self.texel(0, at, filter),
            Some(Filter::Nearest) => self.texel(((lambda + 0.5).ceil() - 1.0).clamp(0.0, last) as usize, at, filter),
            Some(Filter::Linear) => {
                let below = floor(lambda);
                let fraction = lambda - below;
                let lower = self.texel(below as usize, at, filter);
                if fraction == 0.0 {
                    return lower;
                }
                mix(lower, self.texel((below + 1.0).min(last) as usize, at, filter), fraction)
            }
        }
    }

    /// λ before it is clamped: above 0 where the texture is minified.
    fn level_of_detail(&self, dx: [f32; 2], dy: [f32; 2]) -> f32 {
        let size = [self.levels[0].width as f32, self.levels[0].height as f32];
        let mut texels = [dx, dy].map(|[u, v]| [u * size[0], v * size[1]]);
        if self.faults.has(Fault::MipShortestAxis) {
            // Both are the shorter one: where the axes of an ellipse count, that makes it longer.
            let [x, y] = texels.map(squared_length);
            texels = [texels[usize::from(x > y)]; 2];
        }
        let rho = squared_scale(self.scale, texels);
        let lambda = if rho > 0.0 { 0.5 * libm::log2f(rho) } else { f32::MIN };
        lambda + self.bias
    }

    fn quantised(&self, value: f32, steps: Option<f32>) -> f32 {
        steps.map_or(value, |steps| rounded(value * steps) / steps)
    }

    fn texel(&self, level: usize, at: [f32; 2], filter: Filter) -> [f32; 4] {
        let level = &self.levels[level];
        let u = self.axis(at[0], level.width, self.sampler.wrap_u, filter);
        let v = self.axis(at[1], level.height, self.sampler.wrap_v, filter);
        let texel = |x: usize, y: usize| {
            let [red, green, blue, alpha] = level.texels[y * level.width + x].map(usize::from);
            [self.color[red], self.color[green], self.color[blue], self.alpha[alpha]]
        };
        if self.coarse && filter == Filter::Linear {
            let [[left, right], [top, bottom]] = [u.texels, v.texels];
            let texels = [texel(left, top), texel(right, top), texel(left, bottom), texel(right, bottom)];
            return coarsely_filtered(texels, [u.fraction, v.fraction], self.is_srgb);
        }
        let row = |y: usize| {
            let first = texel(u.texels[0], y);
            if u.fraction == 0.0 { first } else { mix(first, texel(u.texels[1], y), u.fraction) }
        };
        let first = row(v.texels[0]);
        if v.fraction == 0.0 { first } else { mix(first, row(v.texels[1]), v.fraction) }
    }

    /// The two texels along an axis, and the weight of the second.
    fn axis(&self, coordinate: f32, size: usize, wrap: Wrap, filter: Filter) -> Axis {
        let mut mirrored = false;
        let folded = match wrap {
            Wrap::Repeat => coordinate - floor(coordinate),
            Wrap::ClampToEdge => coordinate.min(1.0),
            Wrap::MirroredRepeat => {
                let period = coordinate - floor(coordinate * 0.5) * 2.0;
                mirrored = period >= 1.0;
                if mirrored { period - 1.0 } else { period }
            }
        };
        let folded = if folded > 0.0 { folded } else { 0.0 };
        let center = if filter == Filter::Linear { 0.5 } else { 0.0 };
        let place = self.quantised(folded * size as f32 - center, self.texel_steps);
        let below = floor(place);
        let fraction = if filter == Filter::Linear { place - below } else { 0.0 };
        let last = size as i64 - 1;
        let inside = |texel: i64| {
            let texel = match wrap {
                // Most of them need no division.
                _ if (0..=last).contains(&texel) => texel,
                Wrap::Repeat => texel.rem_euclid(size as i64),
                Wrap::ClampToEdge | Wrap::MirroredRepeat => texel.clamp(0, last),
            };
            (if mirrored { last - texel } else { texel }) as usize
        };
        // Folding may have rounded up to 1: the nearest texel of that is the last one, whatever the wrap mode.
        let below = if filter == Filter::Nearest { (below as i64).min(last) } else { below as i64 };
        Axis { texels: [inside(below), inside(below + 1)], fraction }
    }
}

/// From here on numbers of 32 bits have no fraction.
const WHOLE: f32 = 8_388_608.0;

/// As `f32::floor`, but for the sign of zero. Without SSE 4.1 that is a call, of which a sample makes a dozen.
#[inline(always)]
fn floor(value: f32) -> f32 {
    if value.abs() < WHOLE {
        let towards_zero = value as i32 as f32;
        towards_zero - f32::from(u8::from(towards_zero > value))
    } else {
        value
    }
}

/// As `f32::round_ties_even`, but for the sign of zero: beside so large a number only wholes are left, and sums are rounded to even.
#[inline(always)]
fn rounded(value: f32) -> f32 {
    if value.abs() < WHOLE / 2.0 { (value + 1.5 * WHOLE) - 1.5 * WHOLE } else { value.round_ties_even() }
}

#[inline(always)]
fn squared_length([u, v]: [f32; 2]) -> f32 {
    u * u + v * v
}

/// ρ² of derivatives along x and along y in texels.
fn squared_scale(scale: Scale, [dx, dy]: [[f32; 2]; 2]) -> f32 {
    let (x, y) = (squared_length(dx), squared_length(dy));
    match scale {
        Scale::Longer => {
            if x > y {
                x
            } else {
                y
            }
        }
        Scale::Axis => {
            // The larger singular value of the matrix that the two make.
            let determinant = dx[0] * dy[1] - dy[0] * dx[1];
            let sum = x + y;
            0.5 * (sum + (sum * sum - 4.0 * determinant * determinant).max(0.0).sqrt())
        }
        Scale::Component => {
            let component = |[u, v]: [f32; 2]| u.abs().max(v.abs());
            let largest = component(dx).max(component(dy));
            largest * largest
        }
        Scale::Sum => {
            let sum = |[u, v]: [f32; 2]| u.abs() + v.abs();
            let larger = sum(dx).max(sum(dy));
            2.0 * larger * larger
        }
    }
}

/// What NVIDIA's filters make of four texels, as a compute shader on an H200 read it from them.
fn coarsely_filtered(texels: [[f32; 4]; 4], [u, v]: [f32; 2], is_srgb: bool) -> [f32; 4] {
    let mut weights =
        [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v].map(|weight| rounded(256.0 * weight));
    // Together they are 1.
    let rest = 256.0 - weights.iter().sum::<f32>();
    if let Some(largest) = weights.iter_mut().reduce(|a, b| if *b > *a { b } else { a }) {
        *largest += rest;
    }
    [0, 1, 2, 3].map(|channel: usize| {
        let mut own = texels.map(|texel| texel[channel]);
        if is_srgb && channel < 3 {
            own = own.map(|value| eight_bits(value, value, rounded));
            let mixed = own.iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
            let largest = mixed.fold(0.0, |largest: f32, (value, _)| largest.max(*value));
            own = own.map(|value| eight_bits(value, largest, floor));
        }
        own.iter().zip(weights).map(|(value, weight)| value * (weight / 256.0)).sum()
    })
}

/// A number with eight bits from the leading one of another on, and none below 2^-13.
fn eight_bits(value: f32, of: f32, round: fn(f32) -> f32) -> f32 {
    let leading = f32::from_bits(of.to_bits() & f32::INFINITY.to_bits());
    let step = (leading / 128.0).max(1.0 / 8192.0);
    round(value / step) * step
}

struct Axis {
    texels: [usize; 2],
    fraction: f32,
}

#[inline(always)]
fn mix(a: [f32; 4], b: [f32; 4], fraction: f32) -> [f32; 4] {
    [0, 1, 2, 3].map(|i| a[i] + fraction * (b[i] - a[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wholes_are_those_of_the_standard_library() {
        let beside = |value: f32| [value.next_down(), value, value.next_up()];
        let wholes = [0.0, 0.5, 1.0, 1.5, 2.5, 255.5, 65_535.5, WHOLE / 4.0, WHOLE / 2.0, WHOLE, 1e20, f32::INFINITY];
        for value in wholes.into_iter().flat_map(beside).flat_map(|value| [value, -value]).chain([f32::MIN_POSITIVE]) {
            let is_same = |own: f32, other: f32| own == other || (own.is_nan() && other.is_nan());
            assert!(is_same(floor(value), value.floor()), "{value}");
            assert!(is_same(rounded(value), value.round_ties_even()), "{value}");
        }
        assert!(floor(f32::NAN).is_nan() && rounded(f32::NAN).is_nan());
    }

    #[test]
    fn coarse_filters_give_what_the_hardware_gave() {
        // An H200's own results: bytes 10 and 200, a part of 1/256 and of 128/256 of the way, in parts of 1/65536.
        let texels = [10, 200, 10, 200].map(|byte: usize| [DECODED.srgb[byte]; 4]);
        let at = |u: f32| coarsely_filtered(texels, [u, 0.0], true)[1] * 65536.0;
        assert_eq!([0.0, 1.0 / 256.0, 0.5, 1.0].map(at), [200.0, 148.0, 18_944.0, 37_888.0]);
        // Black but for one white texel: 5/256 · 251/256 is 5/256 of it, and 5/256 · 6/256 none.
        let white = [[0.0; 4], [1.0; 4], [0.0; 4], [0.0; 4]];
        let at = |u: f32, v: f32| coarsely_filtered(white, [u / 256.0, v / 256.0], true)[0] * 65536.0;
        assert_eq!([at(5.0, 5.0), at(5.0, 250.0), at(200.0, 50.0)], [1280.0, 0.0, 41_216.0]);
    }

    #[test]
    fn a_sheared_pixel_covers_as_much_as_its_rule_says() {
        let covered = |scale: Scale, derivatives: [[f32; 2]; 2]| squared_scale(scale, derivatives).sqrt();
        // X = (4, 0) and Y = (4, 1): √17; √(½·(33 + √(33² − 4·16))) = 5.702; 4; √2 · 5.
        let sheared = [[4.0, 0.0], [4.0, 1.0]];
        let expected = [(Scale::Longer, 4.1231), (Scale::Axis, 5.7017), (Scale::Component, 4.0), (Scale::Sum, 7.0711)];
        for (scale, expected) in expected {
            let own = covered(scale, sheared);
            assert!((own - expected).abs() < 1e-3, "{scale:?}: {own}");
        }
        // A square on its corner, sides √8: every axis is as long; 2; √2 · 4.
        let turned = [[2.0, 2.0], [-2.0, 2.0]];
        let all = [Scale::Longer, Scale::Axis, Scale::Component, Scale::Sum].map(|scale| covered(scale, turned));
        let expected = [2.8284, 2.8284, 2.0, 5.6569];
        assert!(std::iter::zip(all, expected).all(|(own, expected)| (own - expected).abs() < 1e-3), "{all:?}");
        // Twice the same, as who gives one derivative for both does: the ellipse is a line √(2² + 2²) long.
        let once = [[2.0, 0.0]; 2];
        assert_eq!([Scale::Longer, Scale::Axis].map(|scale| (covered(scale, once) * 1e3) as u32), [2000, 2828]);
    }
}
