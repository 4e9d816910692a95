//! What a person does at the window: keys, the mouse, and looking until nothing happens any more.

use egui::{Event, Key, Modifiers, PointerButton, Pos2};
use refrast::window::{Input, Viewer};

/// The window's size where a test does not say otherwise.
pub(crate) const WINDOW: [u32; 2] = [1024, 640];

pub(crate) fn key(key: Key) -> Event {
    key_with(key, Modifiers::NONE)
}

pub(crate) fn key_with(key: Key, modifiers: Modifiers) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

pub(crate) fn button(pos: Pos2, button: PointerButton, pressed: bool) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE }
}

/// A click of the left button.
pub(crate) fn click(at: Pos2) -> [Event; 3] {
    let left = |pressed| button(at, PointerButton::Primary, pressed);
    [Event::PointerMoved(at), left(true), left(false)]
}

/// Gives events, one a look, and then looks until nothing happens any more, also in the background. Gives the number of pictures.
///
/// # Panics
/// Where the window does not come to rest.
pub(crate) fn give(viewer: &mut Viewer<'_>, clock: &mut f64, events: impl IntoIterator<Item = Event>) -> usize {
    let mut pictures = 0;
    let mut events = events.into_iter();
    for _ in 0..100 {
        *clock += 1.0 / 60.0;
        let event = events.next();
        let last = event.is_none();
        let input = Input { size: WINDOW, seconds: *clock, events: event.into_iter().collect(), ..Input::default() };
        let changed = viewer.update(input).expect("the mannequin can be shown");
        pictures += usize::from(changed);
        if last && !changed && !viewer.wait() {
            return pictures;
        }
    }
    panic!("the window does not come to rest");
}
