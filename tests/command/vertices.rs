//! Vertex files as a user meets them: written by `refrast vertices`, compared by `refrast compare`, opened as .glb.

use crate::folder::Folder;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::support::{moved, scaled, skinned, vertex};
use glam::Mat4;
use refrast::{
    animation::Pose,
    golden::{Attribute, Given, Verdict, VertexBuffer, VertexCompareOptions, VertexComparison, VertexId},
    scene::{Node, Primitive, Scene, Topology},
    simd::SimdLevel,
    skinning::{Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive},
    verify::vertex::{
        Chain, VertexSettings, compare_vertices, file_vertices, method_errors, posed_glb, scene_vertices,
    },
};

fn refrast(arguments: &[&str], paths: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrast")).args(arguments).args(paths).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// `refrast vertices mannequin … -o`, in the middle of a clip.
fn write(output: &Path) {
    let written = refrast(&["vertices", "mannequin", "--animation", "0", "--time", "0.4", "-o"], &[output]);
    assert!(written.status.success(), "{}", text(&written.stderr));
}

#[test]
fn a_golden_is_written_and_compared_without_a_renderer() {
    let folder = Folder::new("compare");
    let (golden, candidate) = (folder.path("golden.npy"), folder.path("candidate.npy"));
    write(&golden);
    // What a backend writes: values without bounds, in f32.
    let mut buffer = VertexBuffer::read_npy(&golden).unwrap();
    buffer.position.bounds = None;
    buffer.write_npy(&candidate).unwrap();
    let same = refrast(&["compare"], &[&golden, &candidate]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    assert!(text(&same.stdout).starts_with(&format!("SAME: {} vertices\n", buffer.len())));

    // A millimetre in one vertex of thousands.
    buffer.position.values[1234][1] += 1e-3;
    buffer.write_npy(&candidate).unwrap();
    let different = refrast(&["compare", "--json"], &[&golden, &candidate]);
    assert_eq!(different.status.code(), Some(1));
    let id = buffer.ids.as_ref().unwrap()[1234];
    let report = text(&different.stderr);
    assert!(report.contains("position: 1 of ") && report.contains(&id.to_string()), "{report}");
    let json: serde_json::Value = serde_json::from_slice(&different.stdout).unwrap();
    assert_eq!((json["verdict"].as_str(), json["attributes"][0]["outside"].as_u64()), (Some("different"), Some(1)));
    assert_eq!(json["attributes"][0]["worst"][0]["component"], 1);

    std::fs::write(&candidate, b"no vertices").unwrap();
    let error = refrast(&["compare"], &[&golden, &candidate]);
    assert_eq!(error.status.code(), Some(2));
    assert!(text(&error.stderr).contains("candidate.npy: not a vertex file"), "{}", text(&error.stderr));
    let error = refrast(&["compare", "--junit", "x.xml"], &[&golden, &golden]);
    assert_eq!(error.status.code(), Some(2));
}

#[test]
fn numpy_finds_its_fields() {
    let folder = Folder::new("numpy");
    let path = folder.path("golden.npy");
    write(&path);
    let bytes = std::fs::read(&path).unwrap();
    // NPY format 1.0: magic, version, the length of the header in two bytes, a Python dictionary.
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0);
    let header = text(&bytes[10..10 + length]);
    for field in ["('position', '<f4', (3,", "('normal', '<f4', (3,", "('tangent', '<f4', (4,", "('vertex', '<u4')"] {
        assert!(header.contains(field), "{header} lacks {field}");
    }
    // Indices, numbers and bounds, and what the backends are given.
    assert!(header.contains("('given', '<u4')"), "{header}");
    let rows = (bytes.len() - 10 - length) / (4 * (3 + 10 + 10 + 1));
    assert_eq!(VertexBuffer::read_npy(&path).unwrap().len(), rows);

    let lines = folder.path("golden.csv");
    write(&lines);
    assert_eq!(std::fs::read_to_string(lines).unwrap().lines().count(), rows + 1);
}

#[test]
fn the_file_and_the_verdict_say_what_the_backends_are_given() {
    let folder = Folder::new("given");
    let (file, palette) = (folder.path("file.npy"), folder.path("palette.npy"));
    write(&file);
    let arguments = ["vertices", "mannequin", "--animation", "0", "--time", "0.4", "--given", "palette", "-o"];
    let written = refrast(&arguments, &[&palette]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let read = |path: &Path| VertexBuffer::read_npy(path).unwrap();
    assert_eq!((read(&file).given, read(&palette).given), (Some(Given::File), Some(Given::Palette)));
    let verdict = |golden: &Path| text(&refrast(&["compare"], &[golden, golden]).stdout);
    assert!(verdict(&file).contains("bounds for backends that read the scene's file"), "{}", verdict(&file));
    assert!(verdict(&palette).contains("bounds for backends that are given the palette"), "{}", verdict(&palette));
    // Whoever reads the file rounds more often.
    let mean = |path: &Path| {
        let bounds = read(path).position.bounds.unwrap();
        bounds.iter().flatten().sum::<f64>() / bounds.len() as f64
    };
    assert!(mean(&file) > 2.0 * mean(&palette) && mean(&file) < 1e-3, "{:e} {:e}", mean(&file), mean(&palette));

    let unknown = refrast(&["vertices", "mannequin", "--given", "matrices", "-o"], &[&file]);
    assert_eq!(unknown.status.code(), Some(2));
    let unknown = refrast(&["vertices", "mannequin", "--nlerp-above", "2", "-o"], &[&file]);
    assert!(text(&unknown.stderr).contains("from 0 to 1"), "{}", text(&unknown.stderr));
}

/// A triangle that its node turns by a rotation of three digits, as text files have them.
fn three_digits() -> Scene {
    let rotation = glam::Quat::from_xyzw(0.0, 0.0, 0.707, 0.707);
    let transform =
        refrast::scene::Transform::Decomposed { translation: glam::Vec3::ZERO, rotation, scale: glam::Vec3::ONE };
    unskinned(Node { transform, ..Node::default() }, triangle(false))
}

#[test]
fn a_rotation_that_is_not_of_unit_length_has_two_right_results_and_none_between() {
    let golden = file_vertices(&three_digits(), Chain::REST, VertexSettings::default()).unwrap();
    assert_eq!(golden.alternatives.len(), 1);
    // The second corner, (1, 0, 0): as it stands at (1 − 2·0.707², 2·0.707²), at unit length at (0, 1).
    let square = 2.0 * f64::from(0.707f32) * f64::from(0.707f32);
    let [stored, unit] = [[1.0 - square, square, 0.0], [0.0, 1.0, 0.0]];
    let candidate = |second: [f64; 3], third: [f64; 3]| VertexBuffer {
        position: Attribute::without_bounds(vec![[0.0; 3], second, third]),
        ..VertexBuffer::default()
    };
    let judge = |second: [f64; 3]| {
        let comparison = VertexComparison::of(
            &golden,
            &candidate(second, [-second[1], second[0], 0.0]),
            &VertexCompareOptions::default(),
        );
        (comparison.verdict, comparison.alternative)
    };
    assert_eq!(judge(stored), (Verdict::Same, None));
    assert_eq!(judge(unit), (Verdict::Same, Some("keys-as-stored+nodes-unit".to_owned())));
    let between = [0, 1, 2].map(|axis| 0.5 * (stored[axis] + unit[axis]));
    assert_eq!(judge(between).0, Verdict::Different);
    // One corner by each is nobody's either.
    let mixed = candidate(stored, [-1.0, 0.0, 0.0]);
    let comparison = VertexComparison::of(&golden, &mixed, &VertexCompareOptions::default());
    assert_eq!(comparison.verdict, Verdict::Different);
    assert!(comparison.to_string().contains("one of 2 ways"), "{comparison}");
    // And the file keeps both.
    let folder = Folder::new("alternatives");
    golden.write_npy(&folder.path("golden.npy")).unwrap();
    let read = VertexBuffer::read_npy(&folder.path("golden.npy")).unwrap();
    assert_eq!(read.alternatives[0].label, golden.alternatives[0].label);
    assert_eq!(
        read.alternatives[0].position.values[1],
        golden.alternatives[0].position.values[1].map(|x| f64::from(x as f32))
    );
}

#[test]
fn wrong_output_names_are_refused_before_any_work() {
    let refused = refrast(&["vertices", "no-such-scene.glb", "-o", "posed.obj"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("posed.obj: name a file that ends in .npy, .csv or .glb"));
}

/// One triangle a node: positions, and whether it has normals.
fn triangle(flat: bool) -> Primitive {
    Primitive {
        indices: vec![0, 1, 2],
        source_vertices: vec![0, 1, 2],
        source_vertex_count: 3,
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: (!flat).then(|| vec![[0.0, 0.0, 1.0]; 3]),
        flat,
        ..Primitive::default()
    }
}

fn unskinned(node: Node, primitive: Primitive) -> Scene {
    let mut scene = skinned(vec![], node, primitive);
    scene.nodes[0].skin = None;
    scene.materials.push(refrast::scene::Material::default());
    scene
}

#[test]
fn the_bound_of_one_addition_is_worked_out_by_hand() {
    // x = 1·x + 0 + 0 + 10: multiplying by 1 and adding 0 rounds nothing, one addition is left. γ₁ = u/(1 − u) of
    // |1| + |10|; and y and z, to which 0 is added, are exact.
    let scene = unskinned(moved(10.0, 0.0, 0.0), triangle(false));
    let buffer = scene_vertices(&scene, &Pose::rest(&scene), VertexSettings::default()).unwrap();
    let unit = 1.0 / f64::from(1 << 24);
    assert_eq!(buffer.position.values[1], [11.0, 0.0, 0.0]);
    let [x, y, z] = buffer.position.bounds.as_ref().unwrap()[1];
    assert!((x - 11.0 * unit / (1.0 - unit)).abs() < 1e-30, "{x}");
    assert_eq!((y, z), (0.0, 0.0));
}

#[test]
fn rows_are_the_vertices_of_the_file() {
    // Two triangles of four vertices of the file, split into six: source vertex 3 is used by none.
    let mut primitive = triangle(true);
    primitive.positions.extend([[5.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    primitive.indices = (0..6).collect();
    primitive.source_vertices = vec![2, 0, 1, 4, 0, 1];
    primitive.source_vertex_count = 5;
    let scene = unskinned(Node::default(), primitive);
    let buffer = scene_vertices(&scene, &Pose::rest(&scene), VertexSettings::default()).unwrap();
    assert_eq!(buffer.position.values[..3], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
    assert!(buffer.position.values[3][0].is_nan());
    assert_eq!(buffer.position.values[4], [5.0, 0.0, 0.0]);
    assert!(buffer.normal.unwrap().values.iter().flatten().all(|number| number.is_nan()));
    assert_eq!(buffer.ids.unwrap()[4], VertexId { node: 0, primitive: 0, vertex: 4 });
}

#[test]
fn a_report_names_the_joints_of_the_worst_vertex() {
    let joints = vec![Node { name: Some("hip".to_owned()), ..moved(1.0, 0.0, 0.0) }, moved(0.0, 4.0, 0.0)];
    let mut primitive = vertex([0.0; 3], [0.0, 0.0, 1.0], &[(0, 0.25), (1, 0.75)]);
    (primitive.source_vertices, primitive.source_vertex_count) = (vec![0], 1);
    let scene = skinned(joints, Node::default(), primitive);
    let candidate =
        VertexBuffer { position: Attribute::without_bounds(vec![[0.25, 3.5, 0.0]]), ..VertexBuffer::default() };
    let pose = Pose::rest(&scene);
    let options = VertexCompareOptions::default();
    let report = compare_vertices(&scene, &pose, VertexSettings::default(), &candidate, &options).unwrap();
    assert_eq!(report.comparison.verdict, Verdict::Different);
    assert_eq!(report.comparison.missing, ["normal"]);
    let causes = &report.causes[0].influences;
    assert_eq!((causes[0].name.as_deref(), causes[0].weight, causes[1].weight), (Some("hip"), 0.25, 0.75));
    assert_eq!(causes[1].matrix[1], [0.0, 1.0, 0.0, 4.0]);
    let words = report.to_string();
    assert!(words.contains("joint 0 (node 0, hip) with weight 0.25"), "{words}");
    assert!(serde_json::to_string(&report).unwrap().contains("\"hip\""));
}

/// The corners of all triangles as the `gltf` crate reads them.
fn triangles(glb: &[u8]) -> Vec<[[f32; 3]; 3]> {
    // The crate's own validation runs here.
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(glb).unwrap();
    assert_eq!((document.skins().count(), document.animations().count()), (0, 0));
    let mut triangles = Vec::new();
    for node in document.default_scene().unwrap().nodes() {
        assert_eq!(node.transform().matrix(), Mat4::IDENTITY.to_cols_array_2d());
        for primitive in node.mesh().unwrap().primitives() {
            let reader = primitive.reader(|_| blob.as_deref());
            let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
            let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
            triangles.extend(indices.chunks_exact(3).map(|corners| [0, 1, 2].map(|i| positions[corners[i] as usize])));
        }
    }
    triangles
}

/// The f32 vertices of a primitive, by refrast's own kernels.
fn deform(scene: &Scene, pose: &Pose, node: usize, primitive: usize) -> DeformedVertices {
    let primitive = &scene.meshes[scene.nodes[node].mesh.unwrap()].primitives[primitive];
    let skin = scene.nodes[node].skin.filter(|_| primitive.influences.is_some());
    let palette = skin.map(|skin| Palette::of_skin(&scene.skins[skin], pose));
    let deformation = Deformation {
        primitive: &PreparedPrimitive::new(primitive),
        placement: palette.as_ref().map_or(Placement::Node(pose.worlds[node]), Placement::Skin),
        morph_weights: &pose.weights[node],
        method: refrast::skinning::SkinningMethod::Linear,
        normals: NormalMode::InverseTranspose,
        level: SimdLevel::best(),
    };
    let mut output = DeformedVertices::default();
    deformation.run(&mut output).unwrap();
    output
}

#[test]
fn a_posed_glb_has_the_same_triangles() {
    let folder = Folder::new("glb");
    let path = folder.path("posed.glb");
    write(&path);
    let read = triangles(&std::fs::read(&path).unwrap());
    let scene = Scene::mannequin().unwrap();
    let pose = Pose::sample(&scene, 0, 0.4).unwrap();
    let mut expected = Vec::new();
    let mut nodes = scene.drawn.clone();
    nodes.sort_unstable();
    for node in nodes.into_iter().filter(|node| scene.nodes[*node].mesh.is_some()) {
        for (index, primitive) in scene.meshes[scene.nodes[node].mesh.unwrap()].primitives.iter().enumerate() {
            let deformed = deform(&scene, &pose, node, index);
            let corners = primitive.indices.chunks_exact(3);
            expected.extend(corners.map(|corners| [0, 1, 2].map(|i| deformed.position(corners[i] as usize))));
        }
    }
    assert_eq!(read.len(), expected.len());
    assert!(read.len() > 10_000);
    for (a, b) in read.iter().flatten().flatten().zip(expected.iter().flatten().flatten()) {
        assert!((a - b).abs() < 1e-5, "{a} is not {b}");
    }
    // And it is a scene for refrast again, with nothing left to move.
    let again = Scene::load(&path).unwrap();
    assert!(again.skins.is_empty() && again.animations.is_empty());
    let indices = |scene: &Scene| -> Vec<Vec<u32>> {
        let mut nodes = scene.drawn.clone();
        nodes.sort_unstable();
        let meshes = nodes.into_iter().filter_map(|node| scene.nodes[node].mesh);
        meshes
            .flat_map(|mesh| scene.meshes[mesh].primitives.iter().map(|primitive| primitive.indices.clone()))
            .collect()
    };
    assert_eq!(indices(&again), indices(&scene));
    let rest = Pose::rest(&again);
    let again_vertices = scene_vertices(&again, &rest, VertexSettings::default()).unwrap();
    let vertices = scene_vertices(&scene, &pose, VertexSettings::default()).unwrap();
    assert_eq!(again_vertices.len(), vertices.len());
    for (a, b) in again_vertices.position.values.iter().flatten().zip(vertices.position.values.iter().flatten()) {
        assert_eq!(*a, f64::from(*b as f32));
    }
}

#[test]
fn a_mirrored_pose_turns_its_triangles_round() {
    let at = |scale: f32| {
        let scene = unskinned(scaled(scale, 1.0, 1.0), triangle(false));
        triangles(&posed_glb(&scene, &Pose::rest(&scene), VertexSettings::default()).unwrap())
    };
    let [a, b, c] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(at(1.0), [[a, b, c]]);
    // Mirrored in x the corners would run clockwise seen from +z, where the normal points.
    assert_eq!(at(-1.0), [[a, c, [-1.0, 0.0, 0.0]]]);
}

#[test]
fn a_scene_without_triangles_is_a_valid_glb() {
    let scene = Scene::default();
    let glb = posed_glb(&scene, &Pose::rest(&scene), VertexSettings::default()).unwrap();
    assert!(gltf::Gltf::from_slice(&glb).is_ok());
    let mut points = triangle(false);
    points.topology = Topology::Points;
    let scene = unskinned(Node::default(), points);
    let glb = posed_glb(&scene, &Pose::rest(&scene), VertexSettings::default()).unwrap();
    let again = Scene::from_bytes(&glb, "points.glb").unwrap();
    assert_eq!(again.meshes[0].primitives[0].topology, Topology::Points);
}

/// The kernels are within their own bound on real characters in motion.
#[test]
fn refrast_is_within_its_bound_on_real_models() {
    let models = std::env::var_os("REFRAST_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models"), PathBuf::from);
    let mut scenes = vec![Scene::mannequin().unwrap()];
    let names = ["CesiumMan", "Fox", "SimpleSkin", "AnimatedMorphCube", "MorphStressTest", "Greenman", "FlightHelmet"];
    for name in names {
        let found = std::fs::read_dir(models.join(name)).ok().and_then(|files| {
            let mut paths = files.filter_map(|entry| Some(entry.ok()?.path()));
            paths.find(|path| path.extension().is_some_and(|extension| extension == "gltf" || extension == "glb"))
        });
        match found {
            Some(path) => scenes.push(Scene::load(path).unwrap()),
            None => println!("skipped: {name} is not under {}", models.display()),
        }
    }
    for scene in &scenes {
        let clips = scene.animations.iter().enumerate();
        let mut poses: Vec<Pose> =
            clips.map(|(clip, animation)| Pose::sample(scene, clip, animation.duration * 0.37).unwrap()).collect();
        poses.push(Pose::rest(scene));
        for pose in &poses {
            let settings = VertexSettings::default();
            let error = method_errors(scene, pose, settings, |node, index| deform(scene, pose, node, index)).unwrap();
            let ratio = error.ratio.unwrap();
            assert!(ratio <= 1.0, "{}: {error:?}", scene.source.file);
        }
    }
}
