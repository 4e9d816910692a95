//! A backend's buffer against the exact vertices, with what moved the worst ones.

use std::fmt;

use serde::Serialize;

use super::{
    inputs::VertexInputs,
    scene::{SceneVertexError, VertexSettings, scene_vertices},
    vectors::{Affine, affine, product},
};
use refrast_animation::Pose;
use refrast_measure::{VertexBuffer, VertexCompareOptions, VertexComparison, VertexId};
use refrast_range::Rounding;
use refrast_scene::Scene;

/// A comparison with the causes beside it.
#[derive(Clone, Debug, Serialize)]
pub struct VertexReport {
    /// How far each attribute is from the exact one.
    #[serde(flatten)]
    pub comparison: VertexComparison,
    /// What moves the worst vertices of all attributes, each vertex once.
    pub causes: Vec<WorstInfluences>,
}

/// What moves a vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstInfluences {
    /// The vertex.
    pub id: VertexId,
    /// Its joints, in the order of the file, or by weight where some were cut off; for a mesh without a skin its node
    /// alone.
    pub influences: Vec<Influence>,
}

/// A joint of a vertex.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influence {
    /// Index into the skin's joints; 0 without a skin.
    pub joint: usize,
    /// The node that is the joint.
    pub node: usize,
    /// Its name.
    pub name: Option<String>,
    /// The weight.
    pub weight: f32,
    /// world · inverse bind, exactly: three rows of four; the fourth is (0, 0, 0, 1).
    pub matrix: [[f64; 4]; 3],
}

/// Compares a buffer with the exact vertices of a scene in a pose.
///
/// # Errors
///
/// Where the formula can not follow a joint. A buffer of another shape is no error but a difference.
pub fn compare_vertices(
    scene: &Scene,
    pose: &Pose,
    settings: VertexSettings,
    candidate: &VertexBuffer,
    options: &VertexCompareOptions,
) -> Result<VertexReport, SceneVertexError> {
    let exact = scene_vertices(scene, pose, settings)?;
    let comparison = VertexComparison::of(&exact, candidate, options);
    let mut worst: Vec<VertexId> = Vec::new();
    for vertex in comparison.attributes.iter().flat_map(|attribute| &attribute.worst) {
        if !worst.contains(&vertex.id) {
            worst.push(vertex.id);
        }
    }
    let drawn = settings.drawn(scene, pose);
    let causes = worst.into_iter().filter_map(|id| {
        let wanted = (id.node as usize, id.primitive as usize);
        let drawn = drawn.iter().find(|drawn| (drawn.node, drawn.index) == wanted)?;
        Some(WorstInfluences { id, influences: influences(scene, drawn.node, &drawn.inputs, id.vertex) })
    });
    Ok(VertexReport { causes: causes.collect(), comparison })
}

/// The influences of a vertex of the file.
fn influences(scene: &Scene, node: usize, inputs: &VertexInputs<'_>, source: u32) -> Vec<Influence> {
    let Some(vertex) = inputs.primitive.source_vertices.iter().position(|&vertex| vertex == source) else {
        return Vec::new();
    };
    let skin = scene.nodes[node].skin.filter(|_| inputs.influences.is_some()).map(|skin| &scene.skins[skin]);
    let influence = |(joint, weight): (usize, refrast_range::Bounded)| {
        let node = skin.map_or(node, |skin| skin.joints[joint]);
        let factors = &inputs.joints[joint];
        let matrix: Affine = product(&affine(&factors.world), &affine(&factors.inverse_bind));
        Influence {
            joint,
            node,
            name: scene.nodes[node].name.clone(),
            weight: weight.value() as f32,
            matrix: matrix.map(|row| row.map(refrast_range::Bounded::value)),
        }
    };
    inputs.influences_of(vertex, false, Rounding::Nearest).into_iter().map(influence).collect()
}

impl fmt::Display for VertexReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comparison.fmt(formatter)?;
        let outside = |cause: &&WorstInfluences| {
            let mut worst = self.comparison.attributes.iter().flat_map(|attribute| &attribute.worst);
            worst.any(|vertex| vertex.outside && vertex.id == cause.id)
        };
        for cause in self.causes.iter().filter(outside) {
            writeln!(formatter, "  {} follows", cause.id)?;
            for Influence { joint, node, name, weight, matrix } in &cause.influences {
                let name = name.as_deref().unwrap_or("unnamed");
                writeln!(formatter, "    joint {joint} (node {node}, {name}) with weight {weight}, by")?;
                for [x, y, z, w] in matrix {
                    writeln!(formatter, "      {x:12.6} {y:12.6} {z:12.6} {w:12.6}")?;
                }
            }
        }
        Ok(())
    }
}
