//! Frames after the first take no memory, but for a box a draw where materials have more than a colour.
//!
//! `allocation-counter` counts what the calling thread asks of the allocator, so everything runs on one. With more threads
//! there are rayon's own queues of tasks besides.

use allocation_counter::measure;
use refrast::{
    animation::Pose,
    raster::SampleCount,
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
};

/// How often each frame of a walk asks for memory, in a first and in a second round.
fn allocations(settings: RenderSettings) -> [Vec<u64>; 2] {
    let scene = Scene::mannequin().unwrap();
    let walk = scene.find_animation("Walk").unwrap();
    let mut pose = Pose::rest(&scene);
    let mut renderer = Renderer::new(&scene, settings).unwrap();
    let camera = Camera::orbit(&renderer.bounds(&pose).unwrap(), Orbit::default(), 0.8, settings.convention);
    let mut frame = |seconds: f32| {
        let counted = measure(|| {
            pose.sample_into(&scene, walk, seconds).unwrap();
            renderer.render(&pose, &camera).unwrap();
        });
        counted.count_total
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| [0, 1].map(|_| [0.0, 0.0, 0.0, 0.2, 0.4, 0.6].map(&mut frame).to_vec()))
}

#[test]
fn frames_after_the_first_take_no_memory() {
    let small = RenderSettings { width: 320, height: 400, ..RenderSettings::default() };
    for (settings, boxes) in [
        (small, 0),
        (RenderSettings { samples: SampleCount::Four, ..small }, 0),
        (RenderSettings { shading: ShadingMode::Wireframe, keep_depth: true, ..small }, 0),
        // Targets move the ambient light that arrives. What a material's maps are is boxed, once a draw.
        (RenderSettings { shading: ShadingMode::Occlusion, ..small }, 2),
    ] {
        let [first, second] = allocations(settings);
        assert!(first[0] > 100, "the count works: {first:?}");
        assert_eq!(first[1..3], [boxes; 2], "the same pose again, {settings:?}: {first:?}");
        // Another pose may put more triangles into a tile than any before, but only once.
        assert_eq!(second, [boxes; 6], "{settings:?}: {first:?}");
    }
}
