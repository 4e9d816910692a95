//! An X server, and `refrast view` in a window of it, driven as a person drives it.

use std::{
    env,
    fmt::Debug,
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use x11rb::{
    connection::Connection,
    protocol::{
        xproto::{
            AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConnectionExt as _, EventMask,
            ImageFormat, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT, MapState, Window,
        },
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
};

/// No computer is as slow as that.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at what is waited for.
const STEP: Duration = Duration::from_millis(10);
/// The longest that a line takes after its key.
const ANSWER: Duration = Duration::from_secs(2);

pub(crate) const KEY_D: u32 = 0x64;
pub(crate) const KEY_F2: u32 = 0xffbf;
pub(crate) const KEY_F3: u32 = 0xffc0;
pub(crate) const KEY_F6: u32 = 0xffc3;
pub(crate) const KEY_F7: u32 = 0xffc4;
pub(crate) const KEY_DOWN: u32 = 0xff54;
pub(crate) const KEY_ESCAPE: u32 = 0xff1b;
pub(crate) const KEY_ENTER: u32 = 0xff0d;
pub(crate) const KEY_F12: u32 = 0xffc9;

/// The window asks where the pointer is, and has to see it before it goes on.
fn rest() {
    thread::sleep(Duration::from_millis(150));
}

/// Waits until there is what is asked for.
pub(crate) fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
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
pub(crate) struct Desktop {
    /// The server, where it is this desktop's own.
    pub(crate) server: Option<Child>,
    pub(crate) display: String,
    pub(crate) connection: RustConnection,
    pub(crate) root: Window,
}

impl Desktop {
    /// `None` where there is no server to start.
    pub(crate) fn new() -> Option<Self> {
        Self::of_size([800, 600])
    }

    /// As [`new`](Self::new), with a screen of its own size.
    pub(crate) fn of_size([width, height]: [i16; 2]) -> Option<Self> {
        // It finds a free number by itself and says which one.
        let screen = format!("{width}x{height}x24");
        let arguments = ["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp"];
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
        Some(Self { server: Some(server), display, connection, root })
    }

    /// Where programs of this desktop stand, and keep what they were doing.
    pub(crate) fn state_home(&self) -> PathBuf {
        env::temp_dir().join(format!("refrast-state-{}-{}", std::process::id(), &self.display[1..]))
    }

    /// Sends what a device would.
    pub(crate) fn press(&self, kind: u8, detail: u8, [x, y]: [i16; 2]) {
        let sent = self.connection.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, x, y, 0);
        sent.expect("the server runs").check().expect("it is an event");
    }

    pub(crate) fn move_to(&self, at: [i16; 2]) {
        self.press(MOTION_NOTIFY_EVENT, 0, at);
    }

    pub(crate) fn key(&self, symbol: u32) {
        let (first, last) = (self.connection.setup().min_keycode, self.connection.setup().max_keycode);
        let map = self.connection.get_keyboard_mapping(first, last - first + 1).expect("the server runs");
        let map = map.reply().expect("a map of the keys");
        let mut keys = map.keysyms.chunks(usize::from(map.keysyms_per_keycode));
        let place = keys.position(|symbols| symbols[0] == symbol).expect("a usual keyboard");
        self.code(first + place as u8);
    }

    fn code(&self, code: u8) {
        self.press(KEY_PRESS_EVENT, code, [0, 0]);
        self.press(KEY_RELEASE_EVENT, code, [0, 0]);
    }

    /// A key while Shift is down.
    pub(crate) fn shifted(&self, symbol: u32) {
        let shift = self.connection.get_modifier_mapping().expect("the server runs").reply().expect("a map");
        // The first row is Shift's.
        let shift = shift.keycodes[0];
        let rest = || thread::sleep(Duration::from_millis(100));
        self.press(KEY_PRESS_EVENT, shift, [0, 0]);
        rest();
        self.key(symbol);
        rest();
        self.press(KEY_RELEASE_EVENT, shift, [0, 0]);
    }

    /// Turns the wheel: away from the user, or towards him.
    pub(crate) fn wheel(&self, away: bool) {
        let button = if away { 4 } else { 5 };
        self.press(BUTTON_PRESS_EVENT, button, [0, 0]);
        self.press(BUTTON_RELEASE_EVENT, button, [0, 0]);
    }

    /// Drags with a button, as slowly as a hand.
    pub(crate) fn drag(&self, button: u8, [x, y]: [i16; 2], [across, down]: [i16; 2]) {
        self.hold_at(button, [x, y]);
        for step in 1..=4 {
            self.move_to([x + across * step / 4, y + down * step / 4]);
            rest();
        }
        self.press(BUTTON_RELEASE_EVENT, button, [0, 0]);
    }

    /// Goes to a place, and presses the left button there as long as a hand does.
    pub(crate) fn click_at(&self, at: [i16; 2]) {
        self.hold_at(1, at);
        self.press(BUTTON_RELEASE_EVENT, 1, [0, 0]);
    }

    /// Goes to a place, and presses a button there.
    fn hold_at(&self, button: u8, at: [i16; 2]) {
        self.move_to(at);
        rest();
        self.press(BUTTON_PRESS_EVENT, button, [0, 0]);
        rest();
    }

    /// Presses and releases the left button at once.
    pub(crate) fn click(&self) {
        self.press(BUTTON_PRESS_EVENT, 1, [0, 0]);
        self.press(BUTTON_RELEASE_EVENT, 1, [0, 0]);
    }

    /// The colour of a place of the screen.
    pub(crate) fn color(&self, [x, y]: [i16; 2]) -> Vec<u8> {
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, 1, 1, !0);
        image.expect("the server runs").reply().expect("a pixel of the screen").data[..3].to_vec()
    }

    /// The colours of a rectangle of the screen.
    pub(crate) fn colors(&self, [x, y]: [i16; 2], [width, height]: [u16; 2]) -> Vec<u8> {
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, width, height, !0);
        image.expect("the server runs").reply().expect("a part of the screen").data
    }

    /// The colours of a rectangle when nothing has changed there for a while.
    pub(crate) fn resting_colors(&self, at: [i16; 2], size: [u16; 2]) -> Vec<u8> {
        let mut before = self.colors(at, size);
        wait("a picture at rest", || {
            thread::sleep(Duration::from_millis(400));
            let now = self.colors(at, size);
            (std::mem::replace(&mut before, now.clone()) == now).then_some(now)
        })
    }

    /// Asks a window to close itself, as a window manager does.
    pub(crate) fn ask_to_close(&self, window: Window) {
        let [protocols, delete] = ["WM_PROTOCOLS", "WM_DELETE_WINDOW"].map(|name| {
            let atom = self.connection.intern_atom(false, name.as_bytes()).expect("the server runs");
            atom.reply().expect("a name").atom
        });
        let message = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
        check(self.connection.send_event(false, window, EventMask::NO_EVENT, message));
    }

    /// The window of `refrast view`, wherever a window manager has put it.
    fn view(&self) -> Option<Window> {
        let class = |window: Window| {
            let (property, kind) = (AtomEnum::WM_CLASS, AtomEnum::STRING);
            let answer = self.connection.get_property(false, window, property, kind, 0, 64).ok()?;
            Some(answer.reply().ok()?.value)
        };
        let children = |window: Window| {
            // It may be gone by now.
            let tree = self.connection.query_tree(window).ok().and_then(|tree| tree.reply().ok());
            tree.map_or(Vec::new(), |tree| tree.children)
        };
        let mut all = vec![self.root];
        let mut next = 0;
        while let Some(&window) = all.get(next) {
            all.extend(children(window));
            next += 1;
        }
        let is_ours = |window: &Window| class(*window).is_some_and(|class| class == b"refrast\0Refrast\0");
        all.into_iter().filter(|window| self.is_seen(*window)).find(is_ours)
    }

    /// Where a window is on the screen.
    pub(crate) fn place(&self, window: Window) -> [i16; 2] {
        let place = self.connection.translate_coordinates(window, self.root, 0, 0).expect("the server runs");
        let place = place.reply().expect("a place");
        [place.dst_x, place.dst_y]
    }

    fn is_seen(&self, window: Window) -> bool {
        // It may be gone by now.
        let attributes = self.connection.get_window_attributes(window).ok().and_then(|answer| answer.reply().ok());
        attributes.is_some_and(|attributes| attributes.map_state == MapState::VIEWABLE)
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // There may be nothing to remember.
        let _ = fs::remove_dir_all(self.state_home());
        // It may have been ended already.
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// `refrast view` in its window.
pub(crate) struct View {
    pub(crate) process: Child,
    lines: Receiver<String>,
    pub(crate) window: Window,
    /// The middle of the window.
    pub(crate) middle: [i16; 2],
}

impl View {
    /// Opens a window and waits for its first picture; the pointer is then in its middle.
    pub(crate) fn open(desktop: &Desktop) -> Self {
        Self::open_with(desktop, [320, 240], &["--no-panels"])
    }

    /// As [`open`](Self::open), with another size and other options.
    pub(crate) fn open_with(desktop: &Desktop, size: [i16; 2], options: &[&str]) -> Self {
        let view = Self::start(desktop, size, options);
        // A window without a picture is black.
        wait("a picture", || Some(desktop.color(view.middle)).filter(|color| *color != [0; 3]));
        desktop.move_to(view.middle);
        view
    }

    /// Opens a window, and waits until it is there.
    pub(crate) fn start(desktop: &Desktop, [width, height]: [i16; 2], options: &[&str]) -> Self {
        let home = desktop.state_home();
        fs::create_dir_all(&home).expect("the temporary folder is writable");
        let mut process = Command::new(env!("CARGO_BIN_EXE_refrast"))
            .args(["view", "mannequin", "--size", &format!("{width}x{height}")])
            .args(options)
            .env("DISPLAY", &desktop.display)
            .env("XDG_STATE_HOME", &home)
            .current_dir(&home)
            .env_remove("GDK_SCALE")
            .env_remove("QT_SCALE_FACTOR")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = lines(process.stdout.take().expect("it is piped"));
        let window = wait("a window", || desktop.view());
        let [x, y] = desktop.place(window);
        let middle = [x + width / 2, y + height / 2];
        Self { process, lines, window, middle }
    }

    /// Waits until the command line that the window prints when F2 is pressed says `what`.
    pub(crate) fn says(&self, desktop: &Desktop, what: &str) {
        self.line(desktop, what, |line| line.contains(what));
    }

    /// Waits until the command line no longer says `what`.
    pub(crate) fn no_longer_says(&self, desktop: &Desktop, what: &str) {
        self.line(desktop, what, |line| !line.contains(what));
    }

    fn line(&self, desktop: &Desktop, what: &str, wanted: impl Fn(&str) -> bool) {
        wait(what, || {
            desktop.key(KEY_F2);
            // While something is typed into a field the key is none, and has to be pressed again.
            match self.lines.recv_timeout(ANSWER) {
                Ok(line) => wanted(&line).then_some(()),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => panic!("{what}: the window is gone"),
            }
        });
    }

    /// Waits until the window shows the frame that a screenshot has.
    pub(crate) fn shows_frame(&self, desktop: &Desktop, [width, height]: [i16; 2], options: &[&str]) {
        let path = desktop.state_home().join("frame.png");
        let drawn = Command::new(env!("CARGO_BIN_EXE_refrast"))
            .args(["view", "mannequin", "--size", &format!("{width}x{height}")])
            .args(options)
            .arg("--screenshot")
            .arg(&path)
            .output();
        assert!(drawn.expect("the program starts").status.success());
        let frame = refrast::golden::Picture::read(&path).expect("it was just written");
        // As the server has them: blue, green, red and a byte of which nothing is said.
        let expected: Vec<[u8; 3]> =
            frame.samples8().as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [b, g, r]).collect();
        wait("the frame", || {
            let (width, height) = (width as u16, height as u16);
            let image = desktop.connection.get_image(ImageFormat::Z_PIXMAP, self.window, 0, 0, width, height, !0);
            let shown = image.expect("the server runs").reply().ok()?.data;
            let shown = shown.as_chunks::<4>().0.iter().map(|&[b, g, r, _]| [b, g, r]);
            shown.eq(expected.iter().copied()).then_some(())
        });
    }

    /// How it exits, and what it complains of.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = wait("the end", || self.process.try_wait().expect("it is a child"));
        let mut complaints = String::new();
        let mut stderr = self.process.stderr.take().expect("it is piped");
        stderr.read_to_string(&mut complaints).expect("it is text");
        (status.code(), complaints)
    }

    /// How often the scheduler had to wake the program, all threads of the window and what supervises it.
    pub(crate) fn wakes(&self) -> u64 {
        self.processes().into_iter().map(switches).sum()
    }

    /// Seconds of processors that it has taken, in its own code and in the kernel's.
    pub(crate) fn processor_seconds(&self) -> [f64; 2] {
        let times = self.processes().into_iter().map(|process| {
            let line = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
            // The second field is a name in parentheses, and these are the 14th and 15th, in hundredths.
            let (_, fields) = line.rsplit_once(')').expect("a name");
            let fields: Vec<&str> = fields.split_whitespace().collect();
            [11, 12].map(|place| fields[place].parse::<f64>().expect("a number") / 100.0)
        });
        times.fold([0.0; 2], |[user, system], [own, kernel]| [user + own, system + kernel])
    }

    /// The window's process, and what supervises it.
    fn processes(&self) -> Vec<u32> {
        let own = self.process.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).expect("Linux");
        let children = children.split_whitespace().map(|child| child.parse().expect("a number"));
        [own].into_iter().chain(children).collect()
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

/// That a request was allowed.
pub(crate) fn check<E: Debug>(cookie: Result<x11rb::cookie::VoidCookie<'_, RustConnection>, E>) {
    cookie.expect("the server runs").check().expect("it is allowed");
}
