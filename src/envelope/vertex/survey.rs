//! What each skinning method costs in accuracy on a scene: refrast's own f32 kernels against the exact formulas.

use serde::Serialize;

use super::scene::{DrawnPrimitive, SceneVertexError, VertexSettings};
use refrast_animation::Pose;
use refrast_measure::{Attribute, AttributeComparison, VertexBuffer, VertexCompareOptions, VertexComparison};
use refrast_scene::Scene;
use refrast_skinning::DeformedVertices;

/// How far a method's f32 result is from its own formula, and its formula from linear skinning, over all vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MethodError {
    /// Distances of positions, in metres.
    pub position: Distances,
    /// Distances of normals and tangents.
    pub direction: Distances,
    /// The largest distance in bounds; `None` where nothing is bounded.
    pub ratio: Option<f64>,
    /// Positions, normals and tangents with a component outside of its bound: not one, if we are right.
    pub outside: usize,
    /// Positions, normals and tangents with a component that nothing bounds.
    pub without_bound: usize,
    /// How far the exact positions are from those of linear skinning with all influences.
    pub to_linear: f64,
}

/// Distances of the component that is farthest off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Distances {
    /// Of the worst vertex.
    pub largest: f64,
    /// On average.
    pub mean: f64,
    /// How many the average is over.
    pub count: usize,
}

impl Distances {
    fn add(&mut self, attribute: &AttributeComparison) {
        let number = |distance: Option<f64>| distance.unwrap_or(f64::INFINITY);
        let sum = self.mean * self.count as f64 + number(attribute.mean_error) * attribute.compared as f64;
        self.count += attribute.compared;
        self.mean = sum / self.count.max(1) as f64;
        self.largest = self.largest.max(number(attribute.largest_error));
    }
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
    let linear = VertexSettings { rounding: settings.rounding, ..VertexSettings::default() };
    for (drawn, linear) in settings.drawn(scene, pose).into_iter().zip(linear.drawn(scene, pose)) {
        let exact = exact_buffer(scene, &drawn, settings)?;
        let options = VertexCompareOptions { accepted: None, worst: 0 };
        let comparison = VertexComparison::of(&exact, &buffer(&deform(drawn.node, drawn.index)), &options);
        for attribute in &comparison.attributes {
            let to = if attribute.attribute == "position" { &mut error.position } else { &mut error.direction };
            to.add(attribute);
            error.outside += attribute.outside;
            error.without_bound += attribute.without_bound;
            if attribute.without_bound < attribute.compared {
                let ratio = attribute.largest_ratio.unwrap_or(f64::INFINITY);
                error.ratio = Some(error.ratio.map_or(ratio, |other| other.max(ratio)));
            }
        }
        let linear = exact_buffer(scene, &linear, settings)?;
        let components = exact.position.values.iter().flatten().zip(linear.position.values.iter().flatten());
        error.to_linear = components.map(|(a, b)| (a - b).abs()).fold(error.to_linear, f64::max);
    }
    Ok(error)
}

fn exact_buffer(
    scene: &Scene,
    drawn: &DrawnPrimitive<'_>,
    settings: VertexSettings,
) -> Result<VertexBuffer, SceneVertexError> {
    let exact = drawn.exact(scene, settings.rounding)?;
    Ok(VertexBuffer {
        ids: None,
        position: exact.position,
        normal: exact.normal,
        tangent: exact.tangent,
        ..VertexBuffer::default()
    })
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
        ..VertexBuffer::default()
    }
}
