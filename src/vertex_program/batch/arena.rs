//! [`Arena`]: the memory of one block of vertices.

use super::{BLOCK, LANES, decode::Decoded};
use crate::vertex_program::{
    arithmetic::{NumericModel, flush_denormal},
    instruction::CONSTANTS,
    program::ConstantFile,
    scalar::UNSET,
};

/// What a place in the arena holds. `(register, component)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaneKey {
    /// A component of an attribute register.
    Attribute(u8, u8),
    /// A component of a temporary.
    Temporary(u8, u8),
    /// A component of a result register, by its index.
    Output(u8, u8),
    /// A component of constants that were read through the address register; the slot comes first.
    Gathered(u8, u8),
    /// A component that waits until its destination is no longer read.
    Scratch(u8),
    /// A product that is about to be added.
    Product,
    /// A sum that is not complete.
    Total,
    /// A component of a constant register: one vector.
    Constant(u8, u8),
    /// The number 0 or 1: one vector.
    Literal(u8),
}

/// Rows of the gather table: the constants, then zeros, a power of two in all.
pub(super) const TABLE_ROWS: usize = 128;

/// The planes of one block of vertices, and the constants that they meet.
#[derive(Clone)]
pub(super) struct Arena {
    /// All planes (`BLOCK` values each) and constants (`LANES` times the same value each).
    pub(super) values: Vec<f32>,
    /// How many values of each plane are in use: a multiple of `LANES`. Its being a variable keeps the compiler from
    /// unrolling every loop of every operation.
    pub(super) length: usize,
    /// The constant file for reads through the address register, padded with zeros.
    pub(super) table: Box<[[f32; 4]; TABLE_ROWS]>,
    /// The address register of each vertex of the block.
    pub(super) addresses: [i32; BLOCK],
    /// Whether all addresses of the block are the same.
    pub(super) uniform: bool,
}

impl Arena {
    /// An arena for a program, with constants as an instruction of this model reads them.
    pub(super) fn new(decoded: &Decoded, constants: &ConstantFile, model: NumericModel) -> Self {
        let read = |x: f32| read_constant(x, model);
        let mut values = vec![0.0; decoded.size];
        for (&key, &place) in &decoded.places {
            match key {
                PlaneKey::Constant(index, c) => {
                    // Registers past the file belong to the matrix of position-invariant programs.
                    let value = constants.get(usize::from(index)).map_or(0.0, |constant| constant[usize::from(c)]);
                    values[place..place + LANES].fill(read(value));
                }
                PlaneKey::Literal(value) => values[place..place + LANES].fill(f32::from(value)),
                PlaneKey::Output(_, c) => values[place..place + BLOCK].fill(UNSET[usize::from(c)]),
                _ => {}
            }
        }
        let mut table = Box::new([[0.0; 4]; TABLE_ROWS]);
        for (row, constant) in table.iter_mut().zip(constants) {
            *row = constant.map(read);
        }
        Self { values, length: BLOCK, table, addresses: [0; BLOCK], uniform: true }
    }

    /// The values of the plane at `place`.
    pub(super) fn plane(&self, place: usize) -> &[f32] {
        &self.values[place..place + BLOCK]
    }

    /// The values of the plane at `place` that are in use.
    pub(super) fn plane_mut(&mut self, place: usize) -> &mut [f32] {
        &mut self.values[place..place + self.length]
    }
}

/// A constant as an instruction of this model reads it.
pub(super) fn read_constant(x: f32, model: NumericModel) -> f32 {
    if model == NumericModel::NvSpec { flush_denormal(x) } else { x }
}

/// The row of the gather table for `c[address + offset]`: a row of zeros where there is no such constant.
#[inline(always)]
pub(super) fn table_row(address: i32, offset: i32) -> usize {
    // Addresses are within ±1024, so the sum does not overflow; a negative one becomes huge.
    ((address + offset) as u32).min(CONSTANTS as u32) as usize % TABLE_ROWS
}
