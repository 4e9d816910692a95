//! `refrast golden` and `refrast report merge`, as a project uses them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::atomic::{AtomicU32, Ordering},
};

use refrast::golden::{
    DrawnBy, Picture, check_against_golden,
    envelope::{Envelope, EnvelopeFile, EnvelopeRow, PixelBox},
};

/// A folder of its own for each test, removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("refrast-golden-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn run(&self, line: &str) -> Output {
        let command = env!("CARGO_BIN_EXE_refrast");
        Command::new(command).args(line.split(' ')).current_dir(&self.0).output().expect("the command starts")
    }

    #[track_caller]
    pub(super) fn expect(&self, line: &str, status: i32) -> String {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{line}: {text}");
        text
    }

    /// Three small goldens of the built-in character.
    pub(super) fn with_goldens() -> Self {
        let folder = Self::new();
        let cases = [
            ("front", "camera = \"orbit:0,0\""),
            ("side", "camera = \"orbit:90,0\""),
            ("views/joints", "shading = \"joints\""),
        ];
        let case = |(name, more)| {
            format!(
                "[[case]]\nname = \"{name}\"\nscene = \"mannequin\"\nanimation = \"Walk\"\ntime = 0.3\n\
                 size = \"48x64\"\nprofile = \"exact\"\n{more}\n"
            )
        };
        fs::create_dir_all(folder.path("golden")).unwrap();
        fs::write(folder.path("golden/manifest.toml"), cases.map(case).concat()).unwrap();
        folder.expect("golden bless --yes", 0);
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn invert(path: &Path, pixel: usize) {
    let picture = Picture::read(path).unwrap();
    let mut bytes = picture.samples8().into_owned();
    for sample in &mut bytes[pixel * 4..pixel * 4 + 3] {
        *sample = !*sample;
    }
    Picture::from_rgba8(picture.width(), picture.height(), bytes).unwrap().write(path).unwrap();
}

pub(super) fn turn(path: &Path) {
    let picture = Picture::read(path).unwrap();
    let rows: Vec<u8> =
        picture.samples8().chunks_exact(4 * picture.width() as usize).rev().flatten().copied().collect();
    Picture::from_rgba8(picture.width(), picture.height(), rows).unwrap().write(path).unwrap();
}

impl Folder {
    /// Goldens, and in `drawn` pictures of a backend: one of another moment, one upside down and one that is right.
    pub(super) fn with_wrong_pictures() -> Self {
        let folder = Self::with_goldens();
        fs::create_dir_all(folder.path("drawn")).unwrap();
        let manifest = fs::read_to_string(folder.path("golden/manifest.toml")).unwrap();
        fs::write(folder.path("drawn/manifest.toml"), manifest.replace("time = 0.3", "time = 0.4")).unwrap();
        folder.expect("golden bless front --folder drawn --yes", 0);
        for right in ["side.png", "views/joints.png"] {
            fs::create_dir_all(folder.path("drawn/views")).unwrap();
            fs::copy(folder.path("golden").join(right), folder.path("drawn").join(right)).unwrap();
        }
        turn(&folder.path("drawn/side.png"));
        folder
    }
}

#[test]
fn a_new_golden_is_blessed_checked_and_a_change_is_shown_before_it_is_kept() {
    let folder = Folder::with_goldens();
    let text = folder.expect("golden check", 0);
    assert!(text.contains("same: 3 pictures"), "{text}");
    let list = folder.expect("golden list views", 0);
    assert!(list.contains("views/joints") && list.contains("1.00   0.00   0.00 %"), "one colour a pixel: {list}");

    let golden = folder.path("golden/front.png");
    let original = fs::read(&golden).unwrap();
    invert(&golden, 1000);
    let text = folder.expect("golden check", 1);
    assert!(text.contains("DIFFERENT: front") && text.contains("exact: 1 of 3072 pixels differ"), "{text}");
    let damaged = fs::read(&golden).unwrap();
    let text = folder.expect("golden bless", 2);
    assert!(text.contains("changed:  front") && text.contains("add --yes"), "{text}");
    assert_eq!(fs::read(&golden).unwrap(), damaged, "nobody said yes");
    let text = folder.expect("golden bless --yes", 0);
    assert!(text.contains("1 of 3 goldens written"), "{text}");
    assert_eq!(fs::read(&golden).unwrap(), original);
    assert!(folder.expect("golden bless", 0).contains("nothing to write"));
}

#[test]
fn a_comparison_that_is_asked_says_what_explains_each_wrong_picture() {
    let folder = Folder::with_wrong_pictures();
    let plain = folder.expect("compare golden drawn", 1);
    assert!(plain.contains("DIFFERENT: front") && plain.contains("DIFFERENT: side"), "{plain}");
    assert!(!plain.contains("--time 0.4") && !plain.contains("y-flipped"), "nobody asked: {plain}");
    let text = folder.expect("compare golden drawn --diagnose --report page --junit results.xml", 1);
    let results = fs::read_to_string(folder.path("results.xml")).unwrap();
    let page = fs::read_to_string(folder.path("page/index.html")).unwrap();
    for (what, said) in [("text", &text), ("JUnit", &results), ("page", &page)] {
        for answer in ["it is right with --time 0.4", "y-flipped: 0 of 3,072 pixels unexplained"] {
            assert_eq!(said.matches(answer).count(), 1, "{answer} in the {what}: {said}");
        }
    }
    // Two pictures of each of two hypotheses, beside four of each case that is wrong and three of the one that is not.
    for hypothesis in [r#""name":"--time 0.4"}]"#, r#""name":"y-flipped"}]"#] {
        assert!(page.contains(hypothesis), "{hypothesis}: {page}");
    }
    assert_eq!(page.matches(r#"["hypothesis-0","data:image/png;base64,"#).count(), 2);
    assert_eq!(page.matches(r#"["hypothesis-0-difference","data:image/png;base64,"#).count(), 2);

    // They are kept where reports are joined.
    folder.expect("report merge page -o all", 1);
    let page = fs::read_to_string(folder.path("all/index.html")).unwrap();
    assert_eq!(page.matches(r#"["hypothesis-0","data:image/png;base64,"#).count(), 2);

    // Where nothing says what a golden shows there is no answer, and the way to one.
    fs::copy(folder.path("golden/front.png"), folder.path("alone.png")).unwrap();
    let text = folder.expect("compare alone.png drawn/front.png --diagnose", 1);
    assert!(text.contains("`refrast diagnose SCENE --candidate drawn/front.png`"), "{text}");
}

#[test]
fn a_golden_that_is_not_what_its_case_asks_for_is_told_as_that() {
    let folder = Folder::with_goldens();
    turn(&folder.path("golden/side.png"));
    let text = folder.expect("golden check --diagnose", 1);
    assert!(text.contains("DIFFERENT: side") && text.contains("nothing to explain"), "{text}");
    assert!(text.contains("the golden is another picture"), "{text}");
}

#[test]
fn shards_share_the_cases_and_their_reports_are_joined() {
    let folder = Folder::with_goldens();
    invert(&folder.path("golden/side.png"), 5);
    let first = folder.expect("golden check --shard 1/2 -o one --json", 0);
    let second = folder.expect("golden check --shard 2/2 -o two", 1);
    assert!(first.contains("\"front\"") && first.contains("views/joints") && !first.contains("\"side\""), "{first}");
    assert!(second.contains("DIFFERENT: side"), "{second}");
    let text = folder.expect("report merge one/report two/report/index.html -o all", 1);
    assert!(text.contains("different: all"), "{text}");
    folder.expect("report merge one/report two/report -o all --markdown all.md", 1);
    let table = fs::read_to_string(folder.path("all.md")).unwrap();
    assert!(table.starts_with("**DIFFERENT**: 1 different, 0 with errors, 2 same\n"), "{table}");
    assert!(table.ends_with("| side | different | exact: 1 of 3072 pixels differ |\n"), "{table}");
    let page = fs::read_to_string(folder.path("all/index.html")).unwrap();
    let place = |name: &str| page.find(&format!(">{name}<")).unwrap();
    assert!(place("side") < place("front") && place("side") < place("views/joints"), "what fails comes first");
    assert_eq!(page.matches("data:image/png;base64,").count(), 3);
    fs::write(folder.path("other.html"), "<html>").unwrap();
    assert!(folder.expect("report merge other.html -o all", 2).contains("not a report of refrast"));
}

#[test]
fn another_renderer_is_asked_for_each_case_and_its_failures_are_told() {
    let folder = Folder::with_goldens();
    let program = env!("CARGO_BIN_EXE_refrast");
    let text = folder.expect("golden check front --against false{out}", 2);
    assert!(text.contains("can not be started"), "{text}");
    let command =
        format!("{program} render mannequin --animation Walk --time 0.3 --size 48x64 --camera orbit:0,0 -o {{out}}");
    // No shell: the words of the command are one argument here.
    let check = |words: &[&str]| {
        let mut process = Command::new(program);
        process.args(["golden", "check"]).args(words).args(["--against", &command]).current_dir(&folder.0);
        let output = process.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // One moment fills the picture more than the whole clip does: another picture.
    let (status, text) = check(&["side"]);
    assert!(status == Some(1) && text.contains("DIFFERENT: side"), "{text}");
    let json = fs::read_to_string(folder.path("refrast-out/golden/candidates/side.json")).unwrap();
    let case: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&case["width"], &case["convention"], &case["animation"]),
        (&48.into(), &"opengl".into(), &"Walk".into())
    );
    assert_eq!(case["projection"].as_array().unwrap().len(), 16);
    let text = folder.expect("golden check --against nothing", 2);
    assert!(text.contains("{out}"), "{text}");
}

#[test]
fn what_is_wrong_with_a_case_names_the_case_the_key_and_the_remedy() {
    let folder = Folder::new();
    let text = folder.expect("golden check", 2);
    assert!(text.contains("golden/manifest.toml") && text.contains("refrast golden new"), "{text}");
    let text = folder.expect("golden new a mannequin --shading pbr", 2);
    assert!(text.contains("--shading") && text.contains("`pbr`") && text.contains("wireframe"), "{text}");
    assert!(!folder.path("golden/manifest.toml").exists(), "nothing is added that can not be drawn");
    fs::create_dir_all(folder.path("golden")).unwrap();
    let manifest = "# Ours.\n[[case]]\nname = \"a\"\nscene = \"absent.glb\"\n\n[[case]]\nname = \"b\"\nscene = \"mannequin\"\nsize = \"8x8\"\n";
    fs::write(folder.path("golden/manifest.toml"), manifest).unwrap();
    let text = folder.expect("golden bless --yes", 2);
    assert!(text.contains("error:    a: case `a`: scene:") && text.contains("1 of 2 goldens written"), "{text}");
    folder.expect("golden new c mannequin --size 8x8", 0);
    let kept = fs::read_to_string(folder.path("golden/manifest.toml")).unwrap();
    assert!(kept.starts_with(manifest) && kept.contains("name = \"c\""), "{kept}");
    assert!(folder.expect("golden new c mannequin", 2).contains("another case of this name"));
    assert!(folder.expect("golden check nobody", 2).contains("no case is selected"));
    let manifest = "[[case]]\nname = \"d\"\nscene = \"mannequin\"\nshading = \"pbr\"\n";
    fs::write(folder.path("golden/manifest.toml"), manifest).unwrap();
    let text = folder.expect("golden bless --yes", 2);
    assert!(text.contains("case `d`: shading:") && text.contains("wireframe"), "{text}");
}

#[test]
fn a_case_of_a_vertex_program_is_left_out_where_nobody_else_can_draw_it() {
    let folder = Folder::with_goldens();
    let manifest = folder.path("golden/manifest.toml");
    let program =
        "[[case]]\nname = \"old\"\nscene = \"mannequin\"\nsize = \"48x64\"\nskinning = \"program:bone_offset_4\"\n";
    let cases = fs::read_to_string(&manifest).unwrap() + program;
    fs::write(&manifest, cases).unwrap();
    folder.expect("golden bless --yes old", 0);
    assert!(folder.expect("golden check", 0).contains("4 cases: 4 same"));

    let packed = folder.expect("golden pack -o pack", 0);
    assert!(packed.contains("left out") && packed.contains("old") && packed.contains("3 cases written"), "{packed}");
    let varied = folder.expect("golden vary --profile exact", 0);
    assert!(varied.contains("left out") && varied.contains("views/joints") && !varied.contains("| old"), "{varied}");
    // Whoever asks for it by name is told why not.
    let refused = folder.expect("golden pack old -o other", 2);
    assert!(refused.contains("a vertex program can not be packed"), "{refused}");
    assert!(folder.expect("golden vary old", 2).contains("no other machine for vertex programs"));
}

#[test]
fn an_assertion_holds_what_it_should_and_leaves_a_report_otherwise() {
    let folder = Folder::new();
    let golden = Picture::from_rgba8(8, 8, [[90, 80, 70, 255]; 64].concat()).unwrap();
    fs::create_dir_all(folder.path("golden")).unwrap();
    golden.write(&folder.path("golden/a.png")).unwrap();
    let mut bytes = golden.samples8().into_owned();
    bytes[40] += 1;
    let candidate = Picture::from_rgba8(8, 8, bytes.clone()).unwrap();
    let check = |picture: &Picture, drawn_by| check_against_golden(&folder.0, "a", picture, drawn_by);
    assert_eq!(check(&golden, DrawnBy::Refrast), Ok(()));
    let message = check(&candidate, DrawnBy::Refrast).unwrap_err();
    assert!(message.contains("1 of 64 pixels differ") && message.contains("REFRAST_BLESS=1"), "{message}");
    assert!(folder.path("target/refrast/a/index.html").exists());
    assert_eq!(check(&candidate, DrawnBy::Anybody), Ok(()), "nobody sees one step");

    let mut rows = Vec::new();
    for _ in 0..8 {
        let mut row = EnvelopeRow::with_capacity(8);
        (0..8).for_each(|_| row.push([90, 80, 70, 255], &mut vec![PixelBox::exact([90, 80, 70, 255])]));
        rows.push(row);
    }
    let envelope = Envelope::new(&golden, "exact", PixelBox::exact([0; 4]), rows).unwrap();
    envelope.write(&golden, &EnvelopeFile::path_of(&folder.path("golden/a.png"))).unwrap();
    let message = check(&candidate, DrawnBy::Anybody).unwrap_err();
    assert!(message.contains("envelope: 1 outside of 64 pixels, up to 1 steps"), "{message}");
    assert!(check_against_golden(&folder.0, "absent", &golden, DrawnBy::Anybody).unwrap_err().contains("no golden"));
}

#[test]
fn the_macro_compares_with_the_golden_of_this_package() {
    let golden = Picture::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/walk-front.png")).unwrap();
    refrast::assert_golden!(&golden.samples8(), golden.width(), golden.height(), "walk-front");
    let mut bytes = golden.samples8().into_owned();
    bytes[..4].copy_from_slice(&[255; 4]);
    let failed = std::panic::catch_unwind(|| refrast::assert_golden!(&bytes, 320, 400, "walk-front"));
    let message = *failed.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("DIFFERENT: walk-front") && message.contains("report:"), "{message}");
}
