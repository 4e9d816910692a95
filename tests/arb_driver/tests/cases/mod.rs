//! The scenes that are drawn.

use std::path::Path;

use refrast::{
    animation::Pose,
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::Scene,
    verify::showcase::showcases,
};

/// A scene at a moment.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) scene: Scene,
    pub(crate) pose: Pose,
    pub(crate) camera: Camera,
    pub(crate) settings: RenderSettings,
    /// Whether every program of the library draws it, and not only some.
    pub(crate) every_program: bool,
}

/// Showcases with what a vertex program has to do with: a palette with scaled joints, textures with every filter and wrap,
/// masks and blending, and more than 2^16 vertices.
const SHOWCASES: [&str; 5] = ["limb", "textures", "fine-texture", "alpha", "many-vertices"];

/// The built-in character, showcases, and characters of REFRAST_MODELS where it is set.
pub(crate) fn all() -> Vec<Case> {
    let mannequin = || Scene::mannequin().expect("it is built in");
    let side = Orbit { yaw: 90.0, pitch: 5.0, distance: None };
    let above = Orbit { yaw: 45.0, pitch: 60.0, distance: None };
    let close = Orbit { yaw: 15.0, pitch: 0.0, distance: Some(0.45) };
    let mut cases = vec![
        case("walk", mannequin(), "Walk", 0.3, Orbit::default()),
        case("walk-side", mannequin(), "Walk", 0.55, side),
        case("walk-near-plane", mannequin(), "Walk", 0.3, close),
        case("flex-above", mannequin(), "Flex", 1.5, above),
    ];
    cases[0].every_program = true;
    let plates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/plates.gltf");
    let plates = Scene::load(plates).expect("a scene of the repository");
    cases.push(Case {
        every_program: true,
        ..case("plates", plates, "Bend", 0.9, Orbit { yaw: 20.0, pitch: 15.0, distance: None })
    });
    for showcase in showcases().into_iter().filter(|showcase| SHOWCASES.contains(&showcase.name)) {
        let pose = showcase.moment.pose(&showcase.scene).expect("a showcase has its moment");
        let (scene, camera, settings) = (showcase.scene, showcase.camera, showcase.settings);
        cases.push(Case { name: showcase.name.to_owned(), scene, pose, camera, settings, every_program: false });
    }
    if let Some(models) = std::env::var_os("REFRAST_MODELS") {
        for (name, file) in [
            ("CesiumMan", "CesiumMan/CesiumMan.glb"),
            ("Fox", "Fox/Fox.glb"),
            ("SimpleSkin", "SimpleSkin/SimpleSkin.gltf"),
            ("MorphStressTest", "MorphStressTest/MorphStressTest.gltf"),
        ] {
            match Scene::load(Path::new(&models).join(file)) {
                Ok(scene) => cases.push(case(name, scene, "0", 0.7, Orbit { yaw: 25.0, ..Orbit::default() })),
                Err(error) => println!("SKIPPED: {name}: {error}"),
            }
        }
    }
    cases
}

fn case(name: &str, scene: Scene, animation: &str, seconds: f32, orbit: Orbit) -> Case {
    let settings = RenderSettings { width: 120, height: 150, ..RenderSettings::default() };
    let animation = scene.find_animation(animation).expect("the scene has this animation");
    let pose = Pose::sample(&scene, animation, seconds).expect("the animation fits its scene");
    let bounds = Renderer::new(&scene, settings)
        .and_then(|mut renderer| renderer.bounds(&pose))
        .expect("the scene can be rendered");
    let camera = Camera::orbit(&bounds, orbit, 120.0 / 150.0, settings.convention);
    Case { name: name.to_owned(), scene, pose, camera, settings, every_program: false }
}
