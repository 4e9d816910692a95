//! A scene in which nothing is to be found, for tests to spoil.

use glam::Mat4;
use refrast_scene::{
    Animation, Channel, ChannelTarget, Influences, Interpolation, Material, Mesh, Node, Primitive, Scene, Skin,
};

use super::{finding::Findings, rule::Rule};

/// Node 0 draws a triangle under a skin of the joints 1 'a' and 2 'b', which hang under node 3.
pub(super) fn skinned() -> Scene {
    let joint = |name: &str| Node { name: Some(name.to_owned()), parent: Some(3), ..Node::default() };
    let primitive = Primitive {
        indices: vec![0, 1, 2],
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        influences: Some(Influences {
            per_vertex: 4,
            joints: [0, 1, 0, 0].repeat(3),
            weights: [0.75, 0.25, 0.0, 0.0].repeat(3),
        }),
        ..Primitive::default()
    };
    Scene {
        nodes: vec![
            Node { mesh: Some(0), skin: Some(0), ..Node::default() },
            joint("a"),
            joint("b"),
            Node { children: vec![1, 2], ..Node::default() },
        ],
        parents_first: vec![0, 3, 1, 2],
        drawn: vec![0, 3, 1, 2],
        meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
        skins: vec![Skin { joints: vec![1, 2], inverse_bind_matrices: vec![Mat4::IDENTITY; 2], ..Skin::default() }],
        materials: vec![Material::default()],
        ..Scene::default()
    }
}

/// A clip with one linear channel.
pub(super) fn channel(node: usize, target: ChannelTarget, times: &[f32], values: &[f32]) -> Animation {
    let components = if target == ChannelTarget::Rotation { 4 } else { 3 };
    let (times, values) = (times.to_vec(), values.to_vec());
    let channel = Channel { node, target, interpolation: Interpolation::Linear, times, values, components };
    Animation { channels: vec![channel], ..Animation::default() }
}

/// What `look` finds, with its places.
pub(super) fn rules(scene: &Scene, look: fn(&Scene, &mut Findings)) -> Vec<(Rule, String, String)> {
    let mut findings = Findings::default();
    look(scene, &mut findings);
    let places = findings
        .sorted()
        .into_iter()
        .flat_map(|finding| finding.places.into_iter().map(move |place| (finding.rule, place.path, place.detail)));
    places.collect()
}
