//! [`run`]: the viewer in a window. Thin: it turns what the window system says into events and shows what comes back.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use minifb::{Window, WindowOptions};

#[cfg(all(unix, not(target_os = "macos")))]
use super::present::Presenter;
#[cfg(not(all(unix, not(target_os = "macos"))))]
use super::without_x::Presenter;
use super::{
    WindowError,
    devices::{Keyboard, Mouse, modifiers},
    diagnosis::Diagnostician,
    keys::Request,
    opened::{Opened, title_of},
    recent,
    saving::{copy, screenshot},
    state::State,
    viewer::{Input, Viewer},
    waker::{Heard, Waker},
};
use refrast_canvas::{Canvas, Patches};
use refrast_scene::Scene;

/// How often the window is asked for events while somebody works in it: a tap on a touchpad is down for less than two
/// hundredths of a second, and what happens between two looks is not seen.
const NEAR: Duration = Duration::from_millis(8);
/// And while nothing happens, where a [`Waker`] hears of all but one thing: the message that closes the window goes to
/// minifb alone.
const ASLEEP: Duration = Duration::from_millis(250);
/// Where there is a waker, what belongs together has come after so long.
const AFTER: Duration = Duration::from_millis(500);
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
    /// Something is new of the pixels.
    Picture,
    /// Another scene is shown.
    Title(String),
    /// The waker has heard something.
    Look,
    /// The drawing has ended.
    Quit,
}

/// What is new of the pixels, for both threads. A copy that was half made when a thread panicked is never shown: the window ends.
type Board = Arc<Mutex<Patches>>;

fn locked(board: &Board) -> MutexGuard<'_, Patches> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the window when the drawing ends, however it does: the waker keeps the channel open.
struct ToWindow(SyncSender<Message>, Board);

impl ToWindow {
    /// Hands on what was painted last; tells whether the window is still there.
    fn show(&self, viewer: &Viewer<'_>) -> bool {
        locked(&self.1).add(viewer.canvas(), viewer.painted());
        self.0.send(Message::Picture).is_ok()
    }
}

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
/// Pictures are made on another thread, so that no click is missed while one is made. The `diagnostician` says which mistake a
/// candidate's picture shows.
///
/// # Errors
///
/// Without a display, when the display is lost, or when the scene can not be prepared.
pub fn run(
    scene: &Scene,
    scene_name: &str,
    state: State,
    size: [u32; 2],
    diagnostician: Option<Diagnostician>,
) -> Result<(), WindowError> {
    let viewer = Viewer::new(scene, state)?.advised_by(diagnostician);
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
    let (waking, board) = (to_window.clone(), Board::default());
    let waker = Waker::listen(&window, move || {
        // Where another message waits, the window looks as soon.
        let _ = waking.try_send(Message::Look);
    });
    let ended = thread::scope(|scope| {
        let own = ToWindow(to_window, Arc::clone(&board));
        let drawing = scope.spawn(|| draw(viewer, scene_name, inputs, own));
        let ended = watch(&mut window, waker.as_ref(), to_viewer, messages, &board);
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
    board: &Board,
) -> Result<Ended, WindowError> {
    let typed = Rc::new(RefCell::new(Vec::new()));
    window.set_input_callback(Box::new(Keyboard(Rc::clone(&typed))));
    let (mut mouse, mut size) = (Mouse::default(), [0, 0]);
    let mut glass = Glass { presenter: Presenter::new(window), canvas: Canvas::default() };
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
            Ok(Message::Picture) => fresh = true,
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
        if fresh || stale {
            glass.show(window, &mut locked(board), stale)?;
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
    let diagnostician = viewer.advice.diagnostician().cloned();
    let mut next = draw_scene(viewer, scene_name, &inputs, &to_window, (start, None))?;
    while let Some(Opened { scene, name, state, input }) = next {
        let viewer = Viewer::new(&scene, state)?.advised_by(diagnostician.clone());
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
        // All of it on a thread of the pool: whoever calls it from outside waits to be woken after each of its many parts.
        let changed = rayon::scope(|_| -> Result<bool, WindowError> {
            let changed = viewer.update(input)?;
            if changed {
                viewer.draw();
            }
            Ok(changed)
        })?;
        if let Some(path) = viewer.take_chosen()
            && let Some(opened) = Opened::read(&path, &mut viewer, Input { size, ..Input::default() })
        {
            return Ok(Some(opened));
        }
        if changed && !to_window.show(&viewer) {
            return Ok(None);
        }
        for request in viewer.take_requests() {
            match request {
                Request::NextWorst | Request::Diagnose | Request::Step(_) | Request::Row(_) => {}
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

/// Where patches become what is seen: whole frames where that can be.
struct Glass {
    presenter: Option<Presenter>,
    /// Everything, where there is no presenter that keeps it.
    canvas: Canvas,
}

impl Glass {
    /// Shows what is new, and what was there before where it is `lost`.
    fn show(&mut self, window: &mut Window, patches: &mut Patches, lost: bool) -> Result<(), WindowError> {
        if let Some(presenter) = &mut self.presenter {
            if presenter.show(patches, lost).is_ok() {
                patches.shown();
                window.update();
                return Ok(());
            }
            // What is lost for one of them is lost for the other, which has words for it.
            self.presenter = None;
        }
        patches.put_into(&mut self.canvas);
        patches.shown();
        let canvas = &self.canvas;
        if canvas.pixels().is_empty() {
            window.update();
            return Ok(());
        }
        let shown = window.update_with_buffer(canvas.pixels(), canvas.width(), canvas.height());
        shown.map_err(|error| WindowError::Lost(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
