//! The inner loops: each lane operation over all vertices of a block.

use fearless_simd::{Simd, SimdCvtTruncate, f32x16, i32x16, prelude::*, u32x16};

use super::{
    CHUNKS_PER_PLANE, LANES,
    arena::{Arena, Chunk, TABLE_ROWS, table_row},
    decode::{Action, LaneOperation},
    lanes::{Checked, LaneArithmetic},
    transfer::transpose,
};
use crate::vertex_program::{
    arithmetic::{AddressRounding, execute},
    instruction::Opcode,
};

/// Runs `operations` on the block that `arena` holds.
#[inline(always)]
pub(super) fn run_block<S: Simd, A: LaneArithmetic>(simd: S, operations: &[LaneOperation], arena: &mut Arena) {
    for operation in operations {
        match operation.action {
            Action::Move => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.get(0), good: o.all() },
                Opcode::Mov,
            ),
            Action::Absolute => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.get(0).abs(), good: o.all() },
                Opcode::Abs,
            ),
            Action::Multiply => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(A::multiply(o.get(0), o.get(1))),
                Opcode::Mul,
            ),
            Action::Add => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(A::add(o.get(0), o.get(1))),
                Opcode::Add,
            ),
            Action::MultiplyAdd => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(plus::<S, A>(A::multiply(o.get(0), o.get(1)), o.get(2))),
                Opcode::Mad,
            ),
            Action::Cross => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| {
                    let right = A::multiply(o.get(2), o.get(3));
                    let right = Checked { value: -right.value, good: right.good };
                    A::finish(sum::<S, A>(A::multiply(o.get(0), o.get(1)), right))
                },
                Opcode::Xpd,
            ),
            Action::Minimum => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: A::minimum(o.get(0), o.get(1)), good: o.all() },
                Opcode::Min,
            ),
            Action::Maximum => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: A::maximum(o.get(0), o.get(1)), good: o.all() },
                Opcode::Max,
            ),
            Action::Less => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.unit(A::less(o.get(0), o.get(1))), good: o.all() },
                Opcode::Slt,
            ),
            Action::GreaterOrEqual => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| Checked { value: o.unit(A::greater_or_equal(o.get(0), o.get(1))), good: o.all() },
                Opcode::Sge,
            ),
            Action::Reciprocal => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(A::checked(o.splat(1.0) / o.get(0))),
                Opcode::Rcp,
            ),
            Action::ReciprocalSquareRoot => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(A::checked(o.splat(1.0) / o.get(0).abs().sqrt())),
                Opcode::Rsq,
            ),
            Action::Dot3 => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(dot3::<S, A>(o)),
                Opcode::Dp3,
            ),
            Action::DotHomogeneous => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(plus::<S, A>(dot3::<S, A>(o), o.get(6))),
                Opcode::Dph,
            ),
            Action::Dot4 => lanewise::<S, A>(
                simd,
                arena,
                operation,
                #[inline(always)]
                |o| A::finish(sum::<S, A>(dot3::<S, A>(o), A::multiply(o.get(6), o.get(7)))),
                Opcode::Dp4,
            ),
            Action::PerLane(opcode) => per_lane::<A>(arena, operation, opcode),
            Action::Address(rounding) => load_addresses(simd, arena, operation, rounding),
            Action::Gather(offset) => gather(simd, arena, operation, offset),
        }
    }
}

/// The operands of one operation for sixteen vertices.
struct Operands<'a, S: Simd> {
    simd: S,
    chunks: &'a [Chunk],
    operation: &'a LaneOperation,
    index: usize,
}

impl<S: Simd> Operands<'_, S> {
    #[inline(always)]
    fn chunk(&self, operand: usize) -> &Chunk {
        let operand = &self.operation.operands[operand];
        &self.chunks[operand.start + self.index * operand.step]
    }

    #[inline(always)]
    fn get(&self, operand: usize) -> f32x16<S> {
        let value = f32x16::from_slice(self.simd, self.chunk(operand));
        let sign = u32x16::splat(self.simd, self.operation.operands[operand].sign);
        SimdFloat::from_bits(value.to_bits() ^ sign)
    }

    /// One lane of an operand.
    fn lane(&self, operand: usize, lane: usize) -> f32 {
        f32::from_bits(self.chunk(operand)[lane].to_bits() ^ self.operation.operands[operand].sign)
    }

    #[inline(always)]
    fn splat(&self, value: f32) -> f32x16<S> {
        f32x16::splat(self.simd, value)
    }

    #[inline(always)]
    fn all(&self) -> fearless_simd::mask32x16<S> {
        fearless_simd::mask32x16::splat(self.simd, true)
    }

    /// 1 where the condition holds, 0 elsewhere.
    #[inline(always)]
    fn unit(&self, condition: fearless_simd::mask32x16<S>) -> f32x16<S> {
        condition.select(self.splat(1.0), self.splat(0.0))
    }
}

/// a + b, right where both were right and the sum is.
#[inline(always)]
fn sum<S: Simd, A: LaneArithmetic>(a: Checked<S>, b: Checked<S>) -> Checked<S> {
    let result = A::add(a.value, b.value);
    Checked { value: result.value, good: result.good & a.good & b.good }
}

/// a + b, where b is an operand.
#[inline(always)]
fn plus<S: Simd, A: LaneArithmetic>(a: Checked<S>, b: f32x16<S>) -> Checked<S> {
    let result = A::add(a.value, b);
    Checked { value: result.value, good: result.good & a.good }
}

/// (o0·o1 + o2·o3) + o4·o5
#[inline(always)]
fn dot3<S: Simd, A: LaneArithmetic>(o: &Operands<'_, S>) -> Checked<S> {
    let xy = sum::<S, A>(A::multiply(o.get(0), o.get(1)), A::multiply(o.get(2), o.get(3)));
    sum::<S, A>(xy, A::multiply(o.get(4), o.get(5)))
}

/// Computes one value a vertex and stores it to every destination. `opcode` is the reference for lanes that are not good.
#[inline(always)]
fn lanewise<S: Simd, A: LaneArithmetic>(
    simd: S,
    arena: &mut Arena,
    operation: &LaneOperation,
    compute: impl Fn(&Operands<'_, S>) -> Checked<S>,
    opcode: Opcode,
) {
    for index in 0..CHUNKS_PER_PLANE {
        let operands = Operands { simd, chunks: &arena.chunks, operation, index };
        let Checked { value, good } = compute(&operands);
        let mut values = value.to_array();
        if A::CHECKED && good.any_false() {
            repair::<S, A>(&operands, good.to_bitmask(), opcode, &mut values);
        }
        for c in 0..4 {
            if operation.mask.has(c) {
                arena.chunks[operation.destinations[c] + index] = values;
            }
        }
    }
}

/// Computes by the scalar reference the lanes whose bit in `good` is 0.
#[cold]
#[inline(never)]
fn repair<S: Simd, A: LaneArithmetic>(operands: &Operands<'_, S>, good: u64, opcode: Opcode, values: &mut Chunk) {
    for (lane, value) in values.iter_mut().enumerate().filter(|(lane, _)| good >> lane & 1 == 0) {
        let at = |operand| operands.lane(operand, lane);
        let sources = match opcode {
            Opcode::Dp3 | Opcode::Dph | Opcode::Dp4 => {
                let last = if opcode == Opcode::Dph { [0.0, at(6)] } else { [at(6), at(7)] };
                [[at(0), at(2), at(4), last[0]], [at(1), at(3), at(5), last[1]], [0.0; 4]]
            }
            // The x of a cross product: y·z − z·y.
            Opcode::Xpd => [[0.0, at(0), at(2), 0.0], [0.0, at(3), at(1), 0.0], [0.0; 4]],
            _ => [[at(0); 4], [at(1); 4], [at(2); 4]],
        };
        *value = execute(opcode, A::MODEL, sources)[0];
    }
}

/// A function that is computed by the scalar reference for every vertex.
#[inline(never)]
fn per_lane<A: LaneArithmetic>(arena: &mut Arena, operation: &LaneOperation, opcode: Opcode) {
    for index in 0..CHUNKS_PER_PLANE {
        for lane in 0..LANES {
            let at = |operand: usize| {
                let operand = &operation.operands[operand];
                let value = arena.chunks[operand.start + index * operand.step][lane];
                f32::from_bits(value.to_bits() ^ operand.sign)
            };
            let sources = [[at(0), at(1), at(2), at(3)], [at(4), at(5), at(6), at(7)], [0.0; 4]];
            let result = execute(opcode, A::MODEL, sources);
            for c in operation.mask.components() {
                arena.chunks[operation.destinations[c] + index][lane] = result[c];
            }
        }
    }
}

/// `ARL` and `mov a0.x`.
#[inline(always)]
fn load_addresses<S: Simd>(simd: S, arena: &mut Arena, operation: &LaneOperation, rounding: AddressRounding) {
    for index in 0..CHUNKS_PER_PLANE {
        let operands = Operands { simd, chunks: &arena.chunks, operation, index };
        let value = operands.get(0);
        // As `AddressRounding::address`: NaN gives 0, and the clamp may come first, for its ends are integers.
        let number = value.simd_eq(value).select(value, operands.splat(0.0));
        let clamped = number.max_precise(-1024.0).min_precise(1024.0);
        let rounded = match rounding {
            AddressRounding::Floor => clamped.floor(),
            AddressRounding::Nearest => clamped.round_ties_even(),
            AddressRounding::Truncate => clamped.trunc(),
        };
        let addresses: i32x16<S> = SimdCvtTruncate::truncate_from_precise(rounded);
        arena.addresses[index] = addresses.to_array();
    }
    let first = arena.addresses[0][0];
    arena.uniform = arena.addresses.iter().flatten().all(|&address| address == first);
}

/// Reads the constant that each vertex addresses into four planes.
#[inline(always)]
fn gather<S: Simd>(simd: S, arena: &mut Arena, operation: &LaneOperation, offset: i32) {
    let Arena { chunks, table, addresses, uniform } = arena;
    let table: &[[f32; 4]; TABLE_ROWS] = table;
    if *uniform {
        let row = table[table_row(addresses[0][0], offset)];
        for (&start, value) in operation.destinations.iter().zip(row) {
            chunks[start..start + CHUNKS_PER_PLANE].fill([value; LANES]);
        }
        return;
    }
    for index in 0..CHUNKS_PER_PLANE {
        for quarter in 0..LANES / 4 {
            let lanes: &[i32; 4] = addresses[index][4 * quarter..][..4].try_into().unwrap_or(&[0; 4]);
            let rows = lanes.map(|address| fearless_simd::f32x4::from_slice(simd, &table[table_row(address, offset)]));
            for (&start, column) in operation.destinations.iter().zip(transpose(rows)) {
                column.store_slice(&mut chunks[start + index][4 * quarter..][..4]);
            }
        }
    }
}

/// Clamps a plane to [0, 1]; a NaN becomes 0.
#[inline(always)]
pub(super) fn clamp_plane<S: Simd>(simd: S, plane: &mut [Chunk]) {
    for chunk in plane {
        let value = f32x16::from_slice(simd, chunk);
        let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
        let positive = value.simd_gt(zero).select(value, zero);
        positive.simd_ge(one).select(one, positive).store_slice(chunk);
    }
}

/// Makes a plane what instructions of this model read.
#[inline(always)]
pub(super) fn read_plane<S: Simd, A: LaneArithmetic>(simd: S, plane: &mut [Chunk]) {
    for chunk in plane {
        A::read(f32x16::from_slice(simd, chunk)).store_slice(chunk);
    }
}
