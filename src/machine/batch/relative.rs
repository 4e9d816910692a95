//! The address register, and constants that are read through it.
//!
//! Why on their own: each vertex reads another row of the constant file, so that rows have to be turned into columns
//! before lanes can compute with them. A row that several instructions read is put down as columns once; one that is read
//! by a dot product alone, as those of a matrix palette are, never leaves the registers.

use fearless_simd::{Simd, f32x8, prelude::*, u32x8};
use fearless_simd_macros::simd;

use super::{
    BLOCK,
    arena::{Arena, Values, deliver},
    decode::{LaneOperation, Operand},
    kernel::vectors,
    lanes::LaneArithmetic,
    rows::ROWS,
    table::{ADDRESSES, Place, Window},
    transpose::transpose_eight,
};
use crate::arithmetic::AddressRounding;
use refrast_simd::unroll;

/// `ARL` and `mov a0.x`.
#[simd]
#[inline(never)]
pub(super) fn load_addresses<S: Simd>(
    simd: S,
    arena: &mut Arena,
    operation: &LaneOperation,
    rounding: AddressRounding,
) {
    match rounding {
        AddressRounding::Floor => load_rounded(
            simd,
            arena,
            operation.operands[0],
            #[inline(always)]
            |number| number.floor(),
        ),
        AddressRounding::Nearest => load_rounded(
            simd,
            arena,
            operation.operands[0],
            #[inline(always)]
            |number| number.round_ties_even(),
        ),
        AddressRounding::Truncate => load_rounded(
            simd,
            arena,
            operation.operands[0],
            #[inline(always)]
            |number| number.trunc(),
        ),
    }
}

/// As `AddressRounding::address`: NaN gives 0, and the clamp may come first, for its ends are integers.
#[inline(always)]
fn load_rounded<S: Simd>(simd: S, arena: &mut Arena, operand: Operand, round: impl Fn(S::f32s) -> S::f32s) {
    let splat = |value: f32| S::f32s::simd_from(simd, value);
    let mut different = S::u32s::splat(simd, 0);
    let Arena { planes, addresses, length, .. } = arena;
    let plane = &planes[operand.plane];
    for index in 0..vectors::<S>(*length) {
        let at = index * S::f32s::LEN;
        let value = S::f32s::from_slice(simd, &plane[at..at + S::f32s::LEN]);
        let value = (value.bitcast::<S::u32s>() ^ operand.sign).bitcast::<S::f32s>();
        let number = value.simd_eq(value).select(value, splat(0.0));
        let (least, greatest) = (splat(ADDRESSES.0 as f32), splat(ADDRESSES.1 as f32));
        let clamped = number.simd_gt(least).select(number, least);
        let clamped = clamped.simd_lt(greatest).select(clamped, greatest);
        let places = (round(clamped).to_int_precise::<S::i32s>() - ADDRESSES.0) << 2;
        let places = places.bitcast::<S::u32s>();
        places.store_slice(&mut addresses[at..at + S::f32s::LEN]);
        different |= places ^ addresses[0];
    }
    arena.uniform = different.simd_eq(0).all_true();
}

/// The constants that eight vertices address, as columns.
#[inline(always)]
fn columns<S: Simd>(simd: S, window: &Window<'_>, addresses: &[u32; BLOCK], at: usize) -> [f32x8<S>; 4] {
    let eight = &addresses[at..at + 8];
    transpose_eight(simd, unroll!(k in [0, 1, 2, 3, 4, 5, 6, 7] => window.at(Place::of(eight[k]))))
}

/// Reads the constant that each vertex addresses into four planes.
#[simd]
#[inline(never)]
pub(super) fn gather<S: Simd>(simd: S, arena: &mut Arena, operation: &LaneOperation, offset: i32) {
    let first = operation.destinations[0];
    arena.gathered(first);
    let Arena { planes, length, table, addresses, uniform, .. } = arena;
    // The window has its size, and the four planes follow each other, so this does not fail.
    let Some(window) = table.window(offset) else { return };
    let Some(targets) = planes[first..].first_chunk_mut::<4>() else { return };
    if *uniform {
        for (target, &value) in targets.iter_mut().zip(window.at(Place::of(addresses[0]))) {
            target.fill(value);
        }
        return;
    }
    for index in 0..(*length / 8).min(BLOCK / 8) {
        let at = 8 * index;
        for (target, column) in targets.iter_mut().zip(columns(simd, &window, addresses, at)) {
            column.store_slice(&mut target[at..at + 8]);
        }
    }
}

/// The dot products that `operations` starts with of constants that each vertex addresses, the first operand of every product, with
/// the same vector. Returns how many that were: the rows of a matrix, as a rule.
#[simd]
#[inline(never)]
pub(super) fn row_dots<S: Simd, A: LaneArithmetic<S>, const PRODUCTS: usize>(
    simd: S,
    arena: &mut Arena,
    operations: &[LaneOperation],
) -> usize {
    let first = &operations[0];
    let together = &operations[..first.rows.clamp(1, ROWS)];
    // Models with checks are decoded without them.
    if A::CHECKED {
        return together.len();
    }
    let Arena { planes, results, length, table, addresses, uniform, .. } = arena;
    let last = 2 * PRODUCTS - 1;
    let vector: [&Values; 4] = unroll!(product in [0, 1, 2, 3] => {
        &*planes[first.operands[(2 * product + 1).min(last)].plane]
    });
    let windows = unroll!(row in [0, 1, 2, 3] => {
        table.window(together.get(row).and_then(|operation| operation.action.offset()).unwrap_or(0))
    });
    // Each window has its size, so this does not fail.
    let [Some(a), Some(b), Some(c), Some(d)] = windows else { return together.len() };
    let windows = [a, b, c, d];
    for eight in 0..(*length / 8).min(BLOCK / 8) {
        let at = 8 * eight;
        let vector = unroll!(c in [0, 1, 2, 3] => f32x8::from_slice(simd, &vector[c][at..at + 8]));
        let addresses = &addresses[at..at + 8];
        let places = unroll!(k in [0, 1, 2, 3, 4, 5, 6, 7] => Place::of(addresses[k]));
        for ((operation, window), result) in together.iter().zip(&windows).zip(results.iter_mut()) {
            let row = if *uniform {
                let same = window.at(places[0]);
                unroll!(c in [0, 1, 2, 3] => f32x8::simd_from(simd, same[c]))
            } else {
                transpose_eight(simd, unroll!(k in [0, 1, 2, 3, 4, 5, 6, 7] => window.at(places[k])))
            };
            let product = |c: usize| {
                let sign = operation.operands[2 * c].sign;
                let row = if sign == 0 { row[c] } else { (row[c].bitcast::<u32x8<S>>() ^ sign).bitcast() };
                row * vector[c]
            };
            let mut sum = (product(0) + product(1)) + product(2);
            if PRODUCTS > 3 {
                sum += product(3);
            }
            if operation.seen {
                sum = sum.simd_eq(sum).select(sum, f32x8::simd_from(simd, f32::NAN));
            }
            sum.store_slice(&mut result[at..at + 8]);
        }
    }
    for (operation, result) in together.iter().zip(results) {
        deliver(planes, result, operation);
    }
    for operation in together {
        operation.mask.components().for_each(|c| arena.changed(operation.destinations[c]));
    }
    together.len()
}
