//! From its first picture to its end: what the window wakes for, what the desktop tells it and learns of it.

use std::{fs, thread, time::Duration};

use x11rb::{
    connection::Connection,
    protocol::xproto::{AtomEnum, ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, PropMode, WindowClass},
    wrapper::ConnectionExt as _,
};

use super::desktop::{Desktop, KEY_D, KEY_F2, View, check, wait};

#[test]
fn at_rest_it_sleeps_and_everything_wakes_it() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    let rest = || thread::sleep(Duration::from_millis(1_000));
    if cfg!(target_os = "linux") {
        rest();
        let before = view.wakes();
        thread::sleep(Duration::from_secs(2));
        let wakes = view.wakes() - before;
        // Four looks a second, each of which waits for an answer or two; 20 looks were more than 40 in a second.
        assert!(wakes < 50, "woken {wakes} times in two seconds");
    }
    desktop.key(KEY_D);
    view.says(&desktop, "--skinning dual-quaternion");
    rest();
    desktop.click();
    view.says(&desktop, "--pixel ");

    rest();
    let shown = desktop.color(view.middle);
    let over = desktop.connection.generate_id().expect("there are enough");
    let black = CreateWindowAux::new().override_redirect(1).background_pixel(0);
    let (class, [x, y]) = (WindowClass::INPUT_OUTPUT, view.middle.map(|at| at - 50));
    check(desktop.connection.create_window(0, over, desktop.root, x, y, 100, 100, 0, class, 0, &black));
    check(desktop.connection.map_window(over));
    wait("another window in front", || (desktop.color(view.middle) == [0; 3]).then_some(()));
    rest();
    check(desktop.connection.destroy_window(over));
    wait("the picture again", || (desktop.color(view.middle) == shown).then_some(()));

    rest();
    let size = ConfigureWindowAux::new().width(400).height(300);
    check(desktop.connection.configure_window(view.window, &size));
    view.says(&desktop, "--size 400x300");

    rest();
    desktop.ask_to_close(view.window);
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn a_window_that_another_program_destroys_is_a_closed_one() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn a_lost_server_is_told_of() {
    let Some(mut desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    desktop.server.as_mut().expect("its own").kill().expect("it runs");
    let (code, complaints) = view.end();
    assert_eq!(code, Some(2), "{complaints}");
    assert!(complaints.starts_with("error: the display was lost: ") && complaints.lines().count() == 1, "{complaints}");
}

#[test]
fn text_is_as_large_as_the_desktop_wants_it() {
    let Some(desktop) = Desktop::new() else { return };
    let resources = b"Xcursor.size:\t24\nXft.dpi:\t144\n";
    let property = AtomEnum::RESOURCE_MANAGER;
    check(desktop.connection.change_property8(PropMode::REPLACE, desktop.root, property, AtomEnum::STRING, resources));
    let view = View::open(&desktop);
    view.says(&desktop, "--scale 1.5");
    check(desktop.connection.destroy_window(view.window));
}

#[test]
fn what_a_key_prints_is_confirmed_on_the_screen() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    // The line stands above the middle, and goes after some seconds.
    let place = [view.middle[0], view.middle[1] - 82];
    let before = desktop.color(place);
    desktop.key(KEY_F2);
    wait("a line on the screen", || (desktop.color(place) != before).then_some(()));
    wait("it goes again", || (desktop.color(place) == before).then_some(()));
    check(desktop.connection.destroy_window(view.window));
}

#[test]
fn the_desktop_learns_whose_the_window_is() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    let property = |name: &str| {
        let atom = desktop.connection.intern_atom(false, name.as_bytes()).expect("the server runs");
        let atom = atom.reply().expect("a name").atom;
        let answer = desktop.connection.get_property(false, view.window, atom, AtomEnum::ANY, 0, 1 << 16);
        answer.expect("the server runs").reply().expect("a property")
    };
    assert_eq!(property("WM_CLASS").value, b"refrast\0Refrast\0");
    let numbers = |name: &str| property(name).value32().expect("numbers").collect::<Vec<u32>>();
    let process = numbers("_NET_WM_PID")[0];
    // The window is a child of what supervises it.
    let parent = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    assert!(parent.contains(&format!(" {} ", view.process.id())), "{parent}");
    let icon = numbers("_NET_WM_ICON");
    assert_eq!(icon.len() as u32, 2 + icon[0] * icon[1]);
    // Flags, four places that are out of use, the least width and height.
    let hints = numbers("WM_NORMAL_HINTS");
    assert_eq!((hints[0] & 16, hints[5], hints[6]), (16, 480, 320));
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn what_is_shown_is_the_frame() {
    let Some(desktop) = Desktop::new() else { return };
    // More rows than are sent at once.
    let size = [760, 560];
    let options = ["--no-panels", "--animation", "Flex", "--time", "0.6"];
    let view = View::open_with(&desktop, size, &options);
    view.shows_frame(&desktop, size, &options);
    check(desktop.connection.destroy_window(view.window));
}
