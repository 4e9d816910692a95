//! [`run`]: the viewer in a window. Thin: it turns what the window system says into events and shows what comes back.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    thread,
    time::{Duration, Instant},
};

use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2};
use minifb::{InputCallback, MouseButton, MouseMode, Window, WindowOptions};

#[cfg(all(unix, not(target_os = "macos")))]
use super::present::Presenter;
#[cfg(not(all(unix, not(target_os = "macos"))))]
use super::without_x::Presenter;
use super::{
    WindowError,
    canvas::Canvas,
    keys::Request,
    opened::{Opened, title_of},
    recent,
    saving::{copy, screenshot},
    state::State,
    viewer::{Input, Viewer},
    waker::{Heard, Waker},
};
use refrast_scene::Scene;

/// How often the window is asked for events while somebody works in it: a tap on a touchpad is down for less than two
/// hundredths of a second, and what happens between two looks is not seen.
const NEAR: Duration = Duration::from_millis(8);
/// And while nothing happens, where a [`Waker`] hears of all but one thing: the message that closes the window goes to
/// minifb alone.
const ASLEEP: Duration = Duration::from_millis(250);
/// Where there is a waker, what belongs together has come after so long.
const AFTER: Duration = Duration::from_millis(500);
/// A button that was seen down so long ago is not the one that was heard of.
const SEEN: Duration = Duration::from_millis(100);
/// Without one: how often the window is asked while the pointer is elsewhere, or rests.
const FAR: Duration = Duration::from_millis(50);
/// Who has moved or pressed nothing for so long is reading.
const REST: Duration = Duration::from_secs(10);
/// What was behind another window has to be shown again, and without a waker nobody says so.
const REFRESH: Duration = Duration::from_secs(1);

/// Pixels of the smallest window in which panels and picture can be told apart.
#[cfg(all(unix, not(target_os = "macos")))]
const LEAST_SIZE: [u32; 2] = [480, 320];

/// What the window waits for.
enum Message {
    Picture(Canvas),
    /// Another scene is shown.
    Title(String),
    /// The waker has heard something.
    Look,
    /// The drawing has ended.
    Quit,
}

/// Tells the window when the drawing ends, however it does: the waker keeps the channel open.
struct ToWindow(SyncSender<Message>);

impl Drop for ToWindow {
    fn drop(&mut self) {
        // The window may be gone already.
        let _ = self.0.send(Message::Quit);
    }
}

/// How the watch over a window ended.
enum Ended {
    /// It was closed, or is to be.
    Closed,
    /// Another program destroyed it.
    Destroyed,
}

/// Opens a window of `size` pixels and shows a scene until it is closed.
///
/// `scene_name` is what the scene was opened by. Screenshots go to `refrast-view-N.png` in the current folder.
///
/// Pictures are made on another thread, so that no click is missed while one is made.
///
/// # Errors
///
/// Without a display, when the display is lost, or when the scene can not be prepared.
pub fn run(scene: &Scene, scene_name: &str, state: State, size: [u32; 2]) -> Result<(), WindowError> {
    let viewer = Viewer::new(scene, state)?;
    let options = WindowOptions { resize: true, ..WindowOptions::default() };
    let title = title_of(scene_name);
    let [width, height] = size.map(|side| side as usize);
    let mut window =
        Window::new(&title, width, height, options).map_err(|error| WindowError::NoDisplay(error.to_string()))?;
    #[cfg(all(unix, not(target_os = "macos")))]
    if let Err(error) = super::x11::announce(&window, LEAST_SIZE) {
        // It works all the same.
        eprintln!("the desktop does not learn whose the window is: {error}");
    }
    // The loop below has a clock of its own.
    window.set_target_fps(0);
    let (to_viewer, inputs) = mpsc::channel();
    // One picture waits: what the window does not take is not made.
    let (to_window, messages) = mpsc::sync_channel(1);
    let waking = to_window.clone();
    let waker = Waker::listen(&window, move || {
        // Where another message waits, the window looks as soon.
        let _ = waking.try_send(Message::Look);
    });
    let ended = thread::scope(|scope| {
        let drawing = scope.spawn(|| draw(viewer, scene_name, inputs, ToWindow(to_window)));
        let ended = watch(&mut window, waker.as_ref(), to_viewer, messages);
        // The channels are closed now, so that the thread ends.
        outcome(drawing.join()).and(ended)
    });
    if matches!(ended, Ok(Ended::Destroyed)) {
        // To destroy it again would be an error, by which Xlib ends the process.
        std::mem::forget(window);
    }
    ended.map(|_| ())
}

/// How the drawing ended; a thread that panicked has failed like any other.
fn outcome(drawing: thread::Result<Result<(), WindowError>>) -> Result<(), WindowError> {
    drawing.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(WindowError::Defect(text.unwrap_or_else(|| "it does not say why".to_owned())))
    })
}

/// Passes on what happens in the window, and shows the pictures that come back.
fn watch(
    window: &mut Window,
    waker: Option<&Waker>,
    to_viewer: Sender<Input>,
    messages: Receiver<Message>,
) -> Result<Ended, WindowError> {
    let typed = Rc::new(RefCell::new(Vec::new()));
    window.set_input_callback(Box::new(Keyboard(Rc::clone(&typed))));
    let (mut mouse, mut size, mut canvas) = (Mouse::default(), [0, 0], Canvas::default());
    let mut presenter = Presenter::new(window);
    let (mut shown, mut busy, mut heard) = (Instant::now(), Instant::now(), Heard::default());
    while window.is_open() {
        let modifiers = modifiers(window);
        let mut events = mouse.events(window, modifiers, heard);
        events.extend(typed.borrow_mut().drain(..).map(|typed| typed.event(modifiers)));
        let (width, height) = window.get_size();
        let own = [width as u32, height as u32];
        let files = match waker.filter(|_| heard.contains(Heard::DROPPED)) {
            Some(waker) => waker.dropped(),
            None => Vec::new(),
        };
        if !events.is_empty() || !files.is_empty() || own != size {
            (size, busy) = (own, Instant::now());
            // The other end is closed when it has failed; its error is told in the end.
            let input = Input { size, events, modifiers, files, ..Input::default() };
            if to_viewer.send(input).is_err() {
                return Ok(Ended::Closed);
            }
        }
        let waker = waker.filter(|waker| waker.is_listening());
        let wait = match waker {
            // While a button is down, minifb alone is told of movements.
            Some(_) if mouse.is_down() || busy.elapsed() < AFTER => NEAR,
            Some(_) => ASLEEP,
            None if mouse.is_inside(size) && busy.elapsed() < REST => NEAR,
            None => FAR,
        };
        let mut fresh = false;
        match messages.recv_timeout(wait) {
            Ok(Message::Quit) | Err(RecvTimeoutError::Disconnected) => return Ok(Ended::Closed),
            Ok(Message::Picture(picture)) => (canvas, fresh) = (picture, true),
            Ok(Message::Title(title)) => window.set_title(&title),
            Ok(Message::Look) | Err(RecvTimeoutError::Timeout) => {}
        }
        heard = waker.map(Waker::take).unwrap_or_default();
        if heard.contains(Heard::DESTROYED) {
            return Ok(Ended::Destroyed);
        }
        if heard.contains(Heard::SOMETHING) {
            busy = Instant::now();
        }
        let stale = heard.contains(Heard::EXPOSED) || (waker.is_none() && shown.elapsed() > REFRESH);
        if fresh || (stale && !canvas.pixels().is_empty()) {
            show(window, &mut presenter, &canvas)?;
            shown = Instant::now();
        } else {
            window.update();
        }
    }
    Ok(Ended::Closed)
}

/// Shows a scene, and then those that are dropped on the window.
fn draw(viewer: Viewer<'_>, scene_name: &str, inputs: Receiver<Input>, to_window: ToWindow) -> Result<(), WindowError> {
    let start = Instant::now();
    let mut next = draw_scene(viewer, scene_name, &inputs, &to_window, (start, None))?;
    while let Some(Opened { scene, name, state, input }) = next {
        let viewer = Viewer::new(&scene, state)?;
        // The title first, so that it is there with the picture.
        if to_window.0.send(Message::Title(title_of(&name))).is_err() {
            return Ok(());
        }
        next = draw_scene(viewer, &name, &inputs, &to_window, (start, Some(input)))?;
    }
    Ok(())
}

/// Updates the viewer by what happens, and sends its pictures; gives the scene that was dropped on the window.
fn draw_scene(
    mut viewer: Viewer<'_>,
    scene_name: &str,
    inputs: &Receiver<Input>,
    to_window: &ToWindow,
    (start, mut first): (Instant, Option<Input>),
) -> Result<Option<Opened>, WindowError> {
    let (mut clipboard, mut size) = (None, [0, 0]);
    viewer.offer(recent::remember(scene_name));
    loop {
        let now = start.elapsed().as_secs_f64();
        let came = match (first.take(), viewer.wake()) {
            (Some(input), _) => Ok(input),
            (None, Some(wake)) => inputs.recv_timeout(Duration::from_secs_f64((wake - now).max(0.0))),
            (None, None) => inputs.recv().map_err(RecvTimeoutError::from),
        };
        let mut input = match came {
            Ok(input) => input,
            Err(RecvTimeoutError::Timeout) => Input { size, ..Input::default() },
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        };
        // What came while the last picture was made is taken together.
        for more in inputs.try_iter() {
            (input.size, input.modifiers) = (more.size, more.modifiers);
            input.events.extend(more.events);
            input.files.extend(more.files);
        }
        (input.seconds, size) = (start.elapsed().as_secs_f64(), input.size);
        if let Some(opened) = Opened::dropped(&mut viewer, &mut input) {
            return Ok(Some(opened));
        }
        let changed = viewer.update(input)?;
        if let Some(path) = viewer.take_chosen()
            && let Some(opened) = Opened::read(&path, &mut viewer, Input { size, ..Input::default() })
        {
            return Ok(Some(opened));
        }
        if changed && to_window.0.send(Message::Picture(viewer.draw().clone())).is_err() {
            return Ok(None);
        }
        for request in viewer.take_requests() {
            match request {
                Request::NextWorst | Request::Step(_) | Request::Row(_) => {}
                Request::Quit => return Ok(None),
                Request::PrintCommandLine => {
                    let line = viewer.command_line(scene_name);
                    println!("{line}");
                    viewer.notify(format!("printed: {line}"));
                }
                Request::Screenshot => {
                    let said = screenshot(&viewer);
                    viewer.notify(said);
                }
                Request::CopyTable => {
                    let said = viewer.table_csv().map(|csv| copy(&mut clipboard, csv));
                    viewer.notify(said.unwrap_or_else(|| "there is no vertex table to copy: F6 shows it".to_owned()));
                }
            }
        }
    }
}

/// Shows a picture, as a whole where that can be.
fn show(window: &mut Window, presenter: &mut Option<Presenter>, canvas: &Canvas) -> Result<(), WindowError> {
    if presenter.as_mut().is_some_and(|presenter| presenter.show(canvas).is_ok()) {
        window.update();
        return Ok(());
    }
    // What is lost for one of them is lost for the other, which has words for it.
    *presenter = None;
    let shown = window.update_with_buffer(canvas.pixels(), canvas.width(), canvas.height());
    shown.map_err(|error| WindowError::Lost(error.to_string()))
}

fn modifiers(window: &Window) -> Modifiers {
    let down = |keys: [minifb::Key; 2]| keys.iter().any(|&key| window.is_key_down(key));
    let ctrl = down([minifb::Key::LeftCtrl, minifb::Key::RightCtrl]);
    Modifiers {
        alt: down([minifb::Key::LeftAlt, minifb::Key::RightAlt]),
        ctrl,
        shift: down([minifb::Key::LeftShift, minifb::Key::RightShift]),
        mac_cmd: false,
        command: ctrl,
    }
}

/// Keys as they go down and up, in order: asking for their state would miss the quick ones.
struct Keyboard(Rc<RefCell<Vec<Typed>>>);

/// What came from the keyboard: a key that went down or up, or a letter for a field that is typed into.
enum Typed {
    Key(Key, bool),
    Letter(char),
}

impl Typed {
    fn event(self, modifiers: Modifiers) -> Event {
        match self {
            Self::Key(key, pressed) => Event::Key { key, physical_key: None, pressed, repeat: false, modifiers },
            Self::Letter(letter) => Event::Text(letter.to_string()),
        }
    }
}

impl InputCallback for Keyboard {
    fn add_char(&mut self, letter: u32) {
        let letter = char::from_u32(letter).filter(|letter| !letter.is_control());
        self.0.borrow_mut().extend(letter.map(Typed::Letter));
    }

    fn set_key_state(&mut self, key: minifb::Key, down: bool) {
        self.0.borrow_mut().extend(key_name(key).map(|key| Typed::Key(key, down)));
    }
}

/// Where the mouse was at the last look.
#[derive(Default)]
struct Mouse {
    at: Option<Pos2>,
    buttons: [Button; 3],
}

/// A mouse button.
#[derive(Default)]
struct Button {
    down: bool,
    /// When it was seen down last.
    seen: Option<Instant>,
}

impl Mouse {
    fn is_inside(&self, [width, height]: [u32; 2]) -> bool {
        self.at.is_some_and(|at| (0.0..width as f32).contains(&at.x) && (0.0..height as f32).contains(&at.y))
    }

    fn is_down(&self) -> bool {
        self.buttons.iter().any(|button| button.down)
    }

    fn events(&mut self, window: &Window, modifiers: Modifiers, heard: Heard) -> Vec<Event> {
        let mut events = Vec::new();
        let at = window.get_unscaled_mouse_pos(MouseMode::Pass).map(|(x, y)| Pos2::new(x, y));
        if at != self.at {
            self.at = at;
            events.extend(at.map(Event::PointerMoved));
        }
        let pos = at.unwrap_or_default();
        let buttons = [
            (MouseButton::Left, PointerButton::Primary, 1),
            (MouseButton::Right, PointerButton::Secondary, 3),
            (MouseButton::Middle, PointerButton::Middle, 2),
        ];
        for ((native, button, number), own) in buttons.into_iter().zip(&mut self.buttons) {
            let clicked = Heard::click(number).is_some_and(|click| heard.contains(click));
            let changes = own.changes(window.get_mouse_down(native), clicked);
            events.extend(changes.iter().map(|&pressed| Event::PointerButton { pos, button, pressed, modifiers }));
        }
        if let Some((x, y)) = window.get_scroll_wheel() {
            events.push(Event::MouseWheel { unit: MouseWheelUnit::Line, delta: egui::vec2(x, y), modifiers });
        }
        events
    }
}

impl Button {
    /// How it changed since the last look: `down` is what is seen of it now, and it may have been heard to go down and up.
    fn changes(&mut self, down: bool, clicked: bool) -> &'static [bool] {
        let changed = down != self.down;
        let missed = clicked && !changed && !down && self.seen.is_none_or(|seen| seen.elapsed() > SEEN);
        self.down = down;
        if down {
            self.seen = Some(Instant::now());
        }
        match (changed, down) {
            (true, true) => &[true],
            (true, false) => &[false],
            (false, _) if missed => &[true, false],
            (false, _) => &[],
        }
    }
}

/// The keys that something listens to, by both of their names.
const KEYS: &[(minifb::Key, Key)] = &[
    (minifb::Key::A, Key::A),
    (minifb::Key::B, Key::B),
    (minifb::Key::C, Key::C),
    (minifb::Key::D, Key::D),
    (minifb::Key::E, Key::E),
    (minifb::Key::F, Key::F),
    (minifb::Key::G, Key::G),
    (minifb::Key::H, Key::H),
    (minifb::Key::I, Key::I),
    (minifb::Key::J, Key::J),
    (minifb::Key::K, Key::K),
    (minifb::Key::L, Key::L),
    (minifb::Key::M, Key::M),
    (minifb::Key::N, Key::N),
    (minifb::Key::O, Key::O),
    (minifb::Key::P, Key::P),
    (minifb::Key::Q, Key::Q),
    (minifb::Key::R, Key::R),
    (minifb::Key::S, Key::S),
    (minifb::Key::T, Key::T),
    (minifb::Key::U, Key::U),
    (minifb::Key::V, Key::V),
    (minifb::Key::W, Key::W),
    (minifb::Key::X, Key::X),
    (minifb::Key::Y, Key::Y),
    (minifb::Key::Z, Key::Z),
    (minifb::Key::F1, Key::F1),
    (minifb::Key::F2, Key::F2),
    (minifb::Key::F3, Key::F3),
    (minifb::Key::F4, Key::F4),
    (minifb::Key::F5, Key::F5),
    (minifb::Key::F6, Key::F6),
    (minifb::Key::F7, Key::F7),
    (minifb::Key::F9, Key::F9),
    (minifb::Key::F10, Key::F10),
    (minifb::Key::F12, Key::F12),
    (minifb::Key::Backspace, Key::Backspace),
    (minifb::Key::Delete, Key::Delete),
    (minifb::Key::Enter, Key::Enter),
    (minifb::Key::NumPadEnter, Key::Enter),
    (minifb::Key::Left, Key::ArrowLeft),
    (minifb::Key::Right, Key::ArrowRight),
    (minifb::Key::Up, Key::ArrowUp),
    (minifb::Key::Down, Key::ArrowDown),
    (minifb::Key::Comma, Key::Comma),
    (minifb::Key::Period, Key::Period),
    (minifb::Key::Slash, Key::Slash),
    (minifb::Key::Minus, Key::Minus),
    (minifb::Key::NumPadMinus, Key::Minus),
    (minifb::Key::Equal, Key::Plus),
    (minifb::Key::NumPadPlus, Key::Plus),
    (minifb::Key::LeftBracket, Key::OpenBracket),
    (minifb::Key::RightBracket, Key::CloseBracket),
    (minifb::Key::End, Key::End),
    (minifb::Key::Home, Key::Home),
    (minifb::Key::Escape, Key::Escape),
    (minifb::Key::Space, Key::Space),
    (minifb::Key::Tab, Key::Tab),
    (minifb::Key::Key1, Key::Num1),
    (minifb::Key::NumPad1, Key::Num1),
    (minifb::Key::Key2, Key::Num2),
    (minifb::Key::NumPad2, Key::Num2),
];

fn key_name(native: minifb::Key) -> Option<Key> {
    KEYS.iter().find(|(own, _)| *own == native).map(|&(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::GROUPS;

    #[test]
    fn a_quick_click_counts_once() {
        let mut button = Button::default();
        // Down and up between two looks, as a listener heard it.
        assert_eq!(button.changes(false, true), [true, false]);
        assert!(button.changes(false, false).is_empty());
        // Seen down, and heard of later.
        assert_eq!(button.changes(true, false), [true]);
        assert_eq!(button.changes(false, false), [false]);
        assert!(button.changes(false, true).is_empty());
    }

    #[test]
    fn a_panic_of_the_drawing_is_an_error() {
        let ended =
            |work: fn() -> Result<(), WindowError>| outcome(thread::spawn(work).join()).map_err(|e| e.to_string());
        assert_eq!(ended(|| Ok(())), Ok(()));
        let said = ended(|| panic!("a plain text")).expect_err("it panicked");
        assert!(said.contains("defect") && said.contains("a plain text"), "{said}");
        let said = ended(|| panic!("number {}", std::hint::black_box(7))).expect_err("it panicked");
        assert!(said.contains("number 7"), "{said}");
        assert_eq!(
            ended(|| Err(WindowError::Lost("gone".to_owned()))).map_err(|said| said.contains("gone")),
            Err(true)
        );
    }

    #[test]
    fn every_key_of_the_help_can_be_pressed() {
        for binding in GROUPS.iter().flat_map(|group| group.bindings) {
            // On most keyboards the question mark is Shift and the slash.
            let key = if binding.key == Key::Questionmark { Key::Slash } else { binding.key };
            assert!(KEYS.iter().any(|&(_, known)| known == key), "{} can not be pressed", binding.label);
        }
    }
}
