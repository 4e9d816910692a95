//! The vertex table, by keys alone, and what it copies.

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{AtomEnum, ConnectionExt as _, CreateWindowAux, WindowClass},
    },
};

use super::desktop::{Desktop, KEY_DOWN, KEY_ESCAPE, KEY_F3, KEY_F6, KEY_F7, View, check, wait};

/// What the owner of the clipboard gives as text.
fn pasted(desktop: &Desktop) -> String {
    let connection = &desktop.connection;
    let atom = |name: &str| {
        let atom = connection.intern_atom(false, name.as_bytes()).expect("the server runs");
        atom.reply().expect("a name").atom
    };
    let window = connection.generate_id().expect("there are enough");
    let (class, own) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    check(connection.create_window(0, window, desktop.root, 0, 0, 1, 1, 0, class, 0, &own));
    let (clipboard, text, property) = (atom("CLIPBOARD"), atom("UTF8_STRING"), atom("REFRAST_TEST"));
    check(connection.convert_selection(window, clipboard, text, property, x11rb::CURRENT_TIME));
    let given = wait("an answer", || match connection.poll_for_event().expect("the server runs")? {
        Event::SelectionNotify(answer) if answer.requestor == window => Some(answer.property),
        _ => None,
    });
    assert_eq!(given, property, "there is text");
    let answer = connection.get_property(true, window, property, AtomEnum::ANY, 0, 1 << 24).expect("the server runs");
    String::from_utf8(answer.reply().expect("a property").value).expect("it is text")
}

#[test]
fn the_vertex_table_is_walked_copied_and_closed() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open_with(&desktop, [700, 450], &["--animation", "Flex", "--time", "0.5"]);
    desktop.key(KEY_F6);
    view.says(&desktop, " --table");
    desktop.key(KEY_DOWN);
    desktop.key(KEY_DOWN);
    view.says(&desktop, "--select ");
    desktop.key(KEY_F3);
    view.says(&desktop, "--fold settings");
    desktop.key(KEY_F7);
    let owner = || {
        let atom =
            desktop.connection.intern_atom(false, b"CLIPBOARD").expect("the server runs").reply().expect("a name");
        desktop.connection.get_selection_owner(atom.atom).expect("the server runs").reply().expect("an owner").owner
    };
    wait("somebody who has copied", || (owner() != x11rb::NONE).then_some(()));
    let csv = pasted(&desktop);
    assert!(csv.starts_with("node,primitive,vertex,rest_x,"), "{}", csv.lines().next().unwrap_or_default());
    assert!(csv.lines().count() > 10_000, "{} lines", csv.lines().count());
    desktop.key(KEY_ESCAPE);
    view.no_longer_says(&desktop, " --table");
    view.says(&desktop, "--select ");
    desktop.key(KEY_ESCAPE);
    view.no_longer_says(&desktop, "--select ");
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}
