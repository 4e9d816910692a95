//! Keyboard and mouse as minifb tells of them, in egui's words.
//!
//! Why it exists: minifb is asked how things are, and egui is told what has happened.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2};
use minifb::{InputCallback, MouseButton, MouseMode, Window};

use super::waker::Heard;

/// A button that was seen down so long ago is not the one that was heard of.
const SEEN: Duration = Duration::from_millis(100);

pub(super) fn modifiers(window: &Window) -> Modifiers {
    let down = |keys: [minifb::Key; 2]| keys.iter().any(|&key| window.is_key_down(key));
    let ctrl = down([minifb::Key::LeftCtrl, minifb::Key::RightCtrl]);
    Modifiers {
        alt: down([minifb::Key::LeftAlt, minifb::Key::RightAlt]),
        ctrl,
        shift: down([minifb::Key::LeftShift, minifb::Key::RightShift]),
        mac_cmd: false,
        command: ctrl,
    }
}

/// Keys as they go down and up, in order: asking for their state would miss the quick ones.
pub(super) struct Keyboard(pub(super) Rc<RefCell<Vec<Typed>>>);

/// What came from the keyboard: a key that went down or up, or a letter for a field that is typed into.
pub(super) enum Typed {
    Key(Key, bool),
    Letter(char),
}

impl Typed {
    pub(super) fn event(self, modifiers: Modifiers) -> Event {
        match self {
            Self::Key(key, pressed) => Event::Key { key, physical_key: None, pressed, repeat: false, modifiers },
            Self::Letter(letter) => Event::Text(letter.to_string()),
        }
    }
}

impl InputCallback for Keyboard {
    fn add_char(&mut self, letter: u32) {
        let letter = char::from_u32(letter).filter(|letter| !letter.is_control());
        self.0.borrow_mut().extend(letter.map(Typed::Letter));
    }

    fn set_key_state(&mut self, key: minifb::Key, down: bool) {
        self.0.borrow_mut().extend(key_name(key).map(|key| Typed::Key(key, down)));
    }
}

/// Where the mouse was at the last look.
#[derive(Default)]
pub(super) struct Mouse {
    at: Option<Pos2>,
    buttons: [Button; 3],
}

/// A mouse button.
#[derive(Default)]
struct Button {
    down: bool,
    /// When it was seen down last.
    seen: Option<Instant>,
}

impl Mouse {
    pub(super) fn is_inside(&self, [width, height]: [u32; 2]) -> bool {
        self.at.is_some_and(|at| (0.0..width as f32).contains(&at.x) && (0.0..height as f32).contains(&at.y))
    }

    pub(super) fn is_down(&self) -> bool {
        self.buttons.iter().any(|button| button.down)
    }

    pub(super) fn events(&mut self, window: &Window, modifiers: Modifiers, heard: Heard) -> Vec<Event> {
        let mut events = Vec::new();
        let at = window.get_unscaled_mouse_pos(MouseMode::Pass).map(|(x, y)| Pos2::new(x, y));
        if at != self.at {
            self.at = at;
            events.extend(at.map(Event::PointerMoved));
        }
        let pos = at.unwrap_or_default();
        let buttons = [
            (MouseButton::Left, PointerButton::Primary, 1),
            (MouseButton::Right, PointerButton::Secondary, 3),
            (MouseButton::Middle, PointerButton::Middle, 2),
        ];
        for ((native, button, number), own) in buttons.into_iter().zip(&mut self.buttons) {
            let clicked = Heard::click(number).is_some_and(|click| heard.contains(click));
            let changes = own.changes(window.get_mouse_down(native), clicked);
            events.extend(changes.iter().map(|&pressed| Event::PointerButton { pos, button, pressed, modifiers }));
        }
        if let Some((x, y)) = window.get_scroll_wheel() {
            events.push(Event::MouseWheel { unit: MouseWheelUnit::Line, delta: egui::vec2(x, y), modifiers });
        }
        events
    }
}

impl Button {
    /// How it changed since the last look: `down` is what is seen of it now, and it may have been heard to go down and up.
    fn changes(&mut self, down: bool, clicked: bool) -> &'static [bool] {
        let changed = down != self.down;
        let missed = clicked && !changed && !down && self.seen.is_none_or(|seen| seen.elapsed() > SEEN);
        self.down = down;
        if down {
            self.seen = Some(Instant::now());
        }
        match (changed, down) {
            (true, true) => &[true],
            (true, false) => &[false],
            (false, _) if missed => &[true, false],
            (false, _) => &[],
        }
    }
}

/// The keys that something listens to, by both of their names.
const KEYS: &[(minifb::Key, Key)] = &[
    (minifb::Key::A, Key::A),
    (minifb::Key::B, Key::B),
    (minifb::Key::C, Key::C),
    (minifb::Key::D, Key::D),
    (minifb::Key::E, Key::E),
    (minifb::Key::F, Key::F),
    (minifb::Key::G, Key::G),
    (minifb::Key::H, Key::H),
    (minifb::Key::I, Key::I),
    (minifb::Key::J, Key::J),
    (minifb::Key::K, Key::K),
    (minifb::Key::L, Key::L),
    (minifb::Key::M, Key::M),
    (minifb::Key::N, Key::N),
    (minifb::Key::O, Key::O),
    (minifb::Key::P, Key::P),
    (minifb::Key::Q, Key::Q),
    (minifb::Key::R, Key::R),
    (minifb::Key::S, Key::S),
    (minifb::Key::T, Key::T),
    (minifb::Key::U, Key::U),
    (minifb::Key::V, Key::V),
    (minifb::Key::W, Key::W),
    (minifb::Key::X, Key::X),
    (minifb::Key::Y, Key::Y),
    (minifb::Key::Z, Key::Z),
    (minifb::Key::F1, Key::F1),
    (minifb::Key::F2, Key::F2),
    (minifb::Key::F3, Key::F3),
    (minifb::Key::F4, Key::F4),
    (minifb::Key::F5, Key::F5),
    (minifb::Key::F6, Key::F6),
    (minifb::Key::F7, Key::F7),
    (minifb::Key::F9, Key::F9),
    (minifb::Key::F10, Key::F10),
    (minifb::Key::F12, Key::F12),
    (minifb::Key::Backspace, Key::Backspace),
    (minifb::Key::Delete, Key::Delete),
    (minifb::Key::Enter, Key::Enter),
    (minifb::Key::NumPadEnter, Key::Enter),
    (minifb::Key::Left, Key::ArrowLeft),
    (minifb::Key::Right, Key::ArrowRight),
    (minifb::Key::Up, Key::ArrowUp),
    (minifb::Key::Down, Key::ArrowDown),
    (minifb::Key::Comma, Key::Comma),
    (minifb::Key::Period, Key::Period),
    (minifb::Key::Slash, Key::Slash),
    (minifb::Key::Minus, Key::Minus),
    (minifb::Key::NumPadMinus, Key::Minus),
    (minifb::Key::Equal, Key::Plus),
    (minifb::Key::NumPadPlus, Key::Plus),
    (minifb::Key::LeftBracket, Key::OpenBracket),
    (minifb::Key::RightBracket, Key::CloseBracket),
    (minifb::Key::End, Key::End),
    (minifb::Key::Home, Key::Home),
    (minifb::Key::Escape, Key::Escape),
    (minifb::Key::Space, Key::Space),
    (minifb::Key::Tab, Key::Tab),
    (minifb::Key::Key1, Key::Num1),
    (minifb::Key::NumPad1, Key::Num1),
    (minifb::Key::Key2, Key::Num2),
    (minifb::Key::NumPad2, Key::Num2),
    (minifb::Key::Key3, Key::Num3),
    (minifb::Key::NumPad3, Key::Num3),
];

fn key_name(native: minifb::Key) -> Option<Key> {
    KEYS.iter().find(|(own, _)| *own == native).map(|&(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::GROUPS;

    #[test]
    fn a_quick_click_counts_once() {
        let mut button = Button::default();
        // Down and up between two looks, as a listener heard it.
        assert_eq!(button.changes(false, true), [true, false]);
        assert!(button.changes(false, false).is_empty());
        // Seen down, and heard of later.
        assert_eq!(button.changes(true, false), [true]);
        assert_eq!(button.changes(false, false), [false]);
        assert!(button.changes(false, true).is_empty());
    }

    #[test]
    fn every_key_of_the_help_can_be_pressed() {
        for binding in GROUPS.iter().flat_map(|group| group.bindings) {
            // On most keyboards the question mark is Shift and the slash.
            let key = if binding.key == Key::Questionmark { Key::Slash } else { binding.key };
            assert!(KEYS.iter().any(|&(_, known)| known == key), "{} can not be pressed", binding.label);
        }
    }
}
