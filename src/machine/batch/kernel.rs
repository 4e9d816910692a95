//! The inner loops: each lane operation over all vertices of a block.
//!
//! Here and in the files beside it what runs once a block and an operation is a function of its own, never inlined: all of them in
//! one would be a function of 100 KB for each level and model, which takes a third longer to compile, and longer to run.

use fearless_simd::{Simd, prelude::*};
use fearless_simd_macros::simd;

use super::{
    BLOCK, LANES,
    action::Action,
    arena::{Arena, Extremes, Plane},
    decode::{LaneOperation, Operand},
    lanes::{Checked, LaneArithmetic},
    relative, wide,
};
use crate::{
    arithmetic::{NumericModel, execute},
    instruction::Opcode,
};

/// Runs `operations` on the block that `arena` holds.
#[inline(always)]
pub(super) fn run_block<S: Simd, A: LaneArithmetic<S>>(simd: S, operations: &[LaneOperation], arena: &mut Arena) {
    let mut next = 0;
    while let Some(operation) = operations.get(next) {
        if A::CHECKED {
            let done = wide::run(simd, arena, &operations[next..]);
            if done > 0 {
                next += done;
                continue;
            }
        }
        next += 1;
        match operation.action {
            Action::Move if operation.operands[0].sign == 0 => copy(arena, operation),
            Action::Move => lanewise::<S, A, 1>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.get(0), good: o.all() },
                Opcode::Mov,
            ),
            Action::Absolute => lanewise::<S, A, 1>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.get(0).abs(), good: o.all() },
                Opcode::Abs,
            ),
            Action::Multiply => lanewise::<S, A, 2>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| o.finish::<A>(A::multiply(o.get(0), o.get(1))),
                Opcode::Mul,
            ),
            Action::Add => lanewise::<S, A, 2>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| o.finish::<A>(A::add(o.get(0), o.get(1))),
                Opcode::Add,
            ),
            Action::Minimum => lanewise::<S, A, 2>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: A::minimum(o.get(0), o.get(1)), good: o.all() },
                Opcode::Min,
            ),
            Action::Maximum => lanewise::<S, A, 2>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: A::maximum(o.get(0), o.get(1)), good: o.all() },
                Opcode::Max,
            ),
            Action::Less => lanewise::<S, A, 2>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.unit(A::less(o.get(0), o.get(1))), good: o.all() },
                Opcode::Slt,
            ),
            Action::GreaterOrEqual => lanewise::<S, A, 2>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.unit(A::greater_or_equal(o.get(0), o.get(1))), good: o.all() },
                Opcode::Sge,
            ),
            Action::Reciprocal => lanewise::<S, A, 1>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| o.finish::<A>(A::checked(o.splat(1.0) / o.get(0))),
                Opcode::Rcp,
            ),
            Action::ReciprocalSquareRoot => lanewise::<S, A, 1>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| o.finish::<A>(A::checked(o.splat(1.0) / o.get(0).abs().sqrt())),
                Opcode::Rsq,
            ),
            Action::MultiplyAdd | Action::Cross | Action::Dot3 | Action::DotHomogeneous | Action::Dot4 => {
                fused_operation::<S, A>(simd, arena, operation);
            }
            Action::PerLane(opcode) => per_lane(A::MODEL, arena, operation, opcode),
            Action::Address(rounding) => relative::load_addresses(simd, arena, operation, rounding),
            Action::Gather(offset) => relative::gather(simd, arena, operation, offset),
            Action::RowDot3(_) => next += relative::row_dots::<S, A, 3>(simd, arena, &operations[next - 1..]) - 1,
            Action::RowDot4(_) => next += relative::row_dots::<S, A, 4>(simd, arena, &operations[next - 1..]) - 1,
        }
    }
}

/// Sums of products in one operation; in models with checks other operations follow that do the same.
#[inline(always)]
fn fused_operation<S: Simd, A: LaneArithmetic<S>>(simd: S, arena: &mut Arena, operation: &LaneOperation) {
    if A::CHECKED {
        return;
    }
    match operation.action {
        Action::MultiplyAdd => lanewise::<S, A, 3>(
            simd,
            arena,
            operation,
            #[inline(always)]
            |o| o.finish::<A>(plus::<S, A>(A::multiply(o.get(0), o.get(1)), o.get(2))),
            Opcode::Mad,
        ),
        Action::Cross => lanewise::<S, A, 4>(
            simd,
            arena,
            operation,
            #[inline(always)]
            |o| {
                let right = A::multiply(o.get(2), o.get(3));
                let right = Checked { value: -right.value, good: right.good };
                o.finish::<A>(sum::<S, A>(A::multiply(o.get(0), o.get(1)), right))
            },
            Opcode::Xpd,
        ),
        Action::Dot3 => lanewise::<S, A, 6>(
            simd,
            arena,
            operation,
            #[inline(always)]
            |o| o.finish::<A>(dot3::<S, A, _>(o)),
            Opcode::Dp3,
        ),
        Action::DotHomogeneous => lanewise::<S, A, 7>(
            simd,
            arena,
            operation,
            #[inline(always)]
            |o| o.finish::<A>(plus::<S, A>(dot3::<S, A, _>(o), o.get(6))),
            Opcode::Dph,
        ),
        Action::Dot4 => lanewise::<S, A, 8>(
            simd,
            arena,
            operation,
            #[inline(always)]
            |o| o.finish::<A>(sum::<S, A>(dot3::<S, A, _>(o), A::multiply(o.get(6), o.get(7)))),
            Opcode::Dp4,
        ),
        _ => {}
    }
}

/// The operands of one operation for the vertices from `at` on, as many as a vector has lanes.
struct Operands<'a, S: Simd, const N: usize> {
    simd: S,
    planes: &'a [Plane],
    operands: &'a [Operand; N],
    /// Whether any of them has its sign turned round: most have not, and then no signs are looked at.
    signed: bool,
    /// [`LaneOperation::seen`] of the operation.
    seen: bool,
    at: usize,
}

impl<S: Simd, const N: usize> Operands<'_, S, N> {
    #[inline(always)]
    fn get(&self, operand: usize) -> S::f32s {
        let Operand { plane, sign } = self.operands[operand];
        let value = S::f32s::from_slice(self.simd, &self.planes[plane][self.at..self.at + S::f32s::LEN]);
        if self.signed { (value.bitcast::<S::u32s>() ^ sign).bitcast() } else { value }
    }

    #[inline(always)]
    fn finish<A: LaneArithmetic<S>>(&self, value: Checked<S>) -> Checked<S> {
        if self.seen { A::finish(value) } else { value }
    }

    #[inline(always)]
    fn splat(&self, value: f32) -> S::f32s {
        S::f32s::simd_from(self.simd, value)
    }

    #[inline(always)]
    fn all(&self) -> S::mask32s {
        S::mask32s::splat(self.simd, true)
    }

    /// 1 where the condition holds, 0 elsewhere.
    #[inline(always)]
    fn unit(&self, condition: S::mask32s) -> S::f32s {
        condition.select(self.splat(1.0), self.splat(0.0))
    }
}

/// One lane of an operand.
fn lane(planes: &[Plane], operand: &Operand, vertex: usize) -> f32 {
    f32::from_bits(planes[operand.plane][vertex].to_bits() ^ operand.sign)
}

/// a + b, right where both were right and the sum is.
#[inline(always)]
fn sum<S: Simd, A: LaneArithmetic<S>>(a: Checked<S>, b: Checked<S>) -> Checked<S> {
    let result = A::add(a.value, b.value);
    Checked { value: result.value, good: result.good & a.good & b.good }
}

/// a + b, where b is an operand.
#[inline(always)]
fn plus<S: Simd, A: LaneArithmetic<S>>(a: Checked<S>, b: S::f32s) -> Checked<S> {
    let result = A::add(a.value, b);
    Checked { value: result.value, good: result.good & a.good }
}

/// (o0·o1 + o2·o3) + o4·o5
#[inline(always)]
fn dot3<S: Simd, A: LaneArithmetic<S>, const N: usize>(o: &Operands<'_, S, N>) -> Checked<S> {
    let xy = sum::<S, A>(A::multiply(o.get(0), o.get(1)), A::multiply(o.get(2), o.get(3)));
    sum::<S, A>(xy, A::multiply(o.get(4), o.get(5)))
}

/// Computes one value a vertex from N operands and stores it to every destination. `opcode` is the reference for lanes
/// that are not good.
#[simd]
#[inline(never)]
fn lanewise<S: Simd, A: LaneArithmetic<S>, const N: usize>(
    simd: S,
    arena: &mut Arena,
    operation: &LaneOperation,
    compute: impl Fn(&Operands<'_, S, N>) -> Checked<S>,
    opcode: Opcode,
) {
    // Known before anything is written: a destination may be an operand.
    let tame = A::CHECKED && operation.action.chooses() && arena.are_tame(&operation.operands[..N]);
    if operation.operands[..N].iter().any(|operand| operand.sign != 0) {
        vector_by_vector::<S, A, N>(simd, arena, operation, true, &compute, opcode);
    } else {
        vector_by_vector::<S, A, N>(simd, arena, operation, false, &compute, opcode);
    }
    let mut destinations = operation.mask.components().map(|c| operation.destinations[c]);
    let Some(first) = destinations.next() else { return };
    arena.written(first, tame);
    for further in destinations {
        arena.planes[further] = arena.planes[first];
        arena.written(further, tame);
    }
}

/// A move as it stands.
fn copy(arena: &mut Arena, operation: &LaneOperation) {
    let from = operation.operands[0].plane;
    for c in operation.mask.components() {
        arena.copy(from, operation.destinations[c]);
    }
}

/// Computes the plane of the first destination. All operands of a vector are read before it is stored, and no lane reads
/// another one, so that the destination may be one of them.
#[inline(always)]
fn vector_by_vector<S: Simd, A: LaneArithmetic<S>, const N: usize>(
    simd: S,
    arena: &mut Arena,
    operation: &LaneOperation,
    signed: bool,
    compute: &impl Fn(&Operands<'_, S, N>) -> Checked<S>,
    opcode: Opcode,
) {
    let Some(first) = operation.mask.components().next() else { return };
    let destination = operation.destinations[first];
    let operands: [Operand; N] = std::array::from_fn(|operand| operation.operands[operand]);
    let Arena { planes, length, .. } = arena;
    for index in 0..vectors::<S>(*length) {
        let at = index * S::f32s::LEN;
        let own = Operands { simd, planes, operands: &operands, signed, seen: operation.seen, at };
        let Checked { value, good } = compute(&own);
        if A::CHECKED && good.any_false() {
            let mut mended = [0.0; LANES];
            let mended = &mut mended[..S::f32s::LEN];
            value.store_slice(mended);
            repair(A::MODEL, opcode, operation, planes, at, good.to_bitmask(), mended);
            planes[destination][at..at + S::f32s::LEN].copy_from_slice(mended);
        } else {
            value.store_slice(&mut planes[destination][at..at + S::f32s::LEN]);
        }
    }
}

/// How many vectors hold the values in use. The bound tells the compiler that no access leaves the plane.
#[inline(always)]
pub(super) fn vectors<S: Simd>(length: usize) -> usize {
    (length / S::f32s::LEN).min(BLOCK / S::f32s::LEN)
}

/// Computes by the scalar reference the lanes whose bit in `good` is 0.
#[cold]
#[inline(never)]
pub(super) fn repair(
    model: NumericModel,
    opcode: Opcode,
    operation: &LaneOperation,
    planes: &[Plane],
    at: usize,
    good: u64,
    results: &mut [f32],
) {
    for (index, result) in results.iter_mut().enumerate().filter(|(index, _)| good >> index & 1 == 0) {
        let o = |operand: usize| lane(planes, &operation.operands[operand], at + index);
        let sources = match opcode {
            Opcode::Dp3 | Opcode::Dph | Opcode::Dp4 => {
                let last = if opcode == Opcode::Dph { [0.0, o(6)] } else { [o(6), o(7)] };
                [[o(0), o(2), o(4), last[0]], [o(1), o(3), o(5), last[1]], [0.0; 4]]
            }
            // The x of a cross product: y·z − z·y.
            Opcode::Xpd => [[0.0, o(0), o(2), 0.0], [0.0, o(3), o(1), 0.0], [0.0; 4]],
            _ => [[o(0); 4], [o(1); 4], [o(2); 4]],
        };
        *result = execute(opcode, model, sources)[0];
    }
}

/// A function that is computed by the scalar reference for every vertex.
#[inline(never)]
fn per_lane(model: NumericModel, arena: &mut Arena, operation: &LaneOperation, opcode: Opcode) {
    for vertex in 0..arena.length {
        let o = |operand: usize| lane(&arena.planes, &operation.operands[operand], vertex);
        let sources = [[o(0), o(1), o(2), o(3)], [o(4), o(5), o(6), o(7)], [0.0; 4]];
        let result = execute(opcode, model, sources);
        for c in operation.mask.components() {
            arena.planes[operation.destinations[c]][vertex] = result[c];
        }
    }
    for c in operation.mask.components() {
        arena.changed(operation.destinations[c]);
    }
}

/// Clamps a plane to [0, 1]; a NaN becomes 0.
#[simd]
#[inline(never)]
pub(super) fn clamp_plane<S: Simd>(simd: S, plane: &mut Plane) {
    for vector in plane.chunks_exact_mut(S::f32s::LEN) {
        let value = S::f32s::from_slice(simd, vector);
        let (zero, one) = (S::f32s::simd_from(simd, 0.0), S::f32s::simd_from(simd, 1.0));
        let positive = value.simd_gt(zero).select(value, zero);
        positive.simd_ge(one).select(one, positive).store_slice(vector);
    }
}

/// Makes an attribute's plane what instructions of this model read, which tame numbers are.
#[simd]
#[inline(never)]
pub(super) fn read_plane<S: Simd, A: LaneArithmetic<S>>(simd: S, arena: &mut Arena, plane: usize) {
    if !A::CHECKED {
        return;
    }
    let mut extremes = Extremes::<S>::new(simd);
    let values = &mut arena.planes[plane];
    for index in 0..vectors::<S>(arena.length) {
        let at = index * S::f32s::LEN;
        extremes.add(S::f32s::from_slice(simd, &values[at..at + S::f32s::LEN]));
    }
    let tame = extremes.is_tame();
    if !tame {
        for vector in values.chunks_exact_mut(S::f32s::LEN) {
            A::read(S::f32s::from_slice(simd, vector)).store_slice(vector);
        }
    }
    arena.written(plane, tame);
}
