//! What each skinning method costs in accuracy on a scene: refrast's own f32 kernels against the exact formulas.

use serde::Serialize;

use super::inputs::{Formula, NormalFormula};
use super::scene::{DrawnPrimitive, SceneVertexError, VertexSettings};
use crate::animation::Pose;
use crate::golden::{Attribute, VertexBuffer, VertexCompareOptions, VertexComparison};
use crate::scene::Scene;
use crate::skinning::DeformedVertices;

/// How far a method's f32 result is from its own formula, and its formula from linear skinning, over all vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MethodError {
    /// The largest distance of a position in metres.
    pub position: f64,
    /// The largest distance of a component of a normal or tangent.
    pub direction: f64,
    /// The largest distance in bounds; `None` where nothing is bounded.
    pub ratio: Option<f64>,
    /// How far the exact positions are from those of linear skinning.
    pub to_linear: f64,
}

/// Compares the vertices that `deform` makes of each drawn primitive (node, primitive) with the formula they follow.
///
/// # Errors
///
/// Where the formula can not follow a joint.
pub fn method_errors(
    scene: &Scene,
    pose: &Pose,
    settings: VertexSettings,
    mut deform: impl FnMut(usize, usize) -> DeformedVertices,
) -> Result<MethodError, SceneVertexError> {
    let mut error = MethodError::default();
    let linear = VertexSettings { formula: Formula::Linear, normals: NormalFormula::InverseTranspose, ..settings };
    for (drawn, linear) in settings.drawn(scene, pose).into_iter().zip(linear.drawn(scene, pose)) {
        let exact = exact_buffer(&drawn, settings)?;
        let comparison = VertexComparison::of(
            &exact,
            &buffer(&deform(drawn.node, drawn.index)),
            &VertexCompareOptions { accepted: None, worst: 0 },
        );
        for attribute in &comparison.attributes {
            let largest = attribute.largest_error.unwrap_or(f64::INFINITY);
            let to = if attribute.attribute == "position" { &mut error.position } else { &mut error.direction };
            *to = to.max(largest);
            if attribute.without_bound < attribute.compared {
                let ratio = attribute.largest_ratio.unwrap_or(f64::INFINITY);
                error.ratio = Some(error.ratio.map_or(ratio, |other| other.max(ratio)));
            }
        }
        let linear = exact_buffer(&linear, settings)?;
        let components = exact.position.values.iter().flatten().zip(linear.position.values.iter().flatten());
        error.to_linear = components.map(|(a, b)| (a - b).abs()).fold(error.to_linear, f64::max);
    }
    Ok(error)
}

fn exact_buffer(drawn: &DrawnPrimitive<'_>, settings: VertexSettings) -> Result<VertexBuffer, SceneVertexError> {
    let exact = drawn.exact(settings.rounding)?;
    Ok(VertexBuffer { ids: None, position: exact.position, normal: exact.normal, tangent: exact.tangent })
}

fn buffer(deformed: &DeformedVertices) -> VertexBuffer {
    let vertices = 0..deformed.len();
    let plain = |planes: [&[f32]; 3]| {
        Attribute::without_bounds(vertices.clone().map(|vertex| planes.map(|plane| f64::from(plane[vertex]))).collect())
    };
    let tangent = |planes: [&[f32]; 4]| {
        Attribute::without_bounds(vertices.clone().map(|vertex| planes.map(|plane| f64::from(plane[vertex]))).collect())
    };
    VertexBuffer {
        ids: None,
        position: plain(deformed.positions()),
        normal: deformed.normals().map(plain),
        tangent: deformed.tangents().map(tangent),
    }
}
