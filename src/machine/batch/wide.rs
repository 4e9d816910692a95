//! Products and sums of products in `nv-spec`: many at once, where the numbers of a block allow it.
//!
//! Why: the model rounds toward zero. [`directed`](super::directed) has instructions for that, at one SIMD level. At the
//! others it is done by way of f64, where the product of two f32 is exact, and clearing the 29 fraction bits that an f32
//! does not have truncates it. A sum of two f32 is rounded by f64 only where their exponents are more than 28 apart, and
//! truncating that is still right, unless the small one is so small that it vanishes while it should have brought the sum
//! below the large one: below 2^-53 of it.
//!
//! So for each block of vertices the [`Extent`]s of the operands decide how a sum is computed ([`Way`]): without a look at
//! any number where nothing comes near the limits of normal numbers and, in f64, all terms are within 2^28 of each other;
//! with a look at partial sums where they are within 2^50; and otherwise the long way of [`lanes`](super::lanes). A number
//! that does not pass is computed again by the scalar reference.

use fearless_simd::{Simd, prelude::*};
use fearless_simd_macros::simd;

use super::{
    action::Action,
    arena::{Arena, Extent, Extremes, Values, deliver},
    decode::{LaneOperation, Operand, SIGN},
    directed,
    kernel::{repair, vectors},
    rows::ROWS,
};
use crate::{arithmetic::NumericModel, instruction::Opcode};
use refrast_simd::unroll;

/// Fraction bits that an f64 has and an f32 has not.
const DROPPED_BITS: u64 = (1 << 29) - 1;

/// Runs the sums of products that `operations` starts with on the block that `arena` holds, as many as belong together.
/// Returns how many operations that were, left-out ones among them: 0 for other operations, and where the operands'
/// extents do not allow it.
#[inline(always)]
pub(super) fn run<S: Simd>(simd: S, arena: &mut Arena, operations: &[LaneOperation]) -> usize {
    match operations[0].action {
        Action::Multiply => sums::<S, 1, false>(simd, arena, operations, 0, Opcode::Mul),
        Action::MultiplyAdd => sums::<S, 1, true>(simd, arena, operations, 0, Opcode::Mad),
        Action::Cross => sums::<S, 2, false>(simd, arena, operations, SIGN, Opcode::Xpd),
        Action::Dot3 => sums::<S, 3, false>(simd, arena, operations, 0, Opcode::Dp3),
        Action::DotHomogeneous => sums::<S, 3, true>(simd, arena, operations, 0, Opcode::Dph),
        Action::Dot4 => sums::<S, 4, false>(simd, arena, operations, 0, Opcode::Dp4),
        _ => 0,
    }
}

/// How a product and a sum are rounded toward zero, where nothing is infinite, denormal or too large.
pub(super) trait TowardZero<S: Simd> {
    /// A vector of numbers.
    type Number: Copy;
    /// Whether sums of tame numbers are right however far apart they are.
    const DIRECTED: bool;

    /// Operands.
    fn read(value: S::f32s) -> Self::Number;
    /// a · b
    fn multiply(a: Self::Number, b: Self::Number) -> Self::Number;
    /// a + b
    fn add(a: Self::Number, b: Self::Number) -> Self::Number;
    /// A result; a number that was computed is an f32.
    fn result(number: Self::Number) -> S::f32s;
}

/// By way of f64, in two halves.
struct Widened;

impl<S: Simd> TowardZero<S> for Widened {
    type Number = (S::f64s, S::f64s);
    const DIRECTED: bool = false;

    #[inline(always)]
    fn read(value: S::f32s) -> Self::Number {
        value.widen()
    }

    #[inline(always)]
    fn multiply(a: Self::Number, b: Self::Number) -> Self::Number {
        (truncate::<S>(a.0 * b.0), truncate::<S>(a.1 * b.1))
    }

    #[inline(always)]
    fn add(a: Self::Number, b: Self::Number) -> Self::Number {
        (truncate::<S>(a.0 + b.0), truncate::<S>(a.1 + b.1))
    }

    #[inline(always)]
    fn result(number: Self::Number) -> S::f32s {
        number.0.narrow(number.1)
    }
}

/// How a sum of products can be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Every f64 sum is exact or truncated rightly, and every result is 0 or a normal number.
    Unchecked,
    /// As long as no partial sum is smaller than this, unless it is 0.
    Checked(f64),
    /// Terms or sums may leave the limits.
    Long,
}

/// How terms of these extents can be added up. `directed` is whether it is the instructions that round.
///
/// With |term| < 2^high for at most 4 terms every sum is below 2^(high + 2). Truncation moves no number across a power of
/// two.
///
/// Unchecked: a term of at least 2^low with 24 significant bits is a multiple of 2^(low − 23). So are all sums, truncated
/// or not, and none of them but 0 is below 2^(low − 23). An f64 holds such a multiple exactly if 2^(high + 2) is at most
/// 2^53 of it; instructions that round need not hold it.
///
/// Checked: no f64 sum loses an addend of at least 2^-52 of 2^(high + 2).
#[inline(always)]
fn way(terms: &[Extent], directed: bool) -> Way {
    let all = terms.iter().fold(Extent::ZERO, |all, &term| all.with(term));
    let Extent { low, high } = all;
    // 2^127 is in range, the largest number is just below 2^128.
    if low > high || (low - 23 >= -126 && high + 2 <= 127 && (directed || high - low <= 53 - 2 - 23)) {
        return Way::Unchecked;
    }
    way_at_the_limits(terms, all)
}

/// As [`way`], where not all numbers are far from the limits.
#[cold]
fn way_at_the_limits(terms: &[Extent], Extent { low, high }: Extent) -> Way {
    let limit = (high + 2 - 52).max(-126);
    // Nothing is added to it but 0.
    let one = terms.iter().filter(|term| !term.is_zero()).count() <= 1;
    if low < (if one { -126 } else { limit }) || high + 2 > 127 {
        Way::Long
    } else if one {
        Way::Unchecked
    } else {
        Way::Checked(f64::from_bits(((limit + 1023) as u64) << 52))
    }
}

/// The extents of an operation's terms.
#[inline(always)]
fn terms<const PRODUCTS: usize, const SINGLE: bool>(arena: &Arena, operation: &LaneOperation) -> [Extent; 5] {
    let extent = |operand: usize| arena.extent(operation.operands[operand].plane);
    let mut terms = [Extent::ZERO; 5];
    for (product, term) in terms.iter_mut().enumerate().take(PRODUCTS) {
        *term = extent(2 * product).times(extent(2 * product + 1));
    }
    if SINGLE {
        terms[PRODUCTS] = extent(2 * PRODUCTS);
    }
    terms
}

/// Sums of `PRODUCTS` products, from the first to the last, and one more operand if `SINGLE`.
#[simd]
#[inline(never)]
fn sums<S: Simd, const PRODUCTS: usize, const SINGLE: bool>(
    simd: S,
    arena: &mut Arena,
    operations: &[LaneOperation],
    last_sign: u32,
    opcode: Opcode,
) -> usize {
    let first = &operations[0];
    let mut rows = [first; ROWS];
    let mut together = first.rows.min(ROWS);
    let mut done = 0;
    let mut tame = true;
    let operands = 2 * PRODUCTS + usize::from(SINGLE);
    for row in rows.iter_mut().take(together) {
        *row = &operations[done];
        done += 1 + row.alternative;
        tame &= arena.are_tame(&row.operands[..operands]);
    }
    let directed = directed::is_available(simd);
    let mut how = Way::Unchecked;
    if !(tame && (directed || operands == 2)) {
        let mut all = [Extent::ZERO; 5];
        for row in rows.iter().take(together) {
            for operand in &row.operands[..operands] {
                arena.measure(simd, operand.plane);
            }
            let terms = terms::<PRODUCTS, SINGLE>(arena, row);
            all.iter_mut().zip(terms).for_each(|(all, term)| *all = all.with(term));
        }
        how = way(&all, directed);
        if how != Way::Unchecked {
            together = 1;
            done = 1 + first.alternative;
            how = way(&terms::<PRODUCTS, SINGLE>(arena, first), directed);
        }
    }
    match how {
        Way::Unchecked => {
            if !directed::run::<S, PRODUCTS, SINGLE>(simd, arena, &rows, together, last_sign) {
                unchecked::<S, Widened, PRODUCTS, SINGLE>(simd, arena, &rows, together, last_sign);
            }
        }
        Way::Checked(smallest) => {
            checked::<S, PRODUCTS, SINGLE>(simd, arena, first, smallest, last_sign, opcode);
        }
        Way::Long => return 0,
    }
    done
}

/// The first `count` of `rows`, which have their right-hand operands in common.
#[inline(always)]
pub(super) fn unchecked<S: Simd, R: TowardZero<S>, const PRODUCTS: usize, const SINGLE: bool>(
    simd: S,
    arena: &mut Arena,
    rows: &[&LaneOperation; ROWS],
    count: usize,
    last_sign: u32,
) {
    let Arena { planes, results, negated, length, .. } = arena;
    let sign =
        |operand: &Operand, term: usize| operand.sign ^ if !SINGLE && term + 1 == PRODUCTS { last_sign } else { 0 };
    // Signs are turned round beforehand: they are rare, and numbers that are widened as they lie in memory need not be taken
    // apart.
    for (row, negated) in rows.iter().zip(negated.iter_mut()).take(count) {
        for (term, negated) in negated.iter_mut().enumerate().take(PRODUCTS + usize::from(SINGLE)) {
            let operand = &row.operands[2 * term];
            if sign(operand, term) != 0 {
                for (to, from) in negated.iter_mut().zip(planes[operand.plane].iter()) {
                    *to = -from;
                }
            }
        }
    }
    let shared = unroll!(p in [0, 1, 2, 3] => &*planes[rows[0].operands[2 * p + 1].plane]);
    let own: [[&Values; 5]; ROWS] = unroll!(row in [0, 1, 2, 3] => unroll!(term in [0, 1, 2, 3, 4] => {
        let operand = &rows[row].operands[(2 * term).min(7)];
        if row < count && term < PRODUCTS + usize::from(SINGLE) && sign(operand, term) != 0 {
            &*negated[row][term]
        } else {
            &*planes[operand.plane]
        }
    }));
    // Of all rows together: near enough, and what is read next is at hand.
    let mut extremes = Extremes::<S>::new(simd);
    for index in 0..vectors::<S>(*length) {
        let at = index * S::f32s::LEN;
        let b = unroll!(p in [0, 1, 2, 3] => R::read(plain::<S>(simd, shared[if p < PRODUCTS { p } else { 0 }], at)));
        for (own, results) in own.iter().zip(results.iter_mut()).take(count) {
            let a = unroll!(term in [0, 1, 2, 3, 4] => {
                R::read(plain::<S>(simd, own[if term < PRODUCTS + usize::from(SINGLE) { term } else { 0 }], at))
            });
            let mut sum = R::multiply(a[0], b[0]);
            if PRODUCTS > 1 {
                sum = R::add(sum, R::multiply(a[1], b[1]));
            }
            if PRODUCTS > 2 {
                sum = R::add(sum, R::multiply(a[2], b[2]));
            }
            if PRODUCTS > 3 {
                sum = R::add(sum, R::multiply(a[3], b[3]));
            }
            if SINGLE {
                sum = R::add(sum, a[PRODUCTS]);
            }
            // A product with 0 is +0, and so is every sum that is 0 and starts with a product.
            let value = R::result(sum) + S::f32s::simd_from(simd, 0.0);
            value.store_slice(&mut results[at..at + S::f32s::LEN]);
            extremes.add(value);
        }
    }
    for (row, results) in rows.iter().zip(results).take(count) {
        deliver(planes, results, row);
    }
    let tame = R::DIRECTED && extremes.is_tame();
    let extent = if tame { Extent::ZERO } else { extremes.extent() };
    for row in &rows[..count] {
        for c in row.mask.components() {
            if tame {
                arena.written(row.destinations[c], true);
            } else {
                arena.measured(row.destinations[c], extent);
            }
        }
    }
}

/// One operation, with a look at its partial sums and results.
#[simd]
#[inline(never)]
fn checked<S: Simd, const PRODUCTS: usize, const SINGLE: bool>(
    simd: S,
    arena: &mut Arena,
    operation: &LaneOperation,
    smallest: f64,
    last_sign: u32,
    opcode: Opcode,
) {
    let Arena { planes, results: [results, ..], length, .. } = arena;
    let operand = |index: usize| &operation.operands[index.min(7)];
    let shared = unroll!(p in [0, 1, 2, 3] => &*planes[operand(2 * p + 1).plane]);
    let own: [(&Values, u32); 5] = unroll!(term in [0, 1, 2, 3, 4] => {
        let sign = if !SINGLE && term + 1 == PRODUCTS { last_sign } else { 0 };
        (&*planes[operand(2 * term).plane], operand(2 * term).sign ^ sign)
    });
    for index in 0..vectors::<S>(*length) {
        let at = index * S::f32s::LEN;
        let (mut low, mut high) = product::<S>(simd, own[0], load::<S>(simd, shared[0], at, 0).widen(), at);
        let mut small = S::mask64s::splat(simd, false);
        if PRODUCTS > 1 {
            let next = product::<S>(simd, own[1], load::<S>(simd, shared[1], at, 0).widen(), at);
            (low, high) = (truncate::<S>(low + next.0), truncate::<S>(high + next.1));
        }
        if PRODUCTS > 2 {
            small = small | vanishing::<S>(low, smallest) | vanishing::<S>(high, smallest);
            let next = product::<S>(simd, own[2], load::<S>(simd, shared[2], at, 0).widen(), at);
            (low, high) = (truncate::<S>(low + next.0), truncate::<S>(high + next.1));
        }
        if PRODUCTS > 3 {
            small = small | vanishing::<S>(low, smallest) | vanishing::<S>(high, smallest);
            let next = product::<S>(simd, own[3], load::<S>(simd, shared[3], at, 0).widen(), at);
            (low, high) = (truncate::<S>(low + next.0), truncate::<S>(high + next.1));
        }
        if SINGLE {
            if PRODUCTS > 1 {
                small = small | vanishing::<S>(low, smallest) | vanishing::<S>(high, smallest);
            }
            let (plane, sign) = own[PRODUCTS];
            let next = load::<S>(simd, plane, at, sign).widen();
            (low, high) = (truncate::<S>(low + next.0), truncate::<S>(high + next.1));
        }
        let value = low.narrow(high) + S::f32s::simd_from(simd, 0.0);
        let target = &mut results[at..at + S::f32s::LEN];
        value.store_slice(target);
        // The smallest normal number may have been rounded up to.
        let good = value.abs().simd_gt(f32::MIN_POSITIVE) | value.simd_eq(0.0);
        if good.any_false() || small.any_true() {
            // Which half was small does not matter: this is rare.
            let good = if small.any_true() { 0 } else { good.to_bitmask() };
            repair(NumericModel::NvSpec, opcode, operation, planes, at, good, target);
        }
    }
    deliver(planes, results, operation);
    operation.mask.components().for_each(|c| arena.changed(operation.destinations[c]));
}

#[inline(always)]
fn plain<S: Simd>(simd: S, plane: &Values, at: usize) -> S::f32s {
    S::f32s::from_slice(simd, &plane[at..at + S::f32s::LEN])
}

#[inline(always)]
fn load<S: Simd>(simd: S, plane: &Values, at: usize, sign: u32) -> S::f32s {
    let value = S::f32s::from_slice(simd, &plane[at..at + S::f32s::LEN]);
    (value.bitcast::<S::u32s>() ^ sign).bitcast()
}

/// a · b toward zero.
#[inline(always)]
fn product<S: Simd>(simd: S, (a, sign): (&Values, u32), b: (S::f64s, S::f64s), at: usize) -> (S::f64s, S::f64s) {
    let (low, high) = load::<S>(simd, a, at, sign).widen();
    (truncate::<S>(low * b.0), truncate::<S>(high * b.1))
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
        // 2^2 to 2^8 with 24 bits: no sum needs more than 53.
        assert_eq!(way(&[a.times(b), b], false), Way::Unchecked);
        assert_eq!(way(&[Extent::ZERO], false), Way::Unchecked);
    }

    /// The largest term decides how small a partial sum may be.
    #[test]
    fn terms_far_apart_are_looked_at() {
        let one = Extent::of(&[1.0]);
        let two = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
        let term = |exponent: i32| Extent { low: exponent, high: exponent + 1 };
        assert_eq!(way(&[one, term(-27)], false), Way::Unchecked);
        assert_eq!(way(&[one, term(-28)], false), Way::Checked(two(1 + 2 - 52)));
        assert_eq!(way(&[one, term(-49)], false), Way::Checked(two(1 + 2 - 52)));
        assert_eq!(way(&[one, term(-50)], false), Way::Long);
        // A difference of the smallest ones would be denormal.
        assert_eq!(way(&[term(-103), term(-103)], false), Way::Unchecked);
        assert_eq!(way(&[term(-104), term(-104)], false), Way::Checked(two(-126)));
        assert_eq!(way(&[term(-104), Extent::ZERO], false), Way::Unchecked);
        assert_eq!(way(&[term(-126), Extent::ZERO], false), Way::Unchecked);
        assert_eq!(way(&[term(-127), Extent::ZERO], false), Way::Long);
        assert_eq!(way(&[term(124), term(3)], false), Way::Long);
        assert_eq!(way(&[term(124), term(100)], false), Way::Unchecked);
    }

    /// Distance matters to f64 only; the limits matter to both.
    #[test]
    fn instructions_that_round_add_what_is_far_apart() {
        let term = |exponent: i32| Extent { low: exponent, high: exponent + 1 };
        assert_eq!(way(&[term(124), term(-103)], true), Way::Unchecked);
        assert_eq!(way(&[term(-104), term(-104)], true), way(&[term(-104), term(-104)], false));
        assert_eq!(way(&[term(125), term(0)], true), Way::Long);
    }

    #[test]
    fn what_may_leave_the_limits_takes_the_long_way() {
        let one = Extent::of(&[1.0]);
        for far in [f32::INFINITY, f32::NAN, f32::MAX, 1.0e-20, 1.0e38] {
            assert_eq!(way(&[one, Extent::of(&[far])], false), Way::Long, "{far}");
        }
        let tiny = Extent::of(&[f32::MIN_POSITIVE]);
        assert_eq!(way(&[tiny.times(Extent::of(&[0.5]))], false), Way::Long);
        assert_ne!(way(&[tiny.times(one)], false), Way::Long);
        let infinite = Extent::of(&[f32::INFINITY]);
        for other in [tiny, Extent::ZERO] {
            assert_eq!(way(&[infinite.times(other)], false), Way::Long);
        }
    }
}
