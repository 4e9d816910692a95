//! Reads skins and checks that every skinned mesh fits them.
//!
//! Why it exists: a skin without inverse bind matrices has identities; a skin whose matrices are cut short is an error.
//! Confusing the two was a bug of several loaders. And because one mesh may be drawn under several skins, joint
//! indices are checked for each pair of mesh and skin.

use glam::Mat4;
use gltf::{json, json::accessor::Type};

use super::{
    accessor::FLOAT,
    affine,
    document::Document,
    error::{Problem, Result},
    model::{Mesh, Node, Primitive, Skin},
    remark::RemarkKind,
};

/// Reads all skins.
pub(super) fn read(document: &Document) -> Result<Vec<Skin>> {
    document.root.skins.iter().enumerate().map(|(index, skin)| read_skin(document, index, skin)).collect()
}

fn read_skin(document: &Document, index: usize, skin: &json::Skin) -> Result<Skin> {
    let place = format!("skins[{index}]");
    let node_count = document.root.nodes.len();
    if skin.joints.is_empty() {
        return Err(document.error(format!("{place}.joints"), Problem::Missing("a joint".to_owned())));
    }
    let mut joints = Vec::with_capacity(skin.joints.len());
    let mut seen = vec![false; node_count];
    for (number, joint) in skin.joints.iter().enumerate() {
        let place = format!("{place}.joints[{number}]");
        let joint = document.check_index("node", joint.value(), node_count, &place)?;
        if std::mem::replace(&mut seen[joint], true) {
            return Err(document.error(place, Problem::Value(format!("node {joint} is a joint of this skin twice"))));
        }
        joints.push(joint);
    }
    if joints.len() > usize::from(u16::MAX) + 1 {
        return Err(document.error(place, Problem::TooLarge(format!("has {} joints", joints.len()))));
    }
    let inverse_bind_matrices = match skin.inverse_bind_matrices {
        None => vec![Mat4::IDENTITY; joints.len()],
        Some(accessor) => {
            let accessor = document.accessor(accessor.value(), &format!("{place}.inverseBindMatrices"))?;
            accessor.require(&[Type::Mat4], &[FLOAT])?;
            // The specification allows more matrices than joints (section 5.28.1): the rest is not used.
            if accessor.count() < joints.len() {
                accessor.require_count("inverse bind matrices", joints.len())?;
            }
            let settle = |(joint, numbers): (usize, &[f32; 16])| {
                affine::settle(document, numbers, &format!("the matrix of joint {joint}"), accessor.place())
            };
            accessor.vectors::<16>()?.iter().take(joints.len()).enumerate().map(settle).collect::<Result<_>>()?
        }
    };
    let skeleton = match skin.skeleton {
        None => None,
        Some(node) => Some(document.check_index("node", node.value(), node_count, &format!("{place}.skeleton"))?),
    };
    Ok(Skin { name: skin.name.clone(), joints, inverse_bind_matrices, skeleton })
}

/// Checks every node that draws a mesh under a skin: all primitives must have influences, and these must name joints
/// that the skin has.
pub(super) fn check_skinned_nodes(document: &Document, nodes: &[Node], meshes: &[Mesh], skins: &[Skin]) -> Result<()> {
    for (index, node) in nodes.iter().enumerate() {
        let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
        for (number, primitive) in meshes[mesh].primitives.iter().enumerate() {
            let place = format!("meshes[{mesh}].primitives[{number}].attributes.JOINTS_n (nodes[{index}])");
            check_primitive(primitive, skin, skins[skin].joints.len())
                .map_err(|problem| document.error(place, problem))?;
        }
    }
    Ok(())
}

/// Remarks on skins that are drawn with joints that the scene does not have, or that hang together nowhere (section
/// 3.7.3.2). They move vertices all the same.
pub(super) fn remark_on_joints(
    document: &Document,
    nodes: &[Node],
    parents_first: &[usize],
    drawn: &[usize],
    skins: &[Skin],
) {
    let mut is_drawn = vec![false; nodes.len()];
    drawn.iter().for_each(|node| is_drawn[*node] = true);
    let mut roots: Vec<usize> = (0..nodes.len()).collect();
    for &node in parents_first {
        roots[node] = nodes[node].parent.map_or(node, |parent| roots[parent]);
    }
    let mut used = vec![false; skins.len()];
    drawn.iter().filter_map(|node| nodes[*node].mesh.and(nodes[*node].skin)).for_each(|skin| used[skin] = true);
    for (index, skin) in skins.iter().enumerate().filter(|(index, _)| used[*index]) {
        let place = format!("skins[{index}].joints");
        let outside: Vec<&usize> = skin.joints.iter().filter(|joint| !is_drawn[**joint]).collect();
        if let Some(first) = outside.first() {
            let detail = format!(
                "{} of {} joints are not in the scene, node {first} for one; they move the mesh all the same",
                outside.len(),
                skin.joints.len()
            );
            document.warn(RemarkKind::JointsOutsideScene, place.as_str(), detail);
        }
        let first = skin.joints[0];
        if let Some(other) = skin.joints.iter().find(|joint| roots[**joint] != roots[first]) {
            let detail =
                format!("no node is above both node {first} and node {other}; each moves as its own parents say");
            document.warn(RemarkKind::JointsWithoutCommonRoot, place, detail);
        }
    }
}

/// Checks one primitive against skin number `skin` with `joint_count` joints.
fn check_primitive(primitive: &Primitive, skin: usize, joint_count: usize) -> std::result::Result<(), Problem> {
    let Some(influences) = &primitive.influences else {
        if primitive.positions.is_empty() {
            return Ok(());
        }
        return Err(Problem::Missing(format!("JOINTS_0, which the node's skin {skin} needs,")));
    };
    match influences.joints.iter().position(|joint| usize::from(*joint) >= joint_count) {
        None => Ok(()),
        Some(slot) => {
            let vertex = primitive.source_vertices[slot / influences.per_vertex];
            let joint = influences.joints[slot];
            Err(Problem::Value(format!(
                "vertex {vertex} names joint {joint}, but skin {skin} has {joint_count} joints"
            )))
        }
    }
}
