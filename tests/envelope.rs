//! Envelopes of whole frames: what must lie inside, and what must not.

use refrast::{
    animation::Pose,
    golden::envelope::{CheckOptions, Envelope, EnvelopeVerdict},
    golden::Picture,
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
    verify::{
        Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope},
    },
};

/// A view of the built-in character.
#[derive(Clone, Copy)]
struct View {
    clip: &'static str,
    seconds: f32,
    orbit: Orbit,
    settings: RenderSettings,
}

impl View {
    fn camera(&self, renderer: &mut Renderer<'_>, scene: &Scene) -> (Pose, Camera) {
        let clip = scene.find_animation(self.clip).expect("the clip is there");
        let pose = Pose::sample(scene, clip, self.seconds).expect("the time is a number");
        let bounds = renderer.animation_bounds(clip, 0.0..scene.animations[clip].duration).expect("the clip is there");
        let aspect_ratio = f64::from(self.settings.width) / f64::from(self.settings.height);
        (pose, Camera::orbit(&bounds, self.orbit, aspect_ratio, self.settings.convention))
    }

    fn envelope(&self, scene: &Scene, profile: Profile) -> FrameEnvelope {
        let mut renderer = Renderer::new(scene, self.settings).expect("valid settings");
        let (pose, camera) = self.camera(&mut renderer, scene);
        frame_envelope(&mut renderer, &pose, &camera, EnvelopeSettings { profile }).expect("an envelope")
    }

    fn picture(&self, scene: &Scene) -> Picture {
        let mut renderer = Renderer::new(scene, self.settings).expect("valid settings");
        let (pose, camera) = self.camera(&mut renderer, scene);
        let frame = renderer.render(&pose, &camera).expect("the pose fits the scene");
        Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture")
    }
}

fn check(envelope: &Envelope, candidate: &Picture) -> EnvelopeVerdict {
    envelope.check(candidate, &CheckOptions::default()).expect("sizes agree")
}

fn views() -> Vec<View> {
    let small = RenderSettings { width: 160, height: 200, ..RenderSettings::default() };
    let walk = |seconds, yaw, pitch, settings| View {
        clip: "Walk",
        seconds,
        orbit: Orbit { yaw, pitch, distance: None },
        settings,
    };
    vec![
        walk(0.3, 25.0, 8.0, small),
        walk(0.2, 45.0, 80.0, RenderSettings { convention: Convention::Vulkan, ..small }),
        walk(0.8, 200.0, 20.0, RenderSettings { samples: SampleCount::Four, ..small }),
        View { orbit: Orbit { yaw: 15.0, pitch: 0.0, distance: Some(0.45) }, ..walk(0.3, 0.0, 0.0, small) },
    ]
}

#[test]
fn scratch_figures() {
    let scene = Scene::mannequin().expect("the built-in character loads");
    for samples in [SampleCount::One, SampleCount::Four] {
        for profile in [Profile::D3d11, Profile::Vulkan14, Profile::VulkanMin] {
            let settings = RenderSettings { samples, ..RenderSettings::default() };
            let view = View { settings, ..views()[0] };
            let start = std::time::Instant::now();
            let made = view.envelope(&scene, profile);
            let time = start.elapsed();
            let verdict = check(&made.envelope, &made.golden);
            println!("{samples:?} {profile} {time:?} {:?}\n   wrong {} undecided {}", made.envelope.statistics(), verdict.wrong(), verdict.undecided);
            for worst in verdict.worst.iter().take(4) { println!("   {worst:?} {:?}", made.causes.of(worst.x, worst.y)); }
            for bits in [4, 8, 16] {
                let view = View { settings: RenderSettings { subpixel_bits: bits, ..settings }, ..view };
                let verdict = check(&made.envelope, &view.picture(&scene));
                println!("   {bits} bits: wrong {} undecided {}", verdict.wrong(), verdict.undecided);
                if profile != Profile::D3d11 || bits != 4 {
                for worst in verdict.worst.iter().take(3) { println!("   {worst:?} {:?}", made.causes.of(worst.x, worst.y)); }
                }
            }
        }
    }
}
