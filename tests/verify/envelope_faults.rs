//! The proof of the envelope: no backend that makes its own choices falls outside, and every one with a mistake does.

use crate::envelope_support::{PROFILES, Shot as Seen, check, random_shot};
use rayon::prelude::*;
use refrast::{
    animation::Pose,
    golden::Picture,
    raster::{Convention, SampleCount},
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    shading::ShadingMode,
    verify::{
        Fault, Profile,
        showcase::showcases,
        simulator::{Moment, Shot, Simulator, Variation},
    },
};

/// A picture in the making, with the moment that the simulator needs.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) moment: Moment,
    pub(crate) seen: Seen,
}

impl Case {
    pub(crate) fn draw(&self, simulator: &Simulator<'_>, variation: &Variation, faults: &[Fault]) -> Picture {
        let shot = Shot { moment: self.moment, camera: &self.seen.camera, settings: &self.seen.settings };
        let frame = simulator.draw(&shot, variation, faults).expect("the case can be drawn");
        Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture")
    }

    /// What a right backend of the profile draws outside of the envelope.
    pub(crate) fn false_alarms(&self, profile: Profile) -> Vec<String> {
        let simulator = Simulator::new(&self.seen.scene).expect("complete textures");
        let made = self.seen.envelope(profile);
        let alarm = |(name, variation): (&str, Variation)| {
            let verdict = check(&made.envelope, &self.draw(&simulator, &variation, &[]));
            let worst = verdict.worst.first();
            let causes = worst.map(|worst| made.causes.of(worst.x, worst.y));
            (verdict.wrong() > 0)
                .then(|| format!("{}, {profile}, {name}: {} pixels, {worst:?} {causes:?}", self.name, verdict.wrong()))
        };
        Variation::within(profile).into_iter().filter_map(alarm).collect()
    }
}

impl Case {
    /// How many pixels of the picture without shadows are outside.
    pub(crate) fn wrong_without_shadows(&self, profile: Profile) -> u64 {
        let settings = RenderSettings { shadows: RenderSettings::default().shadows, ..self.seen.settings };
        let picture = self.seen.picture_with(&settings, &self.seen.camera);
        check(&self.seen.envelope(profile).envelope, &picture).wrong()
    }
}

pub(crate) fn cases_of(showcases: Vec<refrast::verify::showcase::Showcase>) -> Vec<Case> {
    let case = |showcase: refrast::verify::showcase::Showcase| {
        let pose = showcase.moment.pose(&showcase.scene).expect("a moment of the scene");
        let (camera, settings) = (showcase.camera, showcase.settings);
        let seen = Seen { scene: showcase.scene, pose, camera, settings };
        Case { name: showcase.name.to_owned(), moment: showcase.moment, seen }
    };
    showcases.into_iter().map(case).collect()
}

pub(crate) fn showcase_cases() -> Vec<Case> {
    cases_of(showcases())
}

fn character_cases() -> Vec<Case> {
    let small = RenderSettings { width: 160, height: 200, ..RenderSettings::default() };
    let four = RenderSettings { samples: SampleCount::Four, ..small };
    let at = |yaw, pitch, distance| Orbit { yaw, pitch, distance };
    let views = [
        ("Walk", 0.3, Orbit::default(), small),
        ("Walk", 0.8, at(200.0, 20.0, None), four),
        ("Walk", 0.3, at(15.0, 0.0, Some(0.45)), small),
        ("Flex", 2.75, at(-40.0, 10.0, None), RenderSettings { convention: Convention::Vulkan, ..four }),
        ("Expression", 1.2, at(10.0, 5.0, None), RenderSettings { convention: Convention::D3d, ..small }),
        ("Walk", 0.3, Orbit::default(), RenderSettings { shading: ShadingMode::Normals, ..small }),
        ("Walk", 0.3, Orbit::default(), RenderSettings { shading: ShadingMode::Depth, ..small }),
        ("Walk", 0.3, Orbit::default(), RenderSettings { shading: ShadingMode::Wireframe, ..small }),
    ];
    let case = |(clip, seconds, orbit, settings): (&str, f32, Orbit, RenderSettings)| {
        let scene = Scene::mannequin().expect("the built-in character loads");
        let moment = Moment::Clip { animation: scene.find_animation(clip).expect("the clip is there"), seconds };
        let pose = moment.pose(&scene).expect("the time is a number");
        let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
        let bounds = renderer.bounds(&pose).expect("the pose fits the scene");
        let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
        let camera = Camera::orbit(&bounds, orbit, aspect_ratio, settings.convention);
        let name = format!("{clip} at {seconds}, {}", settings.shading);
        Case { name, moment, seen: Seen { scene, pose, camera, settings } }
    };
    views.into_iter().map(case).collect()
}

#[track_caller]
fn assert_no_alarm(alarms: &[String]) {
    assert!(alarms.is_empty(), "{} right pictures are refused:\n{}", alarms.len(), alarms.join("\n"));
}

#[test]
fn right_backends_lie_inside_in_the_showcases() {
    let cases = showcase_cases();
    let pairs = cases.par_iter().flat_map(|case| PROFILES.into_par_iter().map(move |profile| (case, profile)));
    let alarms: Vec<String> = pairs.flat_map(|(case, profile)| case.false_alarms(profile)).collect();
    assert_no_alarm(&alarms);
}

#[test]
fn right_backends_lie_inside_on_the_character() {
    let cases = character_cases();
    let pairs = cases.par_iter().enumerate().map(|(number, case)| (case, PROFILES[number % PROFILES.len()]));
    let alarms: Vec<String> = pairs.flat_map(|(case, profile)| case.false_alarms(profile)).collect();
    assert_no_alarm(&alarms);
}

#[test]
fn right_backends_lie_inside_in_two_hundred_random_scenes() {
    let alarms = (0..200u64).into_par_iter().flat_map(|seed| {
        let seen = random_shot(seed);
        assert_eq!(seen.pose, Pose::rest(&seen.scene));
        let name = format!("random scene {seed}, {}", seen.settings.shading);
        let case = Case { name, moment: Moment::Rest, seen };
        case.false_alarms(PROFILES[seed as usize % PROFILES.len()])
    });
    assert_no_alarm(&alarms.collect::<Vec<_>>());
}

/// Who owns a sample on an edge is Direct3D's to say; Vulkan lets it be either side, but one.
#[test]
fn the_other_fill_rule_is_wrong_where_the_grid_and_the_rule_are_fixed() {
    let case = showcase_cases().into_iter().find(|case| case.name == "edges").expect("it is there");
    let simulator = Simulator::new(&case.seen.scene).expect("complete textures");
    let wrong = |profile, fault| {
        let picture = case.draw(&simulator, &Variation::default(), &[fault]);
        check(&case.seen.envelope(profile).envelope, &picture).wrong()
    };
    assert!(wrong(Profile::D3d11, Fault::FillRuleBottomRight) > 0);
    for profile in [Profile::Vulkan14, Profile::VulkanMin] {
        assert_eq!(wrong(profile, Fault::FillRuleBottomRight), 0, "{profile}");
        assert!(wrong(profile, Fault::FillRuleMissing) > 0, "{profile}");
    }
}

/// A triangle that is drawn twice has the same depths twice, on every device.
#[test]
fn a_repeated_triangle_shows_the_wrong_depth_test_everywhere() {
    let case = showcase_cases().into_iter().find(|case| case.name == "drawn-twice").expect("it is there");
    let simulator = Simulator::new(&case.seen.scene).expect("complete textures");
    let picture = case.draw(&simulator, &Variation::default(), &[Fault::DepthTestLessEqual]);
    for profile in PROFILES {
        assert!(check(&case.seen.envelope(profile).envelope, &picture).wrong() > 100, "{profile}");
    }
}

#[test]
fn every_mistake_falls_outside() {
    let cases = showcase_cases();
    let variation = Variation::default();
    let courts: Vec<_> = cases
        .par_iter()
        .map(|case| {
            let simulator = Simulator::new(&case.seen.scene).expect("complete textures");
            (case, simulator, case.seen.envelope(Profile::D3d11).envelope)
        })
        .collect();
    let caught = |fault: Fault| {
        courts
            .iter()
            .any(|(case, simulator, envelope)| check(envelope, &case.draw(simulator, &variation, &[fault])).wrong() > 0)
    };
    let passed: Vec<&str> = Fault::ALL.into_par_iter().filter(|fault| !caught(*fault)).map(Fault::name).collect();
    assert!(passed.is_empty(), "these mistakes pass: {passed:?}");
}
