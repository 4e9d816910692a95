//! The commands as a user types them: exit codes, files, what is said.

use crate::folder::Folder;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use refrast::golden::Picture;

fn refrast(folder: &Folder, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_refrast");
    Command::new(program).args(arguments).current_dir(&folder.0).output().expect("the program starts")
}

fn succeed(folder: &Folder, arguments: &[&str]) -> String {
    let output = refrast(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Runs what must end with exit code 2, and gives what it said.
fn fail(folder: &Folder, arguments: &[&str]) -> String {
    let output = refrast(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn png_files(folder: &Path) -> usize {
    fs::read_dir(folder).expect("the folder is there").filter_map(Result::ok).count()
}

const SMALL: [&str; 2] = ["--size", "64x64"];

#[test]
fn plain_refrast_renders_the_demo_and_finds_its_golden() {
    let folder = Folder::new("demo");
    // What `refrast golden check` leaves where nothing else is said is none of the demo's business.
    let left = folder.path("refrast-out/golden/candidates");
    fs::create_dir_all(&left).expect("the folder is writable");
    fs::write(left.join("view-uv.png"), "").expect("the folder is writable");
    succeed(&folder, &[]);
    assert!(folder.path("refrast-out/candidate/demo.png").exists());
    assert!(folder.path("refrast-out/report/index.html").exists());
    assert_eq!(png_files(&folder.path("refrast-out/walk")), 33);
    assert_eq!(png_files(&folder.path("refrast-out/views")), 5);
    // The picture of the README, to the bit.
    let kept = Picture::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/stage.png")).expect("it is kept");
    let stage = Picture::read(&folder.path("refrast-out/stage.png")).expect("it is written");
    assert!(stage == kept, "the stage is another picture");
}

#[test]
fn render_writes_one_frame_or_a_folder_of_them() {
    let folder = Folder::new("render");
    let hash = succeed(&folder, &["render", "mannequin", "-o", "one.png", "--hash", SMALL[0], SMALL[1]]);
    assert!(hash.ends_with("  one.png\n") && hash.len() == "0123456789abcdef  one.png\n".len(), "{hash}");
    let slowest = refrast::simd::SimdLevel::available().next().unwrap().name();
    let again = ["render", "mannequin", "-o", "two.png", "--hash", "--simd", slowest, "--threads", "3"];
    let again = succeed(&folder, &[&again[..], &SMALL].concat());
    assert_eq!(hash[..16], again[..16], "the hash depends on the pixels alone");

    // Half-open: 0, 0.1, … 0.4 s.
    let walk = ["render", "mannequin", "--animation", "Walk", "--fps", "10", "--range", "0..0.5", "-o", "walk"];
    succeed(&folder, &[&walk[..], &SMALL].concat());
    assert_eq!(png_files(&folder.path("walk")), 5);
}

#[test]
fn a_printed_camera_gives_the_same_picture() {
    let folder = Folder::new("camera");
    let pose = ["render", "mannequin", "--animation", "Flex", "--time", "1.5", "--hash", SMALL[0], SMALL[1]];
    let orbit = ["--camera", "orbit:40,-10,2.5", "--print-camera", "-o", "a.png"];
    let printed = succeed(&folder, &[&pose[..], &orbit].concat());
    let (json, hash) = printed.split_at(printed.rfind("}\n").expect("a camera") + 2);
    fs::write(folder.path("camera.json"), json).expect("the folder is writable");
    let again = succeed(&folder, &[&pose[..], &["--camera", "camera.json", "-o", "b.png"]].concat());
    assert_eq!(hash[..16], again[..16]);
    let moved = succeed(&folder, &[&pose[..], &["--camera", "orbit:41,-10,2.5", "-o", "c.png"]].concat());
    assert_ne!(hash[..16], moved[..16]);
}

#[test]
fn info_tells_people_and_programs_what_is_in_a_file() {
    let folder = Folder::new("info");
    let table = succeed(&folder, &["info", "mannequin"]);
    for part in ["85 joints", "'Walk'", "'Suit'", "occlusion, material", "smile, blink, surprise"] {
        assert!(table.contains(part), "{part} is missing:\n{table}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&succeed(&folder, &["info", "mannequin", "--json"])).expect("JSON");
    assert_eq!(json["skins"][0]["joints"], 85);
    assert_eq!(json["animations"][0]["name"], "Walk");
    assert_eq!(json["meshes"][0]["primitives"][0]["occlusion"], true);
}

#[test]
fn compare_tells_same_from_different_from_broken() {
    let folder = Folder::new("compare");
    for (name, time) in [("a.png", "0"), ("b.png", "0.4")] {
        let render = ["render", "mannequin", "--animation", "Walk", "--time", time, "-o", name, SMALL[0], SMALL[1]];
        succeed(&folder, &render);
    }
    let code =
        |golden, candidate, metric| refrast(&folder, &["compare", golden, candidate, "--metric", metric]).status.code();
    assert_eq!(code("a.png", "a.png", "exact"), Some(0));
    assert_eq!(code("a.png", "b.png", "exact"), Some(1));
    assert_eq!(code("a.png", "b.png", "threshold"), Some(1));
    assert_eq!(code("a.png", "missing.png", "exact"), Some(2));
    fs::write(folder.path("broken.png"), b"not a picture").expect("the folder is writable");
    assert_eq!(code("a.png", "broken.png", "exact"), Some(2));
}

#[test]
fn compare_tells_programs_what_it_tells_people() {
    let folder = Folder::new("compare-programs");
    for side in ["golden", "candidate"] {
        fs::create_dir_all(folder.path(side)).expect("the folder is writable");
    }
    let write = |name: &str, green: u8| {
        let samples: Vec<u8> = (0..12).flat_map(|i| [10 * i, if i == 6 { green } else { 20 }, 9, 255]).collect();
        let picture = Picture::from_rgba8(4, 3, samples).expect("four samples a pixel");
        picture.write(&folder.path(name)).expect("the folder is writable");
    };
    for name in ["a.png", "b.png", "c.png"] {
        write(&format!("golden/{name}"), 20);
    }
    write("candidate/a.png", 20);
    write("candidate/b.png", 23);
    fs::write(folder.path("candidate/c.png"), b"not a picture").expect("the folder is writable");
    let arguments = ["compare", "golden", "candidate", "--metric", "exact", "--json", "--junit", "junit.xml"];
    let output = refrast(&folder, &arguments);
    assert_eq!(output.status.code(), Some(2));

    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("standard output is JSON");
    assert_eq!((&json["verdict"], &json["metric"]), (&"error".into(), &"exact".into()));
    let verdicts = [0, 1, 2].map(|case| json["cases"][case]["verdict"].as_str().unwrap_or_default());
    assert_eq!(verdicts, ["same", "different", "error"]);
    let measurement = &json["cases"][1]["measurement"];
    assert_eq!((&measurement["differing"], &measurement["counted"]), (&1.into(), &12.into()));
    // The seventh pixel of rows of four.
    assert_eq!(measurement["channels"]["first"], serde_json::json!([2, 1]));
    assert_eq!(measurement["channels"]["largest"], serde_json::json!([0, 3, 0, 0]));

    let xml = fs::read_to_string(folder.path("junit.xml")).expect("it was written");
    let report = quick_junit::Report::deserialize_from_str(&xml).expect("it is JUnit XML");
    assert_eq!((report.tests, report.failures, report.errors), (3, 1, 1));
    let cases = &report.test_suites[0].test_cases;
    assert_eq!([0, 1, 2].map(|case| cases[case].name.as_str()), ["a.png", "b.png", "c.png"]);
    let said = [1, 2].map(|case| match &cases[case].status {
        quick_junit::TestCaseStatus::NonSuccess { message, .. } => message.as_deref().unwrap_or_default(),
        _ => "",
    });
    assert!(said[0].contains("1 of 12 pixels differ") && said[1].contains("not a PNG file"), "{said:?}");
}

/// A device without an end is no picture and no vertex file; a pipe may be one.
#[cfg(unix)]
#[test]
fn compare_reads_pipes_and_does_not_read_for_ever() {
    use std::{io::Write, process::Stdio};

    let folder = Folder::new("compare-pipes");
    let picture = Picture::from_rgba8(1, 1, [1, 2, 3, 255]).expect("four samples a pixel");
    picture.write(&folder.path("a.png")).expect("the folder is writable");
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.npy")).expect("the folder is writable");
    let zero = refrast(&folder, &["compare", "/dev/zero", "a.png"]);
    assert_eq!(zero.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&zero.stdout).contains("/dev/zero: not a PNG file"));
    assert!(fail(&folder, &["compare", "zero.npy", "zero.npy"]).contains("zero.npy: not a vertex file"));

    let mut compare = Command::new(env!("CARGO_BIN_EXE_refrast"));
    compare.args(["compare", "a.png", "/dev/stdin"]).current_dir(&folder.0);
    let mut compare = compare.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the program starts");
    let bytes = fs::read(folder.path("a.png")).expect("it was written");
    let mut pipe = compare.stdin.take().expect("it is piped");
    pipe.write_all(&bytes).expect("the program reads");
    drop(pipe);
    assert_eq!(compare.wait().expect("it ends").code(), Some(0));
}

#[test]
fn errors_name_the_thing_and_the_remedy() {
    let folder = Folder::new("errors");
    let render = |more: &[&str]| fail(&folder, &[&["render"], more].concat());
    for (more, parts) in [
        (&["nosuch.glb", "-o", "x.png"][..], &["nosuch.glb", "check the path"][..]),
        (&["mannequin", "-o", "x.png", "--animation", "Dance"], &["Dance", "'Walk'"]),
        (&["mannequin", "-o", "x.png", "--size", "0x9"], &["0×9", "1 to"]),
        (&["mannequin", "-o", "x.png", "--size", "64"], &["1280x720"]),
        (&["mannequin", "-o", "x.png", "--simd", "mmx"], &["mmx", "auto"]),
        (&["mannequin", "-o", "x.jpg", "--animation", "Walk", "--fps", "10"], &["x.jpg", "a folder", ".gif"]),
        (&["mannequin", "-o", "x.png", "--camera", "orbit:1"], &["orbit:YAW,PITCH"]),
        (&["mannequin", "-o", "x.png", "--camera", "nosuch.json"], &["nosuch.json"]),
        (&["mannequin", "-o", "x.png", "--subpixel-bits", "3"], &["4..=16"]),
    ] {
        let said = render(more);
        assert!(parts.iter().all(|part| said.contains(part)), "{more:?} said: {said}");
    }
    assert!(!folder.path("x.png").exists(), "a failed command leaves no file");
}

#[test]
fn skinning_methods_are_measured_and_vertices_written_by_any_of_them() {
    let folder = Folder::new("skinning");
    let table = succeed(&folder, &["skinning", "mannequin", "--skinning", "rigid", "--max-influences", "2", "--json"]);
    let lines: serde_json::Value = serde_json::from_str(&table).expect("JSON");
    // Of one joint the inverse transpose is the same by either way, so two modes are left of three.
    let modes: Vec<_> = lines.as_array().expect("a list").iter().map(|line| line["normals"].as_str()).collect();
    assert_eq!(modes, [Some("inverse-transpose"), Some("rotation-only")]);
    for line in lines.as_array().expect("a list") {
        assert_eq!(line["error"]["outside"], 0, "{line}");
        assert!(line["error"]["ratio"].as_f64().expect("a number") <= 1.0, "{line}");
    }

    let written = |name: &str, options: &[&str]| {
        let mut arguments = vec!["vertices", "mannequin", "--animation", "Flex", "--time", "1"];
        arguments.extend(options.iter().chain(&["-o", name]));
        succeed(&folder, &arguments);
    };
    written("linear.npy", &[]);
    written("per-joint.npy", &["--skinning", "linear-per-joint"]);
    written("dual.npy", &["--skinning", "dual-quaternion", "--normals", "rotation-only", "--max-influences", "2"]);
    succeed(&folder, &["compare", "linear.npy", "per-joint.npy"]);
    assert_eq!(refrast(&folder, &["compare", "linear.npy", "dual.npy"]).status.code(), Some(1));
    let unknown = fail(&folder, &["vertices", "mannequin", "--skinning", "lineal", "-o", "x.npy"]);
    assert!(unknown.contains("linear-per-joint"), "{unknown}");
}

#[test]
fn an_option_that_says_nothing_of_vertices_is_refused() {
    let folder = Folder::new("compare-vertices");
    succeed(&folder, &["vertices", "mannequin", "-o", "a.npy"]);
    succeed(&folder, &["compare", "a.npy", "a.npy", "--threshold", "0"]);
    for option in [
        &["--metric", "exact"][..],
        &["--max-differing", "3"],
        &["--ignore", "0,0,8,8"],
        &["--pixels-per-degree", "60"],
        &["--threads", "1"],
        &["--simd", "auto"],
        &["--junit", "a.xml"],
        &["--report", "report"],
    ] {
        let said = fail(&folder, &[&["compare", "a.npy", "a.npy"], option].concat());
        assert!(said.contains(option[0]) && said.contains("--threshold"), "{option:?} said: {said}");
    }
}

#[test]
fn diagnose_names_a_mistake_or_says_that_it_knows_none() {
    let folder = Folder::new("diagnose");
    // A scene of few vertices: nonsense is answered when everything has been tried.
    let pose = [concat!(env!("CARGO_MANIFEST_DIR"), "/golden/hollow.gltf"), "--size", "96x96"];
    let run = |command: &str, more: &[&str]| refrast(&folder, &[&[command], &pose[..], more].concat());
    // Words go to standard output; beside JSON, and where they are errors, to standard error.
    let said = |output: &Output| String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(run("render", &["-o", "right.png"]).status.success());
    let right = run("diagnose", &["--candidate", "right.png", "--json"]);
    assert_eq!(right.status.code(), Some(0), "{}", said(&right));
    assert!(said(&right).contains("nothing to explain"), "{}", said(&right));
    let json: serde_json::Value = serde_json::from_slice(&right.stdout).expect("JSON");
    assert_eq!((&json["conclusion"], &json["wrong"]), (&"nothing-to-explain".into(), &0.into()));

    // Upside down, as a backend draws it that has the other convention's y.
    let mut picture =
        refrast::golden::Picture::read(&folder.path("right.png")).expect("a picture").samples8().into_owned();
    let rows: Vec<u8> = picture.chunks_exact(4 * 96).rev().flatten().copied().collect();
    let write = |name: &str, bytes: Vec<u8>| {
        let picture = refrast::golden::Picture::from_rgba8(96, 96, bytes).expect("a picture");
        picture.write(&folder.path(name)).expect("the folder is writable");
    };
    write("flipped.png", rows);
    let flipped = run("diagnose", &["--candidate", "flipped.png", "--report", "answered"]);
    assert_eq!(flipped.status.code(), Some(0), "{}", said(&flipped));
    assert!(said(&flipped).contains("y-flipped: 0 of 9,216 pixels unexplained"), "{}", said(&flipped));

    // The page has the answer, and for the golden's place what a backend draws that makes the mistake.
    let page = fs::read_to_string(folder.path("answered/index.html")).expect("a page");
    for said in ["y-flipped: 0 of 9,216 pixels unexplained", r#""name":"y-flipped"}]"#] {
        assert!(page.contains(said), "{said} is not in the page");
    }

    picture.as_chunks_mut::<4>().0.iter_mut().step_by(2).for_each(|pixel| pixel[1] ^= 0x60);
    write("odd.png", picture);
    let odd = run("diagnose", &["--candidate", "odd.png"]);
    assert_eq!(odd.status.code(), Some(1), "{}", said(&odd));
    assert!(said(&odd).contains("none of the"), "{}", said(&odd));
    // Each answer as soon as it is known, in this order.
    let notes = String::from_utf8_lossy(&odd.stderr).into_owned();
    let answers = [" of 9,216 pixels are wrong", "no other options make it right", "no single cause explains it"];
    let places = answers.map(|answer| notes.find(answer).unwrap_or_else(|| panic!("{answer}: {notes}")));
    assert!(places.is_sorted(), "{notes}");

    let other = fail(&folder, &["diagnose", "mannequin", "--size", "64x64", "--candidate", "odd.png"]);
    assert!(other.contains("odd.png") && other.contains("96x96"), "{other}");
}
