//! Reads nodes and checks that they form a forest.
//!
//! Why it exists: everything that walks the hierarchy may rely on `parents_first` and need not fear cycles. Nothing
//! here recurses, so a chain of a million nodes is no danger to the stack.

use glam::{Quat, Vec3};
use gltf::json;

use super::{
    affine,
    document::Document,
    error::{Problem, Result},
    model::{Mesh, Node, Transform},
    primitive::check_weights,
    remark::RemarkKind,
    rotation,
};

/// Reads all nodes. References to cameras, lights and skins are checked against the file's lists, morph weights
/// against the mesh. `lights` says for each light of the file which one of the scene it is.
pub(super) fn read(document: &Document, meshes: &[Mesh], lights: &[Option<usize>]) -> Result<Vec<Node>> {
    let read = |(index, node): (usize, &json::Node)| read_node(document, index, node, meshes, lights);
    let mut nodes: Vec<Node> = document.root.nodes.iter().enumerate().map(read).collect::<Result<_>>()?;
    for parent in 0..nodes.len() {
        for number in 0..nodes[parent].children.len() {
            let child = nodes[parent].children[number];
            if let Some(other) = nodes[child].parent.replace(parent) {
                let place = format!("nodes[{parent}].children[{number}]");
                let reason = format!("node {child} has two parents: {other} and {parent}");
                return Err(document.error(place, Problem::Hierarchy(reason)));
            }
        }
    }
    Ok(nodes)
}

fn read_node(
    document: &Document,
    index: usize,
    node: &json::Node,
    meshes: &[Mesh],
    lights: &[Option<usize>],
) -> Result<Node> {
    let root = &document.root;
    let place = |property: &str| format!("nodes[{index}].{property}");
    let check = |what, index: Option<usize>, count, property| {
        index.map(|index| document.check_index(what, index, count, &place(property))).transpose()
    };
    let children = node
        .children
        .as_deref()
        .unwrap_or_default()
        .iter()
        .map(|child| document.check_index("node", child.value(), root.nodes.len(), &place("children")));
    let light = node.extensions.as_ref().and_then(|extensions| extensions.khr_lights_punctual.as_ref());
    let mesh = check("mesh", node.mesh.map(|mesh| mesh.value()), meshes.len(), "mesh")?;
    // Without a mesh there is nothing to weigh.
    let weights = match (&node.weights, mesh) {
        (Some(weights), Some(mesh)) => {
            Some(check_weights(document, weights, meshes[mesh].weights.len(), &place("weights"))?)
        }
        _ => None,
    };
    Ok(Node {
        name: node.name.clone(),
        parent: None,
        children: children.collect::<Result<_>>()?,
        transform: read_transform(document, node, &place)?,
        mesh,
        skin: check("skin", node.skin.map(|skin| skin.value()), root.skins.len(), "skin")?,
        camera: check("camera", node.camera.map(|camera| camera.value()), root.cameras.len(), "camera")?,
        light: check(
            "light",
            light.map(|light| light.light.value()),
            lights.len(),
            "extensions.KHR_lights_punctual.light",
        )?
        .and_then(|light| lights[light]),
        weights,
    })
}

fn read_transform(document: &Document, node: &json::Node, place: &dyn Fn(&str) -> String) -> Result<Transform> {
    if let Some(matrix) = &node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            let reason = "has a matrix and translation, rotation or scale; only one of the two is allowed";
            return Err(document.error(place("matrix"), Problem::Value(reason.to_owned())));
        }
        let matrix = document.finite(*matrix, &place("matrix"))?;
        return Ok(Transform::Matrix(affine::settle(document, &matrix, "it", &place("matrix"))?));
    }
    let translation = document.finite(node.translation.unwrap_or_default(), &place("translation"))?;
    let rotation = document.finite(node.rotation.unwrap_or_default().0, &place("rotation"))?;
    let scale = document.finite(node.scale.unwrap_or([1.0; 3]), &place("scale"))?;
    rotation::check_node(document, &rotation, &place("rotation"))?;
    Ok(Transform::Decomposed {
        translation: Vec3::from_array(translation),
        rotation: Quat::from_array(rotation),
        scale: Vec3::from_array(scale),
    })
}

/// Every node once, parents before children: depth-first from the roots in file order.
///
/// # Errors
/// A cycle.
pub(super) fn parents_first(document: &Document, nodes: &[Node]) -> Result<Vec<usize>> {
    let roots: Vec<usize> = (0..nodes.len()).filter(|node| nodes[*node].parent.is_none()).collect();
    let order = depth_first(nodes, &roots);
    if order.len() < nodes.len() {
        // Every node has at most one parent, so what no root reaches is on or below a cycle. Walking up from it as
        // often as there are nodes ends on the cycle itself.
        let mut reached = vec![false; nodes.len()];
        order.iter().for_each(|node| reached[*node] = true);
        let mut on_cycle = reached.iter().position(|reached| !reached).unwrap_or_default();
        for _ in 0..nodes.len() {
            on_cycle = nodes[on_cycle].parent.unwrap_or(on_cycle);
        }
        let reason = format!("node {on_cycle} is its own ancestor");
        return Err(document.error(format!("nodes[{on_cycle}].children"), Problem::Hierarchy(reason)));
    }
    Ok(order)
}

/// The nodes of the default scene in draw order: depth-first, children in file order. Without a default scene it is
/// scene 0, without any scene all roots. Nodes that a scene names though they are no roots are drawn where their parents
/// place them, once.
pub(super) fn drawn(document: &Document, nodes: &[Node], parents_first: &[usize]) -> Result<Vec<usize>> {
    let scenes = &document.root.scenes;
    let scene = match document.root.scene {
        Some(scene) => document.check_index("scene", scene.value(), scenes.len(), "scene")?,
        None => 0,
    };
    let Some(json) = scenes.get(scene) else {
        let roots: Vec<usize> = (0..nodes.len()).filter(|node| nodes[*node].parent.is_none()).collect();
        return Ok(depth_first(nodes, &roots));
    };
    let mut roots = Vec::with_capacity(json.nodes.len());
    let mut seen = vec![false; nodes.len()];
    for (number, node) in json.nodes.iter().enumerate() {
        let place = format!("scenes[{scene}].nodes[{number}]");
        let node = document.check_index("node", node.value(), nodes.len(), &place)?;
        if std::mem::replace(&mut seen[node], true) {
            document.warn(
                RemarkKind::SceneNodeNotRoot,
                place,
                format!("node {node} is listed twice; it is drawn once"),
            );
        } else {
            roots.push(node);
            if let Some(parent) = nodes[node].parent {
                let detail =
                    format!("node {node} is no root: node {parent} is its parent; it is drawn once, where that is");
                document.warn(RemarkKind::SceneNodeNotRoot, place, detail);
            }
        }
    }
    if roots.iter().any(|root| nodes[*root].parent.is_some()) {
        // What another listed node reaches is drawn with it.
        let below = below(nodes, parents_first, &seen);
        roots.retain(|root| !below[*root]);
    }
    Ok(depth_first(nodes, &roots))
}

/// Whether each node has one of these above it.
fn below(nodes: &[Node], parents_first: &[usize], chosen: &[bool]) -> Vec<bool> {
    let mut below = vec![false; nodes.len()];
    for &node in parents_first {
        below[node] = nodes[node].parent.is_some_and(|parent| below[parent] || chosen[parent]);
    }
    below
}

/// Depth-first order from the given roots.
fn depth_first(nodes: &[Node], roots: &[usize]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut stack: Vec<usize> = roots.iter().rev().copied().collect();
    while let Some(node) = stack.pop() {
        order.push(node);
        stack.extend(nodes[node].children.iter().rev());
    }
    order
}
