//! What an attacker and a full disk must not cause: lost files, wrong verdicts, empty pictures.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use refrast::golden::{Attribute, Picture, VertexBuffer};

/// A folder of its own for each test, removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let name = format!("refrast-safety-{}-{}", process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
        command.args(arguments).current_dir(&self.0);
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command starts")
    }

    /// Everything that the command says, which must end with this status.
    #[track_caller]
    pub(super) fn expect(&self, arguments: &[&str], status: i32) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        said
    }

    /// A picture of one colour.
    pub(super) fn picture(&self, name: &str, red: u8) {
        let picture = Picture::from_rgba8(4, 4, [red, 20, 30, 255].repeat(16)).unwrap();
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        picture.write(&self.path(name)).unwrap();
    }

    /// A scene of one triangle with corners at multiples of `size`, under nodes with these scales.
    pub(super) fn triangle(&self, name: &str, size: f32, scales: &[f32]) {
        let corners = [0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0];
        fs::write(self.path("triangle.bin"), corners.map(f32::to_le_bytes).concat()).unwrap();
        let nodes = scales.iter().enumerate().map(|(index, scale)| {
            let child =
                if index + 1 < scales.len() { format!(r#""children":[{}]"#, index + 1) } else { r#""mesh":0"#.into() };
            format!(r#"{{"scale":[{scale},{scale},{scale}],{child}}}"#)
        });
        let nodes: Vec<String> = nodes.collect();
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"material":0}}]}}],
            "materials":[{{"doubleSided":true}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36,"uri":"triangle.bin"}}]}}"#,
            nodes.join(",")
        );
        fs::write(self.path(name), json).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_report_removes_only_what_a_report_has_written() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    folder.picture("b.png", 200);
    folder.picture("images/holiday.png", 9);
    fs::create_dir_all(folder.path("images/2019")).unwrap();
    let compare = ["compare", "a.png", "b.png", "--metric", "exact", "--report", "."];
    folder.expect(&compare, 1);
    assert_eq!(names(&folder.path("images")), ["2019", "holiday.png"]);
    assert_eq!(names(&folder.0), ["a.png", "b.png", "images", "index.html"]);
    folder.expect(&compare, 1);
    assert_eq!(names(&folder.path("images")), ["2019", "holiday.png"], "and the next one");

    // Whoever was killed has left a list, which names more than reports write.
    let list = "Pictures of a report of refrast. The next report in this folder removes them.\n\
                images/0123456789abcdef-golden.png\nimages/holiday.png\na.png\n../../a.png\n";
    fs::write(folder.path("images.txt"), list).unwrap();
    folder.picture("images/0123456789abcdef-golden.png", 3);
    folder.expect(&compare, 1);
    assert_eq!(names(&folder.path("images")), ["2019", "holiday.png"]);
    assert_eq!(names(&folder.0), ["a.png", "b.png", "images", "index.html"]);

    fs::write(folder.path("index.html"), "<h1>My page</h1>").unwrap();
    let said = folder.expect(&compare, 2);
    assert!(said.contains("index.html: not written by a report") && said.contains("another folder"), "{said}");
    assert_eq!(fs::read_to_string(folder.path("index.html")).unwrap(), "<h1>My page</h1>");
}

#[test]
fn reports_are_not_joined_over_one_of_them() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    folder.picture("b.png", 200);
    folder.expect(&["compare", "a.png", "b.png", "--metric", "exact", "--report", "one"], 1);
    let page = fs::read(folder.path("one/index.html")).unwrap();
    let said = folder.expect(&["report", "merge", "one", "-o", "./one"], 2);
    assert!(said.contains("name another folder"), "{said}");
    assert_eq!(fs::read(folder.path("one/index.html")).unwrap(), page);
}

#[test]
fn no_threshold_accepts_everything() {
    let folder = Folder::new();
    let write = |name: &str, x: f64| {
        let position = Attribute::without_bounds(vec![[x, 2.0, 3.0]; 5]);
        VertexBuffer { position, ..VertexBuffer::default() }.write_npy(&folder.path(name)).unwrap();
    };
    write("nob.npy", 1.0);
    write("moved.npy", 101.0);
    folder.picture("a.png", 1);
    folder.picture("b.png", 200);
    for threshold in ["nan", "inf", "-inf", "-1", "1e999"].map(|threshold| format!("--threshold={threshold}")) {
        let said = folder.expect(&["compare", "nob.npy", "moved.npy", &threshold], 2);
        assert!(said.contains("finite number of at least 0"), "{said}");
        for metric in ["envelope", "exact", "threshold", "flip", "psnr", "ssim", "fuzzy", "yiq"] {
            let said = folder.expect(&["compare", "a.png", "b.png", "--metric", metric, &threshold], 2);
            assert!(said.contains("is no threshold for the metric"), "{said}");
        }
    }
    folder.expect(&["compare", "nob.npy", "moved.npy", "--threshold", "99"], 1);
    folder.expect(&["compare", "nob.npy", "moved.npy", "--threshold", "100"], 0);
}

#[cfg(unix)]
#[test]
fn outputs_go_through_links_pipes_and_devices() {
    use std::os::unix::fs::{FileTypeExt, symlink};

    let folder = Folder::new();
    folder.picture("a.png", 1);
    fs::write(folder.path("results.xml"), "old").unwrap();
    symlink("results.xml", folder.path("link.xml")).unwrap();
    let compare = |junit| ["compare", "a.png", "a.png", "--metric", "exact", "--junit", junit];
    folder.expect(&compare("link.xml"), 0);
    assert!(folder.path("link.xml").is_symlink());
    assert!(fs::read_to_string(folder.path("results.xml")).unwrap().contains("<testsuites"));

    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    folder.expect(&compare("pipe"), 0);
    assert!(String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap().contains("<testsuites"));
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());

    // A link to the device, so that a failing test does not harm the device itself.
    symlink("/dev/full", folder.path("full.xml")).unwrap();
    let said = folder.expect(&compare("full.xml"), 2);
    assert!(said.contains("full.xml: can not be written"), "{said}");
    assert!(folder.path("full.xml").is_symlink());
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let stdout = folder.run(&compare("/dev/stdout"));
    assert!(String::from_utf8(stdout.stdout).unwrap().contains("<testsuites"));
}

#[test]
fn compressed_geometry_without_a_fallback_is_not_drawn_as_nothing() {
    let folder = Folder::new();
    folder.triangle("draco.gltf", 1.0, &[1.0]);
    let json = fs::read_to_string(folder.path("draco.gltf")).unwrap();
    let json = json.replace(r#"{"bufferView":0,"componentType""#, r#"{"componentType""#).replace(
        r#""material":0"#,
        r#""material":0,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}"#,
    );
    let json = json.replace(r#""scenes""#, r#""extensionsUsed":["KHR_draco_mesh_compression"],"scenes""#);
    fs::write(folder.path("draco.gltf"), json).unwrap();
    let said = folder.expect(&["render", "draco.gltf", "-o", "x.png", "--size", "16x16"], 2);
    let expected = if cfg!(feature = "draco") {
        "meshes[0].primitives[0]: indices, which compressed triangles have, is missing"
    } else {
        "KHR_draco_mesh_compression, which this build of refrast does not read; build refrast with --features draco"
    };
    assert!(said.contains(expected), "{said}");
    assert!(!folder.path("x.png").exists());
}

#[test]
fn each_kind_of_compression_is_refused_by_its_name() {
    let folder = Folder::new();
    folder.triangle("plain.gltf", 1.0, &[1.0]);
    let plain = fs::read_to_string(folder.path("plain.gltf")).unwrap();
    // EXT_meshopt_compression has its data in another buffer, and in the view's own at most a fallback.
    let fallback = r#""buffers":[{"byteLength":36,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}]"#;
    let view = r#""bufferViews":[{"buffer":0,"byteLength":36,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteLength":9}}}]"#;
    let json = plain
        .replace(r#""buffers":[{"byteLength":36,"uri":"triangle.bin"}]"#, fallback)
        .replace(r#""bufferViews":[{"buffer":0,"byteLength":36}]"#, view);
    fs::write(folder.path("meshopt.gltf"), json).unwrap();
    let said = folder.expect(&["info", "meshopt.gltf"], 2);
    assert!(said.contains("bufferViews[0]") && said.contains("EXT_meshopt_compression"), "{said}");
    // With a fallback it is drawn.
    let json = plain.replace(r#""bufferViews":[{"buffer":0,"byteLength":36}]"#, view);
    fs::write(folder.path("fallback.gltf"), json).unwrap();
    folder.expect(&["info", "fallback.gltf"], 0);
    for extension in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_basisu"] {
        let required = format!(r#""extensionsRequired":["{extension}"],"scenes""#);
        fs::write(folder.path("required.gltf"), plain.replace(r#""scenes""#, &required)).unwrap();
        // Nothing in the file needs it, so whoever knows it is content.
        if [
            ("draco", cfg!(feature = "draco")),
            ("meshopt", cfg!(feature = "meshopt")),
            ("basisu", cfg!(feature = "basisu")),
        ]
        .into_iter()
        .any(|(feature, built)| built && extension.contains(feature))
        {
            folder.expect(&["info", "required.gltf"], 0);
            continue;
        }
        let said = folder.expect(&["info", "required.gltf"], 2);
        assert!(said.contains(&format!("requires the extension {extension}")) && said.contains("--features"), "{said}");
    }
}

#[test]
fn info_reads_no_more_of_an_image_than_its_header() {
    let folder = Folder::new();
    folder.triangle("scene.gltf", 1.0, &[1.0]);
    folder.picture("texture.png", 7);
    let json = fs::read_to_string(folder.path("scene.gltf")).unwrap();
    let json = json.replace(r#""POSITION":0"#, r#""POSITION":0,"TEXCOORD_0":1"#).replace(
        r#""materials":[{"#,
        r#""images":[{"uri":"texture.png"}],"textures":[{"source":0}],
        "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"#,
    );
    let json = json.replace(
        r#""count":3,"type":"VEC3"}"#,
        r#""count":3,"type":"VEC3"},{"bufferView":0,"componentType":5126,"count":3,"type":"VEC2"}"#,
    );
    fs::write(folder.path("scene.gltf"), json).unwrap();
    let render = ["render", "scene.gltf", "-o", "x.png", "--size", "8x8"];
    folder.expect(&render, 0);
    // What follows the header is lost.
    let bytes = fs::read(folder.path("texture.png")).unwrap();
    fs::write(folder.path("texture.png"), &bytes[..60]).unwrap();
    assert!(folder.expect(&["info", "scene.gltf"], 0).contains("4×4 PNG Rgb 8 bit"));
    let said = folder.expect(&render, 2);
    assert!(said.contains("scene.gltf: images[0] (texture.png): the image can not be decoded"), "{said}");
    // It can be decoded, but is too long for a texture.
    Picture::from_rgba8(16_385, 1, vec![9; 4 * 16_385]).unwrap().write(&folder.path("texture.png")).unwrap();
    let said = folder.expect(&render, 2);
    assert!(said.contains("scene.gltf: images[0] (texture.png): 16385×1 pixels are too many"), "{said}");
}

#[test]
fn every_command_that_reads_a_scene_has_its_budget() {
    let folder = Folder::new();
    folder.triangle("scene.gltf", 1.0, &[1.0]);
    folder.expect(&["golden", "new", "a", "scene.gltf", "--folder", ".", "--size", "8x8"], 0);
    for command in [
        &["info", "scene.gltf"][..],
        &["lint", "scene.gltf"],
        &["golden", "new", "b", "scene.gltf", "--folder", ".", "--size", "8x8"],
        &["golden", "bless", "--yes", "--folder", "."],
    ] {
        let said = folder.expect(&[command, &["--memory", "0"]].concat(), 2);
        assert!(said.contains("more than 0 MiB of memory") && said.contains("--memory"), "{said}");
    }
}

#[test]
fn the_demo_writes_over_no_goldens() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("golden")).unwrap();
    fs::write(folder.path("golden/manifest.toml"), "").unwrap();
    folder.picture("golden/demo.png", 7);
    let golden = fs::read(folder.path("golden/demo.png")).unwrap();
    let said = folder.expect(&["demo", "-o", "."], 2);
    assert!(said.contains("name another folder"), "{said}");
    assert!(fs::read(folder.path("golden/demo.png")).unwrap() == golden);
}

#[test]
fn cases_that_are_added_at_once_all_stay() {
    let folder = Folder::new();
    let add = |number: usize| {
        let name = format!("case-{number}");
        let mut command = folder.command(&["golden", "new", &name, "mannequin", "--size", "8x8"]);
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..12).map(add).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let manifest = fs::read_to_string(folder.path("golden/manifest.toml")).unwrap();
    assert_eq!(manifest.matches("[[case]]").count(), 12);
    assert_eq!(names(&folder.path("golden")), ["manifest.toml"]);
}

#[test]
fn a_blessing_that_was_killed_is_finished_or_undone() {
    let folder = Folder::new();
    let manifest = |yaw: u32| {
        let case =
            format!("[[case]]\nname = \"a\"\nscene = \"mannequin\"\nsize = \"24x24\"\ncamera = \"orbit:{yaw},0\"\n");
        fs::create_dir_all(folder.path("golden")).unwrap();
        fs::write(folder.path("golden/manifest.toml"), case).unwrap();
    };
    let bless = |yaw| {
        manifest(yaw);
        folder.expect(&["golden", "bless", "--yes"], 0);
        ["golden/a.png", "golden/a.envelope"].map(|name| fs::read(folder.path(name)).unwrap())
    };
    let [new_picture, new_envelope] = bless(90);
    let [old_picture, old_envelope] = bless(0);
    assert!(old_picture != new_picture && old_envelope != new_envelope);
    let lie = ["golden/.a.envelope.pending", "golden/.refrast-1-7.part"].map(|name| folder.path(name));
    let expect = |picture: &[u8], envelope: &[u8]| {
        folder.expect(&["golden", "list"], 0);
        assert_eq!(names(&folder.path("golden")), ["a.envelope", "a.png", "manifest.toml"]);
        assert!(fs::read(folder.path("golden/a.png")).unwrap() == picture);
        assert!(fs::read(folder.path("golden/a.envelope")).unwrap() == envelope);
    };
    // Killed before the picture was renamed, and after it.
    fs::write(&lie[0], &new_envelope).unwrap();
    fs::write(&lie[1], &new_picture[..100]).unwrap();
    expect(&old_picture, &old_envelope);
    fs::write(&lie[0], &new_envelope).unwrap();
    fs::write(folder.path("golden/a.png"), &new_picture).unwrap();
    expect(&new_picture, &new_envelope);
}

#[test]
fn candidates_never_go_where_the_goldens_are() {
    let folder = Folder::new();
    let case = "[[case]]\nname = \"a\"\nscene = \"mannequin\"\nsize = \"8x8\"\n";
    for (name, command) in [("candidates", &["golden", "check"][..]), ("drafts", &["golden", "bless", "--yes"])] {
        fs::create_dir_all(folder.path(name)).unwrap();
        fs::write(folder.path(name).join("manifest.toml"), case).unwrap();
        folder.picture(&format!("{name}/a.png"), 7);
        let golden = fs::read(folder.path(name).join("a.png")).unwrap();
        let said = folder.expect(&[command, &["--folder", name, "-o", "."]].concat(), 2);
        assert!(said.contains("a.png: the pictures to compare can not go where the goldens are"), "{said}");
        assert!(fs::read(folder.path(name).join("a.png")).unwrap() == golden);
    }
}

/// Draws a scene and counts the pixels that are not background.
fn drawn(folder: &Folder, scene: &str) -> usize {
    folder.expect(
        &["render", scene, "-o", "x.png", "--size", "64x64", "--camera", "orbit:0,0", "--background", "#000000"],
        0,
    );
    let picture = Picture::read(&folder.path("x.png")).unwrap();
    picture.samples8().as_chunks::<4>().0.iter().filter(|pixel| pixel[..3] != [0; 3]).count()
}

#[test]
fn what_f32_can_is_drawn_and_what_it_can_not_is_said() {
    let folder = Folder::new();
    folder.triangle("one.gltf", 1.0, &[1.0]);
    let pixels = drawn(&folder, "one.gltf");
    assert!(pixels > 64 * 64 / 4, "a triangle that fills half of what the camera sees: {pixels}");
    for size in [1e-20, 1e-6, 1e6, 1e18] {
        folder.triangle("sized.gltf", size, &[1.0]);
        // The same triangle from as many times as far: only roundings of the matrices differ.
        assert!(drawn(&folder, "sized.gltf").abs_diff(pixels) < pixels / 50, "{size}");
    }
    let render = |scene: &str, camera: &str| {
        folder.expect(&["render", scene, "-o", "y.png", "--size", "16x16", "--camera", camera], 2)
    };
    folder.triangle("huge.gltf", 2e38, &[1.0]);
    let said = render("huge.gltf", "auto");
    assert!(said.contains("beyond f32"), "{said}");
    folder.triangle("chain.gltf", 1.0, &[1e20, 1e20]);
    let said = render("chain.gltf", "auto");
    assert!(said.contains("chain.gltf") && said.contains("node 1"), "{said}");
    for file in ["v.npy", "v.csv", "v.glb"] {
        let said = folder.expect(&["vertices", "chain.gltf", "-o", file], 2);
        assert!(said.contains("nowhere that f32 reaches"), "{said}");
        assert!(!folder.path(file).exists());
    }
    for camera in ["orbit:nan,0", "orbit:0,0,inf", "orbit:inf,0"] {
        assert!(render("one.gltf", camera).contains("finite numbers"), "{camera}");
    }
    let zeros = ["0"; 16].join(",");
    fs::write(folder.path("zeros.json"), format!("{{\"view\":[{zeros}],\"projection\":[{zeros}]}}")).unwrap();
    let said = render("one.gltf", "zeros.json");
    assert!(said.contains("zeros.json") && said.contains("all numbers of `view` are 0"), "{said}");
    assert!(render("one.gltf", "orbit:0,0,1e15").contains("another distance"));
    assert!(!folder.path("y.png").exists());
    // Far too small for f32: there is a picture, of the background alone, and that is said, by a blessing too.
    folder.triangle("tiny.gltf", 1e-40, &[1.0]);
    let said = folder.expect(&["render", "tiny.gltf", "-o", "y.png", "--size", "16x16"], 0);
    assert!(said.contains("warning: 1 frame of one colour"), "{said}");
    folder.expect(&["golden", "new", "tiny", "tiny.gltf", "--size", "16x16"], 0);
    let said = folder.expect(&["golden", "bless", "--yes"], 0);
    assert!(said.contains("warning: tiny: the picture is of one colour"), "{said}");
    folder.triangle("one.gltf", 1.0, &[1.0]);
    let said = folder.expect(&["render", "one.gltf", "-o", "y.png", "--size", "16x16"], 0);
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn a_camera_that_no_vertex_meets_is_refused() {
    let folder = Folder::new();
    folder.triangle("one.gltf", 1.0, &[1.0]);
    let vertices = ["vertices", "one.gltf", "-o", "v.npy"];
    for option in [["--camera", "nowhere.json"], ["--fov", "50"], ["--size", "8x8"], ["--convention", "d3d"]] {
        let said = folder.expect(&[&vertices[..], &option].concat(), 2);
        assert!(said.contains("--matrices"), "{said}");
        assert!(!folder.path("v.npy").exists());
    }
    folder.expect(&[&vertices[..], &["--fov", "50", "--matrices", "m.json"]].concat(), 0);
}

#[test]
fn a_damaged_picture_is_never_the_same() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    let bytes = fs::read(folder.path("a.png")).unwrap();
    // The type of the chunk after the header, which says that the colours are sRGB.
    assert_eq!(&bytes[37..41], b"sRGB");
    for place in [37, 41, 42] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        fs::write(folder.path("b.png"), damaged).unwrap();
        let said = folder.expect(&["compare", "a.png", "b.png", "--metric", "exact"], 2);
        assert!(said.contains("b.png: broken PNG"), "{said}");
    }
}

#[test]
fn verdicts_go_to_standard_output() {
    let folder = Folder::new();
    folder.picture("a.png", 1);
    folder.picture("b.png", 200);
    let output = folder.run(&["compare", "a.png", "b.png", "--metric", "exact"]);
    assert!(output.stdout.starts_with(b"DIFFERENT: a.png") && output.stderr.is_empty());
    let output = folder.run(&["compare", "a.png", "b.png", "--metric", "exact", "--json"]);
    assert!(output.stdout.starts_with(b"{") && output.stderr.starts_with(b"DIFFERENT: a.png"));
}
