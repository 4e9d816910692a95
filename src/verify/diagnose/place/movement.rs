//! Where the vertices of a wrong buffer went: the matrix that takes the right ones to the wrong ones.
//!
//! Why it exists: a mistake without a name has a matrix all the same. Who reads "the vertices of joint 17 are moved by the matrix of
//! joint 16" needs no name for it.
//!
//! The vertices that one joint alone moves, or one node, are taken together. The affine map is fitted by least squares; where
//! it fits all of them, it is held against what is known: the matrices of the other joints, the node's own transform, mirrors,
//! scales, a change of place.

use std::collections::BTreeMap;

use glam::{DMat3, DMat4, DVec3, DVec4, Mat4};

use refrast_animation::Pose;
use refrast_golden::VertexBuffer;
use refrast_scene::Scene;

/// Of an influence that is taken for the only one.
const ALONE: f32 = 0.999;

/// The vertices that a map is fitted to at least.
const FEWEST: usize = 6;

/// How far a map may miss, in sizes of the scene: several hundred roundings of f32.
const EXACT: f64 = 1e-4;

/// Groups that are told.
const TOLD: usize = 4;

/// What moves some vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mover {
    /// A joint of a node's skin, by its place in the palette.
    Joint { node: usize, joint: u16 },
    /// A node without a skin.
    Node { node: usize },
}

/// A right position and the candidate's.
type Pairs = Vec<[DVec3; 2]>;

/// What happened to the vertices of each joint and of each node without joints, in sentences; the most vertices first.
/// `sources` gives the primitive's vertex of a file's.
pub(in super::super) fn movements(
    (scene, pose): (&Scene, &Pose),
    (exact, candidate): (&VertexBuffer, &VertexBuffer),
    mut sources: impl FnMut(usize, usize, usize) -> Option<usize>,
) -> Vec<String> {
    let mut groups: BTreeMap<Mover, Pairs> = BTreeMap::new();
    let mut size = f64::MIN_POSITIVE;
    for (row, id) in exact.ids.iter().flatten().enumerate() {
        let [right, own] = [exact, candidate].map(|buffer| DVec3::from(buffer.position.values[row]));
        let (node, primitive) = (id.node as usize, id.primitive as usize);
        let mover = sources(node, primitive, id.vertex as usize)
            .and_then(|vertex| mover(scene, node, primitive, vertex))
            .filter(|_| right.is_finite() && own.is_finite());
        if let Some(mover) = mover {
            size = size.max(right.abs().max_element());
            groups.entry(mover).or_default().push([right, own]);
        }
    }
    let moved = |pairs: &Pairs| pairs.iter().any(|[right, own]| right.distance(*own) > EXACT * size);
    let mut groups: Vec<(Mover, Pairs)> =
        groups.into_iter().filter(|(_, pairs)| pairs.len() >= FEWEST && moved(pairs)).collect();
    groups.sort_by_key(|(_, pairs)| std::cmp::Reverse(pairs.len()));
    let tell = |(mover, pairs): (Mover, Pairs)| {
        let map = fitted(&pairs).filter(|map| {
            pairs.iter().all(|[right, own]| map.transform_point3(*right).distance(*own) <= EXACT * size)
        })?;
        Some(format!("the {} vertices of {} {}", pairs.len(), name(scene, mover), told(scene, pose, mover, &map, size)))
    };
    groups.into_iter().filter_map(tell).take(TOLD).collect()
}

/// What moves a vertex, where it is one thing alone.
fn mover(scene: &Scene, node: usize, primitive: usize, vertex: usize) -> Option<Mover> {
    let own = scene.nodes.get(node)?;
    let primitive = scene.meshes.get(own.mesh?)?.primitives.get(primitive)?;
    let (Some(_), Some(influences)) = (own.skin, &primitive.influences) else { return Some(Mover::Node { node }) };
    let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
    let slot = slots.clone().find(|slot| influences.weights.get(*slot).is_some_and(|weight| *weight >= ALONE))?;
    Some(Mover::Joint { node, joint: *influences.joints.get(slot)? })
}

/// The affine map that takes the first of each pair nearest to the second; `None` where the points span no space.
fn fitted(pairs: &Pairs) -> Option<DMat4> {
    let count = pairs.len() as f64;
    let [from, to] = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).sum::<DVec3>() / count);
    let (mut spread, mut mixed) = (DMat3::ZERO, DMat3::ZERO);
    for [right, own] in pairs {
        let (right, own) = (*right - from, *own - to);
        let outer = |a: DVec3| DMat3::from_cols(a * right.x, a * right.y, a * right.z);
        (spread, mixed) = (spread + outer(right), mixed + outer(own));
    }
    // Flat or straight, up to what f32 rounds.
    let extent = (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z) / 3.0;
    let spans_a_space = spread.determinant() > 1e-8 * extent * extent * extent;
    spans_a_space.then(|| {
        let linear = mixed * spread.inverse();
        DMat4::from_mat3_translation(linear, to - linear * from)
    })
}

/// Whether two maps move the scene alike.
fn is_same(one: &DMat4, other: &DMat4, size: f64) -> bool {
    let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    places.into_iter().all(|place| {
        let place = place * size;
        one.transform_point3(place).distance(other.transform_point3(place)) <= 20.0 * EXACT * size
    })
}

/// What the map is.
fn told(scene: &Scene, pose: &Pose, mover: Mover, map: &DMat4, size: f64) -> String {
    let node = match mover {
        Mover::Joint { node, .. } | Mover::Node { node } => node,
    };
    let is = |other: DMat4| is_same(map, &other, size);
    if let Mover::Joint { joint, .. } = mover {
        let matrix = |joint: u16| joint_matrix(scene, pose, node, joint);
        let count = scene.nodes[node].skin.map_or(0, |skin| scene.skins[skin].joints.len()) as u16;
        let others = (0..count).filter(|other| *other != joint);
        let found = matrix(joint).and_then(|own| {
            let inverse = (own.determinant() != 0.0).then(|| own.inverse())?;
            others.into_iter().find(|other| matrix(*other).is_some_and(|other| is(other * inverse)))
        });
        if let Some(other) = found {
            return format!("are moved by the matrix of {}", name(scene, Mover::Joint { node, joint: other }));
        }
        if matrix(joint).is_some_and(|own| own.determinant() != 0.0 && is(own.inverse())) {
            return "are where the file has them: nothing moves them".to_owned();
        }
    }
    if is(pose.worlds[node].as_dmat4()) {
        return "are transformed by the node of their mesh once more".to_owned();
    }
    let [x, y, z, w] = [map.x_axis, map.y_axis, map.z_axis, map.w_axis].map(DVec4::truncate);
    for (axis, sign) in
        [("x", DVec3::new(-1.0, 1.0, 1.0)), ("y", DVec3::new(1.0, -1.0, 1.0)), ("z", DVec3::new(1.0, 1.0, -1.0))]
    {
        if is(DMat4::from_scale(sign)) {
            return format!("are mirrored in {axis}");
        }
    }
    let factor = (x.x + y.y + z.z) / 3.0;
    if factor != 0.0 && is(DMat4::from_scale(DVec3::splat(factor))) {
        return format!("are scaled by {}", rounded(factor));
    }
    if is(DMat4::from_translation(w)) {
        return format!("are moved by ({}, {}, {})", rounded(w.x), rounded(w.y), rounded(w.z));
    }
    let determinant = DMat3::from_mat4(*map).determinant();
    let is_rigid =
        is_same(&DMat4::from_mat3(DMat3::from_mat4(*map).transpose() * DMat3::from_mat4(*map)), &DMat4::IDENTITY, size);
    match (is_rigid, determinant < 0.0) {
        (true, false) => "are turned and moved as one".to_owned(),
        (true, true) => "are mirrored and moved as one".to_owned(),
        (false, _) => {
            format!("are moved by one matrix that is not rigid (its determinant is {})", rounded(determinant))
        }
    }
}

/// world · inverse bind.
fn joint_matrix(scene: &Scene, pose: &Pose, node: usize, joint: u16) -> Option<DMat4> {
    let skin = scene.skins.get(scene.nodes[node].skin?)?;
    let world: &Mat4 = pose.worlds.get(*skin.joints.get(usize::from(joint))?)?;
    Some(world.as_dmat4() * skin.inverse_bind_matrices.get(usize::from(joint))?.as_dmat4())
}

fn name(scene: &Scene, mover: Mover) -> String {
    let named = |node: usize| scene.nodes[node].name.as_ref().map_or(String::new(), |name| format!(" (`{name}`)"));
    match mover {
        Mover::Node { node } => format!("node {node}{}", named(node)),
        Mover::Joint { node, joint } => {
            let skin = scene.nodes[node].skin.and_then(|skin| scene.skins.get(skin));
            let joint_node = skin.and_then(|skin| skin.joints.get(usize::from(joint)).copied());
            format!("joint {joint}{}", joint_node.map_or(String::new(), named))
        }
    }
}

/// To four digits after the point.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners() -> Vec<DVec3> {
        let sides = [-1.0, 2.0];
        sides.iter().flat_map(|x| sides.iter().flat_map(move |y| sides.map(|z| DVec3::new(*x, *y, z)))).collect()
    }

    #[test]
    fn an_affine_map_is_found_from_corners() {
        let map =
            DMat4::from_cols_array(&[0.5, 2.0, 0.0, 0.0, -1.0, 0.25, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 7.0, 8.0, 9.0, 1.0]);
        let pairs: Pairs = corners().into_iter().map(|corner| [corner, map.transform_point3(corner)]).collect();
        let found = fitted(&pairs).expect("corners span a space");
        assert!(is_same(&found, &map, 1.0), "{found}");
        // A plane does not say where things beside it go.
        let flat: Pairs = pairs.into_iter().map(|[right, own]| [right * DVec3::new(1.0, 1.0, 0.0), own]).collect();
        assert_eq!(fitted(&flat), None);
    }

    #[test]
    fn what_is_known_of_a_map_is_told() {
        let scene = Scene::mannequin().expect("the built-in character");
        let pose = Pose::rest(&scene);
        let node = (0..scene.nodes.len()).find(|node| scene.nodes[*node].skin.is_some()).expect("it has a skin");
        let tell = |map: DMat4| told(&scene, &pose, Mover::Node { node }, &map, 2.0);
        assert_eq!(tell(DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0))), "are mirrored in x");
        assert_eq!(tell(DMat4::from_scale(DVec3::splat(100.0))), "are scaled by 100");
        assert_eq!(tell(DMat4::from_translation(DVec3::new(0.5, 0.0, -2.0))), "are moved by (0.5, 0, -2)");
        assert_eq!(tell(DMat4::from_rotation_x(0.3)), "are turned and moved as one");
    }
}
