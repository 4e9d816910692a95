//! [`Findings`]: the numbers that the inspector shows, and what they were collected for.

use super::{
    inspection::{PixelView, VertexView},
    registers::RegisterView,
    state::State,
};

/// What was found out about the chosen vertex and pixel.
#[derive(Default)]
pub(super) struct Findings {
    /// The chosen vertex.
    pub(super) vertex: Option<VertexView>,
    /// The chosen pixel.
    pub(super) pixel: Option<PixelView>,
    /// The registers of the program at the chosen vertex.
    pub(super) registers: Option<RegisterView>,
    /// Which of the worst vertices or pixels was chosen last.
    pub(super) worst: usize,
    /// What they were collected for: a state, and the number of the picture.
    of: Option<(State, u64)>,
}

impl Findings {
    /// Whether they have to be collected for this state and the picture of this number; if so, they now count as its.
    pub(super) fn are_stale(&mut self, state: &State, picture: u64) -> bool {
        let key = (state.clone(), picture);
        let nothing = state.selected.is_none() && state.pixel.is_none();
        if self.of.as_ref() == Some(&key) || (nothing && self.vertex.is_none() && self.pixel.is_none()) {
            return false;
        }
        self.of = Some(key);
        true
    }

    /// There is another verdict than before: they have to be collected again, and the worst comes first again.
    pub(super) fn forget(&mut self) {
        (self.of, self.worst) = (None, 0);
    }
}
