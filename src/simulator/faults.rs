//! [`Faults`]: which mistakes a simulated backend makes.

use crate::{Fault, ParametricFault, fault::Part};

/// A set of mistakes that is asked in inner loops: any of the list, and up to two with numbers in them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    listed: [u64; 4],
    parametric: [Option<ParametricFault>; 2],
}

const _: () = assert!(Fault::ALL.len() <= 256, "four words of bits");

/// The bits of the list's faults that are made before a part runs.
const fn listed_before(part: Part) -> [u64; 4] {
    let mut words = [0; 4];
    let mut number = 0;
    while number < Fault::ALL.len() {
        let fault = Fault::ALL[number];
        if (fault.part() as u8) < part as u8 {
            words[fault as usize / 64] |= 1 << (fault as usize % 64);
        }
        number += 1;
    }
    words
}

impl Faults {
    /// A set of these.
    #[must_use]
    pub fn of(faults: &[Fault]) -> Self {
        faults.iter().fold(Self::default(), |set, fault| set.and(*fault))
    }

    /// These and those. Of mistakes with numbers the first two count: nobody has asked for three.
    #[must_use]
    pub fn and(self, others: impl Into<Self>) -> Self {
        let others = others.into();
        let listed = std::array::from_fn(|word| self.listed[word] | others.listed[word]);
        let mut parametric = self.parametric.into_iter().chain(others.parametric).flatten();
        Self { listed, parametric: [parametric.next(), parametric.next()] }
    }

    /// Whether a part of the simulator makes one of them.
    pub(super) fn any_in(self, part: Part) -> bool {
        Fault::ALL.into_iter().any(|fault| fault.part() == part && self.has(fault))
            || self.parametric().any(|fault| fault.part() == part)
    }

    /// Those that may move a vertex.
    pub(super) fn moving_vertices(self) -> Self {
        self.placing_before(Part::Assembly, const { listed_before(Part::Assembly) })
    }

    /// Those that vertices in clip space, with all their attributes, follow from.
    pub(super) fn before_assembly(self) -> Self {
        self.kept(const { listed_before(Part::Assembly) }, |fault| fault.part() < Part::Assembly)
    }

    /// Those that triangles follow from, without the attributes of their vertices.
    pub(super) fn before_visibility(self) -> Self {
        self.placing_before(Part::Visibility, const { listed_before(Part::Visibility) })
    }

    /// Those that what is seen of triangles without masks follows from.
    pub(super) fn before_drawing(self) -> Self {
        self.placing_before(Part::Drawing, const { listed_before(Part::Drawing) })
    }

    /// Those that are made before a part runs, but for what moves texture coordinates; `listed` are those of the list.
    fn placing_before(self, part: Part, listed: [u64; 4]) -> Self {
        let is_kept =
            |fault: &ParametricFault| fault.part() < part && !matches!(fault, ParametricFault::TexcoordsMoved { .. });
        self.kept(listed, is_kept)
    }

    /// Those without what moves texture coordinates.
    pub(super) fn without_moved_texcoords(self) -> Self {
        self.kept([u64::MAX; 4], |fault| !matches!(fault, ParametricFault::TexcoordsMoved { .. }))
    }

    /// Those without what is about one or two joints, and moves no vertex that does not follow them.
    pub(super) fn without_single_joints(self) -> Self {
        let is_of_joints = |fault: &ParametricFault| {
            matches!(
                fault,
                ParametricFault::JointsSwapped { .. }
                    | ParametricFault::JointTakenFor { .. }
                    | ParametricFault::JointTurned { .. }
            )
        };
        // There a joint counts without a weight.
        if self.has(Fault::ZeroWeightJointDereferenced) {
            return self;
        }
        self.kept([u64::MAX; 4], |fault| !is_of_joints(fault))
    }

    fn kept(self, listed: [u64; 4], is_kept: impl Fn(&ParametricFault) -> bool) -> Self {
        let mut parametric = self.parametric().filter(is_kept);
        Self {
            listed: std::array::from_fn(|word| self.listed[word] & listed[word]),
            parametric: [parametric.next(), parametric.next()],
        }
    }

    /// Whether a fault is among them.
    #[inline(always)]
    pub(super) const fn has(self, fault: Fault) -> bool {
        self.listed[fault as usize / 64] >> (fault as usize % 64) & 1 == 1
    }

    /// Those with numbers in them.
    pub(super) fn parametric(self) -> impl Iterator<Item = ParametricFault> {
        self.parametric.into_iter().flatten()
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        let mut set = Self::default();
        set.listed[fault as usize / 64] |= 1 << (fault as usize % 64);
        set
    }
}

impl From<ParametricFault> for Faults {
    fn from(fault: ParametricFault) -> Self {
        Self { parametric: [Some(fault), None], ..Self::default() }
    }
}

impl From<&[Fault]> for Faults {
    fn from(faults: &[Fault]) -> Self {
        Self::of(faults)
    }
}

impl<const N: usize> From<&[Fault; N]> for Faults {
    fn from(faults: &[Fault; N]) -> Self {
        Self::of(faults)
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

    #[test]
    fn mistakes_with_numbers_stand_beside_those_of_the_list() {
        let bias = ParametricFault::MipBias { levels: 0.5 };
        let both = Faults::from(bias).and(Fault::CullOff);
        assert!(both.has(Fault::CullOff) && !both.has(Fault::MipBias));
        assert_eq!(both.parametric().collect::<Vec<_>>(), [bias]);
        assert!(both.any_in(Part::Drawing) && !both.any_in(Part::Reading));
    }
}
