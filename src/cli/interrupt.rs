//! Ctrl-C: what is half written goes, and then the process does, as it would have.

/// From now on an interruption leaves no temporary file and no golden beside another's envelope.
#[cfg(unix)]
pub(super) fn prepare() {
    use refrast_golden::abandon_writing;
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    // Without handlers the next command clears away what is left.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            abandon_writing();
            // Ends the process as if nobody had listened, so that a shell sees why.
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Elsewhere the next command clears away what is left.
#[cfg(not(unix))]
pub(super) fn prepare() {}
