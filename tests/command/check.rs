//! `refrast check`: a scene, a picture and a question.
//!
//! The candidates are drawn by the simulator, which shares no kernel with the reference.

use crate::folder::Folder;
use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use refrast::{
    golden::{Picture, VertexBuffer},
    raster::SampleCount,
    render::{CameraSettings, RenderSettings},
    scene::Scene,
    skinning::SkinningMethod,
    verify::simulator::{Moment, Shot, Simulator, Variation},
};

/// 160x120, as a GPU with 8 bits of grid draws it.
fn settings() -> RenderSettings {
    RenderSettings { width: 160, height: 120, ..RenderSettings::default() }
}

/// A moment at which every method and influence shows.
const FLEX: f32 = 1.0;

/// The mannequin's flexing by the simulator, by a camera that no option has changed.
fn draw(settings: &RenderSettings, seconds: f32) -> Picture {
    let scene = Scene::mannequin().unwrap();
    let animation = scene.find_animation("Flex").unwrap();
    let moment = Moment::Clip { animation, seconds };
    let pose = moment.pose(&scene).unwrap();
    let camera = CameraSettings::default().camera(&scene, Some(animation), &pose, settings).unwrap();
    let simulator = Simulator::new(&scene).unwrap();
    let shot = Shot { moment, camera: &camera, settings };
    let frame = simulator.draw(&shot, &Variation::default(), &[]).unwrap();
    Picture::from_rgba8(frame.width, frame.height, frame.rgba).unwrap()
}

fn check(candidate: &Path, options: &[&str]) -> Output {
    let flex = ["--animation", "Flex", "--time", "1"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
    command.args(["check", "mannequin"]).arg(candidate).args(flex).args(options).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_right_picture_is_right_in_the_first_line() {
    let folder = Folder::new("right");
    let path = folder.path("right.png");
    draw(&settings(), FLEX).write(&path).unwrap();
    let output = check(&path, &[]);
    let said = text(&output.stdout);
    assert_eq!((output.status.code(), said.lines().count()), (Some(0), 1), "{said}");
    assert!(
        said.starts_with("RIGHT: a conformant backend may draw all 19200 pixels (profile vulkan14, given the file)"),
        "{said}"
    );
}

#[test]
fn a_wrong_set_up_is_answered_with_the_option_to_give() {
    let folder = Folder::new("setup");
    let four = SampleCount::Four;
    let (rigid, two) = (SkinningMethod::Rigid, NonZeroUsize::new(2));
    let red = [200, 30, 30];
    for (name, picture, answer) in [
        ("time", draw(&settings(), 61.0 / 60.0), "right with: --time 1.0166"),
        ("far", draw(&settings(), 0.2), "right with: --time 0.2"),
        ("samples", draw(&RenderSettings { samples: four, ..settings() }, FLEX), "right with: --samples 4\n"),
        (
            "pattern",
            draw(&RenderSettings { samples: SampleCount::FourMirrored, ..settings() }, FLEX),
            "right with: --samples 4-mirrored\n",
        ),
        ("method", draw(&RenderSettings { skinning: rigid, ..settings() }, FLEX), "right with: --skinning rigid\n"),
        (
            "influences",
            draw(&RenderSettings { max_influences: two, ..settings() }, FLEX),
            "right with: --max-influences 2\n",
        ),
        ("ambient", draw(&RenderSettings { ambient: Some(0.0), ..settings() }, FLEX), "right with: --ambient 0\n"),
        (
            "background",
            draw(&RenderSettings { background: red, ..settings() }, FLEX),
            "right with: --background #c81e1e\n",
        ),
        (
            "two",
            draw(&RenderSettings { background: red, samples: four, ..settings() }, FLEX),
            "right with: --background #c81e1e --samples 4\n",
        ),
    ] {
        let path = folder.path(&format!("{name}.png"));
        picture.write(&path).unwrap();
        let output = check(&path, &[]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.starts_with("WRONG: ") && said.contains(answer), "{name}: {said}");
        // And so it is.
        let (_, options) = said.split_once("right with: ").unwrap();
        let (options, more) = options.split_once('\n').unwrap();
        let note = "  1.0166667 is frame 61 at 60 a second, one frame later than was asked for\n";
        assert_eq!(more, if name == "time" { note } else { "" });
        let options: Vec<&str> = options.split_whitespace().collect();
        let without_time = |options: &[&str]| -> Output {
            let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
            command.args(["check", "mannequin"]).arg(&path).args(["--animation", "Flex"]).args(options);
            if !options.contains(&"--time") {
                command.args(["--time", "1"]);
            }
            command.output().unwrap()
        };
        assert_eq!(without_time(&options).status.code(), Some(0), "{name}: {options:?}");
    }
}

#[test]
fn another_size_is_answered_with_the_size() {
    let folder = Folder::new("size");
    let path = folder.path("half.png");
    draw(&settings(), FLEX).write(&path).unwrap();
    let asked = ["--size", "320x240"];
    assert_eq!(check(&path, &["--size", "160x120"]).status.code(), Some(0));
    let output = check(&path, &asked);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let remark = "it has 160x120 pixels, and not the 320x240 that were asked for: 0.5 times as many each way";
    assert!(said.starts_with("WRONG") && said.contains(remark), "{said}");
    assert!(said.contains("right with: --size 160x120\n"), "{said}");
    // With another option beside it.
    let both = check(&path, &["--size", "100x120", "--skinning", "dual-quaternion"]);
    let said = text(&both.stdout);
    assert!(said.contains("right with: --size 160x120 --skinning linear\n") && !said.contains("times"), "{said}");
    // `diagnose` says the same; where no set-up fits, that it can not say anything.
    let diagnose = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
        command.args(["diagnose", "mannequin", "--candidate"]).arg(&path).args(asked).args(more).output().unwrap()
    };
    let named = diagnose(&["--animation", "Flex", "--time", "1"]);
    let said = text(&named.stdout);
    assert!(named.status.success() && said.contains("--size 160x120"), "{said}");
}

#[test]
fn a_picture_that_runs_from_the_bottom_is_told() {
    let folder = Folder::new("turned");
    let right = draw(&settings(), FLEX);
    let rows: Vec<u8> = right.samples8().chunks(4 * 160).rev().flatten().copied().collect();
    let path = folder.path("turned.png");
    Picture::from_rgba8(160, 120, rows).unwrap().write(&path).unwrap();
    let output = check(&path, &[]);
    assert!(text(&output.stdout).contains("right with: the picture turned upside down"), "{}", text(&output.stdout));
}

#[test]
fn no_set_up_is_named_that_does_not_make_it_right() {
    let folder = Folder::new("nonsense");
    let right = draw(&settings(), FLEX);
    let mut noise = 1u32;
    let mut random = || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    };
    let bytes = right.samples8();
    let spoilt = |change: &mut dyn FnMut(usize, u8) -> u8| {
        let bytes: Vec<u8> = bytes.iter().enumerate().map(|(place, &byte)| change(place, byte)).collect();
        Picture::from_rgba8(160, 120, bytes).unwrap()
    };
    let pictures = [
        spoilt(&mut |place, byte| if place % 4 == 3 { byte } else { random() }),
        spoilt(&mut |place, byte| if place % 4 == 3 { byte } else { 0 }),
        // One pixel of the figure is red.
        spoilt(&mut |place, byte| if place / 4 == 60 * 160 + 80 { [255, 0, 0, 255][place % 4] } else { byte }),
    ];
    for (number, picture) in pictures.iter().enumerate() {
        let path = folder.path(&format!("{number}.png"));
        picture.write(&path).unwrap();
        let output = check(&path, &["--json"]);
        assert_eq!(output.status.code(), Some(1), "{number}: {}", text(&output.stderr));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((json["right"].as_bool(), json["right_with"].as_array().map(Vec::len)), (Some(false), Some(0)));
        assert!(text(&output.stderr).contains("refrast diagnose"), "{number}: {}", text(&output.stderr));
    }
    let output = check(&folder.path("2.png"), &[]);
    let said = text(&output.stdout);
    assert!(said.starts_with("WRONG: 1 of 19200 pixels"), "{said}");
    assert!(said.contains("at (80, 60) should be seen: its "), "{said}");
}

#[test]
fn differences_and_a_report_are_written() {
    let folder = Folder::new("report");
    let path = folder.path("late.png");
    draw(&settings(), 0.4).write(&path).unwrap();
    let (heat, report) = (folder.path("heat.png"), folder.path("report"));
    let output = check(&path, &["--diff", heat.to_str().unwrap(), "--report", report.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(Picture::read(&heat).unwrap().size(), (160, 120));
    let page = fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("late.png") && page.contains("its edge"), "{page}");
}

#[test]
fn vertex_buffers_are_checked_by_the_same_command() {
    let folder = Folder::new("vertices");
    let path = folder.path("vertices.npy");
    let written = Command::new(env!("CARGO_BIN_EXE_refrast"))
        .args(["vertices", "mannequin", "--animation", "Flex", "--time", "1", "-o"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(written.status.success(), "{}", text(&written.stderr));
    let right = check(&path, &[]);
    assert_eq!(right.status.code(), Some(0), "{}", text(&right.stderr));
    let said = text(&right.stdout);
    assert!(said.starts_with("RIGHT: a conformant backend may give all "), "{said}");
    // As bytes, in the space before the viewport of a camera.
    let mut buffer = VertexBuffer::read_npy(&path).unwrap();
    let scene = Scene::mannequin().unwrap();
    let animation = scene.find_animation("Flex").unwrap();
    let pose = Moment::Clip { animation, seconds: FLEX }.pose(&scene).unwrap();
    let camera = CameraSettings::default().camera(&scene, Some(animation), &pose, &settings()).unwrap();
    let clip = camera.projection.as_dmat4() * camera.view.as_dmat4();
    let positions = buffer.position.values.iter().map(|&[x, y, z]| clip * glam::dvec4(x, y, z, 1.0));
    let bytes: Vec<u8> = positions.flat_map(|p| p.to_array().map(|v| v as f32)).flat_map(f32::to_le_bytes).collect();
    let raw = folder.path("vertices.bin");
    fs::write(&raw, bytes).unwrap();
    let in_clip = ["--layout", "position:f32x4@0", "--space", "clip"];
    let right = check(&raw, &[&in_clip[..], &["--size", "160x120"]].concat());
    assert_eq!(right.status.code(), Some(0), "{} {}", text(&right.stdout), text(&right.stderr));
    assert_eq!(check(&raw, &in_clip).status.code(), Some(1), "1280x720 is another shape");
    buffer.position.values[100][0] += 1e-3;
    buffer.write_npy(&path).unwrap();
    let wrong = check(&path, &[]);
    assert_eq!(wrong.status.code(), Some(1));
    let said = text(&wrong.stdout);
    assert!(said.starts_with("WRONG: no conformant backend gives these ") && said.contains("vertex 100:"), "{said}");
    let refused = check(&path, &["--diff", "heat.png"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--diff is for pictures"), "{}", text(&refused.stderr));
}

#[test]
fn what_can_not_be_answered_is_an_error_with_a_remedy() {
    let folder = Folder::new("errors");
    let missing = check(&folder.path("nothing.png"), &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("nothing.png"), "{}", text(&missing.stderr));
    let path = folder.path("right.png");
    draw(&settings(), FLEX).write(&path).unwrap();
    let coarse = check(&path, &["--profile", "d3d11", "--subpixel-bits", "4"]);
    assert_eq!(coarse.status.code(), Some(2), "the picture is drawn on another grid");
    assert!(
        text(&coarse.stderr).contains("right.png: ") && text(&coarse.stderr).contains("grid"),
        "{}",
        text(&coarse.stderr)
    );
}

/// A square metre that jumps by its width at 0.1 s, by a STEP key.
fn jumping(folder: &Folder) -> PathBuf {
    let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let [times, places] = [vec![0.0f32, 0.1], vec![0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0]];
    let numbers = positions.as_flattened().iter().chain(&times).chain(&places);
    let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend([0u16, 1, 2, 2, 1, 3].into_iter().flat_map(u16::to_le_bytes));
    fs::write(folder.path("jumping.bin"), &bytes).unwrap();
    let json = serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 3 }] }],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 1, "output": 2, "interpolation": "STEP" }]
        }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [0.1] },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3" },
            { "bufferView": 3, "componentType": 5123, "count": 6, "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 8 },
            { "buffer": 0, "byteOffset": 56, "byteLength": 24 }, { "buffer": 0, "byteOffset": 80, "byteLength": 12 }
        ],
        "buffers": [{ "uri": "jumping.bin", "byteLength": bytes.len() }]
    });
    fs::write(folder.path("jumping.gltf"), json.to_string()).unwrap();
    folder.path("jumping.gltf")
}

#[test]
fn who_reads_the_file_has_its_freedom_and_the_verdict_says_so() {
    let folder = Folder::new("given");
    let scene = jumping(&folder);
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
        let output = command.args(words).current_dir(folder.path("")).output().unwrap();
        (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let scene = scene.to_str().unwrap();
    let view = ["--camera", "orbit:10,5", "--animation", "0"];
    // A tenth of a second is less in f64 than in f32, so that an engine whose time is f64 stands before the jump.
    for (name, time) in [("before.png", "0.0999"), ("after.png", "0.1")] {
        let words = ["render", scene, "-o", name, "--size", "96x64", "--time", time];
        assert_eq!(run(&[&words[..], &view].concat()).0, Some(0));
        let right = run(&[&["check", scene, name, "--time", "0.1"][..], &view].concat());
        assert_eq!(right.0, Some(0), "{}", right.1);
        assert!(right.1.contains("(profile vulkan14, given the file)"), "{}", right.1);
    }
    let held = |name| run(&[&["check", scene, name, "--time", "0.1", "--given", "palette"][..], &view].concat());
    let (status, said) = held("after.png");
    assert!(status == Some(0) && said.contains("given the palette"), "{said}");
    let (status, said) = held("before.png");
    assert!(status == Some(1) && said.contains("right if --given file is declared"), "{said}");
    // At another moment both stand in one place, and the file leaves nothing open.
    let late = ["check", scene, "before.png", "--time", "0.11"];
    assert_eq!(run(&[&late[..], &view].concat()).0, Some(1));
    // Diagnosis judges by the same rules.
    let words = ["diagnose", scene, "--candidate", "before.png", "--size", "96x64", "--time", "0.1"];
    let (status, said) = run(&[&words[..], &view].concat());
    assert!(status == Some(0) && said.contains("nothing to explain"), "{said}");
}
