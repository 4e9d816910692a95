//! What the window looks like, to the last bit: text, panels, overlays and comparisons, without a display.
//!
//! After a change that is meant, `REFRAST_BLESS=1 cargo test --release --test window goldens` writes them; look at what changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use egui::{Event, Key, Pos2};
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
    window::{
        Comparison, Heat, HeatRange, Input, Panel, ProgramView, State, TableColumns, TableView, VertexChoice, Viewer,
    },
};

use crate::hands::{WINDOW, click, key};

/// A window in which nothing has room to spare.
const SMALL: [u32; 2] = [700, 450];
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
    let viewer = Viewer::new(scene, state).expect("the scene can be shown");
    check_viewer(name, viewer, WINDOW, &keys.iter().map(|&one| key(one)).collect::<Vec<_>>());
}

/// The same of a window of its own size, and of any events.
fn check_viewer(name: &str, mut viewer: Viewer<'_>, size: [u32; 2], events: &[Event]) {
    let mut look = 0;
    let mut settle = |viewer: &mut Viewer<'_>, event: Option<&Event>, pause: i32| {
        look += pause;
        let mut events: Vec<Event> = event.cloned().into_iter().collect();
        for _ in 0..100 {
            look += 1;
            let events = std::mem::take(&mut events);
            let input = Input { size, seconds: f64::from(look) / 60.0, events, ..Input::default() };
            if !viewer.update(input).expect("the scene can be shown") && !viewer.wait() {
                break;
            }
        }
    };
    settle(&mut viewer, None, 0);
    events.iter().for_each(|event| settle(&mut viewer, Some(event), 0));
    // What waits for a pause comes now.
    settle(&mut viewer, None, 60);
    check_frame(name, &mut viewer);
}

/// What the window shows now must be its golden.
fn check_frame(name: &str, viewer: &mut Viewer<'_>) {
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

/// A vertex of the neck, which four joints move.
fn neck(scene: &Scene) -> Option<VertexChoice> {
    let node = scene.drawn.iter().copied().find(|&node| scene.nodes[node].skin.is_some());
    node.map(|node| VertexChoice { node, primitive: 0, vertex: 5000 })
}

#[test]
fn a_small_window_with_the_weights_of_a_vertex_by_dual_quaternions() {
    let scene = scene();
    let state =
        State { heat: Heat::Weight, method: SkinningMethod::DualQuaternion, selected: neck(&scene), ..flex(&scene) };
    let viewer = Viewer::new(&scene, state).expect("the scene can be shown");
    check_viewer("window-small", viewer, SMALL, &[]);
}

#[test]
fn a_small_window_with_a_program_whose_registers_are_folded() {
    let scene = scene();
    let mut program = ProgramView::new(refrast::render::program::ProgramChoice::new("bone_offset_4"));
    program.step = 5;
    let state =
        State { program: Some(program), folded: vec![Panel::Inspector], selected: neck(&scene), ..flex(&scene) };
    let viewer = Viewer::new(&scene, state).expect("the scene can be shown");
    check_viewer("window-folded", viewer, SMALL, &[]);
}

#[test]
fn registers_at_an_instruction_for_a_vertex_of_the_wrist() {
    let scene = scene();
    let mut program = ProgramView::new(refrast::render::program::ProgramChoice::new("bone_offset_4"));
    program.step = 20;
    program.breaks.toggle(20);
    let selected = neck(&scene).map(|choice| VertexChoice { vertex: 2905, ..choice });
    let state = State { program: Some(program), selected, time: 0.5, ..flex(&scene) };
    let viewer = Viewer::new(&scene, state).expect("the scene can be shown");
    check_viewer("window-registers", viewer, [1280, 720], &[]);
}

#[test]
fn scenes_that_were_opened_before_and_what_became_of_a_screenshot() {
    let scene = scene();
    let state = State { folded: vec![Panel::Inspector], ..flex(&scene) };
    let mut viewer = Viewer::new(&scene, state).expect("the scene can be shown");
    viewer.offer(["models/fox.glb", "models/robot.gltf"].map(PathBuf::from).into());
    viewer.notify("the window is written to refrast-view-1.png".to_owned());
    check_viewer("window-recent", viewer, SMALL, &click(Pos2::new(140.0, 12.0)));
}

#[test]
fn what_a_button_does() {
    let scene = scene();
    let viewer = Viewer::new(&scene, flex(&scene)).expect("the scene can be shown");
    // A tooltip waits until the pointer rests.
    let events = [184.0, 185.0, 186.0].map(|x| Event::PointerMoved(Pos2::new(x, 436.0)));
    check_viewer("window-tooltip", viewer, SMALL, &events);
}

#[test]
fn a_difference_over_decades_without_panels() {
    let scene = scene();
    let mut state = State {
        heat: Heat::Difference,
        range: HeatRange::Log,
        method: SkinningMethod::DualQuaternion,
        other_method: SkinningMethod::Linear,
        panels: false,
        ..flex(&scene)
    };
    state.overlays.gizmo = true;
    let viewer = Viewer::new(&scene, state).expect("the scene can be shown");
    check_viewer("window-decades", viewer, [480, 360], &[]);
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

/// A backend's picture in which each vertex follows one joint only, beside the reference's.
fn one_influence(scene: &Scene, folder: &Folder) -> State {
    let state = flex(scene);
    let clip = state.clip.expect("it was just set");
    let settings = RenderSettings { width: 480, height: 480, ..RenderSettings::default() };
    let bounds = Bounds::of(scene, Some(clip)).expect("the clip is there");
    let camera = Camera::orbit(&bounds, Orbit::default(), 1.0, settings.convention);
    let wrong = RenderSettings { max_influences: std::num::NonZeroUsize::new(1), ..settings };
    let mut renderer = Renderer::new(scene, wrong).expect("the mannequin can be rendered");
    let pose = Pose::sample(scene, clip, TIME).expect("the clip is there");
    let frame = renderer.render(&pose, &camera).expect("the mannequin can be rendered");
    let path = folder.0.join("gpu.png");
    let picture = Picture::from_rgba8(480, 480, frame.rgba()).expect("the size fits");
    picture.write(&path).expect("the temporary folder is writable");
    let (heat, comparison, candidate) = (Heat::Candidate, Comparison::Other, Some(path));
    State { heat, comparison, candidate, profile: Profile::D3d11, ..state }
}

#[test]
fn the_farthest_pixel_of_a_picture_with_one_influence_a_vertex() {
    let (scene, folder) = (scene(), Folder::new("picture"));
    check("window-picture", &scene, one_influence(&scene, &folder), &[Key::Num1]);
}

#[test]
fn nothing_is_right_or_wrong_before_there_is_an_envelope() {
    let (scene, folder) = (scene(), Folder::new("judging"));
    let mut viewer = Viewer::new(&scene, one_influence(&scene, &folder)).expect("the scene can be shown");
    // One look: what is made in the background has only just begun.
    let input = Input { size: SMALL, seconds: 1.0, ..Input::default() };
    assert!(viewer.update(input).expect("the scene can be shown"));
    check_frame("window-judging", &mut viewer);
}
