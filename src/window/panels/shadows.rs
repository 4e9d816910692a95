//! The shadows: which lights cast them, and how their maps are made and looked up.

use egui::{ComboBox, DragValue, Slider, Ui};

use super::{Control, choice, fit_sliders, labelled, list_width};
use crate::state::State;
use refrast_draw::DepthFormat;
use refrast_scene::{LightKind, Scene};
use refrast_shading::{
    Casters, MOST_SPLITS, ShadowFilter, ShadowFit, ShadowSettings, ShadowShape, SplitScheme, SplitSelection, Steadiness,
};

/// Texels a side that are offered; the command line takes any between them.
const SIDES: [u32; 5] = [256, 512, 1024, 2048, 4096];
/// Metres: shadows that end farther away are dragged to no end.
const FARTHEST: f32 = 10_000.0;

/// Whether a light of the scene can have a map.
pub(super) fn are_possible(scene: &Scene) -> bool {
    is_by_headlight(scene) || shines(scene, |kind| !matches!(kind, LightKind::Point))
}

/// Whether a scene has no light of its own. The shadows of its headlight fall to where the camera hardly sees them: they are
/// seen where one part of a thing lies before another.
pub(super) fn is_by_headlight(scene: &Scene) -> bool {
    !shines(scene, |_| true)
}

fn shines(scene: &Scene, is: fn(&LightKind) -> bool) -> bool {
    scene.drawn.iter().filter_map(|&node| scene.nodes[node].light).any(|light| is(&scene.lights[light].kind))
}

pub(super) fn shadows(ui: &mut Ui, state: &mut State, scene: &Scene) {
    let before = state.shadows;
    let shadows = &mut state.shadows;
    casting(ui, shadows, scene);
    if shadows.are_cast() {
        maps(ui, shadows);
        lookups(ui, shadows);
    }
    if state.shadows.casting != before.casting {
        // Another number of splits has other ends, and other maps to look through.
        if matches!(state.shadows.splits, SplitScheme::Given { .. }) {
            state.shadows.splits = SplitScheme::default();
        }
        state.through_light = None;
    }
}

fn casting(ui: &mut Ui, shadows: &mut ShadowSettings, scene: &Scene) {
    if is_by_headlight(scene) || shines(scene, |kind| matches!(kind, LightKind::Directional)) {
        labelled(ui, Control::new("cascades", "", "maps of each directional light; at 0 it casts no shadow"), |ui| {
            fit_sliders(ui);
            ui.add(Slider::new(&mut shadows.casting.cascades, 0..=MOST_SPLITS as u8))
        });
    }
    if shines(scene, |kind| matches!(kind, LightKind::Spot { .. })) {
        labelled(ui, Control::new("spots", "", "whether spot lights cast shadows"), |ui| {
            ui.checkbox(&mut shadows.casting.spots, "")
        });
    }
}

/// How maps are made.
fn maps(ui: &mut Ui, shadows: &mut ShadowSettings) {
    if shadows.casting.cascades > 1 {
        splits(ui, &mut shadows.splits);
    }
    if shadows.casting.cascades > 0 {
        let about = "how far from the camera there are shadows, in metres; at 0 as far as the far plane";
        labelled(ui, Control::new("distance", "", about), |ui| {
            let mut metres = shadows.distance.unwrap_or(0.0);
            let text = |metres: f64, _| if metres == 0.0 { "far plane".to_owned() } else { format!("{metres:.1}") };
            ui.add(DragValue::new(&mut metres).range(0.0..=FARTHEST).speed(0.1).custom_formatter(text));
            shadows.distance = (metres > 0.0).then_some(metres);
        });
        choice(ui, Control::new("fit", "", "what a map's box is put around"), &mut shadows.fit, &ShadowFit::ALL);
        choice(ui, Control::new("shape", "", "the shape that is put around it"), &mut shadows.shape, &ShadowShape::ALL);
        let about = "how a map moves with the camera";
        choice(ui, Control::new("steady", "", about), &mut shadows.steadiness, &Steadiness::ALL);
    }
    labelled(ui, Control::new("map size", "", "texels a side of a map"), |ui| {
        let list = ComboBox::from_id_salt("map size").width(list_width(ui)).truncate();
        list.selected_text(shadows.side.to_string()).show_ui(ui, |ui| {
            for side in SIDES {
                ui.selectable_value(&mut shadows.side, side, side.to_string());
            }
        });
    });
    choice(ui, Control::new("depth", "", "how a map stores depth"), &mut shadows.format, &DepthFormat::ALL);
    let about = "how far maps are moved away from the light: steps of the depth format, and parts of the slope";
    labelled(ui, Control::new("bias", "", about), |ui| {
        ui.add(DragValue::new(&mut shadows.bias.constant).speed(0.5).max_decimals(1));
        ui.add(DragValue::new(&mut shadows.bias.slope).speed(0.05).max_decimals(2));
    });
    let about = "what becomes of casters between the light and a map's box";
    choice(ui, Control::new("casters", "", about), &mut shadows.casters, &Casters::ALL);
}

fn splits(ui: &mut Ui, splits: &mut SplitScheme) {
    let about = "where the view is split; given distances come from the command line";
    labelled(ui, Control::new("splits", "", about), |ui| {
        let list = ComboBox::from_id_salt("splits").width(list_width(ui)).truncate();
        list.selected_text(splits.to_string()).show_ui(ui, |ui| {
            ui.selectable_value(splits, SplitScheme::Uniform, "uniform");
            ui.selectable_value(splits, SplitScheme::Logarithmic, "logarithmic");
            let is_mixed = matches!(splits, SplitScheme::Mixed(_));
            if ui.selectable_label(is_mixed, "mixed").clicked() && !is_mixed {
                *splits = SplitScheme::default();
            }
        });
    });
    if let SplitScheme::Mixed(lambda) = splits {
        labelled(ui, Control::new("lambda", "", "0 is uniform, 1 is logarithmic"), |ui| {
            fit_sliders(ui);
            ui.add(Slider::new(lambda, 0.0..=1.0).max_decimals(2))
        });
    }
}

/// How maps are looked up.
fn lookups(ui: &mut Ui, shadows: &mut ShadowSettings) {
    choice(ui, Control::new("filter", "", "what a lookup compares"), &mut shadows.filter, &ShadowFilter::ALL);
    if shadows.casting.cascades > 1 {
        let about = "which split a fragment belongs to";
        choice(ui, Control::new("select", "", about), &mut shadows.selection, &SplitSelection::ALL);
        match shadows.selection {
            SplitSelection::Depth => {
                let about = "the last part of a split, 0 to 1, in which the next one is faded in";
                labelled(ui, Control::new("blend", "", about), |ui| {
                    fit_sliders(ui);
                    ui.add(Slider::new(&mut shadows.blend, 0.0..=1.0).max_decimals(2))
                });
            }
            SplitSelection::Containment => shadows.blend = 0.0,
        }
    }
}
