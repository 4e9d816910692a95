//! One scene gives one picture, bit for bit: for every thread count, SIMD level and build profile.
//!
//! The hashes below are pinned: any build on any machine must come to the same ones.

use std::num::NonZeroUsize;

use refrast::{
    animation::Pose,
    golden::Picture,
    raster::SampleCount,
    render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    simd::SimdLevel,
};

fn render(settings: RenderSettings) -> Vec<u8> {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let walk = scene.find_animation("Walk").expect("the built-in character walks");
    let pose = Pose::sample(&scene, walk, 0.3).expect("a number");
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
    let bounds = Bounds::of(&scene, Some(walk)).expect("the clip is there");
    let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, settings.convention);
    renderer.render(&pose, &camera).expect("the pose fits the scene").rgba().to_vec()
}

fn settings(samples: SampleCount) -> RenderSettings {
    RenderSettings { width: 320, height: 400, samples, ..RenderSettings::default() }
}

#[test]
fn every_simd_level_gives_the_same_picture() {
    for samples in [SampleCount::One, SampleCount::Four] {
        let slowest = render(RenderSettings { simd: SimdLevel::Scalar, ..settings(samples) });
        for simd in SimdLevel::available() {
            let frame = render(RenderSettings { simd, ..settings(samples) });
            assert!(frame == slowest, "{simd} differs from the slowest at {samples:?}");
        }
    }
}

#[test]
fn every_thread_count_gives_the_same_picture() {
    for samples in [SampleCount::One, SampleCount::Four] {
        let single = render(RenderSettings { threads: NonZeroUsize::new(1), ..settings(samples) });
        for threads in [2, 7] {
            let frame = render(RenderSettings { threads: NonZeroUsize::new(threads), ..settings(samples) });
            assert!(frame == single, "{threads} threads differ from one at {samples:?}");
        }
    }
}

/// The hash that a release build printed; a debug build must come to the same one.
#[test]
fn debug_and_release_builds_give_the_same_picture() {
    let picture = |samples| {
        let settings = settings(samples);
        let rgba = render(settings);
        Picture::from_rgba8(settings.width, settings.height, rgba).expect("a frame is a picture").content_hash()
    };
    let hashes = [SampleCount::One, SampleCount::Four].map(picture);
    assert_eq!(hashes, [0xf08a_aa17_08ab_ee44, 0xbe24_c699_bfcb_1287], "{hashes:016x?}");
}

/// Everything about a renderer is reused from frame to frame; nothing of an earlier frame may show in a later one.
#[test]
fn a_frame_does_not_depend_on_the_frames_before_it() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let settings = settings(SampleCount::One);
    let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
    let mut moments = Vec::new();
    for (clip, seconds) in [("Walk", 0.3), ("Expression", 1.2), ("Flex", 1.5), ("Walk", 0.3)] {
        let clip = scene.find_animation(clip).expect("the clip is there");
        let pose = Pose::sample(&scene, clip, seconds).expect("a number");
        let bounds = renderer.bounds(&pose).expect("the pose fits the scene");
        let camera = Camera::orbit(&bounds, Orbit::default(), 0.8, settings.convention);
        moments.push(renderer.render(&pose, &camera).expect("the pose fits the scene").rgba().to_vec());
    }
    assert!(moments[0] == moments[3], "the first frame came back different");
    assert!(moments[0] != moments[1] && moments[1] != moments[2], "the clips are to differ");
}
