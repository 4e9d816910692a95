//! What joints, influences and the names of nodes show.

use std::collections::HashMap;

use glam::{Mat3, Mat4};
use refrast_scene::{ChannelTarget, Influences, Scene, Skin, Transform};

use super::{
    finding::{Findings, count},
    rule::Rule,
};

/// How far from even or upright something is before it is told: more than exporters' rounding.
const ROUNDING: f32 = 1e-3;

pub(super) fn look(scene: &Scene, findings: &mut Findings) {
    let worlds = worlds(scene);
    for (mesh, primitive, influences) in influenced(scene) {
        look_at_influences(influences, &format!("meshes[{mesh}].primitives[{primitive}]"), findings);
    }
    look_at_nodes(scene, &worlds, findings);
    let used = used_skins(scene);
    for &index in &used {
        look_at_joints(scene, index, &worlds, findings);
    }
    look_at_scales(scene, &used, findings);
    look_at_names(scene, &used, findings);
}

/// The local matrix of a transform.
fn local(transform: &Transform) -> Mat4 {
    match *transform {
        Transform::Matrix(matrix) => matrix,
        Transform::Decomposed { translation, rotation, scale } => {
            Mat4::from_scale_rotation_translation(scale, rotation, translation)
        }
    }
}

/// The world matrices at rest.
fn worlds(scene: &Scene) -> Vec<Mat4> {
    let mut worlds = vec![Mat4::IDENTITY; scene.nodes.len()];
    for &node in &scene.parents_first {
        let parent = scene.nodes[node].parent.map_or(Mat4::IDENTITY, |parent| worlds[parent]);
        worlds[node] = parent * local(&scene.nodes[node].transform);
    }
    worlds
}

fn influenced(scene: &Scene) -> impl Iterator<Item = (usize, usize, &Influences)> {
    scene.meshes.iter().enumerate().flat_map(|(mesh, own)| {
        let primitives = own.primitives.iter().enumerate();
        primitives.filter_map(move |(number, primitive)| Some((mesh, number, primitive.influences.as_ref()?)))
    })
}

/// The skins that something drawn wears.
fn used_skins(scene: &Scene) -> Vec<usize> {
    let mut used = vec![false; scene.skins.len()];
    let worn = scene.drawn.iter().filter_map(|node| scene.nodes[*node].mesh.and(scene.nodes[*node].skin));
    worn.for_each(|skin| used[skin] = true);
    (0..used.len()).filter(|skin| used[*skin]).collect()
}

fn look_at_influences(influences: &Influences, path: &str, findings: &mut Findings) {
    let per_vertex = influences.per_vertex.max(1);
    let (mut unsorted, mut twice, mut over_four, mut most) = (0, 0, 0, 0);
    for (joints, weights) in influences.joints.chunks(per_vertex).zip(influences.weights.chunks(per_vertex)) {
        unsorted += usize::from(!weights.is_sorted_by(|before, after| before >= after));
        let used = || (0..joints.len()).filter(|slot| weights[*slot] != 0.0);
        let repeats = |slot: usize| used().any(|other| other < slot && joints[other] == joints[slot]);
        twice += usize::from(used().any(repeats));
        let number = used().count();
        over_four += usize::from(number > 4);
        most = most.max(number);
    }
    let of_vertices = |number, verb: &str| format!("{} {verb}", count(number, "vertex", "vertices"));
    if unsorted > 0 {
        let detail = of_vertices(unsorted, "with a heavier influence behind a lighter one");
        findings.add(Rule::InfluencesUnsorted, path, detail);
    }
    if twice > 0 {
        findings.add(Rule::InfluenceTwice, path, of_vertices(twice, "with one joint in two influences"));
    }
    if over_four > 0 {
        let detail = format!("{}, {most} at most", of_vertices(over_four, "with more than four influences"));
        findings.add(Rule::InfluencesOverFour, path, detail);
    }
}

fn look_at_nodes(scene: &Scene, worlds: &[Mat4], findings: &mut Findings) {
    for &index in &scene.drawn {
        let node = &scene.nodes[index];
        if let Transform::Matrix(matrix) = node.transform
            && is_sheared(Mat3::from_mat4(matrix))
        {
            findings.add(
                Rule::MatrixSheared,
                &format!("nodes[{index}].matrix"),
                "its axes are not at right angles".into(),
            );
        }
        if node.skin.is_some() && node.mesh.is_some() {
            let moved = moved_above(scene, index);
            let placed = !worlds[index].abs_diff_eq(Mat4::IDENTITY, ROUNDING);
            let detail = match (placed, moved) {
                (_, Some(by)) => format!("node {by} moves it"),
                (true, None) => "it and its parents place it".to_owned(),
                (false, None) => continue,
            };
            findings.add(Rule::SkinnedNodePlaced, &format!("nodes[{index}]"), detail);
        }
    }
}

/// The node itself, or the nearest one above it, that an animation moves.
fn moved_above(scene: &Scene, node: usize) -> Option<usize> {
    let is_moved = |node: usize| {
        let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
        channels.into_iter().any(|channel| channel.node == node && channel.target != ChannelTarget::Weights)
    };
    std::iter::successors(Some(node), |node| scene.nodes[*node].parent).find(|node| is_moved(*node))
}

/// Whether the columns of a matrix are not at right angles.
fn is_sheared(matrix: Mat3) -> bool {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.normalize_or_zero());
    [x.dot(y), y.dot(z), z.dot(x)].iter().any(|cosine| cosine.abs() > ROUNDING)
}

/// Whether a matrix scales one direction more than another.
fn is_uneven(matrix: Mat3) -> bool {
    let lengths = [matrix.x_axis.length(), matrix.y_axis.length(), matrix.z_axis.length()];
    let (least, most) =
        (lengths.iter().fold(f32::MAX, |a, b| a.min(*b)), lengths.iter().fold(0.0, |a: f32, b| a.max(*b)));
    most - least > ROUNDING * most || is_sheared(matrix)
}

/// What the palette at rest shows.
fn look_at_joints(scene: &Scene, index: usize, worlds: &[Mat4], findings: &mut Findings) {
    let Skin { joints, inverse_bind_matrices, .. } = &scene.skins[index];
    let palette =
        joints.iter().zip(inverse_bind_matrices).map(|(joint, inverse)| Mat3::from_mat4(worlds[*joint] * *inverse));
    let (mut uneven, mut mirrored) = (Vec::new(), Vec::new());
    for (number, matrix) in palette.enumerate() {
        if is_uneven(matrix) {
            uneven.push(joints[number]);
        }
        if matrix.determinant() < 0.0 {
            mirrored.push(joints[number]);
        }
    }
    let path = format!("skins[{index}].joints");
    let named = |list: &[usize], verb: &str| {
        format!("{} {verb} the mesh at rest, {} first", count(list.len(), "joint", "joints"), label(scene, list[0]))
    };
    if !uneven.is_empty() {
        findings.add(Rule::JointScaleUneven, &path, named(&uneven, "unevenly scale"));
    }
    if !mirrored.is_empty() {
        findings.add(Rule::JointMirrored, &path, named(&mirrored, "mirror"));
    }
}

/// What clips do to the scales of joints and of what is above them.
fn look_at_scales(scene: &Scene, used: &[usize], findings: &mut Findings) {
    let mut is_joint_or_above = vec![false; scene.nodes.len()];
    for joint in used.iter().flat_map(|skin| &scene.skins[*skin].joints) {
        for node in std::iter::successors(Some(*joint), |node| scene.nodes[*node].parent) {
            if std::mem::replace(&mut is_joint_or_above[node], true) {
                break;
            }
        }
    }
    for (number, animation) in scene.animations.iter().enumerate() {
        for channel in animation.channels.iter().filter(|channel| channel.target == ChannelTarget::Scale) {
            if !is_joint_or_above[channel.node] {
                continue;
            }
            let mut keys = super::motion::keys(channel).map(|key| [key[0], key[1], key[2]]);
            let path = format!("animations[{number}]");
            let said = |[x, y, z]: [f32; 3]| format!("{} is scaled by {x}, {y}, {z}", label(scene, channel.node));
            if let Some(key) = keys.clone().find(|key| is_uneven(Mat3::from_diagonal(key.map(f32::abs).into()))) {
                findings.add(Rule::JointScaleUneven, &path, said(key));
            }
            if let Some(key) = keys.find(|[x, y, z]| x * y * z < 0.0) {
                findings.add(Rule::JointMirrored, &path, said(key));
            }
        }
    }
}

fn look_at_names(scene: &Scene, used: &[usize], findings: &mut Findings) {
    let mut is_joint = vec![false; scene.nodes.len()];
    used.iter().flat_map(|skin| &scene.skins[*skin].joints).for_each(|joint| is_joint[*joint] = true);
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        if let Some(name) = node.name.as_deref().filter(|name| !name.is_empty()) {
            named.entry(name).or_default().push(index);
        }
    }
    let mut told: Vec<(usize, String)> = Vec::new();
    for (name, nodes) in named.iter().filter(|(_, nodes)| nodes.len() > 1) {
        if let Some(&joint) = nodes.iter().find(|node| is_joint[**node]) {
            let others: Vec<String> =
                nodes.iter().filter(|node| **node != joint).map(|node| kind(scene, *node, &is_joint)).collect();
            told.push((joint, format!("joint '{name}' shares its name with {}", others.join(", "))));
        }
    }
    told.sort();
    for (joint, detail) in told {
        findings.add(Rule::JointNameTwice, &format!("nodes[{joint}].name"), detail);
    }
    let moves = |node: usize| {
        is_joint[node] || scene.animations.iter().any(|own| own.channels.iter().any(|channel| channel.node == node))
    };
    for &node in named.get("root").into_iter().flatten().filter(|node| moves(**node)) {
        findings.add(Rule::NodeCalledRoot, &format!("nodes[{node}].name"), kind(scene, node, &is_joint));
    }
}

/// A node in words.
fn label(scene: &Scene, node: usize) -> String {
    scene.nodes[node].name.as_ref().map_or_else(|| format!("node {node}"), |name| format!("node {node} '{name}'"))
}

/// A node and what it is.
fn kind(scene: &Scene, node: usize, is_joint: &[bool]) -> String {
    let own = &scene.nodes[node];
    match (is_joint[node], own.mesh.is_some()) {
        (true, _) => format!("joint node {node}"),
        (false, true) => format!("mesh node {node}"),
        (false, false) => format!("node {node}"),
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use refrast_scene::Node;

    use super::{
        super::testing::{channel, rules, skinned},
        *,
    };

    /// Everything that is found of a scene.
    fn found(scene: &Scene) -> Vec<(Rule, String, String)> {
        rules(scene, look)
    }

    #[test]
    fn a_plain_skin_shows_nothing() {
        assert_eq!(found(&skinned()), []);
    }

    #[test]
    fn influences_are_counted() {
        let path = "meshes[0].primitives[0]".to_owned();
        for (joints, weights, rule, detail) in [
            (
                [0, 1, 0, 0, 0, 0, 0, 0],
                [0.2, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                Rule::InfluencesUnsorted,
                "1 vertex with a",
            ),
            (
                [1, 1, 0, 0, 0, 0, 0, 0],
                [0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                Rule::InfluenceTwice,
                "1 vertex with one",
            ),
            ([0, 1, 2, 3, 4, 0, 0, 0], [0.2; 8].map(|own| own), Rule::InfluencesOverFour, "1 vertex with more"),
        ] {
            let mut scene = skinned();
            let mut weights = weights;
            if rule == Rule::InfluencesOverFour {
                weights[5..].fill(0.0);
            }
            scene.meshes[0].primitives[0].influences =
                Some(Influences { per_vertex: 8, joints: joints.to_vec(), weights: weights.to_vec() });
            let found = found(&scene);
            assert_eq!((found.len(), found[0].0, &found[0].1), (1, rule, &path), "{found:?}");
            assert!(found[0].2.starts_with(detail), "{found:?}");
        }
    }

    #[test]
    fn placed_and_moved_meshes_under_skins_are_told() {
        let mut scene = skinned();
        let matrix = Mat4::from_translation(glam::vec3(1.0, 0.0, 0.0));
        scene.nodes[0].transform = Transform::Matrix(matrix);
        assert_eq!(found(&scene), [(Rule::SkinnedNodePlaced, "nodes[0]".into(), "it and its parents place it".into())]);
        scene.nodes[0].transform = Transform::default();
        scene.animations = vec![channel(0, ChannelTarget::Translation, &[0.0], &[1.0, 0.0, 0.0])];
        assert_eq!(found(&scene), [(Rule::SkinnedNodePlaced, "nodes[0]".into(), "node 0 moves it".into())]);
        // A node without a skin may be anywhere.
        scene.nodes[0].skin = None;
        assert_eq!(found(&scene), []);
    }

    #[test]
    fn joints_that_scale_unevenly_or_mirror_are_told_at_rest_and_in_clips() {
        let mut scene = skinned();
        scene.skins[0].inverse_bind_matrices[1] = Mat4::from_scale(glam::vec3(1.0, 2.0, 1.0));
        let detail = "1 joint unevenly scale the mesh at rest, node 2 'b' first";
        assert_eq!(found(&scene), [(Rule::JointScaleUneven, "skins[0].joints".into(), detail.into())]);
        // What the inverse bind matrix undoes is even.
        let scale = glam::vec3(1.0, 0.5, 1.0);
        scene.nodes[2].transform =
            Transform::Decomposed { translation: glam::Vec3::ZERO, rotation: Quat::IDENTITY, scale };
        assert_eq!(found(&scene), []);
        scene.animations = vec![channel(1, ChannelTarget::Scale, &[0.0, 1.0], &[1.0, 1.0, 1.0, -2.0, 2.0, 2.0])];
        let detail = "node 1 'a' is scaled by -2, 2, 2";
        assert_eq!(found(&scene), [(Rule::JointMirrored, "animations[0]".into(), detail.into())]);
        scene.animations.clear();
        scene.skins[0].inverse_bind_matrices[0] = Mat4::from_scale(glam::Vec3::NEG_ONE);
        assert_eq!(found(&scene)[0].0, Rule::JointMirrored);
    }

    #[test]
    fn a_matrix_that_no_scale_and_rotation_make_is_sheared() {
        let mut scene = skinned();
        scene.nodes.push(Node::default());
        scene.parents_first.push(4);
        scene.drawn.push(4);
        let mut matrix = Mat4::IDENTITY;
        matrix.y_axis.x = 0.5;
        scene.nodes[4].transform = Transform::Matrix(matrix);
        let expected =
            (Rule::MatrixSheared, "nodes[4].matrix".to_owned(), "its axes are not at right angles".to_owned());
        assert_eq!(found(&scene), [expected]);
        scene.nodes[4].transform =
            Transform::Matrix(Mat4::from_rotation_x(0.3) * Mat4::from_scale(glam::vec3(1.0, 2.0, 3.0)));
        assert_eq!(found(&scene), []);
    }

    #[test]
    fn names_that_engines_stumble_over_are_told() {
        let mut scene = skinned();
        scene.nodes.push(Node { name: Some("a".into()), mesh: Some(0), ..Node::default() });
        scene.nodes[3].name = Some("root".into());
        scene.parents_first.push(4);
        // The mesh that is no joint is, by itself, no concern; nor is a "root" that nothing moves.
        let name = |node: usize| format!("nodes[{node}].name");
        let detail = "joint 'a' shares its name with mesh node 4";
        assert_eq!(found(&scene), [(Rule::JointNameTwice, name(1), detail.into())]);
        scene.nodes[4].name = None;
        scene.animations = vec![channel(3, ChannelTarget::Translation, &[0.0], &[0.0; 3])];
        assert_eq!(found(&scene), [(Rule::NodeCalledRoot, name(3), "node 3".into())]);
    }
}
