//! Which mistake it is, asked in the window: by somebody of the tests, who says what the tests want to hear.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use egui::{Event, Key, Pos2};
use refrast::{
    animation::Pose,
    golden::{DrawnBy, Picture, check_against_golden},
    render::{Bounds, Camera, CameraChoice, Orbit, RenderSettings, Renderer},
    scene::Scene,
    verify::Profile,
    window::{Comparison, Diagnostician, Effect, Heat, Hypothesis, PictureAnswer, State, Told, Viewer, command_line},
};

use crate::hands::{WINDOW, click, give, key};

const PICTURE: [u32; 2] = [320, 240];
/// What the picture of the mistake consists of, which no surface and no panel has.
const MISTAKE: [u8; 4] = [1, 254, 3, 255];

/// The built-in character in the middle of a clip, as a backend draws it a tenth of a second too late.
struct Late {
    scene: Scene,
    clip: usize,
    folder: PathBuf,
}

impl Late {
    fn new(name: &str) -> Self {
        let scene = Scene::mannequin().expect("the built-in character loads");
        let clip = scene.find_animation("Flex").expect("a clip of the mannequin");
        let [width, height] = PICTURE;
        let settings =
            RenderSettings { width, height, simd: refrast::simd::SimdLevel::Scalar, ..RenderSettings::default() };
        let bounds = Bounds::of(&scene, Some(clip)).expect("the clip is there");
        let camera = Camera::orbit(&bounds, Orbit::default(), 320.0 / 240.0, settings.convention);
        let pose = Pose::sample(&scene, clip, 0.6).expect("the clip is there");
        let mut renderer = Renderer::new(&scene, settings).expect("the mannequin can be rendered");
        let rgba = renderer.render(&pose, &camera).expect("the mannequin can be rendered").rgba().to_vec();
        drop(renderer);
        let folder = std::env::temp_dir().join(format!("refrast-window-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
        let picture = Picture::from_rgba8(width, height, rgba).expect("the size fits");
        picture.write(&folder.join("gpu.png")).expect("the temporary folder is writable");
        Self { scene, clip, folder }
    }

    fn state(&self, time: f32) -> State {
        State {
            clip: Some(self.clip),
            time,
            heat: Heat::Candidate,
            comparison: Comparison::Other,
            candidate: Some(self.folder.join("gpu.png")),
            profile: Profile::D3d11,
            simd: refrast::simd::SimdLevel::Scalar,
            ..State::default()
        }
    }
}

impl Drop for Late {
    fn drop(&mut self) {
        // What can not be removed is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Says that it is a mistake whose picture is of one colour, or another time; and counts how often it is asked.
fn diagnostician(asked: &Arc<AtomicUsize>) -> Diagnostician {
    let asked = Arc::clone(asked);
    Diagnostician::new(move |_, question, tell| {
        asked.fetch_add(1, Ordering::Relaxed);
        assert_eq!(question.candidate.size(), (PICTURE[0], PICTURE[1]));
        assert_eq!((question.settings.width, question.settings.height), (PICTURE[0], PICTURE[1]));
        assert_eq!(question.moment.map(|(_, seconds)| seconds), Some(0.5));
        assert_eq!(question.camera.choice, CameraChoice::Orbit(Orbit::default()));
        assert_eq!(question.rules.profile, Profile::D3d11);
        tell(Told::Known("3,000 of 76,800 pixels are wrong".to_owned()));
        tell(Told::Tried { done: 204, of: 204 });
        let rgba = MISTAKE.repeat((PICTURE[0] * PICTURE[1]) as usize);
        let picture = Picture::from_rgba8(PICTURE[0], PICTURE[1], rgba).map_err(|error| error.to_string())?;
        Ok(PictureAnswer {
            text: vec!["3,000 of 76,800 pixels are wrong".to_owned(), "one of 2:".to_owned()],
            hypotheses: vec![
                Hypothesis {
                    name: "light-is-green".to_owned(),
                    about: "Everything is green.".to_owned(),
                    effect: Effect::Picture(Arc::new(picture)),
                },
                Hypothesis {
                    name: "--time 0.6".to_owned(),
                    about: "The candidate is right with this option.".to_owned(),
                    effect: Effect::Options(Arc::new(|state| state.time = 0.6)),
                },
            ],
        })
    })
}

struct Session<'a> {
    viewer: Viewer<'a>,
    clock: f64,
}

impl<'a> Session<'a> {
    fn new(scene: &'a Scene, state: State, asked: &Arc<AtomicUsize>) -> Self {
        let viewer =
            Viewer::new(scene, state).expect("the candidate can be read").advised_by(Some(diagnostician(asked)));
        let mut session = Self { viewer, clock: 0.0 };
        session.give([]);
        session
    }

    fn give(&mut self, events: impl IntoIterator<Item = Event>) {
        give(&mut self.viewer, &mut self.clock, events);
    }

    fn press(&mut self, one: Key) {
        self.give([key(one)]);
    }

    /// A click on a point of the window.
    fn click(&mut self, [x, y]: [f32; 2]) {
        // What the pointer rests on tells what it is after a while.
        self.give(click(Pos2::new(x, y)).into_iter().chain([Event::PointerGone]));
    }

    fn shows_mistake(&mut self) -> bool {
        let [red, green, blue, _] = MISTAKE.map(u32::from);
        let color = red << 16 | green << 8 | blue;
        self.viewer.draw().pixels().iter().filter(|&&pixel| pixel == color).count() > 50_000
    }

    fn check(&mut self, golden: &str) {
        let picture = self.viewer.draw().picture().expect("the window has pixels");
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        if let Err(message) = check_against_golden(package, golden, &picture, DrawnBy::Refrast) {
            panic!("{message}");
        }
    }
}

#[test]
fn the_answer_stands_beside_the_lit_pixels_and_is_tried_on() {
    let (late, asked) = (Late::new("asked"), Arc::default());
    let mut session = Session::new(&late.scene, late.state(0.5), &asked);
    assert_eq!(asked.load(Ordering::Relaxed), 0, "nobody wanted to know");
    session.press(Key::Num3);
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    session.check("window-diagnosis");
    // The first of two lines below "Try:".
    session.click([720.0, 49.0]);
    assert_eq!((session.viewer.state().hypothesis, session.viewer.state().comparison), (Some(0), Comparison::Off));
    assert!(session.shows_mistake());
    let line = command_line(session.viewer.state(), &late.scene, "mannequin", WINDOW);
    assert!(line.contains(" --hypothesis 0") && line.contains(" --diagnose") && !line.contains("--compare"), "{line}");
    // The candidate, and the mistake again.
    session.press(Key::Num2);
    assert!(!session.shows_mistake());
    session.press(Key::Num2);
    assert!(session.shows_mistake());
    session.press(Key::Escape);
    assert_eq!((session.viewer.state().hypothesis, session.viewer.state().comparison), (None, Comparison::Other));
    assert_eq!(asked.load(Ordering::Relaxed), 1, "the answer was kept");
}

#[test]
fn options_of_an_answer_are_taken_and_put_the_lights_out() {
    let (late, asked) = (Late::new("options"), Arc::default());
    let mut session = Session::new(&late.scene, State { diagnose: true, ..late.state(0.5) }, &asked);
    assert_eq!(asked.load(Ordering::Relaxed), 1, "--diagnose asks as soon as there is something wrong");
    session.click([720.0, 71.0]);
    assert_eq!(session.viewer.state().time, 0.6);
    session.press(Key::Num3);
    assert_eq!(asked.load(Ordering::Relaxed), 1, "there is nothing left to explain");
    session.check("window-diagnosis-taken");
}

#[test]
fn what_is_right_or_moved_by_hand_is_not_asked_about() {
    let (late, asked) = (Late::new("right"), Arc::default());
    let mut session = Session::new(&late.scene, State { diagnose: true, ..late.state(0.6) }, &asked);
    session.press(Key::Num3);
    let moved = State { morph_weights: vec![(0, 1.0)], ..late.state(0.5) };
    let mut session = Session::new(&late.scene, moved, &asked);
    session.press(Key::Num3);
    assert!(!session.viewer.state().diagnose, "a refusal is told once");
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}
