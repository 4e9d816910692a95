//! Products and sums of products in `nv-spec`, by way of f64.
//!
//! Why: the model rounds toward zero, which no vector unit does on request. In f64 the product of two f32 is exact, and
//! clearing the 29 fraction bits that an f32 does not have truncates it. A sum of two f32 is rounded by f64 only where their
//! exponents are more than 28 apart, and truncating that is still right, unless the small one is so small that it vanishes
//! while it should have brought the sum below the large one: below 2^-53 of it. So for each block of vertices
//! the [`Extent`]s of the operands decide whether products and sums stay between those limits and those of normal numbers.
//! Where they do, nothing has to be checked but cancellation: a partial sum that is small beyond the limit, or a result
//! that would be denormal, is computed again by the scalar reference. Where they do not, the operation takes the long way of
//! [`lanes`](super::lanes).

use fearless_simd::{Simd, prelude::*};

use super::{
    BLOCK,
    arena::{Arena, Extent, Plane},
    decode::{Action, LaneOperation, SIGN},
    kernel::{repair, store, vectors},
};
use crate::vertex_program::{arithmetic::NumericModel, instruction::Opcode};

/// Fraction bits that an f64 has and an f32 has not.
const DROPPED_BITS: u64 = (1 << 29) - 1;

/// Runs a sum of products on the block that `arena` holds; false where the operands' extents do not allow it.
#[inline(always)]
pub(super) fn run<S: Simd>(simd: S, arena: &mut Arena, operation: &LaneOperation) -> bool {
    let operands = match operation.action {
        Action::Multiply => 2,
        Action::MultiplyAdd => 3,
        Action::Cross => 4,
        Action::Dot3 => 6,
        Action::DotHomogeneous => 7,
        Action::Dot4 => 8,
        _ => return false,
    };
    for operand in &operation.operands[..operands] {
        arena.measure(operand.plane);
    }
    match operation.action {
        Action::Multiply => sum::<S, 1, false>(simd, arena, operation, 0, Opcode::Mul),
        Action::MultiplyAdd => sum::<S, 1, true>(simd, arena, operation, 0, Opcode::Mad),
        Action::Cross => sum::<S, 2, false>(simd, arena, operation, SIGN, Opcode::Xpd),
        Action::Dot3 => sum::<S, 3, false>(simd, arena, operation, 0, Opcode::Dp3),
        Action::DotHomogeneous => sum::<S, 3, true>(simd, arena, operation, 0, Opcode::Dph),
        Action::Dot4 => sum::<S, 4, false>(simd, arena, operation, 0, Opcode::Dp4),
        _ => false,
    }
}

/// Below this a partial sum is too small for the way by f64; `None` where terms or sums may leave the limits.
///
/// With |term| < 2^h for `count` ≤ 4 terms every sum is below 2^(h + 2). No f64 sum loses an addend of at least 2^-52 of
/// that. Truncation moves no number across a power of two.
fn smallest_partial_sum(terms: &[Extent]) -> Option<f64> {
    let used = terms.iter().filter(|term| !term.is_zero());
    let (low, high) = used.fold((i32::MAX, i32::MIN), |(low, high), term| (low.min(term.low), high.max(term.high)));
    if low > high {
        return Some(0.0);
    }
    let limit = (high + 2 - 52).max(-126);
    // 2^127 is in range, the largest number is just below 2^128.
    (low >= limit && high + 2 <= 127).then(|| f64::from_bits(((limit + 1023) as u64) << 52))
}

/// `PRODUCTS` products, from the first to the last, and one more operand if `SINGLE`.
#[inline(always)]
fn sum<S: Simd, const PRODUCTS: usize, const SINGLE: bool>(
    simd: S,
    arena: &mut Arena,
    operation: &LaneOperation,
    last_sign: u32,
    opcode: Opcode,
) -> bool {
    let mut terms = [Extent::ZERO; 5];
    for (product, term) in terms.iter_mut().enumerate().take(PRODUCTS) {
        let [a, b] = [2 * product, 2 * product + 1].map(|operand| arena.extent(operation.operands[operand].plane));
        *term = a.times(b);
    }
    if SINGLE {
        terms[PRODUCTS] = arena.extent(operation.operands[2 * PRODUCTS].plane);
    }
    let Some(smallest) = smallest_partial_sum(&terms) else { return false };

    let operand = |index: usize| operation.operands[index.min(7)];
    let planes: [&Plane; 8] = std::array::from_fn(|index| &arena.planes[operand(index).plane]);
    // One sign a product is enough.
    let mut signs = [0; 4];
    for (product, sign) in signs.iter_mut().enumerate() {
        *sign = operand(2 * product).sign ^ operand(2 * product + 1).sign;
    }
    signs[PRODUCTS - 1] ^= last_sign;
    let single_sign = operand(2 * PRODUCTS).sign;

    let mut results = [0.0; BLOCK];
    for index in 0..vectors::<S>(arena.length) {
        let at = index * S::f32s::LEN;
        let (mut low, mut high) = product::<S>(simd, planes[0], planes[1], at, signs[0]);
        let mut small = S::mask64s::splat(simd, false);
        if PRODUCTS > 1 {
            let (next_low, next_high) = product::<S>(simd, planes[2], planes[3], at, signs[1]);
            (low, high) = (truncate::<S>(low + next_low), truncate::<S>(high + next_high));
        }
        if PRODUCTS > 2 {
            small = small | vanishing::<S>(low, smallest) | vanishing::<S>(high, smallest);
            let (next_low, next_high) = product::<S>(simd, planes[4], planes[5], at, signs[2]);
            (low, high) = (truncate::<S>(low + next_low), truncate::<S>(high + next_high));
        }
        if PRODUCTS > 3 {
            small = small | vanishing::<S>(low, smallest) | vanishing::<S>(high, smallest);
            let (next_low, next_high) = product::<S>(simd, planes[6], planes[7], at, signs[3]);
            (low, high) = (truncate::<S>(low + next_low), truncate::<S>(high + next_high));
        }
        if SINGLE {
            if PRODUCTS > 1 {
                small = small | vanishing::<S>(low, smallest) | vanishing::<S>(high, smallest);
            }
            let (next_low, next_high) = load::<S>(simd, planes[2 * PRODUCTS % 8], at, single_sign).widen();
            (low, high) = (truncate::<S>(low + next_low), truncate::<S>(high + next_high));
        }
        // A product with 0 is +0, and so is every sum that is 0 and starts with a product.
        let value = low.narrow(high) + S::f32s::simd_from(simd, 0.0);
        let target = &mut results[at..at + S::f32s::LEN];
        value.store_slice(target);
        if PRODUCTS > 1 || SINGLE {
            // The smallest normal number may have been rounded up to.
            let good = value.abs().simd_gt(f32::MIN_POSITIVE) | value.simd_eq(0.0);
            if good.any_false() || small.any_true() {
                // Which half was small does not matter: this is rare.
                let good = if small.any_true() { 0 } else { good.to_bitmask() };
                repair(NumericModel::NvSpec, opcode, operation, &arena.planes, at, good, target);
            }
        }
    }
    store(arena, operation, &results);
    true
}

#[inline(always)]
fn load<S: Simd>(simd: S, plane: &Plane, at: usize, sign: u32) -> S::f32s {
    let value = S::f32s::from_slice(simd, &plane[at..at + S::f32s::LEN]);
    (value.bitcast::<S::u32s>() ^ sign).bitcast()
}

/// a · b toward zero.
#[inline(always)]
fn product<S: Simd>(simd: S, a: &Plane, b: &Plane, at: usize, sign: u32) -> (S::f64s, S::f64s) {
    let (a_low, a_high) = load::<S>(simd, a, at, 0).widen();
    let (b_low, b_high) = load::<S>(simd, b, at, sign).widen();
    (truncate::<S>(a_low * b_low), truncate::<S>(a_high * b_high))
}

/// To the 24 bits of an f32, toward zero.
#[inline(always)]
fn truncate<S: Simd>(value: S::f64s) -> S::f64s {
    (value.bitcast::<S::u64s>() & !DROPPED_BITS).bitcast()
}

/// Where a partial sum is too small, and not 0.
#[inline(always)]
fn vanishing<S: Simd>(sum: S::f64s, smallest: f64) -> S::mask64s {
    sum.abs().simd_lt(smallest) & !sum.simd_eq(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products of exponents: |a| in [2^-3, 2^2), |b| in [2^5, 2^6).
    #[test]
    fn extents_multiply_and_say_how_small_a_partial_sum_may_be() {
        let (a, b) = (Extent::of(&[0.0, -0.125, 3.9]), Extent::of(&[-63.0, 32.0]));
        assert_eq!((a, b), (Extent { low: -3, high: 2 }, Extent { low: 5, high: 6 }));
        assert_eq!(a.times(b), Extent { low: 2, high: 8 });
        assert!(a.times(Extent::of(&[0.0])).is_zero());
        let two = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
        assert_eq!(smallest_partial_sum(&[a.times(b), b]), Some(two(8 + 2 - 52)));
        assert_eq!(smallest_partial_sum(&[Extent::ZERO]), Some(0.0));
    }

    #[test]
    fn what_may_leave_the_limits_takes_the_long_way() {
        let one = Extent::of(&[1.0]);
        for far in [f32::INFINITY, f32::NAN, f32::MAX, 1.0e-20, 1.0e38] {
            assert_eq!(smallest_partial_sum(&[one, Extent::of(&[far])]), None, "{far}");
        }
        let tiny = Extent::of(&[f32::MIN_POSITIVE]);
        assert_eq!(smallest_partial_sum(&[tiny.times(Extent::of(&[0.5]))]), None);
        assert!(smallest_partial_sum(&[tiny.times(one)]).is_some());
        let infinite = Extent::of(&[f32::INFINITY]);
        for other in [tiny, Extent::ZERO] {
            assert_eq!(smallest_partial_sum(&[infinite.times(other)]), None);
        }
    }
}
