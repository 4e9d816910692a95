//! How long an envelope takes to make, on one thread, and a 4K picture to hold against one.

use std::{hint::black_box, num::NonZeroUsize};

use criterion::{Criterion, criterion_group, criterion_main};
use refrast::{
    animation::Pose,
    golden::envelope::CheckOptions,
    raster::SampleCount,
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    verify::{
        Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope},
    },
};

/// The built-in character, walking.
struct Walk {
    scene: Scene,
    pose: Pose,
}

impl Walk {
    fn new() -> Self {
        let scene = Scene::mannequin().expect("the built-in character loads");
        let clip = scene.find_animation("Walk").expect("it walks");
        let pose = Pose::sample(&scene, clip, 0.3).expect("the time is a number");
        Self { scene, pose }
    }

    /// Something that makes its envelope again and again.
    fn maker(&self, settings: RenderSettings, profile: Profile) -> impl FnMut() -> FrameEnvelope {
        let mut renderer = Renderer::new(&self.scene, settings).expect("valid settings");
        let bounds = renderer.bounds(&self.pose).expect("the pose fits the scene");
        let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
        let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, settings.convention);
        move || {
            let settings = EnvelopeSettings::of(profile);
            frame_envelope(&mut renderer, &self.pose, &camera, settings).expect("an envelope")
        }
    }
}

fn make(criterion: &mut Criterion) {
    let walk = Walk::new();
    let mut group = criterion.benchmark_group("envelope of 1280x720");
    group.sample_size(10);
    for samples in [SampleCount::One, SampleCount::Four] {
        for profile in [Profile::D3d11, Profile::Vulkan14] {
            let settings = RenderSettings { samples, threads: NonZeroUsize::new(1), ..RenderSettings::default() };
            let mut make = walk.maker(settings, profile);
            let name = format!("{profile}, samples {}", samples.positions().len());
            group.bench_function(name, |bencher| bencher.iter(&mut make));
        }
    }
    group.finish();
}

fn check(criterion: &mut Criterion) {
    let settings = RenderSettings { width: 3840, height: 2160, ..RenderSettings::default() };
    let made = Walk::new().maker(settings, Profile::Vulkan14)();
    let mut group = criterion.benchmark_group("3840x2160");
    group.sample_size(10);
    group.bench_function("check", |bencher| {
        bencher.iter(|| black_box(&made.envelope).check(black_box(&made.golden), &CheckOptions::default()));
    });
    group.finish();
}

criterion_group!(benches, make, check);
criterion_main!(benches);
