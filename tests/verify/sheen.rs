//! Fibres: right backends lie inside, and a picture without them does not.

use std::path::Path;

use crate::{
    envelope_faults::Case,
    envelope_support::{PROFILES, Shot, check},
};
use rayon::prelude::*;
use refrast::{
    animation::Pose,
    render::{Camera, RenderSettings},
    scene::Scene,
    shading::ShadingMode,
    verify::simulator::{Moment, Simulator, Variation},
};

/// The scene of the golden, as it is and with nothing standing on it.
fn case(has_fibres: bool) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/velvet.gltf");
    let mut scene = Scene::load(&path).expect("the scene of the goldens");
    if !has_fibres {
        scene.materials.iter_mut().for_each(|material| material.sheen = None);
    }
    let settings = RenderSettings { width: 160, height: 90, shading: ShadingMode::Lit, ..RenderSettings::default() };
    let placed = scene.find_camera("before the curtain").expect("the file has it");
    let camera = Camera::from_scene(&scene, &Pose::rest(&scene), placed, 16.0 / 9.0, settings.convention);
    let seen = Shot { pose: Pose::rest(&scene), scene, camera, settings };
    Case { name: format!("velvet, fibres: {has_fibres}"), moment: Moment::Rest, seen }
}

#[test]
fn right_fibres_lie_inside_and_none_are_seen_to_be_missing() {
    let [velvet, bare] = [true, false].map(case);
    let alarms: Vec<String> = PROFILES.into_par_iter().flat_map(|profile| velvet.false_alarms(profile)).collect();
    assert!(alarms.is_empty(), "{} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
    let simulator = Simulator::new(&bare.seen.scene).expect("complete textures");
    let without = bare.draw(&simulator, &Variation::default(), &[]);
    for profile in PROFILES {
        let wrong = check(&velvet.seen.envelope(profile).envelope, &without).wrong();
        assert!(wrong > 1000, "{profile}: {wrong}");
    }
}
