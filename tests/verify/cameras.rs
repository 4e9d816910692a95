//! Pictures that are right but for the camera: that is found before any mistake is thought of.

use refrast::{
    golden::Picture,
    render::{Camera, CameraSettings, Lens, RenderSettings},
    scene::Scene,
    verify::{
        Profile,
        diagnose::{Conclusion, diagnose_setup},
        setup::{Question, Setup, Source},
        simulator::{Moment, Shot, Simulator},
    },
};

use crate::diagnose::OTHER;

fn settings() -> RenderSettings {
    RenderSettings { width: 128, height: 96, ..RenderSettings::default() }
}

/// The verdict on a picture that another backend draws through `camera`, where the words name the camera of nobody's choice.
fn verdict(camera: impl Fn(&Scene) -> Camera) -> String {
    let scene = Scene::mannequin().expect("the built-in character");
    let drawn = camera(&scene);
    let simulator = Simulator::new(&scene).expect("complete textures");
    let shot = Shot { moment: Moment::Rest, camera: &drawn, settings: &settings() };
    let frame = simulator.draw(&shot, &OTHER, &[]).expect("it can be drawn");
    let candidate = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture");
    let question = Question {
        scene: &scene,
        camera: &CameraSettings::default(),
        rules: Profile::D3d11.into(),
        source: Source::FILE,
        candidate: &candidate,
    };
    let asked = Setup { moment: Moment::Rest, settings: settings() };
    let diagnosis = diagnose_setup(&question, &asked, &|_, _| {}).expect("it fits the scene");
    assert_eq!(diagnosis.conclusion, Conclusion::AnotherSetup, "{diagnosis}");
    diagnosis.to_string()
}

fn by_words(scene: &Scene, lens: Lens) -> Camera {
    let pose = Moment::Rest.pose(scene).expect("at rest");
    let words = CameraSettings { lens, ..CameraSettings::default() };
    words.camera(scene, None, &pose, &settings()).expect("a camera")
}

#[test]
fn another_field_of_view_is_told_as_the_option() {
    for angle in [52.0, 28.5] {
        let lens = Lens { field_of_view: Some(angle), ..Lens::default() };
        let said = verdict(|scene| by_words(scene, lens));
        assert!(said.contains(&format!("it is right with --fov {angle}")), "{said}");
    }
}

#[test]
fn a_projection_for_another_shape_is_told() {
    let said = verdict(|scene| {
        let mut camera = by_words(scene, Lens::default());
        // The first diagonal entry is cot(half the angle) / aspect; here without the division.
        camera.projection.x_axis.x *= 128.0 / 96.0;
        camera
    });
    assert!(said.contains("this one is for 1:1"), "{said}");
    let said = verdict(|scene| {
        let mut camera = by_words(scene, Lens::default());
        // cot(half the angle) across, and that times the aspect upwards: both greater by 4/3.
        camera.projection.x_axis.x *= 128.0 / 96.0;
        camera.projection.y_axis.y *= 128.0 / 96.0;
        camera
    });
    assert!(said.contains("this one is from side to side"), "{said}");
}
