//! A backend's picture beside the reference's, without a display: what is wrong lights up, and can be gone to.

use std::path::{Path, PathBuf};

use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2};
use refrast::{
    animation::Pose,
    golden::Picture,
    render::{
        Bounds, Camera, Orbit, RenderSettings, Renderer,
        program::{ConstantOverride, ProgramChoice},
    },
    scene::Scene,
    verify::Profile,
    window::{Comparison, Heat, ProgramView, State, Viewer},
};

use crate::hands::{button, give, key};

const PICTURE: [u32; 2] = [320, 240];
/// What a pixel of the wrong colour lights up in.
const OUTSIDE: u32 = 0x00ff_4030;
/// And one in which a surface is missing.
const MISSING: u32 = 0x0046_aaff;

/// The reference's own picture of the clip at this time, as `refrast render --time` makes it.
fn reference(scene: &Scene, clip: usize, time: f32) -> Vec<u8> {
    let renderer = Renderer::new(scene, settings()).expect("the mannequin can be rendered");
    picture(renderer, scene, clip, time)
}

fn settings() -> RenderSettings {
    RenderSettings { width: PICTURE[0], height: PICTURE[1], ..RenderSettings::default() }
}

fn picture(mut renderer: Renderer<'_>, scene: &Scene, clip: usize, time: f32) -> Vec<u8> {
    let bounds = Bounds::of(scene, Some(clip)).expect("the clip is there");
    let camera = Camera::orbit(&bounds, Orbit::default(), 320.0 / 240.0, settings().convention);
    let pose = Pose::sample(scene, clip, time).expect("the clip is there");
    renderer.render(&pose, &camera).expect("the mannequin can be rendered").rgba().to_vec()
}

fn write(name: &str, rgba: Vec<u8>) -> PathBuf {
    let path = std::env::temp_dir().join(format!("refrast-window-{}-{name}.png", std::process::id()));
    let picture = Picture::from_rgba8(PICTURE[0], PICTURE[1], rgba).expect("the size fits");
    picture.write(&path).expect("the temporary folder is writable");
    path
}

fn state(scene: &Scene, candidate: &Path) -> State {
    State {
        clip: Some(scene.find_animation("Flex").expect("a clip of the mannequin")),
        time: 0.5,
        heat: Heat::Candidate,
        comparison: Comparison::Other,
        candidate: Some(candidate.to_owned()),
        panels: false,
        profile: Profile::D3d11,
        ..State::default()
    }
}

/// Pixels of a colour, without the legend in the lower left.
fn count(viewer: &mut Viewer<'_>, color: u32) -> usize {
    let pixels = viewer.draw().pixels().iter().enumerate();
    pixels.filter(|&(place, &pixel)| pixel == color && (place % 1024 > 500 || place / 1024 < 560)).count()
}

#[test]
fn wrong_pixels_light_up_and_the_farthest_is_gone_to() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let mut rgba = reference(&scene, scene.find_animation("Flex").expect("a clip of the mannequin"), 0.5);
    let background: [u8; 4] = rgba[..4].try_into().expect("four bytes");
    let place = |x: usize, y: usize| 4 * (y * 320 + x);
    // The belly is in the middle: 12 pixels of it are green, one of them very; 6 of the breast are not there.
    assert_ne!(rgba[place(160, 125)..][..4], background);
    for (x, y) in (0..12).map(|pixel| (161 + pixel % 4, 124 + pixel / 4)) {
        rgba[place(x, y) + 1] = rgba[place(x, y) + 1].saturating_add(if (x, y) == (162, 125) { 120 } else { 60 });
    }
    for x in 157..163 {
        rgba[place(x, 100)..][..4].copy_from_slice(&background);
    }
    let path = write("wrong", rgba);
    let mut viewer = Viewer::new(&scene, state(&scene, &path)).expect("the candidate can be read");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    // 320x240 fits twice into 1024x640: a pixel is four.
    assert_eq!(count(&mut viewer, OUTSIDE), 12 * 4);
    assert_eq!(count(&mut viewer, MISSING), 6 * 4);

    give(&mut viewer, &mut clock, [key(Key::Num1)]);
    // 120 steps of green are farther from right than the background is.
    assert_eq!(viewer.state().pixel, Some([162, 125]));
    assert!(viewer.state().selected.is_some(), "its triangle has vertices");
    assert_eq!(viewer.state().magnified.map(|part| part.factor), Some(8.0));
    give(&mut viewer, &mut clock, [key(Key::Num1)]);
    assert_eq!(viewer.state().pixel.map(|pixel| pixel[1]), Some(100));

    // The reference alone, still with what is wrong lit up; then without.
    give(&mut viewer, &mut clock, [key(Key::Num2)]);
    assert_eq!(viewer.state().comparison, Comparison::Off);
    viewer.state_mut().heat = Heat::None;
    give(&mut viewer, &mut clock, [key(Key::F)]);
    assert_eq!((viewer.state().magnified, count(&mut viewer, OUTSIDE)), (None, 0));
    std::fs::remove_file(&path).expect("it was just written");
}

#[test]
fn the_right_moment_puts_the_lights_out() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let path = write("late", reference(&scene, scene.find_animation("Flex").expect("a clip of the mannequin"), 0.6));
    let mut viewer = Viewer::new(&scene, state(&scene, &path)).expect("the candidate can be read");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    assert!(count(&mut viewer, OUTSIDE) > 1_000, "a tenth of a second makes a difference");
    // Three frames on, at 30 a second.
    give(&mut viewer, &mut clock, [Key::ArrowRight; 3].into_iter().map(key));
    assert!((viewer.state().time - 0.6).abs() < 1e-6);
    assert_eq!(count(&mut viewer, OUTSIDE), 0);
    std::fs::remove_file(&path).expect("it was just written");
}

#[test]
fn a_picture_by_a_vertex_program_is_judged_by_the_same_program() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
    // A backend that loses a row of the palette.
    let lost: ConstantOverride = "c40=0,0,0,0".parse().expect("a constant");
    let choice = ProgramChoice::new("bone_offset_4");
    let mut program = choice.load().expect("it is in the library");
    program.overrides.insert(lost.register, lost.value);
    let backend = Renderer::with_program(&scene, settings(), program).expect("it draws the mannequin");
    let path = write("program", picture(backend, &scene, clip, 0.5));
    let state = State { program: Some(ProgramView::new(choice)), ..state(&scene, &path) };
    let mut viewer = Viewer::new(&scene, state).expect("the candidate can be read");
    let mut clock = 0.0;
    give(&mut viewer, &mut clock, Vec::new());
    assert!(count(&mut viewer, OUTSIDE) + count(&mut viewer, MISSING) > 100);
    // What the reference would show with the same mistake.
    viewer.state_mut().program.as_mut().expect("it was given").set_constant(lost);
    give(&mut viewer, &mut clock, Vec::new());
    assert_eq!(count(&mut viewer, OUTSIDE) + count(&mut viewer, MISSING), 0);
    std::fs::remove_file(&path).expect("it was just written");
}

#[test]
fn the_mouse_moves_the_picture_and_not_the_camera() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let path = write("moved", reference(&scene, scene.find_animation("Flex").expect("a clip of the mannequin"), 0.5));
    let mut viewer = Viewer::new(&scene, state(&scene, &path)).expect("the candidate can be read");
    let (mut clock, middle) = (0.0, Pos2::new(512.0, 320.0));
    give(&mut viewer, &mut clock, Vec::new());
    let camera = viewer.state().camera;
    let wheel =
        Event::MouseWheel { unit: MouseWheelUnit::Line, delta: egui::vec2(0.0, 3.0), modifiers: Modifiers::NONE };
    give(&mut viewer, &mut clock, vec![Event::PointerMoved(middle), wheel]);
    // 2 · 1.25³ = 3.9: whole pixels.
    let part = viewer.state().magnified.expect("it was magnified");
    assert_eq!((part.factor, part.middle), (4.0, [160.0, 120.0]));
    let left = |pos, pressed| button(pos, PointerButton::Primary, pressed);
    let to = middle + egui::vec2(40.0, -20.0);
    give(&mut viewer, &mut clock, vec![left(middle, true), Event::PointerMoved(to), left(to, false)]);
    assert_eq!(viewer.state().magnified.map(|part| part.middle), Some([150.0, 125.0]));
    assert_eq!((viewer.state().camera, viewer.state().pixel), (camera, None));
    std::fs::remove_file(&path).expect("it was just written");
}
