//! [`Arena`]: the memory of one block of vertices.

use super::{BLOCK, decode::Decoded};
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
    /// A component of a constant register, the same for all vertices.
    Constant(u8, u8),
    /// The number 0 or 1.
    Literal(u8),
}

/// Rows of the gather table: the constants, then zeros, a power of two in all.
pub(super) const TABLE_ROWS: usize = 128;

/// One component of all vertices of a block.
pub(super) type Plane = [f32; BLOCK];

/// The planes of one block of vertices, and the constants that they meet.
#[derive(Clone)]
pub(super) struct Arena {
    /// All planes, constants among them: an operand is an operand, and the loops need no cases.
    pub(super) planes: Vec<Plane>,
    /// How many values of each plane are in use: a multiple of `LANES`. Its being a variable keeps the compiler from
    /// unrolling every loop of every operation.
    pub(super) length: usize,
    /// The constant file for reads through the address register, padded with zeros.
    pub(super) table: Box<[[f32; 4]; TABLE_ROWS]>,
    /// The address register of each vertex of the block.
    pub(super) addresses: [i32; BLOCK],
    /// Whether all addresses of the block are the same.
    pub(super) uniform: bool,
    /// The extents of the planes that have been asked for since they were written.
    extents: Vec<Option<Extent>>,
    /// The extents of the components of `table`.
    table_extents: [Extent; 4],
}

/// How small and how large the numbers of a plane are, 0 left out: 2^low ≤ |number| < 2^high. Where all of them are 0, `low`
/// is the larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) low: i32,
    pub(super) high: i32,
}

impl Extent {
    /// Of nothing but zeros.
    pub(super) const ZERO: Self = Self { low: FAR, high: -FAR };

    /// Of these numbers; what is infinite or no number is far beyond every other.
    #[inline(always)]
    pub(super) fn of(values: &[f32]) -> Self {
        let (mut smallest, mut largest) = (u32::MAX, 0);
        for value in values {
            let magnitude = value.to_bits() & 0x7fff_ffff;
            // Zero becomes the largest one.
            smallest = smallest.min(magnitude.wrapping_sub(1));
            largest = largest.max(magnitude);
        }
        if largest == 0 {
            return Self::ZERO;
        }
        let exponent = |bits: u32| (bits >> 23) as i32 - 127;
        let high = if largest >= f32::INFINITY.to_bits() { FAR } else { exponent(largest) + 1 };
        Self { low: exponent(smallest + 1), high }
    }

    /// What is known of a plane with infinities, or not measured.
    const UNBOUNDED: Self = Self { low: -FAR, high: FAR };

    /// Of products. 0 times infinity is no number in IEEE arithmetic, and is left unbounded.
    pub(super) fn times(self, other: Self) -> Self {
        if self.high == FAR || other.high == FAR {
            return Self::UNBOUNDED;
        }
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    /// Whether all numbers are 0.
    pub(super) fn is_zero(self) -> bool {
        self.low > self.high
    }
}

/// An exponent beyond all sums of exponents.
const FAR: i32 = 1 << 16;

impl Arena {
    /// An arena for a program, with constants as an instruction of this model reads them.
    pub(super) fn new(decoded: &Decoded, constants: &ConstantFile, model: NumericModel) -> Self {
        let read = |x: f32| read_constant(x, model);
        let mut planes = vec![[0.0; BLOCK]; decoded.planes];
        for (&key, &place) in &decoded.places {
            let value = match key {
                // Registers past the file belong to the matrix of position-invariant programs.
                PlaneKey::Constant(index, c) => {
                    read(constants.get(usize::from(index)).map_or(0.0, |constant| constant[usize::from(c)]))
                }
                PlaneKey::Literal(value) => f32::from(value),
                PlaneKey::Output(_, c) => UNSET[usize::from(c)],
                _ => 0.0,
            };
            planes[place] = [value; BLOCK];
        }
        let mut table = Box::new([[0.0; 4]; TABLE_ROWS]);
        for (row, constant) in table.iter_mut().zip(constants) {
            *row = constant.map(read);
        }
        let column = |c: usize| Extent::of(&table.each_ref().map(|row| row[c]));
        let table_extents = [0, 1, 2, 3].map(column);
        let extents = vec![None; planes.len()];
        Self { planes, length: BLOCK, table, addresses: [0; BLOCK], uniform: true, extents, table_extents }
    }

    /// Sees to it that the extent of a plane is known.
    #[inline(always)]
    pub(super) fn measure(&mut self, plane: usize) {
        if self.extents[plane].is_none() {
            self.extents[plane] = Some(Extent::of(&self.planes[plane][..self.length.min(BLOCK)]));
        }
    }

    /// The extent of a plane that was measured; without bounds otherwise.
    pub(super) fn extent(&self, plane: usize) -> Extent {
        self.extents[plane].unwrap_or(Extent::UNBOUNDED)
    }

    /// A plane has been written.
    #[inline(always)]
    pub(super) fn changed(&mut self, plane: usize) {
        self.extents[plane] = None;
    }

    /// Planes have been filled from the components of the table.
    #[inline(always)]
    pub(super) fn gathered(&mut self, planes: [usize; 4]) {
        for (plane, extent) in planes.into_iter().zip(self.table_extents) {
            self.extents[plane] = Some(extent);
        }
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
