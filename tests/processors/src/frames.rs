//! Pictures of the built-in character, one of which is the repository's own golden.

use std::{path::Path, sync::LazyLock};

use refrast_animation::Pose;
use refrast_golden::Picture;
use refrast_raster::SampleCount;
use refrast_render::{Bounds, Camera, Orbit, RenderSettings, Renderer};
use refrast_scene::Scene;
use refrast_shading::{ShadingMode, ShadowCasting, ShadowSettings};
use refrast_skinning::SkinningMethod;

use crate::Job;

/// Read once: images take longer than frames.
pub(crate) static MANNEQUIN: LazyLock<Scene> =
    LazyLock::new(|| Scene::mannequin().expect("the built-in character loads"));

/// A picture that is drawn quickly.
pub(crate) fn small() -> RenderSettings {
    RenderSettings { width: 240, height: 300, ..RenderSettings::default() }
}

/// `refrast render mannequin` at a moment of a clip.
pub(crate) fn draw(clip: &str, seconds: f32, settings: RenderSettings) -> Picture {
    let scene = &*MANNEQUIN;
    let clip = scene.find_animation(clip).expect("the clip is there");
    let pose = Pose::sample(scene, clip, seconds).expect("a number");
    let bounds = Bounds::of(scene, Some(clip)).expect("the clip is there");
    let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
    let camera = Camera::orbit(&bounds, Orbit::default(), aspect_ratio, settings.convention);
    let mut renderer = Renderer::new(scene, settings).expect("valid settings");
    let frame = renderer.render(&pose, &camera).expect("the pose fits the scene");
    Picture::from_rgba8(settings.width, settings.height, frame.rgba().to_vec()).expect("a frame is a picture")
}

pub(crate) fn jobs() -> Vec<(String, Job)> {
    let mut jobs: Vec<(String, Job)> = Vec::new();
    let mut add = |name: String, clip: &'static str, seconds: f32, settings: RenderSettings| {
        jobs.push((name, Box::new(move || draw(clip, seconds, settings).content_hash())));
    };
    for shading in ShadingMode::ALL {
        add(format!("frame {shading}"), "Walk", 0.3, RenderSettings { shading, ..small() });
    }
    for skinning in SkinningMethod::ALL {
        let settings = RenderSettings { skinning, samples: SampleCount::Four, ..small() };
        add(format!("frame by {skinning}, four samples"), "Flex", 1.5, settings);
    }
    let casting = ShadowCasting { cascades: 2, spots: true };
    let shadows = ShadowSettings { casting, ..ShadowSettings::default() };
    add(
        "frame with shadows".into(),
        "Expression",
        1.2,
        RenderSettings { shading: ShadingMode::Lit, shadows, ..small() },
    );
    jobs.push(("the golden demo, drawn and read".into(), Box::new(golden)));
    jobs
}

/// The case `demo` of golden/manifest.toml: the hash of what is drawn, which has to be the file's own.
fn golden() -> u64 {
    let settings = RenderSettings { samples: SampleCount::Four, ..RenderSettings::default() };
    let drawn = draw("Walk", 0.3, settings).content_hash();
    let file = Picture::decode(include_bytes!("../../../golden/demo.png"), Path::new("demo.png"))
        .expect("the golden is a PNG");
    assert_eq!(drawn, file.content_hash(), "the golden is drawn otherwise");
    drawn
}
