//! The window under a window manager, openbox: it is framed, focused, held to its least size, made large, hidden and closed.
//!
//! Skipped by name where openbox is missing, unless `REFRAST_REQUIRE` names `openbox`.

use std::{
    env,
    process::{Child, Command, Stdio},
};

use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, InputFocus,
};

use super::desktop::{Desktop, KEY_D, View, check, wait};

/// A window manager of a desktop.
struct Manager<'a> {
    desktop: &'a Desktop,
    process: Child,
}

impl<'a> Manager<'a> {
    fn start(desktop: &'a Desktop) -> Option<Self> {
        let mut openbox = Command::new("openbox");
        openbox.args(["--sm-disable"]).env("DISPLAY", &desktop.display).stdout(Stdio::null()).stderr(Stdio::null());
        let process = match openbox.spawn() {
            Ok(process) => process,
            Err(error) => {
                let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
                assert!(!required.split(',').any(|name| name.trim() == "openbox"), "openbox is required: {error}");
                println!("SKIPPED: the window under a manager: openbox: {error}; install openbox");
                return None;
            }
        };
        let manager = Self { desktop, process };
        // By this it says that it is there (Extended Window Manager Hints 1.5).
        let check = manager.atom("_NET_SUPPORTING_WM_CHECK");
        wait("a window manager", || manager.numbers(desktop.root, check).first().copied());
        Some(manager)
    }

    fn atom(&self, name: &str) -> u32 {
        let atom = self.desktop.connection.intern_atom(false, name.as_bytes()).expect("the server runs");
        atom.reply().expect("a name").atom
    }

    fn numbers(&self, window: u32, property: u32) -> Vec<u32> {
        let answer = self.desktop.connection.get_property(false, window, property, AtomEnum::ANY, 0, 1024);
        let answer = answer.expect("the server runs").reply().expect("a property");
        answer.value32().map_or(Vec::new(), Iterator::collect)
    }

    /// Asks the manager for something that is done with a window.
    fn ask(&self, window: u32, kind: &str, data: [u32; 5]) {
        let message = ClientMessageEvent::new(32, window, self.atom(kind), data);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        check(self.desktop.connection.send_event(false, self.desktop.root, mask, message));
    }

    fn size(&self, window: u32) -> [u16; 2] {
        let own = self.desktop.connection.get_geometry(window).expect("the server runs").reply().expect("a size");
        [own.width, own.height]
    }
}

impl Drop for Manager<'_> {
    fn drop(&mut self) {
        // It may have ended with the server.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_window_manager_has_its_way_with_the_window() {
    let Some(desktop) = Desktop::new() else { return };
    let Some(manager) = Manager::start(&desktop) else { return };
    let view = View::open_with(&desktop, [500, 340], &["--no-panels"]);
    // It has a frame, and the keyboard without a click.
    let frame = manager.numbers(view.window, manager.atom("_NET_FRAME_EXTENTS"));
    assert!(frame.len() == 4 && frame[2] > 0, "a title bar: {frame:?}");
    let focus = || desktop.connection.get_input_focus().expect("the server runs").reply().expect("a focus").focus;
    wait("the focus", || (focus() == view.window).then_some(()));
    assert_ne!(focus(), u32::from(InputFocus::NONE));
    desktop.key(KEY_D);
    view.says(&desktop, "--skinning dual-quaternion");
    desktop.click_at(view.middle);
    view.says(&desktop, "--pixel ");

    // Smaller than panels and picture can be it does not become.
    check(desktop.connection.configure_window(view.window, &ConfigureWindowAux::new().width(100).height(100)));
    wait("the least size", || (manager.size(view.window) == [480, 320]).then_some(()));
    view.says(&desktop, "--size 480x320");

    let [vertically, horizontally] =
        ["_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ"].map(|name| manager.atom(name));
    // 1 adds a state; the last but one says that an application asks.
    manager.ask(view.window, "_NET_WM_STATE", [1, vertically, horizontally, 1, 0]);
    wait("a window as wide as the screen", || (manager.size(view.window)[0] >= 790).then_some(()));
    let [width, height] = manager.size(view.window);
    view.says(&desktop, &format!("--size {width}x{height}"));
    let middle = [400, 300];
    wait("a picture", || (desktop.color(middle) != [0; 3]).then_some(()));

    // Hidden and brought back: 3 is the iconic state (ICCCM 4.1.4).
    let shown = desktop.resting_colors(middle, [1, 1])[..3].to_vec();
    manager.ask(view.window, "WM_CHANGE_STATE", [3, 0, 0, 0, 0]);
    wait("the empty desktop", || (desktop.color(middle) != shown).then_some(()));
    manager.ask(view.window, "_NET_ACTIVE_WINDOW", [1, x11rb::CURRENT_TIME, 0, 0, 0]);
    wait("the picture again", || (desktop.color(middle) == shown).then_some(()));

    manager.ask(view.window, "_NET_CLOSE_WINDOW", [x11rb::CURRENT_TIME, 1, 0, 0, 0]);
    assert_eq!(view.end(), (Some(0), String::new()));
}
