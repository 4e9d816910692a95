//! Causes in words: which triangle of what, moved by which joint, and what decides whether it is seen.
//!
//! Why it exists: "pixel (164, 70) is 174 steps outside" sends nobody anywhere. A node, a triangle and a joint do.

use std::collections::BTreeMap;

use refrast_envelope::{CauseKind, Causes, PixelCause};
use refrast_golden::{Measurement, PixelCauses};
use refrast_raster::PrimitiveTopology;
use refrast_render::{FrameDraw, Renderer};
use refrast_scene::{Primitive, Scene};

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

/// What is needed to call a primitive by its name.
struct Names<'a> {
    scene: &'a Scene,
    draws: Vec<FrameDraw<'a>>,
}

impl<'a> Names<'a> {
    fn of(renderer: &'a Renderer<'_>) -> Self {
        Self { scene: renderer.scene(), draws: renderer.frame_draws().collect() }
    }

    fn tell(&self, cause: &PixelCause) -> String {
        let why = match cause.kind {
            CauseKind::Surface => "its colour (texels, arithmetic)",
            CauseKind::Edge => "its edge",
            CauseKind::Depth => "its depth",
            CauseKind::Mask => "its alpha mask",
        };
        let Some(draw) = self.draws.get(cause.draw as usize) else { return why.to_owned() };
        let (shape, corners) = match draw.topology {
            PrimitiveTopology::Points => ("point", 1),
            PrimitiveTopology::Lines => ("line", 2),
            PrimitiveTopology::Triangles => ("triangle", 3),
        };
        let node = draw.vertices.node;
        let first = cause.primitive as usize * corners;
        let vertices = draw.indices.get(first..first + corners).unwrap_or_default().iter().map(|&index| {
            let sources = draw.vertices.source_vertices;
            sources.and_then(|sources| sources.get(index as usize).copied()).unwrap_or(index) as usize
        });
        let joint = self.heaviest_joint(node, draw.vertices.primitive, vertices);
        let joint = joint.map_or(String::new(), |joint| format!(", joint {}", self.name(joint)));
        format!("{why}: {shape} {} of {}{joint}", cause.primitive, self.name(node))
    }

    fn name(&self, node: usize) -> String {
        let name = self.scene.nodes.get(node).and_then(|node| node.name.as_deref());
        name.map_or_else(|| format!("node {node}"), |name| format!("`{name}`"))
    }

    /// The node of the joint that moves these vertices most.
    fn heaviest_joint(
        &self,
        node: usize,
        primitive: &Primitive,
        vertices: impl Iterator<Item = usize>,
    ) -> Option<usize> {
        let skin = self.scene.nodes.get(node)?.skin?;
        let influences = primitive.influences.as_ref()?;
        let mut weights: BTreeMap<u16, f32> = BTreeMap::new();
        for vertex in vertices {
            let range = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
            let joints = influences.joints.get(range.clone())?;
            for (&joint, &weight) in joints.iter().zip(influences.weights.get(range)?) {
                *weights.entry(joint).or_default() += weight;
            }
        }
        let (&joint, _) = weights.iter().max_by(|one, other| one.1.total_cmp(other.1).then(other.0.cmp(one.0)))?;
        self.scene.skins.get(skin)?.joints.get(usize::from(joint)).copied()
    }
}
