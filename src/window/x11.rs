//! A second connection to the X server, beside that of minifb: [`Listener`] and [`dots_per_inch`].
//!
//! Why it exists: minifb neither waits for events nor tells that a part of the window was uncovered, and X has no scale
//! factor to ask for. All this connection does is listen; it changes nothing.

use std::error::Error;

use minifb::{HasWindowHandle, Window};
use raw_window_handle::RawWindowHandle;
use x11rb::{
    connection::{Connection, RequestConnection},
    protocol::{
        Event,
        xinput::{self, ConnectionExt as _, Device, XIEventMask},
        xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask, Timestamp},
    },
    resource_manager,
    rust_connection::RustConnection,
};

use super::waker::{Ear, Heard};

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
        Ok(Self { connection, window, inside, pressed: None })
    }

    /// Puts into `ear` what it hears and calls `wake`, until the window or the server is gone.
    pub(super) fn run(mut self, ear: &Ear, wake: impl Fn()) {
        // Where the connection fails, Xlib notices the same at the next look, and has the last word.
        while let Ok(event) = self.connection.wait_for_event() {
            let mut heard = self.what(&event);
            // The end of a window comes behind other news of it.
            while let Ok(Some(event)) = self.connection.poll_for_event() {
                heard = heard.and(self.what(&event));
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

/// The resource `Xft.dpi`, on which desktops agree; `None` where there is none, or no server.
pub(super) fn dots_per_inch() -> Option<f32> {
    let (connection, _) = RustConnection::connect(None).ok()?;
    let resources = resource_manager::new_from_resource_manager(&connection).ok()??;
    resources.get_value("Xft.dpi", "").ok()?
}
