//! Arithmetic on vectors of lanes, in both numeric models.
//!
//! `ieee` is what the vector instructions do, with every NaN made the canonical one. `nv-spec` has no vector
//! instruction for it: each operation computes the ordinary case exactly and says for which lanes the case was
//! ordinary. The others (denormals, infinities, NaN, overflow) are computed again by the scalar reference, so what is
//! rare need not be fast, and is equal by construction. Tests show that the ordinary case is equal too. Most sums of products
//! do not come here: see [`wide`](super::wide).

use fearless_simd::{Simd, prelude::*};

use crate::arithmetic::NumericModel;

/// A result, and the lanes for which it is right.
pub(super) struct Checked<S: Simd> {
    pub(super) value: S::f32s,
    pub(super) good: S::mask32s,
}

/// The operations of a numeric model.
pub(super) trait LaneArithmetic<S: Simd> {
    /// The model.
    const MODEL: NumericModel;
    /// Whether results have to be checked at all.
    const CHECKED: bool;

    /// a · b
    fn multiply(a: S::f32s, b: S::f32s) -> Checked<S>;
    /// a + b
    fn add(a: S::f32s, b: S::f32s) -> Checked<S>;
    /// The result of a chain of operations, or of an operation that is not rounded by the model's rule.
    fn finish(value: Checked<S>) -> Checked<S>;
    /// The smaller one.
    fn minimum(a: S::f32s, b: S::f32s) -> S::f32s;
    /// The larger one.
    fn maximum(a: S::f32s, b: S::f32s) -> S::f32s;
    /// a < b
    fn less(a: S::f32s, b: S::f32s) -> S::mask32s;
    /// a ≥ b
    fn greater_or_equal(a: S::f32s, b: S::f32s) -> S::mask32s;
    /// Operands as the model reads them.
    fn read(value: S::f32s) -> S::f32s;
    /// Marks the lanes whose value is an ordinary number.
    fn checked(value: S::f32s) -> Checked<S>;
}

/// Every lane is right.
#[inline(always)]
fn all_good<S: Simd>(value: S::f32s) -> Checked<S> {
    Checked { value, good: S::mask32s::splat(value.token(), true) }
}

/// Every NaN becomes the canonical one.
#[inline(always)]
fn canonical<S: Simd>(value: S::f32s) -> S::f32s {
    value.simd_eq(value).select(value, S::f32s::simd_from(value.token(), f32::NAN))
}

/// Lanes with a normal number that is not the smallest one. Leaving that one to the reference lets an f64 below it be
/// narrowed first: it may round up to it.
#[inline(always)]
fn ordinary<S: Simd>(value: S::f32s) -> S::mask32s {
    let magnitude = value.abs();
    magnitude.simd_gt(f32::MIN_POSITIVE) & magnitude.simd_le(f32::MAX)
}

/// `ieee`.
pub(super) struct Ieee;

impl<S: Simd> LaneArithmetic<S> for Ieee {
    const MODEL: NumericModel = NumericModel::Ieee;
    const CHECKED: bool = false;

    #[inline(always)]
    fn multiply(a: S::f32s, b: S::f32s) -> Checked<S> {
        all_good::<S>(a * b)
    }

    #[inline(always)]
    fn add(a: S::f32s, b: S::f32s) -> Checked<S> {
        all_good::<S>(a + b)
    }

    #[inline(always)]
    fn finish(result: Checked<S>) -> Checked<S> {
        all_good::<S>(canonical::<S>(result.value))
    }

    #[inline(always)]
    fn minimum(a: S::f32s, b: S::f32s) -> S::f32s {
        canonical::<S>(a.simd_gt(b).select(b, a))
    }

    #[inline(always)]
    fn maximum(a: S::f32s, b: S::f32s) -> S::f32s {
        canonical::<S>(a.simd_gt(b).select(a, b))
    }

    #[inline(always)]
    fn less(a: S::f32s, b: S::f32s) -> S::mask32s {
        a.simd_lt(b)
    }

    #[inline(always)]
    fn greater_or_equal(a: S::f32s, b: S::f32s) -> S::mask32s {
        a.simd_ge(b)
    }

    #[inline(always)]
    fn read(value: S::f32s) -> S::f32s {
        value
    }

    #[inline(always)]
    fn checked(value: S::f32s) -> Checked<S> {
        all_good::<S>(value)
    }
}

/// `nv-spec`. Planes hold no denormals: attributes and constants are flushed when they are loaded, results when they
/// are computed.
pub(super) struct NvSpec;

impl<S: Simd> LaneArithmetic<S> for NvSpec {
    const MODEL: NumericModel = NumericModel::NvSpec;
    const CHECKED: bool = true;

    /// The product is exact in f64. Clearing the 29 fraction bits that an f32 does not have truncates it, and what is
    /// left converts exactly where it is in the range of normal numbers.
    #[inline(always)]
    fn multiply(a: S::f32s, b: S::f32s) -> Checked<S> {
        let simd = a.token();
        let zero = a.simd_eq(0.0) | b.simd_eq(0.0);
        let ((a_low, a_high), (b_low, b_high)) = (a.widen(), b.widen());
        let kept_bits = S::u64s::simd_from(simd, !((1 << 29) - 1));
        let low = (a_low * b_low).bitcast::<S::u64s>() & kept_bits;
        let high = (a_high * b_high).bitcast::<S::u64s>() & kept_bits;
        let product = low.bitcast::<S::f64s>().narrow(high.bitcast::<S::f64s>());
        Checked { value: zero.select(S::f32s::simd_from(simd, 0.0), product), good: zero | ordinary::<S>(product) }
    }

    /// The nearest sum, and one step toward zero where it lies beyond the exact one.
    ///
    /// TwoSum gives the exact error of the nearest sum, if nothing overflows; where an intermediate overflows (a sum
    /// near the largest number) the error is a NaN, and the lane is not good. The sum and its neighbour toward zero
    /// bracket the exact sum when the error points toward zero. The neighbour's bits are the sum's minus one.
    #[inline(always)]
    fn add(a: S::f32s, b: S::f32s) -> Checked<S> {
        let sum = a + b;
        let b_part = sum - a;
        let a_part = sum - b_part;
        let error = (b - b_part) + (a - a_part);
        let beyond = (error.simd_lt(0.0) & sum.simd_gt(0.0)) | (error.simd_gt(0.0) & sum.simd_lt(0.0));
        // A mask lane is −1 where it is true.
        let truncated = (sum.bitcast::<S::i32s>() + beyond.to_vector()).bitcast::<S::f32s>();
        let good = (sum.simd_eq(0.0) | ordinary::<S>(truncated)) & error.simd_eq(error);
        Checked { value: truncated, good }
    }

    #[inline(always)]
    fn finish(result: Checked<S>) -> Checked<S> {
        result
    }

    #[inline(always)]
    fn minimum(a: S::f32s, b: S::f32s) -> S::f32s {
        canonical::<S>(a.simd_lt(b).select(a, b))
    }

    #[inline(always)]
    fn maximum(a: S::f32s, b: S::f32s) -> S::f32s {
        canonical::<S>(a.simd_ge(b).select(a, b))
    }

    #[inline(always)]
    fn less(a: S::f32s, b: S::f32s) -> S::mask32s {
        order_key::<S>(a).simd_lt(order_key::<S>(b))
    }

    #[inline(always)]
    fn greater_or_equal(a: S::f32s, b: S::f32s) -> S::mask32s {
        order_key::<S>(a).simd_ge(order_key::<S>(b))
    }

    #[inline(always)]
    fn read(value: S::f32s) -> S::f32s {
        let zero = S::f32s::simd_from(value.token(), 0.0).copysign(value);
        value.abs().simd_lt(f32::MIN_POSITIVE).select(zero, value)
    }

    #[inline(always)]
    fn checked(value: S::f32s) -> Checked<S> {
        Checked { value, good: ordinary::<S>(value) }
    }
}

/// As `order_key` of the scalar arithmetic.
#[inline(always)]
fn order_key<S: Simd>(value: S::f32s) -> S::i32s {
    const POSITIVE_NAN: i32 = 0x7f80_0001;
    let bits = value.bitcast::<S::i32s>();
    let inverted = ((bits >> 31).bitcast::<S::u32s>() >> 1).bitcast::<S::i32s>();
    (bits ^ inverted).max(!POSITIVE_NAN).min(POSITIVE_NAN)
}
