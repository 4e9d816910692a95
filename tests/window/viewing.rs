//! The viewer as a person uses it, without a display: events in, pixels and state out.

use egui::{Event, Key, PointerButton, Pos2};
use refrast::{
    animation::Pose,
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    skinning::SkinningMethod,
    window::{Comparison, Heat, Input, State, VertexChoice, Viewer},
};

use crate::hands::{WINDOW, button, give, key};

#[test]
fn without_panels_the_window_is_the_frame() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
    let state = State { clip: Some(clip), time: 0.5, panels: false, ..State::default() };
    let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
    give(&mut viewer, &mut 0.0, Vec::new());

    let settings = RenderSettings { width: WINDOW[0], height: WINDOW[1], ..RenderSettings::default() };
    let mut renderer = Renderer::new(&scene, settings).expect("the mannequin can be rendered");
    let bounds = Bounds::of(&scene, Some(clip)).expect("the clip is there");
    let camera = Camera::orbit(&bounds, Orbit::default(), 1024.0 / 640.0, settings.convention);
    let pose = Pose::sample(&scene, clip, 0.5).expect("the clip is there");
    let frame = renderer.render(&pose, &camera).expect("the mannequin can be rendered");
    let expected = frame.rgba().chunks_exact(4).map(|rgba| u32::from_be_bytes([0, rgba[0], rgba[1], rgba[2]]));
    let canvas = viewer.draw();
    assert_eq!((canvas.width(), canvas.height()), (1024, 640));
    assert!(expected.eq(canvas.pixels().iter().copied()), "the window differs from the frame");
}

#[test]
fn what_is_kept_from_picture_to_picture_is_what_would_be_painted() {
    // One is painted at every look, the other at a few of them, and a third for the first time: all must show the same.
    let scene = Scene::mannequin().expect("the built-in character loads");
    let clip = scene.find_animation("Walk").expect("a clip of the mannequin");
    let state = State { clip: Some(clip), playing: true, ..State::default() };
    let new = || Viewer::new(&scene, state.clone()).expect("the mannequin can be shown");
    let (mut always, mut seldom) = (new(), new());
    let keys = [Key::H, Key::G, Key::O, Key::O, Key::M, Key::A, Key::Tab, Key::Tab, Key::F6, Key::F3, Key::C];
    let mut given: Vec<Input> = Vec::new();
    for look in 0u8..44 {
        let at = Pos2::new(200.0 + f32::from(look), 120.0);
        let mut events = vec![Event::PointerMoved(at)];
        if look == 1 {
            events.push(button(at, PointerButton::Primary, true));
        }
        if look % 4 == 3 {
            events.push(key(keys[usize::from(look / 4)]));
        }
        let size = if (20..27).contains(&look) { [440, 280] } else { [480, 300] };
        let input = Input { size, seconds: f64::from(look) / 30.0, events, ..Input::default() };
        given.push(input.clone());
        always.update(input.clone()).expect("it can be shown");
        always.draw();
        seldom.update(input).expect("it can be shown");
        if look % 9 == 2 {
            assert!(seldom.draw() == always.canvas(), "look {look}");
        }
    }
    let mut late = new();
    for input in given {
        late.update(input).expect("it can be shown");
    }
    assert!(late.draw() == always.canvas(), "at the end");
}

#[test]
fn a_split_shows_a_method_on_each_side_and_its_line_can_be_dragged() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
    let alone = State { clip: Some(clip), time: 0.6, panels: false, ..State::default() };
    // The method is switched afterwards, because an automatic camera is placed by the method it starts with.
    let picture = |state: State, keys: Vec<Event>| {
        let (mut viewer, mut clock) = (Viewer::new(&scene, state).expect("the mannequin can be shown"), 0.0);
        give(&mut viewer, &mut clock, Vec::new());
        give(&mut viewer, &mut clock, keys);
        viewer.draw().pixels().to_vec()
    };
    let linear = picture(alone.clone(), Vec::new());
    let rigid = picture(alone.clone(), vec![key(Key::R)]);
    let split = State { comparison: Comparison::Split, other_method: SkinningMethod::Rigid, ..alone };
    let both = picture(split.clone(), Vec::new());
    let mut differing = 0;
    for (place, &pixel) in both.iter().enumerate() {
        let (x, y) = (place % 1024, place / 1024);
        // The names of the methods are on top, the line is in the middle.
        if y > 40 && x.abs_diff(512) > 12 {
            let expected = if x < 512 { linear[place] } else { rigid[place] };
            assert_eq!(pixel, expected, "pixel {x}, {y}");
            differing += usize::from(linear[place] != rigid[place]);
        }
    }
    assert!(differing > 100, "the two methods look alike");

    let mut viewer = Viewer::new(&scene, split).expect("the mannequin can be shown");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    let camera = viewer.state().camera;
    let at = |x: f32| Pos2::new(512.0 + x, 500.0);
    let mut events = vec![Event::PointerMoved(at(0.0)), button(at(0.0), PointerButton::Primary, true)];
    events.extend((1..=16).map(|step| Event::PointerMoved(at(16.0 * step as f32))));
    events.push(button(at(256.0), PointerButton::Primary, false));
    give(&mut viewer, &mut clock, events);
    assert!((viewer.state().split - 0.75).abs() < 0.02, "{}", viewer.state().split);
    assert_eq!(viewer.state().camera, camera);
}

#[test]
fn edges_are_drawn_where_they_are_seen() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let picture = |wireframe: bool| {
        let mut state = State { panels: false, ..State::default() };
        state.overlays.wireframe = wireframe;
        let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
        give(&mut viewer, &mut 0.0, Vec::new());
        viewer.draw().pixels().to_vec()
    };
    let (plain, lined) = (picture(false), picture(true));
    let background = plain[0];
    let changed = plain.iter().zip(&lined).filter(|(plain, lined)| plain != lined).count();
    let outside = plain.iter().zip(&lined).filter(|(plain, lined)| plain != lined && **plain == background).count();
    assert!(changed > 5_000, "{changed} pixels of edges");
    // Half-covered pixels along the outline have no sample in a triangle, but an edge.
    assert!(outside * 10 < changed, "{outside} of {changed} pixels of edges stand beside the character");
}

#[test]
fn what_does_not_change_is_not_drawn_again() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut viewer = Viewer::new(&scene, State::default()).expect("the mannequin can be shown");
    let mut clock = 0.0;
    assert!(give(&mut viewer, &mut clock, Vec::new()) > 0);
    for _ in 0..20 {
        assert_eq!(give(&mut viewer, &mut clock, Vec::new()), 0, "an idle window draws");
    }
    assert!(give(&mut viewer, &mut clock, vec![key(Key::D)]) > 0);
    assert_eq!(viewer.state().method, SkinningMethod::DualQuaternion);
}

#[test]
fn tab_hides_the_panels_and_brings_them_back() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut viewer = Viewer::new(&scene, State::default()).expect("the mannequin can be shown");
    let mut clock = 0.0;
    for panels in [false, true, false, true] {
        give(&mut viewer, &mut clock, vec![key(Key::Tab)]);
        assert_eq!(viewer.state().panels, panels);
        // No widget has taken the keys.
        give(&mut viewer, &mut clock, vec![key(Key::S)]);
        assert_eq!(viewer.state().overlays.skeleton, !panels);
    }
}

#[test]
fn a_number_can_be_typed_beside_a_slider() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut viewer = Viewer::new(&scene, State::default()).expect("the mannequin can be shown");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    // The number of subpixel bits.
    let at = Pos2::new(215.0, 242.0);
    let mut events = vec![
        Event::PointerMoved(at),
        button(at, PointerButton::Primary, true),
        button(at, PointerButton::Primary, false),
    ];
    events.extend([Event::Text("1".to_owned()), Event::Text("2".to_owned()), key(Key::Enter)]);
    give(&mut viewer, &mut clock, events);
    assert_eq!(viewer.state().subpixel_bits, 12);
    give(&mut viewer, &mut clock, vec![key(Key::D)]);
    assert_eq!(viewer.state().method, SkinningMethod::DualQuaternion, "keys are keys again");
}

#[test]
fn a_joint_limit_cuts_the_skin_into_sections() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let most = scene.skins.iter().map(|skin| skin.joints.len()).max().expect("it is skinned");
    let hues = |max_joints: usize| {
        let max_joints = std::num::NonZeroUsize::new(max_joints).expect("it is not 0");
        let state = State { heat: Heat::Section, max_joints, panels: false, ..State::default() };
        let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
        give(&mut viewer, &mut 0.0, Vec::new());
        // Which of red, green and blue is more than which does not depend on the shading.
        let pixels = viewer.draw().pixels();
        let orders = (0..pixels.len()).filter(|place| place % 1024 > 400).map(|place| {
            let [_, red, green, blue] = pixels[place].to_be_bytes();
            (red.cmp(&green), green.cmp(&blue), red.cmp(&blue))
        });
        orders.collect::<std::collections::BTreeSet<_>>().len()
    };
    // The background is one of them.
    let (whole, cut) = (hues(most), hues(8));
    assert!(cut > whole, "{cut} kinds of colours with eight joints a section, {whole} with all in one");
}

#[test]
fn a_click_inspects_what_is_under_the_pointer() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut viewer = Viewer::new(&scene, State::default()).expect("the mannequin can be shown");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    // The picture lies between the two panels; the belly is in its middle.
    let belly = Pos2::new(475.0, 290.0);
    let click = |at: Pos2| {
        vec![
            Event::PointerMoved(at),
            button(at, PointerButton::Primary, true),
            button(at, PointerButton::Primary, false),
        ]
    };
    give(&mut viewer, &mut clock, click(belly));
    let choice = viewer.state().selected.expect("the belly is seen there");
    let mesh = &scene.meshes[scene.nodes[choice.node].mesh.expect("it draws")];
    let [x, y, z] = mesh.primitives[choice.primitive].positions[choice.vertex];
    // The file's character is 1.8 m high and looks along +z.
    assert!(x.abs() < 0.2 && (0.8..1.3).contains(&y) && z > 0.0, "({x}, {y}, {z})");
    give(&mut viewer, &mut clock, vec![key(Key::Escape)]);
    assert_eq!((viewer.state().selected, viewer.state().pixel), (None, None));
    // A corner of the picture shows nothing.
    give(&mut viewer, &mut clock, click(Pos2::new(300.0, 30.0)));
    assert_eq!(viewer.state().selected, None);
    assert!(viewer.state().pixel.is_some());
}

#[test]
fn a_drag_turns_and_does_not_click() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut viewer = Viewer::new(&scene, State::default()).expect("the mannequin can be shown");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    let before = viewer.state().camera;
    let at = |x: f32| Pos2::new(475.0 + x, 290.0);
    let mut events = vec![Event::PointerMoved(at(0.0)), button(at(0.0), PointerButton::Primary, true)];
    events.extend((1..=10).map(|step| Event::PointerMoved(at(10.0 * step as f32))));
    events.push(button(at(100.0), PointerButton::Primary, false));
    give(&mut viewer, &mut clock, events);
    assert_ne!(viewer.state().camera, before);
    assert_eq!(viewer.state().selected, None);
    give(&mut viewer, &mut clock, vec![key(Key::F)]);
    assert_ne!(viewer.state().camera, before, "F keeps the direction");
}

#[test]
fn the_worst_vertex_of_a_candidate_is_found_by_one_key() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
    let pose = Pose::sample(&scene, clip, 0.5).expect("the clip is there");
    let settings = refrast::verify::vertex::VertexSettings::default();
    let mut buffer = refrast::verify::vertex::scene_vertices(&scene, &pose, settings).expect("it can be evaluated");
    buffer.position.values[777][1] += 0.01;
    let path = std::env::temp_dir().join(format!("refrast-window-{}.npy", std::process::id()));
    buffer.write_npy(&path).expect("the temporary folder is writable");
    let state =
        State { clip: Some(clip), time: 0.5, heat: Heat::Candidate, candidate: Some(path.clone()), ..State::default() };
    let mut viewer = Viewer::new(&scene, state).expect("the candidate fits");
    std::fs::remove_file(&path).expect("it was just written");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    give(&mut viewer, &mut clock, vec![key(Key::Num1)]);
    let VertexChoice { node, primitive, vertex } = viewer.state().selected.expect("one vertex is wrong");
    let mesh = &scene.meshes[scene.nodes[node].mesh.expect("it draws")];
    assert_eq!((primitive, mesh.primitives[primitive].source_vertices[vertex]), (0, 777));
}

#[test]
fn a_window_of_any_size_is_drawn() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let state = State { help: true, ..State::default() };
    let mut viewer = Viewer::new(&scene, state).expect("the mannequin can be shown");
    for (frame, size) in [[1, 1], [40, 30], [300, 900], [2560, 200]].into_iter().enumerate() {
        let input = Input { size, seconds: frame as f64, ..Input::default() };
        assert!(viewer.update(input).expect("every size can be drawn"), "{size:?}");
        assert_eq!(viewer.draw().pixels().len(), (size[0] * size[1]) as usize);
    }
}
