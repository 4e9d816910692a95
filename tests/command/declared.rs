//! What an engine has chosen, as its users say it: in a case, and told where it would make a refused picture right.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use refrast::{
    golden::Picture,
    verify::{
        Declared, Fault, Mips, Profile, Resolve,
        cases::GoldenFolder,
        simulator::{Shot, Simulator, Variation},
    },
};

/// A folder of this test's own, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("refrast-declared-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let program = env!("CARGO_BIN_EXE_refrast");
        Command::new(program).args(arguments).current_dir(&self.0).output().expect("the program starts")
    }

    /// What is said by a command that ends with this status.
    fn expect(&self, arguments: &[&str], status: i32) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        said
    }

    fn manifest(&self) -> String {
        fs::read_to_string(self.0.join("golden/manifest.toml")).expect("there is one")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_refused_picture_is_told_which_choice_makes_it_right_and_is_right_with_it() {
    let folder = Folder::new("resolve");
    let what = ["--animation", "Walk", "--time", "0.3", "--size", "48x64", "--shading", "unlit", "--samples", "4"];
    folder.expect(&[&["golden", "new", "walk", "mannequin", "--profile", "d3d11"], &what[..]].concat(), 0);
    folder.expect(&["golden", "bless", "--yes"], 0);

    // A backend that resolves stored bytes, drawn by what the case says.
    let mut goldens = GoldenFolder::open(&folder.0.join("golden")).expect("it was just made");
    let case = goldens.cases()[0].clone();
    let prepared = goldens.prepare(&case).expect("it was just drawn");
    let shot = Shot { moment: prepared.moment, camera: &prepared.camera, settings: &prepared.settings };
    let simulator = Simulator::new(&prepared.scene).expect("complete textures");
    let frame = simulator.draw(&shot, &Variation::default(), &[Fault::ResolveInSrgb]).expect("it can be drawn");
    let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a picture");
    picture.write(&folder.0.join("gpu.png")).expect("the folder is writable");

    let check = ["golden", "check", "--against", "cp gpu.png {out}"];
    let said = folder.expect(&check, 1);
    assert!(
        said.contains("DIFFERENT: walk\n") && said.contains("\n  right if --resolve stored is declared\n"),
        "{said}"
    );
    let candidate = ["--profile", "d3d11", "--candidate", "gpu.png"];
    let said = folder.expect(&[&["diagnose", "mannequin"], &what[..], &candidate].concat(), 0);
    assert!(said.contains("\nright if --resolve stored is declared\n"), "{said}");
    let declared = ["--resolve", "stored"];
    let said = folder.expect(&[&["diagnose", "mannequin"], &what[..], &candidate, &declared].concat(), 0);
    assert!(said.contains("nothing to explain"), "{said}");

    // The same where the golden's file is compared with, whose case lies in the manifest above it.
    fs::create_dir_all(folder.0.join("gpu")).expect("the folder is writable");
    fs::copy(folder.0.join("gpu.png"), folder.0.join("gpu/walk.png")).expect("the folder is writable");
    for pair in [["golden/walk.png", "gpu.png"], ["golden", "gpu"]] {
        let compare = [&["compare"], &pair[..]].concat();
        let said = folder.expect(&compare, 1);
        assert!(said.contains("\n  right if --resolve stored is declared\n"), "{said}");
        let said = folder.expect(&[&compare[..], &declared].concat(), 0);
        assert!(said.contains("made for it, profile d3d11 --resolve stored\n"), "{said}");
        // Another choice is no excuse for this one, and is said.
        let said = folder.expect(&[&compare[..], &["--anisotropy", "2"]].concat(), 1);
        assert!(said.contains("made for it, profile d3d11 --anisotropy 2\n"), "{said}");
        assert!(said.contains("\n  right if --resolve stored is declared\n"), "{said}");
        let said = folder.expect(&[&compare[..], &["--profile", "webgl2"]].concat(), 0);
        assert!(said.contains("made for it, profile vulkan-min --resolve stored --blend stored\n"), "{said}");
    }
    let junit = ["compare", "golden", "gpu", "--junit", "results.xml", "--report", "report"];
    folder.expect(&junit, 1);
    let results = fs::read_to_string(folder.0.join("results.xml")).expect("it was written");
    assert!(results.contains("right if --resolve stored is declared"), "{results}");
    let page = fs::read_to_string(folder.0.join("report/index.html")).expect("it was written");
    assert!(
        page.contains("right if --resolve stored is declared") && page.contains("triangle"),
        "whose pixels are wrong"
    );

    fs::write(folder.0.join("golden/manifest.toml"), folder.manifest() + "resolve = \"stored\"\n").expect("writable");
    folder.expect(&["golden", "bless", "--yes"], 0);
    folder.expect(&check, 0);
    // The reference's own picture stays right beside it.
    folder.expect(&["compare", "golden/walk.png", "golden/walk.png"], 0);
    folder.expect(&["golden", "check"], 0);
}

#[test]
fn what_is_declared_needs_a_case_that_says_what_the_golden_shows() {
    let folder = Folder::new("unknown");
    folder.expect(&["golden", "new", "a", "mannequin", "--size", "24x24"], 0);
    folder.expect(&["golden", "bless", "--yes"], 0);
    let place = |name: &str| folder.0.join(name);
    for copy in ["plain.png", "gpu.png", "golden/other.png"] {
        fs::copy(place("golden/a.png"), place(copy)).expect("the folder is writable");
    }
    // No folder of goldens around it, and one whose manifest has no such case.
    let declared = ["--resolve", "stored", "--mips", "given"];
    for (golden, why) in [("plain.png", "no manifest.toml above it"), ("golden/other.png", "no case of ")] {
        let said = folder.expect(&[&["compare", golden, "gpu.png"], &declared[..]].concat(), 2);
        let remedy = "`refrast check SCENE gpu.png --resolve stored --mips given`";
        assert!(said.contains(golden) && said.contains(why) && said.contains(remedy), "{said}");
    }
    folder.expect(&[&["compare", "golden/a.png", "gpu.png"], &declared[..]].concat(), 0);
    let said = folder.expect(&[&["compare", "gone.png", "gpu.png"], &declared[..]].concat(), 2);
    assert!(said.contains("gone.png") && !said.contains("manifest"), "{said}");
    let said =
        folder.expect(&["compare", "golden/a.png", "gpu.png", "--metric", "flip", "--dither", "ordered-1lsb"], 2);
    assert!(said.contains("--dither ordered-1lsb") && said.contains("--metric flip"), "{said}");

    // Vertices have bounds of their own.
    folder.expect(&["vertices", "mannequin", "-o", "a.npy"], 0);
    let said = folder.expect(&[&["compare", "a.npy", "a.npy"], &declared[..2]].concat(), 2);
    assert!(said.contains("--resolve stored is for pictures"), "{said}");

    // An envelope of what is drawn now is none of a picture that was drawn once.
    fs::write(place("golden/manifest.toml"), folder.manifest() + "background = \"#000000\"\n").expect("writable");
    let said = folder.expect(&[&["compare", "golden/a.png", "gpu.png"], &declared[..]].concat(), 2);
    assert!(said.contains("case `a`: the golden") && said.contains("refrast golden check"), "{said}");
    // Nobody asked for it: then it is only not known.
    fs::write(place("golden/manifest.toml"), "somebody else's").expect("writable");
    folder.expect(&["compare", "golden/a.png", "gpu.png"], 0);
    let said = folder.expect(&[&["compare", "golden/a.png", "gpu.png"], &declared[..]].concat(), 2);
    assert!(said.contains("not a manifest"), "{said}");
}

#[test]
fn a_target_is_written_as_the_profile_and_the_choices_that_it_stands_for() {
    let folder = Folder::new("target");
    folder.expect(
        &[
            "golden",
            "new",
            "a",
            "mannequin",
            "--size",
            "24x24",
            "--profile",
            "webgl2",
            "--anisotropy",
            "8",
            "--mips",
            "given",
        ],
        0,
    );
    let manifest = folder.manifest();
    for line in
        ["profile = \"vulkan-min\"", "resolve = \"stored\"", "blend = \"stored\"", "anisotropy = 8", "mips = \"given\""]
    {
        assert!(manifest.contains(line), "{manifest}");
    }
    assert!(!manifest.contains("dither") && !manifest.contains("encode"), "{manifest}");
    let mut goldens = GoldenFolder::open(&folder.0.join("golden")).expect("it was just made");
    let case = goldens.cases()[0].clone();
    let prepared = goldens.prepare(&case).expect("it can be drawn");
    assert_eq!((prepared.profile, prepared.declared.anisotropy), (Profile::VulkanMin, 8));
    assert_eq!(prepared.declared.mips, Mips::Given);
    let nothing = Declared::default();
    assert!(prepared.declared.resolve == Resolve::Stored && prepared.declared.dither == nothing.dither);

    // The name of a target may stand in a manifest as well, and words that are none are told with their key.
    let with = |line: &str| {
        let text = format!("[[case]]\nname = \"a\"\nscene = \"mannequin\"\nsize = \"24x24\"\n{line}\n");
        fs::write(folder.0.join("golden/manifest.toml"), text).expect("writable");
        let mut goldens = GoldenFolder::open(&folder.0.join("golden")).expect("it can be read");
        let case = goldens.cases()[0].clone();
        goldens.prepare(&case).map(|prepared| prepared.declared).map_err(|error| error.to_string())
    };
    let webgpu = with("profile = \"webgpu\"\nencode = \"gamma-2.2\"").expect("both are words");
    assert_eq!(webgpu.to_string(), "--resolve stored --blend stored --encode gamma-2.2");
    for (line, parts) in [
        ("resolve = \"bytes\"", ["resolve", "linear, stored"]),
        ("anisotropy = 17", ["anisotropy", "1 to 16"]),
        ("mips = \"driver\"", ["mips", "linear, stored, none, given"]),
        ("profile = \"webgl\"", ["profile", "webgl2"]),
    ] {
        let said = with(line).expect_err("it is no such word");
        assert!(said.starts_with("case `a`") && parts.iter().all(|part| said.contains(part)), "{said}");
    }
}
