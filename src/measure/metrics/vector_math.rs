//! Logarithm and exponential for vectors of f32.
//!
//! Why it exists: ꟻLIP raises every pixel to powers and needs the same bits from every SIMD level, so neither the
//! platform's `pow` nor an estimate will do. Both functions use exact IEEE operations only; the polynomials are the
//! plain power series, cut where the next term falls below f32.

use fearless_simd::prelude::*;

/// log2(x) for positive normal x; the error is below 3e-7 · max(1, |log2 x|).
///
/// x = 2^e · m with m in [√½, √2), and ln m = 2 artanh(s) with s = (m − 1)/(m + 1), so |s| ≤ 0.172. The series of
/// artanh is cut after s^9: the next term, s^11/11, is below 4e-10.
#[inline(always)]
pub(super) fn log2<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const SQUARE_ROOT_OF_HALF_BITS: i32 = 0x3f35_04f3;
    let bits: S::i32s = x.bitcast();
    let exponent = (bits - SQUARE_ROOT_OF_HALF_BITS) >> 23;
    let mantissa: S::f32s = (bits - (exponent << 23)).bitcast();
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let two_over_ln2 = 2.0 * std::f32::consts::LOG2_E;
    let mut series = S::f32s::splat(simd, two_over_ln2 / 9.0);
    for coefficient in [1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0] {
        series = series * z + coefficient * two_over_ln2;
    }
    exponent.to_float::<S::f32s>() + s * series
}

/// 2^x, relative error below 3e-7; x is clamped to [−126, 126].
///
/// x = n + f with |f| ≤ ½, and 2^f = e^(f ln 2) by the series up to the seventh power: the next term is below 6e-9.
#[inline(always)]
pub(super) fn exp2<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let x = x.max_precise(S::f32s::splat(simd, -126.0)).min_precise(S::f32s::splat(simd, 126.0));
    let whole = x.round_ties_even();
    let t = (x - whole) * std::f32::consts::LN_2;
    let mut series = S::f32s::splat(simd, 1.0 / 5040.0);
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * t + coefficient;
    }
    let power: S::f32s = ((whole.to_int_precise::<S::i32s>() + 127) << 23).bitcast();
    series * power
}

/// x^y for x ≥ 0; 0 for x = 0, whatever y is.
#[inline(always)]
pub(super) fn power<S: Simd>(simd: S, x: S::f32s, y: S::f32s) -> S::f32s {
    let result = exp2(simd, log2(simd, x) * y);
    let zero = S::f32s::splat(simd, 0.0);
    x.simd_eq(zero).select(zero, result)
}

#[cfg(test)]
mod tests {
    use fearless_simd_macros::simd;
    use refrast_simd::dispatch;

    use super::*;
    use refrast_simd::SimdLevel;

    #[simd]
    fn both<S: Simd>(simd: S, values: &[f32], logarithms: &mut [f32], powers: &mut [f32]) {
        let length = S::f32s::LEN;
        for ((values, logarithms), powers) in
            values.chunks_exact(length).zip(logarithms.chunks_exact_mut(length)).zip(powers.chunks_exact_mut(length))
        {
            let x = S::f32s::from_slice(simd, values);
            log2(simd, x).store_slice(logarithms);
            power(simd, x, S::f32s::splat(simd, 0.7)).store_slice(powers);
        }
    }

    #[test]
    fn they_agree_with_f64_and_between_levels() {
        // 1e-9 to 1e9, evenly in the exponent, and the neighbours of 1 where log2 cancels.
        let mut values: Vec<f32> = (0..8160).map(|step| libm::exp(f64::from(step - 4080) / 197.0) as f32).collect();
        values.extend((0..32).map(|step| f32::from_bits(1.0_f32.to_bits() - 16 + step)));
        let mut scalar = None;
        for level in SimdLevel::available() {
            let mut logarithms = vec![0.0; values.len()];
            let mut powers = vec![0.0; values.len()];
            dispatch!(level.token_or_base(), simd => both(simd, &values, &mut logarithms, &mut powers));
            for (index, &value) in values.iter().enumerate() {
                let exact = libm::log2(f64::from(value));
                let error = (f64::from(logarithms[index]) - exact).abs();
                assert!(error < 3e-7 * exact.abs().max(1.0), "log2({value}) is off by {error}");
                let exact = libm::pow(f64::from(value), f64::from(0.7_f32));
                let error = (f64::from(powers[index]) / exact - 1.0).abs();
                assert!(error < 4e-6, "{value}^0.7 is off by {error}");
            }
            let bits: Vec<u32> = logarithms.iter().chain(&powers).map(|value| value.to_bits()).collect();
            assert_eq!(scalar.get_or_insert_with(|| bits.clone()), &bits, "{level}");
        }
    }

    #[test]
    fn zero_to_any_power_is_zero() {
        for level in SimdLevel::available() {
            let mut powers = vec![1.0; 16];
            dispatch!(level.token_or_base(), simd => both(simd, &[0.0; 16], &mut [0.0; 16], &mut powers));
            assert_eq!(powers, [0.0; 16], "{level}");
        }
    }
}
