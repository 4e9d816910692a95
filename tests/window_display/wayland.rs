//! The window on a desktop of Wayland: weston without a screen, which has an X server for programs such as this one (XWayland).
//!
//! Skipped by name where weston is missing, unless `REFRAST_REQUIRE` names `weston`. minifb's own Wayland is not used: it ends where a
//! compositor has no seat, or a seat without a keyboard, and so could not be tried without a screen.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
};

use x11rb::{connection::Connection, rust_connection::RustConnection};

use super::desktop::{Desktop, View};

/// A compositor and the folder of its sockets.
struct Weston {
    process: Child,
    folder: PathBuf,
    /// Of the X server that it starts when somebody comes.
    display: String,
}

impl Weston {
    fn start() -> Option<Self> {
        let folder = env::temp_dir().join(format!("refrast-weston-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder is writable");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("it is ours");
        let mut weston = Command::new("weston");
        weston
            .args(["--backend=headless-backend.so", "--xwayland", "--no-config", "--width=800", "--height=600"])
            .env("XDG_RUNTIME_DIR", &folder)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DISPLAY")
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut process = match weston.spawn() {
            Ok(process) => process,
            Err(error) => {
                let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
                assert!(!required.split(',').any(|name| name.trim() == "weston"), "weston is required: {error}");
                println!("SKIPPED: the window under Wayland: weston: {error}; install weston and xwayland");
                return None;
            }
        };
        let mut log = BufReader::new(process.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let said = log.find_map(|line| Some(line.split_once("xserver listening on display ")?.1.trim().to_owned()));
        let display = said.expect("weston starts, and has its module for X");
        // It goes on talking, and nobody listens.
        thread::spawn(move || log.for_each(drop));
        Some(Self { process, folder, display })
    }
}

impl Drop for Weston {
    fn drop(&mut self) {
        // Both may be gone.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn under_wayland_it_is_a_window_of_x() {
    let Some(weston) = Weston::start() else { return };
    let (connection, screen) = RustConnection::connect(Some(&weston.display)).expect("the X server starts");
    let root = connection.setup().roots[screen].root;
    let desktop = Desktop { server: None, display: weston.display.clone(), connection, root };
    let (size, options) = ([400, 300], ["--no-panels", "--animation", "Flex", "--time", "0.6"]);
    let view = View::start(&desktop, size, &options);
    // No screen shows it, but the window has its pixels. Keys it can not be given: such a compositor has none, and ends
    // when a program presses some.
    view.shows_frame(&desktop, size, &options);
    desktop.ask_to_close(view.window);
    assert_eq!(view.end(), (Some(0), String::new()));
}
