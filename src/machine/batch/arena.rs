//! [`Arena`]: the memory of one block of vertices.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use fearless_simd::{Simd, prelude::*};

use super::{
    BLOCK,
    decode::{Decoded, LaneOperation, Operand},
    kernel::vectors,
    rows::ROWS,
    table::{ConstantTable, place},
};
use crate::{
    arithmetic::{NumericModel, flush_denormal},
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

/// One component of all vertices of a block.
pub(super) type Values = [f32; BLOCK];

/// Values where vectors can be loaded from: one of 64 bytes that begins anywhere else lies in two cache lines, and is loaded in twice
/// the time.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Plane(Values);

impl Plane {
    /// The same for all vertices.
    pub(super) const fn splat(value: f32) -> Self {
        Self([value; BLOCK])
    }
}

impl Deref for Plane {
    type Target = Values;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Plane {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Gives a result to every destination of an operation.
#[inline(always)]
pub(super) fn deliver(planes: &mut [Plane], result: &Plane, operation: &LaneOperation) {
    operation.mask.components().for_each(|c| planes[operation.destinations[c]] = *result);
}

/// The most terms of a sum: four products, or three and one more operand.
const TERMS: usize = 5;

/// The planes of one block of vertices, and the constants that they meet.
#[derive(Clone)]
pub(super) struct Arena {
    /// All planes, constants among them: an operand is an operand, and the loops need no cases.
    pub(super) planes: Vec<Plane>,
    /// How many values of each plane are in use: a multiple of `LANES`. Its being a variable keeps the compiler from
    /// unrolling every loop of every operation.
    pub(super) length: usize,
    /// The constant file for reads through the address register.
    pub(super) table: Arc<ConstantTable>,
    /// Where the address register of each vertex of the block leads to in `table`.
    pub(super) addresses: [u32; BLOCK],
    /// Whether all addresses of the block are the same.
    pub(super) uniform: bool,
    /// Where the results of one operation wait until all their operands have been read.
    pub(super) results: [Plane; ROWS],
    /// The terms of operations that run together, with their signs turned round.
    pub(super) negated: [[Plane; TERMS]; ROWS],
    /// The extents of the planes that have been asked for since they were written.
    extents: Vec<Option<Extent>>,
    /// The planes that are known to be tame: see [`Extent::is_tame`].
    tame: Vec<bool>,
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
    pub(super) fn of(values: &[f32]) -> Self {
        let (mut least, mut largest) = (u32::MAX, 0);
        for value in values {
            let magnitude = value.abs().to_bits();
            least = least.min(magnitude.wrapping_sub(1));
            largest = largest.max(magnitude);
        }
        Self::between(least, largest)
    }

    /// Of the first `length` numbers of a plane.
    #[inline(always)]
    fn of_plane<S: Simd>(simd: S, plane: &Plane, length: usize) -> Self {
        let mut extremes = Extremes::<S>::new(simd);
        for index in 0..vectors::<S>(length) {
            let at = index * S::f32s::LEN;
            extremes.add(S::f32s::from_slice(simd, &plane[at..at + S::f32s::LEN]));
        }
        extremes.extent()
    }

    /// Between the least magnitude's bits less one, so that 0 is the greatest, and the largest one's.
    #[inline(always)]
    fn between(least: u32, largest: u32) -> Self {
        if largest == 0 {
            return Self::ZERO;
        }
        let exponent = |bits: u32| (bits >> 23) as i32 - 127;
        let high = if largest >= f32::INFINITY.to_bits() { UNBOUNDED } else { exponent(largest) + 1 };
        Self { low: exponent(least + 1), high }
    }

    /// Of products. 0 times a number is 0; 0 times infinity is no number in IEEE arithmetic, and is left unbounded.
    #[inline(always)]
    pub(super) fn times(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    /// Of both together.
    #[inline(always)]
    pub(super) fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether all numbers are so far from the limits that no sum of four products of such numbers comes near them: the
    /// products are 0 or between 2^-100 and 2^120. Most numbers are, and to know this one bit is enough where only the
    /// limits matter.
    #[inline(always)]
    fn is_tame(self) -> bool {
        self.low >= TAME.low && self.high <= TAME.high
    }

    /// Whether all numbers are 0.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        self.low > self.high
    }
}

/// The extent of numbers that come vector by vector.
pub(super) struct Extremes<S: Simd> {
    /// The least magnitude's bits less one in each lane, so that 0 is the greatest.
    least: S::u32s,
    largest: S::u32s,
}

impl<S: Simd> Extremes<S> {
    /// Of no numbers.
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        Self { least: S::u32s::splat(simd, u32::MAX), largest: S::u32s::splat(simd, 0) }
    }

    /// With these.
    #[inline(always)]
    pub(super) fn add(&mut self, values: S::f32s) {
        let magnitude = values.abs().bitcast::<S::u32s>();
        self.least = self.least.min(magnitude - 1);
        self.largest = self.largest.max(magnitude);
    }

    /// As [`Extent::is_tame`]: quicker than to ask for the extent, as no lane meets another.
    #[inline(always)]
    pub(super) fn is_tame(&self) -> bool {
        let bits = |exponent: i32| ((exponent + 127) as u32) << 23;
        self.least.simd_ge(bits(TAME.low) - 1).all_true() && self.largest.simd_lt(bits(TAME.high)).all_true()
    }

    /// The extent of all.
    #[inline(always)]
    pub(super) fn extent(self) -> Extent {
        let (mut least_of_all, mut largest_of_all) = (u32::MAX, 0);
        for (&least, &largest) in self.least.as_slice().iter().zip(self.largest.as_slice()) {
            least_of_all = least_of_all.min(least);
            largest_of_all = largest_of_all.max(largest);
        }
        Extent::between(least_of_all, largest_of_all)
    }
}

/// The extent of tame numbers.
const TAME: Extent = Extent { low: -50, high: 60 };
/// An exponent beyond all sums of exponents, in the extent of zeros.
const FAR: i32 = 1 << 16;
/// An exponent that is still beyond them when `FAR` is taken away.
const UNBOUNDED: i32 = FAR << 2;

impl Arena {
    /// An arena for a program, with constants as an instruction of this model reads them.
    pub(super) fn new(decoded: &Decoded, constants: &ConstantFile, model: NumericModel) -> Self {
        let read = |x: f32| read_constant(x, model);
        let mut planes = vec![Plane::splat(0.0); decoded.planes];
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
            planes[place] = Plane::splat(value);
        }
        let table = Arc::new(ConstantTable::new(constants.iter().map(|constant| constant.map(read))));
        Self {
            length: BLOCK,
            table,
            addresses: [place(0); BLOCK],
            uniform: true,
            results: [Plane::splat(0.0); ROWS],
            negated: [[Plane::splat(0.0); TERMS]; ROWS],
            extents: vec![None; planes.len()],
            tame: vec![false; planes.len()],
            planes,
        }
    }

    /// Finds the extent of a plane, if it is not known.
    #[inline(always)]
    pub(super) fn measure<S: Simd>(&mut self, simd: S, plane: usize) {
        if self.extents[plane].is_none() {
            self.measured(plane, Extent::of_plane(simd, &self.planes[plane], self.length));
        }
    }

    /// The extent of a plane that has been measured.
    #[inline(always)]
    pub(super) fn extent(&self, plane: usize) -> Extent {
        self.extents[plane].unwrap_or(Extent { low: -FAR, high: UNBOUNDED })
    }

    /// A plane has been written with numbers of this extent.
    #[inline(always)]
    pub(super) fn measured(&mut self, plane: usize, extent: Extent) {
        self.extents[plane] = Some(extent);
        self.tame[plane] = extent.is_tame();
    }

    /// A plane has been written with tame numbers, if `tame`.
    #[inline(always)]
    pub(super) fn written(&mut self, plane: usize, tame: bool) {
        self.extents[plane] = None;
        self.tame[plane] = tame;
    }

    /// Copies a plane, and what is known of it.
    #[inline(always)]
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        self.planes[to] = self.planes[from];
        self.extents[to] = self.extents[from];
        self.tame[to] = self.tame[from];
    }

    /// A plane has been written.
    #[inline(always)]
    pub(super) fn changed(&mut self, plane: usize) {
        self.written(plane, false);
    }

    /// Whether these operands are known to be tame.
    #[inline(always)]
    pub(super) fn are_tame(&self, operands: &[Operand]) -> bool {
        let mut all = true;
        for operand in operands {
            all &= self.tame[operand.plane];
        }
        all
    }

    /// The four planes from `first` on have been filled from the components of the table.
    #[inline(always)]
    pub(super) fn gathered(&mut self, first: usize) {
        for (c, &extent) in self.table.extents.iter().enumerate() {
            self.extents[first + c] = Some(extent);
            self.tame[first + c] = extent.is_tame();
        }
    }
}

/// A constant as an instruction of this model reads it.
pub(super) fn read_constant(x: f32, model: NumericModel) -> f32 {
    if model == NumericModel::NvSpec { flush_denormal(x) } else { x }
}
