//! Stored bytes ↔ linear light: the sRGB transfer functions and linear UNORM8, correctly rounded.
//!
//! Why it exists: a byte that differs by one between two machines is a difference in the picture, so both directions
//! are tables made in f64 from the formulas of IEC 61966-2-1, and no `pow` runs per pixel.
//!
//! Decoding is a table of 256. Encoding rounds 255·OETF(x) to nearest, and looks the answer up in constant time: the
//! result is a staircase with 255 steps, so the input's exponent and seven leading mantissa bits name a *bucket*
//! that holds one step at the most, and the other sixteen bits are compared with the step's place in it.
//!
//! Ties can not occur: 255·OETF(x) = k − ½ has no solution x that is an f32. On the straight part x would be
//! 5(2k − 1)/32946, a fraction with a power of two below only if 16473 divided the numerator, which is smaller. On
//! the curve x⁵ would be y¹² with y = (40k + 541)/10761, and the numerator is smaller than the odd 10761 there too.

use std::sync::LazyLock;

use fearless_simd::{Simd, f32x8, prelude::*, u32x8};

use refrast_simd::unroll;

/// How the red, green and blue bytes of an image relate to light; alpha is linear always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// The bytes hold the sRGB transfer function's value.
    #[default]
    Srgb,
    /// The bytes hold the value itself: data, not light.
    Linear,
}

/// The bucket of 2⁻¹³, below which everything is stored as 0: its bits shifted down by [`BUCKET_SHIFT`].
const FIRST_BUCKET: u32 = (127 - 13) << 7;
/// What is left of an f32's bits names its bucket: sign, exponent and seven bits of the mantissa.
const BUCKET_SHIFT: u32 = 16;
/// A power of two above the 13·128 buckets that are used, so that a masked index can not leave the table.
const BUCKETS: usize = 2048;
/// The largest f32 below 1.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
/// 2⁻¹³; the first step lies above it, at 0.5 / (255·12.92) ≈ 1.24·2⁻¹³.
const SMALLEST: f32 = 1.0 / 8192.0;

/// The tables of both directions.
pub struct Srgb {
    decode: [f32; 256],
    /// byte/255, for what is not light.
    decode_unorm: [f32; 256],
    /// A bucket's entry is `value·65536 + (65536 − step)`, where `value` is what its first number is stored as and
    /// `step` the low half of the first number that is stored as one more (65536 where there is none). Adding the
    /// low half of x carries into the upper half exactly where x has reached the step.
    encode: [u32; BUCKETS],
}

/// The sRGB tables, made on first use.
#[must_use]
pub fn srgb() -> &'static Srgb {
    static TABLES: LazyLock<Srgb> = LazyLock::new(Srgb::new);
    &TABLES
}

/// The electro-optical transfer function of IEC 61966-2-1 in f64: stored value in [0, 1] to linear light.
pub fn to_linear(stored: f64) -> f64 {
    if stored <= 0.04045 { stored / 12.92 } else { libm::pow((stored + 0.055) / 1.055, 2.4) }
}

/// The smallest f32 that is not below `bound`.
fn first_not_below(bound: f64) -> f32 {
    let nearest = bound as f32;
    if f64::from(nearest) < bound { nearest.next_up() } else { nearest }
}

/// The smallest f32 that is stored as `byte` (1..=255).
fn step(byte: u32) -> f32 {
    first_not_below(to_linear((f64::from(byte) - 0.5) / 255.0))
}

impl Srgb {
    fn new() -> Self {
        let decode = std::array::from_fn(|byte| to_linear(byte as f64 / 255.0) as f32);
        let decode_unorm = std::array::from_fn(|byte| byte as f32 / 255.0);
        let mut encode = [0; BUCKETS];
        let mut value = 0;
        for (bucket, entry) in encode.iter_mut().enumerate() {
            let start = (bucket as u32 + FIRST_BUCKET) << BUCKET_SHIFT;
            while value < 255 && step(value + 1).to_bits() <= start {
                value += 1;
            }
            *entry = value << BUCKET_SHIFT;
            let next_step = if value < 255 { step(value + 1).to_bits() - start } else { u32::MAX };
            if next_step < 1 << BUCKET_SHIFT {
                *entry += (1 << BUCKET_SHIFT) - next_step;
            }
        }
        Self { decode, decode_unorm, encode }
    }

    /// Stored byte to linear light: the formula's value in f64, rounded to f32.
    #[inline(always)]
    #[must_use]
    pub fn decode(&self, byte: u8) -> f32 {
        self.decode[usize::from(byte)]
    }

    /// Linear light to stored byte: 255·OETF(x) rounded to nearest. What is not above 0 (NaN too) gives 0, what is
    /// not below 1 gives 255.
    #[inline(always)]
    #[must_use]
    pub fn encode(&self, linear: f32) -> u8 {
        let above = if linear > SMALLEST { linear } else { SMALLEST };
        let bits = if above < BELOW_ONE { above } else { BELOW_ONE }.to_bits();
        let entry = self.encode[((bits >> BUCKET_SHIFT) - FIRST_BUCKET) as usize & (BUCKETS - 1)];
        ((entry + (bits & 0xffff)) >> BUCKET_SHIFT) as u8
    }

    /// [`encode`](Self::encode) of eight numbers.
    #[inline(always)]
    pub fn encode_lanes<S: Simd>(&self, linear: f32x8<S>) -> u32x8<S> {
        let simd = linear.token();
        let smallest = f32x8::splat(simd, SMALLEST);
        let below_one = f32x8::splat(simd, BELOW_ONE);
        let above = linear.simd_gt(smallest).select(linear, smallest);
        let bits: u32x8<S> = above.simd_lt(below_one).select(above, below_one).to_bits();
        let buckets = (bits >> BUCKET_SHIFT) - FIRST_BUCKET;
        let buckets: [u32; 8] = (buckets & (BUCKETS - 1) as u32).into();
        let entries = unroll!(lane in [0, 1, 2, 3, 4, 5, 6, 7] => self.encode[buckets[lane] as usize]);
        let entries = u32x8::from_slice(simd, &entries);
        (entries + (bits & 0xffff)) >> BUCKET_SHIFT
    }
}

/// A number in [0, 1] as a byte of a linear UNORM image: the f32 product 255·x, rounded to nearest, ties to even.
/// What is not above 0 (NaN too) gives 0, what is not below 1 gives 255.
#[inline(always)]
#[must_use]
pub fn encode_unorm(value: f32) -> u8 {
    let above = if value > 0.0 { value } else { 0.0 };
    let inside = if above < 1.0 { above } else { 1.0 };
    (255.0 * inside).round_ties_even() as u8
}

/// [`encode_unorm`] of eight numbers.
#[inline(always)]
pub fn encode_unorm_lanes<S: Simd>(value: f32x8<S>) -> u32x8<S> {
    let simd = value.token();
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let above = value.simd_gt(zero).select(value, zero);
    let inside = above.simd_lt(one).select(above, one);
    (inside * 255.0).round_ties_even().to_int_precise()
}

impl ColorSpace {
    /// A colour as four bytes R G B A: red, green and blue by this colour space, alpha linear.
    #[inline(always)]
    #[must_use]
    pub fn encode(self, color: [f32; 4]) -> [u8; 4] {
        let [red, green, blue, alpha] = color;
        match self {
            Self::Srgb => {
                let tables = srgb();
                [tables.encode(red), tables.encode(green), tables.encode(blue), encode_unorm(alpha)]
            }
            Self::Linear => color.map(encode_unorm),
        }
    }

    /// What the 256 values of a red, green or blue byte stand for.
    #[must_use]
    pub(super) fn decode_table(self) -> &'static [f32; 256] {
        match self {
            Self::Srgb => &srgb().decode,
            Self::Linear => Self::decode_alpha_table(),
        }
    }

    /// What the 256 values of an alpha byte stand for: byte/255 rounded to f32.
    #[must_use]
    pub(super) fn decode_alpha_table() -> &'static [f32; 256] {
        &srgb().decode_unorm
    }

    /// Four bytes R G B A as numbers: red, green and blue by this colour space; alpha, and all four of linear data,
    /// byte/255 rounded to f32.
    #[inline(always)]
    #[must_use]
    pub fn decode(self, [red, green, blue, alpha]: [u8; 4]) -> [f32; 4] {
        let color = self.decode_table();
        let [red, green, blue] = [red, green, blue].map(|byte| color[usize::from(byte)]);
        [red, green, blue, Self::decode_alpha_table()[usize::from(alpha)]]
    }

    /// [`encode`](Self::encode) of eight colours; each lane's red in the lowest byte, alpha in the highest, so that
    /// little-endian memory holds R G B A.
    #[inline(always)]
    pub fn encode_lanes<S: Simd>(self, color: [f32x8<S>; 4]) -> u32x8<S> {
        let [red, green, blue, alpha] = color;
        let [red, green, blue] = match self {
            Self::Srgb => {
                let tables = srgb();
                [tables.encode_lanes(red), tables.encode_lanes(green), tables.encode_lanes(blue)]
            }
            Self::Linear => [encode_unorm_lanes(red), encode_unorm_lanes(green), encode_unorm_lanes(blue)],
        };
        red | (green << 8) | (blue << 16) | (encode_unorm_lanes(alpha) << 24)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd_macros::simd;
    use refrast_simd::dispatch;

    use super::*;
    use refrast_simd::SimdLevel;

    /// The standard's opto-electronic transfer function, in f64 and without the tables.
    fn exact_stored(linear: f32) -> f64 {
        let linear = f64::from(linear).clamp(0.0, 1.0);
        if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
    }

    fn exact_byte(linear: f32) -> u8 {
        (255.0 * exact_stored(linear) + 0.5).floor() as u8
    }

    #[test]
    fn known_values_of_the_standard() {
        let tables = srgb();
        assert_eq!(tables.decode(0), 0.0);
        assert_eq!(tables.decode(255), 1.0);
        // 10/255 lies on the straight part, 188/255 is the byte next to half the light.
        assert_eq!(tables.decode(10), (10.0 / 255.0 / 12.92_f64) as f32);
        assert_eq!(tables.encode(0.5), 188);
        assert_eq!(tables.encode(0.214_041_14), 128);
        for byte in 0..=255 {
            assert_eq!(tables.encode(tables.decode(byte)), byte);
        }
    }

    #[test]
    fn what_is_not_in_the_unit_interval_is_stored_as_its_nearer_end() {
        for (value, byte) in [
            (f32::NAN, 0),
            (f32::NEG_INFINITY, 0),
            (-1.0, 0),
            (-0.0, 0),
            (f32::MIN_POSITIVE, 0),
            (1.0, 255),
            (1.5, 255),
            (f32::INFINITY, 255),
        ] {
            assert_eq!(srgb().encode(value), byte, "{value}");
            assert_eq!(encode_unorm(value), byte, "{value}");
        }
    }

    /// A relative distance that f64 tells apart with three bits to spare.
    const DOUBT: f64 = 1.0 / (1_u64 << 42) as f64;

    #[test]
    fn f64_decides_every_step_and_every_decoded_value() {
        // The f64 formula errs by less than 2⁻⁴⁵; an f32 (or the middle of two) that close to a result would be in doubt.
        for byte in 1..=255 {
            let bound = to_linear((f64::from(byte) - 0.5) / 255.0);
            let above = f64::from(step(byte));
            let below = f64::from(step(byte).next_down());
            assert!(below < bound && bound < above, "step {byte} lies on an f32");
            assert!((bound - below).min(above - bound) > bound * DOUBT, "step {byte}");
        }
        for byte in 0..=254 {
            let exact = to_linear(f64::from(byte) / 255.0);
            let nearest = f64::from(exact as f32);
            let half_step = f64::from((exact as f32).next_up()) / 2.0 - nearest / 2.0;
            assert!(byte == 0 || half_step - (exact - nearest).abs() > exact * DOUBT, "{byte}");
        }
    }

    #[test]
    fn a_bucket_holds_one_step_at_the_most() {
        let bucket = |byte| step(byte).to_bits() >> BUCKET_SHIFT;
        assert!(bucket(1) >= FIRST_BUCKET && SMALLEST < step(1));
        assert!(bucket(255) < FIRST_BUCKET + BUCKETS as u32);
        for byte in 1..255 {
            assert!(bucket(byte) < bucket(byte + 1), "steps {byte} and {} share a bucket", byte + 1);
        }
    }

    #[test]
    fn encoding_is_right_around_every_step_and_on_a_dense_sweep() {
        for byte in 1..=255 {
            let at = step(byte);
            for offset in -40..=40 {
                let x = f32::from_bits(at.to_bits().wrapping_add_signed(offset));
                let expected = if offset < 0 { byte - 1 } else { byte };
                assert_eq!(u32::from(srgb().encode(x)), expected, "{x}");
                assert_eq!(u32::from(exact_byte(x)), expected, "{x}");
            }
        }
        // Every 1,009th f32 from 2⁻²⁰ to 1.
        for bits in ((107 << 23)..=(127 << 23)).step_by(1009) {
            let x = f32::from_bits(bits);
            assert_eq!(srgb().encode(x), exact_byte(x), "{x}");
        }
    }

    #[test]
    fn unorm_bytes_are_the_nearest() {
        for byte in 0..=255_u8 {
            assert_eq!(encode_unorm(f32::from(byte) / 255.0), byte);
        }
        // Both sides of ½ and 1½, a tie (127.5 goes to the even 128), and 126.99.
        for (x, byte) in [(0.001_960, 0), (0.001_961, 1), (0.005_882, 1), (0.005_883, 2), (0.5, 128), (0.498, 127)] {
            assert_eq!(encode_unorm(x), byte, "{x}");
        }
    }

    #[simd]
    fn encode_eight<S: Simd>(simd: S, values: &[f32; 8]) -> [u32; 8] {
        let x = f32x8::from_slice(simd, values);
        ColorSpace::Srgb.encode_lanes([x, x, x * 0.5, x]).to_array()
    }

    #[test]
    fn lanes_equal_scalars_at_every_simd_level() {
        let special = [f32::NAN, -1.0, 0.0, 1e-40, 0.002, 0.5, 1.0, f32::INFINITY];
        let mut inputs = vec![special];
        inputs.extend((1..=255).map(|byte| {
            let bits = step(byte).to_bits() - 4;
            std::array::from_fn(|lane| f32::from_bits(bits + lane as u32))
        }));
        for level in SimdLevel::available() {
            for values in &inputs {
                let bytes = dispatch!(level.token_or_base(), simd => encode_eight(simd, values));
                let expected = values.map(|x| u32::from_le_bytes(ColorSpace::Srgb.encode([x, x, x * 0.5, x])));
                assert_eq!(bytes, expected, "{level}");
            }
        }
    }
}
