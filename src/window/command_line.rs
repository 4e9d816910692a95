//! [`command_line`]: a state as the command that shows it again.

use std::fmt::Write;

use super::{
    Magnified, ProgramView, TableColumns, TableView,
    state::{State, ViewCamera},
};
use refrast_scene::Scene;
use refrast_stage::{Lens, Orbit, program::ProgramChoice};

/// The command that opens a window with this state: what is not said has its default.
///
/// `scene_name` is what the scene was opened by, `size` that of the window.
#[must_use]
pub fn command_line(state: &State, scene: &Scene, scene_name: &str, size: [u32; 2]) -> String {
    let start = State::default();
    let mut line = format!("refrast view {}", quoted(scene_name));
    let mut option = |name: &str, value: &dyn std::fmt::Display| {
        // Writing to a string can not fail.
        let _ = write!(line, " --{name} {}", quoted(&value.to_string()));
    };
    option("size", &format_args!("{}x{}", size[0], size[1]));
    if let Some(clip) = state.clip {
        option("animation", &clip_name(scene, clip));
    }
    if state.time != 0.0 {
        option("time", &state.time);
    }
    if state.speed != start.speed {
        option("speed", &state.speed);
    }
    match state.camera {
        ViewCamera::File(index) => option("camera", &camera_name(scene, index)),
        ViewCamera::Matrices(_) => {
            if let Some(file) = &state.camera_file {
                option("camera", &file.display());
            }
        }
        ViewCamera::Eye { eye, target, up } => {
            for (name, point) in [("eye", eye), ("target", target), ("up", up)] {
                option(name, &format_args!("{},{},{}", point.x, point.y, point.z));
            }
        }
        ViewCamera::Free { orbit: Orbit { yaw, pitch, distance }, target } => {
            let distance = distance.map(|distance| format!(",{distance}")).unwrap_or_default();
            if state.camera != start.camera {
                option("camera", &format_args!("orbit:{yaw},{pitch}{distance}"));
            }
            if let Some(target) = target {
                option("target", &format_args!("{},{},{}", target.x, target.y, target.z));
            }
        }
    }
    if matches!(state.camera, ViewCamera::Free { .. } | ViewCamera::Eye { .. }) {
        let Lens { field_of_view, near, far } = state.lens;
        for (name, number) in [("fov", field_of_view), ("near", near), ("far", far)] {
            if let Some(number) = number {
                option(name, &number);
            }
        }
    }
    if let Some(number) = state.through_light {
        option("through-light", &number);
    }
    let program = state.active_program();
    if let Some(program) = program {
        self::program(&mut option, program);
    } else if state.method != start.method {
        option("skinning", &state.method);
    }
    if state.normals != start.normals && program.is_none() {
        option("normals", &state.normals);
    }
    if let Some(most) = state.max_influences {
        option("max-influences", &most);
    }
    for (target, weight) in &state.morph_weights {
        option("morph", &format_args!("{target}={weight}"));
    }
    if state.shading != start.shading {
        option("shading", &state.shading);
    }
    if let Some(ambient) = state.ambient {
        option("ambient", &ambient);
    }
    if state.development.exposure != start.development.exposure {
        option("exposure", &state.development.exposure);
    }
    if state.development.tone != start.development.tone {
        option("tone", &state.development.tone);
    }
    for (name, word) in state.shadows.changed_words() {
        let name = if name == "cast" { "shadows".to_owned() } else { format!("shadow-{name}") };
        option(&name, &word);
    }
    if state.convention != start.convention {
        option("convention", &state.convention);
    }
    if state.subpixel_bits != start.subpixel_bits {
        option("subpixel-bits", &state.subpixel_bits);
    }
    if state.samples != start.samples {
        option("samples", &state.samples);
    }
    if state.simd != start.simd {
        option("simd", &state.simd);
    }
    // What a candidate is shown as unless something else is said.
    let beside = state.candidate.as_deref();
    let (heat, comparison) = (State::heat_with(beside), State::comparison_with(beside, state.hypothesis));
    if state.heat != heat {
        option("heat", &state.heat);
    }
    if state.range != start.range {
        option("heat-range", &state.range);
    }
    if state.other_method != start.other_method {
        option("with", &state.other_method);
    }
    if state.comparison != comparison {
        option("compare", &state.comparison);
    }
    if state.split != start.split {
        option("split", &state.split);
    }
    if let Some(candidate) = &state.candidate {
        option("candidate", &candidate.display());
    }
    if let Some(hypothesis) = state.hypothesis {
        option("hypothesis", &hypothesis);
    }
    if state.profile != start.profile {
        option("profile", &state.profile);
    }
    let declared = state.declared.beside(&start.declared);
    for (name, value) in declared.split(" --").filter_map(|pair| pair.trim_start_matches("--").split_once(' ')) {
        option(name, &value);
    }
    if let Some(Magnified { factor, middle: [x, y] }) = state.magnified {
        option("magnify", &format_args!("{factor},{x},{y}"));
    }
    if state.max_joints != start.max_joints {
        option("max-joints", &state.max_joints);
    }
    let overlays = state.overlays.names_of_active();
    if !overlays.is_empty() {
        option("overlay", &overlays.join(","));
    }
    if let Some(joint) = state.joint {
        option("joint", &node_name(scene, joint));
    }
    if let Some(choice) = state.selected {
        let primitive =
            scene.nodes[choice.node].mesh.and_then(|mesh| scene.meshes[mesh].primitives.get(choice.primitive));
        let vertex = primitive.and_then(|primitive| primitive.source_vertices.get(choice.vertex));
        option("select", &format_args!("{}:{}:{}", choice.node, choice.primitive, vertex.copied().unwrap_or(0)));
    }
    if let Some([x, y]) = state.pixel {
        option("pixel", &format_args!("{x},{y}"));
    }
    if state.scale != start.scale {
        option("scale", &state.scale);
    }
    if !state.folded.is_empty() {
        option("fold", &state.folded.iter().map(|panel| panel.name()).collect::<Vec<_>>().join(","));
    }
    if state.panel_widths != start.panel_widths {
        let [settings, inspector] = state.panel_widths;
        option("panel-widths", &format_args!("{settings},{inspector}"));
    }
    if state.program_widths != start.program_widths {
        let word = |width: Option<f32>| width.map_or_else(|| "fit".to_owned(), |points| points.to_string());
        option("program-widths", &state.program_widths.map(word).join(","));
    }
    if let Some(TableView { columns, sort, filter, height, .. }) = &state.table {
        if *height != TableView::HEIGHT {
            option("table-height", height);
        }
        if let Some((column, descending)) = sort {
            option("table-sort", &format_args!("{column}{}", if *descending { ":down" } else { "" }));
        }
        if !filter.is_empty() {
            option("table-filter", filter);
        }
        let names: Vec<&str> = columns.iter().map(|group| group.name()).collect();
        line.push_str(if names.len() == TableColumns::ALL.len() { " --table" } else { " --table=" });
        line.push_str(&if names.len() == TableColumns::ALL.len() { String::new() } else { names.join(",") });
    }
    let hidden = program.is_some_and(|program| !program.shown);
    let switches = [
        (state.playing, " --play"),
        (state.diagnose, " --diagnose"),
        (!state.panels, " --no-panels"),
        (hidden, " --no-registers"),
        (state.help, " --keys"),
        (state.table.as_ref().is_some_and(|table| table.corners), " --table-corners"),
    ];
    for (on, switch) in switches {
        line.push_str(if on { switch } else { "" });
    }
    line
}

/// A vertex program, how it is fed, and where it stands.
fn program(option: &mut dyn FnMut(&str, &dyn std::fmt::Display), view: &ProgramView) {
    let ProgramView { choice, constants, step, breaks, .. } = view;
    let start = ProgramChoice::new("");
    option("skinning", &format_args!("program:{}", choice.file.display()));
    choice.bindings.iter().for_each(|binding| option("bind", binding));
    if let Some(combiners) = choice.combiners {
        option("combiners", &combiners);
    }
    if choice.constants != start.constants {
        option("constants", &choice.constants);
    }
    if choice.model != start.model {
        option("model", &choice.model);
    }
    if choice.address_rounding != start.address_rounding {
        option("address-rounding", &choice.address_rounding);
    }
    constants.iter().for_each(|constant| option("constant", constant));
    if *step != 0 {
        option("step", step);
    }
    if !breaks.is_empty() {
        option("break", breaks);
    }
}

/// A word that a shell passes on as it is.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:,=+".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What [`Scene::find_animation`] finds the clip by.
pub(super) fn clip_name(scene: &Scene, clip: usize) -> String {
    let name = scene.animations.get(clip).and_then(|clip| clip.name.clone());
    let found = |name: &String| scene.find_animation(name).ok() == Some(clip);
    name.filter(found).unwrap_or_else(|| clip.to_string())
}

/// What [`Scene::find_camera`] finds the camera by.
pub(super) fn camera_name(scene: &Scene, index: usize) -> String {
    let placed = scene.placed_cameras();
    let Some(camera) = placed.get(index) else { return index.to_string() };
    let names = [scene.cameras[camera.camera].name.clone(), scene.nodes[camera.node].name.clone()];
    let found = |name: &String| scene.find_camera(name).ok() == Some(*camera);
    names.into_iter().flatten().find(found).unwrap_or_else(|| camera.camera.to_string())
}

/// A node's name where it has one of its own, else its index.
pub(super) fn node_name(scene: &Scene, node: usize) -> String {
    let name = scene.nodes.get(node).and_then(|node| node.name.clone());
    let alone = |name: &String| scene.nodes.iter().filter(|node| node.name.as_ref() == Some(name)).count() == 1;
    name.filter(alone).unwrap_or_else(|| node.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_skinning::SkinningMethod;

    #[test]
    fn a_program_is_said_with_all_that_was_set() {
        let mut view = ProgramView::new(ProgramChoice { constants: 48, ..ProgramChoice::new("my bones.vp") });
        view.choice.bindings = vec!["v9=normal".to_owned()];
        view.set_constant("c6=1,0,0,-0.5".parse().unwrap());
        (view.step, view.shown) = (12, false);
        view.breaks.nan = true;
        view.breaks.toggle(30);
        let mut state = State { program: Some(view), method: SkinningMethod::Rigid, ..State::default() };
        let line = |state: &State| command_line(state, &Scene::default(), "fox.glb", [640, 480]);
        assert_eq!(
            line(&state),
            "refrast view fox.glb --size 640x480 --skinning 'program:my bones.vp' --bind v9=normal --constants 48 \
             --constant c6=1,0,0,-0.5 --step 12 --break nan,30 --no-registers"
        );
        state.toggle_program();
        assert_eq!(line(&state), "refrast view fox.glb --size 640x480 --skinning rigid");
    }

    #[test]
    fn only_what_differs_is_said_and_names_are_quoted() {
        let scene = Scene::default();
        assert_eq!(
            command_line(&State::default(), &scene, "mannequin", [640, 480]),
            "refrast view mannequin --size 640x480"
        );
        let state = State { method: SkinningMethod::Rigid, time: 0.25, playing: true, ..State::default() };
        assert_eq!(
            command_line(&state, &scene, "it's a fox.glb", [640, 480]),
            "refrast view 'it'\\''s a fox.glb' --size 640x480 --time 0.25 --skinning rigid --play"
        );
    }
}
