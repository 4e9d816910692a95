//! Scenes and poses that somebody has made or changed by hand: drawn, or refused with a place, and never a panic.

use std::sync::LazyLock;

use glam::Mat4;
use proptest::prelude::*;
use refrast::{
    animation::Pose,
    raster::SampleCount,
    render::{RenderError, RenderSettings, Renderer},
    scene::{Animation, Channel, Mesh, Node, Primitive, Scene},
    verify::{
        showcase::{Showcase, showcases},
        simulator::Simulator,
    },
};

/// What can be done to a scene: a number somewhere is replaced, or a list is cut or stretched. Which of those that there are,
/// and what it becomes.
const PROPERTIES: [fn(&mut Scene, usize, usize); 36] = [
    |scene, place, value| node(scene, place, |node| node.parent = Some(value)),
    |scene, place, value| node(scene, place, |node| node.children.push(value)),
    |scene, place, value| node(scene, place, |node| node.mesh = Some(value)),
    |scene, place, value| node(scene, place, |node| node.skin = Some(value)),
    |scene, place, value| node(scene, place, |node| node.light = Some(value)),
    |scene, place, value| node(scene, place, |node| node.camera = Some(value)),
    |scene, place, value| node(scene, place, |node| node.weights = Some(vec![0.5; value])),
    |scene, place, value| {
        let broken = [f32::NAN, f32::INFINITY, f32::MAX, 1e-40][value % 4];
        node(scene, place, |node| {
            node.transform = refrast::scene::Transform::Matrix(Mat4::from_cols_array(&[broken; 16]))
        });
    },
    |scene, place, value| replace(&mut scene.parents_first, place, value),
    |scene, _, value| scene.parents_first.truncate(value),
    |scene, place, value| replace(&mut scene.drawn, place, value),
    |scene, _, value| scene.drawn.push(value),
    |scene, place, value| mesh(scene, place, |mesh| mesh.weights.resize(value, 1.0)),
    |scene, place, value| primitive(scene, place, |primitive| replace(&mut primitive.indices, value, value as u32)),
    |scene, place, value| primitive(scene, place, |primitive| primitive.indices.truncate(value)),
    |scene, place, value| primitive(scene, place, |primitive| primitive.positions.truncate(value)),
    |scene, place, value| primitive(scene, place, |primitive| primitive.positions.resize(value, [0.5; 3])),
    |scene, place, value| {
        primitive(scene, place, |primitive| replace(&mut primitive.positions, value, [f32::NAN, f32::INFINITY, 1e38]));
    },
    |scene, place, value| primitive(scene, place, |primitive| primitive.source_vertices.truncate(value)),
    |scene, place, value| primitive(scene, place, |primitive| primitive.normals = Some(vec![[f32::NAN; 3]; value])),
    |scene, place, value| primitive(scene, place, |primitive| primitive.tangents = Some(vec![[1.0; 4]; value])),
    |scene, place, value| primitive(scene, place, |primitive| primitive.colors = Some(vec![[f32::NAN; 4]; value])),
    |scene, place, value| primitive(scene, place, |primitive| primitive.texcoords.truncate(value)),
    |scene, place, value| primitive(scene, place, |primitive| cut(primitive.texcoords.first_mut(), value)),
    |scene, place, value| primitive(scene, place, |primitive| primitive.material = value),
    |scene, place, value| primitive(scene, place, |primitive| primitive.flat = value.is_multiple_of(2)),
    |scene, place, value| primitive(scene, place, |primitive| primitive.targets.truncate(value)),
    |scene, place, value| {
        primitive(scene, place, |primitive| {
            cut(primitive.targets.first_mut().and_then(|target| target.positions.as_mut()), value);
        });
    },
    |scene, place, value| {
        let change = |influences: &mut refrast::scene::Influences| match value % 4 {
            0 => influences.per_vertex = value,
            1 => influences.joints.truncate(value),
            2 => replace(&mut influences.joints, value, value as u16),
            _ => replace(&mut influences.weights, value, [f32::NAN, -1.0, 0.0, 1e30][value % 4]),
        };
        primitive(scene, place, |primitive| primitive.influences.as_mut().into_iter().for_each(change));
    },
    |scene, place, value| element(&mut scene.skins, place, |skin| replace(&mut skin.joints, value, value)),
    |scene, place, value| element(&mut scene.skins, place, |skin| skin.inverse_bind_matrices.truncate(value)),
    |scene, place, value| {
        let change = |channel: &mut Channel| match value % 4 {
            0 => channel.node = value,
            1 => channel.components = value,
            2 => channel.times.truncate(value / 4),
            _ => channel.values.truncate(value),
        };
        element(&mut scene.animations, place, |animation| animation.channels.iter_mut().for_each(change));
    },
    |scene, place, value| {
        let late = |animation: &mut Animation| {
            animation.channels.iter_mut().for_each(|channel| replace(&mut channel.times, value, f32::NAN));
        };
        element(&mut scene.animations, place, late);
    },
    |scene, place, value| {
        let change = |reference: &mut refrast::scene::TextureReference| match value % 2 {
            0 => reference.texture = value,
            _ => reference.texcoord = value,
        };
        element(&mut scene.materials, place, |material| material.base_color_texture.iter_mut().for_each(change));
    },
    |scene, place, value| element(&mut scene.textures, place, |texture| texture.image = value),
    |scene, place, value| element(&mut scene.images, place, |image| image.rgba.truncate(value)),
];

/// Changes one of a list, if there is any.
fn element<T>(list: &mut [T], place: usize, change: impl FnOnce(&mut T)) {
    let count = list.len().max(1);
    if let Some(element) = list.get_mut(place % count) {
        change(element);
    }
}

fn replace<T>(list: &mut [T], place: usize, value: T) {
    element(list, place, |element| *element = value);
}

fn cut<T>(list: Option<&mut Vec<T>>, length: usize) {
    list.into_iter().for_each(|list| list.truncate(length));
}

fn node(scene: &mut Scene, place: usize, change: impl FnOnce(&mut Node)) {
    element(&mut scene.nodes, place, change);
}

fn mesh(scene: &mut Scene, place: usize, change: impl FnOnce(&mut Mesh)) {
    element(&mut scene.meshes, place, change);
}

fn primitive(scene: &mut Scene, place: usize, change: impl FnOnce(&mut Primitive)) {
    mesh(scene, place, |mesh| element(&mut mesh.primitives, place, change));
}

static SHOWCASES: LazyLock<Vec<Showcase>> = LazyLock::new(showcases);

fn small(settings: RenderSettings) -> RenderSettings {
    RenderSettings { width: 24, height: 20, samples: SampleCount::One, ..settings }
}

/// Draws a scene in every way in which one can be given.
fn draw(showcase: &Showcase, scene: &Scene) -> Result<(), RenderError> {
    let settings = small(showcase.settings);
    let mut renderer = Renderer::new(scene, settings)?;
    assert_eq!(scene.validate(), Ok(()));
    Simulator::new(scene)?;
    let poses = (0..scene.animations.len()).map(|animation| Pose::sample(scene, animation, 0.4));
    for pose in poses.chain([Ok(Pose::rest(scene))]) {
        let pose = pose?;
        renderer.bounds(&pose)?;
        renderer.render(&pose, &showcase.camera)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_damaged_scene_is_drawn_or_refused(
        number in 0..SHOWCASES.len(),
        damages in prop::collection::vec((0..PROPERTIES.len(), 0usize..50, 0usize..60), 1..4),
    ) {
        let showcase = &SHOWCASES[number];
        let mut scene = showcase.scene.clone();
        for (property, place, value) in damages {
            PROPERTIES[property](&mut scene, place, value);
        }
        if let Err(error) = draw(showcase, &scene) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_damaged_pose_is_drawn_or_refused(
        number in 0..SHOWCASES.len(), kind in 0..5usize, place in 0usize..50, value in 0usize..20,
    ) {
        let Showcase { scene, camera, settings, .. } = &SHOWCASES[number];
        let mut pose = Pose::rest(scene);
        match kind {
            0 => pose.worlds.truncate(value),
            1 => pose.weights.truncate(value),
            2 => pose.weights.push(vec![0.0; value]),
            3 => element(&mut pose.weights, place, |weights| weights.resize(value, f32::NAN)),
            _ => replace(&mut pose.worlds, place, Mat4::from_cols_array(&[f32::NAN; 16])),
        }
        let fits = pose.worlds.len() == scene.nodes.len() && pose.weights.len() == scene.nodes.len();
        let mut renderer = Renderer::new(scene, small(*settings)).expect("a showcase");
        let bounds = renderer.bounds(&pose).map(|_| ());
        let drawn = renderer.render(&pose, camera).map(|_| ());
        prop_assert_eq!(bounds.is_ok(), drawn.is_ok());
        if !fits {
            prop_assert!(matches!(drawn, Err(RenderError::Pose { .. })), "{drawn:?}");
        }
    }
}

/// Every rule of [`Scene::validate`] by the words of its error.
/// What is done to a scene that was right.
type Damage = fn(&mut Scene);

#[test]
fn a_contradiction_is_named_by_its_place() {
    let told = |change: fn(&mut Scene)| {
        let mut scene = Scene::mannequin().expect("the built-in character loads");
        change(&mut scene);
        Renderer::new(&scene, RenderSettings::default()).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(told(|_| ()), "");
    let cases: [(Damage, &str); 10] = [
        (|scene| scene.nodes[1].mesh = Some(70), "nodes[1].mesh names mesh 70"),
        (|scene| scene.parents_first.reverse(), "comes before its parent"),
        (|scene| scene.drawn.push(9000), "drawn names node 9000"),
        (
            |scene| scene.meshes[0].primitives[0].indices[5] = 1_000_000,
            "meshes[0].primitives[0].indices names vertex 1000000",
        ),
        (|scene| scene.meshes[0].primitives[0].indices.truncate(4), "no multiple of 3"),
        (|scene| scene.meshes[0].primitives[0].positions.truncate(4), "meshes[0].primitives[0]"),
        (|scene| scene.meshes[0].primitives[0].material = 90, "material names material 90"),
        (|scene| scene.skins[0].inverse_bind_matrices.truncate(4), "skins[0].inverse_bind_matrices has"),
        (|scene| scene.animations[0].channels[0].times.clear(), "animations[0].channels[0].times has no keys"),
        (|scene| scene.skins[0].joints.truncate(1), "joint"),
    ];
    for (change, expected) in cases {
        let error = told(change);
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    }
}
