//! [`DrawList`]: the draws of a frame behind one type.

use refrast_draw::{BlockShader, Draw};

/// A frame's draws, of whatever type their shaders are: what is compiled once, here, reads them through this.
pub(super) trait DrawList: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// A draw with its shader behind a reference.
    fn get(&self, number: usize) -> Draw<'_, &dyn BlockShader>;
}

impl<F: BlockShader> DrawList for &[Draw<'_, F>] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn get(&self, number: usize) -> Draw<'_, &dyn BlockShader> {
        let Draw { stream, topology, indices, state, shader } = &self[number];
        Draw { stream, topology: *topology, indices, state: *state, shader }
    }
}
