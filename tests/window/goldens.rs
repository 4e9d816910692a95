//! What the window looks like, to the last bit: text, panels, overlays and comparisons, without a display.
//!
//! After a change that is meant, `REFRAST_BLESS=1 cargo test --test window_goldens` writes them; look at what changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use egui::{Event, Key, Modifiers};
use glam::DVec3;
use refrast::{
    animation::Pose,
    golden::{DrawnBy, Picture, check_against_golden},
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    skinning::SkinningMethod,
    verify::{
        Profile,
        vertex::{VertexSettings, scene_vertices},
    },
    window::{Comparison, Heat, Input, State, TableColumns, TableView, Viewer},
};

const SIZE: [u32; 2] = [1024, 640];
/// A pose in which the left elbow is bent.
const TIME: f32 = 0.6;

fn scene() -> Scene {
    Scene::mannequin().expect("the built-in character loads")
}

/// The state in which a clip stands still.
fn flex(scene: &Scene) -> State {
    let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
    State { clip: Some(clip), time: TIME, simd: refrast::simd::SimdLevel::Scalar, ..State::default() }
}

/// A folder of this test, which goes when it does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("refrast-window-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder is writable");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can not be removed is the system's to clean up.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The window after keys were pressed, when nothing happens any more, must be its golden.
fn check(name: &str, scene: &Scene, state: State, keys: &[Key]) {
    let mut viewer = Viewer::new(scene, state).expect("the scene can be shown");
    let mut look = 0;
    let mut settle = |viewer: &mut Viewer<'_>, key: Option<Key>| {
        let pressed =
            |key| Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE };
        let mut events: Vec<Event> = key.map(pressed).into_iter().collect();
        for _ in 0..100 {
            look += 1;
            let events = std::mem::take(&mut events);
            let input = Input { size: SIZE, seconds: f64::from(look) / 60.0, events, ..Input::default() };
            if !viewer.update(input).expect("the scene can be shown") && !viewer.wait() {
                break;
            }
        }
    };
    settle(&mut viewer, None);
    keys.iter().for_each(|&key| settle(&mut viewer, Some(key)));
    let picture = viewer.draw().picture().expect("the window has pixels");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    if let Err(message) = check_against_golden(package, name, &picture, DrawnBy::Refrast) {
        panic!("{message}");
    }
}

#[test]
fn a_heat_map_with_the_skeleton() {
    let scene = scene();
    let mut state = State { heat: Heat::Error, ..flex(&scene) };
    (state.overlays.skeleton, state.overlays.names) = (true, true);
    check("window-heat", &scene, state, &[]);
}

#[test]
fn two_methods_with_a_line_between() {
    let scene = scene();
    let state = State { comparison: Comparison::Split, other_method: SkinningMethod::Rigid, ..flex(&scene) };
    check("window-split", &scene, state, &[]);
}

#[test]
fn the_rows_of_a_forearm_the_highest_first() {
    let scene = scene();
    let table = TableView {
        sort: Some(("position_y".to_owned(), true)),
        filter: "forearm_left".to_owned(),
        columns: vec![TableColumns::World, TableColumns::Clip, TableColumns::Window],
        ..TableView::default()
    };
    let mut state = State { table: Some(table), ..flex(&scene) };
    (state.overlays.grid, state.overlays.gizmo, state.overlays.light) = (true, true, true);
    check("window-table", &scene, state, &[Key::ArrowDown, Key::ArrowDown]);
}

#[test]
fn all_keys() {
    let scene = scene();
    check("window-keys", &scene, State { help: true, ..flex(&scene) }, &[]);
}

/// A backend that takes joint 2 for the elbow, as far as positions go: Σ wᵢ·Wᵢ·Bᵢ·v with one i exchanged.
fn wrong_elbow(scene: &Scene, folder: &Folder) -> PathBuf {
    let pose = Pose::sample(scene, scene.find_animation("Flex").expect("a clip"), TIME).expect("the clip is there");
    let mut buffer = scene_vertices(scene, &pose, VertexSettings::default()).expect("it can be evaluated");
    let node = scene.drawn.iter().copied().find(|&node| scene.nodes[node].skin.is_some()).expect("it is skinned");
    let skin = &scene.skins[scene.nodes[node].skin.expect("it is skinned")];
    let elbow = skin.joints.iter().position(|&joint| scene.nodes[joint].name.as_deref() == Some("forearm_left"));
    let elbow = elbow.expect("a joint of the mannequin");
    let matrix =
        |joint: usize| pose.worlds[skin.joints[joint]].as_dmat4() * skin.inverse_bind_matrices[joint].as_dmat4();
    let primitive = &scene.meshes[scene.nodes[node].mesh.expect("it draws")].primitives[0];
    let influences = primitive.influences.as_ref().expect("it is skinned");
    for (vertex, &row) in primitive.source_vertices.iter().enumerate() {
        let own = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
        let rest = DVec3::from(primitive.positions[vertex].map(f64::from));
        for (&joint, &weight) in influences.joints[own.clone()].iter().zip(&influences.weights[own]) {
            if usize::from(joint) == elbow && weight > 0.0 {
                let moved = matrix(2).transform_point3(rest) - matrix(elbow).transform_point3(rest);
                let position = &mut buffer.position.values[row as usize];
                *position = (DVec3::from(*position) + moved * f64::from(weight)).to_array();
            }
        }
    }
    let path = folder.0.join("gpu.npy");
    buffer.write_npy(&path).expect("the temporary folder is writable");
    path
}

#[test]
fn the_worst_vertex_of_a_wrong_elbow() {
    let (scene, folder) = (scene(), Folder::new("elbow"));
    let candidate = Some(wrong_elbow(&scene, &folder));
    check("window-elbow", &scene, State { heat: Heat::Candidate, candidate, ..flex(&scene) }, &[Key::Num1]);
}

#[test]
fn the_farthest_pixel_of_a_picture_with_one_influence_a_vertex() {
    let (scene, folder) = (scene(), Folder::new("picture"));
    let state = flex(&scene);
    let clip = state.clip.expect("it was just set");
    let settings = RenderSettings { width: 480, height: 480, ..RenderSettings::default() };
    let bounds = Bounds::of(&scene, Some(clip)).expect("the clip is there");
    let camera = Camera::orbit(&bounds, Orbit::default(), 1.0, settings.convention);
    let wrong = RenderSettings { max_influences: std::num::NonZeroUsize::new(1), ..settings };
    let mut renderer = Renderer::new(&scene, wrong).expect("the mannequin can be rendered");
    let pose = Pose::sample(&scene, clip, TIME).expect("the clip is there");
    let frame = renderer.render(&pose, &camera).expect("the mannequin can be rendered");
    let path = folder.0.join("gpu.png");
    let picture = Picture::from_rgba8(480, 480, frame.rgba()).expect("the size fits");
    picture.write(&path).expect("the temporary folder is writable");
    let (heat, comparison, candidate) = (Heat::Candidate, Comparison::Other, Some(path));
    let state = State { heat, comparison, candidate, profile: Profile::D3d11, ..state };
    check("window-picture", &scene, state, &[Key::Num1]);
}
