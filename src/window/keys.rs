//! The keys: one table for what they do and for what the help says of them.

use std::num::NonZeroUsize;

use egui::{Key, Modifiers};

use super::{
    registers::Stepping,
    state::{Comparison, Heat, HeatRange, Panel, State, ViewCamera},
    subject::is_picture,
    table::TableView,
    through,
};
use refrast_draw::{Convention, SampleCount};
use refrast_scene::Scene;
use refrast_shading::ShadingMode;
use refrast_simd::SimdLevel;
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_vertex_program::NumericModel;

/// What a key asks of the viewer, where changing the state is not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Write the window to a file.
    Screenshot,
    /// Print the state as a command line.
    PrintCommandLine,
    /// Inspect the vertex with the largest number of the heat map, or the next one.
    NextWorst,
    /// Say which mistake a candidate's picture shows.
    Diagnose,
    /// Go through the vertex program.
    Step(Stepping),
    /// Choose the row of the vertex table that is so many further on.
    Row(isize),
    /// Copy the rows of the vertex table.
    CopyTable,
    /// Close the window.
    Quit,
}

/// A key, what the help says of it, and what it does.
pub(super) struct Binding {
    pub(super) key: Key,
    pub(super) shift: bool,
    /// As the help writes the key.
    pub(super) label: &'static str,
    pub(super) text: &'static str,
    apply: fn(&mut State, &Scene) -> Option<Request>,
}

/// A heading of the help and its keys.
pub(super) struct Group {
    pub(super) title: &'static str,
    pub(super) bindings: &'static [Binding],
}

macro_rules! keys {
    ($($title:literal { $($label:literal $key:ident $(+ $shift:ident)? $text:literal => $apply:expr;)* })*) => {
        /// All keys.
        pub(super) const GROUPS: &[Group] = &[$(Group {
            title: $title,
            bindings: &[$(Binding {
                key: Key::$key,
                shift: keys!(@shift $($shift)?),
                label: $label,
                text: $text,
                apply: |state, scene| {
                    let apply: fn(&mut State, &Scene) -> Option<Request> = $apply;
                    apply(state, scene)
                },
            }),*],
        }),*];
    };
    (@shift shift) => { true };
    (@shift) => { false };
}

/// Turns a change of the state into an action that asks for nothing more.
macro_rules! set {
    (|$state:ident| $body:expr) => {
        |$state, _| {
            $body;
            None
        }
    };
    (|$state:ident, $scene:ident| $body:expr) => {
        |$state, $scene| {
            $body;
            None
        }
    };
}

keys! {
    "Skinning" {
        "L" L "linear" => set!(|state| state.take_method(SkinningMethod::Linear));
        "P" P "linear, joint by joint" => set!(|state| state.take_method(SkinningMethod::LinearPerJoint));
        "D" D "dual quaternion" => set!(|state| state.take_method(SkinningMethod::DualQuaternion));
        "V" V "vertex offset (2001)" => set!(|state| state.take_method(SkinningMethod::VertexOffset));
        "B" B "bone offset (2001)" => set!(|state| state.take_method(SkinningMethod::BoneOffset));
        "R" R "rigid" => set!(|state| state.take_method(SkinningMethod::Rigid));
        "W" W "weights before bind (wrong)" => set!(|state| state.take_method(SkinningMethod::WeightsBeforeBind));
        "N" N "next normal mode" => set!(|state| state.normals = next(&NormalMode::ALL, state.normals));
        "I" I "influences: all, 1, 2, 3, 4" => set!(|state| state.max_influences = next_influences(state.max_influences));
    }
    "Vertex program" {
        "Shift V" V + shift "program instead of method" => set!(|state| state.toggle_program());
        "Shift R" R + shift "its registers" => set!(|state| {
            if let Some(program) = &mut state.program {
                program.shown ^= true;
            }
        });
        "Shift N" N + shift "nv-spec or ieee numbers" => set!(|state| {
            if let Some(program) = &mut state.program {
                let model = &mut program.choice.model;
                *model = next(&NumericModel::ALL, *model);
            }
        });
        "F10" F10 "an instruction on" => |_, _| Some(Request::Step(Stepping::On));
        "Shift F10" F10 + shift "an instruction back" => |_, _| Some(Request::Step(Stepping::Back));
        "F5" F5 "run to the next stop" => |_, _| Some(Request::Step(Stepping::Run));
        "Shift F5" F5 + shift "to the start" => |_, _| Some(Request::Step(Stepping::Restart));
        "F9" F9 "stop at this instruction" => |_, _| Some(Request::Step(Stepping::Break));
    }
    "Picture" {
        "M" M "next shading mode" => set!(|state| state.shading = next(&ShadingMode::ALL, state.shading));
        "A" A "1 or 4 samples" => set!(|state| state.samples = next(&SampleCount::ALL, state.samples));
        "U" U "subpixel bits: 4, 8, 12, 16" => set!(|state| state.subpixel_bits = state.subpixel_bits / 4 % 4 * 4 + 4);
        "C" C "next convention" => set!(|state| {
            state.convention = next(&Convention::ALL, state.convention);
        });
        "T" T "next SIMD level" => set!(|state| {
            state.simd = next(&SimdLevel::available().collect::<Vec<_>>(), state.simd);
        });
    }
    "Comparison" {
        "2" Num2 "flip: the other picture, this one" => set!(|state| {
            let other = state.comparison == Comparison::Other;
            state.comparison = if other { Comparison::Off } else { Comparison::Other };
        });
        "3" Num3 "which mistake a candidate's picture shows" => |_, _| Some(Request::Diagnose);
        "O" O "off, other, split, blink, pixels" => set!(|state| state.comparison = next(&Comparison::ALL, state.comparison));
        "Shift O" O + shift "next method to compare with" => set!(|state| {
            state.other_method = next(&SkinningMethod::ALL, state.other_method);
        });
    }
    "Heat map" {
        "H" H "next: weight, influences, error, ..." => set!(|state| state.heat = next(&Heat::ALL, state.heat));
        "Shift H" H + shift "its range: auto, full, percentile, log" => set!(|state| state.range = next(&HeatRange::ALL, state.range));
        "1" Num1 "inspect the worst vertex or pixel, then the next" => |_, _| Some(Request::NextWorst);
    }
    "Vertex table" {
        "F6" F6 "every vertex in a row" => set!(|state| {
            state.table = if state.table.is_some() { None } else { Some(TableView::default()) };
        });
        "Down" ArrowDown "next row" => |_, _| Some(Request::Row(1));
        "Up" ArrowUp "row before" => |_, _| Some(Request::Row(-1));
        "F7" F7 "copy its rows as CSV" => |_, _| Some(Request::CopyTable);
    }
    "Time" {
        "Space" Space "play, pause" => set!(|state| state.playing = !state.playing && state.clip.is_some());
        "Right" ArrowRight "a frame on" => set!(|state, scene| state.step_frames(scene, 1.0));
        "Left" ArrowLeft "a frame back" => set!(|state, scene| state.step_frames(scene, -1.0));
        "." Period "next key of the clip" => set!(|state, scene| state.step_key(scene, true));
        "," Comma "key before" => set!(|state, scene| state.step_key(scene, false));
        "Home" Home "start of the clip" => set!(|state| state.time = 0.0);
        "End" End "end of the clip" => set!(|state, scene| state.time = state.duration(scene));
        "]" CloseBracket "twice as fast" => set!(|state| state.speed = (state.speed * 2.0).min(super::playback::SPEEDS[1]));
        "[" OpenBracket "half as fast" => set!(|state| state.speed = (state.speed * 0.5).max(super::playback::SPEEDS[0]));
        "K" K "next clip" => set!(|state, scene| state.next_clip(scene));
    }
    "Overlays" {
        "S" S "skeleton" => set!(|state| state.overlays.skeleton ^= true);
        "X" X "joint axes" => set!(|state| state.overlays.axes ^= true);
        "J" J "joint names" => set!(|state| state.overlays.names ^= true);
        "E" E "edges" => set!(|state| state.overlays.wireframe ^= true);
        "Y" Y "normals" => set!(|state| state.overlays.normals ^= true);
        "Z" Z "tangents" => set!(|state| state.overlays.tangents ^= true);
        "G" G "bind pose ghost" => set!(|state| state.overlays.ghost ^= true);
        "Shift G" G + shift "grid" => set!(|state| state.overlays.grid ^= true);
        "Shift X" X + shift "world axes" => set!(|state| state.overlays.gizmo ^= true);
        "Shift L" L + shift "light" => set!(|state| state.overlays.light ^= true);
    }
    "Window" {
        "F" F "frame the model" => set!(|state| frame(state));
        "Shift C" C + shift "next camera" => set!(|state, scene| next_camera(state, scene));
        "Shift T" T + shift "look through the next light" => set!(|state, scene| next_light(state, scene));
        "Tab" Tab "panels" => set!(|state| state.panels ^= true);
        "F3" F3 "fold the settings" => set!(|state| state.fold(Panel::Settings));
        "F4" F4 "fold the inspector" => set!(|state| state.fold(Panel::Inspector));
        "+" Plus "larger text" => set!(|state| state.scale = (state.scale + 0.25).min(4.0));
        "-" Minus "smaller text" => set!(|state| state.scale = (state.scale - 0.25).max(0.75));
        "F2" F2 "print the command line" => |_, _| Some(Request::PrintCommandLine);
        "F12" F12 "screenshot" => |_, _| Some(Request::Screenshot);
        "?" Questionmark "these keys" => set!(|state| state.help ^= true);
        "Esc" Escape "close list, help, hypothesis, table, inspector" => set!(|state| close(state));
        "Q" Q "quit" => |_, _| Some(Request::Quit);
    }
}

/// Does what a key stands for.
pub(super) fn press(key: Key, modifiers: Modifiers, state: &mut State, scene: &Scene) -> Option<Request> {
    // Where these are depends on the keyboard.
    let (key, shift) = match key {
        Key::Slash if modifiers.shift => (Key::Questionmark, false),
        Key::F1 | Key::Questionmark => (Key::Questionmark, false),
        Key::Equals | Key::Plus => (Key::Plus, false),
        key => (key, modifiers.shift),
    };
    let binding = GROUPS
        .iter()
        .flat_map(|group| group.bindings)
        .find(|binding| binding.key == key && binding.shift == shift && !modifiers.ctrl && !modifiers.alt)?;
    (binding.apply)(state, scene)
}

/// What comes after `current`, the first after the last.
fn next<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let place = all.iter().position(|one| *one == current).map_or(0, |place| place + 1);
    all.get(place).or_else(|| all.first()).copied().unwrap_or(current)
}

fn next_influences(current: Option<NonZeroUsize>) -> Option<NonZeroUsize> {
    NonZeroUsize::new((current.map_or(0, NonZeroUsize::get) + 1) % 5)
}

/// A candidate's picture has the camera that it has.
fn has_own_camera(state: &State) -> bool {
    state.candidate.as_deref().is_some_and(is_picture)
}

fn next_light(state: &mut State, scene: &Scene) {
    if !has_own_camera(state) {
        through::next(state, scene);
    }
}

fn next_camera(state: &mut State, scene: &Scene) {
    state.through_light = None;
    let index = match state.camera {
        ViewCamera::Free { .. } | ViewCamera::Eye { .. } | ViewCamera::Matrices(_) => 0,
        ViewCamera::File(index) => index + 1,
    };
    let there = index < scene.placed_cameras().len();
    state.camera = if there { ViewCamera::File(index) } else { ViewCamera::default() };
}

fn frame(state: &mut State) {
    state.magnified = None;
    if !has_own_camera(state) {
        state.through_light = None;
        state.camera.frame();
    }
}

fn close(state: &mut State) {
    if state.help {
        state.help = false;
    } else if state.hypothesis.is_some() {
        state.try_on(None);
    } else if state.table.take().is_none() {
        (state.selected, state.pixel) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_key_is_taken_twice() {
        let mut seen = HashSet::new();
        for binding in GROUPS.iter().flat_map(|group| group.bindings) {
            assert!(seen.insert((binding.key, binding.shift)), "{} is taken twice", binding.label);
        }
    }

    #[test]
    fn keys_change_the_state_and_come_round() {
        let (mut state, scene) = (State::default(), Scene::default());
        let mut press = |key| press(key, Modifiers::NONE, &mut state, &scene);
        assert_eq!(press(Key::D), None);
        assert_eq!(press(Key::F12), Some(Request::Screenshot));
        (0..3).for_each(|_| assert_eq!(press(Key::U), None));
        (0..5).for_each(|_| assert_eq!(press(Key::I), None));
        (0..ShadingMode::ALL.len()).for_each(|_| assert_eq!(press(Key::M), None));
        assert_eq!(state.method, SkinningMethod::DualQuaternion);
        // 8 → 12 → 16 → 4.
        assert_eq!(state.subpixel_bits, 4);
        assert_eq!((state.max_influences, state.shading), (None, ShadingMode::Lambert));
    }
}
