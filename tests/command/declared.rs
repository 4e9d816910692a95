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
    assert!(said.contains("walk: right if --resolve stored is declared\n"), "{said}");
    let candidate = ["--profile", "d3d11", "--candidate", "gpu.png"];
    let said = folder.expect(&[&["diagnose", "mannequin"], &what[..], &candidate].concat(), 0);
    assert!(said.contains("\nright if --resolve stored is declared\n"), "{said}");
    let declared = ["--resolve", "stored"];
    let said = folder.expect(&[&["diagnose", "mannequin"], &what[..], &candidate, &declared].concat(), 0);
    assert!(said.contains("nothing to explain"), "{said}");

    fs::write(folder.0.join("golden/manifest.toml"), folder.manifest() + "resolve = \"stored\"\n").expect("writable");
    folder.expect(&["golden", "bless", "--yes"], 0);
    folder.expect(&check, 0);
    // The reference's own picture stays right beside it.
    folder.expect(&["compare", "golden/walk.png", "golden/walk.png"], 0);
    folder.expect(&["golden", "check"], 0);
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
        ("mips = \"driver\"", ["mips", "linear, stored, given"]),
        ("profile = \"webgl\"", ["profile", "webgl2"]),
    ] {
        let said = with(line).expect_err("it is no such word");
        assert!(said.starts_with("case `a`") && parts.iter().all(|part| said.contains(part)), "{said}");
    }
}
