//! Clear coats: right backends lie inside, and a picture without the coat does not.

use std::path::Path;

use crate::{
    envelope_faults::Case,
    envelope_support::{PROFILES, Shot, check},
};
use rayon::prelude::*;
use refrast::{
    animation::Pose,
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::{Clearcoat, Scene},
    shading::ShadingMode,
    verify::simulator::{Moment, Simulator, Variation},
};

/// A smooth coat over everything, worn and bumpy where the material has maps that can say so.
fn coat(scene: &mut Scene) {
    for material in &mut scene.materials {
        material.clearcoat = Some(Clearcoat {
            factor: 0.9,
            texture: material.metallic_roughness_texture,
            roughness_factor: 0.3,
            roughness_texture: material.metallic_roughness_texture,
            normal_texture: material.normal_texture,
            normal_scale: 0.5,
        });
    }
}

fn settings(width: u32, height: u32) -> RenderSettings {
    RenderSettings { width, height, shading: ShadingMode::Lit, ..RenderSettings::default() }
}

/// Boxes under two spots, and the character under a headlight; each with and without its coats.
fn cases() -> Vec<[Case; 2]> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/lamps.gltf");
    let lamps = Scene::load(&path).expect("the scene of the goldens");
    let stage = settings(160, 90);
    let placed = lamps.find_camera("before the stage").expect("the file has it");
    let before = Camera::from_scene(&lamps, &Pose::rest(&lamps), placed, 16.0 / 9.0, stage.convention);
    let character = Scene::mannequin().expect("the built-in character loads");
    let portrait = settings(120, 150);
    let bounds = Renderer::new(&character, portrait).and_then(|mut renderer| renderer.bounds(&Pose::rest(&character)));
    let bounds = bounds.expect("valid settings");
    let orbit = Orbit { yaw: 20.0, pitch: 5.0, distance: None };
    let around = Camera::orbit(&bounds, orbit, 0.8, portrait.convention);
    let case = |scene: &Scene, camera: &Camera, settings: RenderSettings, is_coated: bool| {
        let mut scene = scene.clone();
        if is_coated {
            coat(&mut scene);
        }
        let seen = Shot { pose: Pose::rest(&scene), scene, camera: *camera, settings };
        Case { name: format!("{settings:?}, coated: {is_coated}"), moment: Moment::Rest, seen }
    };
    let both = |scene, camera, settings| [true, false].map(|is_coated| case(scene, camera, settings, is_coated));
    vec![both(&lamps, &before, stage), both(&character, &around, portrait)]
}

#[test]
fn right_coats_lie_inside_and_none_is_seen_to_be_missing() {
    for [coated, bare] in cases() {
        let alarms: Vec<String> = PROFILES.into_par_iter().flat_map(|profile| coated.false_alarms(profile)).collect();
        assert!(alarms.is_empty(), "{} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
        let simulator = Simulator::new(&bare.seen.scene).expect("complete textures");
        let without = bare.draw(&simulator, &Variation::default(), &[]);
        for profile in PROFILES {
            let wrong = check(&coated.seen.envelope(profile).envelope, &without).wrong();
            assert!(wrong > 20, "{}, {profile}: {wrong}", coated.name);
        }
    }
}
