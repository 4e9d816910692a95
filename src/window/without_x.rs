//! What X needs and other systems do not, or what we have for X alone.

use std::convert::Infallible;

use minifb::Window;

use refrast_canvas::Patches;

/// minifb shows whole frames itself.
pub(super) struct Presenter(Infallible);

impl Presenter {
    pub(super) fn new(_: &Window) -> Option<Self> {
        None
    }

    pub(super) fn show(&mut self, _: &Patches, _: bool) -> Result<(), Infallible> {
        match self.0 {}
    }
}

/// There is no clipboard.
pub(super) struct Clipboard(Infallible);

impl Clipboard {
    pub(super) fn new() -> Option<Self> {
        None
    }

    pub(super) fn set(&self, _: &str) -> bool {
        match self.0 {}
    }
}
