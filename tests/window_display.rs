//! `refrast view` in a window of an X server (Xvfb) that the test starts, with keys and buttons as a person presses them.
//!
//! Where Xvfb is missing this is skipped by name, unless `REFRAST_REQUIRE` names `xvfb`.
#![cfg(all(feature = "window", unix, not(target_os = "macos")))]

use std::{
    env,
    fmt::Debug,
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConfigureWindowAux,
            ConnectionExt as _, CreateWindowAux, EventMask, ImageFormat, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
            MOTION_NOTIFY_EVENT, MapState, PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, Window, WindowClass,
        },
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

/// No computer is as slow as that.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at what is waited for.
const STEP: Duration = Duration::from_millis(10);

const KEY_D: u32 = 0x64;
const KEY_F2: u32 = 0xffbf;
const KEY_F3: u32 = 0xffc0;
const KEY_F6: u32 = 0xffc3;
const KEY_F7: u32 = 0xffc4;
const KEY_DOWN: u32 = 0xff54;
const KEY_ESCAPE: u32 = 0xff1b;

/// Waits until there is what is asked for.
fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        thread::sleep(STEP);
    }
}

/// An X server, and a client of it.
struct Desktop {
    server: Child,
    display: String,
    connection: RustConnection,
    root: Window,
}

impl Desktop {
    /// `None` where there is no server to start.
    fn new() -> Option<Self> {
        // It finds a free number by itself and says which one.
        let arguments = ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"];
        let server = Command::new("Xvfb").args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = match server {
            Ok(server) => server,
            Err(error) => {
                let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
                assert!(!required.split(',').any(|name| name.trim() == "xvfb"), "Xvfb is required: {error}");
                println!("SKIPPED: the window on a display: Xvfb: {error}; install xvfb");
                return None;
            }
        };
        let mut number = String::new();
        let said = server.stdout.as_mut().expect("it is piped");
        BufReader::new(said).read_line(&mut number).expect("the number of the display");
        let display = format!(":{}", number.trim());
        let (connection, screen) = RustConnection::connect(Some(&display)).expect("the server runs");
        let root = connection.setup().roots[screen].root;
        Some(Self { server, display, connection, root })
    }

    /// Where programs of this desktop keep what they were doing.
    fn state_home(&self) -> PathBuf {
        env::temp_dir().join(format!("refrast-state-{}-{}", std::process::id(), &self.display[1..]))
    }

    /// Sends what a device would.
    fn press(&self, kind: u8, detail: u8, [x, y]: [i16; 2]) {
        let sent = self.connection.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, x, y, 0);
        sent.expect("the server runs").check().expect("it is an event");
    }

    fn move_to(&self, at: [i16; 2]) {
        self.press(MOTION_NOTIFY_EVENT, 0, at);
    }

    fn key(&self, symbol: u32) {
        let (first, last) = (self.connection.setup().min_keycode, self.connection.setup().max_keycode);
        let map = self.connection.get_keyboard_mapping(first, last - first + 1).expect("the server runs");
        let map = map.reply().expect("a map of the keys");
        let mut keys = map.keysyms.chunks(usize::from(map.keysyms_per_keycode));
        let place = keys.position(|symbols| symbols[0] == symbol).expect("a usual keyboard");
        let code = first + place as u8;
        self.press(KEY_PRESS_EVENT, code, [0, 0]);
        self.press(KEY_RELEASE_EVENT, code, [0, 0]);
    }

    /// Presses and releases the left button at once.
    fn click(&self) {
        self.press(BUTTON_PRESS_EVENT, 1, [0, 0]);
        self.press(BUTTON_RELEASE_EVENT, 1, [0, 0]);
    }

    /// The colour of a place of the screen.
    fn color(&self, [x, y]: [i16; 2]) -> Vec<u8> {
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, 1, 1, !0);
        image.expect("the server runs").reply().expect("a pixel of the screen").data[..3].to_vec()
    }

    /// The windows that can be seen.
    fn windows(&self) -> Vec<Window> {
        let tree = self.connection.query_tree(self.root).expect("the server runs").reply().expect("a tree");
        let is_seen = |&window: &Window| {
            // It may be gone by now.
            let attributes = self.connection.get_window_attributes(window).ok().and_then(|answer| answer.reply().ok());
            attributes.is_some_and(|attributes| attributes.map_state == MapState::VIEWABLE)
        };
        tree.children.into_iter().filter(is_seen).collect()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // There may be nothing to remember.
        let _ = fs::remove_dir_all(self.state_home());
        // It may have been ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// `refrast view` in its window.
struct View {
    process: Child,
    lines: Receiver<String>,
    window: Window,
    /// The middle of the window.
    middle: [i16; 2],
}

impl View {
    /// Opens a window and waits for its first picture; the pointer is then in its middle.
    fn open(desktop: &Desktop) -> Self {
        Self::open_with(desktop, [320, 240], &["--no-panels"])
    }

    /// As [`open`](Self::open), with another size and other options.
    fn open_with(desktop: &Desktop, [width, height]: [i16; 2], options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_refrast"))
            .args(["view", "mannequin", "--size", &format!("{width}x{height}")])
            .args(options)
            .env("DISPLAY", &desktop.display)
            .env("XDG_STATE_HOME", desktop.state_home())
            .env_remove("GDK_SCALE")
            .env_remove("QT_SCALE_FACTOR")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = lines(process.stdout.take().expect("it is piped"));
        let window = wait("a window", || desktop.windows().first().copied());
        let at = desktop.connection.get_geometry(window).expect("the server runs").reply().expect("its place");
        let middle = [at.x + width / 2, at.y + height / 2];
        // A window without a picture is black.
        wait("a picture", || Some(desktop.color(middle)).filter(|color| *color != [0; 3]));
        desktop.move_to(middle);
        Self { process, lines, window, middle }
    }

    /// Waits until the command line that the window prints when F2 is pressed says `what`.
    fn says(&self, desktop: &Desktop, what: &str) {
        self.line(desktop, what, |line| line.contains(what));
    }

    /// Waits until the command line no longer says `what`.
    fn no_longer_says(&self, desktop: &Desktop, what: &str) {
        self.line(desktop, what, |line| !line.contains(what));
    }

    fn line(&self, desktop: &Desktop, what: &str, wanted: impl Fn(&str) -> bool) {
        wait(what, || {
            desktop.key(KEY_F2);
            wanted(&self.lines.recv_timeout(PATIENCE).expect("a line")).then_some(())
        });
    }

    /// How it exits, and what it complains of.
    fn end(mut self) -> (Option<i32>, String) {
        let status = wait("the end", || self.process.try_wait().expect("it is a child"));
        let mut complaints = String::new();
        let mut stderr = self.process.stderr.take().expect("it is piped");
        stderr.read_to_string(&mut complaints).expect("it is text");
        (status.code(), complaints)
    }

    /// How often the scheduler had to wake the program, all threads of the window and what supervises it.
    fn wakes(&self) -> u64 {
        let own = self.process.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).expect("Linux");
        let children = children.split_whitespace().map(|child| child.parse().expect("a number"));
        [own].into_iter().chain(children).map(switches).sum()
    }
}

/// Voluntary context switches of all threads of a process.
fn switches(process: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    let of_task = |task: fs::DirEntry| {
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse::<u64>().ok()
    };
    tasks.filter_map(|task| of_task(task.ok()?)).sum()
}

/// The lines of a program as they come.
fn lines(stdout: ChildStdout) -> Receiver<String> {
    let (to_test, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if to_test.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn check<E: Debug>(cookie: Result<x11rb::cookie::VoidCookie<'_, RustConnection>, E>) {
    cookie.expect("the server runs").check().expect("it is allowed");
}

#[test]
fn at_rest_it_sleeps_and_everything_wakes_it() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    let rest = || thread::sleep(Duration::from_millis(1_000));
    if cfg!(target_os = "linux") {
        rest();
        let before = view.wakes();
        thread::sleep(Duration::from_secs(2));
        let wakes = view.wakes() - before;
        // Four looks a second, each of which waits for an answer or two; 20 looks were more than 40 in a second.
        assert!(wakes < 50, "woken {wakes} times in two seconds");
    }
    desktop.key(KEY_D);
    view.says(&desktop, "--skinning dual-quaternion");
    rest();
    desktop.click();
    view.says(&desktop, "--pixel ");

    rest();
    let shown = desktop.color(view.middle);
    let over = desktop.connection.generate_id().expect("there are enough");
    let black = CreateWindowAux::new().override_redirect(1).background_pixel(0);
    let (class, [x, y]) = (WindowClass::INPUT_OUTPUT, view.middle.map(|at| at - 50));
    check(desktop.connection.create_window(0, over, desktop.root, x, y, 100, 100, 0, class, 0, &black));
    check(desktop.connection.map_window(over));
    wait("another window in front", || (desktop.color(view.middle) == [0; 3]).then_some(()));
    rest();
    check(desktop.connection.destroy_window(over));
    wait("the picture again", || (desktop.color(view.middle) == shown).then_some(()));

    rest();
    let size = ConfigureWindowAux::new().width(400).height(300);
    check(desktop.connection.configure_window(view.window, &size));
    view.says(&desktop, "--size 400x300");

    rest();
    let [protocols, delete] = ["WM_PROTOCOLS", "WM_DELETE_WINDOW"].map(|name| {
        let atom = desktop.connection.intern_atom(false, name.as_bytes()).expect("the server runs");
        atom.reply().expect("a name").atom
    });
    let message = ClientMessageEvent::new(32, view.window, protocols, [delete, 0, 0, 0, 0]);
    check(desktop.connection.send_event(false, view.window, EventMask::NO_EVENT, message));
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn a_window_that_another_program_destroys_is_a_closed_one() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn a_lost_server_is_told_of() {
    let Some(mut desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    desktop.server.kill().expect("it runs");
    let (code, complaints) = view.end();
    assert_eq!(code, Some(2), "{complaints}");
    assert!(complaints.starts_with("error: the display was lost: ") && complaints.lines().count() == 1, "{complaints}");
}

#[test]
fn text_is_as_large_as_the_desktop_wants_it() {
    let Some(desktop) = Desktop::new() else { return };
    let resources = b"Xcursor.size:\t24\nXft.dpi:\t144\n";
    let property = AtomEnum::RESOURCE_MANAGER;
    check(desktop.connection.change_property8(PropMode::REPLACE, desktop.root, property, AtomEnum::STRING, resources));
    let view = View::open(&desktop);
    view.says(&desktop, "--scale 1.5");
    check(desktop.connection.destroy_window(view.window));
}

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

#[test]
fn what_a_key_prints_is_confirmed_on_the_screen() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    // The line stands above the middle, and goes after some seconds.
    let place = [view.middle[0], view.middle[1] - 82];
    let before = desktop.color(place);
    desktop.key(KEY_F2);
    wait("a line on the screen", || (desktop.color(place) != before).then_some(()));
    wait("it goes again", || (desktop.color(place) == before).then_some(()));
    check(desktop.connection.destroy_window(view.window));
}

#[test]
fn the_desktop_learns_whose_the_window_is() {
    let Some(desktop) = Desktop::new() else { return };
    let view = View::open(&desktop);
    let property = |name: &str| {
        let atom = desktop.connection.intern_atom(false, name.as_bytes()).expect("the server runs");
        let atom = atom.reply().expect("a name").atom;
        let answer = desktop.connection.get_property(false, view.window, atom, AtomEnum::ANY, 0, 1 << 16);
        answer.expect("the server runs").reply().expect("a property")
    };
    assert_eq!(property("WM_CLASS").value, b"refrast\0Refrast\0");
    let numbers = |name: &str| property(name).value32().expect("numbers").collect::<Vec<u32>>();
    let process = numbers("_NET_WM_PID")[0];
    // The window is a child of what supervises it.
    let parent = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    assert!(parent.contains(&format!(" {} ", view.process.id())), "{parent}");
    let icon = numbers("_NET_WM_ICON");
    assert_eq!(icon.len() as u32, 2 + icon[0] * icon[1]);
    // Flags, four places that are out of use, the least width and height.
    let hints = numbers("WM_NORMAL_HINTS");
    assert_eq!((hints[0] & 16, hints[5], hints[6]), (16, 480, 320));
    check(desktop.connection.destroy_window(view.window));
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn what_is_shown_is_the_frame() {
    let Some(desktop) = Desktop::new() else { return };
    // More rows than are sent at once.
    let [width, height] = [760, 560];
    let options = ["--no-panels", "--animation", "Flex", "--time", "0.6"];
    let path = env::temp_dir().join(format!("refrast-frame-{}.png", std::process::id()));
    let size = format!("{width}x{height}");
    let drawn = Command::new(env!("CARGO_BIN_EXE_refrast"))
        .args(["view", "mannequin", "--size", &size])
        .args(options)
        .arg("--screenshot")
        .arg(&path)
        .output();
    assert!(drawn.expect("the program starts").status.success());
    let frame = refrast::golden::Picture::read(&path).expect("it was just written");
    fs::remove_file(&path).expect("it was just written");
    // As the server has them: blue, green, red and a byte of which nothing is said.
    let expected: Vec<[u8; 3]> = frame.samples8().as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [b, g, r]).collect();
    let view = View::open_with(&desktop, [width, height], &options);
    wait("the frame", || {
        let all = (ImageFormat::Z_PIXMAP, view.window, 0, 0, width as u16, height as u16, !0);
        let image = desktop.connection.get_image(all.0, all.1, all.2, all.3, all.4, all.5, all.6);
        let shown = image.expect("the server runs").reply().expect("the window").data;
        let shown = shown.as_chunks::<4>().0.iter().map(|&[b, g, r, _]| [b, g, r]);
        shown.eq(expected.iter().copied()).then_some(())
    });
    check(desktop.connection.destroy_window(view.window));
}

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
