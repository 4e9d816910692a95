//! The golden pictures of the built-in character, compared exactly.
//!
//! `REFRAST_BLESS=1 cargo test --release --test goldens` writes them anew; look at each before you commit it. They
//! were blessed from a release build at the machine's best SIMD level, and every build and level must reproduce them.

use std::path::{Path, PathBuf};

use refrast::{
    animation::Pose,
    golden::{MeasureOptions, Metric, Picture, measure},
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
};

/// A golden picture: what is drawn and how.
struct Case {
    name: &'static str,
    clip: &'static str,
    seconds: f32,
    orbit: Orbit,
    settings: RenderSettings,
}

fn orbit(yaw: f64, pitch: f64) -> Orbit {
    Orbit { yaw, pitch, distance: None }
}

fn small() -> RenderSettings {
    RenderSettings { width: 320, height: 400, ..RenderSettings::default() }
}

fn cases() -> Vec<Case> {
    let walk = |name, seconds, orbit, settings| Case { name, clip: "Walk", seconds, orbit, settings };
    let view = |name, shading| walk(name, 0.3, Orbit::default(), RenderSettings { shading, ..small() });
    let four = RenderSettings { samples: SampleCount::Four, ..small() };
    let close = Orbit { yaw: 15.0, pitch: 0.0, distance: Some(0.45) };
    vec![
        walk("demo", 0.3, Orbit::default(), RenderSettings { samples: SampleCount::Four, ..RenderSettings::default() }),
        walk("walk-front", 0.0, orbit(0.0, 0.0), small()),
        walk("walk-side", 0.55, orbit(90.0, 5.0), small()),
        walk("walk-back-4x", 0.8, orbit(200.0, 20.0), four),
        walk("walk-above", 0.2, orbit(45.0, 80.0), small()),
        walk("walk-near-plane", 0.3, close, small()),
        Case { name: "flex", clip: "Flex", seconds: 1.5, orbit: orbit(30.0, 10.0), settings: small() },
        Case { name: "flex-4x", clip: "Flex", seconds: 2.75, orbit: orbit(-40.0, 10.0), settings: four },
        Case { name: "expression", clip: "Expression", seconds: 1.2, orbit: orbit(10.0, 5.0), settings: small() },
        walk("walk-d3d", 0.3, Orbit::default(), RenderSettings { convention: Convention::D3d, ..small() }),
        walk("walk-vulkan", 0.3, Orbit::default(), RenderSettings { convention: Convention::Vulkan, ..small() }),
        walk("walk-4-bits", 0.3, Orbit::default(), RenderSettings { subpixel_bits: 4, ..small() }),
        view("view-unlit", ShadingMode::Unlit),
        view("view-normals", ShadingMode::Normals),
        view("view-uv", ShadingMode::Uv),
        view("view-depth", ShadingMode::Depth),
        view("view-joints", ShadingMode::Joints),
        view("view-wireframe", ShadingMode::Wireframe),
    ]
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{name}.png"))
}

fn render(scene: &Scene, case: &Case) -> Picture {
    let clip = scene.find_animation(case.clip).expect("the clip is there");
    let pose = Pose::sample(scene, clip, case.seconds).expect("the time is a number");
    let mut renderer = Renderer::new(scene, case.settings).expect("valid settings");
    let duration = scene.animations[clip].duration;
    let bounds = renderer.animation_bounds(clip, 0.0..duration).expect("the clip is there");
    let aspect_ratio = f64::from(case.settings.width) / f64::from(case.settings.height);
    let camera = Camera::orbit(&bounds, case.orbit, aspect_ratio, case.settings.convention);
    let frame = renderer.render(&pose, &camera).expect("the pose fits the scene");
    Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture")
}

#[test]
fn the_built_in_character_matches_its_goldens_exactly() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    let bless = std::env::var_os("REFRAST_BLESS").is_some();
    let mut wrong = Vec::new();
    for case in cases() {
        let candidate = render(&scene, &case);
        if bless {
            candidate.write(&path(case.name)).expect("the golden folder is writable");
            continue;
        }
        let golden = Picture::read(&path(case.name)).expect("the golden is there");
        let measurement = measure(&golden, &candidate, &MeasureOptions::new(Metric::Exact)).expect("sizes agree");
        if !measurement.accepted {
            wrong.push(format!("{}: {} of {} pixels", case.name, measurement.differing, measurement.counted));
        }
    }
    assert!(wrong.is_empty(), "these differ from their goldens:\n{}", wrong.join("\n"));
}
