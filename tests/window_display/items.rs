//! What there is in the window, one after the other, with the mouse and the keys.

use std::{thread, time::Duration};

use super::desktop::{Desktop, KEY_ENTER, KEY_F2, KEY_F12, View, check, wait};
use x11rb::protocol::xproto::ConnectionExt as _;

/// A window with all panels and the vertex table.
const SIZE: [i16; 2] = [780, 560];

/// Where a place of the window is on the screen. Places are looked up in a screenshot of this size.
type Places = dyn Fn(i16, i16) -> [i16; 2];

/// Opens the window, has somebody work in it, and closes it.
fn in_window(options: &[&str], work: impl FnOnce(&Desktop, &View, &Places)) {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open_with(&desktop, SIZE, &[&["--animation", "Flex", "--time", "0.5"], options].concat());
    let [left, top] = desktop.place(view.window);
    work(&desktop, &view, &move |x, y| [left + x, top + y]);
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}

/// Letters as they are typed.
fn type_text(desktop: &Desktop, text: &str) {
    // Small letters and digits are their own symbols.
    text.bytes().for_each(|letter| desktop.key(u32::from(letter)));
}

#[test]
fn panels_are_dragged_folded_and_scrolled() {
    in_window(&[], |desktop, view, at| {
        let settings = || desktop.colors(at(0, 0), [190, 300]);
        let before = desktop.resting_colors(at(0, 0), [190, 300]);
        desktop.move_to(at(60, 250));
        desktop.wheel(false);
        wait("other settings in view", || (settings() != before).then_some(()));
        desktop.wheel(true);
        wait("the first settings again", || (settings() == before).then_some(()));
        // Narrower than what is asked for, as the window is: 250 and 340 of 540.
        desktop.drag(1, at(228, 150), [-40, 0]);
        view.says(desktop, "--panel-widths 188,311");
        desktop.click_at(at(172, 10));
        view.says(desktop, "--fold settings");
        desktop.click_at(at(10, 200));
        view.no_longer_says(desktop, "--fold");
    });
}

#[test]
fn the_panels_of_a_program_are_dragged_and_folded() {
    // The picture keeps 340 points: there is room for both.
    let program = ["--skinning", "program:bone_offset_4", "--program-widths", "300,fit"];
    let Some(desktop) = Desktop::of_size([1100, 600]) else { return };
    let view = View::open_with(&desktop, [1060, 560], &program);
    let [left, top] = desktop.place(view.window);
    desktop.drag(1, [left + 300, top + 250], [30, 0]);
    view.says(&desktop, "--program-widths 330,fit");
    // The registers have 356 points of the 1060.
    desktop.drag(1, [left + 704, top + 250], [-24, 0]);
    view.says(&desktop, "--program-widths 330,380");
    desktop.click_at([left + 322, top + 10]);
    view.says(&desktop, "--fold settings");
    desktop.click_at([left + 10, top + 250]);
    view.no_longer_says(&desktop, "--fold");
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn the_picture_is_turned_shifted_and_brought_nearer() {
    in_window(&["--no-panels"], |desktop, view, _| {
        desktop.drag(1, view.middle, [60, 20]);
        view.says(desktop, "--camera orbit:");
        desktop.drag(3, view.middle, [30, 0]);
        view.says(desktop, "--target ");
        let shown = desktop.color(view.middle);
        (0..8).for_each(|_| desktop.wheel(true));
        wait("a nearer picture", || (desktop.color(view.middle) != shown).then_some(()));
        desktop.key(u32::from(b'f'));
        view.no_longer_says(desktop, "--target ");
    });
}

#[test]
fn the_transport_bar_plays_steps_and_stands_still() {
    in_window(&[], |desktop, view, at| {
        // The edges of the buttons, and the button beside the one whose word changes.
        let others = || [desktop.colors(at(120, 534), [60, 22]), desktop.colors(at(240, 534), [58, 22])];
        desktop.move_to(at(400, 200));
        // Whoever has printed has seen the pointer go.
        view.says(desktop, "--time 0.5");
        desktop.resting_colors(at(0, 530), [300, 28]);
        let before = others();
        desktop.click_at(at(212, 545));
        view.says(desktop, " --play");
        desktop.move_to(at(400, 200));
        wait("buttons at rest", || (others() == before).then_some(()));
        desktop.click_at(at(212, 545));
        view.no_longer_says(desktop, " --play");
        desktop.drag(1, at(400, 545), [60, 0]);
        // It goes where the pointer is: 4 seconds over some 180 points from 310 on.
        view.says(desktop, "--time 3.");
        // Fifteen frames back are half a second.
        (0..15).for_each(|_| desktop.click_at(at(170, 545)));
        view.says(desktop, "--time 2.");
    });
}

#[test]
fn a_rest_over_a_control_says_what_it_does() {
    in_window(&[], |desktop, _, at| {
        let before = desktop.resting_colors(at(180, 490), [200, 40]);
        desktop.move_to(at(212, 545));
        // Hovering alone changes the button; the words stand above it.
        let above = || desktop.colors(at(180, 490), [200, 40]);
        wait("a tooltip", || (above() != before).then_some(()));
        desktop.move_to(at(400, 200));
        wait("it goes again", || (above() == before).then_some(()));
    });
}

#[test]
fn rows_of_the_table_are_ordered_and_filtered() {
    in_window(&["--table"], |desktop, view, at| {
        desktop.click_at(at(190, 367));
        view.says(desktop, "--table-sort rest_y");
        desktop.click_at(at(190, 367));
        view.says(desktop, "--table-sort rest_y:down");
        desktop.click_at(at(560, 332));
        thread::sleep(Duration::from_millis(200));
        type_text(desktop, "forearm");
        desktop.key(KEY_ENTER);
        view.says(desktop, "--table-filter forearm");
        desktop.click_at(at(190, 420));
        view.says(desktop, "--select ");
    });
}

#[test]
fn heat_maps_overlays_and_screenshots_are_a_key_away() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    desktop.key(u32::from(b'h'));
    view.says(&desktop, "--heat ");
    desktop.shifted(u32::from(b'h'));
    view.says(&desktop, "--heat-range ");
    for (letter, overlay) in [(b'g', "grid"), (b'x', "gizmo"), (b'l', "light")] {
        desktop.shifted(u32::from(letter));
        view.says(&desktop, overlay);
    }
    desktop.key(KEY_F12);
    let written = desktop.state_home().join("refrast-view-1.png");
    wait("a screenshot", || written.exists().then_some(()));
    // Both are confirmed over the picture, by the same line.
    let line = || desktop.colors([view.middle[0] - 150, view.middle[1] - 110], [300, 40]);
    let shown = line();
    wait("the line goes", || (line() != shown).then_some(()));
    desktop.key(KEY_F2);
    view.says(&desktop, "refrast view mannequin");
    check(desktop.connection.destroy_window(view.window));
    let (code, said) = view.end();
    assert_eq!((code, said.as_str()), (Some(0), "the window is written to refrast-view-1.png\n"));
    let picture = refrast::golden::Picture::read(&written).expect("a picture");
    assert_eq!(picture.size(), (320, 240));
}
