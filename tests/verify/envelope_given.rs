//! Envelopes for backends that read the scene's file: matrices of their own, and rotations that are not of unit length.

use glam::{DMat3, DMat4, DVec3, Quat};
use refrast::{
    animation::Pose,
    golden::Picture,
    render::{Camera, Orbit, RenderSettings, Renderer},
    scene::{Scene, Transform},
    verify::{
        Profile,
        envelope::{EnvelopeSettings, FrameEnvelope, frame_envelope},
        vertex::Chain,
    },
};

use crate::envelope_support::check;

/// The character, its rotations written with two digits: their lengths are up to a hundredth off.
fn two_digits() -> Scene {
    let mut scene = Scene::mannequin().expect("it is built in");
    for node in &mut scene.nodes {
        if let Transform::Decomposed { rotation, .. } = &mut node.transform {
            *rotation = Quat::from_array(rotation.to_array().map(|x| (x * 100.0).round() / 100.0));
        }
    }
    scene
}

/// World matrices in f64, each rounded once, of rotations whose lengths are drawn to 1 by `by` of the way.
fn pose(scene: &Scene, by: f64) -> Pose {
    let local = |transform: &Transform| match transform {
        Transform::Matrix(matrix) => matrix.as_dmat4(),
        Transform::Decomposed { translation, rotation, scale } => {
            let q = rotation.as_dquat();
            let [x, y, z, w] = (q * (1.0 + by * (1.0 / q.length() - 1.0))).to_array();
            // 1 − 2(y² + z²) …, column by column.
            let turn = DMat3::from_cols(
                DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
                DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
                DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
            );
            DMat4::from_translation(translation.as_dvec3())
                * DMat4::from_mat3(turn)
                * DMat4::from_scale(scale.as_dvec3())
        }
    };
    let mut worlds = vec![DMat4::IDENTITY; scene.nodes.len()];
    for &node in &scene.parents_first {
        let own = local(&scene.nodes[node].transform);
        worlds[node] = scene.nodes[node].parent.map_or(own, |parent| worlds[parent] * own);
    }
    let mut pose = Pose::rest(scene);
    pose.worlds = worlds.iter().map(DMat4::as_mat4).collect();
    pose
}

#[test]
fn a_backend_that_reads_the_file_has_its_own_matrices_and_one_of_two_lengths() {
    let scene = two_digits();
    let settings = RenderSettings { width: 200, height: 260, ..RenderSettings::default() };
    let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
    let rest = Pose::rest(&scene);
    let bounds = renderer.bounds(&rest).expect("it has vertices");
    let camera = Camera::orbit(&bounds, Orbit::default(), 200.0 / 260.0, settings.convention);
    let mut picture = |pose: &Pose| {
        let frame = renderer.render(pose, &camera).expect("the pose fits the scene");
        Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture")
    };
    let [stored, unit, between] = [0.0, 1.0, 0.5].map(|by| picture(&pose(&scene, by)));
    for profile in [Profile::D3d11, Profile::Vulkan14] {
        let made = |file: Option<Chain>| -> FrameEnvelope {
            let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
            let settings = EnvelopeSettings { file, ..EnvelopeSettings::of(profile) };
            frame_envelope(&mut renderer, &rest, &camera, settings).expect("an envelope")
        };
        let (file, palette) = (made(Some(Chain::REST)).envelope, made(None).envelope);
        for (name, picture) in [("as stored", &stored), ("at unit length", &unit)] {
            let verdict = check(&file, picture);
            assert_eq!(verdict.wrong(), 0, "{profile}, {name}: {:?}", verdict.worst.first());
        }
        assert_eq!(check(&palette, &stored).wrong(), 0, "{profile}");
        assert!(check(&palette, &unit).wrong() > 50, "{profile}: {}", check(&palette, &unit).wrong());
        // What lies between the two is nobody's.
        assert!(check(&file, &between).wrong() > 10, "{profile}: {}", check(&file, &between).wrong());
    }
}

#[test]
fn of_unit_rotations_the_file_has_one_envelope_a_little_wider() {
    let scene = Scene::mannequin().expect("it is built in");
    let settings = RenderSettings { width: 120, height: 160, ..RenderSettings::default() };
    let time = 0.3;
    let pose = Pose::sample(&scene, 0, time).expect("it has a clip");
    let mut renderer = Renderer::new(&scene, settings).expect("valid settings");
    let bounds = renderer.bounds(&pose).expect("it has vertices");
    let camera = Camera::orbit(&bounds, Orbit::default(), 0.75, settings.convention);
    let mut made = |file: Option<Chain>| {
        let settings = EnvelopeSettings { file, ..EnvelopeSettings::of(Profile::D3d11) };
        frame_envelope(&mut renderer, &pose, &camera, settings).expect("an envelope")
    };
    let (palette, file) = (made(None), made(Some(Chain::clip(0, time))));
    assert_eq!(check(&file.envelope, &palette.golden).wrong(), 0);
    let [tight, wide] = [&palette, &file].map(|made| made.envelope.statistics().mean_width());
    assert!(wide >= tight && wide < 2.0 * tight, "{tight} {wide}");
}
