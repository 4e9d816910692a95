//! The register view as a person uses it, without a display: keys, clicks and state in, numbers and pixels out.

use std::{path::PathBuf, process::Command};

use egui::{Event, Key, Modifiers, Pos2};
use refrast::{
    render::program::ProgramChoice,
    scene::Scene,
    vertex_program::{ProgramText, format_instruction},
    window::{Input, ProgramView, State, VertexChoice, Viewer},
};

use crate::hands::{click, give, key_with};

/// A viewer with its clock.
struct Session<'scene> {
    viewer: Viewer<'scene>,
    clock: f64,
}

impl<'scene> Session<'scene> {
    /// A vertex of the built-in character's hand in a program.
    fn new(scene: &'scene Scene, program: ProgramView) -> Self {
        let selected = Some(VertexChoice { node: body(scene), primitive: 0, vertex: 700 });
        let state = State { program: Some(program), selected, ..State::default() };
        let mut session = Self { viewer: Viewer::new(scene, state).expect("the mannequin can be shown"), clock: 0.0 };
        session.give([]);
        session
    }

    fn give(&mut self, events: impl IntoIterator<Item = Event>) {
        give(&mut self.viewer, &mut self.clock, events);
    }

    fn press(&mut self, keys: &[(Key, Modifiers)]) {
        self.give(keys.iter().map(|&(one, modifiers)| key_with(one, modifiers)));
    }

    fn program(&self) -> &ProgramView {
        self.viewer.state().active_program().expect("a program makes the vertices")
    }

    fn change(&mut self, change: impl FnOnce(&mut ProgramView)) {
        change(self.viewer.state_mut().program.as_mut().expect("there is a program"));
        self.give([]);
    }

    /// The middle of the window, where the picture is.
    fn picture(&mut self) -> Vec<u32> {
        let pixels = self.viewer.draw().pixels().to_vec();
        let rows = pixels.chunks_exact(1024).skip(60).take(500);
        rows.flat_map(|row| row[320..640].iter().copied()).collect()
    }
}

fn body(scene: &Scene) -> usize {
    scene.drawn.iter().copied().find(|&node| scene.nodes[node].skin.is_some()).expect("the character is skinned")
}

fn bones() -> ProgramView {
    ProgramView::new(ProgramChoice::new("bone_offset_4"))
}

/// The instructions of a program of the library in canonical spelling.
fn lines(name: &str) -> Vec<String> {
    let program = ProgramText::read(name.as_ref()).unwrap().assemble().unwrap().program;
    program.instructions.iter().map(|instruction| format_instruction(&program, instruction)).collect()
}

/// A file that is removed when it is no longer needed.
struct TextFile(PathBuf);

impl TextFile {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("refrast-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("the temporary folder is writable");
        Self(path)
    }
}

impl Drop for TextFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn keys_go_through_the_program() {
    let scene = Scene::mannequin().unwrap();
    let mut session = Session::new(&scene, bones());
    let length = lines("bone_offset_4").len();
    session.press(&[(Key::F10, Modifiers::NONE); 3]);
    assert_eq!(session.program().step, 3);
    session.press(&[(Key::F10, Modifiers::SHIFT), (Key::F9, Modifiers::NONE)]);
    assert_eq!((session.program().step, session.program().breaks.to_string().as_str()), (2, "2"));
    session.press(&[(Key::F5, Modifiers::NONE)]);
    assert_eq!(session.program().step, length);
    session.press(&[(Key::F10, Modifiers::NONE), (Key::F5, Modifiers::SHIFT)]);
    assert_eq!(session.program().step, 0);
    session.press(&[(Key::F5, Modifiers::NONE)]);
    assert_eq!(session.program().step, 2, "it runs through the break");
}

#[test]
fn methods_and_the_program_take_turns() {
    let scene = Scene::mannequin().unwrap();
    let mut session = Session::new(&scene, bones());
    session.press(&[(Key::F10, Modifiers::NONE), (Key::D, Modifiers::NONE)]);
    assert_eq!(session.viewer.state().active_program(), None);
    session.press(&[(Key::V, Modifiers::SHIFT), (Key::N, Modifiers::SHIFT), (Key::R, Modifiers::SHIFT)]);
    assert_eq!((session.program().step, session.program().shown), (1, false));
    assert_eq!(session.program().choice.model.to_string(), "ieee");
}

#[test]
fn a_constant_is_changed_in_the_picture_and_given_back() {
    let scene = Scene::mannequin().unwrap();
    let mut session = Session::new(&scene, bones());
    let before = session.picture();
    session.change(|program| program.set_constant("c6=1,0,0,0".parse().unwrap()));
    let red = session.picture();
    let changed = before.iter().zip(&red).filter(|(before, red)| before != red);
    assert!(changed.clone().count() > 1000);
    assert!(changed.clone().all(|(before, red)| red >> 16 >= before >> 16), "the light is not red");
    session.change(|program| program.constants.clear());
    assert!(before == session.picture(), "the picture does not come back");
}

#[test]
fn it_stops_where_a_nan_is_written() {
    let scene = Scene::mannequin().unwrap();
    let mut view = bones();
    view.set_constant("c6=nan,0,0,0".parse().unwrap());
    view.breaks.nan = true;
    let mut session = Session::new(&scene, view);
    session.press(&[(Key::F5, Modifiers::NONE)]);
    let lines = lines("bone_offset_4");
    assert_eq!(lines[session.program().step], "ADD o[COL0].xyz, R3, c[6]");
}

#[test]
fn it_stops_where_a_read_is_out_of_range() {
    let scene = Scene::mannequin().unwrap();
    let text = "!!VP1.0\nMUL R0, v[OPOS].w, c[20];\nARL A0.x, R0.x;\nDP4 R1.x, c[A0.x + 30], v[OPOS];\n\
                DP4 R1.y, c[A0.x + 31], v[OPOS];\nDP4 R1.z, c[A0.x + 32], v[OPOS];\nMOV o[HPOS], R1;\nEND\n";
    let file = TextFile::new("range.vp", text);
    let mut view = ProgramView::new(ProgramChoice::new(&file.0));
    view.breaks.out_of_range = true;
    view.set_constant("c20=64".parse().unwrap());
    let mut session = Session::new(&scene, view);
    session.press(&[(Key::F5, Modifiers::NONE)]);
    // 64 + 31 is the last register.
    assert_eq!(session.program().step, 4);
    session.change(|program| program.set_constant("c20=-31".parse().unwrap()));
    session.press(&[(Key::F5, Modifiers::SHIFT), (Key::F5, Modifiers::NONE)]);
    assert_eq!(session.program().step, 2);
}

#[test]
fn clicks_set_breaks_and_take_constants() {
    let scene = Scene::mannequin().unwrap();
    let mut session = Session::new(&scene, bones());
    let line = Pos2::new(120.0, 250.0);
    session.give(click(line).to_vec());
    assert_eq!(session.program().breaks.instructions.len(), 1);
    // A second click too soon would be a double click, which is two clicks all the same.
    session.give(click(line).to_vec());
    assert!(session.program().breaks.is_empty());
    let before = session.picture();
    session.give(click(Pos2::new(800.0, 418.0)).to_vec());
    let taken: Vec<u8> = session.program().constants.iter().map(|constant| constant.register).collect();
    assert!(matches!(taken[..], [0..=7]), "{taken:?}: none above the palette was hit");
    assert!(before == session.picture(), "a constant that is taken keeps its value");
}

#[test]
fn what_is_no_program_is_said_and_the_window_stays() {
    let scene = Scene::mannequin().unwrap();
    let file = TextFile::new("wrong.vp", "!!VP1.0\nMOV o[HPOS], v[OPOS]\nEND\n");
    let wrong = ProgramView::new(ProgramChoice::new(&file.0));
    let few = ProgramView::new(ProgramChoice { constants: 13, ..ProgramChoice::new("bone_offset_4") });
    for view in [wrong, few] {
        let mut session = Session::new(&scene, view);
        session.press(&[(Key::F10, Modifiers::NONE), (Key::F5, Modifiers::NONE)]);
        assert_eq!(session.program().step, 0);
        session.press(&[(Key::L, Modifiers::NONE)]);
        let picture = session.picture();
        assert!(picture.iter().any(|&pixel| pixel != picture[0]), "the native picture does not come back");
    }
    let screenshot = std::env::temp_dir().join(format!("refrast-{}-never.png", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_refrast"))
        .args(["view", "mannequin", "--skinning"])
        .arg(format!("program:{}", file.0.display()))
        .arg("--screenshot")
        .arg(&screenshot)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("wrong.vp:3:1") && said.contains("END"), "{said}");
    assert!(!screenshot.exists());
}

#[test]
fn every_window_size_shows_registers() {
    let scene = Scene::mannequin().unwrap();
    let mut session = Session::new(&scene, bones());
    for size in [[1, 1], [200, 100], [700, 300], [2560, 1440]] {
        session.clock += 1.0;
        let input = Input { size, seconds: session.clock, ..Input::default() };
        assert!(session.viewer.update(input).expect("every size can be drawn"), "{size:?}");
        assert_eq!(session.viewer.draw().pixels().len(), (size[0] * size[1]) as usize);
    }
}
