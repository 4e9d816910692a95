//! [`Waker`]: hears that something happens to the window, so that nobody has to look whether it does.
//!
//! Why it exists: minifb has to be asked for events, and to ask costs most where nothing happens. Under X a second
//! connection listens to the same window ([`x11`](super::x11)), on a thread that sleeps until something comes. What it was
//! is still minifb's to say: what is passed on is that it is worth a look. On other systems there is no waker, and the
//! window is looked at again and again.
//!
//! One thing minifb can not say: a button that went down and up between two looks. People are not so quick, but programs
//! that press buttons for them are.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    thread::JoinHandle,
};

/// What was heard since the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard(u8);

impl Heard {
    /// Something happened, or the listening ended.
    pub(super) const SOMETHING: Self = Self(1);
    /// What was covered has to be shown again.
    pub(super) const EXPOSED: Self = Self(2);
    /// The window is no more: whoever asks for it is ended by Xlib.
    pub(super) const DESTROYED: Self = Self(4);
    /// Files were dropped on the window.
    pub(super) const DROPPED: Self = Self(64);

    /// A mouse button was pressed in the window and released at once; X counts the left one 1, the middle one 2, the right
    /// one 3, and others are the wheel.
    pub(super) fn click(button: u32) -> Option<Self> {
        (1..=3).contains(&button).then(|| Self(4 << button))
    }

    /// Whether all of `other` was heard.
    pub(super) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Where the listening thread puts what it hears, until the window's loop takes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ear {
    heard: Arc<AtomicU8>,
    dropped: Arc<Mutex<Vec<PathBuf>>>,
}

impl Ear {
    /// Adds to what was heard.
    #[cfg_attr(
        not(any(test, all(unix, not(target_os = "macos")))),
        expect(dead_code, reason = "without X nobody listens")
    )]
    pub(super) fn hear(&self, heard: Heard) {
        self.heard.fetch_or(heard.0 | Heard::SOMETHING.0, Ordering::AcqRel);
    }

    /// Adds to the files that were dropped.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub(super) fn take_files(&self, files: Vec<PathBuf>) {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).extend(files);
    }

    fn take(&self) -> Heard {
        Heard(self.heard.swap(0, Ordering::AcqRel))
    }
}

/// A thread that listens to a window until that is gone.
#[derive(Debug)]
pub(super) struct Waker {
    ear: Ear,
    thread: JoinHandle<()>,
}

impl Waker {
    /// Starts to listen; `wake` is called from another thread after something was heard. `None` where nothing can be heard.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub(super) fn listen(window: &minifb::Window, wake: impl Fn() + Send + 'static) -> Option<Self> {
        let listener = super::x11::Listener::new(window)?;
        let ear = Ear::default();
        let own = ear.clone();
        let thread = std::thread::spawn(move || listener.run(&own, wake));
        Some(Self { ear, thread })
    }

    /// Without X nothing can be heard.
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    pub(super) fn listen(_: &minifb::Window, _: impl Fn() + Send + 'static) -> Option<Self> {
        None
    }

    /// Whether it still listens.
    pub(super) fn is_listening(&self) -> bool {
        !self.thread.is_finished()
    }

    /// What was heard since the last time.
    pub(super) fn take(&self) -> Heard {
        self.ear.take()
    }

    /// The files that were dropped since the last time.
    pub(super) fn dropped(&self) -> Vec<PathBuf> {
        std::mem::take(&mut self.ear.dropped.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_heard_is_told_once_and_all_of_it() {
        let ear = Ear::default();
        assert_eq!(ear.take(), Heard::default());
        let [left, middle, right] = [1, 2, 3].map(|button| Heard::click(button).expect("a button"));
        ear.hear(Heard::EXPOSED);
        ear.hear(middle);
        let heard = ear.take();
        assert!([Heard::SOMETHING, Heard::EXPOSED, middle].into_iter().all(|one| heard.contains(one)));
        assert!(![Heard::DESTROYED, left, right].into_iter().any(|one| heard.contains(one)));
        assert_eq!(ear.take(), Heard::default());
    }
}
