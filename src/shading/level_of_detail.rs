//! Which mip levels a fragment reads: λ from exact derivatives.
//!
//! Why it exists: GPUs take derivatives from differences within a quad of pixels and may round λ; the reference
//! computes what they approximate. With the derivatives of (u, v) along x and y and level 0 of W·H texels (Vulkan
//! specification, "Scale Factor Operation, Level-of-Detail Operation and Image Level(s) Selection"):
//!
//! ```text
//! ρx² = (∂u/∂x·W)² + (∂v/∂x·H)²      ρy² likewise along y      ρ² = ρx² > ρy² ? ρx² : ρy²
//! λ = ½·log2(ρ²)
//! ```
//!
//! The texture is minified where λ > 0, which is ρ² > 1, and magnified elsewhere (not-a-number included); λ is then
//! clamped to [0, last level].

use std::f32::consts::LOG2_E;

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*};

/// 2/(2n + 1) for n = 1 … 5, the coefficients of [`log2_lanes`]'s series.
const SERIES: [f32; 5] = [2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0, 2.0 / 11.0];

/// 1/ln 2 as the sum of two f32 numbers.
const INVERSE_LN_2: [f32; 2] = [LOG2_E, 1.925_963e-8];

/// The bits of √½, where the mantissa's interval [√½, √2) begins.
const SQRT_HALF_BITS: i32 = 0x3f35_04f3;

/// Base-2 logarithm of normal positive numbers, within 2 ULP.
///
/// x = 2^k·m with m in [√½, √2), f = m − 1 (exact), s = f/(2 + f), z = s², h = ½f². The series of the inverse
/// hyperbolic tangent gives ln(1 + f) = 2s + s·R = f − (h − s·(h + R)), R = Σ z^n·2/(2n + 1), which is computed in
/// the last form, because f carries no error; the first term of R that is left out is below 2⁻³². Then
/// log2(x) = k + (ln(1 + f)·c₀ + ln(1 + f)·c₁) with c₀ + c₁ = 1/ln 2.
///
/// Infinity gives 128; what is not a positive normal number gives a finite number without meaning.
#[inline(always)]
pub(super) fn log2_lanes<S: Simd>(x: f32x8<S>) -> f32x8<S> {
    let bits: i32x8<S> = x.bitcast();
    let exponent = (bits - SQRT_HALF_BITS) >> 23;
    let mantissa: f32x8<S> = (bits - (exponent << 23)).bitcast();
    let f = mantissa - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let [c1, c2, c3, c4, c5] = SERIES;
    let series = z * (z * (z * (z * (z * c5 + c4) + c3) + c2) + c1);
    let half_square = f * f * 0.5;
    let logarithm = f - (half_square - s * (half_square + series));
    let [high, low] = INVERSE_LN_2;
    exponent.to_float::<f32x8<S>>() + (logarithm * high + logarithm * low)
}

/// The square of the larger scale factor, ρ², for a level 0 of `size` texels.
#[inline(always)]
pub(super) fn scale_squared<S: Simd>(size: [f32; 2], dx: [f32x8<S>; 2], dy: [f32x8<S>; 2]) -> f32x8<S> {
    let x = length_squared([dx[0] * size[0], dx[1] * size[1]]);
    let y = length_squared([dy[0] * size[0], dy[1] * size[1]]);
    x.simd_gt(y).select(x, y)
}

#[inline(always)]
fn length_squared<S: Simd>([u, v]: [f32x8<S>; 2]) -> f32x8<S> {
    u * u + v * v
}

/// λ clamped to [0, `last_level`]; 0 where `minified` is not set.
#[inline(always)]
pub(super) fn level_of_detail<S: Simd>(scale_squared: f32x8<S>, minified: mask32x8<S>, last_level: f32) -> f32x8<S> {
    let simd = scale_squared.token();
    let lambda = log2_lanes(minified.select(scale_squared, f32x8::splat(simd, 1.0))) * 0.5;
    let last = f32x8::splat(simd, last_level);
    lambda.simd_lt(last).select(lambda, last)
}

#[cfg(test)]
mod tests {
    use fearless_simd_macros::simd;
    use refrast_simd::dispatch;

    use super::*;
    use refrast_simd::SimdLevel;

    #[simd]
    fn log2_of_all<S: Simd>(simd: S, first_bits: u32, out: &mut [[f32; 8]]) {
        for (index, out) in out.iter_mut().enumerate() {
            let x = f32x8::from_fn(simd, |lane| f32::from_bits(first_bits + 8 * index as u32 + lane as u32));
            *out = log2_lanes(x).to_array();
        }
    }

    fn log2_from(level: SimdLevel, first_bits: u32, count: usize) -> Vec<[f32; 8]> {
        let mut out = vec![[0.0; 8]; count / 8];
        dispatch!(level.token_or_base(), simd => log2_of_all(simd, first_bits, &mut out));
        out
    }

    #[test]
    fn log2_is_within_two_ulp_of_f64() {
        // Every mantissa of the octaves around 1, where the relative error is largest, and one further out.
        let mut worst = 0.0_f64;
        for exponent in [126, 127, 128, 150] {
            let first = exponent << 23;
            for (block, values) in log2_from(SimdLevel::best(), first, 1 << 23).iter().enumerate() {
                for (lane, &value) in values.iter().enumerate() {
                    let x = f32::from_bits(first + (8 * block + lane) as u32);
                    let exact = libm::log2(f64::from(x));
                    let unit = f64::from((exact.abs() as f32).next_up()) - f64::from(exact.abs() as f32);
                    worst = worst.max((f64::from(value) - exact).abs() / unit);
                }
            }
        }

        assert!(worst <= 2.0, "{worst} ULP");
    }

    #[test]
    fn powers_of_two_are_exact_and_infinity_is_large() {
        for exponent in 0..=127_u32 {
            let value = log2_from(SimdLevel::best(), (exponent + 127) << 23, 8)[0][0];
            assert_eq!(value, exponent as f32);
        }
        assert_eq!(log2_from(SimdLevel::best(), f32::INFINITY.to_bits(), 8)[0][0], 128.0);
    }

    #[test]
    fn equal_bits_at_every_simd_level() {
        let scalar = log2_from(SimdLevel::Scalar, 0x3f00_0000, 1 << 16);
        for level in SimdLevel::available() {
            assert_eq!(log2_from(level, 0x3f00_0000, 1 << 16), scalar, "{level}");
        }
    }
}
