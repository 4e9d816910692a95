//! [`ConstantTable`]: the constant file as relative reads find it.
//!
//! Why: a read outside the file gives zeros, and to look whether it is outside takes longer than to read. So the table has
//! zeros before and after the constants, as far as any address and any offset reach, and an address is kept as the place
//! in the table that it leads to.

use super::arena::Extent;

/// Addresses are clamped to these: with any offset of an instruction (`u8` + `i8`) both lead outside the file.
pub(super) const ADDRESSES: (i32, i32) = (-512, 511);
/// Places that an address leads to, for each offset.
const WINDOW: usize = 4 * 1024;
/// The smallest offset.
const LEAST_OFFSET: i32 = i8::MIN as i32;
/// Offsets that there is room for: −128 to 383.
const OFFSETS: usize = 512;
/// Floats in the table.
const LENGTH: usize = WINDOW + 4 * OFFSETS;

/// The constants amid zeros.
pub(super) struct ConstantTable {
    values: Box<[f32; LENGTH]>,
    /// The extents of the four components.
    pub(super) extents: [Extent; 4],
}

/// Where the values for each address start, for one offset.
pub(super) struct Window<'a>(&'a [f32; WINDOW]);

impl ConstantTable {
    /// Of constants as an instruction reads them.
    pub(super) fn new(constants: impl Iterator<Item = [f32; 4]>) -> Self {
        let mut values = Box::new([0.0; LENGTH]);
        let mut columns: [Vec<f32>; 4] = Default::default();
        let start = place(0) as usize + 4 * LEAST_OFFSET.unsigned_abs() as usize;
        for (target, constant) in values[start..].chunks_exact_mut(4).zip(constants) {
            target.copy_from_slice(&constant);
            columns.iter_mut().zip(constant).for_each(|(column, value)| column.push(value));
        }
        Self { values, extents: columns.each_ref().map(|column| Extent::of(column)) }
    }

    /// For reads with this offset.
    #[inline(always)]
    pub(super) fn window(&self, offset: i32) -> Option<Window<'_>> {
        let start = 4 * ((offset - LEAST_OFFSET) as usize % OFFSETS);
        self.values[start..].first_chunk().map(Window)
    }
}

impl Window<'_> {
    /// The constant at a place.
    #[inline(always)]
    pub(super) fn at(&self, Place(start): Place) -> &[f32; 4] {
        self.0[start..].first_chunk().unwrap_or(&[0.0; 4])
    }
}

/// A place that is in every window.
#[derive(Clone, Copy)]
pub(super) struct Place(usize);

impl Place {
    /// What [`place`] gave.
    #[inline(always)]
    pub(super) fn of(place: u32) -> Self {
        // The mask tells the compiler that no place is outside.
        Self(place as usize & (WINDOW - 4))
    }
}

/// The place that an address within [`ADDRESSES`] leads to.
pub(super) const fn place(address: i32) -> u32 {
    4 * (address - ADDRESSES.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_outside_the_file_gives_zeros() {
        let constants = (0..96).map(|index| [1.0, 2.0, 3.0, 4.0].map(|c| c + index as f32));
        let table = ConstantTable::new(constants);
        for address in ADDRESSES.0..=ADDRESSES.1 {
            for offset in i32::from(i8::MIN)..=i32::from(u8::MAX) + i32::from(i8::MAX) {
                let index = address + offset;
                let first = if (0..96).contains(&index) { [1.0 + index as f32, 4.0 + index as f32] } else { [0.0; 2] };
                let row = table.window(offset).map(|window| *window.at(Place::of(place(address))));
                assert_eq!(row.map(|row| [row[0], row[3]]), Some(first), "c[{address} + {offset}]");
            }
        }
    }
}
