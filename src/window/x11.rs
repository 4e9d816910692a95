//! A second connection to the X server, beside that of minifb: [`Listener`], [`announce`] and [`dots_per_inch`].
//!
//! Why it exists: minifb neither waits for events nor tells that a part of the window was uncovered, it does not say whose the
//! window is nor takes what is dropped on it, and X has no scale factor to ask for.

use std::error::Error;

use minifb::{HasWindowHandle, Window};
use raw_window_handle::RawWindowHandle;
use x11rb::{
    connection::{Connection, RequestConnection},
    properties::WmSizeHints,
    protocol::{
        Event,
        xinput::{self, ConnectionExt as _, Device, XIEventMask},
        xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Timestamp},
    },
    resource_manager,
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{
    dropped::DropTarget,
    waker::{Ear, Heard},
};

/// The version of the X Input Extension from which on presses are told to everybody, also while a menu or a drag has the
/// pointer to itself (2.1).
const INPUT_VERSION: (u16, u16) = (2, 1);

/// Milliseconds: what is down for longer is seen by whoever looks as soon as it is pressed.
const QUICK: Timestamp = 50;

/// Listens to one window.
pub(super) struct Listener {
    connection: RustConnection,
    window: u32,
    /// Whether the pointer is over it.
    inside: bool,
    /// The button that was pressed there last, and when.
    pressed: Option<(u32, Timestamp)>,
    /// What is dropped on it; `None` where the server does not let us ask.
    target: Option<DropTarget>,
}

impl Listener {
    /// Connects to the server that `DISPLAY` names; `None` where it does not let us, or has an old input extension.
    pub(super) fn new(window: &Window) -> Option<Self> {
        let RawWindowHandle::Xlib(handle) = window.window_handle().ok()?.as_raw() else { return None };
        Self::select(u32::try_from(handle.window).ok()?).ok()
    }

    fn select(window: u32) -> Result<Self, Box<dyn Error>> {
        let (connection, screen) = RustConnection::connect(None)?;
        // Any number of clients may ask for these. What is pressed with the mouse only one may have of a window: minifb.
        let events = EventMask::POINTER_MOTION
            | EventMask::ENTER_WINDOW
            | EventMask::LEAVE_WINDOW
            | EventMask::KEY_PRESS
            | EventMask::KEY_RELEASE
            | EventMask::FOCUS_CHANGE
            | EventMask::EXPOSURE
            | EventMask::STRUCTURE_NOTIFY;
        let attributes = ChangeWindowAttributesAux::new().event_mask(events);
        connection.change_window_attributes(window, &attributes)?.check()?;
        // So we hear of every press on the screen.
        connection.extension_information(xinput::X11_EXTENSION_NAME)?.ok_or("no input extension")?;
        let version = connection.xinput_xi_query_version(INPUT_VERSION.0, INPUT_VERSION.1)?.reply()?;
        if (version.major_version, version.minor_version) < INPUT_VERSION {
            return Err("an old input extension".into());
        }
        let root = connection.setup().roots.get(screen).ok_or("no such screen")?.root;
        let buttons = XIEventMask::RAW_BUTTON_PRESS | XIEventMask::RAW_BUTTON_RELEASE;
        let masks = [xinput::EventMask { deviceid: Device::ALL_MASTER.into(), mask: vec![buttons] }];
        connection.xinput_xi_select_events(root, &masks)?.check()?;
        let pointer = connection.query_pointer(window)?.reply()?;
        let size = connection.get_geometry(window)?.reply()?;
        let is_within = |at: i16, side: u16| u16::try_from(at).is_ok_and(|at| at < side);
        let inside = is_within(pointer.win_x, size.width) && is_within(pointer.win_y, size.height);
        let target = DropTarget::new(&connection, root, window).ok();
        Ok(Self { connection, window, inside, pressed: None, target })
    }

    /// Puts into `ear` what it hears and calls `wake`, until the window or the server is gone.
    pub(super) fn run(mut self, ear: &Ear, wake: impl Fn()) {
        // Where the connection fails, Xlib notices the same at the next look, and has the last word.
        while let Ok(event) = self.connection.wait_for_event() {
            let mut heard = self.what(&event).and(self.dropped(&event, ear));
            // The end of a window comes behind other news of it.
            while let Ok(Some(event)) = self.connection.poll_for_event() {
                heard = heard.and(self.what(&event)).and(self.dropped(&event, ear));
            }
            ear.hear(heard);
            wake();
            if heard.contains(Heard::DESTROYED) {
                return;
            }
        }
        ear.hear(Heard::SOMETHING);
        wake();
    }

    /// Takes part in drag and drop.
    fn dropped(&mut self, event: &Event, ear: &Ear) -> Heard {
        let Some(target) = &mut self.target else { return Heard::default() };
        // Who drags may be gone: then there is nothing to answer.
        let files = match event {
            Event::ClientMessage(message) => {
                let _ = target.message(&self.connection, message);
                Vec::new()
            }
            Event::SelectionNotify(told) => target.files(&self.connection, told).unwrap_or_default(),
            _ => Vec::new(),
        };
        if files.is_empty() {
            return Heard::default();
        }
        ear.take_files(files);
        Heard::DROPPED
    }

    fn what(&mut self, event: &Event) -> Heard {
        match event {
            Event::Expose(_) => return Heard::EXPOSED,
            Event::DestroyNotify(event) if event.window == self.window => return Heard::DESTROYED,
            // Also when another window comes between, or another program takes the pointer.
            Event::EnterNotify(_) => self.inside = true,
            Event::LeaveNotify(_) => self.inside = false,
            Event::XinputRawButtonPress(event) => {
                self.pressed = Some((event.detail, event.time)).filter(|_| self.inside);
            }
            Event::XinputRawButtonRelease(event) => {
                let pressed = self.pressed.take();
                let quick = pressed.filter(|&(button, time)| {
                    button == event.detail && self.inside && event.time.wrapping_sub(time) < QUICK
                });
                return quick.and_then(|(button, _)| Heard::click(button)).unwrap_or(Heard::SOMETHING);
            }
            _ => {}
        }
        Heard::SOMETHING
    }
}

x11rb::atom_manager! {
    /// What a desktop asks of a window.
    Atoms: AtomsCookie {
        _NET_WM_PID,
        _NET_WM_ICON,
    }
}

/// Pixels a side of the icon.
const ICON: u32 = 48;

/// Tells the desktop whose the window is, what it looks like and how small it may be.
///
/// ICCCM 4.1.2.3 and 4.1.2.5; Extended Window Manager Hints 1.5, `_NET_WM_PID` and `_NET_WM_ICON`.
pub(super) fn announce(window: &Window, least: [u32; 2]) -> Result<(), Box<dyn Error>> {
    let handle = window.window_handle().map_err(|error| error.to_string())?;
    let RawWindowHandle::Xlib(handle) = handle.as_raw() else { return Ok(()) };
    let window = u32::try_from(handle.window)?;
    let (connection, _) = RustConnection::connect(None)?;
    let atoms = Atoms::new(&connection)?.reply()?;
    let text = AtomEnum::STRING;
    connection.change_property8(PropMode::REPLACE, window, AtomEnum::WM_CLASS, text, b"refrast\0Refrast\0")?;
    // A process has a meaning together with its machine only.
    if let Ok(machine) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        let machine = machine.trim().as_bytes();
        connection.change_property8(PropMode::REPLACE, window, AtomEnum::WM_CLIENT_MACHINE, text, machine)?;
        let process = [std::process::id()];
        connection.change_property32(PropMode::REPLACE, window, atoms._NET_WM_PID, AtomEnum::CARDINAL, &process)?;
    }
    connection.change_property32(PropMode::REPLACE, window, atoms._NET_WM_ICON, AtomEnum::CARDINAL, &icon())?;
    let [width, height] = least.map(|side| side as i32);
    let hints = WmSizeHints { min_size: Some((width, height)), ..WmSizeHints::new() };
    hints.set_normal_hints(&connection, window)?.check()?;
    Ok(connection.flush()?)
}

/// Width, height and A R G B pixels: a triangle between red, green and blue, as every rasteriser begins.
fn icon() -> Vec<u32> {
    let mut icon = vec![ICON, ICON];
    for (y, x) in (0..ICON).flat_map(|y| (0..ICON).map(move |x| (y, x))) {
        let [x, y] = [x, y].map(|place| (place as f32 + 0.5) / ICON as f32);
        // Barycentric: the top is in the middle above, the other two are below.
        let top = (0.95 - y) / 0.9;
        let right = (x - 0.5) / 0.94 + 0.5 - 0.5 * top;
        let weights = [top, 1.0 - top - right, right];
        let inside = weights.iter().all(|weight| *weight >= 0.0);
        let [red, green, blue] = weights.map(|weight| (weight.max(0.0) * 255.0) as u8);
        icon.push(if inside { u32::from_be_bytes([255, red, green, blue]) } else { 0 });
    }
    icon
}

/// The resource `Xft.dpi`, on which desktops agree; `None` where there is none, or no server.
pub(super) fn dots_per_inch() -> Option<f32> {
    let (connection, _) = RustConnection::connect(None).ok()?;
    let resources = resource_manager::new_from_resource_manager(&connection).ok()??;
    resources.get_value("Xft.dpi", "").ok()?
}
