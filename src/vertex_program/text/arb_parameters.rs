//! `PARAM`: which constant register holds which binding.
//!
//! Section 2.14.3.2 of ARB_vertex_program: arrays that are read through the address register keep their order and
//! their copies; every other binding is held once, however often it is named (2.14.3.7 counts them that way). Which
//! arrays those are is known only at the end of the text, so registers are given out then: first the arrays, in order
//! of declaration, then everything else, in order of appearance.

use refrast_machine::{Binding, CONSTANTS, Parameter, ParameterArray};
use std::ops::Range;

/// A `PARAM`, or a binding used in an instruction without one.
pub(super) struct Item {
    /// Its elements; one unless it is an array.
    pub(super) elements: Vec<Binding>,
    /// Whether it was declared as an array.
    pub(super) array: bool,
    /// Whether an instruction reads it through the address register.
    pub(super) relative: bool,
    /// Where it was declared.
    pub(super) span: Range<usize>,
}

/// Why registers could not be given out.
pub(super) enum AllocationError {
    /// There are more than 96 bindings.
    TooMany(Range<usize>),
    /// A state vector is bound more than once in arrays that are read through the address register.
    BoundTwice(Range<usize>),
}

/// Who holds what.
#[derive(Default)]
pub(super) struct Allocation {
    /// What fills each register, in order.
    pub(super) parameters: Vec<Parameter>,
    /// The arrays that are read through the address register.
    pub(super) arrays: Vec<ParameterArray>,
    /// The register of each element of each item.
    pub(super) registers: Vec<Vec<u8>>,
}

/// Gives every element of `items` a register.
pub(super) fn allocate(items: &[Item]) -> Result<Allocation, AllocationError> {
    let mut allocation = Allocation { registers: vec![Vec::new(); items.len()], ..Allocation::default() };
    for (index, item) in items.iter().enumerate().filter(|(_, item)| item.relative) {
        let first = allocation.parameters.len() as u8;
        for binding in &item.elements {
            let literal = matches!(binding, Binding::Literal(_));
            if !literal && allocation.parameters.iter().any(|known| known.binding == *binding) {
                return Err(AllocationError::BoundTwice(item.span.clone()));
            }
            let register = allocation.add(binding, item)?;
            allocation.registers[index].push(register);
        }
        allocation.arrays.push(ParameterArray { first, length: item.elements.len() as u8 });
    }
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.relative) {
        for binding in &item.elements {
            let known = allocation.parameters.iter().find(|known| same(&known.binding, binding));
            let register = match known {
                Some(known) => known.register,
                None => allocation.add(binding, item)?,
            };
            allocation.registers[index].push(register);
        }
    }
    Ok(allocation)
}

/// Whether one register can hold both. Literals are compared by bits, so that −0 does not become 0.
fn same(a: &Binding, b: &Binding) -> bool {
    match (a, b) {
        (Binding::Literal(a), Binding::Literal(b)) => a.map(f32::to_bits) == b.map(f32::to_bits),
        _ => a == b,
    }
}

impl Allocation {
    fn add(&mut self, binding: &Binding, item: &Item) -> Result<u8, AllocationError> {
        let register = self.parameters.len();
        if register >= CONSTANTS {
            return Err(AllocationError::TooMany(item.span.clone()));
        }
        self.parameters.push(Parameter { register: register as u8, binding: binding.clone() });
        Ok(register as u8)
    }
}
