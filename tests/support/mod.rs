//! What several test files share: tiny scenes, and the deformation of one of their nodes.
#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod oracle;
pub(crate) mod rig;

use glam::{Mat4, Quat, Vec3};
use refrast::{
    animation::Pose,
    scene::{Influences, Mesh, Node, Primitive, Scene, Skin, Transform},
    simd::SimdLevel,
    skinning::{Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod},
};

/// A node with a decomposed transform.
pub(crate) fn node(translation: Vec3, rotation: Quat, scale: Vec3) -> Node {
    Node { transform: Transform::Decomposed { translation, rotation, scale }, ..Node::default() }
}

/// A node that is only moved.
pub(crate) fn moved(x: f32, y: f32, z: f32) -> Node {
    node(Vec3::new(x, y, z), Quat::IDENTITY, Vec3::ONE)
}

/// A node that is only scaled.
pub(crate) fn scaled(x: f32, y: f32, z: f32) -> Node {
    node(Vec3::ZERO, Quat::IDENTITY, Vec3::new(x, y, z))
}

/// A node that is only turned about z, by a multiple of 90° so that the matrix is exact.
pub(crate) fn quarter_turns(count: i32) -> Node {
    let matrix = (0..count.rem_euclid(4)).fold(Mat4::IDENTITY, |turned, _| {
        turned
            * Mat4::from_cols_array_2d(&[
                [0.0, 1.0, 0.0, 0.0],
                [-1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ])
    });
    Node { transform: Transform::Matrix(matrix), ..Node::default() }
}

/// One vertex: a position, a normal, and (joint, weight) pairs in sets of four.
pub(crate) fn vertex(position: [f32; 3], normal: [f32; 3], influences: &[(u16, f32)]) -> Primitive {
    let mut influences = influences.to_vec();
    influences.resize(influences.len().next_multiple_of(4), (0, 0.0));
    Primitive {
        indices: vec![0, 0, 0],
        positions: vec![position],
        normals: Some(vec![normal]),
        influences: Some(Influences {
            per_vertex: influences.len(),
            joints: influences.iter().map(|&(joint, _)| joint).collect(),
            weights: influences.iter().map(|&(_, weight)| weight).collect(),
        }),
        ..Primitive::default()
    }
}

/// A scene in which the last node draws `primitive`, skinned to all nodes before it, with identities as inverse bind
/// matrices. Nodes are listed children first where they have parents.
pub(crate) fn skinned(mut joints: Vec<Node>, drawing: Node, primitive: Primitive) -> Scene {
    let count = joints.len();
    joints.push(Node { mesh: Some(0), skin: Some(0), ..drawing });
    let weights = vec![0.0; primitive.targets.len()];
    let mut scene = Scene {
        parents_first: parents_first(&joints),
        nodes: joints,
        drawn: vec![count],
        meshes: vec![Mesh { primitives: vec![primitive], weights, ..Mesh::default() }],
        skins: vec![Skin {
            joints: (0..count).collect(),
            inverse_bind_matrices: vec![Mat4::IDENTITY; count],
            ..Skin::default()
        }],
        ..Scene::default()
    };
    for node in 0..scene.nodes.len() {
        if let Some(parent) = scene.nodes[node].parent {
            scene.nodes[parent].children.push(node);
        }
    }
    scene
}

fn parents_first(nodes: &[Node]) -> Vec<usize> {
    let depth = |mut node: usize| {
        let mut depth = 0;
        while let Some(parent) = nodes[node].parent {
            (node, depth) = (parent, depth + 1);
        }
        depth
    };
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&node| depth(node));
    order
}

/// The deformed vertices of what the last node draws, at rest.
pub(crate) fn deform(scene: &Scene) -> DeformedVertices {
    deform_with(scene, &Pose::rest(scene), NormalMode::default())
}

/// The deformed vertices of what the last node draws, in a pose.
pub(crate) fn deform_with(scene: &Scene, pose: &Pose, normals: NormalMode) -> DeformedVertices {
    let drawing = scene.nodes.len() - 1;
    let node = &scene.nodes[drawing];
    let palette = node.skin.map(|skin| Palette::of_skin(&scene.skins[skin], pose));
    let primitive = PreparedPrimitive::new(&scene.meshes[node.mesh.unwrap()].primitives[0]);
    let deformation = Deformation {
        primitive: &primitive,
        placement: match &palette {
            Some(palette) => Placement::Skin(palette),
            None => Placement::Node(pose.worlds[drawing]),
        },
        morph_weights: &pose.weights[drawing],
        method: SkinningMethod::default(),
        normals,
        level: SimdLevel::best(),
    };
    let mut output = DeformedVertices::default();
    deformation.run(&mut output).unwrap();
    output
}

/// Fails unless two vectors agree in every component to within `tolerance`.
#[track_caller]
pub(crate) fn assert_near<const N: usize>(actual: [f32; N], expected: [f64; N], tolerance: f64) {
    for (a, e) in actual.iter().zip(expected) {
        assert!((f64::from(*a) - e).abs() <= tolerance, "{actual:?} is not {expected:?}");
    }
}

/// Fails if two vectors are closer than `distance`: the mistake must show.
#[track_caller]
pub(crate) fn assert_far<const N: usize>(actual: [f32; N], mistake: [f64; N], distance: f64) {
    let squared: f64 = actual
        .iter()
        .zip(mistake)
        .map(|(a, m)| {
            let d = f64::from(*a) - m;
            d * d
        })
        .sum();
    assert!(squared.sqrt() >= distance, "{actual:?} is what the mistake gives");
}

/// The vector at unit length.
pub(crate) fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|component| component * component).sum::<f64>().sqrt();
    v.map(|component| component / length)
}
