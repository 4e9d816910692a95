//! What the tests of vertex bounds share: random skins, and f32 evaluations of them, right ones in every order and wrong
//! ones with exactly one fault. Nothing here uses refrast's own skinning.
#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod dual_quaternion;
pub(crate) mod evaluate;
pub(crate) mod faults;
pub(crate) mod rig;

use refrast::{
    golden::{Attribute, VertexBuffer, VertexCompareOptions, VertexComparison},
    verify::vertex::{Rounding, VertexInputs, exact_vertices},
};

/// Position, normal, tangent with handedness.
pub(crate) type Vertex = ([f32; 3], [f32; 3], [f32; 4]);

/// The exact vertices as a golden.
pub(crate) fn golden(inputs: &VertexInputs<'_>) -> VertexBuffer {
    let exact = exact_vertices(inputs, Rounding::Nearest).unwrap();
    VertexBuffer {
        ids: None,
        position: exact.position,
        normal: exact.normal,
        tangent: exact.tangent,
        ..VertexBuffer::default()
    }
}

/// How a buffer does against a golden.
pub(crate) fn judge(golden: &VertexBuffer, vertices: &[Vertex]) -> VertexComparison {
    fn plain<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Attribute<N> {
        Attribute::without_bounds(values.map(|value| value.map(f64::from)).collect())
    }
    let candidate = VertexBuffer {
        ids: None,
        position: plain(vertices.iter().map(|vertex| vertex.0)),
        normal: Some(plain(vertices.iter().map(|vertex| vertex.1))),
        tangent: Some(plain(vertices.iter().map(|vertex| vertex.2))),
        ..VertexBuffer::default()
    };
    VertexComparison::of(golden, &candidate, &VertexCompareOptions::default())
}

/// The largest error in bounds over all attributes.
pub(crate) fn largest_ratio(comparison: &VertexComparison) -> f64 {
    let ratios = comparison.attributes.iter().map(|attribute| attribute.largest_ratio.unwrap_or(f64::INFINITY));
    ratios.fold(0.0, f64::max)
}
