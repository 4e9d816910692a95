//! [`Clock`]: what time it is for the viewer, and when it has to look again.
//!
//! Why it exists: while nothing happens the window does nothing. Whatever moves by itself (a clip, a blink, an envelope in
//! the making, a panel that fades in) says here when it wants to be looked at.

/// Time in seconds since the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    now: f64,
    wake: Option<f64>,
}

impl Clock {
    /// The start, when everything has to be looked at.
    pub(super) fn new() -> Self {
        Self { now: 0.0, wake: Some(0.0) }
    }

    /// The time of the last look that saw something.
    pub(super) fn now(self) -> f64 {
        self.now
    }

    /// When to look again though nothing happens; `None` is never.
    pub(super) fn wake(self) -> Option<f64> {
        self.wake
    }

    /// Whether it is time to look again at this time.
    pub(super) fn is_due(self, now: f64) -> bool {
        self.wake.is_some_and(|wake| wake <= now)
    }

    /// It is later.
    pub(super) fn advance(&mut self, now: f64) {
        self.now = now;
    }

    /// Something has changed: look again at once.
    pub(super) fn look_now(&mut self) {
        self.wake = Some(self.now);
    }

    /// Look again at this time, if not before.
    pub(super) fn look_by(&mut self, at: f64) {
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }

    /// Look again after so many seconds, or never.
    pub(super) fn look_after(&mut self, delay: Option<f64>) {
        self.wake = delay.map(|delay| self.now + delay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_wish_counts_until_the_panels_have_run() {
        let mut clock = Clock::new();
        assert!(clock.is_due(0.0));
        clock.advance(2.0);
        clock.look_after(None);
        assert!(!clock.is_due(1e9));
        clock.look_by(5.0);
        clock.look_by(7.0);
        assert_eq!(clock.wake(), Some(5.0));
        clock.look_now();
        assert!(clock.is_due(2.0));
        clock.look_after(Some(0.5));
        assert_eq!(clock.wake(), Some(2.5));
    }
}
