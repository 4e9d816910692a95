//! What `refrast render` writes: one frame, many, moving ones, side by side, or bytes; and how the command line helps.

use crate::folder::Folder;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use refrast::golden::Picture;

fn refrast(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrast")).current_dir(folder).args(arguments).output().unwrap()
}

fn render(folder: &Folder, output: &str, options: &[&str]) -> Output {
    let fixed = ["render", "mannequin", "--size", "48x64", "-o", output];
    refrast(&folder.0, &[&fixed[..], options].concat())
}

fn done(folder: &Folder, output: &str, options: &[&str]) {
    let output = render(folder, output, options);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The chunks of a PNG file of this kind, without length and checksum.
fn chunks<'a>(bytes: &'a [u8], kind: &str) -> Vec<&'a [u8]> {
    let (mut found, mut rest) = (Vec::new(), &bytes[8..]);
    while rest.len() >= 12 {
        let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
        if &rest[4..8] == kind.as_bytes() {
            found.push(&rest[8..8 + length]);
        }
        rest = &rest[12 + length..];
    }
    found
}

#[test]
fn a_turntable_plays_as_png_and_as_gif_and_begins_with_the_still() {
    let folder = Folder::new("turntable");
    done(&folder, "still.png", &[]);
    done(&folder, "turn.png", &["--turntable", "4"]);
    done(&folder, "turn.gif", &["--turntable", "4"]);
    done(&folder, "turn.webp", &["--turntable", "4"]);
    done(&folder, "turn", &["--turntable", "4"]);
    let bytes = fs::read(folder.path("turn.png")).unwrap();
    // acTL: the number of frames, and 0 for ever; fcTL: a twenty-fourth of a second.
    assert_eq!(chunks(&bytes, "acTL"), [&[0, 0, 0, 4, 0, 0, 0, 0]]);
    let delays: Vec<&[u8]> = chunks(&bytes, "fcTL").iter().map(|control| &control[20..24]).collect();
    assert_eq!(delays, [&[0, 1, 0, 24]; 4]);
    let still = Picture::read(&folder.path("still.png")).unwrap();
    assert_eq!(Picture::read(&folder.path("turn.png")).unwrap().samples8(), still.samples8());
    // A quarter of a turn further stands the camera of that orbit.
    done(&folder, "quarter.png", &["--camera", "orbit:115,8"]);
    let frame = |name: &str| Picture::read(&folder.path(name)).unwrap();
    assert_eq!(frame("turn/frame_00001.png"), frame("quarter.png"));
    assert_eq!(&fs::read(folder.path("turn.gif")).unwrap()[..10], b"GIF89a\x30\x00\x40\x00");
    let webp = fs::read(folder.path("turn.webp")).unwrap();
    assert_eq!((&webp[..4], &webp[8..16]), (&b"RIFF"[..], &b"WEBPVP8X"[..]));
    assert_eq!((webp.windows(4).filter(|name| name == b"ANMF").count(), webp[20] & 2), (4, 2));
}

#[test]
fn a_sheet_holds_the_frames_of_a_clip() {
    let folder = Folder::new("sheet");
    done(&folder, "sheet.png", &["--animation", "Walk", "--contact-sheet", "3x2"]);
    let sheet = Picture::read(&folder.path("sheet.png")).unwrap();
    assert_eq!(sheet.size(), (144, 128));
    // The fourth frame, first of the second row, is the middle of the clip.
    let info = refrast(&folder.0, &["info", "mannequin", "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    let clips = info["animations"].as_array().unwrap();
    let walk = clips.iter().find(|clip| clip["name"] == "Walk").unwrap();
    let middle = (walk["duration"].as_f64().unwrap() / 2.0).to_string();
    done(&folder, "middle.png", &["--animation", "Walk", "--time", &middle]);
    let middle = Picture::read(&folder.path("middle.png")).unwrap();
    for y in 0..64 {
        for x in 0..48 {
            assert_eq!(sheet.pixel(x, 64 + y), middle.pixel(x, y), "{x}, {y}");
        }
    }
    let refused = render(&folder, "sheet.gif", &["--animation", "Walk", "--contact-sheet", "3x2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("a sheet of 3x2 holds 6 frames in one .png"), "{}", text(&refused.stderr));
    let no_clip = render(&folder, "sheet.png", &["--contact-sheet", "3x2"]);
    assert!(text(&no_clip.stderr).contains("--contact-sheet is a time of a clip"), "{}", text(&no_clip.stderr));
}

#[test]
fn raw_frames_go_to_standard_output() {
    let folder = Folder::new("raw");
    done(&folder, "walk", &["--animation", "Walk", "--fps", "10", "--range", "0..0.3"]);
    let raw = render(&folder, "-", &["--animation", "Walk", "--fps", "10", "--range", "0..0.3"]);
    assert!(raw.status.success(), "{}", text(&raw.stderr));
    let frames: Vec<&[u8]> = raw.stdout.chunks(48 * 64 * 4).collect();
    assert_eq!(frames.len(), 3);
    for (number, frame) in frames.iter().enumerate() {
        let picture = Picture::read(&folder.path(&format!("walk/frame_{number:05}.png"))).unwrap();
        assert_eq!(&picture.samples8()[..], *frame, "frame {number}");
    }
    assert!(!folder.path("-").exists());
}

#[test]
fn names_and_numbers_that_mean_nothing_are_told_before_anything_is_drawn() {
    let folder = Folder::new("refused");
    let said = |output: &str, options: &[&str]| {
        let refused = render(&folder, output, options);
        assert_eq!(refused.status.code(), Some(2), "{output} {options:?}");
        text(&refused.stderr).to_owned()
    };
    assert!(said("walk.jpg", &[]).contains("walk.jpg: nobody writes .jpg here; name a .png"));
    assert!(!folder.path("walk.jpg").exists());
    assert!(said("a.png", &["--turntable", "4", "--eye", "0,1,3"]).contains("--turntable goes around what is drawn"));
    assert!(said("a.png", &["--turntable", "7", "--contact-sheet", "3x2"]).contains("does not hold the 7 frames"));
    let early = said("a.png", &["--animation", "Walk", "--time", "-1"]);
    assert!(early.contains("write seconds from 0 on, where every clip begins"), "{early}");
    let nobody = said("a.png", &["--threads", "0"]);
    assert!(nobody.contains("write how many, from 1 on; without the option there is one a core"), "{nobody}");
    // After the last key that one holds.
    done(&folder, "last.png", &["--animation", "Walk", "--time", "1000"]);
    done(&folder, "later.png", &["--animation", "Walk", "--time", "2000"]);
    let picture = |name: &str| Picture::read(&folder.path(name)).unwrap();
    assert_eq!(picture("last.png"), picture("later.png"));
    let no_scene = refrast(&folder.0, &["info", "last.png"]);
    assert!(text(&no_scene.stderr).contains("it is a PNG picture and no glTF scene"), "{}", text(&no_scene.stderr));
}

#[test]
fn a_case_is_named_by_paths_as_they_are_seen_from_here() {
    let folder = Folder::new("paths");
    let models = folder.path("models");
    fs::create_dir_all(&models).unwrap();
    let scene = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{}]}"#;
    fs::write(models.join("empty.gltf"), scene).unwrap();
    for (name, path) in [("plain", "models/empty.gltf"), ("dotted", "./models/../models/empty.gltf")] {
        let made = refrast(&folder.0, &["golden", "new", name, path, "--folder", "kept/golden", "--size", "16x16"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let manifest = fs::read_to_string(folder.path("kept/golden/manifest.toml")).unwrap();
        assert!(manifest.contains("scene = \"../../models/empty.gltf\""), "{manifest}");
    }
    let blessed = refrast(&folder.0, &["golden", "bless", "--folder", "kept/golden", "--yes"]);
    assert!(blessed.status.success(), "{}", text(&blessed.stderr));
    let checked = refrast(&folder.0, &["golden", "check", "--folder", "kept/golden"]);
    assert_eq!(checked.status.code(), Some(0), "{}{}", text(&checked.stdout), text(&checked.stderr));
}

#[test]
fn shells_and_readers_get_the_command_line() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = refrast(&folder.0, &["completions", shell]);
        assert!(script.status.success(), "{shell}");
        assert!(text(&script.stdout).contains("contact-sheet"), "{shell}");
    }
    let man = refrast(&folder.0, &["man", "pages"]);
    assert!(man.status.success(), "{}", text(&man.stderr));
    for page in ["refrast.1", "refrast-render.1", "refrast-golden-new.1"] {
        assert!(folder.path("pages").join(page).is_file(), "{page}");
    }
}
