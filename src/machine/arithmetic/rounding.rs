//! Multiplication and addition of f32 rounded toward zero.
//!
//! Rust computes in round-to-nearest only, so the direction is made from exact pieces in f64.

/// The lowest 29 bits of an f64's fraction: those that an f32 does not have.
const DROPPED_BITS: u64 = (1 << 29) - 1;

/// `a · b` rounded toward zero, for finite `a` and `b`; a denormal result becomes 0 with its sign.
///
/// The product of two 24-bit significands has 48 bits and an exponent that f64 holds, so `wide` is exact and only the
/// truncation rounds.
#[inline(always)]
pub(super) fn multiply_toward_zero(a: f32, b: f32) -> f32 {
    truncate(f64::from(a) * f64::from(b))
}

/// `a + b` rounded toward zero, for finite `a` and `b`; a denormal result becomes 0 with its sign.
///
/// The f64 sum may itself be rounded, up as well as down, when the exponents are far apart. Knuth's TwoSum gives the
/// rounding error exactly (The Art of Computer Programming, vol. 2, 4.2.2 theorem B; nothing overflows in f64). If the
/// error points toward zero, the exact sum lies strictly between the f64 below `sum` in magnitude and `sum`. No f32
/// lies in between, so truncating that neighbour gives the truncated exact sum. If the error points away from zero or
/// is 0, truncating `sum` does.
#[inline(always)]
pub(super) fn add_toward_zero(a: f32, b: f32) -> f32 {
    let (a, b) = (f64::from(a), f64::from(b));
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (b - b_part) + (a - a_part);
    let points_to_zero = error != 0.0 && (error < 0.0) != (sum < 0.0);
    // An error of a sum that is not 0: the neighbour toward zero has the next lower bit pattern.
    truncate(if points_to_zero { f64::from_bits(sum.to_bits() - 1) } else { sum })
}

/// The f32 next to `wide` toward zero; 0 with its sign for what would be denormal, the largest f32 for what is larger.
#[inline(always)]
fn truncate(wide: f64) -> f32 {
    if wide.abs() < f64::from(f32::MIN_POSITIVE) {
        return 0.0_f32.copysign(wide as f32);
    }
    let truncated = f64::from_bits(wide.to_bits() & !DROPPED_BITS);
    // 24 significant bits and an exponent in range, or clamped to such: this conversion is exact.
    truncated.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An independent oracle: a finite f32 as sign · significand · 2^exponent in integers.
    fn parts(x: f32) -> (bool, u128, i32) {
        let bits = x.to_bits();
        let exponent = (bits >> 23 & 0xff) as i32;
        let fraction = u128::from(bits & 0x7f_ffff);
        let (significand, exponent) =
            if exponent == 0 { (fraction, -149) } else { (fraction | 0x80_0000, exponent - 150) };
        (bits >> 31 == 1, significand, exponent)
    }

    /// ±significand · 2^exponent toward zero, built bit by bit; `sticky` says that something nonzero lies below.
    fn pack(negative: bool, significand: u128, exponent: i32, borrow: bool) -> f32 {
        // `borrow`: the exact magnitude is a hair less than the significand says.
        let (mut significand, mut exponent) = (significand, exponent);
        if borrow {
            significand = significand * 2 - 1;
            exponent -= 1;
        }
        let sign = if negative { 0x8000_0000 } else { 0 };
        if significand == 0 {
            return f32::from_bits(sign);
        }
        while significand >= 1 << 24 {
            significand >>= 1;
            exponent += 1;
        }
        while significand < 1 << 23 {
            significand <<= 1;
            exponent -= 1;
        }
        let biased = exponent + 150;
        if biased < 1 {
            return f32::from_bits(sign);
        }
        if biased > 254 {
            return f32::from_bits(sign | f32::MAX.to_bits());
        }
        f32::from_bits(sign | (biased as u32) << 23 | (significand as u32 & 0x7f_ffff))
    }

    fn multiply_oracle(a: f32, b: f32) -> f32 {
        let ((a_sign, a, a_exponent), (b_sign, b, b_exponent)) = (parts(a), parts(b));
        pack(a_sign != b_sign, a * b, a_exponent + b_exponent, false)
    }

    fn add_oracle(a: f32, b: f32) -> f32 {
        let (large, small) = if a.abs() >= b.abs() { (a, b) } else { (b, a) };
        let ((sign, l, l_exponent), (s_sign, s, s_exponent)) = (parts(large), parts(small));
        // 128 bits hold 24 + 60; further down the smaller one matters only by being there.
        let shift = (l_exponent - s_exponent).min(60);
        let exponent = l_exponent - shift;
        let exact_small = if l_exponent - s_exponent > 60 { 0 } else { s };
        let below = l_exponent - s_exponent > 60 && s != 0;
        let wide = l << shift;
        if sign == s_sign {
            return pack(sign, wide + exact_small, exponent, false);
        }
        let difference = wide - exact_small;
        // x − x is +0.
        pack(sign && (difference != 0 || below), difference, exponent, below)
    }

    fn power_of_two(exponent: i32) -> f32 {
        f32::from_bits(((exponent + 127) as u32) << 23)
    }

    /// All sorts of finite numbers, with bits set rarely, often, or everywhere, and exponents close together.
    fn finite() -> impl Strategy<Value = f32> {
        let anything = any::<u32>().prop_map(f32::from_bits);
        let narrow = (any::<u32>(), 120_u32..140)
            .prop_map(|(bits, exponent)| f32::from_bits(bits & 0x807f_ffff | exponent << 23));
        let edges = prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            -f32::MIN_POSITIVE,
            1.0 - f32::EPSILON / 2.0,
            1.0 + f32::EPSILON,
            power_of_two(103),
            -power_of_two(103),
            power_of_two(-24),
            power_of_two(-25),
            -power_of_two(-25),
            power_of_two(-100),
        ]);
        prop_oneof![anything, narrow, edges].prop_filter("finite and not denormal", |x| x.is_normal() || *x == 0.0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200_000))]

        #[test]
        fn products_match_integer_arithmetic(a in finite(), b in finite()) {
            prop_assert_eq!(multiply_toward_zero(a, b).to_bits(), multiply_oracle(a, b).to_bits());
        }

        #[test]
        fn sums_match_integer_arithmetic(a in finite(), b in finite()) {
            let expected = if a == 0.0 && b == 0.0 { a + b } else { add_oracle(a, b) };
            prop_assert_eq!(add_toward_zero(a, b).to_bits(), expected.to_bits());
        }
    }

    #[test]
    fn a_sum_that_f64_would_round_up_is_still_truncated() {
        // 1 − 2^-100 is 1 in f64; toward zero it is the f32 below 1.
        let tiny = power_of_two(-100);
        assert_eq!(add_toward_zero(1.0, -tiny), 1.0 - f32::EPSILON / 2.0);
        assert_eq!(add_toward_zero(-1.0, tiny), -1.0 + f32::EPSILON / 2.0);
        assert_eq!(add_toward_zero(1.0, tiny), 1.0);
    }

    #[test]
    fn overflow_stops_at_the_largest_number_and_underflow_at_zero() {
        assert_eq!(multiply_toward_zero(f32::MAX, -2.0), f32::MIN);
        assert_eq!(add_toward_zero(f32::MAX, f32::MAX), f32::MAX);
        assert_eq!(multiply_toward_zero(f32::MIN_POSITIVE, -0.5).to_bits(), (-0.0_f32).to_bits());
    }
}
