//! Files that another program drops on the window, and the list of those that were open before.

use std::{env, fs, thread, time::Duration};

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
            SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, Window, WindowClass,
        },
    },
    wrapper::ConnectionExt as _,
};

use super::desktop::{Desktop, View, check, wait};

/// A program that drags a file over a window and drops it there, as file managers do (XDND, version 5).
struct Dragging<'a> {
    desktop: &'a Desktop,
    /// The window that files are dropped on.
    target: Window,
    own: Window,
}

impl<'a> Dragging<'a> {
    fn over(desktop: &'a Desktop, target: Window) -> Self {
        let own = desktop.connection.generate_id().expect("there are enough");
        let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
        check(desktop.connection.create_window(0, own, desktop.root, 0, 0, 1, 1, 0, class, 0, &aux));
        Self { desktop, target, own }
    }

    fn atom(&self, name: &str) -> u32 {
        let atom = self.desktop.connection.intern_atom(false, name.as_bytes()).expect("the server runs");
        atom.reply().expect("a name").atom
    }

    /// Who is spoken to: the window's proxy, which must name itself.
    fn proxy(&self) -> Window {
        let of = |window: Window| {
            let atom = self.atom("XdndProxy");
            let answer = self.desktop.connection.get_property(false, window, atom, AtomEnum::WINDOW, 0, 1);
            let answer = answer.expect("the server runs").reply().expect("a property");
            answer.value32().and_then(|mut proxies| proxies.next())
        };
        let proxy = wait("a proxy", || of(self.target));
        assert_eq!(of(proxy), Some(proxy));
        proxy
    }

    fn tell(&self, kind: &str, data: [u32; 5]) {
        let message = ClientMessageEvent::new(32, self.target, self.atom(kind), data);
        check(self.desktop.connection.send_event(false, self.proxy(), EventMask::NO_EVENT, message));
    }

    /// What the window answers.
    fn answer(&self, kind: &str) -> [u32; 5] {
        let kind = self.atom(kind);
        wait("an answer", || match self.desktop.connection.poll_for_event().expect("the server runs")? {
            Event::ClientMessage(message) if message.type_ == kind => Some(message.data.as_data32()),
            _ => None,
        })
    }

    /// Drops files of these names; gives whether they were taken.
    fn drop_files(&self, list: &str) -> bool {
        let connection = &self.desktop.connection;
        let (selection, kind) = (self.atom("XdndSelection"), self.atom("text/uri-list"));
        check(connection.set_selection_owner(self.own, selection, x11rb::CURRENT_TIME));
        self.tell("XdndEnter", [self.own, 5 << 24, kind, 0, 0]);
        self.tell("XdndPosition", [self.own, 0, 0, x11rb::CURRENT_TIME, self.atom("XdndActionCopy")]);
        assert_eq!(self.answer("XdndStatus")[1] & 1, 1, "it takes files");
        self.tell("XdndDrop", [self.own, 0, x11rb::CURRENT_TIME, 0, 0]);
        let request = wait("a request", || match connection.poll_for_event().expect("the server runs")? {
            Event::SelectionRequest(request) => Some(request),
            _ => None,
        });
        assert_eq!(request.target, kind);
        check(connection.change_property8(
            PropMode::REPLACE,
            request.requestor,
            request.property,
            request.target,
            list.as_bytes(),
        ));
        let given = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        check(connection.send_event(false, request.requestor, EventMask::NO_EVENT, given));
        self.answer("XdndFinished")[1] & 1 == 1
    }
}

#[test]
fn files_are_dropped_on_the_window() {
    let Some(desktop) = Desktop::new() else { return };
    let folder = env::temp_dir().join(format!("refrast-drop-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary folder is writable");
    // A triangle: three corners of three f32 each, in base64.
    let corners = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
    let buffer = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let scene = serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": [{ "byteLength": 36, "uri": format!("data:application/octet-stream;base64,{buffer}") }]
    });
    let (triangle, picture, broken) =
        (folder.join("one triangle.gltf"), folder.join("gpu.png"), folder.join("broken.glb"));
    fs::write(&triangle, scene.to_string()).expect("the temporary folder is writable");
    fs::write(&broken, "no scene").expect("the temporary folder is writable");
    let rgba = [200, 30, 30, 255].repeat(64 * 48);
    refrast::golden::Picture::from_rgba8(64, 48, rgba).expect("the size fits").write(&picture).expect("it is writable");

    let view = View::open(&desktop);
    let drag = Dragging::over(&desktop, view.window);
    let address = |path: &std::path::Path| format!("file://{}\r\n", path.display().to_string().replace(' ', "%20"));
    assert!(drag.drop_files(&address(&picture)));
    view.says(&desktop, "--candidate ");
    // What can not be read is told of, and the scene stays.
    assert!(drag.drop_files(&address(&broken)));
    view.says(&desktop, "refrast view mannequin");
    assert!(drag.drop_files(&address(&triangle)));
    view.says(&desktop, "one triangle.gltf'");
    assert!(!drag.drop_files("https://example.org/fox.glb\r\n"), "it is no file of this machine");
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));

    // The scene is remembered, and opened again from the list above the settings.
    let view = View::open_with(&desktop, [700, 450], &[]);
    let at = |x: i16, y: i16| [view.middle[0] - 350 + x, view.middle[1] - 225 + y];
    for place in [at(150, 12), at(150, 38)] {
        desktop.move_to(place);
        thread::sleep(Duration::from_millis(300));
        desktop.click();
        thread::sleep(Duration::from_millis(300));
    }
    view.says(&desktop, "one triangle.gltf'");
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
    fs::remove_dir_all(&folder).expect("it was just made");
}
