//! [`Faults`]: which mistakes a simulated backend makes.

use crate::{Fault, fault::Part};

/// A set of faults that is asked in inner loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults([u64; 4]);

const _: () = assert!(Fault::ALL.len() <= 256, "four words of bits");

impl Faults {
    /// A set of these.
    pub(super) fn of(faults: &[Fault]) -> Self {
        let mut set = Self::default();
        for fault in faults {
            set.0[*fault as usize / 64] |= 1 << (*fault as usize % 64);
        }
        set
    }

    /// Whether a part of the simulator makes one of them.
    pub(super) fn any_in(self, part: Part) -> bool {
        Fault::ALL.into_iter().any(|fault| fault.part() == part && self.has(fault))
    }

    /// Whether a fault is among them.
    #[inline(always)]
    pub(super) const fn has(self, fault: Fault) -> bool {
        self.0[fault as usize / 64] >> (fault as usize % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let set = Faults::of(&[Fault::YFlipped, Fault::MatrixTransposed]);
        let found: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| set.has(*fault)).collect();
        assert_eq!(found, [Fault::MatrixTransposed, Fault::YFlipped]);
    }
}
