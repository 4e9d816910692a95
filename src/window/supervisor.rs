//! [`supervise`]: the window in a process of its own, so that a display that goes away is an error like any other.
//!
//! Why it exists: when the X server is lost, Xlib calls `exit(1)` from within whatever call notices it. Only a handler
//! that must not return could come before that, and safe Rust can not install one. So the command starts itself again
//! for the window and looks at how that ends.

use std::{
    env,
    io::{self, BufRead, BufReader, Read},
    process::{Command, ExitStatus, Stdio},
    thread,
};

use super::WindowError;

/// Is set where the window runs: what starts it looks after it.
const SUPERVISED: &str = "REFRAST_VIEW_SUPERVISED";
/// What Xlib complains of where another program destroys the window before that is noticed: so it is closed.
const DESTROYED: [&str; 2] = ["BadWindow", "BadDrawable"];
/// What Xlib exits with.
const EXIT_OF_XLIB: i32 = 1;

/// Whether this process is the one that opens the window. On systems without X every process is.
#[must_use]
pub fn is_supervised() -> bool {
    !cfg!(all(unix, not(target_os = "macos"))) || env::var_os(SUPERVISED).is_some()
}

/// Runs `window`, a command that opens a window, and gives its exit status.
///
/// The command must exit with something else than 1 where it fails by itself. It gets a standard input that ends with
/// this process; see [`end_with_supervisor`].
///
/// # Errors
///
/// When the command can not be started, when it lost its display, or when something killed it.
pub fn supervise(window: &mut Command) -> Result<u8, WindowError> {
    let failed = |error: io::Error| WindowError::Lost(error.to_string());
    let mut child = window.env(SUPERVISED, "1").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    // It stays open until the child has ended.
    let _stdin = child.stdin.take();
    let xlib = child.stderr.take().map_or_else(Vec::new, pass_on);
    let status = child.wait().map_err(failed)?;
    judge(status, &xlib)
}

/// Writes what a child complains about to standard error, but for the last words of Xlib, which it gives.
fn pass_on(stderr: impl Read) -> Vec<String> {
    let mut xlib = Vec::new();
    // What is no text is not from us.
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        // It ends the process when it has said so, in several lines.
        if !xlib.is_empty() || ["XIO:", "X connection to", "X Error"].iter().any(|start| line.starts_with(start)) {
            xlib.push(line);
        } else {
            eprintln!("{line}");
        }
    }
    xlib
}

fn judge(status: ExitStatus, xlib: &[String]) -> Result<u8, WindowError> {
    match status.code() {
        Some(EXIT_OF_XLIB) => {
            let said = xlib.first().map_or("Xlib ended the process", |line| line.trim());
            if DESTROYED.iter().any(|error| said.contains(error)) {
                return Ok(0);
            }
            Err(WindowError::Lost(said.to_owned()))
        }
        Some(code) => Ok(u8::try_from(code).unwrap_or(u8::MAX)),
        None => Err(WindowError::Killed(status.to_string())),
    }
}

/// Ends this process when the one that supervises it has gone.
pub fn end_with_supervisor() {
    if env::var_os(SUPERVISED).is_some() {
        thread::spawn(|| {
            // Nothing is ever written to it: it can only end.
            let _ = io::stdin().lock().read(&mut [0]);
            std::process::exit(2);
        });
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str) -> Result<u8, String> {
        supervise(Command::new("sh").args(["-c", script])).map_err(|error| error.to_string())
    }

    #[test]
    fn the_exit_of_xlib_is_told_from_our_own() {
        assert_eq!(run("exit 0"), Ok(0));
        assert_eq!(run("exit 2"), Ok(2));
        let lost =
            run("echo 'XIO:  fatal IO error 11 on X server \":9\"' >&2; echo '      after 5 requests' >&2; exit 1");
        let lost = lost.expect_err("Xlib ended it");
        assert!(lost.contains("fatal IO error 11") && !lost.contains("after 5"), "{lost}");
        let destroyed =
            "echo 'X Error of failed request:  BadDrawable (invalid Pixmap or Window parameter)' >&2; exit 1";
        assert_eq!(run(destroyed), Ok(0));
        assert!(run("kill -9 $$").expect_err("it was killed").contains("signal"));
    }

    #[test]
    fn the_window_hears_when_the_supervisor_goes() {
        // The pipe ends when its writer does; `read` fails then.
        let mut child =
            Command::new("sh").args(["-c", "read line || exit 7"]).stdin(Stdio::piped()).spawn().expect("sh");
        drop(child.stdin.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(7));
    }
}
