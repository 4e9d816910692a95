//! Looking through a light: which shadow maps there are, what they are called, and the camera of each.
//!
//! Why it exists: a light's view is no camera of the file and none that a person placed. It follows the camera that is looked
//! from (a cascade is around a part of what that one sees), so it is chosen beside it and does not take its place.

use super::state::State;
use refrast_animation::Pose;
use refrast_scene::{LightKind, Scene};
use refrast_shading::{ShadowCasting, ShadowSettings, SplitScheme};
use refrast_stage::{Camera, RenderError, RenderSettings, light_camera};

/// A shadow map that can be looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightMap {
    /// What the window calls it.
    pub name: String,
    /// The light, as a place among those that are drawn.
    light: usize,
    /// The map of that light.
    map: usize,
    /// Whether it is a part of the camera's view.
    cascaded: bool,
}

/// The maps of the lights in the order in which they are gone through: those that these shadows have, and of a light that
/// has none by them the one that it would have.
#[must_use]
pub fn light_maps(scene: &Scene, shadows: &ShadowSettings) -> Vec<LightMap> {
    let cascades = usize::from(cascades(shadows));
    let drawn = scene.drawn.iter().filter_map(|&node| scene.nodes[node].light.map(|light| (node, light)));
    let mut maps = Vec::new();
    let mut add = |light: usize, name: &str, is_directional: bool| {
        let count = if is_directional { cascades } else { 1 };
        for map in 0..count {
            let name = if count == 1 { name.to_owned() } else { format!("{name}, cascade {map}") };
            maps.push(LightMap { name, light, map, cascaded: is_directional });
        }
    };
    let mut any = false;
    for (place, (node, light)) in drawn.enumerate() {
        any = true;
        let own = &scene.lights[light];
        let name = own.name.clone().or_else(|| scene.nodes[node].name.clone());
        let name = name.unwrap_or_else(|| format!("light {place}"));
        match own.kind {
            LightKind::Directional => add(place, &name, true),
            LightKind::Spot { .. } => add(place, &name, false),
            LightKind::Point => {}
        }
    }
    if !any {
        add(0, "headlight", true);
    }
    maps
}

/// Maps of a directional light; one, or as many as splits are given, where it casts no shadow.
fn cascades(shadows: &ShadowSettings) -> u8 {
    match (shadows.casting.cascades, &shadows.splits) {
        (0, SplitScheme::Given { count, .. }) => *count,
        (0, _) => 1,
        (count, _) => count,
    }
}

/// The camera of the light that a state looks through, where `camera` is that of the state itself; `None` where it looks
/// through none.
pub(super) fn camera(
    (scene, pose): (&Scene, &Pose),
    state: &State,
    settings: &RenderSettings,
    camera: &Camera,
) -> Result<Option<Camera>, RenderError> {
    let Some(number) = state.through_light else { return Ok(None) };
    let maps = light_maps(scene, &state.shadows);
    let Some(chosen) = maps.get(number) else { return Ok(None) };
    // A spot that is too wide for a map is in the way of no other light.
    let casting = ShadowCasting { cascades: cascades(&state.shadows), spots: !chosen.cascaded };
    let settings = RenderSettings { shadows: ShadowSettings { casting, ..state.shadows }, ..*settings };
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    light_camera((scene, pose), camera, &settings, [chosen.light, chosen.map], aspect_ratio)
}

/// The map after the one that is looked through; none after the last.
pub(super) fn next(state: &mut State, scene: &Scene) {
    let number = state.through_light.map_or(0, |number| number + 1);
    state.through_light = (number < light_maps(scene, &state.shadows).len()).then_some(number);
}
