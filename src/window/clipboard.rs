//! [`Clipboard`]: text for other programs, under X.
//!
//! Why it exists: minifb has no clipboard, and X keeps none: whoever has copied something is asked for it by whoever pastes
//! (ICCCM, section 2). So a window of our own that is never seen owns the selection, and a thread answers for it.

use std::{
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use x11rb::{
    connection::{Connection, RequestConnection},
    protocol::{
        Event,
        xproto::{
            Atom, AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT,
            SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

x11rb::atom_manager! {
    /// What the clipboard speaks of.
    Atoms: AtomsCookie {
        CLIPBOARD,
        TARGETS,
        UTF8_STRING,
        TEXT_CSV: b"text/csv",
        TEXT_PLAIN: b"text/plain;charset=utf-8",
    }
}

/// Bytes of a request beside the text that it carries.
const OVERHEAD: usize = 64;

/// Owns the selection `CLIPBOARD`.
pub(super) struct Clipboard(Arc<Owner>);

/// What both threads know.
struct Owner {
    connection: RustConnection,
    window: u32,
    atoms: Atoms,
    text: Mutex<String>,
}

impl Clipboard {
    /// Connects to the server that `DISPLAY` names; `None` where it does not let us.
    pub(super) fn new() -> Option<Self> {
        let owner = Arc::new(Owner::new().ok()?);
        let answering = Arc::clone(&owner);
        thread::spawn(move || {
            // Without a server there is nobody who asks.
            while let Ok(event) = answering.connection.wait_for_event() {
                if let Event::SelectionRequest(request) = event
                    && answering.answer(&request).is_err()
                {
                    return;
                }
            }
        });
        Some(Self(owner))
    }

    /// Takes the selection with this text; tells whether it could, which it can not with more than the server lets through at
    /// once.
    pub(super) fn set(&self, text: &str) -> bool {
        let owner = &self.0;
        if text.len() + OVERHEAD > owner.connection.maximum_request_bytes() {
            return false;
        }
        *owner.text.lock().unwrap_or_else(PoisonError::into_inner) = text.to_owned();
        owner.take().unwrap_or(false)
    }
}

impl Owner {
    fn new() -> Result<Self, Box<dyn Error>> {
        let (connection, screen) = RustConnection::connect(None)?;
        let atoms = Atoms::new(&connection)?.reply()?;
        let root = connection.setup().roots.get(screen).ok_or("no such screen")?.root;
        let window = connection.generate_id()?;
        let (class, own) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        connection.create_window(0, window, root, 0, 0, 1, 1, 0, class, 0, &own)?.check()?;
        Ok(Self { connection, window, atoms, text: Mutex::default() })
    }

    fn take(&self) -> Result<bool, Box<dyn Error>> {
        let selection = self.atoms.CLIPBOARD;
        self.connection.set_selection_owner(self.window, selection, x11rb::CURRENT_TIME)?.check()?;
        Ok(self.connection.get_selection_owner(selection)?.reply()?.owner == self.window)
    }

    /// Gives what is asked for, or says that it can not.
    fn answer(&self, request: &SelectionRequestEvent) -> Result<(), Box<dyn Error>> {
        let atoms = &self.atoms;
        let texts = [atoms.UTF8_STRING, atoms.TEXT_PLAIN, atoms.TEXT_CSV];
        // Clients of old name no property, and mean the target.
        let property = if request.property == x11rb::NONE { request.target } else { request.property };
        let (connection, requestor) = (&self.connection, request.requestor);
        let given = if request.target == atoms.TARGETS {
            let targets: Vec<Atom> = [&[atoms.TARGETS], &texts[..]].concat();
            connection.change_property32(PropMode::REPLACE, requestor, property, AtomEnum::ATOM, &targets)?;
            property
        } else if texts.contains(&request.target) {
            let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
            connection.change_property8(PropMode::REPLACE, requestor, property, request.target, text.as_bytes())?;
            property
        } else {
            x11rb::NONE
        };
        let notify = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor,
            selection: request.selection,
            target: request.target,
            property: given,
        };
        connection.send_event(false, requestor, EventMask::NO_EVENT, notify)?;
        Ok(connection.flush()?)
    }
}
