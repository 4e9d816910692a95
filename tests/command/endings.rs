//! What an impatient user and a hostile file must not get: hangs, panics, files of others, terminals that are steered.

use std::{fs, process::Command};

use super::data_safety::Folder;

#[cfg(target_os = "linux")]
#[test]
fn full_and_closed_outputs_end_a_command_in_order() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    folder.picture("b.png", 200);
    let small = ["--size", "8x8", "-o", "x.png"];
    let commands: [&[&str]; 8] = [
        &["render", "mannequin", "--print-camera"],
        &["info", "mannequin"],
        &["info", "mannequin", "--json"],
        &["faults", "--list"],
        &["render", "mannequin", small[0], small[1], small[2], small[3], "--hash"],
        &["render", "mannequin", small[0], small[1], small[2], small[3], "--print-camera"],
        &["program", "library"],
        &["compare", "a.png", "b.png", "--metric", "exact"],
    ];
    for arguments in commands {
        let device = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let full = folder.command(arguments).stdout(device()).output().unwrap();
        let said = String::from_utf8(full.stderr).unwrap();
        assert_eq!(full.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: standard output: No space left") && said.lines().count() == 1, "{said}");

        // The reader's end is closed before the command begins.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = folder.command(arguments).stdout(writer).output().unwrap();
        assert_eq!((closed.status.code(), closed.stderr), (Some(141), Vec::new()), "{arguments:?}");

        let mute = folder.command(arguments).stderr(device()).output().unwrap();
        assert_eq!(mute.status.code(), folder.run(arguments).status.code(), "{arguments:?}: notes may be lost");
    }
    // What is asked to be read is a result like any other.
    for arguments in [&["--help"][..], &["render", "-h"], &["--version"]] {
        let device = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let full = folder.command(arguments).stdout(device).output().unwrap();
        let said = String::from_utf8(full.stderr).unwrap();
        assert_eq!(full.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: standard output: No space left"), "{said}");
        folder.expect(arguments, 0);
    }
}

/// A name may hold anything; what is printed of it stays on its line.
#[test]
fn names_of_a_file_break_no_lines() {
    let folder = Folder::new();
    folder.triangle("one.gltf", 1.0, &[1.0]);
    let json = fs::read_to_string(folder.path("one.gltf")).unwrap();
    let name = r#""name":"a\u001b[31m\nError: b""#;
    let json = json.replace(r#""doubleSided""#, &format!(r#"{name},"doubleSided""#));
    let json = json.replace(r#""primitives""#, &format!(r#"{name},"primitives""#));
    let json = json.replace(r#""version":"2.0""#, r#""version":"2.0","generator":"x\ny""#);
    fs::write(folder.path("named.gltf"), json).unwrap();
    let said = folder.expect(&["info", "named.gltf"], 0);
    assert!(said.contains(r"made by x\ny") && !said.contains('\u{1b}'), "{said}");
    assert_eq!(said.matches(r"'a\u{1b}[31m\nError: b'").count(), 3, "of the mesh, twice of the material: {said}");
    let said = folder.expect(&["golden", "new", "x\ny", "named.gltf", "--size", "8x8"], 2);
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// What is no file is told, and not waited for or read for ever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_scenes_and_no_manifests() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    let pipe = |name: &str| assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
    folder.triangle("scene.gltf", 1.0, &[1.0]);
    folder.picture("golden/a.png", 1);
    folder.picture("candidate/a.png", 1);
    pipe("pipe.gltf");
    pipe("golden/b.png");
    pipe("golden/manifest.toml");
    pipe("camera.json");
    let render = |scene: &str, camera: &str| {
        folder.expect(&["render", scene, "-o", "x.png", "--size", "8x8", "--camera", camera], 2)
    };
    let not_regular =
        |said: &str, name: &str| assert!(said.contains(name) && said.contains("not a regular file"), "{said}");
    not_regular(&folder.expect(&["info", "pipe.gltf"], 2), "pipe.gltf");
    not_regular(&folder.expect(&["info", "/dev/zero"], 2), "/dev/zero");
    not_regular(&render("scene.gltf", "camera.json"), "camera.json");
    not_regular(&folder.expect(&["golden", "list"], 2), "manifest.toml");
    not_regular(&folder.expect(&["compare", "golden", "candidate"], 2), "b.png");
    not_regular(&folder.expect(&["compare", "golden/b.png", "candidate/a.png"], 2), "golden/b.png");
    fs::remove_file(folder.path("triangle.bin")).unwrap();
    pipe("triangle.bin");
    not_regular(&render("scene.gltf", "auto"), "triangle.bin");
    fs::remove_file(folder.path("triangle.bin")).unwrap();
    symlink("/dev/zero", folder.path("triangle.bin")).unwrap();
    assert!(render("scene.gltf", "auto").contains("outside of the scene's folder"));
    not_regular(&folder.expect(&["info", "scene.gltf", "--allow-outside"], 2), "triangle.bin");
    // A file that is there is no folder for frames.
    pipe("frames");
    let said = folder.expect(&["render", "mannequin", "-o", "frames", "--size", "8x8"], 2);
    assert!(said.contains("frames is there and is no folder"), "{said}");
    // A file of 3 GB without anything in it, of which 36 bytes are needed.
    fs::remove_file(folder.path("triangle.bin")).unwrap();
    fs::File::create(folder.path("triangle.bin")).unwrap().set_len(3_000_000_000).unwrap();
    folder.expect(&["info", "scene.gltf"], 0);
}

#[test]
fn a_scene_reads_nothing_outside_of_its_folder_unless_it_is_allowed() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("deep")).unwrap();
    folder.triangle("deep/scene.gltf", 1.0, &[1.0]);
    let json = fs::read_to_string(folder.path("deep/scene.gltf")).unwrap();
    for uri in ["../triangle.bin", "%2E%2E/triangle.bin", "..%2Ftriangle.bin"] {
        fs::write(folder.path("deep/scene.gltf"), json.replace("triangle.bin", uri)).unwrap();
        let said = folder.expect(&["info", "deep/scene.gltf"], 2);
        assert!(said.contains("outside of the scene's folder") && said.contains("--allow-outside"), "{said}");
        folder.expect(&["info", "deep/scene.gltf", "--allow-outside"], 0);
    }
}

#[test]
fn what_would_be_seen_and_is_not_drawn_is_a_warning_and_an_error_where_scenes_are_read_strictly() {
    let folder = Folder::new();
    folder.triangle("scene.gltf", 1.0, &[1.0]);
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(folder.path("scene.gltf")).unwrap()).unwrap();
    json["materials"] = serde_json::json!([{"extensions": {
        "KHR_materials_transmission": {"transmissionFactor": 0.9},
        "KHR_materials_volume": {"thicknessFactor": 0.2},
        "KHR_xmp_json_ld": {"packet": 0},
    }}]);
    fs::write(folder.path("scene.gltf"), json.to_string()).unwrap();
    let small = ["--size", "8x8"];
    let draw = [&["render", "scene.gltf", "-o", "a.png"], &small[..]].concat();
    let commands = [
        draw.clone(),
        vec!["info", "scene.gltf"],
        [&["check", "scene.gltf", "a.png"], &small[..]].concat(),
        [&["golden", "new", "glass", "scene.gltf"], &small[..]].concat(),
    ];
    folder.expect(&draw, 0);
    for command in commands {
        let said = folder.expect(&[&command[..], &["--strict"]].concat(), 2);
        let place = "materials[0].extensions.KHR_materials_transmission";
        assert!(said.contains(place) && said.contains("leave out --strict"), "{command:?}: {said}");
        let said = folder.expect(&command, 0);
        let told = ["KHR_materials_transmission", "KHR_materials_volume"].map(|name| format!("{name} is not drawn"));
        assert!(told.iter().all(|told| said.contains(told)) && !said.contains("KHR_xmp"), "{command:?}: {said}");
    }
    for command in [&["golden", "check", "--strict"][..], &["golden", "bless", "--strict"]] {
        let said = folder.expect(command, 2);
        assert!(said.contains("KHR_materials_transmission changes what is seen"), "{command:?}: {said}");
    }
}

#[test]
fn threads_beyond_four_a_core_are_not_started() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    let small = ["--size", "8x8", "-o", "x.png", "--threads", "100000"];
    let said = folder.expect(&[&["render", "mannequin"], &small[..]].concat(), 0);
    assert!(said.contains("100000 threads were asked for; ") && said.contains("4 for each of"), "{said}");
    let said = folder.expect(&["compare", "a.png", "a.png", "--threads", "100000"], 0);
    assert!(said.contains("100000 threads were asked for; "), "{said}");
}

#[cfg(unix)]
#[test]
fn another_renderer_may_have_spaces_in_its_name() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    folder.expect(&["golden", "new", "a", "mannequin", "--size", "8x8"], 0);
    folder.expect(&["golden", "bless", "--yes"], 0);
    fs::write(folder.path("my renderer"), "#!/bin/sh\ncp \"$2\" \"$3\"\n").unwrap();
    fs::set_permissions(folder.path("my renderer"), fs::Permissions::from_mode(0o755)).unwrap();
    folder.expect(&["golden", "check", "--", "./my renderer", "{case}", "golden/a.png", "{out}"], 0);
    assert!(folder.expect(&["golden", "check", "--", "./my renderer"], 2).contains("{out}"));
}

#[test]
fn names_that_no_file_can_have_are_no_cases() {
    let folder = Folder::new();
    let long = "n".repeat(300);
    for name in ["nul", "CON", "com1", "a.", &long] {
        let said = folder.expect(&["golden", "new", name, "mannequin", "--size", "8x8"], 2);
        assert!(said.contains("a name is made of letters"), "{said}");
    }
    let said = folder.expect(&["golden", "new", "--size", "8x8", "--", "-rf", "mannequin"], 2);
    assert!(said.contains("a name is made of letters"), "{said}");
    assert!(!folder.path("golden/manifest.toml").exists());
    // The longest name there may be is blessed like any other.
    folder.expect(&["golden", "new", &"n".repeat(200), "mannequin", "--size", "8x8"], 0);
    folder.expect(&["golden", "bless", "--yes"], 0);
}

/// On a terminal, or where it is asked for, verdicts are coloured; what a program reads never is.
#[test]
fn colours_are_for_those_who_see_them() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    folder.picture("b.png", 200);
    let said = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = folder.command(words);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
        let output = command.output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let compare = ["compare", "a.png", "b.png", "--metric", "exact"];
    let plain = said(&compare, &[]);
    assert!(plain[0].starts_with("DIFFERENT: a.png\n"), "{}", plain[0]);
    let coloured = said(&compare, &[("CLICOLOR_FORCE", "1")]);
    assert!(coloured[0].starts_with("\u{1b}[1m\u{1b}[31mDIFFERENT:\u{1b}[0m a.png\n"), "{}", coloured[0]);
    assert_eq!(coloured[0].replace("\u{1b}[1m\u{1b}[31m", "").replace("\u{1b}[0m", ""), plain[0]);
    let json = [&compare[..], &["--json"]].concat();
    assert_eq!(said(&json, &[("CLICOLOR_FORCE", "1")])[0], said(&json, &[])[0]);
    assert_eq!(said(&compare, &[("NO_COLOR", "1")]), plain);
    let error = said(&["compare", "a.png", "nobody.png"], &[("CLICOLOR_FORCE", "1")]);
    assert!(error[1].starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{}", error[1]);
}

#[test]
fn a_picture_that_can_not_be_written_as_it_is_named_is_not_made() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    let commands: [&[&str]; 2] =
        [&["view", "mannequin", "--screenshot", "x.jpg"], &["check", "mannequin", "a.png", "--diff", "x.jpg"]];
    for words in commands.into_iter().skip(usize::from(!cfg!(feature = "window"))) {
        let output = folder.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("'x.jpg'") && said.contains("name a .png"), "{said}");
        assert!(!folder.path("x.jpg").exists());
    }
}
