//! Looking through a light: the picture is what its shadow map is drawn by.

use std::path::Path;

use egui::{Event, Key, Modifiers, PointerButton, Pos2};
use glam::Mat4;
use refrast::{
    animation::Pose,
    golden::{DrawnBy, Picture, check_against_golden},
    render::{Camera, RenderSettings, Renderer, shadow_plan},
    scene::Scene,
    shading::{Casters, ShadingMode, ShadowSettings},
    window::{Input, State, ViewCamera, Viewer, light_maps},
};

use crate::hands::{button, click};

const SIDE: u32 = 512;

fn scene(name: &str) -> Scene {
    Scene::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)).expect("the scene of the goldens")
}

/// Nothing but the picture, from the first camera of the file.
fn state(shadows: &str) -> State {
    let casting = shadows.parse().expect("they are words for shadows");
    let shadows = ShadowSettings { casting, ..ShadowSettings::default() };
    State { camera: ViewCamera::File(0), panels: false, shading: ShadingMode::BaseColor, shadows, ..State::default() }
}

/// The window's pixels after an event, when nothing happens any more.
fn shown(viewer: &mut Viewer<'_>, clock: &mut f64, events: &[Event]) -> Vec<u32> {
    for event in events.iter().map(Some).chain([None; 8]) {
        *clock += 1.0 / 60.0;
        let input = Input {
            size: [SIDE, SIDE],
            seconds: *clock,
            events: event.cloned().into_iter().collect(),
            ..Input::default()
        };
        viewer.update(input).expect("the scene can be shown");
    }
    viewer.draw().pixels().to_vec()
}

fn shift_t() -> Event {
    let modifiers = Modifiers::SHIFT;
    Event::Key { key: Key::T, physical_key: None, pressed: true, repeat: false, modifiers }
}

/// The scene by the matrix that a map is drawn by, in place of a camera's two.
fn drawn_by(scene: &Scene, matrix: Mat4, settings: &RenderSettings) -> Vec<u32> {
    let camera = Camera { view: Mat4::IDENTITY, projection: matrix, convention: settings.convention };
    let settings = RenderSettings { shadows: ShadowSettings::default(), ..*settings };
    let mut renderer = Renderer::new(scene, settings).expect("valid settings");
    let frame = renderer.render(&Pose::rest(scene), &camera).expect("it can be drawn");
    frame.rgba().chunks_exact(4).map(|rgba| u32::from_be_bytes([0, rgba[0], rgba[1], rgba[2]])).collect()
}

/// Every map of a scene, one press of the key after another, and the camera again.
fn look_through(name: &str, shadows: &str) {
    let scene = scene(name);
    let own = state(shadows);
    let mut viewer = Viewer::new(&scene, own.clone()).expect("the scene can be shown");
    let mut clock = 0.0;
    let before = shown(&mut viewer, &mut clock, &[]);
    let pose = Pose::rest(&scene);
    let camera = Camera::from_scene(&scene, &pose, scene.placed_cameras()[0], 1.0, own.convention);
    let pulled = ShadowSettings { casters: Casters::Pull, ..own.shadows };
    let settings = RenderSettings { width: SIDE, height: SIDE, shadows: pulled, ..RenderSettings::default() };
    let plan = shadow_plan(&scene, &pose, &camera, &settings).expect("it has shadows").expect("they are shown");
    let maps: Vec<_> = plan.lights.iter().flat_map(|light| &light.maps).collect();
    assert_eq!(maps.len(), light_maps(&scene, &own.shadows).len());
    for (number, map) in maps.iter().enumerate() {
        let through = shown(&mut viewer, &mut clock, &[shift_t()]);
        assert_eq!(viewer.state().through_light, Some(number));
        let settings = RenderSettings { shading: ShadingMode::BaseColor, ..settings };
        let expected = drawn_by(&scene, map.view_projection, &settings);
        // One rounds a product of two matrices, the other one matrix: an edge may fall to the other pixel.
        let differing = through.iter().zip(&expected).filter(|(a, b)| a != b).count();
        assert!(differing < through.len() / 500, "{name}, map {number}: {differing} pixels");
        let seen = through.iter().filter(|pixel| **pixel != through[0]).count();
        assert!(seen > 1000 && through != before, "{name}, map {number}: {seen} pixels of something");
    }
    assert!(shown(&mut viewer, &mut clock, &[shift_t()]) == before, "{name}: not the camera again");
    assert_eq!(viewer.state().through_light, None);
}

#[test]
fn a_directional_light_shows_the_box_of_each_cascade() {
    look_through("posts.gltf", "cascades:3");
}

#[test]
fn a_spot_shows_its_cone() {
    look_through("lamps.gltf", "spot");
}

#[test]
fn a_drag_goes_back_to_the_camera() {
    let scene = scene("posts.gltf");
    let mut viewer = Viewer::new(&scene, state("none")).expect("the scene can be shown");
    let (mut clock, at) = (0.0, |x: f32| Pos2::new(256.0 + x, 256.0));
    // A light that casts no shadow has a view all the same.
    shown(&mut viewer, &mut clock, &[shift_t()]);
    assert_eq!(viewer.state().through_light, Some(0));
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let moved = |x: f32| Event::PointerMoved(at(x));
    shown(
        &mut viewer,
        &mut clock,
        &[moved(0.0), button(at(0.0), true), moved(20.0), moved(40.0), button(at(40.0), false)],
    );
    assert_eq!(viewer.state().through_light, None);
}

#[test]
fn a_spot_too_wide_for_a_map_says_so_and_the_next_light_is_seen() {
    let mut scene = scene("lamps.gltf");
    let refrast::scene::LightKind::Spot { outer_cone_angle, .. } = &mut scene.lights[0].kind else {
        panic!("the first lamp is a spot")
    };
    *outer_cone_angle = 1.55;
    let mut viewer = Viewer::new(&scene, state("none")).expect("the scene can be shown");
    let mut clock = 0.0;
    let before = shown(&mut viewer, &mut clock, &[]);
    let refused = shown(&mut viewer, &mut clock, &[shift_t()]);
    // The words stand over what was there.
    let changed = before.iter().zip(&refused).filter(|(a, b)| a != b).count();
    assert!(changed > 200, "{changed}");
}

/// The window with its panels, after events, when nothing happens any more.
fn panels_after(viewer: &mut Viewer<'_>, clock: &mut f64, events: Vec<Event>) -> Picture {
    for events in events.into_iter().map(|event| vec![event]).chain([Vec::new(), Vec::new(), Vec::new()]) {
        *clock += 1.0 / 60.0;
        let input = Input { size: [1024, 760], seconds: *clock, events, ..Input::default() };
        viewer.update(input).expect("the scene can be shown");
    }
    viewer.draw().picture().expect("the window has pixels")
}

#[test]
fn shadows_are_set_while_they_are_seen() {
    let mut scene = scene("posts.gltf");
    scene.source.file = "posts.gltf".to_owned();
    let level = refrast::simd::SimdLevel::Scalar;
    let own = State { panels: true, shading: ShadingMode::Splits, simd: level, ..state("cascades:3") };
    let mut viewer = Viewer::new(&scene, own).expect("the scene can be shown");
    let mut clock = 0.0;
    let before = panels_after(&mut viewer, &mut clock, Vec::new());
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    if let Err(message) = check_against_golden(package, "window-shadows", &before, DrawnBy::Refrast) {
        panic!("{message}");
    }
    // The button of the slider, to its left end.
    let button = |x: f32, pressed| button(Pos2::new(x, 305.0), PointerButton::Primary, pressed);
    let moved = |x: f32| Event::PointerMoved(Pos2::new(x, 305.0));
    let drag = vec![moved(138.0), button(138.0, true), moved(120.0), moved(90.0), button(90.0, false)];
    panels_after(&mut viewer, &mut clock, drag);
    assert!(!viewer.state().shadows.are_cast(), "{:?}", viewer.state().shadows.casting);
    assert_eq!(viewer.state().shadows, ShadowSettings::default(), "nothing else was changed");
}

#[test]
fn the_headlight_of_a_scene_without_lights_casts_shadows_when_asked() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let level = refrast::simd::SimdLevel::Scalar;
    let mut viewer =
        Viewer::new(&scene, State { panels: true, simd: level, ..State::default() }).expect("the scene can be shown");
    let mut clock = 0.0;
    let before = panels_after(&mut viewer, &mut clock, Vec::new());
    // The section is closed; it is opened, and the slider's button drawn to its right end.
    panels_after(&mut viewer, &mut clock, click(Pos2::new(52.0, 326.0)).to_vec());
    let button = |x: f32, pressed| button(Pos2::new(x, 348.0), PointerButton::Primary, pressed);
    let moved = |x: f32| Event::PointerMoved(Pos2::new(x, 348.0));
    let drag = vec![moved(111.0), button(111.0, true), moved(140.0), moved(200.0), button(200.0, false)];
    let after = panels_after(&mut viewer, &mut clock, drag);
    assert_eq!(viewer.state().shadows.casting.to_string(), "cascades:8");
    // One part before another: the chin before the neck.
    let light = |picture: &Picture| {
        let middle = (250..685).flat_map(|x| (90..650).filter_map(move |y| picture.pixel(x, y)));
        middle.map(|[red, green, blue, _]| u64::from(red) + u64::from(green) + u64::from(blue)).sum::<u64>()
    };
    assert!(light(&after) < light(&before), "{} and {}", light(&after), light(&before));
}
