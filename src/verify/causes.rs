//! Causes in words: which triangle of what, moved by which joint, and what decides whether it is seen.
//!
//! Why it exists: "pixel (164, 70) is 174 steps outside" sends nobody anywhere. A node, a triangle and a joint do.

use std::collections::BTreeMap;

use refrast_draw::PrimitiveTopology;
use refrast_envelope::{CauseKind, Causes, PixelCause};
use refrast_golden::{Measurement, PixelCauses};
use refrast_render::Renderer;
use refrast_scene::{Primitive, Scene};
use refrast_stage::FrameDraw;

/// The most causes that are told of a pixel; a pixel on a silhouette of many small triangles may have dozens.
const MOST_CAUSES: usize = 6;

/// Why the worst pixels of a measurement may be what they are: whose colours would be right there. `renderer` has drawn the
/// frame that `causes` are of.
pub(crate) fn explain_worst(renderer: &Renderer<'_>, causes: &Causes, measurement: &Measurement) -> Vec<PixelCauses> {
    let names = Names::of(renderer);
    let explained = measurement.worst.iter().map(|pixel| {
        let all = causes.of(pixel.x, pixel.y);
        let mut causes: Vec<String> = all.iter().take(MOST_CAUSES).map(|cause| names.tell(cause)).collect();
        if all.is_empty() {
            causes.push("background: nothing may be seen here".to_owned());
        } else if all.len() > MOST_CAUSES {
            causes.push(format!("and {} more", all.len() - MOST_CAUSES));
        }
        PixelCauses { x: pixel.x, y: pixel.y, causes }
    });
    explained.collect()
}

/// What is seen in a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Index into the scene's nodes.
    pub(crate) node: usize,
    /// Index into the scene's materials.
    pub(crate) material: usize,
    /// The place in the palette of the joint that moves its vertices most, where there is one.
    pub(crate) joint: Option<u16>,
    /// The joint's node.
    pub(crate) joint_node: Option<usize>,
}

/// What is needed to call a primitive by its name.
pub(crate) struct Names<'a> {
    scene: &'a Scene,
    draws: Vec<FrameDraw<'a>>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(renderer: &'a Renderer<'_>) -> Self {
        Self { scene: renderer.scene(), draws: renderer.stage().frame_draws().collect() }
    }

    fn tell(&self, cause: &PixelCause) -> String {
        let why = match cause.kind {
            CauseKind::Surface => "its colour (texels, arithmetic)",
            CauseKind::Edge => "its edge",
            CauseKind::Depth => "its depth",
            CauseKind::Mask => "its alpha mask",
        };
        let Some(draw) = self.draws.get(cause.draw as usize) else { return why.to_owned() };
        let shape = match draw.topology {
            PrimitiveTopology::Points => "point",
            PrimitiveTopology::Lines => "line",
            PrimitiveTopology::Triangles => "triangle",
        };
        let joint = self.joint_of(draw, cause.primitive).and_then(|joint| self.joint_node(draw.vertices.node, joint));
        let joint = joint.map_or(String::new(), |joint| format!(", joint {}", self.node(joint)));
        format!("{why}: {shape} {} of {}{joint}", cause.primitive, self.node(draw.vertices.node))
    }

    /// What a cause is; `None` where there is no such draw.
    pub(crate) fn seen(&self, cause: &PixelCause) -> Option<Seen> {
        let draw = self.draws.get(cause.draw as usize)?;
        let (node, joint) = (draw.vertices.node, self.joint_of(draw, cause.primitive));
        let joint_node = joint.and_then(|joint| self.joint_node(node, joint));
        Some(Seen { node, material: draw.vertices.primitive.material, joint, joint_node })
    }

    /// A node's name.
    pub(crate) fn node(&self, node: usize) -> String {
        let names = self.scene.nodes.iter().map(|node| node.name.as_deref());
        called("node", node, names)
    }

    /// A material's name.
    pub(crate) fn material(&self, material: usize) -> String {
        let names = self.scene.materials.iter().map(|material| material.name.as_deref());
        called("material", material, names)
    }

    /// The place in the palette of the joint that moves most the vertices of a triangle, line or point of a draw.
    fn joint_of(&self, draw: &FrameDraw<'_>, primitive: u32) -> Option<u16> {
        let weights = self.weights_in(draw, primitive).into_iter();
        weights.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0))).map(|(joint, _)| joint)
    }

    /// The nodes of all joints that move a triangle, line or point, each with its part of the weights.
    pub(crate) fn joints(&self, cause: &PixelCause) -> Vec<(usize, f32)> {
        let Some(draw) = self.draws.get(cause.draw as usize) else { return Vec::new() };
        let weights = self.weights_in(draw, cause.primitive);
        let all: f32 = weights.values().sum();
        let of_node = |(joint, weight): (u16, f32)| Some((self.joint_node(draw.vertices.node, joint)?, weight / all));
        weights.into_iter().filter(|(_, weight)| *weight > 0.0).filter_map(of_node).collect()
    }

    /// The weights of the joints at the vertices of a triangle, line or point, added up.
    fn weights_in(&self, draw: &FrameDraw<'_>, primitive: u32) -> BTreeMap<u16, f32> {
        let corners = match draw.topology {
            PrimitiveTopology::Points => 1,
            PrimitiveTopology::Lines => 2,
            PrimitiveTopology::Triangles => 3,
        };
        let first = primitive as usize * corners;
        let vertices = draw.indices.get(first..first + corners).unwrap_or_default().iter().map(|&index| {
            let sources = draw.vertices.source_vertices;
            sources.and_then(|sources| sources.get(index as usize).copied()).unwrap_or(index) as usize
        });
        self.weights(draw.vertices.node, draw.vertices.primitive, vertices).unwrap_or_default()
    }

    fn joint_node(&self, node: usize, joint: u16) -> Option<usize> {
        let skin = self.scene.nodes.get(node)?.skin?;
        self.scene.skins.get(skin)?.joints.get(usize::from(joint)).copied()
    }

    /// The weights of the joints that move these vertices, added up.
    fn weights(
        &self,
        node: usize,
        primitive: &Primitive,
        vertices: impl Iterator<Item = usize>,
    ) -> Option<BTreeMap<u16, f32>> {
        self.scene.nodes.get(node)?.skin?;
        let influences = primitive.influences.as_ref()?;
        let mut weights: BTreeMap<u16, f32> = BTreeMap::new();
        for vertex in vertices {
            let range = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            let joints = influences.joints.get(range.clone())?;
            for (&joint, &weight) in joints.iter().zip(influences.weights.get(range)?) {
                *weights.entry(joint).or_default() += weight;
            }
        }
        Some(weights)
    }
}

/// A name, with the number where others have the same, or the number alone.
fn called<'a>(kind: &str, number: usize, names: impl Iterator<Item = Option<&'a str>> + Clone) -> String {
    let Some(name) = names.clone().nth(number).flatten() else { return format!("{kind} {number}") };
    let is_another = |(other, own): (usize, Option<&str>)| other != number && own == Some(name);
    if names.enumerate().any(is_another) { format!("`{name}` ({kind} {number})") } else { format!("`{name}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_its_name_has_its_number_too() {
        let names = [Some("post"), None, Some("plank"), Some("post")];
        let told = (0..5).map(|number| called("node", number, names.into_iter()));
        assert_eq!(Vec::from_iter(told), ["`post` (node 0)", "node 1", "`plank`", "`post` (node 3)", "node 4"]);
    }
}
