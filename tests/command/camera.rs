//! One camera for one word: whatever command it is said to, and whatever else is asked for.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use refrast::{golden::Picture, skinning::SkinningMethod};
use serde_json::Value;

/// A folder of this test's own, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("refrast-camera-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let program = env!("CARGO_BIN_EXE_refrast");
        Command::new(program).args(arguments).current_dir(&self.0).output().expect("the program starts")
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    fn fail(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).expect("text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The matrices of a text that begins with a JSON object.
fn matrices(json: &str) -> [Vec<f64>; 2] {
    let value = serde_json::Deserializer::from_str(json).into_iter::<Value>().next().expect("a value").expect("JSON");
    ["view", "projection"].map(|key| {
        let numbers = value[key].as_array().expect("sixteen numbers");
        // As f32: what is printed may be longer in one place than in another.
        numbers.iter().map(|number| f64::from(number.as_f64().expect("a number") as f32)).collect()
    })
}

const SIZE: [&str; 2] = ["--size", "60x80"];
const WORDS: [&[&str]; 3] = [
    &["--camera", "orbit:30,10"],
    &["--camera", "orbit:-70,40", "--fov", "50", "--target", "0,1.5,0"],
    &["--eye", "2,1.5,-2", "--up", "0.2,1,0", "--near", "0.5", "--far", "40"],
];

/// A case of a folder of goldens as it is handed to another renderer.
fn golden_case(folder: &Folder, name: &str, words: &[&str]) -> String {
    folder.succeed(&[&["golden", "new", name, "mannequin", "--folder", name], words].concat());
    folder.succeed(&["golden", "bless", "--folder", name, "--yes"]);
    // Not a renderer: what it is told takes the place of the picture.
    folder.run(&["golden", "check", "--folder", name, "-o", "out", "--against", "cp {case} {out}"]);
    fs::read_to_string(folder.0.join(format!("out/candidates/{name}.png"))).expect("the case was handed over")
}

#[test]
fn the_same_words_are_the_same_matrices_in_every_command_with_every_method() {
    let folder = Folder::new("words");
    let clip = ["--animation", "Flex"];
    for (number, camera) in WORDS.iter().enumerate() {
        let mut expected = None;
        let mut check = |found: [Vec<f64>; 2], what: &str| {
            let expected = expected.get_or_insert_with(|| found.clone());
            assert_eq!(*expected, found, "{camera:?}: {what}");
        };
        for (place, method) in SkinningMethod::ALL.into_iter().enumerate() {
            let time = ["--time", ["0", "0.7", "1.9"][place % 3]];
            let influences: &[&str] = if place % 2 == 0 { &[] } else { &["--max-influences", "1"] };
            let how = [&["--skinning", method.name()], influences, &clip, &time, &SIZE, camera].concat();
            let out = ["-o", "out.png", "--print-camera"];
            check(matrices(&folder.succeed(&[&["render", "mannequin"], &how[..], &out].concat())), method.name());
            if place < 3 {
                let name = format!("case-{number}-{place}");
                check(matrices(&golden_case(&folder, &name, &how)), "golden");
            }
            if place == 1 {
                // The reference's own picture needs no explanation where the camera is the same, and only there.
                let picture = ["--candidate", "out.png", "--profile", "exact"];
                let said = folder.succeed(&[&["diagnose", "mannequin"], &how[..], &picture].concat());
                assert!(said.contains("nothing to explain"), "{camera:?}: {said}");
            }
            // In turns, so that each of the two is asked with every method.
            if cfg!(feature = "window") && (number + place) % 2 == 1 {
                let window = ["--no-panels", "--screenshot", "window.png"];
                folder.succeed(&[&["view", "mannequin"], &how[..], &window].concat());
                let hash =
                    |name: &str| Picture::read(&folder.0.join(name)).expect("a picture was written").content_hash();
                assert_eq!(hash("window.png"), hash("out.png"), "{camera:?}: {method} in the window");
                continue;
            }
            let vertices = ["-o", "out.csv", "--matrices", "matrices.json"];
            folder.succeed(&[&["vertices", "mannequin"], &how[..], &vertices].concat());
            check(
                matrices(&fs::read_to_string(folder.0.join("matrices.json")).expect("they were written")),
                "vertices",
            );
        }
        let frames = ["--fps", "4", "--range", "0.5..1", "-o", "frames", "--print-camera"];
        let how = [&clip[..], &SIZE, camera, &frames].concat();
        check(matrices(&folder.succeed(&[&["render", "mannequin"], &how[..]].concat())), "a part of the clip");
    }
}

#[test]
fn a_time_needs_a_clip_and_is_told_which_there_are() {
    let folder = Folder::new("time");
    let clips = ["--animation NAME|INDEX", "'Walk'", "'Flex'"];
    let mut commands: Vec<&[&str]> = vec![
        &["render", "mannequin", "-o", "a.png", "--time", "0.5"],
        &["vertices", "mannequin", "-o", "a.npy", "--time", "0.5"],
        &["skinning", "mannequin", "--time", "0.5"],
        &["diagnose", "mannequin", "--candidate", "a.png", "--time", "0.5"],
    ];
    if cfg!(feature = "window") {
        commands.push(&["view", "mannequin", "--screenshot", "a.png", "--time", "0.5"]);
    }
    for command in commands {
        let said = folder.fail(command);
        assert!(said.contains("--time is a time of a clip") && clips.iter().all(|clip| said.contains(clip)), "{said}");
    }
    let said = folder.fail(&["render", "mannequin", "-o", "a", "--fps", "10"]);
    assert!(said.contains("--fps is a time of a clip") && clips.iter().all(|clip| said.contains(clip)), "{said}");
    let said = folder.fail(&["golden", "new", "a", "mannequin", "--time", "0.5"]);
    assert!(said.contains("add animation = \"NAME\"; there are") && said.contains("'Walk'"), "{said}");
    assert!(!Path::new(&folder.0.join("golden")).exists(), "what can not be drawn is not added");
}

#[test]
fn camera_files_that_are_none_are_told_with_what_to_do() {
    let folder = Folder::new("files");
    let printed = folder.succeed(&["render", "mannequin", "-o", "a.png", "--print-camera", "--size", "32x32"]);
    let [view, projection] = matrices(&printed);
    let transposed = |matrix: &[f64]| -> Vec<f64> { (0..16).map(|place| matrix[place % 4 * 4 + place / 4]).collect() };
    let write = |view: &[f64], projection: &[f64]| {
        let json = serde_json::json!({ "view": view, "projection": projection });
        fs::write(folder.0.join("camera.json"), json.to_string()).expect("the folder is writable");
    };
    let render = ["render", "mannequin", "-o", "b.png", "--size", "32x32", "--camera", "camera.json"];
    write(&view, &projection);
    folder.succeed(&render);
    write(&transposed(&view), &transposed(&projection));
    let said = folder.fail(&render);
    assert!(said.contains("camera.json: not a camera file") && said.contains("transpose both"), "{said}");
    write(&[0.0; 16], &projection);
    assert!(folder.fail(&render).contains("all numbers of `view` are 0"));
    write(&view, &projection);
    let said = folder.fail(&[&render[..], &["--fov", "40"]].concat());
    assert!(said.contains("camera.json has its own") && said.contains("--eye, --target and --fov"), "{said}");
}
