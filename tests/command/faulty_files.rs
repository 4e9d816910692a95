//! Every change of a file goes wrong once: with an error, and with a kill in the middle of it. Afterwards everything is as
//! before or as after, and never between.
//!
//! A shim is preloaded into the program, which lets the n-th call fail that changes something below a folder; n goes up
//! until nothing is left to fail. Where there is no C compiler the test says so and shows nothing.

use crate::folder::Folder;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::OnceLock,
};

use refrast::golden::Picture;

/// The shim, compiled once.
fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/faulty_files.c");
        let library = std::env::temp_dir().join(format!("refrast-faulty-files-{}.so", process::id()));
        let compiled =
            Command::new("cc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
        if compiled.is_ok_and(|status| status.success()) {
            return Some(library);
        }
        eprintln!("SKIPPED: there is no C compiler for the shim of the file system");
        None
    };
    SHIM.get_or_init(compile).as_deref()
}

/// Everything below a folder: files with their bytes, folders with nothing.
fn state(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(state(&path));
            found.insert(path, None);
        } else {
            found.insert(path.clone(), Some(fs::read(&path).unwrap()));
        }
    }
    found
}

/// A command whose changes below `under` go wrong, one after the other.
#[derive(Clone, Copy)]
struct Trial<'a> {
    folder: &'a Folder,
    arguments: &'a [&'a str],
    /// Below the test's folder.
    under: &'a str,
    /// Makes what is there before.
    prepare: &'a dyn Fn(),
    /// A command that clears away what a kill has left.
    settle: &'a [&'a str],
    /// How the command ends where nothing goes wrong.
    status: i32,
}

impl Trial<'_> {
    fn run(&self, arguments: &[&str], fault: Option<(&str, usize)>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
        command.args(arguments).current_dir(&self.folder.0);
        if let (Some((how, at)), Some(shim)) = (fault, shim()) {
            command.env("LD_PRELOAD", shim).env("FAULT_UNDER", self.folder.0.join(self.under));
            command.env("FAULT_HOW", how).env("FAULT_AT", at.to_string()).env("FAULT_LOG", self.log());
        }
        command.output().expect("the command starts")
    }

    fn log(&self) -> PathBuf {
        self.folder.0.join("fault.log")
    }

    /// The state before, from nothing.
    fn begin(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let under = self.folder.0.join(self.under);
        let _ = fs::remove_dir_all(&under);
        (self.prepare)();
        state(&under)
    }

    /// Lets every change go wrong in both ways.
    #[track_caller]
    fn expect_before_or_after(&self) {
        if shim().is_none() {
            return;
        }
        let under = self.folder.0.join(self.under);
        let before = self.begin();
        let output = self.run(self.arguments, None);
        assert_eq!(output.status.code(), Some(self.status), "{}", String::from_utf8_lossy(&output.stderr));
        let after = state(&under);
        assert_ne!(before, after, "the command changes something");
        for how in ["error", "kill"] {
            let mut faults = 0;
            for at in 1.. {
                self.begin();
                let _ = fs::remove_file(self.log());
                let output = self.run(self.arguments, Some((how, at)));
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                // The shim says what it has let go wrong; without a word nothing was left.
                let Ok(call) = fs::read_to_string(self.log()) else { break };
                faults += 1;
                let is_removal = call.starts_with("unlink") || call.starts_with("rmdir");
                if how == "kill" {
                    assert_eq!(output.status.signal(), Some(9), "{call}: {said}");
                }
                // What could not be removed is left to the next command, as what a kill has left.
                if how == "kill" || is_removal {
                    let settled = self.run(self.settle, None);
                    assert!(settled.status.code().is_some_and(|code| code < 2), "{call}: {settled:?}");
                }
                let found = state(&under);
                let told = output.status.code();
                if found == after {
                    assert!(how == "kill" || told == Some(self.status) || told == Some(2), "{call}: {said}");
                } else {
                    let names = |state: &BTreeMap<PathBuf, _>| state.keys().cloned().collect::<Vec<_>>();
                    assert!(found == before, "{how} in {call} leaves {:?}; {said}", names(&found));
                    assert!(how == "kill" || told == Some(2), "{call}: nothing was done and nothing told: {said}");
                }
            }
            assert!(faults > 2, "{how}: {faults}");
        }
    }
}

fn write_picture(path: &Path, red: u8) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    Picture::from_rgba8(4, 4, [red, 20, 30, 255].repeat(16)).unwrap().write(path).unwrap();
}

/// A manifest with one case, seen from here.
fn write_manifest(folder: &Path, yaw: u32) {
    let case = format!("[[case]]\nname = \"a\"\nscene = \"mannequin\"\nsize = \"16x16\"\ncamera = \"orbit:{yaw},0\"\n");
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("manifest.toml"), case).unwrap();
}

#[test]
fn blessing_a_new_golden() {
    let folder = Folder::new("new");
    let golden = folder.0.join("golden");
    Trial {
        folder: &folder,
        arguments: &["golden", "bless", "--yes"],
        under: "golden",
        prepare: &|| write_manifest(&golden, 0),
        settle: &["golden", "list"],
        status: 0,
    }
    .expect_before_or_after();
}

#[test]
fn blessing_a_changed_golden() {
    let folder = Folder::new("changed");
    let golden = folder.0.join("golden");
    let bless = |yaw| {
        write_manifest(&golden, yaw);
        let arguments = ["golden", "bless", "--yes"];
        let output =
            Command::new(env!("CARGO_BIN_EXE_refrast")).args(arguments).current_dir(&folder.0).output().unwrap();
        assert!(output.status.success());
    };
    bless(90);
    let old = ["a.png", "a.envelope"].map(|name| (name, fs::read(golden.join(name)).unwrap()));
    Trial {
        folder: &folder,
        arguments: &["golden", "bless", "--yes"],
        under: "golden",
        prepare: &|| {
            write_manifest(&golden, 0);
            old.iter().for_each(|(name, bytes)| fs::write(golden.join(name), bytes).unwrap());
        },
        settle: &["golden", "list"],
        status: 0,
    }
    .expect_before_or_after();
}

#[test]
fn adding_a_case() {
    let folder = Folder::new("case");
    let golden = folder.0.join("golden");
    Trial {
        folder: &folder,
        arguments: &["golden", "new", "b", "mannequin", "--size", "8x8"],
        under: "golden",
        prepare: &|| write_manifest(&golden, 0),
        settle: &["golden", "list"],
        status: 0,
    }
    .expect_before_or_after();
}

#[test]
fn reporting() {
    let folder = Folder::new("report");
    let (golden, candidate) = (folder.0.join("a.png"), folder.0.join("b.png"));
    write_picture(&golden, 1);
    let compare = ["compare", "a.png", "b.png", "--metric", "exact", "--report", "report"];
    let old = || {
        write_picture(&candidate, 90);
        let output = Command::new(env!("CARGO_BIN_EXE_refrast")).args(compare).current_dir(&folder.0).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        write_picture(&candidate, 200);
    };
    // Over an older report, and where there is none; a kill is cleared away by the next report.
    for prepare in [&old as &dyn Fn(), &|| write_picture(&candidate, 200)] {
        Trial { folder: &folder, arguments: &compare, under: "report", prepare, settle: &compare, status: 1 }
            .expect_before_or_after();
    }
}

#[test]
fn checking() {
    let folder = Folder::new("check");
    write_manifest(&folder.0.join("golden"), 0);
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_refrast")).args(arguments).current_dir(&folder.0).output().unwrap()
    };
    assert!(run(&["golden", "bless", "--yes"]).status.success());
    let goldens = state(&folder.0.join("golden"));
    let check = ["golden", "check", "--junit", "out/results.xml", "-o", "out"];
    Trial {
        folder: &folder,
        arguments: &check,
        under: "out/results.xml",
        prepare: &|| {
            fs::create_dir_all(folder.0.join("out")).unwrap();
            fs::write(folder.0.join("out/results.xml"), "old").unwrap();
        },
        settle: &check,
        status: 0,
    }
    .expect_goldens_untouched(&goldens);
}

impl Trial<'_> {
    /// Whatever goes wrong while checking, goldens stay as they are, and only what is whole is called right.
    fn expect_goldens_untouched(&self, goldens: &BTreeMap<PathBuf, Option<Vec<u8>>>) {
        if shim().is_none() {
            return;
        }
        let results = self.folder.0.join("out/results.xml");
        let out = Trial { under: "out", ..*self };
        for at in 1.. {
            (self.prepare)();
            let _ = fs::remove_file(self.log());
            let output = out.run(self.arguments, Some(("error", at)));
            let Ok(call) = fs::read_to_string(self.log()) else {
                assert!(at > 5 && output.status.success());
                break;
            };
            assert_eq!(&state(&self.folder.0.join("golden")), goldens, "{call}");
            let results = fs::read_to_string(&results).unwrap();
            assert!(results == "old" || results.trim_end().ends_with("</testsuites>"), "{call}: {results}");
            let parts =
                state(&self.folder.0.join("out")).into_keys().filter(|path| path.to_string_lossy().contains(".part"));
            assert_eq!(parts.count(), 0, "{call}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{call}: {said}");
        }
    }
}

#[test]
fn an_interruption_leaves_nothing_behind() {
    let folder = Folder::new("interrupt");
    let golden = folder.0.join("golden");
    write_manifest(&golden, 0);
    let before = state(&golden);
    for milliseconds in [5, 20, 40, 60, 80, 120] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_refrast"))
            .args(["render", "mannequin", "-o", "golden/x.png", "--size", "1500x1500", "--samples", "4"])
            .current_dir(&folder.0)
            .stderr(process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let interrupt = format!("kill -INT {}", child.id());
        let _ = Command::new("sh").args(["-c", &interrupt]).stderr(process::Stdio::null()).status();
        let status = child.wait().unwrap();
        assert!(status.success() || status.signal() == Some(2), "{status:?}");
        let _ = fs::remove_file(golden.join("x.png"));
        assert_eq!(state(&golden), before, "after {milliseconds} ms");
    }
}
