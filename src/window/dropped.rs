//! [`DropTarget`]: files that are dropped on the window.
//!
//! Why it exists: minifb does not take part in drag and drop. By the protocol (XDND, version 5) a window may name another one that
//! is spoken to in its place, and so a window of ours that is never seen answers for minifb's.

use std::{error::Error, path::PathBuf};

use x11rb::{
    connection::Connection,
    protocol::xproto::{
        Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
        SelectionNotifyEvent, Window, WindowClass,
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

x11rb::atom_manager! {
    /// The words of the protocol.
    Atoms: AtomsCookie {
        XdndActionCopy,
        XdndAware,
        XdndDrop,
        XdndEnter,
        XdndFinished,
        XdndLeave,
        XdndPosition,
        XdndProxy,
        XdndSelection,
        XdndStatus,
        XdndTypeList,
        URI_LIST: b"text/uri-list",
    }
}

/// The version that is spoken.
const VERSION: u32 = 5;
/// Words of 32 bits of a list of files that are read.
const LONGEST_LIST: u32 = 1 << 16;

/// Answers who drags something over a window.
pub(super) struct DropTarget {
    atoms: Atoms,
    /// The window that files are dropped on.
    window: Window,
    /// The one that is spoken to.
    proxy: Window,
    /// Who drags, and whether it has files.
    source: Option<(Window, bool)>,
}

impl DropTarget {
    pub(super) fn new(connection: &RustConnection, root: Window, window: Window) -> Result<Self, Box<dyn Error>> {
        let atoms = Atoms::new(connection)?.reply()?;
        let proxy = connection.generate_id()?;
        let (class, own) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        connection.create_window(0, proxy, root, 0, 0, 1, 1, 0, class, 0, &own)?.check()?;
        // The proxy names itself, so that one which is left over from a program that ended is not taken for it.
        for one in [proxy, window] {
            connection.change_property32(PropMode::REPLACE, one, atoms.XdndProxy, AtomEnum::WINDOW, &[proxy])?;
            connection
                .change_property32(PropMode::REPLACE, one, atoms.XdndAware, AtomEnum::ATOM, &[VERSION])?
                .check()?;
        }
        Ok(Self { atoms, window, proxy, source: None })
    }

    /// Takes a message of who drags.
    pub(super) fn message(
        &mut self,
        connection: &RustConnection,
        message: &ClientMessageEvent,
    ) -> Result<(), Box<dyn Error>> {
        let atoms = &self.atoms;
        if message.format != 32 {
            return Ok(());
        }
        let data = message.data.as_data32();
        let source = data[0];
        if message.type_ == atoms.XdndEnter {
            let offers = match data[1] & 1 {
                0 => data[2..].to_vec(),
                _ => {
                    let list =
                        connection.get_property(false, source, atoms.XdndTypeList, AtomEnum::ATOM, 0, 1 << 10)?;
                    list.reply()?.value32().map(Iterator::collect).unwrap_or_default()
                }
            };
            self.source = Some((source, offers.contains(&atoms.URI_LIST)));
        } else if message.type_ == atoms.XdndLeave {
            self.source = None;
        } else if message.type_ == atoms.XdndPosition {
            let accepted = self.source == Some((source, true));
            // 2: tell of every movement, there is no place where the answer stays the same.
            let answer = [self.window, u32::from(accepted) | 2, 0, 0, if accepted { atoms.XdndActionCopy } else { 0 }];
            self.send(connection, source, atoms.XdndStatus, answer)?;
        } else if message.type_ == atoms.XdndDrop {
            if self.source == Some((source, true)) {
                let (selection, list, time) = (atoms.XdndSelection, atoms.URI_LIST, data[2]);
                connection.convert_selection(self.proxy, selection, list, selection, time)?;
                connection.flush()?;
            } else {
                self.finish(connection, false)?;
            }
        }
        Ok(())
    }

    /// The files that were dropped, as soon as they are told.
    pub(super) fn files(
        &mut self,
        connection: &RustConnection,
        told: &SelectionNotifyEvent,
    ) -> Result<Vec<PathBuf>, Box<dyn Error>> {
        if told.requestor != self.proxy || told.property == x11rb::NONE {
            self.finish(connection, false)?;
            return Ok(Vec::new());
        }
        let list = connection.get_property(true, self.proxy, told.property, AtomEnum::ANY, 0, LONGEST_LIST)?.reply()?;
        let files = files_of(&String::from_utf8_lossy(&list.value));
        self.finish(connection, !files.is_empty())?;
        Ok(files)
    }

    fn finish(&mut self, connection: &RustConnection, taken: bool) -> Result<(), Box<dyn Error>> {
        let Some((source, _)) = self.source.take() else { return Ok(()) };
        let action = if taken { self.atoms.XdndActionCopy } else { 0 };
        self.send(connection, source, self.atoms.XdndFinished, [self.window, u32::from(taken), action, 0, 0])
    }

    fn send(&self, connection: &RustConnection, to: Window, kind: Atom, data: [u32; 5]) -> Result<(), Box<dyn Error>> {
        connection.send_event(false, to, EventMask::NO_EVENT, ClientMessageEvent::new(32, to, kind, data))?;
        Ok(connection.flush()?)
    }
}

/// The files of this machine in a list of addresses (RFC 2483, section 5: a line each, `#` begins a comment).
fn files_of(list: &str) -> Vec<PathBuf> {
    let addresses = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    // What stands between the slashes is the machine; without one it is this.
    let path = |address: &str| address.strip_prefix("file://")?.find('/').map(|start| unescaped(&address[7 + start..]));
    addresses.filter_map(path).collect()
}

/// A path without escapes (RFC 3986, section 2.1).
fn unescaped(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let mut path = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex.filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                path.push(byte);
                at += 3;
            }
            None => {
                path.push(bytes[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&path).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_from_lists_of_addresses() {
        let list =
            "# two files\r\nfile:///home/a%20b/fox.glb\r\nhttps://example.org/x.glb\r\nfile://here/100%25.png\r\n";
        assert_eq!(files_of(list), [PathBuf::from("/home/a b/fox.glb"), PathBuf::from("/100%.png")]);
        assert_eq!(unescaped("/%zz%4"), PathBuf::from("/%zz%4"));
    }
}
