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

/// The verdict on a picture of the rest pose that another backend draws through `camera`, where the words name the camera of
/// nobody's choice.
fn verdict(camera: impl Fn(&Scene) -> Camera) -> String {
    verdict_where(settings(), |_| Moment::Rest, camera)
}

/// As [`verdict`], in a picture of other settings, and where the words name another moment.
fn verdict_where(
    settings: RenderSettings,
    asked: impl Fn(&Scene) -> Moment,
    camera: impl Fn(&Scene) -> Camera,
) -> String {
    let scene = Scene::mannequin().expect("the built-in character");
    let drawn = camera(&scene);
    let simulator = Simulator::new(&scene).expect("complete textures");
    let shot = Shot { moment: Moment::Rest, camera: &drawn, settings: &settings };
    let frame = simulator.draw(&shot, &OTHER, &[]).expect("it can be drawn");
    let candidate = Picture::from_rgba8(frame.width, frame.height, frame.rgba).expect("a frame is a picture");
    let question = Question {
        scene: &scene,
        camera: &CameraSettings::default(),
        rules: Profile::D3d11.into(),
        source: Source::FILE,
        candidate: &candidate,
        images: None,
    };
    let asked = Setup { moment: asked(&scene), settings };
    let diagnosis = diagnose_setup(&question, &asked, &|_| {}).expect("it fits the scene");
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

/// Neither of the two is an option with a name, and one does not stand for the other.
#[test]
fn another_pose_and_another_camera_are_both_told() {
    // Nearly a square: through the wrong lens the right pose has to be nearer than the wrong one.
    let settings = RenderSettings { height: 125, ..settings() };
    let said = verdict_where(
        settings,
        |scene| Moment::Clip { animation: scene.find_animation("Walk").expect("a clip"), seconds: 0.5 },
        |scene| {
            let pose = Moment::Rest.pose(scene).expect("at rest");
            let mut camera = CameraSettings::default().camera(scene, None, &pose, &settings).expect("a camera");
            camera.projection.x_axis.x *= 128.0 / 125.0;
            camera
        },
    );
    assert!(said.contains("the rest pose") && said.contains("this one is for 1:1"), "{said}");
}
