//! Arithmetic on sixteen lanes, in both numeric models.
//!
//! `ieee` is what the vector instructions do, with every NaN made the canonical one. `nv-spec` has no vector
//! instruction for it: each operation computes the ordinary case exactly and says for which lanes the case was
//! ordinary. The others (denormals, infinities, NaN, overflow) are computed again by the scalar reference, so what is
//! rare need not be fast, and is equal by construction. Tests show that the ordinary case is equal too.

use fearless_simd::{Simd, f32x16, f64x8, i32x16, mask32x16, prelude::*, u32x16, u64x8};

use crate::vertex_program::arithmetic::NumericModel;

/// A result, and the lanes for which it is right.
pub(super) struct Checked<S: Simd> {
    pub(super) value: f32x16<S>,
    pub(super) good: mask32x16<S>,
}

/// The operations of a numeric model.
pub(super) trait LaneArithmetic: Sync {
    /// The model.
    const MODEL: NumericModel;
    /// Whether results have to be checked at all.
    const CHECKED: bool;

    /// a · b
    fn multiply<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> Checked<S>;
    /// a + b
    fn add<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> Checked<S>;
    /// The result of a chain of operations, or of an operation that is not rounded by the model's rule.
    fn finish<S: Simd>(value: Checked<S>) -> Checked<S>;
    /// The smaller one.
    fn minimum<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S>;
    /// The larger one.
    fn maximum<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S>;
    /// a < b
    fn less<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S>;
    /// a ≥ b
    fn greater_or_equal<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S>;
    /// Operands as the model reads them.
    fn read<S: Simd>(value: f32x16<S>) -> f32x16<S>;
    /// Marks the lanes whose value is an ordinary number.
    fn checked<S: Simd>(value: f32x16<S>) -> Checked<S>;
}

/// Every lane is right.
#[inline(always)]
fn all_good<S: Simd>(value: f32x16<S>) -> Checked<S> {
    Checked { value, good: mask32x16::splat(value.token(), true) }
}

/// Every NaN becomes the canonical one.
#[inline(always)]
fn canonical<S: Simd>(value: f32x16<S>) -> f32x16<S> {
    value.simd_eq(value).select(value, f32x16::splat(value.token(), f32::NAN))
}

/// Lanes with a normal number that is not the smallest one. Leaving that one to the reference lets an f64 below it be
/// narrowed first: it may round up to it.
#[inline(always)]
fn ordinary<S: Simd>(value: f32x16<S>) -> mask32x16<S> {
    let magnitude = value.abs();
    magnitude.simd_gt(f32::MIN_POSITIVE) & magnitude.simd_le(f32::MAX)
}

/// `ieee`.
pub(super) struct Ieee;

impl LaneArithmetic for Ieee {
    const MODEL: NumericModel = NumericModel::Ieee;
    const CHECKED: bool = false;

    #[inline(always)]
    fn multiply<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> Checked<S> {
        all_good(a * b)
    }

    #[inline(always)]
    fn add<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> Checked<S> {
        all_good(a + b)
    }

    #[inline(always)]
    fn finish<S: Simd>(result: Checked<S>) -> Checked<S> {
        all_good(canonical(result.value))
    }

    #[inline(always)]
    fn minimum<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
        canonical(a.simd_gt(b).select(b, a))
    }

    #[inline(always)]
    fn maximum<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
        canonical(a.simd_gt(b).select(a, b))
    }

    #[inline(always)]
    fn less<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S> {
        a.simd_lt(b)
    }

    #[inline(always)]
    fn greater_or_equal<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S> {
        a.simd_ge(b)
    }

    #[inline(always)]
    fn read<S: Simd>(value: f32x16<S>) -> f32x16<S> {
        value
    }

    #[inline(always)]
    fn checked<S: Simd>(value: f32x16<S>) -> Checked<S> {
        all_good(value)
    }
}

/// `nv-spec`. Planes hold no denormals: attributes and constants are flushed when they are loaded, results when they
/// are computed.
pub(super) struct NvSpec;

impl LaneArithmetic for NvSpec {
    const MODEL: NumericModel = NumericModel::NvSpec;
    const CHECKED: bool = true;

    /// The product is exact in f64. Clearing the 29 fraction bits that an f32 does not have truncates it, and what is
    /// left converts exactly where it is in the range of normal numbers.
    #[inline(always)]
    fn multiply<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> Checked<S> {
        let simd = a.token();
        let zero = a.simd_eq(0.0) | b.simd_eq(0.0);
        let ((a_low, a_high), (b_low, b_high)) = (a.widen(), b.widen());
        let kept_bits = u64x8::splat(simd, !((1 << 29) - 1));
        let low = (a_low * b_low).to_bits() & kept_bits;
        let high = (a_high * b_high).to_bits() & kept_bits;
        let product: f32x16<S> = f64x8::from_bits(low).narrow(f64x8::from_bits(high));
        Checked { value: zero.select(f32x16::splat(simd, 0.0), product), good: zero | ordinary(product) }
    }

    /// The nearest sum, and one step toward zero where it lies beyond the exact one.
    ///
    /// TwoSum gives the exact error of the nearest sum, if nothing overflows; where an intermediate overflows (a sum
    /// near the largest number) the error is a NaN, and the lane is not good. The sum and its neighbour toward zero
    /// bracket the exact sum when the error points toward zero. The neighbour's bits are the sum's minus one.
    #[inline(always)]
    fn add<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> Checked<S> {
        let sum = a + b;
        let b_part = sum - a;
        let a_part = sum - b_part;
        let error = (b - b_part) + (a - a_part);
        let beyond = (error.simd_lt(0.0) & sum.simd_gt(0.0)) | (error.simd_gt(0.0) & sum.simd_lt(0.0));
        // A mask lane is −1 where it is true.
        let bits: i32x16<S> = sum.to_bits().bitcast();
        let truncated = f32x16::from_bits((bits + beyond.to_vector()).bitcast());
        let good = (sum.simd_eq(0.0) | ordinary(truncated)) & error.simd_eq(error);
        Checked { value: truncated, good }
    }

    #[inline(always)]
    fn finish<S: Simd>(result: Checked<S>) -> Checked<S> {
        result
    }

    #[inline(always)]
    fn minimum<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
        canonical(a.simd_lt(b).select(a, b))
    }

    #[inline(always)]
    fn maximum<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
        canonical(a.simd_ge(b).select(a, b))
    }

    #[inline(always)]
    fn less<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S> {
        order_key(a).simd_lt(order_key(b))
    }

    #[inline(always)]
    fn greater_or_equal<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> mask32x16<S> {
        order_key(a).simd_ge(order_key(b))
    }

    #[inline(always)]
    fn read<S: Simd>(value: f32x16<S>) -> f32x16<S> {
        let zero = f32x16::splat(value.token(), 0.0).copysign(value);
        value.abs().simd_lt(f32::MIN_POSITIVE).select(zero, value)
    }

    #[inline(always)]
    fn checked<S: Simd>(value: f32x16<S>) -> Checked<S> {
        Checked { value, good: ordinary(value) }
    }
}

/// As `order_key` of the scalar arithmetic.
#[inline(always)]
fn order_key<S: Simd>(value: f32x16<S>) -> i32x16<S> {
    const POSITIVE_NAN: i32 = 0x7f80_0001;
    let bits: i32x16<S> = value.to_bits().bitcast();
    let inverted: i32x16<S> = ((bits >> 31).bitcast::<u32x16<S>>() >> 1).bitcast();
    (bits ^ inverted).max(!POSITIVE_NAN).min(POSITIVE_NAN)
}
