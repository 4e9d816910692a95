//! A headless browser, driven as a person drives one: keys, clicks, widths, colour schemes.
//!
//! It speaks Chromium's own protocol over a pair of pipes, so that no port is opened and no library is needed.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc::{self, Receiver},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// No computer is as slow as that.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at what is waited for.
const STEP: Duration = Duration::from_millis(20);

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    commands: ChildStdin,
    answers: Receiver<Value>,
    session: String,
    profile: PathBuf,
    count: u64,
}

impl Browser {
    /// `None` where there is no browser to start; that is told by name, and a failure where `REFRAST_REQUIRE` names `chromium`.
    pub(crate) fn start() -> Option<Self> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let there = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
            let folders = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&folders).any(|folder| folder.join(name).exists())
        });
        let Some(program) = there else {
            let required = env::var("REFRAST_REQUIRE").unwrap_or_default();
            assert!(!required.split(',').any(|name| name.trim() == "chromium"), "chromium is required, and not there");
            println!("SKIPPED: the report in a browser; install chromium");
            return None;
        };
        let name = format!("refrast-browser-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let profile = env::temp_dir().join(name);
        // The browser reads commands from file 3 and writes answers to file 4; a shell puts the pipes there.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", program])
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,800"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let commands = process.stdin.take().expect("it is piped");
        let mut output = BufReader::new(process.stdout.take().expect("it is piped"));
        let (send, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if send.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut browser = Self { process, commands, answers, session: String::new(), profile, count: 0 };
        let target = browser.send("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.send("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    /// Sends a command of the protocol, and waits for its result.
    pub(crate) fn send(&mut self, method: &str, parameters: Value) -> Value {
        self.count += 1;
        let mut message = json!({ "id": self.count, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let text = message.to_string() + "\0";
        self.commands.write_all(text.as_bytes()).and_then(|()| self.commands.flush()).expect("the browser listens");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == self.count {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// Opens an address, and waits until everything of it is there.
    pub(crate) fn open(&mut self, address: &str) {
        // Another fragment alone would not load the page.
        self.send("Page.navigate", json!({ "url": "about:blank" }));
        self.send("Page.navigate", json!({ "url": address }));
        self.wait(&format!("location.href.startsWith({}) && document.readyState === 'complete'", json!(address)));
    }

    /// What an expression of the page is.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.send("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// The text that an expression of the page is.
    #[track_caller]
    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// Waits until an expression of the page is true.
    #[track_caller]
    pub(crate) fn wait(&mut self, expression: &str) {
        assert!(self.comes(expression, PATIENCE), "{expression}: not within {PATIENCE:?}");
    }

    /// Whether an expression of the page becomes true within a time.
    #[track_caller]
    pub(crate) fn comes(&mut self, expression: &str, within: Duration) -> bool {
        let start = Instant::now();
        while self.value(expression) != json!(true) {
            if start.elapsed() > within {
                return false;
            }
            thread::sleep(STEP);
        }
        true
    }

    /// Presses keys: letters and digits as they are, others by their names.
    pub(crate) fn press(&mut self, keys: &[&str]) {
        for key in keys {
            let text = match *key {
                "Enter" => "\r",
                named if named.len() > 1 => "",
                letter => letter,
            };
            let code = match *key {
                "Enter" => 13,
                "Tab" => 9,
                "Escape" => 27,
                _ => 0,
            };
            let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
            self.send(
                "Input.dispatchKeyEvent",
                json!({ "type": down, "key": key, "text": text, "windowsVirtualKeyCode": code }),
            );
            self.send("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }));
        }
    }

    /// Clicks into the middle of the first element of a selector.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const own = document.querySelector({}); own.scrollIntoView({{ block: 'nearest' }}); \
             const box = own.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.send(
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 }),
            );
        }
    }

    /// Moves the pointer to a place of the page.
    pub(crate) fn point(&mut self, x: f64, y: f64) {
        self.send("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Makes the page this large, and its colours `light` or `dark`.
    pub(crate) fn look(&mut self, width: u32, height: u32, scheme: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.send("Emulation.setDeviceMetricsOverride", size);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.send("Emulation.setEmulatedMedia", features);
    }

    /// Lets downloads go to a folder.
    pub(crate) fn download_to(&mut self, folder: &Path) {
        let session = std::mem::take(&mut self.session);
        self.send("Browser.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": folder }));
        self.session = session;
    }

    /// The page as a PNG in base64.
    pub(crate) fn screenshot(&mut self) -> String {
        self.send("Page.captureScreenshot", json!({}))["data"].as_str().expect("a picture").to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // The browser's own processes may still write for a moment.
        for _ in 0..50 {
            if fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists() {
                return;
            }
            thread::sleep(STEP);
        }
    }
}
