//! `_OCCLUSION`: right backends lie inside, and one that forgets what targets do to it does not.

use std::path::Path;

use crate::{
    envelope_faults::Case,
    envelope_support::{PROFILES, Shot, check},
};
use rayon::prelude::*;
use refrast::{
    animation::Pose,
    render::{Bounds, Camera, Orbit, RenderSettings},
    scene::Scene,
    shading::ShadingMode,
    verify::simulator::{Moment, Simulator, Variation},
};

/// The mask of the goldens, open; its targets may have lost their occlusion.
fn mask(has_targets: bool) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/hollow.gltf");
    let mut scene = Scene::load(&path).expect("the scene of the goldens");
    if !has_targets {
        let targets = scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).flat_map(|own| &mut own.targets);
        targets.for_each(|target| target.occlusion = None);
    }
    let settings = RenderSettings { width: 120, height: 90, shading: ShadingMode::Lit, ..RenderSettings::default() };
    let bounds = Bounds::of(&scene, Some(0)).expect("the clip is there");
    let camera = Camera::orbit(&bounds, Orbit::default(), 4.0 / 3.0, settings.convention);
    let moment = Moment::Clip { animation: 0, seconds: 0.75 };
    let pose = Pose::sample(&scene, 0, 0.75).expect("the clip is there");
    Case { name: format!("with targets: {has_targets}"), moment, seen: Shot { pose, scene, camera, settings } }
}

#[test]
fn right_backends_lie_inside_and_one_without_the_targets_does_not() {
    let (whole, without) = (mask(true), mask(false));
    let alarms: Vec<String> = PROFILES.into_par_iter().flat_map(|profile| whole.false_alarms(profile)).collect();
    assert!(alarms.is_empty(), "{} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
    let simulator = Simulator::new(&without.seen.scene).expect("complete textures");
    let wrong = without.draw(&simulator, &Variation::default(), &[]);
    for profile in PROFILES {
        let wrong = check(&whole.seen.envelope(profile).envelope, &wrong).wrong();
        assert!(wrong > 100, "{profile}: {wrong}");
    }
}

#[test]
fn another_ambient_light_makes_another_picture() {
    let own = mask(true);
    let simulator = Simulator::new(&own.seen.scene).expect("complete textures");
    let drawn = own.draw(&simulator, &Variation::default(), &[]);
    for ambient in [0.0, 0.4] {
        let mut asked = mask(true);
        asked.seen.settings.ambient = Some(ambient);
        let alarms: Vec<String> = PROFILES.into_par_iter().flat_map(|profile| asked.false_alarms(profile)).collect();
        assert!(alarms.is_empty(), "{ambient}: {} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
        let wrong = check(&asked.seen.envelope(PROFILES[0]).envelope, &drawn).wrong();
        assert!(wrong > 100, "{ambient}: {wrong}");
    }
}
