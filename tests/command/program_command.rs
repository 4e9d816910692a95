//! `refrast program` as a user meets it: exit status, standard output, messages.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

fn refrast(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrast")).arg("program").args(arguments).output().unwrap()
}

fn output(arguments: &[&str]) -> String {
    let output = refrast(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&output(arguments)).unwrap()
}

/// What a command that says no says on standard output.
fn verdict(arguments: &[&str]) -> String {
    let output = refrast(arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn message(arguments: &[&str], status: i32) -> String {
    let output = refrast(arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{message}");
    message
}

/// A path in a folder of the test's own.
fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program_command");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn file(name: &str, text: &[u8]) -> PathBuf {
    let path = path(name);
    std::fs::write(&path, text).unwrap();
    path
}

const SCALED: &str = "!!VP1.0\nMUL R0, v[OPOS], c[4].x;\nMOV o[HPOS], R0;\nMOV o[COL0], R0;\nEND\n";

#[test]
fn check_counts_what_a_program_uses() {
    let report = json(&["check", "bone-offset-4", "--json"]);
    assert_eq!(report["valid"], true);
    assert_eq!(report["dialect"], "vp1.0");
    assert_eq!(report["slot_limit"], 128);
    // (96 − 12) / 3 and (48 − 12) / 3.
    assert_eq!(report["budget"]["joints"], 28);
    let small = json(&["check", "bone_offset_4.arb", "--json", "--constants", "48"]);
    assert_eq!((&small["dialect"], &small["budget"]["joints"]), (&"arb".into(), &12.into()));

    let path = file("scaled.vp", SCALED.as_bytes());
    let shown = output(&["check", path.to_str().unwrap()]);
    for part in ["3 of 128 slots", "v[OPOS].xyzw", "o[HPOS].xyzw, o[COL0].xyzw", "1 of 12", "by number: 4"] {
        assert!(shown.contains(part), "{part} missing from:\n{shown}");
    }
}

#[test]
fn an_invalid_program_is_shown_with_its_place_and_ends_with_one() {
    let text = "!!VP1.0\nMOV o[HPOS], R12;\nEND\n";
    let path = file("invalid.vp", text.as_bytes());
    let path = path.to_str().unwrap();
    let shown = verdict(&["check", path]);
    let byte = text.find("R12").unwrap();
    for part in ["invalid.vp:2:14", "^^^", "R12", &format!("byte {byte}")] {
        assert!(shown.contains(part), "{part} missing from:\n{shown}");
    }
    let output = refrast(&["check", path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["valid"], &report["error"]["line"]), (&false.into(), &2.into()));
    assert_eq!((&report["error"]["position"], &report["error"]["rule"]), (&byte.into(), &"range".into()));
    // The other commands need a valid program, and say the same.
    for command in [&["run", path][..], &["trace", path], &["format", path], &["translate", path, "--to", "wgsl"]] {
        assert!(message(command, 2).contains("invalid.vp:2:14"), "{command:?}");
    }
}

#[test]
fn files_that_are_no_programs_are_errors_with_a_remedy() {
    assert!(message(&["check", "no-such.vp"], 2).contains("bone_offset_4"));
    let latin = file("latin.vp", b"!!VP1.0\n# \xe9\nEND");
    assert!(message(&["check", latin.to_str().unwrap()], 2).contains("byte 10"));
    let huge = file("huge.vp", &b"!!VP1.0\n".repeat(10 * 1024 * 1024 / 8));
    assert!(verdict(&["check", huge.to_str().unwrap()]).contains("text-length"));
    // Not "no text", though what is read of it ends inside a character.
    let accents = file("accents.vp", "é".repeat(1 << 20).as_bytes());
    assert!(verdict(&["check", accents.to_str().unwrap()]).contains("more than 1048576 bytes"));
    assert!(message(&["check", "."], 2).contains("can not read"));
}

#[test]
fn run_gives_the_results_of_one_vertex() {
    let path = file("run.vp", SCALED.as_bytes());
    let path = path.to_str().unwrap();
    let given = ["run", path, "--constants", "c4=0.5", "--attributes", "v[OPOS]=1,-2,3,8"];
    let shown = output(&given);
    assert!(shown.contains("o[HPOS] = (0.5, -1, 1.5, 4)\n"), "{shown}");
    assert!(shown.contains("o[COL0] = (0.5, 0, 1, 1)\n"), "colours are clamped after the program: {shown}");
    let free = json(&[&given[..], &["--no-clamp", "--json"]].concat());
    assert_eq!(free["outputs"][1][1], serde_json::json!([0.5, -1.0, 1.5, 4.0]));

    // The same from JSON; infinity has a name there. 0 · ∞ is 0 for NV_vertex_program and not a number for IEEE 754.
    let values = file("values.json", br#"{"constants": {"4": ["inf", 0, 0, 0]}}"#);
    let given = [
        "run",
        path,
        "--constants",
        values.to_str().unwrap(),
        "--attributes",
        r#"{"attributes": {"OPOS": [0, 1, -1, 0]}}"#,
    ];
    let spec = json(&[&given[..], &["--json"]].concat());
    assert_eq!(spec["outputs"][0][1], serde_json::json!([0.0, "inf", "-inf", 0.0]));
    let ieee = json(&[&given[..], &["--json", "--model", "ieee"]].concat());
    assert_eq!(ieee["outputs"][0][1], serde_json::json!(["nan", "inf", "-inf", "nan"]));
}

#[test]
fn address_rounding_is_a_choice_for_direct3d_programs() {
    let text = "vs_1_1\ndcl_position v0\nmov a0.x, v0.x\nmov oPos, c[a0.x + 10]\n";
    let path = file("rounding.vs", text.as_bytes());
    let run = |rounding: &str| {
        let constants = "c8=8,8,8,8; c9=9,9,9,9; c10=10,10,10,10";
        let arguments = ["run", path.to_str().unwrap(), "--constants", constants, "--attributes", "v0=-1.6"];
        json(&[&arguments[..], &["--address-rounding", rounding, "--json"]].concat())["outputs"][0][1][0].clone()
    };
    // −1.6 is −2 rounded down or to the nearest, and −1 rounded toward zero.
    assert_eq!((run("floor"), run("nearest"), run("truncate")), (8.0.into(), 8.0.into(), 9.0.into()));
}

#[test]
fn arb_programs_take_locals_and_state() {
    let text = "!!ARBvp1.0\nPARAM row = state.matrix.mvp.row[0];\nMUL result.position, row, program.local[3];\nEND";
    let path = file("state.arb", text.as_bytes());
    let path = path.to_str().unwrap();
    assert!(message(&["run", path], 2).contains("state.matrix.mvp.row[0]"));
    let given = ["run", path, "--json", "--constants", "state.matrix.mvp.row[0]=1,2,3,4; local[3]=2,2,2,0.5"];
    assert_eq!(json(&given)["outputs"][0][1], serde_json::json!([2.0, 4.0, 6.0, 2.0]));
}

#[test]
fn trace_shows_sources_results_and_changes() {
    let path = file("trace.vp", SCALED.as_bytes());
    let given = ["trace", path.to_str().unwrap(), "--constants", "c4=0.5", "--attributes", "v0=1,-2,3,8"];
    let shown = output(&given);
    for part in ["MUL R0, v[OPOS], c[4].x", "(1, -2, 3, 8) (0.5, 0.5, 0.5, 0.5) = (0.5, -1, 1.5, 4)", "w: 0 -> 4"] {
        assert!(shown.contains(part), "{part} missing from:\n{shown}");
    }
    let trace = json(&[&given[..], &["--json"]].concat());
    let step = &trace["lines"][0];
    assert_eq!(step["sources"], serde_json::json!([[1.0, -2.0, 3.0, 8.0], [0.5, 0.5, 0.5, 0.5]]));
    assert_eq!((&step["after"], &step["written"]), (&serde_json::json!([0.5, -1.0, 1.5, 4.0]), &"xyzw".into()));
    assert_eq!(trace["lines"].as_array().map(Vec::len), Some(3));
}

#[test]
fn every_target_is_written_and_what_is_written_in_assembly_assembles() {
    for target in ["wgsl", "glsl", "hlsl", "arb", "vp1.0", "vp1.1", "vs_1_1"] {
        let translated = output(&["translate", "bone_offset_2", "--to", target]);
        if ["arb", "vp1.0", "vp1.1", "vs_1_1"].contains(&target) {
            let path = file(&format!("translated.{target}"), translated.as_bytes());
            assert_eq!(json(&["check", path.to_str().unwrap(), "--json"])["budget"]["joints"], 28, "{target}");
        }
    }
    assert!(message(&["translate", "bone_offset_2", "--to", "cg"], 2).contains("wgsl"));
}

#[test]
fn formatting_is_a_fixed_point() {
    let path = file("format.vp", b"!!VP1.0 MUL R0,v[0],c[4].xxxx;MOV o[HPOS],R0; MOV o[COL0],R0.xyzw; END");
    let path = path.to_str().unwrap();
    assert_eq!(output(&["format", path]), SCALED);
    output(&["format", path, "--output", path]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), SCALED);
    assert_eq!(output(&["format", path]), SCALED);
}

#[test]
fn registers_and_values_that_do_not_exist_are_named() {
    for (option, value) in [("--constants", "c96=1"), ("--attributes", "v[TEX9]=1"), ("--constants", "c0=1,2,3,4,5")] {
        let message = message(&["run", "bone_offset_1", option, value], 2);
        assert!(message.contains(option) && message.contains(value.split('=').next().unwrap()), "{message}");
    }
    assert!(message(&["run", "bone_offset_1", "--constants", "no-such.json"], 2).contains("no-such.json"));
    assert!(message(&["run", "bone_offset_1", "--model", "exact"], 2).contains("nv-spec"));
}

fn render(name: &str, arguments: &[&str]) -> (Output, PathBuf) {
    let path = path(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
    command.args(["render", "mannequin", "--size", "64x96", "-o"]).arg(&path).args(arguments);
    (command.output().unwrap(), path)
}

#[test]
fn render_takes_programs_bindings_and_a_size_of_the_constant_file() {
    let picture = |name: &str, arguments: &[&str]| {
        let (output, path) = render(name, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(path).unwrap()
    };
    let library = ["--skinning", "program:bone-offset-4"];
    let expected = picture("library.png", &library);
    assert!(picture("small.png", &[&library[..], &["--constants", "48"]].concat()) == expected);
    // The same program from a file, with another register for the light and the old one free.
    let text = output(&["format", "bone_offset_4"]).replace("c[4]", "c[9]");
    let moved = file("moved.vp", text.as_bytes());
    let given = format!("program:{}", moved.display());
    let bound = picture("moved.png", &["--skinning", &given, "--bind", "c9=light", "--bind", "c4=none"]);
    assert!(bound == expected, "a binding moves the light");
    assert!(picture("dark.png", &["--skinning", &given]) != expected, "without the binding c[9] is 0");
    // c[8] is free; c[6] is the ambient light.
    assert!(picture("same.png", &[&library[..], &["--constant", "c8=1,2,3,4"]].concat()) == expected);
    assert!(picture("red.png", &[&library[..], &["--constant", "c6=1,0,0,0"]].concat()) != expected);
}

#[test]
fn render_says_why_a_program_can_not_draw() {
    for (arguments, part) in [
        (&["--skinning", "program:two_matrix_blend"][..], "but no palette through A0.x"),
        (&["--skinning", "program:no-such.vp"], "bone_offset_4"),
        (&["--skinning", "program:bone_offset_4", "--bind", "v0=light"], "bitangent"),
        (&["--skinning", "program:bone_offset_4", "--constants", "14"], "no joint fits"),
        (&["--skinning", "program:bone_offset_4", "--shading", "normals"], "lambert or unlit"),
        (&["--bind", "c4=light"], "--skinning program:FILE"),
        (&["--constant", "c4=1"], "--skinning program:FILE"),
    ] {
        let (output, _) = render("refused.png", arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "{part} missing from: {message}");
    }
}
