//! Everything that can be switched: skinning, picture, overlays, comparison.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use egui::{CollapsingHeader, ComboBox, DragValue, RichText, Slider, Ui};

use super::{Control, choice, choice_of, fit_sliders, labelled, list_width, shadows};
use crate::{
    command_line::camera_name,
    state::{Comparison, Heat, HeatRange, Overlay, State, ViewCamera},
    subject::is_picture,
    through::light_maps,
};
use refrast_draw::{Convention, SampleCount};
use refrast_range::Profile;
use refrast_scene::Scene;
use refrast_shading::ShadingMode;
use refrast_simd::SimdLevel;
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_words::Word;

/// The scene, and those that were opened before, where there are any; gives the one that was chosen.
pub(crate) fn recent(ui: &mut Ui, scene: &Scene, recent: &[PathBuf]) -> Option<PathBuf> {
    if recent.is_empty() {
        return None;
    }
    let mut chosen = None;
    let about = "the scenes that were opened before; another one can also be dropped on the window";
    labelled(ui, Control::new("scene", "", about), |ui| {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let list = ComboBox::from_id_salt("recent").width(list_width(ui)).truncate();
        list.selected_text(name(Path::new(&scene.source.file))).show_ui(ui, |ui| {
            for path in recent {
                if ui.selectable_label(false, name(path)).on_hover_text(path.display().to_string()).clicked() {
                    chosen = Some(path.clone());
                }
            }
        });
    });
    chosen
}

/// The panel on the left.
pub(crate) fn settings(ui: &mut Ui, state: &mut State, scene: &Scene) {
    section(ui, "Skinning", |ui| skinning(ui, state, scene));
    section(ui, "Picture", |ui| picture(ui, state, scene));
    if shadows::are_possible(scene) {
        let is_open = state.shadows.are_cast() || !shadows::is_by_headlight(scene);
        section_that(ui, "Shadows", is_open, |ui| shadows::shadows(ui, state, scene));
    }
    section(ui, "Overlays", |ui| overlays(ui, state, scene));
    section(ui, "Numbers and comparison", |ui| comparison(ui, state, scene));
    ui.add_space(4.0);
    ui.label(RichText::new("? shows all keys").small().weak());
}

fn section(ui: &mut Ui, title: &str, contents: impl FnOnce(&mut Ui)) {
    section_that(ui, title, true, contents);
}

/// A section that is open at first, or is not.
fn section_that(ui: &mut Ui, title: &str, is_open: bool, contents: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(RichText::new(title).strong()).default_open(is_open).show_unindented(ui, contents);
}

fn skinning(ui: &mut Ui, state: &mut State, scene: &Scene) {
    let mut method = state.method;
    choice(ui, Control::new("method", "L P D V B R W", "how joints move vertices"), &mut method, &SkinningMethod::ALL);
    if method != state.method {
        state.take_method(method);
    }
    super::program::program_choice(ui, state);
    choice(ui, Control::new("normals", "N", "how normals follow the joints"), &mut state.normals, &NormalMode::ALL);
    labelled(ui, Control::new("influences", "I", "the most joints that a vertex keeps, the heaviest first"), |ui| {
        let mut most = state.max_influences.map_or(0, NonZeroUsize::get);
        let text = |most: f64, _| if most == 0.0 { "all".to_owned() } else { format!("{most}") };
        fit_sliders(ui);
        ui.add(Slider::new(&mut most, 0..=8).custom_formatter(text));
        state.max_influences = NonZeroUsize::new(most);
    });
    morph_weights(ui, state, scene);
}

/// Points: what is narrower shows a number that can be dragged in place of a slider.
const LEAST_MORPH: f32 = 84.0;

/// One slider a target of the first mesh that has some.
fn morph_weights(ui: &mut Ui, state: &mut State, scene: &Scene) {
    let mesh = scene.drawn.iter().filter_map(|&node| scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]));
    let Some(mesh) = mesh.clone().find(|mesh| !mesh.weights.is_empty()) else { return };
    for target in 0..mesh.weights.len() {
        let unnamed = || format!("target {target}");
        let name = mesh.target_names.get(target).cloned().unwrap_or_else(unnamed);
        let place = state.morph_weights.iter().position(|&(own, _)| own == target);
        labelled(ui, Control::new(&name, "", "the weight of this morph target"), |ui| {
            let mut own = place.is_some();
            ui.checkbox(&mut own, "").on_hover_text("set the weight here, not by the clip");
            match (own, place) {
                (true, None) => {
                    let at = state.morph_weights.partition_point(|&(other, _)| other < target);
                    state.morph_weights.insert(at, (target, mesh.weights[target]));
                }
                (false, Some(place)) => {
                    state.morph_weights.remove(place);
                }
                (true, Some(place)) => {
                    let weight = &mut state.morph_weights[place].1;
                    let (range, decimals) = (-1.0..=2.0, 2);
                    if ui.available_size_before_wrap().x < LEAST_MORPH {
                        ui.add(DragValue::new(weight).range(range).speed(0.01).max_decimals(decimals));
                    } else {
                        fit_sliders(ui);
                        ui.add(Slider::new(weight, range).max_decimals(decimals));
                    }
                }
                (false, None) => {}
            }
        });
    }
}

fn picture(ui: &mut Ui, state: &mut State, scene: &Scene) {
    choice(
        ui,
        Control::new("shading", "M", "what the picture shows of its surfaces"),
        &mut state.shading,
        &ShadingMode::ALL,
    );
    choice(
        ui,
        Control::new("convention", "C", "depth range and y direction of clip space"),
        &mut state.convention,
        &Convention::ALL,
    );
    labelled(
        ui,
        Control::new("subpixel bits", "U", "bits after the point of a window position: the grid that vertices snap to"),
        |ui| {
            fit_sliders(ui);
            ui.add(Slider::new(&mut state.subpixel_bits, 4..=16))
        },
    );
    labelled(ui, Control::new("samples", "A", "samples a pixel"), |ui| {
        for samples in SampleCount::ALL {
            ui.selectable_value(&mut state.samples, samples, samples.name()).on_hover_text(samples.about());
        }
    });
    choice(
        ui,
        Control::new("SIMD level", "T", "the instructions that compute; every level gives the same bits"),
        &mut state.simd,
        &SimdLevel::available().collect::<Vec<_>>(),
    );
    camera(ui, state, scene);
}

/// Points of the button that frames the model, and the gap before it.
const FRAME: f32 = 56.0;

fn camera(ui: &mut Ui, state: &mut State, scene: &Scene) {
    let cameras = scene.placed_cameras().len();
    let lights = light_maps(scene, &state.shadows);
    let about = "a camera of the file, one that is turned by the mouse, or a light (Shift T)";
    labelled(ui, Control::new("camera", "Shift C", about), |ui| {
        let through = state.through_light.and_then(|number| lights.get(number));
        let name = match (through, state.camera) {
            (Some(light), _) => light.name.clone(),
            (None, ViewCamera::Free { .. } | ViewCamera::Eye { .. }) => "free".to_owned(),
            (None, ViewCamera::File(index)) => camera_name(scene, index),
            (None, ViewCamera::Matrices(_)) => "matrices".to_owned(),
        };
        let beside = if ui.available_width() < 2.0 * FRAME { 0.0 } else { FRAME };
        let list = ComboBox::from_id_salt("camera").width(list_width(ui) - beside).truncate();
        list.selected_text(name).show_ui(ui, |ui| {
            let is_free = matches!(state.camera, ViewCamera::Free { .. } | ViewCamera::Eye { .. });
            if ui.selectable_label(is_free && through.is_none(), "free").clicked() {
                // The camera of the mouse stays where it was, where only a light was looked through.
                state.camera = if is_free && through.is_some() { state.camera } else { ViewCamera::default() };
                state.through_light = None;
            }
            for index in 0..cameras {
                let own = ViewCamera::File(index);
                let is_chosen = state.camera == own && through.is_none();
                if ui.selectable_label(is_chosen, camera_name(scene, index)).clicked() {
                    (state.camera, state.through_light) = (own, None);
                }
            }
            if !state.candidate.as_deref().is_some_and(is_picture) {
                for (number, light) in lights.iter().enumerate() {
                    let is_chosen = state.through_light == Some(number);
                    let label = ui.selectable_label(is_chosen, format!("through {}", light.name));
                    if label.on_hover_text("what the light's shadow map sees (Shift T goes through them)").clicked() {
                        state.through_light = Some(number);
                    }
                }
            }
        });
        if ui.button("frame").on_hover_text("the whole model (F)").clicked() {
            state.through_light = None;
            state.camera.frame();
        }
    });
}

fn overlays(ui: &mut Ui, state: &mut State, scene: &Scene) {
    ui.horizontal_wrapped(|ui| {
        for overlay in Overlay::ALL {
            ui.toggle_value(state.overlays.of(overlay), overlay.label()).on_hover_text(overlay.about());
        }
    });
    joint(ui, state, scene);
}

fn comparison(ui: &mut Ui, state: &mut State, scene: &Scene) {
    let without = |heat: &&Heat| match heat {
        Heat::Candidate => state.candidate.is_some(),
        Heat::Section => !scene.skins.is_empty(),
        _ => true,
    };
    let all: Vec<Heat> = Heat::ALL.iter().filter(without).copied().collect();
    choice(
        ui,
        Control::new("heat map", "H", "a number of every vertex, in colours over the surface"),
        &mut state.heat,
        &all,
    );
    // A candidate's picture has classes of pixels, and no numbers.
    let of_pixels = state.heat == Heat::Candidate && state.candidate.as_deref().is_some_and(is_picture);
    if state.heat.is_ranged() && !of_pixels {
        let about = "what the ends of the colours stand for";
        choice(ui, Control::new("range", "Shift H", about), &mut state.range, &HeatRange::ALL);
    }
    choice(
        ui,
        Control::new(
            "pictures",
            "O",
            "how two pictures are put together: by two methods, or the reference's and the candidate's",
        ),
        &mut state.comparison,
        &Comparison::ALL,
    );
    if state.candidate.as_deref().is_some_and(is_picture) {
        choice_of(
            ui,
            Control::new("profile", "", "what the backend may do differently"),
            &mut state.profile,
            &Profile::ALL,
            Profile::about,
        );
    } else {
        choice(
            ui,
            Control::new("compare with", "Shift O", "the other method, of pictures and of difference maps"),
            &mut state.other_method,
            &SkinningMethod::ALL,
        );
    }
    if state.heat == Heat::Section {
        labelled(ui, Control::new("joints at most", "", "the joints that a palette has room for"), |ui| {
            let mut most = state.max_joints.get();
            fit_sliders(ui);
            ui.add(Slider::new(&mut most, 1..=128));
            state.max_joints = NonZeroUsize::new(most).unwrap_or(state.max_joints);
        });
    }
}

/// The chosen joint, of all joints of all skins.
fn joint(ui: &mut Ui, state: &mut State, scene: &Scene) {
    if scene.skins.is_empty() {
        return;
    }
    labelled(
        ui,
        Control::new(
            "joint",
            "",
            "the joint that the weight map and the chain are of; none: the heaviest of the inspected vertex",
        ),
        |ui| {
            let name = |joint: Option<usize>| match joint {
                Some(joint) => crate::command_line::node_name(scene, joint),
                None => "none".to_owned(),
            };
            let list = ComboBox::from_id_salt("joint").width(list_width(ui)).truncate();
            list.selected_text(name(state.joint)).show_ui(ui, |ui| {
                ui.selectable_value(&mut state.joint, None, name(None));
                for &joint in scene.skins.iter().flat_map(|skin| &skin.joints) {
                    ui.selectable_value(&mut state.joint, Some(joint), name(Some(joint)));
                }
            });
        },
    );
}
