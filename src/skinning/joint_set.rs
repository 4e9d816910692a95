//! Sets of joints as bits.

/// A set of joints; all sets that are compared have the same number of words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JointSet(Vec<u64>);

impl JointSet {
    /// No joint, with room for those below `joints`.
    pub(super) fn empty(joints: usize) -> Self {
        Self(vec![0; joints.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, joint: u16) {
        self.0[usize::from(joint / 64)] |= 1 << (joint % 64);
    }

    pub(super) fn insert_all(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn contains_all(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| other & !word == 0)
    }

    /// How many joints of `other` are not in this set.
    pub(super) fn missing(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(word, other)| (other & !word).count_ones() as usize).sum()
    }

    /// In ascending order.
    pub(super) fn joints(&self) -> impl Iterator<Item = u16> {
        let bits = |word: u64| (0..64u16).filter(move |bit| word >> bit & 1 == 1);
        self.0.iter().enumerate().flat_map(move |(i, &word)| bits(word).map(move |bit| 64 * i as u16 + bit))
    }
}
