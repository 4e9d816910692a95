//! The vertex table as a person uses it, without a display: rows, filters, orders, and the picture that follows them.

use std::collections::HashMap;

use egui::{Event, Key, PointerButton, Pos2};
use refrast::{
    animation::Pose,
    scene::Scene,
    verify::vertex::{VertexSettings, scene_vertices},
    window::{Heat, Input, Panel, ProgramView, State, TableView, ViewCamera, Viewer},
};

use crate::hands::{WINDOW, button, click, give, key};

/// From a column of pixels to another one so far to the right, in ten steps.
fn drag_across(from: f32, across: f32) -> Vec<Event> {
    let at = |part: f32| Pos2::new(from + part * across, 300.0);
    let left = |pos: Pos2, pressed| button(pos, PointerButton::Primary, pressed);
    let mut events = vec![Event::PointerMoved(at(0.0)), left(at(0.0), true)];
    events.extend((1..=10).map(|step| Event::PointerMoved(at(step as f32 / 10.0))));
    events.push(left(at(1.0), false));
    events
}

fn scene() -> Scene {
    Scene::mannequin().expect("the built-in character loads")
}

/// The mannequin with a bent elbow and its table.
fn state(scene: &Scene, table: TableView) -> State {
    let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
    State { clip: Some(clip), time: 0.5, table: Some(table), ..State::default() }
}

fn viewer(scene: &Scene, table: TableView) -> Viewer<'_> {
    let mut viewer = Viewer::new(scene, state(scene, table)).expect("the mannequin can be shown");
    give(&mut viewer, &mut 0.0, Vec::new());
    viewer
}

/// A column of the CSV by its heading.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let headings = lines.next().expect("a line of headings");
    let place = headings.iter().position(|heading| *heading == name).unwrap_or_else(|| panic!("{name}: {headings:?}"));
    // The digits give the same f32 back, and are no others.
    lines.map(|cells| f64::from(cells[place].parse::<f32>().expect("a number"))).collect()
}

#[test]
fn what_is_copied_are_the_vertices_of_the_frame() {
    let scene = scene();
    let viewer = viewer(&scene, TableView::default());
    let csv = viewer.table_csv().expect("the table is shown");
    // Positions in world space are within the bounds of right backends, row by row.
    let pose = Pose::sample(&scene, scene.find_animation("Flex").expect("a clip"), 0.5).expect("the clip is there");
    let golden = scene_vertices(&scene, &pose, VertexSettings::default()).expect("it can be evaluated");
    let bounds = golden.position.bounds.as_ref().expect("linear skinning has bounds");
    let ids = golden.ids.as_ref().expect("it says which vertex a row is");
    let rows = ["node", "primitive", "vertex", "position_x", "position_y", "position_z"].map(|name| column(&csv, name));
    assert_eq!(rows[0].len(), scene.meshes[0].primitives[0].positions.len());
    let place: HashMap<[u32; 3], usize> =
        (0..ids.len()).map(|row| ([ids[row].node, ids[row].primitive, ids[row].vertex], row)).collect();
    for row in 0..rows[0].len() {
        let own = place[&[0, 1, 2].map(|index| rows[index][row] as u32)];
        for axis in 0..3 {
            let error = (rows[3 + axis][row] - golden.position.values[own][axis]).abs();
            assert!(error <= bounds[own][axis], "row {row}, axis {axis}: {error}");
        }
    }
    // Window positions follow from clip space: x ÷ w, from the left.
    let [clip_x, clip_w, window_x] = ["clip_x", "clip_w", "window_x"].map(|name| column(&csv, name));
    let width = f64::from(viewer_width(&viewer));
    for ((x, w), window) in clip_x.iter().zip(&clip_w).zip(&window_x) {
        assert!(((x / w * 0.5 + 0.5) * width - window).abs() < 1e-2, "{x} {w} {window}");
    }
}

/// The picture lies between the two panels.
fn viewer_width(viewer: &Viewer<'_>) -> u32 {
    let [settings, inspector] = viewer.state().panel_widths;
    WINDOW[0] - (settings + inspector) as u32
}

#[test]
fn rows_are_filtered_and_ordered() {
    let scene = scene();
    let table = TableView {
        filter: "position_y>1 forearm_left".to_owned(),
        sort: Some(("position_x".to_owned(), true)),
        ..TableView::default()
    };
    let viewer = viewer(&scene, table);
    let csv = viewer.table_csv().expect("the table is shown");
    let (x, y) = (column(&csv, "position_x"), column(&csv, "position_y"));
    assert!(x.len() > 10 && x.is_sorted_by(|a, b| a >= b), "{} rows", x.len());
    assert!(y.iter().all(|y| *y > 1.0));
    // The left arm of who looks along +z is at +x.
    assert!(x.iter().all(|x| *x > 0.1), "{x:?}");
}

#[test]
fn rows_of_corners_are_those_of_the_indices() {
    let scene = scene();
    let viewer = viewer(&scene, TableView { corners: true, ..TableView::default() });
    let csv = viewer.table_csv().expect("the table is shown");
    let primitive = &scene.meshes[0].primitives[0];
    let expected = primitive.indices.iter().map(|&index| f64::from(primitive.source_vertices[index as usize]));
    assert!(column(&csv, "vertex").into_iter().eq(expected));
    assert!(column(&csv, "corner").into_iter().eq((0..primitive.indices.len()).map(|corner| corner as f64)));
}

#[test]
fn the_picture_follows_the_row() {
    let scene = scene();
    let mut viewer = viewer(&scene, TableView::default());
    let mut clock = 10.0;
    for (keys, expected) in [(1, 0), (2, 2)] {
        give(&mut viewer, &mut clock, vec![key(Key::ArrowDown); keys]);
        assert_eq!(viewer.state().selected.map(|choice| choice.vertex), Some(expected));
    }
    give(&mut viewer, &mut clock, vec![key(Key::ArrowUp)]);
    assert_eq!(viewer.state().selected.map(|choice| choice.vertex), Some(1));
    let csv = viewer.table_csv().expect("the table is shown");
    let place = ["position_x", "position_y", "position_z"].map(|name| column(&csv, name)[1]);
    let ViewCamera::Free { target: Some(target), .. } = viewer.state().camera else { panic!("the camera was moved") };
    assert!((target - glam::DVec3::from(place)).length() < 1e-6, "{target} {place:?}");

    // A click into a row chooses it. Rows are under the bar, the headings and the bounds.
    let at = Pos2::new(200.0, 560.0);
    give(&mut viewer, &mut clock, click(at));
    let clicked = viewer.state().selected.expect("a row was clicked").vertex;
    assert!(clicked > 1, "row {clicked}");
    let before = viewer.state().camera;
    viewer.state_mut().table.as_mut().expect("it is shown").follow = false;
    give(&mut viewer, &mut clock, vec![key(Key::ArrowDown)]);
    assert_eq!(viewer.state().selected.map(|choice| choice.vertex), Some(clicked + 1));
    assert_eq!(viewer.state().camera, before, "the camera stays where it is");
}

#[test]
fn escape_closes_what_is_in_front() {
    let scene = scene();
    let mut viewer = viewer(&scene, TableView::default());
    let mut clock = 10.0;
    give(&mut viewer, &mut clock, vec![key(Key::ArrowDown)]);
    // The list of methods.
    let before = viewer.draw().pixels().to_vec();
    give(&mut viewer, &mut clock, click(Pos2::new(180.0, 32.0)));
    assert!(viewer.draw().pixels() != before, "no list is open");
    give(&mut viewer, &mut clock, vec![key(Key::F1)]);
    let open = |viewer: &Viewer<'_>| {
        let State { help, table, selected, .. } = viewer.state();
        (*help, table.is_some(), selected.is_some())
    };
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(open(&viewer));
        give(&mut viewer, &mut clock, vec![key(Key::Escape)]);
    }
    let all = (true, true, true);
    assert_eq!(seen, [all, all, (false, true, true), (false, false, true)]);
    assert_eq!(open(&viewer), (false, false, false));
}

#[test]
fn panels_fold_and_their_edges_are_dragged() {
    let scene = scene();
    let mut viewer = viewer(&scene, TableView::default());
    let mut clock = 10.0;
    give(&mut viewer, &mut clock, vec![key(Key::F6)]);
    let camera = viewer.state().camera;
    give(&mut viewer, &mut clock, drag_across(250.0, 50.0));
    let [settings, inspector] = viewer.state().panel_widths;
    assert!((settings - 300.0).abs() < 2.0 && inspector == 340.0, "{settings} {inspector}");
    assert_eq!(viewer.state().camera, camera, "the edge was dragged, and not the picture");
    give(&mut viewer, &mut clock, vec![key(Key::F3), key(Key::F4)]);
    assert_eq!(viewer.state().folded, [Panel::Settings, Panel::Inspector]);
    // A click on what is left of a panel brings it back.
    give(&mut viewer, &mut clock, click(Pos2::new(1014.0, 300.0)));
    assert_eq!(viewer.state().folded, [Panel::Settings]);
}

#[test]
fn the_panels_of_a_program_are_dragged_too() {
    let scene = scene();
    let program = ProgramView::new(refrast::render::program::ProgramChoice::new("bone_offset_4"));
    let program_widths = [Some(300.0), None];
    let state = State { program: Some(program), program_widths, table: None, ..state(&scene, TableView::default()) };
    let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    let camera = viewer.state().camera;
    give(&mut viewer, &mut clock, drag_across(300.0, -20.0));
    let [program, registers] = viewer.state().program_widths;
    assert!(
        program.is_some_and(|width| (width - 280.0).abs() < 2.0) && registers.is_none(),
        "{program:?} {registers:?}"
    );
    assert_eq!(viewer.state().camera, camera, "the edge was dragged, and not the picture");
}

#[test]
fn the_weight_map_follows_the_inspected_vertex() {
    let scene = scene();
    let table = TableView { filter: "hand_left".to_owned(), follow: false, ..TableView::default() };
    let state = State { heat: Heat::Weight, ..state(&scene, table) };
    let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    // The lowest colour of the map, darkened by the shading, has more blue than red; the highest is red.
    let red = |viewer: &mut Viewer<'_>| {
        let pixels = viewer.draw().pixels().iter().enumerate();
        let picture = pixels.filter(|(place, _)| (260..680).contains(&(place % 1024)) && place / 1024 < 350);
        picture.filter(|(_, pixel)| pixel.to_be_bytes()[1] > 2 * pixel.to_be_bytes()[3].max(8)).count()
    };
    let before = red(&mut viewer);
    give(&mut viewer, &mut clock, vec![key(Key::ArrowDown)]);
    let after = red(&mut viewer);
    assert!(before == 0 && after > 20, "{before} red pixels before a vertex was chosen, {after} after it");
}

#[test]
fn the_transport_bar_stands_still_while_the_clip_plays() {
    let scene = scene();
    let bar = |playing: bool| {
        let state = State { playing, table: None, ..state(&scene, TableView::default()) };
        let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
        let input = |seconds| Input { size: WINDOW, seconds, ..Input::default() };
        for seconds in [0.0, 1e-3] {
            viewer.update(input(seconds)).expect("the mannequin can be shown");
        }
        // The two buttons behind play and pause.
        let pixels = viewer.draw().pixels();
        let rows = 612..640;
        rows.flat_map(|row| pixels[row * 1024 + 250..row * 1024 + 318].to_vec()).collect::<Vec<u32>>()
    };
    assert_eq!(bar(false), bar(true));
}
