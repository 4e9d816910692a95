//! How many pictures a second the window shows, and what each costs.
//!
//! Why it is not run with the others: what it prints depends on the machine, which has to be at rest. By hand:
//! `cargo test --release --test window_display -- --ignored --nocapture orbit`.

use std::{
    thread,
    time::{Duration, Instant},
};

use x11rb::protocol::xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _};

use super::desktop::{Desktop, View, check, wait};

const SIZE: [i16; 2] = [2560, 1440];
/// What is looked at to see whether the picture is another one: a part of the belt.
const PATCH: [u16; 2] = [48, 24];
/// How often the pointer moves: as a mouse does.
const STEP: Duration = Duration::from_millis(4);

#[test]
#[ignore = "a measurement, which wants a machine at rest"]
fn orbit_around_the_character_that_walks() {
    let Some(desktop) = Desktop::of_size(SIZE) else { return };
    let looks = [
        ("with panels", &[][..]),
        ("without panels", &["--no-panels"]),
        ("with numbers and lines", &["--heat", "error", "--overlay", "wireframe,normals"]),
        ("with the table", &["--table", "--table-sort", "position_y"]),
    ];
    for (name, look) in looks {
        let view = View::open_with(&desktop, SIZE, &[&["--animation", "Walk", "--play"], look].concat());
        let [x, y] = view.middle;
        let belt = || desktop.colors([x - 24, y - 12], PATCH);
        desktop.press(BUTTON_PRESS_EVENT, 1, [0, 0]);
        thread::sleep(Duration::from_secs(1));
        let (start, before) = (Instant::now(), view.processor_seconds());
        let (mut pictures, mut shown) = (0u32, belt());
        for step in 0i16.. {
            if start.elapsed() > Duration::from_secs(8) {
                break;
            }
            desktop.move_to([x + step % 400, y]);
            let now = belt();
            if now != shown {
                (pictures, shown) = (pictures + 1, now);
            }
            thread::sleep(STEP);
        }
        let (seconds, after) = (start.elapsed().as_secs_f64(), view.processor_seconds());
        desktop.press(BUTTON_RELEASE_EVENT, 1, [0, 0]);
        assert!(pictures > 0, "nothing moved");
        let of_each = |place: usize| (after[place] - before[place]) * 1e3 / f64::from(pictures);
        let (rate, [user, system]) = (f64::from(pictures) / seconds, [0, 1].map(of_each));
        println!(
            "{name}: {rate:.1} pictures a second, each {user:.1} ms of processors and {system:.1} ms in the kernel"
        );
        check(desktop.connection.destroy_window(view.window));
        assert_eq!(view.end().0, Some(0));
        wait("an empty screen", || (desktop.color([x, y]) == [0; 3]).then_some(()));
    }
}
