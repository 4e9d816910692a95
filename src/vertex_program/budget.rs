//! [`ConstantBudget`]: how many joints fit.
//!
//! Why it exists: "28 bones" holds for one layout only. The number follows from the program's own constants: where
//! its palette starts, how many rows a joint it reads, and which register above the palette is taken.

use refrast_machine::{Binding, Program};
use serde::Serialize;

/// Where a program keeps its palette, and how many joints fit there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ConstantBudget {
    /// The register that an address of 0 reads first: `c[A0.x + first]`.
    pub first: u8,
    /// Consecutive constants of one joint: 3 for an affine matrix, 2 for a dual quaternion.
    pub rows_per_joint: u8,
    /// The first register that the palette may not use: the size of the file, or a constant of the program's own.
    pub end: u8,
    /// How many joints fit: `(end − first) / rows_per_joint`.
    pub joints: u8,
}

impl ConstantBudget {
    /// The budget of a program whose constant file has `size` registers, or `None` when it reads no palette
    /// (nothing through the address register) or its palette lies outside the file.
    ///
    /// The rows of a joint are all offsets from `A0.x` that the program reads, lowest to highest. The attribute that is
    /// loaded into `A0.x` holds the joint's place in the palette times `rows_per_joint`.
    #[must_use]
    pub fn of(program: &Program, size: u8) -> Option<Self> {
        let usage = program.usage();
        let (low, high) = (*usage.relative.first()?, *usage.relative.last()?);
        let first = u8::try_from(low).ok()?;
        let rows_per_joint = u8::try_from(high - low + 1).ok()?;
        let literals = program.parameters.iter().filter(|parameter| matches!(parameter.binding, Binding::Literal(_)));
        let own = usage.constants.iter().copied().chain(literals.map(|parameter| parameter.register));
        let own_above = own.filter(|&register| register >= first).min().unwrap_or(size);
        let array = program.arrays.iter().find(|array| (array.first..array.first + array.length).contains(&first));
        let array_end = array.map_or(size, |array| array.first + array.length);
        let end = size.min(own_above).min(array_end);
        let joints = end.saturating_sub(first) / rows_per_joint;
        (first < size).then_some(Self { first, rows_per_joint, end, joints })
    }
}
